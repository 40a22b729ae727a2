//! Members of projects and groups: how the rows may change, and how they are listed (visibility specification §6.2,
//! §6.3).

use std::{collections::BTreeSet, fmt};

use chorus_ids::UserId;

use crate::roster::Roster;
use crate::snapshot::{CompanySnapshot, GroupSide, GroupSnapshot, ProjectSnapshot, Standing};
use crate::{Level, ProjectImpact, Role, is_automatic_group_admin, is_automatic_project_admin};

/// A change of one membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberChange {
    /// Makes somebody a member.
    Add {
        /// The new member.
        user: UserId,
        /// Their role.
        role: Role,
    },
    /// Gives a member another role.
    SetRole {
        /// The member.
        user: UserId,
        /// Their new role.
        role: Role,
    },
    /// Ends a membership.
    Remove {
        /// The member.
        user: UserId,
    },
}

/// What a change of a membership writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberWrite {
    /// A new row.
    Insert {
        /// The user.
        user: UserId,
        /// The role.
        role: Role,
    },
    /// Another role in the row.
    Update {
        /// The user.
        user: UserId,
        /// The role before.
        from: Role,
        /// The role.
        role: Role,
    },
    /// The row goes.
    Delete {
        /// The user.
        user: UserId,
        /// The role before.
        from: Role,
    },
    /// Nothing: the member has that role already.
    Unchanged,
}

/// Why a membership can't be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberRefusal {
    /// The user to add is not in the company.
    NotInCompany,
    /// The user to add is a member already.
    AlreadyMember,
    /// The user to change or remove has no row here. A role that comes from the group is not one.
    NotAMember,
    /// The user is the automatic admin, who can be neither removed nor demoted, nor added with a lower role.
    AutomaticAdmin,
    /// No admin would be left.
    LastAdmin,
}

impl fmt::Display for MemberRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotInCompany => "the user is not in the company",
            Self::AlreadyMember => "the user is a member already",
            Self::NotAMember => "the user is not a member",
            Self::AutomaticAdmin => "the user is admin for as long as nobody else is",
            Self::LastAdmin => "the last admin can't be removed or demoted",
        })
    }
}

impl std::error::Error for MemberRefusal {}

/// What changing a member of a project writes. It takes effect at once.
///
/// Once a local admin is removed or demoted there must remain a local admin, an explicit admin of the group, or the
/// group's automatic admin. The project's own automatic admin does not count (visibility specification §6.2). The
/// project's group is `group`.
///
/// # Errors
/// Any [`MemberRefusal`].
pub fn change_project_member(
    change: MemberChange,
    project: &ProjectSnapshot,
    group: Option<&GroupSnapshot>,
    company: &CompanySnapshot,
) -> Result<MemberWrite, MemberRefusal> {
    let local = Roster::new(&project.members);
    let side = group.map(GroupSide::of);
    let standing = standing(project, &local, side.as_ref());
    let automatic = |user| is_automatic_project_admin(&company.principal(user), &standing.facts(company, user));
    // A group without explicit admin has the first user for one, if the company has anybody.
    let group_covers = side.as_ref().is_some_and(|side| side.roster.has_admin() || company.first_user.is_some());
    let keeps_an_admin = |after: &Roster| after.has_admin() || group_covers;
    change_member(change, &local, company, automatic, keeps_an_admin)
}

/// What changing an explicit member of a group writes. Unless it is [`MemberWrite::Unchanged`], the group's access
/// version rises by one; it takes effect on all its projects at once.
///
/// An explicit admin must remain once one is removed or demoted (visibility specification §6.3).
///
/// # Errors
/// Any [`MemberRefusal`].
pub fn change_group_member(
    change: MemberChange,
    group: &GroupSnapshot,
    company: &CompanySnapshot,
) -> Result<MemberWrite, MemberRefusal> {
    let side = GroupSide::of(group);
    let automatic = |user| is_automatic_group_admin(&company.principal(user), &side.facts(user));
    change_member(change, &side.roster, company, automatic, Roster::has_admin)
}

fn change_member(
    change: MemberChange,
    roster: &Roster,
    company: &CompanySnapshot,
    is_automatic_admin: impl Fn(UserId) -> bool,
    keeps_an_admin: impl Fn(&Roster) -> bool,
) -> Result<MemberWrite, MemberRefusal> {
    let (user, role) = match change {
        MemberChange::Add { user, role } | MemberChange::SetRole { user, role } => (user, Some(role)),
        MemberChange::Remove { user } => (user, None),
    };
    let stored = roster.role(user);
    match (change, stored) {
        (MemberChange::Add { .. }, _) if !company.users.contains(&user) => return Err(MemberRefusal::NotInCompany),
        (MemberChange::Add { .. }, Some(_)) => return Err(MemberRefusal::AlreadyMember),
        (MemberChange::Add { .. }, None) | (MemberChange::SetRole { .. } | MemberChange::Remove { .. }, _) => {}
    }
    if role != Some(Role::Admin) && is_automatic_admin(user) {
        return Err(MemberRefusal::AutomaticAdmin);
    }
    if stored == Some(Role::Admin) && !keeps_an_admin(&roster.with(user, role)) {
        return Err(MemberRefusal::LastAdmin);
    }
    match (change, stored) {
        (MemberChange::Add { user, role }, _) => Ok(MemberWrite::Insert { user, role }),
        (MemberChange::SetRole { .. } | MemberChange::Remove { .. }, None) => Err(MemberRefusal::NotAMember),
        (MemberChange::SetRole { role, .. }, Some(from)) if role == from => Ok(MemberWrite::Unchanged),
        (MemberChange::SetRole { user, role }, Some(from)) => Ok(MemberWrite::Update { user, from, role }),
        (MemberChange::Remove { user }, Some(from)) => Ok(MemberWrite::Delete { user, from }),
    }
}

