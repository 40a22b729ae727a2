//! The three small vocabularies: stored roles, effective levels, visibilities.

use std::{fmt, str::FromStr};

/// A text that is none of the words of a vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    vocabulary: &'static str,
    text: String,
}

impl UnknownWord {
    fn new(vocabulary: &'static str, text: &str) -> Self {
        Self { vocabulary, text: text.to_owned() }
    }
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a {}", self.text, self.vocabulary)
    }
}

impl std::error::Error for UnknownWord {}

/// What a stored membership grants, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reads.
    Viewer,
    /// Reads and writes content.
    Editor,
    /// Also manages access.
    Admin,
}

impl Role {
    /// Every role, lowest first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Editor, Self::Admin];

    /// The word in rows and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Admin => "admin",
        }
    }

    /// A role as a row holds it. An unknown word counts as no role (visibility specification §1).
    pub fn read(stored: &str) -> Option<Self> {
        stored.parse().ok()
    }
}

impl FromStr for Role {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        match text {
            "viewer" => Ok(Self::Viewer),
            "editor" => Ok(Self::Editor),
            "admin" => Ok(Self::Admin),
            _ => Err(UnknownWord::new("role", text)),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What somebody effectively has in a project or group, lowest first.
///
/// Unlike a [`Role`] it is computed and never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The thing does not exist for them.
    None,
    /// Reads.
    Viewer,
    /// Reads and writes content.
    Editor,
    /// Also manages access.
    Admin,
}

impl Level {
    /// Every level, lowest first.
    pub const ALL: [Self; 4] = [Self::None, Self::Viewer, Self::Editor, Self::Admin];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Admin => "admin",
        }
    }
}

impl From<Option<Role>> for Level {
    fn from(role: Option<Role>) -> Self {
        match role {
            None => Self::None,
            Some(Role::Viewer) => Self::Viewer,
            Some(Role::Editor) => Self::Editor,
            Some(Role::Admin) => Self::Admin,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether a project or group is open to its whole company.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Everybody in the company has at least editor in the project.
    Public,
    /// Only members have access.
    Private,
}

impl Visibility {
    /// Both visibilities.
    pub const ALL: [Self; 2] = [Self::Public, Self::Private];

    /// The word in rows and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
        }
    }

    /// A visibility as a row holds it. An unknown word fails closed: private (visibility specification §1).
    pub fn read(stored: &str) -> Self {
        stored.parse().unwrap_or(Self::Private)
    }
}

impl FromStr for Visibility {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        match text {
            "public" => Ok(Self::Public),
            "private" => Ok(Self::Private),
            _ => Err(UnknownWord::new("visibility", text)),
        }
    }
}

impl fmt::Display for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for role in Role::ALL {
            assert_eq!(role.to_string().parse(), Ok(role));
            assert_eq!(Level::from(Some(role)).as_str(), role.as_str());
        }
        for visibility in Visibility::ALL {
            assert_eq!(visibility.to_string().parse(), Ok(visibility));
        }
    }

    #[test]
    fn unknown_stored_words_fail_closed() {
        for text in ["", "owner", "Admin", " admin", "PUBLIC", "none", "public "] {
            assert_eq!(Role::read(text), None, "{text}");
            assert_eq!(Visibility::read(text), Visibility::Private, "{text}");
            assert!(text.parse::<Role>().is_err() && text.parse::<Visibility>().is_err(), "{text}");
        }
        assert_eq!(Role::read("editor"), Some(Role::Editor));
        assert_eq!(Visibility::read("public"), Visibility::Public);
    }

    #[test]
    fn an_unknown_word_is_named_in_the_error() {
        let error = "owner".parse::<Role>().err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("`owner` is not a role"));
    }

    #[test]
    fn the_order_is_none_viewer_editor_admin() {
        assert!(Level::None < Level::Viewer && Level::Viewer < Level::Editor && Level::Editor < Level::Admin);
        assert!(Role::Viewer < Role::Editor && Role::Editor < Role::Admin);
        assert!(Level::ALL.is_sorted() && Role::ALL.is_sorted());
    }
}
