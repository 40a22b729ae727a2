//! What arguments may hold, for every tool: lengths, blanks, NUL, numbers, ids, what clients mangle, keys that nobody
//! knows (README decisions 13, 14 and 17).

use chorus_app::Context;
use chorus_dispatch::{At, CallRequest, Effect, Reply};
use chorus_domain::Caller;
use chorus_testkit::{Backend, CallResult};
use serde_json::{Map, Value, json};

use super::{
    maker::merge,
    stage::{Stage, rows, text},
    valid::{arguments, put, tools},
};
use crate::backends;

/// What a text is for.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    /// At most this many characters, not blank.
    Title(usize),
    /// At most 1 MiB, not blank.
    Note,
    /// At most 1 MiB.
    Body,
    /// At most 20,000 characters and 48 KiB of JSON, not blank.
    Comment,
}

/// Every text that a tool stores.
const TEXTS: [(&str, &str, Use); 58] = [
    ("admin_create_project", "name", Use::Title(500)),
    ("admin_create_project", "description", Use::Body),
    ("admin_create_project_group", "name", Use::Title(500)),
    ("admin_create_project_group", "description", Use::Body),
    ("admin_update_project_group", "name", Use::Title(500)),
    ("admin_update_project_group", "description", Use::Body),
    ("pm_create_idea", "title", Use::Title(500)),
    ("pm_create_idea", "content", Use::Body),
    ("pm_start_elaboration", "questions[].id", Use::Title(500)),
    ("pm_start_elaboration", "questions[].text", Use::Note),
    ("pm_start_elaboration", "questions[].options[].id", Use::Title(500)),
    ("pm_start_elaboration", "questions[].options[].label", Use::Title(500)),
    ("pm_start_elaboration", "questions[].options[].description", Use::Body),
    ("answer_elaboration", "answers[].customText", Use::Body),
    ("pm_skip_elaboration", "reason", Use::Note),
    ("pm_create_proposal", "title", Use::Title(500)),
    ("pm_create_proposal", "description", Use::Body),
    ("pm_add_document_draft", "title", Use::Title(500)),
    ("pm_add_document_draft", "content", Use::Body),
    ("pm_add_task_draft", "title", Use::Title(500)),
    ("pm_add_task_draft", "description", Use::Body),
    ("pm_add_task_draft", "acceptanceCriteriaItems[].description", Use::Note),
    ("admin_approve_proposal", "reviewNote", Use::Body),
    ("pm_reject_proposal", "reviewNote", Use::Note),
    ("create_report", "title", Use::Title(200)),
    ("create_report", "content", Use::Note),
    ("create_tasks", "tasks[].title", Use::Title(500)),
    ("create_tasks", "tasks[].description", Use::Body),
    ("create_tasks", "tasks[].draftUuid", Use::Title(500)),
    ("create_tasks", "tasks[].acceptanceCriteriaItems[].description", Use::Note),
    ("update_task", "title", Use::Title(500)),
    ("update_task", "description", Use::Body),
    ("update_task", "acceptanceCriteriaItems[].description", Use::Note),
    ("report_work", "report", Use::Comment),
    ("report_criteria_self_check", "criteria[].devEvidence", Use::Note),
    ("mark_acceptance_criteria", "criteria[].evidence", Use::Note),
    ("submit_for_verify", "summary", Use::Body),
    ("add_comment", "content", Use::Comment),
    ("create_tasks", "tasks[].dependsOnDraftUuids[]", Use::Title(500)),
    ("answer_elaboration", "answers[].questionId", Use::Title(500)),
    ("search", "query", Use::Title(1_000)),
    ("pm_update_document_draft", "title", Use::Title(500)),
    ("pm_update_document_draft", "content", Use::Body),
    ("pm_update_task_draft", "title", Use::Title(500)),
    ("pm_update_task_draft", "description", Use::Body),
    ("pm_update_task_draft", "acceptanceCriteriaItems[].description", Use::Note),
    ("pm_revoke_proposal", "reviewNote", Use::Body),
    ("admin_close_proposal", "reviewNote", Use::Note),
    ("pm_create_document", "title", Use::Title(500)),
    ("pm_create_document", "content", Use::Body),
    ("pm_update_document", "title", Use::Title(500)),
    ("pm_update_document", "content", Use::Body),
    ("create_session", "name", Use::Title(500)),
    ("create_session", "description", Use::Body),
    ("edit_idea", "title", Use::Title(500)),
    ("edit_idea", "content", Use::Body),
    ("add_reference", "title", Use::Title(500)),
    ("update_reference", "title", Use::Title(500)),
];

