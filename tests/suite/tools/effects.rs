//! What each mutating tool leaves besides its answer: activities, notifications, change events. All of it listed by
//! hand; what is not listed must not be there.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{Caller, Party};
use chorus_ids::{AgentId, UserId};
use chorus_testkit::{Backend, EventRow};
use serde_json::{Value, json};

use super::{
    maker::questions,
    stage::{Stage, rows, text},
};
use crate::backends;

pub(super) fn agent(who: &Caller) -> Party {
    Party::Agent(AgentId::from_uuid(who.subject.uuid()))
}

/// How things stood before a call.
pub(super) struct Watch<'s> {
    stage: &'s Stage,
    activities: BTreeSet<String>,
    told: BTreeMap<(String, String), i32>,
    events: BTreeSet<EventRow>,
}

impl<'s> Watch<'s> {
    pub(super) async fn start(stage: &'s Stage) -> Self {
        let activities = stream(stage).await.iter().map(|row| text(&row["uuid"])).collect();
        let told = told(stage).await.into_iter().map(|(key, (_, count))| (key, count)).collect();
        Self { stage, activities, told, events: stage.database.events().await.into_iter().collect() }
    }

    /// Passes if exactly this has happened since, and watches on. Ids are shown by their names here, others as `*`;
    /// lists are sorted.
    pub(super) async fn expect(&mut self, names: &[(&str, &str)], expected: Value) {
        let s = self.stage;
        let activities: Vec<Value> = stream(s)
            .await
            .into_iter()
            .filter(|row| self.activities.insert(text(&row["uuid"])))
            .map(|row| {
                let target = format!("{} {}", text(&row["targetType"]), text(&row["targetUuid"]));
                json!([text(&row["actorName"]), text(&row["action"]), target, row["value"]])
            })
            .collect();
        let mut news = Vec::new();
        for (key, (what, count)) in told(s).await {
            if self.told.get(&key) != Some(&count) {
                let who = &key.0;
                news.push(json!(if count == 1 { format!("{who}: {what}") } else { format!("{who}: {what} x{count}") }));
                self.told.insert(key, count);
            }
        }
        let events: Vec<Value> = s
            .database
            .events()
            .await
            .into_iter()
            .filter(|event| self.events.insert(*event))
            .map(|event| json!(format!("{} {} {}", event.entity, event.id, event.change)))
            .collect();
        let mut seen = json!({ "activities": activities, "told": news, "events": events });
        let agents = [(&s.pm, "@pm"), (&s.dev, "@dev"), (&s.admin, "@admin")];
        let agents: Vec<(String, &str)> = agents.map(|(who, name)| (who.subject.uuid().to_string(), name)).to_vec();
        let names: Vec<(String, &str)> =
            names.iter().map(|(id, name)| ((*id).to_owned(), *name)).chain(agents).collect();
        rename(&mut seen, &names);
        for list in seen.as_object_mut().unwrap().values_mut() {
            list.as_array_mut().unwrap().sort_by_key(ToString::to_string);
        }
        assert_eq!(seen, expected, "{seen:#}");
    }
}

/// Everything in the project's stream.
async fn stream(s: &Stage) -> Vec<Value> {
    let listed = s.ok(&s.admin, "get_activity", json!({ "projectUuid": s.project, "pageSize": 100 })).await;
    assert_eq!(listed.get("nextCursor"), None, "one page is enough for these tests");
    rows(&listed, "activities").clone()
}

/// What is unread: by recipient and notification, what it is about and how often.
async fn told(s: &Stage) -> BTreeMap<(String, String), (String, i32)> {
    let parties: [(&str, Party, UserId); 6] = [
        ("pat", Party::User(s.pat), s.pat),
        ("dora", Party::User(s.dora), s.dora),
        ("ada", Party::User(s.ada), s.ada),
        ("pm", agent(&s.pm), s.pat),
        ("dev", agent(&s.dev), s.dora),
        ("admin", agent(&s.admin), s.ada),
    ];
    let mut told = BTreeMap::new();
    for (name, party, user) in parties {
        for one in s.unread(party, user).await {
            assert_eq!(one.recipient, party);
            assert!(one.message.contains(&one.actor_name), "{}", one.message);
            let what = format!("{} on {} {}", one.topic.as_str(), one.entity, one.entity_id);
            told.insert((name.to_owned(), one.id.to_string()), (what, one.count));
        }
    }
    told
}

