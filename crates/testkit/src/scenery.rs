//! One of each thing that pages are about, in states in which there is much to be seen.

use chorus_ids::{AgentId, GroupId, ProjectId, UserId};
use serde_json::{Value, json};

/// Where things are made, and who is there.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// The project in which they are.
    pub project: ProjectId,
    /// The project's group.
    pub group: GroupId,
    /// Somebody with a part in both.
    pub member: UserId,
    /// Who makes them: an agent that may do everything there.
    pub agent: AgentId,
}

/// One of each thing in a project.
#[derive(Debug)]
pub struct Scenery {
    /// Where it is.
    pub around: Around,
    /// An idea with questions that wait for answers.
    pub idea: String,
    /// A proposal that waits for review.
    pub proposal: String,
    /// A proposal that has become tasks and a document.
    pub approved: String,
    /// A proposal that is being written, with the drafts that follow.
    pub drafted: String,
    /// A document draft.
    pub document_draft: String,
    /// A task draft.
    pub task_draft: String,
    /// A document in its second version.
    pub document: String,
    /// A task that waits for verification.
    pub task: String,
    /// A task that waits for that one.
    pub blocked: String,
    /// A session that is at work at it.
    pub session: String,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

impl Scenery {
    /// Makes them by calls of tools, which have to be answered. Everything that is written says `marker` somewhere.
    ///
    /// # Panics
    /// If an answer is not what its tool promises.
    pub async fn make(call: impl AsyncFn(&str, Value) -> Value, around: Around, marker: &str) -> Self {
        populate(&call, around, marker).await
    }

