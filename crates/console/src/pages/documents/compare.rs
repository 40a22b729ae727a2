//! What differs between two texts, line by line.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

/// Lines around a change that are shown with it.
const AROUND: usize = 3;
/// Most lines that are shown.
const MOST: usize = 2_000;
/// How long to look for the smallest difference; after that a larger one has to do.
const PATIENCE: Duration = Duration::from_millis(300);

/// A line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// It is in both.
    Same(String),
    /// It was added.
    Added(String),
    /// It was removed.
    Removed(String),
    /// Lines that are the same were left out.
    Gap,
}

/// A comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) lines: Vec<Line>,
    pub(super) added: u64,
    pub(super) removed: u64,
    /// Whether there is more than is shown.
    pub(super) cut: bool,
}

/// Compares two texts. Time and size are bounded, whatever they are.
pub(super) fn compare(before: &str, after: &str) -> Comparison {
    // That the last line has no end is no difference.
    let ended = |text: &str| match text {
        "" => String::new(),
        text if text.ends_with('\n') => text.to_owned(),
        text => format!("{text}\n"),
    };
    let (before, after) = (ended(before), ended(after));
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(&before, &after);
    let mut found = Comparison::default();
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => {}
            ChangeTag::Insert => found.added += 1,
            ChangeTag::Delete => found.removed += 1,
        }
    }
    for (at, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if at > 0 {
            found.lines.push(Line::Gap);
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            if found.lines.len() >= MOST {
                found.cut = true;
                return found;
            }
            let text = change.value().trim_end_matches(['\n', '\r']).to_owned();
            found.lines.push(match change.tag() {
                ChangeTag::Equal => Line::Same(text),
                ChangeTag::Insert => Line::Added(text),
                ChangeTag::Delete => Line::Removed(text),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_changed_are_shown_with_those_around() {
        let before: String = (0..30).map(|n| format!("line {n}\n")).collect();
        let after = before.replace("line 3\n", "line three\n").replace("line 25\n", "");
        let found = compare(&before, &after);
        assert_eq!((found.added, found.removed, found.cut), (1, 2, false));
        assert!(found.lines.contains(&Line::Added("line three".into())));
        assert!(found.lines.contains(&Line::Removed("line 25".into())));
        assert_eq!(found.lines.iter().filter(|line| **line == Line::Gap).count(), 1);
        assert!(!found.lines.contains(&Line::Same("line 15".into())));
    }

    #[test]
    fn the_same_text_does_not_differ() {
        assert_eq!(compare("a\nb", "a\nb"), Comparison::default());
        assert_eq!(compare("", ""), Comparison::default());
        assert_eq!(compare("a\nb", "a\nb\n"), Comparison::default());
        assert_eq!(compare("a", "a\nb").lines, [Line::Same("a".into()), Line::Added("b".into())]);
    }

    #[test]
    fn a_comparison_has_an_end() {
        let text = |sign: &str| (0..20_000).map(|n| format!("{sign}{}\n", n * 7 % 1_000)).collect::<String>();
        let found = compare(&text("a"), &text("b"));
        assert!(found.cut && found.lines.len() == MOST);
        assert_eq!((found.added, found.removed), (20_000, 20_000));
    }
}
