//! Text that would run if it were ever taken for more than text, in every argument of every tool that writes, and then
//! on every page that shows it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use chorus_auth::accounts::LinkKind;
use chorus_dispatch::Registered;
use chorus_domain::{Caller, Kind};
use chorus_ids::{UserId, Uuid};
use chorus_testkit::{Backend, CallResult, Server, Tools};
use chorus_visibility::{Role, Visibility};
use serde_json::{Map, Value, json};

use crate::{
    attack::{SCRIPT, assert_harmless},
    chromium::{Chromium, Tab},
    making::{stage::Stage, valid},
    town,
};

/// Most characters of the title of a report, which may be shorter than others.
const TITLE_OF_REPORT: usize = 200;

/// Texts of a closed form, which are no place for others: ids, cursors, keys.
fn is_closed(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path).trim_end_matches("[]").to_lowercase();
    if ["dependson", "uuid", "uuids"].iter().any(|end| name.ends_with(end)) {
        return true;
    }
    const OTHERS: &[&str] = &[
        "idempotencykey",
        "confirmationtoken",
        "cursor",
        "questionid",
        "selectedoptionid",
        "confirmname",
        "hash",
        "prefix",
        "preset",
        "permissions",
        "wanted",
        "assignee",
        "expiresat",
    ];
    OTHERS.contains(&name.as_str())
}

/// The paths of all arguments that are texts, such as `tasks[].title`.
fn texts(schema: &Value, above: &str, found: &mut Vec<String>) {
    match schema["type"].as_str() {
        Some("object") => {
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
                texts(property, &path, found);
            }
        }
        Some("array") => texts(&schema["items"], &format!("{above}[]"), found),
        Some("string") if schema.get("enum").is_none() => found.push(above.to_owned()),
        _ => {}
    }
}

/// Puts a text where a path leads, also where nothing stands yet; says whether there is such a place.
fn plant(arguments: &mut Map<String, Value>, path: &str, text: &str) -> bool {
    let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
    match (key.strip_suffix("[]"), rest) {
        (None, None) => {
            arguments.insert(key.to_owned(), text.into());
            true
        }
        (Some(key), Some(rest)) => {
            let items = arguments.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten();
            // In the first one only: names have to differ.
            items.filter_map(Value::as_object_mut).any(|item| plant(item, rest, text))
        }
        (None, Some(rest)) => {
            arguments.get_mut(key).and_then(Value::as_object_mut).is_some_and(|inner| plant(inner, rest, text))
        }
        (Some(_), None) => false,
    }
}

