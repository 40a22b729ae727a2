//! Who may change access (visibility specification §6.2 to §6.4).

use chorus_visibility::{
    ChildAccess, Denied, GroupAccess, Operation, ProjectFacts, Role, RoleEffect, Visibility, authorise_change,
    group_access,
};

use crate::world::{COMPANY, Group, Place, Private, Public, Who, World};

const V: Option<Role> = Some(Role::Viewer);
const E: Option<Role> = Some(Role::Editor);
const A: Option<Role> = Some(Role::Admin);

const OK: Result<(), Denied> = Ok(());
const FORBIDDEN: Result<(), Denied> = Err(Denied::Forbidden);
const HIDDEN: Result<(), Denied> = Err(Denied::Hidden);

/// User 0 acts; user 1 is admin of everything, so nobody is automatic admin.
fn world(project: Visibility, local: Option<Role>, groups: &[(Visibility, Option<Role>)], place: Place) -> World {
    let group =
        |(visibility, role): &(Visibility, Option<Role>)| Group { visibility: *visibility, roles: vec![*role, A] };
    World::of(project, place, vec![local, A], groups.iter().map(group).collect())
}

fn group(world: &World, index: usize, who: Who) -> GroupAccess {
    group_access(&world.principal(who), COMPANY, &world.group_facts(index, who), ChildAccess::None)
}

fn moving(world: &World, who: Who, target: Option<usize>, effect: RoleEffect) -> Result<(), Denied> {
    let (project, target) = (world.facts(0, who), target.map(|index| group(world, index, who)));
    authorise_change(&world.principal(who), &Operation::Move { project: &project, target: target.as_ref(), effect })
}

#[test]
fn a_projects_visibility_and_members_are_its_admins() {
    for (visibility, local, expected) in [
        (Public, None, FORBIDDEN),
        (Public, E, FORBIDDEN),
        (Public, A, OK),
        (Private, None, HIDDEN),
        (Private, V, FORBIDDEN),
        (Private, E, FORBIDDEN),
        (Private, A, OK),
    ] {
        let world = world(visibility, local, &[], Place::Nowhere);
        let facts = world.facts(0, Who::User(0));
        for operation in [Operation::ProjectVisibility(&facts), Operation::ProjectMembers(&facts)] {
            let found = authorise_change(&world.principal(Who::User(0)), &operation);
            assert_eq!(found, expected, "{visibility} {local:?} {operation:?}");
        }
    }
}

#[test]
fn a_groups_visibility_members_and_deletion_are_its_admins() {
    for (visibility, role, expected) in [
        (Public, None, FORBIDDEN),
        (Public, E, FORBIDDEN),
        (Public, A, OK),
        (Private, None, HIDDEN),
        (Private, V, FORBIDDEN),
        (Private, E, FORBIDDEN),
        (Private, A, OK),
    ] {
        let world = world(Private, None, &[(visibility, role)], Place::In(0));
        let access = group(&world, 0, Who::User(0));
        for operation in [
            Operation::GroupVisibility(&access),
            Operation::GroupMembers(&access),
            Operation::DeleteGroup { group: &access, children: &[] },
        ] {
            let found = authorise_change(&world.principal(Who::User(0)), &operation);
            assert_eq!(found, expected, "{visibility} {role:?} {operation:?}");
        }
    }
}

#[test]
fn the_automatic_admin_has_the_authority_of_an_explicit_one() {
    let mut world = world(Private, None, &[(Private, None)], Place::In(0)).with_first(Some(0));
    world.groups[0].roles[1] = None;
    let access = group(&world, 0, Who::User(0));
    assert_eq!(authorise_change(&world.principal(Who::User(0)), &Operation::GroupMembers(&access)), OK);
    assert_eq!(moving(&world, Who::User(0), None, RoleEffect::Kept), OK);
}

/// A move between public places takes an editor, which everybody is.
#[test]
fn a_public_project_moves_between_public_places_by_any_editor() {
    let groups = [(Public, None), (Public, None)];
    for (place, target) in
        [(Place::In(0), Some(1)), (Place::In(0), None), (Place::Nowhere, Some(1)), (Place::Missing, Some(0))]
    {
        let world = world(Public, None, &groups, place);
        for who in [Who::User(0), Who::Ownerless] {
            assert_eq!(moving(&world, who, target, RoleEffect::Kept), OK, "{place:?} {target:?} {who:?}");
            assert_eq!(moving(&world, who, target, RoleEffect::Raised), FORBIDDEN, "{place:?} {target:?} {who:?}");
        }
        assert_eq!(moving(&world, Who::User(1), target, RoleEffect::Raised), OK);
        assert_eq!(moving(&world, Who::Stranger(1), target, RoleEffect::Kept), HIDDEN);
    }
}

/// A group of this visibility, and the actor's role in it.
type End = (Visibility, Option<Role>);

/// The project, the actor's role in it, the groups, where the project is, where it goes, the answer.
type Crossing = (Visibility, Option<Role>, [End; 2], Place, Option<usize>, Result<(), Denied>);

