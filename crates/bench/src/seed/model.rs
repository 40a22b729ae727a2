//! What hangs together how, before it is written.

use chorus_auth::NewKey;
use uuid::Uuid;

use super::{Shape, Thing, WORKERS};

/// Tasks that one proposal became.
pub(super) const TASKS_OF_A_PROPOSAL: u32 = 10;
/// Proposals of an ordinary project. The first project is no ordinary one: it holds a fifth of everything.
const PROPOSALS_OF_A_PROJECT: u32 = 50;
/// The first proposals, whose work the [`WORKERS`] do.
const OF_WORKERS: u32 = 100;
/// Proposals whose work one other agent does.
const OF_A_VETERAN: u32 = 6;
/// Projects before this one are public: the workers work in them.
const FIRST_PRIVATE: u32 = 5;
/// People without agents of their own among the workers.
const OTHER_USERS: u32 = 20;

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Open,
    Assigned,
    InProgress,
    ToVerify,
    Done,
    Closed,
}

impl Status {
    /// That of each task of a proposal, in their order.
    const OF_A_PROPOSAL: [Self; TASKS_OF_A_PROPOSAL as usize] = [
        Self::Done,
        Self::Done,
        Self::Done,
        Self::ToVerify,
        Self::Closed,
        Self::InProgress,
        Self::Assigned,
        Self::Open,
        Self::Open,
        Self::Open,
    ];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Assigned => "assigned",
            Self::InProgress => "in_progress",
            Self::ToVerify => "to_verify",
            Self::Done => "done",
            Self::Closed => "closed",
        }
    }
}

/// A project.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Project {
    pub(crate) id: Uuid,
    pub(super) private: bool,
    /// Whoever works in it with agents of their own.
    pub(super) user: u32,
    /// How many tasks it has.
    pub(crate) tasks: u32,
}

/// Everything of a database of one shape, in the order of making.
pub(crate) struct Model {
    /// Which one it is.
    pub(crate) shape: Shape,
    pub(super) company: Uuid,
    pub(super) users: u32,
    /// The agents and the number of the user who owns each; the workers are the first.
    pub(super) agents: Vec<u32>,
    /// The keys of the workers.
    pub(crate) keys: Vec<NewKey>,
    pub(crate) projects: Vec<Project>,
    /// The project of each proposal and the agent that works on it.
    pub(super) proposals: Vec<(u32, u32)>,
}

impl Model {
    /// The one of this shape.
    pub(crate) fn new(shape: Shape) -> Self {
        let proposals = shape.tasks.div_ceil(TASKS_OF_A_PROPOSAL);
        let users = WORKERS + OTHER_USERS + shape.tasks / 1_000;
        let mut model = Self {
            shape,
            company: shape.id(Thing::Company, 0),
            users,
            agents: (0..WORKERS).collect(),
            keys: (0..WORKERS).map(|n| key(shape, n)).collect(),
            projects: Vec::new(),
            proposals: Vec::new(),
        };
        // How many proposals of each project no worker has.
        let mut others: Vec<u32> = Vec::new();
        for n in 0..proposals {
            let project = project_of(n);
            while model.projects.len() <= index(project) {
                model.add_project();
                others.push(0);
            }
            let agent = if n < OF_WORKERS {
                n % WORKERS
            } else {
                let mut fresh = 0;
                if let Some(seen) = others.get_mut(index(project)) {
                    fresh = *seen % OF_A_VETERAN;
                    *seen += 1;
                }
                model.veteran(project, fresh == 0)
            };
            let tasks = TASKS_OF_A_PROPOSAL.min(shape.tasks - n * TASKS_OF_A_PROPOSAL);
            if let Some(project) = model.projects.get_mut(index(project)) {
                project.tasks += tasks;
            }
            model.proposals.push((project, agent));
        }
        model
    }

