//! How tasks are shown.

use chorus_app::Call;
use chorus_domain::task::{Criterion, Judgement, Task, TaskRef, criteria};
use chorus_ids::{ProposalId, Timestamp, Uuid};
use chorus_lifecycle::criterion::Summary;
use chorus_store::{Outcome, Reads, Related, Result, TaskDetail, Tx};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    tools::reference::{ReferenceView, authors},
    view::{ActorView, AssigneeView, Names, ProjectRef, parties_of, row_title},
};

/// Whether a task is shown with its description, which may be long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Description {
    /// With it.
    Shown,
    /// Without: whoever changed the task knows it or can ask for it.
    Omitted,
}

/// A task with everything around it.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaskView {
    pub(crate) uuid: Uuid,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    description: Option<Option<String>>,
    status: &'static str,
    priority: &'static str,
    story_points: Option<f64>,
    /// Criteria as one text, as they were in the beginning. Always null.
    acceptance_criteria: Option<String>,
    acceptance_criteria_items: Vec<CriterionView>,
    acceptance_status: &'static str,
    acceptance_summary: SummaryView,
    assignee: Option<AssigneeView>,
    proposal_uuid: Option<Uuid>,
    project: ProjectRef,
    created_by: Option<ActorView>,
    depends_on: Vec<TaskRefView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden_depends_on: Option<u32>,
    depended_by: Vec<TaskRefView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden_depended_by: Option<u32>,
    comment_count: u64,
    /// External evidence.
    references: Vec<ReferenceView>,
    version: i32,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

impl TaskView {
    /// Shows a task, its people by name.
    pub(crate) async fn load(
        call: &Call,
        reads: &mut dyn Reads,
        detail: TaskDetail,
        description: Description,
    ) -> Result<Self> {
        let parties =
            parties_of(detail.task.assignee).chain([detail.task.created_by]).chain(authors(&detail.references));
        let names = Names::load(reads, &call.scope, parties).await?;
        let project = call.project(detail.task.project)?;
        let project = ProjectRef { uuid: detail.task.project, name: project.name.clone() };
        Ok(Self::of(detail, &names, project, description))
    }

    /// Shows the task that a change left.
    pub(crate) async fn answer(
        call: &Call,
        tx: &mut dyn Tx,
        outcome: Outcome<TaskDetail>,
        description: Description,
    ) -> Result<Outcome<Self>> {
        let answer = Self::load(call, tx, outcome.answer, description).await?;
        Ok(Outcome { batch: outcome.batch, answer })
    }

    fn of(detail: TaskDetail, names: &Names, project: ProjectRef, description: Description) -> Self {
        let TaskDetail { task, criteria, references, depends_on, depended_by, comments } = detail;
        let (acceptance, summary) = criteria::roll_up(&criteria);
        let hidden = |related: &Related| (related.hidden > 0).then_some(related.hidden);
        Self {
            uuid: task.id.uuid(),
            title: task.title,
            description: match description {
                Description::Shown => Some(task.description),
                Description::Omitted => None,
            },
            status: task.status.as_str(),
            priority: task.priority.as_str(),
            story_points: task.story_points,
            acceptance_criteria: None,
            acceptance_criteria_items: criteria.into_iter().map(CriterionView::of).collect(),
            acceptance_status: acceptance.as_str(),
            acceptance_summary: SummaryView::of(summary),
            assignee: names.assignee(task.assignee),
            proposal_uuid: task.proposal.map(ProposalId::uuid),
            project,
            created_by: names.actor(task.created_by),
            hidden_depends_on: hidden(&depends_on),
            depends_on: depends_on.visible.into_iter().map(TaskRefView::of).collect(),
            hidden_depended_by: hidden(&depended_by),
            depended_by: depended_by.visible.into_iter().map(TaskRefView::of).collect(),
            comment_count: comments,
            references: ReferenceView::all(references, names),
            version: task.version,
            created_at: task.created_at,
            updated_at: task.updated_at,
        }
    }
}

/// A task beside another.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct TaskRefView {
    uuid: Uuid,
    title: String,
    status: &'static str,
}

impl TaskRefView {
    fn of(task: TaskRef) -> Self {
        Self { uuid: task.id.uuid(), title: task.title, status: task.status.as_str() }
    }
}

