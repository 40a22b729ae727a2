//! `chorus agent update`.

use async_trait::async_trait;
use chorus_app::{Call, agent};
use chorus_auth::{AgentChange, update_agent};
use chorus_domain::Kind;
use chorus_store::{Hold, Outcome, Result, Roots, Tx};
use serde::Serialize;

use super::{find, listed, names};
use crate::{
    database::Place,
    failure::Failure,
    operator::{
        CompanyArgs, FormatArgs,
        parting::ReleasedLine,
        use_case::{UseCase, carry_out},
        user,
    },
    output,
};

/// Flags of `chorus agent update`.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
#[command(override_usage = "chorus agent update [OPTIONS] <AGENT>")]
pub(crate) struct Args {
    /// Name or UUID of the agent
    agent: String,
    /// What it is called from now on
    #[arg(long, group = "change")]
    name: Option<String>,
    /// E-mail address of the person whose access it has from now on
    #[arg(long, value_name = "EMAIL", group = "change")]
    owner: Option<String>,
    /// Leave it without an owner: it reaches public projects only
    #[arg(long, group = "change", conflicts_with = "owner")]
    no_owner: bool,
    /// Preset of permissions instead of those it has, may be given several times: developer_agent, pm_agent or admin_agent
    #[arg(long = "preset", value_name = "PRESET", group = "change")]
    presets: Vec<String>,
    /// Take all presets away
    #[arg(long, group = "change", conflicts_with = "presets")]
    no_presets: bool,
    /// Single permission such as task:write instead of those it has, may be given several times
    #[arg(long = "permission", value_name = "BIT", group = "change")]
    permissions: Vec<String>,
    /// Take all single permissions away
    #[arg(long, group = "change", conflicts_with = "permissions")]
    no_permissions: bool,
    /// How it should see itself; it is told at check-in
    #[arg(long, value_name = "TEXT", group = "change")]
    persona: Option<String>,
    /// Take its persona away
    #[arg(long, group = "change", conflicts_with = "persona")]
    no_persona: bool,
    #[command(flatten)]
    company: CompanyArgs,
    #[command(flatten)]
    format: FormatArgs,
}

pub(super) async fn run(place: &Place, args: Args) -> Result<(), Failure> {
    let format = args.format.format();
    let services = place.open_migrated().await?;
    let updated = carry_out(&services, Update::of(args)).await?;
    output::answer(format, &updated, || {
        let mut text = format!(
            "Changed the agent {}, {}, of {}.\nPermissions: {}",
            updated.name,
            updated.agent_uuid,
            updated.owner.as_deref().unwrap_or("nobody"),
            listed(&updated.permissions, "none: it has the public tools only"),
        );
        text.extend(updated.released.sentence("It let go of").map(|sentence| format!("\n{sentence}")));
        text
    })
}

/// Whose agent it shall be.
enum Owner {
    /// Whose it is.
    Same,
    /// Nobody's.
    Nobody,
    /// That of whoever has this address.
    Email(String),
}

struct Update {
    agent: String,
    owner: Owner,
    /// Everything but the owner.
    change: AgentChange,
    company: CompanyArgs,
}

impl Update {
    fn of(args: Args) -> Self {
        let owner = match args.owner {
            Some(email) => Owner::Email(email),
            None if args.no_owner => Owner::Nobody,
            None => Owner::Same,
        };
        let list = |given: Vec<String>, none: bool| (none || !given.is_empty()).then_some(given);
        let change = AgentChange {
            name: args.name,
            owner: None,
            presets: list(args.presets, args.no_presets),
            permissions: list(args.permissions, args.no_permissions),
            persona: if args.no_persona { Some(String::new()) } else { args.persona },
        };
        Self { agent: args.agent, owner, change, company: args.company }
    }
}

/// What is said about a changed agent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Updated {
    agent_uuid: String,
    name: String,
    owner: Option<String>,
    presets: Vec<String>,
    permissions: Vec<String>,
    persona: Option<String>,
    /// What it had to let go of under another owner.
    released: ReleasedLine,
}

#[async_trait]
impl UseCase for Update {
    type Answer = Updated;

    fn name(&self) -> &'static str {
        "agent update"
    }

    fn company(&self) -> &CompanyArgs {
        &self.company
    }

    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Updated>> {
        let company = call.caller.company;
        let (found, _) = find(tx, company, &self.agent).await?;
        // Of two changes at once the second builds on the first, and under another owner it takes on nothing meanwhile.
        let mut roots = Roots::default();
        roots.add(Kind::Agent, found.id.uuid(), Hold::Remove);
        tx.lock(&roots).await?;
        let (before, email) = find(tx, company, &found.id.to_string()).await?;
        let (owner, email) = match &self.owner {
            Owner::Same => (None, email),
            Owner::Nobody => (Some(None), None),
            Owner::Email(email) => {
                let user = user::find_present(tx, company, email).await?;
                (Some(Some(user.id)), user.email)
            }
        };
        let after = update_agent(before.clone(), AgentChange { owner, ..self.change.clone() })?;
        let outcome = agent::update(call, tx, &before, after.clone()).await?;
        Ok(outcome.map(|released| Updated {
            agent_uuid: after.id.to_string(),
            permissions: names(&after),
            name: after.name,
            owner: email,
            presets: after.roles,
            persona: after.persona,
            released: released.into(),
        }))
    }
}
