//! A server's console with a database, people, and their browsers.

use std::sync::Arc;

use bytes::Bytes;
use chorus_auth::{
    Moment,
    accounts::{Accounts, Client, Lasting, LinkKind, NewToken, create_link},
};
use chorus_console::{Console, Settings};
use chorus_domain::{Caller, Party, Subject, Write, task::Task};
use chorus_http::{Peer, Shown, Site};
use chorus_ids::{ProjectId, UserId};
use chorus_lifecycle::task::{Priority, TaskStatus};
use chorus_testkit::{Backend, CallResult, Database, Statements, Tools, World};
use http::{HeaderMap, Method, Request, StatusCode, header};
use scraper::{ElementRef, Html, Selector};
use serde_json::Value;

/// A database, a world in it, and the console over it.
pub(crate) struct House {
    pub(crate) world: World,
    /// Counts statements.
    pub(crate) watch: Watch,
    pub(crate) console: Console,
    accounts: Accounts,
    database: Database,
}

/// Counts the statements that pages take.
pub(crate) struct Watch(Statements);

impl Watch {
    /// What was run since it was asked before, but for what is noted behind a page's back: that a project was opened.
    pub(crate) fn take(&self) -> Vec<String> {
        let behind = ["INSERT INTO project_visit", "BEGIN", "SAVEPOINT", "RELEASE", "COMMIT"];
        let mut taken = self.0.take();
        taken.retain(|statement| !behind.iter().any(|beginning| statement.starts_with(beginning)));
        taken
    }
}

impl House {
    pub(crate) async fn new(backend: Backend) -> Self {
        let database = Database::fresh(backend).await;
        let (services, watch) = database.watched().await;
        let world = World::new(services.clone()).await;
        let accounts = Accounts::new(services.clone());
        let tools = Arc::new(chorus_tools_console::surface().unwrap());
        let settings = Settings { base: "http://127.0.0.1:8637".into(), secure: false };
        let console = Console::new(services, tools, accounts.clone(), settings);
        Self { world, watch: Watch(watch), console, accounts, database }
    }

    /// Every row that is stored, as text.
    pub(crate) async fn stored(&self) -> String {
        self.database.exported().await
    }

    /// A task of the first user's, to be written.
    pub(crate) fn task(&self, project: ProjectId, title: &str, status: TaskStatus) -> Task {
        let now = self.world.now();
        Task {
            id: self.world.id(),
            company: self.world.company,
            project,
            title: title.to_owned(),
            description: None,
            status,
            priority: Priority::Medium,
            story_points: None,
            assignee: None,
            proposal: None,
            created_by: Party::User(self.world.first_user),
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// What a tool answers to an agent; it has to.
    pub(crate) async fn call(&self, caller: &Caller, tool: &str, arguments: Value) -> Value {
        match Tools::new(self.world.services.clone()).call(caller, tool, arguments).await {
            CallResult::Answer(answer) => answer,
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// A browser in which nobody is signed in.
    pub(crate) fn browser(&self) -> Browser<'_> {
        Browser { house: self, cookies: Vec::new(), language: "en" }
    }

    /// A browser in which this person is signed in.
    pub(crate) async fn signed_in(&self, user: UserId) -> Browser<'_> {
        let services = &self.world.services;
        let row = services.store.read().await.unwrap().directory().user(user).await.unwrap().unwrap();
        let token = NewToken::generate(&mut rand::rng());
        let moment = Moment { now: services.clock.now(), ids: services.ids.as_ref() };
        let link = create_link(moment, &row, LinkKind::SignIn, Subject::Operator, &token);
        self.world.write(vec![Write::NewLink(link)]).await;
        let client = Client { address: "127.0.0.1".parse().unwrap(), agent: "test" };
        let opened = self.accounts.enter(client, token.reveal(), (Lasting::Brief, None)).await.unwrap();
        let mut browser = self.browser();
        browser.set("chorus_session", opened.token.reveal());
        browser
    }
}

/// A browser: it keeps cookies, and sends forms as they stand in pages.
#[derive(Clone)]
pub(crate) struct Browser<'h> {
    house: &'h House,
    pub(crate) cookies: Vec<(String, String)>,
    /// What it says that its reader accepts.
    pub(crate) language: &'static str,
}

/// What came back.
pub(crate) struct Page {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Browser<'_> {
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.cookies.retain(|(other, _)| other != name);
        if !value.is_empty() {
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Asks for a page.
    pub(crate) async fn get(&mut self, path: &str) -> Page {
        self.send(Method::GET, path, String::new()).await
    }

    /// The page, which has to be there.
    pub(crate) async fn page(&mut self, path: &str) -> Page {
        let page = self.get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}: {}", page.body);
        page
    }

    /// Sends these fields, and nothing else.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.send(Method::POST, path, body).await
    }

    /// Sends the form that a selector finds on a page, as it stands there but for these fields. It has to be there.
    pub(crate) async fn submit(&mut self, page: &Page, form: &str, filled: &[(&str, &str)]) -> Page {
        let (action, mut fields) = page.form(form);
        for (name, value) in filled {
            assert!(page.has(&format!("{form} [name='{name}']")), "{form} has no field {name}: {}", page.body);
            fields.retain(|(other, _)| other != name);
            fields.push(((*name).to_owned(), (*value).to_owned()));
        }
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.post(&action, &fields).await
    }

    /// Sends a form as it stands but without a field: a box that was unchecked.
    pub(crate) async fn submit_without(&mut self, page: &Page, form: &str, unchecked: &str) -> Page {
        let (action, fields) = page.form(form);
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .filter(|(name, _)| *name != unchecked)
            .collect();
        self.post(&action, &fields).await
    }

