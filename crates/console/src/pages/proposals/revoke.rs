//! `GET /projects/{project}/proposals/{proposal}/revoke`: what taking an approval back would undo.

use askama::Template;
use chorus_app::proposal::ending::{Undoing, undoing};
use chorus_domain::{Kind, proposal::Proposal};
use chorus_ids::ProposalId;
use chorus_lifecycle::proposal::ProposalStatus;
use chorus_visibility::Need;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Tab},
};

/// Titles that are listed; the others are counted.
const LISTED: usize = 50;

#[derive(Template)]
#[template(path = "proposals/revoke.html")]
struct Revoke {
    f: Frame,
    proposal: Proposal,
    undoing: Undoing,
}

impl Revoke {
    fn path(&self) -> String {
        format!("/projects/{}/proposals/{}", self.proposal.project, self.proposal.id)
    }

    fn closed(&self) -> u64 {
        self.undoing.closed.len() as u64
    }

    fn deleted(&self) -> u64 {
        self.undoing.deleted.len() as u64
    }

    /// The titles of what is closed and of what is deleted, as far as they are listed.
    fn titles(&self) -> (Vec<&str>, Vec<&str>) {
        let closed = self.undoing.closed.iter().map(|(_, title, _)| title.as_str()).take(LISTED);
        let deleted = self.undoing.deleted.iter().map(|(_, title)| title.as_str()).take(LISTED);
        (closed.collect(), deleted.collect())
    }
}

/// `GET /projects/{project}/proposals/{proposal}/revoke`.
pub(crate) async fn revoke(desk: &Desk) -> Result<Answer, Fault> {
    let id: ProposalId = desk.id("proposal")?;
    let mut reading = desk.read_about(Kind::Proposal, id.uuid(), Need::Editor).await?;
    let (call, reads) = reading.parts();
    let proposal = reads.proposal(&call.scope, id).await?.ok_or(Fault::Missing)?;
    if proposal.status != ProposalStatus::Approved {
        return Ok(answer::see_other(&format!("/projects/{}/proposals/{id}", proposal.project)));
    }
    let undoing = found(undoing(call, reads, &proposal).await)?;
    let f = desk.project_frame(&reading, desk.say("proposal-revoke-title"), Tab::Proposals);
    answer::page(StatusCode::OK, &Revoke { f, proposal, undoing })
}
