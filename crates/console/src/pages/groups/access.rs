//! Changes of a group that are shown before they are made: a member's role, who sees it, its end.

use askama::Template;
use chorus_app::group::{self, Roster, change::preview_member, delete::GroupContents};
use chorus_ids::{GroupId, UserId};
use chorus_visibility::Visibility;
use http::StatusCode;
use serde_json::json;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Section},
    pages::{
        confirm::{Confirm, Space},
        impact::Impact,
        projects::{access::object, member::wanted},
    },
    texts::Value,
};

/// `GET /groups/{group}/settings/members/{user}?role=`.
pub(crate) async fn member(desk: &Desk) -> Result<Answer, Fault> {
    let (id, user): (GroupId, UserId) = (desk.id("group")?, desk.id("user")?);
    let (role, change) = wanted(desk, user)?;
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let preview = found(preview_member(call, reads, id, change).await)?;
    let name = preview.people.get(&user).map(|person| person.name.clone()).unwrap_or_default();
    let impact = Impact::of_members(&preview.impacts, preview.released, &preview.projects, &preview.people);
    let f = desk.frame(&reading, desk.say_with("member-title", "name", Value::Text(&name)), Section::Projects);
    answer::page(StatusCode::OK, &Confirm::member(f, Space::Group(id), (user, &name), role, impact))
}

/// `GET /groups/{group}/settings/visibility?to=`.
pub(crate) async fn visibility(desk: &Desk) -> Result<Answer, Fault> {
    let id: GroupId = desk.id("group")?;
    let to: Visibility = desk.query.get("to").and_then(|word| word.parse().ok()).ok_or(Fault::Missing)?;
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    found(group::read(call, reads, id, Roster::Omitted).await)?;
    let arguments = json!({ "groupUuid": id, "visibility": to.as_str(), "preview": true });
    let impact = Impact::of(&desk.call("chorus_admin_update_project_group", object(arguments)).await?);
    let title = desk.texts.say(&format!("group-make-{}", to.as_str()), &[]).into_owned();
    let f = desk.frame(&reading, title, Section::Projects);
    answer::page(StatusCode::OK, &Confirm::visibility(f, Space::Group(id), to, impact))
}

#[derive(Template)]
#[template(path = "groups/delete.html")]
struct Delete {
    f: Frame,
    id: GroupId,
    gone: GroupContents,
}

/// `GET /groups/{group}/settings/delete`.
pub(crate) async fn delete(desk: &Desk) -> Result<Answer, Fault> {
    let id: GroupId = desk.id("group")?;
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let gone = found(group::delete::contents(call, reads, id).await)?;
    let f = desk.frame(&reading, desk.say("group-delete"), Section::Projects);
    answer::page(StatusCode::OK, &Delete { f, id, gone })
}
