//! How many statements a call takes: each is a way to the database and back, and costs more than what it does.
//!
//! Not counted are BEGIN and COMMIT, the idempotency key, looking up and locking what the arguments name, events and the
//! audit row: what every call of its kind needs, whatever it is about. None of the numbers grows with the rows.

use std::collections::BTreeMap;

use chorus_app::Narrowing;
use chorus_auth::Authenticator;
use chorus_dispatch::{Library as _, Selection, Visitor};
use chorus_domain::{Assignment, Caller, Party, Write, task::Task};
use chorus_ids::{AgentId, ProjectId, TaskId};
use chorus_library::ChorusLibrary;
use chorus_lifecycle::task::{Priority, TaskStatus};
use chorus_mcp::{CompleteRequest, Reference};
use chorus_testkit::{Backend, CallResult, Database, Statements, Tools, World};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use crate::backends;

/// Tasks of the project.
const TASKS: u32 = 1_000;

/// A project with many tasks, and an agent with every permission that holds a hundred of them.
struct Field {
    _database: Database,
    world: World,
    tools: Tools,
    watch: Statements,
    project: ProjectId,
    me: Caller,
    key: String,
}

impl Field {
    async fn new(backend: Backend) -> Self {
        let database = Database::fresh(backend).await;
        let (services, watch) = database.watched().await;
        let world = World::new(services.clone()).await;
        let owner = world.user("owner").await;
        let project = world.project("Large", Visibility::Private, &[(owner, Role::Admin)]).await;
        let agent = world.agent("agent", Some(owner), &["admin_agent"], &[]).await;
        let me = world.caller(agent.id).await;
        let field =
            Self { _database: database, tools: Tools::new(services), world, watch, project, me, key: agent.key };
        let tasks = (0..TASKS).map(|n| field.new_task(n)).collect();
        field.world.write(vec![Write::NewTasks(tasks)]).await;
        field
    }

