//! completion/complete.

use chorus_app::Narrowing;
use chorus_mcp::{Completion, Reference, RpcError};
use chorus_testkit::{Backend, World};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{super::stage::Stage, Shelves};
use crate::backends;

const TASKS: &str = "chorus://projects/{projectUuid}/tasks/{taskUuid}";

fn template(uri: &str) -> Reference {
    Reference::Resource { uri: uri.to_owned() }
}

fn prompt(name: &str) -> Reference {
    Reference::Prompt { name: name.to_owned() }
}

#[track_caller]
fn all(values: &[&str]) -> Completion {
    let total = Some(values.len() as u64);
    Completion { values: values.iter().map(|value| (*value).to_owned()).collect(), total, has_more: false }
}

async fn ids_are_completed_by_their_beginning_and_by_words_of_titles(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let task = async |title: &str| s.by(&s.pm).task_with(json!({ "title": title })).await;
    let (login, paint, log) = (task("Fix the login page").await, task("Paint it").await, task("登录 log").await);
    // A word of its text alone is none of its title.
    s.by(&s.pm).task_with(json!({ "title": "Else", "description": "about the login" })).await;
    let dev = shelves.visitor(&s.dev);
    let task_ids =
        async |written: &str| shelves.complete(&dev, prompt("start_work"), ("taskUuid", written), &[]).await.unwrap();
    assert_eq!(task_ids("login").await, all(&[&login]));
    assert_eq!(task_ids("  PAINT ").await, all(&[&paint]));
    let mut both = task_ids("lo").await.values;
    both.sort_unstable();
    let mut expected = vec![login.clone(), log.clone()];
    expected.sort_unstable();
    assert_eq!(both, expected);
    assert_eq!(task_ids("登录").await, all(&[&log]));
    assert_eq!(task_ids("zebra crossing").await, all(&[]));
    assert_eq!(task_ids("%").await, all(&[]));
    assert_eq!(task_ids("a\0b").await, all(&[]));
    assert_eq!(task_ids(&login).await, all(&[&login]));
    assert_eq!(task_ids(&login.to_uppercase()).await, all(&[&login]));
    assert_eq!(task_ids(&login[..35]).await, {
        let same: Vec<&str> =
            [&login, &paint, &log].into_iter().filter(|id| id[..35] == login[..35]).map(String::as_str).collect();
        all(&same)
    });
    // Nothing written: the latest first.
    let latest = task_ids("").await;
    assert_eq!((latest.values.len(), latest.total, latest.has_more), (4, Some(4), false));
    let mut falling = latest.values.clone();
    falling.sort_unstable_by(|one, other| other.cmp(one));
    assert_eq!(latest.values, falling);
}

async fn each_argument_is_completed_by_things_of_its_kind(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let made = s.by(&s.pm).approved().await;
    let admin = shelves.visitor(&s.admin);
    let check = async |reference: Reference, argument: &str, expected: &[&str]| {
        let found = shelves.complete(&admin, reference.clone(), (argument, ""), &[]).await.unwrap();
        let mut expected = expected.to_vec();
        expected.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(found, all(&expected), "{reference:?} {argument}");
    };
    let tasks: Vec<&str> = made.tasks.iter().map(String::as_str).collect();
    check(prompt("start_work"), "taskUuid", &tasks).await;
    check(prompt("verify_task"), "taskUuid", &tasks).await;
    check(prompt("plan_idea"), "ideaUuid", &[&made.idea]).await;
    check(prompt("review_proposal"), "proposalUuid", &[&made.proposal]).await;
    let project = s.project.to_string();
    let at = "chorus://projects/{projectUuid}";
    for (uri, variable, expected) in [
        (at.to_owned(), "projectUuid", vec![project.as_str()]),
        (format!("{at}/ideas/{{ideaUuid}}"), "ideaUuid", vec![&made.idea]),
        (format!("{at}/proposals/{{proposalUuid}}"), "proposalUuid", vec![&made.proposal]),
        (format!("{at}/documents/{{documentUuid}}"), "documentUuid", vec![&made.document]),
        (TASKS.to_owned(), "taskUuid", tasks),
        (TASKS.to_owned(), "projectUuid", vec![&project]),
    ] {
        check(template(&uri), variable, &expected).await;
    }
}

