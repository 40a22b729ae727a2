//! Proposals and the drafts in them.

mod drafting;
mod ending;
mod redrafting;
mod review;

use chorus_ids::{CompanyId, DraftId, ProjectId, ProposalId, Timestamp, Uuid};
use chorus_lifecycle::{
    document::DocumentType,
    proposal::{InputType, PROPOSAL, ProposalEvent, ProposalStatus},
    task::Priority,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{Code, Party, Refusal, next};

pub use drafting::{ProposalForm, TaskDraftForm, add_document_draft, add_task_draft, create};
pub use ending::{close, deletable, revoke};
pub use redrafting::{
    DocumentDraftEdit, ProposalEdit, Redrafted, TaskDraftEdit, edit, edit_document_draft, edit_task_draft,
    remove_document_draft, remove_task_draft,
};
pub use review::{Approval, Drafts, approve, issues, reject, submit};

/// A proposal: drafts of documents and tasks on their way to approval. Its drafts are loaded apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Its id.
    pub id: ProposalId,
    /// Its tenant.
    pub company: CompanyId,
    /// Its project.
    pub project: ProjectId,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub description: Option<String>,
    /// Whether its sources are ideas or documents.
    pub input_type: InputType,
    /// Its sources, in the order given; they may live in other projects, and may be gone.
    pub inputs: Vec<Uuid>,
    /// Where it stands.
    pub status: ProposalStatus,
    /// Who made it.
    pub created_by: Party,
    /// The last review; kept as a hint when it went back to draft.
    pub review: Option<Review>,
    /// 1 when made, one more with every change, of a draft too.
    pub version: i32,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl Proposal {
    /// The next version of the proposal, in another status.
    fn moved(&self, to: ProposalStatus, now: Timestamp) -> Self {
        Self { status: to, version: self.version + 1, updated_at: now, ..self.clone() }
    }

    /// The status after an event.
    ///
    /// # Errors
    /// `invalid_state` naming the status, what can happen in it, and `hint`: what to do instead.
    fn after(&self, event: ProposalEvent, hint: &str) -> Result<ProposalStatus, Refusal> {
        PROPOSAL.apply(self.status, event).map_err(|illegal| {
            let possible: Vec<&str> = PROPOSAL.events_from(illegal.from).map(ProposalEvent::as_str).collect();
            let ways: Vec<&str> = PROPOSAL.events_from(illegal.from).map(next::proposal).collect();
            let text = format!(
                "The proposal is `{}`, so `{}` is not possible. What is possible now: {}. {hint}",
                illegal.from,
                illegal.event,
                next::listed(&ways, "only make another one (chorus_pm_create_proposal)")
            );
            Refusal::new(Code::InvalidState, text.trim_end())
                .with(json!({ "status": self.status.as_str(), "possible": possible }))
        })
    }
}

/// A reviewer's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// Who decided.
    pub by: Party,
    /// What they said.
    pub note: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// A draft of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentDraft {
    /// Its id.
    pub id: DraftId,
    /// Its type.
    pub kind: DocumentType,
    /// Its title.
    pub title: String,
    /// Its Markdown text.
    pub content: String,
}

/// A document draft without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentDraftIndex {
    /// Its id.
    pub id: DraftId,
    /// Its type.
    pub kind: DocumentType,
    /// Its title.
    pub title: String,
    /// The length of its text in Unicode characters.
    pub content_length: u32,
}

/// A draft of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskDraft {
    /// Its id.
    pub id: DraftId,
    /// Its title.
    pub title: String,
    /// What is to be done.
    pub description: Option<String>,
    /// How urgent; `medium` if nothing was said.
    pub priority: Option<Priority>,
    /// Expected effort in agent hours, 0 to 1000.
    pub story_points: Option<f64>,
    /// When it counts as done; at least one.
    pub criteria: Vec<CriterionDraft>,
    /// Task drafts of the same proposal that come first.
    pub depends_on: Vec<DraftId>,
}

/// An acceptance criterion before its task exists. Stored and shown in this form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionDraft {
    /// What must hold.
    pub description: String,
    /// Whether verification waits for it.
    #[serde(default = "yes")]
    pub required: bool,
}

const fn yes() -> bool {
    true
}
