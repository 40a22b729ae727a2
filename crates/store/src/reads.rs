//! Reads by scope, one trait per entity family.

use async_trait::async_trait;
use chorus_domain::{
    Kind, Party,
    activity::Activity,
    comment::Comment,
    document::{Document, PastVersion},
    elaboration::Round,
    idea::{Idea, IdeaFacts, edit::Ancestor},
    project::{Group, Project},
    proposal::{DocumentDraft, DocumentDraftIndex, Proposal, TaskDraft},
    reference::Reference,
    task::{Criterion, Edge, Task, TaskRef},
};
use chorus_ids::{
    AgentId, DocumentId, DraftId, GroupId, IdeaId, ProjectId, ProposalId, ReferenceId, TaskId, Timestamp, UserId, Uuid,
};
use chorus_lifecycle::{
    document::DocumentType,
    idea::IdeaStatus,
    proposal::ProposalStatus,
    task::{Priority, TaskStatus},
};
use chorus_visibility::Scope;

use crate::{
    Accounts, Directory, Notifications, Operator, Overviews, Page, PageRequest, Position, Result, Row, Search, Sessions,
};

/// Everything that can be read, on one connection.
///
/// Lists that are newest or oldest first have no other order than that and, among equals, the ids'. Ids that name
/// nothing, or nothing in the scope, are passed over; what is asked for twice comes once.
pub trait Reads:
    Projects
    + People
    + Ideas
    + Elaborations
    + Proposals
    + Documents
    + Tasks
    + Comments
    + References
    + Activities
    + Trackers
    + Overviews
    + Notifications
    + Groups
    + Sessions
    + Search
    + Send
{
    /// Facts without a scope, for deciding about access and addressing notifications.
    fn directory(&mut self) -> &mut dyn Directory;

    /// Facts for the operator and for housekeeping.
    fn operator(&mut self) -> &mut dyn Operator;

    /// Facts for signing people in.
    fn accounts(&mut self) -> &mut dyn Accounts;
}

/// Projects and the groups they are in.
#[async_trait]
pub trait Projects: Send {
    /// A project with its counts.
    async fn project(&mut self, scope: &Scope, id: ProjectId) -> Result<Option<ProjectSummary>>;

    /// Projects, latest updated first.
    async fn projects(&mut self, scope: &Scope, page: &PageRequest) -> Result<Page<ProjectSummary>>;

    /// The visible projects among these, in no order.
    async fn visible_projects(&mut self, scope: &Scope, among: &[ProjectId]) -> Result<Vec<ProjectId>>;

    /// Every visible project, by id, at most `limit`, in one statement.
    async fn all_visible_projects(&mut self, scope: &Scope, limit: u32) -> Result<Vec<ProjectId>>;

    /// The visible projects of a group that may be discovered, in no order; empty for any other.
    async fn projects_of_group(&mut self, scope: &Scope, group: GroupId) -> Result<Vec<ProjectId>>;
}

/// A project with its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectSummary {
    /// The project.
    pub project: Project,
    /// What is in it.
    pub counts: ProjectCounts,
}

/// How much is in a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProjectCounts {
    /// Ideas.
    pub ideas: u64,
    /// Documents.
    pub documents: u64,
    /// Tasks.
    pub tasks: u64,
    /// Proposals.
    pub proposals: u64,
    /// Entries of the activity stream.
    pub activities: u64,
}

/// Names of users and agents of the scope's company.
#[async_trait]
pub trait People: Send {
    /// The names of those among these who exist or were agents once, in no order, in one statement. A user's is the one
    /// to display.
    async fn names(&mut self, scope: &Scope, parties: &[Party]) -> Result<Vec<PersonName>>;

    /// Who can be mentioned: agents at work first, those with the fewest sessions before others, then agents that
    /// rest, then users; among equals by name. Agents are those of the scope's own user; for a scope without user, all
    /// of the company. At most `limit`.
    async fn mentionables(&mut self, scope: &Scope, wanted: &Mentionables) -> Result<Vec<Mentionable>>;

