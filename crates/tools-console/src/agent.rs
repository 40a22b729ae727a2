//! A person's own agents and their keys (permissions specification §5 and §8).
//!
//! The key itself never comes here: whoever makes one passes its hash, so that neither the remembered answer of an
//! idempotency key nor the audit log can hold a secret.

use async_trait::async_trait;
use chorus_app::{
    Call,
    agent::{Removed, manage},
};
use chorus_auth::{AgentChange, KeyText, Moment, NewAgent, create_agent, create_key_row, update_agent};
use chorus_dispatch::{Access, At, Expand, Hints, Requirement, Tool, WriteTool, schema, tool::write};
use chorus_domain::{
    Code, Kind, Refusal,
    identity::{Agent, ApiKey},
    refusal::{Problem, Reason},
};
use chorus_ids::{AgentId, KeyId, Timestamp, Uuid};
use chorus_permissions::{Permission, PermissionSet, Preset};
use chorus_store::{Outcome, Result, Tx};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// What a person chooses for what the agent may do.
fn preset(_: &mut SchemaGenerator) -> Schema {
    schema::words(["developer_agent", "pm_agent", "admin_agent", CUSTOM])
}

/// No preset: the permissions alone.
const CUSTOM: &str = "custom";

/// How a choice is stored: a preset by its name, beside it what it does not hold already.
fn stored(preset: &str, permissions: Vec<String>) -> (Vec<String>, Vec<String>) {
    let chosen = Preset::ALL.into_iter().find(|known| known.name() == preset);
    let held = chosen.map_or(PermissionSet::EMPTY, Preset::permissions);
    let is_held = |name: &String| name.parse::<Permission>().is_ok_and(|permission| held.contains(permission));
    let beside = permissions.into_iter().filter(|name| !is_held(name)).collect();
    (chosen.map(|preset| preset.name().to_owned()).into_iter().collect(), beside)
}

/// Adds an agent.
#[derive(Deserialize, JsonSchema)]
struct CreateAgent {
    /// What it is called.
    name: String,
    /// What it may do: a preset, or `custom` for the permissions alone.
    #[schemars(schema_with = "preset")]
    preset: String,
    /// Single permissions such as `task:write`, beside those of the preset.
    permissions: Option<Vec<String>>,
    /// How it should see itself.
    persona: Option<String>,
}

/// An agent as it is now.
#[derive(Serialize, JsonSchema)]
struct AgentView {
    /// Its id.
    #[schemars(with = "Uuid")]
    uuid: AgentId,
    /// What it is called.
    name: String,
}

impl AgentView {
    fn of(agent: Agent) -> Self {
        Self { uuid: agent.id, name: agent.name }
    }
}

#[async_trait]
impl WriteTool for CreateAgent {
    type Output = AgentView;

    async fn run(self, call: &Call, _tx: &mut dyn Tx) -> Result<Outcome<AgentView>> {
        let (presets, permissions) = stored(&self.preset, self.permissions.unwrap_or_default());
        let new = NewAgent { name: self.name, owner: None, presets, permissions };
        let made = create_agent(Moment { now: call.now, ids: call }, call.caller.company, new)?;
        let made = update_agent(made, AgentChange { persona: self.persona, ..AgentChange::default() })?;
        Ok(manage::add(call, made)?.map(AgentView::of))
    }
}

/// Changes an agent.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UpdateAgent {
    /// One of your agents.
    #[schemars(with = "Uuid")]
    agent_uuid: AgentId,
    /// Its new name.
    name: Option<String>,
    /// What it may do from now on: a preset, or `custom` for the permissions alone.
    #[serde(default)]
    #[schemars(schema_with = "preset")]
    preset: Option<String>,
    /// Single permissions that it has from now on, beside those of the preset. They count only with `preset`.
    permissions: Option<Vec<String>>,
    /// How it should see itself from now on; empty for nothing.
    persona: Option<String>,
}

#[async_trait]
impl WriteTool for UpdateAgent {
    type Output = AgentView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<AgentView>> {
        let permissions = self.permissions.unwrap_or_default();
        let (presets, permissions) = self.preset.map(|preset| stored(&preset, permissions)).unzip();
        let change = AgentChange { name: self.name, owner: None, presets, permissions, persona: self.persona };
        let changed = manage::change(call, tx, self.agent_uuid, |agent| update_agent(agent, change)).await?;
        Ok(changed.map(AgentView::of))
    }
}

/// Removes an agent.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeleteAgent {
    /// One of your agents.
    #[schemars(with = "Uuid")]
    agent_uuid: AgentId,
}

/// What went with an agent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Gone {
    /// The agent.
    #[schemars(with = "Uuid")]
    uuid: AgentId,
    /// Unfinished tasks that are free again.
    tasks_released: usize,
    /// Ideas that are free again.
    ideas_released: usize,
    /// Keys that no longer work.
    keys_revoked: u64,
    /// Sessions that ended.
    sessions_closed: u64,
}

impl Gone {
    fn of(removed: Removed) -> Self {
        Self {
            uuid: removed.agent.id,
            tasks_released: removed.parting.tasks.len(),
            ideas_released: removed.parting.ideas.len(),
            keys_revoked: removed.keys,
            sessions_closed: removed.sessions,
        }
    }
}

#[async_trait]
impl WriteTool for DeleteAgent {
    type Output = Gone;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Gone>> {
        Ok(manage::remove_own(call, tx, self.agent_uuid).await?.map(Gone::of))
    }
}

/// Adds a key to an agent.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CreateKey {
    /// One of your agents.
    #[schemars(with = "Uuid")]
    agent_uuid: AgentId,
    /// What is stored of the key: the SHA-256 of its text.
    hash: String,
    /// What is shown of it.
    prefix: String,
    /// What it is called.
    name: Option<String>,
    /// From when on it no longer works.
    #[schemars(with = "Option<String>")]
    expires_at: Option<Timestamp>,
}

