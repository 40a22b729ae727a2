//! Use cases as the operator's commands: in a unit of work, with an audit row that names the operator.

use std::sync::Arc;

use async_trait::async_trait;
use chorus_app::{
    Call, Context, Narrowing, Services, notify,
    unit::{End, Replay, Work, unit},
};
use chorus_domain::{Code, Kind, Refusal, access::Granted, identity::User};
use chorus_ids::{CompanyId, GroupId, ProjectId};
use chorus_store::{AuditEntry, Error, Hold, Outcome, Reads, Result, Roots, Tx};
use chorus_visibility::Principal;

use crate::{
    failure::Failure,
    operator::{SURFACE, operator, workspace},
};

/// A use case with its arguments.
#[async_trait]
pub(super) trait Case: Send + Sync + 'static {
    /// What it says.
    type Answer: Send + 'static;

    /// Its name in the audit log.
    fn name(&self) -> &'static str;

    /// The address of the person for whom it is done, if it is for one.
    fn stands_for(&self) -> Option<&str> {
        None
    }

    /// Looks, locks, decides. May run several times.
    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Self::Answer>>;
}

/// Runs a use case.
///
/// # Errors
/// What it refuses, or the database failed.
pub(super) async fn perform<C: Case>(services: &Services, case: C) -> Result<C::Answer, Failure> {
    let (services, case) = (services.clone(), Arc::new(case));
    let store = services.store.clone();
    let work: Arc<Work<C::Answer>> = Arc::new(move |tx, _run| {
        let (services, case) = (services.clone(), Arc::clone(&case));
        Box::pin(async move {
            let company = workspace(tx).await?.id;
            let mut caller = operator(company);
            if let Some(email) = case.stands_for() {
                let user = Some(person(tx, company, email).await?.id);
                caller.principal = Principal { user, ..caller.principal };
            }
            let now = services.clock.now();
            let call = Call::new(
                caller,
                Granted::operator(),
                Narrowing::Nothing,
                now,
                Context::default(),
                services.ids.clone(),
            );
            let Outcome { batch, answer } = case.run(&call, tx).await?;
            if batch.is_empty() {
                return Ok(End::Rollback(answer));
            }
            let told = notify::address(&call, tx, &batch.notices).await?;
            tx.apply(&call.granted, &batch, &told).await?;
            tx.audit(&AuditEntry {
                id: call.new_id(),
                caller: call.caller.clone(),
                surface: SURFACE,
                operation: case.name(),
                entities: batch.events.iter().map(|event| (event.entity, event.entity_id)).collect(),
                at: now,
            })
            .await?;
            Ok(End::Commit(answer))
        })
    });
    Ok(unit(store, Replay::Unknown, work).await?)
}

/// The person with this address.
///
/// # Errors
/// There is none.
pub(super) async fn person(reads: &mut dyn Reads, company: CompanyId, email: &str) -> Result<User> {
    let nobody = || {
        let text = format!("There is no user with the e-mail `{email}`. `chorus user create` adds one.");
        Refusal::new(Code::NotFound, text)
    };
    Ok(reads.operator().user_by_email(company, email.trim()).await?.ok_or_else(nobody)?)
}

/// Holds a project, the group that it is in, and perhaps another one.
///
/// # Errors
/// `Again` if it was moved meanwhile.
pub(super) async fn hold(
    call: &Call,
    tx: &mut dyn Tx,
    project: ProjectId,
    (as_strongly_as, other): (Hold, Option<GroupId>),
) -> Result<()> {
    let group = group_of(call, tx, project).await?;
    let mut roots = Roots::default();
    for group in group.into_iter().chain(other) {
        roots.add(Kind::Group, group.uuid(), Hold::Own);
    }
    roots.add(Kind::Project, project.uuid(), as_strongly_as);
    tx.lock(&roots).await?;
    if group_of(call, tx, project).await? == group {
        Ok(())
    } else {
        Err(Error::Again("the project was moved while the command waited".into()))
    }
}

async fn group_of(call: &Call, tx: &mut dyn Tx, project: ProjectId) -> Result<Option<GroupId>> {
    let found = tx.operator().all_projects(call.caller.company).await?;
    let found = found.into_iter().find(|found| found.id == project);
    Ok(found.ok_or_else(|| Refusal::not_found(Kind::Project))?.group)
}
