//! Tasks, their criteria and their dependencies.

use chorus_domain::{
    Assignment, Kind, Party, Write,
    task::{Criterion, Dependant, Edge, Judgement, Task, TaskRef},
};
use chorus_ids::TaskId;
use chorus_lifecycle::{
    criterion::Mark,
    task::{Priority, TaskStatus},
};

use super::world::{SCRIPTS, Shared, WHOLE, World, items, sorted};
use crate::{Related, TaskDetail, TaskFilter, Unblocked};

async fn detail(w: &World, id: TaskId) -> TaskDetail {
    w.read().await.task_detail(&w.scope(), id).await.unwrap().unwrap()
}

async fn criteria(w: &World, id: TaskId) -> Vec<Criterion> {
    detail(w, id).await.criteria
}

fn beside(task: &Task) -> TaskRef {
    let assignee = task.assignee.map(|assignment| assignment.to);
    TaskRef { id: task.id, title: task.title.clone(), status: task.status, assignee }
}

/// Every field away from its default.
fn full(w: &World) -> Task {
    Task {
        title: SCRIPTS.into(),
        description: Some(SCRIPTS.into()),
        status: TaskStatus::ToVerify,
        priority: Priority::High,
        story_points: Some(2.5),
        assignee: Some(Assignment { to: Party::User(w.user), at: w.tick(), by: Some(w.by()) }),
        proposal: Some(w.id()),
        created_by: Party::User(w.first),
        version: 12,
        updated_at: w.tick(),
        ..w.new_task(w.project)
    }
}

/// `count` tasks in the world's project.
async fn tasks<const N: usize>(w: &World) -> [Task; N] {
    let tasks = std::array::from_fn(|_| w.new_task(w.project));
    w.put_all(tasks.clone()).await;
    tasks
}

fn edge(task: &Task, depends_on: &Task) -> Edge {
    Edge { task: task.id, depends_on: depends_on.id }
}

pub async fn a_task_round_trips(store: &Shared) {
    let w = World::new(store).await;
    let mut tasks = vec![full(&w), w.new_task(w.project)];
    tasks.extend(TaskStatus::ALL.map(|status| Task { status, ..w.new_task(w.project) }));
    tasks.extend(Priority::ALL.map(|priority| Task { priority, ..w.new_task(w.project) }));
    tasks.push(Task { assignee: w.held_by(w.by()), description: Some(String::new()), ..w.new_task(w.project) });
    w.put_all(tasks.clone()).await;
    for task in tasks {
        assert_eq!(w.read().await.task(&w.scope(), task.id).await.unwrap(), Some(task.clone()));
        let bare = TaskDetail {
            task: task.clone(),
            criteria: Vec::new(),
            references: Vec::new(),
            depends_on: Related::default(),
            depended_by: Related::default(),
            comments: 0,
        };
        assert_eq!(detail(&w, task.id).await, bare);
    }
    assert_eq!(w.read().await.task(&w.scope(), w.id()).await.unwrap(), None);
    assert_eq!(w.read().await.task_detail(&w.scope(), w.id()).await.unwrap(), None);
}

pub async fn saving_a_task_replaces_every_field(store: &Shared) {
    let w = World::new(store).await;
    let [plain, bystander] = tasks(&w).await;
    let Task { id, created_at, created_by, .. } = plain;
    let project = w.put(w.new_project()).await.id;
    let changed = Task { id, version: 2, project, created_at, created_by, ..full(&w) };
    w.write([Write::SaveTask(changed.clone())]).await;
    assert_eq!(w.read().await.task(&w.scope(), id).await.unwrap(), Some(changed));
    let back = Task { version: 3, ..plain };
    w.write([Write::SaveTask(back.clone())]).await;
    assert_eq!(w.read().await.task(&w.scope(), id).await.unwrap(), Some(back));
    assert_eq!(w.read().await.task(&w.scope(), bystander.id).await.unwrap(), Some(bystander));
}

