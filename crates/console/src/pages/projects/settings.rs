//! `GET /projects/{project}/settings`: what a project is called, who may do what in it, who sees it.

use std::collections::BTreeSet;

use askama::Template;
use chorus_app::{member, project};
use chorus_domain::{
    Kind,
    project::{Group, Project},
};
use chorus_ids::ProjectId;
use chorus_visibility::{Access, Level, MemberSource, Need, ProjectMember, Role, Visibility, permits};
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, Reading, found},
    fault::Fault,
    frame::{Frame, Tab},
    pages::people::{Choice, MemberLine},
    paging::{self, Paging},
};

#[derive(Template)]
#[template(path = "projects/settings.html")]
struct Settings {
    f: Frame,
    project: Project,
    group_name: Option<String>,
    /// Whether its group is private, so that it can be nothing else.
    closed_by_group: bool,
    /// May rename, move and delete.
    manages: bool,
    /// May change members and visibility.
    administers: bool,
    members: Vec<MemberLine>,
    member_total: u64,
    paging: Paging,
    choice: Choice,
}

impl Settings {
    fn is_private(&self) -> bool {
        self.project.visibility == Visibility::Private
    }

    fn roles(&self) -> [&'static str; 3] {
        Role::ALL.map(Role::as_str)
    }
}

/// Whether the person may rename, move and delete the project of a page.
pub(super) fn manages(reading: &Reading) -> bool {
    let project = reading.call.granted.projects().next();
    project.is_some_and(|(_, project)| permits(project.level, project.visibility, Need::Manage) == Access::Granted)
}

/// `GET /projects/{project}/settings`.
pub(crate) async fn settings(desk: &Desk) -> Result<Answer, Fault> {
    let id: ProjectId = desk.id("project")?;
    let mut reading = desk.read_about(Kind::Project, desk.uuid("project")?, Need::Viewer).await?;
    let (manages, administers) = (manages(&reading), reading.level() == Level::Admin);
    let (call, reads) = reading.parts();
    let project = found(project::get(call, reads, id).await)?.project;
    let group = match project.group {
        Some(group) => reads.group(&call.scope, group).await?,
        None => None,
    };
    // A group that the person does not see is private.
    let is_private = |group: &Group| group.visibility == Visibility::Private;
    let closed_by_group = project.group.is_some() && group.as_ref().is_none_or(is_private);
    let group_name = group.map(|group| group.name);
    let members = found(member::list(call, reads, id).await)?;
    let own: BTreeSet<_> =
        members.rows.iter().filter(|row| row.direct.is_some() && !row.implicit).map(|row| row.user).collect();
    let mut lines: Vec<MemberLine> = members
        .rows
        .iter()
        .map(|row| {
            let person = members.people.get(&row.user);
            MemberLine {
                user: row.user,
                name: person.map(|person| person.name.clone()).unwrap_or_default(),
                email: person.filter(|_| administers).and_then(|person| person.email.clone()),
                role: row.effective.as_str(),
                own: row.direct.filter(|_| own.contains(&row.user)).map(Role::as_str),
                from: from(row),
            }
        })
        .collect();
    lines.sort_by_cached_key(|line| line.name.to_lowercase());
    let member_total = u64::try_from(lines.len()).unwrap_or_default();
    let paging = Paging::new(desk, member_total);
    let skipped = (paging::number(&desk.query) - 1) as usize * paging::ROWS as usize;
    let members_shown = lines.into_iter().skip(skipped).take(paging::ROWS as usize).collect();
    let choice = Choice::of(members.people.into_values(), &own, &desk.query);
    let f = desk.project_frame(&reading, desk.say("tab-settings"), Tab::Settings);
    let page = Settings {
        f,
        project,
        group_name,
        closed_by_group,
        manages,
        administers,
        members: members_shown,
        member_total,
        paging,
        choice,
    };
    answer::page(StatusCode::OK, &page)
}

/// Where a role comes from, as a word of the list `via`.
fn from(row: &ProjectMember) -> &'static str {
    match (row.automatic_admin, row.source) {
        (true, _) => "automatic",
        (false, MemberSource::Project) => "project",
        (false, MemberSource::Group) => "group",
        (false, MemberSource::Both) => "both",
    }
}
