//! Tools for proposals and their drafts.

pub mod ending;
pub mod redraft;
mod show;

use async_trait::async_trait;
use chorus_app::{
    Call,
    proposal::{self, Approved, Created, DraftEdit, ProposalIndex, Section},
};
use chorus_dispatch::{
    Access, At, Expand, Hints, ListTool, ReadTool, Requirement, Tool, WriteTool, schema,
    tool::{list, read, write},
};
use chorus_domain::{
    Code, Kind,
    proposal::{CriterionDraft, ProposalForm, TaskDraftForm},
};
use chorus_ids::{DraftId, ProjectId, ProposalId, Uuid};
use chorus_lifecycle::{
    document::DocumentType,
    proposal::{InputType, Issue, ProposalStatus, is_valid},
    task::Priority,
};
use chorus_permissions::{PROPOSAL_ADMIN, PROPOSAL_WRITE};
use chorus_store::{Hold, Outcome, Page, PageRequest, Reads, Result, Row, Tx};
use chorus_visibility::Need;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::{
    tools::reference::{ReferenceError, ReferenceInput, forms},
    words,
};
use show::{Basic, ProposalRow, SectionView};

/// Makes a proposal.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateProposal {
    /// The project it belongs to, and where its tasks and documents will be.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// A short title, not blank, at most 500 characters.
    title: String,
    /// What is proposed and why, in Markdown.
    description: Option<String>,
    /// What `inputUuids` are.
    #[schemars(schema_with = "words::input_type")]
    input_type: InputType,
    /// What it is made from; may lie in other projects that you see. Ideas must be assigned to you and be no themes.
    #[schemars(with = "Vec<Uuid>", length(max = 100))]
    input_uuids: Vec<Uuid>,
    /// Links that back it.
    references: Option<Vec<ReferenceInput>>,
}

/// A new proposal.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedProposal {
    #[serde(flatten)]
    proposal: Basic,
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reference_errors: Vec<ReferenceError>,
}

#[async_trait]
impl WriteTool for CreateProposal {
    type Output = CreatedProposal;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<CreatedProposal>> {
        let Self { project_uuid, title, description, input_type, input_uuids, references } = self;
        let form = ProposalForm { title, description, input_type, inputs: input_uuids };
        let Outcome { batch, answer } = proposal::create(call, tx, project_uuid, form, forms(references)).await?;
        let Created { proposal, warnings, references, skipped } = answer;
        let index = ProposalIndex { proposal, documents: Vec::new(), tasks: Vec::new() };
        let answer = CreatedProposal {
            proposal: Basic::with(call, tx, index, references).await?,
            warnings,
            reference_errors: skipped.into_iter().map(ReferenceError::of).collect(),
        };
        Ok(Outcome { batch, answer })
    }
}

/// Adds a document draft.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddDocumentDraft {
    /// The proposal; it must be `draft`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// What kind of document it becomes.
    #[serde(rename = "type")]
    #[schemars(schema_with = "words::document_type")]
    kind: DocumentType,
    /// A short title, not blank, at most 500 characters.
    title: String,
    /// The text in Markdown; validation wants at least 100 characters.
    content: String,
}

/// A draft that was added, changed or removed, and its proposal. The title is optional where there may be no such draft.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DraftAnswer<T> {
    proposal_uuid: Uuid,
    action: &'static str,
    draft_uuid: Uuid,
    draft_title: T,
    proposal: Basic,
}

impl<T> DraftAnswer<T> {
    async fn load(
        call: &Call,
        reads: &mut dyn Reads,
        action: &'static str,
        edited: Outcome<DraftEdit<T>>,
    ) -> Result<Outcome<Self>> {
        let Outcome { batch, answer: DraftEdit { draft, title, proposal } } = edited;
        let answer = Self {
            proposal_uuid: proposal.proposal.id.uuid(),
            action,
            draft_uuid: draft.uuid(),
            draft_title: title,
            proposal: Basic::load(call, reads, proposal).await?,
        };
        Ok(Outcome { batch, answer })
    }
}

#[async_trait]
impl WriteTool for AddDocumentDraft {
    type Output = DraftAnswer<String>;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<DraftAnswer<String>>> {
        let said = (self.kind, self.title, self.content);
        let added = proposal::add_document_draft(call, tx, self.proposal_uuid, said).await?;
        DraftAnswer::load(call, tx, "document_draft_added", added).await
    }
}