    fn add_project(&mut self) {
        let n = u32::try_from(self.projects.len()).unwrap_or_default();
        let private = n >= FIRST_PRIVATE && n.is_multiple_of(5);
        let user = WORKERS + n % (self.users - WORKERS);
        self.projects.push(Project { id: self.shape.id(Thing::Project, n), private, user, tasks: 0 });
    }

    /// The agent that works in a project now, or another one.
    fn veteran(&mut self, project: u32, another: bool) -> u32 {
        let user = self.projects.get(index(project)).map_or(0, |project| project.user);
        let last = (index(WORKERS)..self.agents.len()).rev().find(|at| self.agents.get(*at) == Some(&user));
        match last {
            Some(at) if !another => u32::try_from(at).unwrap_or_default(),
            _ => {
                self.agents.push(user);
                u32::try_from(self.agents.len() - 1).unwrap_or_default()
            }
        }
    }

    /// The id of the `n`th of a kind.
    pub(crate) fn id(&self, thing: Thing, n: u32) -> Uuid {
        self.shape.id(thing, n)
    }

    /// What is stored of a worker's key.
    pub(crate) fn hash(&self, key: &str) -> Option<String> {
        self.keys.iter().find(|own| own.reveal() == key).map(NewKey::hash)
    }

    /// The project of the `n`th task.
    pub(super) fn project_of_task(&self, n: u32) -> Uuid {
        let project = self.proposals.get(index(n / TASKS_OF_A_PROPOSAL)).map_or(0, |(project, _)| *project);
        self.projects.get(index(project)).map_or(Uuid::nil(), |project| project.id)
    }

    /// Whether everybody sees the `n`th task.
    pub(crate) fn is_public(&self, n: u32) -> bool {
        let proposal = self.proposals.get(index(n / TASKS_OF_A_PROPOSAL));
        proposal.and_then(|(project, _)| self.projects.get(index(*project))).is_some_and(|project| !project.private)
    }

    /// Projects that everybody sees, the large one first.
    pub(crate) fn public_projects(&self) -> impl Iterator<Item = Uuid> + '_ {
        self.projects.iter().filter(|project| !project.private).map(|project| project.id)
    }

    /// Who works on the `n`th task, if anybody does.
    pub(super) fn holder(&self, n: u32) -> Option<u32> {
        let (_, agent) = self.proposals.get(index(n / TASKS_OF_A_PROPOSAL))?;
        (status(n) != Status::Open).then_some(*agent)
    }

    /// The tasks of this status that the `n`th worker works on, or could take if nobody does, oldest first.
    pub(crate) fn tasks_of_worker(&self, worker: u32, wanted: Status) -> impl Iterator<Item = u32> + '_ {
        let of_it =
            move |n: &u32| self.proposals.get(index(n / TASKS_OF_A_PROPOSAL)).is_some_and(|(_, by)| *by == worker);
        (0..self.shape.tasks).filter(of_it).filter(move |n| status(*n) == wanted)
    }
}

/// The key of the `n`th worker.
pub(super) fn key(shape: Shape, n: u32) -> NewKey {
    NewKey::generate(&mut shape.chance(Thing::Key, n))
}

/// The status of the `n`th task.
pub(crate) fn status(n: u32) -> Status {
    let place = index(n % TASKS_OF_A_PROPOSAL);
    Status::OF_A_PROPOSAL.get(place).copied().unwrap_or(Status::Open)
}

/// The task that the `n`th one waits for: in each proposal the fifth and the eighth wait for the one before.
pub(super) fn prerequisite(n: u32) -> Option<u32> {
    matches!(n % TASKS_OF_A_PROPOSAL, 1 | 5 | 8).then(|| n - 1)
}

/// The project of the `n`th proposal: every fifth is in the first.
fn project_of(n: u32) -> u32 {
    if n.is_multiple_of(5) { 0 } else { 1 + (n - n / 5 - 1) / PROPOSALS_OF_A_PROJECT }
}

/// A number as a place in a list.
pub(super) fn index(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
