//! Request ids.

use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;

/// The id of a request: a JSON string or integer, kept and echoed exactly as the client wrote it.
///
/// The text is kept because an integer may have more digits than Rust's integers, and a client compares what it gets
/// back with what it sent (protocol checklist §5.2).
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Id(Box<RawValue>); // INVARIANT: the token of a JSON string, or of a number without fraction and exponent.

impl Id {
    /// The id that `token`, one JSON value, stands for; `None` if it is neither a string nor an integer.
    pub(crate) fn read(token: &RawValue) -> Option<Self> {
        let text = token.get();
        let valid = match text.as_bytes().first() {
            // Reading it finds what the grammar of JSON lets pass, such as half a surrogate pair.
            Some(b'"') => serde_json::from_str::<String>(text).is_ok(),
            // Beyond what a double can hold, readers of JSON give up or read infinity: nobody could tell the answer by it.
            Some(b'-' | b'0'..=b'9') => {
                !text.contains(['.', 'e', 'E']) && text.parse::<f64>().is_ok_and(f64::is_finite)
            }
            Some(_) | None => false,
        };
        valid.then(|| Self(token.to_owned()))
    }

    /// The id as JSON text.
    #[must_use]
    pub fn as_json(&self) -> &str {
        self.0.get()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_json())
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json()
    }
}

impl Eq for Id {}
