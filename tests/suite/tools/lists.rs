//! Lists lose no row and stay small (README decision 9).

use chorus_domain::{Kind, Party, Write, comment::Comment};
use chorus_ids::AgentId;
use chorus_testkit::Backend;
use serde_json::{Value, json};

use super::{
    maker::merge,
    stage::{Stage, rows, text, uuid, uuids},
};
use crate::backends;

/// Most bytes of an answer.
const CEILING: usize = 65_536;

/// A list tool with its collection and, as far as it has one, another filter of the same list.
struct List {
    tool: &'static str,
    key: &'static str,
    arguments: Value,
    other: Option<Value>,
}

/// What the lists are about.
struct Field {
    s: Stage,
    proposal: String,
    task: String,
}

impl Field {
    async fn new(backend: Backend) -> Self {
        let s = Stage::new(backend).await;
        let (proposal, task) = (s.by(&s.pm).approved().await.proposal, s.by(&s.pm).task().await);
        Self { s, proposal, task }
    }

    fn lists(&self) -> Vec<List> {
        let project = json!({ "projectUuid": self.s.project });
        let list = |tool, key, arguments: &Value, other: Option<Value>| {
            let other = other.map(|other| {
                let mut arguments = arguments.clone();
                merge(&mut arguments, other);
                arguments
            });
            List { tool, key, arguments: arguments.clone(), other }
        };
        let comments = json!({ "targetType": "task", "targetUuid": self.task });
        let newest = json!({ "targetType": "task", "targetUuid": self.task, "order": "newest" });
        vec![
            list("list_projects", "projects", &json!({}), None),
            list("get_ideas", "ideas", &project, Some(json!({ "status": "open" }))),
            list("get_proposals", "proposals", &project, Some(json!({ "status": "draft" }))),
            list("get_documents", "documents", &project, Some(json!({ "type": "report" }))),
            list("list_tasks", "tasks", &project, Some(json!({ "priority": "medium" }))),
            list("get_unblocked_tasks", "tasks", &project, Some(json!({ "proposalUuids": [self.proposal] }))),
            list("get_comments", "comments", &comments, Some(json!({ "order": "newest" }))),
            list("get_comments", "comments", &newest, Some(json!({ "order": "oldest" }))),
            list("get_activity", "activities", &project, None),
            list("get_project_groups", "groups", &json!({}), None),
            list("list_sessions", "sessions", &json!({}), Some(json!({ "status": "active" }))),
        ]
    }

    /// Adds a row to the list, as somebody else.
    async fn add(&self, tool: &str) {
        let s = &self.s;
        match tool {
            "list_projects" => drop(s.ok(&s.admin, "admin_create_project", json!({ "name": "One more" })).await),
            "get_project_groups" => drop(s.ok(&s.admin, "admin_create_project_group", json!({ "name": "x" })).await),
            "get_ideas" => drop(s.by(&s.admin).idea().await),
            "get_proposals" => {
                let empty = json!({ "projectUuid": s.project, "title": "x", "inputType": "idea", "inputUuids": [] });
                s.ok(&s.admin, "pm_create_proposal", empty).await;
            }
            "get_documents" => {
                let report = json!({ "proposalUuid": self.proposal, "title": "x", "content": "x", "force": true });
                s.ok(&s.admin, "create_report", report).await;
            }
            "list_tasks" | "get_unblocked_tasks" => {
                // Of one moment, and of each priority.
                let criteria = json!([{ "description": "c" }]);
                let task =
                    |priority: &str| json!({ "title": "x", "priority": priority, "acceptanceCriteriaItems": criteria });
                s.by(&s.admin).tasks(json!([task("low"), task("medium"), task("medium"), task("high")])).await;
            }
            "get_comments" | "get_activity" => drop(s.by(&s.admin).comment("task", &self.task, "More").await),
            "list_sessions" => drop(s.ok(&s.pm, "create_session", json!({ "name": "One more" })).await),
            other => panic!("how is a row added to {other}?"),
        }
    }

    /// The ids of all rows, while nobody adds any.
    async fn all(&self, list: &List) -> Vec<String> {
        let (mut all, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let page = self.page(list, json!({ "pageSize": 100, "cursor": cursor })).await;
            all.extend(uuids(&page, list.key));
            let Some(next) = page.get("nextCursor") else {
                assert_eq!(page["total"], all.len(), "{}", list.tool);
                return all;
            };
            cursor = next.clone();
        }
    }

    async fn page(&self, list: &List, more: Value) -> Value {
        let mut arguments = list.arguments.clone();
        merge(&mut arguments, more);
        self.s.ok(&self.s.pm, list.tool, arguments).await
    }
}

