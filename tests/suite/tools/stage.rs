//! Where the tools are tried: a private project, three people in it, an agent of each, and checks that every answer
//! has to pass.

use chorus_domain::{Assignment, Caller, Party, Write, idea::Idea, notification::Notification, task::Task};
use chorus_ids::{IdeaId, ProjectId, TaskId, UserId, Uuid};
use chorus_lifecycle::task::TaskStatus;
use chorus_testkit::{Backend, CallResult, Database, Tools, World, check_answer, check_refusal};
use chorus_visibility::{Principal, Restriction, Role, Scope, Visibility, scope};
use serde_json::{Value, json};

use super::maker::Maker;

/// A private project with people and agents. The company's first user is none of them and has no part in it.
pub(crate) struct Stage {
    /// The database.
    pub(crate) database: Database,
    /// The company.
    pub(crate) world: World,
    /// The surface.
    pub(crate) tools: Tools,
    /// The project's id.
    pub(crate) project: ProjectId,
    /// An editor, owner of `pm`.
    pub(crate) pat: UserId,
    /// An editor, owner of `dev`.
    pub(crate) dora: UserId,
    /// The project's administrator, owner of `admin`.
    pub(crate) ada: UserId,
    /// An agent with the preset for planning.
    pub(crate) pm: Caller,
    /// An agent with the preset for working on tasks.
    pub(crate) dev: Caller,
    /// An agent with every permission.
    pub(crate) admin: Caller,
}

/// A refusal as a test looks at it.
#[derive(Debug)]
pub(crate) struct Refused {
    /// The sentence; of what is not found only its beginning, since the next step is the same wherever it is missing.
    pub(crate) text: String,
    /// The facts for machines.
    pub(crate) details: Value,
}

impl Refused {
    /// The places of all problems.
    #[track_caller]
    pub(crate) fn fields(&self) -> Vec<&str> {
        let problems = self.details["problems"].as_array().unwrap_or_else(|| panic!("no problems: {self:?}"));
        problems.iter().map(|problem| problem["field"].as_str().unwrap()).collect()
    }
}

/// What the project is called.
pub(crate) const PROJECT: &str = "Compiler";

impl Stage {
    /// A new one.
    pub(crate) async fn new(backend: Backend) -> Self {
        let database = Database::fresh(backend).await;
        let services = database.services().await;
        let world = World::new(services.clone()).await;
        let (pat, dora, ada) = (world.user("pat").await, world.user("dora").await, world.user("ada").await);
        let members = [(pat, Role::Editor), (dora, Role::Editor), (ada, Role::Admin)];
        let project = world.project(PROJECT, Visibility::Private, &members).await;
        Self {
            pm: world.new_caller("pm", Some(pat), &["pm_agent"], &[]).await,
            dev: world.new_caller("dev", Some(dora), &["developer_agent"], &[]).await,
            admin: world.new_caller("admin", Some(ada), &["admin_agent"], &[]).await,
            tools: Tools::new(services),
            database,
            world,
            project,
            pat,
            dora,
            ada,
        }
    }

    /// An id that names nothing.
    pub(crate) fn nothing(&self) -> String {
        self.world.id::<TaskId>().to_string()
    }

    /// Makes things in the project as this caller.
    pub(crate) fn by<'a>(&'a self, who: &'a Caller) -> Maker<'a> {
        Maker::new(self, who, self.project.to_string())
    }

    /// An agent with every permission whose owner has this role in the project, or none.
    pub(crate) async fn agent_of(&self, name: &str, role: Option<Role>) -> Caller {
        let owner = self.world.user(&format!("{name}-owner")).await;
        if let Some(role) = role {
            self.world.member(self.project, owner, role).await;
        }
        self.world.new_caller(name, Some(owner), &["admin_agent"], &[]).await
    }

    /// Calls `chorus_TOOL` and checks the form of what comes back.
    pub(crate) async fn call(&self, who: &Caller, tool: &str, arguments: Value) -> CallResult {
        let result = self.tools.call(who, &format!("chorus_{tool}"), arguments).await;
        match &result {
            CallResult::Answer(answer) => check_answer(&format!("chorus_{tool}"), answer),
            CallResult::Refused(text, error) => {
                check_refusal(&format!("chorus_{tool}"), text, error);
                check_words(tool, text, error);
            }
            CallResult::Protocol(_) => {}
        }
        result
    }

    /// The answer of a call that has to succeed.
    pub(crate) async fn ok(&self, who: &Caller, tool: &str, arguments: Value) -> Value {
        match self.call(who, tool, arguments.clone()).await {
            CallResult::Answer(answer) => answer,
            other => panic!("{tool} {arguments}: {other:?}"),
        }
    }

    /// The refusal of a call that has to be refused with this code.
    pub(crate) async fn refused(&self, who: &Caller, tool: &str, arguments: Value, code: &str) -> Refused {
        match self.call(who, tool, arguments.clone()).await {
            CallResult::Refused(text, error) if error["code"] == code => {
                let text = if code == "not_found" { missing(&text).to_owned() } else { text };
                Refused { text, details: error["details"].clone() }
            }
            other => panic!("{tool} {arguments} instead of {code}: {other:?}"),
        }
    }

    /// Passes if the tool does not exist for this caller.
    pub(crate) async fn unknown(&self, who: &Caller, tool: &str) {
        let result = self.call(who, tool, json!({})).await;
        assert_eq!(result, CallResult::Protocol(json!({ "code": -32602 })), "{tool}");
    }

