//! Use cases: agents themselves.

use std::collections::BTreeSet;

use chorus_domain::{
    Batch, Code, Kind, Party, Refusal, Write,
    activity::Action,
    event::{Change, Event},
    identity::{Agent, FormerAgent},
    notification::{Notice, Recipient, Topic},
    removal::{self, Parting},
    text,
};
use chorus_ids::{AgentId, ProjectId, UserId, Uuid};
use chorus_store::{Hold, Outcome, Result, Roots, Tx};
use serde_json::{Value, json};

use crate::Call;

/// Most titles that the notice of a removal lists.
const LISTED: usize = 20;
/// Longest title in that list, in characters.
const LISTED_TITLE: usize = 60;

/// What a removal did.
#[derive(Clone, Debug, PartialEq)]
pub struct Removed {
    /// The agent as it was.
    pub agent: Agent,
    /// What became of what it held.
    pub parting: Parting,
    /// How many keys stopped working.
    pub keys: u64,
    /// How many sessions ended.
    pub sessions: u64,
}

/// Removes an agent: unfinished work is free again, which its owner is told with a list, and finished work keeps its name
/// (report 35). Keys, sessions and whatever was addressed to it go with it.
///
/// # Errors
/// Not found if it is gone.
pub async fn remove(call: &Call, tx: &mut dyn Tx, id: AgentId) -> Result<Outcome<Removed>> {
    let mut roots = Roots::default();
    roots.add(Kind::Agent, id.uuid(), Hold::Remove);
    // First of all, so that nobody gives it anything meanwhile.
    tx.lock(&roots).await?;
    let found = tx.directory().agent_credential(id).await?.filter(|found| found.agent.company == call.caller.company);
    let credential = found.ok_or_else(|| Refusal::not_found(Kind::Agent))?;
    let held = tx.directory().holdings(id).await?;
    let mut roots = Roots::default();
    held.tasks.iter().for_each(|task| roots.add(Kind::Task, task.id.uuid(), Hold::Own));
    held.ideas.iter().for_each(|held| roots.add(Kind::Idea, held.idea.id.uuid(), Hold::Own));
    tx.lock(&roots).await?;
    let held = tx.directory().holdings(id).await?;
    let (keys, sessions) = (held.keys, held.sessions);
    let parting = removal::part(held, call.now)?;

    let agent = credential.agent;
    let freed = freed(&parting);
    let mut batch = Batch::default();
    batch.writes.extend(parting.tasks.iter().map(|(_, task)| Write::SaveTask(task.clone())));
    batch.writes.extend(parting.ideas.iter().map(|(_, idea)| Write::SaveIdea(idea.clone())));
    for thing in &freed {
        let value = json!({ "reason": "agent_removed", "agentUuid": agent.id, "agentName": agent.name });
        let about = (thing.kind, thing.id, thing.title);
        batch.activities.push(call.activity(thing.project, about, Action::Released, Some(value)));
        batch.events.push(call.event(thing.project, thing.kind, thing.id, Change::Updated));
    }
    if let Some(told) = agent.owner.or(credential.first_user) {
        batch.notices.extend(notice(call, tx, &agent, told, &freed).await?);
    }
    batch.writes.push(Write::RemoveAgent(FormerAgent {
        id: agent.id,
        company: agent.company,
        name: agent.name.clone(),
        removed_at: call.now,
    }));
    batch.events.push(Event {
        id: call.new_id(),
        company: agent.company,
        project: None,
        entity: Kind::Agent,
        entity_id: agent.id.uuid(),
        change: Change::Deleted,
        actor: call.caller.subject,
        created_at: call.now,
    });
    Ok(Outcome { batch, answer: Removed { agent, parting, keys, sessions } })
}

/// Something that is nobody's again.
struct Freed<'p> {
    kind: Kind,
    id: Uuid,
    project: ProjectId,
    title: &'p str,
}

fn freed(parting: &Parting) -> Vec<Freed<'_>> {
    let tasks = parting.tasks.iter().map(|(_, task)| Freed {
        kind: Kind::Task,
        id: task.id.uuid(),
        project: task.project,
        title: &task.title,
    });
    let ideas = parting.ideas.iter().map(|(_, idea)| Freed {
        kind: Kind::Idea,
        id: idea.id.uuid(),
        project: idea.project,
        title: &idea.title,
    });
    tasks.chain(ideas).collect()
}

/// One notice with the list of all that is free again, as far as this person may see it. It leads to the first of the
/// list, since the agent is gone.
async fn notice(
    call: &Call,
    tx: &mut dyn Tx,
    agent: &Agent,
    told: UserId,
    freed: &[Freed<'_>],
) -> Result<Option<Notice>> {
    let recipient = Recipient::Party(Party::User(told));
    let mut seen = BTreeSet::new();
    for project in freed.iter().map(|thing| thing.project).collect::<BTreeSet<ProjectId>>() {
        if !tx.directory().audience(project, &[recipient]).await?.is_empty() {
            seen.insert(project);
        }
    }
    let shown: Vec<&Freed<'_>> = freed.iter().filter(|thing| seen.contains(&thing.project)).collect();
    let Some(first) = shown.first() else { return Ok(None) };
    let name = |thing: &&Freed<'_>| format!("the {} \"{}\"", thing.kind, text::shorten(thing.title, LISTED_TITLE));
    let mut list: Vec<String> = shown.iter().take(LISTED).map(name).collect();
    if shown.len() > LISTED {
        list.push(format!("{} more", shown.len() - LISTED));
    }
    let agent_name = text::shorten(&agent.name, LISTED_TITLE);
    Ok(Some(Notice {
        to: vec![recipient],
        topic: Topic::AgentRemoved,
        project: first.project,
        entity: first.kind,
        entity_id: first.id,
        entity_title: first.title.to_owned(),
        message: format!("{} removed the agent \"{agent_name}\"; free again: {}", call.caller.name, list.join(", ")),
    }))
}

/// Refuses to give something to an agent that is gone, and keeps one that is not from being removed before the unit ends.
///
/// # Errors
/// `assignee_no_access`, which says whether it was removed or never was.
pub async fn require_present(call: &Call, tx: &mut dyn Tx, party: Party) -> Result<()> {
    if tx.keep(&[party]).await?.contains(&party) {
        return Ok(());
    }
    let former = tx.names(&call.scope, &[party]).await?.into_iter().next();
    let text = match &former {
        Some(former) => {
            format!("The agent `{}` was removed, so it can't take on anything. Choose another.", former.name)
        }
        None => format!("There is no such {}, so it can't take on anything. Choose another.", party.kind()),
    };
    let name = former.map_or(Value::Null, |former| Value::String(former.name));
    let assignee = json!({ "type": party.kind(), "uuid": party.uuid(), "name": name });
    Err(Refusal::new(Code::AssigneeNoAccess, text).with(json!({ "assignee": assignee })).into())
}
