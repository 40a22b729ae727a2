//! admin_move_project_to_group: into a group, out of one, between two.

use chorus_domain::Caller;
use chorus_ids::{GroupId, ProjectId};
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    like::assert_like,
    maker::merge,
    stage::{Stage, by_name, text},
};
use crate::backends;

const MOVE: &str = "admin_move_project_to_group";

fn to(project: ProjectId, group: Option<GroupId>, more: Value) -> Value {
    let mut arguments = json!({ "projectUuid": project, "groupUuid": group });
    merge(&mut arguments, more);
    arguments
}

async fn preview(s: &Stage, who: &Caller, project: ProjectId, group: Option<GroupId>) -> Value {
    s.ok(who, MOVE, to(project, group, json!({ "preview": true }))).await
}

/// Previews and moves.
async fn confirmed(s: &Stage, who: &Caller, project: ProjectId, group: Option<GroupId>) -> Value {
    let token = preview(s, who, project, group).await["confirmationToken"].clone();
    s.ok(who, MOVE, to(project, group, json!({ "confirmationToken": token }))).await
}

async fn a_project_that_enters_a_private_group_becomes_private(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = s.world.group("Closed", Visibility::Private, &[(s.ada, Role::Admin), (s.pat, Role::Viewer)]).await;
    let project = s.world.project("Linker", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let events = s.database.events().await;
    let mut seen = preview(&s, &s.admin, project, Some(group)).await;
    by_name(&mut seen["changes"]);
    let change = |user: chorus_ids::UserId, name: &str, after: &str| {
        json!({
            "userUuid": user, "name": name, "email": format!("{name}.{}@example.com", s.world.company),
            "beforeRole": "editor", "afterRole": after
        })
    };
    assert_like(
        &seen,
        &json!({
            "projectUuid": project, "name": "Linker", "sourceGroupUuid": null, "groupUuid": group,
            "fromVisibility": "public", "visibility": "private", "companyAccess": "closed",
            "changes": [
                change(s.dora, "dora", "none"), change(s.world.first_user, "first", "none"), change(s.pat, "pat", "viewer")
            ],
            "summary": {
                "affectedUserCount": 3, "gainedAccessCount": 0, "lostAccessCount": 2, "increasedPermissionsCount": 0,
                "decreasedPermissionsCount": 1, "affectedProjectCount": 1
            },
            "released": { "tasks": 0, "ideas": 0, "checkins": 0 },
            "requiresConfirmation": true, "confirmationToken": "<text>"
        }),
    );
    assert_eq!(s.database.events().await, events, "nothing was written");
    s.refused(&s.admin, MOVE, to(project, Some(group), json!({})), "stale_confirmation").await;
    let token = json!({ "confirmationToken": seen["confirmationToken"] });
    let moved = s.ok(&s.admin, MOVE, to(project, Some(group), token.clone())).await;
    assert_eq!(moved, json!({ "uuid": project, "name": "Linker", "groupUuid": group, "visibility": "private" }));
    let read = s.ok(&s.pm, "get_project", json!({ "projectUuid": project })).await;
    assert_eq!((&read["accessLevel"], &read["groupUuid"]), (&json!("viewer"), &json!(group)));
    s.refused(&s.dev, "get_project", json!({ "projectUuid": project }), "not_found").await;
    // It is there: the token is of a move that no longer is one.
    s.refused(&s.admin, MOVE, to(project, Some(group), token), "stale_confirmation").await;
    let still = s.ok(&s.admin, MOVE, to(project, Some(group), json!({}))).await;
    assert_eq!(still, moved, "moving to where it is changes nothing and needs no token");
}

async fn a_project_that_leaves_takes_along_what_people_had_from_the_group(backend: Backend) {
    let s = Stage::new(backend).await;
    let members = [(s.ada, Role::Admin), (s.pat, Role::Editor), (s.dora, Role::Viewer)];
    let group = s.world.group("Closed", Visibility::Private, &members).await;
    let project = s.world.project_in("Linker", Visibility::Private, Some(group), &[(s.dora, Role::Editor)]).await;
    let seen = preview(&s, &s.admin, project, None).await;
    assert_eq!(
        json!([seen["sourceGroupUuid"], seen["groupUuid"], seen["changes"], seen["requiresConfirmation"]]),
        json!([group, null, [], true])
    );
    let moved = confirmed(&s, &s.admin, project, None).await;
    assert_eq!((&moved["groupUuid"], &moved["visibility"]), (&json!(null), &json!("private")));
    for (who, level) in [(&s.admin, "admin"), (&s.pm, "editor"), (&s.dev, "editor")] {
        let read = s.ok(who, "get_project", json!({ "projectUuid": project })).await;
        assert_eq!(read["accessLevel"], level, "{}", who.name);
    }
}

async fn a_move_that_changes_nobodys_access_needs_no_token(backend: Backend) {
    let s = Stage::new(backend).await;
    let one = s.world.group("one", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let two = s.world.group("two", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let project = s.world.project_in("Linker", Visibility::Public, Some(one), &[(s.pat, Role::Admin)]).await;
    let planner = s.world.new_caller("dora's planner", Some(s.dora), &["pm_agent"], &[]).await;
    let seen = preview(&s, &planner, project, Some(two)).await;
    assert_eq!((&seen["requiresConfirmation"], &seen["changes"]), (&json!(false), &json!([])));
    // A token that comes all the same has to be right.
    let wrong = json!({ "confirmationToken": "0".repeat(64) });
    s.refused(&planner, MOVE, to(project, Some(two), wrong), "stale_confirmation").await;
    let moved = s.ok(&planner, MOVE, to(project, Some(two), json!({}))).await;
    assert_eq!(moved["groupUuid"], json!(two));
    let back =
        json!({ "confirmationToken": text(&preview(&s, &planner, project, Some(one)).await["confirmationToken"]) });
    assert_eq!(s.ok(&planner, MOVE, to(project, Some(one), back)).await["groupUuid"], json!(one));
}

async fn names_are_for_administrators_of_the_project(backend: Backend) {
    let s = Stage::new(backend).await;
    let one = s.world.group("one", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let two = s.world.group("two", Visibility::Public, &[(s.pat, Role::Admin)]).await;
    let project = s.world.project_in("Linker", Visibility::Public, Some(one), &[(s.dora, Role::Admin)]).await;
    // Ada loses what she has from the group, and Pat gains: it takes an administrator of the project.
    let planner = s.world.new_caller("dora's planner", Some(s.dora), &["pm_agent"], &[]).await;
    let seen = preview(&s, &planner, project, Some(two)).await;
    assert_eq!(seen["requiresConfirmation"], true);
    let lines = seen["changes"].as_array().unwrap();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| line["name"].is_string() && line["email"].is_string()));
    // Without the gain, an editor may do it, and learns nobody's name.
    let three = s.world.group("three", Visibility::Public, &[(s.dora, Role::Admin)]).await;
    let seen = preview(&s, &s.pm, project, Some(three)).await;
    let lines = seen["changes"].as_array().unwrap();
    assert_eq!(lines, &[json!({ "userUuid": s.ada, "beforeRole": "admin", "afterRole": "editor" })]);
    s.refused(&s.pm, MOVE, to(project, Some(two), json!({ "preview": true })), "forbidden").await;
}

async fn a_private_boundary_takes_administrators_on_both_sides(backend: Backend) {
    let s = Stage::new(backend).await;
    let ours = s.world.group("ours", Visibility::Private, &[(s.ada, Role::Admin), (s.pat, Role::Editor)]).await;
    let theirs = s.world.group("theirs", Visibility::Private, &[(s.dora, Role::Admin), (s.ada, Role::Editor)]).await;
    let open = s.world.group("open", Visibility::Public, &[(s.dora, Role::Admin)]).await;
    let hidden = s.world.group("hidden", Visibility::Private, &[(s.dora, Role::Admin)]).await;
    let inside = s.world.project_in("inside", Visibility::Private, Some(ours), &[(s.pat, Role::Admin)]).await;
    let free = s.world.project("free", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let ask = json!({ "preview": true });
    for (who, project, target, code) in [
        // Administrator of the project alone: not of the group it is in.
        (&s.pm, inside, None, "forbidden"),
        // Of the source, but only editor in the target.
        (&s.admin, inside, Some(theirs), "forbidden"),
        (&s.admin, inside, Some(open), "forbidden"),
        (&s.admin, inside, Some(hidden), "not_found"),
        (&s.admin, inside, Some(s.world.id()), "not_found"),
        // Into a private group as its editor.
        (&s.pm, free, Some(ours), "forbidden"),
    ] {
        let refused = s.refused(who, MOVE, to(project, target, ask.clone()), code).await;
        if code == "not_found" {
            assert_eq!(refused.text, "Project group not found");
        } else {
            assert!(refused.text.contains("administrator"), "{}", refused.text);
        }
    }
    // The level in the project itself comes first.
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    s.refused(&viewer, MOVE, to(s.project, None, json!({})), "forbidden").await;
    s.refused(&s.pm, MOVE, to(s.project, None, json!({})), "forbidden").await;
    let outsider = s.agent_of("outsider", None).await;
    let refused = s.refused(&outsider, MOVE, to(s.project, None, json!({})), "not_found").await;
    assert_eq!(refused.text, "Project not found");
    s.unknown(&s.dev, MOVE).await;
}

async fn a_token_of_a_move_goes_stale_with_what_it_was_computed_from(backend: Backend) {
    let s = Stage::new(backend).await;
    let source = s.world.group("source", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let target = s.world.group("target", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let project = s.world.project_in("Linker", Visibility::Private, Some(source), &[]).await;
    let fresh = async || text(&preview(&s, &s.admin, project, Some(target)).await["confirmationToken"]);
    let stale = async |token: String| {
        let arguments = to(project, Some(target), json!({ "confirmationToken": token }));
        s.refused(&s.admin, MOVE, arguments, "stale_confirmation").await;
    };
    for group in [source, target] {
        let before = fresh().await;
        let member = json!({ "groupUuid": group, "memberAction": "add", "userUuid": s.dora, "role": "viewer" });
        s.ok(&s.admin, "admin_update_project_group", member).await;
        stale(before).await;
    }
    let before = fresh().await;
    s.world.member(project, s.pat, Role::Editor).await;
    stale(before).await;
    let before = fresh().await;
    s.world.user("newcomer").await;
    stale(before).await;
    let second = s.world.new_caller("ada's second", Some(s.ada), &["admin_agent"], &[]).await;
    stale(text(&preview(&s, &second, project, Some(target)).await["confirmationToken"])).await;
    stale(text(&preview(&s, &s.admin, project, None).await["confirmationToken"])).await;
    // It went elsewhere meanwhile.
    let before = fresh().await;
    confirmed(&s, &s.admin, project, None).await;
    stale(before).await;
    assert_eq!(confirmed(&s, &s.admin, project, Some(target)).await["groupUuid"], json!(target));
}

async fn the_group_has_to_be_said_and_null_is_one_way_to_say_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let left_out = json!({ "projectUuid": s.project });
    let refused = s.refused(&s.admin, MOVE, left_out, "invalid_arguments").await;
    assert_eq!(refused.fields(), ["groupUuid"]);
    assert!(refused.text.contains("null"), "{}", refused.text);
    let both = to(s.project, None, json!({ "preview": true, "confirmationToken": "x" }));
    assert_eq!(s.refused(&s.admin, MOVE, both, "invalid_arguments").await.fields(), ["preview"]);
    let misspelt = to(s.project, None, json!({ "previw": true }));
    assert_eq!(s.refused(&s.admin, MOVE, misspelt, "invalid_arguments").await.fields(), ["previw"]);
    // It is in no group: nothing changes.
    let still = s.ok(&s.admin, MOVE, to(s.project, None, json!({}))).await;
    assert_eq!(still["groupUuid"], json!(null));
}

backends!(
    a_project_that_enters_a_private_group_becomes_private,
    a_project_that_leaves_takes_along_what_people_had_from_the_group,
    a_move_that_changes_nobodys_access_needs_no_token,
    names_are_for_administrators_of_the_project,
    a_private_boundary_takes_administrators_on_both_sides,
    a_token_of_a_move_goes_stale_with_what_it_was_computed_from,
    the_group_has_to_be_said_and_null_is_one_way_to_say_it,
);
