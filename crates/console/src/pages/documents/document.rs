//! `GET /projects/{project}/documents` and `/{document}`: what a project has written down.

use askama::Template;
use chorus_app::document::{self as app, history};
use chorus_domain::{Kind, Party};
use chorus_ids::{DocumentId, ProjectId, ProposalId, Timestamp};
use chorus_lifecycle::document::DocumentType;
use chorus_visibility::Need;
use http::StatusCode;

use super::compare::{Comparison, Line, compare};
use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Tab},
    html::Html,
    pages::{names::Names, talk::Talk},
    paging::{self, Paging},
};

#[derive(Template)]
#[template(path = "documents/list.html")]
struct List {
    f: Frame,
    project: ProjectId,
    kind: Option<&'static str>,
    rows: Vec<Row>,
    paging: Paging,
}

struct Row {
    id: DocumentId,
    title: String,
    kind: &'static str,
    by: String,
    updated: Timestamp,
    version: i32,
}

impl List {
    fn kinds(&self) -> [&'static str; 6] {
        DocumentType::ALL.map(DocumentType::as_str)
    }

    fn is_kind(&self, kind: &str) -> bool {
        self.kind == Some(kind)
    }
}

/// `GET /projects/{project}/documents`; `?type=adr` has those of one type.
pub(crate) async fn documents(desk: &Desk) -> Result<Answer, Fault> {
    let project: ProjectId = desk.id("project")?;
    let mut reading = desk.read_about(Kind::Project, project.uuid(), Need::Viewer).await?;
    let kind = desk.query.get("type").and_then(|word| word.parse::<DocumentType>().ok());
    let (call, reads) = reading.parts();
    let listed = app::list(call, reads, (project, kind), &paging::request(&desk.query)).await?;
    let makers: Vec<Party> = listed.rows.iter().map(|row| row.item.created_by).collect();
    let names = Names::of(&mut reading, makers).await?;
    let paging = Paging::of(desk, &listed);
    let rows = listed.rows.into_iter().map(|row| Row {
        id: row.item.id,
        kind: row.item.kind.as_str(),
        by: names.get(row.item.created_by),
        updated: row.item.updated_at,
        version: row.item.version,
        title: row.item.title,
    });
    let rows = rows.collect();
    let f = desk.project_frame(&reading, desk.say("tab-documents"), Tab::Documents);
    answer::page(StatusCode::OK, &List { f, project, kind: kind.map(DocumentType::as_str), rows, paging })
}

#[derive(Template)]
#[template(path = "documents/document.html")]
struct DocumentPage {
    f: Frame,
    project: ProjectId,
    id: DocumentId,
    path: String,
    kind: &'static str,
    content: Option<Html>,
    version: i32,
    latest: i32,
    created_by: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The proposal that it comes from, while there is one.
    proposal: Option<(ProposalId, String)>,
    versions: Vec<Version>,
    /// The version whose list of versions goes on before this one's.
    earlier: Option<i32>,
    comparison: Option<Comparison>,
    talk: Talk,
}

/// A version of a document.
struct Version {
    version: i32,
    title: String,
    by: Option<String>,
    at: Option<Timestamp>,
}

/// `GET /projects/{project}/documents/{document}`; `?version=3` is what it said then, with what had changed.
pub(crate) async fn document(desk: &Desk) -> Result<Answer, Fault> {
    let (given, id): (ProjectId, DocumentId) = (desk.id("project")?, desk.id("document")?);
    let mut reading = desk.read_about(Kind::Document, id.uuid(), Need::Viewer).await?;
    let asked = match desk.query.get("version") {
        Some(text) => Some(text.parse::<i32>().map_err(|_| Fault::Missing)?),
        None => None,
    };
    let (call, reads) = reading.parts();
    let at = found(history::at_version(call, reads, id, asked).await)?;
    let (shown, latest) = (at.document, at.latest);
    let project = shown.project;
    if project != given {
        return Ok(answer::see_other(&format!("/projects/{project}/documents/{id}")));
    }
    let comparison = match asked {
        Some(version) if version > 1 => {
            let before = reads.past_version(&call.scope, id, version - 1).await?;
            before.map(|before| {
                compare(before.content.as_deref().unwrap_or_default(), shown.content.as_deref().unwrap_or_default())
            })
        }
        Some(_) | None => None,
    };
    let proposal = match shown.proposal {
        Some(proposal) => reads.proposal(&call.scope, proposal).await?,
        None => None,
    };
    let path = format!("/projects/{project}/documents/{id}");
    let talk = Talk::load(desk, &mut reading, (Kind::Document, id.uuid()), (project, &path)).await?;
    let writers: Vec<Party> = at.versions.iter().filter_map(|version| version.by).chain([shown.created_by]).collect();
    let names = Names::of(&mut reading, writers).await?;
    let versions: Vec<Version> = at
        .versions
        .into_iter()
        .map(|entry| Version {
            version: entry.version,
            title: entry.title,
            by: entry.by.map(|by| names.get(by)),
            at: entry.at,
        })
        .collect();
    let f = desk.project_frame(&reading, &*shown.title, Tab::Documents);
    let page = DocumentPage {
        project,
        id,
        kind: shown.kind.as_str(),
        content: shown.content.as_deref().map(|text| f.md(text)),
        version: shown.version,
        latest,
        created_by: names.get(shown.created_by),
        created_at: shown.created_at,
        updated_at: shown.updated_at,
        proposal: proposal.map(|proposal| (proposal.id, proposal.title)),
        earlier: versions.last().map(|entry| entry.version - 1).filter(|version| *version >= 1),
        versions,
        comparison,
        talk,
        path,
        f,
    };
    answer::page(StatusCode::OK, &page)
}