/// Adds a task draft.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddTaskDraft {
    /// The proposal; it must be `draft`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// A short title, not blank, at most 500 characters.
    title: String,
    /// What is to be done, in Markdown.
    description: Option<String>,
    /// Expected effort in agent hours.
    #[schemars(range(min = 0, max = 1000))]
    story_points: Option<f64>,
    /// How urgent it is; `medium` if left out.
    #[serde(default)]
    #[schemars(schema_with = "words::priority")]
    priority: Option<Priority>,
    /// How to see that the task is done; at least one, blank ones are dropped.
    #[serde(default)]
    acceptance_criteria_items: Vec<CriterionInput>,
    /// Task drafts of the same proposal (their `draftUuid`) that have to be finished first.
    #[serde(default)]
    #[schemars(with = "Vec<Uuid>")]
    depends_on_draft_uuids: Vec<DraftId>,
}

#[derive(Deserialize, JsonSchema)]
struct CriterionInput {
    /// What must hold.
    description: String,
    /// Whether the task can't be verified without it.
    #[serde(default = "yes")]
    required: bool,
}

const fn yes() -> bool {
    true
}

impl From<CriterionInput> for CriterionDraft {
    fn from(CriterionInput { description, required }: CriterionInput) -> Self {
        Self { description, required }
    }
}

#[async_trait]
impl WriteTool for AddTaskDraft {
    type Output = DraftAnswer<String>;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<DraftAnswer<String>>> {
        let form = TaskDraftForm {
            title: self.title,
            description: self.description,
            priority: self.priority,
            story_points: self.story_points,
            criteria: self.acceptance_criteria_items.into_iter().map(CriterionDraft::from).collect(),
            depends_on: self.depends_on_draft_uuids,
        };
        let added = proposal::add_task_draft(call, tx, self.proposal_uuid, form).await?;
        DraftAnswer::load(call, tx, "task_draft_added", added).await
    }
}

/// Checks a proposal.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidateProposal {
    /// The proposal to check, in whatever status.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
}

/// What a proposal lacks.
#[derive(Serialize, JsonSchema)]
pub struct Validation {
    valid: bool,
    issues: Vec<IssueView>,
}

#[derive(Serialize, JsonSchema)]
struct IssueView {
    id: &'static str,
    level: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

impl From<Issue> for IssueView {
    fn from(Issue { id, level, message, field }: Issue) -> Self {
        Self { id, level: level.as_str(), message, field }
    }
}

#[async_trait]
impl ReadTool for ValidateProposal {
    type Output = Validation;

    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<Validation> {
        let issues = proposal::validate(call, reads, self.proposal_uuid).await?;
        Ok(Validation { valid: is_valid(&issues), issues: issues.into_iter().map(IssueView::from).collect() })
    }
}

/// Submits a proposal.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubmitProposal {
    /// The proposal; it must be `draft`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
}

async fn basic(call: &Call, reads: &mut dyn Reads, moved: Outcome<ProposalIndex>) -> Result<Outcome<Basic>> {
    Ok(Outcome { batch: moved.batch, answer: Basic::load(call, reads, moved.answer).await? })
}

#[async_trait]
impl WriteTool for SubmitProposal {
    type Output = Basic;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Basic>> {
        let submitted = proposal::submit(call, tx, self.proposal_uuid).await?;
        basic(call, tx, submitted).await
    }
}

/// Approves a proposal.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApproveProposal {
    /// The proposal; it must be `pending`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// What its maker should know.
    review_note: Option<String>,
}

/// An approved proposal and what came of it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovedProposal {
    #[serde(flatten)]
    proposal: Basic,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<MadeTask>>")]
    materialized_tasks: Vec<MadeTask>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<MadeDocument>>")]
    materialized_documents: Vec<MadeDocument>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MadeTask {
    draft_uuid: Uuid,
    task_uuid: Uuid,
    title: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MadeDocument {
    draft_uuid: Uuid,
    document_uuid: Uuid,
    title: String,
}

#[async_trait]
impl WriteTool for ApproveProposal {
    type Output = ApprovedProposal;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<ApprovedProposal>> {
        let Outcome { batch, answer } = proposal::approve(call, tx, self.proposal_uuid, self.review_note).await?;
        let Approved { proposal, tasks, documents } = answer;
        let answer = ApprovedProposal {
            proposal: Basic::load(call, tx, proposal).await?,
            materialized_tasks: tasks
                .into_iter()
                .map(|(draft, task, title)| MadeTask { draft_uuid: draft.uuid(), task_uuid: task.uuid(), title })
                .collect(),
            materialized_documents: documents
                .into_iter()
                .map(|(draft, made, title)| MadeDocument {
                    draft_uuid: draft.uuid(),
                    document_uuid: made.uuid(),
                    title,
                })
                .collect(),
        };
        Ok(Outcome { batch, answer })
    }
}

/// Rejects a proposal.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RejectProposal {
    /// The proposal; it must be `pending`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// Why, and what should be changed.
    review_note: String,
}

