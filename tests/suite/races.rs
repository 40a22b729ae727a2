//! Of simultaneous callers one wins, and everything else lands (README decisions 4, 5, 7).

use std::{collections::BTreeSet, future::Future};

use chorus_testkit::{Backend, CallResult, Client, Database, Server, World, WorldAgent};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use crate::backends;

/// A world with servers on it: one on SQLite, two processes on PostgreSQL.
struct Field {
    servers: Vec<Server>,
    world: World,
    project: String,
    admin: WorldAgent,
    _database: Database,
}

impl Field {
    async fn new(backend: Backend) -> Self {
        let database = Database::fresh(backend).await;
        let world = World::new(database.services().await).await;
        let project = world.project("race", Visibility::Public, &[(world.first_user, Role::Admin)]).await.to_string();
        let admin = world.agent("admin", Some(world.first_user), &["admin_agent"], &[]).await;
        let mut servers = vec![Server::start(&database).await];
        if backend == Backend::Postgres {
            servers.push(Server::start(&database).await);
        }
        Self { servers, world, project, admin, _database: database }
    }

    /// A client of the administrator on one of the servers, in turn.
    fn client(&self, turn: usize) -> Client {
        self.servers[turn % self.servers.len()].client(&self.admin.key)
    }

    async fn tasks(&self, titles: &[&str]) -> Vec<String> {
        let tasks: Vec<Value> = titles
            .iter()
            .map(|title| json!({ "title": title, "acceptanceCriteriaItems": [{ "description": "works" }] }))
            .collect();
        let made = self
            .client(0)
            .call("chorus_create_tasks", json!({ "projectUuid": self.project, "tasks": tasks }))
            .await
            .ok();
        made["tasks"].as_array().unwrap().iter().map(|task| task["uuid"].as_str().unwrap().to_owned()).collect()
    }

    async fn task(&self, uuid: &str) -> Value {
        self.client(0).call("chorus_get_task", json!({ "taskUuid": uuid })).await.ok()
    }

    async fn activities(&self, action: &str) -> usize {
        let arguments = json!({ "projectUuid": self.project, "pageSize": 100 });
        let stream = self.client(0).call("chorus_get_activity", arguments).await.ok();
        stream["activities"].as_array().unwrap().iter().filter(|row| row["action"] == action).count()
    }
}

/// Runs all at once.
async fn together<T: Send + 'static>(runs: Vec<impl Future<Output = T> + Send + 'static>) -> Vec<T> {
    let tasks: Vec<_> = runs.into_iter().map(tokio::spawn).collect();
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.unwrap());
    }
    results
}

async fn call(client: Client, tool: &'static str, arguments: Value) -> CallResult {
    client.call(tool, arguments).await
}

/// Report 10.
async fn one_of_sixteen_claims_wins(backend: Backend) {
    let field = Field::new(backend).await;
    let task = field.tasks(&["wanted"]).await.remove(0);
    let mut claims = Vec::new();
    let mut names = Vec::new();
    for turn in 0..16 {
        let agent =
            field.world.agent(&format!("dev {turn}"), Some(field.world.first_user), &["developer_agent"], &[]).await;
        let client = field.servers[turn % field.servers.len()].client(&agent.key);
        claims.push(call(client, "chorus_claim_task", json!({ "taskUuid": task })));
        names.push(agent.id.to_string());
    }
    let results = together(claims).await;
    let winners: Vec<&String> = results
        .iter()
        .zip(&names)
        .filter_map(|(result, name)| matches!(result, CallResult::Answer(_)).then_some(name))
        .collect();
    assert_eq!(winners.len(), 1, "{results:?}");
    let holder = field.task(&task).await["assignee"]["uuid"].clone();
    assert_eq!(holder.as_str(), Some(winners[0].as_str()));
    for result in results.iter().filter(|result| !matches!(result, CallResult::Answer(_))) {
        assert_eq!(result.code(), "already_claimed");
        assert_eq!(result.details()["holder"]["uuid"], holder, "the loser is told who holds it");
    }
    assert_eq!(field.activities("assigned").await, 1);
}

