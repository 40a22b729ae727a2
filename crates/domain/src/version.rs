//! Versions that a caller saw (README decision 18).

use serde_json::json;

use crate::{Code, Refusal};

/// Passes unless the caller named a version that is not the stored one. `read` is the tool that reads the thing.
///
/// # Errors
/// `precondition_failed` with the current version.
pub fn expect(expected: Option<i32>, current: i32, read: &str) -> Result<(), Refusal> {
    match expected {
        Some(expected) if expected != current => {
            let text = format!(
                "It is at version {current}, not {expected}, so nothing was written. Read it again with {read}, then \
                 repeat the call with `expectedVersion` {current} if the change still fits."
            );
            Err(Refusal::new(Code::PreconditionFailed, text).with(json!({ "currentVersion": current })))
        }
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_version_that_was_named_and_is_stale_is_refused() {
        assert_eq!(expect(None, 7, "chorus_get_idea"), Ok(()));
        assert_eq!(expect(Some(7), 7, "chorus_get_idea"), Ok(()));
        for stale in [6, 8] {
            let refused = expect(Some(stale), 7, "chorus_get_idea").err();
            assert_eq!(refused.as_ref().map(|refused| refused.code), Some(Code::PreconditionFailed));
            assert_eq!(refused.and_then(|refused| refused.details), Some(json!({ "currentVersion": 7 })));
        }
    }
}
