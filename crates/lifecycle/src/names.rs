//! Enums whose variants have names on the wire.

use std::{error::Error, fmt};

/// Defines a field-less enum together with its names, so that each name is
/// written once.
///
/// `ALL`, `NAMES`, `as_str`, `Display`, `FromStr` and, with the feature
/// `serde`, both directions of serialization come from the one list. The string
/// after the enum's name says in words what a name of it is.
macro_rules! names {
    ($(
        $(#[$meta:meta])*
        pub enum $name:ident($kind:literal) {
            $($(#[$variant_meta:meta])* $variant:ident = $wire:literal,)+
        }
    )+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $name {
            /// Every variant, in the order of declaration.
            pub const ALL: [Self; [$($wire),+].len()] = [$(Self::$variant),+];

            /// The names of [`Self::ALL`], in the same order.
            pub const NAMES: [&'static str; [$($wire),+].len()] = [$($wire),+];

            /// The name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $wire,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $($wire => Ok(Self::$variant),)+
                    _ => Err($crate::UnknownName {
                        kind: $kind,
                        name: name.to_owned(),
                        expected: &Self::NAMES,
                    }),
                }
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}

pub(crate) use names;

/// A string that is no name of the kind that was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What a name was expected of, in words: `task status`.
    pub kind: &'static str,
    /// The string that was found.
    pub name: String,
    /// The names that would have been right.
    pub expected: &'static [&'static str],
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a known {}: write one of {}", self.name, self.kind, self.expected.join(", "))
    }
}

impl Error for UnknownName {}
