//! Moves of a project between groups: what they write and whom they touch, against the second implementation.

use chorus_visibility::{
    ChangeRefusal, CompanySnapshot, GroupSnapshot, Level, MoveChange, MovePlan, Role, RoleChange, RoleEffect,
    Visibility,
};
use proptest::prelude::*;

use crate::oracle;
use crate::world::{
    Group, Place, Private, Public, ROLES, Roles, Who, World, a_world, group_id, project_id, rows, user,
};

fn source(world: &World, project: usize) -> Option<usize> {
    match world.projects[project].place {
        Place::In(group) => Some(group),
        Place::Nowhere | Place::Missing | Place::Foreign => None,
    }
}

fn plan(
    world: &World,
    company: &CompanySnapshot,
    project: usize,
    target: Option<usize>,
) -> Result<MovePlan, ChangeRefusal> {
    let snapshot = |group| GroupSnapshot {
        id: group_id(group),
        visibility: world.groups[group].visibility,
        access_version: 0,
        members: rows(&world.groups[group].roles),
        projects: Vec::new(),
    };
    let (from, to) = (source(world, project).map(snapshot), target.map(snapshot));
    MoveChange { project: &world.project(project), source: from.as_ref(), target: to.as_ref() }.plan(company)
}

fn check(world: &World, company: &CompanySnapshot, project: usize, target: Option<usize>) {
    let found = plan(world, company, project, target);
    let was = &world.projects[project];
    let Some(is) = oracle::moved(world, project, target) else {
        assert_eq!(found, Err(ChangeRefusal::NoAdminLeft { project: project_id(project) }), "{world:#?}");
        return;
    };
    let found = found.unwrap();
    let impact = &found.project.impact;
    let mut seen = impact.changes.iter();
    let mut raised = false;
    for index in 0..world.users {
        let [before, after] = [was, &is].map(|project| oracle::level_in(world, project, Who::User(index)));
        if before != after {
            raised |= after > before;
            let change = RoleChange { user: user(index), before, after };
            assert_eq!(seen.next(), Some(&change), "to {target:?} in {world:#?}");
        }
    }
    assert_eq!(seen.next(), None, "to {target:?} in {world:#?}");
    assert_eq!(found.effect() == RoleEffect::Raised, raised);

    assert_eq!((impact.from, impact.to), (was.visibility, is.visibility));
    let written = is.roles.iter().zip(&was.roles).enumerate();
    let written = written.filter(|(_, (is, was))| is != was).map(|(index, (is, _))| (user(index), is.unwrap()));
    assert!(found.project.grants.iter().copied().eq(written), "to {target:?} in {world:#?}");

    let really = source(world, project) != target;
    let private = was.visibility == Private
        || [source(world, project), target]
            .into_iter()
            .flatten()
            .any(|group| world.groups[group].visibility == Private);
    assert_eq!(found.is_move(), really);
    assert_eq!(found.requires_confirmation(), really && (private || !impact.changes.is_empty()));
}

/// The three users' roles as one number each: local, in group 0, in group 1.
fn states() -> Vec<[Option<Role>; 3]> {
    (0..64).map(|state: usize| [ROLES[state % 4], ROLES[state / 4 % 4], ROLES[state / 16]]).collect()
}

/// Every company of three users up to renaming users who play the same part, which the larger worlds below don't
/// assume: the first user, if there is one, and an unordered rest.
fn companies(groups: usize, mut visit: impl FnMut([Roles; 3], Option<usize>)) {
    let states: Vec<_> = states().into_iter().take(4_usize.pow(1 + groups as u32)).collect();
    let layers = |users: [usize; 3]| [0, 1, 2].map(|layer| users.map(|user| states[user][layer]).to_vec());
    for a in 0..states.len() {
        for b in a..states.len() {
            for c in b..states.len() {
                visit(layers([a, b, c]), None);
            }
            for first in 0..states.len() {
                visit(layers([a, first, b]), Some(1));
            }
        }
    }
}

fn every_move(place: Place, target: Option<usize>, groups: usize, visibilities: &[[Visibility; 3]]) {
    let mut world = World::of(
        Public,
        place,
        vec![None; 3],
        vec![Group { visibility: Public, roles: vec![None; 3] }, Group { visibility: Public, roles: vec![None; 3] }],
    );
    companies(groups, |[local, first_group, second_group], first| {
        world.first = first;
        let company = world.company();
        world.projects[0].roles = local;
        world.groups[0].roles = first_group;
        world.groups[1].roles = second_group;
        for [project, from, to] in visibilities {
            world.projects[0].visibility = *project;
            world.groups[0].visibility = *from;
            world.groups[1].visibility = *to;
            check(&world, &company, 0, target);
        }
    });
}