async fn what_is_known_already_narrows_what_is_suggested(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let other = s.world.project("Other", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let here = s.by(&s.pm).task_with(json!({ "title": "Same" })).await;
    let there = s.by(&s.pm).within(&other.to_string()).task_with(json!({ "title": "Same" })).await;
    let hidden = s.world.project("Hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    s.by(&s.admin).within(&hidden.to_string()).task_with(json!({ "title": "Same" })).await;
    let (project, other_id, hidden_id) = (s.project.to_string(), other.to_string(), hidden.to_string());
    for written in ["", "same"] {
        let dev = shelves.visitor(&s.dev);
        let within = async |project: &str| {
            let known = [("projectUuid", project)];
            shelves.complete(&dev, template(TASKS), ("taskUuid", written), &known).await.unwrap()
        };
        assert_eq!(within(&project).await, all(&[&here]));
        assert_eq!(within(&other_id).await, all(&[&there]));
        // Hidden, missing and no id: nothing is in there.
        for nowhere in [&hidden_id, &s.nothing(), &"x".to_owned()] {
            let found = within(nowhere).await;
            assert_eq!((found.values.len(), found.has_more), (0, false), "{nowhere}");
        }
        // Headers narrow like everywhere.
        let narrowed = shelves.narrowed(&s.dev, Narrowing::Projects(vec![other, hidden]));
        let found = shelves.complete(&narrowed, prompt("start_work"), ("taskUuid", written), &[]).await;
        assert_eq!(found.unwrap(), all(&[&there]));
        let nothing = shelves.narrowed(&s.dev, Narrowing::Projects(Vec::new()));
        let found = shelves.complete(&nothing, prompt("start_work"), ("taskUuid", written), &[]).await;
        assert_eq!(found.unwrap(), all(&[]));
    }
    // A project is not looked for inside itself.
    let known = [("projectUuid", project.as_str())];
    let found = shelves.complete(&shelves.visitor(&s.dev), template(TASKS), ("projectUuid", "other"), &known).await;
    assert_eq!(found.unwrap(), all(&[&other_id]));
}

async fn nothing_hidden_is_suggested(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let made = s.by(&s.pm).approved().await;
    let outsider = s.agent_of("outsider", None).await;
    let ownerless = s.world.new_caller("ownerless", None, &["admin_agent"], &[]).await;
    let abroad = World::new(s.world.services.clone()).await;
    let foreigner = abroad.new_caller("foreigner", Some(abroad.first_user), &["admin_agent"], &[]).await;
    let project = s.project.to_string();
    for who in [&outsider, &ownerless, &foreigner] {
        let visitor = shelves.visitor(who);
        for (reference, argument, id, title) in [
            (prompt("start_work"), "taskUuid", &made.tasks[0], "log"),
            (prompt("plan_idea"), "ideaUuid", &made.idea, "offline"),
            (prompt("review_proposal"), "proposalUuid", &made.proposal, "sync"),
            (template("chorus://projects/{projectUuid}"), "projectUuid", &project, "compiler"),
        ] {
            let known = [("projectUuid", project.as_str())];
            for (written, known) in
                [("", &[][..]), (id, &[]), (&id[..9], &[]), (title, &[]), ("", &known), (title, &known)]
            {
                let found = shelves.complete(&visitor, reference.clone(), (argument, written), known).await.unwrap();
                assert_eq!(found, all(&[]), "{argument} {written} as {}", who.name);
            }
        }
    }
}

async fn there_are_a_hundred_suggestions_at_most(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let task =
        |n: usize| json!({ "title": format!("Many {n}"), "acceptanceCriteriaItems": [{ "description": "It works" }] });
    s.by(&s.pm).tasks((0..100).map(task).collect::<Value>()).await;
    let dev = shelves.visitor(&s.dev);
    let ask =
        async |written: &str| shelves.complete(&dev, prompt("start_work"), ("taskUuid", written), &[]).await.unwrap();
    let found = ask("").await;
    assert_eq!((found.values.len(), found.total, found.has_more), (100, Some(100), false));
    s.by(&s.pm).task().await;
    let found = ask("").await;
    assert_eq!((found.values.len(), found.total, found.has_more), (100, None, true));
    let found = ask("many").await;
    assert_eq!((found.values.len(), found.total, found.has_more), (50, None, true));
}

async fn what_can_not_be_completed_is_refused(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let dev = shelves.visitor(&s.dev);
    for (reference, argument) in [
        (prompt("verify_task"), "taskUuid"),
        (prompt("nonsense"), "taskUuid"),
        (prompt("start_work"), "ideaUuid"),
        (prompt("start_work"), "projectUuid"),
        (prompt("start_work"), ""),
        (template(TASKS), "ideaUuid"),
        (template("chorus://context"), "projectUuid"),
        (template("chorus://projects/{x}"), "projectUuid"),
        (template(""), "taskUuid"),
    ] {
        let refused = shelves.complete(&dev, reference.clone(), (argument, ""), &[]).await.unwrap_err();
        assert_eq!(refused, RpcError::unknown_reference(), "{reference:?} {argument}");
    }
}

backends!(
    ids_are_completed_by_their_beginning_and_by_words_of_titles,
    each_argument_is_completed_by_things_of_its_kind,
    what_is_known_already_narrows_what_is_suggested,
    nothing_hidden_is_suggested,
    there_are_a_hundred_suggestions_at_most,
    what_can_not_be_completed_is_refused,
);
