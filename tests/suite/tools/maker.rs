//! Makes things in any state, through the tools themselves.

use chorus_domain::Caller;
use chorus_permissions::{PROPOSAL_ADMIN, TASK_ADMIN};
use serde_json::{Value, json};

use super::stage::{Stage, text};

/// Makes things in one project as one caller; where the caller lacks a permission to review, `admin` does it.
#[derive(Clone)]
pub(crate) struct Maker<'a> {
    stage: &'a Stage,
    who: &'a Caller,
    project: String,
}

/// A proposal that was approved, and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Approved {
    /// The idea it was made from.
    pub(crate) idea: String,
    /// The proposal.
    pub(crate) proposal: String,
    /// Its tasks; the second waits for the first.
    pub(crate) tasks: Vec<String>,
    /// Its document.
    pub(crate) document: String,
}

/// A text of a document that is long enough for validation.
pub(crate) fn long_text() -> String {
    "Merge rules. ".repeat(10)
}

/// Arguments of two questions, the second optional.
pub(crate) fn questions() -> Value {
    let options = json!([{ "id": "a", "label": "This" }, { "id": "b", "label": "That", "description": "Rather" }]);
    json!([
        { "id": "q1", "text": "Which?", "category": "functional", "options": options },
        { "id": "q2", "text": "How?", "category": "scope", "options": options, "required": false },
    ])
}

impl<'a> Maker<'a> {
    /// For this caller and project.
    pub(crate) const fn new(stage: &'a Stage, who: &'a Caller, project: String) -> Self {
        Self { stage, who, project }
    }

    /// The same in another project.
    pub(crate) fn within(&self, project: &str) -> Self {
        Self { project: project.to_owned(), ..self.clone() }
    }

    async fn ok(&self, tool: &str, arguments: Value) -> Value {
        self.stage.ok(self.who, tool, arguments).await
    }

    /// An open idea.
    pub(crate) async fn idea(&self) -> String {
        self.idea_with(json!({})).await
    }

    /// An open idea with more arguments.
    pub(crate) async fn idea_with(&self, more: Value) -> String {
        let mut arguments = json!({ "projectUuid": self.project, "title": "Works offline" });
        merge(&mut arguments, more);
        text(&self.ok("pm_create_idea", arguments).await["uuid"])
    }

    /// An idea that the caller holds.
    pub(crate) async fn claimed(&self) -> String {
        let idea = self.idea().await;
        self.ok("claim_idea", json!({ "ideaUuid": idea })).await;
        idea
    }

    /// An idea that the caller holds and skipped the elaboration of.
    pub(crate) async fn elaborated(&self) -> String {
        let idea = self.claimed().await;
        self.ok("pm_skip_elaboration", json!({ "ideaUuid": idea, "reason": "Clear" })).await;
        idea
    }

    /// Opens a round of two questions about an idea that the caller holds.
    pub(crate) async fn round(&self, idea: &str) -> String {
        let arguments = json!({ "ideaUuid": idea, "depth": "standard", "questions": questions() });
        text(&self.ok("pm_start_elaboration", arguments).await["uuid"])
    }

    /// Answers the required question of the only open round.
    pub(crate) async fn answered(&self, idea: &str) {
        let answers = json!([{ "questionId": "q1", "selectedOptionId": "a" }]);
        self.ok("answer_elaboration", json!({ "ideaUuid": idea, "answers": answers })).await;
    }

    /// A draft proposal without drafts, from an elaborated idea.
    pub(crate) async fn proposal(&self) -> String {
        let idea = self.elaborated().await;
        self.proposal_from(&idea).await
    }

    /// A draft proposal from this idea.
    pub(crate) async fn proposal_from(&self, idea: &str) -> String {
        let arguments = json!({
            "projectUuid": self.project, "title": "Sync", "description": "How", "inputType": "idea",
            "inputUuids": [idea]
        });
        text(&self.ok("pm_create_proposal", arguments).await["uuid"])
    }

    /// Adds a document draft.
    pub(crate) async fn document_draft(&self, proposal: &str) -> String {
        let arguments = json!({
            "proposalUuid": proposal, "type": "tech_design", "title": "Design", "content": long_text()
        });
        text(&self.ok("pm_add_document_draft", arguments).await["draftUuid"])
    }

    /// Adds a task draft that waits for others.
    pub(crate) async fn task_draft(&self, proposal: &str, title: &str, after: &[&str]) -> String {
        let arguments = json!({
            "proposalUuid": proposal, "title": title, "description": "Do it", "priority": "high", "storyPoints": 2,
            "acceptanceCriteriaItems": [{ "description": "It works" }], "dependsOnDraftUuids": after
        });
        text(&self.ok("pm_add_task_draft", arguments).await["draftUuid"])
    }

    /// Fills a proposal so that it is valid: a document draft and two task drafts, the second after the first.
    pub(crate) async fn fill(&self, proposal: &str) {
        self.document_draft(proposal).await;
        let first = self.task_draft(proposal, "Log", &[]).await;
        self.task_draft(proposal, "Merge", &[&first]).await;
    }

