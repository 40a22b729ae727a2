//! Facts without a scope, those about signing in apart. Whoever uses these two traits answers for what becomes of the facts.

use async_trait::async_trait;
use chorus_domain::{
    Kind, Party,
    access::Located,
    idea::Following,
    identity::{Agent, ApiKey, Company, User},
    membership::Person,
    notification::{Preference, Recipient, damping::Exchange},
    project::{Group, GroupMember, Project, ProjectMember},
    removal::{Absent, Holdings, Stake},
    task::{Dependant, Edge, Task},
};
use chorus_ids::{
    AgentId, CompanyId, GroupId, IdeaId, KeyId, ProjectId, ProposalId, SessionId, TaskId, Timestamp, UserId, Uuid,
};
use chorus_visibility::{GroupFacts, Level, Principal};

use crate::Result;

/// What deciding, addressing and authenticating need to know regardless of who asks.
#[async_trait]
pub trait Directory: Send {
    /// The key with this hash, its agent, its owner and the company's first user, in one statement.
    async fn credential(&mut self, hash: &str) -> Result<Option<Credential>>;

    /// The caller's data of an agent, for a call that runs without its key. `None` when the agent is gone.
    async fn agent_credential(&mut self, agent: AgentId) -> Result<Option<Credential>>;

    /// Where these things are, with the principal's roles there, in one statement, in no order. What does not exist is
    /// left out, and so is what has no place in a project; a group is located only through [`Directory::group`]. Things
    /// of another company may be located: their facts name it.
    async fn locate(&mut self, principal: &Principal, things: &[(Kind, Uuid)]) -> Result<Vec<Located>>;

    /// A group of the principal's company, as the principal stands to it. `None` when missing; whether it may be
    /// seen is for the visibility rules to say.
    async fn group(&mut self, principal: &Principal, group: GroupId) -> Result<Option<GroupView>>;

    /// The stored inputs of these proposals, kind and id, in no order; those that are gone too.
    async fn proposal_inputs(&mut self, proposals: &[Uuid]) -> Result<Vec<(Kind, Uuid)>>;

    /// What these references are attached to, kind and id, in no order; also where that is gone.
    async fn reference_targets(&mut self, references: &[Uuid]) -> Result<Vec<(Kind, Uuid)>>;

    /// Whom these recipients stand for, of those who may see the project: each recipient with each of its parties,
    /// with what the party muted, each pair once, in no order. The number of statements does not grow with the
    /// recipients.
    ///
    /// An agent sees what its owner sees, one without owner what is public. Administrators are those of the project and
    /// those of its group, by membership or automatically (visibility specification §3.4).
    async fn audience(&mut self, project: ProjectId, recipients: &[Recipient]) -> Result<Vec<(Recipient, Addressee)>>;

    /// Every unfinished task that waits for one of these, in no order; once for each of them that it waits for.
    async fn dependants(&mut self, tasks: &[TaskId]) -> Result<Vec<Dependant>>;

    /// Every edge that can be reached from these tasks by going from task to prerequisite, each once, in no order. Ends
    /// even if stored edges go round in a circle.
    async fn edges_below(&mut self, tasks: &[TaskId]) -> Result<Vec<Edge>>;

    /// The level of a user or agent in a project; `None` for one that the project's company does not have.
    async fn level_of(&mut self, project: ProjectId, party: Party) -> Result<Option<Level>>;

    /// The ids of a proposal's tasks, in no order.
    async fn task_ids_of(&mut self, proposal: ProposalId) -> Result<Vec<TaskId>>;

    /// How much follows an idea of this project that moves.
    async fn following(&mut self, idea: IdeaId, project: ProjectId) -> Result<Following>;

    /// How much hangs on a thing.
    async fn hanging(&mut self, kind: Kind, id: Uuid) -> Result<Hanging>;

