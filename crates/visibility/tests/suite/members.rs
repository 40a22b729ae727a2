//! Members of projects and groups (visibility specification §6.2, §6.3).

use chorus_visibility::{
    Level, MemberChange as Change, MemberRefusal as Refusal, MemberSource as Source, MemberWrite as Write,
    ProjectMember, Role, change_group_member, change_project_member, project_members,
};
use proptest::prelude::*;

use crate::oracle;
use crate::world::{Group, Place, Private, Public, ROLES, Who, World, a_role, a_world, assignments, user};

const V: Option<Role> = Some(Role::Viewer);
const E: Option<Role> = Some(Role::Editor);
const A: Option<Role> = Some(Role::Admin);

fn in_project(world: &World, change: Change) -> Result<Write, Refusal> {
    change_project_member(change, &world.project(0), world.group_of(0).as_ref(), &world.company())
}

fn in_group(world: &World, change: Change) -> Result<Write, Refusal> {
    change_group_member(change, &world.group(0), &world.company())
}

fn add(index: usize, role: Role) -> Change {
    Change::Add { user: user(index), role }
}

fn set(index: usize, role: Role) -> Change {
    Change::SetRole { user: user(index), role }
}

fn remove(index: usize) -> Change {
    Change::Remove { user: user(index) }
}

#[test]
fn members_are_added_changed_and_removed() {
    let group = Group { visibility: Private, roles: vec![A, E, None] };
    let world = World::of(Private, Place::In(0), vec![A, E, None], vec![group]);
    for apply in [in_project, in_group] {
        let check = |change, expected| assert_eq!(apply(&world, change), expected, "{change:?}");
        check(add(2, Role::Viewer), Ok(Write::Insert { user: user(2), role: Role::Viewer }));
        check(set(1, Role::Admin), Ok(Write::Update { user: user(1), from: Role::Editor, role: Role::Admin }));
        check(set(1, Role::Editor), Ok(Write::Unchanged));
        check(set(0, Role::Admin), Ok(Write::Unchanged));
        check(remove(1), Ok(Write::Delete { user: user(1), from: Role::Editor }));
        check(add(9, Role::Viewer), Err(Refusal::NotInCompany));
        check(add(1, Role::Editor), Err(Refusal::AlreadyMember));
        check(set(2, Role::Viewer), Err(Refusal::NotAMember));
        check(remove(2), Err(Refusal::NotAMember));
    }
}

#[test]
fn a_role_that_comes_from_the_group_is_not_edited_in_the_project() {
    let group = Group { visibility: Private, roles: vec![A, E] };
    let world = World::of(Private, Place::In(0), vec![None, None], vec![group]);
    assert_eq!(in_project(&world, set(1, Role::Viewer)), Err(Refusal::NotAMember));
    assert_eq!(in_project(&world, remove(1)), Err(Refusal::NotAMember));
    assert!(in_project(&world, add(1, Role::Admin)).is_ok());
}

#[test]
fn the_last_admin_of_a_project_stays_unless_its_group_has_one() {
    let refused = Err(Refusal::LastAdmin);
    let check = |place, inherited: Option<Role>, first, expected: Result<Write, Refusal>| {
        let group = Group { visibility: Private, roles: vec![None, inherited, None] };
        let world = World::of(Private, place, vec![A, E, None], vec![group]).with_first(first);
        assert_eq!(in_project(&world, remove(0)), expected, "{place:?} {inherited:?} {first:?}");
        assert_eq!(in_project(&world, set(0, Role::Editor)).is_err(), expected.is_err());
    };
    let removed = Ok(Write::Delete { user: user(0), from: Role::Admin });
    // Its own automatic admin, who would be user 2, does not count.
    check(Place::Nowhere, None, Some(2), refused);
    check(Place::Missing, A, Some(2), refused);
    check(Place::In(0), A, None, removed);
    // The group's automatic admin does.
    check(Place::In(0), E, Some(2), removed);
    check(Place::In(0), E, None, refused);
}

#[test]
fn another_local_admin_is_enough() {
    let world = World::of(Private, Place::Nowhere, vec![A, A], Vec::new());
    assert!(in_project(&world, remove(0)).is_ok());
    assert!(in_project(&world, set(1, Role::Viewer)).is_ok());
}

#[test]
fn the_last_explicit_admin_of_a_group_stays() {
    let check = |roles: [Option<Role>; 2], refused| {
        let world =
            World::of(Private, Place::In(0), vec![A, A], vec![Group { visibility: Private, roles: roles.to_vec() }])
                .with_first(Some(1));
        let expected = if refused { Some(Refusal::LastAdmin) } else { None };
        assert_eq!(in_group(&world, remove(0)).err(), expected, "{roles:?}");
        assert_eq!(in_group(&world, set(0, Role::Editor)).err(), expected, "{roles:?}");
    };
    check([A, None], true);
    check([A, E], true);
    check([A, A], false);
}

