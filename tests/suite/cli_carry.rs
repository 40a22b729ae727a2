//! `chorus export` and `chorus import`.

use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use chorus_testkit::{Backend, Client, Database, Ran, Server, Site, chorus, operator, run, run_with_input};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::backends;

async fn carry(command: &str, url: &str, file: &str) -> Ran {
    run(chorus().args([command, file, "--database-url", url, "--json"])).await
}

/// The lines of an export.
async fn exported(url: &str) -> Vec<Value> {
    let text = run(chorus().args(["export", "-", "--database-url", url])).await.ok();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same without regard to the order of rows, which is that of the database's own keys.
fn sorted(mut lines: Vec<Value>) -> Vec<String> {
    lines.sort_by_key(Value::to_string);
    lines.iter().map(Value::to_string).collect()
}

fn id(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("no `{name}` in {value}")).to_owned()
}

async fn ok(client: &Client, tool: &str, arguments: Value) -> Value {
    client.call(&format!("chorus_{tool}"), arguments).await.ok()
}

/// Makes a row in every table that tools and commands write.
/// Returns arguments of a call with a key and its first answer.
async fn fill(site: &Site) -> (Value, Value) {
    let client = site.client();
    let url = site.database.url();
    let person = ["user", "create", "--email", "Bo@Example.com", "--name", "Bö \"quoted\"\t\u{1f600}"];
    let bo = id(&operator(url, &person).await, "userUuid");
    let agent = operator(url, &["agent", "create", "--name", "gone", "--owner", "bo@example.com"]).await;
    operator(url, &["agent", "delete", &id(&agent, "agentUuid")]).await;
    operator(url, &["key", "create", "--agent", "admin", "--name", "spare", "--expires-at", "2099-01-31"]).await;
    let group = id(&ok(&client, "admin_create_project_group", json!({ "name": "协作" })).await, "uuid");
    let member = json!({ "groupUuid": group, "memberAction": "add", "userUuid": bo, "role": "viewer" });
    ok(&client, "admin_update_project_group", member).await;
    let project = json!({ "name": "Sync", "groupUuid": group, "description": "a\u{2028}b\\n" });
    let project = id(&ok(&client, "admin_create_project", project).await, "uuid");
    let member = ["project", "member", "add", "--project", &project, "--user", "bo@example.com", "--role", "editor"];
    operator(url, &member).await;
    let idea = |title: &str| json!({ "projectUuid": project, "title": title, "content": "" });
    let child = id(&ok(&client, "pm_create_idea", idea("a child that is older than its parent")).await, "uuid");
    let parent = id(&ok(&client, "pm_create_idea", idea("parent")).await, "uuid");
    ok(&client, "edit_idea", json!({ "ideaUuid": child, "parentUuid": parent })).await;
    ok(&client, "claim_idea", json!({ "ideaUuid": parent })).await;
    let options = json!([{ "id": "a", "label": "This" }, { "id": "b", "label": "That" }]);
    let questions = json!([{ "id": "q", "text": "Which?", "category": "scope", "options": options }]);
    let round = json!({ "ideaUuid": parent, "depth": "minimal", "questions": questions });
    ok(&client, "pm_start_elaboration", round).await;
    let answers = json!([{ "questionId": "q", "selectedOptionId": "a" }]);
    ok(&client, "answer_elaboration", json!({ "ideaUuid": parent, "answers": answers })).await;
    let proposal = json!({
        "projectUuid": project, "title": "How", "inputType": "idea", "inputUuids": [parent]
    });
    let proposal = id(&ok(&client, "pm_create_proposal", proposal).await, "uuid");
    let draft = json!({ "proposalUuid": proposal, "type": "prd", "title": "PRD", "content": "Text. ".repeat(40) });
    ok(&client, "pm_add_document_draft", draft).await;
    let draft = json!({
        "proposalUuid": proposal, "title": "Merge", "description": "x", "storyPoints": 1.1, "priority": "low",
        "acceptanceCriteriaItems": [{ "description": "It works" }]
    });
    ok(&client, "pm_add_task_draft", draft).await;
    let document = json!({ "projectUuid": project, "type": "guide", "title": "Guide", "content": "one" });
    let document = id(&ok(&client, "pm_create_document", document).await, "uuid");
    ok(&client, "pm_update_document", json!({ "documentUuid": document, "content": "two" })).await;
    let criteria = json!([{ "description": "It works" }]);
    let tasks = json!([
        { "title": "first", "draftUuid": "a", "storyPoints": 0.1, "acceptanceCriteriaItems": criteria },
        { "title": "second 数据", "draftUuid": "b", "dependsOnDraftUuids": ["a"], "acceptanceCriteriaItems": criteria },
    ]);
    let key = json!({ "projectUuid": project, "tasks": tasks, "idempotencyKey": "once" });
    let made = ok(&client, "create_tasks", key.clone()).await;
    let task = id(&made["tasks"][0], "uuid");
    ok(&client, "claim_task", json!({ "taskUuid": task })).await;
    let session = id(&ok(&client, "create_session", json!({ "name": "s" })).await, "uuid");
    ok(&client, "session_checkin_task", json!({ "sessionUuid": session, "taskUuid": task })).await;
    let mention = format!("@[Bo](user:{bo}) look");
    ok(&client, "add_comment", json!({ "targetType": "task", "targetUuid": task, "content": mention })).await;
    let reference = json!({
        "targetType": "task", "targetUuid": task, "type": "docs", "url": "https://example.com", "title": "Docs"
    });
    ok(&client, "add_reference", reference).await;
    operator(url, &["user", "create", "--email", "cy@example.com", "--name", "Cy"]).await;
    operator(url, &["user", "remove", "cy@example.com", "--yes"]).await;
    operator(url, &["user", "suspend", "bo@example.com", "--yes"]).await;
    operator(url, &["user", "invite", "--email", "dee@example.com", "--name", "Dee"]).await;
    (key, made)
}