/// Every id in a value.
fn ids(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.len() == 36 && text.parse::<Uuid>().is_ok() => {
            found.insert(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| ids(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| ids(field, found)),
        _ => {}
    }
}

/// The same as the name in an e-mail address, which is short and has no blanks.
fn in_address(mark: &str) -> String {
    format!("⟪{mark}⟫\"'><img/src=x/onerror=window.__ran=1>")
}

/// What was planted.
#[derive(Default)]
struct Planted {
    /// By its mark.
    marks: BTreeSet<String>,
    /// The ids that had to do with it, call by call.
    touched: Vec<BTreeSet<String>>,
    /// What took no text, with what it said.
    refused: Vec<(String, Vec<CallResult>)>,
}

/// The text with this mark for an argument at this path.
fn text_of(tool: &str, path: &str, mark: &str) -> String {
    let room = match (tool, path) {
        ("chorus_create_report", "title") => TITLE_OF_REPORT,
        _ => usize::MAX,
    };
    match path.ends_with("url") {
        true => format!("https://example.com/⟪{mark}⟫{}", SCRIPT.replace(' ', "")),
        false => format!("⟪{mark}⟫ {SCRIPT} {}", "Why. ".repeat(20)).chars().take(room).collect(),
    }
}

impl Planted {
    /// Calls a tool once for each of its texts, with arguments with which it succeeds.
    async fn call(&mut self, tools: &Tools, who: &Caller, tool: &Registered, valid: impl AsyncFn() -> Vec<Value>) {
        let name = tool.row.name;
        let mut paths = Vec::new();
        texts(&tool.definition.input_schema, "", &mut paths);
        for path in paths.into_iter().filter(|path| !is_closed(path)) {
            let mark = format!("{}/{path}", name.trim_start_matches("chorus_"));
            let mut answers = Vec::new();
            for mut arguments in valid().await {
                let Some(fields) = arguments.as_object_mut() else { panic!("{name}: {arguments}") };
                if !plant(fields, &path, &text_of(name, &path, &mark)) {
                    continue;
                }
                fields.remove("expectedVersion");
                let answer = tools.call(who, name, arguments.clone()).await;
                if let CallResult::Answer(answer) = &answer {
                    let mut found = BTreeSet::new();
                    ids(answer, &mut found);
                    ids(&arguments, &mut found);
                    self.touched.push(found);
                    self.marks.insert(mark.clone());
                }
                answers.push(answer);
            }
            if !self.marks.contains(&mark) {
                self.refused.push((mark, answers));
            }
        }
    }
}

/// Arguments with which a tool that only people have succeeds; none for one that takes no text.
async fn own_arguments(stage: &Stage, tools: &Tools, person: &Caller, tool: &str) -> Vec<Value> {
    let agent = async || {
        let new = json!({ "name": "Helper", "preset": "developer_agent", "persona": "Calm" });
        match tools.call(person, "console_create_agent", new).await {
            CallResult::Answer(made) => made["uuid"].clone(),
            other => panic!("{other:?}"),
        }
    };
    match tool {
        "console_create_agent" => vec![json!({ "name": "Other", "preset": "developer_agent", "persona": "x" })],
        "console_update_agent" => vec![json!({ "agentUuid": agent().await, "name": "Other", "persona": "x" })],
        "console_create_key" => {
            let prefix = "cho_abcd...wxyz";
            vec![json!({ "agentUuid": agent().await, "hash": "0".repeat(64), "prefix": prefix, "name": "x" })]
        }
        "console_rename_project" => {
            let project = stage.world.project("Renamed", Visibility::Private, &[(stage.ada, Role::Admin)]).await;
            vec![json!({ "projectUuid": project, "name": "x", "description": "x" })]
        }
        "console_edit_proposal" => {
            let proposal = stage.by(&stage.admin).proposal().await;
            vec![json!({ "proposalUuid": proposal, "title": "x", "description": "x" })]
        }
        _ => Vec::new(),
    }
}

/// Plants text in everything that agents and people can write.
async fn plant_everywhere(stage: &Stage) -> (Planted, UserId) {
    let mut planted = Planted::default();
    for tool in stage.tools.surface.tools().iter().filter(|tool| !tool.definition.annotations.read_only) {
        let name = tool.row.name.trim_start_matches("chorus_");
        planted
            .call(&stage.tools, &stage.admin, tool, async || valid::arguments(stage, &stage.admin, name).await)
            .await;
    }
    let surface = Arc::new(chorus_tools_console::surface().unwrap());
    let tools = Tools { surface, services: stage.world.services.clone() };
    let person = stage.world.person_caller(stage.ada).await;
    let own = tools.surface.tools().iter().filter(|tool| tool.row.name.starts_with("console_"));
    for tool in own.filter(|tool| !tool.definition.annotations.read_only) {
        planted.call(&tools, &person, tool, async || own_arguments(stage, &tools, &person, tool.row.name).await).await;
    }
    assert!(planted.refused.is_empty(), "these take no text: {:#?}", planted.refused);
    let person = planted.person(stage, &tools).await;
    (planted, person)
}

impl Planted {
    /// Somebody whose name and address are such texts does something wherever people are named.
    async fn person(&mut self, stage: &Stage, tools: &Tools) -> UserId {
        let name = format!("⟪person/name⟫ {SCRIPT}");
        let address = format!("{}@example.com", in_address("person/email"));
        let user = stage.world.person(&name, address).await;
        stage.world.member(stage.project, user, Role::Editor).await;
        self.marks.extend(["person/name", "person/email"].map(str::to_owned));
        let person = stage.world.person_caller(user).await;
        let task = stage.by(&stage.admin).task().await;
        for (tool, arguments) in [
            ("chorus_claim_task", json!({ "taskUuid": task })),
            ("chorus_add_comment", json!({ "targetType": "task", "targetUuid": task, "content": "Hm" })),
        ] {
            assert!(matches!(tools.call(&person, tool, arguments).await, CallResult::Answer(_)), "{tool}");
        }
        self.touched.push(BTreeSet::from([task]));
        user
    }
}

/// Asks for pages without a browser, which is faster, and keeps those that show a mark which no page of their kind has
/// shown so far.
struct Finder<'s> {
    base: &'s str,
    cookie: String,
    asked: BTreeMap<String, usize>,
    shown: BTreeSet<(String, String)>,
    pages: Vec<String>,
}