/// Report 33.
async fn a_walk_gives_each_row_once_while_others_are_added(backend: Backend) {
    let field = Field::new(backend).await;
    for list in field.lists() {
        for _ in 0..7 {
            field.add(list.tool).await;
        }
        let present = field.all(&list).await;
        assert!(present.len() >= 7, "{}", list.tool);

        let mut walked: Vec<String> = Vec::new();
        let mut cursor = Value::Null;
        for step in 0.. {
            assert!(step < 100, "{}: the walk ends", list.tool);
            let page = field.page(&list, json!({ "pageSize": 3, "cursor": cursor })).await;
            let ids = uuids(&page, list.key);
            assert_eq!((&page["returned"], &page["pageSize"]), (&json!(ids.len()), &json!(3)));
            walked.extend(ids);
            let Some(next) = page.get("nextCursor") else { break };
            cursor = next.clone();
            if step < 3 {
                field.add(list.tool).await;
            }
        }
        let mut distinct = walked.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), walked.len(), "{}: none twice", list.tool);
        walked.retain(|id| present.contains(id));
        assert_eq!(walked, present, "{}: each that was there, in order", list.tool);
    }
}

async fn pages_by_number_cover_the_list_too(backend: Backend) {
    let field = Field::new(backend).await;
    for list in field.lists() {
        for _ in 0..4 {
            field.add(list.tool).await;
        }
        let all = field.all(&list).await;
        let total = all.len() as u64;
        let mut paged = Vec::new();
        for page in 1..=total.div_ceil(3) {
            let found = field.page(&list, json!({ "page": page, "pageSize": 3 })).await;
            assert_eq!((&found["page"], &found["total"]), (&json!(page), &json!(total)));
            assert_eq!(found.get("nextCursor").is_some(), page < total.div_ceil(3), "{} {page}", list.tool);
            paged.extend(uuids(&found, list.key));
        }
        assert_eq!(paged, all, "{}", list.tool);
        let beyond = field.page(&list, json!({ "page": 1_000, "pageSize": 3 })).await;
        assert_eq!((&beyond["returned"], &beyond["total"], beyond.get("nextCursor")), (&json!(0), &json!(total), None));
    }
}

async fn an_update_by_others_moves_no_row_out_of_a_walk(backend: Backend) {
    let s = Stage::new(backend).await;
    let mut tasks = Vec::new();
    for _ in 0..9 {
        tasks.push(s.by(&s.pm).task().await);
    }
    let (mut walked, mut cursor) = (Vec::new(), Value::Null);
    for turn in 0.. {
        let page = json!({ "projectUuid": s.project, "pageSize": 2, "cursor": cursor });
        let page = s.ok(&s.pm, "list_tasks", page).await;
        walked.extend(uuids(&page, "tasks"));
        let Some(next) = page.get("nextCursor") else { break };
        cursor = next.clone();
        // One that was seen and one that was not: neither changes its place.
        for task in [&tasks[turn], &tasks[8 - turn]] {
            s.ok(&s.dev, "update_task", json!({ "taskUuid": task, "title": "Renamed" })).await;
        }
        // The row at which the walk stands ends.
        s.ok(&s.admin, "admin_close_task", json!({ "taskUuid": walked.last() })).await;
    }
    tasks.reverse();
    assert_eq!(walked, tasks);
}

async fn a_row_that_leaves_the_filter_does_not_break_the_walk(backend: Backend) {
    let s = Stage::new(backend).await;
    for _ in 0..6 {
        s.by(&s.pm).task().await;
    }
    let all = uuids(&s.ok(&s.pm, "list_tasks", json!({ "projectUuid": s.project })).await, "tasks");
    let open = |cursor: Value| json!({ "projectUuid": s.project, "status": "open", "pageSize": 2, "cursor": cursor });
    let first = s.ok(&s.pm, "list_tasks", open(Value::Null)).await;
    for task in &all[..3] {
        s.ok(&s.admin, "admin_close_task", json!({ "taskUuid": task })).await;
    }
    let second = s.ok(&s.pm, "list_tasks", open(first["nextCursor"].clone())).await;
    assert_eq!((uuids(&second, "tasks"), &second["total"]), (all[3..5].to_vec(), &json!(3)));
    let third = s.ok(&s.pm, "list_tasks", open(second["nextCursor"].clone())).await;
    assert_eq!(uuids(&third, "tasks"), all[5..]);
}

