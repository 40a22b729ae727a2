//! Facts without a scope. Whoever uses these two traits answers for what becomes of the facts.

use async_trait::async_trait;
use chorus_domain::{
    Kind, Party,
    access::Located,
    identity::{Agent, ApiKey, Company, User},
    membership::Person,
    notification::{Preference, Recipient},
    project::{Group, GroupMember, Project, ProjectMember},
    task::{Dependant, Edge, Task},
};
use chorus_ids::{AgentId, CompanyId, GroupId, KeyId, ProjectId, TaskId, Timestamp, UserId, Uuid};
use chorus_visibility::{GroupFacts, Principal};

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

    /// What an agent is told about itself.
    async fn profile(&mut self, agent: AgentId) -> Result<Option<AgentProfile>>;

    /// The people of a company, oldest first: the first is its first user.
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

    /// The unfinished tasks of these projects that unfinished tasks of other projects wait for, without descriptions,
    /// in no order.
    async fn awaited_elsewhere(&mut self, projects: &[ProjectId]) -> Result<Vec<Task>>;
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

/// What authentication loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The key that was presented; `None` when the agent was loaded without one.
    pub key: Option<ApiKey>,
    /// The agent.
    pub agent: Agent,
    /// The earliest user of the agent's company, then the lowest id.
    pub first_user: Option<UserId>,
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

    /// The company's projects, oldest first.
    async fn all_projects(&mut self, company: CompanyId) -> Result<Vec<Project>>;

    /// The company's groups, oldest first.
    async fn all_groups(&mut self, company: CompanyId) -> Result<Vec<Group>>;

    /// The company's keys, of one agent or of all, revoked ones too, oldest first.
    async fn keys(&mut self, company: CompanyId, agent: Option<AgentId>) -> Result<Vec<KeyRow>>;

    /// Notes that a key was used, at most once a minute: a later note within the minute writes nothing, nor does one
    /// for a key that is gone.
    async fn note_key_use(&mut self, key: KeyId, at: Timestamp) -> Result<()>;

    /// Forgets remembered answers from before this moment, at most `limit`; says how many.
    async fn forget_answers(&mut self, before: Timestamp, limit: u32) -> Result<u64>;
}

/// A key with the name of its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// The key.
    pub key: ApiKey,
    /// What its agent is called.
    pub agent_name: String,
}
