//! `GET /`: what waits for the person who is signed in.

use askama::Template;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::Desk,
    fault::Fault,
    frame::{Frame, Section},
};

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    f: Frame,
}

/// `GET /`.
pub(crate) async fn home(desk: &Desk) -> Result<Answer, Fault> {
    let reading = desk.read().await?;
    let f = desk.frame(&reading, desk.say("home-title"), Section::Home);
    answer::page(StatusCode::OK, &Home { f })
}
