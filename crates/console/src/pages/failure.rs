//! What is shown when there is no page, or something was refused.

use askama::Template;
use chorus_domain::Code;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::Desk,
    fault::{self, Fault},
    frame::Frame,
    refusals::Told,
};

#[derive(Template)]
#[template(path = "failure.html")]
struct Failure {
    f: Frame,
    told: Told,
    back: String,
}

impl Failure {
    fn new(desk: &Desk, title: String, text: impl Into<String>) -> Self {
        let told = Told { text: text.into(), ..Told::default() };
        Self { f: desk.bare_frame(title), told, back: "/".to_owned() }
    }
}

/// There is nothing here, whether there never was or it is not for this person: the two look the same.
pub(crate) fn missing(desk: &Desk) -> Result<Answer, Fault> {
    let page = Failure::new(desk, desk.say("missing-title").into_owned(), desk.say("missing-text"));
    answer::page(StatusCode::NOT_FOUND, &page)
}

/// The page takes another method.
pub(crate) fn method(desk: &Desk) -> Result<Answer, Fault> {
    let page = Failure::new(desk, desk.say("method-title").into_owned(), desk.say("method-text"));
    answer::page(StatusCode::METHOD_NOT_ALLOWED, &page)
}

/// A form was refused. What was filled in is still in the browser's page before this one.
pub(crate) fn refused(desk: &Desk, code: Code, told: Told) -> Result<Answer, Fault> {
    let page = Failure { f: desk.bare_frame(&*told.title), told, back: came_from(desk) };
    answer::page(fault::status(code), &page)
}

/// Nobody could be asked, or it is our fault.
pub(crate) fn failed(desk: &Desk, code: Code) -> Result<Answer, Fault> {
    let key = if code == Code::Unavailable { "failed-unavailable" } else { "failed-internal" };
    let page = Failure::new(desk, desk.say("failed-title").into_owned(), desk.say(key));
    answer::page(fault::status(code), &page)
}

/// Whoever asks for a page signs in first, and comes back to it.
pub(crate) fn sign_in_first(desk: &Desk) -> Answer {
    let here = desk.here();
    if desk.head.method != http::Method::GET || here == "/" {
        return answer::see_other("/sign-in");
    }
    let next: String = form_urlencoded::Serializer::new(String::new()).append_pair("next", here).finish();
    answer::see_other(&format!("/sign-in?{next}"))
}

/// The page of ours that a request came from.
pub(crate) fn came_from(desk: &Desk) -> String {
    let referer = desk.head.headers.get(http::header::REFERER).and_then(|line| line.to_str().ok());
    let path = referer.and_then(|url| url.split_once("://")).and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..]));
    path.filter(|path| answer::is_own_path(path)).unwrap_or("/").to_owned()
}