/// A key, without the key itself.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct KeyView {
    /// Its id.
    #[schemars(with = "Uuid")]
    uuid: KeyId,
    /// Whose it is.
    #[schemars(with = "Uuid")]
    agent_uuid: AgentId,
    /// What is shown of it.
    prefix: String,
}

impl KeyView {
    fn of(key: ApiKey) -> Self {
        Self { uuid: key.id, agent_uuid: key.agent, prefix: key.prefix }
    }
}

#[async_trait]
impl WriteTool for CreateKey {
    type Output = KeyView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<KeyView>> {
        if self.expires_at.is_some_and(|at| at <= call.now) {
            let past = Problem::new("expiresAt", "is past already").because(Reason::Past);
            return Err(Refusal::problems(vec![past]).into());
        }
        let text = KeyText { hash: self.hash, prefix: self.prefix };
        let (moment, name) = (Moment { now: call.now, ids: call }, self.name);
        let made = manage::add_key(call, tx, self.agent_uuid, |agent| {
            create_key_row(moment, agent, text, name.as_deref(), self.expires_at)
        });
        Ok(made.await?.map(KeyView::of))
    }
}

/// Revokes a key.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RevokeKey {
    /// One of your agents.
    #[schemars(with = "Uuid")]
    agent_uuid: AgentId,
    /// Its key.
    #[schemars(with = "Uuid")]
    key_uuid: KeyId,
}

#[async_trait]
impl WriteTool for RevokeKey {
    type Output = KeyView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<KeyView>> {
        Ok(manage::revoke_key(call, tx, self.agent_uuid, self.key_uuid).await?.map(KeyView::of))
    }
}

/// Why no project is checked.
const OWN: &str = "agents are their owner's own; the handler looks them up under the caller's name";

const AGENT: At = At::own("agentUuid", Kind::Agent);

const NOT_YOURS: (Code, &str) = (Code::NotFound, "the agent is not yours");

/// The rows of this file.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "console_create_agent",
        family: "agent",
        title: "Add an agent",
        description: "Add an agent of yours. It acts with your level in every project and has no key yet.",
        requirement: Requirement::PUBLIC,
        access: Access::company(OWN, &[]),
        hints: Hints::ADDS,
        refuses: &[],
        example: r#"{"name": "builder", "preset": "developer_agent"}"#,
        run: write::<CreateAgent>(),
    },
    Tool {
        name: "console_update_agent",
        family: "agent",
        title: "Change an agent",
        description: "Change name, persona or permissions of your agent. It counts from its next call on.",
        requirement: Requirement::PUBLIC,
        access: Access::company(OWN, &[AGENT]),
        hints: Hints::SETS,
        refuses: &[NOT_YOURS],
        example: r#"{"agentUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000d", "preset": "pm_agent"}"#,
        run: write::<UpdateAgent>(),
    },
    Tool {
        name: "console_delete_agent",
        family: "agent",
        title: "Remove an agent",
        description: "Remove your agent for good, with its keys and sessions. What it has not finished is free again.",
        requirement: Requirement::PUBLIC,
        access: Access::company(
            "agents are their owner's own; what one holds is where its owner edits, and is covered by that",
            &[AGENT, At::Via { path: "agentUuid", expand: Expand::RemovedAgent }],
        ),
        hints: Hints::ENDS,
        refuses: &[NOT_YOURS],
        example: r#"{"agentUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000d"}"#,
        run: write::<DeleteAgent>(),
    },
    Tool {
        name: "console_create_key",
        family: "agent",
        title: "Add a key",
        description: "Add a key to your agent. Whoever makes the key passes what is stored of it, never the key.",
        requirement: Requirement::PUBLIC,
        access: Access::company(OWN, &[AGENT]),
        hints: Hints::ADDS,
        refuses: &[NOT_YOURS],
        example: r#"{
            "agentUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000d",
            "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "prefix": "cho_abcd...wxyz"
        }"#,
        run: write::<CreateKey>(),
    },
    Tool {
        name: "console_revoke_key",
        family: "agent",
        title: "Revoke a key",
        description: "Revoke a key of your agent at once and for good. The agent stays.",
        requirement: Requirement::PUBLIC,
        access: Access::company(
            OWN,
            &[AGENT, At::Part { path: "keyUuid", reason: "keys are looked up among those of the agent" }],
        ),
        hints: Hints::ENDS,
        refuses: &[(Code::NotFound, "the agent is not yours, or the key is not the agent's or revoked already")],
        example: r#"{
            "agentUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000d",
            "keyUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000f"
        }"#,
        run: write::<RevokeKey>(),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(preset: &str, permissions: &[&str], (roles, beside): (&[&str], &[&str])) {
        let given = permissions.iter().map(|name| (*name).to_owned()).collect();
        let (stored_roles, stored_beside) = stored(preset, given);
        assert_eq!(
            (stored_roles, stored_beside),
            (roles.iter().map(|r| (*r).to_owned()).collect(), beside.iter().map(|b| (*b).to_owned()).collect())
        );
    }

    #[test]
    fn what_a_preset_holds_is_not_stored_beside_it() {
        check("developer_agent", &["task:write", "task:admin"], (&["developer_agent"], &["task:admin"]));
        check("admin_agent", &["task:admin"], (&["admin_agent"], &[]));
        check("custom", &["task:write"], (&[], &["task:write"]));
        // What is no permission is left for whoever refuses it.
        check("pm_agent", &["task:*"], (&["pm_agent"], &["task:*"]));
    }
}