async fn a_cursor_belongs_to_its_tool_and_filters(backend: Backend) {
    let field = Field::new(backend).await;
    let s = &field.s;
    let mut cursors = Vec::new();
    for list in field.lists() {
        field.add(list.tool).await;
        field.add(list.tool).await;
        let cursor = text(&field.page(&list, json!({ "pageSize": 1 })).await["nextCursor"]);
        assert!(cursor.len() < 100 && cursor.is_ascii(), "{cursor}");
        cursors.push((list, cursor));
    }
    for (index, (list, cursor)) in cursors.iter().enumerate() {
        let refuse = async |arguments: &Value, cursor: &str| {
            let mut arguments = arguments.clone();
            merge(&mut arguments, json!({ "cursor": cursor }));
            let refused = s.refused(&s.pm, list.tool, arguments, "invalid_arguments").await;
            assert_eq!(refused.fields(), ["cursor"], "{}", list.tool);
        };
        let damaged = format!("{}{}", &cursor[..cursor.len() - 1], if cursor.ends_with('A') { "B" } else { "A" });
        for wrong in ["", "x", "not base64!", &cursor[1..], &damaged, &cursor.to_lowercase(), &"A".repeat(201)] {
            refuse(&list.arguments, wrong).await;
        }
        if let Some(other) = &list.other {
            refuse(other, cursor).await;
        }
        let (_, foreign) = &cursors[(index + 1) % cursors.len()];
        refuse(&list.arguments, foreign).await;
        // A page number and another size beside it are fine: they are no filters.
        field.page(list, json!({ "cursor": cursor, "page": 7, "pageSize": 2 })).await;
    }
    let elsewhere = text(&s.ok(&s.pm, "admin_create_project", json!({ "name": "Other" })).await["uuid"]);
    let (_, of_ideas) = &cursors[1];
    let arguments = json!({ "projectUuid": elsewhere, "cursor": of_ideas });
    s.refused(&s.pm, "get_ideas", arguments, "invalid_arguments").await;
}

async fn page_numbers_and_sizes_have_bounds(backend: Backend) {
    let field = Field::new(backend).await;
    for list in field.lists() {
        for (key, values) in [
            ("page", vec![json!(0), json!(-1), json!(1.5), json!("two"), json!(1_000_001), json!([]), json!(true)]),
            ("pageSize", vec![json!(0), json!(-1), json!(101), json!(0.5), json!("many"), json!({})]),
        ] {
            for value in values {
                let mut arguments = list.arguments.clone();
                merge(&mut arguments, json!({ key: value }));
                let refused = field.s.refused(&field.s.pm, list.tool, arguments, "invalid_arguments").await;
                assert_eq!(refused.fields(), [key], "{} {value}", list.tool);
            }
        }
        let page = field.page(&list, json!({ "page": "1", "pageSize": 100.0 })).await;
        assert_eq!((&page["page"], &page["pageSize"]), (&json!(1), &json!(100)));
        let page = field.page(&list, json!({ "page": null, "pageSize": null })).await;
        assert_eq!((&page["page"], &page["pageSize"]), (&json!(1), &json!(20)));
    }
}

async fn open_tasks_come_fifty_at_a_time(backend: Backend) {
    let s = Stage::new(backend).await;
    let tasks: Vec<Value> = (0..120)
        .map(|n| json!({ "title": format!("Task {n}"), "acceptanceCriteriaItems": [{ "description": "c" }] }))
        .collect();
    let mut made = s.by(&s.pm).tasks(json!(tasks)).await;
    let mut walked = Vec::new();
    let mut cursor = Value::Null;
    for expected in [50, 50, 20] {
        let page = s.ok(&s.pm, "get_available_tasks", json!({ "projectUuid": s.project, "cursor": cursor })).await;
        assert_eq!(
            (&page["returned"], &page["page"], &page["pageSize"], &page["total"]),
            (&json!(expected), &json!(1), &json!(100), &json!(50))
        );
        walked.extend(uuids(&page, "tasks"));
        cursor = page["nextCursor"].clone();
    }
    assert_eq!(cursor, Value::Null);
    walked.sort_unstable();
    made.sort_unstable();
    assert_eq!(walked, made, "equal moments, and each once");
}

/// The longest comment in letters of three bytes: 48 KiB of JSON.
fn longest(n: usize) -> String {
    format!("{n:03}{}", "界".repeat(16_383))
}

