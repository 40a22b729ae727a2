//! The words on the wire, for `serde`.

use std::{borrow::Cow, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::{Level, Role, Visibility};

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for Visibility {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        word(deserializer)
    }
}

impl<'de> Deserialize<'de> for Visibility {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        word(deserializer)
    }
}

fn word<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr,
    T::Err: std::fmt::Display,
{
    Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_written_and_read_strictly() {
        assert_eq!(
            serde_json::to_string(&(Role::Admin, Level::None, Visibility::Private)).ok().as_deref(),
            Some(r#"["admin","none","private"]"#)
        );
        assert_eq!(
            serde_json::from_str::<(Role, Visibility)>(r#"["editor","public"]"#).ok(),
            Some((Role::Editor, Visibility::Public))
        );
        assert!(serde_json::from_str::<Role>(r#""owner""#).is_err());
        assert!(serde_json::from_str::<Visibility>(r#""secret""#).is_err());
    }
}
