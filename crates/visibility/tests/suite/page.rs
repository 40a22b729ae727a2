//! The documentation page, rendered from the rules.

use std::fmt::Write as _;

use chorus_visibility::{
    Access, ChildAccess, Denied, GroupAccess, GroupVisibilityChange, Level, MoveChange, Need, Operation, OtherSettings,
    ProjectPlan, ProjectVisibilityChange, Role, RoleEffect, Visibility, authorise_change, group_access, level, permits,
};

use crate::assert_committed;
use crate::world::{COMPANY, Group, Place, Private, Public, ROLES, Who, World};

const A: Option<Role> = Some(Role::Admin);

#[test]
fn the_page_is_committed() {
    let mut page = String::from(
        "<!-- Generated from the rules by crates/visibility/tests/suite/page.rs; UPDATE=1 rewrites it. -->\n\
         # Who sees which project\n\n\
         A caller's memberships are those of its principal: a user's own, an agent's owner's, none for an agent\n\
         without owner. What is hidden from a caller does not exist for it: the answer is the one to an unknown id.\n\n",
    );
    levels(&mut page);
    needs(&mut page);
    groups(&mut page);
    authority(&mut page);
    changes(&mut page);
    assert_committed("../../docs/visibility.md", &page);
}

fn table(page: &mut String, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    writeln!(page, "| {} |\n|{}", head.join(" | "), " --- |".repeat(head.len())).unwrap();
    for row in rows {
        assert_eq!(row.len(), head.len());
        writeln!(page, "| {} |", row.join(" | ")).unwrap();
    }
    page.push('\n');
}

fn word(role: Option<Role>) -> String {
    Level::from(role).to_string()
}

/// The level of user 0; user 1 is admin in both layers.
fn level_with(project: Visibility, place: Place, local: Option<Role>, inherited: Option<Role>) -> Level {
    let group = Group { visibility: Public, roles: vec![inherited, A] };
    let world = World::of(project, place, vec![local, A], vec![group]);
    level(&world.principal(Who::User(0)), &world.facts(0, Who::User(0)))
}

fn levels(page: &mut String) {
    page.push_str("## Level in a project\n\n");
    for project in Visibility::ALL {
        writeln!(page, "In a **{project}** project, by the role in the project (rows) and in its group (columns):\n")
            .unwrap();
        let row = |local: &Option<Role>| {
            let ungrouped = level_with(project, Place::Nowhere, *local, None).to_string();
            let grouped = ROLES.iter().map(|group| level_with(project, Place::In(0), *local, *group).to_string());
            [word(*local), ungrouped].into_iter().chain(grouped).collect()
        };
        table(page, &["role", "no group", "none", "viewer", "editor", "admin"], ROLES.iter().map(row));
    }
    page.push_str(
        "The visibility of the group plays no part. A group that has no explicit admin has the company's first user\n\
         for one, and so has a project that has neither an admin of its own nor a group. This automatic admin is\n\
         computed, never stored, and ends with the first explicit admin.\n\n",
    );
    let nobody = |project| {
        let world = World::of(project, Place::Nowhere, vec![A], Vec::new());
        let level = |who| level(&world.principal(who), &world.facts(0, who)).to_string();
        vec![project.to_string(), level(Who::Ownerless), level(Who::Stranger(0))]
    };
    table(page, &["project", "agent without owner", "another company"], Visibility::ALL.map(nobody));
}

fn needs(page: &mut String) {
    page.push_str("## What a level allows\n\n");
    let operations = |need| match need {
        Need::Viewer => "every read",
        Need::Editor => "every write of content, being an assignee",
        Need::Manage => "rename, describe, delete, move",
        Need::Admin => "change visibility and members",
    };
    let cell = |level, visibility, need| match permits(level, visibility, need) {
        Access::Granted => "yes",
        Access::Forbidden => "forbidden",
        Access::Hidden => "not found",
    };
    let rows = Visibility::ALL.into_iter().flat_map(|visibility| Need::ALL.map(|need| (visibility, need)));
    let row = |(visibility, need)| {
        let cells = Level::ALL.map(|level| cell(level, visibility, need).to_owned());
        [visibility.to_string(), operations(need).to_owned()].into_iter().chain(cells).collect()
    };
    table(page, &["project", "operation", "none", "viewer", "editor", "admin"], rows.map(row));
}

