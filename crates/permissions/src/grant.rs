//! What is stored on an agent, read tolerantly and written strictly.

use std::{error::Error, fmt};

use crate::{Permission, PermissionSet, Preset, UnknownPermission, UnknownPreset};

/// The set that a stored grant amounts to (permissions specification §3).
///
/// Order and repetition are irrelevant, and a name that is not known
/// contributes nothing: a row written by another version still grants what it
/// says in words that this version knows.
pub fn effective<'a>(
    roles: impl IntoIterator<Item = &'a str>,
    custom: impl IntoIterator<Item = &'a str>,
) -> PermissionSet {
    let presets = roles.into_iter().filter_map(Preset::read).map(Preset::permissions);
    let bits: PermissionSet = custom.into_iter().filter_map(|name| name.parse::<Permission>().ok()).collect();
    presets.fold(bits, PermissionSet::union)
}

/// Checks a grant that is about to be stored (permissions specification §3.1).
///
/// Repeated names collapse; presets keep the order of their first mention. An
/// empty grant is valid: such an agent has the public tools only.
///
/// # Errors
/// The first name that is not the full name of a preset, else the first that
/// is not one of the fifteen permissions.
pub fn validate(
    roles: &[impl AsRef<str>],
    custom: &[impl AsRef<str>],
) -> Result<(Vec<Preset>, PermissionSet), InvalidGrant> {
    let mut presets = Vec::new();
    for role in roles {
        let preset = role.as_ref().parse()?;
        if !presets.contains(&preset) {
            presets.push(preset);
        }
    }
    let bits = custom.iter().map(|name| name.as_ref().parse::<Permission>()).collect::<Result<_, _>>()?;
    Ok((presets, bits))
}

/// Why a grant may not be stored. Each variant holds the offending string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidGrant {
    /// Not the full name of a preset.
    UnknownRole(String),
    /// Not one of the fifteen permissions.
    UnknownPermission(String),
}

impl fmt::Display for InvalidGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownRole(name) => UnknownPreset(name.clone()).fmt(f),
            Self::UnknownPermission(name) => UnknownPermission(name.clone()).fmt(f),
        }
    }
}

impl Error for InvalidGrant {}

impl From<UnknownPreset> for InvalidGrant {
    fn from(UnknownPreset(name): UnknownPreset) -> Self {
        Self::UnknownRole(name)
    }
}

impl From<UnknownPermission> for InvalidGrant {
    fn from(UnknownPermission(name): UnknownPermission) -> Self {
        Self::UnknownPermission(name)
    }
}