async fn one_of_four_approvals_wins(backend: Backend) {
    let field = Field::new(backend).await;
    let client = field.client(0);
    let document = json!({ "projectUuid": field.project, "title": "source" });
    let idea = client.call("chorus_pm_create_idea", document).await.ok()["uuid"].clone();
    client.call("chorus_claim_idea", json!({ "ideaUuid": idea })).await.ok();
    client.call("chorus_pm_skip_elaboration", json!({ "ideaUuid": idea, "reason": "clear" })).await.ok();
    let proposal = json!({ "projectUuid": field.project, "title": "p", "inputType": "idea", "inputUuids": [idea] });
    let proposal = client.call("chorus_pm_create_proposal", proposal).await.ok()["uuid"].clone();
    let content = "x".repeat(100);
    let draft = json!({ "proposalUuid": proposal, "type": "prd", "title": "d", "content": content });
    client.call("chorus_pm_add_document_draft", draft).await.ok();
    for title in ["a", "b", "c", "d", "e"] {
        let draft = json!({
            "proposalUuid": proposal, "title": title, "acceptanceCriteriaItems": [{ "description": "works" }]
        });
        client.call("chorus_pm_add_task_draft", draft).await.ok();
    }
    client.call("chorus_pm_submit_proposal", json!({ "proposalUuid": proposal })).await.ok();
    let approvals = (0..4)
        .map(|turn| call(field.client(turn), "chorus_admin_approve_proposal", json!({ "proposalUuid": proposal })))
        .collect();
    let results = together(approvals).await;
    let won = results.iter().filter(|result| matches!(result, CallResult::Answer(_))).count();
    assert_eq!(won, 1, "{results:?}");
    for result in results.iter().filter(|result| !matches!(result, CallResult::Answer(_))) {
        assert_eq!(result.code(), "invalid_state");
    }
    let tasks = client.call("chorus_list_tasks", json!({ "projectUuid": field.project })).await.ok();
    assert_eq!(tasks["total"], 5, "five drafts are five tasks");
    let documents = client.call("chorus_get_documents", json!({ "projectUuid": field.project })).await.ok();
    assert_eq!(documents["total"], 1);
}

async fn simultaneous_replacements_of_criteria_leave_one_set(backend: Backend) {
    let field = Field::new(backend).await;
    let task = field.tasks(&["edited"]).await.remove(0);
    let edits = (0..8)
        .map(|turn| {
            let criteria: Vec<Value> =
                (0..3).map(|index| json!({ "description": format!("set {turn} criterion {index}") })).collect();
            let arguments = json!({ "taskUuid": task, "acceptanceCriteriaItems": criteria });
            call(field.client(turn), "chorus_update_task", arguments)
        })
        .collect();
    for result in together(edits).await {
        result.ok();
    }
    let detail = field.task(&task).await;
    let criteria = detail["acceptanceCriteriaItems"].as_array().unwrap();
    assert_eq!(criteria.len(), 3, "{criteria:?}");
    let sets: BTreeSet<&str> =
        criteria.iter().map(|criterion| &criterion["description"].as_str().unwrap()[..5]).collect();
    assert_eq!(sets.len(), 1, "one edit's criteria, whole: {criteria:?}");
}

async fn edits_of_different_fields_all_survive(backend: Backend) {
    let field = Field::new(backend).await;
    let task = field.tasks(&["edited"]).await.remove(0);
    for round in 0..10 {
        let edits = vec![
            json!({ "taskUuid": task, "title": format!("title {round}") }),
            json!({ "taskUuid": task, "description": format!("description {round}") }),
            json!({ "taskUuid": task, "storyPoints": round }),
            json!({ "taskUuid": task, "priority": if round % 2 == 0 { "high" } else { "low" } }),
        ];
        let edits = edits
            .into_iter()
            .enumerate()
            .map(|(turn, arguments)| call(field.client(turn), "chorus_update_task", arguments))
            .collect();
        for result in together(edits).await {
            result.ok();
        }
        let detail = field.task(&task).await;
        assert_eq!(detail["title"], format!("title {round}"));
        assert_eq!(detail["description"], format!("description {round}"));
        assert_eq!(detail["storyPoints"].as_f64(), Some(f64::from(round)));
        assert_eq!(detail["priority"], if round % 2 == 0 { "high" } else { "low" });
    }
}