    /// The same, and then the page to which it leads.
    pub(crate) async fn follow(&mut self, page: &Page, form: &str, filled: &[(&str, &str)]) -> Page {
        let answered = self.submit(page, form, filled).await;
        assert_eq!(answered.status, StatusCode::SEE_OTHER, "{form}: {}", answered.body);
        let next = answered.location().to_owned();
        self.page(&next).await
    }

    /// Presses a button that a selector finds on a page: its form is sent where the button says, with the button's value.
    pub(crate) async fn press(&mut self, page: &Page, button: &str, filled: &[(&str, &str)]) -> Page {
        let (action, mut fields) = page.pressed(button);
        for (name, value) in filled {
            fields.retain(|(other, _)| other != name);
            fields.push(((*name).to_owned(), (*value).to_owned()));
        }
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.post(&action, &fields).await
    }

    /// The same, and then the page to which it leads.
    pub(crate) async fn press_on(&mut self, page: &Page, button: &str, filled: &[(&str, &str)]) -> Page {
        let answered = self.press(page, button, filled).await;
        assert_eq!(answered.status, StatusCode::SEE_OTHER, "{button}: {}", answered.body);
        let next = answered.location().to_owned();
        self.page(&next).await
    }

    async fn send(&mut self, method: Method, path: &str, body: String) -> Page {
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "127.0.0.1:8637")
            .header(header::ACCEPT, "text/html")
            .header(header::ACCEPT_LANGUAGE, self.language)
            .header(header::COOKIE, cookies.join("; "))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Bytes::from(body))
            .unwrap();
        let shown = self.house.console.visit(request, Peer(Some("127.0.0.1".parse().unwrap()))).await;
        let Shown::Whole(answer) = shown else { panic!("{path} is no page") };
        let (head, body) = answer.into_parts();
        for line in head.headers.get_all(header::SET_COOKIE) {
            let (name, rest) = line.to_str().unwrap().split_once('=').unwrap();
            let value = rest.split(';').next().unwrap_or_default();
            self.set(name, value);
        }
        let body = String::from_utf8(body.to_vec()).unwrap();
        Page { status: head.status, headers: head.headers, body }
    }
}

impl Page {
    /// Where it leads.
    pub(crate) fn location(&self) -> &str {
        self.headers.get(header::LOCATION).map_or("", |line| line.to_str().unwrap())
    }

    fn html(&self) -> Html {
        Html::parse_document(&self.body)
    }

    /// Whether anything on it is found by this selector.
    pub(crate) fn has(&self, selector: &str) -> bool {
        self.html().select(&Selector::parse(selector).unwrap()).next().is_some()
    }

    /// How much is found.
    pub(crate) fn count(&self, selector: &str) -> usize {
        self.html().select(&Selector::parse(selector).unwrap()).count()
    }

    /// The text of everything that is found, blanks as one.
    pub(crate) fn text(&self, selector: &str) -> String {
        let html = self.html();
        let selector = Selector::parse(selector).unwrap();
        let words = html.select(&selector).flat_map(|found| found.text()).flat_map(str::split_whitespace);
        words.collect::<Vec<_>>().join(" ")
    }

    /// An attribute of the first that is found.
    pub(crate) fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        self.html().select(&Selector::parse(selector).unwrap()).next()?.attr(name).map(str::to_owned)
    }

    fn form(&self, selector: &str) -> (String, Vec<(String, String)>) {
        let html = self.html();
        let form = html.select(&Selector::parse(selector).unwrap()).next();
        let form = form.unwrap_or_else(|| panic!("there is no {selector}: {}", self.body));
        let fields = Selector::parse("input, textarea, select").unwrap();
        let fields = form.select(&fields).filter_map(sent).collect();
        (form.attr("action").unwrap_or_default().to_owned(), fields)
    }
}

impl Page {
    /// What pressing a button sends, and where.
    fn pressed(&self, selector: &str) -> (String, Vec<(String, String)>) {
        let html = self.html();
        let button = html.select(&Selector::parse(selector).unwrap()).next();
        let button = button.unwrap_or_else(|| panic!("there is no {selector}: {}", self.body));
        assert!(button.attr("disabled").is_none(), "{selector} can't be pressed");
        let form = button.ancestors().filter_map(ElementRef::wrap).find(|around| around.value().name() == "form");
        let form = form.unwrap_or_else(|| panic!("{selector} stands in no form"));
        let fields = Selector::parse("input, textarea, select").unwrap();
        let mut fields: Vec<_> = form.select(&fields).filter_map(sent).collect();
        fields.extend(button.attr("name").map(|name| (name.to_owned(), button.attr("value").unwrap_or("").to_owned())));
        let action = button.attr("formaction").or_else(|| form.attr("action")).unwrap_or_default();
        (action.to_owned(), fields)
    }
}

/// What a browser sends of a field that nobody touched.
fn sent(field: ElementRef<'_>) -> Option<(String, String)> {
    let name = field.attr("name")?.to_owned();
    if field.attr("disabled").is_some() {
        return None;
    }
    let value = match (field.value().name(), field.attr("type")) {
        ("textarea", _) => field.text().collect(),
        ("select", _) => {
            let options = Selector::parse("option").unwrap();
            let chosen = Selector::parse("option[selected]").unwrap();
            let option = field.select(&chosen).next().or_else(|| field.select(&options).next())?;
            option.attr("value").map_or_else(|| option.text().collect(), str::to_owned)
        }
        (_, Some("checkbox" | "radio")) => {
            field.attr("checked")?;
            field.attr("value").unwrap_or("on").to_owned()
        }
        _ => field.attr("value").unwrap_or_default().to_owned(),
    };
    Some((name, value))
}