    /// A valid draft proposal.
    pub(crate) async fn filled(&self) -> String {
        let proposal = self.proposal().await;
        self.fill(&proposal).await;
        proposal
    }

    /// A submitted proposal.
    pub(crate) async fn pending(&self) -> String {
        let proposal = self.filled().await;
        self.ok("pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
        proposal
    }

    /// An approved proposal.
    pub(crate) async fn approved(&self) -> Approved {
        let idea = self.elaborated().await;
        let proposal = self.proposal_from(&idea).await;
        self.fill(&proposal).await;
        self.ok("pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
        let reviewer = if self.who.permissions.contains(PROPOSAL_ADMIN) { self.who } else { &self.stage.admin };
        let made = self.stage.ok(reviewer, "admin_approve_proposal", json!({ "proposalUuid": proposal })).await;
        let tasks = made["materializedTasks"].as_array().unwrap().iter().map(|task| text(&task["taskUuid"])).collect();
        Approved { idea, proposal, tasks, document: text(&made["materializedDocuments"][0]["documentUuid"]) }
    }

    /// An open quick task with one required criterion.
    pub(crate) async fn task(&self) -> String {
        self.task_with(json!({})).await
    }

    /// An open quick task with more arguments.
    pub(crate) async fn task_with(&self, more: Value) -> String {
        let mut task = json!({ "title": "Parse", "acceptanceCriteriaItems": [{ "description": "It works" }] });
        merge(&mut task, more);
        self.tasks(json!([task])).await.remove(0)
    }

    /// Quick tasks.
    pub(crate) async fn tasks(&self, tasks: Value) -> Vec<String> {
        let made = self.ok("create_tasks", json!({ "projectUuid": self.project, "tasks": tasks })).await;
        made["tasks"].as_array().unwrap().iter().map(|task| text(&task["uuid"])).collect()
    }

    /// A quick task in this status, held by the caller unless it is open.
    pub(crate) async fn task_in(&self, status: &str) -> String {
        let task = self.task().await;
        self.advance(&task, status).await;
        task
    }

    /// Brings an open task into this status.
    pub(crate) async fn advance(&self, task: &str, status: &str) {
        let on = json!({ "taskUuid": task });
        let to = |status: &str| json!({ "taskUuid": task, "status": status });
        let path = ["open", "assigned", "in_progress", "to_verify", "done"];
        if status == "closed" {
            self.stage.ok(self.reviewer(), "admin_close_task", on).await;
            return;
        }
        let goal = path.iter().position(|step| *step == status).unwrap();
        for step in &path[1..=goal] {
            match *step {
                "assigned" => drop(self.ok("claim_task", on.clone()).await),
                "done" => self.verify(task).await,
                step => drop(self.ok("update_task", to(step)).await),
            }
        }
    }

    /// Accepts a submitted task.
    pub(crate) async fn verify(&self, task: &str) {
        let criterion = self.criterion(task).await;
        let marks = json!({ "taskUuid": task, "criteria": [{ "uuid": criterion, "status": "passed" }] });
        self.stage.ok(self.reviewer(), "mark_acceptance_criteria", marks).await;
        self.stage.ok(self.reviewer(), "admin_verify_task", json!({ "taskUuid": task })).await;
    }

    fn reviewer(&self) -> &Caller {
        if self.who.permissions.contains(TASK_ADMIN) { self.who } else { &self.stage.admin }
    }

    /// The first criterion of a task.
    pub(crate) async fn criterion(&self, task: &str) -> String {
        let task = self.ok("get_task", json!({ "taskUuid": task })).await;
        text(&task["acceptanceCriteriaItems"][0]["uuid"])
    }

    /// Lets a task wait for others.
    pub(crate) async fn after(&self, task: &str, prerequisites: &[&str]) {
        self.ok("update_task", json!({ "taskUuid": task, "addDependsOn": prerequisites })).await;
    }

    /// Attaches a reference.
    pub(crate) async fn reference(&self, kind: &str, id: &str) -> String {
        let arguments = json!({
            "targetType": kind, "targetUuid": id, "type": "docs", "url": "https://example.com", "title": "Docs"
        });
        text(&self.ok("add_reference", arguments).await["uuid"])
    }

    /// An active session of the caller.
    pub(crate) async fn session(&self) -> String {
        text(&self.ok("create_session", json!({ "name": "builder" })).await["uuid"])
    }

    /// A session of the caller that is at a task.
    pub(crate) async fn session_at(&self, task: &str) -> String {
        let session = self.session().await;
        self.ok("session_checkin_task", json!({ "sessionUuid": session, "taskUuid": task })).await;
        session
    }

    /// Comments.
    pub(crate) async fn comment(&self, kind: &str, id: &str, content: &str) -> String {
        let arguments = json!({ "targetType": kind, "targetUuid": id, "content": content });
        text(&self.ok("add_comment", arguments).await["uuid"])
    }
}

/// Puts the keys of one object into another.
pub(crate) fn merge(into: &mut Value, more: Value) {
    let (Value::Object(into), Value::Object(more)) = (into, more) else { panic!("no objects") };
    into.extend(more);
}
