//! The table of pages.

use std::collections::BTreeMap;

use chorus_http::Shown;
use futures_util::future::BoxFuture;
use http::Method;
use matchit::Router;

use crate::{act, answer::Answer, desk::Desk, fault::Fault, live, pages};

/// Who may ask for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Whoever is signed in.
    Person,
    /// Everybody.
    Anybody,
}

type Answering<'d, T> = BoxFuture<'d, Result<T, Fault>>;

/// How a page is answered.
#[derive(Clone, Copy)]
pub(crate) enum Reply {
    /// As a whole.
    Page(for<'d> fn(&'d Desk) -> Answering<'d, Answer>),
    /// With events.
    Stream(for<'d> fn(&'d Desk) -> Answering<'d, Shown>),
}

/// A row of the table.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) method: Verb,
    /// The path; what stands in braces is a place.
    pub(crate) path: &'static str,
    pub(crate) who: Who,
    pub(crate) reply: Reply,
}

/// What is done with a page. `HEAD` is served where `GET` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    Post,
}

/// A page for whoever is signed in.
macro_rules! person {
    ($verb:ident $path:literal $($page:ident)::+) => {
        Route {
            method: Verb::$verb,
            path: $path,
            who: Who::Person,
            reply: Reply::Page(|desk| Box::pin($($page)::+(desk))),
        }
    };
}

/// A page for everybody.
macro_rules! anybody {
    ($verb:ident $path:literal $($page:ident)::+) => {
        Route {
            method: Verb::$verb,
            path: $path,
            who: Who::Anybody,
            reply: Reply::Page(|desk| Box::pin($($page)::+(desk))),
        }
    };
}

/// Every page.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        method: Verb::Get,
        path: "/api/events",
        who: Who::Person,
        reply: Reply::Stream(|desk| Box::pin(live::open(desk))),
    },
    person!(Post "/do/{tool}" act::act),
    person!(Get "/" pages::home::home),
    // What waits, projects and groups.
    person!(Get "/waiting/{what}" pages::waiting::waiting),
    person!(Get "/mine" pages::waiting::mine),
    person!(Get "/projects" pages::projects::overview::overview),
    person!(Get "/projects/all" pages::projects::overview::all),
    person!(Get "/projects/new" pages::projects::new::new),
    person!(Get "/projects/{project}/settings" pages::projects::settings::settings),
    person!(Get "/projects/{project}/settings/members/{user}" pages::projects::member::member),
    person!(Get "/projects/{project}/settings/visibility" pages::projects::access::visibility),
    person!(Get "/projects/{project}/settings/group" pages::projects::access::group),
    person!(Get "/projects/{project}/settings/delete" pages::projects::end::delete),
    person!(Get "/projects/{project}/activity" pages::activity::activity),
    person!(Get "/groups/new" pages::groups::new::new),
    person!(Get "/groups/{group}" pages::groups::dashboard::dashboard),
    person!(Get "/groups/{group}/settings" pages::groups::settings::settings),
    person!(Get "/groups/{group}/settings/members/{user}" pages::groups::access::member),
    person!(Get "/groups/{group}/settings/visibility" pages::groups::access::visibility),
    person!(Get "/groups/{group}/settings/delete" pages::groups::access::delete),
    person!(Get "/notifications" pages::notifications::notifications),
    person!(Get "/notifications/preferences" pages::notifications::preferences),
    person!(Get "/search" pages::search::search),
    anybody!(Get "/sign-in" pages::account::sign_in),
    anybody!(Post "/sign-in" pages::account::enter),
    person!(Post "/sign-out" pages::account::sign_out),
    anybody!(Post "/look" pages::account::look),
    anybody!(Get "/enter/{token}" pages::link::show),
    anybody!(Post "/enter/{token}" pages::link::redeem),
    anybody!(Get "/join/{token}" pages::link::show),
    anybody!(Post "/join/{token}" pages::link::redeem),
    anybody!(Get "/reset/{token}" pages::link::show),
    anybody!(Post "/reset/{token}" pages::link::redeem),
    person!(Get "/settings/account" pages::own::show),
    person!(Post "/settings/account" pages::own::change),
    person!(Post "/settings/account/invitations/{user}/end" pages::own::take_back),
    person!(Post "/settings/account/sessions/end" pages::own::end_all),
    person!(Post "/settings/account/sessions/{session}/end" pages::own::end),
    // Tasks, sessions, agents, settings.
    person!(Get "/projects/{project}/tasks" pages::tasks::tasks),
    person!(Get "/projects/{project}/tasks/new" pages::tasks::new::new_task),
    person!(Get "/projects/{project}/tasks/{task}" pages::tasks::task::task),
    person!(Get "/projects/{project}/tasks/{task}/blocked" pages::tasks::ending::blocked),
    person!(Get "/projects/{project}/tasks/{task}/delete" pages::tasks::ending::delete),
    person!(Get "/projects/{project}/sessions" pages::sessions::at_work),
    person!(Get "/agents" pages::agents::agents),
    person!(Get "/agents/new" pages::agents::edit::new_agent),
    person!(Post "/agents/new" pages::agents::edit::show_new),
    person!(Get "/agents/{agent}" pages::agents::agent::agent),
    person!(Get "/agents/{agent}/edit" pages::agents::edit::edit),
    person!(Post "/agents/{agent}/edit" pages::agents::edit::show_edited),
    person!(Get "/agents/{agent}/delete" pages::agents::agent::delete),
    person!(Get "/agents/{agent}/connect" pages::agents::connect::connect),
    person!(Post "/agents/{agent}/connect" pages::agents::connect::make_key),
    person!(Get "/settings" pages::settings::settings),
    // Ideas.
    person!(Get "/projects/{project}" pages::ideas::overview),
    person!(Get "/projects/{project}/ideas/new" pages::ideas::fresh),
    person!(Get "/projects/{project}/ideas/{idea}" pages::ideas::idea),
    person!(Get "/projects/{project}/ideas/{idea}/edit" pages::ideas::edit),
    person!(Get "/projects/{project}/ideas/{idea}/move" pages::ideas::relocate),
    person!(Get "/projects/{project}/ideas/{idea}/delete" pages::ideas::delete),
    // Proposals.
    person!(Get "/projects/{project}/proposals" pages::proposals::board),
    person!(Get "/projects/{project}/proposals/new" pages::proposals::fresh),
    person!(Get "/projects/{project}/proposals/{proposal}" pages::proposals::proposal),
    person!(Get "/projects/{project}/proposals/{proposal}/revoke" pages::proposals::revoke),
    person!(Get "/projects/{project}/proposals/{proposal}/delete" pages::proposals::delete),
    person!(Get "/projects/{project}/proposals/{proposal}/documents/new" pages::proposals::new_document),
    person!(Get "/projects/{project}/proposals/{proposal}/documents/{draft}" pages::proposals::document_draft),
    person!(Get "/projects/{project}/proposals/{proposal}/tasks/new" pages::proposals::new_task),
    person!(Get "/projects/{project}/proposals/{proposal}/tasks/{draft}" pages::proposals::task_draft),
    // Documents.
    person!(Get "/projects/{project}/documents" pages::documents::documents),
    person!(Get "/projects/{project}/documents/new" pages::documents::fresh),
    person!(Get "/projects/{project}/documents/{document}" pages::documents::document),
    person!(Get "/projects/{project}/documents/{document}/edit" pages::documents::edit),
    person!(Get "/projects/{project}/documents/{document}/delete" pages::documents::delete),
];

