//! The console as a site.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use chorus_app::Services;
use chorus_auth::accounts::Accounts;
use chorus_dispatch::Surface;
use chorus_domain::Code;
use chorus_http::{Peer, Shown, Site};
use http::{Request, Response, StatusCode, header, request::Parts};

use crate::{
    Texts, act,
    answer::{self, Answer},
    assets,
    cookies::{self, Keep, Name},
    desk::Desk,
    fault::{self, Fault},
    form::Form,
    frame::Theme,
    pages::failure,
    refusals::Told,
    routes::{Found, Reply, Route, Routes, Verb, Who},
    texts::Value,
};

/// How the console is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The URL under which browsers reach the server, without a slash at its end.
    pub base: String,
    /// Whether that is over TLS, so that cookies are sent over nothing else.
    pub secure: bool,
}

/// The console. Clones share everything.
#[derive(Clone)]
pub struct Console(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) services: Services,
    pub(crate) surface: Arc<Surface>,
    pub(crate) accounts: Accounts,
    pub(crate) settings: Settings,
    routes: Routes,
}

impl Console {
    /// A console over these tools, for people with these accounts.
    pub fn new(services: Services, surface: Arc<Surface>, accounts: Accounts, settings: Settings) -> Self {
        Self(Arc::new(Inner { services, surface, accounts, settings, routes: Routes::new() }))
    }
}

#[async_trait]
impl Site for Console {
    async fn visit(&self, request: Request<Bytes>, from: Peer) -> Shown {
        let (head, body) = request.into_parts();
        let path = head.uri.path().to_owned();
        if let Some(asset) = assets::find(&path) {
            return Shown::Whole(asset);
        }
        let found = self.0.routes.find(&head.method, &path);
        // A page that says so is for people; programs don't ask for pages.
        let is_asked_by_program = path == "/api" || path.starts_with("/api/") || !wants_page(&head.headers);
        if matches!(found, Found::Nothing) && is_asked_by_program {
            return Shown::Nothing;
        }
        let mut desk = self.desk(head, body, from);
        let shown = match desk.enter().await {
            Ok(()) => self.answer(&mut desk, found).await,
            Err(fault) => Err(fault),
        };
        match shown {
            Ok(Shown::Whole(answer)) => Shown::Whole(desk.leave(answer)),
            Ok(other) => other,
            Err(fault) => Shown::Whole(desk.leave(explain(&desk, fault))),
        }
    }

    fn too_large(&self, head: Parts, most: usize) -> Option<Response<Bytes>> {
        let desk = self.desk(head, Bytes::new(), Peer::default());
        let is_for_people = desk.wants_json() || wants_page(&desk.head.headers);
        is_for_people.then(|| explain(&desk, Fault::TooLarge(most)))
    }
}

impl Console {
    /// Where a request is answered, before anybody knows who asks.
    fn desk(&self, head: Parts, body: Bytes, from: Peer) -> Desk {
        let theme = cookies::read(&head.headers, Name::Theme).and_then(|name| Theme::of_name(&name));
        Desk {
            console: Arc::clone(&self.0),
            texts: Texts::of(Desk::language(&head)),
            theme: theme.unwrap_or_default(),
            query: Form::read(head.uri.query().unwrap_or_default().as_bytes()),
            head,
            body,
            from,
            places: Vec::new(),
            signed: None,
        }
    }

    async fn answer(&self, desk: &mut Desk, found: Found) -> Result<Shown, Fault> {
        let (route, places) = match found {
            Found::Route(route, places) => (route, places),
            Found::Nothing => return Err(Fault::Missing),
            Found::OtherMethod(allowed) => {
                let mut answer = failure::method(desk)?;
                answer.headers_mut().insert(header::ALLOW, http::HeaderValue::from_static(allowed));
                return Ok(Shown::Whole(answer));
            }
        };
        desk.places = places;
        if route.who == Who::Person && desk.signed.is_none() {
            return Err(Fault::SignedOut);
        }
        match route.reply {
            Reply::Page(page) => {
                let answer = page(desk).await?;
                desk.note_project(route, &answer);
                Ok(Shown::Whole(answer))
            }
            Reply::Stream(stream) => stream(desk).await,
        }
    }
}

