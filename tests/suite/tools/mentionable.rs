//! search_mentionables.

use chorus_testkit::{Backend, World};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    like::assert_like,
    maker::merge,
    stage::{Stage, rows, text},
};
use crate::backends;

fn named(found: &Value) -> Vec<String> {
    rows(found, "results").iter().map(|row| text(&row["name"])).collect()
}

fn query(query: &str, more: Value) -> Value {
    let mut arguments = json!({ "query": query });
    merge(&mut arguments, more);
    arguments
}

async fn own_agents_and_all_people_are_found(backend: Backend) {
    let s = Stage::new(backend).await;
    // Addresses hold the hexadecimal digits of an id, so names are looked for by other letters.
    let own = s.world.agent("Dorado", Some(s.dora), &[], &[]).await.id;
    s.world.agent("Dorothy", Some(s.pat), &[], &[]).await;
    let found = s.ok(&s.dev, "search_mentionables", query("DOR", json!({}))).await;
    let expected = json!({
        "results": [
            { "uuid": own, "name": "Dorado", "type": "agent", "online": false, "activeCount": 0 },
            { "uuid": s.dora, "name": "dora", "type": "user" }
        ],
        "returned": 2, "page": 1, "pageSize": 10, "total": 2
    });
    assert_like(&found, &expected);
    // Addresses count, and are not shown.
    let by_address = s.ok(&s.dev, "search_mentionables", query("PAT.", json!({}))).await;
    assert_eq!(by_address["results"], json!([{ "uuid": s.pat, "name": "pat", "type": "user" }]));
    let ownerless = s.world.new_caller("ownerless", None, &[], &[]).await;
    let found = s.ok(&ownerless, "search_mentionables", query("m", json!({}))).await;
    assert_eq!(named(&found)[..2], ["admin", "pm"]); // of anybody
    // Another company has nobody to mention.
    let abroad = World::new(s.world.services.clone()).await;
    let foreigner = abroad.new_caller("foreigner", Some(abroad.first_user), &[], &[]).await;
    assert_eq!(s.ok(&foreigner, "search_mentionables", query("dora", json!({}))).await["total"], 0);
}

async fn names_of_all_the_world_are_found_without_case(backend: Backend) {
    let s = Stage::new(backend).await;
    for name in ["ÉMILE", "李雷", "Ирина", "100%_sure"] {
        s.world.agent(name, Some(s.dora), &[], &[]).await;
    }
    for (piece, expected) in
        [("émi", "ÉMILE"), ("雷", "李雷"), ("ИРИ", "Ирина"), ("0%_S", "100%_sure"), (" %_ ", "100%_sure")]
    {
        assert_eq!(named(&s.ok(&s.dev, "search_mentionables", query(piece, json!({}))).await), [expected], "{piece}");
    }
    assert_eq!(s.ok(&s.dev, "search_mentionables", query("1_0", json!({}))).await["total"], 0);
}

async fn lists_are_as_short_as_asked_for(backend: Backend) {
    let s = Stage::new(backend).await;
    for number in 0..60 {
        s.world.agent(&format!("robot {number:02}"), Some(s.dora), &[], &[]).await;
    }
    let found = s.ok(&s.dev, "search_mentionables", query("robot", json!({ "limit": 3 }))).await;
    assert_eq!(named(&found), ["robot 00", "robot 01", "robot 02"]);
    assert_eq!((&found["pageSize"], &found["returned"], &found["total"]), (&json!(3), &json!(3), &json!(3)));
    assert_eq!(s.ok(&s.dev, "search_mentionables", query("robot", json!({}))).await["returned"], 10);
    let most = s.ok(&s.dev, "search_mentionables", query("robot", json!({ "limit": 100 }))).await;
    assert_eq!((&most["pageSize"], &most["returned"], &most["total"]), (&json!(100), &json!(50), &json!(50)));
    for wrong in [json!(0), json!(101), json!(-1), json!(2.5)] {
        let refused =
            s.refused(&s.dev, "search_mentionables", query("x", json!({ "limit": wrong })), "invalid_arguments").await;
        assert_eq!(refused.fields(), ["limit"]);
    }
    // Before anything is typed: the agents made last, nobody else.
    for empty in ["", "  "] {
        let found = s.ok(&s.dev, "search_mentionables", query(empty, json!({}))).await;
        assert_eq!(named(&found), ["robot 55", "robot 56", "robot 57", "robot 58", "robot 59"]);
    }
    let few = s.ok(&s.dev, "search_mentionables", query("", json!({ "limit": 2 }))).await;
    assert_eq!(named(&few), ["robot 58", "robot 59"]);
    let long = query(&"x".repeat(501), json!({}));
    assert_eq!(s.refused(&s.dev, "search_mentionables", long, "invalid_arguments").await.fields(), ["query"]);
    s.ok(&s.dev, "search_mentionables", query(&"x".repeat(500), json!({}))).await;
}

