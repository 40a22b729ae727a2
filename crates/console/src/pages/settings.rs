//! `/settings`: how the console looks, and where the rest is set.

use askama::Template;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::Desk,
    fault::Fault,
    frame::{Frame, Section},
};

#[derive(Template)]
#[template(path = "settings.html")]
struct SettingsPage {
    f: Frame,
}

/// `GET /settings`.
pub(crate) async fn settings(desk: &Desk) -> Result<Answer, Fault> {
    let reading = desk.read().await?;
    let f = desk.frame(&reading, desk.say("prefs-title"), Section::Settings);
    answer::page(StatusCode::OK, &SettingsPage { f })
}
