//! What came of the plans.

use std::{collections::BTreeMap, time::Duration};

use chorus_testkit::Client;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    Field,
    plan::{Deed, Plan, Sent, Step},
};
use crate::calling::{Said, call};

/// A call that was answered.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    /// The number of the client.
    pub(super) client: usize,
    /// The number of the task.
    pub(super) task: usize,
    pub(super) deed: Deed,
    /// What tells this call from every other.
    pub(super) name: String,
    /// The version that was named as the expected one.
    pub(super) expected: Option<i64>,
    /// When it began and when it had been answered, since the beginning of all.
    pub(super) began: Duration,
    pub(super) ended: Duration,
    /// The answer, or code and details of the refusal.
    pub(super) said: Result<Value, (String, Value)>,
}

/// All calls.
pub(crate) struct History {
    pub(crate) calls: Vec<Done>,
}

impl History {
    /// Runs each plan with a client of its own, all at once.
    pub(super) async fn of(field: &Field, plans: Vec<Plan>) -> Self {
        let start = Instant::now();
        let runs: Vec<_> = plans
            .into_iter()
            .enumerate()
            .map(|(number, plan)| {
                let actor = Actor {
                    number,
                    servers: (0..field.servers.len()).map(|server| field.client(server, number)).collect(),
                    tasks: field.tasks.clone(),
                    agents: field.agents.iter().map(|(id, _)| id.clone()).collect(),
                    seen: BTreeMap::new(),
                    start,
                    calls: Vec::new(),
                };
                tokio::spawn(actor.run(plan))
            })
            .collect();
        let mut calls = Vec::new();
        for run in runs {
            calls.extend(run.await.unwrap());
        }
        Self { calls }
    }

    pub(crate) fn refused(&self) -> usize {
        self.calls.iter().filter(|done| done.said.is_err()).count()
    }
}

struct Actor {
    number: usize,
    /// Itself on each of the servers.
    servers: Vec<Client>,
    tasks: Vec<String>,
    agents: Vec<String>,
    /// The version of each task when it was last seen.
    seen: BTreeMap<usize, i64>,
    start: Instant,
    calls: Vec<Done>,
}

impl Actor {
    async fn run(mut self, plan: Plan) -> Vec<Done> {
        for (number, step) in plan.steps.into_iter().enumerate() {
            self.take(number, &step).await;
        }
        self.calls
    }

    async fn take(&mut self, number: usize, step: &Step) {
        let name = format!("c{}-{number}", self.number);
        let expected = match step.deed {
            Deed::RenameIfUnchanged => Some(self.seen.get(&step.task).copied().unwrap_or(1)),
            _ => None,
        };
        let (tool, mut arguments) = self.words(step, &name, expected);
        if step.deed != Deed::Read {
            arguments["idempotencyKey"] = json!(name);
        }
        let note = Done {
            client: self.number,
            task: step.task,
            deed: step.deed,
            name,
            expected,
            began: self.start.elapsed(),
            ended: Duration::ZERO,
            said: Ok(Value::Null),
        };
        let (here, there) = (self.server(step.server), self.server(step.server + 1));
        match step.sent {
            Sent::Once => {
                let said = answered(here, tool, &arguments).await;
                self.keep(note, said);
            }
            Sent::Twice => {
                let both = tokio::join!(answered(here, tool, &arguments), answered(there, tool, &arguments));
                match both {
                    // One call, told twice; a read may tell two things.
                    (Ok(one), Ok(two)) if step.deed != Deed::Read => {
                        assert_eq!(one, two, "{note:?} was done twice");
                        self.keep(note, Ok(one));
                    }
                    (one, two) => {
                        self.keep(note.clone(), one);
                        self.keep(note, two);
                    }
                }
            }
            Sent::Again => {
                let first = answered(here, tool, &arguments).await;
                let done = first.is_ok() && step.deed != Deed::Read;
                self.keep(note.clone(), first.clone());
                let began = self.start.elapsed();
                let second = answered(self.server(step.server + 1), tool, &arguments).await;
                if done {
                    assert_eq!(second, first, "{note:?} was done twice");
                } else {
                    self.keep(Done { began, ..note }, second);
                }
            }
        }
    }

    fn server(&self, number: usize) -> &Client {
        &self.servers[number % self.servers.len()]
    }

    fn keep(&mut self, note: Done, said: Result<Value, (String, Value)>) {
        if let Some(version) = said.as_ref().ok().and_then(|answer| answer["version"].as_i64()) {
            self.seen.insert(note.task, version);
        }
        self.calls.push(Done { ended: self.start.elapsed(), said, ..note });
    }

    fn words(&self, step: &Step, name: &str, expected: Option<i64>) -> (&'static str, Value) {
        let task = &self.tasks[step.task];
        let only = json!({ "taskUuid": task });
        match step.deed {
            Deed::Read => ("chorus_get_task", only),
            Deed::Claim => ("chorus_claim_task", only),
            Deed::Release => ("chorus_release_task", only),
            Deed::Assign(agent) => {
                ("chorus_pm_assign_task", json!({ "taskUuid": task, "agentUuid": self.agents[agent] }))
            }
            Deed::Start => ("chorus_update_task", json!({ "taskUuid": task, "status": "in_progress" })),
            Deed::Report => ("chorus_report_work", json!({ "taskUuid": task, "report": name })),
            Deed::ReportSubmit => {
                ("chorus_report_work", json!({ "taskUuid": task, "report": name, "status": "to_verify" }))
            }
            Deed::Submit => ("chorus_submit_for_verify", only),
            Deed::Verify => ("chorus_admin_verify_task", only),
            Deed::Reopen => ("chorus_admin_reopen_task", only),
            Deed::Close => ("chorus_admin_close_task", only),
            Deed::Rename => ("chorus_update_task", json!({ "taskUuid": task, "title": name })),
            Deed::RenameIfUnchanged => {
                ("chorus_update_task", json!({ "taskUuid": task, "title": name, "expectedVersion": expected }))
            }
            Deed::Wait(other) => {
                ("chorus_update_task", json!({ "taskUuid": task, "addDependsOn": [self.tasks[other]] }))
            }
            Deed::WaitNoMore(other) => {
                ("chorus_update_task", json!({ "taskUuid": task, "removeDependsOn": [self.tasks[other]] }))
            }
            Deed::Comment => {
                ("chorus_add_comment", json!({ "targetType": "task", "targetUuid": task, "content": name }))
            }
        }
    }
}

/// Calls until there is an answer, which a server that is not killed gives at once unless it lost many races.
async fn answered(client: &Client, tool: &str, arguments: &Value) -> Result<Value, (String, Value)> {
    for _ in 0..50 {
        match call(client, tool, arguments).await {
            Said::Answer(answer) => return Ok(answer),
            Said::Refused(code, _, details) => return Err((code, details)),
            Said::Later | Said::Lost => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    panic!("no answer: {tool} {arguments}");
}