/// Texts with limits of their own, which `reference` and `mentionable` try out.
const ELSEWHERE: [&str; 9] = [
    "url",
    "notes",
    "references[].url",
    "references[].title",
    "references[].notes",
    "tasks[].references[].url",
    "tasks[].references[].title",
    "tasks[].references[].notes",
    "query",
];

/// Texts that name something in the call, of which only what is known is taken.
const NAMES: [&str; 3] = ["tasks[].dependsOnDraftUuids[]", "answers[].questionId", "answers[].selectedOptionId"];

const MIB: usize = 1024 * 1024;

/// Texts that must not be taken at such a place.
fn too_much(usage: Use) -> Vec<String> {
    let mut texts = vec!["a\0b".to_owned()];
    let blanks = ["", " ", "\t\n", "\u{3000}\u{2003}"].map(str::to_owned);
    match usage {
        Use::Title(most) => {
            texts.extend(blanks);
            texts.push("界".repeat(most + 1));
        }
        Use::Note => {
            texts.extend(blanks);
            texts.push("x".repeat(MIB + 1));
        }
        Use::Body => texts.push("界".repeat(MIB / 3 + 1)),
        Use::Comment => {
            texts.extend(blanks);
            texts.extend(["x".repeat(20_001), "界".repeat(16_385), "\u{1}".repeat(8_193)]);
        }
    }
    texts
}

/// The longest text that is taken at such a place.
fn longest(usage: Use) -> Vec<String> {
    match usage {
        Use::Title(most) => vec!["𝔘".repeat(most)],
        Use::Note | Use::Body => vec!["x".repeat(MIB)],
        Use::Comment => vec!["x".repeat(20_000), "界".repeat(16_384), "\"".repeat(20_000)],
    }
}

/// The first place that a path leads to: `tasks[].title` is `tasks[0].title`.
fn first(path: &str) -> String {
    path.replace("[]", "[0]")
}

async fn texts_that_can_not_be_stored_are_refused_by_name(backend: Backend) {
    let s = Stage::new(backend).await;
    for tool in tools(&s) {
        let places: Vec<_> = TEXTS.iter().filter(|(known, ..)| *known == tool).collect();
        if places.is_empty() {
            continue;
        }
        let valid = arguments(&s, &s.admin, tool).await.remove(0);
        for (_, path, usage) in places {
            for wrong in too_much(*usage) {
                let mut arguments = valid.clone();
                assert!(put_text(&mut arguments, path, &wrong), "{tool} has no {path}");
                let shown: String = wrong.chars().take(5).collect();
                let refused = s.refused(&s.admin, tool, arguments, "invalid_arguments").await;
                let named = refused.fields().iter().any(|field| first(path).starts_with(field));
                assert!(named, "{tool} {path} {shown:?}: {:?}", refused.fields());
                let size = refused.text.len() + refused.details.to_string().len();
                assert!(size < 1_500, "{tool} {path}: what is too long is not sent back");
            }
        }
        s.ok(&s.admin, tool, valid).await;
    }
}

async fn the_longest_texts_are_taken(backend: Backend) {
    let s = Stage::new(backend).await;
    for (tool, path, usage) in TEXTS.into_iter().filter(|(_, path, _)| !NAMES.contains(path)) {
        for most in longest(usage) {
            let mut valid = arguments(&s, &s.admin, tool).await.remove(0);
            if path.starts_with("questions[]") {
                valid["questions"].as_array_mut().unwrap().truncate(1);
                if path.contains("options[].id") {
                    valid["questions"][0]["options"][1]["id"] = json!("other");
                }
            }
            assert!(put_text(&mut valid, path, &most), "{tool} has no {path}");
            s.ok(&s.admin, tool, valid).await;
        }
    }
}

/// Puts a text where a path leads, into the first item of each list.
fn put_text(arguments: &mut Value, path: &str, value: &str) -> bool {
    let pointer: String =
        first(path).split(['.', '[']).map(|step| format!("/{}", step.trim_end_matches(']'))).collect();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match arguments.pointer_mut(parent) {
        Some(Value::Object(object)) => {
            object.insert(key.to_owned(), json!(value));
            true
        }
        Some(Value::Array(items)) => {
            *items = vec![json!(value)];
            true
        }
        _ => false,
    }
}

