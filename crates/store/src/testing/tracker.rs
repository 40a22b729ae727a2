//! What somebody has to do.

use chorus_domain::{
    Assignment, Party,
    idea::Idea,
    project::Project,
    proposal::Proposal,
    task::{Criterion, Judgement, Task},
};
use chorus_ids::{IdeaId, ProjectId, Timestamp};
use chorus_lifecycle::{
    criterion::Mark,
    idea::IdeaStatus,
    proposal::ProposalStatus,
    task::{Priority, TaskStatus},
};
use chorus_visibility::Visibility;

use super::world::{DAWN, SCRIPTS, Shared, World};
use crate::{TrackedIdea, TrackedTask};

async fn ideas(w: &World, holders: &[Party]) -> Vec<TrackedIdea> {
    let rows = w.read().await.tracked_ideas(&w.scope(), holders, None, 100).await.unwrap();
    rows.into_iter().map(|row| row.item).collect()
}

async fn tasks(w: &World, holders: &[Party]) -> Vec<TrackedTask> {
    let rows = w.read().await.tracked_tasks(&w.scope(), holders, None, 100).await.unwrap();
    rows.into_iter().map(|row| row.item).collect()
}

/// An idea of the agent whose elaboration is over.
fn elaborated(w: &World) -> Idea {
    Idea { status: IdeaStatus::Elaborated, assignee: w.held_by(w.by()), ..w.new_idea(w.project) }
}

/// An approved proposal of the idea with tasks in these statuses.
async fn approved(w: &World, project: ProjectId, idea: IdeaId, statuses: &[TaskStatus]) {
    let new = Proposal { status: ProposalStatus::Approved, ..w.new_proposal(project, &[idea]) };
    let proposal = Some(w.put(new).await.id);
    w.put_all(statuses.iter().map(|status| Task { status: *status, proposal, ..w.new_task(project) })).await;
}

pub async fn ideas_that_are_done_by_themselves_are_left_out(store: &Shared) {
    let w = World::new(store).await;
    let (done, closed, open) = (TaskStatus::Done, TaskStatus::Closed, TaskStatus::Open);
    let mut tracked = Vec::new();
    for status in IdeaStatus::ALL {
        tracked.push(w.put(Idea { status, ..elaborated(&w) }).await.id);
    }
    for unfinished in [vec![], vec![open], vec![done, open], vec![done, closed, TaskStatus::ToVerify]] {
        let idea = w.put(elaborated(&w)).await.id;
        approved(&w, w.project, idea, &unfinished).await;
        tracked.push(idea);
    }
    for finished in [vec![done], vec![closed], vec![done, closed, done]] {
        let idea = w.put(elaborated(&w)).await.id;
        approved(&w, w.project, idea, &finished).await;
        // Whatever else it has: pending work brings it back, and so does being a theme or not elaborated.
        let pending = w.put(elaborated(&w)).await.id;
        approved(&w, w.project, pending, &finished).await;
        w.put(Proposal { status: ProposalStatus::Pending, ..w.new_proposal(w.project, &[pending]) }).await;
        let theme = w.put(Idea { is_container: true, ..elaborated(&w) }).await.id;
        approved(&w, w.project, theme, &finished).await;
        let early = w.put(Idea { status: IdeaStatus::Elaborating, ..elaborated(&w) }).await.id;
        approved(&w, w.project, early, &finished).await;
        tracked.extend([pending, theme, early]);
    }
    // The latest approved proposal decides, and only one of the idea's project.
    let (again, over) = (w.put(elaborated(&w)).await.id, w.put(elaborated(&w)).await.id);
    approved(&w, w.project, again, &[done]).await;
    approved(&w, w.project, again, &[open]).await;
    approved(&w, w.project, over, &[open]).await;
    approved(&w, w.project, over, &[done]).await;
    let other = w.put(w.new_project()).await.id;
    let elsewhere = w.put(elaborated(&w)).await.id;
    approved(&w, other, elsewhere, &[done]).await;
    tracked.extend([again, elsewhere]);
    let mut found: Vec<_> = ideas(&w, &[w.by()]).await.into_iter().map(|row| row.summary.idea.id).collect();
    found.sort_unstable();
    tracked.sort_unstable();
    assert_eq!(found, tracked);
}

