//! The changes of access: what each writes, what it does to people, when it has to be confirmed (visibility
//! specification §6.4 and §6.5).
//!
//! A change is a value over snapshots. Its `plan` and its `confirmation_bytes` read the same value, so a confirmation
//! covers exactly what the preview was computed from. Whether the caller may do it is
//! [`authorise_change`](crate::authorise_change)'s question.

use std::fmt;

use chorus_ids::{GroupId, ProjectId, UserId};

use crate::roster::Roster;
use crate::snapshot::{CompanySnapshot, GroupSide, GroupSnapshot, ProjectSnapshot, Standing};
use crate::{CompanyAccess, Principal, ProjectImpact, Role, Summary, Visibility};

/// Why a change can't be made, whoever asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeRefusal {
    /// A private group contains private projects only.
    PublicInPrivateGroup,
    /// Out of its group, the project would have no admin of its own. Its automatic admin does not count.
    NoAdminLeft {
        /// The project.
        project: ProjectId,
    },
    /// The project is not in the group that it was read with: it moved meanwhile, and the change has to start over.
    GroupChanged {
        /// The project.
        project: ProjectId,
    },
}

impl fmt::Display for ChangeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PublicInPrivateGroup => f.write_str("a private group contains private projects only"),
            Self::NoAdminLeft { project } => write!(f, "project `{project}` would be left without an admin"),
            Self::GroupChanged { project } => write!(f, "project `{project}` was moved to another group meanwhile"),
        }
    }
}

impl std::error::Error for ChangeRefusal {}

/// What a change writes to one project, and what that does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectPlan {
    /// What it does to people, and the visibility before and after.
    pub impact: ProjectImpact,
    /// Local memberships to add, or to raise where there is a lower one, by user. None of them lowers a row.
    pub grants: Vec<(UserId, Role)>,
}

impl ProjectPlan {
    /// The visibility to write, if it changes.
    pub fn new_visibility(&self) -> Option<Visibility> {
        (self.impact.from != self.impact.to).then_some(self.impact.to)
    }
}

/// Whether a change of visibility comes with other settings in the same call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherSettings {
    /// It comes alone.
    Absent,
    /// Name or description change with it, or not at all.
    Present,
}

/// Giving a project a visibility.
#[derive(Clone, Copy, Debug)]
pub struct ProjectVisibilityChange<'a> {
    /// The project.
    pub project: &'a ProjectSnapshot,
    /// Its group.
    pub group: Option<&'a GroupSnapshot>,
    /// The visibility to give.
    pub to: Visibility,
}

impl ProjectVisibilityChange<'_> {
    /// What the change writes and does. Memberships stay; in a public project they lie dormant.
    ///
    /// A project that goes private outside any group, and that has no automatic admin, keeps `actor` as an admin.
    ///
    /// # Errors
    /// [`ChangeRefusal::PublicInPrivateGroup`]; [`ChangeRefusal::GroupChanged`] if `group` is not the project's.
    pub fn plan(&self, company: &CompanySnapshot, actor: &Principal) -> Result<ProjectPlan, ChangeRefusal> {
        require_group(self.project, self.group)?;
        if self.to == Visibility::Public && self.group.is_some_and(|group| group.visibility == Visibility::Private) {
            return Err(ChangeRefusal::PublicInPrivateGroup);
        }
        let local = Roster::new(&self.project.members);
        let closes = CompanyAccess::between(self.project.facts.visibility, self.to) == CompanyAccess::Closed;
        let automatic = !local.has_admin() && company.first_user.is_some();
        let grants = match actor.user {
            Some(user) if closes && self.group.is_none() && !automatic => raising(&local, [(user, Role::Admin)]),
            Some(_) | None => Vec::new(),
        };
        let side = self.group.map(GroupSide::of);
        let group = side.as_ref();
        Ok(project_plan(company, self.project, &local, (group, group), self.to, grants))
    }

    /// Whether the change has to be confirmed: when it changes the visibility, and when other settings depend on it.
    pub fn requires_confirmation(&self, others: OtherSettings) -> bool {
        match others {
            OtherSettings::Absent => self.project.facts.visibility != self.to,
            OtherSettings::Present => true,
        }
    }
}

/// Giving a group a visibility. It always has to be confirmed, even if the group has that visibility already.
#[derive(Clone, Copy, Debug)]
pub struct GroupVisibilityChange<'a> {
    /// The group with all its projects.
    pub group: &'a GroupSnapshot,
    /// The visibility to give.
    pub to: Visibility,
}

/// What giving a group a visibility writes and does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupPlan {
    /// The group.
    pub group: GroupId,
    /// Its visibility now.
    pub from: Visibility,
    /// Its visibility afterwards.
    pub to: Visibility,
    /// Every project in it, by id, the unaffected ones included.
    pub projects: Vec<ProjectPlan>,
}

