//! What is measured: every operation is one row.

use rand::Rng as _;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    load::Request,
    seed::{Model, Status, Thing, WORKERS},
};

/// What an operation is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Floor {
    /// One bare look-up of the key, and prebuilt bytes.
    Lookup,
    /// The product's own statements by a bare driver, and prebuilt bytes.
    Statements,
}

/// What kind of work an operation is, which decides what is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Answers without touching what is stored, but for the key.
    Protocol,
    /// Reads.
    Read,
    /// Writes.
    Write,
}

/// A call that is measured.
pub(crate) struct Operation {
    /// What it is called in tables.
    pub(crate) name: &'static str,
    pub(crate) floor: Floor,
    pub(crate) work: Work,
    /// What is sent: by whom, the method and its parameters. Sent again and again, in this order.
    calls: fn(&Model) -> Vec<Call>,
}

/// One request before it is numbered.
#[derive(Clone)]
struct Call {
    worker: u32,
    method: &'static str,
    params: Option<Value>,
}

/// Every operation, in the order of measuring: those that write come after those that read.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation { name: "ping", floor: Floor::Lookup, work: Work::Protocol, calls: |_| everyone("ping", None) },
    Operation {
        name: "tools/list",
        floor: Floor::Lookup,
        work: Work::Protocol,
        calls: |_| everyone("tools/list", None),
    },
    Operation { name: "initialize", floor: Floor::Lookup, work: Work::Protocol, calls: |_| initialize() },
    Operation { name: "get_task", floor: Floor::Statements, work: Work::Read, calls: get_task },
    Operation {
        name: "list_tasks",
        floor: Floor::Statements,
        work: Work::Read,
        calls: |model| list_tasks(model, false),
    },
    Operation {
        name: "list_tasks, large project",
        floor: Floor::Statements,
        work: Work::Read,
        calls: |model| list_tasks(model, true),
    },
    Operation { name: "search", floor: Floor::Statements, work: Work::Read, calls: search },
    Operation {
        name: "get_my_assignments",
        floor: Floor::Statements,
        work: Work::Read,
        calls: |_| tool_of_everyone("chorus_get_my_assignments"),
    },
    Operation {
        name: "checkin",
        floor: Floor::Statements,
        work: Work::Write,
        calls: |_| tool_of_everyone("chorus_checkin"),
    },
    Operation { name: "add_comment", floor: Floor::Statements, work: Work::Write, calls: add_comment },
    Operation { name: "claim_task", floor: Floor::Statements, work: Work::Write, calls: claim_task },
    Operation { name: "report_work", floor: Floor::Statements, work: Work::Write, calls: report_work },
    Operation { name: "create_tasks(10)", floor: Floor::Statements, work: Work::Write, calls: create_tasks },
    Operation { name: SWARM, floor: Floor::Statements, work: Work::Write, calls: swarm },
];

/// What the load of a swarm of agents is called, which is a little of everything.
pub(crate) const SWARM: &str = "swarm (mixed)";

impl Operation {
    /// The operation of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| operation.name == name)
    }

    /// Its name as a part of a path or of a file's name.
    pub(crate) fn slug(&self) -> String {
        slug(self.name)
    }

    /// What is sent. The id of each request is its place.
    pub(crate) fn requests(&self, model: &Model) -> Vec<Request> {
        let numbered = (0..).zip((self.calls)(model));
        numbered.map(|(n, call)| call.request(n, model)).collect()
    }
}

