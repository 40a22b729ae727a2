//! Two writers at the same moment, a thousand times (reports 19 and 27).

use chorus_domain::Caller;
use chorus_testkit::{Backend, CallResult, Database, Tools, World};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use crate::backends;

/// How often.
const TRIALS: usize = 1_000;
/// Tasks that one call makes.
const BATCH: usize = 200;

/// Two agents of different people who may edit one project.
struct Pair {
    tools: Tools,
    one: Caller,
    other: Caller,
    project: String,
    _database: Database,
}

impl Pair {
    async fn new(backend: Backend) -> Self {
        let database = Database::fresh(backend).await;
        let services = database.services().await;
        let world = World::new(services.clone()).await;
        let (ann, bob) = (world.user("ann").await, world.user("bob").await);
        let members = [(ann, Role::Editor), (bob, Role::Editor)];
        let project = world.project("Pair", Visibility::Private, &members).await.to_string();
        Self {
            tools: Tools::new(services),
            one: world.new_caller("one", Some(ann), &["developer_agent"], &[]).await,
            other: world.new_caller("other", Some(bob), &["developer_agent"], &[]).await,
            project,
            _database: database,
        }
    }

    async fn tasks(&self, count: usize) -> Vec<String> {
        let task = json!({ "title": "Task", "acceptanceCriteriaItems": [{ "description": "It works" }] });
        let arguments = json!({ "projectUuid": self.project, "tasks": vec![task; count] });
        let made = self.tools.call(&self.one, "chorus_create_tasks", arguments).await.ok();
        made["tasks"].as_array().unwrap().iter().map(|task| task["uuid"].as_str().unwrap().to_owned()).collect()
    }

    /// Calls the same tool as both at once, on threads of their own.
    async fn both(&self, tool: &'static str, [mine, theirs]: [Value; 2]) -> [CallResult; 2] {
        let run = |who: &Caller, arguments| {
            let (tools, who) = (self.tools.clone(), who.clone());
            tokio::spawn(async move { tools.call(&who, tool, arguments).await })
        };
        let (one, other) = (run(&self.one, mine), run(&self.other, theirs));
        [one.await.unwrap(), other.await.unwrap()]
    }
}

async fn two_edits_of_different_fields_lose_nothing(backend: Backend) {
    let pair = Pair::new(backend).await;
    let task = pair.tasks(1).await.remove(0);
    for trial in 0..TRIALS {
        let edits = [
            json!({ "taskUuid": task, "title": format!("Title {trial}") }),
            json!({ "taskUuid": task, "description": format!("Description {trial}") }),
        ];
        for result in pair.both("chorus_update_task", edits).await {
            result.ok();
        }
        let read = pair.tools.call(&pair.one, "chorus_get_task", json!({ "taskUuid": task })).await.ok();
        assert_eq!(read["title"], format!("Title {trial}"));
        assert_eq!(read["description"], format!("Description {trial}"));
        assert_eq!(read["version"], json!(2 * trial + 3), "each edit counts");
    }
}

async fn of_two_opposite_dependencies_one_is_taken(backend: Backend) {
    let pair = Pair::new(backend).await;
    let mut tasks = Vec::new();
    for _ in 0..TRIALS {
        if tasks.is_empty() {
            tasks = pair.tasks(BATCH).await;
        }
        let (a, b) = (tasks.pop().unwrap(), tasks.pop().unwrap());
        let waits = |task: &str, before: &str| json!({ "taskUuid": task, "addDependsOn": [before] });
        let results = pair.both("chorus_update_task", [waits(&a, &b), waits(&b, &a)]).await;
        let taken = results.iter().filter(|result| matches!(result, CallResult::Answer(_))).count();
        assert_eq!(taken, 1, "{results:?}");
        let refused = results.iter().find(|result| !matches!(result, CallResult::Answer(_))).unwrap();
        assert_eq!(refused.code(), "cycle", "{refused:?}");
    }
}

backends!(two_edits_of_different_fields_lose_nothing, of_two_opposite_dependencies_one_is_taken);
