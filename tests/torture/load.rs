//! Writers that note what they were told is done, and whether it is.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use chorus_testkit::Client;
use rand::{Rng as _, rngs::StdRng};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::{
    calling::{Said, call},
    scale,
};

/// Tasks of one batch.
const BATCH: usize = 4;
/// How long a call that is repeated rests in between.
const REST: Duration = Duration::from_millis(15);
/// How long a call is repeated at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// Writers at work.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    acknowledged: Arc<AtomicUsize>,
    writers: Vec<JoinHandle<Noted>>,
}

/// What one writer was told.
#[derive(Default)]
pub(crate) struct Noted {
    /// Batches of tasks, by the names that their titles begin with.
    batches: BTreeSet<String>,
    /// The last title that a task was given.
    titles: BTreeMap<String, String>,
    /// Comments with a key, each written once.
    keyed: BTreeSet<String>,
    /// Comments without one, and whether their writing was acknowledged.
    bare: BTreeMap<String, bool>,
    /// Calls with a key, each with its answer.
    answers: Vec<(&'static str, Value, Value)>,
    /// Calls that were not answered at first.
    repeated: usize,
}

impl Load {
    /// Lets so many writers begin, each on an idea of its own in this project.
    pub(crate) async fn begin(client: &Client, project: &str, count: u64, seed: u64) -> Self {
        let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut writers = Vec::new();
        for number in 0..count {
            let idea = json!({ "projectUuid": project, "title": format!("writer {number}") });
            let idea = client.call("chorus_pm_create_idea", idea).await.ok()["uuid"].clone();
            let writer = Writer {
                client: client.clone(),
                project: project.to_owned(),
                idea,
                number,
                random: scale::random(seed, number + 1),
                noted: Noted::default(),
                tasks: Vec::new(),
                calls: 0,
                acknowledged: Arc::clone(&acknowledged),
            };
            writers.push(tokio::spawn(writer.run(Arc::clone(&stop))));
        }
        Self { stop, acknowledged, writers }
    }

    /// How many calls have been acknowledged so far.
    pub(crate) fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::Relaxed)
    }

    /// Lets each writer finish its call, and says what they noted.
    pub(crate) async fn end(self) -> Vec<Noted> {
        self.stop.store(true, Ordering::Relaxed);
        let mut noted = Vec::new();
        for writer in self.writers {
            noted.push(writer.await.unwrap());
        }
        noted
    }
}

struct Writer {
    client: Client,
    project: String,
    idea: Value,
    number: u64,
    random: StdRng,
    noted: Noted,
    tasks: Vec<String>,
    calls: u64,
    acknowledged: Arc<AtomicUsize>,
}

impl Writer {
    async fn run(mut self, stop: Arc<AtomicBool>) -> Noted {
        while !stop.load(Ordering::Relaxed) {
            self.calls += 1;
            match self.random.random_range(0..8) {
                0..3 => self.create().await,
                3..5 => self.comment().await,
                5 => self.comment_without_a_key().await,
                _ => self.rename().await,
            }
        }
        self.noted
    }

    fn name(&self) -> String {
        format!("w{}-{}", self.number, self.calls)
    }

    /// A batch of tasks, each waiting for the one before it.
    async fn create(&mut self) {
        let name = self.name();
        let tasks: Vec<Value> = (0..BATCH)
            .map(|index| {
                let before: Vec<String> = index.checked_sub(1).iter().map(|before| format!("d{before}")).collect();
                json!({
                    "title": format!("{name} {index}"), "draftUuid": format!("d{index}"),
                    "dependsOnDraftUuids": before, "acceptanceCriteriaItems": [{ "description": "It works" }]
                })
            })
            .collect();
        let made = self.keyed("chorus_create_tasks", json!({ "projectUuid": self.project, "tasks": tasks })).await;
        let made = made["tasks"].as_array().unwrap();
        assert_eq!(made.len(), BATCH);
        self.tasks.extend(made.iter().map(|task| task["uuid"].as_str().unwrap().to_owned()));
        self.noted.batches.insert(name);
    }

    async fn comment(&mut self) {
        let text = self.name();
        self.keyed("chorus_add_comment", self.saying(&text)).await;
        self.noted.keyed.insert(text);
    }

    /// What is lost here stays lost: whether it is done has to be looked up.
    async fn comment_without_a_key(&mut self) {
        let text = self.name();
        let said = call(&self.client, "chorus_add_comment", &self.saying(&text)).await;
        let done = matches!(said, Said::Answer(_));
        assert!(!matches!(said, Said::Refused(..)), "{said:?}");
        if done {
            self.acknowledged.fetch_add(1, Ordering::Relaxed);
        } else {
            tokio::time::sleep(REST).await;
        }
        self.noted.bare.insert(text, done);
    }

