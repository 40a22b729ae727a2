//! `chorus agent`.

use async_trait::async_trait;
use chorus_auth::{Moment, NewAgent, NewKey, create_agent, create_key};
use chorus_domain::{Code, Kind, Refusal, Write, event::Change, identity::Agent};
use chorus_permissions::{PermissionSet, effective};
use chorus_store::{Result, Tx};
use clap::Subcommand;
use serde::Serialize;

use super::{Decision, FormatArgs, Operation, perform, workspace};
use crate::{database::Place, failure::Failure, output};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add an agent with a key, which is shown this once
    Create {
        /// What it is called
        #[arg(long)]
        name: String,
        /// E-mail address of the person whose access it has; without one it reaches public projects only
        #[arg(long, value_name = "EMAIL")]
        owner: Option<String>,
        /// Preset of permissions, may be given several times: developer_agent, pm_agent or admin_agent
        #[arg(long = "preset", value_name = "PRESET")]
        presets: Vec<String>,
        /// Single permission such as task:write, may be given several times
        #[arg(long = "permission", value_name = "BIT")]
        permissions: Vec<String>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List agents
    List {
        #[command(flatten)]
        format: FormatArgs,
    },
}

pub(crate) async fn run(place: &Place, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create { name, owner, presets, permissions, format } => {
            let services = place.open_migrated().await?;
            let ownerless = owner.is_none();
            let agent = NewAgent { name, owner: None, presets, permissions };
            let created = perform(&services, Create { agent, owner, key: NewKey::generate(&mut rand::rng()) }).await?;
            output::answer(format.format(), &created, || {
                format!(
                    "Added the agent {}, {}.\nPermissions: {}\nIts key, shown this once: {}",
                    created.name,
                    created.agent_uuid,
                    listed(&created.permissions, "none: it has the public tools only"),
                    created.api_key
                )
            })?;
            if ownerless {
                output::note(
                    "Without --owner the agent acts for nobody: it reaches public projects only, and can't make private \
                     ones.",
                );
            }
            Ok(())
        }
        Command::List { format } => list(place, format).await,
    }
}

/// What is said about a new agent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    agent_uuid: String,
    name: String,
    api_key: String,
    permissions: Vec<String>,
}

struct Create {
    agent: NewAgent,
    owner: Option<String>,
    key: NewKey,
}

#[async_trait]
impl Operation for Create {
    const NAME: &'static str = "agent create";
    type Answer = Created;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<Created>> {
        let company = workspace(tx).await?.id;
        let owner = match &self.owner {
            None => None,
            Some(email) => {
                let user = tx.operator().user_by_email(company, email.trim()).await?;
                let nobody = || {
                    let text = format!("There is no user with the e-mail `{email}`. `chorus user create` adds one.");
                    Refusal::new(Code::NotFound, text)
                };
                Some(user.ok_or_else(nobody)?.id)
            }
        };
        let agent = create_agent(moment, company, NewAgent { owner, ..self.agent.clone() })?;
        let key = create_key(moment, &agent, &self.key, Some(&agent.name), None)?;
        let answer = Created {
            agent_uuid: agent.id.to_string(),
            name: agent.name.clone(),
            api_key: self.key.reveal().to_owned(),
            permissions: names(&agent),
        };
        let changes =
            vec![(Kind::Agent, agent.id.uuid(), Change::Created), (Kind::Key, key.id.uuid(), Change::Created)];
        Ok(Decision { company, writes: vec![Write::NewAgent(agent), Write::NewKey(key)], changes, answer })
    }
}

/// A row of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    agent_uuid: String,
    name: String,
    owner: Option<String>,
    presets: Vec<String>,
    permissions: Vec<String>,
    last_active_at: Option<String>,
    created_at: String,
}

#[derive(Serialize)]
struct List {
    agents: Vec<Listed>,
}

async fn list(place: &Place, format: FormatArgs) -> Result<(), Failure> {
    let services = place.open().await?;
    let mut reads = services.store.read().await?;
    let company = workspace(reads.as_mut()).await?.id;
    let agents = reads.operator().agents(company).await?;
    let agents = agents.into_iter().map(|(agent, owner)| Listed {
        agent_uuid: agent.id.to_string(),
        permissions: names(&agent),
        owner,
        presets: agent.roles,
        last_active_at: agent.last_active_at.map(|at| at.to_string()),
        created_at: agent.created_at.to_string(),
        name: agent.name,
    });
    let list = List { agents: agents.collect() };
    output::answer(format.format(), &list, || {
        let row = |agent: &Listed| {
            [
                agent.agent_uuid.clone(),
                agent.name.clone(),
                agent.owner.clone().unwrap_or_else(|| "-".to_owned()),
                listed(&agent.permissions, "-"),
            ]
        };
        let rows: Vec<_> = list.agents.iter().map(row).collect();
        output::table(["UUID", "NAME", "OWNER", "PERMISSIONS"], &rows)
    })
}

/// The names of what the agent may do, in canonical order.
fn names(agent: &Agent) -> Vec<String> {
    let set: PermissionSet =
        effective(agent.roles.iter().map(String::as_str), agent.permissions.iter().map(String::as_str));
    set.iter().map(|permission| permission.to_string()).collect()
}

fn listed(names: &[String], none: &str) -> String {
    if names.is_empty() { none.to_owned() } else { names.join(" ") }
}
