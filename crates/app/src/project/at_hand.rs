//! Which projects a person has at hand.

use chorus_domain::{Batch, Code, Party, Refusal, Write};
use chorus_ids::{ProjectId, UserId};
use chorus_store::{AtHand, Outcome, Reads, Result};

use crate::Call;

/// The projects that the person who calls pinned or opened last, at most `limit`.
///
/// # Errors
/// `forbidden` for an agent, which has none.
pub async fn list(call: &Call, reads: &mut dyn Reads, limit: u32) -> Result<Vec<AtHand>> {
    let user = person(call)?;
    reads.at_hand(&call.scope, user, limit).await
}

/// Pins a project for the person who calls, or unpins it. It is nobody else's business, so that no stream tells of it.
///
/// # Errors
/// `forbidden` for an agent.
pub fn pin(call: &Call, project: ProjectId, pinned: bool) -> Result<Outcome<()>> {
    let user = person(call)?;
    let write = if pinned { Write::PinProject(user, project, call.now) } else { Write::UnpinProject(user, project) };
    Ok(Outcome { batch: Batch { writes: vec![write], ..Batch::default() }, answer: () })
}

fn person(call: &Call) -> Result<UserId> {
    match call.party()? {
        Party::User(user) => Ok(user),
        Party::Agent(_) => Err(Refusal::new(Code::Forbidden, "Only people pin projects.").into()),
    }
}
