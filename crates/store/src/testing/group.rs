//! Groups, what their projects add up to, members, and the end of projects.

use chorus_domain::{
    Batch, Kind, Party, Write,
    idea::Idea,
    identity::User,
    membership::Person,
    project::{Group, GroupMember, Project, ProjectMember},
    proposal::Proposal,
    task::{Edge, Task},
};
use chorus_ids::{GroupId, ProjectId};
use chorus_lifecycle::{idea::IdeaStatus, proposal::ProposalStatus, task::TaskStatus};
use chorus_visibility::{Role, Visibility};

use super::world::{SCRIPTS, Shared, WHOLE, World, assert_discreet, items, sorted};
use crate::{Contents, Error, GroupSummary, GroupTotals};

/// A private group that has an administrator, so that the first user does not stand in.
async fn private_group(w: &World) -> GroupId {
    let group = w.put(Group { visibility: Visibility::Private, ..w.new_group() }).await.id;
    let somebody = w.put(w.new_user()).await.id;
    w.join_group(group, somebody, Role::Admin).await;
    group
}

async fn child(w: &World, group: GroupId, visibility: Visibility) -> ProjectId {
    w.put(Project { group: Some(group), visibility, ..w.new_project() }).await.id
}

pub async fn a_group_round_trips(store: &Shared) {
    let w = World::new(store).await;
    let group = w
        .put(Group {
            name: SCRIPTS.into(),
            description: SCRIPTS.into(),
            created_by: Some(w.by()),
            access_version: 7,
            ..w.new_group()
        })
        .await;
    assert_eq!(w.read().await.group(&w.scope(), group.id).await.unwrap(), Some(group.clone()));
    let saved = Group {
        name: "Other".into(),
        description: String::new(),
        visibility: Visibility::Private,
        access_version: 8,
        updated_at: w.tick(),
        ..group
    };
    w.write([Write::SaveGroup(saved.clone())]).await;
    assert_eq!(w.read().await.group(&w.scope_of(w.first), saved.id).await.unwrap(), Some(saved.clone()));
    assert_eq!(w.read().await.group(&w.scope(), saved.id).await.unwrap(), None, "nobody but the first user sees it");
    let missing = w.try_write([Write::SaveGroup(Group { id: w.id(), ..saved })]).await.unwrap_err();
    assert!(matches!(missing, Error::Again(_)), "{missing:?}");
}

pub async fn groups_are_listed_oldest_first_with_their_visible_projects(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    abroad.put(abroad.new_group()).await;
    let open = w.put(w.new_group()).await;
    let hidden = private_group(&w).await;
    let reached = private_group(&w).await;
    let joined = private_group(&w).await;
    w.join_group(joined, w.user, Role::Viewer).await;
    for group in [open.id, hidden, reached, joined] {
        child(&w, group, Visibility::Private).await;
    }
    child(&w, open.id, Visibility::Public).await;
    let mine = child(&w, reached, Visibility::Private).await;
    w.join(mine, w.user, Role::Viewer).await;

    let page = w.read().await.groups(&w.scope(), &WHOLE).await.unwrap();
    assert_eq!((page.total, page.more), (3, false));
    let rows: Vec<_> = items(page).into_iter().map(|row: GroupSummary| (row.group.id, row.projects)).collect();
    assert_eq!(rows, [(open.id, 1), (reached, 1), (joined, 1)]);
    let first = w.read().await.groups(&w.scope_of(w.first), &WHOLE).await.unwrap();
    let counts: Vec<_> = items(first).into_iter().map(|row| (row.group.id, row.projects)).collect();
    assert_eq!(counts, [(open.id, 2)], "the first user stands in where there is no administrator");
    assert_eq!(w.read().await.ungrouped_projects(&w.scope()).await.unwrap(), 1);
    w.hidden_project().await;
    assert_eq!(w.read().await.ungrouped_projects(&w.scope()).await.unwrap(), 1);
}

