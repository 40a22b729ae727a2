//! `chorus agent show`.

use chorus_domain::Party;
use chorus_store::Reach;
use serde::Serialize;

use super::{find, listed, names};
use crate::{
    database::Place,
    failure::Failure,
    operator::{CompanyArgs, FormatArgs, workspace},
    output,
};

/// What is said about an agent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    agent_uuid: String,
    name: String,
    company: String,
    owner: Option<String>,
    presets: Vec<String>,
    single_permissions: Vec<String>,
    permissions: Vec<String>,
    persona: Option<String>,
    system_prompt: Option<String>,
    last_active_at: Option<String>,
    created_at: String,
    keys: Vec<Key>,
    holds: Holds,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Key {
    key_uuid: String,
    prefix: String,
    name: Option<String>,
    last_used: Option<String>,
    expires_at: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Holds {
    unfinished_tasks: usize,
    finished_tasks: u64,
    ideas: usize,
}

pub(super) async fn run(place: &Place, agent: &str, company: &CompanyArgs, format: FormatArgs) -> Result<(), Failure> {
    let services = place.open().await?;
    let mut reads = services.store.read().await?;
    let company = workspace(reads.as_mut(), company).await?;
    let (agent, owner) = find(reads.as_mut(), company.id, agent).await?;
    let keys = reads.operator().keys(company.id, Some(agent.id)).await?;
    let holdings = reads.directory().holdings(&[Party::Agent(agent.id)], Reach::Everywhere).await?;
    let keys = keys.into_iter().map(|row| row.key).filter(|key| key.revoked_at.is_none()).map(|key| Key {
        key_uuid: key.id.to_string(),
        prefix: key.prefix,
        name: key.name,
        last_used: key.last_used.map(|at| at.to_string()),
        expires_at: key.expires_at.map(|at| at.to_string()),
    });
    let shown = Shown {
        agent_uuid: agent.id.to_string(),
        permissions: names(&agent),
        company: company.name,
        owner,
        keys: keys.collect(),
        holds: Holds {
            unfinished_tasks: holdings.tasks.len(),
            finished_tasks: holdings.finished_tasks,
            ideas: holdings.ideas.len(),
        },
        last_active_at: agent.last_active_at.map(|at| at.to_string()),
        created_at: agent.created_at.to_string(),
        name: agent.name,
        presets: agent.roles,
        single_permissions: agent.permissions,
        persona: agent.persona,
        system_prompt: agent.system_prompt,
    };
    output::answer(format.format(), &shown, || text(&shown))
}

fn text(shown: &Shown) -> String {
    let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let holds = &shown.holds;
    let mut lines = vec![
        format!("agent        {}", shown.name),
        format!("uuid         {}", shown.agent_uuid),
        format!("company      {}", shown.company),
        format!("owner        {}", shown.owner.as_deref().unwrap_or("nobody: it reaches public projects only")),
        format!("presets      {}", listed(&shown.presets, "-")),
        format!("permissions  {}", listed(&shown.permissions, "none: it has the public tools only")),
        format!("persona      {}", or_dash(&shown.persona)),
        format!("checked in   {}", or_dash(&shown.last_active_at)),
        format!("created      {}", shown.created_at),
        format!(
            "holds        {} unfinished tasks, {} finished tasks, {} ideas",
            holds.unfinished_tasks, holds.finished_tasks, holds.ideas
        ),
    ];
    if shown.keys.is_empty() {
        lines.push("keys         none; `chorus key create` makes one".to_owned());
    }
    for key in &shown.keys {
        let (name, used) = (or_dash(&key.name), or_dash(&key.last_used));
        lines.push(format!("key          {} {} {name}, last used {used}", key.key_uuid, key.prefix));
    }
    lines.join("\n")
}