    /// All agents of the company by name, newest first: who works here is no secret in it, what they may do and their
    /// keys are their owners' matter.
    async fn agents(&mut self, scope: &Scope, page: &PageRequest) -> Result<Page<AgentLine>>;
}

/// An agent as everybody in its company sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLine {
    /// Which one.
    pub id: AgentId,
    /// What it is called.
    pub name: String,
    /// Whose it is, with the name to show.
    pub owner: Option<(UserId, String)>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// Who is looked for, to be mentioned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mentionables {
    /// A piece of their name or address, without regard to case. `None`: no users, and the agents made last.
    pub piece: Option<String>,
    /// Only those who see this project, agents through their owners.
    pub seeing: Option<ProjectId>,
    /// Sessions count that were active since then.
    pub active_since: Timestamp,
    /// How many at most.
    pub limit: u32,
}

/// Somebody who can be mentioned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mentionable {
    /// Who.
    pub party: Party,
    /// What to show.
    pub name: String,
    /// How many active sessions an agent has; 0 for users.
    pub active: u32,
}

/// What somebody is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonName {
    /// Who.
    pub party: Party,
    /// What to show.
    pub name: String,
}

/// Ideas.
///
/// Facts are the same in every read. They look at proposals that start from ideas and live in the idea's project, so
/// that they tell nothing that a reader of the idea may not see; reports are counted and listed under the same ones. The
/// tasks are those of the most recently created approved one.
#[async_trait]
pub trait Ideas: Send {
    /// One idea.
    async fn idea(&mut self, scope: &Scope, id: IdeaId) -> Result<Option<Idea>>;

    /// The visible ideas among these, in no order.
    async fn ideas_by_id(&mut self, scope: &Scope, ids: &[IdeaId]) -> Result<Vec<Idea>>;

    /// A project's ideas, newest first, without their contents (`content` is `None`).
    async fn ideas(
        &mut self,
        scope: &Scope,
        project: ProjectId,
        status: Option<IdeaStatus>,
        page: &PageRequest,
    ) -> Result<Page<IdeaSummary>>;

    /// One idea with its facts.
    async fn idea_summary(&mut self, scope: &Scope, id: IdeaId) -> Result<Option<IdeaSummary>>;

    /// Everything below these ideas, at any depth, in no order, without contents; the ideas themselves only if one is
    /// below another. Ends even if stored parents go round in a circle, all of whose members are below each other.
    async fn ideas_below(&mut self, scope: &Scope, roots: &[IdeaId]) -> Result<Vec<IdeaSummary>>;

    /// The idea and everything above it, in no order. Ends even if stored parents go round in a circle.
    async fn ideas_above(&mut self, scope: &Scope, id: IdeaId) -> Result<Vec<Ancestor>>;

    /// The ideas directly below one, newest first, without their contents.
    async fn children(
        &mut self,
        scope: &Scope,
        parent: IdeaId,
        status: Option<IdeaStatus>,
        page: &PageRequest,
    ) -> Result<Page<IdeaSummary>>;

    /// The ideas of a project with their facts and without their texts, latest updated first, at most `limit`.
    async fn ideas_in(&mut self, scope: &Scope, project: ProjectId, limit: u32) -> Result<Vec<IdeaSummary>>;

    /// The titles of all ideas directly below one, oldest first.
    async fn titles_of_children(&mut self, scope: &Scope, parent: IdeaId) -> Result<Vec<(IdeaId, String)>>;
}

/// An idea with what its derived status is computed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdeaSummary {
    /// The idea.
    pub idea: Idea,
    /// The facts.
    pub facts: IdeaFacts,
}

/// Elaboration rounds.
#[async_trait]
pub trait Elaborations: Send {
    /// An idea's rounds with their questions, by number.
    async fn rounds(&mut self, scope: &Scope, idea: IdeaId) -> Result<Vec<Round>>;
}

