//! Tools for documents and completion reports.

pub mod write;

use async_trait::async_trait;
use chorus_app::{
    Call,
    document::{
        self,
        history::{self, AtVersion, VersionEntry},
    },
};
use chorus_dispatch::{
    Access, At, Expand, Hints, ListTool, ReadTool, Requirement, Tool, WriteTool,
    tool::{list, read, write},
};
use chorus_domain::{
    Code, Kind,
    document::{Another, Document, ReportForm},
};
use chorus_ids::{DocumentId, ProjectId, ProposalId, Timestamp, Uuid};
use chorus_lifecycle::document::{DocumentType, FIRST_VERSION};
use chorus_permissions::DOCUMENT_WRITE;
use chorus_store::{Hold, Outcome, Page, PageRequest, Reads, Result, Row, Tx};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    view::{ActorView, Names, ProjectRef, row_title},
    words,
};

/// Reads a document.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetDocument {
    /// The document to read.
    #[schemars(with = "Uuid")]
    document_uuid: DocumentId,
    /// An older version to read instead of the newest; they count from 1.
    #[schemars(range(min = 1))]
    version: Option<i32>,
}

/// A document with its text.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentView {
    uuid: Uuid,
    #[serde(rename = "type")]
    kind: &'static str,
    title: String,
    content: Option<String>,
    version: i32,
    proposal_uuid: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<ProjectRef>,
    created_by: Option<ActorView>,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

impl DocumentView {
    /// The document; its project is left out where it is told elsewhere in the answer.
    pub(crate) fn of(document: Document, project: Option<ProjectRef>, names: &Names) -> Self {
        Self {
            uuid: document.id.uuid(),
            kind: document.kind.as_str(),
            title: document.title,
            content: document.content,
            version: document.version,
            proposal_uuid: document.proposal.map(|proposal| proposal.uuid()),
            project,
            created_by: names.actor(document.created_by),
            created_at: document.created_at,
            updated_at: document.updated_at,
        }
    }
}

/// A document at one of its versions; of one that never changed, no versions are listed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentAtVersion {
    #[serde(flatten)]
    document: DocumentView,
    #[serde(skip_serializing_if = "Option::is_none")]
    latest_version: Option<i32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    versions: Vec<VersionView>,
}

/// A version of a document.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct VersionView {
    version: i32,
    title: String,
    written_by: Option<ActorView>,
    #[schemars(with = "Option<String>")]
    written_at: Option<Timestamp>,
}

impl VersionView {
    fn of(entry: VersionEntry, names: &Names) -> Self {
        Self {
            version: entry.version,
            title: row_title(&entry.title),
            written_by: entry.by.and_then(|by| names.actor(by)),
            written_at: entry.at,
        }
    }
}

#[async_trait]
impl ReadTool for GetDocument {
    type Output = DocumentAtVersion;

    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<DocumentAtVersion> {
        let read = history::at_version(call, reads, self.document_uuid, self.version).await?;
        let AtVersion { document, latest, versions } = read;
        let people = versions.iter().filter_map(|entry| entry.by).chain([document.created_by]);
        let names = Names::load(reads, &call.scope, people).await?;
        let project = ProjectRef { uuid: document.project, name: call.project(document.project)?.name.clone() };
        let versions = if latest > FIRST_VERSION { versions } else { Vec::new() };
        Ok(DocumentAtVersion {
            document: DocumentView::of(document, Some(project), &names),
            latest_version: (latest > FIRST_VERSION).then_some(latest),
            versions: versions.into_iter().map(|entry| VersionView::of(entry, &names)).collect(),
        })
    }
}

/// Lists documents.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetDocuments {
    /// The project whose documents are listed.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// Only documents of this type.
    #[serde(default, rename = "type")]
    #[schemars(schema_with = "words::document_type")]
    kind: Option<DocumentType>,
}

/// A document in a list.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentRow {
    uuid: Uuid,
    title: String,
    #[serde(rename = "type")]
    kind: &'static str,
    proposal_uuid: Option<Uuid>,
    project_uuid: Uuid,
    version: i32,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

impl DocumentRow {
    fn of(document: &Document) -> Self {
        Self {
            uuid: document.id.uuid(),
            title: row_title(&document.title),
            kind: document.kind.as_str(),
            proposal_uuid: document.proposal.map(|proposal| proposal.uuid()),
            project_uuid: document.project.uuid(),
            version: document.version,
            created_at: document.created_at,
            updated_at: document.updated_at,
        }
    }
}

#[async_trait]
impl ListTool for GetDocuments {
    type Row = DocumentRow;

    const COLLECTION: &'static str = "documents";

    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<DocumentRow>> {
        let Page { rows, total, more } = document::list(call, reads, (self.project_uuid, self.kind), page).await?;
        let rows = rows.iter().map(|row| Row { at: row.at, item: DocumentRow::of(&row.item) });
        Ok(Page { rows: rows.collect(), total, more })
    }
}

