//! Names for the sets that agents are usually given.

use std::{error::Error, fmt, str::FromStr};

use crate::{Action, PermissionSet, TASK_WRITE, permission::alternatives};

/// A name for a permission set, kept in an agent's `roles` (permissions
/// specification §2).
///
/// An agent may name several; it then holds their union.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preset {
    /// Reads everything and works on tasks.
    Developer,
    /// Reads and writes everything, decides nothing.
    Pm,
    /// Holds all fifteen permissions.
    Admin,
}

impl Preset {
    /// Every preset, the smallest first.
    pub const ALL: [Self; 3] = [Self::Developer, Self::Pm, Self::Admin];

    /// The full name, the only one that is ever written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Developer => "developer_agent",
            Self::Pm => "pm_agent",
            Self::Admin => "admin_agent",
        }
    }

    /// The set it stands for.
    pub const fn permissions(self) -> PermissionSet {
        match self {
            Self::Developer => PermissionSet::every(Action::Read).with(TASK_WRITE),
            Self::Pm => PermissionSet::every(Action::Read).union(PermissionSet::every(Action::Write)),
            Self::Admin => PermissionSet::ALL,
        }
    }

    /// The preset that a stored role means, or `None` for a role that grants
    /// nothing.
    ///
    /// Old rows leave `_agent` out (`pm`), so it is added where it is absent
    /// (permissions specification §3).
    pub fn read(role: &str) -> Option<Self> {
        let stem = role.strip_suffix(SUFFIX).unwrap_or(role);
        Self::ALL.into_iter().find(|preset| preset.name().strip_suffix(SUFFIX) == Some(stem))
    }
}

const SUFFIX: &str = "_agent";

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Full names only; see [`Preset::read`] for stored ones.
impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|preset| preset.name() == name).ok_or_else(|| UnknownPreset(name.to_owned()))
    }
}

/// A string that is not the full name of a preset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPreset(pub String);

impl fmt::Display for UnknownPreset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a preset: ", self.0)?;
        alternatives(f, "write", Preset::ALL.map(Preset::name).as_slice())
    }
}

impl Error for UnknownPreset {}
