//! Discovery of groups and rights in them, against table §4 of the visibility specification.

use chorus_visibility::{ChildAccess, Denied, GroupAccess, Level, Role, group_access, level};
use proptest::prelude::*;

use crate::oracle::{self, GroupRow, Tie};
use crate::world::{COMPANY, Group, Place, Private, Public, Who, World, a_world, assignments, group_id};

fn shown(access: &GroupAccess) -> GroupRow {
    GroupRow {
        visible: access.visible,
        access_level: access.access_level,
        rename: access.can_manage,
        create: access.can_create_project,
        roster: access.can_read_roster,
        admin: access.can_admin,
    }
}

fn check(world: &World, group: usize, who: Who, children: ChildAccess) {
    let facts = world.group_facts(group, who);
    let access = group_access(&world.principal(who), COMPANY, &facts, children);
    let tie = oracle::tie(world, group, who, children == ChildAccess::Some);
    let context = format!("{who:?} {tie:?} {children:?} {world:#?}");
    if matches!(who, Who::Stranger(_)) {
        let nothing = GroupAccess {
            id: group_id(group),
            visibility: facts.visibility,
            visible: false,
            access_level: Level::None,
            explicit_role: None,
            can_manage: false,
            can_create_project: false,
            can_read_roster: false,
            can_admin: false,
            implicit_admin: false,
            access_initialized: false,
        };
        assert_eq!(access, nothing, "{context}");
        return;
    }
    assert_eq!(&shown(&access), oracle::group(facts.visibility, tie), "{context}");
    let explicit = match tie {
        Tie::Admin => Some(Role::Admin),
        Tie::Editor => Some(Role::Editor),
        Tie::Viewer => Some(Role::Viewer),
        Tie::Child | Tie::Nothing => None,
    };
    assert_eq!(access.explicit_role, explicit, "{context}");
    let stored = match who {
        Who::User(index) => world.groups[group].roles[index],
        Who::Ownerless | Who::Stranger(_) => None,
    };
    assert_eq!(access.implicit_admin, tie == Tie::Admin && stored != Some(Role::Admin), "{context}");
    let somebody = world.groups[group].roles.contains(&Some(Role::Admin)) || world.first.is_some();
    assert_eq!(access.access_initialized, access.visible && somebody, "{context}");
    for (answer, right) in [
        (access.require_manage(), access.can_manage),
        (access.require_create_project(), access.can_create_project),
        (access.require_roster(), access.can_read_roster),
        (access.require_admin(), access.can_admin),
    ] {
        let refusal = if access.visible { Denied::Forbidden } else { Denied::Hidden };
        assert_eq!(answer, if right { Ok(()) } else { Err(refusal) }, "{context}");
    }
}

#[test]
fn every_group_agrees_with_the_table() {
    for roles in assignments(3) {
        for visibility in [Public, Private] {
            let group = Group { visibility, roles: roles.clone() };
            for first in [None, Some(0), Some(1), Some(2)] {
                let world = World::of(Private, Place::In(0), vec![None; 3], vec![group.clone()]).with_first(first);
                for who in world.everybody() {
                    check(&world, 0, who, ChildAccess::None);
                    check(&world, 0, who, ChildAccess::Some);
                }
            }
        }
    }
}

#[test]
fn facts_of_an_agent_without_owner_count_no_role() {
    let world = World::of(Private, Place::In(0), vec![None], vec![Group { visibility: Private, roles: vec![None] }]);
    let mut facts = world.group_facts(0, Who::Ownerless);
    facts.role = Some(Role::Admin);
    let access = group_access(&world.principal(Who::Ownerless), COMPANY, &facts, ChildAccess::None);
    assert!(!access.visible && !access.can_admin && access.explicit_role.is_none());
}

proptest! {
    /// Child access is itself an outcome of levels: a private group whose only connection was a child goes with it.
    #[test]
    fn discovery_through_children_agrees_with_the_table(world in a_world()) {
        for group in 0..world.groups.len() {
            for who in world.everybody() {
                let sees = |project: usize| {
                    world.projects[project].place == Place::In(group)
                        && level(&world.principal(who), &world.facts(project, who)) != Level::None
                };
                let any = (0..world.projects.len()).any(sees);
                check(&world, group, who, if any { ChildAccess::Some } else { ChildAccess::None });
            }
        }
    }
}