/// The paths of all pages that can be asked for; what stands in braces is a place for an id.
pub fn paths() -> impl Iterator<Item = &'static str> {
    let pages = ROUTES.iter().filter(|route| route.method == Verb::Get && matches!(route.reply, Reply::Page(_)));
    pages.map(|route| route.path)
}

/// A path that forms are sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormPath {
    /// The path; what stands in braces is a place.
    pub path: &'static str,
    /// Whether only somebody who is signed in can send it.
    pub needs_session: bool,
}

/// The paths of all forms.
pub fn forms() -> impl Iterator<Item = FormPath> {
    let forms = ROUTES.iter().filter(|route| route.method == Verb::Post);
    forms.map(|route| FormPath { path: route.path, needs_session: route.who == Who::Person })
}

/// The table, for looking up.
pub(crate) struct Routes(Router<Vec<Route>>);

/// Where a request leads.
pub(crate) enum Found {
    /// To a page, with what stands in its places.
    Route(Route, Vec<(String, String)>),
    /// To a page that takes another method; this header says which.
    OtherMethod(&'static str),
    /// Nowhere.
    Nothing,
}

impl Routes {
    /// # Panics
    /// If two rows of the table contradict each other, which a test would find.
    pub(crate) fn new() -> Self {
        let mut by_path: BTreeMap<&str, Vec<Route>> = BTreeMap::new();
        for route in ROUTES {
            by_path.entry(route.path).or_default().push(*route);
        }
        let mut router = Router::new();
        for (path, routes) in by_path {
            router.insert(path, routes).expect("paths of the table that go together");
        }
        Self(router)
    }

    /// Where a request leads.
    pub(crate) fn find(&self, method: &Method, path: &str) -> Found {
        let Ok(found) = self.0.at(path) else { return Found::Nothing };
        let verb = match *method {
            Method::GET | Method::HEAD => Some(Verb::Get),
            Method::POST => Some(Verb::Post),
            _ => None,
        };
        match found.value.iter().find(|route| Some(route.method) == verb) {
            Some(route) => {
                let places = found.params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
                Found::Route(*route, places)
            }
            None if found.value.iter().all(|route| route.method == Verb::Post) => Found::OtherMethod("POST"),
            None if found.value.iter().all(|route| route.method == Verb::Get) => Found::OtherMethod("GET, HEAD"),
            None => Found::OtherMethod("GET, HEAD, POST"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_looked_up_and_says_everything_once() {
        let routes = Routes::new();
        for route in ROUTES {
            let path = route.path.replace(['{', '}'], "");
            let method = match route.method {
                Verb::Get => Method::GET,
                Verb::Post => Method::POST,
            };
            let found = match routes.find(&method, &path) {
                Found::Route(found, _) => Some(found.path),
                Found::OtherMethod(_) | Found::Nothing => None,
            };
            assert_eq!(found, Some(route.path), "{path}");
            let same = ROUTES.iter().filter(|other| other.path == route.path && other.method == route.method);
            assert_eq!(same.count(), 1, "{path}");
        }
    }

    #[test]
    fn forms_are_posted_and_pages_are_asked_for() {
        let routes = Routes::new();
        assert!(matches!(routes.find(&Method::GET, "/do/x"), Found::OtherMethod("POST")));
        assert!(matches!(routes.find(&Method::POST, "/"), Found::OtherMethod("GET, HEAD")));
        assert!(matches!(routes.find(&Method::PUT, "/sign-in"), Found::OtherMethod("GET, HEAD, POST")));
        assert!(matches!(routes.find(&Method::GET, "/nowhere/at/all"), Found::Nothing));
    }
}
