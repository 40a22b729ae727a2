//! The bytes of a confirmation (visibility specification §6.6).

use std::collections::BTreeMap;

use chorus_ids::{AgentId, CompanyId, GroupId, ProjectId, UserId};
use chorus_visibility::{
    ActorRef, CompanySnapshot, Confirmer, GroupFacts, GroupSnapshot, GroupVisibilityChange, MoveChange, ProjectFacts,
    ProjectSnapshot, ProjectVisibilityChange, Role, Visibility,
};
use proptest::prelude::*;

use crate::world::{Private, Public, a_role, a_visibility};

/// A change with everything it borrows.
#[derive(Clone, Debug, PartialEq)]
enum Change {
    Project { project: ProjectSnapshot, group: Option<GroupSnapshot>, to: Visibility },
    Group { group: GroupSnapshot, to: Visibility },
    Move { project: ProjectSnapshot, source: Option<GroupSnapshot>, target: Option<GroupSnapshot> },
}

#[derive(Clone, Debug, PartialEq)]
struct Case {
    company: CompanySnapshot,
    by: Confirmer,
    change: Change,
}

impl Case {
    fn bytes(&self) -> Vec<u8> {
        match &self.change {
            Change::Project { project, group, to } => {
                ProjectVisibilityChange { project, group: group.as_ref(), to: *to }
                    .confirmation_bytes(&self.company, &self.by)
            }
            Change::Group { group, to } => {
                GroupVisibilityChange { group, to: *to }.confirmation_bytes(&self.company, &self.by)
            }
            Change::Move { project, source, target } => {
                MoveChange { project, source: source.as_ref(), target: target.as_ref() }
                    .confirmation_bytes(&self.company, &self.by)
            }
        }
    }

    /// The case without what a confirmation leaves out, in one order.
    fn relevant(&self) -> Self {
        let mut case = self.clone();
        case.company.users.sort();
        match &mut case.change {
            Change::Project { project, group, to: _ } => {
                strip(project);
                project.name.clear();
                group.iter_mut().for_each(strip_group);
            }
            Change::Group { group, to: _ } => {
                group.members.sort();
                group.projects.sort_by_key(ProjectSnapshot::id);
                for project in &mut group.projects {
                    strip(project);
                    project.name.clear();
                }
            }
            Change::Move { project, source, target } => {
                strip(project);
                source.iter_mut().chain(target).for_each(strip_group);
            }
        }
        case
    }
}

fn strip(project: &mut ProjectSnapshot) {
    project.members.sort();
    project.facts.company = CompanyId::from_u128(0);
    project.facts.role = None;
    project.facts.has_admin = false;
    project.facts.group = project.facts.group.map(|group| in_group(group.id));
}

fn strip_group(group: &mut GroupSnapshot) {
    group.members.sort();
    group.projects.clear();
}

fn in_group(id: GroupId) -> GroupFacts {
    GroupFacts { id, visibility: Private, role: None, has_admin: false }
}

// Few different ids, so that two cases that were drawn alone are often nearly the same.

fn some_user() -> impl Strategy<Value = UserId> {
    (0..3_u128).prop_map(UserId::from_u128)
}

fn some_group() -> impl Strategy<Value = GroupId> {
    (0..2_u128).prop_map(GroupId::from_u128)
}

fn members() -> impl Strategy<Value = Vec<(UserId, Role)>> {
    prop::collection::btree_map(some_user(), a_role(), 0..3).prop_map(BTreeMap::into_iter).prop_map(Iterator::collect)
}

fn project() -> impl Strategy<Value = ProjectSnapshot> {
    let facts = ((0..2_u128).prop_map(ProjectId::from_u128), a_visibility(), prop::option::of(some_group())).prop_map(
        |(project, visibility, group)| ProjectFacts {
            company: CompanyId::from_u128(0),
            project,
            visibility,
            role: None,
            has_admin: false,
            group: group.map(in_group),
        },
    );
    (facts, "[ab]{0,2}", members()).prop_map(|(facts, name, members)| ProjectSnapshot { facts, name, members })
}