    /// What these users and agents have: what they hold, by kind and id, where sessions are, and how many keys and
    /// sessions. The number of statements does not grow with them.
    async fn holdings(&mut self, parties: &[Party], within: Reach<'_>) -> Result<Holdings>;

    /// Who holds an unfinished task or an idea in these projects, or has a session at a task, each once for a project, in
    /// one statement and no order. Tasks that wait for verification are not looked at: their holder is done with them.
    async fn stakes(&mut self, projects: &[ProjectId]) -> Result<Vec<Stake>>;

    /// Those of these users and agents of a company who are suspended or were removed, in one statement and no order.
    async fn absent(&mut self, company: CompanyId, parties: &[Party]) -> Result<Vec<Absent>>;

    /// A user, whatever their company; suspended or not.
    async fn user(&mut self, user: UserId) -> Result<Option<User>>;

    /// The agents of a user, oldest first.
    async fn agents_of(&mut self, user: UserId) -> Result<Vec<Agent>>;

    /// The keys of an agent that were not revoked, newest first.
    async fn keys_of(&mut self, agent: AgentId) -> Result<Vec<ApiKey>>;

    /// The roles of a user in projects and groups, by id; those that are kept apart while they are suspended, if they
    /// are.
    async fn memberships(&mut self, user: UserId) -> Result<Memberships>;

    /// The people of a company who are not suspended, oldest first: the first is its first user.
    async fn people(&mut self, company: CompanyId) -> Result<Vec<Person>>;

    /// The company's groups among these, in no order.
    async fn groups_by_id(&mut self, company: CompanyId, ids: &[GroupId]) -> Result<Vec<Group>>;

    /// The company's projects among these, in no order.
    async fn projects_by_id(&mut self, company: CompanyId, ids: &[ProjectId]) -> Result<Vec<Project>>;

    /// Every project in a group, whoever may see it, by id.
    async fn projects_in(&mut self, group: GroupId) -> Result<Vec<Project>>;

    /// The explicit members of these groups, oldest first.
    async fn group_members(&mut self, groups: &[GroupId]) -> Result<Vec<GroupMember>>;

    /// The members of these projects by themselves, oldest first.
    async fn project_members(&mut self, projects: &[ProjectId]) -> Result<Vec<ProjectMember>>;

    /// What is in these projects, in one statement.
    async fn contents(&mut self, projects: &[ProjectId]) -> Result<Contents>;

    /// Who holds unfinished tasks and ideas in these projects, and how many in each, in one statement and no order.
    async fn holders_in(&mut self, projects: &[ProjectId]) -> Result<Vec<(ProjectId, Party, u64)>>;

    /// The unfinished tasks of these projects that unfinished tasks of other projects wait for, without descriptions,
    /// in no order.
    async fn awaited_elsewhere(&mut self, projects: &[ProjectId]) -> Result<Vec<Task>>;

    /// What an agent is told about itself; `since` says which of its sessions count.
    async fn profile(&mut self, agent: AgentId, since: Timestamp) -> Result<Option<AgentProfile>>;

    /// The tasks at which a session of this agent is, with their projects, in no order. Nothing for somebody else's.
    async fn tasks_of_session(&mut self, agent: AgentId, session: SessionId) -> Result<Vec<(TaskId, ProjectId)>>;

    /// How often this agent and each of the others have mentioned each other about this thing since then, in one
    /// statement; those who have not are left out.
    async fn exchanges(
        &mut self,
        agent: AgentId,
        others: &[AgentId],
        about: (Kind, Uuid),
        since: Timestamp,
    ) -> Result<Vec<(AgentId, Exchange)>>;
}

/// What is in some projects and goes with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Ideas.
    pub ideas: u64,
    /// Proposals.
    pub proposals: u64,
    /// Documents.
    pub documents: u64,
    /// Tasks.
    pub tasks: u64,
    /// Unfinished tasks and ideas that somebody holds.
    pub claims: u64,
    /// Comments.
    pub comments: u64,
    /// References.
    pub references: u64,
    /// Notifications, read or not.
    pub notifications: u64,
}

/// Where holdings are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach<'p> {
    /// Everywhere.
    Everywhere,
    /// In these projects; keys and sessions are in none, and not counted.
    Projects(&'p [ProjectId]),
}

/// A person's roles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memberships {
    /// In projects by themselves.
    pub projects: Vec<ProjectMember>,
    /// In groups.
    pub groups: Vec<GroupMember>,
}

/// What authentication loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The key that was presented; `None` when the agent was loaded without one.
    pub key: Option<ApiKey>,
    /// The agent.
    pub agent: Agent,
    /// Since when the agent's owner is suspended; the agent is not let in then.
    pub owner_suspended: Option<Timestamp>,
    /// The earliest user of the agent's company who is not suspended, then the lowest id.
    pub first_user: Option<UserId>,
}

