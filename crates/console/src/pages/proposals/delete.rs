//! `GET /projects/{project}/proposals/{proposal}/delete`: what goes with a proposal.

use chorus_app::proposal::delete::impact;
use chorus_domain::Kind;
use chorus_ids::ProposalId;
use chorus_visibility::Need;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::Tab,
    pages::deletion::{Deletion, counted},
};

/// `GET /projects/{project}/proposals/{proposal}/delete`.
pub(crate) async fn delete(desk: &Desk) -> Result<Answer, Fault> {
    let id: ProposalId = desk.id("proposal")?;
    let mut reading = desk.read_about(Kind::Proposal, id.uuid(), Need::Editor).await?;
    let (call, reads) = reading.parts();
    let gone = found(impact(call, reads, id).await)?;
    let project = reading.call.granted.project_of(Kind::Proposal, id.uuid()).ok_or(Fault::Missing)?;
    let f = desk.project_frame(&reading, desk.say("proposal-delete-title"), Tab::Proposals);
    let mut goes = vec![f.t("proposal-delete-drafts").into_owned()];
    let counts = [("work-count-comments", gone.hanging.comments), ("work-count-references", gone.hanging.references)];
    goes.extend(counted(&f, &counts));
    let beside = counted(&f, &[("work-stays-activities", gone.hanging.activities)]);
    let form = ("console_delete_proposal", "proposalUuid", id.uuid());
    let page = Deletion::of_piece(f, (gone.title, goes), beside, (project, "/proposals", "/proposals"), form);
    answer::page(StatusCode::OK, &page)
}
