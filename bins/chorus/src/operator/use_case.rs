//! Use cases of `app` that the operator runs.

use std::sync::Arc;

use async_trait::async_trait;
use chorus_app::{
    Call, Context, Narrowing, Services, notify,
    unit::{End, Replay, Work, unit},
};
use chorus_domain::access::Granted;
use chorus_store::{AuditEntry, Outcome, Result, Tx};

use super::{CompanyArgs, SURFACE, operator, user, workspace};
use crate::failure::Failure;

/// A command that is a use case. It is settled like a tool's call: notices are addressed, everything is one unit.
#[async_trait]
pub(crate) trait UseCase: Send + Sync + 'static {
    /// What it says.
    type Answer: Send + 'static;

    /// Its name in the audit log.
    fn name(&self) -> &'static str;

    /// Whose rows it is about.
    fn company(&self) -> &CompanyArgs;

    /// The address of the person for whom it is done, if it is for one.
    fn stands_for(&self) -> Option<&str> {
        None
    }

    /// Looks, decides, and says what to write. May run several times.
    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Self::Answer>>;
}

/// Runs a use case in a unit of work.
///
/// # Errors
/// What it refuses, or the database failed.
pub(crate) async fn carry_out<U: UseCase>(services: &Services, use_case: U) -> Result<U::Answer, Failure> {
    let (services, use_case) = (services.clone(), Arc::new(use_case));
    let store = services.store.clone();
    let work: Arc<Work<U::Answer>> = Arc::new(move |tx, _run| {
        let (services, use_case) = (services.clone(), Arc::clone(&use_case));
        Box::pin(async move {
            let company = workspace(tx, use_case.company()).await?.id;
            let mut caller = operator(company);
            if let Some(email) = use_case.stands_for() {
                caller.principal.user = Some(user::find_present(tx, company, email).await?.id);
            }
            let now = services.clock.now();
            let ids = Arc::clone(&services.ids);
            let call = Call::new(caller, Granted::operator(), Narrowing::Nothing, now, Context::default(), ids);
            let Outcome { batch, answer } = use_case.run(&call, tx).await?;
            if batch.is_empty() {
                return Ok(End::Rollback(answer));
            }
            let notifications = notify::address(&call, tx, &batch).await?;
            tx.apply(&call.granted, &batch, &notifications).await?;
            tx.audit(&AuditEntry {
                id: call.new_id(),
                caller: call.caller.clone(),
                surface: SURFACE,
                operation: use_case.name(),
                entities: batch.events.iter().map(|event| (event.entity, event.entity_id)).collect(),
                at: now,
            })
            .await?;
            Ok(End::Commit(answer))
        })
    });
    Ok(unit(store, Replay::Unknown, work).await?)
}
