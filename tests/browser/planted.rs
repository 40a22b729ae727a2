//! Text that would run if it were ever taken for more than text, in every argument of every tool that writes, and then
//! on every page that shows it.

use std::collections::{BTreeMap, BTreeSet};

use chorus_auth::accounts::LinkKind;
use chorus_testkit::{Backend, CallResult, Server};
use serde_json::{Map, Value};

use crate::{
    attack::{SCRIPT, assert_harmless},
    chromium::Chromium,
    making::{stage::Stage, valid},
    town,
};

/// Most characters of the title of a report, which may be shorter than others.
const TITLE_OF_REPORT: usize = 200;

/// Texts of a closed form, which are no place for others: ids, cursors, keys.
fn is_closed(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path).trim_end_matches("[]").to_lowercase();
    name.ends_with("dependson")
        || name.ends_with("uuid")
        || name.ends_with("uuids")
        || ["idempotencykey", "confirmationtoken", "cursor", "questionid", "selectedoptionid"].contains(&name.as_str())
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
        Value::String(text) if text.len() == 36 && text.parse::<chorus_ids::Uuid>().is_ok() => {
            found.insert(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| ids(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| ids(field, found)),
        _ => {}
    }
}

/// Calls every tool that writes once for each of its texts. What was planted, by its mark, and the ids that had to do
/// with it, call by call.
async fn plant_everywhere(stage: &Stage) -> (BTreeSet<String>, Vec<BTreeSet<String>>) {
    let (mut planted, mut touched) = (BTreeSet::new(), Vec::new());
    let mut refused = Vec::new();
    for tool in stage.tools.surface.tools().iter().filter(|tool| !tool.definition.annotations.read_only) {
        let name = tool.row.name.trim_start_matches("chorus_");
        let mut paths = Vec::new();
        texts(&tool.definition.input_schema, "", &mut paths);
        for path in paths.into_iter().filter(|path| !is_closed(path)) {
            let mark = format!("{name}/{path}");
            let mut answers = Vec::new();
            for mut arguments in valid::arguments(stage, &stage.admin, name).await {
                let Some(fields) = arguments.as_object_mut() else { panic!("{name}: {arguments}") };
                let room = if tool.row.name == "chorus_create_report" && path == "title" {
                    TITLE_OF_REPORT
                } else {
                    usize::MAX
                };
                let text = match path.ends_with("url") {
                    true => format!("https://example.com/⟪{mark}⟫{}", SCRIPT.replace(' ', "")),
                    false => format!("⟪{mark}⟫ {SCRIPT} {}", "Why. ".repeat(20)).chars().take(room).collect(),
                };
                if !plant(fields, &path, &text) {
                    continue;
                }
                fields.remove("expectedVersion");
                let answer = stage.tools.call(&stage.admin, tool.row.name, arguments.clone()).await;
                if let CallResult::Answer(answer) = &answer {
                    let mut found = BTreeSet::new();
                    ids(answer, &mut found);
                    ids(&arguments, &mut found);
                    touched.push(found);
                    planted.insert(mark.clone());
                }
                answers.push(answer);
            }
            if !planted.contains(&mark) {
                refused.push((mark, answers));
            }
        }
    }
    assert!(refused.is_empty(), "these take no text: {refused:#?}");
    (planted, touched)
}

/// Asks for pages without a browser, which is faster, and keeps those that show a mark which no page of their kind has
/// shown so far.
struct Finder<'s> {
    base: &'s str,
    cookie: String,
    asked: BTreeMap<String, bool>,
    shown: BTreeSet<(String, String)>,
    pages: Vec<String>,
}

impl Finder<'_> {
    /// Asks for a page of this kind; says whether it is there.
    async fn ask(&mut self, kind: &str, path: String) -> bool {
        if let Some(is_there) = self.asked.get(&path) {
            return *is_there;
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
        self.asked.insert(path, is_there);
        is_there
    }
}

/// What stands below a project's address, and the pages that belong to each.
const KINDS: &[(&str, &[&str])] = &[
    ("ideas", &["/edit", "/move", "/delete"]),
    ("proposals", &["/revoke", "/delete"]),
    ("documents", &["/edit", "/delete"]),
    ("tasks", &["/blocked", "/delete"]),
];

/// More pages than the stream of what happened has.
const LONGEST_STREAM: usize = 20;

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
    for call in touched {
        for id in call {
            for (kind, below) in KINDS {
                let main = format!("/projects/{project}/{kind}/{id}");
                if !finder.ask(kind, main.clone()).await {
                    continue;
                }
                for sub in *below {
                    finder.ask(&format!("{kind}{sub}"), format!("{main}{sub}")).await;
                }
                // Drafts of a proposal are named in the same call.
                for draft in call.iter().filter(|_| *kind == "proposals") {
                    for drafts in ["documents", "tasks"] {
                        finder.ask(&format!("draft {drafts}"), format!("{main}/{drafts}/{draft}")).await;
                    }
                }
            }
            for kind in ["projects", "groups"] {
                if finder.ask(kind, format!("/{kind}/{id}")).await {
                    for sub in ["settings", "settings/delete"] {
                        finder.ask(&format!("{kind} {sub}"), format!("/{kind}/{id}/{sub}")).await;
                    }
                }
            }
        }
    }
    finder.pages
}

#[tokio::test(flavor = "multi_thread")]
async fn no_text_that_any_tool_takes_is_ever_more_than_text() {
    let stage = Stage::new(Backend::Sqlite).await;
    let (planted, touched) = plant_everywhere(&stage).await;
    assert!(planted.len() > 40, "{planted:?}");
    let server = Server::start(&stage.database).await;
    let chromium = Chromium::launch().await;
    let tab = town::enter(&chromium, server.base(), &town::link(&stage.world, stage.ada, LinkKind::SignIn).await).await;
    let (name, value) = tab.session().await;
    let pages = pages(&stage, server.base(), format!("{name}={value}"), &touched).await;
    assert!(pages.len() > 30, "{pages:?}");
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for page in &pages {
        tab.requests();
        tab.goto(page).await;
        assert_harmless(&tab, page).await;
        let marks: Vec<String> = tab
            .eval(
                "(() => { const texts = [document.documentElement.textContent]; \
                 for (const one of document.querySelectorAll('[value]')) texts.push(one.getAttribute('value')); \
                 for (const one of document.querySelectorAll('a[href]')) texts.push(decodeURIComponent(one.getAttribute('href'))); \
                 return [...new Set([...texts.join(' ').matchAll(/⟪([^⟫]+)⟫/g)].map((found) => found[1]))]; })()",
            )
            .await;
        for mark in marks {
            seen.entry(mark).or_insert_with(|| page.clone());
        }
    }
    let unseen: Vec<&String> = planted.iter().filter(|mark| !seen.contains_key(*mark)).collect();
    assert!(unseen.is_empty(), "no page of {} shows {unseen:?}", pages.len());
    tab.assert_quiet();
    chromium.close().await;
}
