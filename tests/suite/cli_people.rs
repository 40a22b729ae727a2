//! `chorus user suspend`, `resume` and `remove`: nothing stays with somebody who can't finish it (report 35).

use std::collections::BTreeSet;

use chorus_domain::{
    Kind, Party,
    notification::{Notification, Topic},
};
use chorus_ids::{ProjectId, UserId, Uuid};
use chorus_testkit::{Backend, Client, Ran, Site, WorldAgent, chorus, operator, run};
use chorus_visibility::{Principal, Restriction, Role, Visibility, scope};
use serde_json::{Value, json};

use crate::backends;

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

fn sorted(list: &Value) -> Vec<Value> {
    let mut list = list.as_array().unwrap().clone();
    list.sort_by_key(ToString::to_string);
    list
}

/// Bo administers a private project alone, edits a public one, and has an agent that works in both.
struct Desk {
    site: Site,
    bo: UserId,
    bot: WorldAgent,
    open: ProjectId,
    closed: ProjectId,
    /// Assigned, in progress, submitted and done, of the agent, in the public project.
    tasks: Vec<Uuid>,
    /// Bo's own, in the private project.
    own: Uuid,
    /// Held by the agent.
    idea: Uuid,
    session: Uuid,
}

impl Desk {
    async fn new(backend: Backend) -> Self {
        let site = Site::new(backend).await;
        let world = &site.world;
        let bo = world.user("bo").await;
        let open = world.project("open", Visibility::Public, &[(bo, Role::Editor)]).await;
        let closed = world.project("closed", Visibility::Private, &[(bo, Role::Admin)]).await;
        let bot = world.agent("bot", Some(bo), &["pm_agent"], &[]).await;
        let (admin, client) = (site.client(), site.server.client(&bot.key));
        let task = |title: &str| json!({ "title": title, "acceptanceCriteriaItems": [{ "description": "It works", "required": false }] });
        let titles = ["assigned", "in progress", "submitted", "done"];
        let wanted = json!({ "projectUuid": open, "tasks": titles.map(task) });
        let made = admin.call("chorus_create_tasks", wanted).await.ok();
        let tasks: Vec<Uuid> =
            made["tasks"].as_array().unwrap().iter().map(|task| text(&task["uuid"]).parse().unwrap()).collect();
        for (index, task) in tasks.iter().enumerate() {
            let it = json!({ "taskUuid": task });
            client.call("chorus_claim_task", it.clone()).await.ok();
            if index > 0 {
                let begun = json!({ "taskUuid": task, "report": "begun", "status": "in_progress" });
                client.call("chorus_report_work", begun).await.ok();
            }
            if index > 1 {
                client.call("chorus_submit_for_verify", it.clone()).await.ok();
            }
            if index > 2 {
                admin.call("chorus_admin_verify_task", it).await.ok();
            }
        }
        let wanted = json!({ "projectUuid": closed, "tasks": [task("own")] });
        let own = text(&client.call("chorus_create_tasks", wanted).await.ok()["tasks"][0]["uuid"]).parse().unwrap();
        hold(&site, own, Party::User(bo)).await;
        let idea = json!({ "projectUuid": open, "title": "thought" });
        let idea: Uuid = text(&client.call("chorus_pm_create_idea", idea).await.ok()["uuid"]).parse().unwrap();
        client.call("chorus_claim_idea", json!({ "ideaUuid": idea })).await.ok();
        let session = client.call("chorus_create_session", json!({ "name": "night" })).await.ok();
        let session: Uuid = text(&session["uuid"]).parse().unwrap();
        let there = json!({ "sessionUuid": session, "taskUuid": tasks[2] });
        client.call("chorus_session_checkin_task", there).await.ok();
        Self { site, bo, bot, open, closed, tasks, own, idea, session }
    }

    fn bo_address(&self) -> String {
        format!("bo.{}@example.com", self.site.world.company)
    }

    fn bots(&self) -> Client {
        self.site.server.client(&self.bot.key)
    }

    async fn run(&self, arguments: &[&str]) -> Ran {
        run(chorus().arg("user").args(arguments).args(["--database-url", self.site.database.url()])).await
    }

    async fn user(&self, arguments: &[&str]) -> Value {
        self.run(&[arguments, &["--json"]].concat()).await.json()
    }