    /// A path of the console's table with what is here in its places; `None` for a place of which there is nothing.
    pub fn fill(&self, path: &str) -> Option<String> {
        let mut filled = path.to_owned();
        // What a page needs to be told, or another thing than the usual one because of the state that it is in.
        let drafting = path.contains("/{proposal}/documents/") || path.contains("/{proposal}/tasks/");
        let proposal = match path {
            path if path.ends_with("/revoke") => &self.approved,
            path if path.ends_with("/{proposal}/delete") => &self.drafted,
            _ if drafting => &self.drafted,
            _ => &self.proposal,
        };
        let draft = if path.contains("/tasks/{draft}") { &self.task_draft } else { &self.document_draft };
        match path {
            path if path.ends_with("/members/{user}") => filled.push_str("?role=viewer"),
            path if path.ends_with("/settings/visibility") => filled.push_str("?to=public"),
            _ => {}
        }
        for (place, value) in [
            ("{project}", self.around.project.to_string()),
            ("{group}", self.around.group.to_string()),
            ("{user}", self.around.member.to_string()),
            ("{agent}", self.around.agent.to_string()),
            ("{idea}", self.idea.clone()),
            ("{proposal}", proposal.clone()),
            ("{draft}", draft.clone()),
            ("{what}", "answers".to_owned()),
            ("{document}", self.document.clone()),
            ("{task}", if path.ends_with("/blocked") { self.blocked.clone() } else { self.task.clone() }),
            ("{session}", self.session.clone()),
        ] {
            filled = filled.replace(place, &value);
        }
        (!filled.contains('{')).then_some(filled)
    }
}

async fn populate(call: &impl AsyncFn(&str, Value) -> Value, around: Around, marker: &str) -> Scenery {
    let project = &around.project.to_string();
    let long =
        format!("## Why\n\nPeople edit in the underground. {marker}\n\n- one\n- two\n\n| a | b |\n|-|-|\n| 1 | 2 |\n");
    let new_idea = async |title: &str| {
        let made = call(
            "chorus_pm_create_idea",
            json!({ "projectUuid": project, "title": format!("{title} {marker}"), "content": long }),
        );
        text(&made.await["uuid"])
    };
    let built = new_idea("Merge offline edits").await;
    call("chorus_claim_idea", json!({ "ideaUuid": built })).await;
    call("chorus_pm_skip_elaboration", json!({ "ideaUuid": built, "reason": format!("Clear enough {marker}") })).await;
    let approved = propose(call, project, &built, marker).await;
    let note = json!({ "proposalUuid": approved, "reviewNote": format!("Good {marker}") });
    let results = call("chorus_admin_approve_proposal", note).await;
    let made = |list: &str, key: &str, nth: usize| text(&results[list][nth][key]);
    let document = made("materializedDocuments", "documentUuid", 0);
    let (task, blocked) = (made("materializedTasks", "taskUuid", 0), made("materializedTasks", "taskUuid", 1));
    call("chorus_pm_update_document", json!({ "documentUuid": document, "content": format!("{long}\nNew. {marker}") }))
        .await;
    call("chorus_claim_task", json!({ "taskUuid": task })).await;
    let session =
        call("chorus_create_session", json!({ "name": format!("Night shift {marker}"), "description": marker })).await;
    let session = text(&session["uuid"]);
    call("chorus_session_checkin_task", json!({ "sessionUuid": session, "taskUuid": task })).await;
    call("chorus_update_task", json!({ "taskUuid": task, "status": "in_progress" })).await;
    call("chorus_report_work", json!({ "taskUuid": task, "report": format!("Half of it. {marker}") })).await;
    let detail = call("chorus_get_task", json!({ "taskUuid": task })).await;
    let criterion = text(&detail["acceptanceCriteriaItems"][0]["uuid"]);
    let check = json!({ "taskUuid": task, "criteria": [{ "uuid": criterion, "devStatus": "passed", "devEvidence": format!("cargo test {marker}") }] });
    call("chorus_report_criteria_self_check", check).await;
    call("chorus_submit_for_verify", json!({ "taskUuid": task, "summary": format!("Done. {marker}") })).await;
    for (kind, id) in [("task", &task), ("idea", &built), ("document", &document)] {
        let said = json!({ "targetType": kind, "targetUuid": id, "content": format!("**Look** at [this](https://example.com) {marker}") });
        call("chorus_add_comment", said).await;
    }

    let idea = new_idea("Show who is editing").await;
    call("chorus_claim_idea", json!({ "ideaUuid": idea })).await;
    let questions = json!({ "ideaUuid": idea, "depth": "standard", "questions": [
        { "id": "q1", "text": format!("How soon? {marker}"), "category": "scope",
          "options": [{ "id": "a", "label": format!("This month {marker}") }, { "id": "b", "label": "Later" }] },
        { "id": "q2", "text": "For whom?", "category": "functional", "required": false,
          "options": [{ "id": "a", "label": "Everybody" }, { "id": "b", "label": "A few" }] },
    ] });
    call("chorus_pm_start_elaboration", questions).await;
    let other = new_idea("Sync over Bluetooth").await;
    call("chorus_claim_idea", json!({ "ideaUuid": other })).await;
    call("chorus_pm_skip_elaboration", json!({ "ideaUuid": other, "reason": "Small" })).await;
    let proposal = propose(call, project, &other, marker).await;
    let later = new_idea("Something for later").await;
    call("chorus_claim_idea", json!({ "ideaUuid": later })).await;
    call("chorus_pm_skip_elaboration", json!({ "ideaUuid": later, "reason": "Small" })).await;
    let (drafted, document_draft, task_draft) = draft(call, project, &later, marker).await;
    Scenery { around, idea, proposal, approved, drafted, document_draft, task_draft, document, task, blocked, session }
}

/// A proposal with a document and two tasks, one after the other, that waits for review.
async fn propose(call: &impl AsyncFn(&str, Value) -> Value, project: &str, idea: &str, marker: &str) -> String {
    let (proposal, _, first) = draft(call, project, idea, marker).await;
    add_task(call, &proposal, "Merge the logs", Some(&first), marker).await;
    call("chorus_pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
    proposal
}

/// A proposal that is being written, with a document and a task.
async fn draft(
    call: &impl AsyncFn(&str, Value) -> Value,
    project: &str,
    idea: &str,
    marker: &str,
) -> (String, String, String) {
    let proposal = call(
        "chorus_pm_create_proposal",
        json!({ "projectUuid": project, "title": format!("Plan {marker}"), "description": format!("Two steps. {marker}"),
                "inputType": "idea", "inputUuids": [idea] }),
    )
    .await;
    let proposal = text(&proposal["uuid"]);
    let content = format!("# Merge rules\n\n{}\n\n```rust\nfn main() {{}}\n```\n{marker}", "Later wins. ".repeat(20));
    let document = call(
        "chorus_pm_add_document_draft",
        json!({ "proposalUuid": proposal, "type": "tech_design", "title": format!("Design {marker}"), "content": content }),
    )
    .await;
    let task = add_task(call, &proposal, "Keep a log", None, marker).await;
    (proposal, text(&document["draftUuid"]), task)
}

async fn add_task(
    call: &impl AsyncFn(&str, Value) -> Value,
    proposal: &str,
    title: &str,
    after: Option<&str>,
    marker: &str,
) -> String {
    let added = call(
        "chorus_pm_add_task_draft",
        json!({ "proposalUuid": proposal, "title": format!("{title} {marker}"), "description": format!("Do it. {marker}"),
                "priority": "high", "storyPoints": 2, "dependsOnDraftUuids": after.into_iter().collect::<Vec<_>>(),
                "acceptanceCriteriaItems": [{ "description": format!("Tests pass {marker}"), "required": true }] }),
    );
    text(&added.await["draftUuid"])
}