/// What a change of a project's member does to people. The project's group is `group`.
pub fn project_member_impact(
    written: MemberWrite,
    project: &ProjectSnapshot,
    group: Option<&GroupSnapshot>,
    company: &CompanySnapshot,
) -> ProjectImpact {
    let local = Roster::new(&project.members);
    let changed = after(&local, written);
    let side = group.map(GroupSide::of);
    let before = standing(project, &local, side.as_ref());
    ProjectImpact::between(company, before, Standing { local: &changed, ..before })
}

/// What a change of a group's explicit member does to people, in each of its projects.
pub fn group_member_impacts(
    written: MemberWrite,
    group: &GroupSnapshot,
    company: &CompanySnapshot,
) -> Vec<ProjectImpact> {
    let before = GroupSide::of(group);
    let side = GroupSide { roster: after(&before.roster, written), ..GroupSide::of(group) };
    let impact = |project: &ProjectSnapshot| {
        let local = Roster::new(&project.members);
        let standing = standing(project, &local, Some(&before));
        ProjectImpact::between(company, standing, Standing { group: Some(&side), ..standing })
    };
    group.projects.iter().map(impact).collect()
}

/// The rows once a change of one is written.
fn after(roster: &Roster, written: MemberWrite) -> Roster {
    match written {
        MemberWrite::Insert { user, role } | MemberWrite::Update { user, role, .. } => roster.with(user, Some(role)),
        MemberWrite::Delete { user, .. } => roster.with(user, None),
        MemberWrite::Unchanged => roster.clone(),
    }
}

/// Where a member's role comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberSource {
    /// From the project alone.
    Project,
    /// From the group alone: the row can't be edited or removed in the project.
    Group,
    /// From both.
    Both,
}

impl MemberSource {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Group => "group",
            Self::Both => "both",
        }
    }
}

/// A row of a project's member list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProjectMember {
    /// The member.
    pub user: UserId,
    /// Their role in the project itself; admin for the project's automatic admin.
    pub direct: Option<Role>,
    /// Their role in the group; admin for the group's automatic admin.
    pub inherited: Option<Role>,
    /// What the two, and the public floor, come to.
    pub effective: Level,
    /// Where the role comes from.
    pub source: MemberSource,
    /// Whether they are the automatic admin of the project or of its group.
    pub automatic_admin: bool,
    /// Whether no membership is stored for them, in either layer: they are listed as the automatic admin alone.
    pub implicit: bool,
}

/// Everybody with a role in the project, from either layer or as automatic admin, by user. Who has nothing but the
/// public floor is not a member. The project's group is `group`.
pub fn project_members(
    project: &ProjectSnapshot,
    group: Option<&GroupSnapshot>,
    company: &CompanySnapshot,
) -> Vec<ProjectMember> {
    let local = Roster::new(&project.members);
    let side = group.map(GroupSide::of);
    let standing = standing(project, &local, side.as_ref());
    let rows = local.rows().iter().chain(side.iter().flat_map(|side| side.roster.rows())).map(|row| row.0);
    let users: BTreeSet<_> = rows.chain(company.first_user).collect();
    users.into_iter().filter_map(|user| member(&standing, company, user)).collect()
}

fn member(standing: &Standing<'_>, company: &CompanySnapshot, user: UserId) -> Option<ProjectMember> {
    let principal = company.principal(user);
    let facts = standing.facts(company, user);
    let automatic = |is: bool| is.then_some(Role::Admin);
    let own = automatic(is_automatic_project_admin(&principal, &facts));
    let groups = automatic(facts.group.is_some_and(|group| is_automatic_group_admin(&principal, &group)));
    let (stored, stored_group) = (facts.role, facts.group.and_then(|group| group.role));
    let (direct, inherited) = (stored.max(own), stored_group.max(groups));
    let source = match (direct, inherited) {
        (None, None) => return None,
        (Some(_), None) => MemberSource::Project,
        (None, Some(_)) => MemberSource::Group,
        (Some(_), Some(_)) => MemberSource::Both,
    };
    Some(ProjectMember {
        user,
        direct,
        inherited,
        effective: standing.level(company, user),
        source,
        automatic_admin: own.or(groups).is_some(),
        implicit: stored.or(stored_group).is_none(),
    })
}

fn standing<'a>(project: &ProjectSnapshot, local: &'a Roster, group: Option<&'a GroupSide>) -> Standing<'a> {
    Standing { project: project.id(), visibility: project.facts.visibility, local, group }
}
