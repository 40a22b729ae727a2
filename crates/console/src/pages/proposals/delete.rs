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
    pages::deletion::{Deletion, DeletionForm},
};

/// `GET /projects/{project}/proposals/{proposal}/delete`.
pub(crate) async fn delete(desk: &Desk) -> Result<Answer, Fault> {
    let id: ProposalId = desk.id("proposal")?;
    let mut reading = desk.read_about(Kind::Proposal, id.uuid(), Need::Editor).await?;
    let (call, reads) = reading.parts();
    let gone = found(impact(call, reads, id).await)?;
    let project = reading.call.granted.project_of(Kind::Proposal, id.uuid()).ok_or(Fault::Missing)?;
    let f = desk.project_frame(&reading, desk.say("proposal-delete-title"), Tab::Proposals);
    let page = Deletion {
        name: gone.title,
        status: None,
        text: f.t("work-delete-goes").into_owned(),
        goes: vec![
            f.t("proposal-delete-drafts").into_owned(),
            f.tn("work-count-comments", &gone.hanging.comments),
            f.tn("work-count-references", &gone.hanging.references),
        ],
        concerned: None,
        beside: vec![f.tn("work-stays-activities", &gone.hanging.activities)],
        form: DeletionForm {
            tool: "console_delete_proposal",
            field: "proposalUuid",
            id: id.uuid(),
            done: "done-work-deleted",
        },
        go: f.t("work-delete-for-good").into_owned(),
        next: format!("/projects/{project}/proposals"),
        back: format!("/projects/{project}/proposals/{id}"),
        f,
    };
    answer::page(StatusCode::OK, &page)
}