/// Proposals and their drafts.
#[async_trait]
pub trait Proposals: Send {
    /// One proposal with its inputs.
    async fn proposal(&mut self, scope: &Scope, id: ProposalId) -> Result<Option<Proposal>>;

    /// A project's proposals, newest first, without their descriptions (`description` is `None`).
    async fn proposals(
        &mut self,
        scope: &Scope,
        project: ProjectId,
        status: Option<ProposalStatus>,
        page: &PageRequest,
    ) -> Result<Page<Proposal>>;

    /// The document drafts of a proposal, in order.
    async fn document_drafts(&mut self, scope: &Scope, id: ProposalId) -> Result<Vec<DocumentDraft>>;

    /// The same without their texts.
    async fn document_draft_index(&mut self, scope: &Scope, id: ProposalId) -> Result<Vec<DocumentDraftIndex>>;

    /// The task drafts of a proposal, in order; `bodies` says whether with their descriptions.
    async fn task_drafts(&mut self, scope: &Scope, id: ProposalId, bodies: DraftBodies) -> Result<Vec<TaskDraft>>;

    /// One document draft of a proposal.
    async fn document_draft(&mut self, scope: &Scope, id: ProposalId, draft: DraftId) -> Result<Option<DocumentDraft>>;

    /// One task draft of a proposal.
    async fn task_draft(&mut self, scope: &Scope, id: ProposalId, draft: DraftId) -> Result<Option<TaskDraft>>;

    /// Visible proposals that name one of these inputs, newest first, with the input they name; once for each of them
    /// that they name.
    async fn proposals_naming(&mut self, scope: &Scope, inputs: &[Uuid]) -> Result<Vec<ProposalUse>>;
}

/// Whether drafts come with their long texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftBodies {
    /// With them.
    Full,
    /// Without them: the field is `None`.
    Omitted,
}

/// A proposal that names an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposalUse {
    /// The input.
    pub input: Uuid,
    /// The proposal.
    pub proposal: ProposalId,
    /// What it is called.
    pub title: String,
    /// Where it stands.
    pub status: ProposalStatus,
}

/// Documents.
#[async_trait]
pub trait Documents: Send {
    /// One document with its text.
    async fn document(&mut self, scope: &Scope, id: DocumentId) -> Result<Option<Document>>;

    /// A project's documents, latest updated first, without their texts (`content` is `None`).
    async fn documents(
        &mut self,
        scope: &Scope,
        project: ProjectId,
        kind: Option<DocumentType>,
        page: &PageRequest,
    ) -> Result<Page<Document>>;

    /// Completion reports under the idea's approved or closed proposals, newest first, with their texts.
    async fn reports_of_idea(&mut self, scope: &Scope, idea: IdeaId) -> Result<Vec<Document>>;

    /// How many completion reports a proposal has, whatever its status.
    async fn report_count(&mut self, scope: &Scope, proposal: ProposalId) -> Result<u64>;

    /// What a document said before it was changed, at one of its versions.
    async fn past_version(&mut self, scope: &Scope, id: DocumentId, version: i32) -> Result<Option<PastVersion>>;

    /// Past versions of a document up to one of them, newest first, at most `limit`, without their texts (`content` is
    /// `None`).
    async fn past_versions(
        &mut self,
        scope: &Scope,
        id: DocumentId,
        up_to: i32,
        limit: u32,
    ) -> Result<Vec<PastVersion>>;

    /// What these documents are called, in no order; those that are missing or hidden are left out.
    async fn document_titles(&mut self, scope: &Scope, ids: &[DocumentId]) -> Result<Vec<(DocumentId, String)>>;

    /// All documents of a proposal, completion reports too, oldest first, without their texts.
    async fn documents_of_proposal(&mut self, scope: &Scope, proposal: ProposalId) -> Result<Vec<Document>>;
}

