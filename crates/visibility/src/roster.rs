//! Membership rows, indexed.

use chorus_ids::UserId;

use crate::Role;

/// The rows of one layer (a project's or a group's), by user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Roster {
    // INVARIANT: sorted by user, each user once.
    rows: Vec<(UserId, Role)>,
    has_admin: bool,
}

impl Roster {
    pub(crate) fn new(rows: &[(UserId, Role)]) -> Self {
        let mut rows = rows.to_vec();
        // Of two rows for one user, which the store's constraint excludes, the higher counts.
        rows.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        rows.dedup_by_key(|row| row.0);
        let has_admin = rows.iter().any(|row| row.1 == Role::Admin);
        Self { rows, has_admin }
    }

    pub(crate) fn rows(&self) -> &[(UserId, Role)] {
        &self.rows
    }

    pub(crate) fn role(&self, user: UserId) -> Option<Role> {
        let index = self.rows.binary_search_by_key(&user, |row| row.0).ok()?;
        self.rows.get(index).map(|row| row.1)
    }

    pub(crate) const fn has_admin(&self) -> bool {
        self.has_admin
    }

    /// The rows with each of `grants` at its role or higher.
    pub(crate) fn raised(&self, grants: &[(UserId, Role)]) -> Self {
        Self::new(&[self.rows.as_slice(), grants].concat())
    }

    /// The rows with `user` at `role`; without the user for `None`.
    pub(crate) fn with(&self, user: UserId, role: Option<Role>) -> Self {
        let others = self.rows.iter().copied().filter(|row| row.0 != user);
        Self::new(&others.chain(role.map(|role| (user, role))).collect::<Vec<_>>())
    }
}
