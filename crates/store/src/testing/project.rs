//! Projects, groups, members, and where things are.

use chorus_domain::{
    Kind, Party, Write,
    access::{Demand, Located, authorise},
    project::{Group, Project},
};
use chorus_ids::Uuid;
use chorus_visibility::{GroupFacts, Need, ProjectFacts, Role, Visibility};

use super::world::{SCRIPTS, Shared, WHOLE, World, items, sorted};
use crate::{GroupView, ProjectCounts, ProjectSummary};

pub async fn a_project_round_trips(store: &Shared) {
    let w = World::new(store).await;
    let group = w.put(w.new_group()).await.id;
    w.join_group(group, w.user, Role::Viewer).await;
    let full = Project {
        name: SCRIPTS.into(),
        description: Some(SCRIPTS.into()),
        group: Some(group),
        visibility: Visibility::Private,
        created_by: Some(Party::User(w.user)),
        updated_at: w.tick(),
        ..w.new_project()
    };
    let by_agent = Project { created_by: Some(w.by()), description: Some(String::new()), ..w.new_project() };
    for project in [full, by_agent, w.new_project()] {
        let project = w.put(project).await;
        let found = w.read().await.project(&w.scope(), project.id).await.unwrap();
        assert_eq!(found, Some(ProjectSummary { project, counts: ProjectCounts::default() }));
    }
    assert_eq!(w.read().await.project(&w.scope(), w.id()).await.unwrap(), None);
}

pub async fn a_projects_counts_are_of_what_is_in_it(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    w.put_all([w.project, w.project, other].map(|project| w.new_idea(project))).await;
    w.put_all([w.project, w.project, w.project].map(|project| w.new_document(project))).await;
    w.put_all([w.project, other, other].map(|project| w.new_task(project))).await;
    w.put_all([w.project; 4].map(|project| w.new_proposal(project, &[]))).await;
    w.put_all([w.project; 5].map(|project| w.new_activity(project))).await;
    let expected = ProjectCounts { ideas: 2, documents: 3, tasks: 1, proposals: 4, activities: 5 };
    let rest = ProjectCounts { ideas: 1, tasks: 2, ..ProjectCounts::default() };
    let listed = items(w.read().await.projects(&w.scope(), &WHOLE).await.unwrap());
    for (project, counts) in [(w.project, expected), (other, rest)] {
        assert_eq!(w.read().await.project(&w.scope(), project).await.unwrap().unwrap().counts, counts);
        assert_eq!(listed.iter().find(|row| row.project.id == project).unwrap().counts, counts);
    }
}

pub async fn projects_are_listed_latest_updated_first(store: &Shared) {
    let w = World::new(store).await;
    let times = [w.tick(), w.tick(), w.tick(), w.tick()];
    let project = |updated_at| Project { updated_at, ..w.new_project() };
    let (second, third, first) =
        (w.put(project(times[2])).await, w.put(project(times[1])).await, w.put(project(times[3])).await);
    w.hidden_project().await;
    let page = w.read().await.projects(&w.scope(), &WHOLE).await.unwrap();
    assert_eq!((page.total, page.more), (4, false));
    let listed: Vec<_> = items(page).into_iter().map(|row| row.project.id).collect();
    assert_eq!(listed, [first.id, second.id, third.id, w.project]);
}

pub async fn visible_projects_are_those_among_the_asked(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    let (open, hidden) = (w.put(w.new_project()).await.id, w.hidden_project().await);
    let visible = async |among: &[_]| sorted(w.read().await.visible_projects(&w.scope(), among).await.unwrap());
    assert_eq!(visible(&[hidden, open, abroad.project, w.id(), w.project, open]).await, [w.project, open]);
    assert_eq!(visible(&[open]).await, [open]);
    assert_eq!(visible(&[]).await, []);
}

pub async fn all_visible_projects_are_listed_by_id_up_to_a_limit(store: &Shared) {
    let w = World::new(store).await;
    w.abroad().await;
    let (open, hidden) = (w.put(w.new_project()).await.id, w.hidden_project().await);
    let mut seen = vec![w.project, open];
    seen.sort_unstable();
    let listed = async |limit| w.read().await.all_visible_projects(&w.scope(), limit).await.unwrap();
    assert_eq!(listed(9).await, seen);
    assert_eq!(listed(1).await, seen[..1]);
    w.join(hidden, w.user, Role::Viewer).await;
    seen.push(hidden);
    seen.sort_unstable();
    assert_eq!(listed(9).await, seen);
}

