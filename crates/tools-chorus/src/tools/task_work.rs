//! Tools: working on tasks, judging and ending them.

use async_trait::async_trait;
use chorus_app::{
    Call, session,
    task::{
        marks,
        work::{self, Gate, Reported},
    },
};
use chorus_dispatch::{Access, At, Expand, Hints, Requirement, Tool, WriteTool, schema, tool::write};
use chorus_domain::{
    Code, Kind,
    task::criteria::{Opinion, roll_up},
};
use chorus_ids::{CriterionId, SessionId, TaskId, Uuid};
use chorus_lifecycle::{criterion::Mark, task::TaskStatus};
use chorus_permissions::{TASK_ADMIN, TASK_WRITE};
use chorus_store::{Hold, Outcome, Result, TaskDetail, Tx};
use chorus_visibility::Need;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::task::show::{CriterionView, Description, SummaryView, TaskView};
use crate::words;

/// Takes an open task.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClaimTask {
    /// The task to take.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
}

#[async_trait]
impl WriteTool for ClaimTask {
    type Output = ClaimedTask;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<ClaimedTask>> {
        let outcome = work::claim(call, tx, self.task_uuid).await?;
        ClaimedTask::answer(call, tx, outcome, Holding::You).await
    }
}

/// A task that was claimed, with what to heed.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct ClaimedTask {
    #[serde(flatten)]
    task: TaskView,
    #[serde(rename = "_hints", skip_serializing_if = "Option::is_none")]
    hints: Option<Vec<String>>,
}

/// Who holds a task from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holding {
    /// The caller.
    You,
    /// Whom the caller gave it to.
    Another,
}

impl ClaimedTask {
    /// Shows the task as a brief for whoever works on it.
    pub(super) async fn answer(
        call: &Call,
        tx: &mut dyn Tx,
        outcome: Outcome<TaskDetail>,
        holding: Holding,
    ) -> Result<Outcome<Self>> {
        let hints = Some(hints(&outcome.answer, holding)).filter(|hints| !hints.is_empty());
        let outcome = TaskView::answer(call, tx, outcome, Description::Shown).await?;
        Ok(outcome.map(|task| Self { task, hints }))
    }
}

/// What whoever takes a task, or gives it to somebody, should know about those around it.
fn hints(detail: &TaskDetail, holding: Holding) -> Vec<String> {
    let mut hints = Vec::new();
    let open = detail.depends_on.open_count();
    if open > 0 {
        let (noun, verb) = plural(open, "prerequisite", "is", "are");
        let then = match holding {
            Holding::You => {
                "You hold it now, but can start only when all of `dependsOn` is done or closed; you will be notified."
            }
            Holding::Another => {
                "Its assignee can start only when all of `dependsOn` is done or closed, and will be notified."
            }
        };
        hints.push(format!("{open} {noun} of this task {verb} not finished. {then}"));
    }
    let waiting = detail.depended_by.open_count();
    if waiting > 0 {
        let (noun, verb) = plural(waiting, "task", "waits", "wait");
        hints.push(format!("{waiting} other {noun} {verb} for this one."));
    }
    hints
}

fn plural(count: usize, noun: &str, one: &'static str, many: &'static str) -> (String, &'static str) {
    if count == 1 { (noun.to_owned(), one) } else { (format!("{noun}s"), many) }
}

/// Gives a task back.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReleaseTask {
    /// The task to give back.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
}

#[async_trait]
impl WriteTool for ReleaseTask {
    type Output = TaskView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<TaskView>> {
        let outcome = work::release(call, tx, self.task_uuid).await?;
        TaskView::answer(call, tx, outcome, Description::Omitted).await
    }
}

/// Reports on a task.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReportWork {
    /// The task you work on.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
    /// What you did, found out or decided, at most 20,000 characters. It becomes a comment on the task.
    report: String,
    /// Also set this status: start or resume work, or hand it over for verification.
    #[serde(default)]
    #[schemars(schema_with = "words::working_status")]
    status: Option<TaskStatus>,
    /// Your session in which you work.
    #[schemars(with = "Option<Uuid>")]
    session_uuid: Option<SessionId>,
}