/// Puts names in the place of ids, and `*` in that of the others.
fn rename(value: &mut Value, names: &[(String, &str)]) {
    match value {
        Value::String(text) => {
            for (id, name) in names {
                *text = text.replace(id, name);
            }
            let words = text.split(' ').map(|word| if word.parse::<AgentId>().is_ok() { "*" } else { word });
            *text = words.collect::<Vec<_>>().join(" ");
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, names)),
        Value::Object(object) => object.values_mut().for_each(|item| rename(item, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

pub(super) const NOTHING: [&str; 0] = [];

fn assigned(to: &str) -> Value {
    json!({ "assigneeType": "agent", "assigneeUuid": to })
}

async fn projects_and_ideas(backend: Backend) {
    let s = Stage::new(backend).await;
    let mut watch = Watch::start(&s).await;
    let project = text(&s.ok(&s.pm, "admin_create_project", json!({ "name": "Linker" })).await["uuid"]);
    let created = json!({ "activities": NOTHING, "told": NOTHING, "events": ["project P created"] });
    watch.expect(&[(&project, "P")], created).await;
    let listed = s.ok(&s.pm, "get_activity", json!({ "projectUuid": project })).await;
    let row = &rows(&listed, "activities")[0];
    assert_eq!((&row["action"], &row["value"]), (&json!("created"), &json!({ "visibility": "public" })));

    let idea = s.by(&s.pm).idea().await;
    let names = [(idea.as_str(), "I")];
    watch.expect(&names, json!({ "activities": NOTHING, "told": NOTHING, "events": ["idea I created"] })).await;
    s.ok(&s.admin, "claim_idea", json!({ "ideaUuid": idea })).await;
    let claimed = json!({
        "activities": [["admin", "assigned", "idea I", assigned("@admin")]],
        "told": ["pm: idea_claimed on idea I"], "events": ["idea I updated"]
    });
    watch.expect(&names, claimed).await;
    s.ok(&s.admin, "release_idea", json!({ "ideaUuid": idea })).await;
    let released =
        json!({ "activities": [["admin", "released", "idea I", null]], "told": NOTHING, "events": ["idea I updated"] });
    watch.expect(&names, released).await;
}

/// An idea that `admin` wrote down and `pm` holds.
async fn foreign_idea(s: &Stage) -> String {
    let idea = s.by(&s.admin).idea().await;
    s.ok(&s.pm, "claim_idea", json!({ "ideaUuid": idea })).await;
    idea
}

async fn elaborations(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = foreign_idea(&s).await;
    let names = [(idea.as_str(), "I")];
    let on = json!({ "ideaUuid": idea });
    let mut watch = Watch::start(&s).await;
    let start = json!({ "ideaUuid": idea, "depth": "minimal", "questions": questions() });
    s.ok(&s.pm, "pm_start_elaboration", start).await;
    let value = json!({ "depth": "minimal", "questionCount": 2, "roundNumber": 1 });
    let expected = json!({
        "activities": [["pm", "elaboration_started", "idea I", value]],
        "told": ["admin: elaboration_requested on idea I", "pat: elaboration_requested on idea I"],
        "events": ["idea I updated"]
    });
    watch.expect(&names, expected).await;

    s.by(&s.dev).answered(&idea).await;
    let expected = json!({
        "activities": [["dev", "elaboration_answered", "idea I", { "roundNumber": 1, "answeredCount": 1 }]],
        "told": ["admin: elaboration_answered on idea I", "pm: elaboration_answered on idea I"],
        "events": ["idea I updated"]
    });
    watch.expect(&names, expected).await;

    // Finished by somebody else: only the agent that holds it is told.
    s.ok(&s.admin, "pm_validate_elaboration", on.clone()).await;
    let expected = json!({
        "activities": [["admin", "elaboration_verified", "idea I", { "totalRounds": 1 }]],
        "told": ["pm: elaboration_verified on idea I"], "events": ["idea I updated"]
    });
    watch.expect(&names, expected).await;
    s.ok(&s.admin, "pm_validate_elaboration", on).await;
    watch.expect(&names, json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING })).await;

    // Finished by its assignee.
    let own = s.by(&s.pm).idea().await;
    s.ok(&s.admin, "claim_idea", json!({ "ideaUuid": own })).await;
    s.by(&s.admin).round(&own).await;
    s.by(&s.admin).answered(&own).await;
    let mut watch = Watch::start(&s).await;
    s.ok(&s.admin, "pm_validate_elaboration", json!({ "ideaUuid": own })).await;
    let expected = json!({
        "activities": [["admin", "elaboration_resolved", "idea I", { "totalRounds": 1 }]],
        "told": ["pm: elaboration_answered on idea I x2"], "events": ["idea I updated"]
    });
    watch.expect(&[(&own, "I")], expected).await;
}

async fn skipped_elaborations(backend: Backend) {
    let s = Stage::new(backend).await;
    for (who, action, value, told) in [
        (&s.pm, "elaboration_skipped", json!({ "reason": "Clear" }), "admin: elaboration_answered on idea I"),
        (
            &s.admin,
            "elaboration_verified",
            json!({ "reason": "Clear", "viaSkip": true }),
            "pm: elaboration_verified on idea I",
        ),
    ] {
        let idea = foreign_idea(&s).await;
        let mut watch = Watch::start(&s).await;
        s.ok(who, "pm_skip_elaboration", json!({ "ideaUuid": idea, "reason": "Clear" })).await;
        let expected = json!({
            "activities": [[who.name, action, "idea I", value]], "told": [told], "events": ["idea I updated"]
        });
        watch.expect(&[(&idea, "I")], expected).await;
    }
}

async fn proposals(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).elaborated().await;
    let mut watch = Watch::start(&s).await;
    let proposal = s.by(&s.pm).proposal_from(&idea).await;
    let names = [(idea.as_str(), "I"), (proposal.as_str(), "P")];
    watch.expect(&names, json!({ "activities": NOTHING, "told": NOTHING, "events": ["proposal P created"] })).await;
    let edited = json!({ "activities": NOTHING, "told": NOTHING, "events": ["proposal P updated"] });
    s.by(&s.admin).document_draft(&proposal).await;
    watch.expect(&names, edited.clone()).await;
    s.by(&s.admin).task_draft(&proposal, "Log", &[]).await;
    watch.expect(&names, edited).await;
    let on = json!({ "proposalUuid": proposal });
    s.ok(&s.pm, "pm_validate_proposal", on.clone()).await;
    watch.expect(&names, json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING })).await;

    s.ok(&s.pm, "pm_submit_proposal", on.clone()).await;
    let submitted = |times: &str| {
        json!({
            "activities": [["pm", "submitted", "proposal P", null]],
            "told": [
                format!("ada: proposal_submitted on proposal P{times}"),
                format!("pat: proposal_submitted on proposal P{times}")
            ],
            "events": ["proposal P updated"]
        })
    };
    watch.expect(&names, submitted("")).await;
    let decide = |note: &str| json!({ "proposalUuid": proposal, "reviewNote": note });
    s.ok(&s.admin, "pm_reject_proposal", decide("Too big")).await;
    let rejected = json!({
        "activities": [["admin", "rejected_to_draft", "proposal P", { "reviewNote": "Too big" }]],
        "told": ["pm: proposal_rejected on proposal P"], "events": ["proposal P updated"]
    });
    watch.expect(&names, rejected).await;
    s.ok(&s.pm, "pm_submit_proposal", on).await;
    watch.expect(&names, submitted(" x2")).await;
    s.ok(&s.admin, "admin_approve_proposal", decide("Go")).await;
    let approved = json!({
        "activities": [["admin", "approved", "proposal P", { "reviewNote": "Go" }]],
        "told": ["pm: proposal_approved on proposal P"],
        "events": ["document * created", "proposal P updated", "task * created"]
    });
    watch.expect(&names, approved).await;

    let report = json!({ "proposalUuid": proposal, "title": "Report", "content": "## Summary" });
    let made = text(&s.ok(&s.admin, "create_report", report).await["documentUuid"]);
    let value = json!({ "reportUuid": "D", "proposalUuid": "P", "reportTitle": "Report" });
    let reported = json!({
        "activities": [["admin", "report_created", "idea I", value]],
        "told": ["pat: report_created on idea I", "pm: report_created on idea I"],
        "events": ["document D created", "idea I updated"]
    });
    watch.expect(&[names[0], names[1], (&made, "D")], reported).await;
}