/// Tables that no tool and no command writes.
const UNUSED: &[&str] = &["notification_preference", "project_visit"];

/// How many ideas stand before their parents.
fn before_parents(lines: &[Value]) -> usize {
    let ideas: Vec<&Value> = lines.iter().filter_map(|line| line["row"].get("idea")).collect();
    let place = |id: &Value| ideas.iter().position(|idea| idea["id"] == *id);
    ideas.iter().filter(|idea| !idea["parent_id"].is_null() && place(&idea["parent_id"]) > place(&idea["id"])).count()
}

async fn all_rows_arrive(backend: Backend) {
    let site = Site::new(backend).await;
    let (tasks, first) = fill(&site).await;
    let parents = before_parents(&exported(site.database.url()).await);
    assert_eq!(parents, 1, "one idea stands before its parent");
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("all.jsonl");
    let file = file.to_str().unwrap();
    let before = exported(site.database.url()).await;
    let written = carry("export", site.database.url(), file).await.json();
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    let counts: BTreeMap<String, u64> = serde_json::from_value(written["tables"].clone()).unwrap();
    let empty: Vec<&String> = counts.iter().filter(|(_, rows)| **rows == 0).map(|(table, _)| table).collect();
    assert_eq!(empty, UNUSED);
    for secret in ["one_time_link", "browser_session"] {
        assert!(!counts.contains_key(secret), "what lets somebody in here lets nobody in elsewhere");
    }
    assert_eq!(written["rows"], json!(counts.values().sum::<u64>()));
    for to in Backend::ALL {
        // One that was never migrated: the command does that.
        let target = Database::untouched(to).await;
        let read = carry("import", target.url(), file).await.json();
        assert_eq!(read["tables"], written["tables"], "{to:?}");
        assert_eq!(sorted(exported(target.url()).await), sorted(before.clone()), "{to:?}");
        let checked = operator(target.url(), &["db", "check"]).await;
        assert_eq!(checked["contradictions"], json!([]), "{to:?}");
        // The same key works there, the first answer is remembered, and search finds.
        let server = Server::start(&target).await;
        let client = server.client(&site.admin.key);
        let found = ok(&client, "search", json!({ "query": "数据" })).await;
        assert_eq!(found["total"], 1, "{found}");
        assert_eq!(ok(&client, "create_tasks", tasks.clone()).await, first);
        // It is not empty any more.
        let again = carry("import", target.url(), file).await.failed(1);
        assert!(again.contains("the database is not empty"), "{again}");
    }
}

