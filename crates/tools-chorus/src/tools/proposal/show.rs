//! How proposals and their drafts are shown.

use chorus_app::{
    Call,
    proposal::{ProposalIndex, SectionDrafts},
    reference,
};
use chorus_domain::{
    Kind, Party,
    proposal::{CriterionDraft, DocumentDraft, DocumentDraftIndex, Drafts, Proposal, TaskDraft},
    reference::Reference,
};
use chorus_ids::{DraftId, Timestamp, Uuid};
use chorus_lifecycle::{proposal::InputType, task::Priority};
use chorus_store::{Reads, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    tools::reference::{ReferenceView, authors},
    view::{ActorView, Names, ProjectRef, row_title},
};

/// What every section of a proposal begins with.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head {
    uuid: Uuid,
    title: String,
    input_type: &'static str,
    input_uuids: Vec<Uuid>,
    status: &'static str,
    project: ProjectRef,
    created_by: Option<ActorView>,
    created_by_type: &'static str,
    review: Option<ReviewView>,
    version: i32,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
    references: Vec<ReferenceView>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReviewView {
    reviewed_by: Option<ActorView>,
    review_note: Option<String>,
    #[schemars(with = "String")]
    reviewed_at: Timestamp,
}

/// Everybody whom the head of a proposal names.
fn people(proposal: &Proposal) -> impl Iterator<Item = Party> + use<> {
    [proposal.created_by].into_iter().chain(proposal.review.as_ref().map(|review| review.by))
}

impl Head {
    pub(super) fn of(proposal: Proposal, references: Vec<Reference>, project: ProjectRef, names: &Names) -> Self {
        Self {
            uuid: proposal.id.uuid(),
            title: proposal.title,
            input_type: proposal.input_type.as_str(),
            input_uuids: proposal.inputs,
            status: proposal.status.as_str(),
            project,
            created_by: names.actor(proposal.created_by),
            created_by_type: proposal.created_by.kind(),
            review: proposal.review.map(|review| ReviewView {
                reviewed_by: names.actor(review.by),
                review_note: review.note,
                reviewed_at: review.at,
            }),
            version: proposal.version,
            created_at: proposal.created_at,
            updated_at: proposal.updated_at,
            references: ReferenceView::all(references, names),
        }
    }
}

/// The project of a proposal, which the call has located.
fn project(call: &Call, proposal: &Proposal) -> Result<ProjectRef> {
    Ok(ProjectRef { uuid: proposal.project, name: call.project(proposal.project)?.name.clone() })
}

/// The basic section, without the proposal's description: what writers answer with.
#[derive(Serialize, JsonSchema)]
pub struct Basic {
    #[serde(flatten)]
    head: Head,
    section: &'static str,
    #[serde(flatten)]
    index: Index,
}

impl Basic {
    /// The proposal with its stored references, and with the names of those it names.
    pub(super) async fn load(call: &Call, reads: &mut dyn Reads, index: ProposalIndex) -> Result<Self> {
        let references = reference::of(call, reads, (Kind::Proposal, index.proposal.id.uuid())).await?;
        Self::with(call, reads, index, references).await
    }

    /// The proposal with these references.
    pub(super) async fn with(
        call: &Call,
        reads: &mut dyn Reads,
        index: ProposalIndex,
        references: Vec<Reference>,
    ) -> Result<Self> {
        let ProposalIndex { proposal, documents, tasks } = index;
        let names = Names::load(reads, &call.scope, people(&proposal).chain(authors(&references))).await?;
        let project = project(call, &proposal)?;
        let head = Head::of(proposal, references, project, &names);
        Ok(Self { head, section: "basic", index: Index::of(documents, tasks) })
    }
}

/// Drafts without their texts.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Index {
    document_draft_count: usize,
    task_draft_count: usize,
    document_draft_index: Vec<DocumentEntry>,
    task_draft_index: Vec<TaskEntry>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DocumentEntry {
    uuid: Uuid,
    #[serde(rename = "type")]
    kind: &'static str,
    title: String,
    content_length: u32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TaskEntry {
    uuid: Uuid,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    story_points: Option<f64>,
    acceptance_criteria_count: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on_draft_uuids: Vec<Uuid>,
}

impl Index {
    fn of(documents: Vec<DocumentDraftIndex>, tasks: Vec<TaskDraft>) -> Self {
        Self {
            document_draft_count: documents.len(),
            task_draft_count: tasks.len(),
            document_draft_index: documents
                .into_iter()
                .map(|draft| DocumentEntry {
                    uuid: draft.id.uuid(),
                    kind: draft.kind.as_str(),
                    title: draft.title,
                    content_length: draft.content_length,
                })
                .collect(),
            task_draft_index: tasks
                .into_iter()
                .map(|draft| TaskEntry {
                    uuid: draft.id.uuid(),
                    title: draft.title,
                    priority: draft.priority.map(Priority::as_str),
                    story_points: draft.story_points,
                    acceptance_criteria_count: draft.criteria.len(),
                    depends_on_draft_uuids: uuids(&draft.depends_on),
                })
                .collect(),
        }
    }
}

fn uuids(drafts: &[DraftId]) -> Vec<Uuid> {
    drafts.iter().map(|draft| draft.uuid()).collect()
}

/// A section of a proposal; of the fields after `description` those of the other sections are left out.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SectionView {
    #[serde(flatten)]
    head: Head,
    description: Option<String>,
    section: &'static str,
    #[serde(flatten)]
    index: Option<Index>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document_drafts: Option<Vec<DocumentDraftView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_drafts: Option<Vec<TaskDraftView>>,
}

