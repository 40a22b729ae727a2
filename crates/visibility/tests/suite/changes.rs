//! Changes of visibility and deletions of groups (visibility specification §6.4, §6.5).

use chorus_visibility::{
    ChangeRefusal, CompanyAccess, GroupDeletion, GroupVisibilityChange, Level, MoveChange, OtherSettings, ProjectPlan,
    ProjectVisibilityChange, Role, RoleChange, Summary, Visibility,
};
use proptest::prelude::*;

use crate::oracle;
use crate::world::{Group, Place, Private, Project, Public, Who, World, a_visibility, a_world, project_id, user};

const V: Option<Role> = Some(Role::Viewer);
const E: Option<Role> = Some(Role::Editor);
const A: Option<Role> = Some(Role::Admin);

fn give(world: &World, actor: Who, to: Visibility) -> Result<ProjectPlan, ChangeRefusal> {
    let (project, group) = (world.project(0), world.group_of(0));
    ProjectVisibilityChange { project: &project, group: group.as_ref(), to }
        .plan(&world.company(), &world.principal(actor))
}

fn expected_changes(before: &World, after: &World, project: usize) -> Vec<RoleChange> {
    let change = |index| RoleChange {
        user: user(index),
        before: oracle::level(before, project, Who::User(index)),
        after: oracle::level(after, project, Who::User(index)),
    };
    (0..before.users).map(change).filter(|change| change.before != change.after).collect()
}

#[test]
fn a_project_that_goes_private_leaves_its_members_as_they_are() {
    let world = World::of(Public, Place::Nowhere, vec![A, V, None], Vec::new());
    let plan = give(&world, Who::User(0), Private).unwrap();
    assert_eq!((plan.new_visibility(), plan.grants.len()), (Some(Private), 0));
    let change = |index, after| RoleChange { user: user(index), before: Level::Editor, after };
    assert_eq!(plan.impact.changes, [change(1, Level::Viewer), change(2, Level::None)]);
    assert_eq!(plan.impact.company_access(), CompanyAccess::Closed);
}

#[test]
fn a_project_that_goes_public_lifts_everybody_to_editor() {
    let world = World::of(Private, Place::Nowhere, vec![A, V, None], Vec::new());
    let plan = give(&world, Who::User(0), Public).unwrap();
    assert_eq!((plan.new_visibility(), plan.grants.len()), (Some(Public), 0));
    assert_eq!(plan.impact.company_access(), CompanyAccess::Opened);
    let expected =
        Summary { affected_users: 2, gained_access: 1, increased: 1, affected_projects: 1, ..Summary::default() };
    assert_eq!(plan.impact.summary(), expected);
}

#[test]
fn a_project_in_a_private_group_stays_private() {
    let world = World::of(Private, Place::In(0), vec![A], vec![Group { visibility: Private, roles: vec![A] }]);
    assert_eq!(give(&world, Who::User(0), Public), Err(ChangeRefusal::PublicInPrivateGroup));
    assert_eq!(give(&world, Who::User(0), Private).unwrap().new_visibility(), None);
}

#[test]
fn the_actor_keeps_a_project_that_goes_private() {
    let check = |place, local: Vec<Option<Role>>, first, actor, grants: &[_]| {
        let group = Group { visibility: Public, roles: vec![None, A] };
        let world = World::of(Public, place, local, vec![group]).with_first(first);
        assert_eq!(give(&world, actor, Private).unwrap().grants, grants, "{place:?} {first:?} {actor:?}");
    };
    // Another admin and an actor who is none: the facts can't be told from a race, and the actor is made sure of.
    check(Place::Nowhere, vec![V, A], Some(1), Who::User(0), &[(user(0), Role::Admin)]);
    check(Place::Missing, vec![None, None], None, Who::User(0), &[(user(0), Role::Admin)]);
    check(Place::Nowhere, vec![A, None], Some(1), Who::User(0), &[]);
    // The automatic admin is never written.
    check(Place::Nowhere, vec![None, None], Some(0), Who::User(0), &[]);
    // In a group, its admins see to it.
    check(Place::In(0), vec![V, None], Some(1), Who::User(0), &[]);
    check(Place::In(0), vec![V, A], Some(1), Who::User(0), &[]);
    check(Place::Nowhere, vec![None, A], Some(1), Who::Ownerless, &[]);
}