fn access(visibility: Visibility, role: Option<Role>, children: ChildAccess, who: Who) -> GroupAccess {
    let world = World::of(Private, Place::In(0), vec![None; 2], vec![Group { visibility, roles: vec![role, A] }]);
    group_access(&world.principal(who), COMPANY, &world.group_facts(0, who), children)
}

fn groups(page: &mut String) {
    page.push_str("## Groups\n\n");
    let yes = |right: bool| if right { "yes" } else { "no" }.to_owned();
    let ties = [
        ("explicit admin", A, ChildAccess::None),
        ("explicit editor", Some(Role::Editor), ChildAccess::None),
        ("explicit viewer", Some(Role::Viewer), ChildAccess::None),
        ("access to a project in it", None, ChildAccess::Some),
        ("nothing", None, ChildAccess::None),
    ];
    let row = |visibility: Visibility, (tie, role, children): (&str, Option<Role>, ChildAccess)| {
        let found = access(visibility, role, children, Who::User(0));
        let mut row = vec![visibility.to_string(), tie.to_owned(), found.access_level.to_string()];
        row.extend([found.can_manage, found.can_create_project, found.can_read_roster, found.can_admin].map(yes));
        row
    };
    let head = ["group", "who has", "level", "rename", "create projects", "read members", "administer"];
    table(page, &head, Visibility::ALL.into_iter().flat_map(|visibility| ties.map(|tie| row(visibility, tie))));
    page.push_str(
        "Level none: the group does not exist for them. To administer is to change visibility and members, and to\n\
         delete. The automatic admin counts as an explicit one. An agent without owner creates public projects only.\n\n",
    );
}

fn answer(answer: Result<(), Denied>) -> String {
    match answer {
        Ok(()) => "yes",
        Err(Denied::Forbidden) => "forbidden",
        Err(Denied::Hidden) => "not found",
    }
    .to_owned()
}

