//! search.

use chorus_app::Narrowing;
use chorus_domain::{Caller, Write, project::Project};
use chorus_testkit::{Backend, CallResult};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    like::assert_like,
    stage::{PROJECT, Stage, rows, text, uuids},
};
use crate::backends;

async fn search(s: &Stage, who: &Caller, query: &str) -> Value {
    s.ok(who, "search", json!({ "query": query })).await
}

fn counts(answer: &Value) -> Vec<(String, u64)> {
    let counts = answer["counts"].as_object().unwrap();
    counts.iter().map(|(kind, n)| (kind.clone(), n.as_u64().unwrap())).filter(|(_, n)| *n > 0).collect()
}

fn count(kind: &str, n: u64) -> Vec<(String, u64)> {
    vec![(kind.to_owned(), n)]
}

async fn every_kind_is_found_by_title_and_by_text(backend: Backend) {
    let s = Stage::new(backend).await;
    let (p, now) = (s.project.to_string(), s.world.now());
    let idea = s.by(&s.pm).idea_with(json!({ "title": "Walrus", "content": "Tusks" })).await;
    let task = s.by(&s.pm).task_with(json!({ "title": "Walrus", "description": "Tusks" })).await;
    let source = s.by(&s.pm).elaborated().await;
    let new = json!({
        "projectUuid": p, "title": "Walrus", "description": "Tusks", "inputType": "idea", "inputUuids": [source]
    });
    let proposal = text(&s.ok(&s.pm, "pm_create_proposal", new).await["uuid"]);
    let made = s.by(&s.pm).approved().await;
    let report = json!({ "proposalUuid": made.proposal, "title": "Walrus", "content": "Tusks" });
    let document = text(&s.ok(&s.pm, "create_report", report).await["documentUuid"]);
    let group = s.world.group("Walrus", Visibility::Public, &[]).await;
    let project = Project {
        id: s.world.id(),
        company: s.world.company,
        name: "Walrus".into(),
        description: Some("Tusks".into()),
        group: Some(group),
        visibility: Visibility::Public,
        created_by: None,
        created_at: now,
        updated_at: now,
    };
    s.world.write(vec![Write::NewProject(project.clone())]).await;

    let mut found = search(&s, &s.dev, "walrus").await;
    let list = found["results"].as_array_mut().unwrap();
    let order = ["task", "idea", "proposal", "document", "project", "project_group"];
    list.sort_by_key(|row| {
        (row["score"].as_f64() < Some(1.0), order.iter().position(|kind| row["entityType"] == *kind))
    });
    let row = |kind: &str, id: &str, status: &str, project: (Value, Value), snippet: &str| {
        json!({
            "entityType": kind, "uuid": id, "title": "Walrus", "status": status, "projectUuid": project.0,
            "projectName": project.1, "updatedAt": "<time>", "score": 1.5, "snippet": snippet
        })
    };
    let here = || (json!(s.project), json!(PROJECT));
    let mut results = vec![
        row("task", &task, "open", here(), "Tusks"),
        row("idea", &idea, "open", here(), "Tusks"),
        row("proposal", &proposal, "draft", here(), "Tusks"),
        row("document", &document, "report", here(), "Tusks"),
        row("project", &project.id.to_string(), "active", (json!(project.id), json!("Walrus")), "Tusks"),
        row("project_group", &group.to_string(), "active", (json!(null), json!(null)), ""),
    ];
    // The report's proposal, and what else came of that.
    let beside: Vec<Value> = rows(&found, "results").iter().skip(results.len()).cloned().collect();
    assert_eq!(beside.len(), 4);
    results.extend(beside);
    assert_like(
        &found,
        &json!({
            "results": results, "returned": 10, "page": 1, "pageSize": 50, "total": 6,
            "counts": { "tasks": 1, "ideas": 1, "proposals": 1, "documents": 1, "projects": 1, "projectGroups": 1 }
        }),
    );
    // In the text alone: all but the group, which has none.
    let found = search(&s, &s.dev, "tusks").await;
    assert_eq!((&found["total"], &found["results"][0]["score"]), (&json!(5), &json!(1.0)));
}