pub async fn tasks_beside_others_come_with_their_projects(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let (held, plain) = (w.put(full(&w)).await, w.put(w.new_task(other)).await);
    let refs = w.read().await.task_refs(&w.scope(), &[plain.id, held.id, w.id()]).await.unwrap();
    assert_eq!(sorted(refs), sorted(vec![(beside(&held), w.project), (beside(&plain), other)]));
    assert_eq!(w.read().await.task_refs(&w.scope(), &[]).await.unwrap(), []);
}

pub async fn tasks_are_listed_by_priority_then_newest_first_without_descriptions(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let (low, medium, high) = (Priority::Low, Priority::Medium, Priority::High);
    let mut made = Vec::new();
    for priority in [medium, high, low, high, low, medium] {
        let task = Task { priority, description: Some("Long".into()), ..w.new_task(w.project) };
        made.push(Task { description: None, ..w.put(task).await });
    }
    w.put(w.new_task(other)).await;
    let page = w.read().await.tasks(&w.scope(), w.project, &TaskFilter::default(), &WHOLE).await.unwrap();
    assert_eq!((page.total, page.more), (6, false));
    assert_eq!(items(page), [3, 1, 5, 0, 4, 2].map(|index| made[index].clone()));
}

pub async fn filters_of_tasks_narrow_together(store: &Shared) {
    let w = World::new(store).await;
    let (one, two) = (w.put(w.new_proposal(w.project, &[])).await.id, w.put(w.new_proposal(w.project, &[])).await.id);
    let mut all = Vec::new();
    for proposal in [None, Some(one), Some(two)] {
        for status in TaskStatus::ALL {
            for priority in Priority::ALL {
                all.push(Task { proposal, status, priority, ..w.new_task(w.project) });
            }
        }
    }
    w.put_all(all.clone()).await;
    let (open, done) = (TaskStatus::Open, TaskStatus::Done);
    for (statuses, priority, proposals, expected) in [
        (vec![], None, vec![], 54),
        (vec![open], None, vec![], 9),
        (vec![open, done], None, vec![], 18),
        (vec![], Some(Priority::High), vec![], 18),
        (vec![], None, vec![one], 18),
        (vec![], None, vec![one, two], 36),
        (vec![], None, vec![w.id()], 0),
        (vec![open, done], Some(Priority::Low), vec![two, w.id()], 2),
    ] {
        let matches = |task: &&Task| {
            (statuses.is_empty() || statuses.contains(&task.status))
                && priority.is_none_or(|priority| priority == task.priority)
                && (proposals.is_empty() || task.proposal.is_some_and(|proposal| proposals.contains(&proposal)))
        };
        let matching: Vec<_> = all.iter().filter(matches).map(|task| task.id).collect();
        let filter =
            TaskFilter { statuses: statuses.clone(), priority, proposals: proposals.clone(), ..TaskFilter::default() };
        let page = w.read().await.tasks(&w.scope(), w.project, &filter, &WHOLE).await.unwrap();
        assert_eq!(page.total, expected, "{filter:?}");
        assert_eq!(sorted(items(page).into_iter().map(|task| task.id).collect()), sorted(matching), "{filter:?}");
    }
}

pub async fn unblocked_tasks_have_no_open_prerequisite_hidden_ones_included(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let mut unblocked = Vec::new();
    for status in TaskStatus::ALL {
        for project in [w.project, hidden] {
            let prerequisite = w.put(Task { status, ..w.new_task(project) }).await;
            let waiting = w.put(Task { status: TaskStatus::Assigned, ..w.new_task(w.project) }).await;
            let finished = w.put(Task { status: TaskStatus::Done, ..w.new_task(w.project) }).await;
            w.put_all([edge(&waiting, &prerequisite), edge(&waiting, &finished)]).await;
            if status.is_finished() {
                unblocked.push(waiting.id);
            }
        }
    }
    let filter =
        TaskFilter { statuses: vec![TaskStatus::Assigned], unblocked: Some(Unblocked), ..TaskFilter::default() };
    let found = w.read().await.tasks(&w.scope(), w.project, &filter, &WHOLE).await.unwrap();
    // The visible prerequisite that is itself assigned waits for nothing.
    assert_eq!(found.total, unblocked.len() as u64 + 1);
    let found: Vec<_> = items(found).into_iter().map(|task| task.id).collect();
    assert!(unblocked.iter().all(|id| found.contains(id)), "{unblocked:?} in {found:?}");
}