#[async_trait]
impl WriteTool for RejectProposal {
    type Output = Basic;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Basic>> {
        let rejected = proposal::reject(call, tx, self.proposal_uuid, &self.review_note).await?;
        basic(call, tx, rejected).await
    }
}

/// Reads a proposal.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetProposal {
    /// The proposal to read.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// Which part: `basic` has an index of its drafts, the others have the whole drafts.
    #[serde(default)]
    #[schemars(schema_with = "sections")]
    section: SectionName,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SectionName {
    #[default]
    Basic,
    Documents,
    Tasks,
    Full,
}

fn sections(_: &mut SchemaGenerator) -> Schema {
    schema::words(["basic", "documents", "tasks", "full"])
}

impl From<SectionName> for Section {
    fn from(name: SectionName) -> Self {
        match name {
            SectionName::Basic => Self::Basic,
            SectionName::Documents => Self::Documents,
            SectionName::Tasks => Self::Tasks,
            SectionName::Full => Self::Full,
        }
    }
}

#[async_trait]
impl ReadTool for GetProposal {
    type Output = SectionView;

    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<SectionView> {
        let found = proposal::read(call, reads, self.proposal_uuid, self.section.into()).await?;
        SectionView::load(call, reads, found).await
    }
}

/// Lists proposals.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetProposals {
    /// The project whose proposals are listed.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// Only proposals in this status.
    #[serde(default)]
    #[schemars(schema_with = "words::proposal_status")]
    status: Option<ProposalStatus>,
}

#[async_trait]
impl ListTool for GetProposals {
    type Row = ProposalRow;

    const COLLECTION: &'static str = "proposals";

    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<ProposalRow>> {
        let Page { rows, total, more } = proposal::list(call, reads, (self.project_uuid, self.status), page).await?;
        let rows = rows.iter().map(|row| Row { at: row.at, item: ProposalRow::of(&row.item) });
        Ok(Page { rows: rows.collect(), total, more })
    }
}