impl Field {
    async fn ideas(&self, count: usize) -> Vec<String> {
        let mut ideas = Vec::new();
        for turn in 0..count {
            let arguments = json!({ "projectUuid": self.project, "title": format!("idea {turn}") });
            let made = self.client(turn).call("chorus_pm_create_idea", arguments).await.ok();
            ideas.push(made["uuid"].as_str().unwrap().to_owned());
        }
        ideas
    }

    async fn idea(&self, uuid: &str) -> Value {
        self.client(0).call("chorus_get_idea", json!({ "ideaUuid": uuid })).await.ok()
    }
}

async fn edits_of_different_fields_of_an_idea_all_survive(backend: Backend) {
    let field = Field::new(backend).await;
    let ideas = field.ideas(2).await;
    let mut version = 1;
    for round in 0..25 {
        let parent = if round % 2 == 0 { json!(ideas[1]) } else { Value::Null };
        let edits = vec![
            json!({ "ideaUuid": ideas[0], "title": format!("title {round}") }),
            json!({ "ideaUuid": ideas[0], "content": format!("content {round}") }),
            json!({ "ideaUuid": ideas[0], "isContainer": round % 2 == 0 }),
            json!({ "ideaUuid": ideas[0], "parentUuid": parent }),
        ];
        let edits = edits
            .into_iter()
            .enumerate()
            .map(|(turn, arguments)| call(field.client(turn), "chorus_edit_idea", arguments))
            .collect();
        for result in together(edits).await {
            result.ok();
        }
        let idea = field.idea(&ideas[0]).await;
        assert_eq!(idea["title"], format!("title {round}"));
        assert_eq!(idea["content"], format!("content {round}"));
        assert_eq!((&idea["isContainer"], &idea["parentUuid"]), (&json!(round % 2 == 0), &parent));
        version += 4;
        assert_eq!(idea["version"], version, "each edit counts");
    }
    // Of writers who all saw the same version, one gets through, and only what that one wrote is there.
    let edits = (0..6)
        .map(|turn| {
            let arguments = json!({ "ideaUuid": ideas[0], "title": format!("of {turn}"), "expectedVersion": version });
            call(field.client(turn), "chorus_edit_idea", arguments)
        })
        .collect();
    let results = together(edits).await;
    let winners: Vec<usize> = (0..6).filter(|turn| matches!(results[*turn], CallResult::Answer(_))).collect();
    assert_eq!(winners.len(), 1, "{results:?}");
    for result in results.iter().filter(|result| !matches!(result, CallResult::Answer(_))) {
        assert_eq!((result.code(), &result.details()["currentVersion"]), ("precondition_failed", &json!(version + 1)));
    }
    assert_eq!(field.idea(&ideas[0]).await["title"], format!("of {}", winners[0]));
}

async fn ideas_moved_below_each_other_never_close_a_circle(backend: Backend) {
    let field = Field::new(backend).await;
    for round in 0..10 {
        let ideas = field.ideas(3).await;
        let under = |from: usize, to: usize| json!({ "ideaUuid": ideas[from], "parentUuid": ideas[to] });
        let moves = [under(0, 1), under(1, 2), under(2, 0)]
            .into_iter()
            .enumerate()
            .map(|(turn, arguments)| call(field.client(turn + round), "chorus_edit_idea", arguments))
            .collect();
        let results = together(moves).await;
        let refused: Vec<_> = results.iter().filter(|result| !matches!(result, CallResult::Answer(_))).collect();
        assert_eq!(refused.len(), 1, "two parents fit, the third closes the circle: {results:?}");
        assert_eq!(refused[0].code(), "cycle");
    }
}

