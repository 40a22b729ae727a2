//! The texts that a unit has loaded: what is saved with the same ones need not be indexed again.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use chorus_domain::Kind;
use chorus_ids::Uuid;

/// Versions of things with the hash of their title and whole text.
///
/// INVARIANT (versions): a version's text never changes, and a save is refused unless it follows the stored version. So a
/// save that follows a version noted here follows exactly its text.
#[derive(Debug, Default)]
pub(crate) struct Loaded(HashMap<(Kind, Uuid), (i32, u64)>);

impl Loaded {
    /// Notes a version that was loaded with all of its text.
    pub(crate) fn note(&mut self, thing: (Kind, Uuid), version: i32, title: &str, body: Option<&str>) {
        self.0.insert(thing, (version, digest(title, body)));
    }

    /// Whether this version has the title and text of the one loaded before it.
    pub(crate) fn precedes(&self, thing: (Kind, Uuid), version: i32, title: &str, body: Option<&str>) -> bool {
        let loaded = self.0.get(&thing);
        loaded.is_some_and(|(before, text)| before.checked_add(1) == Some(version) && *text == digest(title, body))
    }
}

fn digest(title: &str, body: Option<&str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (title, body).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_next_version_with_the_same_texts_needs_no_index() {
        let thing = (Kind::Task, Uuid::from_u128(1));
        let mut loaded = Loaded::default();
        assert!(!loaded.precedes(thing, 4, "Title", Some("Text")));
        loaded.note(thing, 3, "Title", Some("Text"));
        assert!(loaded.precedes(thing, 4, "Title", Some("Text")));
        for (version, title, body) in [
            (3, "Title", Some("Text")),
            (5, "Title", Some("Text")),
            (4, "Other", Some("Text")),
            (4, "Title", Some("")),
            (4, "Title", None),
        ] {
            assert!(!loaded.precedes(thing, version, title, body), "{version} {title} {body:?}");
        }
        assert!(!loaded.precedes((Kind::Idea, thing.1), 4, "Title", Some("Text")));
    }
}