backends!(all_rows_arrive);

/// A small export, as lines.
async fn small() -> Vec<String> {
    let site = Site::new(Backend::Sqlite).await;
    ok(&site.client(), "admin_create_project", json!({ "name": "P" })).await;
    exported(site.database.url()).await.iter().map(Value::to_string).collect()
}

async fn a_file_that_is_not_whole_changes_nothing(backend: Backend) {
    let lines = small().await;
    let target = Database::untouched(backend).await;
    let at = |what: &str| lines.iter().position(|line| line.contains(what)).unwrap();
    let (project, last) = (at("{\"project\":"), lines.len() - 1);
    let changed = |number: usize, line: &str| {
        let mut lines = lines.clone();
        line.clone_into(&mut lines[number]);
        lines.join("\n")
    };
    let rewritten = |number: usize, from: &str, to: &str| {
        assert!(lines[number].contains(from), "{}", lines[number]);
        changed(number, &lines[number].replace(from, to))
    };
    let without = |number: usize| [&lines[..number], &lines[number + 1..]].concat().join("\n");
    let line = project + 1;
    for (text, expected) in [
        (String::new(), "no export of Chorus".to_owned()),
        ("{}".to_owned(), "no export of Chorus".to_owned()),
        (rewritten(0, "\"version\":1", "\"version\":2"), "format version 2".to_owned()),
        (rewritten(0, "0001_init", "0000_older"), "made by another release".to_owned()),
        (lines[..last].join("\n"), format!("cut off after line {last}")),
        (format!("{}\n{}", lines.join("\n"), lines[project]), format!("line {}: nothing may follow", last + 2)),
        (changed(project, "{\"row\":{\"nothing\":{}}}"), format!("line {line}: there is no table `nothing`")),
        (changed(project, "{\"row\":{\"project\":[]}}"), format!("line {line}: a row of `project` must be an object")),
        (changed(project, "half a ro"), format!("line {line}: not a row")),
        (rewritten(project, "\"visibility\"", "\"Visibility\""), format!("line {line}: a row of `project` lacks")),
        (rewritten(project, "{\"company_id\"", "{\"a\":1,\"company_id\""), "has no column `a`".to_owned()),
        (rewritten(project, "\"public\"", "\"everybody\""), format!("lines {line} to {line}: the database refuses")),
        (without(at("{\"project_member\":")), "should have 1 rows of `project_member`, and has 0".to_owned()),
    ] {
        let refused = run_with_input(chorus().args(["import", "-", "--database-url", target.url()]), &text).await;
        let refused = refused.failed(1);
        assert!(refused.contains(&expected), "{expected}: {refused}");
    }
    // Nothing of it stayed.
    let good = run_with_input(chorus().args(["import", "-", "--database-url", target.url()]), &lines.join("\n")).await;
    good.ok();
}

mod broken {
    use super::a_file_that_is_not_whole_changes_nothing;
    crate::backends!(a_file_that_is_not_whole_changes_nothing);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_not_overwritten_unasked() {
    let database = Database::fresh(Backend::Sqlite).await;
    let folder = TempDir::new().unwrap();
    let file: PathBuf = folder.path().join("x.jsonl");
    fs::write(&file, "mine").unwrap();
    let name = file.to_str().unwrap();
    let refused = carry("export", database.url(), name).await.failed(1);
    assert!(refused.contains("--force"), "{refused}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    run(chorus().args(["export", name, "--force", "--database-url", database.url()])).await.ok();
    assert!(fs::read_to_string(&file).unwrap().starts_with("{\"header\""));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let missing = carry("import", Database::untouched(Backend::Sqlite).await.url(), "/no/such/file").await.failed(1);
    assert!(missing.contains("can't read /no/such/file"), "{missing}");
    let none = carry("export", Database::untouched(Backend::Sqlite).await.url(), "-").await.failed(1);
    assert!(none.contains("there is no such database"), "{none}");
}