impl GroupVisibilityChange<'_> {
    /// What the change writes and does: a group that goes private takes its public projects along, one that goes
    /// public leaves its projects as they are. Memberships stay in both layers.
    ///
    /// # Errors
    /// [`ChangeRefusal::GroupChanged`] if a project of the snapshot is not in the group.
    pub fn plan(&self, company: &CompanySnapshot) -> Result<GroupPlan, ChangeRefusal> {
        let before = GroupSide::of(self.group);
        let after = GroupSide { visibility: self.to, roster: before.roster.clone(), ..before };
        let projects = children(self.group, |project| {
            let local = Roster::new(&project.members);
            let to = match self.to {
                Visibility::Private => Visibility::Private,
                Visibility::Public => project.facts.visibility,
            };
            Ok(project_plan(company, project, &local, (Some(&before), Some(&after)), to, Vec::new()))
        })?;
        Ok(GroupPlan { group: self.group.id, from: self.group.visibility, to: self.to, projects })
    }
}

impl GroupPlan {
    /// What it does to the company's access to the group.
    pub const fn company_access(&self) -> CompanyAccess {
        CompanyAccess::between(self.from, self.to)
    }

    /// The projects that become private with the group.
    pub fn closed_projects(&self) -> impl Iterator<Item = ProjectId> {
        let closed = |plan: &&ProjectPlan| plan.impact.company_access() == CompanyAccess::Closed;
        self.projects.iter().filter(closed).map(|plan| plan.impact.project)
    }

    /// The counts over all projects.
    pub fn summary(&self) -> Summary {
        Summary::of(self.projects.iter().map(|plan| &plan.impact))
    }

    /// Whether anything is written; if so, the group's access version rises by one.
    pub fn is_change(&self) -> bool {
        self.from != self.to || self.closed_projects().next().is_some()
    }
}

/// Moving a project into a group, or out of one.
#[derive(Clone, Copy, Debug)]
pub struct MoveChange<'a> {
    /// The project.
    pub project: &'a ProjectSnapshot,
    /// The group that it is in; `None` for none or a missing one.
    pub source: Option<&'a GroupSnapshot>,
    /// The group to be in; `None` to be in none.
    pub target: Option<&'a GroupSnapshot>,
}

/// What moving a project writes and does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovePlan {
    /// The group that the project leaves.
    pub source: Option<GroupId>,
    /// The group that it enters.
    pub target: Option<GroupId>,
    /// Whether the project, or either group, is private.
    pub crosses_private_boundary: bool,
    /// What it writes to the project, and what that does.
    pub project: ProjectPlan,
}

impl MoveChange<'_> {
    /// What the move writes and does.
    ///
    /// Entering a private group makes the project private. Leaving for no group writes what members had from the old
    /// group as memberships of the project's own, wherever that is more; the public floor and the automatic admin are
    /// never written. Moving to the group that the project is in changes nothing.
    ///
    /// # Errors
    /// [`ChangeRefusal::NoAdminLeft`] if it would leave for no group without an admin of its own;
    /// [`ChangeRefusal::GroupChanged`] if `source` is not the project's group.
    pub fn plan(&self, company: &CompanySnapshot) -> Result<MovePlan, ChangeRefusal> {
        require_group(self.project, self.source)?;
        let from = self.project.facts.visibility;
        let source = self.source.map(GroupSide::of);
        let project = if self.is_move() {
            match self.target {
                Some(target) => entered(company, self.project, source.as_ref(), &GroupSide::of(target)),
                None => detached(company, self.project, source.as_ref())?,
            }
        } else {
            let group = source.as_ref();
            let local = Roster::new(&self.project.members);
            project_plan(company, self.project, &local, (group, group), from, Vec::new())
        };
        Ok(MovePlan {
            source: self.source.map(|group| group.id),
            target: self.target.map(|group| group.id),
            crosses_private_boundary: crosses_private_boundary(
                from,
                self.source.map(|group| group.visibility),
                self.target.map(|group| group.visibility),
            ),
            project,
        })
    }

    fn is_move(&self) -> bool {
        self.source.map(|group| group.id) != self.target.map(|group| group.id)
    }
}

/// Whether a move raises anybody's effective level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleEffect {
    /// Nobody's level rises.
    Kept,
    /// Somebody's does.
    Raised,
}

impl MovePlan {
    /// Whether the project changes its group at all.
    pub fn is_move(&self) -> bool {
        self.source != self.target
    }

    /// Whether the move has to be confirmed: a level or the visibility changes, or a private boundary is crossed.
    pub fn requires_confirmation(&self) -> bool {
        self.project.impact.is_affected() || (self.is_move() && self.crosses_private_boundary)
    }