async fn new_tasks(backend: Backend) {
    let s = Stage::new(backend).await;
    let first = s.by(&s.pm).task().await;
    let made = s.by(&s.pm).approved().await;
    let mut watch = Watch::start(&s).await;
    let criteria = json!([{ "description": "c" }]);
    let tasks = json!([
        { "title": "One", "draftUuid": "1", "acceptanceCriteriaItems": criteria, "dependsOnTaskUuids": [first] },
        { "title": "Two", "dependsOnDraftUuids": ["1"], "acceptanceCriteriaItems": criteria },
    ]);
    s.by(&s.dev).tasks(tasks).await;
    let expected = json!({
        "activities": [
            ["dev", "created", "task *", { "title": "One", "quickTask": true }],
            ["dev", "created", "task *", { "title": "Two", "quickTask": true }]
        ],
        "told": NOTHING, "events": ["task * created", "task * created", "task F updated"]
    });
    watch.expect(&[(&first, "F")], expected).await;
    let tasks = json!([{ "title": "More", "acceptanceCriteriaItems": criteria }]);
    let arguments = json!({ "projectUuid": s.project, "proposalUuid": made.proposal, "tasks": tasks });
    s.ok(&s.dev, "create_tasks", arguments).await;
    let value = json!({ "title": "More", "proposalUuid": "P" });
    let expected =
        json!({ "activities": [["dev", "created", "task *", value]], "told": NOTHING, "events": ["task * created"] });
    watch.expect(&[(&made.proposal, "P")], expected).await;
}

