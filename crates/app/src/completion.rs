//! Use case: completing an id that somebody begins to write.

use std::collections::BTreeSet;

use chorus_domain::{Kind, search::Query};
use chorus_ids::{ProjectId, Uuid};
use chorus_store::{Ground, MAX_MATCHES, Reads, Result, Within};

use crate::{Call, tracker};

/// Most ids that are suggested at a time (protocol checklist §10).
pub const MAX_IDS: usize = 100;

/// Ids that fit what was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestions {
    /// The ids, at most [`MAX_IDS`], each once: those that begin as written, the latest made first, then those whose
    /// titles have the words, the best first.
    pub ids: Vec<Uuid>,
    /// Whether there are more.
    pub more: bool,
}

/// Ids of one kind that begin with what was written, or whose titles have a word of it; nothing written fits all. Only
/// what the caller sees is suggested, narrowed to what the client asked for and to `project`, if that is given.
///
/// # Errors
/// What the store reports.
pub async fn ids(
    call: &Call,
    reads: &mut dyn Reads,
    kind: Kind,
    project: Option<ProjectId>,
    written: &str,
) -> Result<Suggestions> {
    let scope = tracker::narrowed(call, reads).await?;
    let within = project.map_or(Within::Everything, Within::Project);
    let written = written.trim();
    let mut found = Suggestions::default();
    if let Some(between) = range(written) {
        let limit = u32::try_from(MAX_IDS + 1).unwrap_or(u32::MAX);
        found.ids = reads.ids_between(&scope, (within, kind), between, limit).await?;
    }
    if may_be_words(written) {
        let ground = Ground { within, kinds: vec![kind] };
        let matches = reads.matches(&scope, &ground, &Query::new(written)).await?;
        found.more = matches.rows.len() >= MAX_MATCHES as usize;
        let known: BTreeSet<Uuid> = found.ids.iter().copied().collect();
        let titled = matches.rows.into_iter().filter(|(_, score)| score.titled > 0).map(|(row, _)| row.id);
        found.ids.extend(titled.filter(|id| !known.contains(id)));
    }
    found.more |= found.ids.len() > MAX_IDS;
    found.ids.truncate(MAX_IDS);
    Ok(found)
}

/// The form of an id, each digit a zero.
const FORM: &str = "00000000-0000-0000-0000-000000000000";

/// The lowest and the highest id that begin with this text; `None` if no id does.
fn range(begun: &str) -> Option<(Uuid, Uuid)> {
    let fits = begun.len() <= FORM.len()
        && begun.chars().zip(FORM.chars()).all(|(written, form)| match form {
            '-' => written == '-',
            _ => written.is_ascii_hexdigit(),
        });
    if !fits {
        return None;
    }
    let rest = FORM.get(begun.len()..)?;
    let filled = |digit: &str| format!("{begun}{}", rest.replace('0', digit)).parse().ok();
    Some((filled("0")?, filled("f")?))
}

/// Whether this can be words of a title: it has some, and is not plainly an id.
fn may_be_words(written: &str) -> bool {
    let is_id = written.len() > 8 && range(written).is_some();
    !written.is_empty() && !is_id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(begun: &str, expected: Option<(&str, &str)>) {
        let found = range(begun).map(|(low, high)| (low.to_string(), high.to_string()));
        assert_eq!(found, expected.map(|(low, high)| (low.to_owned(), high.to_owned())), "{begun}");
    }

    #[test]
    fn the_beginning_of_an_id_is_a_range_of_ids() {
        let all = ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff");
        check("", Some(all));
        check("0A", Some(("0a000000-0000-0000-0000-000000000000", "0affffff-ffff-ffff-ffff-ffffffffffff")));
        check("01234567", Some(("01234567-0000-0000-0000-000000000000", "01234567-ffff-ffff-ffff-ffffffffffff")));
        check("01234567-89", Some(("01234567-8900-0000-0000-000000000000", "01234567-89ff-ffff-ffff-ffffffffffff")));
        let whole = "01234567-89ab-cdef-0123-456789abcdef";
        check(whole, Some((whole, whole)));
    }

    #[test]
    fn what_no_id_begins_with_is_no_range() {
        for text in ["x", "-", "0123-", "012345678", "01234567 ", "01234567-89ab-cdef-0123-456789abcdef0", "日", "a\0"]
        {
            check(text, None);
        }
    }

    #[test]
    fn a_short_run_of_digits_may_be_a_word_too() {
        for (text, words) in [("", false), ("add", true), ("01234567", true), ("01234567-", false), ("log in", true)] {
            assert_eq!(may_be_words(text), words, "{text}");
        }
    }
}