#[async_trait]
impl WriteTool for ReportWork {
    type Output = ReportedWork;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<ReportedWork>> {
        let session = session::working(call, tx, self.session_uuid).await?;
        let mut outcome = work::report(call, tx, self.task_uuid, &self.report, self.status).await?;
        if let Some(session) = &session {
            session::stamp(call, &mut outcome.batch, session);
        }
        Ok(outcome.map(ReportedWork::of))
    }
}

/// What came of a report.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReportedWork {
    message: String,
    task_uuid: Uuid,
    comment_uuid: Uuid,
    status: &'static str,
    status_updated: bool,
    version: i32,
}

impl ReportedWork {
    fn of(reported: Reported) -> Self {
        let Reported { task, comment, moved_to } = reported;
        let message = match moved_to {
            Some(status) => format!("The report was added and the task is now `{status}`."),
            None => format!("The report was added; the task stays `{}`.", task.status),
        };
        Self {
            message,
            task_uuid: task.id.uuid(),
            comment_uuid: comment.uuid(),
            status: task.status.as_str(),
            status_updated: moved_to.is_some(),
            version: task.version,
        }
    }
}

/// Records the assignee's own judgement.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReportCriteriaSelfCheck {
    /// The task you work on.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
    /// Your judgements, all of which are recorded or none.
    criteria: Vec<SelfCheck>,
}

/// One judgement of one's own.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SelfCheck {
    /// The criterion, from the task's `acceptanceCriteriaItems`.
    #[schemars(with = "Uuid")]
    uuid: CriterionId,
    /// Whether it holds.
    #[schemars(schema_with = "judgement")]
    dev_status: Mark,
    /// What shows that.
    dev_evidence: Option<String>,
}

/// The words of a judgement: a mark can't be taken back through a tool.
fn judgement(_: &mut SchemaGenerator) -> Schema {
    schema::words([Mark::Passed.as_str(), Mark::Failed.as_str()])
}

#[async_trait]
impl WriteTool for ReportCriteriaSelfCheck {
    type Output = MarkedCriteria;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<MarkedCriteria>> {
        let opinion =
            |given: SelfCheck| Opinion { criterion: given.uuid, mark: given.dev_status, evidence: given.dev_evidence };
        let opinions: Vec<Opinion> = self.criteria.into_iter().map(opinion).collect();
        let outcome = marks::self_check(call, tx, self.task_uuid, &opinions).await?;
        Ok(outcome.map(MarkedCriteria::of))
    }
}

/// Records a reviewer's judgement.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MarkAcceptanceCriteria {
    /// The task.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
    /// Your verdicts, all of which are recorded or none.
    criteria: Vec<Verdict>,
}

/// One verdict.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Verdict {
    /// The criterion, from the task's `acceptanceCriteriaItems`.
    #[schemars(with = "Uuid")]
    uuid: CriterionId,
    /// Whether it holds.
    #[schemars(schema_with = "judgement")]
    status: Mark,
    /// What shows that.
    evidence: Option<String>,
}

#[async_trait]
impl WriteTool for MarkAcceptanceCriteria {
    type Output = MarkedCriteria;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<MarkedCriteria>> {
        let opinion = |given: Verdict| Opinion { criterion: given.uuid, mark: given.status, evidence: given.evidence };
        let opinions: Vec<Opinion> = self.criteria.into_iter().map(opinion).collect();
        let outcome = marks::verdict(call, tx, self.task_uuid, &opinions).await?;
        Ok(outcome.map(MarkedCriteria::of))
    }
}

/// The criteria of a task as they are marked now, and what the verdicts amount to.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct MarkedCriteria {
    items: Vec<CriterionView>,
    status: &'static str,
    summary: SummaryView,
}

impl MarkedCriteria {
    fn of(detail: TaskDetail) -> Self {
        let (status, summary) = roll_up(&detail.criteria);
        Self {
            items: detail.criteria.into_iter().map(CriterionView::of).collect(),
            status: status.as_str(),
            summary: SummaryView::of(summary),
        }
    }
}

