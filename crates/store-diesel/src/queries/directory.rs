//! Facts without a scope.

use async_trait::async_trait;
use chorus_domain::{
    Kind, Party,
    access::Located,
    idea::Following,
    identity::{Agent, ApiKey, User},
    membership::Person,
    notification::{Recipient, damping::Exchange},
    project::{Group, GroupMember, Project, ProjectMember},
    removal::{Absent, Holdings, Stake},
    task::{Dependant, Edge, Task},
};
use chorus_ids::{
    AgentId, CompanyId, GroupId, IdeaId, ProjectId, ProposalId, SessionId, TaskId, Timestamp, UserId, Uuid,
};
use chorus_lifecycle::{proposal::InputType, session::SessionStatus};
use chorus_store::{
    Addressee, AgentProfile, Contents, Credential, Directory, GroupView, Hanging, Memberships, Reach, Result,
};
use chorus_visibility::{Level, Principal};
use diesel::{prelude::*, sql_types::Nullable};

use super::{
    access, audience,
    columns::columns,
    fate,
    identity::{AgentRow, KeyRow, UserRow},
    leaving, notification, project, reference, session, task,
    unit::Unit,
};
use crate::{
    fragment::{Total, constants, fixed, padded},
    locate::{Locate, LocatedRow},
    schema::{agent, agent_session, api_key, app_user, proposal, proposal_input},
    stored::count64,
    types::{Stamp, Uid, Val},
};

constants! {
    /// The first user of the agent's company (visibility specification §3.4).
    FirstUser: Nullable<Uid> =
        "(SELECT fu.id FROM app_user fu WHERE fu.company_id = agent.company_id AND fu.suspended_at IS NULL \
         ORDER BY fu.created_at, fu.id LIMIT 1)";

    /// Since when the agent's owner is suspended.
    OwnerSuspended: Nullable<Stamp> = "(SELECT so.suspended_at FROM app_user so WHERE so.id = agent.owner_id)";
}

#[async_trait]
impl Directory for Unit {
    async fn credential(&mut self, hash: &str) -> Result<Option<Credential>> {
        let found = api_key::table.inner_join(agent::table).filter(api_key::key_hash.eq(hash)).select((
            columns::<KeyRow>(),
            columns::<AgentRow>(),
            OwnerSuspended,
            FirstUser,
        ));
        let found: Option<(KeyRow, AgentRow, Option<Timestamp>, Option<UserId>)> = self.row(found).await?;
        let credential = found.map(|(key, agent, owner_suspended, first_user)| {
            Ok(Credential { key: Some(key.read()), agent: agent.read()?, owner_suspended, first_user })
        });
        credential.transpose()
    }

    async fn agent_credential(&mut self, agent: AgentId) -> Result<Option<Credential>> {
        let found = agent::table.find(Val(agent)).select((columns::<AgentRow>(), OwnerSuspended, FirstUser));
        let found: Option<(AgentRow, Option<Timestamp>, Option<UserId>)> = self.row(found).await?;
        let credential = found.map(|(agent, owner_suspended, first_user)| {
            Ok(Credential { key: None, agent: agent.read()?, owner_suspended, first_user })
        });
        credential.transpose()
    }

    async fn locate(&mut self, principal: &Principal, things: &[(Kind, Uuid)]) -> Result<Vec<Located>> {
        let Some(locate) = Locate::new(principal, things) else { return Ok(Vec::new()) };
        let located: Vec<LocatedRow> = self.rows(locate).await?;
        Ok(located.into_iter().map(Located::from).collect())
    }

    async fn group(&mut self, principal: &Principal, group: GroupId) -> Result<Option<GroupView>> {
        project::group(self, principal, group).await
    }

    async fn proposal_inputs(&mut self, proposals: &[Uuid]) -> Result<Vec<(Kind, Uuid)>> {
        if proposals.is_empty() {
            return Ok(Vec::new());
        }
        let inputs = proposal_input::table
            .inner_join(proposal::table)
            .filter(proposal::id.eq_any(padded(proposals.iter().map(Val))))
            .order((proposal::id, proposal_input::position))
            .select((proposal::input_type, proposal_input::input_id));
        let inputs = self.rows(fixed(inputs)).await?.into_iter().map(|(kind, id)| match kind {
            InputType::Idea => (Kind::Idea, id),
            InputType::Document => (Kind::Document, id),
        });
        Ok(inputs.collect())
    }

    async fn reference_targets(&mut self, references: &[Uuid]) -> Result<Vec<(Kind, Uuid)>> {
        reference::targets(self, references).await
    }

    async fn audience(&mut self, project: ProjectId, recipients: &[Recipient]) -> Result<Vec<(Recipient, Addressee)>> {
        audience::audience(self, project, recipients).await
    }

    async fn dependants(&mut self, tasks: &[TaskId]) -> Result<Vec<Dependant>> {
        task::dependants(self, tasks).await
    }

