//! What is asked before something is done for good, where no script asks it.

use askama::Template;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::Desk,
    fault::Fault,
    form::Form,
    frame::Frame,
    pages::failure::came_from,
    texts::Value,
};

#[derive(Template)]
#[template(path = "sure.html")]
struct Sure {
    f: Frame,
    /// Where the form was sent.
    action: String,
    /// Everything that was in it.
    fields: Vec<(String, String)>,
    back: String,
}

/// The question that a form wants asked before it is carried out, unless it was asked: its field `_sure` names the text,
/// `_about` what that is about, and whoever agreed sends `_agreed`.
///
/// # Errors
/// [`Fault::Missing`] for a text that is no such question.
pub(crate) fn question(desk: &Desk, form: &Form) -> Result<Option<Answer>, Fault> {
    let Some(key) = form.get("_sure").filter(|_| form.get("_agreed").is_none()) else { return Ok(None) };
    if !key.ends_with("-sure") || !desk.texts.has(key) {
        return Err(Fault::Missing);
    }
    let about = form.get("_about").unwrap_or_default();
    let page = Sure {
        f: desk.bare_frame(desk.say_with(key, "name", Value::Text(about))),
        action: desk.here().to_owned(),
        fields: form.fields().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        back: came_from(desk),
    };
    answer::page(StatusCode::OK, &page).map(Some)
}