pub async fn tasks_beside_one_are_named_or_counted(store: &Shared) {
    let w = World::new(store).await;
    let (visible, hidden) = (w.put(w.new_project()).await.id, w.hidden_project().await);
    let middle = w.put(w.new_task(w.project)).await;
    let mut expected = [Related::default(), Related::default()];
    for (index, related) in expected.iter_mut().enumerate() {
        for status in [TaskStatus::Closed, TaskStatus::ToVerify, TaskStatus::Open, TaskStatus::Done] {
            let near = w.put(Task { assignee: w.held_by(w.by()), status, ..w.new_task(visible) }).await;
            let far = w.put(Task { status, ..w.new_task(hidden) }).await;
            for other in [&near, &far] {
                w.put(if index == 0 { edge(&middle, other) } else { edge(other, &middle) }).await;
            }
            related.visible.push(beside(&near));
        }
        // One more than those above, so that an exchange of the two lists shows.
        for _ in 0..index {
            let far = w.put(w.new_task(hidden)).await;
            w.put(edge(&far, &middle)).await;
        }
        related.hidden = 4 + u32::try_from(index).unwrap();
        related.hidden_open = 2 + u32::try_from(index).unwrap();
    }
    let found = detail(&w, middle.id).await;
    assert_eq!([found.depends_on, found.depended_by], expected);
}

pub async fn tasks_beside_one_are_listed_oldest_first(store: &Shared) {
    let w = World::new(store).await;
    let [a, b, c, middle] = tasks(&w).await;
    w.put_all([edge(&middle, &c), edge(&middle, &a), edge(&middle, &b)]).await;
    let found = detail(&w, middle.id).await.depends_on.visible;
    assert_eq!(found, [beside(&a), beside(&b), beside(&c)]);
}

pub async fn edges_come_and_go(store: &Shared) {
    let w = World::new(store).await;
    let [a, b, c] = tasks(&w).await;
    let open = async |task: &Task| detail(&w, task.id).await.depends_on.open_count();
    w.write([Write::AddEdges(vec![edge(&a, &b), edge(&a, &c), edge(&b, &c)])]).await;
    assert_eq!((open(&a).await, open(&b).await, open(&c).await), (2, 1, 0));
    // An edge that is there already is harmless, and so is removing one that is not.
    w.write([Write::AddEdges(vec![edge(&a, &b)])]).await;
    assert_eq!(open(&a).await, 2);
    w.write([Write::RemoveEdges(vec![edge(&a, &b), edge(&b, &a), edge(&c, &a)])]).await;
    assert_eq!((open(&a).await, open(&b).await, open(&c).await), (1, 1, 0));
    w.write([Write::RemoveEdges(vec![edge(&a, &b)])]).await;
    assert_eq!(open(&a).await, 1);
}

pub async fn criteria_round_trip_in_their_order(store: &Shared) {
    let w = World::new(store).await;
    let [task, other] = tasks(&w).await;
    let by = |party| Some((party, w.tick()));
    let judged = |mark, evidence: Option<&str>, by| Judgement { mark, evidence: evidence.map(str::to_owned), by };
    let mut expected = vec![
        Criterion {
            description: SCRIPTS.into(),
            required: false,
            dev: judged(Mark::Passed, Some(SCRIPTS), by(w.by())),
            verdict: judged(Mark::Failed, Some(SCRIPTS), by(Party::User(w.user))),
            ..w.new_criterion(task.id, 0)
        },
        Criterion { dev: judged(Mark::Failed, None, by(w.by())), ..w.new_criterion(task.id, 1) },
        Criterion { verdict: judged(Mark::Passed, None, by(w.by())), ..w.new_criterion(task.id, 2) },
        w.new_criterion(task.id, i32::MAX),
    ];
    let theirs = w.put(w.new_criterion(other.id, 0)).await;
    expected.reverse();
    w.write([Write::NewCriteria(expected.clone())]).await;
    expected.reverse();
    assert_eq!(criteria(&w, task.id).await, expected);
    w.write([Write::DropCriteria(task.id)]).await;
    assert_eq!(criteria(&w, task.id).await, []);
    assert_eq!(criteria(&w, other.id).await, [theirs]);
}

