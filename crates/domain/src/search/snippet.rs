//! The piece of a text that is shown with a match.

use unicode_segmentation::UnicodeSegmentation;

use super::Query;
use crate::text::shorten;

/// Longest snippet, in characters.
pub const MAX_SNIPPET: usize = 512;

/// Visible characters shown, and how many of them before the match.
const SHOWN: usize = 100;
const BEFORE: usize = 40;

/// What stands where the text was cut.
const CUT: &str = "...";

/// About a line of the text around the first word that the query asks for, or of its beginning. Blanks are single, and
/// no visible character is cut in two.
pub fn snippet(text: &str, query: &Query) -> String {
    let hit = query.first_hit(text).unwrap_or(0);
    let before = text.get(..hit).unwrap_or_default();
    let start = before.grapheme_indices(true).rev().take(BEFORE).last().map_or(hit, |(at, _)| at);
    let rest = text.get(start..).unwrap_or_default();
    let end = rest.grapheme_indices(true).nth(SHOWN).map_or(rest.len(), |(at, _)| at);
    let shown = rest.get(..end).unwrap_or_default();
    let left = |text: &str| !text.trim().is_empty();
    let cut = |side: Option<&str>| if side.is_some_and(left) { CUT } else { "" };
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    shorten(&format!("{}{line}{}", cut(text.get(..start)), cut(rest.get(end..))), MAX_SNIPPET)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, query: &str) -> String {
        snippet(text, &Query::new(query))
    }

    #[test]
    fn a_short_text_is_shown_whole() {
        assert_eq!(cut("Fix the\n\n  login", "login"), "Fix the login");
        assert_eq!(cut("", "login"), "");
    }

    #[test]
    fn a_long_text_is_cut_around_the_first_match() {
        let text = format!("{}needle here and needle there{}", "hay ".repeat(100), " hay".repeat(100));
        let shown = cut(&text, "NEEDLE");
        assert!(shown.starts_with("...") && shown.ends_with("...") && shown.contains("needle here"), "{shown}");
        assert_eq!(shown.chars().count(), 3 + SHOWN + 3, "{shown}");
        let shown = cut(&text, "nothing");
        assert!(shown.starts_with("hay hay") && shown.ends_with("..."), "{shown}");
    }

    #[test]
    fn no_character_is_cut_in_two() {
        let text = "👩‍💻".repeat(300) + "数据" + &"e\u{301}".repeat(300);
        let shown = cut(&text, "数据");
        let inner = shown.trim_matches('.');
        assert!(inner.starts_with("👩‍💻") && inner.ends_with("e\u{301}"), "{shown}");
        assert!(inner.contains("数据"));
        assert!(shown.chars().count() <= MAX_SNIPPET);
    }

    #[test]
    fn a_snippet_keeps_its_limit_whatever_a_character_is_made_of() {
        let heavy = format!("x{}", "\u{301}".repeat(2_000)).repeat(3);
        let shown = cut(&heavy, "x");
        assert!(shown.chars().count() <= MAX_SNIPPET, "{}", shown.chars().count());
    }
}