#[test]
fn only_a_change_that_matters_is_confirmed() {
    let world = World::of(Public, Place::Nowhere, vec![A], Vec::new());
    let project = world.project(0);
    let confirmed =
        |to, others| ProjectVisibilityChange { project: &project, group: None, to }.requires_confirmation(others);
    assert!(confirmed(Private, OtherSettings::Absent) && confirmed(Private, OtherSettings::Present));
    assert!(confirmed(Public, OtherSettings::Present) && !confirmed(Public, OtherSettings::Absent));
}

fn two_projects() -> World {
    let mut world = World::of(
        Public,
        Place::In(0),
        vec![None, V, None],
        vec![Group { visibility: Public, roles: vec![A, None, None] }],
    );
    world.projects.push(Project { visibility: Private, place: Place::In(0), roles: vec![None, None, E] });
    world
}

#[test]
fn a_group_that_goes_private_takes_its_public_projects_along() {
    let world = two_projects();
    let plan = GroupVisibilityChange { group: &world.group(0), to: Private }.plan(&world.company()).unwrap();
    assert!(plan.closed_projects().eq([project_id(0)]) && plan.is_change());
    assert_eq!(plan.company_access(), CompanyAccess::Closed);
    assert_eq!(plan.projects.len(), 2, "unaffected projects are listed too");
    let change = |index, after| RoleChange { user: user(index), before: Level::Editor, after };
    assert_eq!(plan.projects[0].impact.changes, [change(1, Level::Viewer), change(2, Level::None)]);
    assert_eq!(plan.projects[1].impact.changes, []);
    let expected =
        Summary { affected_users: 2, lost_access: 1, decreased: 1, affected_projects: 1, ..Summary::default() };
    assert_eq!(plan.summary(), expected);
}

#[test]
fn a_group_that_goes_public_leaves_its_projects_private() {
    let mut world = two_projects();
    world.groups[0].visibility = Private;
    world.projects[0].visibility = Private;
    let plan = GroupVisibilityChange { group: &world.group(0), to: Public }.plan(&world.company()).unwrap();
    assert_eq!((plan.closed_projects().count(), plan.company_access()), (0, CompanyAccess::Opened));
    assert_eq!(plan.summary(), Summary::default());
    assert!(plan.is_change());
}

#[test]
fn a_group_that_has_the_visibility_is_left_alone() {
    let world = two_projects();
    let plan = GroupVisibilityChange { group: &world.group(0), to: Public }.plan(&world.company()).unwrap();
    assert!(!plan.is_change() && plan.company_access() == CompanyAccess::Unchanged);
}

/// Data that breaks the invariant is repaired by asking for what the group is already.
#[test]
fn a_public_project_in_a_private_group_is_closed_with_the_next_change() {
    let mut world = two_projects();
    world.groups[0].visibility = Private;
    let plan = GroupVisibilityChange { group: &world.group(0), to: Private }.plan(&world.company()).unwrap();
    assert!(plan.is_change() && plan.closed_projects().eq([project_id(0)]));
}

#[test]
fn projects_are_listed_by_id() {
    let world = two_projects();
    let (straight, mut turned) = (world.group(0), world.group(0));
    turned.projects.reverse();
    let plan = |group| GroupVisibilityChange { group, to: Private }.plan(&world.company()).unwrap();
    assert_eq!(plan(&straight), plan(&turned));
    let plan = |group| GroupDeletion { group }.plan(&world.company()).unwrap();
    assert_eq!(plan(&straight), plan(&turned));
}