/// Every string in a tool's arguments is an id, a word of a closed list, a cursor, or in [`TEXTS`].
async fn every_text_of_every_tool_is_in_the_list(backend: Backend) {
    fn walk(schema: &Value, path: &str, found: &mut Vec<String>) {
        let open = schema["type"] == "string" && schema["enum"].is_null() && schema["format"] != "uuid";
        if open {
            found.push(path.to_owned());
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let place = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            walk(property, &place, found);
        }
        if schema["items"].is_object() {
            walk(&schema["items"], &format!("{path}[]"), found);
        }
    }
    let s = Stage::new(backend).await;
    for tool in s.tools.surface.tools() {
        let mut found = Vec::new();
        walk(&tool.input, "", &mut found);
        let name = tool.row.name.strip_prefix("chorus_").unwrap();
        for path in
            found.iter().filter(|path| !["cursor", "idempotencyKey", "confirmationToken"].contains(&path.as_str()))
        {
            let known = TEXTS.iter().any(|(tool, text, _)| (*tool, *text) == (name, path));
            let elsewhere = ELSEWHERE.contains(&path.as_str());
            assert!(known || elsewhere || NAMES.contains(&path.as_str()), "{name}: what are the limits of `{path}`?");
        }
    }
}

async fn texts_of_all_the_world_come_back_as_they_were(backend: Backend) {
    let s = Stage::new(backend).await;
    let texts = [
        "Tiếng Việt có dấu: ắằẳẵặ",
        "한국어 조합형: \u{1112}\u{1161}\u{11ab}",
        "中文，日本語、カナ",
        "עברית ‏→ العربية",
        "👩‍👩‍👧‍👦 🏳️‍🌈 e\u{301} Å Å",
        "\u{feff}BOM, \u{2028}line, \u{7f}delete, \u{1}control",
        "C:\\path \"quoted\" 'single' %percent% _under_ -- ; DROP TABLE task;",
        "null",
        "true",
        "42",
        "[1]",
        "{\"a\":1}",
        "line\r\nline\n\ttab  two spaces ",
        "\u{10ffff}\u{fffd}",
    ];
    for given in texts {
        let task = s.by(&s.pm).task_with(json!({ "title": given, "description": given })).await;
        let read = s.ok(&s.pm, "get_task", json!({ "taskUuid": task })).await;
        assert_eq!((&read["title"], &read["description"]), (&json!(given), &json!(given)));
        let idea = s.by(&s.pm).idea_with(json!({ "title": given, "content": given })).await;
        let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": idea })).await;
        assert_eq!((&read["title"], &read["content"]), (&json!(given), &json!(given)));
        s.by(&s.pm).comment("task", &task, given).await;
        let read = s.ok(&s.pm, "get_comments", json!({ "targetType": "task", "targetUuid": task })).await;
        assert_eq!(rows(&read, "comments")[0]["content"], given.trim());
    }
}

async fn story_points_go_from_nothing_to_a_thousand(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let proposal = s.by(&s.pm).proposal().await;
    let criteria = json!([{ "description": "c" }]);
    let points = |points: &Value| {
        [
            ("update_task", "storyPoints", json!({ "taskUuid": task, "storyPoints": points })),
            (
                "pm_add_task_draft",
                "storyPoints",
                json!({
                    "proposalUuid": proposal, "title": "x", "acceptanceCriteriaItems": criteria, "storyPoints": points
                }),
            ),
            (
                "create_tasks",
                "tasks[0].storyPoints",
                json!({
                    "projectUuid": s.project,
                    "tasks": [{ "title": "x", "acceptanceCriteriaItems": criteria, "storyPoints": points }]
                }),
            ),
        ]
    };
    for wrong in
        [json!(-1), json!(-0.001), json!(1000.001), json!(1001), json!(1e300), json!("many"), json!([]), json!(true)]
    {
        for (tool, field, arguments) in points(&wrong) {
            assert_eq!(s.refused(&s.pm, tool, arguments, "invalid_arguments").await.fields(), [field], "{wrong}");
        }
    }
    for right in [json!(0), json!(0.25), json!(1000), json!("3.5"), json!(1000.0)] {
        for (tool, _, arguments) in points(&right) {
            s.ok(&s.pm, tool, arguments).await;
        }
        let read = s.ok(&s.pm, "get_task", json!({ "taskUuid": task })).await;
        let expected = right.as_f64().unwrap_or(3.5);
        assert_eq!(read["storyPoints"].as_f64(), Some(expected));
    }
}

