//! `GET /projects/{project}/settings/delete`: what goes with a project, before it goes.

use askama::Template;
use chorus_app::project::manage::contents;
use chorus_domain::Kind;
use chorus_ids::ProjectId;
use chorus_store::Contents;
use chorus_visibility::Need;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Tab},
};

#[derive(Template)]
#[template(path = "projects/delete.html")]
struct Delete {
    f: Frame,
    id: ProjectId,
    name: String,
    contents: Contents,
}

/// `GET /projects/{project}/settings/delete`.
pub(crate) async fn delete(desk: &Desk) -> Result<Answer, Fault> {
    let id: ProjectId = desk.id("project")?;
    let mut reading = desk.read_about(Kind::Project, desk.uuid("project")?, Need::Manage).await?;
    let (call, reads) = reading.parts();
    let contents = found(contents(call, reads, id).await)?;
    let name = found(reading.call.project(id).cloned())?.name;
    let f = desk.project_frame(&reading, desk.say("project-delete"), Tab::Settings);
    answer::page(StatusCode::OK, &Delete { f, id, name, contents })
}