/// A name as a part of a path or of a file's name.
pub(crate) fn slug(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

impl Call {
    fn request(self, id: u64, model: &Model) -> Request {
        let mut body = json!({ "jsonrpc": "2.0", "id": id, "method": self.method });
        let about = json!([self.method, self.params]).to_string();
        if let (Some(body), Some(params)) = (body.as_object_mut(), self.params) {
            body.insert("params".to_owned(), params);
        }
        let key = usize::try_from(self.worker).ok().and_then(|worker| model.keys.get(worker));
        let key = key.map(|key| key.reveal().to_owned()).unwrap_or_default();
        Request { key, body: body.to_string(), about }
    }

    fn tool(worker: u32, name: &str, arguments: Value) -> Self {
        Self { worker, method: "tools/call", params: Some(json!({ "name": name, "arguments": arguments })) }
    }
}

/// Each worker once.
fn everyone(method: &'static str, params: Option<Value>) -> Vec<Call> {
    (0..WORKERS).map(|worker| Call { worker, method, params: params.clone() }).collect()
}

fn tool_of_everyone(name: &str) -> Vec<Call> {
    (0..WORKERS).map(|worker| Call::tool(worker, name, json!({}))).collect()
}

fn initialize() -> Vec<Call> {
    let client = json!({ "name": "bench", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    everyone("initialize", Some(params))
}

/// How many tasks are looked at.
const READS: u32 = 64;
/// How many searches there are.
const QUERIES: u32 = 16;

fn get_task(model: &Model) -> Vec<Call> {
    // Spread over the whole database.
    let step = (model.shape.tasks / READS).max(1);
    let tasks = (0..model.shape.tasks).step_by(usize::try_from(step).unwrap_or(1)).take(64);
    let seen = tasks.zip((0..WORKERS).cycle());
    let arguments = |task| json!({ "taskUuid": model.id(Thing::Task, task) });
    // What is in a private project is missing for most.
    seen.filter(|(task, _)| model.is_public(*task))
        .map(|(task, worker)| Call::tool(worker, "chorus_get_task", arguments(task)))
        .collect()
}

fn list_tasks(model: &Model, large: bool) -> Vec<Call> {
    let projects: Vec<Uuid> =
        model.public_projects().skip(usize::from(!large)).take(if large { 1 } else { 4 }).collect();
    let pages =
        projects.iter().flat_map(|project| (1..=4).map(move |page| json!({ "projectUuid": project, "page": page })));
    pages
        .zip((0..WORKERS).cycle())
        .map(|(arguments, worker)| Call::tool(worker, "chorus_list_tasks", arguments))
        .collect()
}

fn search(model: &Model) -> Vec<Call> {
    let queries = (0..QUERIES).map(|n| json!({ "query": model.shape.query(n) }));
    queries
        .zip((0..WORKERS).cycle())
        .map(|(arguments, worker)| Call::tool(worker, "chorus_search", arguments))
        .collect()
}

const TEXT: &str = "The parser reads nested lists now. What is left: the error for an unclosed one, and its test.";

fn add_comment(model: &Model) -> Vec<Call> {
    each_holds(model, Status::ToVerify, 4, |worker, task| {
        Call::tool(worker, "chorus_add_comment", json!({ "targetType": "task", "targetUuid": task, "content": TEXT }))
    })
}

fn report_work(model: &Model) -> Vec<Call> {
    each_holds(model, Status::InProgress, 4, |worker, task| {
        Call::tool(worker, "chorus_report_work", json!({ "taskUuid": task, "report": TEXT }))
    })
}

/// A call for each of some tasks that each worker holds, or could take.
fn each_holds(model: &Model, status: Status, of_each: usize, call: impl Fn(u32, Uuid) -> Call) -> Vec<Call> {
    let mut calls = Vec::new();
    for worker in 0..WORKERS {
        let tasks = model.tasks_of_worker(worker, status).take(of_each);
        calls.extend(tasks.map(|task| call(worker, model.id(Thing::Task, task))));
    }
    calls
}

/// Tasks that each worker takes and gives back, and those of the swarm behind them.
const CLAIMED: usize = 8;

/// Takes tasks and gives them back, so that there is something to take again: half of the calls are `release_task`. What one
/// thread sends is one half of the list, and takes all of its own before it gives the first back, so that no call
/// overtakes another about the same task.
fn claim_task(model: &Model) -> Vec<Call> {
    let mut tasks: Vec<(u32, u32)> = Vec::new();
    for worker in 0..WORKERS {
        tasks.extend(model.tasks_of_worker(worker, Status::Open).take(CLAIMED).map(|task| (worker, task)));
    }
    let half = tasks.len() / 2;
    let (left, right) = tasks.split_at(half);
    let mut calls = Vec::new();
    for part in [left, right.get(..half).unwrap_or_default()] {
        for tool in ["chorus_claim_task", "chorus_release_task"] {
            calls.extend(
                part.iter().map(|(worker, task)| {
                    Call::tool(*worker, tool, json!({ "taskUuid": model.id(Thing::Task, *task) }))
                }),
            );
        }
    }
    calls
}

fn create_tasks(model: &Model) -> Vec<Call> {
    let tasks: Vec<_> = (0..10)
        .map(|n| {
            let before: Vec<_> = (n > 0).then(|| format!("d{}", n - 1)).into_iter().collect();
            json!({
                "title": format!("Step {n} of the parser"), "description": TEXT, "priority": "medium",
                "draftUuid": format!("d{n}"), "dependsOnDraftUuids": before,
                "acceptanceCriteriaItems": [{ "description": "It works" }, { "description": "It is tested" }],
            })
        })
        .collect();
    let projects: Vec<Uuid> = model.public_projects().collect();
    (0..WORKERS)
        .zip(projects.iter().cycle())
        .map(|(worker, project)| {
            Call::tool(worker, "chorus_create_tasks", json!({ "projectUuid": project, "tasks": tasks }))
        })
        .collect()
}

/// Both halves of what a swarm sends: how often each operation stands in it, beside tasks that are taken and given back.
const IN_HALF_A_SWARM: [(&str, usize); 8] = [
    ("checkin", 8),
    ("get_my_assignments", 20),
    ("get_task", 60),
    ("list_tasks", 28),
    ("search", 20),
    ("add_comment", 24),
    ("report_work", 20),
    ("create_tasks(10)", 4),
];

fn swarm(model: &Model) -> Vec<Call> {
    let mut calls = Vec::new();
    for half in 0..2_u32 {
        let mut rng = model.shape.chance(Thing::Query, u32::MAX - half);
        let mut placed: Vec<(f64, Call)> = Vec::new();
        for (name, times) in IN_HALF_A_SWARM {
            let Some(operation) = Operation::named(name) else { continue };
            let all = (operation.calls)(model);
            let skipped = if half == 0 { 0 } else { all.len() / 2 };
            let of_it = all.iter().cycle().skip(skipped).take(times);
            placed.extend(of_it.map(|call| (rng.random_range(0.0..1.0), call.clone())));
        }
        // As in `claim_task`, one is given back long after it was taken.
        for worker in (0..WORKERS).filter(|worker| worker % 2 == half) {
            for task in model.tasks_of_worker(worker, Status::Open).skip(CLAIMED).take(1) {
                let about = json!({ "taskUuid": model.id(Thing::Task, task) });
                placed.push((rng.random_range(0.0..0.4), Call::tool(worker, "chorus_claim_task", about.clone())));
                placed.push((rng.random_range(0.6..1.0), Call::tool(worker, "chorus_release_task", about)));
            }
        }
        placed.sort_by(|a, b| a.0.total_cmp(&b.0));
        calls.extend(placed.into_iter().map(|(_, call)| call));
    }
    calls
}