pub async fn the_two_marks_are_set_and_reset_independently(store: &Shared) {
    let w = World::new(store).await;
    let [task, other] = tasks(&w).await;
    let mut expected = [0, 1, 2].map(|position| w.new_criterion(task.id, position));
    w.put_all(expected.clone()).await;
    let theirs = w.new_criterion(other.id, 0);
    let judged = |mark| Judgement { mark, evidence: Some(SCRIPTS.into()), by: Some((w.by(), w.tick())) };
    let theirs = w.put(Criterion { dev: judged(Mark::Passed), verdict: judged(Mark::Passed), ..theirs }).await;

    let (passed, failed, again) = (judged(Mark::Passed), judged(Mark::Failed), judged(Mark::Passed));
    w.write([Write::SetDevMarks(vec![(expected[2].id, failed.clone()), (expected[0].id, passed.clone())])]).await;
    (expected[0].dev, expected[2].dev) = (passed, failed.clone());
    assert_eq!(criteria(&w, task.id).await, expected);
    w.write([Write::SetVerdicts(vec![(expected[0].id, failed.clone()), (expected[1].id, again.clone())])]).await;
    (expected[0].verdict, expected[1].verdict) = (failed, again);
    assert_eq!(criteria(&w, task.id).await, expected);
    w.write([Write::SetVerdicts(vec![(expected[0].id, Judgement::PENDING)])]).await;
    expected[0].verdict = Judgement::PENDING;
    assert_eq!(criteria(&w, task.id).await, expected);

    w.write([Write::ResetMarks(task.id)]).await;
    let reset =
        expected.map(|criterion| Criterion { dev: Judgement::PENDING, verdict: Judgement::PENDING, ..criterion });
    assert_eq!(criteria(&w, task.id).await, reset);
    assert_eq!(criteria(&w, other.id).await, [theirs]);
}

pub async fn a_tasks_comments_are_counted(store: &Shared) {
    let w = World::new(store).await;
    let [task, other] = tasks(&w).await;
    w.put_all([&task, &task, &other].map(|task| w.new_comment(Kind::Task, task.id.uuid()))).await;
    w.put(w.new_comment(Kind::Idea, task.id.uuid())).await;
    assert_eq!((detail(&w, task.id).await.comments, detail(&w, other.id).await.comments), (2, 1));
}

pub async fn dependants_are_the_unfinished_tasks_that_wait(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let [a, b, c, unrelated] = tasks(&w).await;
    let done = w.put(Task { status: TaskStatus::Done, ..w.new_task(w.project) }).await;
    let row = |task: &Task, depends_on: &Task, open_prerequisites| Dependant {
        id: task.id,
        company: w.company,
        project: task.project,
        title: task.title.clone(),
        status: task.status,
        assignee: task.assignee.map(|assignment| assignment.to),
        created_by: task.created_by,
        depends_on: depends_on.id,
        open_prerequisites,
    };
    let mut of_a = Vec::new();
    for status in TaskStatus::ALL {
        let assignee = w.held_by(Party::User(w.user));
        let waiting = w.put(Task { title: SCRIPTS.into(), status, assignee, ..w.new_task(w.project) }).await;
        w.put_all([edge(&waiting, &a), edge(&waiting, &done)]).await;
        if !status.is_finished() {
            of_a.push(row(&waiting, &a, 1));
        }
    }
    let far = w.put(Task { created_by: Party::User(w.first), ..w.new_task(hidden) }).await;
    let both = w.put(w.new_task(w.project)).await;
    w.put_all([edge(&far, &a), edge(&both, &a), edge(&both, &b), edge(&both, &c), edge(&a, &unrelated)]).await;
    of_a.extend([row(&far, &a, 1), row(&both, &a, 3)]);
    let dependants = async |tasks: &[TaskId]| sorted(w.read().await.directory().dependants(tasks).await.unwrap());
    assert_eq!(dependants(&[a.id]).await, sorted(of_a.clone()));
    of_a.push(row(&both, &b, 3));
    assert_eq!(dependants(&[a.id, b.id, w.id()]).await, sorted(of_a));
    assert_eq!(dependants(&[both.id]).await, []);
    assert_eq!(dependants(&[]).await, []);
}