pub async fn a_groups_figures_are_of_its_visible_projects(store: &Shared) {
    let w = World::new(store).await;
    let group = private_group(&w).await;
    let (older, newer, hidden) = (
        child(&w, group, Visibility::Public).await,
        child(&w, group, Visibility::Public).await,
        child(&w, group, Visibility::Private).await,
    );
    let task = |project, status| Task { status, ..w.new_task(project) };
    for status in [TaskStatus::Open, TaskStatus::Done, TaskStatus::Closed, TaskStatus::ToVerify] {
        w.put_all([task(older, status), task(hidden, status)]).await;
    }
    for status in IdeaStatus::ALL {
        w.put_all([Idea { status, ..w.new_idea(newer) }, Idea { status, ..w.new_idea(hidden) }]).await;
    }
    for status in ProposalStatus::ALL {
        w.put(Proposal { status, ..w.new_proposal(newer, &[]) }).await;
        w.put(Proposal { status, ..w.new_proposal(hidden, &[]) }).await;
    }
    let mut reads = w.read().await;
    let totals = reads.group_totals(&w.scope(), group).await.unwrap();
    let expected = GroupTotals { projects: 2, tasks: 4, finished_tasks: 2, open_ideas: 2, active_proposals: 2 };
    assert_eq!(totals, expected);
    assert_eq!(reads.group_totals(&w.scope(), w.id()).await.unwrap(), GroupTotals::default());

    let shown = async |limit| {
        let found = w.read().await.grouped_projects(&w.scope(), group, limit).await.unwrap();
        found.into_iter().map(|row| (row.project.id, row.tasks, row.finished_tasks)).collect::<Vec<_>>()
    };
    assert_eq!(shown(9).await, [(newer, 0, 0), (older, 4, 2)]);
    assert_eq!(shown(1).await, [(newer, 0, 0)]);

    let (first, _, third) =
        (w.put(w.new_activity(older)).await, w.put(w.new_activity(hidden)).await, w.put(w.new_activity(newer)).await);
    w.put(w.new_activity(w.project)).await;
    let recent = w.read().await.group_activities(&w.scope(), group, 20).await.unwrap();
    assert_eq!(recent, [(third.clone(), "Project".to_owned()), (first, "Project".to_owned())]);
    assert_eq!(w.read().await.group_activities(&w.scope(), group, 1).await.unwrap(), [(third, "Project".to_owned())]);
}

pub async fn members_are_listed_oldest_first_and_go_one_by_one(store: &Shared) {
    let w = World::new(store).await;
    let group = w.put(w.new_group()).await.id;
    let project = w.put(w.new_project()).await.id;
    let (one, two) = (w.user, w.first);
    let in_group = |user, role| GroupMember { group, user, role, added_by: Some(w.by()), created_at: w.tick() };
    let in_project = |user, role| ProjectMember { project, user, role, added_by: None, created_at: w.tick() };
    let groups = [w.put(in_group(one, Role::Admin)).await, w.put(in_group(two, Role::Viewer)).await];
    let projects = [w.put(in_project(two, Role::Editor)).await, w.put(in_project(one, Role::Admin)).await];
    let of_group = async || w.read().await.directory().group_members(&[group, w.id()]).await.unwrap();
    let of_project = async || w.read().await.directory().project_members(&[project, w.id()]).await.unwrap();
    assert_eq!((of_group().await, of_project().await), (groups.to_vec(), projects.to_vec()));
    w.write([Write::RemoveGroupMember(group, one), Write::RemoveProjectMember(project, two)]).await;
    assert_eq!((of_group().await, of_project().await), (groups[1..].to_vec(), projects[1..].to_vec()));
    // Once more is fine.
    w.write([Write::RemoveGroupMember(group, one), Write::RemoveProjectMember(project, two)]).await;
    assert_eq!(w.read().await.directory().group_members(&[]).await.unwrap(), []);
    assert_eq!(w.read().await.directory().project_members(&[]).await.unwrap(), []);
}