async fn a_text_that_is_no_uuid_is_refused_by_name(backend: Backend) {
    let s = Stage::new(backend).await;
    let canonical = s.project.to_string();
    let wrong = [
        "",
        "x",
        "123",
        &canonical.replace('-', ""),
        &format!("{{{canonical}}}"),
        &format!("urn:uuid:{canonical}"),
        &format!("{canonical} "),
        &canonical.replace('-', "_"),
        "00000000-0000-0000-0000-00000000000g",
    ]
    .map(str::to_owned);
    for tool in tools(&s) {
        let name = format!("chorus_{tool}");
        let ids = s.tools.surface.tools().iter().find(|known| known.row.name == name).unwrap().row.access.ids;
        let valid = arguments(&s, &s.admin, tool).await;
        for path in ids.iter().filter(|at| !matches!(at, At::Via { .. })).map(At::path) {
            for text in &wrong {
                let with = |valid: &Value| {
                    let mut arguments = valid.clone();
                    put(&mut arguments, path, &json!(text)).then_some(arguments)
                };
                let arguments = valid.iter().find_map(with).unwrap_or_else(|| panic!("{tool} has no {path}"));
                let refused = s.refused(&s.admin, tool, arguments, "invalid_arguments").await;
                let place = first(path);
                assert!(
                    refused.fields().iter().all(|field| *field == place || *field == format!("{place}[0]")),
                    "{tool} {path} {text:?}: {:?}",
                    refused.fields()
                );
            }
        }
    }
    // Case plays no part.
    let read = s.ok(&s.pm, "get_project", json!({ "projectUuid": canonical.to_uppercase() })).await;
    assert_eq!(read["uuid"], canonical);
}

/// What a client makes of arguments that it serialises twice.
fn stringified(value: &Value, deep: bool) -> Value {
    match value {
        Value::String(_) | Value::Null => value.clone(),
        Value::Array(items) if deep => {
            let items: Vec<Value> = items.iter().map(|item| stringified(item, deep)).collect();
            json!(Value::Array(items).to_string())
        }
        Value::Object(object) if deep => {
            let object: Map<String, Value> =
                object.iter().map(|(key, item)| (key.clone(), stringified(item, deep))).collect();
            json!(Value::Object(object).to_string())
        }
        other => json!(other.to_string()),
    }
}

async fn arguments_that_a_client_made_strings_of_are_put_right(backend: Backend) {
    let s = Stage::new(backend).await;
    for deep in [false, true] {
        for tool in tools(&s) {
            for valid in arguments(&s, &s.admin, tool).await {
                let mangled = valid.as_object().unwrap().iter();
                let mangled: Map<String, Value> =
                    mangled.map(|(key, value)| (key.clone(), stringified(value, deep))).collect();
                s.ok(&s.admin, tool, Value::Object(mangled)).await;
            }
        }
    }
    // A single text where a list of them is wanted.
    let (first, second) = (s.by(&s.pm).task().await, s.by(&s.pm).task().await);
    let updated = s.ok(&s.pm, "update_task", json!({ "taskUuid": second, "addDependsOn": first })).await;
    assert_eq!(updated["dependsOn"][0]["uuid"], first);
}

/// A call with everything that comes back beside the answer.
async fn reply(s: &Stage, who: &Caller, tool: &str, arguments: Value) -> Reply {
    let Value::Object(arguments) = arguments else { panic!("no object") };
    let request = CallRequest {
        caller: who.clone(),
        narrowing: chorus_app::Narrowing::Nothing,
        selection: chorus_dispatch::Selection::default(),
        tool: format!("chorus_{tool}"),
        arguments,
        context: Context::default(),
    };
    s.tools.surface.call(&s.tools.services, request).await.unwrap_or_else(|halt| panic!("{tool}: {halt:?}"))
}