impl Desk {
    /// Finds out who asks.
    async fn enter(&mut self) -> Result<(), Fault> {
        let Some(token) = cookies::session(&self.head.headers, self.console.settings.secure) else { return Ok(()) };
        self.signed = self.console.accounts.visit(&token).await?;
        Ok(())
    }

    /// Notes that the person opened the project that the path names, once they were shown a page of it.
    fn note_project(&self, route: Route, answer: &Answer) {
        let is_shown = route.method == Verb::Get && answer.status() == StatusCode::OK;
        if let (true, Some(signed), Ok(project)) = (is_shown, &self.signed, self.id("project")) {
            self.console.accounts.note_project(signed, project);
        }
    }

    /// What goes with every answer: a notice that was shown is gone, a session that goes on is kept.
    fn leave(&self, mut answer: Answer) -> Answer {
        let secure = self.console.settings.secure;
        let is_page =
            answer.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
        if is_page && cookies::read(&self.head.headers, Name::Notice).is_some() {
            answer = answer::with_cookie(answer, cookies::set(Name::Notice, "", Keep::Gone, secure));
        }
        answer
    }
}

/// Whether a browser asks for something to show.
fn wants_page(headers: &http::HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|line| line.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// The answer to a request that could not be answered as it was meant.
fn explain(desk: &Desk, fault: Fault) -> Answer {
    let explained = match fault {
        Fault::SignedOut if desk.wants_json() => Ok(act::refused_with(desk, Code::Forbidden, StatusCode::UNAUTHORIZED)),
        Fault::SignedOut => Ok(failure::sign_in_first(desk)),
        Fault::Stale if desk.wants_json() => Ok(act::refused(STALE, &stale(desk), None)),
        Fault::Stale => failure::refused(desk, STALE, stale(desk)),
        Fault::TooLarge(most) if desk.wants_json() => Ok(act::refused(Code::TooLarge, &too_large(desk, most), None)),
        Fault::TooLarge(most) => failure::refused(desk, Code::TooLarge, too_large(desk, most)),
        Fault::Missing if desk.wants_json() => Ok(act::refused_with(desk, Code::NotFound, StatusCode::NOT_FOUND)),
        Fault::Missing => failure::missing(desk),
        Fault::Refused(refusal) if desk.wants_json() => {
            Ok(act::refused(refusal.code, &Told::of(desk.texts, &refusal), refusal.details.as_ref()))
        }
        Fault::Refused(refusal) => failure::refused(desk, refusal.code, Told::of(desk.texts, &refusal)),
        Fault::Failed(error) => {
            let code =
                if matches!(error, chorus_store::Error::Internal(_)) { Code::Internal } else { Code::Unavailable };
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            tracing::error!(%error, cause, "a page failed");
            if desk.wants_json() {
                Ok(act::refused_with(desk, code, fault::status(code)))
            } else {
                failure::failed(desk, code)
            }
        }
    };
    explained.unwrap_or_else(|fault| {
        tracing::error!(?fault, "what went wrong can't be explained");
        let mut answer = Answer::new(Bytes::from_static(b"Something went wrong; the server's log says what."));
        *answer.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        answer
    })
}

/// The code under which a form is refused that was not made for this session.
const STALE: Code = Code::PreconditionFailed;

fn stale(desk: &Desk) -> Told {
    Told { title: desk.refused(STALE), text: desk.say("form-is-stale").into_owned(), ..Told::default() }
}

fn too_large(desk: &Desk, most: usize) -> Told {
    let text = desk.say_with("form-too-large", "most", Value::Number(most as u64 >> 20));
    Told { title: desk.refused(Code::TooLarge), text, ..Told::default() }
}
