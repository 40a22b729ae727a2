//! Use cases: a recipient's own notifications and what they want to hear about (lifecycle specification §9).

use std::collections::BTreeMap;

use chorus_domain::{Batch, Kind, Refusal, Write, notification::Preference};
use chorus_ids::NotificationId;
use chorus_store::{NotificationPage, Outcome, ReadState, Reads, Result, Span, Tx};

use crate::Call;

/// A part of the caller's notifications, newest first.
///
/// # Errors
/// `Internal` for the operator.
pub async fn list(call: &Call, reads: &mut dyn Reads, state: ReadState, span: &Span) -> Result<NotificationPage> {
    reads.notifications(&call.scope, call.party()?, state, span).await
}

/// What marks these as read, which were shown; nothing where no books are kept.
pub fn shown(call: &Call, ids: Vec<NotificationId>) -> Batch {
    let writes = if ids.is_empty() || !call.keeps_books() { Vec::new() } else { vec![Write::MarkRead(ids, call.now)] };
    Batch { writes, ..Batch::default() }
}

/// One notification of the caller has been read; a second time nothing changes.
///
/// # Errors
/// Not found.
pub async fn mark_read(call: &Call, tx: &mut dyn Tx, id: NotificationId) -> Result<Outcome<()>> {
    require(call, tx, id).await?;
    Ok(Outcome { batch: writing(Write::MarkRead(vec![id], call.now)), answer: () })
}

/// All notifications that the caller could have read when the call came have been read.
///
/// # Errors
/// `Internal` for the operator.
pub fn mark_all_read(call: &Call) -> Result<Outcome<()>> {
    let write = Write::MarkAllRead(call.party()?, call.scope.clone(), call.now);
    Ok(Outcome { batch: writing(write), answer: () })
}

/// Puts one notification of the caller away: it is no longer listed nor counted. There is no way back.
///
/// # Errors
/// Not found.
pub async fn archive(call: &Call, tx: &mut dyn Tx, id: NotificationId) -> Result<Outcome<()>> {
    require(call, tx, id).await?;
    Ok(Outcome { batch: writing(Write::ArchiveNotification(id, call.now)), answer: () })
}

async fn require(call: &Call, reads: &mut dyn Reads, id: NotificationId) -> Result<()> {
    let found = reads.notification(&call.scope, call.party()?, id).await?;
    Ok(found.map(drop).ok_or_else(|| Refusal::not_found(Kind::Notification))?)
}

fn writing(write: Write) -> Batch {
    Batch { writes: vec![write], ..Batch::default() }
}

/// What the caller wants to hear about: every preference, whether it is on.
pub type Preferences = BTreeMap<Preference, bool>;

/// What the caller wants to hear about.
///
/// # Errors
/// `Internal` for the operator.
pub async fn preferences(call: &Call, reads: &mut dyn Reads) -> Result<Preferences> {
    let muted = reads.muted(&call.scope, call.party()?).await?;
    Ok(Preference::ALL.into_iter().map(|preference| (preference, !muted.contains(&preference))).collect())
}

/// Turns on and off what is named, and leaves the rest as it is. The answer is everything as it is then.
///
/// # Errors
/// `Internal` for the operator.
pub async fn set_preferences(call: &Call, tx: &mut dyn Tx, named: Preferences) -> Result<Outcome<Preferences>> {
    let mut answer = preferences(call, tx).await?;
    answer.extend(named.iter().map(|(preference, wanted)| (*preference, *wanted)));
    let batch = match named.is_empty() {
        true => Batch::default(),
        false => writing(Write::SetPreferences(call.caller.company, call.party()?, named, call.now)),
    };
    Ok(Outcome { batch, answer })
}
