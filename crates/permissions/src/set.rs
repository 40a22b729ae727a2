//! A set of permissions.

use std::fmt;

use crate::{Action, Permission, Resource};

/// A set of permissions, at most fifteen of them.
///
/// Bits exist in memory only. Rows and JSON carry the names, so the order of
/// [`Resource`] and [`Action`] is free to change.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PermissionSet(u16); // INVARIANT (fifteen bits): bit 15 is never set.

impl PermissionSet {
    /// No permission: the public tools remain.
    pub const EMPTY: Self = Self(0);

    /// All fifteen.
    pub const ALL: Self = Self::EMPTY
        .union(Self::every(Action::Read))
        .union(Self::every(Action::Write))
        .union(Self::every(Action::Admin));

    /// `action` on every resource.
    pub const fn every(action: Action) -> Self {
        Self(0b001_001_001_001_001 << action as u16)
    }

    /// This set and `permission`.
    #[must_use]
    pub const fn with(self, permission: Permission) -> Self {
        Self(self.0 | bit(permission))
    }

    /// What is in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `permission` itself is in the set; no other bit stands in for it.
    pub const fn contains(self, permission: Permission) -> bool {
        self.0 & bit(permission) != 0
    }

    /// Whether the set holds nothing.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many permissions the set holds, 0 to 15.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The permissions in canonical order.
    pub fn iter(self) -> impl Iterator<Item = Permission> {
        Permission::ALL.into_iter().filter(move |&permission| self.contains(permission))
    }

    /// The set by resource (permissions specification §3.2): only resources
    /// with at least one action, resources and actions in canonical order.
    pub fn grouped(self) -> Vec<(Resource, Vec<Action>)> {
        Resource::ALL
            .into_iter()
            .map(|resource| {
                let granted = |action: &Action| self.contains(Permission::new(resource, *action));
                (resource, Action::ALL.into_iter().filter(granted).collect::<Vec<_>>())
            })
            .filter(|(_, actions)| !actions.is_empty())
            .collect()
    }
}

const fn bit(permission: Permission) -> u16 {
    1 << (3 * permission.resource() as u16 + permission.action() as u16)
}

impl fmt::Debug for PermissionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|permission| permission.to_string())).finish()
    }
}

impl FromIterator<Permission> for PermissionSet {
    fn from_iter<I: IntoIterator<Item = Permission>>(permissions: I) -> Self {
        permissions.into_iter().fold(Self::EMPTY, Self::with)
    }
}
