//! What a change would do to people, for them to confirm (visibility specification §6.5).

use std::collections::BTreeSet;

use chorus_ids::{ProjectId, UserId};

use crate::snapshot::{CompanySnapshot, Standing};
use crate::{Level, Visibility};

/// What a change does to the company's access as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompanyAccess {
    /// From private to public.
    Opened,
    /// From public to private.
    Closed,
    /// The visibility stays.
    Unchanged,
}

impl CompanyAccess {
    /// What going from one visibility to another does.
    pub const fn between(from: Visibility, to: Visibility) -> Self {
        match (from, to) {
            (Visibility::Private, Visibility::Public) => Self::Opened,
            (Visibility::Public, Visibility::Private) => Self::Closed,
            (Visibility::Public, Visibility::Public) | (Visibility::Private, Visibility::Private) => Self::Unchanged,
        }
    }

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Closed => "closed",
            Self::Unchanged => "unchanged",
        }
    }
}

/// One user's effective level before and after; the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoleChange {
    /// The user.
    pub user: UserId,
    /// The level now.
    pub before: Level,
    /// The level afterwards.
    pub after: Level,
}

impl RoleChange {
    /// Whether the user could edit and can't any more.
    pub fn ends_editing(&self) -> bool {
        self.before >= Level::Editor && self.after < Level::Editor
    }
}

/// What a change does to one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectImpact {
    /// The project.
    pub project: ProjectId,
    /// Its visibility now.
    pub from: Visibility,
    /// Its visibility afterwards.
    pub to: Visibility,
    /// Every user of the company whose effective level differs, by id. Agents follow their owners and are not listed.
    pub changes: Vec<RoleChange>,
    /// Who answers for the project afterwards.
    pub responsible: Option<UserId>,
}

impl ProjectImpact {
    pub(crate) fn between(company: &CompanySnapshot, before: Standing<'_>, after: Standing<'_>) -> Self {
        let change = |user| RoleChange { user, before: before.level(company, user), after: after.level(company, user) };
        let changes =
            company.sorted_users().into_iter().map(change).filter(|change| change.before != change.after).collect();
        let responsible = after.responsible(company);
        Self { project: before.project, from: before.visibility, to: after.visibility, changes, responsible }
    }

    /// What it does to the company's access to the project.
    pub const fn company_access(&self) -> CompanyAccess {
        CompanyAccess::between(self.from, self.to)
    }

    /// Whether somebody's level or the visibility changes.
    pub fn is_affected(&self) -> bool {
        !self.changes.is_empty() || self.from != self.to
    }

    /// Whether it takes the right to edit from this principal. For an agent without owner there is none; it edits what is
    /// public.
    pub fn ends_editing_of(&self, principal: Option<UserId>) -> bool {
        match principal {
            Some(user) => self.changes.iter().any(|change| change.user == user && change.ends_editing()),
            None => self.company_access() == CompanyAccess::Closed,
        }
    }

    /// Whether it takes the right to edit from anybody.
    pub fn ends_editing(&self) -> bool {
        self.company_access() == CompanyAccess::Closed || self.changes.iter().any(RoleChange::ends_editing)
    }

    /// The counts of this project alone.
    pub fn summary(&self) -> Summary {
        Summary::of([self])
    }
}

/// How many distinct users a change touches, and how. A change of one user in one project counts in exactly one of
/// gained, lost, increased and decreased; over several projects a user may count in more than one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Users with any change.
    pub affected_users: usize,
    /// Users who had no access to a project and get some.
    pub gained_access: usize,
    /// Users who lose all access to a project.
    pub lost_access: usize,
    /// Users with access whose level rises.
    pub increased: usize,
    /// Users whose level falls and who keep access.
    pub decreased: usize,
    /// Projects where somebody's level or the visibility changes.
    pub affected_projects: usize,
}

impl Summary {
    /// The counts over several projects.
    pub fn of<'a>(impacts: impl IntoIterator<Item = &'a ProjectImpact>) -> Self {
        let [mut affected, mut gained, mut lost, mut increased, mut decreased] = [const { BTreeSet::new() }; 5];
        let mut affected_projects = 0;
        for impact in impacts {
            affected_projects += usize::from(impact.is_affected());
            for change in &impact.changes {
                affected.insert(change.user);
                let kind = if change.before == Level::None {
                    &mut gained
                } else if change.after == Level::None {
                    &mut lost
                } else if change.before < change.after {
                    &mut increased
                } else {
                    &mut decreased
                };
                kind.insert(change.user);
            }
        }
        Self {
            affected_users: affected.len(),
            gained_access: gained.len(),
            lost_access: lost.len(),
            increased: increased.len(),
            decreased: decreased.len(),
            affected_projects,
        }
    }
}