    fn saying(&self, text: &str) -> Value {
        json!({ "targetType": "idea", "targetUuid": self.idea, "content": text })
    }

    async fn rename(&mut self) {
        if self.tasks.is_empty() {
            return;
        }
        let task = self.tasks[self.random.random_range(0..self.tasks.len())].clone();
        let title = format!("renamed {}", self.name());
        let answer = self.keyed("chorus_update_task", json!({ "taskUuid": task, "title": title })).await;
        assert_eq!(answer["title"], json!(title));
        self.noted.titles.insert(task, title);
    }

    /// Calls with a key until there is an answer.
    async fn keyed(&mut self, tool: &'static str, mut arguments: Value) -> Value {
        arguments["idempotencyKey"] = json!(format!("{}-{}", self.number, self.calls));
        let began = tokio::time::Instant::now();
        loop {
            match call(&self.client, tool, &arguments).await {
                Said::Answer(answer) => {
                    self.acknowledged.fetch_add(1, Ordering::Relaxed);
                    self.noted.answers.push((tool, arguments, answer.clone()));
                    return answer;
                }
                Said::Later | Said::Lost => {
                    self.noted.repeated += 1;
                    assert!(began.elapsed() < PATIENCE, "no answer for a minute: {tool} {arguments}");
                    tokio::time::sleep(REST).await;
                }
                refused @ Said::Refused(..) => panic!("{refused:?}: {tool} {arguments}"),
            }
        }
    }
}

/// How often calls were repeated.
pub(crate) fn repeated(noted: &[Noted]) -> usize {
    noted.iter().map(|noted| noted.repeated).sum()
}

/// Passes if what was acknowledged is there once, what was not is there once or not at all, and each batch is whole.
pub(crate) async fn check(client: &Client, project: &str, noted: &[Noted], random: &mut StdRng) {
    let tasks = rows(client, "chorus_list_tasks", json!({ "projectUuid": project }), "tasks").await;
    let titles: BTreeMap<&str, &str> =
        tasks.iter().map(|task| (task["uuid"].as_str().unwrap(), task["title"].as_str().unwrap())).collect();
    assert_eq!(titles.len(), tasks.len(), "a task is listed twice");
    let mut batches = 0;
    for noted in noted {
        batches += noted.batches.len();
        for (task, title) in &noted.titles {
            assert_eq!(titles.get(task.as_str()), Some(&title.as_str()), "an acknowledged title of {task} is gone");
        }
        for (tool, _, answer) in noted.answers.iter().filter(|(tool, ..)| *tool == "chorus_create_tasks") {
            for task in answer["tasks"].as_array().unwrap() {
                assert!(titles.contains_key(task["uuid"].as_str().unwrap()), "{tool}: {task} is gone");
            }
        }
    }
    assert_eq!(tasks.len(), batches * BATCH, "a batch was made twice, or in part");

    let ideas = rows(client, "chorus_get_ideas", json!({ "projectUuid": project }), "ideas").await;
    let mut found = BTreeMap::<String, usize>::new();
    for idea in &ideas {
        let target = json!({ "targetType": "idea", "targetUuid": idea["uuid"] });
        for comment in rows(client, "chorus_get_comments", target, "comments").await {
            *found.entry(comment["content"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    for noted in noted {
        for text in &noted.keyed {
            assert_eq!(found.remove(text), Some(1), "{text} was written with a key");
        }
        for (text, acknowledged) in &noted.bare {
            let count = found.remove(text).unwrap_or_default();
            assert!(count == 1 || (count == 0 && !acknowledged), "{text}: {count}, acknowledged: {acknowledged}");
        }
    }
    assert!(found.is_empty(), "nobody wrote {found:?}");

    for noted in noted {
        for _ in 0..noted.answers.len().min(10) {
            let (tool, arguments, answer) = &noted.answers[random.random_range(0..noted.answers.len())];
            assert_eq!(call(client, tool, arguments).await, Said::Answer(answer.clone()), "{tool} {arguments}");
        }
    }
}

/// Every row of a list, by cursor.
pub(crate) async fn rows(client: &Client, tool: &str, mut arguments: Value, key: &str) -> Vec<Value> {
    let mut all = Vec::new();
    arguments["pageSize"] = json!(100);
    loop {
        let page = client.call(tool, arguments.clone()).await.ok();
        all.extend(page[key].as_array().unwrap().iter().cloned());
        match page.get("nextCursor") {
            Some(Value::String(cursor)) => arguments["cursor"] = json!(cursor),
            _ => return all,
        }
    }
}
