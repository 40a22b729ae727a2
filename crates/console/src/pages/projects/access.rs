//! Who sees a project and in which group it is: what a change would do, before it is made.

use askama::Template;
use chorus_app::group;
use chorus_domain::Kind;
use chorus_ids::{GroupId, ProjectId};
use chorus_visibility::{Need, Visibility};
use http::StatusCode;
use serde_json::{Map, Value as Json, json};

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Tab},
    pages::{
        confirm::{Confirm, Space},
        impact::Impact,
    },
    paging::{self, Paging},
};

/// `GET /projects/{project}/settings/visibility?to=`.
pub(crate) async fn visibility(desk: &Desk) -> Result<Answer, Fault> {
    let id: ProjectId = desk.id("project")?;
    let to: Visibility = desk.query.get("to").and_then(|word| word.parse().ok()).ok_or(Fault::Missing)?;
    let reading = desk.read_about(Kind::Project, desk.uuid("project")?, Need::Admin).await?;
    let arguments = json!({ "projectUuid": id, "visibility": to.as_str(), "preview": true });
    let impact = Impact::of(&desk.call("console_set_project_visibility", object(arguments)).await?);
    let title = desk.texts.say(&format!("project-make-{}", to.as_str()), &[]).into_owned();
    let f = desk.project_frame(&reading, title, Tab::Settings);
    answer::page(StatusCode::OK, &Confirm::visibility(f, Space::Project(id), to, impact))
}

#[derive(Template)]
#[template(path = "projects/group.html")]
struct GroupPage {
    f: Frame,
    id: ProjectId,
    /// The group that it is in.
    current: Option<GroupId>,
    groups: Vec<(GroupId, String)>,
    paging: Paging,
}

/// `GET /projects/{project}/settings/group`: the groups to choose from, and what a move would do (`?to=`, a group or
/// `none`).
pub(crate) async fn group(desk: &Desk) -> Result<Answer, Fault> {
    let id: ProjectId = desk.id("project")?;
    let mut reading = desk.read_about(Kind::Project, desk.uuid("project")?, Need::Manage).await?;
    let current = found(reading.call.project(id).cloned())?.group;
    let (call, reads) = reading.parts();
    let page = found(group::list(call, reads, &paging::request(&desk.query)).await)?;
    let paging = Paging::of(desk, &page);
    let target = match desk.query.filled("to") {
        None => None,
        Some("none") => Some(None),
        Some(group) => {
            let group: GroupId = group.parse().map_err(|_| Fault::Missing)?;
            let found = reads.group(&call.scope, group).await?.ok_or(Fault::Missing)?;
            Some(Some((group, found.name)))
        }
    };
    if let Some(target) = target {
        let group = target.as_ref().map(|(group, _)| *group);
        let arguments = json!({ "projectUuid": id, "groupUuid": group, "preview": true });
        let impact = Impact::of(&desk.call("chorus_admin_move_project_to_group", object(arguments)).await?);
        let f = desk.project_frame(&reading, desk.say("project-move"), Tab::Settings);
        return answer::page(StatusCode::OK, &Confirm::relocation(f, id, target, impact));
    }
    let groups = page.rows.into_iter().map(|row| (row.item.group.id, row.item.group.name)).collect();
    let f = desk.project_frame(&reading, desk.say("project-move"), Tab::Settings);
    answer::page(StatusCode::OK, &GroupPage { f, id, current, groups, paging })
}

/// The members of a JSON object, as arguments of a tool.
pub(crate) fn object(value: Json) -> Map<String, Json> {
    match value {
        Json::Object(map) => map,
        _ => Map::new(),
    }
}
