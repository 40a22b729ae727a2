//! What a person sees across projects.

use async_trait::async_trait;
use chorus_domain::{Kind, Party, project::Project};
use chorus_ids::{GroupId, ProjectId, Timestamp, UserId, Uuid};
use chorus_visibility::Scope;

use crate::{Page, PageRequest, Result};

/// What waits for a decision, and how projects are doing, over everything that a scope reaches.
#[async_trait]
pub trait Overviews: Send {
    /// What waits for a person in the projects that the scope's user may edit, longest unchanged first.
    async fn waiting(&mut self, scope: &Scope, for_what: WaitsFor, page: &PageRequest) -> Result<Page<Waiting>>;

    /// The latest updated visible projects of each of these groups, and of those in no group, at most `each` of each; the
    /// latest updated first, in one statement.
    async fn project_heads(&mut self, scope: &Scope, groups: &[GroupId], each: u32) -> Result<Vec<ProjectProgress>>;

    /// Visible projects with how far they are, latest updated first.
    async fn projects_within(
        &mut self,
        scope: &Scope,
        within: ProjectsWithin,
        page: &PageRequest,
    ) -> Result<Page<ProjectProgress>>;

    /// The visible projects that a person has at hand, those pinned first come first, then those that they opened, the last
    /// opened first; at most `limit`, in one statement.
    async fn at_hand(&mut self, scope: &Scope, user: UserId, limit: u32) -> Result<Vec<AtHand>>;

    /// Notes that somebody opened a project. No clock goes back. It needs a unit, and its commit.
    async fn note_project_visit(&mut self, user: UserId, project: ProjectId, at: Timestamp) -> Result<()>;
}

/// A project that somebody opened or pinned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtHand {
    /// The project.
    pub project: Project,
    /// Whether they pinned it.
    pub pinned: bool,
}

/// A decision that takes a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// An idea has a round whose questions are not answered.
    Answers,
    /// A proposal is submitted.
    Review,
    /// A task is handed over.
    Verification,
}

impl WaitsFor {
    /// Every kind of decision.
    pub const ALL: [Self; 3] = [Self::Answers, Self::Review, Self::Verification];

    /// What kind of thing waits for it.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Answers => Kind::Idea,
            Self::Review => Kind::Proposal,
            Self::Verification => Kind::Task,
        }
    }
}

/// Something that waits for a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Which idea, proposal or task.
    pub id: Uuid,
    /// What it is called.
    pub title: String,
    /// Its project.
    pub project: ProjectId,
    /// What that is called.
    pub project_name: String,
    /// Who holds the idea or task, or made the proposal.
    pub from: Option<Party>,
    /// When it was last changed.
    pub since: Timestamp,
}

/// A project with what is in it and how far that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectProgress {
    /// The project.
    pub project: Project,
    /// Its ideas.
    pub ideas: u64,
    /// Its proposals.
    pub proposals: u64,
    /// Its documents.
    pub documents: u64,
    /// All its tasks.
    pub tasks: u64,
    /// Those that are done or closed.
    pub finished_tasks: u64,
}

/// Which projects are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectsWithin {
    /// All of them.
    Everything,
    /// Those of a group.
    Group(GroupId),
    /// Those in no group.
    NoGroup,
}