async fn edits_of_a_task(backend: Backend) {
    let s = Stage::new(backend).await;
    let (task, first) = (s.by(&s.pm).task().await, s.by(&s.pm).task().await);
    let names = [(task.as_str(), "T"), (first.as_str(), "F")];
    let mut watch = Watch::start(&s).await;
    let edit = json!({
        "taskUuid": task, "title": "Lex", "description": "All", "priority": "high", "storyPoints": 2.5,
        "acceptanceCriteriaItems": [{ "description": "c" }], "addDependsOn": [first]
    });
    s.ok(&s.dev, "update_task", edit).await;
    let value = json!({
        "title": "Lex", "descriptionUpdated": true, "priority": "high", "storyPoints": 2.5,
        "acceptanceCriteriaReplaced": true, "addedDependencies": 1
    });
    let expected = json!({
        "activities": [["dev", "updated", "task T", value]], "told": NOTHING,
        "events": ["task F updated", "task T updated"]
    });
    watch.expect(&names, expected).await;
    s.ok(&s.dev, "update_task", json!({ "taskUuid": task, "removeDependsOn": [first] })).await;
    let expected = json!({
        "activities": [["dev", "updated", "task T", { "removedDependencies": 1 }]], "told": NOTHING,
        "events": ["task F updated", "task T updated"]
    });
    watch.expect(&names, expected).await;
    s.by(&s.dev).advance(&task, "assigned").await;
    let mut watch = Watch::start(&s).await;
    s.ok(&s.dev, "update_task", json!({ "taskUuid": task, "status": "in_progress", "priority": "low" })).await;
    let expected = json!({
        "activities": [["dev", "status_changed", "task T", { "status": "in_progress", "priority": "low" }]],
        "told": ["pm: task_status_changed on task T"], "events": ["task T updated"]
    });
    watch.expect(&names, expected).await;
}

/// One activity of the task `T`, with whom it tells.
fn on_task(who: &str, action: &str, value: Value, told: &[&str]) -> Value {
    json!({ "activities": [[who, action, "task T", value]], "told": told, "events": ["task T updated"] })
}

