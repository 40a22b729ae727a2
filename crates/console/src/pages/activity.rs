//! `GET /projects/{project}/activity`: what happened in a project, as sentences.

use askama::Template;
use chorus_app::project;
use chorus_domain::{
    Kind, Party, Subject,
    activity::{Action, Activity},
    mention::readable,
};
use chorus_ids::{ProjectId, Timestamp, UserId, Uuid};
use chorus_visibility::Need;
use http::StatusCode;
use serde_json::Value as Json;

use crate::{
    Texts,
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Tab},
    link,
    pages::{impact::text, names::Names},
    paging::{self, Paging},
    sentence::Sentence,
};

/// An entry of an activity stream, as it is shown.
pub(crate) struct Entry {
    /// What happened.
    pub(crate) sentence: Sentence,
    /// A piece of what was written.
    pub(crate) detail: Option<String>,
    /// In which of the agent's sessions.
    pub(crate) session: Option<String>,
    /// The project, where several are mixed.
    pub(crate) project: Option<String>,
    pub(crate) at: Timestamp,
}

#[derive(Template)]
#[template(path = "projects/activity.html")]
struct Stream {
    f: Frame,
    total: u64,
    entries: Vec<Entry>,
    paging: Paging,
}

/// `GET /projects/{project}/activity`.
pub(crate) async fn activity(desk: &Desk) -> Result<Answer, Fault> {
    let id: ProjectId = desk.id("project")?;
    let mut reading = desk.read_about(Kind::Project, desk.uuid("project")?, Need::Viewer).await?;
    let (call, reads) = reading.parts();
    let page = found(project::activities(call, reads, id, &paging::request(&desk.query)).await)?;
    let names = Names::of(&mut reading, page.rows.iter().flat_map(|row| parties(&row.item)).collect()).await?;
    let paging = Paging::of(desk, &page);
    let f = desk.project_frame(&reading, desk.say("tab-activity"), Tab::Activity);
    let (total, rows) = (page.total, page.rows);
    let entries = rows.into_iter().map(|row| Entry::of(desk, row.item, &names)).collect();
    answer::page(StatusCode::OK, &Stream { f, total, entries, paging })
}

/// Everybody whom an entry names.
pub(crate) fn parties(activity: &Activity) -> impl Iterator<Item = Party> {
    activity.actor.party().into_iter().chain(whom(activity))
}

/// To whom it was done, if it was done to somebody.
fn whom(activity: &Activity) -> Option<Party> {
    let value = activity.value.as_ref()?;
    let id = |key: &str| value.get(key)?.as_str()?.parse::<Uuid>().ok();
    if let Some(user) = id("userUuid") {
        return Some(Party::User(UserId::from_uuid(user)));
    }
    let of = |kind: &str, uuid: &str| Party::read(value.get(kind)?.as_str()?, id(uuid)?);
    of("assigneeType", "assigneeUuid").or_else(|| of("mentionedType", "mentionedUuid"))
}

/// The key of the sentence that tells of an action.
fn key(activity: &Activity, to: Option<Party>) -> String {
    let value = activity.value.as_ref();
    let has = |key: &str| value.is_some_and(|value| value.get(key).is_some_and(|found| !found.is_null()));
    match activity.action {
        Action::Assigned if to.is_some() && to == activity.actor.party() => "did-taken".to_owned(),
        Action::Moved if !has("fromProjectName") => "did-moved-somewhere".to_owned(),
        Action::CommentAdded if has("report") => "did-reported".to_owned(),
        Action::ProjectGroupChanged if !has("groupUuid") => "did-project-group-left".to_owned(),
        Action::Released if has("reason") => "did-freed".to_owned(),
        action => format!("did-{}", action.as_str().replace('_', "-")),
    }
}

/// What was written along with it, under whichever name.
fn detail(activity: &Activity) -> Option<String> {
    let value = activity.value.as_ref()?;
    let keys = ["excerpt", "report", "summary", "reviewNote", "reportTitle", "prerequisiteTitle", "note", "url"];
    let said = keys.into_iter().find_map(|key| value.get(key)?.as_str()).filter(|said| !said.trim().is_empty());
    let why = || value.get("reason")?.as_str().filter(|_| activity.action == Action::ElaborationSkipped);
    said.or_else(why).map(readable)
}

impl Entry {
    pub(crate) fn of(desk: &Desk, activity: Activity, names: &Names) -> Self {
        let href = link::to(activity.target, activity.target_id, Some(activity.project));
        Self {
            sentence: sentence(desk.texts, &activity, names, href),
            detail: detail(&activity),
            session: activity.session.map(|(_, name)| name),
            project: None,
            at: activity.created_at,
        }
    }
}

