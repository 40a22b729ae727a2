//! `chorus agent`.

use async_trait::async_trait;
use chorus_auth::{Moment, NewAgent, NewKey, create_agent, create_key};
use chorus_domain::{Kind, Write, event::Change, identity::Agent};
use chorus_ids::CompanyId;
use chorus_permissions::{PermissionSet, effective};
use chorus_store::{Reads, Result, Tx};
use clap::Subcommand;
use serde::Serialize;

use super::{CompanyArgs, Decision, FormatArgs, Operation, perform, pick, user, workspace};
use crate::{database::Place, failure::Failure, output};

mod delete;
mod show;
mod update;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add an agent with a key, which is shown this once
    ///
    /// What it may do is the union of its presets and single permissions; with neither it has the public tools only. Where
    /// it may act follows from its owner's access to projects.
    #[command(after_help = "Example:\n  chorus agent create --name builder --owner ada@example.com --preset \
        developer_agent\n  chorus agent create --name auditor --owner ada@example.com --permission task:admin")]
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
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List agents
    List {
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Show an agent: its owner, what it may do, its keys and how much it holds
    #[command(after_help = "Example:\n  chorus agent show builder")]
    Show {
        /// Name or UUID of the agent
        agent: String,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Change an agent; what is not named stays
    ///
    /// The change counts from the agent's next request on, also while it is connected. Its keys stay the same.
    #[command(
        after_help = "Example:\n  chorus agent update builder --preset developer_agent --preset pm_agent\n  chorus \
        agent update auditor --no-presets --permission task:admin\n  chorus agent update builder --owner bo@example.com"
    )]
    Update(update::Args),
    /// Remove an agent for good
    ///
    /// Its keys stop working at once and its sessions end. Tasks and ideas that it has not finished are free for others,
    /// which its owner is told with a list; what waits for verification still does. Finished work, comments and activities
    /// keep its name.
    #[command(after_help = "Example:\n  chorus agent delete builder")]
    Delete {
        /// Name or UUID of the agent
        agent: String,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
}

pub(crate) async fn run(place: &Place, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create { name, owner, presets, permissions, company, format } => {
            let services = place.open_migrated().await?;
            let ownerless = owner.is_none();
            let agent = NewAgent { name, owner: None, presets, permissions };
            let key = NewKey::generate(&mut rand::rng());
            let created = perform(&services, Create { agent, owner, company, key }).await?;
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
        Command::List { company, format } => list(place, &company, format).await,
        Command::Show { agent, company, format } => show::run(place, &agent, &company, format).await,
        Command::Update(args) => update::run(place, args).await,
        Command::Delete { agent, company, format } => delete::run(place, agent, company, format).await,
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
    company: CompanyArgs,
    key: NewKey,
}

#[async_trait]
impl Operation for Create {
    const NAME: &'static str = "agent create";
    type Answer = Created;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<Created>> {
        let company = workspace(tx, &self.company).await?.id;
        let owner = match &self.owner {
            None => None,
            Some(email) => Some(user::find_present(tx, company, email).await?.id),
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

async fn list(place: &Place, company: &CompanyArgs, format: FormatArgs) -> Result<(), Failure> {
    let services = place.open().await?;
    let mut reads = services.store.read().await?;
    let company = workspace(reads.as_mut(), company).await?.id;
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
    let agents: Vec<Listed> = agents.collect();
    output::list(format.format(), ("agents", &agents), ["UUID", "NAME", "OWNER", "PERMISSIONS"], |agent| {
        let owner = output::or_dash(agent.owner.as_deref());
        [agent.agent_uuid.clone(), agent.name.clone(), owner, listed(&agent.permissions, "-")]
    })
}

/// The agent that is meant.
///
/// # Errors
/// There is none, or several of that name.
pub(super) async fn find(reads: &mut dyn Reads, company: CompanyId, wanted: &str) -> Result<(Agent, Option<String>)> {
    Ok(pick(reads.operator().agents_called(company, wanted).await?, wanted)?)
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
