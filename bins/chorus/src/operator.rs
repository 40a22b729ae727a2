//! Commands of whoever runs the server, on the database directly. Safe while servers run on it: each write is one unit
//! of work, with an audit row that names the operator.

use std::sync::Arc;

use async_trait::async_trait;
use chorus_app::{
    Services,
    unit::{End, Replay, Work, unit},
};
use chorus_auth::Moment;
use chorus_domain::{
    Batch, Caller, Code, Kind, Refusal, Subject, Via, Write,
    access::Granted,
    event::{Change, Event},
    identity::Agent,
};
use chorus_ids::{AuditId, CompanyId, EventId, Uuid};
use chorus_permissions::PermissionSet;
use chorus_store::{AuditEntry, Result, Tx};
use chorus_visibility::Principal;
use clap::Args;

use crate::{failure::Failure, output::Format};

pub(crate) mod agent;
pub(crate) mod backup;
pub(crate) mod carry;
pub(crate) mod company;
pub(crate) mod db;
pub(crate) mod key;
mod parting;
pub(crate) mod project;
pub(crate) mod use_case;
pub(crate) mod user;
mod whole_file;

pub(crate) use company::{CompanyArgs, workspace};

/// The surface's name in the audit log.
pub(crate) const SURFACE: &str = "operator";

/// How a command says what it did.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct FormatArgs {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl FormatArgs {
    pub(crate) const fn format(self) -> Format {
        if self.json { Format::Json } else { Format::Text }
    }
}

/// Whether a command that can't simply be taken back is meant.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Sure {
    /// Do it; without this the command only tells what it would do
    #[arg(long)]
    pub(crate) yes: bool,
}

/// A command that writes.
#[async_trait]
pub(crate) trait Operation: Send + Sync + 'static {
    /// Its name in the audit log.
    const NAME: &'static str;
    /// What it says.
    type Answer: Send + 'static;

    /// Looks, decides, and says what to write. May run several times.
    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<Self::Answer>>;
}

/// What an operation decided.
pub(crate) struct Decision<T> {
    /// Whose rows are written.
    pub(crate) company: CompanyId,
    /// The rows; none if there is nothing to do.
    pub(crate) writes: Vec<Write>,
    /// What is made or changed by them.
    pub(crate) changes: Vec<(Kind, Uuid, Change)>,
    /// What to say.
    pub(crate) answer: T,
}

/// Runs an operation in a unit of work.
///
/// # Errors
/// What it refuses, or the database failed.
pub(crate) async fn perform<O: Operation>(services: &Services, operation: O) -> Result<O::Answer, Failure> {
    let (services, operation) = (services.clone(), Arc::new(operation));
    let store = services.store.clone();
    let work: Arc<Work<O::Answer>> = Arc::new(move |tx, _run| {
        let (services, operation) = (services.clone(), Arc::clone(&operation));
        Box::pin(async move {
            let moment = Moment { now: services.clock.now(), ids: services.ids.as_ref() };
            let decision = operation.decide(tx, moment).await?;
            if decision.writes.is_empty() {
                return Ok(End::Rollback(decision.answer));
            }
            let answer = settle::<O>(tx, moment, decision).await?;
            Ok(End::Commit(answer))
        })
    });
    Ok(unit(store, Replay::Unknown, work).await?)
}

async fn settle<O: Operation>(tx: &mut dyn Tx, moment: Moment<'_>, decision: Decision<O::Answer>) -> Result<O::Answer> {
    let Decision { company, writes, changes, answer } = decision;
    let now = moment.now;
    let event = |&(entity, entity_id, change): &(Kind, Uuid, Change)| Event {
        id: EventId::from_uuid(moment.ids.uuid(now)),
        company,
        project: None,
        entity,
        entity_id,
        change,
        actor: Subject::Operator,
        created_at: now,
    };
    let events = changes.iter().map(event).collect();
    let batch = Batch { writes, events, ..Batch::default() };
    tx.apply(&Granted::operator(), &batch, &[]).await?;
    tx.audit(&AuditEntry {
        id: AuditId::from_uuid(moment.ids.uuid(now)),
        caller: operator(company),
        surface: SURFACE,
        operation: O::NAME,
        entities: changes.into_iter().map(|(kind, id, _)| (kind, id)).collect(),
        at: now,
    })
    .await?;
    Ok(answer)
}

/// Whoever sits at the command line.
pub(crate) fn operator(company: CompanyId) -> Caller {
    Caller {
        subject: Subject::Operator,
        via: Via::CommandLine,
        company,
        name: "Operator".to_owned(),
        owner: None,
        principal: Principal { company, user: None, first_user: None },
        permissions: PermissionSet::EMPTY,
    }
}

/// The only one of the agents of an id or name, with what is known beside it.
///
/// # Errors
/// There is none, or several of that name.
pub(crate) fn pick<T>(mut found: Vec<(Agent, T)>, wanted: &str) -> Result<(Agent, T), Refusal> {
    match (found.pop(), found.as_slice()) {
        (Some(agent), []) => Ok(agent),
        (Some(agent), others) => {
            let ids: Vec<String> = others.iter().chain([&agent]).map(|(agent, _)| agent.id.to_string()).collect();
            Err(Refusal::invalid("agent", format_args!("`{wanted}` means several; name one of {}", ids.join(", "))))
        }
        (None, _) => Err(Refusal::new(
            Code::NotFound,
            format!("There is no agent `{wanted}`. `chorus agent list` shows those that exist."),
        )),
    }
}

#[cfg(test)]
mod tests {
    use chorus_ids::{AgentId, Timestamp};

    use super::*;

    fn agent(id: u128, name: &str) -> Agent {
        Agent {
            id: AgentId::from_u128(id),
            company: CompanyId::from_u128(1),
            name: name.to_owned(),
            roles: Vec::new(),
            permissions: Vec::new(),
            persona: None,
            system_prompt: None,
            owner: None,
            last_active_at: None,
            created_at: Timestamp::from_micros(0),
        }
    }

    #[test]
    fn a_name_has_to_mean_one_agent() {
        let picked = |agents: &[Agent]| {
            pick(agents.iter().map(|agent| (agent.clone(), ())).collect(), "twin").map(|(agent, ())| agent.id)
        };
        assert_eq!(picked(&[agent(1, "twin")]), Ok(AgentId::from_u128(1)));
        let several = picked(&[agent(2, "twin"), agent(3, "twin")]).map_err(|refusal| refusal.text);
        let ids = "00000000-0000-0000-0000-000000000002, 00000000-0000-0000-0000-000000000003";
        assert!(several.is_err_and(|text| text.contains(ids)));
        assert!(picked(&[]).is_err_and(|refusal| refusal.text.contains("There is no agent `twin`")));
    }
}
