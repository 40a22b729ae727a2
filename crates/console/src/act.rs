//! Forms: each is a call of a tool.

use chorus_domain::Code;
use http::StatusCode;
use serde_json::{Value as Json, json};

use crate::{
    answer::{self, Answer, is_own_path},
    cookies::{self, Keep, Name},
    desk::Desk,
    fault::Fault,
    form::Form,
    pages::sure,
    refusals::Told,
};

/// Tools that only a page calls, since it makes what they are given.
const OF_PAGES: &[&str] = &["console_create_key"];

/// `POST /do/{tool}`: calls the tool with what stands in the form's fields ([`Form::arguments`]), and shows the page that
/// its field `_next` names. In that, `{key.key}` stands for what the tool answered there. What unfinished prerequisites
/// stand against leads to the page of the field `_blocked`, if there is one, which shows them. What can't be undone is asked
/// about first ([`sure::question`]).
pub(crate) async fn act(desk: &Desk) -> Result<Answer, Fault> {
    let form = signed_form(desk)?;
    let tool = desk.places.iter().find(|(name, _)| name == "tool").map_or("", |(_, tool)| tool.as_str());
    if OF_PAGES.contains(&tool) {
        return Err(Fault::Missing);
    }
    if let Some(question) = sure::question(desk, &form)? {
        return Ok(question);
    }
    let answered = match (desk.call(tool, form.arguments()?).await, form.filled("_blocked")) {
        (Err(Fault::Refused(refusal)), Some(page)) if refusal.code == Code::BlockedByDependencies => {
            return Ok(done(desk, page, None));
        }
        (answered, _) => answered?,
    };
    let next = next(form.get("_next").unwrap_or("/"), &answered);
    Ok(done(desk, &next, form.get("_done")))
}

/// The form that was sent, once it is known that it comes from a page of this session.
///
/// # Errors
/// Nobody is signed in, or the form is of somebody else's making.
pub(crate) fn signed_form(desk: &Desk) -> Result<Form, Fault> {
    let signed = desk.person()?;
    let form = desk.form();
    let sent = form.get("_csrf").unwrap_or_default();
    if signed.sent(sent) { Ok(form) } else { Err(Fault::Stale) }
}

/// The answer to a form that did what it was for: the next page, which says so.
pub(crate) fn done(desk: &Desk, next: &str, notice: Option<&str>) -> Answer {
    let next = if is_own_path(next) { next } else { "/" };
    let answer = if desk.wants_json() {
        answer::json(StatusCode::OK, &json!({ "next": next }))
    } else {
        answer::see_other(next)
    };
    let notice = notice.filter(|key| key.starts_with("done-") && desk.texts.has(key));
    let line = notice.and_then(|key| cookies::set(Name::Notice, key, Keep::Seconds(30), desk.console.settings.secure));
    answer::with_cookie(answer, line)
}

/// What the script is told of a refusal: what it shows beside the form, which stays as it was filled in.
pub(crate) fn refused(code: Code, told: &Told, details: Option<&Json>) -> Answer {
    answer::json(crate::fault::status(code), &told.json(code, details.and_then(|details| details.get("blockers"))))
}

/// What the script is told where there is nothing more to say than this.
pub(crate) fn refused_with(desk: &Desk, code: Code, status: StatusCode) -> Answer {
    answer::json(status, &json!({ "code": code.as_str(), "title": desk.refused(code), "text": "", "problems": [] }))
}

fn next(pattern: &str, answered: &Json) -> String {
    let mut path = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        path.push_str(before);
        let Some((keys, after)) = after.split_once('}') else { return "/".to_owned() };
        let value = keys.split('.').try_fold(answered, step);
        let Some(value) = value.and_then(Json::as_str).filter(|value| is_plain(value)) else { return "/".to_owned() };
        path.push_str(value);
        rest = after;
    }
    path.push_str(rest);
    path
}

/// What stands at a key, or at a place of a list.
fn step<'a>(at: &'a Json, key: &str) -> Option<&'a Json> {
    match at {
        Json::Array(list) => list.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    }
}

/// Whether a value can stand in a path as it is.
fn is_plain(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_can_be_what_was_made() {
        let answered =
            json!({ "uuid": "0192-a", "project": { "uuid": "p1" }, "title": "/../x", "tasks": [{ "uuid": "t0" }] });
        for (pattern, expected) in [
            ("/tasks/{uuid}", "/tasks/0192-a"),
            ("/projects/{project.uuid}/ideas/{uuid}?a=b", "/projects/p1/ideas/0192-a?a=b"),
            ("/tasks/{tasks.0.uuid}", "/tasks/t0"),
            ("/tasks/{tasks.1.uuid}", "/"),
            ("/plain", "/plain"),
            ("/x/{missing}", "/"),
            ("/x/{title}", "/"),
            ("/x/{uuid", "/"),
        ] {
            assert_eq!(next(pattern, &answered), expected, "{pattern}");
        }
    }
}
