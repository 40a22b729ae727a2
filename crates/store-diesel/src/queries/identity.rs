//! Tenants, people, agents and their keys.

use chorus_domain::identity::{Agent, ApiKey, Company, User};
use chorus_ids::{AgentId, CompanyId, KeyId, Timestamp, UserId};
use chorus_store::Result;
use diesel::prelude::*;
use serde_json::Value;

use super::{Conn, Db, run::execute};
use crate::{
    fragment::fixed,
    schema::{agent, api_key, app_user, company},
    stored::{from_json, to_json},
    types::Val,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = company, check_for_backend(Db))]
pub(super) struct CompanyRow {
    id: CompanyId,
    name: String,
    created_at: Timestamp,
}

impl CompanyRow {
    pub(super) fn read(self) -> Company {
        Company { id: self.id, name: self.name, created_at: self.created_at }
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = app_user, check_for_backend(Db))]
pub(super) struct UserRow {
    id: UserId,
    company_id: CompanyId,
    email: Option<String>,
    name: Option<String>,
    password_hash: Option<String>,
    suspended_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl UserRow {
    pub(super) fn read(self) -> User {
        User {
            id: self.id,
            company: self.company_id,
            email: self.email,
            name: self.name,
            password_hash: self.password_hash,
            suspended_at: self.suspended_at,
            created_at: self.created_at,
        }
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = agent, check_for_backend(Db))]
pub(super) struct AgentRow {
    id: AgentId,
    company_id: CompanyId,
    name: String,
    roles: Value,
    permissions: Value,
    persona: Option<String>,
    system_prompt: Option<String>,
    owner_id: Option<UserId>,
    last_active_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl AgentRow {
    pub(super) fn read(self) -> Result<Agent> {
        Ok(Agent {
            id: self.id,
            company: self.company_id,
            name: self.name,
            roles: from_json(self.roles)?,
            permissions: from_json(self.permissions)?,
            persona: self.persona,
            system_prompt: self.system_prompt,
            owner: self.owner_id,
            last_active_at: self.last_active_at,
            created_at: self.created_at,
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = api_key, check_for_backend(Db))]
pub(super) struct KeyRow {
    id: KeyId,
    company_id: CompanyId,
    agent_id: AgentId,
    key_hash: String,
    key_prefix: String,
    name: Option<String>,
    last_used_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl KeyRow {
    pub(super) fn read(self) -> ApiKey {
        ApiKey {
            id: self.id,
            company: self.company_id,
            agent: self.agent_id,
            hash: self.key_hash,
            prefix: self.key_prefix,
            name: self.name,
            last_used: self.last_used_at,
            expires_at: self.expires_at,
            revoked_at: self.revoked_at,
            created_at: self.created_at,
        }
    }
}

/// An address as it is compared: without case.
pub(super) fn email_key(email: &str) -> String {
    email.to_lowercase()
}

/// A name as it is searched and sorted: without case.
pub(super) fn name_key(name: &str) -> String {
    name.to_lowercase()
}

/// Stores a new company.
pub(super) async fn insert_company(conn: &mut Conn, new: &Company) -> QueryResult<usize> {
    let statement = diesel::insert_into(company::table).values((
        company::id.eq(Val(new.id)),
        company::name.eq(&new.name),
        company::created_at.eq(Val(new.created_at)),
    ));
    execute(conn, statement).await
}

/// Stores a new user.
pub(super) async fn insert_user(conn: &mut Conn, new: &User) -> QueryResult<usize> {
    let statement = diesel::insert_into(app_user::table).values((
        app_user::id.eq(Val(new.id)),
        app_user::company_id.eq(Val(new.company)),
        app_user::email.eq(&new.email),
        app_user::email_key.eq(new.email.as_deref().map(email_key)),
        app_user::name.eq(&new.name),
        app_user::name_key.eq(name_key(new.display_name())),
        app_user::password_hash.eq(&new.password_hash),
        app_user::suspended_at.eq(new.suspended_at.map(Val)),
        app_user::created_at.eq(Val(new.created_at)),
    ));
    execute(conn, statement).await
}

/// Sets a user's password hash.
pub(super) async fn set_password(conn: &mut Conn, user: UserId, hash: &str) -> QueryResult<usize> {
    execute(conn, fixed(diesel::update(app_user::table.find(Val(user))).set(app_user::password_hash.eq(Some(hash)))))
        .await
}

/// Stores a new agent.
pub(super) async fn insert_agent(conn: &mut Conn, new: &Agent) -> QueryResult<usize> {
    let statement = diesel::insert_into(agent::table).values((
        agent::id.eq(Val(new.id)),
        agent::company_id.eq(Val(new.company)),
        agent::name.eq(&new.name),
        agent::name_key.eq(name_key(&new.name)),
        agent::roles.eq(Val(to_json(&new.roles)?)),
        agent::permissions.eq(Val(to_json(&new.permissions)?)),
        agent::persona.eq(&new.persona),
        agent::system_prompt.eq(&new.system_prompt),
        agent::owner_id.eq(new.owner.map(Val)),
        agent::last_active_at.eq(new.last_active_at.map(Val)),
        agent::created_at.eq(Val(new.created_at)),
    ));
    execute(conn, statement).await
}

/// Replaces an agent's row, but for when it was made and when it last checked in.
pub(super) async fn save_agent(conn: &mut Conn, new: &Agent) -> QueryResult<usize> {
    let statement = diesel::update(agent::table.find(Val(new.id))).set((
        agent::name.eq(&new.name),
        agent::name_key.eq(name_key(&new.name)),
        agent::roles.eq(Val(to_json(&new.roles)?)),
        agent::permissions.eq(Val(to_json(&new.permissions)?)),
        agent::persona.eq(&new.persona),
        agent::system_prompt.eq(&new.system_prompt),
        agent::owner_id.eq(new.owner.map(Val)),
    ));
    execute(conn, fixed(statement)).await
}

/// Notes that an agent has checked in.
pub(super) async fn touch_agent(conn: &mut Conn, agent: AgentId, at: Timestamp) -> QueryResult<usize> {
    execute(conn, fixed(diesel::update(agent::table.find(Val(agent))).set(agent::last_active_at.eq(Some(Val(at))))))
        .await
}

/// Stores a new key.
pub(super) async fn insert_key(conn: &mut Conn, new: &ApiKey) -> QueryResult<usize> {
    let statement = diesel::insert_into(api_key::table).values((
        api_key::id.eq(Val(new.id)),
        api_key::company_id.eq(Val(new.company)),
        api_key::agent_id.eq(Val(new.agent)),
        api_key::key_hash.eq(&new.hash),
        api_key::key_prefix.eq(&new.prefix),
        api_key::name.eq(&new.name),
        api_key::last_used_at.eq(new.last_used.map(Val)),
        api_key::expires_at.eq(new.expires_at.map(Val)),
        api_key::revoked_at.eq(new.revoked_at.map(Val)),
        api_key::created_at.eq(Val(new.created_at)),
    ));
    execute(conn, statement).await
}

/// Ends a key; one that was revoked before keeps its time.
pub(super) async fn revoke_key(conn: &mut Conn, key: KeyId, at: Timestamp) -> QueryResult<usize> {
    let statement = diesel::update(api_key::table.find(Val(key)).filter(api_key::revoked_at.is_null()))
        .set(api_key::revoked_at.eq(Some(Val(at))));
    execute(conn, fixed(statement)).await
}
