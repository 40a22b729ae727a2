//! Tools that change and remove the drafts of a proposal.

use async_trait::async_trait;
use chorus_app::{Call, proposal::redraft};
use chorus_dispatch::{Access, At, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::{
    Code,
    proposal::{CriterionDraft, DocumentDraftEdit, TaskDraftEdit},
};
use chorus_ids::{DraftId, ProposalId, Uuid};
use chorus_lifecycle::{document::DocumentType, task::Priority};
use chorus_permissions::PROPOSAL_WRITE;
use chorus_store::{Outcome, Result, Tx};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CriterionInput, DraftAnswer, PROPOSAL};
use crate::words;

/// Whether there was such a draft is seen from its title.
type Answer = DraftAnswer<Option<String>>;

/// Changes a document draft.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UpdateDocumentDraft {
    /// The proposal; it must be `draft`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// The document draft to change.
    #[schemars(with = "Uuid")]
    draft_uuid: DraftId,
    /// Another type.
    #[serde(default, rename = "type")]
    #[schemars(schema_with = "words::document_type")]
    kind: Option<DocumentType>,
    /// Another title.
    title: Option<String>,
    /// The whole new text.
    content: Option<String>,
    /// Refuse unless the proposal is at this version.
    #[schemars(range(min = 1))]
    expected_version: Option<i32>,
}

#[async_trait]
impl WriteTool for UpdateDocumentDraft {
    type Output = Answer;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Answer>> {
        let edit = DocumentDraftEdit { kind: self.kind, title: self.title, content: self.content };
        let which = (self.proposal_uuid, self.draft_uuid);
        let changed = redraft::edit_document_draft(call, tx, which, (edit, self.expected_version)).await?;
        Answer::load(call, tx, "document_draft_updated", changed).await
    }
}

/// Changes a task draft.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UpdateTaskDraft {
    /// The proposal; it must be `draft`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// The task draft to change.
    #[schemars(with = "Uuid")]
    draft_uuid: DraftId,
    /// Another title.
    title: Option<String>,
    /// Another description; an empty one clears it.
    description: Option<String>,
    /// Another expected effort in agent hours.
    #[schemars(range(min = 0, max = 1000))]
    story_points: Option<f64>,
    /// Another priority.
    #[serde(default)]
    #[schemars(schema_with = "words::priority")]
    priority: Option<Priority>,
    /// Criteria in place of all there are; at least one.
    acceptance_criteria_items: Option<Vec<CriterionInput>>,
    /// Drafts to wait for, in place of all there are; `[]` for none.
    #[schemars(with = "Option<Vec<Uuid>>")]
    depends_on_draft_uuids: Option<Vec<DraftId>>,
    /// Refuse unless the proposal is at this version.
    #[schemars(range(min = 1))]
    expected_version: Option<i32>,
}

#[async_trait]
impl WriteTool for UpdateTaskDraft {
    type Output = Answer;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Answer>> {
        let criteria = |given: Vec<CriterionInput>| given.into_iter().map(CriterionDraft::from).collect();
        let edit = TaskDraftEdit {
            title: self.title,
            description: self.description,
            priority: self.priority,
            story_points: self.story_points,
            criteria: self.acceptance_criteria_items.map(criteria),
            depends_on: self.depends_on_draft_uuids,
        };
        let which = (self.proposal_uuid, self.draft_uuid);
        let changed = redraft::edit_task_draft(call, tx, which, (edit, self.expected_version)).await?;
        Answer::load(call, tx, "task_draft_updated", changed).await
    }
}

/// Removes a document draft.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RemoveDocumentDraft {
    /// The proposal; it must be `draft`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// The document draft to remove.
    #[schemars(with = "Uuid")]
    draft_uuid: DraftId,
    /// Refuse unless the proposal is at this version.
    #[schemars(range(min = 1))]
    expected_version: Option<i32>,
}

#[async_trait]
impl WriteTool for RemoveDocumentDraft {
    type Output = Answer;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Answer>> {
        let which = (self.proposal_uuid, self.draft_uuid);
        let changed = redraft::remove_document_draft(call, tx, which, self.expected_version).await?;
        Answer::load(call, tx, "document_draft_removed", changed).await
    }
}