fn group() -> impl Strategy<Value = GroupSnapshot> {
    let projects = prop::collection::btree_map(0..2_u128, project(), 0..3).prop_map(|projects| {
        let numbered = |(id, mut project): (u128, ProjectSnapshot)| {
            project.facts.project = ProjectId::from_u128(id);
            project
        };
        projects.into_iter().map(numbered).collect()
    });
    (some_group(), a_visibility(), 0..2_i64, members(), projects).prop_map(
        |(id, visibility, access_version, members, projects)| GroupSnapshot {
            id,
            visibility,
            access_version,
            members,
            projects,
        },
    )
}

fn change() -> impl Strategy<Value = Change> {
    let groups = || prop::option::of(group());
    prop_oneof![
        (project(), groups(), a_visibility()).prop_map(|(project, group, to)| Change::Project { project, group, to }),
        (group(), a_visibility()).prop_map(|(group, to)| Change::Group { group, to }),
        (project(), groups(), groups()).prop_map(|(project, source, target)| Change::Move { project, source, target }),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let users = prop::collection::btree_set(some_user(), 0..3).prop_map(|users| users.into_iter().collect());
    let company = ((0..2_u128).prop_map(CompanyId::from_u128), users, prop::option::of(some_user()))
        .prop_map(|(id, users, first_user)| CompanySnapshot { id, users, first_user });
    let actor = prop_oneof![
        some_user().prop_map(ActorRef::User),
        (0..3_u128).prop_map(AgentId::from_u128).prop_map(ActorRef::Agent),
        Just(ActorRef::Operator),
    ];
    let by = (prop::option::of(some_user()), actor).prop_map(|(principal, actor)| Confirmer { principal, actor });
    (company, by, change()).prop_map(|(company, by, change)| Case { company, by, change })
}

/// Every single edit of a case that a confirmation is bound to.
fn edits(case: &Case) -> Vec<(&'static str, Case)> {
    let mut edits: Vec<(&'static str, Case)> = Vec::new();
    let mut edit = |what, apply: &dyn Fn(&mut Case)| {
        let mut edited = case.clone();
        apply(&mut edited);
        edits.push((what, edited));
    };
    let new_user = UserId::from_u128(99);
    edit("company", &|case| case.company.id = CompanyId::from_u128(99));
    edit("new company user", &|case| case.company.users.push(new_user));
    edit("first user", &|case| case.company.first_user = Some(new_user));
    edit("principal", &|case| case.by.principal = Some(new_user));
    edit("actor", &|case| case.by.actor = ActorRef::Agent(AgentId::from_u128(99)));
    edit("type of actor", &|case| {
        case.by.actor = match case.by.actor {
            ActorRef::User(user) => ActorRef::Agent(AgentId::from_uuid(user.uuid())),
            ActorRef::Agent(agent) => ActorRef::User(UserId::from_uuid(agent.uuid())),
            ActorRef::Operator => ActorRef::User(UserId::from_u128(98)),
        };
    });
    if !case.company.users.is_empty() {
        edit("company user gone", &|case| case.company.users.truncate(case.company.users.len() - 1));
    }
    match &case.change {
        Change::Project { project, group, .. } => {
            edit("requested visibility", &|case| {
                if let Change::Project { to, .. } = &mut case.change {
                    *to = other(*to);
                }
            });
            project_edits(project, &mut edit, |case| match &mut case.change {
                Change::Project { project, .. } => project,
                Change::Group { .. } | Change::Move { .. } => unreachable!(),
            });
            group_edits(group.as_ref(), &mut edit, |case| match &mut case.change {
                Change::Project { group, .. } => group,
                Change::Group { .. } | Change::Move { .. } => unreachable!(),
            });
        }
        Change::Group { group, .. } => {
            edit("requested visibility", &|case| {
                if let Change::Group { to, .. } = &mut case.change {
                    *to = other(*to);
                }
            });
            edit("access version", &|case| change_group(case).access_version += 1);
            edit("group", &|case| change_group(case).id = GroupId::from_u128(99));
            edit("visibility of the group", &|case| {
                let group = change_group(case);
                group.visibility = other(group.visibility);
            });
            edit("member of the group", &|case| change_group(case).members.push((new_user, Role::Viewer)));
            if let Some(project) = group.projects.first() {
                project_edits(project, &mut edit, |case| &mut change_group(case).projects[0]);
                edit("project gone", &|case| drop(change_group(case).projects.remove(0)));
            }
        }
        Change::Move { project, source, target } => {
            project_edits(project, &mut edit, |case| change_move(case).0);
            edit("name", &|case| change_move(case).0.name.push('x'));
            group_edits(source.as_ref(), &mut edit, |case| change_move(case).1);
            group_edits(target.as_ref(), &mut edit, |case| change_move(case).2);
        }
    }
    edits
}

fn other(visibility: Visibility) -> Visibility {
    match visibility {
        Public => Private,
        Private => Public,
    }
}

fn change_group(case: &mut Case) -> &mut GroupSnapshot {
    match &mut case.change {
        Change::Group { group, .. } => group,
        Change::Project { .. } | Change::Move { .. } => unreachable!(),
    }
}

fn change_move(case: &mut Case) -> (&mut ProjectSnapshot, &mut Option<GroupSnapshot>, &mut Option<GroupSnapshot>) {
    match &mut case.change {
        Change::Move { project, source, target } => (project, source, target),
        Change::Project { .. } | Change::Group { .. } => unreachable!(),
    }
}

type Edit<'a> = dyn FnMut(&'static str, &dyn Fn(&mut Case)) + 'a;

fn project_edits(project: &ProjectSnapshot, edit: &mut Edit<'_>, find: impl Fn(&mut Case) -> &mut ProjectSnapshot) {
    edit("project", &|case| find(case).facts.project = ProjectId::from_u128(99));
    edit("visibility of the project", &|case| {
        let facts = &mut find(case).facts;
        facts.visibility = other(facts.visibility);
    });
    edit("group of the project", &|case| find(case).facts.group = Some(in_group(GroupId::from_u128(99))));
    edit("new member", &|case| find(case).members.push((UserId::from_u128(99), Role::Viewer)));
    if !project.members.is_empty() {
        edit("member gone", &|case| find(case).members.truncate(project.members.len() - 1));
        edit("role of a member", &|case| {
            let role = &mut find(case).members[0].1;
            *role = if *role == Role::Admin { Role::Editor } else { Role::Admin };
        });
    }
}

fn group_edits(
    group: Option<&GroupSnapshot>,
    edit: &mut Edit<'_>,
    find: impl Fn(&mut Case) -> &mut Option<GroupSnapshot>,
) {
    let Some(group) = group else {
        edit("a group", &|case| {
            *find(case) = Some(GroupSnapshot {
                id: GroupId::from_u128(0),
                visibility: Public,
                access_version: 0,
                members: Vec::new(),
                projects: Vec::new(),
            });
        });
        return;
    };
    edit("no group", &|case| *find(case) = None);
    edit("another group", &|case| find(case).as_mut().unwrap().id = GroupId::from_u128(99));
    edit("visibility of the group", &|case| {
        let group = find(case).as_mut().unwrap();
        group.visibility = other(group.visibility);
    });
    edit("access version", &|case| find(case).as_mut().unwrap().access_version += 1);
    edit("member of the group", &|case| {
        find(case).as_mut().unwrap().members.push((UserId::from_u128(99), Role::Viewer));
    });
    if !group.members.is_empty() {
        edit("member of the group gone", &|case| {
            find(case).as_mut().unwrap().members.truncate(group.members.len() - 1)
        });
    }
}

proptest! {
    #[test]
    fn every_relevant_edit_changes_the_bytes(case in case()) {
        let bytes = case.bytes();
        for (what, edited) in edits(&case) {
            prop_assert_ne!(&edited.bytes(), &bytes, "{}", what);
        }
    }

    #[test]
    fn the_order_of_users_rows_and_projects_is_irrelevant(case in case()) {
        let mut turned = case.clone();
        turned.company.users.reverse();
        match &mut turned.change {
            Change::Project { project, group, .. } => {
                project.members.reverse();
                group.iter_mut().for_each(|group| group.members.reverse());
            }
            Change::Group { group, .. } => {
                group.members.reverse();
                group.projects.reverse();
                group.projects.iter_mut().for_each(|project| project.members.reverse());
            }
            Change::Move { project, source, target } => {
                project.members.reverse();
                source.iter_mut().chain(target).for_each(|group| group.members.reverse());
            }
        }
        prop_assert_eq!(turned.bytes(), case.bytes());
    }

    /// Also: no bytes continue others, so nothing can be appended to one change to get another.
    #[test]
    fn two_cases_have_the_same_bytes_only_if_they_are_the_same(cases in prop::collection::vec(case(), 8)) {
        for a in &cases {
            for b in &cases {
                let (same, left, right) = (a.relevant() == b.relevant(), a.bytes(), b.bytes());
                prop_assert_eq!(same, left == right);
                prop_assert_eq!(same, left.starts_with(&right));
            }
        }
    }

    /// What the acting principal happens to be, and how things are called, is not part of it.
    #[test]
    fn irrelevant_edits_leave_the_bytes_alone(case in case(), role in a_role(), name in "[a-z]{1,8}") {
        let mut edited = case.clone();
        let edit = |project: &mut ProjectSnapshot| {
            project.facts.role = Some(role);
            project.facts.has_admin = true;
        };
        match &mut edited.change {
            Change::Project { project, group, .. } => {
                edit(project);
                project.name = name;
                group.iter_mut().for_each(|group| group.projects.clear());
            }
            Change::Group { group, .. } => for project in &mut group.projects {
                edit(project);
                project.name.clone_from(&name);
            },
            Change::Move { project, source, target } => {
                edit(project);
                source.iter_mut().chain(target).for_each(|group| group.projects.clear());
            }
        }
        prop_assert_eq!(edited.bytes(), case.bytes());
    }
}

fn a_move() -> (CompanySnapshot, Confirmer, ProjectSnapshot) {
    let company = CompanySnapshot { id: CompanyId::from_u128(1), users: Vec::new(), first_user: None };
    let by = Confirmer { principal: None, actor: ActorRef::User(UserId::from_u128(1)) };
    let facts = ProjectFacts {
        company: company.id,
        project: ProjectId::from_u128(2),
        visibility: Public,
        role: None,
        has_admin: false,
        group: None,
    };
    (company, by, ProjectSnapshot { facts, name: String::new(), members: Vec::new() })
}

/// A name may hold whatever follows it in the bytes; its length keeps the two apart.
#[test]
fn a_name_can_not_pass_for_what_follows_it() {
    let (company, by, mut project) = a_move();
    let bytes = |project: &ProjectSnapshot| {
        MoveChange { project, source: None, target: None }.confirmation_bytes(&company, &by)
    };
    let plain = bytes(&project);
    let tail = String::from_utf8(plain[plain.len() - 24..].to_vec()).unwrap();
    assert!(tail.contains("none"), "the tail is what follows the name");
    project.name = tail;
    let crafted = bytes(&project);
    assert!(!crafted.starts_with(&plain) && crafted != plain);
}

/// A server that is updated between a preview and its confirmation still accepts the token, unless the layout's name,
/// the first field, is changed on purpose.
#[test]
fn the_layout_is_as_written() {
    let (company, by, mut project) = a_move();
    project.name = String::from("Apollo");
    project.members = vec![(UserId::from_u128(1), Role::Admin)];
    let mut expected = Vec::new();
    let field = |expected: &mut Vec<u8>, bytes: &[u8]| {
        expected.extend((bytes.len() as u64).to_be_bytes());
        expected.extend(bytes);
    };
    let id = |number: u128| number.to_be_bytes();
    for bytes in [&b"chorus access change 1"[..], b"move_project", &id(1), b"none", b"user", &id(1), b"none"] {
        field(&mut expected, bytes);
    }
    expected.extend(0_u64.to_be_bytes()); // users of the company
    for bytes in [&id(2)[..], b"public", b"none"] {
        field(&mut expected, bytes);
    }
    expected.extend(1_u64.to_be_bytes()); // members
    for bytes in [&id(1)[..], b"admin", b"Apollo", b"none", b"none"] {
        field(&mut expected, bytes);
    }
    let change = MoveChange { project: &project, source: None, target: None };
    assert_eq!(change.confirmation_bytes(&company, &by), expected);
}