pub async fn tracked_ideas_are_listed_latest_updated_first(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(Project { name: SCRIPTS.into(), ..w.new_project() }).await.id;
    let holder = w.held_by(Party::User(w.user));
    let at = |seconds: i64, project, assignee| Idea {
        updated_at: DAWN.plus_micros(seconds * 1_000_000_000),
        content: Some("Long".into()),
        assignee,
        ..w.new_idea(project)
    };
    let (second, first) = (w.put(at(2, w.project, holder)).await, w.put(at(3, other, w.held_by(w.by()))).await);
    let third = w.put(at(1, w.project, holder)).await;
    w.put(at(4, w.project, None)).await;
    w.put(at(5, w.project, w.held_by(Party::User(w.first)))).await;
    let found = ideas(&w, &[w.by(), Party::User(w.user)]).await;
    let names: Vec<_> = found.iter().map(|row| row.project_name.as_str()).collect();
    assert_eq!(names, [SCRIPTS, "Project", "Project"]);
    let listed: Vec<_> = found.into_iter().map(|row| row.summary.idea).collect();
    assert_eq!(listed, [first, second.clone(), third.clone()].map(|idea| Idea { content: None, ..idea }));
    let users: Vec<_> = ideas(&w, &[Party::User(w.user)]).await.into_iter().map(|row| row.summary.idea.id).collect();
    assert_eq!(users, [second.id, third.id]);
    assert_eq!(ideas(&w, &[]).await, []);
}

pub async fn unfinished_tasks_are_tracked_by_priority_then_latest_assigned(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.put(Project { visibility: Visibility::Private, ..w.new_project() }).await.id;
    let since = |seconds: i64| -> Timestamp { DAWN.plus_micros(seconds * 1_000_000_000) };
    let task = |seconds, priority, status, to, project| Task {
        priority,
        status,
        description: Some("Long".into()),
        assignee: Some(Assignment { to, at: since(seconds), by: None }),
        ..w.new_task(project)
    };
    let (low, medium, high) = (Priority::Low, Priority::Medium, Priority::High);
    let owner = Party::User(w.user);
    let expected = [
        task(2, high, TaskStatus::Assigned, owner, w.project),
        task(1, high, TaskStatus::Open, w.by(), w.project),
        task(4, medium, TaskStatus::InProgress, w.by(), w.project),
        task(3, medium, TaskStatus::ToVerify, owner, w.project),
        task(9, low, TaskStatus::Assigned, w.by(), w.project),
    ];
    let mut all = expected.to_vec();
    all.extend([TaskStatus::Done, TaskStatus::Closed].map(|status| task(5, high, status, w.by(), w.project)));
    all.push(task(6, high, TaskStatus::Assigned, Party::User(w.first), w.project));
    all.push(task(7, high, TaskStatus::Assigned, w.by(), hidden));
    all.push(w.new_task(w.project));
    all.reverse();
    w.put_all(all).await;
    let found = tasks(&w, &[owner, w.by()]).await;
    assert!(found.iter().all(|row| row.project_name == "Project"));
    let found: Vec<_> = found.into_iter().map(|row| row.task).collect();
    assert_eq!(found, expected.map(|task| Task { description: None, ..task }));
    assert_eq!(tasks(&w, &[]).await, []);
}

pub async fn tracked_tasks_count_verdicts_not_self_checks(store: &Shared) {
    let w = World::new(store).await;
    let task = w.put(Task { assignee: w.held_by(w.by()), ..w.new_task(w.project) }).await.id;
    let bare = w.put(Task { assignee: w.held_by(w.by()), ..w.new_task(w.project) }).await.id;
    let judged = |mark| Judgement { mark, evidence: None, by: Some((w.by(), w.tick())) };
    let marks = [
        (Mark::Passed, Mark::Pending),
        (Mark::Passed, Mark::Failed),
        (Mark::Failed, Mark::Passed),
        (Mark::Pending, Mark::Passed),
    ];
    w.put_all(marks.into_iter().zip(0..).map(|((dev, verdict), position)| Criterion {
        dev: judged(dev),
        verdict: judged(verdict),
        required: position % 2 == 0,
        ..w.new_criterion(task, position)
    }))
    .await;
    let counts = |row: TrackedTask| (row.task.id, row.criteria_passed, row.criteria_total);
    let found: Vec<_> = tasks(&w, &[w.by()]).await.into_iter().map(counts).collect();
    assert_eq!(found, [(bare, 0, 0), (task, 2, 4)]);
}

pub async fn a_tracker_stops_at_its_limit(store: &Shared) {
    let w = World::new(store).await;
    w.put_all((0..5).map(|_| Idea { assignee: w.held_by(w.by()), ..w.new_idea(w.project) })).await;
    w.put_all((0..5).map(|_| Task { assignee: w.held_by(w.by()), ..w.new_task(w.project) })).await;
    let (scope, holders, mut reads) = (w.scope(), [w.by()], w.read().await);
    for limit in [0, 1, 4, 5, 6] {
        let expected = usize::try_from(limit.min(5)).unwrap();
        assert_eq!(reads.tracked_ideas(&scope, &holders, None, limit).await.unwrap().len(), expected);
        assert_eq!(reads.tracked_tasks(&scope, &holders, None, limit).await.unwrap().len(), expected);
    }
}