/// A proposal that is changed.
const PROPOSAL: At = At::id("proposalUuid", Kind::Proposal, Need::Editor).held(Hold::Own);

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_pm_create_proposal",
        family: "proposal",
        title: "Create a proposal",
        description: "Start a `draft` proposal from elaborated ideas of yours, or from documents. Then add drafts with \
                      chorus_pm_add_document_draft and chorus_pm_add_task_draft, check it with \
                      chorus_pm_validate_proposal and hand it in with chorus_pm_submit_proposal.",
        requirement: Requirement::bit(PROPOSAL_WRITE),
        access: Access::resource(&[
            At::id("projectUuid", Kind::Project, Need::Editor),
            At::Typed { kind: "inputType", ids: "inputUuids", need: Need::Viewer, hold: Hold::Share },
        ]),
        hints: Hints::ADDS,
        refuses: &[
            (Code::NotAssignee, "an idea is not held by the calling agent"),
            (Code::PreconditionFailed, "an idea is a theme, or not ready"),
        ],
        example: r#"{
            "projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001",
            "title": "Local copy with merge",
            "inputType": "idea",
            "inputUuids": ["0192f3a0-7d4c-7b1e-9a55-000000000003"]
        }"#,
        run: write::<CreateProposal>(),
    },
    Tool {
        name: "chorus_pm_add_document_draft",
        family: "proposal",
        title: "Add a document draft",
        description: "Add a document draft to a `draft` proposal; it becomes a document on approval. A proposal needs \
                      at least one and should have a `tech_design`.",
        requirement: Requirement::bit(PROPOSAL_WRITE),
        access: Access::resource(&[PROPOSAL]),
        hints: Hints::ADDS,
        refuses: &[(Code::InvalidState, "the proposal is no draft")],
        example: r#"{
            "proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004",
            "type": "tech_design",
            "title": "Merge rules",
            "content": "The later edit of a line wins; the earlier one is kept beside it."
        }"#,
        run: write::<AddDocumentDraft>(),
    },
    Tool {
        name: "chorus_pm_add_task_draft",
        family: "proposal",
        title: "Add a task draft",
        description: "Add a task draft with acceptance criteria to a `draft` proposal; it becomes an open task on \
                      approval. Use the answer's `draftUuid` in `dependsOnDraftUuids` of drafts that have to wait.",
        requirement: Requirement::bit(PROPOSAL_WRITE),
        access: Access::resource(&[
            PROPOSAL,
            At::Part { path: "dependsOnDraftUuids", reason: "drafts are looked up in the proposal at validation" },
        ]),
        hints: Hints::ADDS,
        refuses: &[(Code::InvalidState, "the proposal is no draft")],
        example: r#"{
            "proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004",
            "title": "Write-ahead log",
            "storyPoints": 3,
            "priority": "high",
            "acceptanceCriteriaItems": [{"description": "Edits survive a crash"}]
        }"#,
        run: write::<AddTaskDraft>(),
    },
    Tool {
        name: "chorus_pm_validate_proposal",
        family: "proposal",
        title: "Check a proposal",
        description: "List what a proposal lacks, without changing it. Errors keep it from being submitted and \
                      approved; warnings and infos don't.",
        requirement: Requirement::bit(PROPOSAL_WRITE),
        access: Access::resource(&[
            At::id("proposalUuid", Kind::Proposal, Need::Editor),
            At::Via { path: "proposalUuid", expand: Expand::StoredInputs },
        ]),
        hints: Hints::READ,
        refuses: &[(Code::NotFound, "one of its sources is hidden")],
        example: r#"{"proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004"}"#,
        run: read::<ValidateProposal>(),
    },
    Tool {
        name: "chorus_pm_submit_proposal",
        family: "proposal",
        title: "Submit a proposal",
        description: "Hand a `draft` proposal in for review: it becomes `pending` and can't be edited. Refused with \
                      the list of issues if one is an error. Next: a reviewer calls chorus_admin_approve_proposal or \
                      chorus_pm_reject_proposal.",
        requirement: Requirement::bit(PROPOSAL_WRITE),
        access: Access::resource(&[PROPOSAL, At::Via { path: "proposalUuid", expand: Expand::StoredInputs }]),
        hints: Hints::MOVES,
        refuses: &[
            (Code::InvalidState, "the proposal is no draft"),
            (Code::PreconditionFailed, "validation finds errors; the details list them"),
            (Code::NotFound, "one of its sources is hidden"),
        ],
        example: r#"{"proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004"}"#,
        run: write::<SubmitProposal>(),
    },
    Tool {
        name: "chorus_admin_approve_proposal",
        family: "proposal",
        title: "Approve a proposal",
        description: "Accept a `pending` proposal: its drafts become documents and open, unassigned tasks. The answer \
                      maps drafts to them. Next: chorus_claim_task.",
        requirement: Requirement::bit(PROPOSAL_ADMIN),
        access: Access::resource(&[PROPOSAL, At::Via { path: "proposalUuid", expand: Expand::HeldInputs }]),
        hints: Hints::MOVES,
        refuses: &[
            (Code::InvalidState, "the proposal is not pending"),
            (Code::PreconditionFailed, "validation finds errors; the details list them"),
        ],
        example: r#"{"proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004", "reviewNote": "Go ahead"}"#,
        run: write::<ApproveProposal>(),
    },
    Tool {
        name: "chorus_pm_reject_proposal",
        family: "proposal",
        title: "Reject a proposal",
        description: "Send a `pending` proposal back to `draft` with a reason. For its maker and for holders of \
                      proposal:admin.",
        requirement: Requirement::bit(PROPOSAL_WRITE),
        access: Access::resource(&[PROPOSAL]),
        hints: Hints::MOVES,
        refuses: &[
            (Code::Forbidden, "the caller neither made it nor has `proposal:admin`"),
            (Code::InvalidState, "the proposal is not pending"),
        ],
        example: r#"{
            "proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004",
            "reviewNote": "The merge rules miss deletions"
        }"#,
        run: write::<RejectProposal>(),
    },
    Tool {
        name: "chorus_get_proposal",
        family: "proposal",
        title: "Read a proposal",
        description: "Read one proposal. `basic` lists its drafts without their texts; ask for `documents`, `tasks` \
                      or `full` only if you need those.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("proposalUuid", Kind::Proposal, Need::Viewer)]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004", "section": "tasks"}"#,
        run: read::<GetProposal>(),
    },
    Tool {
        name: "chorus_get_proposals",
        family: "proposal",
        title: "List proposals",
        description: "List a project's proposals, newest first, without their drafts. `ideaUuid` is the first idea it \
                      is made from.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("projectUuid", Kind::Project, Need::Viewer)]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001", "status": "pending"}"#,
        run: list::<GetProposals>(),
    },
];
