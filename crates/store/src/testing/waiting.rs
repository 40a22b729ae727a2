//! Which tasks wait for which, and whose they are, as boards and pictures show it.

use chorus_domain::{
    Party,
    task::{Edge, Task},
};
use chorus_ids::{ProjectId, ProposalId, TaskId};
use chorus_lifecycle::task::TaskStatus;

use super::world::{Shared, WHOLE, World, items, sorted};
use crate::TaskFilter;

fn edge(task: &Task, depends_on: &Task) -> Edge {
    Edge { task: task.id, depends_on: depends_on.id }
}

async fn dependencies(w: &World, project: ProjectId, proposal: Option<ProposalId>, limit: u32) -> Vec<Edge> {
    w.read().await.dependencies(&w.scope(), project, proposal, limit).await.unwrap()
}

pub async fn tasks_are_filtered_by_who_holds_them(store: &Shared) {
    let w = World::new(store).await;
    let (user, agent) = (Party::User(w.user), Party::Agent(w.agent));
    let mine = w.put(Task { assignee: w.held_by(user), ..w.new_task(w.project) }).await;
    let its = w.put(Task { assignee: w.held_by(agent), ..w.new_task(w.project) }).await;
    w.put(w.new_task(w.project)).await;
    // A user and an agent of one id are two.
    let twin = Party::User(chorus_ids::UserId::from_uuid(w.agent.uuid()));
    for (holder, expected) in [(user, vec![mine.id]), (agent, vec![its.id]), (twin, vec![])] {
        let filter = TaskFilter { assignee: Some(holder), ..TaskFilter::default() };
        let page = w.read().await.tasks(&w.scope(), w.project, &filter, &WHOLE).await.unwrap();
        assert_eq!(
            (page.total, items(page).into_iter().map(|task| task.id).collect()),
            (expected.len() as u64, expected)
        );
    }
}

pub async fn open_prerequisites_are_counted_hidden_ones_too(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let waiting = w.put(w.new_task(w.project)).await;
    for (status, project) in [
        (TaskStatus::Open, w.project),
        (TaskStatus::ToVerify, hidden),
        (TaskStatus::Done, w.project),
        (TaskStatus::Closed, hidden),
    ] {
        let other = w.put(Task { status, ..w.new_task(project) }).await;
        w.put(edge(&waiting, &other)).await;
    }
    let free = w.put(w.new_task(w.project)).await;
    let unseen = w.put(w.new_task(hidden)).await;
    w.put(edge(&unseen, &free)).await;
    let asked = [waiting.id, free.id, unseen.id, waiting.id, w.id()];
    let found = w.read().await.open_prerequisites(&w.scope(), &asked).await.unwrap();
    assert_eq!(found, [(waiting.id, 2)]);
    let nothing: [TaskId; 0] = [];
    assert_eq!(w.read().await.open_prerequisites(&w.scope(), &nothing).await.unwrap(), []);
}

pub async fn dependencies_of_a_project_are_listed_unfinished_ones_first(store: &Shared) {
    let w = World::new(store).await;
    let (other, hidden) = (w.put(w.new_project()).await.id, w.hidden_project().await);
    let proposal = w.put(w.new_proposal(w.project, &[])).await.id;
    let first = w.put(w.new_task(w.project)).await;
    let old = w.put(Task { proposal: Some(proposal), ..w.new_task(w.project) }).await;
    let new = w.put(w.new_task(w.project)).await;
    let done = w.put(Task { status: TaskStatus::Done, ..w.new_task(w.project) }).await;
    let away = w.put(w.new_task(other)).await;
    let unseen = [w.put(w.new_task(hidden)).await, w.put(w.new_task(hidden)).await];
    let inside = [edge(&new, &first), edge(&old, &first), edge(&done, &first)];
    w.put_all(inside).await;
    w.put_all([edge(&new, &away), edge(&away, &first), edge(&unseen[0], &unseen[1])]).await;
    assert_eq!(dependencies(&w, w.project, None, 9).await, inside);
    assert_eq!(dependencies(&w, w.project, None, 2).await, inside[..2]);
    assert_eq!(dependencies(&w, w.project, Some(proposal), 9).await, [inside[1]]);
    for project in [other, hidden, w.id()] {
        assert_eq!(dependencies(&w, project, None, 9).await, []);
    }
    let twice = w.put(w.new_task(w.project)).await;
    w.put_all([edge(&twice, &first), edge(&twice, &old)]).await;
    let found = dependencies(&w, w.project, None, 2).await;
    assert_eq!(sorted(found), sorted(vec![edge(&twice, &first), edge(&twice, &old)]));
}