/// How much hangs on an idea, a task or a document; what its kind can't have is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hanging {
    /// Comments on it.
    pub comments: u64,
    /// Mentions in it and in its comments.
    pub mentions: u64,
    /// References to external evidence.
    pub references: u64,
    /// Rounds of questions about it.
    pub rounds: u64,
    /// Acceptance criteria.
    pub criteria: u64,
    /// Dependencies, on both sides.
    pub dependencies: u64,
    /// Check-ins of sessions, past ones too.
    pub checkins: u64,
    /// Past versions.
    pub versions: u64,
    /// Entries of the activity stream about it, which stay when it goes.
    pub activities: u64,
}

/// A group as a principal stands to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupView {
    /// Visibility, explicit role, whether there is an explicit administrator.
    pub facts: GroupFacts,
    /// What it is called.
    pub name: String,
    /// Whether the principal sees at least one project in it.
    pub sees_child: bool,
}

/// Somebody who is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressee {
    /// Who.
    pub party: Party,
    /// What they turned off.
    pub muted: Vec<Preference>,
}

/// What an agent is told about itself at check-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentProfile {
    /// The agent.
    pub agent: Agent,
    /// Its owner.
    pub owner: Option<User>,
    /// How many of its sessions are active and did something lately.
    pub active_sessions: u64,
}

/// What the operator's command line and housekeeping need.
///
/// Two methods write; they need a unit, and its commit. A connection of [`Store::read`](crate::Store::read) only reads.
#[async_trait]
pub trait Operator: Send {
    /// All companies, oldest first.
    async fn companies(&mut self) -> Result<Vec<Company>>;

    /// The user with this e-mail in the company, compared without case.
    async fn user_by_email(&mut self, company: CompanyId, email: &str) -> Result<Option<User>>;

    /// The company's users, oldest first.
    async fn users(&mut self, company: CompanyId) -> Result<Vec<User>>;

    /// The company's agents with their owners' e-mails, oldest first.
    async fn agents(&mut self, company: CompanyId) -> Result<Vec<(Agent, Option<String>)>>;

    /// The company's agents of this id or name with their owners' e-mails, oldest first: one, unless a name is borne by
    /// several.
    async fn agents_called(&mut self, company: CompanyId, id_or_name: &str) -> Result<Vec<(Agent, Option<String>)>>;

    /// The company's projects of this id or name, oldest first.
    async fn projects_called(&mut self, company: CompanyId, id_or_name: &str) -> Result<Vec<Project>>;

    /// The company's groups of this id or name, oldest first.
    async fn groups_called(&mut self, company: CompanyId, id_or_name: &str) -> Result<Vec<Group>>;

    /// A key of the company, revoked or not.
    async fn key(&mut self, company: CompanyId, key: KeyId) -> Result<Option<ApiKey>>;

    /// The company's projects, oldest first.
    async fn all_projects(&mut self, company: CompanyId) -> Result<Vec<Project>>;

    /// The company's groups, oldest first.
    async fn all_groups(&mut self, company: CompanyId) -> Result<Vec<Group>>;

    /// The company's keys, of one agent or of all, revoked ones too, oldest first.
    async fn keys(&mut self, company: CompanyId, agent: Option<AgentId>) -> Result<Vec<KeyRow>>;

    /// What rows say that can't be true together, at most `limit` for each rule, and in no order; empty for a sound
    /// database. Reads all of it.
    async fn contradictions(&mut self, limit: u32) -> Result<Vec<Contradiction>>;

    /// Notes that a key was used, at most once a minute: a later note within the minute writes nothing, nor does one
    /// for a key that is gone.
    async fn note_key_use(&mut self, key: KeyId, at: Timestamp) -> Result<()>;

    /// Forgets remembered answers from before this moment, at most `limit`; says how many.
    async fn forget_answers(&mut self, before: Timestamp, limit: u32) -> Result<u64>;
}

/// A rule that stored rows break.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contradiction {
    /// What should hold, a sentence without its end.
    pub rule: &'static str,
    /// What kind of row breaks it.
    pub kind: String,
    /// Which one.
    pub id: Uuid,
}

/// A key with the name of its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// The key.
    pub key: ApiKey,
    /// What its agent is called.
    pub agent_name: String,
}
