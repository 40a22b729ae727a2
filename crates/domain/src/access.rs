//! Authorisation: what a call wants to touch, where that is, and whether its caller may.

use std::collections::BTreeMap;

use chorus_ids::{GroupId, ProjectId, Uuid};
use chorus_visibility::{Access, Level, Need, Principal, ProjectFacts, Visibility, level, permits};

use crate::{Kind, Refusal};

/// One thing that a call names and what the caller needs there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Its kind.
    pub kind: Kind,
    /// Which one.
    pub id: Uuid,
    /// The level needed in its project.
    pub need: Need,
    /// The project that the call says it is in; another one reads as not found.
    pub inside: Option<ProjectId>,
}

/// Where something is, as stored: facts without a scope, only for deciding about access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Its kind.
    pub kind: Kind,
    /// Which one.
    pub id: Uuid,
    /// What its project is called.
    pub project_name: String,
    /// Its project, and the principal's roles there.
    pub facts: ProjectFacts,
}

/// A project that a call may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedProject {
    /// What it is called.
    pub name: String,
    /// Who sees it.
    pub visibility: Visibility,
    /// The group it is in.
    pub group: Option<GroupId>,
    /// The caller's level; at least viewer.
    pub level: Level,
}

/// Proof that a call was authorised, and for what. Writing demands one, and only [`authorise`] and
/// [`Granted::operator`] make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    projects: BTreeMap<ProjectId, GrantedProject>,
    entities: BTreeMap<(Kind, Uuid), ProjectId>,
    everything: bool,
}

impl Granted {
    /// What the operator's command line has: everything. Reserved for code that an agent or user can't reach.
    pub const fn operator() -> Self {
        Self { projects: BTreeMap::new(), entities: BTreeMap::new(), everything: true }
    }

    /// The project of something that the call named.
    pub fn project_of(&self, kind: Kind, id: Uuid) -> Option<ProjectId> {
        self.entities.get(&(kind, id)).copied()
    }

    /// What is known of a project that the call touches.
    pub fn project(&self, id: ProjectId) -> Option<&GrantedProject> {
        self.projects.get(&id)
    }

    /// Every project that the call touches, in the order of their ids.
    pub fn projects(&self) -> impl Iterator<Item = (ProjectId, &GrantedProject)> {
        self.projects.iter().map(|(id, project)| (*id, project))
    }

    /// Whether writing in this project is covered.
    pub fn covers(&self, project: ProjectId) -> bool {
        self.everything || self.projects.contains_key(&project)
    }
}

/// Decides about everything that a call names, in the order named: the first failing demand decides.
///
/// This is the one place where access to projects is granted; tools and web pages both come through here
/// (visibility specification §5 and §7).
///
/// # Errors
/// `not_found` for what is missing, foreign, hidden or not in the project named with it; `forbidden` where the level
/// is too low.
pub fn authorise(principal: &Principal, demands: &[Demand], located: &[Located]) -> Result<Granted, Refusal> {
    let places: BTreeMap<(Kind, Uuid), &Located> = located.iter().map(|l| ((l.kind, l.id), l)).collect();
    let mut granted = Granted { projects: BTreeMap::new(), entities: BTreeMap::new(), everything: false };
    for demand in demands {
        let found = places.get(&(demand.kind, demand.id)).ok_or_else(|| Refusal::not_found(demand.kind))?;
        let facts = &found.facts;
        let level = level(principal, facts);
        match permits(level, facts.visibility, demand.need) {
            Access::Granted => {}
            Access::Hidden => return Err(Refusal::not_found(demand.kind)),
            Access::Forbidden => return Err(Refusal::forbidden_level()),
        }
        if demand.inside.is_some_and(|project| project != facts.project) {
            return Err(Refusal::not_found(demand.kind));
        }
        granted.entities.insert((demand.kind, demand.id), facts.project);
        granted.projects.entry(facts.project).or_insert_with(|| GrantedProject {
            name: found.project_name.clone(),
            visibility: facts.visibility,
            group: facts.group.as_ref().map(|group| group.id),
            level,
        });
    }
    Ok(granted)
}
