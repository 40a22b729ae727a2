//! Many units at once: one winner, no lost update, no deadlock.

use std::{sync::Arc, time::Duration};

use chorus_domain::{
    Assignment, Batch, Kind, Party, Write,
    access::Granted,
    idea::Idea,
    project::Project,
    proposal::Proposal,
    task::{Edge, Task},
};
use chorus_ids::{IdeaId, ProposalId, TaskId, Timestamp, Uuid};
use chorus_lifecycle::{
    idea::IdeaStatus,
    proposal::ProposalStatus,
    task::{Priority, TaskStatus},
};
use chorus_visibility::{Need, Role, Visibility, level, permits};

use super::world::{Shared, World, at_once, persistently};
use crate::{Hold, Locked, Result, Roots, Tx};

fn roots<const N: usize>(rows: [(Kind, Uuid, Hold); N]) -> Roots {
    let mut roots = Roots::default();
    for (kind, id, hold) in rows {
        roots.add(kind, id, hold);
    }
    roots
}

async fn apply<const N: usize>(tx: &mut dyn Tx, writes: [Write; N]) -> Result<()> {
    tx.apply(&Granted::operator(), &Batch { writes: writes.into(), ..Batch::default() }, &[]).await
}

/// Locks a task as a claim does.
async fn own_task(tx: &mut dyn Tx, w: &World, id: TaskId) -> Result<Task> {
    tx.lock(&roots([(Kind::Project, w.project.uuid(), Hold::Share), (Kind::Task, id.uuid(), Hold::Own)])).await?;
    Ok(tx.task(&w.scope(), id).await?.unwrap())
}

/// Claims an open task; says whether it won.
async fn claim_task(w: &World, id: TaskId) -> Result<bool> {
    let mut tx = w.store.begin().await?;
    let task = own_task(&mut *tx, w, id).await?;
    if task.status != TaskStatus::Open {
        return tx.rollback().await.map(|()| false);
    }
    let (status, version) = (TaskStatus::Assigned, task.version + 1);
    apply(&mut *tx, [Write::SaveTask(Task { status, version, assignee: w.held_by(w.by()), ..task })]).await?;
    tx.commit().await.map(|()| true)
}

/// Claims an unassigned idea; says whether it won.
async fn claim_idea(w: &World, id: IdeaId) -> Result<bool> {
    let mut tx = w.store.begin().await?;
    tx.lock(&roots([(Kind::Project, w.project.uuid(), Hold::Share), (Kind::Idea, id.uuid(), Hold::Own)])).await?;
    let idea = tx.idea(&w.scope(), id).await?.unwrap();
    if idea.assignee.is_some() {
        return tx.rollback().await.map(|()| false);
    }
    let (status, version) = (IdeaStatus::Elaborating, idea.version + 1);
    apply(&mut *tx, [Write::SaveIdea(Idea { status, version, assignee: w.held_by(w.by()), ..idea })]).await?;
    tx.commit().await.map(|()| true)
}

/// Approves a pending proposal, which makes five tasks; says whether it won.
async fn approve(w: &World, id: ProposalId) -> Result<bool> {
    let mut tx = w.store.begin().await?;
    tx.lock(&roots([(Kind::Project, w.project.uuid(), Hold::Share), (Kind::Proposal, id.uuid(), Hold::Own)])).await?;
    let proposal = tx.proposal(&w.scope(), id).await?.unwrap();
    if proposal.status != ProposalStatus::Pending {
        return tx.rollback().await.map(|()| false);
    }
    let tasks = (0..5).map(|_| Task { proposal: Some(id), ..w.new_task(w.project) }).collect();
    let (status, version) = (ProposalStatus::Approved, proposal.version + 1);
    apply(&mut *tx, [Write::SaveProposal(Proposal { status, version, ..proposal }), Write::NewTasks(tasks)]).await?;
    tx.commit().await.map(|()| true)
}

fn winners(results: Vec<Result<bool>>) -> usize {
    results.into_iter().filter(|won| *won.as_ref().unwrap()).count()
}

pub async fn one_of_sixteen_simultaneous_claims_of_a_task_wins(store: &Shared) {
    let w = Arc::new(World::new(store).await);
    for _ in 0..3 {
        let id = w.put(w.new_task(w.project)).await.id;
        let claims = at_once(16, |_| {
            let w = Arc::clone(&w);
            async move { persistently(|| claim_task(&w, id)).await }
        })
        .await;
        assert_eq!(winners(claims), 1);
        let task = w.read().await.task(&w.scope(), id).await.unwrap().unwrap();
        assert_eq!((task.version, task.status), (2, TaskStatus::Assigned));
    }
}