fn sentence(texts: &Texts, activity: &Activity, names: &Names, href: Option<String>) -> Sentence {
    let known = |party: Party| names.known(party).unwrap_or_else(|| texts.say("space-somebody", &[]).into_owned());
    let actor = match activity.actor {
        Subject::Operator => texts.say("space-operator", &[]).into_owned(),
        Subject::User(_) | Subject::Agent(_) => activity.actor.party().map(known).unwrap_or_default(),
    };
    let to = whom(activity);
    let none = Json::Null;
    let value = activity.value.as_ref().unwrap_or(&none);
    let word = |list: &str, word: String| match word.as_str() {
        "" => word,
        _ => texts.say(&format!("{list}-{}", word.replace('_', "-")), &[]).into_owned(),
    };
    let count = ["questionCount", "answeredCount"].into_iter().find_map(|key| value.get(key)?.as_u64());
    let both = |list: &str| (word(list, text(value, "from")), word(list, text(value, "to")));
    let (from, to_word) = match activity.action {
        Action::Moved => (text(value, "fromProjectName"), text(value, "toProjectName")),
        Action::ProjectVisibilityChanged => both("visibility"),
        Action::ProjectMemberRoleChanged => both("level"),
        _ => (String::new(), String::new()),
    };
    let values = [
        ("actor", actor),
        ("kind", texts.say(&format!("noun-{}", activity.target.as_str().replace('_', "-")), &[]).into_owned()),
        ("whom", to.map(known).unwrap_or_default()),
        ("status", word("task-status", text(value, "status"))),
        ("role", word("level", text(value, "role"))),
        ("from", from),
        ("to", to_word),
        ("count", count.map(|count| texts.number(count)).unwrap_or_default()),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(key, text)| (*key, text.as_str())).collect();
    Sentence::new(texts, &key(activity, to), &values, &activity.target_title, href)
}

#[cfg(test)]
mod tests {
    use chorus_ids::{ActivityId, AgentId, CompanyId, SessionId};
    use serde_json::json;

    use super::*;
    use crate::Language;

    fn activity(action: Action, value: Option<Json>) -> Activity {
        Activity {
            id: ActivityId::from_u128(1),
            company: CompanyId::from_u128(2),
            project: ProjectId::from_u128(3),
            target: Kind::Task,
            target_id: Uuid::from_u128(4),
            target_title: "Parse <it>".into(),
            actor: Subject::Agent(AgentId::from_u128(5)),
            action,
            value,
            session: Some((SessionId::from_u128(6), "night".into())),
            created_at: Timestamp::from_micros(0),
        }
    }

    fn names() -> Names {
        [
            (Party::Agent(AgentId::from_u128(5)), "Robo".to_owned()),
            (Party::User(UserId::from_u128(7)), "Ann".to_owned()),
        ]
        .into_iter()
        .collect()
    }

    fn said(language: Language, action: Action, value: Option<Json>) -> String {
        let sentence = sentence(Texts::of(language), &activity(action, value), &names(), Some("/x".into()));
        format!("{}[{}]{}", sentence.before, sentence.name, sentence.after)
    }

    #[test]
    fn every_action_is_a_sentence_in_every_language() {
        for language in Language::ALL {
            for action in Action::ALL {
                let said = said(language, action, None);
                assert!(!said.contains("did-") && said.contains("Robo"), "{}: {said}", language.tag());
            }
        }
    }

    #[test]
    fn a_sentence_says_to_whom_and_from_where() {
        let en = |action, value| said(Language::En, action, Some(value));
        let ann = UserId::from_u128(7);
        let given = json!({ "assigneeType": "user", "assigneeUuid": ann });
        assert_eq!(en(Action::Assigned, given), "Robo gave task [Parse <it>] to Ann");
        let taken = json!({ "assigneeType": "agent", "assigneeUuid": AgentId::from_u128(5) });
        assert_eq!(en(Action::Assigned, taken), "Robo took task [Parse <it>]");
        let mentioned = json!({ "mentionedType": "user", "mentionedUuid": ann });
        assert_eq!(en(Action::Mentioned, mentioned), "Robo mentioned Ann in task [Parse <it>]");
        let role = json!({ "userUuid": ann, "from": "editor", "role": "viewer" });
        assert!(en(Action::ProjectMemberRoleChanged, role).contains("Ann"));
        let status = json!({ "status": "in_progress" });
        assert!(en(Action::StatusChanged, status).contains("In progress"));
        assert!(en(Action::Moved, json!({})).starts_with("Robo moved task [Parse <it>]"));
    }

    #[test]
    fn a_name_that_looks_like_a_hole_makes_none() {
        let strange = Activity { target_title: "\u{e000}".into(), ..activity(Action::Verified, None) };
        let names = Names::from_iter([(Party::Agent(AgentId::from_u128(5)), "\u{e000}R".to_owned())]);
        let sentence = sentence(Texts::of(Language::En), &strange, &names, None);
        assert!(sentence.before.starts_with('R') && sentence.name == "\u{e000}", "{sentence:?}");
    }
}