pub async fn edges_below_are_all_that_can_be_reached(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let [a, b, c, d, e, f] = tasks(&w).await;
    let far = w.put(w.new_task(hidden)).await;
    // A diamond a → b, c → d, its tail across a project; and e → f apart.
    let diamond = [edge(&a, &b), edge(&a, &c), edge(&b, &d), edge(&c, &d), edge(&d, &far)];
    w.put_all(diamond).await;
    w.put(edge(&e, &f)).await;
    let below = async |tasks: &[TaskId]| {
        let mut edges = w.read().await.directory().edges_below(tasks).await.unwrap();
        edges.sort_unstable();
        edges
    };
    let sorted_edges = |mut edges: Vec<Edge>| {
        edges.sort_unstable();
        edges
    };
    assert_eq!(below(&[a.id]).await, sorted_edges(diamond.to_vec()));
    assert_eq!(below(&[b.id, c.id]).await, sorted_edges(diamond[2..].to_vec()));
    assert_eq!(below(&[d.id, e.id, b.id]).await, sorted_edges(vec![diamond[2], diamond[4], edge(&e, &f)]));
    assert_eq!(below(&[far.id, f.id, w.id()]).await, []);
    assert_eq!(below(&[]).await, []);
}

pub async fn edges_below_a_long_chain_are_found(store: &Shared) {
    const LENGTH: usize = 50;
    let w = World::new(store).await;
    let chain: Vec<_> = (0..=LENGTH).map(|_| w.new_task(w.project)).collect();
    w.put_all(chain.clone()).await;
    w.put_all(chain.windows(2).map(|pair| edge(&pair[0], &pair[1]))).await;
    assert_eq!(w.read().await.directory().edges_below(&[chain[0].id]).await.unwrap().len(), LENGTH);
}

pub async fn a_circle_of_edges_ends(store: &Shared) {
    let w = World::new(store).await;
    let [a, b, c] = tasks(&w).await;
    let circle = [edge(&a, &b), edge(&b, &c), edge(&c, &a)];
    w.put_all(circle).await;
    let found = w.read().await.directory().edges_below(&[b.id]).await.unwrap();
    assert_eq!(sorted(found), sorted(circle.into()));
}

pub async fn all_tasks_of_a_proposal_are_listed_oldest_first(store: &Shared) {
    let w = World::new(store).await;
    let proposal = w.put(w.new_proposal(w.project, &[])).await.id;
    let mut expected = Vec::new();
    for priority in [Priority::Low, Priority::High, Priority::Medium] {
        let new =
            Task { priority, proposal: Some(proposal), description: Some("Long".into()), ..w.new_task(w.project) };
        expected.push(Task { description: None, ..w.put(new).await });
        w.put(w.new_task(w.project)).await;
    }
    let unseen = w.put(Task { proposal: Some(proposal), ..w.new_task(w.hidden_project().await) }).await.id;
    let mut reads = w.read().await;
    assert_eq!(reads.tasks_of_proposal(&w.scope(), proposal).await.unwrap(), expected);
    assert_eq!(reads.tasks_of_proposal(&w.scope(), w.id()).await.unwrap(), []);
    let all = expected.iter().map(|task| task.id).chain([unseen]).collect();
    assert_eq!(sorted(reads.directory().task_ids_of(proposal).await.unwrap()), sorted(all));
    assert_eq!(reads.directory().task_ids_of(w.id()).await.unwrap(), []);
}

