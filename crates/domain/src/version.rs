//! Preconditions on versions (README decision 18).

use serde_json::json;

use crate::{Code, Refusal};

/// Passes if nothing else is expected of a thing than the version it is at.
///
/// # Errors
/// `precondition_failed` with the current version. `thing` is what it is called in a sentence, `read` the tool that
/// shows it.
pub fn require(thing: &str, read: &str, current: i32, expected: Option<i32>) -> Result<(), Refusal> {
    let Some(expected) = expected.filter(|expected| *expected != current) else { return Ok(()) };
    let text = format!(
        "The {thing} is at version {current}, not at {expected}: it was changed meanwhile, and nothing was written. Read \
         it again with {read} and repeat your change on what it says now."
    );
    Err(Refusal::new(Code::PreconditionFailed, text)
        .with(json!({ "currentVersion": current, "expectedVersion": expected })))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn only_another_version_than_the_expected_one_is_refused() {
        assert_eq!(require("document", "chorus_get_document", 3, None), Ok(()));
        assert_eq!(require("document", "chorus_get_document", 3, Some(3)), Ok(()));
        for expected in [2, 4] {
            let refused = require("document", "chorus_get_document", 3, Some(expected)).unwrap_err();
            assert_eq!(refused.code, Code::PreconditionFailed);
            assert_eq!(refused.details, Some(json!({ "currentVersion": 3, "expectedVersion": expected })));
            assert!(refused.text.contains("at version 3") && refused.text.contains("chorus_get_document"), "{refused}");
        }
    }
}