/// Crossing a private boundary takes an explicit admin at both ends, of the project where there is no group.
#[test]
fn a_move_across_a_private_boundary_takes_an_admin_at_both_ends() {
    #[rustfmt::skip]
    let cases: &[Crossing] = &[
        // Between groups: an admin of the project is not enough, and neither is one end.
        (Private, A,    [(Public,  None), (Public,  A)],    Place::In(0),   Some(1), FORBIDDEN),
        (Private, A,    [(Public,  A),    (Public,  None)], Place::In(0),   Some(1), FORBIDDEN),
        (Private, None, [(Public,  A),    (Public,  A)],    Place::In(0),   Some(1), OK),
        (Public,  A,    [(Public,  E),    (Private, A)],    Place::In(0),   Some(1), FORBIDDEN),
        (Public,  None, [(Public,  A),    (Private, E)],    Place::In(0),   Some(1), FORBIDDEN),
        (Public,  None, [(Public,  A),    (Private, A)],    Place::In(0),   Some(1), OK),
        (Private, None, [(Private, A),    (Private, A)],    Place::In(0),   Some(1), OK),
        (Private, None, [(Private, A),    (Public,  E)],    Place::In(0),   Some(1), FORBIDDEN),
        // A private group that holds a public project breaks an invariant, and is a private boundary all the same.
        (Public,  A,    [(Private, E),    (Public,  A)],    Place::In(0),   Some(1), FORBIDDEN),
        (Public,  A,    [(Private, A),    (Public,  A)],    Place::In(0),   Some(1), OK),
        // Out of a group.
        (Private, A,    [(Private, E),    (Public,  None)], Place::In(0),   None,    FORBIDDEN),
        (Private, None, [(Private, A),    (Public,  None)], Place::In(0),   None,    OK),
        (Private, A,    [(Public,  None), (Public,  None)], Place::In(0),   None,    FORBIDDEN),
        (Private, None, [(Public,  A),    (Public,  None)], Place::In(0),   None,    OK),
        // Into one.
        (Private, E,    [(Public,  None), (Public,  A)],    Place::Nowhere, Some(1), FORBIDDEN),
        (Private, A,    [(Public,  None), (Public,  E)],    Place::Nowhere, Some(1), FORBIDDEN),
        (Private, A,    [(Public,  None), (Public,  A)],    Place::Nowhere, Some(1), OK),
        (Public,  E,    [(Public,  None), (Private, A)],    Place::Missing, Some(1), FORBIDDEN),
        (Public,  A,    [(Public,  None), (Private, E)],    Place::Nowhere, Some(1), FORBIDDEN),
        (Public,  A,    [(Public,  None), (Private, A)],    Place::Nowhere, Some(1), OK),
        // Whatever is hidden is not found, whoever asks.
        (Public,  A,    [(Public,  A),    (Private, None)], Place::In(0),   Some(1), HIDDEN),
        (Private, None, [(Public,  None), (Public,  A)],    Place::In(0),   Some(1), HIDDEN),
        (Private, V,    [(Public,  None), (Private, None)], Place::In(0),   Some(1), HIDDEN),
        // Managing is the first condition.
        (Private, E,    [(Private, E),    (Private, A)],    Place::In(0),   Some(1), FORBIDDEN),
    ];
    for (project, local, groups, place, target, expected) in cases {
        let world = world(*project, *local, groups, *place);
        let found = moving(&world, Who::User(0), *target, RoleEffect::Kept);
        assert_eq!(found, *expected, "{project} {local:?} {groups:?} {place:?} {target:?}");
    }
}

#[test]
fn staying_takes_no_more_than_managing_the_project() {
    let check = |project, local, role, expected| {
        let world = world(project, local, &[(project, role)], Place::In(0));
        let access = group_access(
            &world.principal(Who::User(0)),
            COMPANY,
            &world.group_facts(0, Who::User(0)),
            ChildAccess::Some,
        );
        let facts = world.facts(0, Who::User(0));
        let operation = Operation::Move { project: &facts, target: Some(&access), effect: RoleEffect::Kept };
        assert_eq!(authorise_change(&world.principal(Who::User(0)), &operation), expected, "{local:?} {role:?}");
    };
    check(Private, A, None, OK);
    check(Private, E, E, FORBIDDEN);
    check(Public, None, None, OK);
}

#[test]
fn deleting_a_group_takes_managing_every_project_in_it() {
    let world = world(Private, None, &[(Public, A)], Place::In(0));
    let principal = world.principal(Who::User(0));
    let (admin, facts) = (group(&world, 0, Who::User(0)), world.facts(0, Who::User(0)));
    let delete = |group: &GroupAccess, children: &[ProjectFacts]| {
        authorise_change(&principal, &Operation::DeleteGroup { group, children })
    };
    assert_eq!(delete(&admin, &[facts]), OK);
    // Facts that a store could only read in between two changes: the grants of the group did not reach the child.
    let detached = ProjectFacts { group: None, ..facts };
    let viewed = ProjectFacts { role: V, ..detached };
    assert_eq!(delete(&admin, &[facts, viewed]), FORBIDDEN);
    assert_eq!(delete(&admin, &[viewed, detached]), HIDDEN);
}

/// Who has no authority over a group is told the same whether or not it holds something hidden from them.
#[test]
fn the_refusal_to_delete_a_group_says_nothing_about_what_is_in_it() {
    let with_hidden = world(Private, None, &[(Public, None)], Place::In(0));
    let principal = with_hidden.principal(Who::User(0));
    let (access, facts) = (group(&with_hidden, 0, Who::User(0)), with_hidden.facts(0, Who::User(0)));
    for children in [&[][..], &[facts]] {
        assert_eq!(authorise_change(&principal, &Operation::DeleteGroup { group: &access, children }), FORBIDDEN);
    }
}