pub async fn closing_the_tasks_of_a_proposal_cuts_them_off(store: &Shared) {
    let w = World::new(store).await;
    let proposal = w.put(w.new_proposal(w.project, &[])).await.id;
    let mut tasks = Vec::new();
    for status in TaskStatus::ALL {
        tasks.push(w.put(Task { status, proposal: Some(proposal), ..w.new_task(w.project) }).await);
    }
    let outside = w.put(w.new_task(w.project)).await;
    let judged = Judgement { mark: Mark::Passed, evidence: Some("seen".into()), by: Some((w.by(), w.tick())) };
    for task in tasks.iter().chain([&outside]) {
        w.put(Criterion { dev: judged.clone(), verdict: judged.clone(), ..w.new_criterion(task.id, 0) }).await;
    }
    let edge = |task: &Task, on: &Task| Edge { task: task.id, depends_on: on.id };
    let mut edges: Vec<Edge> = tasks.iter().map(|task| edge(&outside, task)).collect();
    edges.extend([edge(&tasks[1], &tasks[0]), edge(&tasks[0], &outside)]);
    w.put_all(edges).await;

    let now = w.tick();
    w.write([Write::CloseTasksOf(proposal, w.project, now)]).await;
    let (scope, mut reads) = (w.scope(), w.read().await);
    for task in &tasks {
        let detail = reads.task_detail(&scope, task.id).await.unwrap().unwrap();
        let expected = match task.status {
            TaskStatus::Closed => task.clone(),
            TaskStatus::Open
            | TaskStatus::Assigned
            | TaskStatus::InProgress
            | TaskStatus::ToVerify
            | TaskStatus::Done => Task { status: TaskStatus::Closed, version: 2, updated_at: now, ..task.clone() },
        };
        assert_eq!(detail.task, expected);
        let marks = if task.status == TaskStatus::ToVerify { Judgement::PENDING } else { judged.clone() };
        assert_eq!((&detail.criteria[0].dev, &detail.criteria[0].verdict), (&marks, &marks), "{}", task.status);
    }
    let beside = async |task: &Task| {
        let detail = w.read().await.task_detail(&w.scope(), task.id).await.unwrap().unwrap();
        let ids = |related: &Related| related.visible.iter().map(|task| task.id).collect::<Vec<_>>();
        (ids(&detail.depends_on), ids(&detail.depended_by))
    };
    let closed_before = tasks.iter().find(|task| task.status == TaskStatus::Closed).unwrap();
    assert_eq!(beside(&outside).await, (vec![closed_before.id], vec![tasks[0].id]));
    assert_eq!(beside(&tasks[1]).await, (vec![tasks[0].id], vec![]), "edges inside stay");
    assert_eq!(reads.task(&scope, outside.id).await.unwrap(), Some(outside));
}

pub async fn a_dropped_task_goes_with_what_hangs_on_it(store: &Shared) {
    let w = World::new(store).await;
    let [before, gone, behind] = [w.new_task(w.project), w.new_task(w.project), w.new_task(w.project)];
    w.put_all([before.clone(), gone.clone(), behind.clone()]).await;
    w.put_all([
        Edge { task: gone.id, depends_on: before.id },
        Edge { task: behind.id, depends_on: gone.id },
        Edge { task: behind.id, depends_on: before.id },
    ])
    .await;
    w.put_all([w.new_criterion(gone.id, 0), w.new_criterion(gone.id, 1), w.new_criterion(behind.id, 0)]).await;
    w.put_all([w.new_comment(Kind::Task, gone.id.uuid()), w.new_comment(Kind::Task, behind.id.uuid())]).await;
    let hanging = async |task: &Task| {
        let hanging = w.read().await.directory().hanging(Kind::Task, task.id.uuid()).await.unwrap();
        (hanging.comments, hanging.criteria, hanging.dependencies)
    };
    assert_eq!((hanging(&gone).await, hanging(&behind).await), ((1, 2, 2), (1, 1, 2)));
    w.write([Write::DropTask(gone.id)]).await;
    assert_eq!((hanging(&gone).await, hanging(&behind).await), ((0, 0, 0), (1, 1, 1)));
    assert_eq!(w.read().await.task(&w.scope(), gone.id).await.unwrap(), None);
    assert_eq!(w.read().await.task(&w.scope(), behind.id).await.unwrap(), Some(behind));
    let again = w.try_write([Write::DropTask(gone.id)]).await;
    assert!(matches!(again, Err(crate::Error::Again(_))), "{again:?}");
}
