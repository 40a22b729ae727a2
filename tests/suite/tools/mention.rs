//! Mentions in comments, reports, ideas and tasks: who is told, who is not, and what is kept.

use chorus_domain::{Caller, Party};
use chorus_testkit::{Backend, World};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    effects::{NOTHING, Watch, agent},
    stage::{Stage, text},
};
use crate::backends;

/// The token that mentions somebody.
fn token(party: Party) -> String {
    format!("@[Somebody]({}:{})", party.kind(), party.uuid())
}

fn at(who: &Caller) -> String {
    token(agent(who))
}

/// What an activity tells of a mention; ids by their names.
fn value(kind: &str, id: &str, name: &str, source: &str, source_id: &str) -> Value {
    json!({
        "mentionedType": kind, "mentionedUuid": id, "mentionedName": name, "sourceType": source,
        "sourceUuid": source_id
    })
}

/// How many mentions are kept.
async fn kept(s: &Stage) -> usize {
    s.database.mentions().await.len()
}

async fn whoever_a_comment_mentions_is_told(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.admin).approved().await;
    let targets =
        [("idea", &made.idea), ("proposal", &made.proposal), ("document", &made.document), ("task", &made.tasks[0])];
    for (kind, id) in targets {
        let mut watch = Watch::start(&s).await;
        let content = format!("Ask {} and {}", at(&s.pm), token(Party::User(s.dora)));
        let comment = s.by(&s.dev).comment(kind, id, &content).await;
        let names = [(id.as_str(), "X"), (comment.as_str(), "C"), (&s.dora.to_string(), "@dora")];
        let on = format!("{kind} X");
        let excerpt = "Ask @[Somebody](agent:@pm) and @[Somebody](user:@dora)";
        let expected = json!({
            "activities": [
                ["dev", "comment_added", on, { "commentUuid": "C", "excerpt": excerpt }],
                ["dev", "mentioned", on, value("user", "@dora", "dora", "comment", "C")],
                ["dev", "mentioned", on, value("agent", "@pm", "pm", "comment", "C")]
            ],
            "told": [
                format!("admin: comment_added on {on}"), format!("dora: mentioned on {on}"),
                format!("pm: mentioned on {on}")
            ],
            "events": [format!("{on} updated")]
        });
        watch.expect(&names, expected).await;
        let plain = |id: &str| id.replace('-', "");
        let rows = s.database.mentions().await;
        for (kind, id) in [("agent", s.pm.subject.uuid()), ("user", s.dora.uuid())] {
            let by = plain(&s.dev.subject.uuid().to_string());
            let row = format!("comment {} {kind} {} by agent {by}", plain(&comment), plain(&id.to_string()));
            assert!(rows.contains(&row), "{row} in {rows:?}");
        }
    }
    assert_eq!(kept(&s).await, 8);
    let told = s.unread(agent(&s.pm), s.pat).await;
    assert_eq!(told.len(), 4, "each mention stands alone");
    assert!(told[0].message.ends_with("Ask @Somebody and @Somebody"), "{}", told[0].message);
    assert!(told[0].message.starts_with("dev mentioned you on \""), "{}", told[0].message);
}

async fn reports_mention_like_comments(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.dev).task_in("assigned").await;
    let mut watch = Watch::start(&s).await;
    let report = json!({ "taskUuid": task, "report": format!("Done, {}", at(&s.pm)) });
    s.ok(&s.dev, "report_work", report).await;
    let comments = s.ok(&s.dev, "get_comments", json!({ "targetType": "task", "targetUuid": task })).await;
    let comment = text(&comments["comments"][0]["uuid"]);
    let expected = json!({
        "activities": [
            ["dev", "comment_added", "task T", { "commentUuid": "C", "report": "Done, @[Somebody](agent:@pm)" }],
            ["dev", "mentioned", "task T", value("agent", "@pm", "pm", "comment", "C")]
        ],
        "told": ["pm: mentioned on task T"], "events": ["task T updated"]
    });
    watch.expect(&[(&task, "T"), (&comment, "C")], expected).await;
}

