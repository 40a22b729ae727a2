//! New projects and groups (visibility specification §6.1).

use chorus_visibility::{
    ChildAccess, CreationRefusal, Denied, NewGroup, NewProject, Role, Visibility, group_access, new_group, new_project,
};

use crate::world::{COMPANY, Group, Place, Private, Public, Who, World, user};

/// User 0 creates a project with this explicit role in a group of this visibility; user 1 is its admin.
fn create(
    who: Who,
    group: Option<(Visibility, Option<Role>, ChildAccess)>,
    requested: Option<Visibility>,
) -> Result<NewProject, CreationRefusal> {
    let visibility = group.map_or(Public, |group| group.0);
    let roles = vec![group.and_then(|group| group.1), Some(Role::Admin)];
    let world = World::of(Private, Place::Nowhere, vec![None; 2], vec![Group { visibility, roles }]);
    let principal = world.principal(who);
    let access = group.map(|group| group_access(&principal, COMPANY, &world.group_facts(0, who), group.2));
    new_project(&principal, access.as_ref(), requested)
}

#[test]
fn a_project_takes_its_visibility_from_its_group_and_its_creator_for_admin() {
    let admin = Some(user(0));
    let public_group = Some((Public, None, ChildAccess::None));
    let private_group = Some((Private, Some(Role::Editor), ChildAccess::None));
    for (group, requested, visibility) in [
        (None, None, Public),
        (None, Some(Public), Public),
        (None, Some(Private), Private),
        (public_group, None, Public),
        (public_group, Some(Private), Private),
        (private_group, None, Private),
        (private_group, Some(Private), Private),
    ] {
        let found = create(Who::User(0), group, requested);
        assert_eq!(found, Ok(NewProject { visibility, admin }), "{group:?} {requested:?}");
    }
}

#[test]
fn a_public_project_inside_a_private_group_is_refused() {
    let group = Some((Private, Some(Role::Admin), ChildAccess::None));
    assert_eq!(create(Who::User(0), group, Some(Public)), Err(CreationRefusal::PublicInPrivateGroup));
}

#[test]
fn a_private_group_takes_projects_from_its_editors_and_admins_only() {
    let create = |role, children| create(Who::User(0), Some((Private, role, children)), None).err();
    assert_eq!(create(None, ChildAccess::None), Some(CreationRefusal::Group(Denied::Hidden)));
    assert_eq!(create(None, ChildAccess::Some), Some(CreationRefusal::Group(Denied::Forbidden)));
    assert_eq!(create(Some(Role::Viewer), ChildAccess::Some), Some(CreationRefusal::Group(Denied::Forbidden)));
    assert_eq!(create(Some(Role::Editor), ChildAccess::None), None);
    assert_eq!(create(Some(Role::Admin), ChildAccess::None), None);
}

#[test]
fn an_agent_without_owner_creates_public_things_only() {
    let public = Ok(NewProject { visibility: Public, admin: None });
    assert_eq!(create(Who::Ownerless, None, None), public);
    assert_eq!(create(Who::Ownerless, Some((Public, None, ChildAccess::None)), None), public);
    let refused = Err(CreationRefusal::PrivateWithoutPrincipal);
    assert_eq!(create(Who::Ownerless, None, Some(Private)), refused);
    assert_eq!(create(Who::Ownerless, Some((Public, None, ChildAccess::None)), Some(Private)), refused);
    let hidden = Err(CreationRefusal::Group(Denied::Hidden));
    assert_eq!(create(Who::Ownerless, Some((Private, None, ChildAccess::None)), None), hidden);
}

#[test]
fn a_group_is_public_unless_asked_and_starts_with_its_creator() {
    let world = World::of(Public, Place::Nowhere, vec![None], Vec::new());
    let (owner, nobody) = (world.principal(Who::User(0)), world.principal(Who::Ownerless));
    let group = |visibility| NewGroup { visibility, admin: Some(user(0)), access_version: 1 };
    assert_eq!(new_group(&owner, None), Ok(group(Public)));
    assert_eq!(new_group(&owner, Some(Private)), Ok(group(Private)));
    assert_eq!(new_group(&nobody, None), Ok(NewGroup { visibility: Public, admin: None, access_version: 0 }));
    assert_eq!(new_group(&nobody, Some(Private)), Err(CreationRefusal::PrivateWithoutPrincipal));
}
