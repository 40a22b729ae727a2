//! `chorus project`: the operator's commands about projects and who has access to them.

use chorus_testkit::{Backend, Database, Ran, Tools, World, chorus, run};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use crate::backends;

/// A workspace with people, and the commands on it.
struct Desk {
    database: Database,
    world: World,
}

impl Desk {
    async fn new(backend: Backend) -> Self {
        let database = Database::fresh(backend).await;
        let world = World::new(database.services().await).await;
        Self { database, world }
    }

    /// Runs `chorus project …`.
    async fn run(&self, arguments: &[&str]) -> Ran {
        run(chorus().arg("project").args(arguments).args(["--database-url", self.database.url()])).await
    }

    /// The same, and what it says for programs.
    async fn json(&self, arguments: &[&str]) -> Value {
        self.run(&[arguments, &["--json"]].concat()).await.json()
    }

    /// The address of somebody of the world.
    fn address(&self, name: &str) -> String {
        format!("{name}.{}@example.com", self.world.company)
    }

    /// What an agent of this person reads of a project: its level, or nothing.
    async fn level(&self, user: chorus_ids::UserId, project: &str) -> Option<String> {
        let tools = Tools::new(self.world.services.clone());
        let caller = self.world.new_caller("reader", Some(user), &[], &[]).await;
        match tools.call(&caller, "chorus_get_project", json!({ "projectUuid": project })).await {
            chorus_testkit::CallResult::Answer(read) => Some(text(&read["accessLevel"]).to_owned()),
            _ => None,
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

async fn projects_are_made_listed_and_renamed(backend: Backend) {
    let desk = Desk::new(backend).await;
    let ada = desk.world.user("ada").await;
    let made = desk.json(&["create", "--name", "Open 项目"]).await;
    assert_eq!(
        json!([made["name"], made["description"], made["visibility"], made["groupUuid"]]),
        json!(["Open 项目", null, "public", null])
    );
    let remark = desk.run(&["create", "--name", "Nobody's"]).await;
    assert!(remark.err.contains("--admin") && remark.err.contains("member add"), "{remark:?}");
    let address = desk.address("ADA");
    let private = ["create", "--name", "Closed", "--description", "Why", "--visibility", "private"];
    let line = desk.run(&private).await.failed(2);
    assert!(line.contains("--admin"), "{line}");
    let ran = desk.run(&[&private[..], &["--admin", &address, "--json"]].concat()).await;
    assert_eq!(ran.err, "", "nothing to remark");
    let closed = ran.json();
    let id = text(&closed["projectUuid"]).to_owned();
    assert_eq!(desk.level(ada, &id).await.as_deref(), Some("admin"));
    assert_eq!(desk.level(desk.world.first_user, &id).await, None);

    let listed = desk.json(&["list"]).await;
    let names: Vec<&str> = listed["projects"].as_array().unwrap().iter().map(|row| text(&row["name"])).collect();
    assert_eq!(names, ["Open 项目", "Nobody's", "Closed"]);
    let table = desk.run(&["list"]).await.ok();
    assert!(table.starts_with("UUID") && table.contains("Closed") && table.contains("private"), "{table}");

    let renamed = desk.json(&["rename", "--project", "Closed", "--name", "Locked"]).await;
    assert_eq!((&renamed["name"], &renamed["description"]), (&json!("Locked"), &json!("Why")));
    let renamed = desk.json(&["rename", "--project", &id, "--description", ""]).await;
    assert_eq!((&renamed["name"], &renamed["description"]), (&json!("Locked"), &json!(null)));
    assert!(desk.run(&["rename", "--project", &id, "--name", "Shut"]).await.ok().contains("Shut"));

    desk.json(&["create", "--name", "Shut"]).await;
    for (arguments, code, words) in [
        (&["rename", "--project", "Shut", "--name", "x"][..], 2, id.as_str()),
        (&["rename", "--project", "No such", "--name", "x"], 1, "chorus project list"),
        (&["rename", "--project", &id, "--name", " "], 2, "name"),
        (&["create", "--name", " "], 2, "name"),
        (
            &["create", "--name", "x", "--visibility", "private", "--admin", "nobody@example.com"],
            1,
            "chorus user create",
        ),
    ] {
        let line = desk.run(arguments).await.failed(code);
        assert!(line.contains(words), "{arguments:?}: {line}");
    }
    assert_eq!(desk.run(&["rename", "--project", &id]).await.code, Some(2));
    let acts: Vec<String> = desk.database.audit().await;
    let count = |what: &str| acts.iter().filter(|line| **line == format!("operator command_line {what}")).count();
    assert_eq!((count("project create"), count("project rename")), (4, 3));
}

async fn members_come_change_and_go(backend: Backend) {
    let desk = Desk::new(backend).await;
    let (ada, bo) = (desk.world.user("ada").await, desk.world.user("bo").await);
    let project = desk.world.project("Compiler", Visibility::Private, &[(ada, Role::Admin)]).await.to_string();
    let (ada_address, bo_address) = (desk.address("ada"), desk.address("bo"));
    let who = |action: &'static str, user: &'static str| {
        let user = if user == "ada" { ada_address.clone() } else { bo_address.clone() };
        [
            "member".to_owned(),
            action.to_owned(),
            "--project".to_owned(),
            "Compiler".to_owned(),
            "--user".to_owned(),
            user,
        ]
    };
    let act = async |action, user, role: Option<&str>| {
        let mut arguments = who(action, user).to_vec();
        if let Some(role) = role {
            arguments.extend(["--role".to_owned(), role.to_owned()]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        desk.run(&arguments).await
    };
    assert_eq!(desk.level(bo, &project).await, None);
    assert!(act("add", "bo", Some("viewer")).await.ok().contains("bo is viewer"));
    assert_eq!(desk.level(bo, &project).await.as_deref(), Some("viewer"));
    let line = act("add", "bo", Some("editor")).await.failed(1);
    assert!(line.contains("`update`"), "{line}");
    act("update", "bo", Some("editor")).await.ok();
    assert_eq!(desk.level(bo, &project).await.as_deref(), Some("editor"));
    assert!(act("update", "bo", Some("editor")).await.ok().contains("already"));

    let listed = desk.json(&["member", "list", "--project", &project]).await;
    let rows: Vec<Value> = listed["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            json!([
                row["name"],
                row["role"],
                row["directRole"],
                row["inheritedRole"],
                row["source"],
                row["automaticAdmin"]
            ])
        })
        .collect();
    assert_eq!(rows.len(), 2);
    assert!(rows.contains(&json!(["ada", "admin", "admin", null, "project", false])), "{rows:?}");
    assert!(rows.contains(&json!(["bo", "editor", "editor", null, "project", false])), "{rows:?}");
    let table = desk.run(&["member", "list", "--project", "Compiler"]).await.ok();
    assert!(table.starts_with("E-MAIL") && table.contains(&bo_address), "{table}");

    for (action, role) in [("remove", None), ("update", Some("editor"))] {
        let line = act(action, "ada", role).await.failed(1);
        assert!(line.contains("last administrator"), "{line}");
    }
    assert!(act("remove", "bo", None).await.ok().contains("no member"));
    assert_eq!(desk.level(bo, &project).await, None);
    act("remove", "bo", None).await.failed(1);
    let stranger = ["member", "add", "--project", "Compiler", "--user", "x@example.com", "--role", "viewer"];
    let line = desk.run(&stranger).await.failed(1);
    assert!(line.contains("chorus user create"), "{line}");
    assert_eq!(desk.run(&["member", "add", "--project", "Compiler", "--user", "x"]).await.code, Some(2));
    let owner = ["member", "add", "--project", "Compiler", "--user", "x", "--role", "owner"];
    assert_eq!(desk.run(&owner).await.code, Some(2));
    let acts: Vec<String> =
        desk.database.audit().await.into_iter().filter(|line| line.contains("project member")).collect();
    assert_eq!(
        acts,
        ["add", "remove", "update"].map(|action| format!("operator command_line project member {action}"))
    );
    // The project's own stream tells of it.
    let tools = Tools::new(desk.world.services.clone());
    let caller = desk.world.new_caller("ada's", Some(ada), &[], &[]).await;
    let stream = tools.call(&caller, "chorus_get_activity", json!({ "projectUuid": project })).await.ok();
    let told: Vec<Value> = stream["activities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| json!([row["actorName"], row["action"], row["value"]]))
        .collect();
    assert_eq!(
        told,
        [
            json!(["Operator", "project_member_removed", { "userUuid": bo, "from": "editor" }]),
            json!(["Operator", "project_member_role_changed", { "userUuid": bo, "from": "viewer", "role": "editor" }]),
            json!(["Operator", "project_member_added", { "userUuid": bo, "role": "viewer" }])
        ]
    );
}

async fn a_visibility_is_told_before_it_is_set(backend: Backend) {
    let desk = Desk::new(backend).await;
    let (ada, bo) = (desk.world.user("ada").await, desk.world.user("bo").await);
    let project = desk.world.project("Compiler", Visibility::Public, &[(ada, Role::Admin)]).await.to_string();
    let to = |to: &'static str| ["visibility", "--project", "Compiler", "--to", to];
    let told = desk.json(&to("private")).await;
    assert_eq!(
        json!([told["applied"], told["fromVisibility"], told["visibility"], told["lostAccessCount"]]),
        json!([false, "public", "private", 2])
    );
    let lines: Vec<Value> = told["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| json!([row["name"], row["beforeRole"], row["afterRole"]]))
        .collect();
    assert!(lines.len() == 2 && lines.contains(&json!(["bo", "editor", "none"])), "{lines:?}");
    assert_eq!(desk.level(bo, &project).await.as_deref(), Some("editor"), "nothing was changed");
    let shown = desk.run(&to("private")).await.ok();
    assert!(shown.contains("would become private") && shown.contains("--yes") && shown.contains("bo"), "{shown}");

    let done = desk.json(&[&to("private")[..], &["--yes"]].concat()).await;
    assert_eq!(done["applied"], true);
    assert_eq!(desk.level(bo, &project).await, None);
    assert_eq!(desk.level(ada, &project).await.as_deref(), Some("admin"));
    let again = desk.run(&[&to("private")[..], &["--yes"]].concat()).await.ok();
    assert!(again.contains("Nobody's role changes"), "{again}");
    let opened = desk.run(&[&to("public")[..], &["--yes"]].concat()).await.ok();
    assert!(opened.contains("is now public") && !opened.contains("--yes"), "{opened}");
    assert_eq!(desk.level(bo, &project).await.as_deref(), Some("editor"));

    let group = desk.world.group("Closed", Visibility::Private, &[(ada, Role::Admin)]).await;
    desk.world.project_in("Inside", Visibility::Private, Some(group), &[]).await;
    let line = desk.run(&["visibility", "--project", "Inside", "--to", "public"]).await.failed(1);
    assert!(line.contains("private group"), "{line}");
    assert_eq!(desk.run(&["visibility", "--project", "Compiler", "--to", "secret"]).await.code, Some(2));
    let acts = desk.database.audit().await;
    assert_eq!(acts, vec!["operator command_line project visibility"; 2]);
}

async fn a_move_is_told_before_it_is_made(backend: Backend) {
    let desk = Desk::new(backend).await;
    let (ada, bo) = (desk.world.user("ada").await, desk.world.user("bo").await);
    let group = desk.world.group("Closed", Visibility::Private, &[(ada, Role::Admin), (bo, Role::Viewer)]).await;
    let project = desk.world.project("Compiler", Visibility::Public, &[]).await.to_string();
    let enter = ["move", "--project", "Compiler", "--group", "Closed"];
    let told = desk.json(&enter).await;
    assert_eq!(
        json!([told["applied"], told["fromGroupUuid"], told["groupUuid"], told["visibility"]]),
        json!([false, null, group, "private"])
    );
    assert_eq!(desk.level(bo, &project).await.as_deref(), Some("editor"));
    let done = desk.run(&[&enter[..], &["--yes"]].concat()).await.ok();
    assert!(done.starts_with("Moved Compiler") && done.contains("bo"), "{done}");
    assert_eq!(desk.level(bo, &project).await.as_deref(), Some("viewer"));
    let listed = desk.json(&["list"]).await;
    assert_eq!(
        (&listed["projects"][0]["groupName"], &listed["projects"][0]["groupUuid"]),
        (&json!("Closed"), &json!(group))
    );
    let members = desk.json(&["member", "list", "--project", "Compiler"]).await;
    let inherited = members["members"].as_array().unwrap().iter().all(|row| row["source"] == "group");
    assert!(inherited, "{members}");

    let leave = ["move", "--project", "Compiler", "--no-group", "--yes", "--json"];
    assert_eq!(desk.run(&leave).await.json()["groupUuid"], json!(null));
    assert_eq!(desk.level(bo, &project).await.as_deref(), Some("viewer"), "they keep what they had");
    let missing = desk.world.id::<chorus_ids::GroupId>().to_string();
    for (arguments, code) in [
        (&["move", "--project", "Compiler", "--group", "No such"][..], 1),
        (&["move", "--project", "Compiler", "--group", &missing], 1),
        (&["move", "--project", "No such", "--no-group"], 1),
    ] {
        desk.run(arguments).await.failed(code);
    }
    assert_eq!(desk.run(&["move", "--project", "Compiler"]).await.code, Some(2));
    let both = ["move", "--project", "Compiler", "--group", "Closed", "--no-group"];
    assert_eq!(desk.run(&both).await.code, Some(2));
}

async fn a_project_is_counted_before_it_is_deleted(backend: Backend) {
    let desk = Desk::new(backend).await;
    let ada = desk.world.user("ada").await;
    let project = desk.world.project("Compiler", Visibility::Private, &[(ada, Role::Admin)]).await.to_string();
    let tools = Tools::new(desk.world.services.clone());
    let agent = desk.world.new_caller("ada's", Some(ada), &["admin_agent"], &[]).await;
    let call = async |tool: &str, arguments: Value| tools.call(&agent, tool, arguments).await.ok();
    let criteria = json!([{ "description": "It works" }]);
    let tasks = json!([{ "title": "Parse", "acceptanceCriteriaItems": criteria }, { "title": "Link", "acceptanceCriteriaItems": criteria }]);
    let made = call("chorus_create_tasks", json!({ "projectUuid": project, "tasks": tasks })).await;
    let task = &made["tasks"][0]["uuid"];
    call("chorus_claim_task", json!({ "taskUuid": task })).await;
    call("chorus_add_comment", json!({ "targetType": "task", "targetUuid": task, "content": "x" })).await;
    call("chorus_pm_create_idea", json!({ "projectUuid": project, "title": "Offline" })).await;

    let delete = ["delete", "--project", &project];
    let told = desk.json(&delete).await;
    let counts = |told: &Value| {
        json!([told["deleted"], told["ideas"], told["tasks"], told["claims"], told["comments"], told["documents"]])
    };
    assert_eq!(counts(&told), json!([false, 1, 2, 1, 1, 0]));
    let shown = desk.run(&delete).await.ok();
    assert!(shown.contains("would delete") && shown.contains("2 tasks") && shown.contains("--yes"), "{shown}");
    assert_eq!(desk.level(ada, &project).await.as_deref(), Some("admin"));

    let done = desk.json(&[&delete[..], &["--yes"]].concat()).await;
    assert_eq!(counts(&done), json!([true, 1, 2, 1, 1, 0]));
    assert_eq!(desk.level(ada, &project).await, None);
    assert_eq!(desk.json(&["list"]).await["projects"], json!([]));
    let line = desk.run(&[&delete[..], &["--yes"]].concat()).await.failed(1);
    assert!(line.contains("There is no project"), "{line}");
    let mine = call("chorus_get_my_assignments", json!({})).await;
    assert_eq!(mine, json!({ "ideaTracker": {}, "taskTracker": {} }));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_help_says_what_each_command_does() {
    for (arguments, words) in [
        (&["--help"][..], &["create", "list", "rename", "delete", "member", "visibility", "move"][..]),
        (&["move", "--help"], &["--group", "--no-group", "--yes", "--project", "by name or UUID"]),
        (&["member", "add", "--help"], &["--user", "--role", "viewer", "editor", "admin"]),
        (&["delete", "--help"], &["--yes", "--json"]),
    ] {
        let help = run(chorus().arg("project").args(arguments)).await.ok();
        for word in words {
            assert!(help.contains(word), "{arguments:?}: {word} is missing in {help}");
        }
    }
    let empty = Database::untouched(Backend::Sqlite).await;
    let line = run(chorus().args(["project", "create", "--name", "x", "--database-url", empty.url()])).await.failed(1);
    assert!(line.contains("chorus serve"), "{line}");
}

backends!(
    projects_are_made_listed_and_renamed,
    members_come_change_and_go,
    a_visibility_is_told_before_it_is_set,
    a_move_is_told_before_it_is_made,
    a_project_is_counted_before_it_is_deleted,
);
