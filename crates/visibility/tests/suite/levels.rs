//! Levels in a project, against the decision table (visibility specification §3).

use chorus_visibility::{Access, Level, Need, Role, level, permits};
use proptest::prelude::*;

use crate::oracle;
use crate::world::{Group, Place, Private, Public, ROLES, Who, World, a_role, a_visibility, a_world, assignments};

fn check(world: &World, project: usize) {
    for who in world.everybody() {
        let found = level(&world.principal(who), &world.facts(project, who));
        assert_eq!(found, oracle::level(world, project, who), "{who:?} in project {project} of {world:#?}");
    }
}

const FIRSTS: [Option<usize>; 4] = [None, Some(0), Some(1), Some(2)];

#[test]
fn every_project_without_a_group_agrees_with_the_table() {
    for roles in assignments(3) {
        for (visibility, place) in [Public, Private]
            .into_iter()
            .flat_map(|visibility| [Place::Nowhere, Place::Missing, Place::Foreign].map(|place| (visibility, place)))
        {
            for first in FIRSTS {
                check(&World::of(visibility, place, roles.clone(), Vec::new()).with_first(first), 0);
            }
        }
    }
}

#[test]
fn every_project_in_a_public_group_agrees_with_the_table() {
    for visibility in [Public, Private] {
        every_project_in_a_group(visibility, Public);
    }
}

#[test]
fn every_project_in_a_private_group_agrees_with_the_table() {
    // A public project there breaks an invariant of the data; its level follows the formula all the same.
    for visibility in [Public, Private] {
        every_project_in_a_group(visibility, Private);
    }
}

fn every_project_in_a_group(project: chorus_visibility::Visibility, visibility: chorus_visibility::Visibility) {
    let assignments = assignments(3);
    for inherited in &assignments {
        let group = Group { visibility, roles: inherited.clone() };
        let mut world = World::of(project, Place::In(0), inherited.clone(), vec![group]);
        for local in &assignments {
            world.projects[0].roles.clone_from(local);
            for first in FIRSTS {
                world.first = first;
                check(&world, 0);
            }
        }
    }
}

#[test]
fn a_group_of_another_company_or_a_missing_one_is_no_group() {
    let grant = Group { visibility: Public, roles: vec![Some(Role::Admin)] };
    for (place, expected) in [
        (Place::Missing, Level::None),
        (Place::Foreign, Level::None),
        (Place::Nowhere, Level::None),
        (Place::In(0), Level::Admin),
    ] {
        let world = World::of(Private, place, vec![None], vec![grant.clone()]);
        let found = level(&world.principal(Who::User(0)), &world.facts(0, Who::User(0)));
        assert_eq!(found, expected, "{place:?}");
    }
}

#[test]
fn facts_of_an_agent_without_owner_count_no_role() {
    // Whatever a store hands over: where there is no user there is no membership.
    let world = World::of(Private, Place::In(0), vec![None], vec![Group { visibility: Private, roles: vec![None] }]);
    let principal = world.principal(Who::Ownerless);
    let mut facts = world.facts(0, Who::Ownerless);
    facts.role = Some(Role::Admin);
    facts.group.as_mut().unwrap().role = Some(Role::Admin);
    assert_eq!(level(&principal, &facts), Level::None);
    assert!(!principal.is_first_user(), "nobody is not the first user, not even of a company without users");
}

#[test]
fn the_automatic_admin_ends_with_the_first_explicit_one() {
    let groups = vec![Group { visibility: Private, roles: vec![None, None] }];
    let mut world = World::of(Private, Place::In(0), vec![None, None], groups).with_first(Some(0));
    let first = |world: &World| level(&world.principal(Who::User(0)), &world.facts(0, Who::User(0)));
    assert_eq!(first(&world), Level::Admin);
    world.projects[0].roles[1] = Some(Role::Admin);
    assert_eq!(first(&world), Level::Admin, "a project in a group has its fallback from the group only");
    world.groups[0].roles[1] = Some(Role::Admin);
    assert_eq!(first(&world), Level::None);
    world.projects[0].place = Place::Missing;
    assert_eq!(first(&world), Level::None);
    world.projects[0].roles[1] = Some(Role::Editor);
    assert_eq!(first(&world), Level::Admin);
}