async fn work_on_a_task(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let names = [(task.as_str(), "T")];
    let on = json!({ "taskUuid": task });
    let mut watch = Watch::start(&s).await;
    let silent = json!({ "activities": NOTHING, "told": NOTHING, "events": ["task T updated"] });

    s.ok(&s.dev, "claim_task", on.clone()).await;
    watch.expect(&names, on_task("dev", "assigned", assigned("@dev"), &[])).await;
    s.ok(&s.dev, "release_task", on.clone()).await;
    watch.expect(&names, on_task("dev", "released", Value::Null, &[])).await;
    s.ok(&s.dev, "claim_task", on.clone()).await;
    watch.expect(&names, on_task("dev", "assigned", assigned("@dev"), &[])).await;
    s.ok(&s.dev, "report_work", json!({ "taskUuid": task, "report": "Begun", "status": "in_progress" })).await;
    let value = json!({ "commentUuid": "*", "report": "Begun", "statusUpdated": "in_progress" });
    watch.expect(&names, on_task("dev", "comment_added", value, &["pm: comment_added on task T"])).await;
    s.ok(&s.dev, "report_work", json!({ "taskUuid": task, "report": "Half" })).await;
    let value = json!({ "commentUuid": "*", "report": "Half" });
    watch.expect(&names, on_task("dev", "comment_added", value, &["pm: comment_added on task T x2"])).await;
    let criterion = s.by(&s.dev).criterion(&task).await;
    let check = json!({ "taskUuid": task, "criteria": [{ "uuid": criterion, "devStatus": "passed" }] });
    s.ok(&s.dev, "report_criteria_self_check", check).await;
    watch.expect(&names, silent.clone()).await;
    let told = ["dora: task_submitted_for_verify on task T", "pm: task_submitted_for_verify on task T"];
    s.ok(&s.dev, "submit_for_verify", json!({ "taskUuid": task, "summary": "All green" })).await;
    watch.expect(&names, on_task("dev", "submitted", json!({ "summary": "All green" }), &told)).await;

    s.ok(&s.admin, "admin_reopen_task", on.clone()).await;
    watch.expect(&names, on_task("admin", "reopened", Value::Null, &["dev: task_reopened on task T"])).await;
    s.ok(&s.dev, "submit_for_verify", on.clone()).await;
    let told = told.map(|one| format!("{one} x2"));
    let told = [told[0].as_str(), told[1].as_str()];
    watch.expect(&names, on_task("dev", "submitted", Value::Null, &told)).await;
    let mark = json!({ "taskUuid": task, "criteria": [{ "uuid": criterion, "status": "passed" }] });
    s.ok(&s.admin, "mark_acceptance_criteria", mark).await;
    watch.expect(&names, silent).await;
    s.ok(&s.admin, "admin_verify_task", on.clone()).await;
    watch.expect(&names, on_task("admin", "verified", Value::Null, &["dev: task_verified on task T"])).await;
    s.ok(&s.admin, "admin_close_task", on).await;
    watch.expect(&names, on_task("admin", "closed", json!({ "from": "done" }), &[])).await;
}

async fn comments(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    s.ok(&s.admin, "claim_task", json!({ "taskUuid": made.tasks[0] })).await;
    let mut watch = Watch::start(&s).await;
    // Whoever made it and whoever holds it; never the author.
    for (kind, id, told) in [
        ("task", &made.tasks[0], vec!["admin: comment_added on task X", "pm: comment_added on task X"]),
        ("idea", &made.idea, vec!["pm: comment_added on idea X"]),
        ("proposal", &made.proposal, vec!["pm: comment_added on proposal X"]),
        ("document", &made.document, vec!["pm: comment_added on document X"]),
    ] {
        s.by(&s.dev).comment(kind, id, "Why?").await;
        let value = json!({ "commentUuid": "*", "excerpt": "Why?" });
        let expected = json!({
            "activities": [["dev", "comment_added", format!("{kind} X"), value]], "told": told,
            "events": [format!("{kind} X updated")]
        });
        watch.expect(&[(id, "X")], expected).await;
    }
}