impl Finder<'_> {
    /// Asks for a page of this kind; says how many marks are on it that no page of its kind has shown so far.
    async fn ask(&mut self, kind: &str, path: String) -> usize {
        if let Some(new) = self.asked.get(&path) {
            return *new;
        }
        let request = chorus_testkit::http().get(format!("{}{path}", self.base)).header("cookie", &self.cookie);
        let answer = request.send().await.unwrap();
        let is_there = answer.status().is_success();
        let body = answer.text().await.unwrap();
        let marks = body.split('⟪').skip(1).filter_map(|rest| rest.split_once('⟫')).map(|(mark, _)| mark.to_owned());
        let new = marks.filter(|mark| self.shown.insert((kind.to_owned(), mark.clone()))).count();
        if is_there && new > 0 {
            self.pages.push(path.clone());
        }
        let new = if is_there { new } else { 0 };
        self.asked.insert(path, new);
        new
    }
}

/// What stands below a project's address, and the pages that belong to each.
const KINDS: &[(&str, &[&str])] = &[
    ("ideas", &["/edit", "/move", "/delete"]),
    ("proposals", &["/revoke", "/delete"]),
    ("documents", &["/edit", "/delete"]),
    ("tasks", &["/blocked", "/delete"]),
];

/// The same for what stands below the address of no project.
const SPACES: &[(&str, &[&str])] = &[
    ("projects", &["/settings", "/settings/delete"]),
    ("groups", &["/settings", "/settings/delete"]),
    ("agents", &["/edit", "/connect", "/delete"]),
];

/// More pages than the stream of what happened has.
const LONGEST_STREAM: usize = 20;

/// What these ids name in projects, found out at once: asking for a page of each kind would take minutes.
async fn kinds_of(stage: &Stage, touched: &[BTreeSet<String>]) -> BTreeMap<String, Kind> {
    const PIECES: [Kind; 4] = [Kind::Idea, Kind::Proposal, Kind::Document, Kind::Task];
    let ids: BTreeSet<Uuid> = touched.iter().flatten().filter_map(|id| id.parse().ok()).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let mut reads = stage.world.services.store.read().await.unwrap();
    let scope = stage.scope_of(stage.ada);
    let mut known = BTreeMap::new();
    for some in ids.chunks(100) {
        let things: Vec<_> = some.iter().flat_map(|id| PIECES.map(|kind| (kind, *id))).collect();
        let located = reads.directory().locate(scope.as_principal(), &things).await.unwrap();
        known.extend(located.into_iter().map(|located| (located.id.to_string(), located.kind)));
    }
    known
}