/// Tasks.
#[async_trait]
pub trait Tasks: Send {
    /// One task.
    async fn task(&mut self, scope: &Scope, id: TaskId) -> Result<Option<Task>>;

    /// One task with its criteria and what stands around it.
    async fn task_detail(&mut self, scope: &Scope, id: TaskId) -> Result<Option<TaskDetail>>;

    /// The visible tasks among these, as they appear beside another, in no order.
    async fn task_refs(&mut self, scope: &Scope, ids: &[TaskId]) -> Result<Vec<(TaskRef, ProjectId)>>;

    /// All tasks of a proposal, oldest first, without descriptions.
    async fn tasks_of_proposal(&mut self, scope: &Scope, proposal: ProposalId) -> Result<Vec<Task>>;

    /// A project's tasks: high, medium, low; newest first; without descriptions (`description` is `None`).
    async fn tasks(
        &mut self,
        scope: &Scope,
        project: ProjectId,
        filter: &TaskFilter,
        page: &PageRequest,
    ) -> Result<Page<Task>>;

    /// How many prerequisites of these tasks are not finished, those outside the scope included, as far as the scope sees
    /// the tasks themselves; in no order, in one statement. Tasks without any are left out.
    async fn open_prerequisites(&mut self, scope: &Scope, tasks: &[TaskId]) -> Result<Vec<(TaskId, u32)>>;

    /// Which tasks of a project wait for which others of it, if the scope sees it: those first whose waiting task is not
    /// finished, then the latest made; at most `limit`, in one statement. `proposal` takes those alone whose waiting task
    /// came from it.
    async fn dependencies(
        &mut self,
        scope: &Scope,
        project: ProjectId,
        proposal: Option<ProposalId>,
        limit: u32,
    ) -> Result<Vec<Edge>>;
}

/// A task with its criteria and what stands around it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskDetail {
    /// The task.
    pub task: Task,
    /// Its criteria, in order.
    pub criteria: Vec<Criterion>,
    /// What is attached to it, oldest first.
    pub references: Vec<Reference>,
    /// Its prerequisites.
    pub depends_on: Related,
    /// The tasks that wait for it.
    pub depended_by: Related,
    /// How many comments it has.
    pub comments: u64,
}

/// Tasks beside one: those in the scope by name, the others only counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Related {
    /// In the scope, oldest first.
    pub visible: Vec<TaskRef>,
    /// Outside it.
    pub hidden: u32,
    /// Of those, not finished.
    pub hidden_open: u32,
}

impl Related {
    /// Those in the scope that are not finished.
    pub fn open(&self) -> impl Iterator<Item = &TaskRef> {
        self.visible.iter().filter(|task| !task.status.is_finished())
    }

    /// How many are not finished, hidden ones too.
    pub fn open_count(&self) -> usize {
        self.open().count() + self.hidden_open as usize
    }
}

/// Which tasks of a project are wanted; empty lists and `None` mean any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// In one of these statuses.
    pub statuses: Vec<TaskStatus>,
    /// Of this priority.
    pub priority: Option<Priority>,
    /// From one of these proposals.
    pub proposals: Vec<ProposalId>,
    /// Held by this one.
    pub assignee: Option<Party>,
    /// Only without unfinished prerequisites, those outside the scope included.
    pub unblocked: Option<Unblocked>,
}

/// Only tasks without unfinished prerequisites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unblocked;

/// Comments.
#[async_trait]
pub trait Comments: Send {
    /// The comments of an idea, proposal, document or task. Other kinds have none to list: a group's log is protected
    /// (data model specification §2).
    async fn comments(
        &mut self,
        scope: &Scope,
        target: Kind,
        id: Uuid,
        order: Order,
        page: &PageRequest,
    ) -> Result<Page<Comment>>;
}

/// References to evidence.
#[async_trait]
pub trait References: Send {
    /// The references of an idea, proposal or task, oldest first. Other kinds have none.
    async fn references(&mut self, scope: &Scope, target: Kind, id: Uuid) -> Result<Vec<Reference>>;