async fn opposite_dependencies_never_close_a_circle(backend: Backend) {
    let field = Field::new(backend).await;
    for round in 0..10 {
        let tasks = field.tasks(&["a", "b", "c"]).await;
        let edge = |from: usize, to: usize| json!({ "taskUuid": tasks[from], "addDependsOn": [tasks[to]] });
        let edges = [edge(0, 1), edge(1, 2), edge(2, 0)];
        let edits = edges
            .into_iter()
            .enumerate()
            .map(|(turn, arguments)| call(field.client(turn + round), "chorus_update_task", arguments))
            .collect();
        let results = together(edits).await;
        let refused: Vec<_> = results.iter().filter(|result| !matches!(result, CallResult::Answer(_))).collect();
        assert_eq!(refused.len(), 1, "two edges fit, the third closes the circle: {results:?}");
        assert_eq!(refused[0].code(), "cycle");
    }
}

async fn prerequisites_verified_at_once_unblock_their_dependant_once(backend: Backend) {
    let field = Field::new(backend).await;
    let tasks = field.tasks(&["one", "two", "waits"]).await;
    let client = field.client(0);
    let edges = json!({ "taskUuid": tasks[2], "addDependsOn": [tasks[0], tasks[1]] });
    client.call("chorus_update_task", edges).await.ok();
    for task in &tasks[..2] {
        client.call("chorus_claim_task", json!({ "taskUuid": task })).await.ok();
        client.call("chorus_update_task", json!({ "taskUuid": task, "status": "in_progress" })).await.ok();
        client.call("chorus_submit_for_verify", json!({ "taskUuid": task })).await.ok();
        let criterion = field.task(task).await["acceptanceCriteriaItems"][0]["uuid"].clone();
        let marks = json!({ "taskUuid": task, "criteria": [{ "uuid": criterion, "status": "passed" }] });
        client.call("chorus_mark_acceptance_criteria", marks).await.ok();
    }
    let verifications = (0..2)
        .map(|turn| call(field.client(turn), "chorus_admin_verify_task", json!({ "taskUuid": tasks[turn] })))
        .collect();
    for result in together(verifications).await {
        result.ok();
    }
    assert_eq!(field.activities("unblocked").await, 1, "told once, not never and not twice");
}

async fn a_removed_member_cannot_slip_a_write_through(backend: Backend) {
    let field = Field::new(backend).await;
    let world = &field.world;
    let member = world.user("member").await;
    let private = world.project("private", Visibility::Private, &[(world.first_user, Role::Admin)]).await;
    let agent = world.agent("member's", Some(member), &["admin_agent"], &[]).await;
    for turn in 0..6 {
        world.member(private, member, Role::Editor).await;
        let arguments = json!({ "projectUuid": private, "title": format!("idea {turn}") });
        let client = field.servers[turn % field.servers.len()].client(&agent.key);
        let (demoted, result) =
            tokio::join!(world.member(private, member, Role::Viewer), client.call("chorus_pm_create_idea", arguments));
        let () = demoted;
        // Either it came first, or it is refused; afterwards it is refused for certain.
        if !matches!(result, CallResult::Answer(_)) {
            assert_eq!(result.code(), "forbidden");
        }
        let late = client.call("chorus_pm_create_idea", json!({ "projectUuid": private, "title": "late" })).await;
        assert_eq!(late.code(), "forbidden");
    }
}

backends!(
    one_of_sixteen_claims_wins,
    one_of_four_approvals_wins,
    simultaneous_replacements_of_criteria_leave_one_set,
    edits_of_different_fields_all_survive,
    edits_of_different_fields_of_an_idea_all_survive,
    ideas_moved_below_each_other_never_close_a_circle,
    opposite_dependencies_never_close_a_circle,
    prerequisites_verified_at_once_unblock_their_dependant_once,
    a_removed_member_cannot_slip_a_write_through,
);