pub async fn one_of_sixteen_simultaneous_claims_of_an_idea_wins(store: &Shared) {
    let w = Arc::new(World::new(store).await);
    let id = w.put(w.new_idea(w.project)).await.id;
    let claims = at_once(16, |_| {
        let w = Arc::clone(&w);
        async move { persistently(|| claim_idea(&w, id)).await }
    })
    .await;
    assert_eq!(winners(claims), 1);
    assert_eq!(w.read().await.idea(&w.scope(), id).await.unwrap().unwrap().version, 2);
}

pub async fn one_of_four_simultaneous_approvals_makes_the_tasks(store: &Shared) {
    let w = Arc::new(World::new(store).await);
    for round in 1..=3 {
        let new = w.new_proposal(w.project, &[]);
        let id = w.put(Proposal { status: ProposalStatus::Pending, ..new }).await.id;
        let approvals = at_once(4, |_| {
            let w = Arc::clone(&w);
            async move { persistently(|| approve(&w, id)).await }
        })
        .await;
        assert_eq!(winners(approvals), 1);
        let counts = w.read().await.project(&w.scope(), w.project).await.unwrap().unwrap().counts;
        assert_eq!(counts.tasks, 5 * round);
    }
}

/// Adds an edge under the project's lock, unless it would close a circle; says whether it did.
async fn connect(w: &World, edge: Edge) -> Result<bool> {
    let mut tx = w.store.begin().await?;
    tx.lock(&roots([(Kind::Project, w.project.uuid(), Hold::Own)])).await?;
    let below = tx.directory().edges_below(&[edge.depends_on]).await?;
    if below.iter().any(|below| below.depends_on == edge.task) {
        return tx.rollback().await.map(|()| false);
    }
    apply(&mut *tx, [Write::AddEdges(vec![edge])]).await?;
    tx.commit().await.map(|()| true)
}

pub async fn opposite_edges_added_at_once_close_no_circle(store: &Shared) {
    let w = Arc::new(World::new(store).await);
    for _ in 0..12 {
        let (a, b) = (w.put(w.new_task(w.project)).await.id, w.put(w.new_task(w.project)).await.id);
        let edges = [Edge { task: a, depends_on: b }, Edge { task: b, depends_on: a }];
        let added = at_once(2, |index| {
            let (w, edge) = (Arc::clone(&w), edges[index]);
            async move { persistently(|| connect(&w, edge)).await }
        })
        .await;
        assert_eq!(winners(added), 1);
        assert_eq!(w.read().await.directory().edges_below(&[a, b]).await.unwrap().len(), 1);
    }
}

pub async fn a_ring_of_edges_added_at_once_stays_open(store: &Shared) {
    const LENGTH: usize = 6;
    let w = Arc::new(World::new(store).await);
    let ring: Vec<_> = (0..LENGTH).map(|_| w.new_task(w.project)).collect();
    w.put_all(ring.clone()).await;
    let added = at_once(LENGTH, |index| {
        let edge = Edge { task: ring[index].id, depends_on: ring[(index + 1) % LENGTH].id };
        let w = Arc::clone(&w);
        async move { persistently(|| connect(&w, edge)).await }
    })
    .await;
    assert_eq!(winners(added), LENGTH - 1);
}

/// Loads a task under its lock, changes it and saves it.
async fn edit(w: &World, id: TaskId, change: impl FnOnce(&mut Task)) -> Result<()> {
    let mut tx = w.store.begin().await?;
    let mut task = own_task(&mut *tx, w, id).await?;
    change(&mut task);
    task.version += 1;
    apply(&mut *tx, [Write::SaveTask(task)]).await?;
    tx.commit().await
}

pub async fn writers_of_different_fields_both_survive(store: &Shared) {
    let w = Arc::new(World::new(store).await);
    for _ in 0..25 {
        let id = w.put(w.new_task(w.project)).await.id;
        let edits = at_once(2, |index| {
            let w = Arc::clone(&w);
            async move {
                persistently(|| {
                    edit(&w, id, |task| match index {
                        0 => task.title = "Changed".into(),
                        _ => task.priority = Priority::High,
                    })
                })
                .await
            }
        })
        .await;
        assert!(edits.iter().all(Result::is_ok), "{edits:?}");
        let task = w.read().await.task(&w.scope(), id).await.unwrap().unwrap();
        assert_eq!((task.title.as_str(), task.priority, task.version), ("Changed", Priority::High, 3));
    }
}