    /// One reference.
    async fn reference(&mut self, scope: &Scope, id: ReferenceId) -> Result<Option<Reference>>;
}

/// Which end of a list comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The oldest.
    #[default]
    Oldest,
    /// The newest.
    Newest,
}

/// Activity streams.
#[async_trait]
pub trait Activities: Send {
    /// A project's activities, newest first.
    async fn activities(&mut self, scope: &Scope, project: ProjectId, page: &PageRequest) -> Result<Page<Activity>>;

    /// The activities about one thing, in all projects of the scope where it was, newest first.
    async fn activities_about(
        &mut self,
        scope: &Scope,
        target: Kind,
        id: Uuid,
        page: &PageRequest,
    ) -> Result<Page<Activity>>;
}

/// What somebody has to do.
#[async_trait]
pub trait Trackers: Send {
    /// Ideas held by one of these, latest updated first, at most `limit` behind a place. Ideas that derive `done` by
    /// themselves are left out; themes never are, since theirs depends on what is below them.
    async fn tracked_ideas(
        &mut self,
        scope: &Scope,
        holders: &[Party],
        after: Option<Position>,
        limit: u32,
    ) -> Result<Vec<Row<TrackedIdea>>>;

    /// Unfinished tasks held by one of these: high, medium, low; most recently assigned first; at most `limit` behind
    /// a place.
    async fn tracked_tasks(
        &mut self,
        scope: &Scope,
        holders: &[Party],
        after: Option<Position>,
        limit: u32,
    ) -> Result<Vec<Row<TrackedTask>>>;
}

/// An idea of a tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedIdea {
    /// The idea, without its content, and its facts.
    pub summary: IdeaSummary,
    /// What its project is called.
    pub project_name: String,
}

/// A task of a tracker.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackedTask {
    /// The task, without its description.
    pub task: Task,
    /// What its project is called.
    pub project_name: String,
    /// Criteria that a reviewer marked as passed.
    pub criteria_passed: u32,
    /// All criteria.
    pub criteria_total: u32,
}

/// Groups of projects, and what their visible projects add up to.
#[async_trait]
pub trait Groups: Send {
    /// The groups that may be discovered, oldest first.
    async fn groups(&mut self, scope: &Scope, page: &PageRequest) -> Result<Page<GroupSummary>>;

    /// A group that may be discovered.
    async fn group(&mut self, scope: &Scope, id: GroupId) -> Result<Option<Group>>;

    /// How many visible projects are in no group.
    async fn ungrouped_projects(&mut self, scope: &Scope) -> Result<u64>;

    /// The visible projects of a group, latest updated first, at most `limit`.
    async fn grouped_projects(&mut self, scope: &Scope, group: GroupId, limit: u32) -> Result<Vec<GroupedProject>>;

    /// What the visible projects of a group add up to, in one statement.
    async fn group_totals(&mut self, scope: &Scope, group: GroupId) -> Result<GroupTotals>;

    /// The newest activities of a group's visible projects with the names of these, at most `limit`.
    async fn group_activities(&mut self, scope: &Scope, group: GroupId, limit: u32) -> Result<Vec<(Activity, String)>>;
}

/// A group in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSummary {
    /// The group.
    pub group: Group,
    /// How many visible projects are in it.
    pub projects: u64,
}

/// A project of a group with how far its tasks are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupedProject {
    /// The project.
    pub project: Project,
    /// All its tasks.
    pub tasks: u64,
    /// Those that are done or closed.
    pub finished_tasks: u64,
}

/// What the visible projects of a group add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupTotals {
    /// The projects.
    pub projects: u64,
    /// Their tasks.
    pub tasks: u64,
    /// Those that are done or closed.
    pub finished_tasks: u64,
    /// Ideas that are open or being elaborated.
    pub open_ideas: u64,
    /// Proposals in draft or waiting for review.
    pub active_proposals: u64,
}
