//! Tools that go on as tasks (2026-07-28).

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chorus_mcp::{Answer, CallResult, Capability, Changed, InputRequest, Inputs, Request, RpcError, Task, TaskState};
use serde_json::{Map, Value};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::{sync::broadcast, time::sleep};

use crate::rounds::{ask, form, required};

/// How often a client should ask, in milliseconds.
const POLL_MS: u64 = 100;

/// Everything that was started. It is kept until the process ends.
#[derive(Clone, Debug)]
pub(crate) struct Jobs {
    tasks: Arc<Mutex<BTreeMap<String, Job>>>,
    news: broadcast::Sender<Changed>,
}

#[derive(Clone, Debug)]
struct Job {
    task: Task,
    /// The answers that have come so far.
    responses: Map<String, Value>,
}

impl Jobs {
    pub(crate) fn new(news: broadcast::Sender<Changed>) -> Self {
        Self { tasks: Arc::default(), news }
    }

    /// The answer of the tool with this name, if it is one of these.
    pub(crate) async fn call(
        &self,
        request: &Request,
        name: &str,
        arguments: &Map<String, Value>,
        inputs: &Inputs,
    ) -> Option<Answer> {
        let can_follow = request.client.declares(Capability::Tasks);
        let needs_task = || request.client.require([Capability::Tasks]).err().map(Answer::Error);
        match name {
            "slow_compute" => {
                let seconds = arguments.get("seconds").and_then(Value::as_u64).unwrap_or(1);
                let label = arguments.get("label").and_then(Value::as_str).unwrap_or("nothing in particular");
                let result = CallResult::text(format!("Computed {label} for {seconds} seconds."));
                let time = Duration::from_secs(seconds);
                if !can_follow {
                    sleep(time).await;
                    return Some(Answer::Call(result));
                }
                Some(self.run(time, TaskState::Completed(result)))
            }
            "failing_job" => Some(needs_task().unwrap_or_else(|| {
                let failure = CallResult::failure("This job fails on purpose.");
                self.run(Duration::from_secs(1), TaskState::Completed(failure))
            })),
            "protocol_error_job" => {
                Some(needs_task().unwrap_or_else(|| self.run(Duration::ZERO, TaskState::Failed(RpcError::internal()))))
            }
            "confirm_delete" => Some(needs_task().unwrap_or_else(|| {
                let file = arguments.get("filename").and_then(Value::as_str).unwrap_or("the file");
                let question = ask(&format!("Delete {file}?"), "confirm", "boolean");
                self.start(TaskState::InputRequired(BTreeMap::from([("confirm".to_owned(), question)])))
            })),
            "multi_input" => Some(needs_task().unwrap_or_else(|| {
                let questions: BTreeMap<String, InputRequest> = BTreeMap::from([
                    ("first".to_owned(), ask("What is your name?", "name", "string")),
                    ("second".to_owned(), ask("Go on?", "confirm", "boolean")),
                ]);
                self.start(TaskState::InputRequired(questions))
            })),
            "test_tool_with_task" => Some(needs_task().unwrap_or_else(|| match form(inputs, "user_name", "name") {
                Some(name) => {
                    let result = CallResult::text(format!("Hello, {name}!"));
                    self.run(Duration::from_millis(200), TaskState::Completed(result))
                }
                None => required([("user_name", ask("What is your name?", "name", "string"))], None),
            })),
            _ => None,
        }
    }

    pub(crate) fn knows(&self, id: &str) -> bool {
        self.lock().contains_key(id)
    }

    pub(crate) fn get(&self, id: &str) -> Answer {
        match self.lock().get(id) {
            Some(job) => Answer::Task(job.task.clone()),
            None => Answer::Error(RpcError::unknown_task(id)),
        }
    }

    /// Takes the answers that the task waits for, and ends it when all are there.
    pub(crate) fn update(&self, id: &str, responses: &Map<String, Value>) -> Answer {
        let left = {
            let mut jobs = self.lock();
            let Some(job) = jobs.get_mut(id) else { return Answer::Error(RpcError::unknown_task(id)) };
            let TaskState::InputRequired(mut open) = job.task.state.clone() else { return Answer::Done };
            for (key, response) in responses {
                if open.remove(key).is_some() {
                    job.responses.insert(key.clone(), response.clone());
                }
            }
            if open.is_empty() {
                let given: Vec<_> = job.responses.iter().map(|(key, response)| format!("{key}: {response}")).collect();
                TaskState::Completed(CallResult::text(given.join("\n")))
            } else {
                TaskState::InputRequired(open)
            }
        };
        self.settle(id, left);
        Answer::Done
    }

    /// Gives the task up, unless it has ended.
    pub(crate) fn cancel(&self, id: &str) -> Answer {
        if !self.knows(id) {
            return Answer::Error(RpcError::unknown_task(id));
        }
        self.settle(id, TaskState::Cancelled);
        Answer::Done
    }

    /// A task that comes to `end` after a while.
    fn run(&self, time: Duration, end: TaskState) -> Answer {
        let started = self.start(TaskState::Working);
        if let Answer::Started(task) = &started {
            let (jobs, id) = (self.clone(), task.id.clone());
            tokio::spawn(async move {
                sleep(time).await;
                jobs.settle(&id, end);
            });
        }
        started
    }

    /// Stores a new task, so that it can be asked for at once.
    fn start(&self, state: TaskState) -> Answer {
        let id = format!("{:032x}", rand::random::<u128>());
        let now = now();
        let task = Task {
            id: id.clone(),
            state,
            status_message: None,
            created_at: now.clone(),
            last_updated_at: now,
            ttl_ms: None,
            poll_interval_ms: Some(POLL_MS),
        };
        self.lock().insert(id, Job { task: task.clone(), responses: Map::new() });
        Answer::Started(task)
    }

    /// Moves a task on that has not ended, and tells whoever listens.
    fn settle(&self, id: &str, state: TaskState) {
        let mut jobs = self.lock();
        let Some(job) = jobs.get_mut(id) else { return };
        match job.task.state {
            TaskState::Working | TaskState::InputRequired(_) => {
                job.task.state = state;
                job.task.last_updated_at = now();
                // It is no loss if nobody listens.
                let _ = self.news.send(Changed::Task(job.task.clone()));
            }
            TaskState::Completed(_) | TaskState::Failed(_) | TaskState::Cancelled => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Job>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn now() -> String {
    OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default()
}
