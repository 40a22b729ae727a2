//! Use cases: checking in.

use chorus_domain::{
    Batch, Code, Kind, Refusal, Subject, Write, event::Change, notification::Notification, session::fresh_since,
};
use chorus_ids::NotificationId;
use chorus_store::{AgentProfile, Error, NotificationDigest, Outcome, Reads, Result, Tx};

use crate::{
    Call,
    tracker::{self, IdeaLine},
};

/// Most ideas that a check-in shows.
pub const MAX_IDEAS: usize = 10;

/// Ideas read at a time; more than are shown, since themes that are done fall out.
const STEP: u32 = 20;

/// Most notifications that a check-in shows.
pub const MAX_NOTIFICATIONS: u32 = 5;

/// What an agent learns when it checks in.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkin {
    /// Who it is.
    pub profile: AgentProfile,
    /// What it and its owner are at, latest updated first, at most [`MAX_IDEAS`].
    pub ideas: Vec<IdeaLine>,
    /// How many notifications are unread once those shown are read.
    pub unread: u64,
    /// The newest unread notifications, at most [`MAX_NOTIFICATIONS`].
    pub recent: Vec<Notification>,
}

/// An agent announces itself. The notifications shown become read, unless no books are kept. Not narrowed by what the client asked for
/// (tool guide §5).
///
/// # Errors
/// `forbidden` for a person, `Internal` if the agent is gone.
pub async fn checkin(call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Checkin>> {
    let Subject::Agent(agent) = call.caller.subject else {
        return Err(Refusal::new(Code::Forbidden, "Only agents check in; call with the key of an agent.").into());
    };
    let profile = tx.directory().profile(agent, fresh_since(call.now)).await?;
    let profile = profile.ok_or_else(|| Error::internal("the calling agent is gone"))?;
    let ideas = ideas(call, tx).await?;
    let digest = tx.unread(&call.scope, call.party()?, MAX_NOTIFICATIONS).await?;
    let NotificationDigest { unread, recent } = digest;
    if !call.keeps_books() {
        return Ok(Outcome { batch: Batch::default(), answer: Checkin { profile, ideas, unread, recent } });
    }
    let shown: Vec<NotificationId> = recent.iter().map(|notification| notification.id).collect();
    let unread = unread.saturating_sub(shown.len() as u64);
    let mut writes = vec![Write::TouchAgent(agent, call.now)];
    if !shown.is_empty() {
        writes.push(Write::MarkRead(shown, call.now));
    }
    let mut batch = Batch { writes, ..Batch::default() };
    // Whoever made it waits for it to come in; after that its coming is no news.
    if profile.agent.last_active_at.is_none() {
        batch.events.push(call.company_event(Kind::Agent, agent.uuid(), Change::Updated));
    }
    Ok(Outcome { batch, answer: Checkin { profile, ideas, unread, recent } })
}

async fn ideas(call: &Call, reads: &mut dyn Reads) -> Result<Vec<IdeaLine>> {
    let holders = tracker::holders(call)?;
    let mut ideas = Vec::new();
    let mut after = None;
    loop {
        let part = tracker::ideas(reads, &call.scope, &holders, after, STEP).await?;
        ideas.extend(part.rows.into_iter().map(|row| row.item));
        after = part.next;
        if ideas.len() >= MAX_IDEAS || after.is_none() {
            ideas.truncate(MAX_IDEAS);
            return Ok(ideas);
        }
    }
}