pub async fn the_people_of_a_company_are_listed_oldest_first(store: &Shared) {
    let w = World::new(store).await;
    w.abroad().await;
    let named = |name: Option<&str>, email: Option<&str>| User {
        name: name.map(str::to_owned),
        email: email.map(str::to_owned),
        ..w.new_user()
    };
    let (ada, bo, nobody) = (
        w.put(named(Some("Ada"), Some("ada@example.invalid"))).await,
        w.put(named(None, Some("bo@example.invalid"))).await,
        w.put(named(None, None)).await,
    );
    let people = w.read().await.directory().people(w.company).await.unwrap();
    let ids: Vec<_> = people.iter().map(|person| person.id).collect();
    assert_eq!(ids, [w.first, w.user, ada.id, bo.id, nobody.id]);
    let person = |id, name: &str, email: Option<&str>| Person { id, name: name.into(), email: email.map(Into::into) };
    assert_eq!(
        people[2..],
        [
            person(ada.id, "Ada", Some("ada@example.invalid")),
            person(bo.id, "bo@example.invalid", Some("bo@example.invalid")),
            person(nobody.id, "Unknown", None)
        ]
    );
}

pub async fn rows_by_id_are_those_of_the_company(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    let (group, foreign) = (w.put(w.new_group()).await, abroad.put(abroad.new_group()).await);
    let project = w.put(Project { group: Some(group.id), visibility: Visibility::Private, ..w.new_project() }).await;
    let other = w.put(Project { group: Some(group.id), ..w.new_project() }).await;
    let mut reads = w.read().await;
    let directory = reads.directory();
    let found = directory.groups_by_id(w.company, &[group.id, foreign.id, w.id(), group.id]).await.unwrap();
    assert_eq!(found, std::slice::from_ref(&group));
    let found = directory.projects_by_id(w.company, &[project.id, abroad.project, w.id()]).await.unwrap();
    assert_eq!(found, std::slice::from_ref(&project));
    assert_eq!(directory.groups_by_id(w.company, &[]).await.unwrap(), []);
    assert_eq!(directory.projects_by_id(w.company, &[]).await.unwrap(), []);
    assert_eq!(directory.projects_in(group.id).await.unwrap(), [project, other]);
    assert_eq!(directory.projects_in(foreign.id).await.unwrap(), []);
}

pub async fn a_saved_project_keeps_what_is_in_it(store: &Shared) {
    let w = World::new(store).await;
    let group = w.put(w.new_group()).await.id;
    let project = w.put(w.new_project()).await;
    w.put(w.new_task(project.id)).await;
    let saved = Project {
        name: SCRIPTS.into(),
        description: Some(SCRIPTS.into()),
        group: Some(group),
        updated_at: w.tick(),
        ..project
    };
    w.write([Write::SaveProject(saved.clone())]).await;
    let found = w.read().await.project(&w.scope(), saved.id).await.unwrap().unwrap();
    assert_eq!((&found.project, found.counts.tasks), (&saved, 1));
    let missing = w.try_write([Write::SaveProject(Project { id: w.id(), ..saved })]).await.unwrap_err();
    assert!(matches!(missing, Error::Again(_)), "{missing:?}");
}