type Spot = (Option<Visibility>, &'static str);

/// A project's visibility, where it is, where it goes.
type Journey = (Visibility, Spot, Spot);

/// Where a project may be: in no group, in a public or in a private one.
const PLACES: [Spot; 3] = [(None, "no group"), (Some(Public), "a public group"), (Some(Private), "a private group")];

/// Moves that the data allows: project, from, to.
fn journeys() -> Vec<Journey> {
    let all = Visibility::ALL.into_iter().flat_map(|project| {
        PLACES.into_iter().flat_map(move |from| PLACES.into_iter().map(move |to| (project, from, to)))
    });
    all.filter(|(project, from, to)| {
        (*project, from.0) != (Public, Some(Private)) && (from.0.is_some() || to.0.is_some())
    })
    .collect()
}

/// User 0 has these roles locally, in the group left and in the group entered; user 1 is admin of all three.
fn journey(
    (project, from, to): (Visibility, Option<Visibility>, Option<Visibility>),
    [local, old, new]: [Option<Role>; 3],
    effect: RoleEffect,
) -> Result<(), Denied> {
    let group =
        |visibility: Option<Visibility>, role| Group { visibility: visibility.unwrap_or(Public), roles: vec![role, A] };
    let place = from.map_or(Place::Nowhere, |_| Place::In(0));
    let world = World::of(project, place, vec![local, A], vec![group(from, old), group(to, new)]);
    let who = Who::User(0);
    let principal = world.principal(who);
    let target = group_access(&principal, COMPANY, &world.group_facts(1, who), ChildAccess::None);
    let project = world.facts(0, who);
    authorise_change(&principal, &Operation::Move { project: &project, target: to.map(|_| &target), effect })
}

fn authority(page: &mut String) {
    page.push_str(
        "## Who may move a project\n\n\
         By what somebody is admin of, and nothing else. Where a move raises anybody's level, the project's admins\n\
         only.\n\n",
    );
    let people = [[None, None, None], [A, None, None], [None, A, None], [None, None, A], [A, None, A], [None, A, A]];
    let row = |(project, from, to): Journey| {
        let cells = people.map(|roles| answer(journey((project, from.0, to.0), roles, RoleEffect::Kept)));
        [project.to_string(), from.1.to_owned(), to.1.to_owned()].into_iter().chain(cells).collect()
    };
    let head =
        ["project", "from", "to", "nothing", "project", "old group", "new group", "project, new group", "both groups"];
    table(page, &head, journeys().into_iter().map(row));
}

/// What a change did: the project before and after, the memberships written to it, whether it was confirmed.
fn outcome(change: &str, plan: &ProjectPlan, confirmed: bool) -> Vec<String> {
    let grants: Vec<_> = plan.grants.iter().map(|(_, role)| format!("{role} copied")).collect();
    vec![
        change.to_owned(),
        plan.impact.from.to_string(),
        plan.impact.to.to_string(),
        if grants.is_empty() { "kept".to_owned() } else { grants.join(", ") },
        if confirmed { "yes" } else { "no" }.to_owned(),
    ]
}

/// User 0 is the project's admin and a viewer of the old group, user 1 an editor of the old group and nothing else,
/// user 2 the admin of both groups and of the project.
fn cast(project: Visibility, from: Option<Visibility>, to: Visibility) -> World {
    let old = Group { visibility: from.unwrap_or(Public), roles: vec![Some(Role::Viewer), Some(Role::Editor), A] };
    let new = Group { visibility: to, roles: vec![None, None, A] };
    World::of(project, from.map_or(Place::Nowhere, |_| Place::In(0)), vec![A, None, A], vec![old, new])
}

fn changes(page: &mut String) {
    page.push_str(
        "## What changes of access do\n\n\
         Shown for a project whose old group has an editor without a role of their own in the project.\n\n",
    );
    let mut rows = Vec::new();
    for to in [Private, Public] {
        let world = cast(if to == Private { Public } else { Private }, None, Public);
        let (project, company) = (world.project(0), world.company());
        let change = ProjectVisibilityChange { project: &project, group: None, to };
        let plan = change.plan(&company, &world.principal(Who::User(0))).unwrap();
        rows.push(outcome(&format!("project goes {to}"), &plan, change.requires_confirmation(OtherSettings::Absent)));
    }
    for (from, to, project) in [(Public, Private, Public), (Public, Private, Private), (Private, Public, Private)] {
        let world = cast(project, Some(from), Public);
        let plan = GroupVisibilityChange { group: &world.group(0), to }.plan(&world.company()).unwrap();
        rows.push(outcome(&format!("its group goes {to}"), &plan.projects[0], true));
    }
    for (project, from, to) in journeys() {
        let world = cast(project, from.0, to.0.unwrap_or(Public));
        let (snapshot, source) = (world.project(0), world.group_of(0));
        let target = to.0.map(|_| world.group(1));
        let change = MoveChange { project: &snapshot, source: source.as_ref(), target: target.as_ref() };
        let plan = change.plan(&world.company()).unwrap();
        rows.push(outcome(&format!("move from {} to {}", from.1, to.1), &plan.project, plan.requires_confirmation()));
    }
    table(page, &["change", "before", "after", "memberships of the project", "to be confirmed"], rows);
    page.push_str(
        "Memberships are only ever added or raised, and what an old group gave ends with a move to another one. A\n\
         project that leaves its group for none, or whose group is deleted, must end up with an admin of its own; the\n\
         automatic one does not count. A group's visibility is confirmed even if it stays as it is; a move that changes\n\
         anybody's level always is. A confirmation is good for the same change, by the same caller, of the same state.\n",
    );
}
