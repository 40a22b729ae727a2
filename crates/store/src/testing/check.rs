//! What the operator is told of rows that contradict each other.

use chorus_domain::{
    Assignment, Kind, Party, Subject, Write,
    account::{BrowserSession, Lasting, LinkKind, OneTimeLink},
    activity::{Action, Activity},
    event::{Change, Event},
    idea::Idea,
    identity::FormerAgent,
    project::{Group, Project},
    task::{Edge, Task},
};
use chorus_ids::{TaskId, Uuid};
use chorus_lifecycle::{idea::IdeaStatus, task::TaskStatus};
use chorus_visibility::{Role, Visibility};

use super::world::{DAWN, Shared, World};
use crate::Contradiction;

async fn found(w: &World) -> Vec<(String, Uuid, &'static str)> {
    let found = w.read().await.operator().contradictions(100).await.unwrap();
    found.into_iter().map(|Contradiction { rule, kind, id }| (kind, id, rule)).collect()
}

/// Passes if the only contradiction is about this row, and the rule speaks of `about`.
async fn only(w: &World, kind: Kind, id: Uuid, about: &str) {
    match found(w).await.as_slice() {
        [(found, which, rule)] => {
            assert_eq!((found.as_str(), *which), (kind.as_str(), id), "{rule}");
            assert!(rule.contains(about), "{rule}");
        }
        other => panic!("{other:?}"),
    }
}

fn held(w: &World, status: TaskStatus) -> Task {
    let assignee = Some(Assignment { to: w.by(), at: w.tick(), by: None });
    Task { status, assignee, ..w.new_task(w.project) }
}

pub async fn a_sound_database_contradicts_nothing(store: &Shared) {
    let w = World::new(store).await;
    let (first, second) = (held(&w, TaskStatus::Done), held(&w, TaskStatus::InProgress));
    let edge = Edge { task: second.id, depends_on: first.id };
    let idea = w.put(w.new_idea(w.project)).await;
    w.put(Idea { parent: Some(idea.id), ..w.new_idea(w.project) }).await;
    w.write([Write::NewTasks(vec![first, second]), Write::AddEdges(vec![edge])]).await;
    assert_eq!(found(&w).await, []);
}

pub async fn who_is_suspended_and_signed_in_is_a_contradiction(store: &Shared) {
    let w = World::new(store).await;
    let now = w.tick();
    let session = BrowserSession {
        id: w.id(),
        user: w.user,
        token_hash: "hash".into(),
        lasting: Lasting::Brief,
        client: String::new(),
        created_at: now,
        last_seen_at: now,
    };
    w.write([Write::NewBrowserSession(session.clone())]).await;
    assert_eq!(found(&w).await, []);
    w.write([Write::SuspendUser(w.user, now), Write::NewBrowserSession(session)]).await;
    only(&w, Kind::User, w.user.uuid(), "signed in").await;
}

pub async fn a_link_into_another_company_is_a_contradiction(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    let link = |company| OneTimeLink {
        id: w.id(),
        company,
        user: w.user,
        kind: LinkKind::Reset,
        token_hash: format!("hash for {company}"),
        made_by: Subject::Operator,
        created_at: DAWN,
        expires_at: DAWN,
        used_at: None,
    };
    w.write([Write::NewLink(link(w.company))]).await;
    assert_eq!(found(&w).await, []);
    w.write([Write::NewLink(link(abroad.company))]).await;
    only(&w, Kind::User, w.user.uuid(), "own company").await;
}

pub async fn work_that_began_too_early_is_a_contradiction_unless_it_was_forced(store: &Shared) {
    let w = World::new(store).await;
    let (first, second) = (w.new_task(w.project), held(&w, TaskStatus::InProgress));
    let (id, edge) = (second.id, Edge { task: second.id, depends_on: first.id });
    w.write([Write::NewTasks(vec![first, second]), Write::AddEdges(vec![edge])]).await;
    only(&w, Kind::Task, id.uuid(), "prerequisites").await;
    let forced = Activity {
        target: Kind::Task,
        target_id: id.uuid(),
        action: Action::ForceStatusChange,
        ..w.new_activity(w.project)
    };
    w.put(forced).await;
    assert_eq!(found(&w).await, []);
}

pub async fn a_holder_where_none_can_be_is_a_contradiction(store: &Shared) {
    let w = World::new(store).await;
    let open = w.put(held(&w, TaskStatus::Open)).await;
    only(&w, Kind::Task, open.id.uuid(), "holder").await;
    w.write([Write::SaveTask(Task { assignee: None, version: 2, ..open })]).await;
    let left = w.put(Task { status: TaskStatus::ToVerify, ..w.new_task(w.project) }).await;
    only(&w, Kind::Task, left.id.uuid(), "holder").await;
}

pub async fn a_parent_in_another_project_is_a_contradiction(store: &Shared) {
    let w = World::new(store).await;
    let elsewhere = w.put(w.new_project()).await.id;
    let parent = w.put(w.new_idea(elsewhere)).await.id;
    let child = w.put(Idea { parent: Some(parent), ..w.new_idea(w.project) }).await;
    only(&w, Kind::Idea, child.id.uuid(), "above").await;
}