async fn ideas_mention_when_they_are_made_and_only_newly_when_they_are_edited(backend: Backend) {
    let s = Stage::new(backend).await;
    let mut watch = Watch::start(&s).await;
    let first = format!("See {}", at(&s.dev));
    let idea = s.by(&s.pm).idea_with(json!({ "content": first })).await;
    let names = [(idea.as_str(), "I")];
    let mentioned =
        |who: &str, at: &str, name: &str| json!([who, "mentioned", "idea I", value("agent", at, name, "idea", "I")]);
    let expected = json!({
        "activities": [mentioned("pm", "@dev", "dev")], "told": ["dev: mentioned on idea I"],
        "events": ["idea I created"]
    });
    watch.expect(&names, expected).await;
    let edited = |told: Value, more: Vec<Value>| {
        let mut activities = vec![json!(["pm", "edited", "idea I", { "changedFields": ["content"] }])];
        activities.extend(more);
        json!({ "activities": activities, "told": told, "events": ["idea I updated"] })
    };
    let second = format!("{first} and {}", at(&s.admin));
    s.ok(&s.pm, "edit_idea", json!({ "ideaUuid": idea, "content": second })).await;
    watch.expect(&names, edited(json!(["admin: mentioned on idea I"]), vec![mentioned("pm", "@admin", "admin")])).await;
    // Whoever was mentioned before is not told again, nor is anybody when mentions go.
    for content in [format!("{second}!"), "Nobody".to_owned()] {
        s.ok(&s.pm, "edit_idea", json!({ "ideaUuid": idea, "content": content })).await;
        watch.expect(&names, edited(json!(NOTHING), vec![])).await;
    }
    // Gone and back is new.
    s.ok(&s.pm, "edit_idea", json!({ "ideaUuid": idea, "content": first })).await;
    watch.expect(&names, edited(json!(["dev: mentioned on idea I"]), vec![mentioned("pm", "@dev", "dev")])).await;
    // An edit of something else mentions nobody.
    s.ok(&s.admin, "edit_idea", json!({ "ideaUuid": idea, "title": at(&s.dev) })).await;
    let titled = json!({
        "activities": [["admin", "edited", "idea I", { "changedFields": ["title"] }]], "told": NOTHING,
        "events": ["idea I updated"]
    });
    watch.expect(&names, titled).await;
    assert_eq!(kept(&s).await, 3);
}

