//! JSON that is written once.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// A JSON value as compact text. Clones share it, and it goes into an answer as it stands.
#[derive(Clone, Debug)]
pub struct Written(Arc<RawValue>);

impl Written {
    /// Writes a value.
    ///
    /// # Errors
    /// The value can't be said in JSON.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        to_raw_value(value).map(|raw| Self(raw.into()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Whether it is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.as_str().starts_with('{')
    }
}

impl PartialEq for Written {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Written {}

impl From<&serde_json::Value> for Written {
    fn from(value: &serde_json::Value) -> Self {
        // INVARIANT: a value that is JSON can be written as JSON.
        Self::of(value).expect("JSON is serialisable")
    }
}

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_goes_into_another_value_as_it_stands() {
        let written = Written::from(&json!({ "b": "\"\u{1}", "a": [1, null] }));
        assert_eq!(written.as_str(), r#"{"a":[1,null],"b":"\"\u0001"}"#);
        assert_eq!(serde_json::to_string(&[&written]).ok(), Some(format!("[{}]", written.as_str())));
        assert_eq!(serde_json::to_value(&written).ok(), Some(json!({ "b": "\"\u{1}", "a": [1, null] })));
    }

    #[test]
    fn only_objects_are_objects() {
        for (value, object) in [(json!({}), true), (json!([]), false), (json!("{"), false), (json!(null), false)] {
            assert_eq!(Written::from(&value).is_object(), object, "{value}");
        }
    }
}