/// Hands a task over.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SubmitForVerify {
    /// The task you finished.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
    /// What was done, for whoever verifies it.
    summary: Option<String>,
}

#[async_trait]
impl WriteTool for SubmitForVerify {
    type Output = TaskView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<TaskView>> {
        let outcome = work::submit(call, tx, self.task_uuid, self.summary).await?;
        TaskView::answer(call, tx, outcome, Description::Omitted).await
    }
}

/// Accepts a task.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct VerifyTask {
    /// The task to accept.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
}

#[async_trait]
impl WriteTool for VerifyTask {
    type Output = TaskView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<TaskView>> {
        let outcome = work::verify(call, tx, self.task_uuid).await?;
        TaskView::answer(call, tx, outcome, Description::Omitted).await
    }
}

/// Sends a task back.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReopenTask {
    /// The task to send back.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
    /// True to pass over unfinished prerequisites, which is recorded.
    force: Option<bool>,
}

#[async_trait]
impl WriteTool for ReopenTask {
    type Output = TaskView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<TaskView>> {
        let gate = if self.force == Some(true) { Gate::Forced } else { Gate::Heeded };
        let outcome = work::reopen(call, tx, self.task_uuid, gate).await?;
        TaskView::answer(call, tx, outcome, Description::Omitted).await
    }
}

/// Closes a task.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CloseTask {
    /// The task to close.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
}

#[async_trait]
impl WriteTool for CloseTask {
    type Output = TaskView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<TaskView>> {
        let outcome = work::close(call, tx, self.task_uuid).await?;
        TaskView::answer(call, tx, outcome, Description::Omitted).await
    }
}

/// A task that is changed.
const TASK: At = At::id("taskUuid", Kind::Task, Need::Editor).held(Hold::Own);

/// Tasks that wait for it.
const WAITING: At = At::Via { path: "taskUuid", expand: Expand::Dependants };