async fn tasks_mention_when_they_are_made_edited_and_approved(backend: Backend) {
    let s = Stage::new(backend).await;
    let mut watch = Watch::start(&s).await;
    let criteria = json!([{ "description": "c" }]);
    let tasks = json!([
        { "title": "One", "description": format!("{} {}", at(&s.dev), at(&s.pm)), "acceptanceCriteriaItems": criteria },
        { "title": "Two", "description": at(&s.dev), "acceptanceCriteriaItems": criteria }
    ]);
    let made = s.by(&s.pm).tasks(tasks).await;
    let names = [(made[0].as_str(), "A"), (made[1].as_str(), "B")];
    let dev = |task: &str| value("agent", "@dev", "dev", "task", task);
    let expected = json!({
        "activities": [
            ["pm", "created", "task A", { "title": "One", "quickTask": true }],
            ["pm", "created", "task B", { "title": "Two", "quickTask": true }],
            ["pm", "mentioned", "task A", dev("A")],
            ["pm", "mentioned", "task B", dev("B")]
        ],
        "told": ["dev: mentioned on task A", "dev: mentioned on task B"],
        "events": ["task A created", "task B created"]
    });
    watch.expect(&names, expected).await;
    let edit = json!({ "taskUuid": made[1], "description": format!("{} {}", at(&s.dev), at(&s.admin)) });
    s.ok(&s.pm, "update_task", edit).await;
    let admin = value("agent", "@admin", "admin", "task", "B");
    let expected = json!({
        "activities": [["pm", "mentioned", "task B", admin], ["pm", "updated", "task B", { "descriptionUpdated": true }]],
        "told": ["admin: mentioned on task B"], "events": ["task B updated"]
    });
    watch.expect(&names, expected).await;

    // A draft mentions nobody until it becomes a task.
    let proposal = s.by(&s.pm).filled().await;
    let draft = json!({
        "proposalUuid": proposal, "title": "Three", "description": at(&s.dev), "acceptanceCriteriaItems": criteria
    });
    s.ok(&s.pm, "pm_add_task_draft", draft).await;
    s.ok(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
    assert_eq!(kept(&s).await, 3);
    let approved = s.ok(&s.admin, "admin_approve_proposal", json!({ "proposalUuid": proposal })).await;
    assert_eq!(kept(&s).await, 4);
    let told = s.unread(agent(&s.dev), s.dora).await;
    assert_eq!(told[0].entity_id.to_string(), text(&approved["materializedTasks"][2]["taskUuid"]));
}

async fn at_most_ten_are_mentioned_each_once_and_never_the_writer(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let mut robots = Vec::new();
    for number in 0..11 {
        robots.push(s.world.new_caller(&format!("robot {number}"), Some(s.pat), &[], &[]).await);
    }
    let tokens: String = robots.iter().flat_map(|robot| [at(robot), at(robot)]).collect();
    s.by(&s.dev).comment("task", &task, &tokens).await;
    assert_eq!(kept(&s).await, 10);
    for (number, robot) in robots.iter().enumerate() {
        assert_eq!(s.unread(agent(robot), s.pat).await.len(), usize::from(number < 10), "{number}");
    }
    s.by(&s.dev).comment("task", &task, &at(&s.dev)).await;
    assert_eq!((kept(&s).await, s.unread(agent(&s.dev), s.dora).await.len()), (10, 0));
}

async fn who_is_gone_foreign_or_without_access_is_passed_over_without_a_word(backend: Backend) {
    let s = Stage::new(backend).await;
    let outsider = s.agent_of("outsider", None).await;
    let eve = outsider.owner.unwrap();
    let ownerless = s.world.new_caller("ownerless", None, &["admin_agent"], &[]).await;
    let abroad = World::new(s.world.services.clone()).await;
    let foreigner = abroad.new_caller("foreigner", Some(abroad.first_user), &["admin_agent"], &[]).await;
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    let task = s.by(&s.pm).task().await;
    let passed_over = [
        Party::User(eve),
        agent(&outsider),
        agent(&ownerless),
        agent(&foreigner),
        Party::User(abroad.first_user),
        Party::User(s.world.first_user),
        // Nobody, as if removed; and an agent named as a person.
        Party::Agent(s.world.id()),
        Party::User(s.world.id()),
    ];
    let mut watch = Watch::start(&s).await;
    let wrong_kind = format!("@[x](user:{})", s.pm.subject.uuid());
    let tokens: String = passed_over.into_iter().map(token).collect();
    let comment = s.by(&s.dev).comment("task", &task, &format!("{tokens}{wrong_kind}{}", at(&viewer))).await;
    let names = [(task.as_str(), "T"), (comment.as_str(), "C"), (&viewer.subject.uuid().to_string(), "@viewer")];
    let stream = s.ok(&s.admin, "get_activity", json!({ "projectUuid": s.project, "pageSize": 100 })).await;
    let mentioned: Vec<&Value> =
        stream["activities"].as_array().unwrap().iter().filter(|row| row["action"] == "mentioned").collect();
    assert_eq!(mentioned.len(), 1, "{mentioned:?}");
    assert_eq!(mentioned[0]["value"]["mentionedUuid"], json!(viewer.subject.uuid()));
    assert_eq!(s.unread(agent(&viewer), viewer.owner.unwrap()).await.len(), 1);
    assert_eq!(s.unread(agent(&outsider), eve).await, []);
    assert_eq!(kept(&s).await, 1);
    let excerpt = stream["activities"].as_array().unwrap().iter().find(|row| row["action"] == "comment_added").unwrap();
    let mut shown = excerpt["value"]["excerpt"].clone();
    shown = json!(text(&shown).replace(&viewer.subject.uuid().to_string(), "@viewer"));
    let expected = json!({
        "activities": [
            ["dev", "comment_added", "task T", { "commentUuid": "C", "excerpt": renamed(&s, &text(&shown)) }],
            ["dev", "mentioned", "task T", value("agent", "@viewer", "viewer", "comment", "C")]
        ],
        "told": ["pm: comment_added on task T"], "events": ["task T updated"]
    });
    watch.expect(&names, expected).await;

    // In a public project everybody of the company is reached, and nobody else.
    let public = s.world.project("public", Visibility::Public, &[(s.ada, Role::Admin)]).await.to_string();
    let idea = s.by(&s.dev).within(&public).task_with(json!({ "description": tokens })).await;
    assert!(!idea.is_empty());
    assert_eq!(kept(&s).await, 1 + 4);
}

/// A text with the stage's agents by name, as a watch shows it.
fn renamed(s: &Stage, text: &str) -> String {
    [(&s.pm, "@pm"), (&s.dev, "@dev"), (&s.admin, "@admin")]
        .into_iter()
        .fold(text.to_owned(), |text, (who, name)| text.replace(&who.subject.uuid().to_string(), name))
}

async fn a_reply_mentions_only_whom_it_names(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.admin).task().await;
    // An agent calls another; the other answers. The answer, which mentions nobody, wakes neither of them.
    s.by(&s.pm).comment("task", &task, &format!("{} please look", at(&s.dev))).await;
    let woken = s.unread(agent(&s.dev), s.dora).await;
    assert_eq!(woken.iter().map(|one| one.topic.as_str()).collect::<Vec<_>>(), ["mentioned"]);
    for _ in 0..50 {
        s.by(&s.dev).comment("task", &task, "I looked").await;
    }
    assert_eq!(s.unread(agent(&s.pm), s.pat).await, []);
    assert_eq!(s.unread(agent(&s.dev), s.dora).await.len(), 1);
    // The creator hears of all of it once, with a count.
    let creator = s.unread(agent(&s.admin), s.ada).await;
    assert_eq!((creator.len(), creator[0].count), (1, 51));
}

