//! admin_update_project_group: texts, visibility in two steps, members.

use chorus_domain::Caller;
use chorus_ids::GroupId;
use chorus_testkit::{Backend, CallResult};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    like::assert_like,
    maker::merge,
    stage::{Stage, by_name, rows, text},
};
use crate::backends;

const UPDATE: &str = "admin_update_project_group";

/// A public group that Ada administers, with Pat as editor.
async fn public_group(s: &Stage) -> GroupId {
    s.world.group("Compilers", Visibility::Public, &[(s.ada, Role::Admin), (s.pat, Role::Editor)]).await
}

/// Arguments for this group.
fn of(group: GroupId, more: Value) -> Value {
    let mut arguments = json!({ "groupUuid": group });
    merge(&mut arguments, more);
    arguments
}

async fn preview(s: &Stage, who: &Caller, group: GroupId, visibility: &str) -> Value {
    s.ok(who, UPDATE, of(group, json!({ "visibility": visibility, "preview": true }))).await
}

async fn token(s: &Stage, who: &Caller, group: GroupId, visibility: &str) -> String {
    text(&preview(s, who, group, visibility).await["confirmationToken"])
}

async fn read(s: &Stage, group: GroupId) -> Value {
    s.ok(&s.admin, "get_project_group", json!({ "groupUuid": group, "includeMembers": true })).await
}

async fn texts_of_a_public_group_are_anybodys_and_of_a_private_one_its_administrators(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = public_group(&s).await;
    let planner = s.world.new_caller("dora's planner", Some(s.dora), &["pm_agent"], &[]).await;
    let renamed = s.ok(&planner, UPDATE, of(group, json!({ "name": "Linkers" }))).await;
    assert_like(
        &renamed,
        &json!({
            "uuid": group, "name": "Linkers", "description": "", "projectCount": 0, "visibility": "public",
            "accessLevel": "editor", "explicitRole": null, "canManage": true, "canCreateProject": true,
            "accessInitialized": true, "projects": [], "createdAt": "<time>", "updatedAt": "<time>"
        }),
    );
    let described = s.ok(&planner, UPDATE, of(group, json!({ "description": "Why" }))).await;
    assert_eq!((&described["name"], &described["description"]), (&json!("Linkers"), &json!("Why")));
    let seen = read(&s, group).await;
    assert_eq!((&seen["name"], &seen["description"]), (&json!("Linkers"), &json!("Why")));
    // Nothing to change is nothing changed.
    assert_eq!(s.ok(&planner, UPDATE, of(group, json!({}))).await, described);

    let members = [(s.ada, Role::Admin), (s.pat, Role::Editor)];
    let private = s.world.group("private", Visibility::Private, &members).await;
    let refused = s.refused(&s.pm, UPDATE, of(private, json!({ "name": "x" })), "forbidden").await;
    assert!(refused.text.contains("administrators"), "{}", refused.text);
    s.refused(&planner, UPDATE, of(private, json!({ "name": "x" })), "not_found").await;
    let child = s.world.project_in("child", Visibility::Private, Some(private), &[(s.dora, Role::Admin)]).await;
    s.refused(&planner, UPDATE, of(private, json!({ "name": "x" })), "forbidden").await;
    assert_eq!(s.ok(&s.admin, UPDATE, of(private, json!({ "name": "x" }))).await["projects"][0]["uuid"], json!(child));
    s.unknown(&s.dev, UPDATE).await;
}

