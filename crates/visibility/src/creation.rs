//! What a new project or group starts with (visibility specification §6.1).

use std::fmt;

use chorus_ids::UserId;

use crate::{Denied, GroupAccess, Principal, Visibility};

/// Why a project or group can't be created. That its name is not blank is checked elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreationRefusal {
    /// The group is hidden, or the principal may not create projects in it.
    Group(Denied),
    /// A public project was asked for inside a private group.
    PublicInPrivateGroup,
    /// Something private would belong to nobody: the caller is an agent without owner.
    PrivateWithoutPrincipal,
}

impl fmt::Display for CreationRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Group(denied) => write!(f, "group: {denied}"),
            Self::PublicInPrivateGroup => f.write_str("a private group contains private projects only"),
            Self::PrivateWithoutPrincipal => f.write_str("an agent without owner creates public things only"),
        }
    }
}

impl std::error::Error for CreationRefusal {}

/// What a project starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewProject {
    /// Its visibility.
    pub visibility: Visibility,
    /// Its first admin, to be written with it. They do not become admin of the group.
    pub admin: Option<UserId>,
}

/// What a project starts with that is created in `group`, or in none. `requested` is the visibility asked for; without
/// one it is the group's, else public.
///
/// # Errors
/// [`CreationRefusal::Group`], [`CreationRefusal::PublicInPrivateGroup`],
/// [`CreationRefusal::PrivateWithoutPrincipal`], in this order.
pub fn new_project(
    principal: &Principal,
    group: Option<&GroupAccess>,
    requested: Option<Visibility>,
) -> Result<NewProject, CreationRefusal> {
    if let Some(group) = group {
        group.require_create_project().map_err(CreationRefusal::Group)?;
    }
    let around = group.map_or(Visibility::Public, |group| group.visibility);
    let visibility = requested.unwrap_or(around);
    if around == Visibility::Private && visibility == Visibility::Public {
        return Err(CreationRefusal::PublicInPrivateGroup);
    }
    Ok(NewProject { visibility, admin: owner(principal, visibility)? })
}

/// What a group starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewGroup {
    /// Its visibility.
    pub visibility: Visibility,
    /// Its first explicit admin, to be written with it.
    pub admin: Option<UserId>,
    /// Its access version: 1 with an admin, 0 without.
    pub access_version: i64,
}

/// What a group starts with. `requested` is the visibility asked for; without one it is public.
///
/// # Errors
/// [`CreationRefusal::PrivateWithoutPrincipal`].
pub fn new_group(principal: &Principal, requested: Option<Visibility>) -> Result<NewGroup, CreationRefusal> {
    let visibility = requested.unwrap_or(Visibility::Public);
    let admin = owner(principal, visibility)?;
    Ok(NewGroup { visibility, admin, access_version: i64::from(admin.is_some()) })
}

fn owner(principal: &Principal, visibility: Visibility) -> Result<Option<UserId>, CreationRefusal> {
    match (visibility, principal.user) {
        (Visibility::Private, None) => Err(CreationRefusal::PrivateWithoutPrincipal),
        (Visibility::Public | Visibility::Private, user) => Ok(user),
    }
}