async fn a_refused_call_mentions_nobody(backend: Backend) {
    let s = Stage::new(backend).await;
    let criteria = json!([{ "description": "c" }]);
    let tasks = json!([
        { "title": "One", "description": at(&s.dev), "acceptanceCriteriaItems": criteria },
        { "title": " ", "acceptanceCriteriaItems": criteria }
    ]);
    let arguments = json!({ "projectUuid": s.project, "tasks": tasks });
    s.refused(&s.pm, "create_tasks", arguments, "invalid_arguments").await;
    let idea = s.by(&s.pm).idea().await;
    let stale = json!({ "ideaUuid": idea, "content": at(&s.dev), "expectedVersion": 7 });
    s.refused(&s.pm, "edit_idea", stale, "precondition_failed").await;
    assert_eq!((kept(&s).await, s.unread(agent(&s.dev), s.dora).await.len()), (0, 0));
    // A repeated one mentions once.
    let keyed = json!({
        "targetType": "idea", "targetUuid": idea, "content": at(&s.dev), "idempotencyKey": "once"
    });
    for _ in 0..2 {
        s.ok(&s.pm, "add_comment", keyed.clone()).await;
    }
    assert_eq!((kept(&s).await, s.unread(agent(&s.dev), s.dora).await.len()), (1, 1));
}

backends!(
    whoever_a_comment_mentions_is_told,
    reports_mention_like_comments,
    ideas_mention_when_they_are_made_and_only_newly_when_they_are_edited,
    tasks_mention_when_they_are_made_edited_and_approved,
    at_most_ten_are_mentioned_each_once_and_never_the_writer,
    who_is_gone_foreign_or_without_access_is_passed_over_without_a_word,
    a_reply_mentions_only_whom_it_names,
    a_refused_call_mentions_nobody,
);