#[derive(Serialize, JsonSchema)]
struct DocumentDraftView {
    uuid: Uuid,
    #[serde(rename = "type")]
    kind: &'static str,
    title: String,
    content: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TaskDraftView {
    uuid: Uuid,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    story_points: Option<f64>,
    acceptance_criteria_items: Vec<CriterionView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on_draft_uuids: Vec<Uuid>,
}

#[derive(Serialize, JsonSchema)]
struct CriterionView {
    description: String,
    required: bool,
}

impl SectionView {
    /// The section with the proposal's stored references, and with the names of those it names.
    pub(super) async fn load(
        call: &Call,
        reads: &mut dyn Reads,
        (proposal, drafts): (Proposal, SectionDrafts),
    ) -> Result<Self> {
        let references = reference::of(call, reads, (Kind::Proposal, proposal.id.uuid())).await?;
        let names = Names::load(reads, &call.scope, people(&proposal).chain(authors(&references))).await?;
        let project = project(call, &proposal)?;
        Ok(Self::of((proposal, drafts), references, project, &names))
    }

    fn of(
        (mut proposal, drafts): (Proposal, SectionDrafts),
        references: Vec<Reference>,
        project: ProjectRef,
        names: &Names,
    ) -> Self {
        let (section, index, documents, tasks) = match drafts {
            SectionDrafts::Basic(documents, tasks) => ("basic", Some(Index::of(documents, tasks)), None, None),
            SectionDrafts::Documents(documents) => ("documents", None, Some(documents), None),
            SectionDrafts::Tasks(tasks) => ("tasks", None, None, Some(tasks)),
            SectionDrafts::Full(Drafts { documents, tasks }) => ("full", None, Some(documents), Some(tasks)),
        };
        Self {
            description: proposal.description.take(),
            head: Head::of(proposal, references, project, names),
            section,
            index,
            document_drafts: documents.map(|drafts| drafts.into_iter().map(DocumentDraftView::from).collect()),
            task_drafts: tasks.map(|drafts| drafts.into_iter().map(TaskDraftView::from).collect()),
        }
    }
}

impl From<DocumentDraft> for DocumentDraftView {
    fn from(DocumentDraft { id, kind, title, content }: DocumentDraft) -> Self {
        Self { uuid: id.uuid(), kind: kind.as_str(), title, content }
    }
}

impl From<TaskDraft> for TaskDraftView {
    fn from(draft: TaskDraft) -> Self {
        let criterion = |CriterionDraft { description, required }| CriterionView { description, required };
        Self {
            uuid: draft.id.uuid(),
            title: draft.title,
            description: draft.description,
            priority: draft.priority.map(Priority::as_str),
            story_points: draft.story_points,
            acceptance_criteria_items: draft.criteria.into_iter().map(criterion).collect(),
            depends_on_draft_uuids: uuids(&draft.depends_on),
        }
    }
}

/// A proposal in a list.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposalRow {
    uuid: Uuid,
    title: String,
    status: &'static str,
    input_type: &'static str,
    project_uuid: Uuid,
    #[serde(skip_serializing_if = "Option::is_none")]
    idea_uuid: Option<Uuid>,
    version: i32,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

impl ProposalRow {
    pub(super) fn of(proposal: &Proposal) -> Self {
        Self {
            uuid: proposal.id.uuid(),
            title: row_title(&proposal.title),
            status: proposal.status.as_str(),
            input_type: proposal.input_type.as_str(),
            project_uuid: proposal.project.uuid(),
            idea_uuid: match proposal.input_type {
                InputType::Idea => proposal.inputs.first().copied(),
                InputType::Document => None,
            },
            version: proposal.version,
            created_at: proposal.created_at,
            updated_at: proposal.updated_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use chorus_domain::proposal::Review;
    use chorus_ids::{AgentId, CompanyId, ProjectId, ProposalId, UserId};
    use chorus_lifecycle::{document::DocumentType, proposal::ProposalStatus};
    use serde_json::{Value, json};

    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_796_062_951_123_000);

    fn proposal() -> Proposal {
        Proposal {
            id: ProposalId::from_u128(0xa),
            company: CompanyId::from_u128(1),
            project: ProjectId::from_u128(0xb),
            title: "Proposal".into(),
            description: Some("About".into()),
            input_type: InputType::Idea,
            inputs: vec![Uuid::from_u128(0xc), Uuid::from_u128(0xd)],
            status: ProposalStatus::Draft,
            created_by: Party::Agent(AgentId::from_u128(2)),
            review: None,
            version: 4,
            created_at: NOW,
            updated_at: NOW,
        }
    }

    fn task(id: u128) -> TaskDraft {
        TaskDraft {
            id: DraftId::from_u128(id),
            title: "Task".into(),
            description: Some("Do it".into()),
            priority: Some(Priority::High),
            story_points: None,
            criteria: vec![CriterionDraft { description: "it works".into(), required: false }],
            depends_on: vec![DraftId::from_u128(9)],
        }
    }

    fn document() -> DocumentDraft {
        DocumentDraft {
            id: DraftId::from_u128(7),
            kind: DocumentType::Prd,
            title: "Document".into(),
            content: "text".into(),
        }
    }

    fn section(proposal: Proposal, drafts: SectionDrafts) -> Value {
        let project = ProjectRef { uuid: proposal.project, name: "Project".into() };
        let view = SectionView::of((proposal, drafts), Vec::new(), project, &Names::default());
        serde_json::to_value(view).unwrap_or_default()
    }

    #[test]
    fn the_basic_section_has_an_index_and_no_texts_of_drafts() {
        let index = DocumentDraftIndex {
            id: DraftId::from_u128(7),
            kind: DocumentType::Prd,
            title: "Document".into(),
            content_length: 4,
        };
        assert_eq!(
            section(proposal(), SectionDrafts::Basic(vec![index], vec![task(8)])),
            json!({
                "uuid": "00000000-0000-0000-0000-00000000000a", "title": "Proposal", "description": "About",
                "inputType": "idea",
                "inputUuids": ["00000000-0000-0000-0000-00000000000c", "00000000-0000-0000-0000-00000000000d"],
                "status": "draft",
                "project": {"uuid": "00000000-0000-0000-0000-00000000000b", "name": "Project"},
                "createdBy": null, "createdByType": "agent", "review": null, "version": 4,
                "createdAt": "2026-11-30T18:22:31.123Z", "updatedAt": "2026-11-30T18:22:31.123Z",
                "references": [], "section": "basic", "documentDraftCount": 1, "taskDraftCount": 1,
                "documentDraftIndex": [{
                    "uuid": "00000000-0000-0000-0000-000000000007", "type": "prd", "title": "Document",
                    "contentLength": 4
                }],
                "taskDraftIndex": [{
                    "uuid": "00000000-0000-0000-0000-000000000008", "title": "Task", "priority": "high",
                    "acceptanceCriteriaCount": 1,
                    "dependsOnDraftUuids": ["00000000-0000-0000-0000-000000000009"]
                }]
            })
        );
    }

    #[test]
    fn the_other_sections_hold_whole_drafts_or_empty_lists() {
        let documents = section(proposal(), SectionDrafts::Documents(vec![document()]));
        assert_eq!(
            documents.pointer("/documentDrafts"),
            Some(&json!([{
                "uuid": "00000000-0000-0000-0000-000000000007", "type": "prd", "title": "Document", "content": "text"
            }]))
        );
        assert_eq!((documents.pointer("/taskDrafts"), documents.pointer("/taskDraftIndex")), (None, None));
        let tasks = section(proposal(), SectionDrafts::Tasks(vec![task(8)]));
        assert_eq!(
            tasks.pointer("/taskDrafts"),
            Some(&json!([{
                "uuid": "00000000-0000-0000-0000-000000000008", "title": "Task", "description": "Do it",
                "priority": "high", "acceptanceCriteriaItems": [{"description": "it works", "required": false}],
                "dependsOnDraftUuids": ["00000000-0000-0000-0000-000000000009"]
            }]))
        );
        let empty = section(proposal(), SectionDrafts::Full(Drafts::default()));
        assert_eq!(empty.pointer("/section"), Some(&json!("full")));
        assert_eq!(empty.pointer("/documentDrafts"), Some(&json!([])));
        assert_eq!(empty.pointer("/taskDrafts"), Some(&json!([])));
    }

    #[test]
    fn a_review_is_shown_and_a_missing_description_is_null() {
        let review = Review { by: Party::User(UserId::from_u128(3)), note: Some("Why?".into()), at: NOW };
        let reviewed = Proposal { review: Some(review), description: None, ..proposal() };
        let shown = section(reviewed, SectionDrafts::Tasks(Vec::new()));
        assert_eq!(shown.pointer("/description"), Some(&Value::Null));
        assert_eq!(
            shown.pointer("/review"),
            Some(&json!({"reviewedBy": null, "reviewNote": "Why?", "reviewedAt": "2026-11-30T18:22:31.123Z"}))
        );
    }

    #[test]
    fn a_row_names_the_first_idea_and_no_document() {
        let row = |proposal: &Proposal| serde_json::to_value(ProposalRow::of(proposal)).unwrap_or_default();
        let from_idea = row(&proposal());
        assert_eq!(from_idea.pointer("/ideaUuid"), Some(&json!("00000000-0000-0000-0000-00000000000c")));
        assert_eq!(from_idea.pointer("/version"), Some(&json!(4)));
        let from_documents = Proposal { input_type: InputType::Document, ..proposal() };
        assert_eq!(row(&from_documents).pointer("/ideaUuid"), None);
    }
}
