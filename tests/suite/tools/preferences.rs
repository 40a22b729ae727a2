//! Whom a change is told, by the table of the data model (§6): topic by topic, with the preference that turns it off;
//! what people set in the console; mentions that two agents keep sending each other.

use std::collections::{BTreeMap, BTreeSet};

use chorus_app::{Call, Context, Narrowing, notification, notify};
use chorus_domain::{
    Batch, Caller, Kind, Party, Subject, Via, Write,
    access::{Granted, authorise},
    notification::{Notice, Preference, Recipient, Topic, damping},
};
use chorus_ids::{Timestamp, UserId};
use chorus_permissions::PermissionSet;
use chorus_store::{Outcome, ReadState, Span};
use chorus_testkit::Backend;
use chorus_visibility::{Principal, Role};
use serde_json::{Value, json};

use super::{
    effects::agent,
    maker::questions,
    stage::{Stage, missing, rows, text, uuid},
};
use crate::backends;

/// Who can be told here, each with the user whose access counts.
fn everybody(s: &Stage) -> [(&'static str, Party, UserId); 6] {
    [
        ("pat", Party::User(s.pat), s.pat),
        ("dora", Party::User(s.dora), s.dora),
        ("ada", Party::User(s.ada), s.ada),
        ("pm", agent(&s.pm), s.pat),
        ("dev", agent(&s.dev), s.dora),
        ("admin", agent(&s.admin), s.ada),
    ]
}

/// Every way of this stage to tell somebody something, once. Who does what: `admin` writes an idea down, `pm` works it
/// out, `dev` does the task that comes of it, `admin` judges.
async fn everything_once(s: &Stage) {
    let idea = s.by(&s.admin).idea().await;
    let on = json!({ "ideaUuid": idea });
    s.ok(&s.pm, "claim_idea", on.clone()).await;
    let start = json!({ "ideaUuid": idea, "depth": "minimal", "questions": questions() });
    s.ok(&s.pm, "pm_start_elaboration", start).await;
    s.by(&s.dev).answered(&idea).await;
    s.ok(&s.admin, "pm_validate_elaboration", on).await;
    let proposal = s.by(&s.pm).proposal_from(&idea).await;
    s.by(&s.pm).fill(&proposal).await;
    let decide = json!({ "proposalUuid": proposal, "reviewNote": "So" });
    s.ok(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
    s.ok(&s.admin, "pm_reject_proposal", decide.clone()).await;
    s.ok(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
    let made = s.ok(&s.admin, "admin_approve_proposal", decide).await;
    let tasks: Vec<String> = rows(&made, "materializedTasks").iter().map(|task| text(&task["taskUuid"])).collect();
    let on = json!({ "taskUuid": tasks[0] });
    s.ok(&s.dev, "claim_task", on.clone()).await;
    s.ok(&s.dev, "update_task", json!({ "taskUuid": tasks[0], "status": "in_progress" })).await;
    s.ok(&s.dev, "submit_for_verify", on.clone()).await;
    s.ok(&s.admin, "admin_reopen_task", on.clone()).await;
    s.ok(&s.dev, "submit_for_verify", on).await;
    s.by(&s.admin).verify(&tasks[0]).await;
    s.by(&s.admin).comment("task", &tasks[0], "Well done").await;
    let report = json!({ "proposalUuid": proposal, "title": "Report", "content": "Done" });
    s.ok(&s.pm, "create_report", report).await;
    // The task that waits for one which is given up.
    let first = s.by(&s.pm).task().await;
    let waiting = s.by(&s.pm).task().await;
    s.by(&s.pm).after(&waiting, &[&first]).await;
    s.ok(&s.admin, "admin_close_task", json!({ "taskUuid": first })).await;
}

/// Who was told what by [`everything_once`], from the table: recipients without the actor.
const TOLD: [(&str, &[&str]); 15] = [
    ("comment_added", &["dev", "pm"]),
    ("dependency_closed", &["pm"]),
    ("elaboration_answered", &["admin", "pm"]),
    ("elaboration_requested", &["admin", "pat"]),
    ("elaboration_verified", &["pm"]),
    ("idea_claimed", &["admin"]),
    ("proposal_approved", &["pm"]),
    ("proposal_rejected", &["pm"]),
    ("proposal_submitted", &["ada", "pat"]),
    ("report_created", &["ada", "admin", "pat"]),
    ("task_reopened", &["dev"]),
    ("task_status_changed", &["pm"]),
    ("task_submitted_for_verify", &["dora", "pm"]),
    ("task_verified", &["dev"]),
    ("unblocked", &["pm"]),
];

/// The preference of each topic, by hand; nothing for what always arrives.
const PREFERENCES: [(&str, &str); 12] = [
    ("comment_added", "commentAdded"),
    ("elaboration_answered", "elaborationAnswered"),
    ("elaboration_requested", "elaborationRequested"),
    ("idea_claimed", "ideaClaimed"),
    ("mentioned", "mentioned"),
    ("proposal_approved", "proposalApproved"),
    ("proposal_rejected", "proposalRejected"),
    ("proposal_submitted", "proposalSubmitted"),
    ("task_reopened", "taskReopened"),
    ("task_status_changed", "taskStatusChanged"),
    ("task_submitted_for_verify", "taskVerified"),
    ("task_verified", "taskVerified"),
];

/// What is unread: by topic, who was told.
async fn told(s: &Stage) -> BTreeMap<String, BTreeSet<&'static str>> {
    let mut told: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    for (name, party, user) in everybody(s) {
        for one in s.unread(party, user).await {
            told.entry(one.topic.as_str().to_owned()).or_default().insert(name);
        }
    }
    told
}

fn expected(without: &[&str]) -> BTreeMap<String, BTreeSet<&'static str>> {
    let kept = TOLD.into_iter().filter(|(topic, _)| !without.contains(topic));
    kept.map(|(topic, who)| (topic.to_owned(), who.iter().copied().collect())).collect()
}

async fn each_topic_reaches_those_of_the_table(backend: Backend) {
    let s = Stage::new(backend).await;
    everything_once(&s).await;
    assert_eq!(told(&s).await, expected(&[]));
}

async fn each_preference_turns_off_its_topics_and_no_other(backend: Backend) {
    // In two halves, each of which leaves the topics of the other.
    let names: Vec<&str> = Preference::ALL.into_iter().map(Preference::as_str).collect();
    for half in [&names[..6], &names[6..]] {
        let s = Stage::new(backend).await;
        for (_, party, user) in everybody(&s) {
            let caller = person_or_agent(&s, party, user);
            let wanted = half.iter().map(|name| (Preference::parse(name).unwrap(), false)).collect();
            set(&s, &caller, wanted).await;
        }
        everything_once(&s).await;
        let off: Vec<&str> =
            PREFERENCES.into_iter().filter(|(_, name)| half.contains(name)).map(|(topic, _)| topic).collect();
        assert!(off.len() >= 5);
        assert_eq!(told(&s).await, expected(&off), "{half:?}");
    }
}

#[test]
fn each_topic_has_the_preference_of_the_table() {
    for topic in Topic::ALL {
        let by_hand = PREFERENCES.into_iter().find(|(name, _)| *name == topic.as_str()).map(|(_, name)| name);
        // No tool of these gives tasks to others.
        let by_hand = if topic == Topic::TaskAssigned { Some("taskAssigned") } else { by_hand };
        assert_eq!(topic.preference().map(Preference::as_str), by_hand, "{topic:?}");
    }
}

fn person_or_agent(s: &Stage, party: Party, user: UserId) -> Caller {
    Caller {
        subject: Subject::from(party),
        via: Via::Browser,
        company: s.world.company,
        name: "Somebody".into(),
        owner: Some(user),
        principal: Principal { company: s.world.company, user: Some(user), first_user: Some(s.world.first_user) },
        permissions: PermissionSet::EMPTY,
    }
}

/// A call that names nothing, as the console makes it.
fn call(s: &Stage, caller: &Caller, now: Timestamp) -> Call {
    let granted = authorise(&caller.principal, &[], &[]).unwrap();
    let ids = s.world.services.ids.clone();
    Call::new(caller.clone(), granted, Narrowing::Nothing, now, Context::default(), ids)
}

async fn keep<A>(s: &Stage, call: &Call, outcome: Outcome<A>) -> A {
    let mut tx = s.world.services.store.begin().await.unwrap();
    tx.apply(&call.granted, &outcome.batch, &[]).await.unwrap();
    tx.commit().await.unwrap();
    outcome.answer
}

async fn set(s: &Stage, caller: &Caller, wanted: notification::Preferences) -> notification::Preferences {
    let call = call(s, caller, s.world.now());
    let mut tx = s.world.services.store.begin().await.unwrap();
    let outcome = notification::set_preferences(&call, tx.as_mut(), wanted).await.unwrap();
    tx.rollback().await.unwrap();
    keep(s, &call, outcome).await
}

async fn preferences(s: &Stage, caller: &Caller) -> notification::Preferences {
    let mut reads = s.world.services.store.read().await.unwrap();
    notification::preferences(&call(s, caller, s.world.now()), reads.as_mut()).await.unwrap()
}

async fn preferences_are_set_as_far_as_they_are_named(backend: Backend) {
    let s = Stage::new(backend).await;
    let (pat, pm) = (person_or_agent(&s, Party::User(s.pat), s.pat), s.pm.clone());
    let all_on: notification::Preferences = Preference::ALL.into_iter().map(|one| (one, true)).collect();
    for who in [&pat, &pm] {
        assert_eq!(preferences(&s, who).await, all_on);
    }
    let (comments, mentions) = (Preference::CommentAdded, Preference::Mentioned);
    let mut expected = all_on.clone();
    expected.insert(comments, false);
    assert_eq!(set(&s, &pat, BTreeMap::from([(comments, false)])).await, expected);
    expected.insert(mentions, false);
    assert_eq!(set(&s, &pat, BTreeMap::from([(mentions, false)])).await, expected);
    assert_eq!(set(&s, &pat, BTreeMap::new()).await, expected);
    assert_eq!(preferences(&s, &pat).await, expected);
    assert_eq!(preferences(&s, &pm).await, all_on, "an agent's are its own");
    expected.insert(comments, true);
    assert_eq!(set(&s, &pat, BTreeMap::from([(comments, true)])).await, expected);

    // Two who set different things at once both have their way.
    let sets = Preference::ALL.map(|one| {
        let (store, call) = (s.world.services.store.clone(), call(&s, &pm, s.world.now()));
        tokio::spawn(async move {
            let mut tx = store.begin().await?;
            let outcome = notification::set_preferences(&call, tx.as_mut(), BTreeMap::from([(one, false)])).await?;
            tx.apply(&call.granted, &outcome.batch, &[]).await?;
            tx.commit().await
        })
    });
    for set in sets {
        set.await.unwrap().unwrap();
    }
    assert!(preferences(&s, &pm).await.values().all(|wanted| !wanted));
}

async fn what_is_put_away_is_gone_for_its_recipient_alone(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    s.by(&s.dev).comment("task", &task, "Why?").await;
    let id = s.unread(agent(&s.pm), s.pat).await[0].id;
    let archive = async |who: &Caller| {
        let call = call(&s, who, s.world.now());
        let mut tx = s.world.services.store.begin().await.unwrap();
        let outcome = notification::archive(&call, tx.as_mut(), id).await;
        tx.rollback().await.unwrap();
        match outcome {
            Ok(outcome) => {
                keep(&s, &call, outcome).await;
                true
            }
            Err(error) => {
                assert_eq!(missing(&error.to_string()), "Notification not found");
                false
            }
        }
    };
    assert!(!archive(&s.dev).await);
    assert!(!archive(&person_or_agent(&s, Party::User(s.pat), s.pat)).await);
    assert_eq!(s.unread(agent(&s.pm), s.pat).await.len(), 1);
    assert!(archive(&s.pm).await);
    assert!(archive(&s.pm).await, "a second time nothing changes");
    for status in ["unread", "read", "all"] {
        let listed = s.ok(&s.pm, "get_notifications", json!({ "status": status })).await;
        assert_eq!((&listed["total"], &listed["unreadCount"]), (&json!(0), &json!(0)), "{status}");
    }
    let span = Span { after: None, skip: 0, size: chorus_ids::PageSize::MAX };
    let call = call(&s, &s.pm, s.world.now());
    let mut reads = s.world.services.store.read().await.unwrap();
    let found = notification::list(&call, reads.as_mut(), ReadState::All, &span).await.unwrap();
    assert_eq!((found.page.total, found.unread), (0, 0));
}

/// `from` mentions `to` on a task at this moment.
async fn mention(s: &Stage, from: &Caller, to: Party, task: &str, at: Timestamp) {
    let call = call(s, from, at);
    let notice = Notice {
        to: vec![Recipient::Party(to)],
        topic: Topic::Mentioned,
        project: s.project,
        entity: Kind::Task,
        entity_id: uuid(task),
        entity_title: "Parse".into(),
        message: format!("{} mentioned you in \"Parse\"", from.name),
    };
    let mut tx = s.world.services.store.begin().await.unwrap();
    let addressed =
        notify::address(&call, tx.as_mut(), &Batch { notices: vec![notice], ..Batch::default() }).await.unwrap();
    tx.apply(&Granted::operator(), &Batch::default(), &addressed).await.unwrap();
    tx.commit().await.unwrap();
}

/// How many mentions of `who` are unread, and how many are kept as read.
async fn mentions_of(s: &Stage, who: &Caller) -> (Value, Value) {
    let count = async |status: &str| {
        s.ok(who, "get_notifications", json!({ "status": status, "autoMarkRead": false })).await["total"].clone()
    };
    (count("unread").await, count("read").await)
}

/// Report 23.
async fn fifty_mentions_in_turn_are_damped_and_told_to_one_person(backend: Backend) {
    let s = Stage::new(backend).await;
    let (task, other) = (s.by(&s.admin).task().await, s.by(&s.admin).task().await);
    let start = s.world.now().plus_micros(-3_600_000_000);
    let at = |seconds: i64| start.plus_micros(seconds * 1_000_000);
    for turn in 0..50 {
        let (from, to) = if turn % 2 == 0 { (&s.pm, &s.dev) } else { (&s.dev, &s.pm) };
        mention(&s, from, agent(to), &task, at(turn)).await;
    }
    let limit = i64::from(damping::LIMIT);
    let (told, held) = (json!(limit / 2), json!(25 - limit / 2));
    for who in [&s.pm, &s.dev] {
        assert_eq!(
            mentions_of(&s, who).await,
            (told.clone(), held.clone()),
            "{}: what is held back can be read",
            who.name
        );
    }
    // One person knows: the owner of the agent that was mentioned when it began to be too much.
    let alarm = s.unread(Party::User(s.dora), s.dora).await;
    assert_eq!(alarm.len(), 1);
    assert_eq!((alarm[0].topic, alarm[0].entity, alarm[0].count), (Topic::MentionsHeldBack, Kind::Task, 1));
    assert_eq!(alarm[0].message.split(". ").next(), Some("pm and dev keep mentioning each other on \"Parse\""));
    assert_eq!(
        (s.unread(Party::User(s.pat), s.pat).await, s.unread(Party::User(s.ada), s.ada).await),
        (vec![], vec![])
    );

    // Others, other things and people are not concerned.
    mention(&s, &s.pm, agent(&s.admin), &task, at(50)).await;
    mention(&s, &s.pm, agent(&s.dev), &other, at(50)).await;
    let pat = person_or_agent(&s, Party::User(s.pat), s.pat);
    for second in 50..60 {
        mention(&s, &pat, agent(&s.admin), &task, at(second)).await;
        mention(&s, &s.pm, Party::User(s.ada), &task, at(second)).await;
    }
    assert_eq!(mentions_of(&s, &s.admin).await, (json!(11), json!(0)));
    assert_eq!(s.unread(Party::User(s.ada), s.ada).await.len(), 10);
    assert_eq!(mentions_of(&s, &s.dev).await, (json!(limit / 2 + 1), held.clone()));

    // When the window has passed, they get through again.
    mention(&s, &s.dev, agent(&s.pm), &task, at(50 + damping::WINDOW_MICROS / 1_000_000)).await;
    assert_eq!(mentions_of(&s, &s.pm).await, (json!(limit / 2 + 1), held));
}

async fn without_an_owner_an_administrator_is_told(backend: Backend) {
    let s = Stage::new(backend).await;
    let place = s.world.project("open", chorus_visibility::Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let (a, b) =
        (s.world.new_caller("a", None, &[], &[]).await, s.world.new_caller("b", None, &["pm_agent"], &[]).await);
    let task = s.by(&b).within(&place.to_string()).task().await;
    let start = s.world.now();
    for turn in 0..9 {
        let (from, to) = if turn % 2 == 0 { (&a, &b) } else { (&b, &a) };
        let call = call(&s, from, start.plus_micros(turn));
        let notice = Notice {
            to: vec![Recipient::Party(agent(to))],
            topic: Topic::Mentioned,
            project: place,
            entity: Kind::Task,
            entity_id: uuid(&task),
            entity_title: "Parse".into(),
            message: format!("{} mentioned you", from.name),
        };
        let mut tx = s.world.services.store.begin().await.unwrap();
        let addressed =
            notify::address(&call, tx.as_mut(), &Batch { notices: vec![notice], ..Batch::default() }).await.unwrap();
        tx.apply(&Granted::operator(), &Batch::default(), &addressed).await.unwrap();
        tx.commit().await.unwrap();
    }
    let alarm = s.unread(Party::User(s.ada), s.ada).await;
    assert_eq!(alarm.iter().map(|one| one.topic).collect::<Vec<_>>(), [Topic::MentionsHeldBack]);
}

async fn who_turned_mentions_off_is_neither_told_nor_counted(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.admin).task().await;
    let silence = Write::SetPreferences(
        s.world.company,
        agent(&s.dev),
        BTreeMap::from([(Preference::Mentioned, false)]),
        s.world.now(),
    );
    s.world.write(vec![silence]).await;
    for second in 0..20 {
        mention(&s, &s.pm, agent(&s.dev), &task, s.world.now().plus_micros(second)).await;
    }
    assert_eq!(mentions_of(&s, &s.dev).await, (json!(0), json!(0)));
    assert_eq!(s.unread(Party::User(s.dora), s.dora).await, []);
}

backends!(
    each_topic_reaches_those_of_the_table,
    each_preference_turns_off_its_topics_and_no_other,
    preferences_are_set_as_far_as_they_are_named,
    what_is_put_away_is_gone_for_its_recipient_alone,
    fifty_mentions_in_turn_are_damped_and_told_to_one_person,
    without_an_owner_an_administrator_is_told,
    who_turned_mentions_off_is_neither_told_nor_counted,
);
