//! Listings of tools, written once for all who see the same.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use chorus_mcp::{Version, Written};
use chorus_permissions::PermissionSet;

use crate::Selection;

/// Listings that are kept at most: a client can ask for any selection of tools, and would fill the memory with them.
const KEPT: usize = 64;

/// What a listing depends on, beside the table. Nothing of it is remembered from request to request, so that no listing
/// is ever out of date.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Seen {
    pub(crate) permissions: PermissionSet,
    pub(crate) selection: Selection,
    pub(crate) version: Version,
}

/// Listings that were written.
#[derive(Debug, Default)]
pub(crate) struct Listings(Mutex<HashMap<Seen, Written>>);

impl Listings {
    /// The listing that is kept for this, or what `write` makes of it.
    pub(crate) fn get(&self, seen: Seen, write: impl FnOnce(&Seen) -> Written) -> Written {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&seen).cloned();
        if let Some(kept) = kept {
            return kept;
        }
        let written = write(&seen);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KEPT {
            all.clear();
        }
        all.insert(seen, written.clone());
        written
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seen(list: &str) -> Seen {
        let selection = Selection::default().among([list.to_owned()]);
        Seen { permissions: PermissionSet::EMPTY, selection, version: Version::V2025_11_25 }
    }

    #[test]
    fn each_is_written_once_and_not_mixed_up() {
        let listings = Listings::default();
        let mut written = 0;
        for list in ["a", "b", "a", "b"] {
            let listing = listings.get(seen(list), |_| {
                written += 1;
                Written::from(&json!([list]))
            });
            assert_eq!(listing, Written::from(&json!([list])));
        }
        let other = Seen { permissions: PermissionSet::ALL, ..seen("a") };
        assert_eq!(listings.get(other, |_| Written::from(&json!(["more"]))), Written::from(&json!(["more"])));
        let other = Seen { version: Version::V2025_06_18, ..seen("a") };
        assert_eq!(listings.get(other, |_| Written::from(&json!(["older"]))), Written::from(&json!(["older"])));
        assert_eq!(written, 2);
    }

    #[test]
    fn their_number_is_bounded() {
        let listings = Listings::default();
        for n in 0..3 * KEPT {
            listings.get(seen(&n.to_string()), |_| Written::from(&json!([])));
            assert!(listings.0.lock().is_ok_and(|all| all.len() <= KEPT));
        }
    }
}