async fn with_an_entity_only_those_who_see_it_are_found(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let eve = s.world.user("eve").await;
    s.world.agent("eve's", Some(eve), &[], &[]).await;
    let targets =
        [("idea", &made.idea), ("proposal", &made.proposal), ("document", &made.document), ("task", &made.tasks[0])];
    for (kind, id) in targets {
        let context = json!({ "entityType": kind, "entityUuid": id, "limit": 50 });
        // `@` is in every address: everybody of the company would be found.
        let found = s.ok(&s.dev, "search_mentionables", query("@", context)).await;
        assert_eq!(named(&found), ["ada", "dora", "pat"]);
    }
    let everybody = s.ok(&s.dev, "search_mentionables", query("@", json!({}))).await;
    assert_eq!(named(&everybody), ["ada", "dora", "eve", "first", "pat"]);
    // Half a context is none.
    for half in [json!({ "entityType": "task" }), json!({ "entityUuid": made.tasks[0] })] {
        assert_eq!(s.ok(&s.dev, "search_mentionables", query("@", half)).await["results"], everybody["results"]);
    }
    let public = s.world.project("public", Visibility::Public, &[(s.ada, Role::Admin)]).await.to_string();
    let open = s.by(&s.pm).within(&public).idea().await;
    let context = json!({ "entityType": "idea", "entityUuid": open });
    assert_eq!(s.ok(&s.dev, "search_mentionables", query("@", context)).await["results"], everybody["results"]);
    // A viewer of the project is found, and so are the agents of one.
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    let context = json!({ "entityType": "task", "entityUuid": made.tasks[0] });
    assert_eq!(named(&s.ok(&viewer, "search_mentionables", query("view", context)).await), ["viewer", "viewer-owner"]);
}

async fn an_entity_that_is_hidden_or_none_is_not_found(backend: Backend) {
    let s = Stage::new(backend).await;
    let outsider = s.agent_of("outsider", None).await;
    let task = s.by(&s.pm).task().await;
    let at = |id: &str| query("a", json!({ "entityType": "task", "entityUuid": id }));
    let hidden = s.refused(&outsider, "search_mentionables", at(&task), "not_found").await;
    let missing = s.refused(&outsider, "search_mentionables", at(&s.nothing()), "not_found").await;
    assert_eq!((hidden.text, hidden.details), (missing.text, missing.details));
    for wrong in ["project", "user", ""] {
        let context = json!({ "entityType": wrong, "entityUuid": task });
        let refused = s.refused(&s.dev, "search_mentionables", query("a", context), "invalid_arguments").await;
        assert_eq!(refused.fields(), ["entityType"]);
    }
    assert_eq!(s.refused(&s.dev, "search_mentionables", at(""), "invalid_arguments").await.fields(), ["entityUuid"]);
}

backends!(
    own_agents_and_all_people_are_found,
    names_of_all_the_world_are_found_without_case,
    lists_are_as_short_as_asked_for,
    with_an_entity_only_those_who_see_it_are_found,
    an_entity_that_is_hidden_or_none_is_not_found,
);
