//! Who discovers a group, and what they may do with it.

use chorus_ids::{CompanyId, GroupId};

use crate::level::standing;
use crate::{Denied, GroupFacts, Level, Principal, Role, Visibility, is_automatic_group_admin};

/// Whether a principal has access to a project of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChildAccess {
    /// To none.
    None,
    /// Viewer or higher in at least one.
    Some,
}

/// What a principal sees of a group and may do with it (visibility specification §4).
///
/// The automatic admin counts as an explicit one throughout (§3.4): otherwise nobody could end that state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupAccess {
    /// The group.
    pub id: GroupId,
    /// Its visibility.
    pub visibility: Visibility,
    /// Whether the group exists for the principal. If not, every right below is absent.
    pub visible: bool,
    /// The level to present; `None` if the group is hidden. It speaks of the group, not of the projects in it.
    pub access_level: Level,
    /// The explicit role to present; admin for the automatic admin.
    pub explicit_role: Option<Role>,
    /// May rename and describe the group.
    pub can_manage: bool,
    /// May create projects in it; who has no principal, public ones only.
    pub can_create_project: bool,
    /// May read the list of explicit members.
    pub can_read_roster: bool,
    /// May change visibility, manage members, delete the group.
    pub can_admin: bool,
    /// Is the automatic admin.
    pub implicit_admin: bool,
    /// The group has an explicit or an automatic admin.
    pub access_initialized: bool,
}

impl GroupAccess {
    /// Passes for whoever may rename and describe the group.
    ///
    /// # Errors
    /// [`Denied::Hidden`] if the group does not exist for them, else [`Denied::Forbidden`].
    pub const fn require_manage(&self) -> Result<(), Denied> {
        self.require(self.can_manage)
    }

    /// Passes for whoever may create projects in the group.
    ///
    /// # Errors
    /// [`Denied::Hidden`] if the group does not exist for them, else [`Denied::Forbidden`].
    pub const fn require_create_project(&self) -> Result<(), Denied> {
        self.require(self.can_create_project)
    }

    /// Passes for whoever may read the list of members.
    ///
    /// # Errors
    /// [`Denied::Hidden`] if the group does not exist for them, else [`Denied::Forbidden`].
    pub const fn require_roster(&self) -> Result<(), Denied> {
        self.require(self.can_read_roster)
    }

    /// Passes for an explicit admin of the group and for the automatic one.
    ///
    /// # Errors
    /// [`Denied::Hidden`] if the group does not exist for them, else [`Denied::Forbidden`].
    pub const fn require_admin(&self) -> Result<(), Denied> {
        self.require(self.can_admin)
    }

    const fn require(&self, right: bool) -> Result<(), Denied> {
        match (self.visible, right) {
            (false, _) => Err(Denied::Hidden),
            (true, false) => Err(Denied::Forbidden),
            (true, true) => Ok(()),
        }
    }
}

/// What the principal has in a group of `company`.
pub fn group_access(
    principal: &Principal,
    company: CompanyId,
    group: &GroupFacts,
    children: ChildAccess,
) -> GroupAccess {
    let ours = principal.company == company;
    let explicit = if ours { standing(principal, group) } else { None };
    let open = match group.visibility {
        Visibility::Public => ours,
        Visibility::Private => false,
    };
    let visible = ours && (open || explicit.is_some() || children == ChildAccess::Some);
    let admin = explicit == Some(Role::Admin);
    let access_level = match (visible, open) {
        (false, _) => Level::None,
        (true, true) => Level::from(explicit).max(Level::Editor),
        (true, false) => Level::from(explicit).max(Level::Viewer),
    };
    GroupAccess {
        id: group.id,
        visibility: group.visibility,
        visible,
        access_level,
        explicit_role: explicit,
        can_manage: open || admin,
        can_create_project: open || explicit >= Some(Role::Editor),
        can_read_roster: explicit.is_some(),
        can_admin: admin,
        implicit_admin: ours && is_automatic_group_admin(principal, group),
        access_initialized: visible && (group.has_admin || principal.first_user.is_some()),
    }
}
