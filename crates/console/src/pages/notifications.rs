//! `GET /notifications`: what somebody should know; and which of it they want to hear.

use askama::Template;
use chorus_app::notification;
use chorus_domain::notification::{Notification, Preference};
use chorus_ids::{PageSize, Timestamp};
use chorus_store::{ReadState, Span};
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Section},
    link,
    paging::{self, Paging},
    sentence::Sentence,
};

/// A notification as it is shown.
struct Told {
    id: String,
    unread: bool,
    sentence: Sentence,
    message: String,
    project: String,
    /// How many were joined in it.
    count: u64,
    at: Timestamp,
}

#[derive(Template)]
#[template(path = "inbox/notifications.html")]
struct Notifications {
    f: Frame,
    /// Whether those that were read are shown too.
    all: bool,
    unread: u64,
    total: u64,
    told: Vec<Told>,
    paging: Paging,
}

/// `GET /notifications`: those that are unread, or all (`?show=all`).
pub(crate) async fn notifications(desk: &Desk) -> Result<Answer, Fault> {
    let all = desk.query.get("show") == Some("all");
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let skip = (paging::number(&desk.query) - 1).saturating_mul(paging::ROWS);
    let span = Span { after: None, skip, size: PageSize::new(paging::ROWS).unwrap_or_default() };
    let state = if all { ReadState::All } else { ReadState::Unread };
    let page = found(notification::list(call, reads, state, &span).await)?;
    let page = Notifications {
        f: desk.frame(&reading, desk.say("nav-notifications"), Section::Notifications),
        all,
        unread: page.unread,
        total: page.page.total,
        paging: Paging::of(desk, &page.page),
        told: page.page.rows.into_iter().map(|row| Told::of(desk, row.item)).collect(),
    };
    answer::page(StatusCode::OK, &page)
}

impl Told {
    fn of(desk: &Desk, told: Notification) -> Self {
        let href = link::to(told.entity, told.entity_id, told.project);
        let kind = desk.texts.say(&format!("noun-{}", told.entity.as_str().replace('_', "-")), &[]).into_owned();
        let values = [("actor", told.actor_name.as_str()), ("kind", kind.as_str())];
        Self {
            id: told.id.to_string(),
            unread: told.read_at.is_none(),
            sentence: Sentence::new(desk.texts, &key(&told), &values, &told.entity_title, href),
            message: told.message,
            project: told.project_name,
            count: u64::try_from(told.count).unwrap_or(1),
            at: told.created_at,
        }
    }
}

/// The key of the sentence that tells it.
fn key(told: &Notification) -> String {
    format!("told-{}", told.topic.as_str().replace('_', "-"))
}

#[derive(Template)]
#[template(path = "inbox/preferences.html")]
struct Preferences {
    f: Frame,
    /// Each preference: its name on the wire, the key of its text, whether it is on.
    switches: Vec<(&'static str, String, bool)>,
}

/// `GET /notifications/preferences`.
pub(crate) async fn preferences(desk: &Desk) -> Result<Answer, Fault> {
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let chosen = found(notification::preferences(call, reads).await)?;
    let switch = |preference: Preference| {
        let on = chosen.get(&preference).copied().unwrap_or(true);
        (preference.as_str(), text_of(preference), on)
    };
    let f = desk.frame(&reading, desk.say("preferences-title"), Section::Notifications);
    answer::page(StatusCode::OK, &Preferences { f, switches: Preference::ALL.map(switch).to_vec() })
}

/// The key of a preference's text: of `taskAssigned` it is `prefer-task-assigned`.
fn text_of(preference: Preference) -> String {
    let mut key = String::from("prefer-");
    for letter in preference.as_str().chars() {
        if letter.is_ascii_uppercase() {
            key.push('-');
        }
        key.push(letter.to_ascii_lowercase());
    }
    key
}

#[cfg(test)]
mod tests {
    use chorus_domain::notification::Topic;

    use super::*;
    use crate::{Language, Texts};

    #[test]
    fn every_topic_and_preference_has_a_text_in_every_language() {
        for texts in Language::ALL.map(Texts::of) {
            for topic in Topic::ALL {
                let key = format!("told-{}", topic.as_str().replace('_', "-"));
                assert!(texts.has(&key), "{}: {key}", texts.language().tag());
            }
            for preference in Preference::ALL {
                assert!(texts.has(&text_of(preference)), "{}: {}", texts.language().tag(), text_of(preference));
            }
        }
    }
}