pub async fn savers_without_a_lock_lose_no_update(store: &Shared) {
    let w = Arc::new(World::new(store).await);
    let id = w.put(w.new_idea(w.project)).await.id;
    let saves = at_once(6, |_| {
        let w = Arc::clone(&w);
        async move {
            persistently(|| async {
                let mut tx = w.store.begin().await?;
                let idea = tx.idea(&w.scope(), id).await?.unwrap();
                let (version, title) = (idea.version + 1, format!("{}+", idea.title));
                apply(&mut *tx, [Write::SaveIdea(Idea { version, title, ..idea })]).await?;
                tx.commit().await
            })
            .await
        }
    })
    .await;
    assert!(saves.iter().all(Result::is_ok), "{saves:?}");
    let idea = w.read().await.idea(&w.scope(), id).await.unwrap().unwrap();
    assert_eq!((idea.version, idea.title.as_str()), (7, "Idea++++++"));
}

pub async fn units_that_lock_overlapping_rows_all_finish(store: &Shared) {
    const UNITS: usize = 12;
    let w = Arc::new(World::new(store).await);
    let group = w.put(w.new_group()).await.id.uuid();
    let project = w.put(w.new_project()).await.id.uuid();
    let mut rows = vec![(Kind::Group, group), (Kind::Project, project), (Kind::Project, w.project.uuid())];
    let mut tasks = Vec::new();
    for _ in 0..4 {
        tasks.push(w.put(w.new_task(w.project)).await.id);
        rows.push((Kind::Idea, w.put(w.new_idea(w.project)).await.id.uuid()));
    }
    rows.extend(tasks.iter().map(|task| (Kind::Task, task.uuid())));
    // Nobody runs again here: taken in one order, locks never deadlock, whatever the order of asking.
    let finished = at_once(UNITS, |index| {
        let (w, tasks, mut rows) = (Arc::clone(&w), tasks.clone(), rows.clone());
        let turn = index % rows.len();
        rows.rotate_left(turn);
        if index % 2 == 1 {
            rows.reverse();
        }
        async move {
            let mut tx = w.store.begin().await?;
            let mut roots = Roots::default();
            for (place, (kind, id)) in rows.into_iter().enumerate() {
                let hold = [Hold::Own, Hold::Share, Hold::Remove][(place + index) % 3];
                roots.add(kind, id, hold);
            }
            let written = tasks[index % tasks.len()];
            roots.add(Kind::Task, written.uuid(), Hold::Own);
            tx.lock(&roots).await?;
            let task = tx.task(&w.scope(), written).await?.unwrap();
            let version = task.version + 1;
            tokio::time::sleep(Duration::from_millis(2)).await;
            apply(&mut *tx, [Write::SaveTask(Task { version, ..task })]).await?;
            tx.commit().await
        }
    })
    .await;
    assert!(finished.iter().all(Result::is_ok), "{finished:?}");
    let mut saved = 0;
    for task in tasks {
        saved += w.read().await.task(&w.scope(), task).await.unwrap().unwrap().version - 1;
    }
    assert_eq!(usize::try_from(saved).unwrap(), UNITS);
}

/// Runs a unit while another holds its rows, which commits a little later.
async fn meanwhile<T: Send + 'static>(
    holder: Box<dyn Tx>,
    unit: impl Future<Output = Result<T>> + Send + 'static,
) -> T {
    let unit = tokio::spawn(unit);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!unit.is_finished(), "the unit did not wait for the one that holds its rows");
    holder.commit().await.unwrap();
    unit.await.unwrap().unwrap()
}