async fn unknown_keys_are_passed_over_and_listed(backend: Backend) {
    let s = Stage::new(backend).await;
    for tool in tools(&s) {
        let mut valid = arguments(&s, &s.admin, tool).await.remove(0);
        merge(&mut valid, json!({ "frobnicate": { "deep": [1] } }));
        let reply = reply(&s, &s.admin, tool, valid).await;
        let ignored: Vec<_> = reply.ignored.iter().map(|key| (key.path.as_str(), key.nearest.as_deref())).collect();
        assert_eq!(ignored, [("frobnicate", None)], "{tool}");
    }
    let tasks =
        json!([{ "title": "x", "titel": "y", "acceptanceCriteriaItems": [{ "description": "c", "must": true }] }]);
    let reply =
        reply(&s, &s.pm, "create_tasks", json!({ "projectUuid": s.project, "projectUUID": "z", "tasks": tasks })).await;
    let mut ignored: Vec<_> = reply.ignored.iter().map(|key| (key.path.as_str(), key.nearest.as_deref())).collect();
    ignored.sort_unstable();
    assert_eq!(
        ignored,
        [
            ("projectUUID", Some("projectUuid")),
            ("tasks[0].acceptanceCriteriaItems[0].must", None),
            ("tasks[0].titel", Some("title"))
        ]
    );
}

async fn every_writer_takes_a_key_and_does_once_what_it_names(backend: Backend) {
    let s = Stage::new(backend).await;
    let names: Vec<_> = s.tools.surface.tools().iter().map(|tool| (tool.row.name, tool.row.run.effect)).collect();
    for (name, effect) in names {
        let tool = name.strip_prefix("chorus_").unwrap();
        for (case, valid) in arguments(&s, &s.admin, tool).await.into_iter().enumerate() {
            let mut keyed = valid.clone();
            merge(&mut keyed, json!({ "idempotencyKey": format!("{tool}-{case}") }));
            match effect {
                Effect::Write => {
                    let first = reply(&s, &s.admin, tool, keyed.clone()).await;
                    let again = reply(&s, &s.admin, tool, keyed.clone()).await;
                    assert_eq!((first.replayed, again.replayed), (false, true), "{tool}");
                    assert_eq!(first.answer, again.answer, "{tool}");
                    for misspelt in ["idempotency_key", "IdempotencyKey", "idempotencykey", "idempotentcyKey"] {
                        let mut wrong = valid.clone();
                        merge(&mut wrong, json!({ misspelt: "k" }));
                        let refused = s.refused(&s.admin, tool, wrong, "invalid_arguments").await;
                        assert_eq!(refused.fields(), [misspelt], "{tool}");
                    }
                }
                Effect::Read => assert_eq!(reply(&s, &s.admin, tool, keyed).await.ignored.len(), 1, "{tool}"),
                Effect::Books | Effect::Trace => drop(s.refused(&s.admin, tool, keyed, "invalid_arguments").await),
            }
        }
    }
}

async fn required_arguments_are_asked_for_all_at_once(backend: Backend) {
    let s = Stage::new(backend).await;
    for tool in s.tools.surface.tools() {
        let name = tool.row.name.strip_prefix("chorus_").unwrap();
        let required: Vec<String> = tool.input["required"].as_array().into_iter().flatten().map(text).collect();
        match s.call(&s.admin, name, json!({})).await {
            CallResult::Refused(_, error) if !required.is_empty() => {
                assert_eq!(error["code"], "invalid_arguments", "{name}");
                let problems = error["details"]["problems"].as_array().unwrap();
                let named: Vec<String> = problems.iter().map(|problem| text(&problem["field"])).collect();
                assert_eq!(named, required, "{name}");
            }
            CallResult::Answer(_) if required.is_empty() => {}
            // One of two arguments has to be given.
            CallResult::Refused(_, error) if name == "mark_notification_read" => {
                assert_eq!(error["code"], "invalid_arguments");
            }
            other => panic!("{name}: {other:?}"),
        }
        // Values of a wrong kind are named too.
        for field in &required {
            let mut valid = arguments(&s, &s.admin, name).await.remove(0);
            for wrong in [json!({ "a": 1 }), json!(["", 7]), json!(null)] {
                merge(&mut valid, json!({ field.as_str(): wrong }));
                let refused = s.refused(&s.admin, name, valid.clone(), "invalid_arguments").await;
                assert!(refused.fields().iter().all(|place| place.starts_with(field.as_str())), "{name} {wrong}");
            }
        }
    }
}

backends!(
    texts_that_can_not_be_stored_are_refused_by_name,
    the_longest_texts_are_taken,
    every_text_of_every_tool_is_in_the_list,
    texts_of_all_the_world_come_back_as_they_were,
    story_points_go_from_nothing_to_a_thousand,
    a_text_that_is_no_uuid_is_refused_by_name,
    arguments_that_a_client_made_strings_of_are_put_right,
    unknown_keys_are_passed_over_and_listed,
    every_writer_takes_a_key_and_does_once_what_it_names,
    required_arguments_are_asked_for_all_at_once,
);