/// Writes a completion report.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateReport {
    /// The approved proposal whose work is reported on.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// A short title, not blank.
    #[schemars(length(min = 1, max = 200))]
    title: String,
    /// Markdown with the level-2 sections Summary, Decisions and Follow-ups, in this order.
    #[schemars(length(min = 1))]
    content: String,
    /// Write another report although the proposal has one.
    #[serde(default)]
    force: bool,
}

/// A new completion report.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedReport {
    document_uuid: Uuid,
    project_uuid: Uuid,
    version: i32,
}

#[async_trait]
impl WriteTool for CreateReport {
    type Output = CreatedReport;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<CreatedReport>> {
        let Self { proposal_uuid, title, content, force } = self;
        let another = if force { Another::Allowed } else { Another::Refused };
        let form = ReportForm { title, content, another };
        Ok(document::create_report(call, tx, proposal_uuid, form).await?.map(|report| CreatedReport {
            document_uuid: report.id.uuid(),
            project_uuid: report.project.uuid(),
            version: report.version,
        }))
    }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_get_documents",
        family: "document",
        title: "List documents",
        description: "List a project's documents, latest updated first, without their texts. Read one with \
                      chorus_get_document.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("projectUuid", Kind::Project, Need::Viewer)]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001", "type": "tech_design"}"#,
        run: list::<GetDocuments>(),
    },
    Tool {
        name: "chorus_get_document",
        family: "document",
        title: "Read a document",
        description: "Read one document with its whole Markdown text, before you build on it. Of one that was changed, \
                      the last versions are listed; read them with `version`.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("documentUuid", Kind::Document, Need::Viewer)]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"documentUuid": "0192f3a0-7d4c-7b1e-9a55-000000000005"}"#,
        run: read::<GetDocument>(),
    },
    Tool {
        name: "chorus_create_report",
        family: "document",
        title: "Write a completion report",
        description: "Store what came of an approved proposal, once its tasks are finished: a document of type \
                      `report`, told to those behind the idea. A proposal has one report, unless `force` is true.",
        requirement: Requirement::bit(DOCUMENT_WRITE),
        access: Access::resource(&[
            At::id("proposalUuid", Kind::Proposal, Need::Editor).held(Hold::Own),
            At::Via { path: "proposalUuid", expand: Expand::HeldInputs },
        ]),
        hints: Hints::ADDS,
        refuses: &[
            (Code::InvalidState, "the proposal is not approved"),
            (Code::PreconditionFailed, "it has a report; `force` adds another"),
        ],
        example: r#"{
            "proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004",
            "title": "Offline editing is done",
            "content": "Edits survive the train.\n## Summary\n...\n## Decisions\n...\n## Follow-ups\n..."
        }"#,
        run: write::<CreateReport>(),
    },
];

#[cfg(test)]
mod tests {
    use chorus_domain::Party;
    use chorus_ids::{AgentId, CompanyId};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_is_shown_whole_and_listed_without_its_text() {
        let now = Timestamp::from_micros(1_796_062_951_123_000);
        let document = Document {
            id: DocumentId::from_u128(0xa),
            company: CompanyId::from_u128(1),
            project: ProjectId::from_u128(0xb),
            kind: DocumentType::TechDesign,
            title: "Design".into(),
            content: Some("text".into()),
            version: 3,
            proposal: None,
            created_by: Party::Agent(AgentId::from_u128(2)),
            created_at: now,
            updated_at: now,
        };
        assert_eq!(
            serde_json::to_value(DocumentRow::of(&document)).unwrap_or_default(),
            json!({
                "uuid": "00000000-0000-0000-0000-00000000000a", "title": "Design", "type": "tech_design",
                "proposalUuid": null, "projectUuid": "00000000-0000-0000-0000-00000000000b", "version": 3,
                "createdAt": "2026-11-30T18:22:31.123Z", "updatedAt": "2026-11-30T18:22:31.123Z"
            })
        );
        let project = ProjectRef { uuid: document.project, name: "Project".into() };
        assert_eq!(
            serde_json::to_value(DocumentView::of(document, Some(project), &Names::default())).unwrap_or_default(),
            json!({
                "uuid": "00000000-0000-0000-0000-00000000000a", "type": "tech_design", "title": "Design",
                "content": "text", "version": 3, "proposalUuid": null,
                "project": {"uuid": "00000000-0000-0000-0000-00000000000b", "name": "Project"}, "createdBy": null,
                "createdAt": "2026-11-30T18:22:31.123Z", "updatedAt": "2026-11-30T18:22:31.123Z"
            })
        );
    }
}
