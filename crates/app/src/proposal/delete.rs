//! Deleting a proposal that nothing came of.

use chorus_domain::{
    Batch, Kind, Write,
    event::Change,
    proposal::{self as decide, Proposal},
};
use chorus_ids::ProposalId;
use chorus_store::{Outcome, Reads, Result, Tx};

use super::load;
use crate::{
    Call,
    deletion::{Deleted, Kept, gone},
};

/// What would go with a proposal, as things are now.
///
/// # Errors
/// Not found; see [`decide::deletable`].
pub async fn impact(call: &Call, reads: &mut dyn Reads, id: ProposalId) -> Result<Deleted> {
    Ok(going(call, reads, id).await?.1)
}

async fn going(call: &Call, reads: &mut dyn Reads, id: ProposalId) -> Result<(Proposal, Deleted)> {
    let proposal = decide::deletable(load(call, reads, id).await?)?;
    let hanging = reads.directory().hanging(Kind::Proposal, id.uuid()).await?;
    let title = proposal.title.clone();
    Ok((proposal, Deleted { kind: Kind::Proposal, id: id.uuid(), title, hanging, kept: Kept::default() }))
}

/// Deletes a proposal with its drafts and what hangs on it. Tasks that an approval made before it was taken back stay
/// closed. Whoever wrote it is told.
///
/// # Errors
/// Not found; see [`decide::deletable`].
pub async fn delete(call: &Call, tx: &mut dyn Tx, id: ProposalId) -> Result<Outcome<Deleted>> {
    let (Proposal { project, created_by, .. }, answer) = going(call, tx, id).await?;
    let batch = Batch {
        writes: vec![Write::DropProposal(id), Write::ArchiveAbout(Kind::Proposal, vec![id.uuid()], call.now)],
        notices: vec![gone(call, project, (created_by, "wrote"), (Kind::Proposal, &answer.title))?],
        events: vec![call.event(project, Kind::Proposal, id.uuid(), Change::Deleted)],
        ..Batch::default()
    };
    Ok(Outcome { batch, answer })
}