#[test]
fn a_project_is_affected_by_its_visibility_alone() {
    let world = World::of(Public, Place::Nowhere, vec![A], Vec::new());
    let impact = give(&world, Who::User(0), Private).unwrap().impact;
    assert!(impact.changes.is_empty() && impact.is_affected());
    assert_eq!(impact.summary(), Summary { affected_projects: 1, ..Summary::default() });
    assert!(!give(&world, Who::User(0), Public).unwrap().impact.is_affected());
}

#[test]
fn a_change_between_levels_counts_by_its_direction() {
    let group = |roles| Group { visibility: Public, roles };
    // User 0 goes from editor to admin, user 1 from admin to editor.
    let groups = vec![group(vec![None, A, None]), group(vec![A, None, None])];
    let world = World::of(Public, Place::In(0), vec![None, None, A], groups);
    let (project, old, new) = (world.project(0), world.group(0), world.group(1));
    let change = MoveChange { project: &project, source: Some(&old), target: Some(&new) };
    let expected =
        Summary { affected_users: 2, increased: 1, decreased: 1, affected_projects: 1, ..Summary::default() };
    let found = change.plan(&world.company()).unwrap().project.impact;
    assert_eq!(found.summary(), expected);
    assert_eq!(found.changes.iter().map(|change| change.after).collect::<Vec<_>>(), [Level::Admin, Level::Editor]);
}

#[test]
fn people_are_counted_once_over_all_projects() {
    let mut world = two_projects();
    world.projects[1].visibility = Public;
    let plan = GroupVisibilityChange { group: &world.group(0), to: Private }.plan(&world.company()).unwrap();
    // User 1 is lowered in one and loses the other; user 2 loses one and stays editor in the other.
    let expected =
        Summary { affected_users: 2, lost_access: 2, decreased: 1, affected_projects: 2, ..Summary::default() };
    assert_eq!(plan.summary(), expected);
}

#[test]
fn deleting_a_group_hands_its_members_to_its_projects() {
    let world = two_projects();
    let plan = GroupDeletion { group: &world.group(0) }.plan(&world.company()).unwrap();
    assert_eq!(plan.projects.len(), 2);
    for project in &plan.projects {
        assert_eq!(project.grants, [(user(0), Role::Admin)]);
        assert_eq!((project.new_visibility(), project.impact.changes.len()), (None, 0));
    }
}

#[test]
fn a_group_is_not_deleted_if_a_project_would_be_left_without_an_admin() {
    let mut world = two_projects();
    world.groups[0].roles = vec![E, None, None];
    world.projects[0].roles = vec![None, A, None];
    let refused = Err(ChangeRefusal::NoAdminLeft { project: project_id(1) });
    assert_eq!(GroupDeletion { group: &world.group(0) }.plan(&world.company()), refused);
}

#[test]
fn a_snapshot_with_a_foreign_project_is_refused() {
    let world = two_projects();
    let mut group = world.group(0);
    group.projects[1].facts.group = None;
    let refused = ChangeRefusal::GroupChanged { project: project_id(1) };
    assert_eq!(GroupDeletion { group: &group }.plan(&world.company()), Err(refused));
    assert_eq!(GroupVisibilityChange { group: &group, to: Private }.plan(&world.company()), Err(refused));
    let (project, company) = (world.project(0), world.company());
    let change = ProjectVisibilityChange { project: &project, group: None, to: Private };
    let refused = Err(ChangeRefusal::GroupChanged { project: project_id(0) });
    assert_eq!(change.plan(&company, &world.principal(Who::User(0))), refused);
}