pub async fn a_deleted_project_takes_everything_in_it_along(store: &Shared) {
    let w = World::new(store).await;
    let gone = w.put(w.new_project()).await.id;
    let project = w.project;
    w.join(gone, w.user, Role::Admin).await;
    let mut stays = Vec::new();
    for project in [gone, project] {
        let idea = w.put(Idea { assignee: w.held_by(w.by()), ..w.new_idea(project) }).await.id;
        let proposal = w.put(w.new_proposal(project, &[idea])).await.id;
        let document = w.put(w.new_document(project)).await.id;
        let task = w.put(Task { assignee: w.held_by(w.by()), ..w.new_task(project) }).await.id;
        w.put(w.new_round(idea, 1)).await;
        w.put(w.new_criterion(task, 0)).await;
        for (kind, id) in [
            (Kind::Idea, idea.uuid()),
            (Kind::Proposal, proposal.uuid()),
            (Kind::Document, document.uuid()),
            (Kind::Task, task.uuid()),
        ] {
            let comment = w.put(w.new_comment(kind, id)).await;
            stays.push((kind, id, comment));
        }
        w.put(w.new_activity(project)).await;
        w.notify([w.new_notification(w.by(), project)]).await;
    }
    let contents = async |ids: &[ProjectId]| w.read().await.directory().contents(ids).await.unwrap();
    let one = Contents {
        ideas: 1,
        proposals: 1,
        documents: 1,
        tasks: 1,
        claims: 2,
        comments: 4,
        references: 0,
        notifications: 1,
    };
    assert_eq!(contents(&[gone]).await, one);
    assert_eq!(contents(&[gone, w.project]).await.comments, 8);
    assert_eq!(contents(&[]).await, Contents::default());

    w.write([Write::DeleteProjects(vec![gone])]).await;
    let mut reads = w.read().await;
    assert_eq!(contents(&[gone]).await, Contents::default());
    assert_eq!(contents(&[w.project]).await, one, "what is elsewhere stays");
    assert_eq!(reads.project(&w.scope(), gone).await.unwrap(), None);
    let unread = reads.unread(&w.scope(), w.by(), 9).await.unwrap();
    assert_eq!((unread.unread, unread.recent[0].project), (1, Some(w.project)));
    for (kind, id, comment) in stays.split_off(4) {
        let located = w.locate(&w.principal(Some(w.user)), Kind::Comment, comment.id.uuid()).await;
        assert!(located.is_some(), "{kind} {id}");
    }
    for (kind, id, comment) in stays {
        let page = reads.comments(&w.scope(), kind, id, crate::Order::Oldest, &WHOLE).await.unwrap();
        assert_eq!(page.total, 0);
        assert_eq!(w.locate(&w.principal(Some(w.user)), Kind::Comment, comment.id.uuid()).await, None);
    }
    // Once more is fine.
    w.write([Write::DeleteProjects(vec![gone]), Write::DeleteProjects(Vec::new())]).await;
}

pub async fn tasks_awaited_elsewhere_are_the_unfinished_ones(store: &Shared) {
    let w = World::new(store).await;
    let (here, there) = (w.put(w.new_project()).await.id, w.put(w.new_project()).await.id);
    let task = |project, status| Task { status, description: None, ..w.new_task(project) };
    let awaited = w.put(task(here, TaskStatus::InProgress)).await;
    let (done, inside, unwanted) = (
        w.put(task(here, TaskStatus::Done)).await.id,
        w.put(task(here, TaskStatus::Open)).await.id,
        w.put(task(here, TaskStatus::Open)).await.id,
    );
    let (waiting, finished) =
        (w.put(task(there, TaskStatus::Open)).await.id, w.put(task(there, TaskStatus::Closed)).await.id);
    let edges = [(waiting, awaited.id), (waiting, done), (finished, unwanted), (inside, unwanted)];
    w.put_all(edges.map(|(task, depends_on)| Edge { task, depends_on })).await;
    let found = async |projects: &[ProjectId]| w.read().await.directory().awaited_elsewhere(projects).await.unwrap();
    assert_eq!(found(&[here]).await, [awaited]);
    assert_eq!(found(&[here, there]).await, []);
    assert_eq!(found(&[there]).await, []);
    assert_eq!(found(&[]).await, []);
}

