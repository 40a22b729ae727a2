//! Mentions: `@[Name](user:UUID)` and `@[Name](agent:UUID)` in a text (data model specification §7).
//!
//! The id decides who is meant; the name beside it is decoration.

use std::collections::BTreeSet;

use chorus_ids::{AgentId, CompanyId, MentionId, Timestamp, UserId, Uuid};

use crate::{Kind, Party, Subject, text};

/// Most people and agents that one text mentions; further ones are passed over.
pub const MAX: usize = 10;

/// Longest piece of a text inside a message about a mention, in characters.
const SNIPPET: usize = 120;

/// Somebody was mentioned somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Its id.
    pub id: MentionId,
    /// Its tenant.
    pub company: CompanyId,
    /// The kind of thing that holds the text: a comment, an idea or a task.
    pub source: Kind,
    /// Which one.
    pub source_id: Uuid,
    /// Who was mentioned.
    pub mentioned: Party,
    /// Who wrote it.
    pub actor: Subject,
    /// When.
    pub created_at: Timestamp,
}

/// Who is newly mentioned in a text that took the place of another, in the order of their names: at most [`MAX`] of
/// the text, without those whom the text before mentioned and without whoever wrote it.
pub fn newly_mentioned(before: Option<&str>, after: &str, by: Subject) -> Vec<Party> {
    let known: BTreeSet<Party> =
        before.map(|before| tokens(before).map(|token| token.party).collect()).unwrap_or_default();
    let mut seen = BTreeSet::new();
    tokens(after)
        .map(|token| token.party)
        .filter(|party| seen.insert(*party))
        .take(MAX)
        .filter(|party| !known.contains(party) && Subject::from(*party) != by)
        .collect()
}

/// The text with `@Name` in the place of each mention, as people read it.
pub fn readable(given: &str) -> String {
    let mut readable = String::with_capacity(given.len());
    let mut from = 0;
    for token in tokens(given) {
        readable.push_str(given.get(from..token.start).unwrap_or_default());
        readable.push('@');
        readable.push_str(token.name);
        from = token.end;
    }
    readable.push_str(given.get(from..).unwrap_or_default());
    readable
}

/// A short piece of the text for a message, on one line.
pub fn snippet(given: &str) -> String {
    let readable = readable(given);
    text::shorten(&readable.split_whitespace().collect::<Vec<_>>().join(" "), SNIPPET)
}

/// A mention in a text.
struct Token<'t> {
    name: &'t str,
    party: Party,
    /// Where it begins, and where the text goes on behind it, in bytes.
    start: usize,
    end: usize,
}

/// The mentions of a text, in order. Whatever is none is passed over. Takes time in proportion to the text, also to one
/// full of beginnings without ends.
fn tokens(given: &str) -> impl Iterator<Item = Token<'_>> {
    let mut from = 0;
    let (mut name_ends, mut target_ends) = (Next::new(']'), Next::new(')'));
    std::iter::from_fn(move || {
        loop {
            let start = from + given.get(from..)?.find("@[")?;
            match token(given, start, &mut name_ends, &mut target_ends) {
                Some(token) => {
                    from = token.end;
                    return Some(token);
                }
                None => from = start + 2,
            }
        }
    })
}

/// The mention that begins at this place, if one does. Behind the id may stand `?` and anything up to the bracket,
/// which some clients use to pin a place of work.
fn token<'t>(given: &'t str, start: usize, name_ends: &mut Next, target_ends: &mut Next) -> Option<Token<'t>> {
    let name_end = name_ends.behind(given, start + 2)?;
    let name = given.get(start + 2..name_end).filter(|name| !name.is_empty())?;
    given.get(name_end..)?.strip_prefix("](")?;
    let target_end = target_ends.behind(given, name_end + 2)?;
    let target = given.get(name_end + 2..target_end)?;
    let party = if let Some(id) = id_of("user:", target) {
        Party::User(id.parse::<UserId>().ok()?)
    } else {
        Party::Agent(id_of("agent:", target)?.parse::<AgentId>().ok()?)
    };
    Some(Token { name, party, start, end: target_end + 1 })
}

/// The id in a target of this kind, whatever the letter case of the kind.
fn id_of<'t>(kind: &str, target: &'t str) -> Option<&'t str> {
    const ID: usize = 36;
    let (written, rest) = target.split_at_checked(kind.len())?;
    let (id, rest) = rest.split_at_checked(ID)?;
    let ends = rest.is_empty() || (rest.len() > 1 && rest.starts_with('?'));
    (ends && written.eq_ignore_ascii_case(kind)).then_some(id)
}

/// Where a mark stands next. Places are asked for in rising order, so each part of the text is looked at once.
struct Next {
    mark: char,
    /// The first mark behind the place asked for last; nothing behind it if there is none.
    at: Option<usize>,
    asked: bool,
}