async fn an_id_is_looked_up_and_nothing_else_searched(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    s.by(&s.pm).task_with(json!({ "title": "Names it", "description": format!("See {task}") })).await;
    for query in [task.clone(), task.to_uppercase(), format!("  {task}\n")] {
        let found = s.ok(&s.dev, "search", json!({ "query": query, "explain": true })).await;
        assert_like(
            &found,
            &json!({
                "results": [{
                    "entityType": "task", "uuid": task, "title": "Parse", "status": "open", "projectUuid": s.project,
                    "projectName": PROJECT, "updatedAt": "<time>", "score": 0.0, "snippet": "",
                    "explain": { "via": "uuid" }
                }],
                "returned": 1, "page": 1, "pageSize": 50, "total": 1,
                "counts": {
                    "tasks": 1, "ideas": 0, "proposals": 0, "documents": 0, "projects": 0, "projectGroups": 0
                }
            }),
        );
    }
    // Not of a kind asked for: texts are searched.
    let found = s.ok(&s.dev, "search", json!({ "query": task, "entityTypes": ["idea"] })).await;
    assert_eq!(found["total"], 0);
    let gone = s.nothing();
    let named = s.by(&s.pm).task_with(json!({ "title": "Gone", "description": format!("Was {gone}") })).await;
    let found = search(&s, &s.dev, &gone).await;
    assert_eq!(found["results"][0]["uuid"], json!(named));
    assert!(text(&found["results"][0]["snippet"]).contains(&gone));
}

async fn what_matches_more_comes_first_and_says_why(backend: Backend) {
    let s = Stage::new(backend).await;
    let task =
        async |title: &str, text: &str| s.by(&s.pm).task_with(json!({ "title": title, "description": text })).await;
    let both = task("Sync", "the offline store").await;
    let titled = task("Offline", "x").await;
    let body = task("Other", "Works OFFLINE and on 数据").await;
    let all = task("Offline sync 数据", "x").await;
    let found = s.ok(&s.dev, "search", json!({ "query": "offline sync 数据", "explain": true })).await;
    assert_eq!(uuids(&found, "results"), [&all, &both, &body, &titled].map(String::clone));
    let why = |id: &str| rows(&found, "results").iter().find(|row| row["uuid"] == id).unwrap()["explain"].clone();
    assert_eq!(
        why(&both),
        json!({ "via": "text", "matched": ["offline", "sync"], "inTitle": ["sync"], "missing": ["数据"] })
    );
    assert_eq!(
        why(&body),
        json!({ "via": "text", "matched": ["offline", "数据"], "inTitle": [], "missing": ["sync"] })
    );
    let scores: Vec<f64> = rows(&found, "results").iter().map(|row| row["score"].as_f64().unwrap()).collect();
    assert_eq!(scores, [3.75, 2.25, 2.0, 1.25]);
    let plain = search(&s, &s.dev, "offline").await;
    assert!(rows(&plain, "results").iter().all(|row| row.get("explain").is_none()));
}