    fn new_task(&self, n: u32) -> Task {
        let (id, now) = (self.world.id::<TaskId>(), self.world.now());
        let to = Party::Agent(AgentId::from_uuid(self.me.subject.uuid()));
        let held = n.is_multiple_of(10);
        Task {
            id,
            company: self.world.company,
            project: self.project,
            title: format!("Task {n}"),
            description: Some("Long ".repeat(50)),
            status: if held { TaskStatus::InProgress } else { TaskStatus::Open },
            priority: Priority::Medium,
            story_points: None,
            assignee: held.then_some(Assignment { to, at: now, by: None }),
            proposal: None,
            created_by: to,
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    async fn ok(&self, tool: &str, arguments: Value) -> Value {
        match self.tools.call(&self.me, &format!("chorus_{tool}"), arguments).await {
            CallResult::Answer(answer) => answer,
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// How many statements a call takes; at most as many as are allowed.
    async fn taken(&self, at_most: usize, tool: &str, arguments: Value) -> (usize, Value) {
        self.watch.take();
        let answer = self.ok(tool, arguments).await;
        let counted: Vec<String> = self.watch.take().into_iter().filter(|statement| counts(statement)).collect();
        assert!((1..=at_most).contains(&counted.len()), "{tool} takes {}: {counted:#?}", counted.len());
        (counted.len(), answer)
    }

    /// The id of a task that nobody holds.
    async fn open_task(&self) -> Value {
        let open = json!({ "projectUuid": self.project, "status": "open", "pageSize": 1 });
        self.ok("list_tasks", open).await["tasks"][0]["uuid"].clone()
    }

    /// Tasks with criteria, each waiting for the one before.
    fn chain(&self, length: usize) -> Value {
        let task = |n: usize| {
            let before: Vec<String> = (n > 0).then(|| format!("d{}", n - 1)).into_iter().collect();
            json!({
                "title": format!("New {n}"), "description": "Do it", "draftUuid": format!("d{n}"),
                "dependsOnDraftUuids": before,
                "acceptanceCriteriaItems": [{ "description": "It works" }, { "description": "It is tested" }]
            })
        };
        json!({ "projectUuid": self.project, "tasks": (0..length).map(task).collect::<Vec<_>>() })
    }

    /// A submitted proposal with so many task drafts, each waiting for the one before, and a document draft.
    async fn submitted(&self, drafts: usize) -> Value {
        let idea = self.ok("pm_create_idea", json!({ "projectUuid": self.project, "title": "Idea" })).await;
        let idea = idea["uuid"].clone();
        self.ok("claim_idea", json!({ "ideaUuid": idea })).await;
        self.ok("pm_skip_elaboration", json!({ "ideaUuid": idea, "reason": "Clear" })).await;
        let new = json!({
            "projectUuid": self.project, "title": "Proposal", "description": "How", "inputType": "idea",
            "inputUuids": [idea]
        });
        let proposal = self.ok("pm_create_proposal", new).await["uuid"].clone();
        let document =
            json!({ "proposalUuid": proposal, "type": "prd", "title": "Paper", "content": "Rules. ".repeat(30) });
        self.ok("pm_add_document_draft", document).await;
        let mut before = Vec::new();
        for n in 0..drafts {
            let draft = json!({
                "proposalUuid": proposal, "title": format!("Draft {n}"), "description": "Do it", "priority": "high",
                "storyPoints": 1, "acceptanceCriteriaItems": [{ "description": "It works" }],
                "dependsOnDraftUuids": before
            });
            before = vec![self.ok("pm_add_task_draft", draft).await["draftUuid"].clone()];
        }
        self.ok("pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
        proposal
    }
}

/// Whether a statement is one of those that are counted.
fn counts(statement: &str) -> bool {
    let apart = [
        "BEGIN",
        "COMMIT",
        "SAVEPOINT",
        "RELEASE",
        "ROLLBACK",
        // Looking up what the arguments name, and what a proposal names that they name.
        "SELECT e.kind, e.id, p.id, p.company_id",
        "SELECT \"proposal\".\"input_type\", \"proposal_input\".\"input_id\"",
        "SELECT `proposal`.`input_type`, `proposal_input`.`input_id`",
        // Locks of numbers of events.
        "SELECT pg_advisory_xact_lock",
        "INSERT INTO \"event\"",
        "INSERT INTO `event`",
        "INSERT INTO \"audit\"",
        "INSERT INTO `audit`",
    ];
    // SQLite keeps rows of somebody and of their owner from being removed by looking at them: the unit is the lock.
    let inside = [
        " FROM `agent` WHERE (`agent`.`id` IN",
        " FROM `agent` WHERE ((`agent`.`id` IN",
        " FOR SHARE",
        " FOR KEY SHARE",
        " FOR NO KEY UPDATE",
        " FOR UPDATE",
        "idempotency",
    ];
    !apart.iter().any(|begin| statement.starts_with(begin)) && !inside.iter().any(|part| statement.contains(part))
}

async fn authentication_takes_one(backend: Backend) {
    let f = Field::new(backend).await;
    let authenticator = Authenticator::new(f.tools.services.clone(), chorus_auth::Unscoped::Admitted);
    let header = format!("Bearer {}", f.key);
    for nth in 0..5 {
        f.watch.take();
        authenticator.authenticate([header.as_bytes()]).await.unwrap();
        // The note of the key's use runs behind the request, once a minute.
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        let (notes, others): (Vec<String>, Vec<String>) = f
            .watch
            .take()
            .into_iter()
            .filter(|statement| counts(statement))
            .partition(|statement| statement.starts_with("UPDATE"));
        assert_eq!((others.len(), notes.len()), (1, usize::from(nth == 0)), "{others:#?} {notes:#?}");
    }
}

async fn reads_take_few(backend: Backend) {
    let f = Field::new(backend).await;
    let task = f.open_task().await;
    let (alone, _) = f.taken(5, "get_task", json!({ "taskUuid": task })).await;
    let made = f.ok("create_tasks", f.chain(200)).await;
    let ids: Vec<Value> = made["tasks"].as_array().unwrap().iter().map(|task| task["uuid"].clone()).collect();
    f.ok("update_task", json!({ "taskUuid": task, "addDependsOn": ids })).await;
    let (among, detail) = f.taken(5, "get_task", json!({ "taskUuid": task })).await;
    assert_eq!((detail["dependsOn"].as_array().unwrap().len(), among), (200, alone));

    let list = |size: u32| json!({ "projectUuid": f.project, "pageSize": size });
    let (short, _) = f.taken(3, "list_tasks", list(1)).await;
    let (long, listed) = f.taken(3, "list_tasks", list(100)).await;
    assert_eq!((&listed["returned"], &listed["total"], long), (&json!(100), &json!(1_200), short));
    let filtered = json!({ "projectUuid": f.project, "status": "open", "priority": "medium" });
    f.taken(3, "list_tasks", filtered).await;
    f.taken(3, "get_unblocked_tasks", json!({ "projectUuid": f.project })).await;

    let (_, mine) = f.taken(6, "get_my_assignments", json!({})).await;
    let tracker = mine["taskTracker"].as_object().unwrap();
    let held: usize = tracker.values().map(|project| project["tasks"].as_array().unwrap().len()).sum();
    assert_eq!(held, 100);
    let mut taken = Vec::new();
    for n in 1..=15 {
        let idea = json!({ "projectUuid": f.project, "title": format!("Idea {n}") });
        let idea = f.ok("pm_create_idea", idea).await["uuid"].clone();
        f.ok("claim_idea", json!({ "ideaUuid": idea })).await;
        if n == 1 || n == 15 {
            let (checkin, answer) = f.taken(6, "checkin", json!({})).await;
            let ideas = &answer["ideaTracker"][f.project.to_string()]["ideas"];
            assert_eq!(ideas.as_array().unwrap().len(), n.min(10));
            taken.push((checkin, f.taken(6, "get_my_assignments", json!({})).await.0));
        }
    }
    assert_eq!(taken[0], taken[1]);
}

async fn searches_take_few(backend: Backend) {
    let f = Field::new(backend).await;
    // The best and their number; of fewer than fifty what stands beside them.
    let (many, found) = f.taken(2, "search", json!({ "query": "task long" })).await;
    assert_eq!((&found["total"], many), (&json!(TASKS), 2));
    let (few, found) = f.taken(2, "search", json!({ "query": "999" })).await;
    assert_eq!((&found["total"], few), (&json!(1), 2));
    let id = found["results"][0]["uuid"].clone();
    f.taken(1, "search", json!({ "query": id })).await;
}

async fn writes_take_few(backend: Backend) {
    let f = Field::new(backend).await;
    let (one, _) = f.taken(5, "claim_task", json!({ "taskUuid": f.open_task().await })).await;
    let (two, _) = f.taken(5, "claim_task", json!({ "taskUuid": f.open_task().await })).await;
    assert_eq!(one, two);

    let (short, _) = f.taken(12, "create_tasks", f.chain(10)).await;
    let (long, made) = f.taken(12, "create_tasks", f.chain(200)).await;
    assert_eq!((made["tasks"].as_array().unwrap().len(), long), (200, short));

    let (few, large) = (f.submitted(3).await, f.submitted(20).await);
    let (short, _) = f.taken(15, "admin_approve_proposal", json!({ "proposalUuid": few })).await;
    let (long, made) = f.taken(15, "admin_approve_proposal", json!({ "proposalUuid": large })).await;
    assert_eq!((made["materializedTasks"].as_array().unwrap().len(), long), (20, short));
}

async fn what_is_offered_beside_the_tools_takes_few(backend: Backend) {
    let f = Field::new(backend).await;
    let library = ChorusLibrary::new(f.tools.surface.clone());
    let visitor = Visitor {
        services: f.tools.services.clone(),
        caller: f.me.clone(),
        narrowing: Narrowing::Projects(vec![f.project]),
        selection: Selection::default(),
    };
    let task = f.open_task().await.as_str().unwrap().to_owned();
    let counted = || f.watch.take().into_iter().filter(|statement| counts(statement)).count();
    let taken = async || {
        counted();
        let mut taken = Vec::new();
        // Narrowing, ideas, tasks; on its last page projects too.
        let (page, next) = library.resources(&visitor, None).await.unwrap();
        assert_eq!((page.len(), next.is_some()), (51, true));
        taken.push((counted(), 6));
        library.read(&visitor, "chorus://context").await.unwrap();
        taken.push((counted(), 4));
        library.read(&visitor, &format!("chorus://projects/{}/tasks/{task}", f.project)).await.unwrap();
        taken.push((counted(), 5));
        let arguments = BTreeMap::from([("taskUuid".to_owned(), task.clone())]);
        library.prompt(&visitor, "start_work", &arguments).await.unwrap();
        taken.push((counted(), 5));
        for (written, at_most) in [("", 2), ("task", 4), ("0", 4), (&task[..20], 2)] {
            let argument = ("taskUuid".to_owned(), written.to_owned());
            let reference = Reference::Prompt { name: "start_work".to_owned() };
            let request = CompleteRequest { reference, argument, context: BTreeMap::new() };
            library.complete(&visitor, &request).await.unwrap();
            taken.push((counted(), at_most));
        }
        assert!(library.templates(&visitor).len() == 5 && library.prompts(&visitor).len() == 4);
        taken.push((counted(), 0));
        for (nth, (taken, at_most)) in taken.iter().enumerate() {
            assert!(taken <= at_most, "number {nth} takes {taken}");
        }
        taken
    };
    let few = taken().await;
    let tasks = (TASKS..TASKS + 500).map(|n| f.new_task(n)).collect();
    f.world.write(vec![Write::NewTasks(tasks)]).await;
    assert_eq!(taken().await, few);
}

backends!(
    what_is_offered_beside_the_tools_takes_few,
    authentication_takes_one,
    reads_take_few,
    searches_take_few,
    writes_take_few
);
