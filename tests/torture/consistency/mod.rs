//! Many clients do whatever they please at once, and what they saw is held against the rules.
//!
//! A [plan](plan) says what each client does, all of it from one seed. The [history](history) says what came of it, and
//! when each call began and ended. The [model](model) puts the changes of each task into the order of their versions, and
//! demands that each is a legal move from the one before, that nothing was seen or refused that was not so at some moment
//! while the call ran, and that no order contradicts the clock.

mod history;
mod ledger;
mod model;
mod plan;

use chorus_testkit::{Backend, Client, Database, Server, World, operator};
use chorus_visibility::{Role, Visibility};
use serde_json::json;

use crate::{
    backends,
    consistency::{history::History, plan::Plan},
    crash::check_log,
    scale::{say, seed, times},
};

/// Clients, each an agent of its own.
const CLIENTS: usize = 8;

/// What the clients work on.
pub(crate) struct Field {
    pub(crate) database: Database,
    pub(crate) servers: Vec<Server>,
    project: String,
    /// Agents with their keys.
    agents: Vec<(String, String)>,
    tasks: Vec<String>,
}

impl Field {
    async fn new(backend: Backend, processes: usize, tasks: usize) -> Self {
        let database = Database::fresh(backend).await;
        let world = World::new(database.services().await).await;
        let project = world.project("p", Visibility::Private, &[(world.first_user, Role::Admin)]).await.to_string();
        let mut agents = Vec::new();
        for number in 0..CLIENTS {
            let agent = world.agent(&format!("a{number}"), Some(world.first_user), &["admin_agent"], &[]).await;
            agents.push((agent.id.to_string(), agent.key));
        }
        let mut servers = Vec::new();
        for _ in 0..processes {
            servers.push(Server::start(&database).await);
        }
        let mut field = Self { database, servers, project, agents, tasks: Vec::new() };
        let task = json!({ "title": "t", "acceptanceCriteriaItems": [{ "description": "c", "required": false }] });
        while field.tasks.len() < tasks {
            let some = vec![task.clone(); (tasks - field.tasks.len()).min(100)];
            let arguments = json!({ "projectUuid": field.project, "tasks": some });
            let made = field.client(0, 0).call("chorus_create_tasks", arguments).await.ok();
            let made = made["tasks"].as_array().unwrap();
            field.tasks.extend(made.iter().map(|task| task["uuid"].as_str().unwrap().to_owned()));
        }
        field
    }

    fn client(&self, server: usize, agent: usize) -> Client {
        self.servers[server % self.servers.len()].client(&self.agents[agent].1)
    }
}

/// Runs plans of so many steps for each client and checks what came of them.
async fn what_is_seen_can_be(backend: Backend, processes: usize) {
    let seed = seed(&format!("{processes} process(es) on {backend:?}"));
    let steps = times(120, 4_000);
    // A task is in the window of each client for about as long as it takes from open to done.
    let tasks = steps / 10;
    let field = Field::new(backend, processes, tasks).await;
    let plans: Vec<Plan> = (0..CLIENTS).map(|client| Plan::of(seed, client, CLIENTS, steps, tasks)).collect();
    let history = History::of(&field, plans).await;
    say(&format!("{} calls, {} of them refused", history.calls.len(), history.refused()));
    model::check(&field, &history).await;
    ledger::check(&field, &history).await;
    let checked = operator(field.database.url(), &["db", "check"]).await;
    assert_eq!(checked["contradictions"], json!([]), "{checked}");
    for server in field.servers {
        check_log(&server.kill().await);
    }
}

async fn one_process_is_consistent(backend: Backend) {
    what_is_seen_can_be(backend, 1).await;
}

async fn two_processes_are_consistent(backend: Backend) {
    what_is_seen_can_be(backend, 2).await;
}

backends!(one_process_is_consistent, two_processes_are_consistent);