async fn a_preview_tells_the_impact_and_changes_nothing(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = public_group(&s).await;
    let open = s.world.project_in("open", Visibility::Public, Some(group), &[]).await;
    let closed = s.world.project_in("closed", Visibility::Private, Some(group), &[(s.dora, Role::Viewer)]).await;
    let events = s.database.events().await;
    let mut seen = preview(&s, &s.admin, group, "private").await;
    let again = seen.clone();
    by_name(&mut seen["projects"]);
    by_name(&mut seen["projects"][1]["changes"]);
    let person = |user: chorus_ids::UserId, name: &str, before: &str| {
        json!({
            "userUuid": user, "name": name, "email": format!("{name}.{}@example.com", s.world.company),
            "beforeRole": before, "afterRole": "none"
        })
    };
    assert_like(
        &seen,
        &json!({
            "groupUuid": group, "fromVisibility": "public", "visibility": "private", "companyAccess": "closed",
            "projects": [
                {
                    "projectUuid": closed, "name": "closed", "fromVisibility": "private", "visibility": "private",
                    "companyAccess": "unchanged", "changes": []
                },
                {
                    "projectUuid": open, "name": "open", "fromVisibility": "public", "visibility": "private",
                    "companyAccess": "closed",
                    "changes": [person(s.dora, "dora", "editor"), person(s.world.first_user, "first", "editor")]
                }
            ],
            "summary": {
                "affectedUserCount": 2, "gainedAccessCount": 0, "lostAccessCount": 2, "increasedPermissionsCount": 0,
                "decreasedPermissionsCount": 0, "affectedProjectCount": 1
            },
            "released": { "tasks": 0, "ideas": 0, "checkins": 0 },
            "confirmationToken": "<text>"
        }),
    );
    let token = text(&seen["confirmationToken"]);
    assert!(token.len() == 64 && token.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)), "{token}");
    assert_eq!(read(&s, group).await["visibility"], "public");
    assert_eq!(s.database.events().await, events);
    assert_eq!(preview(&s, &s.admin, group, "private").await, again, "the same question has the same answer");
    // An administrator only, for the question too.
    s.refused(&s.pm, UPDATE, of(group, json!({ "visibility": "private", "preview": true })), "forbidden").await;
}

async fn a_confirmed_group_goes_private_with_its_projects_and_opens_alone(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = public_group(&s).await;
    let open = s.world.project_in("open", Visibility::Public, Some(group), &[]).await;
    let confirmed = json!({
        "visibility": "private", "name": "Closed", "confirmationToken": token(&s, &s.admin, group, "private").await
    });
    let changed = s.ok(&s.admin, UPDATE, of(group, confirmed)).await;
    assert_eq!(
        json!([changed["name"], changed["visibility"], changed["accessLevel"], changed["explicitRole"]]),
        json!(["Closed", "private", "admin", "admin"])
    );
    let project = json!({ "projectUuid": open });
    assert_eq!(s.ok(&s.pm, "get_project", project.clone()).await["visibility"], "private");
    s.refused(&s.dev, "get_project", project.clone(), "not_found").await;
    s.refused(&s.dev, "get_project_group", json!({ "groupUuid": group }), "not_found").await;

    let confirmed = json!({ "visibility": "public", "confirmationToken": token(&s, &s.admin, group, "public").await });
    assert_eq!(s.ok(&s.admin, UPDATE, of(group, confirmed)).await["visibility"], "public");
    s.refused(&s.dev, "get_project", project, "not_found").await;
    assert_eq!(s.ok(&s.dev, "get_project_group", json!({ "groupUuid": group })).await["projectCount"], 0);
}