/// Criteria of the task.
const CRITERIA: At = At::Part { path: "criteria[].uuid", reason: "criteria are looked up among those of the task" };

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_claim_task",
        family: "task",
        title: "Claim a task",
        description: "Take an open task: it becomes yours and `assigned`. Exactly one caller wins. The answer is a work \
                      brief, with `_hints` about prerequisites. Next: chorus_update_task with status `in_progress` \
                      once nothing blocks it; chorus_release_task if you can't do it.",
        requirement: Requirement::bit(TASK_WRITE),
        access: Access::resource(&[TASK]),
        hints: Hints::MOVES,
        refuses: &[
            (Code::AlreadyClaimed, "somebody holds it; the details name the holder"),
            (Code::InvalidState, "it is past being claimed"),
            (Code::AssigneeNoAccess, "the calling agent was removed meanwhile"),
        ],
        example: r#"{"taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006"}"#,
        run: write::<ClaimTask>(),
    },
    Tool {
        name: "chorus_release_task",
        family: "task",
        title: "Release a task",
        description: "Give back a task that you or your owner hold and have not begun (`assigned`): it becomes `open` \
                      again for others.",
        requirement: Requirement::bit(TASK_WRITE),
        access: Access::resource(&[TASK]),
        hints: Hints::MOVES,
        refuses: &[
            (Code::NotAssignee, "somebody else holds it"),
            (Code::NotClaimed, "nobody holds it"),
            (Code::InvalidState, "work on it has begun"),
        ],
        example: r#"{"taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006"}"#,
        run: write::<ReleaseTask>(),
    },
    Tool {
        name: "chorus_report_work",
        family: "task",
        title: "Report on a task",
        description: "Post a progress report on a task you hold, and move it in the same call if you like: \
                      `in_progress` (needs every prerequisite finished) or `to_verify`. A move that is not possible \
                      refuses the report too.",
        requirement: Requirement::bit(TASK_WRITE),
        access: Access::resource(&[TASK, At::own("sessionUuid", Kind::Session)]),
        hints: Hints::ADDS,
        refuses: &[
            (Code::NotAssignee, "somebody else holds the task"),
            (Code::InvalidTransition, "the status can't follow the present one"),
            (Code::BlockedByDependencies, "a prerequisite is not finished"),
            (Code::NotFound, "the session is not one of the caller's"),
        ],
        example: r#"{
            "taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006",
            "report": "The log is written and replayed; next: compaction."
        }"#,
        run: write::<ReportWork>(),
    },
    Tool {
        name: "chorus_report_criteria_self_check",
        family: "task",
        title: "Judge my criteria",
        description: "Record, for a task you hold, which acceptance criteria you find fulfilled, with evidence for the \
                      reviewer. Informative: the reviewer's own verdicts decide. Next: chorus_submit_for_verify.",
        requirement: Requirement::bit(TASK_WRITE),
        access: Access::resource(&[TASK, CRITERIA]),
        hints: Hints::SETS,
        refuses: &[(Code::NotAssignee, "somebody else holds the task")],
        example: r#"{
            "taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006",
            "criteria": [
                {"uuid": "0192f3a0-7d4c-7b1e-9a55-000000000008", "devStatus": "passed", "devEvidence": "crash_test passes 1,000 times"}]
        }"#,
        run: write::<ReportCriteriaSelfCheck>(),
    },
    Tool {
        name: "chorus_submit_for_verify",
        family: "task",
        title: "Submit a task",
        description: "Hand over a task you hold and have finished (`in_progress`): it becomes `to_verify`, and your \
                      owner and its creator are told.",
        requirement: Requirement::bit(TASK_WRITE),
        access: Access::resource(&[TASK]),
        hints: Hints::MOVES,
        refuses: &[
            (Code::NotAssignee, "somebody else holds the task"),
            (Code::InvalidState, "the task is not in progress"),
        ],
        example: r#"{
            "taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006",
            "summary": "Done as designed; see pull request 12."
        }"#,
        run: write::<SubmitForVerify>(),
    },
    Tool {
        name: "chorus_mark_acceptance_criteria",
        family: "task",
        title: "Mark criteria",
        description: "Record your verdicts, as a reviewer, on a task's acceptance criteria. Every required one must be \
                      `passed` before chorus_admin_verify_task accepts the task.",
        requirement: Requirement::bit(TASK_ADMIN),
        access: Access::resource(&[TASK, CRITERIA]),
        hints: Hints::SETS,
        refuses: &[],
        example: r#"{
            "taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006",
            "criteria": [{"uuid": "0192f3a0-7d4c-7b1e-9a55-000000000008", "status": "passed", "evidence": "Ran it"}]
        }"#,
        run: write::<MarkAcceptanceCriteria>(),
    },
    Tool {
        name: "chorus_admin_verify_task",
        family: "task",
        title: "Verify a task",
        description: "Accept a task that is `to_verify`: it becomes `done` for good, and tasks that waited for it may \
                      start. Every required criterion must have passed: mark them first with \
                      chorus_mark_acceptance_criteria.",
        requirement: Requirement::bit(TASK_ADMIN),
        access: Access::resource(&[TASK, WAITING]),
        hints: Hints::MOVES,
        refuses: &[
            (Code::InvalidState, "the task does not wait for verification"),
            (Code::PreconditionFailed, "a required criterion is not marked as passed"),
        ],
        example: r#"{"taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006"}"#,
        run: write::<VerifyTask>(),
    },
    Tool {
        name: "chorus_admin_reopen_task",
        family: "task",
        title: "Reopen a task",
        description: "Send a task that is `to_verify` back to its assignee: it becomes `in_progress`, and all marks on \
                      its criteria are cleared. Say why with chorus_add_comment. A done task can't be reopened.",
        requirement: Requirement::bit(TASK_ADMIN),
        access: Access::resource(&[TASK]),
        hints: Hints::MOVES,
        refuses: &[
            (Code::InvalidState, "the task does not wait for verification"),
            (Code::BlockedByDependencies, "a prerequisite is not finished; `force` reopens all the same"),
        ],
        example: r#"{"taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006"}"#,
        run: write::<ReopenTask>(),
    },
    Tool {
        name: "chorus_admin_close_task",
        family: "task",
        title: "Close a task",
        description: "End a task in any status for good: it becomes `closed` and can't be reopened. Tasks that wait for \
                      it count it as finished, and their assignees are told if it was not done.",
        requirement: Requirement::bit(TASK_ADMIN),
        access: Access::resource(&[TASK, WAITING]),
        hints: Hints::ENDS,
        refuses: &[(Code::InvalidState, "the task is closed already")],
        example: r#"{"taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006"}"#,
        run: write::<CloseTask>(),
    },
];

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "tests")]

    use chorus_domain::task::TaskRef;
    use chorus_ids::CommentId;
    use chorus_store::Related;
    use serde_json::{Value, json};

    use super::{
        super::task::show::tests::{detail, view},
        *,
    };

    #[test]
    fn a_claim_warns_of_prerequisites_and_of_those_who_wait() {
        let mut detail = detail();
        assert_eq!(
            hints(&detail, Holding::You),
            ["2 prerequisites of this task are not finished. You hold it now, but can start only when all of \
                 `dependsOn` is done or closed; you will be notified."]
        );
        let waiting = |status| TaskRef { id: TaskId::from_u128(1), title: "Wait".into(), status, assignee: None };
        let given = hints(&detail, Holding::Another).remove(0);
        assert!(given.contains("Its assignee can start only when"), "{given}");
        detail.depends_on = Related::default();
        detail.depended_by =
            Related { visible: vec![waiting(TaskStatus::Open), waiting(TaskStatus::Done)], hidden: 0, hidden_open: 0 };
        assert_eq!(hints(&detail, Holding::You), ["1 other task waits for this one."]);
        detail.depended_by = Related::default();
        assert_eq!(hints(&detail, Holding::You), [""; 0]);
    }

    #[test]
    fn the_output_schema_of_a_claim_lists_the_fields_of_a_task() {
        let schema = schema::output::<ClaimedTask>();
        let properties = schema["properties"].as_object().map(|p| p.keys().cloned().collect::<Vec<_>>());
        let properties = properties.unwrap_or_default();
        let Value::Object(fields) = view(Description::Shown) else { return assert_eq!(properties, [""; 0]) };
        for field in fields.keys().map(String::as_str).chain(["_hints", "hiddenDependedBy"]) {
            assert!(properties.iter().any(|property| property == field), "{field}");
        }
        assert_eq!(schema.get("required"), None, "an answer's schema lists its properties and no more");
    }

    #[test]
    fn a_report_says_what_became_of_the_task() {
        let reported = |moved_to| {
            let reported = Reported { task: detail().task, comment: CommentId::from_u128(5), moved_to };
            serde_json::to_value(ReportedWork::of(reported)).unwrap_or_default()
        };
        assert_eq!(
            reported(Some(TaskStatus::ToVerify)),
            json!({
                "message": "The report was added and the task is now `to_verify`.",
                "taskUuid": Uuid::from_u128(0xa), "commentUuid": Uuid::from_u128(5), "status": "to_verify",
                "statusUpdated": true, "version": 4
            })
        );
        assert_eq!(reported(None)["message"], "The report was added; the task stays `to_verify`.");
    }

    #[test]
    fn a_mark_is_passed_or_failed() {
        let schema = schema::portable(&schema::write_input::<MarkAcceptanceCriteria>());
        let item = &schema["properties"]["criteria"]["items"];
        assert_eq!(item["properties"]["status"]["enum"], json!(["passed", "failed"]));
        assert_eq!(item["required"], json!(["uuid", "status"]));
        let marked = serde_json::to_value(MarkedCriteria::of(detail())).unwrap_or_default();
        assert_eq!((&marked["status"], marked["items"].as_array().map(Vec::len)), (&json!("not_started"), Some(1)));
        assert_eq!(marked["summary"]["requiredPending"], 1);
    }
}