    /// What a caller's store sees.
    pub(crate) fn scope_of(&self, user: UserId) -> Scope {
        let first_user = Some(self.world.first_user);
        scope(&Principal { company: self.world.company, user: Some(user), first_user }, Restriction::Everything)
    }

    /// The unread notifications of somebody whose access is that of `user`, newest first.
    pub(crate) async fn unread(&self, recipient: Party, user: UserId) -> Vec<Notification> {
        let mut reads = self.world.services.store.read().await.unwrap();
        reads.unread(&self.scope_of(user), recipient, 100).await.unwrap().recent
    }

    /// Changes an idea as an import would, where no tool of this stage can.
    pub(crate) async fn edit_idea(&self, idea: &str, edit: impl FnOnce(&mut Idea)) {
        let id = IdeaId::from_uuid(uuid(idea));
        let found = self.world.services.store.read().await.unwrap().idea(&self.scope_of(self.ada), id).await;
        let mut idea = found.unwrap().unwrap();
        edit(&mut idea);
        idea.version += 1;
        self.world.write(vec![Write::SaveIdea(idea)]).await;
    }

    /// The same with a task.
    pub(crate) async fn edit_task(&self, task: &str, edit: impl FnOnce(&mut Task)) {
        let id = TaskId::from_uuid(uuid(task));
        let found = self.world.services.store.read().await.unwrap().task(&self.scope_of(self.ada), id).await;
        let mut task = found.unwrap().unwrap();
        edit(&mut task);
        task.version += 1;
        self.world.write(vec![Write::SaveTask(task)]).await;
    }

    /// Gives an idea to somebody.
    pub(crate) async fn give_idea(&self, idea: &str, to: Party) {
        let at = self.world.now();
        self.edit_idea(idea, |idea| idea.assignee = Some(Assignment { to, at, by: None })).await;
    }

    /// Gives a task to somebody who has not begun with it.
    pub(crate) async fn give_task(&self, task: &str, to: Party) {
        let at = self.world.now();
        self.edit_task(task, |task| {
            task.assignee = Some(Assignment { to, at, by: None });
            task.status = TaskStatus::Assigned;
        })
        .await;
    }
}

/// `Task not found` of the sentence that says so, which has to go on with a tool that shows what there is. Other
/// sentences about what is missing are left whole; they have to name what to do in their own words.
///
/// # Panics
/// If there is no next step.
#[track_caller]
pub(crate) fn missing(text: &str) -> &str {
    let next = |rest: &str| (rest.contains("chorus_") || rest.contains('`')) && rest.ends_with('.');
    match text.split_once("; ").filter(|(missing, _)| missing.ends_with(" not found")) {
        Some((missing, rest)) => {
            assert!(rest.contains("chorus_") && next(rest), "no next step: {text}");
            missing
        }
        None => {
            assert!(text.split_once(". ").is_some_and(|(_, rest)| next(rest)), "no next step: {text}");
            text
        }
    }
}

/// The id in a text.
pub(crate) fn uuid(text: &str) -> Uuid {
    text.parse().unwrap_or_else(|_| panic!("{text} is no id"))
}

/// A text in an answer.
#[track_caller]
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// The rows of a list under a key.
#[track_caller]
pub(crate) fn rows<'v>(answer: &'v Value, key: &str) -> &'v Vec<Value> {
    answer[key].as_array().unwrap_or_else(|| panic!("no `{key}` in {answer}"))
}

/// The ids of rows, in their order.
#[track_caller]
pub(crate) fn uuids(answer: &Value, key: &str) -> Vec<String> {
    rows(answer, key).iter().map(|row| text(&row["uuid"])).collect()
}

/// The rows of a list in the order of their names: ids of one moment have none.
#[track_caller]
pub(crate) fn by_name(list: &mut Value) {
    list.as_array_mut().unwrap_or_else(|| panic!("no list")).sort_by_key(|row| text(&row["name"]));
}

/// The caller as actors are shown.
pub(crate) fn actor(who: &Caller) -> Value {
    json!({ "type": "agent", "uuid": who.subject.uuid(), "name": who.name })
}

/// The caller as the holder of what it claimed.
pub(crate) fn holder(who: &Caller) -> Value {
    json!({
        "type": "agent", "uuid": who.subject.uuid(), "name": who.name, "assignedAt": "<time>", "assignedBy": null
    })
}

/// Words that only the inside of the server uses.
const INSIDE: [&str; 20] = [
    "sql",
    "SQL",
    "diesel",
    "postgres",
    "relation ",
    "constraint",
    "column",
    "violates",
    "::",
    "Some(",
    "None,",
    "Err(",
    ".rs",
    "/work",
    "/home",
    "panic",
    "Uuid(",
    "Timestamp",
    "serde",
    "struct ",
];

/// What every refusal keeps to: a known code, a sentence, nothing from inside the server (README decisions 10 and 11).
fn check_words(tool: &str, text: &str, error: &Value) {
    let code = error["code"].as_str().unwrap();
    assert!(chorus_domain::Code::ALL.iter().any(|known| known.as_str() == code), "{tool}: {code}");
    assert_eq!(error["retryable"], false, "{tool}: {text}");
    assert!(text.chars().count() > 8, "{tool}: {text}");
    let all = format!("{text} {error}");
    for word in INSIDE {
        assert!(!all.contains(word), "{tool} speaks of {word:?}: {all}");
    }
}