/// Whatever a token was computed from: when it changes, the token no longer confirms, and nothing at all is applied.
async fn a_token_holds_exactly_as_long_as_what_it_was_computed_from(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = public_group(&s).await;
    let child = s.world.project_in("open", Visibility::Public, Some(group), &[]).await;
    let apply =
        |token: &str| of(group, json!({ "visibility": "private", "name": "Taken", "confirmationToken": token }));
    let stale = async |token: &str, why: &str| {
        let refused = s.refused(&s.admin, UPDATE, apply(token), "stale_confirmation").await;
        assert!(refused.text.contains("preview"), "{why}: {}", refused.text);
        let seen = read(&s, group).await;
        assert_eq!((&seen["visibility"], &seen["name"]), (&json!("public"), &json!("Compilers")), "{why}");
    };
    let fresh = async || token(&s, &s.admin, group, "private").await;

    let missing = of(group, json!({ "visibility": "private", "name": "Taken" }));
    s.refused(&s.admin, UPDATE, missing, "stale_confirmation").await;
    let same = of(group, json!({ "visibility": "public" }));
    s.refused(&s.admin, UPDATE, same, "stale_confirmation").await;
    let right = fresh().await;
    for wrong in ["", "x", &right[1..], &right.to_uppercase(), &"0".repeat(64), &format!("{right} ")] {
        stale(wrong, "malformed").await;
    }
    stale(&token(&s, &s.admin, group, "public").await, "of another change").await;
    let other = s.world.group("other", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    stale(&token(&s, &s.admin, other, "private").await, "of another group").await;
    let second = s.world.new_caller("ada's second", Some(s.ada), &["admin_agent"], &[]).await;
    stale(&token(&s, &second, group, "private").await, "of another agent of the same owner").await;

    let before = fresh().await;
    s.world.member(child, s.dora, Role::Viewer).await;
    stale(&before, "a member of a project").await;
    let before = fresh().await;
    s.ok(&s.admin, UPDATE, of(group, json!({ "memberAction": "add", "userUuid": s.dora, "role": "viewer" }))).await;
    stale(&before, "a member of the group").await;
    let before = fresh().await;
    s.world.project_in("late", Visibility::Public, Some(group), &[]).await;
    stale(&before, "another project").await;
    let before = fresh().await;
    s.world.user("newcomer").await;
    stale(&before, "a new user").await;

    // Names are no part of it.
    let right = fresh().await;
    s.ok(&s.pm, UPDATE, of(group, json!({ "name": "Renamed", "description": "x" }))).await;
    assert_eq!(s.ok(&s.admin, UPDATE, apply(&right)).await["name"], "Taken");
    let used = s.refused(&s.admin, UPDATE, apply(&right), "stale_confirmation").await;
    assert_eq!(used.details, Value::Null);
}

async fn a_visibility_that_is_the_same_is_confirmed_too_and_changes_nothing(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = public_group(&s).await;
    let confirmation = token(&s, &s.admin, group, "public").await;
    let events = s.database.events().await;
    let same = of(group, json!({ "visibility": "public", "confirmationToken": confirmation }));
    assert_eq!(s.ok(&s.admin, UPDATE, same.clone()).await["visibility"], "public");
    assert_eq!(s.database.events().await, events);
    assert_eq!(s.ok(&s.admin, UPDATE, same).await["visibility"], "public", "so the token still holds");
}

async fn of_two_that_confirm_at_once_one_changes_the_group(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = public_group(&s).await;
    s.world.project_in("open", Visibility::Public, Some(group), &[]).await;
    let confirmed =
        of(group, json!({ "visibility": "private", "confirmationToken": token(&s, &s.admin, group, "private").await }));
    let (one, other) =
        tokio::join!(s.call(&s.admin, UPDATE, confirmed.clone()), s.call(&s.admin, UPDATE, confirmed.clone()));
    let mut codes = [one, other].map(|result| match result {
        CallResult::Answer(_) => "done".to_owned(),
        refused => refused.code().to_owned(),
    });
    codes.sort();
    assert_eq!(codes, ["done", "stale_confirmation"]);
}

async fn parts_that_do_not_go_together_are_all_named(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = public_group(&s).await;
    let user = s.dora;
    for (arguments, fields) in [
        (json!({ "memberAction": "add", "userUuid": user }), vec!["role"]),
        (json!({ "memberAction": "update", "role": "viewer" }), vec!["userUuid"]),
        (json!({ "memberAction": "remove" }), vec!["userUuid"]),
        (json!({ "memberAction": "remove", "userUuid": user, "role": "viewer" }), vec!["role"]),
        (
            json!({ "memberAction": "add", "userUuid": user, "role": "viewer", "name": "x", "description": "x",
                    "visibility": "private", "preview": true, "confirmationToken": "x" }),
            vec!["name", "description", "visibility", "preview", "confirmationToken"],
        ),
        (json!({ "userUuid": user }), vec!["userUuid"]),
        (json!({ "role": "viewer", "name": "x" }), vec!["role"]),
        (json!({ "preview": true }), vec!["preview"]),
        (
            json!({ "preview": true, "visibility": "private", "name": "x", "description": "x" }),
            vec!["name", "description"],
        ),
        (json!({ "preview": true, "visibility": "private", "confirmationToken": "x" }), vec!["preview"]),
        (json!({ "confirmationToken": "x", "name": "x" }), vec!["confirmationToken"]),
        (json!({ "memberAction": "promote", "userUuid": user, "role": "owner" }), vec!["memberAction", "role"]),
        (json!({ "visibility": "secret" }), vec!["visibility"]),
        // Passing these over would do what the caller did not mean.
        (json!({ "name": "x", "Preview": true }), vec!["Preview"]),
        (json!({ "name": "x", "prevew": true }), vec!["prevew"]),
        (json!({ "visibility": "private", "confirmation_token": "x" }), vec!["confirmation_token"]),
        (json!({ "visibility": "private", "confirmToken": "x" }), vec!["confirmToken"]),
    ] {
        let refused = s.call(&s.admin, UPDATE, of(group, arguments.clone())).await;
        if arguments.get("confirmToken").is_some() {
            // Too far from the name to be taken for it; but without a token nothing is applied either.
            assert_eq!(refused.code(), "stale_confirmation");
            continue;
        }
        assert_eq!(refused.code(), "invalid_arguments", "{arguments}");
        let problems = refused.details()["problems"].as_array().unwrap().clone();
        let named: Vec<String> = problems.iter().map(|problem| text(&problem["field"])).collect();
        assert_eq!(named, fields, "{arguments}");
    }
    let seen = read(&s, group).await;
    assert_eq!((&seen["name"], rows(&seen, "members").len()), (&json!("Compilers"), 2));
}

async fn members_come_change_and_go_at_once(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = s.world.group("Compilers", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let child = s.world.project_in("child", Visibility::Private, Some(group), &[]).await;
    let project = json!({ "projectUuid": child });
    let member = |action: &str, role: Option<&str>| {
        of(group, json!({ "memberAction": action, "userUuid": s.dora, "role": role }))
    };
    s.refused(&s.dev, "get_project", project.clone(), "not_found").await;
    let added = s.ok(&s.admin, UPDATE, member("add", Some("viewer"))).await;
    let row = |role: &str| {
        json!({
            "groupUuid": group, "userUuid": s.dora, "name": "dora",
            "email": format!("dora.{}@example.com", s.world.company), "role": role, "createdAt": "<time>"
        })
    };
    assert_like(&added, &row("viewer"));
    assert_eq!(s.ok(&s.dev, "get_project", project.clone()).await["accessLevel"], "viewer");
    let refused = s.refused(&s.admin, UPDATE, member("add", Some("editor")), "already_member").await;
    assert!(refused.text.contains("`update`"), "{}", refused.text);
    let changed = s.ok(&s.admin, UPDATE, member("update", Some("editor"))).await;
    assert_like(&changed, &row("editor"));
    assert_eq!(changed["createdAt"], added["createdAt"]);
    assert_eq!(s.ok(&s.dev, "get_project", project.clone()).await["accessLevel"], "editor");
    let events = s.database.events().await;
    assert_eq!(s.ok(&s.admin, UPDATE, member("update", Some("editor"))).await, changed, "the same role is fine");
    assert_eq!(s.database.events().await, events);
    let removed = s.ok(&s.admin, UPDATE, member("remove", None)).await;
    assert_eq!(removed, json!({ "removed": true }));
    s.refused(&s.dev, "get_project", project, "not_found").await;
    for (action, role) in [("remove", None), ("update", Some("viewer"))] {
        let refused = s.refused(&s.admin, UPDATE, member(action, role), "not_found").await;
        assert!(refused.text.contains("`add`"), "{}", refused.text);
    }
    let stranger = of(group, json!({ "memberAction": "add", "userUuid": s.world.id::<GroupId>(), "role": "viewer" }));
    assert_eq!(s.refused(&s.admin, UPDATE, stranger, "not_found").await.text, "User not found");
}

async fn a_group_keeps_an_administrator(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = public_group(&s).await;
    let ada = |action: &str, role: Option<&str>| {
        of(group, json!({ "memberAction": action, "userUuid": s.ada, "role": role }))
    };
    for (action, role) in [("remove", None), ("update", Some("editor")), ("update", Some("viewer"))] {
        let refused = s.refused(&s.admin, UPDATE, ada(action, role), "last_admin").await;
        assert!(refused.text.contains("first"), "{}", refused.text);
    }
    let second = of(group, json!({ "memberAction": "update", "userUuid": s.pat, "role": "admin" }));
    s.ok(&s.admin, UPDATE, second).await;
    s.ok(&s.admin, UPDATE, ada("remove", None)).await;
    s.refused(&s.admin, UPDATE, of(group, json!({ "memberAction": "remove", "userUuid": s.pat })), "forbidden").await;

    // The company's first user stands in where there is none, and can't be less than that.
    let bare = s.world.group("bare", Visibility::Private, &[]).await;
    let first = s.world.new_caller("first's agent", Some(s.world.first_user), &["admin_agent"], &[]).await;
    let add = |user, role: &str| of(bare, json!({ "memberAction": "add", "userUuid": user, "role": role }));
    s.refused(&first, UPDATE, add(s.world.first_user, "editor"), "last_admin").await;
    s.ok(&first, UPDATE, add(s.ada, "admin")).await;
    s.refused(&first, UPDATE, add(s.pat, "viewer"), "not_found").await;
}

async fn access_of_a_group_is_for_its_administrators_to_change(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = public_group(&s).await;
    let ownerless = s.world.new_caller("ownerless", None, &["admin_agent"], &[]).await;
    for change in [
        json!({ "visibility": "private", "preview": true }),
        json!({ "visibility": "private", "confirmationToken": "0".repeat(64) }),
        json!({ "memberAction": "add", "userUuid": s.dora, "role": "viewer" }),
        json!({ "memberAction": "remove", "userUuid": s.pat }),
    ] {
        for who in [&s.pm, &ownerless] {
            let refused = s.refused(who, UPDATE, of(group, change.clone()), "forbidden").await;
            assert_eq!(refused.details, Value::Null);
        }
    }
}

/// Twelve hundred people lose access to a project: the answer is cut, its counts are not.
async fn an_impact_on_many_stays_a_small_answer(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = public_group(&s).await;
    s.world.project_in("open", Visibility::Public, Some(group), &[]).await;
    let now = s.world.now();
    let users = (0..1_200).map(|n| {
        chorus_domain::Write::NewUser(chorus_domain::identity::User {
            id: s.world.id(),
            company: s.world.company,
            email: Some(format!("{n}@example.invalid")),
            name: Some("界".repeat(500)),
            password_hash: None,
            suspended_at: None,
            created_at: now,
        })
    });
    s.world.write(users.collect()).await;
    let seen = preview(&s, &s.admin, group, "private").await;
    assert!(seen.to_string().len() <= 65_536);
    assert_eq!(seen["summary"]["lostAccessCount"], 1_202);
    let shown = seen["projects"][0]["changes"].as_array().unwrap().len();
    assert!((20..1_202).contains(&shown), "{shown}");
}

backends!(
    texts_of_a_public_group_are_anybodys_and_of_a_private_one_its_administrators,
    a_preview_tells_the_impact_and_changes_nothing,
    a_confirmed_group_goes_private_with_its_projects_and_opens_alone,
    a_token_holds_exactly_as_long_as_what_it_was_computed_from,
    a_visibility_that_is_the_same_is_confirmed_too_and_changes_nothing,
    of_two_that_confirm_at_once_one_changes_the_group,
    parts_that_do_not_go_together_are_all_named,
    members_come_change_and_go_at_once,
    a_group_keeps_an_administrator,
    access_of_a_group_is_for_its_administrators_to_change,
    an_impact_on_many_stays_a_small_answer,
);