// The columns are the project, group 0 and group 1. A private group never holds a public project.

#[test]
fn every_move_of_a_public_project_to_a_public_group() {
    every_move(Place::In(0), Some(1), 2, &[[Public, Public, Public]]);
}

#[test]
fn every_move_of_a_public_project_to_a_private_group() {
    every_move(Place::In(0), Some(1), 2, &[[Public, Public, Private]]);
}

#[test]
fn every_move_of_a_private_project_from_a_public_to_a_private_group() {
    every_move(Place::In(0), Some(1), 2, &[[Private, Public, Private]]);
}

#[test]
fn every_move_of_a_private_project_from_a_private_to_a_public_group() {
    every_move(Place::In(0), Some(1), 2, &[[Private, Private, Public]]);
}

/// Levels depend on nothing new here, since a group's visibility plays no part in them: group 1 stays empty.
#[test]
fn every_move_of_a_private_project_between_groups_of_one_kind() {
    every_move(Place::In(0), Some(1), 1, &[[Private, Public, Public], [Private, Private, Private]]);
}

#[test]
fn every_detachment() {
    let all = [[Public, Public, Public], [Private, Public, Public], [Private, Private, Public]];
    every_move(Place::In(0), None, 1, &all);
}

#[test]
fn every_move_into_a_group() {
    let all =
        [[Public, Public, Public], [Public, Private, Public], [Private, Public, Public], [Private, Private, Public]];
    for place in [Place::Nowhere, Place::Missing, Place::Foreign] {
        every_move(place, Some(0), 1, &all);
    }
}

#[test]
fn every_move_to_where_the_project_is() {
    let all = [[Public, Public, Public], [Private, Public, Public], [Private, Private, Public]];
    every_move(Place::In(0), Some(0), 1, &all);
    every_move(Place::Nowhere, None, 0, &all[..2]);
    every_move(Place::Missing, None, 0, &all[..2]);
}

#[test]
fn three_users_cover_every_assignment_up_to_renaming() {
    let mut found = 0;
    companies(2, |_, _| found += 1);
    // Unordered triples of 64 states without a first user; with one, its state and an unordered pair.
    assert_eq!(found, 64 * 65 * 66 / 6 + 64 * (64 * 65 / 2));
}

// By hand.

fn moving(
    project: Visibility,
    local: Roles,
    from: Option<(Visibility, Roles)>,
    to: Option<(Visibility, Roles)>,
    first: Option<usize>,
) -> Result<MovePlan, ChangeRefusal> {
    let group = |(visibility, roles)| Group { visibility, roles };
    let place = if from.is_some() { Place::In(0) } else { Place::Nowhere };
    let target = to.is_some().then_some(usize::from(from.is_some()));
    let groups = from.into_iter().chain(to).map(group).collect();
    let world = World::of(project, place, local, groups).with_first(first);
    plan(&world, &world.company(), 0, target)
}

const V: Option<Role> = Some(Role::Viewer);
const E: Option<Role> = Some(Role::Editor);
const A: Option<Role> = Some(Role::Admin);

#[test]
fn entering_a_private_group_makes_the_project_private() {
    let plan = moving(Public, vec![A, None, None], None, Some((Private, vec![None, V, None])), None).unwrap();
    assert_eq!(plan.project.new_visibility(), Some(Private));
    let change = |index, after| RoleChange { user: user(index), before: Level::Editor, after };
    assert_eq!(plan.project.impact.changes, [change(1, Level::Viewer), change(2, Level::None)]);
    assert_eq!(plan.project.impact.company_access().as_str(), "closed");
    let summary = plan.project.impact.summary();
    assert_eq!((summary.affected_users, summary.lost_access, summary.decreased), (2, 1, 1));
    assert_eq!((summary.gained_access, summary.increased, summary.affected_projects), (0, 0, 1));
    assert!(plan.requires_confirmation());
}

#[test]
fn leaving_a_group_copies_what_it_gave_and_nothing_else() {
    let from = Some((Public, vec![A, V, E, V, None]));
    let plan = moving(Private, vec![None, E, V, V, A], from, None, None).unwrap();
    assert_eq!(plan.project.grants, [(user(0), Role::Admin), (user(2), Role::Editor)]);
    assert_eq!(plan.project.impact.changes, []);
    assert_eq!(plan.project.new_visibility(), None);
    // Nobody's access changes, but a private boundary is crossed.
    assert!(plan.requires_confirmation() && plan.effect() == RoleEffect::Kept);
}