async fn what_stands_beside_a_match_follows_uncounted(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    s.ok(&s.pm, "update_task", json!({ "taskUuid": made.tasks[0], "title": "Xylophone" })).await;
    let found = s.ok(&s.dev, "search", json!({ "query": "xylophone", "explain": true })).await;
    assert_eq!((&found["total"], counts(&found)), (&json!(1), count("tasks", 1)));
    let shown: Vec<Value> = rows(&found, "results")
        .iter()
        .map(|row| json!([row["uuid"], row["explain"]["relation"], row["explain"]["ofUuid"]]))
        .collect();
    let of = &made.tasks[0];
    assert_eq!(shown[0], json!([of, null, null]));
    assert_eq!(shown[1], json!([made.proposal, "proposal", of]));
    let siblings = [json!([made.document, "sibling", of]), json!([made.tasks[1], "sibling", of])];
    assert!(shown[2..].iter().all(|row| siblings.contains(row)) && shown.len() == 4, "{shown:?}");
    let scores: Vec<f64> = rows(&found, "results").iter().map(|row| row["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[1] < 1.0, "{scores:?}");
    assert_eq!(found["results"][1]["explain"]["ofType"], "task");
    // Only of the kinds asked for.
    let found = s.ok(&s.dev, "search", json!({ "query": "xylophone", "entityTypes": ["task"] })).await;
    assert_eq!(uuids(&found, "results"), [of.clone(), made.tasks[1].clone()]);
}

async fn chinese_korean_and_vietnamese_are_found_as_they_are_typed(backend: Backend) {
    let s = Stage::new(backend).await;
    for title in ["修复数据库连接", "한국어 문서", "Sửa lỗi đăng nhập", "データ移行 🚀"] {
        s.by(&s.pm).task_with(json!({ "title": title })).await;
    }
    for (query, title) in [
        ("数据", "修复数据库连接"),
        ("库", "修复数据库连接"),
        ("한", "한국어 문서"),
        ("문서", "한국어 문서"),
        ("đăng nhập", "Sửa lỗi đăng nhập"),
        ("dang nhap", "Sửa lỗi đăng nhập"),
        ("LỖI", "Sửa lỗi đăng nhập"),
        ("移行", "データ移行 🚀"),
        ("🚀", "データ移行 🚀"),
    ] {
        let found = search(&s, &s.dev, query).await;
        assert_eq!((&found["results"][0]["title"], &found["total"]), (&json!(title), &json!(1)), "{query}");
    }
    for query in ["%", "*", "\"", "--", "。", "(", "' OR 1=1"] {
        assert_eq!(search(&s, &s.dev, query).await["total"], 0, "{query}");
    }
}

async fn a_snippet_is_cut_around_the_first_match(backend: Backend) {
    let s = Stage::new(backend).await;
    let long = format!("{}数据 needle {}", "前文。".repeat(2_000), "后文。".repeat(2_000));
    s.by(&s.pm).task_with(json!({ "title": "Long", "description": long })).await;
    let found = search(&s, &s.dev, "needle").await;
    let snippet = text(&found["results"][0]["snippet"]);
    assert!(snippet.starts_with("...") && snippet.ends_with("...") && snippet.contains("数据 needle"), "{snippet}");
    assert!(snippet.chars().count() <= 120, "{snippet}");
    // In the title alone: the text's beginning; without a text the title.
    assert!(text(&search(&s, &s.dev, "long").await["results"][0]["snippet"]).starts_with("前文。"));
    let title = "语".repeat(500);
    s.by(&s.pm).task_with(json!({ "title": title })).await;
    let found = search(&s, &s.dev, "语语").await;
    assert_eq!(text(&found["results"][0]["title"]).chars().count(), 256);
    assert!(text(&found["results"][0]["snippet"]).starts_with("语语"));
}

async fn at_most_fifty_rows_come_and_all_are_counted(backend: Backend) {
    let s = Stage::new(backend).await;
    let tasks: Vec<Value> = (0..60)
        .map(|n| json!({ "title": format!("Many {n}"), "acceptanceCriteriaItems": [{ "description": "c" }] }))
        .collect();
    s.by(&s.pm).tasks(json!(tasks)).await;
    let found = search(&s, &s.dev, "many").await;
    assert_eq!((&found["returned"], &found["total"], counts(&found)), (&json!(50), &json!(60), count("tasks", 60)));
    assert_eq!(rows(&found, "results").len(), 50);
    assert!(found.get("nextCursor").is_none());
}

async fn an_answer_stays_below_the_ceiling(backend: Backend) {
    let s = Stage::new(backend).await;
    let title = format!("wide {}", "界".repeat(490));
    let body = format!("{} wide", "😀\"\\".repeat(80));
    let task = json!({ "title": title, "description": body, "acceptanceCriteriaItems": [{ "description": "c" }] });
    s.by(&s.pm).tasks(json!(vec![task; 60])).await;
    let found = s.ok(&s.dev, "search", json!({ "query": "wide", "explain": true })).await;
    let returned = found["returned"].as_u64().unwrap();
    assert!(found.to_string().len() <= 65_536 && returned > 10, "{returned}");
    assert_eq!((rows(&found, "results").len() as u64, &found["total"]), (returned, &json!(60)));
}

async fn a_scope_narrows_and_one_without_an_id_is_refused(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = s.world.group("Zebra", Visibility::Private, &[(s.pat, Role::Editor)]).await;
    let inside = s.world.project_in("Zebra", Visibility::Private, Some(group), &[]).await;
    s.by(&s.pm).within(&inside.to_string()).idea_with(json!({ "title": "Zebra" })).await;
    s.by(&s.pm).idea_with(json!({ "title": "Zebra" })).await;
    let within = async |scope: &str, id: Value| {
        s.ok(&s.pm, "search", json!({ "query": "zebra", "scope": scope, "scopeUuid": id })).await["total"].clone()
    };
    assert_eq!(within("global", Value::Null).await, 4);
    assert_eq!(within("global", json!(s.project)).await, 4, "an id without need is passed over");
    assert_eq!(within("group", json!(group)).await, 3);
    assert_eq!(within("project", json!(inside)).await, 2);
    assert_eq!(within("project", json!(s.project)).await, 1);
    assert_eq!(within("project", json!(group)).await, 0);
    for scope in ["group", "project"] {
        let refused = s.refused(&s.pm, "search", json!({ "query": "x", "scope": scope }), "invalid_arguments").await;
        assert_eq!(refused.fields(), ["scopeUuid"]);
    }
}

async fn blank_queries_and_unknown_words_are_refused(backend: Backend) {
    let s = Stage::new(backend).await;
    for (arguments, field) in [
        (json!({ "query": " \u{3000}\n" }), "query"),
        (json!({ "query": "a\u{0}b" }), "query"),
        (json!({ "query": "x".repeat(1_001) }), "query"),
        (json!({}), "query"),
        (json!({ "query": "x", "scope": "company" }), "scope"),
        (json!({ "query": "x", "entityTypes": ["task", "comment"] }), "entityTypes[1]"),
        (json!({ "query": "x", "scopeUuid": "x", "scope": "group" }), "scopeUuid"),
    ] {
        let refused = s.refused(&s.pm, "search", arguments.clone(), "invalid_arguments").await;
        assert_eq!(refused.fields(), [field], "{arguments}");
    }
    let all = s.ok(&s.pm, "search", json!({ "query": PROJECT, "entityTypes": [] })).await;
    assert_eq!(counts(&all), count("projects", 1));
    let one = s.ok(&s.pm, "search", json!({ "query": PROJECT, "entityTypes": "project" })).await;
    assert_eq!(one["total"], 1, "a bare word stands for a list of one");
}

async fn what_a_caller_does_not_see_is_neither_shown_nor_counted(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let group = s.world.group("Design merge", Visibility::Private, &[(s.ada, Role::Admin)]).await.to_string();
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    let outsider = s.agent_of("outsider", None).await;
    let ownerless = s.world.new_caller("ownerless", None, &["admin_agent"], &[]).await;
    let nothing = search(&s, &s.dev, "no such word").await;
    assert_eq!((&nothing["results"], &nothing["total"]), (&json!([]), &json!(0)));
    for (who, sees) in [(&viewer, true), (&s.dev, true), (&s.admin, true), (&outsider, false), (&ownerless, false)] {
        for query in ["merge", &made.document, PROJECT, &s.project.to_string(), "sync how"] {
            let found = search(&s, who, query).await;
            assert_eq!(found["total"] != 0, sees, "{query} as {}", who.name);
            if !sees {
                assert_eq!(found, nothing, "{query} as {}", who.name);
            }
        }
        let found = search(&s, who, &group).await;
        assert_eq!(found["total"] == 1, who.name == "admin", "the group as {}", who.name);
    }
    // A place that is hidden is as empty as one that is not there.
    for (scope, hidden) in [("project", s.project.to_string()), ("group", group)] {
        let within = |id: &str| json!({ "query": "merge", "scope": scope, "scopeUuid": id });
        let unseen = s.ok(&outsider, "search", within(&hidden)).await;
        assert_eq!(unseen, s.ok(&outsider, "search", within(&s.nothing())).await);
        assert_eq!(unseen, nothing);
    }
}

async fn headers_do_not_narrow_a_search(backend: Backend) {
    let s = Stage::new(backend).await;
    s.by(&s.pm).task().await;
    for narrowing in [Narrowing::Projects(vec![s.world.id()]), Narrowing::Group(s.world.id())] {
        let result = s.tools.call_narrowed(&s.dev, narrowing, "chorus_search", json!({ "query": "parse" })).await;
        let CallResult::Answer(found) = result else { panic!("{result:?}") };
        assert_eq!(found["total"], 1);
    }
}

async fn a_search_finds_what_was_written_a_moment_ago(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task_with(json!({ "title": "Larva", "description": "crawls" })).await;
    assert_eq!(search(&s, &s.dev, "larva").await["total"], 1);
    s.ok(&s.pm, "update_task", json!({ "taskUuid": task, "title": "Moth", "description": "flies" })).await;
    assert_eq!(search(&s, &s.dev, "larva crawls").await["total"], 0);
    let found = search(&s, &s.dev, "moth flies").await;
    assert_eq!(uuids(&found, "results"), [task.as_str()]);
    s.ok(&s.dev, "claim_task", json!({ "taskUuid": task })).await;
    assert_eq!(search(&s, &s.dev, "moth").await["results"][0]["status"], "assigned");
    // What a refused call would have written is not there.
    let bad = json!([
        { "title": "Chrysalis", "acceptanceCriteriaItems": [{ "description": "c" }] },
        { "title": "Other", "acceptanceCriteriaItems": [{ "description": "c" }], "dependsOnDraftUuids": ["none"] }
    ]);
    let call = json!({ "projectUuid": s.project, "tasks": bad });
    s.refused(&s.pm, "create_tasks", call, "invalid_arguments").await;
    assert_eq!(search(&s, &s.dev, "chrysalis").await["total"], 0);
}

backends!(
    every_kind_is_found_by_title_and_by_text,
    an_id_is_looked_up_and_nothing_else_searched,
    what_matches_more_comes_first_and_says_why,
    what_stands_beside_a_match_follows_uncounted,
    chinese_korean_and_vietnamese_are_found_as_they_are_typed,
    a_snippet_is_cut_around_the_first_match,
    at_most_fifty_rows_come_and_all_are_counted,
    an_answer_stays_below_the_ceiling,
    a_scope_narrows_and_one_without_an_id_is_refused,
    blank_queries_and_unknown_words_are_refused,
    what_a_caller_does_not_see_is_neither_shown_nor_counted,
    headers_do_not_narrow_a_search,
    a_search_finds_what_was_written_a_moment_ago,
);