    async fn edges_below(&mut self, tasks: &[TaskId]) -> Result<Vec<Edge>> {
        task::edges_below(self, tasks).await
    }

    async fn level_of(&mut self, project: ProjectId, party: Party) -> Result<Option<Level>> {
        audience::level_of(self, project, party).await
    }

    async fn task_ids_of(&mut self, proposal: ProposalId) -> Result<Vec<TaskId>> {
        task::task_ids_of(self, proposal).await
    }

    async fn following(&mut self, idea: IdeaId, project: ProjectId) -> Result<Following> {
        fate::following(self, idea, project).await
    }

    async fn hanging(&mut self, kind: Kind, id: Uuid) -> Result<Hanging> {
        fate::hanging(self, kind, id).await
    }

    async fn holdings(&mut self, parties: &[Party], within: Reach<'_>) -> Result<Holdings> {
        leaving::holdings(self, parties, within).await
    }

    async fn stakes(&mut self, projects: &[ProjectId]) -> Result<Vec<Stake>> {
        leaving::stakes(self, projects).await
    }

    async fn absent(&mut self, company: CompanyId, parties: &[Party]) -> Result<Vec<Absent>> {
        leaving::absent(self, company, parties).await
    }

    async fn user(&mut self, user: UserId) -> Result<Option<User>> {
        let found = app_user::table.find(Val(user)).select(columns::<UserRow>());
        Ok(self.row(found).await?.map(UserRow::read))
    }

    async fn agents_of(&mut self, user: UserId) -> Result<Vec<Agent>> {
        leaving::agents_of(self, user).await
    }

    async fn keys_of(&mut self, agent: AgentId) -> Result<Vec<ApiKey>> {
        let keys = api_key::table
            .filter(api_key::agent_id.eq(Val(agent)))
            .filter(api_key::revoked_at.is_null())
            .order((api_key::created_at.desc(), api_key::id.desc()))
            .select(columns::<KeyRow>());
        Ok(self.rows(keys).await?.into_iter().map(KeyRow::read).collect())
    }

    async fn memberships(&mut self, user: UserId) -> Result<Memberships> {
        leaving::memberships(self, user).await
    }

    async fn people(&mut self, company: CompanyId) -> Result<Vec<Person>> {
        access::people(self, company).await
    }

    async fn groups_by_id(&mut self, company: CompanyId, ids: &[GroupId]) -> Result<Vec<Group>> {
        access::groups_by_id(self, company, ids).await
    }

    async fn projects_by_id(&mut self, company: CompanyId, ids: &[ProjectId]) -> Result<Vec<Project>> {
        access::projects_by_id(self, company, ids).await
    }

    async fn projects_in(&mut self, group: GroupId) -> Result<Vec<Project>> {
        access::projects_in(self, group).await
    }

    async fn group_members(&mut self, groups: &[GroupId]) -> Result<Vec<GroupMember>> {
        access::group_members(self, groups).await
    }

    async fn project_members(&mut self, projects: &[ProjectId]) -> Result<Vec<ProjectMember>> {
        access::project_members(self, projects).await
    }

    async fn contents(&mut self, projects: &[ProjectId]) -> Result<Contents> {
        access::contents(self, projects).await
    }

    async fn holders_in(&mut self, projects: &[ProjectId]) -> Result<Vec<(ProjectId, Party, u64)>> {
        access::holders_in(self, projects).await
    }

    async fn awaited_elsewhere(&mut self, projects: &[ProjectId]) -> Result<Vec<Task>> {
        access::awaited_elsewhere(self, projects).await
    }

    async fn profile(&mut self, agent: AgentId, since: Timestamp) -> Result<Option<AgentProfile>> {
        let active = agent_session::table
            .filter(agent_session::agent_id.eq(Val(agent)))
            .filter(agent_session::status.eq(Val(SessionStatus::Active)))
            .filter(agent_session::last_active_at.gt(Val(since)));
        let found = agent::table.find(Val(agent)).left_join(app_user::table).select((
            columns::<AgentRow>(),
            Option::<UserRow>::as_select(),
            Total(active.count()),
        ));
        let found: Option<(AgentRow, Option<UserRow>, i64)> = self.row(found).await?;
        let profile = found.map(|(agent, owner, active)| {
            let owner = owner.map(UserRow::read);
            Ok(AgentProfile { agent: agent.read()?, owner, active_sessions: count64(active) })
        });
        profile.transpose()
    }

    async fn tasks_of_session(&mut self, agent: AgentId, session: SessionId) -> Result<Vec<(TaskId, ProjectId)>> {
        session::tasks_of_session(self, agent, session).await
    }

    async fn exchanges(
        &mut self,
        agent: AgentId,
        others: &[AgentId],
        about: (Kind, Uuid),
        since: Timestamp,
    ) -> Result<Vec<(AgentId, Exchange)>> {
        notification::exchanges(self, agent, others, about, since).await
    }
}
