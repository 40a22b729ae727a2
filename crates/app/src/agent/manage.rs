//! Use cases: a person's own agents and their keys (permissions specification §5 and §8). For everybody else they don't
//! exist, but for their names.

use chorus_domain::{
    Batch, Code, Kind, Party, Refusal, Subject, Write,
    event::Change,
    identity::{Agent, ApiKey},
    removal::Holdings,
};
use chorus_ids::{AgentId, KeyId, UserId};
use chorus_store::{AgentLine, Hold, Outcome, Page, PageRequest, Reach, Reads, Result, Roots, Tx};

use super::{Removed, remove, update};
use crate::Call;

/// An agent with what its owner is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Managed {
    /// The agent.
    pub agent: Agent,
    /// Its keys that were not revoked, newest first.
    pub keys: Vec<ApiKey>,
    /// What it holds.
    pub holdings: Holdings,
}

fn person(call: &Call) -> Result<UserId, Refusal> {
    match call.caller.subject {
        Subject::User(user) => Ok(user),
        Subject::Agent(_) | Subject::Operator => {
            Err(Refusal::new(Code::Forbidden, "Only people have agents. Ask your owner to do this in the console."))
        }
    }
}

/// One of the caller's agents.
///
/// # Errors
/// Not found for an agent that is not the caller's.
pub async fn own(call: &Call, reads: &mut dyn Reads, id: AgentId) -> Result<Agent> {
    let owner = person(call)?;
    let found = reads.directory().agent_credential(id).await?.map(|credential| credential.agent);
    let own = found.filter(|agent| agent.company == call.caller.company && agent.owner == Some(owner));
    own.ok_or_else(|| Refusal::not_found(Kind::Agent).into())
}

/// The caller's agents, oldest first.
///
/// # Errors
/// `forbidden` for an agent.
pub async fn mine(call: &Call, reads: &mut dyn Reads) -> Result<Vec<Agent>> {
    reads.directory().agents_of(person(call)?).await
}

/// A page of all agents of the company by name, newest first.
///
/// # Errors
/// What the store reports.
pub async fn all(call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<AgentLine>> {
    reads.agents(&call.scope, page).await
}

/// One of the caller's agents with its keys and what it holds.
///
/// # Errors
/// As [`own`].
pub async fn show(call: &Call, reads: &mut dyn Reads, id: AgentId) -> Result<Managed> {
    let agent = own(call, reads, id).await?;
    let keys = reads.directory().keys_of(id).await?;
    let holdings = reads.directory().holdings(&[Party::Agent(id)], Reach::Everywhere).await?;
    Ok(Managed { agent, keys, holdings })
}

/// Adds an agent of the caller's.
///
/// # Errors
/// `forbidden` for an agent.
pub fn add(call: &Call, new: Agent) -> Result<Outcome<Agent>> {
    let agent = Agent { owner: Some(person(call)?), ..new };
    let batch = Batch {
        writes: vec![Write::NewAgent(agent.clone())],
        events: vec![call.company_event(Kind::Agent, agent.id.uuid(), Change::Created)],
        ..Batch::default()
    };
    Ok(Outcome { batch, answer: agent })
}

/// Changes one of the caller's agents, whose owner stays the same.
///
/// # Errors
/// As [`own`]; what `change` refuses.
pub async fn change(
    call: &Call,
    tx: &mut dyn Tx,
    id: AgentId,
    change: impl FnOnce(Agent) -> Result<Agent, Refusal> + Send,
) -> Result<Outcome<Agent>> {
    hold(tx, id, Hold::Remove).await?;
    let before = own(call, tx, id).await?;
    let after = Agent { owner: before.owner, ..change(before.clone())? };
    if after == before {
        return Ok(Outcome { batch: Batch::default(), answer: before });
    }
    Ok(update(call, tx, &before, after.clone()).await?.map(|_| after))
}

/// Removes one of the caller's agents.
///
/// # Errors
/// As [`own`].
pub async fn remove_own(call: &Call, tx: &mut dyn Tx, id: AgentId) -> Result<Outcome<Removed>> {
    own(call, tx, id).await?;
    remove(call, tx, id).await
}

/// Adds a key to one of the caller's agents. `make` gives its row: the key itself is nobody's here.
///
/// # Errors
/// As [`own`]; what `make` refuses.
pub async fn add_key(
    call: &Call,
    tx: &mut dyn Tx,
    id: AgentId,
    make: impl FnOnce(&Agent) -> Result<ApiKey, Refusal> + Send,
) -> Result<Outcome<ApiKey>> {
    hold(tx, id, Hold::Share).await?;
    let key = make(&own(call, tx, id).await?)?;
    let batch = about_key(call, &key, Write::NewKey(key.clone()), Change::Created);
    Ok(Outcome { batch, answer: key })
}

/// Revokes a key of one of the caller's agents, at once and for good.
///
/// # Errors
/// As [`own`]; not found for a key that is not the agent's or was revoked.
pub async fn revoke_key(call: &Call, tx: &mut dyn Tx, id: AgentId, key: KeyId) -> Result<Outcome<ApiKey>> {
    hold(tx, id, Hold::Own).await?;
    own(call, tx, id).await?;
    let key = tx.directory().keys_of(id).await?.into_iter().find(|found| found.id == key);
    let key = key.ok_or_else(|| Refusal::not_found(Kind::Key))?;
    let revoked = ApiKey { revoked_at: Some(call.now), ..key };
    let batch = about_key(call, &revoked, Write::RevokeKey(revoked.id, call.now), Change::Updated);
    Ok(Outcome { batch, answer: revoked })
}

/// Keys show on their agent.
fn about_key(call: &Call, key: &ApiKey, write: Write, change: Change) -> Batch {
    let events = vec![
        call.company_event(Kind::Key, key.id.uuid(), change),
        call.company_event(Kind::Agent, key.agent.uuid(), Change::Updated),
    ];
    Batch { writes: vec![write], events, ..Batch::default() }
}

async fn hold(tx: &mut dyn Tx, id: AgentId, hold: Hold) -> Result<()> {
    let mut roots = Roots::default();
    roots.add(Kind::Agent, id.uuid(), hold);
    tx.lock(&roots).await.map(drop)
}