async fn an_answer_cut_by_its_size_says_where_to_go_on(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let mut said = Vec::new();
    for n in 0..7 {
        said.push(s.by(&s.dev).comment("task", &task, &longest(n)).await);
        said.push(s.by(&s.dev).comment("task", &task, &"x".repeat(20_000)).await);
    }
    let (mut walked, mut cursor, mut pages) = (Vec::new(), Value::Null, 0);
    loop {
        let arguments = json!({ "targetType": "task", "targetUuid": task, "cursor": cursor });
        let page = s.ok(&s.pm, "get_comments", arguments).await;
        assert!(page.to_string().len() <= CEILING);
        assert!(page["returned"].as_u64().unwrap() >= 1);
        assert_eq!(
            (&page["total"], &page["pageSize"]),
            (&json!(14), &json!(20)),
            "the size of the list does not change"
        );
        walked.extend(uuids(&page, "comments"));
        pages += 1;
        let Some(next) = page.get("nextCursor") else { break };
        cursor = next.clone();
    }
    assert_eq!(walked, said);
    assert!(pages >= 7, "{pages}");
    // By page number a cut page says so too.
    let page = json!({ "targetType": "task", "targetUuid": task, "page": 2, "pageSize": 4 });
    let page = s.ok(&s.pm, "get_comments", page).await;
    assert!(page["returned"].as_u64().unwrap() < 4 && page["nextCursor"].is_string());
    assert_eq!(rows(&page, "comments")[0]["uuid"], said[4]);
}

/// Five thousand tasks, five hundred comments of 4 kB: what such places answer by default is bounded.
/// Reports 9 and 25.
async fn default_answers_stay_small(backend: Backend) {
    let s = Stage::new(backend).await;
    let project = json!({ "projectUuid": s.project });
    let mut first = None;
    for batch in 0..25 {
        let tasks: Vec<Value> = (0..200)
            .map(|n| {
                let title = format!("任务 {batch}-{n} {}", "长".repeat(200));
                json!({ "title": title, "acceptanceCriteriaItems": [{ "description": "c" }] })
            })
            .collect();
        first.get_or_insert(s.by(&s.pm).tasks(json!(tasks)).await.remove(0));
    }
    for (tool, key, total) in [
        ("list_tasks", "tasks", 5_000),
        ("get_unblocked_tasks", "tasks", 5_000),
        ("get_available_tasks", "tasks", 50),
        ("get_activity", "activities", 5_000),
    ] {
        let page = s.ok(&s.pm, tool, project.clone()).await;
        assert!(page.to_string().len() <= CEILING, "{tool}");
        assert_eq!((&page["total"], page["nextCursor"].is_string()), (&json!(total), true), "{tool} says what is left");
        assert!(rows(&page, key).len() >= 20, "{tool}");
    }
    let read = s.ok(&s.pm, "get_project", project).await;
    assert_eq!(read["_count"]["tasks"], 5_000);
    assert!(read.to_string().len() < 1_000);

    let task = first.unwrap();
    let author = Party::Agent(AgentId::from_uuid(s.dev.subject.uuid()));
    let comments = (0..500).map(|n| {
        Write::NewComment(Comment {
            id: s.world.id(),
            company: s.world.company,
            target: Kind::Task,
            target_id: uuid(&task),
            content: format!("{n} {}", "x".repeat(4_000)),
            author,
            created_at: s.world.now().plus_micros(n),
        })
    });
    s.world.write(comments.collect()).await;
    let read = s.ok(&s.pm, "get_task", json!({ "taskUuid": task })).await;
    assert_eq!(read["commentCount"], 500);
    assert!(read.to_string().len() < 3_000, "the thread does not come with its task");
    let thread = s.ok(&s.pm, "get_comments", json!({ "targetType": "task", "targetUuid": task })).await;
    assert!(thread.to_string().len() <= CEILING);
    assert_eq!((&thread["total"], thread["nextCursor"].is_string()), (&json!(500), true));
    let newest = json!({ "targetType": "task", "targetUuid": task, "order": "newest", "pageSize": 1 });
    let newest = s.ok(&s.pm, "get_comments", newest).await;
    assert!(text(&rows(&newest, "comments")[0]["content"]).starts_with("499 "));
}

backends!(
    a_walk_gives_each_row_once_while_others_are_added,
    pages_by_number_cover_the_list_too,
    an_update_by_others_moves_no_row_out_of_a_walk,
    a_row_that_leaves_the_filter_does_not_break_the_walk,
    a_cursor_belongs_to_its_tool_and_filters,
    page_numbers_and_sizes_have_bounds,
    open_tasks_come_fifty_at_a_time,
    an_answer_cut_by_its_size_says_where_to_go_on,
    default_answers_stay_small,
);