    async fn task(&self, task: Uuid) -> (String, Value) {
        let task = self.site.client().call("chorus_get_task", json!({ "taskUuid": task })).await.ok();
        (text(&task["status"]).to_owned(), task["assignee"]["name"].clone())
    }

    async fn told(&self, user: UserId) -> Vec<Notification> {
        let world = &self.site.world;
        let principal = Principal { company: world.company, user: Some(user), first_user: Some(world.first_user) };
        let scope = scope(&principal, Restriction::Everything);
        let mut reads = world.services.store.read().await.unwrap();
        let unread = reads.unread(&scope, Party::User(user), 100).await.unwrap().recent;
        unread.into_iter().filter(|one| one.topic == Topic::WorkFreed).collect()
    }

    async fn is_sound(&self) {
        let mut reads = self.site.world.services.store.read().await.unwrap();
        assert_eq!(reads.operator().contradictions(10).await.unwrap(), []);
    }

    /// The lines of a project's stream with this action, title and value.
    async fn stream(&self, project: ProjectId, action: &str) -> BTreeSet<(String, String)> {
        let page = json!({ "projectUuid": project, "pageSize": 100 });
        let stream = self.site.client().call("chorus_get_activity", page).await.ok();
        let rows = stream["activities"].as_array().unwrap().iter().filter(|row| row["action"] == action);
        rows.map(|row| (text(&row["targetTitle"]).to_owned(), row["value"].to_string())).collect()
    }

    async fn status(&self) -> (u16, String) {
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        let response = self.bots().send(&ping).await.unwrap();
        let challenge = response.headers().get("www-authenticate").map(|value| value.to_str().unwrap().to_owned());
        (response.status().as_u16(), challenge.unwrap_or_default())
    }
}

/// Gives a task to somebody, as the console would.
async fn hold(site: &Site, task: Uuid, to: Party) {
    let world = &site.world;
    let principal = Principal { company: world.company, user: None, first_user: None };
    let mut reads = world.services.store.read().await.unwrap();
    let located = reads.directory().locate(&principal, &[(Kind::Task, task)]).await.unwrap();
    let project = located[0].facts.project;
    let member = reads.directory().project_members(&[project]).await.unwrap()[0].user;
    let principal = Principal { user: Some(member), ..principal };
    let scope = scope(&principal, Restriction::Everything);
    let found = reads.task(&scope, chorus_ids::TaskId::from_uuid(task)).await.unwrap().unwrap();
    drop(reads);
    let held = chorus_domain::task::Task {
        status: chorus_lifecycle::task::TaskStatus::Assigned,
        assignee: Some(chorus_domain::Assignment { to, at: world.now(), by: None }),
        version: found.version + 1,
        ..found
    };
    world.write(vec![chorus_domain::Write::SaveTask(held)]).await;
}

fn item(kind: &str, uuid: Uuid, title: &str, was: &str) -> Value {
    json!({ "type": kind, "uuid": uuid, "title": title, "was": was })
}