pub async fn a_role_that_changes_while_a_unit_waits_is_seen_by_its_second_look(store: &Shared) {
    let w = Arc::new(World::new(store).await);
    for via_group in [false, true] {
        let group = w.put(w.new_group()).await.id;
        let new = Project { visibility: Visibility::Private, group: Some(group), ..w.new_project() };
        let project = w.put(new).await.id;
        let change = async |role| {
            if via_group { w.join_group(group, w.user, role).await } else { w.join(project, w.user, role).await }
        };
        change(Role::Editor).await;
        let task = w.put(w.new_task(project)).await.id;

        let mut holder = w.begin().await;
        holder
            .lock(&roots([(Kind::Group, group.uuid(), Hold::Own), (Kind::Project, project.uuid(), Hold::Own)]))
            .await
            .unwrap();
        let (user, role, created_at) = (w.user, Role::Viewer, w.tick());
        let write = if via_group {
            Write::PutGroupMember(chorus_domain::project::GroupMember { group, user, role, added_by: None, created_at })
        } else {
            Write::PutProjectMember(chorus_domain::project::ProjectMember {
                project,
                user,
                role,
                added_by: None,
                created_at,
            })
        };
        apply(&mut *holder, [write]).await.unwrap();

        let waiter = Arc::clone(&w);
        let facts = meanwhile(holder, async move {
            let (principal, things) = (waiter.principal(Some(user)), [(Kind::Task, task.uuid())]);
            let mut tx = waiter.store.begin().await?;
            let mut located = tx.directory().locate(&principal, &things).await?;
            let shared = [(Kind::Group, group.uuid(), Hold::Share), (Kind::Project, project.uuid(), Hold::Share)];
            match tx.lock(&roots(shared)).await? {
                Locked::LookAgain => located = tx.directory().locate(&principal, &things).await?,
                Locked::Settled => {}
            }
            tx.rollback().await.map(|()| located[0].facts)
        })
        .await;
        let access = permits(level(&w.principal(Some(user)), &facts), facts.visibility, Need::Editor);
        assert_eq!(access, chorus_visibility::Access::Forbidden, "via the group: {via_group}");
    }
}

pub async fn what_is_read_under_a_lock_is_the_newest(store: &Shared) {
    let w = Arc::new(World::new(store).await);
    let task = w.put(w.new_task(w.project)).await;
    let mut holder = w.begin().await;
    let held = own_task(&mut *holder, &w, task.id).await.unwrap();
    apply(&mut *holder, [Write::SaveTask(Task { title: "Newer".into(), version: 2, ..held })]).await.unwrap();
    let waiter = Arc::clone(&w);
    let seen = meanwhile(holder, async move {
        let mut tx = waiter.store.begin().await?;
        let seen = own_task(&mut *tx, &waiter, task.id).await?;
        tx.rollback().await.map(|()| seen)
    })
    .await;
    assert_eq!((seen.title.as_str(), seen.version), ("Newer", 2));
}

pub async fn what_is_shared_does_not_change(store: &Shared) {
    let w = Arc::new(World::new(store).await);
    let task = w.put(w.new_task(w.project)).await;
    let mut holder = w.begin().await;
    let rows = [(Kind::Project, w.project.uuid(), Hold::Share), (Kind::Task, task.id.uuid(), Hold::Share)];
    holder.lock(&roots(rows)).await.unwrap();
    let (writer, id) = (Arc::clone(&w), task.id);
    meanwhile(holder, async move { edit(&writer, id, |task| task.title = "Changed".into()).await }).await;
    assert_eq!(w.read().await.task(&w.scope(), id).await.unwrap().unwrap().title, "Changed");
}

pub async fn assigning_and_editing_at_once_keeps_both(store: &Shared) {
    let w = Arc::new(World::new(store).await);
    let id = w.put(w.new_task(w.project)).await.id;
    let at = Timestamp::from_micros(1);
    let edits = at_once(8, |index| {
        let w = Arc::clone(&w);
        async move {
            persistently(|| {
                edit(&w, id, |task| match index {
                    0 => task.assignee = Some(Assignment { to: Party::User(w.user), at, by: None }),
                    1 => task.status = TaskStatus::Assigned,
                    2 => task.story_points = Some(3.0),
                    3 => task.description = Some("Described".into()),
                    _ => task.title.push('+'),
                })
            })
            .await
        }
    })
    .await;
    assert!(edits.iter().all(Result::is_ok), "{edits:?}");
    let task = w.read().await.task(&w.scope(), id).await.unwrap().unwrap();
    assert_eq!((task.version, task.title.as_str(), task.status), (9, "Task++++", TaskStatus::Assigned));
    assert_eq!((task.story_points, task.description.as_deref()), (Some(3.0), Some("Described")));
    assert_eq!(task.assignee.map(|assignment| assignment.to), Some(Party::User(w.user)));
}
