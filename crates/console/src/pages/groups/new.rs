//! `GET /groups/new`: making a group.

use askama::Template;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::Desk,
    fault::Fault,
    frame::{Frame, Section},
};

#[derive(Template)]
#[template(path = "groups/new.html")]
struct New {
    f: Frame,
}

/// `GET /groups/new`.
pub(crate) async fn new(desk: &Desk) -> Result<Answer, Fault> {
    let reading = desk.read().await?;
    let f = desk.frame(&reading, desk.say("group-new"), Section::Projects);
    answer::page(StatusCode::OK, &New { f })
}
