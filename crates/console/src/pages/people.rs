//! Members and the people who could become members.

use std::collections::BTreeSet;

use chorus_domain::membership::Person;
use chorus_ids::UserId;

use crate::form::Form;

/// Most people that a choice offers; with more, the choice is narrowed by a word.
pub(crate) const OFFERED: usize = 100;

/// People to choose from.
pub(crate) struct Choice {
    /// The first of them, by name.
    pub(crate) people: Vec<Person>,
    /// How many others there are.
    pub(crate) others: u64,
    /// The word by which they are narrowed.
    pub(crate) word: String,
}

impl Choice {
    /// Those of a company who are not among these, narrowed by the word that the request gives.
    pub(crate) fn of(everybody: impl IntoIterator<Item = Person>, except: &BTreeSet<UserId>, query: &Form) -> Self {
        let word = query.get("who").unwrap_or_default().trim().to_owned();
        let piece = word.to_lowercase();
        let fits = |person: &Person| {
            let email = person.email.as_deref().unwrap_or_default();
            piece.is_empty() || person.name.to_lowercase().contains(&piece) || email.to_lowercase().contains(&piece)
        };
        let mut people: Vec<Person> =
            everybody.into_iter().filter(|person| !except.contains(&person.id)).filter(fits).collect();
        people.sort_by_cached_key(|person| person.name.to_lowercase());
        let others = people.len().saturating_sub(OFFERED);
        people.truncate(OFFERED);
        Self { people, others: u64::try_from(others).unwrap_or_default(), word }
    }

    /// Whether a word has to be given to reach everybody.
    pub(crate) fn is_long(&self) -> bool {
        self.others > 0 || !self.word.is_empty()
    }
}

/// A row of a list of members.
pub(crate) struct MemberLine {
    pub(crate) user: UserId,
    pub(crate) name: String,
    /// Shown to administrators.
    pub(crate) email: Option<String>,
    /// The word of their role: what it comes to.
    pub(crate) role: &'static str,
    /// The role that can be changed here, if there is one.
    pub(crate) own: Option<&'static str>,
    /// Where the role comes from: a word of the list `via`.
    pub(crate) from: &'static str,
}

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "tests")]

    use super::*;

    fn person(n: u128, name: &str) -> Person {
        Person { id: UserId::from_u128(n), name: name.to_owned(), email: Some(format!("{name}@example.com")) }
    }

    #[test]
    fn a_choice_is_sorted_narrowed_and_says_how_many_it_leaves_out() {
        let everybody = || (0..250_u128).map(|n| person(n, &format!("Person {n:03}"))).chain([person(900, "ann")]);
        let choice = Choice::of(everybody(), &BTreeSet::from([UserId::from_u128(0)]), &Form::default());
        assert_eq!((choice.people.len(), choice.others, choice.people[0].name.as_str()), (OFFERED, 150, "ann"));
        let narrowed = Choice::of(everybody(), &BTreeSet::new(), &Form::read(b"who=SON+24"));
        assert_eq!((narrowed.people.len(), narrowed.others), (10, 0));
        assert!(narrowed.is_long());
    }
}