pub async fn holders_are_counted_by_project_with_what_is_unfinished(store: &Shared) {
    let w = World::new(store).await;
    let (other, third) = (w.put(w.new_project()).await.id, w.put(w.new_project()).await.id);
    let person = Party::User(w.user);
    let held = |project, to, status| Task { assignee: w.held_by(to), status, ..w.new_task(project) };
    let tasks = [
        held(w.project, w.by(), TaskStatus::Assigned),
        held(w.project, w.by(), TaskStatus::ToVerify),
        held(w.project, w.by(), TaskStatus::Done),
        held(w.project, w.by(), TaskStatus::Closed),
        held(w.project, person, TaskStatus::InProgress),
        held(other, w.by(), TaskStatus::InProgress),
        held(third, w.by(), TaskStatus::InProgress),
        w.new_task(w.project),
    ];
    w.put_all(tasks).await;
    let thought = |status| Idea { assignee: w.held_by(person), status, ..w.new_idea(w.project) };
    w.put_all([thought(IdeaStatus::Elaborating), thought(IdeaStatus::Elaborated), w.new_idea(w.project)]).await;
    let mut reads = w.read().await;
    let found = sorted(reads.directory().holders_in(&[w.project, other]).await.unwrap());
    assert_eq!(found, sorted(vec![(w.project, w.by(), 2), (w.project, person, 2), (other, w.by(), 1)]));
    assert_eq!(reads.directory().holders_in(&[]).await.unwrap(), []);
}

pub async fn a_group_goes_only_without_projects(store: &Shared) {
    let w = World::new(store).await;
    let group = w.put(w.new_group()).await.id;
    w.join_group(group, w.user, Role::Admin).await;
    let project = w.put(Project { group: Some(group), ..w.new_project() }).await;
    let error = w.try_write([Write::DeleteGroup(group)]).await.unwrap_err();
    assert_discreet(&error);
    assert!(w.read().await.group(&w.scope(), group).await.unwrap().is_some());
    let free = Project { group: None, ..project };
    w.write([Write::SaveProject(free.clone()), Write::DeleteGroup(group)]).await;
    assert_eq!(w.read().await.group(&w.scope(), group).await.unwrap(), None);
    assert_eq!(w.read().await.directory().group_members(&[group]).await.unwrap(), []);
    assert_eq!(w.read().await.project(&w.scope(), free.id).await.unwrap().unwrap().project, free);
    let again = w.try_write([Write::DeleteGroup(group)]).await.unwrap_err();
    assert!(matches!(again, Error::Again(_)), "{again:?}");
}

pub async fn access_to_projects_that_were_not_granted_is_not_written(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await;
    let granted = w.granted(&[w.project]).await;
    for write in [
        Write::SaveProject(Project { name: "Taken".into(), ..other.clone() }),
        Write::RemoveProjectMember(other.id, w.user),
        Write::DeleteProjects(vec![w.project, other.id]),
    ] {
        let batch = Batch { writes: vec![write.clone()], ..Batch::default() };
        let error = w.apply_as(&granted, &batch, &[]).await.unwrap_err();
        assert!(matches!(error, Error::Internal(_)), "{error:?} for {write:?}");
    }
    assert_eq!(w.read().await.project(&w.scope(), other.id).await.unwrap().unwrap().project, other);
    let group = w.put(w.new_group()).await;
    let of_groups = [
        Write::SaveGroup(Group { name: "Mine".into(), ..group.clone() }),
        Write::RemoveGroupMember(group.id, w.user),
        Write::DeleteGroup(group.id),
    ];
    let batch = Batch { writes: of_groups.into(), ..Batch::default() };
    w.apply_as(&w.granted(&[]).await, &batch, &[]).await.unwrap();
    assert_eq!(w.read().await.group(&w.scope(), group.id).await.unwrap(), None);
}

pub async fn the_operator_lists_what_nobody_else_sees_whole(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    abroad.put(abroad.new_group()).await;
    let group = w.put(Group { visibility: Visibility::Private, ..w.new_group() }).await;
    let project = w.put(Project { group: Some(group.id), visibility: Visibility::Private, ..w.new_project() }).await;
    let mut reads = w.read().await;
    let ids: Vec<_> = reads.operator().all_projects(w.company).await.unwrap().into_iter().map(|row| row.id).collect();
    assert_eq!(ids, [w.project, project.id]);
    assert_eq!(reads.operator().all_groups(w.company).await.unwrap(), [group]);
}