impl Next {
    const fn new(mark: char) -> Self {
        Self { mark, at: None, asked: false }
    }

    fn behind(&mut self, given: &str, place: usize) -> Option<usize> {
        let known = self.asked && self.at.is_none_or(|at| at >= place);
        if !known {
            self.asked = true;
            self.at = given.get(place..).and_then(|rest| rest.find(self.mark)).map(|at| place + at);
        }
        self.at
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const A: &str = "0192f3a0-7d4c-7b1e-9a55-3f0c2b6d8e11";
    const B: &str = "0192F3A0-7D4C-7B1E-9A55-3F0C2B6D8E12";

    fn agent(id: &str) -> Party {
        Party::Agent(id.parse().unwrap_or(AgentId::from_u128(0)))
    }

    fn user(id: &str) -> Party {
        Party::User(id.parse().unwrap_or(UserId::from_u128(0)))
    }

    fn mentioned(text: &str) -> Vec<Party> {
        newly_mentioned(None, text, Subject::Operator)
    }

    #[test]
    fn kind_and_id_are_read_in_any_letter_case() {
        let text = format!("Ask @[Ada L.](user:{A}), @[ 机器人 ](AGENT:{B}) and @[x](Agent:{A}?cwd=%2Ftmp&host=h).");
        assert_eq!(mentioned(&text), [user(A), agent(B), agent(A)]);
        assert_eq!(readable(&text), "Ask @Ada L., @ 机器人  and @x.");
    }

    #[test]
    fn whatever_is_no_mention_stays_text() {
        let braced = format!("@[x](user:{{{A}}})");
        let simple = format!("@[x](user:{})", A.replace('-', ""));
        for text in [
            "",
            "@",
            "@[",
            "@[x",
            "@[x]",
            "@[x](",
            "@[x]()",
            "@[x](user)",
            "@[x](user:)",
            "@[x](user:me)",
            "mail @[x] (user:0192f3a0-7d4c-7b1e-9a55-3f0c2b6d8e11)",
            "[x](user:0192f3a0-7d4c-7b1e-9a55-3f0c2b6d8e11)",
            "@[](user:0192f3a0-7d4c-7b1e-9a55-3f0c2b6d8e11)",
            "@[x](group:0192f3a0-7d4c-7b1e-9a55-3f0c2b6d8e11)",
            "@[x](user:0192f3a0-7d4c-7b1e-9a55-3f0c2b6d8e11",
            "@[x](user:0192f3a0-7d4c-7b1e-9a55-3f0c2b6d8e11?)",
            braced.as_str(),
            simple.as_str(),
        ] {
            assert_eq!((mentioned(text), readable(text)), (vec![], text.to_owned()), "{text}");
        }
        // A broken one does not hide the next.
        let text = format!("@[x @[y](user:{A}) @[z](agent:{B})");
        assert_eq!(mentioned(&text), [user(A), agent(B)]);
    }

    #[test]
    fn each_counts_once_and_at_most_ten_of_a_text() {
        let id = |n: u128| AgentId::from_u128(n);
        let text: String = (0..12).flat_map(|n| [n, n]).map(|n| format!("@[a](agent:{}) ", id(n))).collect();
        assert_eq!(mentioned(&text), (0..10).map(|n| Party::Agent(id(n))).collect::<Vec<_>>());
    }

    #[test]
    fn only_new_ones_count_and_never_the_writer() {
        let before = format!("@[a](agent:{A})");
        let after = format!("{before} @[b](agent:{B}) @[c](user:{A})");
        assert_eq!(newly_mentioned(Some(&before), &after, Subject::Operator), [agent(B), user(A)]);
        assert_eq!(newly_mentioned(Some(&before), &after, agent(B).into()), [user(A)]);
        assert_eq!(newly_mentioned(Some(&after), &before, Subject::Operator), []);
    }

    #[test]
    fn a_text_of_nothing_but_beginnings_is_read_in_time() {
        let text = "@[".repeat(text::MAX_BODY_BYTES / 2);
        assert_eq!(mentioned(&text), []);
        assert_eq!(mentioned(&format!("{})", "@[x](".repeat(200_000))), []);
        let pinned = format!("@[x](user:{A}?");
        assert_eq!(mentioned(&pinned.repeat(20_000)), []);
    }

    #[test]
    fn a_snippet_is_one_short_line() {
        assert_eq!(snippet(&format!("Hi @[Ada](user:{A}),\n\n  look")), "Hi @Ada, look");
        assert_eq!(snippet(&"界 ".repeat(200)).chars().count(), SNIPPET);
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "(@|\\[|\\]|\\(|\\)|user:|agent:|\\?|界|0192f3a0-7d4c-7b1e-9a55-3f0c2b6d8e11){0,30}") {
            let found = mentioned(&text);
            prop_assert!(found.len() <= MAX);
            prop_assert!(readable(&text).len() <= text.len());
        }
    }
}