/// The pages that show what was planted.
async fn pages(stage: &Stage, base: &str, cookie: String, touched: &[BTreeSet<String>]) -> Vec<String> {
    let (project, agent) = (stage.project.to_string(), stage.admin.subject.uuid().to_string());
    let mut finder = Finder { base, cookie, asked: BTreeMap::new(), shown: BTreeSet::new(), pages: Vec::new() };
    let others = [
        "/waiting/answers",
        "/waiting/review",
        "/waiting/verification",
        "/search?q=script",
        "/notifications?show=all",
        "/projects/{project}?view=tree",
        "/projects/{project}?view=list",
        "/projects/{project}/tasks?view=list",
        "/projects/{project}/tasks?view=graph",
    ];
    // The stream of what happened is long by now.
    for page in 2..=LONGEST_STREAM {
        finder.ask("activity", format!("/projects/{project}/activity?page={page}")).await;
    }
    for path in chorus_console::paths().chain(others) {
        let filled = path.replace("{project}", &project).replace("{agent}", &agent);
        if !filled.contains('{') {
            finder.ask(path, filled).await;
        }
    }
    let known = kinds_of(stage, touched).await;
    for call in touched {
        for id in call {
            match known.get(id) {
                Some(kind) => {
                    let Some((list, below)) = KINDS.iter().find(|(list, _)| *list == format!("{kind}s")) else {
                        continue;
                    };
                    let main = format!("/projects/{project}/{list}/{id}");
                    if finder.ask(list, main.clone()).await == 0 {
                        continue;
                    }
                    for sub in *below {
                        finder.ask(&format!("{list}{sub}"), format!("{main}{sub}")).await;
                    }
                    // Drafts of a proposal are named in the same call.
                    for draft in call.iter().filter(|_| *kind == Kind::Proposal) {
                        for drafts in ["documents", "tasks"] {
                            finder.ask(&format!("draft {drafts}"), format!("{main}/{drafts}/{draft}")).await;
                        }
                    }
                }
                None => {
                    for (kind, below) in SPACES {
                        if finder.ask(kind, format!("/{kind}/{id}")).await > 0 {
                            for sub in *below {
                                finder.ask(&format!("{kind}{sub}"), format!("/{kind}/{id}{sub}")).await;
                            }
                        }
                    }
                }
            }
        }
    }
    finder.pages
}

/// Invites somebody whose name and address are such texts, by the console's form.
async fn invite(tab: &Tab, planted: &mut Planted) {
    tab.goto("/settings/account").await;
    let fields = json!({
        "email": format!("{}@example.com", in_address("invite/email")),
        "name": text_of("invite", "name", "invite/name"),
    });
    let status: u16 = tab
        .eval(&format!(
            "fetch('/settings/account', {{ method: 'POST', body: new URLSearchParams({{ ...{fields}, act: 'invite', \
             _csrf: document.querySelector('[name=_csrf]').value }}) }}).then((answer) => answer.status)"
        ))
        .await;
    assert_eq!(status, 200, "an invitation");
    planted.marks.extend(["invite/name", "invite/email"].map(str::to_owned));
}

/// Looks at a page; the marks on it.
async fn marks_on(tab: &Tab, page: &str) -> Vec<String> {
    tab.requests();
    tab.goto(page).await;
    assert_harmless(tab, page).await;
    tab.eval(
        "(() => { const texts = [document.documentElement.textContent]; \
         for (const one of document.querySelectorAll('[value]')) texts.push(one.getAttribute('value')); \
         for (const one of document.querySelectorAll('a[href]')) texts.push(decodeURIComponent(one.getAttribute('href'))); \
         return [...new Set([...texts.join(' ').matchAll(/⟪([^⟫]+)⟫/g)].map((found) => found[1]))]; })()",
    )
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn no_text_that_anybody_writes_is_ever_more_than_text() {
    let stage = Stage::new(Backend::Sqlite).await;
    let (mut planted, person) = plant_everywhere(&stage).await;
    assert!(planted.marks.len() > 40, "{:?}", planted.marks);
    let server = Server::start(&stage.database).await;
    let chromium = Chromium::launch().await;
    let tab = town::enter(&chromium, server.base(), &town::link(&stage.world, stage.ada, LinkKind::SignIn).await).await;
    invite(&tab, &mut planted).await;
    let (name, value) = tab.session().await;
    let pages = pages(&stage, server.base(), format!("{name}={value}"), &planted.touched).await;
    assert!(pages.len() > 30, "{pages:?}");
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for page in &pages {
        for mark in marks_on(&tab, page).await {
            seen.entry(mark).or_insert_with(|| page.clone());
        }
    }
    let unseen: Vec<&String> = planted.marks.iter().filter(|mark| !seen.contains_key(*mark)).collect();
    assert!(unseen.is_empty(), "no page of {} shows {unseen:?}", pages.len());
    tab.assert_quiet();
    chromium.close().await;

    // Whoever is called so sees their own name on every page.
    let chromium = Chromium::launch().await;
    let tab = town::enter(&chromium, server.base(), &town::link(&stage.world, person, LinkKind::SignIn).await).await;
    for page in ["/", "/settings/account"] {
        assert!(marks_on(&tab, page).await.iter().any(|mark| mark == "person/name"), "{page}");
    }
    chromium.close().await;
}