/// Removes a task draft.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RemoveTaskDraft {
    /// The proposal; it must be `draft`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// The task draft to remove.
    #[schemars(with = "Uuid")]
    draft_uuid: DraftId,
    /// Refuse unless the proposal is at this version.
    #[schemars(range(min = 1))]
    expected_version: Option<i32>,
}

#[async_trait]
impl WriteTool for RemoveTaskDraft {
    type Output = Answer;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Answer>> {
        let which = (self.proposal_uuid, self.draft_uuid);
        let changed = redraft::remove_task_draft(call, tx, which, self.expected_version).await?;
        Answer::load(call, tx, "task_draft_removed", changed).await
    }
}

/// The draft that is changed.
const DRAFT: At = At::Part { path: "draftUuid", reason: "drafts are looked up among those of the proposal" };

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_pm_update_document_draft",
        family: "proposal",
        title: "Change a document draft",
        description: "Change what you name of a document draft in a `draft` proposal: type, title or text. Ids of drafts \
                      are in chorus_get_proposal.",
        requirement: Requirement::bit(PROPOSAL_WRITE),
        access: Access::resource(&[PROPOSAL, DRAFT]),
        hints: Hints::SETS,
        refuses: &[
            (Code::InvalidState, "the proposal is no draft"),
            (Code::NotFound, "the draft is not one of this proposal's"),
            (Code::PreconditionFailed, "`expectedVersion` is not the current version"),
        ],
        example: r#"{
            "proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004",
            "draftUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000a",
            "title": "Merge rules, revised"
        }"#,
        run: write::<UpdateDocumentDraft>(),
    },
    Tool {
        name: "chorus_pm_update_task_draft",
        family: "proposal",
        title: "Change a task draft",
        description: "Change what you name of a task draft in a `draft` proposal. Lists replace the old ones as a whole. \
                      Ids of drafts are in chorus_get_proposal.",
        requirement: Requirement::bit(PROPOSAL_WRITE),
        access: Access::resource(&[
            PROPOSAL,
            DRAFT,
            At::Part { path: "dependsOnDraftUuids", reason: "drafts are looked up in the proposal at validation" },
        ]),
        hints: Hints::SETS,
        refuses: &[
            (Code::InvalidState, "the proposal is no draft"),
            (Code::NotFound, "the draft is not one of this proposal's"),
            (Code::PreconditionFailed, "`expectedVersion` is not the current version"),
        ],
        example: r#"{
            "proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004",
            "draftUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000a",
            "priority": "low"
        }"#,
        run: write::<UpdateTaskDraft>(),
    },
    Tool {
        name: "chorus_pm_remove_document_draft",
        family: "proposal",
        title: "Remove a document draft",
        description: "Take a document draft out of a `draft` proposal. One that is not there counts as removed, with \
                      `draftTitle` null.",
        requirement: Requirement::bit(PROPOSAL_WRITE),
        access: Access::resource(&[PROPOSAL, DRAFT]),
        hints: Hints::CLEARS,
        refuses: &[
            (Code::InvalidState, "the proposal is no draft"),
            (Code::NotFound, "the draft is not one of this proposal's"),
            (Code::PreconditionFailed, "`expectedVersion` is not the current version"),
        ],
        example: r#"{
            "proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004",
            "draftUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000a"
        }"#,
        run: write::<RemoveDocumentDraft>(),
    },
    Tool {
        name: "chorus_pm_remove_task_draft",
        family: "proposal",
        title: "Remove a task draft",
        description: "Take a task draft out of a `draft` proposal; other drafts no longer depend on it. One that is not \
                      there counts as removed, with `draftTitle` null.",
        requirement: Requirement::bit(PROPOSAL_WRITE),
        access: Access::resource(&[PROPOSAL, DRAFT]),
        hints: Hints::CLEARS,
        refuses: &[
            (Code::InvalidState, "the proposal is no draft"),
            (Code::NotFound, "the draft is not one of this proposal's"),
            (Code::PreconditionFailed, "`expectedVersion` is not the current version"),
        ],
        example: r#"{
            "proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004",
            "draftUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000a"
        }"#,
        run: write::<RemoveTaskDraft>(),
    },
];
