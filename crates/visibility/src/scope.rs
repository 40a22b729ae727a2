//! The part of the world that a caller's reads are confined to.

use std::{collections::BTreeSet, fmt};

use chorus_ids::{CompanyId, ProjectId, UserId};

use crate::{Level, Principal, ProjectFacts, level};

/// The most projects that a restriction names. A store binds each of them as a parameter of a statement, so the list
/// is bounded; what a caller can reach altogether is never spelled out as a list.
pub const MAX_RESTRICTION: usize = 500;

/// A narrowing that the caller asked for, by headers or by a token bound to projects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restriction {
    /// No narrowing.
    Everything,
    /// These projects only; an empty list means nothing at all, never everything.
    Only(Vec<ProjectId>),
}

impl Restriction {
    /// These projects only, checked against the bound.
    ///
    /// # Errors
    /// [`TooManyProjects`] if there are more than [`MAX_RESTRICTION`] different ones.
    pub fn only(projects: impl IntoIterator<Item = ProjectId>) -> Result<Self, TooManyProjects> {
        let projects: BTreeSet<_> = projects.into_iter().collect();
        if projects.len() > MAX_RESTRICTION {
            return Err(TooManyProjects { named: projects.len() });
        }
        Ok(Self::Only(projects.into_iter().collect()))
    }
}

/// A restriction that names more than [`MAX_RESTRICTION`] projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyProjects {
    named: usize,
}

impl fmt::Display for TooManyProjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} projects are named, at most {MAX_RESTRICTION} may be", self.named)
    }
}

impl std::error::Error for TooManyProjects {}

/// The projects that a caller's reads see: those where the principal is viewer or higher, inside a restriction.
///
/// INVARIANT (scope): only [`scope`] makes one from a principal, so a read that demands a `Scope` can't be made
/// without one. A scope that is derived from another keeps its principal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    principal: Principal,
    // INVARIANT (restriction): sorted, without duplicates, at most `MAX_RESTRICTION` long. `None`: unrestricted.
    restriction: Option<Vec<ProjectId>>,
}

/// The scope of a caller.
///
/// Duplicates in the restriction are merged. Of a list above [`MAX_RESTRICTION`] only that many remain, lowest ids
/// first, since a cut may only ever narrow; [`Restriction::only`] refuses such a list.
pub fn scope(principal: &Principal, restriction: Restriction) -> Scope {
    let restriction = match restriction {
        Restriction::Everything => None,
        Restriction::Only(projects) => Some(bounded(projects)),
    };
    Scope { principal: *principal, restriction }
}

fn bounded(mut projects: Vec<ProjectId>) -> Vec<ProjectId> {
    projects.sort_unstable();
    projects.dedup();
    projects.truncate(MAX_RESTRICTION);
    projects
}

impl Scope {
    /// The company that all reads stay in.
    pub const fn company(&self) -> CompanyId {
        self.principal.company
    }

    /// The user whose memberships count; `None` for an agent without owner.
    pub const fn principal(&self) -> Option<UserId> {
        self.principal.user
    }

    /// The company's first user.
    pub const fn first_user(&self) -> Option<UserId> {
        self.principal.first_user
    }

    /// The whole principal, for [`level`] and [`group_access`](crate::group_access).
    pub const fn as_principal(&self) -> &Principal {
        &self.principal
    }

    /// The projects that the scope is narrowed to, sorted, each once; `None` if it is not narrowed, an empty slice if
    /// it sees nothing.
    pub fn restriction(&self) -> Option<&[ProjectId]> {
        self.restriction.as_deref()
    }

    /// Whether the principal stands in as admin wherever one is missing.
    pub fn is_automatic_admin_candidate(&self) -> bool {
        self.principal.is_first_user()
    }

    /// Whether the scope sees the project: viewer or higher, and inside the restriction.
    pub fn allows(&self, facts: &ProjectFacts) -> bool {
        self.includes(facts.project) && level(&self.principal, facts) >= Level::Viewer
    }

    /// Whether the restriction, by itself, lets the project through.
    fn includes(&self, project: ProjectId) -> bool {
        self.restriction.as_ref().is_none_or(|only| only.binary_search(&project).is_ok())
    }

    /// The scope narrowed further to these projects; it never widens. Of a list above [`MAX_RESTRICTION`] that narrows
    /// an unrestricted scope only that many remain.
    #[must_use]
    pub fn narrowed(&self, projects: &[ProjectId]) -> Self {
        let inside = projects.iter().copied().filter(|project| self.includes(*project)).collect();
        Self { principal: self.principal, restriction: Some(bounded(inside)) }
    }

    /// The same principal without the restriction, for reads that the restriction does not apply to.
    #[must_use]
    pub const fn unrestricted(&self) -> Self {
        Self { principal: self.principal, restriction: None }
    }
}
