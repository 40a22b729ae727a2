//! Acts on accounts, each a unit of work with its audit row.

use std::sync::Arc;

use async_trait::async_trait;
use chorus_app::{
    Ids, Services,
    unit::{End, Replay, Work, unit},
};
use chorus_domain::{
    Batch, Caller, Kind, Write,
    access::authorise,
    event::{Change, Event},
};
use chorus_ids::{AuditId, EventId, Id, Timestamp, UserId};
use chorus_store::{AuditEntry, Hold, Result, Roots, Tx};

use super::{AccountError, SURFACE};
use crate::Moment;

/// Something that somebody does about an account.
#[async_trait]
pub(super) trait Act: Send + Sync + 'static {
    /// Its name in the audit log.
    const NAME: &'static str;
    /// What comes of it.
    type Answer: Send + 'static;

    /// Looks, decides, and says what to write. May run several times.
    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Done<Self::Answer>, AccountError>;
}

/// What an act decided.
pub(super) struct Done<A> {
    /// Who does it.
    pub(super) caller: Caller,
    /// What to write; nothing if there is nothing to do.
    pub(super) writes: Vec<Write>,
    /// Whom it is about.
    pub(super) about: UserId,
    /// What whoever listens is told about them; nothing for what concerns nobody else.
    pub(super) change: Option<Change>,
    /// What comes of it.
    pub(super) answer: A,
}

/// Carries out an act.
pub(super) async fn carry_out<A: Act>(services: &Services, act: A) -> Result<A::Answer, AccountError> {
    let (services, act) = (services.clone(), Arc::new(act));
    let store = services.store.clone();
    let work: Arc<Work<Result<A::Answer, AccountError>>> = Arc::new(move |tx, _run| {
        let (services, act) = (services.clone(), Arc::clone(&act));
        Box::pin(async move {
            let moment = Moment { now: services.clock.now(), ids: services.ids.as_ref() };
            let done = match act.decide(tx, moment).await {
                Ok(done) => done,
                // What the store reports may be worth another run; all else is an answer.
                Err(AccountError::Failed(error)) => return Err(error),
                Err(refused) => return Ok(End::Rollback(Err(refused))),
            };
            if done.writes.is_empty() {
                return Ok(End::Rollback(Ok(done.answer)));
            }
            settle(tx, moment, A::NAME, done).await.map(|answer| End::Commit(Ok(answer)))
        })
    });
    unit(store, Replay::Unknown, work).await?
}

async fn settle<A>(tx: &mut dyn Tx, moment: Moment<'_>, operation: &'static str, done: Done<A>) -> Result<A> {
    let Done { caller, writes, about, change, answer } = done;
    let event = change.map(|change| Event {
        id: new_id::<EventId>(moment.ids, moment.now),
        company: caller.company,
        project: None,
        entity: Kind::User,
        entity_id: about.uuid(),
        change,
        actor: caller.subject,
        created_at: moment.now,
    });
    let batch = Batch { writes, events: event.into_iter().collect(), ..Batch::default() };
    // Nothing here touches a project, so a grant of none is enough.
    let granted = authorise(&caller.principal, &[], &[])?;
    tx.apply(&granted, &batch, &[]).await?;
    let entry = AuditEntry {
        id: new_id::<AuditId>(moment.ids, moment.now),
        surface: SURFACE,
        operation,
        entities: vec![(Kind::User, about.uuid())],
        at: moment.now,
        caller,
    };
    tx.audit(&entry).await?;
    Ok(answer)
}

/// A new id.
pub(super) fn new_id<T: Id>(ids: &dyn Ids, now: Timestamp) -> T {
    T::from_uuid(ids.uuid(now))
}

/// Locks the row of a person, whom nobody then suspends or gives another password before the unit ends.
pub(super) async fn hold(tx: &mut dyn Tx, user: UserId, hold: Hold) -> Result<()> {
    let mut roots = Roots::default();
    roots.add(Kind::User, user.uuid(), hold);
    tx.lock(&roots).await.map(drop)
}