/// An acceptance criterion with its two marks.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CriterionView {
    uuid: Uuid,
    description: String,
    required: bool,
    dev_status: &'static str,
    dev_evidence: Option<String>,
    dev_marked_by_type: Option<&'static str>,
    dev_marked_by: Option<Uuid>,
    #[schemars(with = "Option<String>")]
    dev_marked_at: Option<Timestamp>,
    status: &'static str,
    evidence: Option<String>,
    marked_by_type: Option<&'static str>,
    marked_by: Option<Uuid>,
    #[schemars(with = "Option<String>")]
    marked_at: Option<Timestamp>,
    sort_order: i32,
}

impl CriterionView {
    pub(crate) fn of(criterion: Criterion) -> Self {
        let by = |judgement: &Judgement| judgement.by.map(|(party, _)| party);
        let at = |judgement: &Judgement| judgement.by.map(|(_, at)| at);
        let Criterion { dev, verdict, .. } = criterion;
        Self {
            uuid: criterion.id.uuid(),
            description: criterion.description,
            required: criterion.required,
            dev_status: dev.mark.as_str(),
            dev_marked_by_type: by(&dev).map(|party| party.kind()),
            dev_marked_by: by(&dev).map(|party| party.uuid()),
            dev_marked_at: at(&dev),
            dev_evidence: dev.evidence,
            status: verdict.mark.as_str(),
            marked_by_type: by(&verdict).map(|party| party.kind()),
            marked_by: by(&verdict).map(|party| party.uuid()),
            marked_at: at(&verdict),
            evidence: verdict.evidence,
            sort_order: criterion.position,
        }
    }
}

/// How many criteria stand how, by their verdicts.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SummaryView {
    total: u32,
    required: u32,
    passed: u32,
    failed: u32,
    pending: u32,
    required_passed: u32,
    required_failed: u32,
    required_pending: u32,
}

impl SummaryView {
    pub(crate) const fn of(sum: Summary) -> Self {
        Self {
            total: sum.total,
            required: sum.required,
            passed: sum.passed,
            failed: sum.failed,
            pending: sum.pending,
            required_passed: sum.required_passed,
            required_failed: sum.required_failed,
            required_pending: sum.required_pending,
        }
    }
}

/// A task in a list.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TaskRow {
    uuid: Uuid,
    title: String,
    status: &'static str,
    priority: &'static str,
    project_uuid: Uuid,
    proposal_uuid: Option<Uuid>,
    story_points: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assignee_uuid: Option<Uuid>,
    version: i32,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

impl TaskRow {
    pub(super) fn of(task: Task) -> Self {
        Self {
            uuid: task.id.uuid(),
            title: row_title(&task.title),
            status: task.status.as_str(),
            priority: task.priority.as_str(),
            project_uuid: task.project.uuid(),
            proposal_uuid: task.proposal.map(ProposalId::uuid),
            story_points: task.story_points,
            assignee_uuid: task.assignee.map(|assignment| assignment.to.uuid()),
            version: task.version,
            created_at: task.created_at,
            updated_at: task.updated_at,
        }
    }
}

/// A task that can be claimed, in a list.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AvailableRow {
    uuid: Uuid,
    title: String,
    status: &'static str,
    priority: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal_uuid: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    story_points: Option<f64>,
    version: i32,
    #[schemars(with = "String")]
    created_at: Timestamp,
}