pub async fn a_member_has_one_role_at_a_time(store: &Shared) {
    let w = World::new(store).await;
    let group = w.put(w.new_group()).await.id;
    let project = w.put(Project { group: Some(group), ..w.new_project() }).await.id;
    for role in [Role::Viewer, Role::Admin, Role::Editor] {
        w.join(project, w.user, role).await;
        w.join_group(group, w.user, role).await;
        let facts = w.locate(&w.principal(Some(w.user)), Kind::Project, project.uuid()).await.unwrap().facts;
        let group = facts.group.unwrap();
        assert_eq!((facts.role, group.role), (Some(role), Some(role)));
        assert_eq!((facts.has_admin, group.has_admin), (role == Role::Admin, role == Role::Admin));
    }
}

pub async fn a_located_thing_says_where_it_is_and_who_asks(store: &Shared) {
    let w = World::new(store).await;
    let group = w.put(Group { visibility: Visibility::Private, ..w.new_group() }).await.id;
    let named =
        Project { name: SCRIPTS.into(), group: Some(group), visibility: Visibility::Private, ..w.new_project() };
    let project = w.put(named).await.id;
    w.join(project, w.user, Role::Viewer).await;
    w.join_group(group, w.user, Role::Editor).await;
    w.join_group(group, w.first, Role::Admin).await;
    let idea = w.put(w.new_idea(project)).await.id;
    let things: [(Kind, Uuid); 7] = [
        (Kind::Project, project.uuid()),
        (Kind::Idea, idea.uuid()),
        (Kind::Round, w.put(w.new_round(idea, 1)).await.id.uuid()),
        (Kind::Comment, w.put(w.new_comment(Kind::Idea, idea.uuid())).await.id.uuid()),
        (Kind::Proposal, w.put(w.new_proposal(project, &[])).await.id.uuid()),
        (Kind::Document, w.put(w.new_document(project)).await.id.uuid()),
        (Kind::Task, w.put(w.new_task(project)).await.id.uuid()),
    ];
    let stranger = w.put(w.new_user()).await.id;
    for (user, role, in_group) in [
        (Some(w.user), Some(Role::Viewer), Some(Role::Editor)),
        (Some(w.first), None, Some(Role::Admin)),
        (Some(stranger), None, None),
        (None, None, None),
    ] {
        let expected = things.map(|(kind, id)| Located {
            kind,
            id,
            project_name: SCRIPTS.into(),
            facts: ProjectFacts {
                company: w.company,
                project,
                visibility: Visibility::Private,
                role,
                has_admin: false,
                group: Some(GroupFacts { id: group, visibility: Visibility::Private, role: in_group, has_admin: true }),
            },
        });
        let located = w.read().await.directory().locate(&w.principal(user), &things).await.unwrap();
        assert_eq!(sorted(located), sorted(expected.into()), "{user:?}");
    }
    let bare = w.locate(&w.principal(None), Kind::Project, w.project.uuid()).await.unwrap().facts;
    let expected = ProjectFacts {
        company: w.company,
        project: w.project,
        visibility: Visibility::Public,
        role: None,
        has_admin: false,
        group: None,
    };
    assert_eq!(bare, expected);
}

pub async fn what_does_not_exist_is_located_nowhere(store: &Shared) {
    let w = World::new(store).await;
    let group = w.put(w.new_group()).await.id;
    let task = w.put(w.new_task(w.project)).await.id.uuid();
    let unknown = [Kind::Project, Kind::Idea, Kind::Proposal, Kind::Document, Kind::Task]
        .map(|kind| (kind, w.id::<chorus_ids::TaskId>().uuid()));
    let wrong = [Kind::Project, Kind::Idea, Kind::Proposal, Kind::Document].map(|kind| (kind, task));
    let homeless = [(Kind::Group, group.uuid()), (Kind::User, w.user.uuid()), (Kind::Agent, w.agent.uuid())];
    let things = [unknown.as_slice(), &wrong, &homeless].concat();
    let principal = w.principal(Some(w.user));
    assert_eq!(w.read().await.directory().locate(&principal, &things).await.unwrap(), []);
    assert_eq!(w.read().await.directory().locate(&principal, &[]).await.unwrap(), []);
}

pub async fn a_thing_of_another_company_reads_as_not_found(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    let idea = abroad.put(abroad.new_idea(abroad.project)).await.id.uuid();
    let principal = w.principal(Some(w.user));
    let located = w.read().await.directory().locate(&principal, &[(Kind::Idea, idea)]).await.unwrap();
    let demand = Demand { kind: Kind::Idea, id: idea, need: Need::Viewer, inside: None };
    let refusal = authorise(&principal, &[demand], &located).unwrap_err();
    assert_eq!(refusal, authorise(&principal, &[demand], &[]).unwrap_err());
}