#[test]
fn needs_are_met_as_written() {
    use Access::{Forbidden as F, Granted as G, Hidden as H};
    // Visibility specification §3.3; columns are none, viewer, editor, admin.
    let expected = [
        (Public, Need::Viewer, [H, G, G, G]),
        (Public, Need::Editor, [H, F, G, G]),
        (Public, Need::Manage, [H, F, G, G]),
        (Public, Need::Admin, [H, F, F, G]),
        (Private, Need::Viewer, [H, G, G, G]),
        (Private, Need::Editor, [H, F, G, G]),
        (Private, Need::Manage, [H, F, F, G]),
        (Private, Need::Admin, [H, F, F, G]),
    ];
    assert_eq!(expected.len(), 2 * Need::ALL.len());
    for (visibility, need, row) in expected {
        assert_eq!(Level::ALL.map(|level| permits(level, visibility, need)), row, "{visibility} {need:?}");
    }
}

proptest! {
    #[test]
    fn larger_worlds_agree_with_the_table(world in a_world()) {
        for project in 0..world.projects.len() {
            check(&world, project);
        }
    }

    /// §3.1: membership can add or raise, never lower.
    #[test]
    fn a_higher_role_in_either_layer_never_lowers_ones_own_level(
        world in a_world(), who in any::<prop::sample::Index>(), role in a_role(),
    ) {
        let who = who.index(world.users);
        for project in 0..world.projects.len() {
            let before = level_of(&world, project, who);
            let mut raised = world.clone();
            let own = &mut raised.projects[project].roles[who];
            *own = (*own).max(Some(role));
            prop_assert!(level_of(&raised, project, who) >= before);
            if let Place::In(group) = world.projects[project].place {
                let mut raised = world.clone();
                let own = &mut raised.groups[group].roles[who];
                *own = (*own).max(Some(role));
                prop_assert!(level_of(&raised, project, who) >= before);
            }
        }
    }

    #[test]
    fn opening_a_project_never_lowers_a_level(world in a_world()) {
        for project in 0..world.projects.len() {
            let mut open = world.clone();
            open.projects[project].visibility = Public;
            for who in 0..world.users {
                prop_assert!(level_of(&open, project, who) >= level_of(&world, project, who));
            }
        }
    }

    /// A private project where somebody is in a sibling only does not exist for them.
    #[test]
    fn siblings_never_influence_each_other(
        world in a_world(), sibling in any::<prop::sample::Index>(), visibility in a_visibility(),
    ) {
        let sibling = sibling.index(world.projects.len());
        let mut changed = world.clone();
        changed.projects[sibling].visibility = visibility;
        for (index, role) in changed.projects[sibling].roles.iter_mut().enumerate() {
            *role = ROLES[(index + 1) % 4];
        }
        for project in (0..world.projects.len()).filter(|project| *project != sibling) {
            for who in 0..world.users {
                prop_assert_eq!(level_of(&changed, project, who), level_of(&world, project, who));
            }
        }
    }

    /// Group grants are live: whoever is a member of the group has it in every child at once.
    #[test]
    fn a_group_role_reaches_every_child(world in a_world(), who in any::<prop::sample::Index>(), role in a_role()) {
        let who = who.index(world.users);
        let mut world = world;
        for group in &mut world.groups {
            group.roles[who] = Some(role);
        }
        for project in 0..world.projects.len() {
            if matches!(world.projects[project].place, Place::In(_)) {
                prop_assert!(level_of(&world, project, who) >= Level::from(Some(role)));
            }
        }
    }
}

fn level_of(world: &World, project: usize, who: usize) -> Level {
    level(&world.principal(Who::User(who)), &world.facts(project, Who::User(who)))
}