proptest! {
    #[test]
    fn visibilities_of_projects_agree_with_the_second_implementation(
        world in a_world(), to in a_visibility(), actor in any::<prop::sample::Index>(),
    ) {
        let actor = actor.index(world.users);
        let found = give(&world, Who::User(actor), to);
        let group = world.group_of(0);
        if to == Public && group.is_some_and(|group| group.visibility == Private) {
            prop_assert_eq!(found, Err(ChangeRefusal::PublicInPrivateGroup));
            return Ok(());
        }
        let found = found.unwrap();
        let mut after = world.clone();
        after.projects[0].visibility = to;
        for (member, role) in &found.grants {
            prop_assert_eq!((*member, *role, to), (user(actor), Role::Admin, Private));
            after.projects[0].roles[actor] = A;
        }
        prop_assert_eq!(found.impact.changes, expected_changes(&world, &after, 0));
        prop_assert_eq!((found.impact.from, found.impact.to), (world.projects[0].visibility, to));
    }

    #[test]
    fn visibilities_of_groups_agree_with_the_second_implementation(world in a_world(), to in a_visibility()) {
        let mut after = world.clone();
        after.groups[0].visibility = to;
        let inside = |index: &usize| world.projects[*index].place == Place::In(0);
        let children: Vec<_> = (0..world.projects.len()).filter(inside).collect();
        for child in children.iter().filter(|_| to == Private) {
            after.projects[*child].visibility = Private;
        }
        let plan = GroupVisibilityChange { group: &world.group(0), to }.plan(&world.company()).unwrap();
        prop_assert_eq!(plan.projects.len(), children.len());
        for (found, child) in plan.projects.iter().zip(children) {
            prop_assert_eq!(&found.impact.changes, &expected_changes(&world, &after, child));
            prop_assert_eq!(found.impact.to, after.projects[child].visibility);
            prop_assert!(found.grants.is_empty());
        }
    }

    #[test]
    fn deletions_agree_with_the_second_implementation(world in a_world()) {
        let children: Vec<_> = (0..world.projects.len())
            .filter(|index| world.projects[*index].place == Place::In(0)).collect();
        let moved: Option<Vec<_>> = children.iter().map(|child| oracle::moved(&world, *child, None)).collect();
        let found = GroupDeletion { group: &world.group(0) }.plan(&world.company());
        match moved {
            None => {
                let refused = matches!(found, Err(ChangeRefusal::NoAdminLeft { .. }));
                prop_assert!(refused);
            }
            Some(moved) => for ((found, after), child) in found.unwrap().projects.iter().zip(moved).zip(children) {
                let mut moved = world.clone();
                moved.projects[child] = after;
                prop_assert_eq!(&found.impact.changes, &expected_changes(&world, &moved, child));
            },
        }
    }

    /// What a preview says about one project does not depend on its siblings.
    #[test]
    fn a_preview_of_one_project_does_not_depend_on_its_siblings(world in a_world(), to in a_visibility()) {
        let group = world.group(0);
        let whole = GroupVisibilityChange { group: &group, to }.plan(&world.company()).unwrap();
        for (index, project) in group.projects.iter().enumerate() {
            let mut alone = group.clone();
            alone.projects = vec![project.clone()];
            let alone = GroupVisibilityChange { group: &alone, to }.plan(&world.company()).unwrap();
            prop_assert_eq!(&alone.projects[0], &whole.projects[index]);
        }
    }

    #[test]
    fn every_changed_user_is_counted_in_exactly_one_kind_per_project(world in a_world(), to in a_visibility()) {
        let plan = GroupVisibilityChange { group: &world.group(0), to }.plan(&world.company()).unwrap();
        for project in &plan.projects {
            let s = project.impact.summary();
            prop_assert_eq!(s.affected_users, project.impact.changes.len());
            prop_assert_eq!(s.gained_access + s.lost_access + s.increased + s.decreased, s.affected_users);
            let changes = &project.impact.changes;
            let count = |kind: fn(&RoleChange) -> bool| changes.iter().filter(|change| kind(change)).count();
            prop_assert_eq!(s.gained_access, count(|change| change.before == Level::None));
            prop_assert_eq!(s.lost_access, count(|change| change.after == Level::None));
            prop_assert_eq!(s.increased, count(|change| change.before != Level::None && change.after > change.before));
            prop_assert_eq!(s.affected_projects, usize::from(project.impact.is_affected()));
        }
    }
}