    /// Whether anybody's effective level rises, which takes a project admin.
    pub fn effect(&self) -> RoleEffect {
        let raised = self.project.impact.changes.iter().any(|change| change.after > change.before);
        if raised { RoleEffect::Raised } else { RoleEffect::Kept }
    }

    /// The groups whose access version rises by one.
    pub fn bumped_groups(&self) -> impl Iterator<Item = GroupId> {
        let moved = self.is_move();
        [self.source, self.target].into_iter().flatten().filter(move |_| moved)
    }
}

/// A move crosses a private boundary if the project or one of the two groups is private.
pub(crate) fn crosses_private_boundary(
    project: Visibility,
    source: Option<Visibility>,
    target: Option<Visibility>,
) -> bool {
    [Some(project), source, target].contains(&Some(Visibility::Private))
}

/// Deleting a group and keeping its projects, which end up in no group. It is not previewed.
#[derive(Clone, Copy, Debug)]
pub struct GroupDeletion<'a> {
    /// The group with all its projects.
    pub group: &'a GroupSnapshot,
}

/// What deleting a group does to the projects that are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletionPlan {
    /// The group.
    pub group: GroupId,
    /// Every project that was in it, by id.
    pub projects: Vec<ProjectPlan>,
}

impl GroupDeletion<'_> {
    /// What the deletion writes and does: each project leaves as in a [`MoveChange`] to no group.
    ///
    /// # Errors
    /// [`ChangeRefusal::NoAdminLeft`] for the first project, by id, that would be left without an admin;
    /// [`ChangeRefusal::GroupChanged`] if a project of the snapshot is not in the group.
    pub fn plan(&self, company: &CompanySnapshot) -> Result<DeletionPlan, ChangeRefusal> {
        let side = GroupSide::of(self.group);
        let projects = children(self.group, |project| detached(company, project, Some(&side)))?;
        Ok(DeletionPlan { group: self.group.id, projects })
    }
}

/// The project in another group: what it had from the old one ends, nothing is copied.
fn entered(
    company: &CompanySnapshot,
    project: &ProjectSnapshot,
    source: Option<&GroupSide>,
    target: &GroupSide,
) -> ProjectPlan {
    let to = match target.visibility {
        Visibility::Private => Visibility::Private,
        Visibility::Public => project.facts.visibility,
    };
    project_plan(company, project, &Roster::new(&project.members), (source, Some(target)), to, Vec::new())
}

/// The project out of its group.
fn detached(
    company: &CompanySnapshot,
    project: &ProjectSnapshot,
    source: Option<&GroupSide>,
) -> Result<ProjectPlan, ChangeRefusal> {
    let local = Roster::new(&project.members);
    // Rows only. The automatic admin is computed and never stored (§3.4), so what is left must have an admin of flesh.
    let grants = raising(&local, source.iter().flat_map(|group| group.roster.rows()).copied());
    let plan = project_plan(company, project, &local, (source, None), project.facts.visibility, grants);
    if local.raised(&plan.grants).has_admin() {
        Ok(plan)
    } else {
        Err(ChangeRefusal::NoAdminLeft { project: project.id() })
    }
}

/// The grants that give a user more than their row does.
fn raising(local: &Roster, grants: impl IntoIterator<Item = (UserId, Role)>) -> Vec<(UserId, Role)> {
    grants.into_iter().filter(|(user, role)| local.role(*user) < Some(*role)).collect()
}

fn project_plan(
    company: &CompanySnapshot,
    project: &ProjectSnapshot,
    local: &Roster,
    (source, target): (Option<&GroupSide>, Option<&GroupSide>),
    to: Visibility,
    grants: Vec<(UserId, Role)>,
) -> ProjectPlan {
    let raised = if grants.is_empty() { None } else { Some(local.raised(&grants)) };
    let before = Standing { project: project.id(), visibility: project.facts.visibility, local, group: source };
    let after = Standing { visibility: to, local: raised.as_ref().unwrap_or(local), group: target, ..before };
    ProjectPlan { impact: ProjectImpact::between(company, before, after), grants }
}

fn children(
    group: &GroupSnapshot,
    plan: impl Fn(&ProjectSnapshot) -> Result<ProjectPlan, ChangeRefusal>,
) -> Result<Vec<ProjectPlan>, ChangeRefusal> {
    let mut projects: Vec<_> = group.projects.iter().collect();
    projects.sort_unstable_by_key(|project| project.id());
    projects.into_iter().map(|project| require_group(project, Some(group)).and_then(|()| plan(project))).collect()
}

/// Snapshots that were not read together decide nothing.
fn require_group(project: &ProjectSnapshot, group: Option<&GroupSnapshot>) -> Result<(), ChangeRefusal> {
    if project.group_id() == group.map(|group| group.id) {
        Ok(())
    } else {
        Err(ChangeRefusal::GroupChanged { project: project.id() })
    }
}