async fn a_refused_or_repeated_call_leaves_nothing(backend: Backend) {
    let s = Stage::new(backend).await;
    let nothing = json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING });
    let task = s.by(&s.pm).task().await;
    let comment = json!({ "targetType": "task", "targetUuid": task, "content": "Once", "idempotencyKey": "k" });
    let first = s.ok(&s.dev, "add_comment", comment.clone()).await;
    let mut watch = Watch::start(&s).await;
    assert_eq!(s.ok(&s.dev, "add_comment", comment).await, first);
    watch.expect(&[], nothing.clone()).await;
    s.refused(&s.admin, "admin_verify_task", json!({ "taskUuid": task }), "invalid_state").await;
    s.refused(&s.dev, "submit_for_verify", json!({ "taskUuid": task }), "not_assignee").await;
    watch.expect(&[], nothing.clone()).await;
    // That it came in for the first time is heard by whoever made it; after that it is no news.
    s.ok(&s.dev, "checkin", json!({})).await;
    let came = json!({ "activities": NOTHING, "told": NOTHING, "events": ["agent @dev updated"] });
    watch.expect(&[], came).await;
    s.ok(&s.dev, "checkin", json!({})).await;
    watch.expect(&[], nothing).await;
}

async fn unread_notifications_of_one_thing_are_joined_but_decisions_stand_alone(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    s.by(&s.dev).comment("task", &task, "One").await;
    s.by(&s.admin).comment("task", &task, "Two").await;
    let unread = s.unread(agent(&s.pm), s.pat).await;
    assert_eq!((unread.len(), unread[0].count, unread[0].actor_name.as_str()), (1, 2, "admin"));
    assert!(unread[0].message.ends_with("Two"), "{}", unread[0].message);
    // Once read, the next is a new one.
    s.ok(&s.pm, "checkin", json!({})).await;
    assert_eq!(s.unread(agent(&s.pm), s.pat).await, []);
    s.by(&s.dev).comment("task", &task, "Three").await;
    let unread = s.unread(agent(&s.pm), s.pat).await;
    assert_eq!((unread.len(), unread[0].count), (1, 1));

    let proposal = s.by(&s.pm).pending().await;
    for note in ["First", "Second"] {
        s.ok(&s.admin, "pm_reject_proposal", json!({ "proposalUuid": proposal, "reviewNote": note })).await;
        s.ok(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
    }
    let unread = s.unread(agent(&s.pm), s.pat).await;
    let decisions: Vec<_> = unread.iter().filter(|one| one.topic.as_str() == "proposal_rejected").collect();
    assert_eq!(decisions.iter().map(|one| one.count).collect::<Vec<_>>(), [1, 1]);
    assert!(decisions[0].message.ends_with("Second") && decisions[1].message.ends_with("First"), "{decisions:?}");
}

async fn nobody_hears_of_what_they_did_themselves_or_may_not_see(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.admin).approved().await;
    s.by(&s.admin).advance(&made.tasks[0], "done").await;
    for (kind, id) in [("idea", &made.idea), ("task", &made.tasks[0]), ("document", &made.document)] {
        s.by(&s.admin).comment(kind, id, "Note to self").await;
    }
    let told = told(&s).await;
    assert!(!told.keys().any(|(who, _)| who == "admin"), "{told:?}");

    // Who holds something in a project that they can no longer see is not told of it.
    let outsider = s.agent_of("outsider", None).await;
    let task = s.by(&s.pm).task().await;
    s.give_task(&task, agent(&outsider)).await;
    s.by(&s.dev).comment("task", &task, "Still there?").await;
    assert_eq!(s.unread(agent(&outsider), s.ada).await, []);
    assert_eq!(s.unread(agent(&s.pm), s.pat).await.len(), 1);
}

async fn events_of_an_entity_are_numbered_without_gaps(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    s.by(&s.dev).advance(&made.tasks[0], "done").await;
    let mut numbers: BTreeMap<_, Vec<i64>> = BTreeMap::new();
    for event in s.database.events().await {
        numbers.entry((event.entity, event.id)).or_default().push(event.seq);
    }
    assert!(numbers.len() > 4);
    for (entity, numbers) in numbers {
        assert_eq!(numbers, (1..=numbers.len() as i64).collect::<Vec<_>>(), "{entity:?}");
    }
}

backends!(
    projects_and_ideas,
    elaborations,
    skipped_elaborations,
    proposals,
    new_tasks,
    edits_of_a_task,
    work_on_a_task,
    comments,
    a_refused_or_repeated_call_leaves_nothing,
    unread_notifications_of_one_thing_are_joined_but_decisions_stand_alone,
    nobody_hears_of_what_they_did_themselves_or_may_not_see,
    events_of_an_entity_are_numbered_without_gaps,
);