#[test]
fn the_public_floor_is_not_written() {
    let plan = moving(Public, vec![A, None, None], Some((Public, vec![None, V, None])), None, None).unwrap();
    assert_eq!(plan.project.grants, [(user(1), Role::Viewer)]);
    assert!(!plan.requires_confirmation());
}

#[test]
fn the_automatic_admin_of_the_old_group_is_not_written() {
    let from = Some((Private, vec![None, E]));
    let plan = moving(Private, vec![None, A], from.clone(), None, Some(0)).unwrap();
    assert_eq!(plan.project.grants, []);
    let lost = RoleChange { user: user(0), before: Level::Admin, after: Level::None };
    assert_eq!(plan.project.impact.changes, [lost], "the preview says so");
    let refused = moving(Private, vec![None, V], from, None, Some(0));
    assert_eq!(refused, Err(ChangeRefusal::NoAdminLeft { project: project_id(0) }));
}

#[test]
fn a_move_between_public_groups_needs_no_confirmation_unless_a_role_changes() {
    let between = |old, new| moving(Public, vec![None, A], Some((Public, old)), Some((Public, new)), None).unwrap();
    let quiet = between(vec![V, None], vec![E, None]);
    assert!(!quiet.requires_confirmation() && quiet.is_move());
    assert!(quiet.bumped_groups().eq([group_id(0), group_id(1)]));
    let raising = between(vec![V, None], vec![A, None]);
    assert!(raising.requires_confirmation() && raising.effect() == RoleEffect::Raised);
    let lowering = between(vec![A, None], vec![V, None]);
    assert!(lowering.requires_confirmation() && lowering.effect() == RoleEffect::Kept);
}

#[test]
fn staying_changes_nothing_and_needs_no_confirmation() {
    let world = World::of(Private, Place::In(0), vec![V], vec![Group { visibility: Private, roles: vec![A] }]);
    let plan = plan(&world, &world.company(), 0, Some(0)).unwrap();
    assert!(!plan.is_move() && !plan.requires_confirmation() && plan.crosses_private_boundary);
    assert_eq!(plan.bumped_groups().count(), 0);
    assert_eq!((plan.project.new_visibility(), plan.project.grants.len()), (None, 0));
}

#[test]
fn snapshots_of_different_moments_are_refused() {
    let groups = vec![Group { visibility: Public, roles: vec![A] }, Group { visibility: Public, roles: vec![A] }];
    let world = World::of(Public, Place::In(0), vec![A], groups);
    let (project, other) = (world.project(0), world.group(1));
    let refused = Err(ChangeRefusal::GroupChanged { project: project_id(0) });
    for source in [None, Some(&other)] {
        assert_eq!(MoveChange { project: &project, source, target: None }.plan(&world.company()), refused);
    }
}

proptest! {
    #[test]
    fn moves_in_larger_worlds_agree_with_the_second_implementation(world in a_world()) {
        let company = world.company();
        for project in 0..world.projects.len() {
            check(&world, &company, project, None);
            for target in 0..world.groups.len() {
                check(&world, &company, project, Some(target));
            }
        }
    }

    /// Going in and out again takes nothing from anybody who was a member of either.
    #[test]
    fn leaving_a_group_lowers_nobody_but_its_automatic_admin(world in a_world()) {
        for project in 0..world.projects.len() {
            if let Ok(found) = plan(&world, &world.company(), project, None) {
                for change in &found.project.impact.changes {
                    prop_assert!(change.after > change.before || Some(change.user) == world.first.map(user));
                }
            }
        }
    }

    #[test]
    fn the_order_of_users_and_rows_is_irrelevant(world in a_world()) {
        let reversed = |group: GroupSnapshot| {
            GroupSnapshot { members: group.members.into_iter().rev().collect(), ..group }
        };
        let mut company = world.company();
        let (mut project, old, new) = (world.project(0), world.group_of(0), world.group(0));
        let straight = MoveChange { project: &project, source: old.as_ref(), target: Some(&new) }.plan(&company);
        company.users.reverse();
        project.members.reverse();
        let (old, new) = (old.map(reversed), reversed(new));
        let turned = MoveChange { project: &project, source: old.as_ref(), target: Some(&new) }.plan(&company);
        prop_assert_eq!(straight, turned);
    }
}