async fn a_suspended_person_leaves_nothing_that_nobody_can_finish(backend: Backend) {
    let desk = Desk::new(backend).await;
    let (bo, first) = (desk.bo_address(), desk.site.world.first_user);
    let (admin, database) = (desk.site.client(), &desk.site.database);

    // The impact comes first, and changes nothing.
    let preview = desk.user(&["suspend", &bo]).await;
    assert_eq!(preview["applied"], false);
    let printed = desk.run(&["suspend", &bo.to_uppercase()]).await.ok();
    for part in ["This would suspend bo", "assigned", "--yes", "passes to first", "the project closed"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert_eq!(desk.status().await.0, 200);
    assert_eq!(desk.task(desk.tasks[0]).await, ("assigned".into(), json!("bot")));
    assert_eq!(desk.told(first).await, []);

    let events = database.events().await;
    let done = desk.user(&["suspend", &bo, "--yes"]).await;
    let mut expected = preview.clone();
    expected["applied"] = json!(true);
    assert_eq!(done, expected, "it does what it told");
    let mut freed = vec![
        item("task", desk.tasks[0], "assigned", "assigned"),
        item("task", desk.tasks[1], "in progress", "in_progress"),
        item("task", desk.own, "own", "assigned"),
        item("idea", desk.idea, "thought", "elaborating"),
    ];
    freed.sort_by_key(ToString::to_string);
    assert_eq!(sorted(&done["freed"]), freed);
    assert_eq!(done["awaitingVerification"], json!([item("task", desk.tasks[2], "submitted", "to_verify")]));
    let facts = ["userUuid", "name", "keysStopped", "sessionsClosed", "finishedKept", "suspendedAt"];
    let facts = facts.map(|key| done[key].clone());
    assert_eq!(facts, [json!(desk.bo), json!("bo"), json!(1), json!(1), json!(1), json!(null)]);
    assert_eq!(done["agents"], json!([{ "agentUuid": desk.bot.id, "name": "bot" }]));
    let passed = json!([{ "type": "project", "uuid": desk.closed, "name": "closed", "to": "first" }]);
    assert_eq!(done["passed"], passed);

    // The keys of the agents say why they don't work.
    let (status, challenge) = desk.status().await;
    assert!(
        status == 401 && challenge.contains("suspended") && challenge.contains("chorus user resume"),
        "{challenge}"
    );
    // Everything is where others can take it; the first user stands in where there was one administrator.
    let nobody = json!(null);
    assert_eq!(desk.task(desk.tasks[0]).await, ("open".into(), nobody.clone()));
    assert_eq!(desk.task(desk.tasks[1]).await, ("open".into(), nobody.clone()));
    assert_eq!(desk.task(desk.tasks[2]).await, ("to_verify".into(), json!("bot")));
    assert_eq!(desk.task(desk.tasks[3]).await, ("done".into(), json!("bot")));
    assert_eq!(desk.task(desk.own).await, ("open".into(), nobody.clone()));
    let closed = admin.call("chorus_get_project", json!({ "projectUuid": desk.closed })).await.ok();
    assert_eq!(closed["accessLevel"], "admin");
    let idea = admin.call("chorus_get_idea", json!({ "ideaUuid": desk.idea })).await.ok();
    assert_eq!((&idea["status"], &idea["assignee"]), (&json!("open"), &nobody));
    desk.is_sound().await;

    // One person is told, once, with the whole list.
    let told = desk.told(first).await;
    let [told] = told.as_slice() else { panic!("{told:?}") };
    let expected = "Operator suspended \"bo\", who let go of";
    assert!(told.message.starts_with(expected) && told.message.ends_with("; free for others now"), "{told:?}");
    for title in ["assigned", "in progress", "own", "thought"] {
        assert!(told.message.contains(&format!("\"{title}\"")), "{title}: {told:?}");
    }
    assert!(!told.message.contains("submitted"), "{told:?}");

    // The streams and the events say it too.
    let value = |holder: (&str, Value, &str)| {
        let value = json!({
            "reason": "user_suspended", "userUuid": desk.bo, "userName": "bo", "assigneeType": holder.0,
            "assigneeUuid": holder.1, "assigneeName": holder.2
        });
        value.to_string()
    };
    let bot = value(("agent", json!(desk.bot.id), "bot"));
    let released = ["assigned", "in progress", "thought"].map(|title| (title.to_owned(), bot.clone()));
    assert_eq!(desk.stream(desk.open, "released").await, released.into());
    let own = value(("user", json!(desk.bo), "bo"));
    assert_eq!(desk.stream(desk.closed, "released").await, [("own".to_owned(), own)].into());
    let gone = json!({ "userUuid": desk.bo, "from": "admin", "reason": "user_suspended" }).to_string();
    assert_eq!(desk.stream(desk.closed, "project_member_removed").await, [("closed".to_owned(), gone)].into());
    let news: Vec<_> = database.events().await.into_iter().filter(|event| !events.contains(event)).collect();
    let changed: BTreeSet<_> = news.iter().map(|event| (event.entity, event.id, event.change)).collect();
    let mut expected: BTreeSet<_> = [
        (Kind::User, desk.bo.uuid()),
        (Kind::Project, desk.open.uuid()),
        (Kind::Project, desk.closed.uuid()),
        (Kind::Task, desk.own),
        (Kind::Idea, desk.idea),
    ]
    .map(|(kind, id)| (kind, id, "updated"))
    .into();
    // The session left the submitted one.
    expected.extend(desk.tasks[..3].iter().map(|task| (Kind::Task, *task, "updated")));
    assert_eq!((changed, news.len()), (expected, 8));
    let acts = database.audit().await;
    assert_eq!(acts.iter().filter(|act| *act == "operator command_line user suspend").count(), 1, "{acts:?}");

    // Nothing can be given to them or their agents, and nobody waits for an answer of theirs.
    let assign = json!({ "taskUuid": desk.tasks[0], "agentUuid": desk.bot.id });
    let refused = admin.call("chorus_pm_assign_task", assign).await;
    assert_eq!(refused.code(), "assignee_no_access");
    assert!(refused.text().contains("The owner of the agent `bot` is suspended"), "{}", refused.text());
    let mention = |party: &str, id: Uuid| format!("Look @[bo]({party}:{id})");
    for (party, id, named) in
        [("user", desk.bo.uuid(), "`bo` is suspended"), ("agent", desk.bot.id.uuid(), "The owner of the agent `bot`")]
    {
        let comment = json!({ "targetType": "task", "targetUuid": desk.tasks[0], "content": mention(party, id) });
        let refused = admin.call("chorus_add_comment", comment).await;
        assert_eq!(
            (refused.code(), &refused.details()["problems"][0]["field"]),
            ("invalid_arguments", &json!("content"))
        );
        assert!(refused.text().contains(named) && refused.text().contains("chorus_search_mentionables"));
    }
    let found = admin.call("chorus_search_mentionables", json!({ "query": "bo" })).await.ok();
    assert!(!found.to_string().contains(&desk.bo.to_string()) && !found.to_string().contains("\"bot\""), "{found}");
    for arguments in [
        &["project", "member", "add", "--project", "open", "--user", &bo, "--role", "editor"][..],
        &["agent", "create", "--name", "other", "--owner", &bo],
        &["agent", "update", "admin", "--owner", &bo],
        &["project", "create", "--name", "x", "--visibility", "private", "--admin", &bo],
    ] {
        let line = run(chorus().args(arguments).args(["--database-url", database.url()])).await.failed(1);
        assert!(line.contains("is suspended") && line.contains("chorus user resume"), "{line}");
    }

    // Twice is no harm.
    let again = desk.user(&["suspend", &bo, "--yes"]).await;
    assert!(again["suspendedAt"].is_string() && again["freed"] == json!([]), "{again}");
    assert!(desk.run(&["suspend", &bo]).await.ok().contains("suspended already"));
    assert_eq!(desk.told(first).await.len(), 1);
    let listed = desk.user(&["list"]).await;
    let row = listed["users"].as_array().unwrap().iter().find(|row| row["name"] == "bo").unwrap();
    assert!(row["suspendedAt"].is_string(), "{row}");
}

async fn a_resumed_person_has_what_they_had_but_their_work(backend: Backend) {
    let desk = Desk::new(backend).await;
    let (bo, admin) = (desk.bo_address(), desk.site.client());
    let nothing = desk.user(&["resume", &bo]).await;
    assert_eq!((&nothing["resumed"], &nothing["projects"]), (&json!(false), &json!(0)));
    desk.user(&["suspend", &bo, "--yes"]).await;
    admin.call("chorus_claim_task", json!({ "taskUuid": desk.own })).await.ok();
    // Submitted work of theirs that is found wanting is free, since nobody is there to send it back to.
    let reopened = admin.call("chorus_admin_reopen_task", json!({ "taskUuid": desk.tasks[2] })).await.ok();
    assert_eq!((&reopened["status"], &reopened["assignee"]), (&json!("open"), &json!(null)));

    let back = desk.user(&["resume", &bo]).await;
    let facts = ["userUuid", "resumed", "agents", "projects", "groups"].map(|key| back[key].clone());
    assert_eq!(facts, [json!(desk.bo), json!(true), json!(1), json!(2), json!(0)]);
    let bots = desk.bots();
    let closed = bots.call("chorus_get_project", json!({ "projectUuid": desk.closed })).await.ok();
    assert_eq!(closed["accessLevel"], "admin");
    // The first user stood in, and does no longer; what they took from there is not theirs to finish, so it is free.
    let hidden = admin.call("chorus_get_project", json!({ "projectUuid": desk.closed })).await;
    assert_eq!(hidden.code(), "not_found");
    let own = bots.call("chorus_get_task", json!({ "taskUuid": desk.own })).await.ok();
    assert_eq!((&own["status"], &own["assignee"]), (&json!("open"), &json!(null)), "{own}");
    desk.is_sound().await;
    let row = json!({ "userUuid": desk.bo, "role": "editor", "reason": "user_resumed" }).to_string();
    assert_eq!(desk.stream(desk.open, "project_member_added").await, [("open".to_owned(), row)].into());
    assert_eq!(desk.task(desk.tasks[0]).await.0, "open", "what was freed stays free");
    let session = bots.call("chorus_get_session", json!({ "sessionUuid": desk.session })).await.ok();
    assert_eq!(session["status"], "closed", "a session is taken up again by its agent");
    assert!(desk.run(&["resume", &bo]).await.ok().contains("is not suspended"));
}

async fn a_removed_person_goes_for_good_and_finished_work_keeps_the_names(backend: Backend) {
    let desk = Desk::new(backend).await;
    let (bo, admin, world) = (desk.bo_address(), desk.site.client(), &desk.site.world);
    let comment = json!({ "targetType": "idea", "targetUuid": desk.idea, "content": "Mine" });
    desk.bots().call("chorus_add_comment", comment).await.ok();
    let printed = desk.run(&["remove", &bo]).await.ok();
    for part in ["This would remove bo", "Agents that go too: bot", "--yes", "keep their name: 1"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert_eq!(desk.status().await.0, 200);
    let done = desk.user(&["remove", &bo, "--yes"]).await;
    assert_eq!((done["freed"].as_array().unwrap().len(), &done["finishedKept"]), (4, &json!(1)));

    assert_eq!(desk.status().await.0, 401);
    assert_eq!(desk.task(desk.tasks[3]).await, ("done".into(), json!("bot")));
    let comments = json!({ "targetType": "idea", "targetUuid": desk.idea });
    let comments = admin.call("chorus_get_comments", comments).await.ok();
    assert_eq!(comments["comments"][0]["author"]["name"], "bot");
    let page = json!({ "projectUuid": desk.open, "pageSize": 100 });
    let stream = admin.call("chorus_get_activity", page).await.ok();
    let unknown = stream["activities"].as_array().unwrap().iter().filter(|row| row["actorName"] == "Unknown").count();
    assert_eq!(unknown, 0, "{stream}");
    let told = desk.told(world.first_user).await;
    assert!(told.len() == 1 && told[0].message.starts_with("Operator removed \"bo\", who let go of"), "{told:?}");
    desk.is_sound().await;
    let mention = json!({
        "targetType": "task", "targetUuid": desk.tasks[0], "content": format!("@[bo](user:{})", desk.bo)
    });
    let refused = admin.call("chorus_add_comment", mention.clone()).await;
    assert!(refused.code() == "invalid_arguments" && refused.text().contains("`bo` was removed"), "{}", refused.text());
    let criteria = json!([{ "description": "It works" }]);
    let task = json!({ "projectUuid": desk.open, "tasks": [
        { "title": "a", "acceptanceCriteriaItems": criteria },
        { "title": "b", "acceptanceCriteriaItems": criteria, "description": format!("@[bot](agent:{})", desk.bot.id) }
    ] });
    let refused = admin.call("chorus_create_tasks", task).await;
    assert_eq!(refused.details()["problems"][0]["field"], "tasks[1].description");
    let assign = json!({ "taskUuid": desk.tasks[0], "agentUuid": desk.bot.id });
    let refused = admin.call("chorus_pm_assign_task", assign).await;
    assert!(refused.text().contains("The agent `bot` was removed"), "{}", refused.text());

    // Twice is no harm, and the address is free for somebody else, who is somebody else.
    let line = desk.run(&["remove", &bo, "--yes"]).await.failed(1);
    assert!(line.contains("There is no user") && line.contains(&bo), "{line}");
    let next = desk.user(&["create", "--email", &bo, "--name", "Bo the second"]).await;
    assert_ne!(next["userUuid"], json!(desk.bo));
    let closed = admin.call("chorus_get_project", json!({ "projectUuid": desk.closed })).await.ok();
    assert_eq!(closed["accessLevel"], "admin", "the first user stands in");
}

async fn what_the_first_user_may_not_see_is_told_to_who_answers_for_it(backend: Backend) {
    let desk = Desk::new(backend).await;
    let world = &desk.site.world;
    let cy = world.user("cy").await;
    world.member(desk.closed, cy, Role::Admin).await;
    let done = desk.user(&["suspend", &desk.bo_address(), "--yes"]).await;
    assert_eq!(done["passed"], json!([]), "it has another administrator");
    let (first, others) = (desk.told(world.first_user).await, desk.told(cy).await);
    let ([first], [other]) = (first.as_slice(), others.as_slice()) else { panic!("{first:?} {others:?}") };
    assert!(first.message.contains("\"assigned\"") && !first.message.contains("\"own\""), "{first:?}");
    assert!(other.message.contains("\"own\"") && !other.message.contains("\"assigned\""), "{other:?}");
    assert_eq!((other.project, other.entity_id), (Some(desk.closed), desk.own));
}

async fn groups_and_the_first_users_place_are_handed_on(backend: Backend) {
    let desk = Desk::new(backend).await;
    let world = &desk.site.world;
    let group = world.group("guild", Visibility::Private, &[(desk.bo, Role::Admin)]).await;
    let inside = world.project_in("inside", Visibility::Private, Some(group), &[]).await;
    let first = format!("first.{}@example.com", world.company);
    let done = desk.user(&["suspend", &desk.bo_address(), "--yes"]).await;
    let passed = json!([
        { "type": "project", "uuid": desk.closed, "name": "closed", "to": "first" },
        { "type": "project_group", "uuid": group, "name": "guild", "to": "first" }
    ]);
    assert_eq!(sorted(&done["passed"]), sorted(&passed));
    let seen = desk.site.client().call("chorus_get_project", json!({ "projectUuid": inside })).await.ok();
    assert_eq!(seen["accessLevel"], "admin");
    // Somebody has to be left.
    for command in ["suspend", "remove"] {
        for yes in [&[][..], &["--yes"]] {
            let line = desk.run(&[&[command, first.as_str()], yes].concat()).await.failed(1);
            assert!(line.contains("only person") && line.contains("chorus user create"), "{line}");
        }
    }
    desk.user(&["resume", &desk.bo_address()]).await;
    desk.user(&["remove", &first, "--yes"]).await;
    // Bo is the first user now, and stands in wherever there is no administrator.
    let bare = world.project("bare", Visibility::Private, &[]).await;
    let seen = desk.bots().call("chorus_get_project", json!({ "projectUuid": bare })).await.ok();
    assert_eq!(seen["accessLevel"], "admin");
    desk.is_sound().await;
}

/// An agent that claims while its owner is suspended: whoever comes first, nothing open stays with it.
async fn no_claim_slips_through_a_suspension(backend: Backend) {
    let site = Site::new(backend).await;
    let project = site.world.project("p", Visibility::Public, &[]).await;
    let user = site.world.user("fast").await;
    let address = format!("fast.{}@example.com", site.world.company);
    let bot = site.world.agent("bot", Some(user), &["developer_agent"], &[]).await;
    for trial in 0..4 {
        let criteria = json!([{ "description": "It works" }]);
        let task = |n: u32| json!({ "title": format!("{trial}-{n}"), "acceptanceCriteriaItems": criteria });
        let tasks: Vec<Value> = (0..10).map(task).collect();
        let made = json!({ "projectUuid": project, "tasks": tasks });
        let made = site.client().call("chorus_create_tasks", made).await.ok();
        let claiming: Vec<_> = made["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| {
                let (client, task) = (site.server.client(&bot.key), task["uuid"].clone());
                tokio::spawn(async move {
                    let claim = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                        "params": { "name": "chorus_claim_task", "arguments": { "taskUuid": task } } });
                    client.send(&claim).await.unwrap().status()
                })
            })
            .collect();
        operator(site.database.url(), &["user", "suspend", &address, "--yes"]).await;
        for claim in claiming {
            let status = claim.await.unwrap();
            assert!(status == 200 || status == 401, "{status}");
        }
        let listed = json!({ "projectUuid": project, "pageSize": 100 });
        let listed = site.client().call("chorus_list_tasks", listed).await.ok();
        for task in listed["tasks"].as_array().unwrap() {
            assert_eq!((&task["status"], &task["assignee"]), (&json!("open"), &json!(null)), "trial {trial}");
        }
        operator(site.database.url(), &["user", "resume", &address]).await;
    }
}

backends!(
    a_suspended_person_leaves_nothing_that_nobody_can_finish,
    a_resumed_person_has_what_they_had_but_their_work,
    a_removed_person_goes_for_good_and_finished_work_keeps_the_names,
    what_the_first_user_may_not_see_is_told_to_who_answers_for_it,
    groups_and_the_first_users_place_are_handed_on,
    no_claim_slips_through_a_suspension,
);