#[test]
fn the_automatic_admin_is_neither_removed_nor_demoted_but_may_become_explicit() {
    let group = Group { visibility: Private, roles: vec![None, E] };
    let ungrouped = World::of(Private, Place::Nowhere, vec![None, E], vec![group]).with_first(Some(0));
    for apply in [in_project, in_group] {
        let mut world = ungrouped.clone();
        for role in [Role::Viewer, Role::Editor] {
            assert_eq!(apply(&world, add(0, role)), Err(Refusal::AutomaticAdmin));
            assert_eq!(apply(&world, set(0, role)), Err(Refusal::AutomaticAdmin));
        }
        assert_eq!(apply(&world, remove(0)), Err(Refusal::AutomaticAdmin));
        assert_eq!(apply(&world, add(0, Role::Admin)), Ok(Write::Insert { user: user(0), role: Role::Admin }));
        assert_eq!(apply(&world, set(0, Role::Admin)), Err(Refusal::NotAMember));
        // A lower row of theirs, from before, can be made explicit too, and is no way to demote them.
        world.projects[0].roles[0] = V;
        world.groups[0].roles[0] = V;
        assert_eq!(apply(&world, set(0, Role::Editor)), Err(Refusal::AutomaticAdmin));
        assert_eq!(apply(&world, remove(0)), Err(Refusal::AutomaticAdmin));
        assert!(matches!(apply(&world, set(0, Role::Admin)), Ok(Write::Update { .. })));
        // Once somebody is admin, the first user is like everybody else.
        world.projects[0].roles[1] = A;
        world.groups[0].roles[1] = A;
        assert!(matches!(apply(&world, remove(0)), Ok(Write::Delete { .. })));
    }
}

#[test]
fn in_a_group_the_project_has_no_automatic_admin_of_its_own() {
    let group = Group { visibility: Private, roles: vec![None, A] };
    let world = World::of(Private, Place::In(0), vec![None, E], vec![group]).with_first(Some(0));
    assert!(in_project(&world, add(0, Role::Viewer)).is_ok());
}

/// Every change that is accepted leaves an admin that is more than the project's own fallback.
#[test]
fn no_accepted_change_takes_the_last_admin() {
    for local in assignments(2) {
        for inherited in assignments(2) {
            for (place, first) in
                [Place::Nowhere, Place::In(0)].into_iter().flat_map(|place| [None, Some(0)].map(|first| (place, first)))
            {
                let group = Group { visibility: Private, roles: inherited.clone() };
                let world = World::of(Private, place, local.clone(), vec![group]).with_first(first);
                for role in ROLES {
                    let change = role.map_or(remove(1), |role| set(1, role));
                    if local[1] != A || role == A || in_project(&world, change).is_err() {
                        continue;
                    }
                    let mut after = world.clone();
                    after.projects[0].roles[1] = role;
                    let somebody = after.projects[0].roles.contains(&A)
                        || (place == Place::In(0) && (inherited.contains(&A) || first.is_some()));
                    assert!(somebody, "{world:#?} {change:?}");
                }
            }
        }
    }
}

#[test]
fn the_member_list_shows_both_layers() {
    let group = Group { visibility: Public, roles: vec![A, V, E, None, None] };
    let world = World::of(Private, Place::In(0), vec![None, E, V, V, None], vec![group]).with_first(Some(4));
    let list = project_members(&world.project(0), world.group_of(0).as_ref(), &world.company());
    let row = |index, direct, inherited, effective, source| ProjectMember {
        user: user(index),
        direct,
        inherited,
        effective,
        source,
        automatic_admin: false,
        implicit: false,
    };
    assert_eq!(
        list,
        [
            row(0, None, A, Level::Admin, Source::Group),
            row(1, E, V, Level::Editor, Source::Both),
            row(2, V, E, Level::Editor, Source::Both),
            row(3, V, None, Level::Viewer, Source::Project),
        ]
    );
}

#[test]
fn the_member_list_shows_the_automatic_admin() {
    let check = |place, visibility, local, inherited, expected: ProjectMember| {
        let group = Group { visibility: Public, roles: vec![inherited] };
        let world = World::of(visibility, place, vec![local], vec![group]).with_first(Some(0));
        let list = project_members(&world.project(0), world.group_of(0).as_ref(), &world.company());
        assert_eq!(list, [expected]);
    };
    let automatic = ProjectMember {
        user: user(0),
        direct: A,
        inherited: None,
        effective: Level::Admin,
        source: Source::Project,
        automatic_admin: true,
        implicit: true,
    };
    check(Place::Nowhere, Private, None, None, automatic);
    check(Place::Missing, Public, V, None, ProjectMember { implicit: false, ..automatic });
    let by_group = ProjectMember { direct: None, inherited: A, source: Source::Group, ..automatic };
    check(Place::In(0), Private, None, None, by_group);
    check(
        Place::In(0),
        Private,
        V,
        None,
        ProjectMember { direct: V, source: Source::Both, implicit: false, ..by_group },
    );
    check(Place::In(0), Private, None, A, ProjectMember { automatic_admin: false, implicit: false, ..by_group });
}

proptest! {
    #[test]
    fn the_member_list_agrees_with_everybodys_level(world in a_world()) {
        for project in 0..world.projects.len() {
            let list = project_members(&world.project(project), world.group_of(project).as_ref(), &world.company());
            prop_assert!(list.is_sorted_by(|a, b| a.user < b.user));
            let mut listed = list.iter().peekable();
            for index in 0..world.users {
                let level = oracle::level(&world, project, Who::User(index));
                match listed.next_if(|row| row.user == user(index)) {
                    Some(row) => prop_assert_eq!(row.effective, level),
                    // Who is not listed has the floor and nothing else.
                    None if world.projects[project].visibility == Public => prop_assert_eq!(level, Level::Editor),
                    None => prop_assert_eq!(level, Level::None),
                }
            }
            prop_assert!(listed.next().is_none());
        }
    }

    /// A change of one member never changes anybody's level but theirs, the first user's aside.
    #[test]
    fn adding_a_member_leaves_everybody_else_alone(world in a_world(), role in a_role()) {
        for index in 0..world.users {
            if let Ok(Write::Insert { .. }) = in_project(&world, add(index, role)) {
                let mut after = world.clone();
                after.projects[0].roles[index] = Some(role);
                for other in (0..world.users).filter(|other| *other != index && Some(*other) != world.first) {
                    let level = |world: &World| oracle::level(world, 0, Who::User(other));
                    prop_assert_eq!(level(&after), level(&world));
                }
            }
        }
    }
}
