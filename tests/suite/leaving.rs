//! Whoever can't edit a project any more lets go of what they and their agents hold there, whatever took the right from
//! them; one person for each project is told, and the preview counts it.

use std::collections::BTreeSet;

use chorus_domain::{
    Assignment, Caller, Kind, Party, Write,
    activity::Action,
    idea::Idea,
    notification::{Notification, Topic},
    session::{Checkin, Session},
    task::Task,
};
use chorus_ids::{AgentId, GroupId, ProjectId, UserId, Uuid};
use chorus_lifecycle::{
    idea::IdeaStatus,
    session::SessionStatus,
    task::{Priority, TaskStatus},
};
use chorus_store::{PageRequest, Reads};
use chorus_testkit::{Backend, CallResult, Database, Tools, World, WorldAgent, chorus, run};
use chorus_visibility::{Principal, Restriction, Role, Scope, Visibility, scope};
use serde_json::{Value, json};

use crate::backends;

/// Ada administers; Bo edits with two agents, and one agent has no owner. What they hold is written directly.
struct Field {
    database: Database,
    world: World,
    tools: Tools,
    ada: UserId,
    bo: UserId,
    bot: WorldAgent,
    stray: AgentId,
    /// Of Ada, with every permission.
    admin: Caller,
}

/// What the world's people hold in a project.
struct Held {
    project: ProjectId,
    /// Of Bo, in this order: assigned to himself, worked on by his agent, waiting for verification.
    tasks: [Uuid; 3],
    /// Being elaborated by Bo.
    idea: Uuid,
    session: chorus_ids::SessionId,
}

impl Field {
    async fn new(backend: Backend) -> Self {
        let database = Database::fresh(backend).await;
        let world = World::new(database.services().await).await;
        let (ada, bo) = (world.user("ada").await, world.user("bo").await);
        let bot = world.agent("bot", Some(bo), &["pm_agent"], &[]).await;
        let stray = world.agent("stray", None, &["developer_agent"], &[]).await.id;
        let admin = world.new_caller("admin", Some(ada), &["admin_agent"], &[]).await;
        let tools = Tools::new(world.services.clone());
        Self { database, world, tools, ada, bo, bot, stray, admin }
    }

