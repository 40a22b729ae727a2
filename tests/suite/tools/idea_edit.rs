//! edit_idea.

use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    effects::{NOTHING, Watch},
    like::assert_like,
    maker::merge,
    stage::{Stage, text},
};
use crate::backends;

fn edit(idea: &str, more: Value) -> Value {
    let mut arguments = json!({ "ideaUuid": idea });
    merge(&mut arguments, more);
    arguments
}

async fn an_edit_changes_what_it_names(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.admin).idea_with(json!({ "title": "Old", "content": "Text" })).await;
    // Whoever may write ideas may edit them, held by others or not.
    let titled = s.ok(&s.pm, "edit_idea", edit(&idea, json!({ "title": "New" }))).await;
    let expected = json!({
        "uuid": idea, "title": "New", "status": "open", "parentUuid": null, "isContainer": false, "version": 2
    });
    assert_like(&titled, &expected);
    let read = async || s.ok(&s.dev, "get_idea", json!({ "ideaUuid": idea })).await;
    let found = read().await;
    assert_eq!((&found["title"], &found["content"], &found["version"]), (&json!("New"), &json!("Text"), &json!(2)));
    for (content, kept) in [("文", json!("文")), ("", Value::Null), (" \n", Value::Null)] {
        s.ok(&s.pm, "edit_idea", edit(&idea, json!({ "content": content }))).await;
        assert_eq!(read().await["content"], kept);
    }
    for flag in [true, false] {
        let flagged = s.ok(&s.pm, "edit_idea", edit(&idea, json!({ "isContainer": flag }))).await;
        assert_eq!((&flagged["isContainer"], &read().await["isContainer"]), (&json!(flag), &json!(flag)));
    }
    s.unknown(&s.dev, "edit_idea").await;
}

async fn an_edit_works_in_every_status_and_leaves_it(backend: Backend) {
    let s = Stage::new(backend).await;
    for (idea, status) in [
        (s.by(&s.pm).idea().await, "open"),
        (s.by(&s.pm).claimed().await, "elaborating"),
        (s.by(&s.pm).elaborated().await, "elaborated"),
    ] {
        let edited = s.ok(&s.admin, "edit_idea", edit(&idea, json!({ "title": "x", "isContainer": true }))).await;
        assert_eq!(edited["status"], status);
    }
}

async fn an_edit_that_names_nothing_is_refused_and_one_that_changes_nothing_is_not(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).idea_with(json!({ "title": "Same", "content": "Text" })).await;
    for nothing in [json!({}), json!({ "expectedVersion": 1 }), json!({ "title": null, "content": null })] {
        let refused = s.refused(&s.pm, "edit_idea", edit(&idea, nothing), "invalid_arguments").await;
        assert!(refused.text.contains("`title`, `content`, `parentUuid` or `isContainer`"), "{}", refused.text);
    }
    let mut watch = Watch::start(&s).await;
    let same = json!({ "title": "Same", "content": "Text", "parentUuid": null, "isContainer": false });
    for _ in 0..2 {
        assert_eq!(s.ok(&s.pm, "edit_idea", edit(&idea, same.clone())).await["version"], 1);
    }
    watch.expect(&[], json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING })).await;
}

async fn a_stale_version_is_refused_and_nothing_is_written(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).idea().await;
    s.ok(&s.pm, "edit_idea", edit(&idea, json!({ "title": "Two", "expectedVersion": 1 }))).await;
    let mut watch = Watch::start(&s).await;
    for stale in [1, 3] {
        let late = edit(&idea, json!({ "title": "Late", "content": "Late", "expectedVersion": stale }));
        let refused = s.refused(&s.admin, "edit_idea", late, "precondition_failed").await;
        assert_eq!(refused.details, json!({ "currentVersion": 2, "expectedVersion": stale }));
        assert!(refused.text.contains("chorus_get_idea"), "{}", refused.text);
    }
    watch.expect(&[], json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING })).await;
    let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": idea })).await;
    assert_eq!((&read["title"], &read["version"]), (&json!("Two"), &json!(2)));
    let wrong = edit(&idea, json!({ "title": "x", "expectedVersion": 0 }));
    assert_eq!(s.refused(&s.pm, "edit_idea", wrong, "invalid_arguments").await.fields(), ["expectedVersion"]);
}

async fn parents_are_set_changed_and_taken_away(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let (idea, one, two) = (pm.idea().await, pm.idea().await, pm.idea().await);
    for parent in [json!(one), json!(two), Value::Null] {
        let edited = s.ok(&s.pm, "edit_idea", edit(&idea, json!({ "parentUuid": parent }))).await;
        assert_eq!(edited["parentUuid"], parent);
        let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": idea })).await;
        assert_eq!(read["parentUuid"], parent);
        // What is left out stays.
        let titled = s.ok(&s.pm, "edit_idea", edit(&idea, json!({ "title": format!("under {parent}") }))).await;
        assert_eq!(titled["parentUuid"], parent);
    }
}

