//! Scopes and their restrictions.

use chorus_ids::{CompanyId, ProjectId};
use chorus_visibility::{Level, MAX_RESTRICTION, Restriction, level, scope};
use proptest::prelude::*;

use crate::world::{COMPANY, Place, Public, Who, World, a_world, project_id, user};

fn open_world() -> World {
    World::of(Public, Place::Nowhere, vec![None], Vec::new()).with_first(Some(0))
}

#[test]
fn a_scope_carries_its_principal() {
    let world = open_world();
    let seen = scope(&world.principal(Who::User(0)), Restriction::Everything);
    assert_eq!((seen.company(), seen.principal(), seen.first_user()), (COMPANY, Some(user(0)), Some(user(0))));
    assert!(seen.is_automatic_admin_candidate());
    assert_eq!(seen.as_principal(), &world.principal(Who::User(0)));
    assert_eq!(seen.restriction(), None);
    let ownerless = scope(&world.principal(Who::Ownerless), Restriction::Everything);
    assert_eq!((ownerless.principal(), ownerless.is_automatic_admin_candidate()), (None, false));
}

#[test]
fn an_empty_restriction_sees_nothing() {
    let world = open_world();
    let facts = world.facts(0, Who::User(0));
    let nothing = scope(&world.principal(Who::User(0)), Restriction::Only(Vec::new()));
    assert_eq!(nothing.restriction(), Some(&[][..]));
    assert!(!nothing.allows(&facts));
    assert!(nothing.unrestricted().allows(&facts));
    assert_eq!(nothing.unrestricted().restriction(), None);
}

#[test]
fn a_restriction_is_sorted_merged_and_bounded() {
    let world = open_world();
    let principal = world.principal(Who::User(0));
    let merged = scope(&principal, Restriction::Only(vec![project_id(2), project_id(1), project_id(2)]));
    assert_eq!(merged.restriction(), Some(&[project_id(1), project_id(2)][..]));

    let many: Vec<_> = (0..=MAX_RESTRICTION).rev().map(project_id).collect();
    let cut = scope(&principal, Restriction::Only(many.clone()));
    assert_eq!(cut.restriction().unwrap(), (0..MAX_RESTRICTION).map(project_id).collect::<Vec<_>>());
    assert_eq!(scope(&principal, Restriction::Everything).narrowed(&many), cut);
    assert_eq!(Restriction::only(many.clone()).unwrap_err().to_string(), "501 projects are named, at most 500 may be",);
    let most = &many[..MAX_RESTRICTION];
    let twice = Restriction::only(most.iter().chain(most).copied()).unwrap();
    assert_eq!(scope(&principal, twice).restriction().map(<[ProjectId]>::len), Some(MAX_RESTRICTION));
}

#[test]
fn a_project_of_another_company_is_out_of_every_scope() {
    let world = open_world();
    let mut facts = world.facts(0, Who::User(0));
    facts.company = CompanyId::from_u128(0xDEAD);
    assert!(!scope(&world.principal(Who::User(0)), Restriction::Everything).allows(&facts));
    assert!(!scope(&world.principal(Who::User(0)), Restriction::Only(vec![facts.project])).allows(&facts));
}

proptest! {
    #[test]
    fn a_scope_allows_what_its_principal_sees_inside_the_restriction(
        world in a_world(), only in prop::option::of(prop::collection::vec(0..8_usize, 0..5)),
        narrower in prop::collection::vec(0..8_usize, 0..5),
    ) {
        for who in world.everybody() {
            let principal = world.principal(who);
            let restriction = only.as_ref().map_or(Restriction::Everything, |only| {
                Restriction::Only(only.iter().copied().map(project_id).collect())
            });
            let whole = scope(&principal, restriction);
            let narrowed = whole.narrowed(&narrower.iter().copied().map(project_id).collect::<Vec<_>>());
            for project in 0..world.projects.len() {
                let facts = world.facts(project, who);
                let sees = level(&principal, &facts) != Level::None;
                let inside = only.as_ref().is_none_or(|only| only.contains(&project));
                prop_assert_eq!(whole.allows(&facts), sees && inside);
                prop_assert_eq!(narrowed.allows(&facts), sees && inside && narrower.contains(&project));
                prop_assert_eq!(narrowed.unrestricted().allows(&facts), sees);
            }
        }
    }
}
