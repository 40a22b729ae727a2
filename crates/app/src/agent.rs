//! Use cases: agents themselves.

use std::collections::BTreeSet;

use chorus_domain::{
    Batch, Code, Kind, Party, Refusal, Write,
    event::Change,
    identity::{Agent, FormerAgent},
    notification::{Notice, Recipient, Topic},
    removal::{self, Freed, Holdings, Parting, Stake},
    text,
};
use chorus_ids::{AgentId, ProjectId, UserId};
use chorus_store::{Hold, Outcome, Reach, Result, Roots, Tx};
use chorus_visibility::{Level, Principal, level};
use serde_json::{Value, json};

use crate::{
    Call,
    access::{Company, Without},
    leaving::{Left, Released, free, listed},
};

pub mod manage;

/// Longest name in a notice, in characters.
const NAME_IN_NOTICE: usize = 60;

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
    let held = hold(tx, &[Party::Agent(id)]).await?;
    let (keys, sessions) = (held.keys, held.sessions);
    let parting = removal::part(held, call.now)?;

    let agent = credential.agent;
    let mut batch = Batch::default();
    free(
        call,
        &parting,
        &mut batch,
        |_| json!({ "reason": "agent_removed", "agentUuid": agent.id, "agentName": agent.name }),
    );
    if let Some(told) = agent.owner.filter(|_| credential.owner_suspended.is_none()).or(credential.first_user) {
        batch.notices.extend(notice(call, tx, &agent, told, &parting.freed()).await?);
    }
    batch.writes.push(Write::RemoveAgents(vec![former(call, &agent)]));
    batch.events.push(call.company_event(Kind::Agent, agent.id.uuid(), Change::Deleted));
    Ok(Outcome { batch, answer: Removed { agent, parting, keys, sessions } })
}

/// What is left of an agent that goes.
pub(crate) fn former(call: &Call, agent: &Agent) -> FormerAgent {
    FormerAgent { id: agent.id, company: agent.company, name: agent.name.clone(), removed_at: call.now }
}

/// What these hold, with its rows owned. They can't take on more: whoever calls this holds them for removal.
pub(crate) async fn hold(tx: &mut dyn Tx, parties: &[Party]) -> Result<Holdings> {
    let held = tx.directory().holdings(parties, Reach::Everywhere).await?;
    let mut roots = Roots::default();
    held.tasks.iter().for_each(|task| roots.add(Kind::Task, task.id.uuid(), Hold::Own));
    held.ideas.iter().for_each(|held| roots.add(Kind::Idea, held.idea.id.uuid(), Hold::Own));
    held.checkins.iter().for_each(|checkin| roots.add(Kind::Task, checkin.task.uuid(), Hold::Own));
    tx.lock(&roots).await?;
    tx.directory().holdings(parties, Reach::Everywhere).await
}

/// Changes an agent, which whoever calls this holds for removal. Under another owner it lets go of what it holds where
/// that one can't edit; who answers for the project there is told.
///
/// # Errors
/// What the store reports.
pub async fn update(call: &Call, tx: &mut dyn Tx, before: &Agent, after: Agent) -> Result<Outcome<Released>> {
    let mut batch = Batch { writes: vec![Write::SaveAgent(after.clone())], ..Batch::default() };
    batch.events.push(call.company_event(Kind::Agent, after.id.uuid(), Change::Updated));
    if before.owner == after.owner {
        return Ok(Outcome { batch, answer: Released::default() });
    }
    let held = hold(tx, &[Party::Agent(after.id)]).await?;
    let projects = projects_of(&held);
    let places: Vec<(Kind, chorus_ids::Uuid)> =
        projects.iter().map(|project| (Kind::Project, project.uuid())).collect();
    let first_user = Company::load(call, tx).await?.snapshot.first_user;
    let principal = Principal { company: call.caller.company, user: after.owner, first_user };
    let located = tx.directory().locate(&principal, &places).await?;
    let lost = located.iter().filter(|place| level(&principal, &place.facts) < Level::Editor);
    let stake = |project| Stake { project, party: Party::Agent(after.id), principal: after.owner };
    let stakes: Vec<Stake> = lost.map(|place| stake(place.facts.project)).collect();
    let lost: Vec<ProjectId> = stakes.iter().map(|stake| stake.project).collect();
    let left = Left::of(call, tx, stakes).await?;
    if !lost.is_empty() {
        let ground = Without::load(call, tx, (&lost, &[]), None).await?;
        left.write(call, tx, &ground.responsibles(), &mut batch).await?;
    }
    Ok(Outcome { batch, answer: left.released() })
}

/// The projects of what somebody holds, and where their sessions are.
pub(crate) fn projects_of(held: &Holdings) -> BTreeSet<ProjectId> {
    let tasks = held.tasks.iter().map(|task| task.project);
    let ideas = held.ideas.iter().map(|held| held.idea.project);
    tasks.chain(ideas).chain(held.checkins.iter().map(|checkin| checkin.project)).collect()
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
    let shown: Vec<Freed<'_>> = freed.iter().filter(|thing| seen.contains(&thing.project)).copied().collect();
    let Some(first) = shown.first() else { return Ok(None) };
    let name = text::shorten(&agent.name, NAME_IN_NOTICE);
    Ok(Some(Notice {
        to: vec![recipient],
        topic: Topic::AgentRemoved,
        project: first.project,
        entity: first.kind,
        entity_id: first.id,
        entity_title: first.title.to_owned(),
        message: format!("{} removed the agent \"{name}\"; free again: {}", call.caller.name, listed(&shown)),
    }))
}

/// Refuses to give something to somebody who is gone or suspended, and keeps one who is not from going before the unit
/// ends.
///
/// # Errors
/// `assignee_no_access`, which says whether they were removed, are suspended or never were.
pub async fn require_present(call: &Call, tx: &mut dyn Tx, party: Party) -> Result<()> {
    if tx.keep(&[party]).await?.contains(&party) {
        return Ok(());
    }
    let absent = tx.directory().absent(call.caller.company, &[party]).await?.into_iter().next();
    let text = match &absent {
        Some(absent) => {
            format!(
                "{}, so nothing can be given to them. Choose somebody else (chorus_search_mentionables).",
                absent.sentence()
            )
        }
        None => format!(
            "There is no such {}, so it can't take on anything. Choose another (chorus_search_mentionables).",
            party.kind()
        ),
    };
    let name = absent.map_or(Value::Null, |absent| Value::String(absent.name));
    let assignee = json!({ "type": party.kind(), "uuid": party.uuid(), "name": name });
    Err(Refusal::new(Code::AssigneeNoAccess, text).with(json!({ "assignee": assignee })).into())
}