async fn a_parent_must_be_another_idea_of_the_project_and_not_below(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let root = pm.idea_with(json!({ "title": "Root" })).await;
    let under = |parent: &str| edit(&root, json!({ "parentUuid": parent }));
    let itself = s.refused(&s.pm, "edit_idea", under(&root), "invalid_arguments").await;
    assert_eq!(itself.fields(), ["parentUuid"]);
    assert!(itself.text.contains("the idea itself"), "{}", itself.text);

    let other = s.world.project("other", Visibility::Private, &[(s.pat, Role::Editor)]).await.to_string();
    let elsewhere = pm.within(&other).idea().await;
    let foreign = s.refused(&s.pm, "edit_idea", under(&elsewhere), "invalid_arguments").await;
    assert_eq!(foreign.fields(), ["parentUuid"]);
    assert!(foreign.text.contains("another project"), "{}", foreign.text);

    let hidden = s.world.project("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await.to_string();
    let unseen = s.by(&s.admin).within(&hidden).idea().await;
    let one = s.refused(&s.pm, "edit_idea", under(&unseen), "not_found").await;
    let other = s.refused(&s.pm, "edit_idea", under(&s.nothing()), "not_found").await;
    assert_eq!((one.text, one.details), (other.text, other.details));

    // A pair, and a long line of fifty.
    let mut line = vec![root.clone()];
    for depth in 1..50 {
        let parent = line.last().unwrap();
        line.push(pm.idea_with(json!({ "title": format!("Depth {depth}"), "parentUuid": parent })).await);
        if depth == 1 || depth == 49 {
            let refused = s.refused(&s.pm, "edit_idea", under(&line[depth]), "cycle").await;
            let path: Vec<String> =
                refused.details["path"].as_array().unwrap().iter().map(|step| text(&step["uuid"])).collect();
            let mut expected: Vec<String> = line.iter().rev().cloned().collect();
            expected.insert(0, root.clone());
            assert_eq!(path, expected);
            assert!(refused.text.contains("\"Root\""), "{}", refused.text);
        }
    }
    let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": root })).await;
    assert_eq!((&read["parentUuid"], &read["version"]), (&Value::Null, &json!(1)));
}

async fn what_edits_of_an_idea_leave(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let (idea, parent) = (pm.idea().await, pm.idea().await);
    let names = [(idea.as_str(), "I"), (parent.as_str(), "P")];
    let mut watch = Watch::start(&s).await;
    s.ok(&s.admin, "edit_idea", edit(&idea, json!({ "title": "a", "content": "b", "parentUuid": parent }))).await;
    let moved = json!({ "fromParentUuid": null, "toParentUuid": "P" });
    let expected = json!({
        "activities": [
            ["admin", "edited", "idea I", { "changedFields": ["title", "content"] }],
            ["admin", "reparented", "idea I", moved]
        ],
        "told": NOTHING, "events": ["idea I updated"]
    });
    watch.expect(&names, expected).await;
    // Only what really changed is told; a flag is not.
    s.ok(&s.admin, "edit_idea", edit(&idea, json!({ "title": "a", "content": "c", "parentUuid": parent }))).await;
    let expected = json!({
        "activities": [["admin", "edited", "idea I", { "changedFields": ["content"] }]],
        "told": NOTHING, "events": ["idea I updated"]
    });
    watch.expect(&names, expected).await;
    s.ok(&s.admin, "edit_idea", edit(&idea, json!({ "isContainer": true }))).await;
    watch.expect(&names, json!({ "activities": NOTHING, "told": NOTHING, "events": ["idea I updated"] })).await;
    s.ok(&s.admin, "edit_idea", edit(&idea, json!({ "parentUuid": null }))).await;
    let moved = json!({ "fromParentUuid": "P", "toParentUuid": null });
    let expected = json!({
        "activities": [["admin", "reparented", "idea I", moved]], "told": NOTHING, "events": ["idea I updated"]
    });
    watch.expect(&names, expected).await;
}

async fn a_viewer_does_not_edit(backend: Backend) {
    let s = Stage::new(backend).await;
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    let idea = s.by(&s.pm).idea().await;
    s.refused(&viewer, "edit_idea", edit(&idea, json!({ "title": "x" })), "forbidden").await;
    s.refused(&s.pm, "edit_idea", edit(&s.nothing(), json!({ "title": "x" })), "not_found").await;
}

backends!(
    an_edit_changes_what_it_names,
    an_edit_works_in_every_status_and_leaves_it,
    an_edit_that_names_nothing_is_refused_and_one_that_changes_nothing_is_not,
    a_stale_version_is_refused_and_nothing_is_written,
    parents_are_set_changed_and_taken_away,
    a_parent_must_be_another_idea_of_the_project_and_not_below,
    what_edits_of_an_idea_leave,
    a_viewer_does_not_edit,
);
