//! What the operator's command line and housekeeping need.

use async_trait::async_trait;
use chorus_domain::{
    identity::{Agent, ApiKey, Company, User},
    project::{Group, Project},
};
use chorus_ids::{AgentId, CompanyId, GroupId, KeyId, ProjectId, Timestamp};
use chorus_store::{Contradiction, KeyRow, Operator, Result};
use diesel::prelude::*;

use super::{
    Db,
    check::contradictions,
    columns::columns,
    group::GroupRow,
    idempotency::forget_answers,
    identity::{self, AgentRow, CompanyRow, UserRow, email_key},
    project::ProjectRow,
    run::execute,
    unit::Unit,
};
use crate::{
    fragment::fixed,
    schema::{agent, api_key, app_user, company, project, project_group},
    types::Val,
};

/// How long a note of a key's use keeps others away, in microseconds.
const MINUTE: i64 = 60_000_000;

#[async_trait]
impl Operator for Unit {
    async fn companies(&mut self) -> Result<Vec<Company>> {
        let companies = company::table.order((company::created_at, company::id)).select(columns::<CompanyRow>());
        Ok(self.rows(companies).await?.into_iter().map(CompanyRow::read).collect())
    }

    async fn user_by_email(&mut self, company: CompanyId, email: &str) -> Result<Option<User>> {
        let found = app_user::table
            .filter(app_user::company_id.eq(Val(company)))
            .filter(app_user::email_key.eq(email_key(email)))
            .select(columns::<UserRow>());
        Ok(self.row(found).await?.map(UserRow::read))
    }

    async fn users(&mut self, company: CompanyId) -> Result<Vec<User>> {
        let users = app_user::table
            .filter(app_user::company_id.eq(Val(company)))
            .order((app_user::created_at, app_user::id))
            .select(columns::<UserRow>());
        Ok(self.rows(users).await?.into_iter().map(UserRow::read).collect())
    }

    async fn agents(&mut self, company: CompanyId) -> Result<Vec<(Agent, Option<String>)>> {
        let agents = agent::table
            .left_join(app_user::table)
            .filter(agent::company_id.eq(Val(company)))
            .order((agent::created_at, agent::id))
            .select((columns::<AgentRow>(), app_user::email.nullable()));
        self.rows(agents).await?.into_iter().map(|(row, email): (AgentRow, _)| Ok((row.read()?, email))).collect()
    }

    async fn agents_called(&mut self, company: CompanyId, id_or_name: &str) -> Result<Vec<(Agent, Option<String>)>> {
        let agents = agent::table
            .left_join(app_user::table)
            .filter(agent::company_id.eq(Val(company)))
            .order((agent::created_at, agent::id))
            .select((columns::<AgentRow>(), app_user::email.nullable()))
            .into_boxed::<Db>();
        let agents = match id_or_name.parse::<AgentId>() {
            Ok(id) => agents.filter(agent::id.eq(Val(id)).or(agent::name.eq(id_or_name))),
            Err(_) => agents.filter(agent::name.eq(id_or_name)),
        };
        self.rows(agents).await?.into_iter().map(|(row, email): (AgentRow, _)| Ok((row.read()?, email))).collect()
    }

    async fn projects_called(&mut self, company: CompanyId, id_or_name: &str) -> Result<Vec<Project>> {
        let projects = project::table
            .filter(project::company_id.eq(Val(company)))
            .order((project::created_at, project::id))
            .select(columns::<ProjectRow>())
            .into_boxed::<Db>();
        let projects = match id_or_name.parse::<ProjectId>() {
            Ok(id) => projects.filter(project::id.eq(Val(id)).or(project::name.eq(id_or_name))),
            Err(_) => projects.filter(project::name.eq(id_or_name)),
        };
        self.rows(projects).await?.into_iter().map(ProjectRow::read).collect()
    }

    async fn groups_called(&mut self, company: CompanyId, id_or_name: &str) -> Result<Vec<Group>> {
        let groups = project_group::table
            .filter(project_group::company_id.eq(Val(company)))
            .order((project_group::created_at, project_group::id))
            .select(columns::<GroupRow>())
            .into_boxed::<Db>();
        let groups = match id_or_name.parse::<GroupId>() {
            Ok(id) => groups.filter(project_group::id.eq(Val(id)).or(project_group::name.eq(id_or_name))),
            Err(_) => groups.filter(project_group::name.eq(id_or_name)),
        };
        self.rows(groups).await?.into_iter().map(GroupRow::read).collect()
    }

    async fn key(&mut self, company: CompanyId, key: KeyId) -> Result<Option<ApiKey>> {
        let found = api_key::table
            .filter(api_key::id.eq(Val(key)))
            .filter(api_key::company_id.eq(Val(company)))
            .select(columns::<identity::KeyRow>());
        Ok(self.row(found).await?.map(identity::KeyRow::read))
    }

    async fn all_projects(&mut self, company: CompanyId) -> Result<Vec<Project>> {
        let projects = project::table
            .filter(project::company_id.eq(Val(company)))
            .order((project::created_at, project::id))
            .select(columns::<ProjectRow>());
        self.rows(projects).await?.into_iter().map(ProjectRow::read).collect()
    }

    async fn all_groups(&mut self, company: CompanyId) -> Result<Vec<Group>> {
        let groups = project_group::table
            .filter(project_group::company_id.eq(Val(company)))
            .order((project_group::created_at, project_group::id))
            .select(columns::<GroupRow>());
        self.rows(groups).await?.into_iter().map(GroupRow::read).collect()
    }

    async fn keys(&mut self, company: CompanyId, agent: Option<AgentId>) -> Result<Vec<KeyRow>> {
        let mut list =
            api_key::table.inner_join(agent::table).filter(api_key::company_id.eq(Val(company))).into_boxed::<Db>();
        if let Some(agent) = agent {
            list = list.filter(api_key::agent_id.eq(Val(agent)));
        }
        let list = list.order((api_key::created_at, api_key::id)).select((columns::<identity::KeyRow>(), agent::name));
        let keys: Vec<(identity::KeyRow, String)> = self.rows(list).await?;
        Ok(keys.into_iter().map(|(row, agent_name)| KeyRow { key: row.read(), agent_name }).collect())
    }

    async fn contradictions(&mut self, limit: u32) -> Result<Vec<Contradiction>> {
        contradictions(self, limit).await
    }

    async fn note_key_use(&mut self, key: KeyId, at: Timestamp) -> Result<()> {
        let stale = api_key::last_used_at.is_null().or(api_key::last_used_at.le(Some(Val(at.plus_micros(-MINUTE)))));
        let note = diesel::update(api_key::table.find(Val(key)).filter(stale.assume_not_null()))
            .set(api_key::last_used_at.eq(Some(Val(at))));
        let noted = execute(self.conn(), fixed(note)).await;
        self.checked(noted).map(drop)
    }

    async fn forget_answers(&mut self, before: Timestamp, limit: u32) -> Result<u64> {
        let forgotten = forget_answers(self.conn(), before, limit).await;
        self.checked(forgotten).map(|rows| rows as u64)
    }
}