pub async fn many_things_are_located_at_once(store: &Shared) {
    let w = World::new(store).await;
    let tasks: Vec<_> = (0..400).map(|_| w.new_task(w.project)).collect();
    let things: Vec<_> = tasks.iter().map(|task| (Kind::Task, task.id.uuid())).collect();
    w.write([Write::NewTasks(tasks)]).await;
    let located = w.read().await.directory().locate(&w.principal(None), &things).await.unwrap();
    let found: std::collections::BTreeSet<_> = located.into_iter().map(|located| (located.kind, located.id)).collect();
    assert_eq!(found, things.into_iter().collect());
}

pub async fn a_group_is_viewed_as_its_principal_stands_to_it(store: &Shared) {
    let w = World::new(store).await;
    let named = Group {
        name: SCRIPTS.into(),
        description: SCRIPTS.into(),
        visibility: Visibility::Private,
        access_version: 3,
        created_by: Some(w.by()),
        ..w.new_group()
    };
    let group = w.put(named).await.id;
    let project = w.put(Project { group: Some(group), visibility: Visibility::Private, ..w.new_project() }).await.id;
    let (child_only, stranger) = (w.put(w.new_user()).await.id, w.put(w.new_user()).await.id);
    w.join_group(group, w.user, Role::Viewer).await;
    w.join(project, child_only, Role::Viewer).await;
    let view = async |user| w.read().await.directory().group(&w.principal(user), group).await.unwrap();
    let expected = |role, has_admin, sees_child| {
        let facts = GroupFacts { id: group, visibility: Visibility::Private, role, has_admin };
        Some(GroupView { facts, name: SCRIPTS.into(), sees_child })
    };
    // Without an explicit administrator the first user stands in, and so sees the child.
    assert_eq!(view(Some(w.first)).await, expected(None, false, true));
    assert_eq!(view(Some(w.user)).await, expected(Some(Role::Viewer), false, true));
    assert_eq!(view(Some(child_only)).await, expected(None, false, true));
    assert_eq!(view(Some(stranger)).await, expected(None, false, false));
    assert_eq!(view(None).await, expected(None, false, false));
    w.join_group(group, w.user, Role::Admin).await;
    assert_eq!(view(Some(w.first)).await, expected(None, true, false));
    assert_eq!(view(Some(w.user)).await, expected(Some(Role::Admin), true, true));
}

pub async fn an_empty_group_shows_no_child_and_a_foreign_one_is_missing(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    let (empty, foreign) = (w.put(w.new_group()).await.id, abroad.put(abroad.new_group()).await.id);
    let principal = w.principal(Some(w.user));
    let view = async |group| w.read().await.directory().group(&principal, group).await.unwrap();
    let facts = GroupFacts { id: empty, visibility: Visibility::Public, role: None, has_admin: false };
    assert_eq!(view(empty).await, Some(GroupView { facts, name: "Group".into(), sees_child: false }));
    assert_eq!(view(foreign).await, None);
    assert_eq!(view(w.id()).await, None);
}

pub async fn a_groups_projects_are_the_visible_ones(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    let (public, private) =
        (w.put(w.new_group()).await.id, w.put(Group { visibility: Visibility::Private, ..w.new_group() }).await.id);
    let child = async |group, visibility| w.put(Project { group: Some(group), visibility, ..w.new_project() }).await.id;
    let open = child(public, Visibility::Public).await;
    let closed = child(public, Visibility::Private).await;
    let (mine, sibling) = (child(private, Visibility::Private).await, child(private, Visibility::Private).await);
    w.join(mine, w.user, Role::Viewer).await;
    let of = async |scope, group| sorted(w.read().await.projects_of_group(&scope, group).await.unwrap());
    assert_eq!(of(w.scope(), public).await, [open]);
    assert_eq!(of(w.scope(), private).await, [mine]);
    assert_eq!(of(w.scope_of(w.first), public).await, [open, closed]);
    assert_eq!(of(w.scope_of(w.first), private).await, [mine, sibling]);
    assert_eq!(of(w.scope_of(w.first).narrowed(&[sibling, open]), private).await, [sibling]);
    assert_eq!(of(abroad.scope(), public).await, []);
    assert_eq!(of(w.scope(), w.id()).await, []);
}
