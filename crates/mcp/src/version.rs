//! The revisions of the protocol.

use std::fmt;

/// A published revision of the protocol, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// 2024-11-05: handshake, tools with a name, a description and an input schema.
    V2024_11_05,
    /// 2025-03-26: Streamable HTTP, batches, tool annotations.
    V2025_03_26,
    /// 2025-06-18: version header, titles, output schemas, structured content.
    V2025_06_18,
    /// 2025-11-25: the newest revision that has a handshake.
    V2025_11_25,
    /// 2026-07-28: no handshake, every request describes itself.
    V2026_07_28,
}

impl Version {
    /// Every revision, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The revision offered to a client whose `initialize` proposes one that cannot be had.
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;

    /// The revision of a request that names none (protocol checklist §1.1).
    pub const ASSUMED: Self = Self::V2025_03_26;

    /// The name on the wire: a date.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision of this name, which must match exactly.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == name)
    }

    /// Whether requests of this revision describe themselves instead of following a handshake.
    #[must_use]
    pub const fn is_modern(self) -> bool {
        match self {
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => false,
            Self::V2026_07_28 => true,
        }
    }

    /// Hints about tools came with 2025-03-26.
    pub(crate) fn has_annotations(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Sound came with 2025-03-26.
    pub(crate) fn has_audio(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// The capability to complete arguments came with 2025-03-26.
    pub(crate) fn has_completions(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Progress is explained since 2025-03-26.
    pub(crate) fn has_progress_messages(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Titles, output schemas, structured content and metadata of definitions came with 2025-06-18.
    pub(crate) fn has_titles(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Links to resources came with 2025-06-18.
    pub(crate) fn has_links(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// The names of the revisions usable with per-request metadata, newest first. `server/discover` and the error for
    /// an unsupported version both carry this list (protocol checklist §1.1).
    pub(crate) fn supported_modern() -> Vec<&'static str> {
        Self::ALL.into_iter().rev().filter(|version| version.is_modern()).map(Self::as_str).collect()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