    fn task(&self, project: ProjectId, title: &str, to: Party, status: TaskStatus) -> Task {
        let now = self.world.now();
        Task {
            id: self.world.id(),
            company: self.world.company,
            project,
            title: title.to_owned(),
            description: None,
            status,
            priority: Priority::Medium,
            story_points: None,
            assignee: Some(Assignment { to, at: now, by: None }),
            proposal: None,
            created_by: Party::User(self.ada),
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// Gives Bo and his agent things in a project.
    async fn hold(&self, project: ProjectId) -> Held {
        let (bo, bot) = (Party::User(self.bo), Party::Agent(self.bot.id));
        let tasks = [
            self.task(project, "his", bo, TaskStatus::Assigned),
            self.task(project, "its", bot, TaskStatus::InProgress),
            self.task(project, "submitted", bot, TaskStatus::ToVerify),
        ];
        let (now, company) = (self.world.now(), self.world.company);
        let idea = Idea {
            id: self.world.id(),
            company,
            project,
            title: "thought".to_owned(),
            content: None,
            status: IdeaStatus::Elaborating,
            elaboration_status: None,
            depth: None,
            parent: None,
            is_container: false,
            assignee: Some(Assignment { to: bo, at: now, by: None }),
            created_by: bo,
            version: 1,
            created_at: now,
            updated_at: now,
        };
        let session = Session {
            id: self.world.id(),
            company,
            agent: self.bot.id,
            name: "night".to_owned(),
            description: None,
            status: SessionStatus::Active,
            last_active_at: now,
            created_at: now,
            updated_at: now,
        };
        let checkin = Checkin { id: self.world.id(), session: session.id, task: tasks[2].id, at: now };
        let held = Held {
            project,
            tasks: [0, 1, 2].map(|n: usize| tasks[n].id.uuid()),
            idea: idea.id.uuid(),
            session: session.id,
        };
        self.world
            .write(vec![
                Write::NewTasks(tasks.into()),
                Write::NewIdea(idea),
                Write::NewSession(session),
                Write::PutCheckin(checkin),
            ])
            .await;
        held
    }

    async fn reads(&self) -> Box<dyn Reads> {
        self.world.services.store.read().await.unwrap()
    }

    fn scope_of(&self, user: UserId) -> Scope {
        let world = &self.world;
        let principal = Principal { company: world.company, user: Some(user), first_user: Some(world.first_user) };
        scope(&principal, Restriction::Everything)
    }

    async fn told(&self, user: UserId) -> Vec<Notification> {
        let unread = self.reads().await.unread(&self.scope_of(user), Party::User(user), 100).await.unwrap();
        unread.recent.into_iter().filter(|one| one.topic == Topic::WorkFreed).collect()
    }

    /// Whoever holds the task, and its status, as Ada sees it.
    async fn holder(&self, task: Uuid) -> (TaskStatus, Option<Party>) {
        let id = chorus_ids::TaskId::from_uuid(task);
        let task = self.reads().await.task(&self.scope_of(self.ada), id).await.unwrap().unwrap();
        (task.status, task.assignee.map(|held| held.to))
    }

    /// Runs `chorus …`.
    async fn run(&self, arguments: &[&str]) -> Value {
        let arguments = [arguments, &["--json", "--database-url", self.database.url()]].concat();
        run(chorus().args(arguments)).await.json()
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        match self.tools.call(&self.admin, tool, arguments).await {
            CallResult::Answer(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    fn bos_address(&self) -> String {
        format!("bo.{}@example.com", self.world.company)
    }

    /// Passes if Bo and his agent let go of everything there, Ada was told once, and everything is written down.
    async fn is_free(&self, held: &Held) {
        let open = (TaskStatus::Open, None);
        assert_eq!([self.holder(held.tasks[0]).await, self.holder(held.tasks[1]).await], [open; 2]);
        let submitted = (TaskStatus::ToVerify, Some(Party::Agent(self.bot.id)));
        assert_eq!(self.holder(held.tasks[2]).await, submitted, "the work is done");
        let mut reads = self.reads().await;
        let scope = self.scope_of(self.ada);
        let idea = reads.idea(&scope, chorus_ids::IdeaId::from_uuid(held.idea)).await.unwrap().unwrap();
        assert_eq!((idea.status, idea.assignee), (IdeaStatus::Open, None));
        assert_eq!(reads.checkins(&scope, held.session).await.unwrap(), []);
        let told = self.told(self.ada).await;
        let [told] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!(told.project, Some(held.project));
        for part in
            ["\"bo\", \"bot\" let go of", "the task \"its\"", "the task \"his\"", "the idea \"thought\"", "free"]
        {
            assert!(told.message.contains(part), "{part}: {told:?}");
        }
        assert!(!told.message.contains("submitted"), "{told:?}");
        let page = PageRequest::first(chorus_ids::PageSize::MAX);
        let stream = reads.activities(&scope, held.project, &page).await.unwrap();
        let released: BTreeSet<(String, String)> = stream
            .rows
            .iter()
            .filter(|row| row.item.action == Action::Released)
            .map(|row| (row.item.target_title.clone(), row.item.value.as_ref().unwrap()["assigneeName"].to_string()))
            .collect();
        let expected = [("his", "\"bo\""), ("its", "\"bot\""), ("thought", "\"bo\"")];
        assert_eq!(released, expected.map(|(title, name)| (title.to_owned(), name.to_owned())).into());
        let events = self.database.events().await;
        let changed = [(Kind::Idea, held.idea)].into_iter().chain(held.tasks.map(|task| (Kind::Task, task)));
        for (kind, id) in changed {
            let count = events.iter().filter(|event| (event.entity, event.id) == (kind, id)).count();
            assert_eq!(count, 1, "{kind}");
        }
        assert_eq!(reads.operator().contradictions(10).await.unwrap(), []);
    }

    /// Passes if nobody let go of anything there.
    async fn is_held(&self, held: &Held) {
        let (bo, bot) = (Some(Party::User(self.bo)), Some(Party::Agent(self.bot.id)));
        let found = [self.holder(held.tasks[0]).await, self.holder(held.tasks[1]).await];
        assert_eq!(found, [(TaskStatus::Assigned, bo), (TaskStatus::InProgress, bot)]);
        assert_eq!(self.told(self.ada).await, []);
        assert_eq!(self.reads().await.operator().contradictions(10).await.unwrap(), []);
    }

    async fn private(&self, members: &[(UserId, Role)]) -> ProjectId {
        self.world.project("Compiler", Visibility::Private, members).await
    }

    async fn guild(&self, visibility: Visibility, bo: Option<Role>) -> GroupId {
        let bo = bo.map(|role| (self.bo, role));
        let members: Vec<(UserId, Role)> = [(self.ada, Role::Admin)].into_iter().chain(bo).collect();
        self.world.group("guild", visibility, &members).await
    }
}

fn released() -> Value {
    json!({ "tasks": 2, "ideas": 1, "checkins": 1 })
}

async fn a_member_who_is_removed_or_lowered_lets_go(backend: Backend) {
    for (action, role) in [("remove", None), ("update", Some("viewer"))] {
        let f = Field::new(backend).await;
        let project = f.private(&[(f.ada, Role::Admin), (f.bo, Role::Editor)]).await;
        // What they hold elsewhere stays with them.
        let elsewhere = f.world.project("elsewhere", Visibility::Public, &[]).await;
        let (held, kept) = (f.hold(project).await, f.task(elsewhere, "kept", Party::User(f.bo), TaskStatus::Assigned));
        f.world.write(vec![Write::NewTasks(vec![kept.clone()])]).await;
        let address = f.bos_address();
        let mut arguments = vec!["project", "member", action, "--project", "Compiler", "--user", address.as_str()];
        arguments.extend(role.map(|role| ["--role", role]).iter().flatten());
        let told = f.run(&arguments).await;
        assert_eq!(told["released"], released(), "{told}");
        f.is_free(&held).await;
        assert_eq!(f.holder(kept.id.uuid()).await, (TaskStatus::Assigned, Some(Party::User(f.bo))));
    }
}

async fn a_member_who_still_edits_keeps_everything(backend: Backend) {
    let f = Field::new(backend).await;
    let project = f.private(&[(f.ada, Role::Admin), (f.bo, Role::Admin)]).await;
    let held = f.hold(project).await;
    let address = f.bos_address();
    let who = ["--project", "Compiler", "--user", address.as_str()];
    let told = f.run(&[&["project", "member", "update"], &who[..], &["--role", "editor"]].concat()).await;
    assert_eq!(told["released"], json!({ "tasks": 0, "ideas": 0, "checkins": 0 }));
    f.is_held(&held).await;
    // On a public project a row is worth nothing.
    f.run(&["project", "visibility", "--project", "Compiler", "--to", "public", "--yes"]).await;
    f.run(&[&["project", "member", "remove"], &who[..]].concat()).await;
    f.is_held(&held).await;
}

async fn a_project_that_goes_private_lets_nobody_keep_what_they_cant_reach(backend: Backend) {
    let f = Field::new(backend).await;
    let project = f.world.project("Compiler", Visibility::Public, &[(f.ada, Role::Admin)]).await;
    let held = f.hold(project).await;
    let strays = f.task(project, "stray's", Party::Agent(f.stray), TaskStatus::InProgress);
    f.world.write(vec![Write::NewTasks(vec![strays.clone()])]).await;
    let change = ["project", "visibility", "--project", "Compiler", "--to", "private"];
    let counts = json!({ "tasks": 3, "ideas": 1, "checkins": 1 });
    assert_eq!(f.run(&change).await["released"], counts);
    f.is_held(&held).await;
    assert_eq!(f.run(&[&change[..], &["--yes"]].concat()).await["released"], counts);
    assert_eq!(f.holder(strays.id.uuid()).await, (TaskStatus::Open, None), "an agent without owner is out too");
    let told = f.told(f.ada).await;
    let [told] = told.as_slice() else { panic!("{told:?}") };
    assert!(told.message.contains("\"stray's\"") && told.message.contains("\"stray\""), "{told:?}");
    assert_eq!(f.reads().await.operator().contradictions(10).await.unwrap(), []);
}

async fn a_project_that_moves_lets_those_go_who_stay_behind(backend: Backend) {
    let f = Field::new(backend).await;
    let (from, to) = (f.guild(Visibility::Private, Some(Role::Editor)).await, f.guild(Visibility::Private, None).await);
    let project = f.world.project_in("Compiler", Visibility::Private, Some(from), &[]).await;
    let held = f.hold(project).await;
    let wanted = json!({ "projectUuid": project, "groupUuid": to });
    let mut preview = wanted.clone();
    preview["preview"] = json!(true);
    let told = f.call("chorus_admin_move_project_to_group", preview).await;
    assert_eq!(told["released"], released(), "{told}");
    f.is_held(&held).await;
    let mut confirmed = wanted;
    confirmed["confirmationToken"] = told["confirmationToken"].clone();
    f.call("chorus_admin_move_project_to_group", confirmed).await;
    f.is_free(&held).await;
}

async fn a_member_of_a_group_lets_go_in_all_its_projects(backend: Backend) {
    for change in [json!({ "memberAction": "remove" }), json!({ "memberAction": "update", "role": "viewer" })] {
        let f = Field::new(backend).await;
        let group = f.guild(Visibility::Private, Some(Role::Editor)).await;
        let project = f.world.project_in("Compiler", Visibility::Private, Some(group), &[]).await;
        // Where they are a member by themselves they stay.
        let own = f.world.project_in("own", Visibility::Private, Some(group), &[(f.bo, Role::Editor)]).await;
        let kept = f.task(own, "kept", Party::User(f.bo), TaskStatus::Assigned);
        f.world.write(vec![Write::NewTasks(vec![kept.clone()])]).await;
        let held = f.hold(project).await;
        let mut change = change;
        change["groupUuid"] = json!(group);
        change["userUuid"] = json!(f.bo);
        f.call("chorus_admin_update_project_group", change).await;
        f.is_free(&held).await;
        assert_eq!(f.holder(kept.id.uuid()).await, (TaskStatus::Assigned, Some(Party::User(f.bo))));
    }
}

async fn a_group_that_goes_private_takes_its_projects_from_others(backend: Backend) {
    let f = Field::new(backend).await;
    let group = f.guild(Visibility::Public, None).await;
    let project = f.world.project_in("Compiler", Visibility::Public, Some(group), &[]).await;
    let held = f.hold(project).await;
    let wanted = json!({ "groupUuid": group, "visibility": "private" });
    let mut preview = wanted.clone();
    preview["preview"] = json!(true);
    let told = f.call("chorus_admin_update_project_group", preview).await;
    assert_eq!(told["released"], released(), "{told}");
    f.is_held(&held).await;
    let mut confirmed = wanted;
    confirmed["confirmationToken"] = told["confirmationToken"].clone();
    f.call("chorus_admin_update_project_group", confirmed).await;
    f.is_free(&held).await;
}

/// Whoever stood in for the group's administrator has nothing in a project that leaves it.
async fn a_group_that_ends_takes_what_only_it_gave(backend: Backend) {
    let f = Field::new(backend).await;
    let group = f.world.group("guild", Visibility::Private, &[]).await;
    let project = f.world.project_in("Compiler", Visibility::Private, Some(group), &[(f.ada, Role::Admin)]).await;
    let first = f.world.first_user;
    let theirs = f.task(project, "theirs", Party::User(first), TaskStatus::Assigned);
    f.world.write(vec![Write::NewTasks(vec![theirs.clone()])]).await;
    let whole = f.world.new_caller("whole", Some(first), &["admin_agent"], &[]).await;
    let deleted = f.tools.call(&whole, "chorus_admin_delete_project_group", json!({ "groupUuid": group })).await.ok();
    assert_eq!(deleted["keptProjects"], 1, "{deleted}");
    assert_eq!(f.holder(theirs.id.uuid()).await, (TaskStatus::Open, None));
    assert_eq!(f.told(f.ada).await.len(), 1);
    assert_eq!(f.reads().await.operator().contradictions(10).await.unwrap(), []);
}

async fn a_stand_in_lets_go_once_there_is_an_administrator(backend: Backend) {
    let f = Field::new(backend).await;
    let project = f.private(&[]).await;
    let theirs = f.task(project, "theirs", Party::User(f.world.first_user), TaskStatus::InProgress);
    f.world.write(vec![Write::NewTasks(vec![theirs.clone()])]).await;
    let ada = format!("ada.{}@example.com", f.world.company);
    let add = ["project", "member", "add", "--project", "Compiler", "--user", &ada, "--role", "admin"];
    assert_eq!(f.run(&add).await["released"]["tasks"], 1);
    assert_eq!(f.holder(theirs.id.uuid()).await, (TaskStatus::Open, None));
    // Who answers for the project from now on is told, though they did not see it before.
    assert_eq!(f.told(f.ada).await.len(), 1);
}

async fn an_agent_under_another_owner_lets_go_of_what_that_one_cant_reach(backend: Backend) {
    for owner in [&["--no-owner"][..], &["--owner", "next"]] {
        let f = Field::new(backend).await;
        f.world.user("next").await;
        let project = f.private(&[(f.ada, Role::Admin), (f.bo, Role::Editor)]).await;
        let open = f.world.project("open", Visibility::Public, &[]).await;
        let kept = f.task(open, "kept", Party::Agent(f.bot.id), TaskStatus::InProgress);
        f.world.write(vec![Write::NewTasks(vec![kept.clone()])]).await;
        let held = f.hold(project).await;
        let next = format!("next.{}@example.com", f.world.company);
        let owner: Vec<&str> = owner.iter().map(|word| if *word == "next" { next.as_str() } else { word }).collect();
        let updated = f.run(&[&["agent", "update", "bot"][..], &owner].concat()).await;
        assert_eq!(updated["released"], json!({ "tasks": 1, "ideas": 0, "checkins": 1 }), "{updated}");
        let holders = [f.holder(held.tasks[0]).await, f.holder(held.tasks[1]).await, f.holder(kept.id.uuid()).await];
        let expected = [
            (TaskStatus::Assigned, Some(Party::User(f.bo))),
            (TaskStatus::Open, None),
            (TaskStatus::InProgress, Some(Party::Agent(f.bot.id))),
        ];
        assert_eq!(holders, expected);
        let told = f.told(f.ada).await;
        assert!(told.len() == 1 && told[0].message.contains("\"its\""), "{told:?}");
        assert_eq!(f.reads().await.operator().contradictions(10).await.unwrap(), []);
        // Its keys are the same, and a change of anything else takes nothing.
        let renamed = f.run(&["agent", "update", "bot", "--name", "bot 2"]).await;
        assert_eq!(renamed["released"], json!({ "tasks": 0, "ideas": 0, "checkins": 0 }));
    }
}

/// Found wanting, work of somebody who can't edit any more is free: sent back to them it would lie there.
async fn submitted_work_of_somebody_who_left_is_free_once_it_is_reopened(backend: Backend) {
    let f = Field::new(backend).await;
    let project = f.private(&[(f.ada, Role::Admin), (f.bo, Role::Editor)]).await;
    let held = f.hold(project).await;
    f.run(&["project", "member", "update", "--project", "Compiler", "--user", &f.bos_address(), "--role", "viewer"])
        .await;
    let reopened = f.call("chorus_admin_reopen_task", json!({ "taskUuid": held.tasks[2] })).await;
    assert_eq!((&reopened["status"], &reopened["assignee"]), (&json!("open"), &json!(null)));
    assert_eq!(f.reads().await.operator().contradictions(10).await.unwrap(), []);
}

/// The number of statements does not grow with the people who leave.
async fn many_who_leave_take_no_more_statements_than_one(backend: Backend) {
    let mut taken = Vec::new();
    for people in [2, 12] {
        let database = Database::fresh(backend).await;
        let (services, watch) = database.watched().await;
        let world = World::new(services.clone()).await;
        let ada = world.user("ada").await;
        let admin = world.new_caller("admin", Some(ada), &["admin_agent"], &[]).await;
        let group = world.group("guild", Visibility::Public, &[(ada, Role::Admin)]).await;
        let project = world.project_in("Compiler", Visibility::Public, Some(group), &[]).await;
        let tools = Tools::new(services);
        let f = Field {
            bo: world.user("bo").await,
            bot: world.agent("bot", None, &[], &[]).await,
            stray: world.id(),
            admin,
            ada,
            tools,
            world,
            database,
        };
        let mut tasks = Vec::new();
        for n in 0..people {
            let user = f.world.user(&format!("user-{n}")).await;
            tasks.push(f.task(project, "held", Party::User(user), TaskStatus::Assigned));
        }
        f.world.write(vec![Write::NewTasks(tasks)]).await;
        let wanted = json!({ "groupUuid": group, "visibility": "private", "preview": true });
        watch.take();
        let told = f.call("chorus_admin_update_project_group", wanted).await;
        taken.push(watch.take().len());
        assert_eq!(told["released"]["tasks"], people);
    }
    assert_eq!(taken[0], taken[1]);
}

backends!(
    a_member_who_is_removed_or_lowered_lets_go,
    a_member_who_still_edits_keeps_everything,
    a_project_that_goes_private_lets_nobody_keep_what_they_cant_reach,
    a_project_that_moves_lets_those_go_who_stay_behind,
    a_member_of_a_group_lets_go_in_all_its_projects,
    a_group_that_goes_private_takes_its_projects_from_others,
    a_group_that_ends_takes_what_only_it_gave,
    a_stand_in_lets_go_once_there_is_an_administrator,
    an_agent_under_another_owner_lets_go_of_what_that_one_cant_reach,
    submitted_work_of_somebody_who_left_is_free_once_it_is_reopened,
    many_who_leave_take_no_more_statements_than_one,
);
