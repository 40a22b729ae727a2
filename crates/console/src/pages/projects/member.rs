//! `GET /projects/{project}/settings/members/{user}`: what another role would do, before it is given.

use std::collections::BTreeMap;

use chorus_app::member::{self, MemberPreview};
use chorus_domain::Kind;
use chorus_ids::{ProjectId, UserId};
use chorus_visibility::{MemberChange, Need, Role};
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::Tab,
    pages::{
        confirm::{Confirm, Space},
        impact::Impact,
    },
    texts::Value,
};

/// The change that a request asks about (`?role=`): a role, or `none`.
pub(crate) fn wanted(desk: &Desk, user: UserId) -> Result<(Option<Role>, MemberChange), Fault> {
    match desk.query.get("role") {
        Some("none") => Ok((None, MemberChange::Remove { user })),
        word => {
            let role = word.and_then(|word| word.parse::<Role>().ok()).ok_or(Fault::Missing)?;
            Ok((Some(role), MemberChange::SetRole { user, role }))
        }
    }
}

/// `GET /projects/{project}/settings/members/{user}`.
pub(crate) async fn member(desk: &Desk) -> Result<Answer, Fault> {
    let (id, user): (ProjectId, UserId) = (desk.id("project")?, desk.id("user")?);
    let (role, change) = wanted(desk, user)?;
    let mut reading = desk.read_about(Kind::Project, desk.uuid("project")?, Need::Admin).await?;
    let (call, reads) = reading.parts();
    let MemberPreview { impact, released, people, .. } = found(member::preview(call, reads, id, change).await)?;
    let name = people.get(&user).map(|person| person.name.clone()).unwrap_or_default();
    let project = found(reading.call.project(id).cloned())?;
    let impact = Impact::of_members(&[impact], released, &BTreeMap::from([(id, project.name)]), &people);
    let f = desk.project_frame(&reading, desk.say_with("member-title", "name", Value::Text(&name)), Tab::Settings);
    answer::page(StatusCode::OK, &Confirm::member(f, Space::Project(id), (user, &name), role, impact))
}
