//! Tools that make, change and delete documents.

use async_trait::async_trait;
use chorus_app::{Call, document::write as documents};
use chorus_dispatch::{Access, At, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::{
    Code, Kind,
    document::{DocumentEdit, DocumentForm},
};
use chorus_ids::{DocumentId, ProjectId, ProposalId, Uuid};
use chorus_lifecycle::document::DocumentType;
use chorus_permissions::{DOCUMENT_ADMIN, DOCUMENT_WRITE};
use chorus_store::{Hold, Outcome, Result, Tx};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{tools::deleted::DeletedView, words};

/// Makes a document.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CreateDocument {
    /// The project it belongs to.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// What kind of document it is.
    #[serde(rename = "type")]
    #[schemars(schema_with = "words::plain_document_type")]
    kind: DocumentType,
    /// A short title, not blank, at most 500 characters.
    title: String,
    /// The text in Markdown.
    content: Option<String>,
    /// A proposal of the same project that it belongs to.
    #[schemars(with = "Option<Uuid>")]
    proposal_uuid: Option<ProposalId>,
}

/// A new document.
#[derive(Serialize, JsonSchema)]
struct CreatedDocument {
    uuid: Uuid,
    title: String,
    #[serde(rename = "type")]
    kind: &'static str,
    version: i32,
}

#[async_trait]
impl WriteTool for CreateDocument {
    type Output = CreatedDocument;

    async fn run(self, call: &Call, _tx: &mut dyn Tx) -> Result<Outcome<CreatedDocument>> {
        let Self { project_uuid, kind, title, content, proposal_uuid } = self;
        let form = DocumentForm { kind, title, content, proposal: proposal_uuid };
        Ok(documents::create(call, project_uuid, form)?.map(|made| CreatedDocument {
            uuid: made.id.uuid(),
            title: made.title,
            kind: made.kind.as_str(),
            version: made.version,
        }))
    }
}

/// Changes a document.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UpdateDocument {
    /// The document to change.
    #[schemars(with = "Uuid")]
    document_uuid: DocumentId,
    /// Another title.
    title: Option<String>,
    /// The whole new text; an empty one clears it.
    content: Option<String>,
    /// Refuse unless the document is at this version.
    #[schemars(range(min = 1))]
    expected_version: Option<i32>,
}

/// A document after a change.
#[derive(Serialize, JsonSchema)]
struct UpdatedDocument {
    uuid: Uuid,
    version: i32,
}

#[async_trait]
impl WriteTool for UpdateDocument {
    type Output = UpdatedDocument;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<UpdatedDocument>> {
        let edit = DocumentEdit { title: self.title, content: self.content };
        let outcome = documents::update(call, tx, self.document_uuid, (edit, self.expected_version)).await?;
        Ok(outcome.map(|document| UpdatedDocument { uuid: document.id.uuid(), version: document.version }))
    }
}

/// Deletes a document.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeleteDocument {
    /// The document to delete.
    #[schemars(with = "Uuid")]
    document_uuid: DocumentId,
}

#[async_trait]
impl WriteTool for DeleteDocument {
    type Output = DeletedView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<DeletedView>> {
        Ok(documents::delete(call, tx, self.document_uuid).await?.map(DeletedView::of))
    }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_pm_create_document",
        family: "document",
        title: "Create a document",
        description: "Put a document into a project directly. One that needs approval is drafted in a proposal \
                      (chorus_pm_add_document_draft); a completion report is written with chorus_create_report.",
        requirement: Requirement::bit(DOCUMENT_WRITE),
        access: Access::resource(&[
            At::id("projectUuid", Kind::Project, Need::Editor),
            At::id("proposalUuid", Kind::Proposal, Need::Editor).inside("projectUuid").held(Hold::Share),
        ]),
        hints: Hints::ADDS,
        refuses: &[],
        example: r#"{
            "projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001",
            "type": "adr",
            "title": "Why SQLite",
            "content": "We need a database without a server."
        }"#,
        run: write::<CreateDocument>(),
    },
    Tool {
        name: "chorus_pm_update_document",
        family: "document",
        title: "Change a document",
        description: "Change a document's title or text, whichever you name. Its version rises by one if that changes \
                      something; what it said before stays readable (chorus_get_document with `version`). Send the \
                      version you read as `expectedVersion`, so as not to overwrite somebody else's change.",
        requirement: Requirement::bit(DOCUMENT_WRITE),
        access: Access::resource(&[At::id("documentUuid", Kind::Document, Need::Editor).held(Hold::Own)]),
        hints: Hints::SETS,
        refuses: &[(Code::PreconditionFailed, "`expectedVersion` is not the current version")],
        example: r#"{
            "documentUuid": "0192f3a0-7d4c-7b1e-9a55-000000000005",
            "content": "We need a database without a server, and backups while it runs.",
            "expectedVersion": 1
        }"#,
        run: write::<UpdateDocument>(),
    },
    Tool {
        name: "chorus_admin_delete_document",
        family: "document",
        title: "Delete a document",
        description: "Delete a document for good, with all its versions and comments; the answer counts what went. \
                      Proposals that were made from it stay.",
        requirement: Requirement::bit(DOCUMENT_ADMIN),
        access: Access::resource(&[At::id("documentUuid", Kind::Document, Need::Editor)
            .held(Hold::Remove)
            .owning_project()]),
        hints: Hints::ENDS,
        refuses: &[],
        example: r#"{"documentUuid": "0192f3a0-7d4c-7b1e-9a55-000000000005"}"#,
        run: write::<DeleteDocument>(),
    },
];