pub async fn work_of_somebody_without_access_is_a_contradiction(store: &Shared) {
    let w = World::new(store).await;
    let secret = w.hidden_project().await;
    let task = w.put(Task { project: secret, ..held(&w, TaskStatus::Assigned) }).await;
    only(&w, Kind::Task, task.id.uuid(), "can edit its project").await;
    // A viewer can't go on with it either; an editor can, from either layer.
    w.join(secret, w.user, Role::Viewer).await;
    only(&w, Kind::Task, task.id.uuid(), "can edit its project").await;
    w.join(secret, w.user, Role::Editor).await;
    assert_eq!(found(&w).await, []);
    let group = w.put(Group { visibility: Visibility::Private, ..w.new_group() }).await.id;
    w.join_group(group, w.user, Role::Editor).await;
    let around = Project { visibility: Visibility::Private, group: Some(group), ..w.new_project() };
    let around = w.put(around).await.id;
    let assignee = w.held_by(w.by());
    let idea = w.put(Idea { assignee, status: IdeaStatus::Elaborating, ..w.new_idea(around) }).await;
    // The first user stands in where there is no administrator.
    let alone = w.put(Project { visibility: Visibility::Private, ..w.new_project() }).await.id;
    w.put(Idea { assignee: w.held_by(Party::User(w.first)), ..w.new_idea(alone) }).await;
    assert_eq!(found(&w).await, []);
    w.write([Write::RemoveGroupMember(group, w.user)]).await;
    only(&w, Kind::Idea, idea.id.uuid(), "can edit its project").await;
    w.write([Write::SaveIdea(Idea { assignee: None, version: 2, ..idea })]).await;
    // Work that waits for a verdict is done.
    w.put(Task { project: around, ..held(&w, TaskStatus::ToVerify) }).await;
    assert_eq!(found(&w).await, []);
    let session = w.put(w.new_session()).await;
    let there = w.put(w.new_task(around)).await;
    w.put(w.new_checkin(session.id, there.id)).await;
    only(&w, Kind::Session, session.id.uuid(), "its agent can edit").await;
    w.write([Write::EndCheckins(session.id, w.tick())]).await;

    // Suspended people hold nothing and have no role.
    w.write([Write::SuspendUser(w.user, w.tick())]).await;
    only(&w, Kind::Task, task.id.uuid(), "can edit its project").await;
    w.write([Write::SaveTask(Task { assignee: None, status: TaskStatus::Open, version: 2, ..task })]).await;
    assert_eq!(found(&w).await, []);
    w.join(secret, w.user, Role::Viewer).await;
    only(&w, Kind::User, w.user.uuid(), "no role").await;
}

pub async fn what_a_removed_agent_did_is_no_contradiction(store: &Shared) {
    let w = World::new(store).await;
    w.put(w.new_activity(w.project)).await;
    let former = FormerAgent { id: w.agent, company: w.company, name: "Bot".into(), removed_at: w.tick() };
    w.write([Write::RemoveAgents(vec![former])]).await;
    assert_eq!(found(&w).await, []);
    let nobody = Activity { actor: Subject::User(w.id()), ..w.new_activity(w.project) };
    let nobody = w.put(nobody).await;
    match found(&w).await.as_slice() {
        [(kind, id, rule)] => {
            assert_eq!((kind.as_str(), *id, rule.contains("known")), ("activity", nobody.id.uuid(), true))
        }
        other => panic!("{other:?}"),
    }
}

pub async fn dependencies_in_a_circle_are_a_contradiction(store: &Shared) {
    let w = World::new(store).await;
    let tasks: Vec<Task> = std::iter::repeat_with(|| w.new_task(w.project)).take(4).collect();
    let ids: Vec<TaskId> = tasks.iter().map(|task| task.id).collect();
    let edge = |task: usize, depends_on: usize| Edge { task: ids[task], depends_on: ids[depends_on] };
    // The last waits for the circle of the others but is no part of it; it can't go on either.
    let edges = vec![edge(0, 1), edge(1, 2), edge(2, 0), edge(3, 0)];
    w.write([Write::NewTasks(tasks), Write::AddEdges(edges)]).await;
    let found = found(&w).await;
    assert!(found.iter().all(|(.., rule)| rule.contains("circle")), "{found:?}");
    let named: Vec<Uuid> = found.into_iter().map(|(_, id, _)| id).collect();
    assert_eq!(named, ids.iter().map(|id| id.uuid()).collect::<Vec<_>>());
}

pub async fn contradictions_are_limited_for_each_rule(store: &Shared) {
    let w = World::new(store).await;
    w.put_all([(); 3].map(|()| held(&w, TaskStatus::Open))).await;
    assert_eq!(w.read().await.operator().contradictions(2).await.unwrap().len(), 2);
}

pub async fn events_are_no_contradiction_however_many_there_are(store: &Shared) {
    let w = World::new(store).await;
    let event = || Event { change: Change::Updated, ..w.new_event(w.project, Kind::Idea, Uuid::from_u128(9)) };
    for _ in 0..3 {
        w.put_all([event(), event()]).await;
    }
    assert_eq!(found(&w).await, []);
}
