//! Pages from which documents are made, changed and deleted.

use askama::Template;
use chorus_app::document::write::impact;
use chorus_domain::{Kind, document::Document};
use chorus_ids::{DocumentId, ProjectId};
use chorus_lifecycle::document::DocumentType;
use chorus_visibility::Need;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Tab},
    pages::deletion::{Deletion, counted},
};

#[derive(Template)]
#[template(path = "documents/fresh.html")]
struct Fresh {
    f: Frame,
    project: ProjectId,
}

#[derive(Template)]
#[template(path = "documents/edit.html")]
struct Edit {
    f: Frame,
    project: ProjectId,
    document: Document,
}

impl Fresh {
    /// What people write; reports are written by agents.
    fn kinds(&self) -> Vec<&'static str> {
        DocumentType::ALL.into_iter().filter(|kind| *kind != DocumentType::Report).map(DocumentType::as_str).collect()
    }
}

/// `GET /projects/{project}/documents/new`.
pub(crate) async fn fresh(desk: &Desk) -> Result<Answer, Fault> {
    let project: ProjectId = desk.id("project")?;
    let reading = desk.read_about(Kind::Project, project.uuid(), Need::Editor).await?;
    let f = desk.project_frame(&reading, desk.say("document-new-title"), Tab::Documents);
    answer::page(StatusCode::OK, &Fresh { f, project })
}

/// `GET /projects/{project}/documents/{document}/edit`.
pub(crate) async fn edit(desk: &Desk) -> Result<Answer, Fault> {
    let id: DocumentId = desk.id("document")?;
    let mut reading = desk.read_about(Kind::Document, id.uuid(), Need::Editor).await?;
    let (call, reads) = reading.parts();
    let document = found(chorus_app::document::read(call, reads, id).await)?;
    let f = desk.project_frame(&reading, desk.say("document-edit-title"), Tab::Documents);
    answer::page(StatusCode::OK, &Edit { f, project: document.project, document })
}

/// `GET /projects/{project}/documents/{document}/delete`.
pub(crate) async fn delete(desk: &Desk) -> Result<Answer, Fault> {
    let id: DocumentId = desk.id("document")?;
    let mut reading = desk.read_about(Kind::Document, id.uuid(), Need::Editor).await?;
    let (call, reads) = reading.parts();
    let gone = found(impact(call, reads, id).await)?;
    let project = reading.call.granted.project_of(Kind::Document, id.uuid()).ok_or(Fault::Missing)?;
    let f = desk.project_frame(&reading, desk.say("document-delete-title"), Tab::Documents);
    let counts = [("work-count-versions", gone.hanging.versions), ("work-count-comments", gone.hanging.comments)];
    let goes = counted(&f, &counts);
    let beside = counted(&f, &[("work-delete-keeps-proposals", gone.kept.proposals as u64)]);
    let form = ("chorus_admin_delete_document", "documentUuid", id.uuid());
    let page = Deletion::of_piece(f, (gone.title, goes), beside, (project, "/documents", "/documents"), form);
    answer::page(StatusCode::OK, &page)
}