impl AvailableRow {
    pub(super) fn of(task: Task) -> Self {
        Self {
            uuid: task.id.uuid(),
            title: row_title(&task.title),
            status: task.status.as_str(),
            priority: task.priority.as_str(),
            proposal_uuid: task.proposal.map(ProposalId::uuid),
            story_points: task.story_points,
            version: task.version,
            created_at: task.created_at,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![expect(clippy::indexing_slicing, reason = "tests")]

    use chorus_domain::{Assignment, Party};
    use chorus_ids::{AgentId, CompanyId, CriterionId, ProjectId, TaskId, UserId};
    use chorus_lifecycle::{
        criterion::Mark,
        task::{Priority, TaskStatus},
    };
    use serde_json::{Value, json};

    use super::*;

    pub(crate) const AT: Timestamp = Timestamp::from_micros(1_796_062_951_123_000);

    pub(crate) fn detail() -> TaskDetail {
        let agent = Party::Agent(AgentId::from_u128(1));
        let beside =
            |id, status| TaskRef { id: TaskId::from_u128(id), title: format!("Task {id}"), status, assignee: None };
        TaskDetail {
            task: Task {
                id: TaskId::from_u128(0xa),
                company: CompanyId::from_u128(9),
                project: ProjectId::from_u128(0xb),
                title: "Parse".into(),
                description: None,
                status: TaskStatus::ToVerify,
                priority: Priority::High,
                story_points: Some(2.5),
                assignee: Some(Assignment { to: agent, at: AT, by: None }),
                proposal: None,
                created_by: Party::User(UserId::from_u128(2)),
                version: 4,
                created_at: AT,
                updated_at: AT,
            },
            criteria: vec![Criterion {
                id: CriterionId::from_u128(0xc),
                task: TaskId::from_u128(0xa),
                description: "Holds".into(),
                required: true,
                dev: Judgement { mark: Mark::Passed, evidence: Some("log".into()), by: Some((agent, AT)) },
                verdict: Judgement::PENDING,
                position: 0,
            }],
            references: Vec::new(),
            depends_on: Related { visible: vec![beside(0xd, TaskStatus::Open)], hidden: 2, hidden_open: 1 },
            depended_by: Related::default(),
            comments: 3,
        }
    }

    pub(crate) fn view(description: Description) -> Value {
        let project = ProjectRef { uuid: ProjectId::from_u128(0xb), name: "Compiler".into() };
        let view = TaskView::of(detail(), &Names::default(), project, description);
        serde_json::to_value(view).unwrap_or_default()
    }

    #[test]
    fn a_task_is_shown_as_the_contract_says() {
        let id = |id: u128| Uuid::from_u128(id);
        let at = "2026-11-30T18:22:31.123Z";
        assert_eq!(
            view(Description::Shown),
            json!({
                "uuid": id(0xa), "title": "Parse", "description": null, "status": "to_verify", "priority": "high",
                "storyPoints": 2.5, "acceptanceCriteria": null,
                "acceptanceCriteriaItems": [{
                    "uuid": id(0xc), "description": "Holds", "required": true,
                    "devStatus": "passed", "devEvidence": "log", "devMarkedByType": "agent", "devMarkedBy": id(1),
                    "devMarkedAt": at, "status": "pending", "evidence": null, "markedByType": null, "markedBy": null,
                    "markedAt": null, "sortOrder": 0
                }],
                "acceptanceStatus": "not_started",
                "acceptanceSummary": {
                    "total": 1, "required": 1, "passed": 0, "failed": 0, "pending": 1,
                    "requiredPassed": 0, "requiredFailed": 0, "requiredPending": 1
                },
                // Nobody of that name is known any more.
                "assignee": null, "createdBy": null,
                "proposalUuid": null, "project": {"uuid": id(0xb), "name": "Compiler"},
                "dependsOn": [{"uuid": id(0xd), "title": "Task 13", "status": "open"}], "hiddenDependsOn": 2,
                "dependedBy": [], "commentCount": 3, "references": [], "version": 4, "createdAt": at, "updatedAt": at
            })
        );
        assert_eq!(view(Description::Omitted).get("description"), None);
    }

    #[test]
    fn lists_leave_out_what_they_have_no_value_for_only_where_the_contract_says_so() {
        let mut task = detail().task;
        task.title = "x".repeat(300);
        let row = serde_json::to_value(TaskRow::of(task.clone())).unwrap_or_default();
        assert_eq!(row["title"].as_str().map(|title| title.chars().count()), Some(256));
        assert_eq!((&row["proposalUuid"], &row["assigneeUuid"]), (&json!(null), &json!(Uuid::from_u128(1))));
        task.assignee = None;
        task.story_points = None;
        let row = serde_json::to_value(TaskRow::of(task.clone())).unwrap_or_default();
        assert_eq!((row.get("assigneeUuid"), row.get("storyPoints")), (None, Some(&json!(null))));
        let available = serde_json::to_value(AvailableRow::of(task)).unwrap_or_default();
        assert_eq!((available.get("proposalUuid"), available.get("storyPoints")), (None, None));
    }
}
