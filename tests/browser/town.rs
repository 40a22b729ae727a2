//! A server with something on every page, and people who are signed in.

use chorus_auth::{
    Moment,
    accounts::{LinkKind, NewToken, create_link},
};
use chorus_domain::{Subject, Write};
use chorus_ids::{GroupId, ProjectId, UserId};
use chorus_testkit::{Backend, Client, Database, Server, World};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use crate::chromium::{Chromium, Tab};

/// A server with a project in which work is going on.
pub(crate) struct Town {
    pub(crate) server: Server,
    pub(crate) world: World,
    pub(crate) owner: UserId,
    /// An editor of the project and the group.
    member: UserId,
    pub(crate) group: GroupId,
    pub(crate) project: ProjectId,
    pub(crate) ids: Ids,
    /// The key of an agent of the owner that may do everything.
    pub(crate) key: String,
    agent: chorus_ids::AgentId,
    _database: Database,
}

/// One of each.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    /// Has questions that wait for answers.
    pub(crate) idea: String,
    /// Waits for review.
    pub(crate) proposal: String,
    /// Has become tasks and a document.
    approved: String,
    /// Is being written, with one draft of each kind.
    drafted: String,
    document_draft: String,
    task_draft: String,
    pub(crate) document: String,
    /// Waits for verification.
    pub(crate) task: String,
    /// Waits for another.
    pub(crate) blocked: String,
    pub(crate) session: String,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

impl Town {
    /// A town in which everything that agents write says `marker` somewhere.
    pub(crate) async fn new(backend: Backend, marker: &str) -> Self {
        let database = Database::fresh(backend).await;
        let world = World::new(database.services().await).await;
        let owner = world.user("lan").await;
        let member = world.user("editor").await;
        let roles = [(owner, Role::Admin), (member, Role::Editor)];
        let group = world.group("Mobile", Visibility::Private, &roles).await;
        let project = world.project_in("Offline sync", Visibility::Private, Some(group), &roles).await;
        let agent = world.agent("builder", Some(owner), &["admin_agent"], &[]).await;
        let server = Server::start(&database).await;
        let client = server.client(&agent.key);
        let ids = populate(&client, &project.to_string(), marker).await;
        Self { server, world, owner, member, group, project, ids, key: agent.key, agent: agent.id, _database: database }
    }

    pub(crate) fn client(&self) -> Client {
        self.server.client(&self.key)
    }

    /// A link that signs this person in once.
    pub(crate) async fn link(&self, user: UserId) -> String {
        let services = &self.world.services;
        let row = services.store.read().await.unwrap().directory().user(user).await.unwrap().unwrap();
        let token = NewToken::generate(&mut rand::rng());
        let moment = Moment { now: services.clock.now(), ids: services.ids.as_ref() };
        self.world
            .write(vec![Write::NewLink(create_link(moment, &row, LinkKind::SignIn, Subject::Operator, &token))])
            .await;
        format!("/enter/{}", token.reveal())
    }

    /// A tab in which this person is signed in, at home.
    pub(crate) async fn signed_in(&self, chromium: &Chromium, user: UserId) -> Tab {
        let tab = chromium.open(self.server.base(), &self.link(user).await).await;
        tab.click("form [name='later'] ~ button").await;
        tab.until_at("/").await;
        tab
    }

    /// A path of the console's table with what is here in its places; `None` for a place of which there is nothing.
    pub(crate) fn fill(&self, path: &str) -> Option<String> {
        let mut filled = path.to_owned();
        // What a page needs to be told, or another thing than the usual one because of the state that it is in.
        let drafting = path.contains("/{proposal}/documents/") || path.contains("/{proposal}/tasks/");
        let proposal = match path {
            path if path.ends_with("/revoke") => &self.ids.approved,
            path if path.ends_with("/{proposal}/delete") => &self.ids.drafted,
            _ if drafting => &self.ids.drafted,
            _ => &self.ids.proposal,
        };
        let draft = if path.contains("/tasks/{draft}") { &self.ids.task_draft } else { &self.ids.document_draft };
        match path {
            path if path.ends_with("/members/{user}") => filled.push_str("?role=viewer"),
            path if path.ends_with("/settings/visibility") => filled.push_str("?to=public"),
            _ => {}
        }
        for (place, value) in [
            ("{project}", self.project.to_string()),
            ("{group}", self.group.to_string()),
            ("{idea}", self.ids.idea.clone()),
            ("{proposal}", proposal.clone()),
            ("{draft}", draft.clone()),
            ("{user}", self.member.to_string()),
            ("{what}", "answers".to_owned()),
            ("{document}", self.ids.document.clone()),
            ("{task}", if path.ends_with("/blocked") { self.ids.blocked.clone() } else { self.ids.task.clone() }),
            ("{agent}", self.agent.to_string()),
            ("{session}", self.ids.session.clone()),
        ] {
            filled = filled.replace(place, &value);
        }
        (!filled.contains('{')).then_some(filled)
    }
}

async fn populate(client: &Client, project: &str, marker: &str) -> Ids {
    let call = async |tool: &str, arguments: Value| client.call(tool, arguments).await.ok();
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
    let approved = propose(client, project, &built, marker).await;
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
    let proposal = propose(client, project, &other, marker).await;
    let later = new_idea("Something for later").await;
    call("chorus_claim_idea", json!({ "ideaUuid": later })).await;
    call("chorus_pm_skip_elaboration", json!({ "ideaUuid": later, "reason": "Small" })).await;
    let (drafted, document_draft, task_draft) = draft(client, project, &later, marker).await;
    Ids { idea, proposal, approved, drafted, document_draft, task_draft, document, task, blocked, session }
}

/// A proposal with a document and two tasks, one after the other, that waits for review.
async fn propose(client: &Client, project: &str, idea: &str, marker: &str) -> String {
    let (proposal, _, first) = draft(client, project, idea, marker).await;
    add_task(client, &proposal, "Merge the logs", Some(&first), marker).await;
    client.call("chorus_pm_submit_proposal", json!({ "proposalUuid": proposal })).await.ok();
    proposal
}

/// A proposal that is being written, with a document and a task.
async fn draft(client: &Client, project: &str, idea: &str, marker: &str) -> (String, String, String) {
    let call = async |tool: &str, arguments: Value| client.call(tool, arguments).await.ok();
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
    let task = add_task(client, &proposal, "Keep a log", None, marker).await;
    (proposal, text(&document["draftUuid"]), task)
}

async fn add_task(client: &Client, proposal: &str, title: &str, after: Option<&str>, marker: &str) -> String {
    let added = client.call(
        "chorus_pm_add_task_draft",
        json!({ "proposalUuid": proposal, "title": format!("{title} {marker}"), "description": format!("Do it. {marker}"),
                "priority": "high", "storyPoints": 2, "dependsOnDraftUuids": after.into_iter().collect::<Vec<_>>(),
                "acceptanceCriteriaItems": [{ "description": format!("Tests pass {marker}"), "required": true }] }),
    );
    text(&added.await.ok()["draftUuid"])
}
