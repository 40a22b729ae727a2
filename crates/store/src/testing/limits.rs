//! The largest, the smallest and the oddest of what fits.

use chorus_domain::{
    Kind, Write,
    comment::Comment,
    document::Document,
    idea::Idea,
    proposal::{DocumentDraft, Proposal, TaskDraft},
    task::{Edge, Task},
    text::{MAX_BODY_BYTES, MAX_COMMENT, MAX_TITLE},
};
use chorus_ids::{PageSize, Timestamp};

use super::world::{Shared, WHOLE, World, items};
use crate::{DraftBodies, Order, PageRequest, Start, TaskFilter};

pub async fn the_longest_titles_and_bodies_fit(store: &Shared) {
    let w = World::new(store).await;
    let title = "𠀋".repeat(MAX_TITLE);
    for body in ["x".repeat(MAX_BODY_BYTES), "𠀋".repeat(MAX_BODY_BYTES / 4)] {
        let text = || Some(body.clone());
        let idea = w.put(Idea { title: title.clone(), content: text(), ..w.new_idea(w.project) }).await;
        let new = w.new_proposal(w.project, &[]);
        let proposal = w.put(Proposal { title: title.clone(), description: text(), ..new }).await;
        let document = w.put(Document { title: title.clone(), content: text(), ..w.new_document(w.project) }).await;
        let task = w.put(Task { title: title.clone(), description: text(), ..w.new_task(w.project) }).await;
        let first = DocumentDraft { title: title.clone(), content: body.clone(), ..w.new_document_draft() };
        let second = TaskDraft { title: title.clone(), description: text(), ..w.new_task_draft() };
        let drafts =
            [Write::AddDocumentDraft(proposal.id, first.clone()), Write::AddTaskDraft(proposal.id, second.clone())];
        w.write(drafts).await;
        let (scope, mut reads) = (w.scope(), w.read().await);
        assert!(reads.idea(&scope, idea.id).await.unwrap() == Some(idea));
        assert!(reads.document(&scope, document.id).await.unwrap() == Some(document));
        assert!(reads.task(&scope, task.id).await.unwrap() == Some(task));
        assert!(reads.document_drafts(&scope, proposal.id).await.unwrap() == [first]);
        assert!(reads.task_drafts(&scope, proposal.id, DraftBodies::Full).await.unwrap() == [second]);
        assert!(reads.proposal(&scope, proposal.id).await.unwrap() == Some(proposal));
    }
}

pub async fn the_longest_comment_fits(store: &Shared) {
    let w = World::new(store).await;
    let task = w.put(w.new_task(w.project)).await.id.uuid();
    let content = "界".repeat(MAX_COMMENT);
    let comment = w.put(Comment { content, ..w.new_comment(Kind::Task, task) }).await;
    let page = w.read().await.comments(&w.scope(), Kind::Task, task, Order::Oldest, &WHOLE).await.unwrap();
    assert!(items(page) == [comment]);
}

pub async fn story_points_keep_every_digit(store: &Shared) {
    let w = World::new(store).await;
    let proposal = w.put(w.new_proposal(w.project, &[])).await.id;
    for points in [0.0, 1000.0, 0.5, 0.1, 1.0 / 3.0, 999.999_999_999, f64::MIN_POSITIVE] {
        let story_points = Some(points);
        let task = w.put(Task { story_points, ..w.new_task(w.project) }).await;
        assert_eq!(w.read().await.task(&w.scope(), task.id).await.unwrap(), Some(task));
        let draft = TaskDraft { story_points, ..w.new_task_draft() };
        w.write([Write::AddTaskDraft(proposal, draft.clone())]).await;
        let drafts = w.read().await.task_drafts(&w.scope(), proposal, DraftBodies::Full).await.unwrap();
        assert_eq!(drafts.last(), Some(&draft));
    }
}

pub async fn times_keep_their_microseconds(store: &Shared) {
    const YEAR_9999: i64 = 253_402_300_799_999_999;
    let w = World::new(store).await;
    for micros in [0, 1, -1, 999_999, -62_135_596_800_000_000, 1_767_225_600_000_001, YEAR_9999] {
        let at = Timestamp::from_micros(micros);
        let assignee = Some(chorus_domain::Assignment { to: w.by(), at, by: None });
        let task = w.put(Task { created_at: at, updated_at: at, assignee, ..w.new_task(w.project) }).await;
        assert_eq!(w.read().await.task(&w.scope(), task.id).await.unwrap(), Some(task));
    }
}

pub async fn times_sort_by_the_microsecond(store: &Shared) {
    let w = World::new(store).await;
    let at = |micros| Timestamp::from_micros(micros);
    let micros = [5, -3, 1_000_000, 0, -1_000_001, 999_999, -1];
    w.put_all(micros.map(|micros| Idea { created_at: at(micros), ..w.new_idea(w.project) })).await;
    let listed = items(w.read().await.ideas(&w.scope(), w.project, None, &WHOLE).await.unwrap());
    let listed: Vec<_> = listed.into_iter().map(|row| row.idea.created_at.micros()).collect();
    assert_eq!(listed, [1_000_000, 999_999, 5, 0, -1, -3, -1_000_001]);
}

pub async fn the_last_version_can_be_saved(store: &Shared) {
    let w = World::new(store).await;
    let task = w.put(Task { version: i32::MAX - 1, ..w.new_task(w.project) }).await;
    let saved = Task { version: i32::MAX, ..task };
    w.write([Write::SaveTask(saved.clone())]).await;
    assert_eq!(w.read().await.task(&w.scope(), saved.id).await.unwrap(), Some(saved));
}

pub async fn a_batch_of_two_hundred_tasks_with_criteria_and_edges_fits(store: &Shared) {
    const TASKS: usize = 200;
    let w = World::new(store).await;
    let tasks: Vec<_> = (0..TASKS).map(|_| w.new_task(w.project)).collect();
    let criteria = tasks.iter().flat_map(|task| (0..10).map(|position| w.new_criterion(task.id, position)));
    let edges = tasks.iter().enumerate().flat_map(|(index, task)| {
        let before = &tasks[index.saturating_sub(10)..index];
        before.iter().map(|depends_on| Edge { task: task.id, depends_on: depends_on.id })
    });
    let writes =
        [Write::NewTasks(tasks.clone()), Write::NewCriteria(criteria.collect()), Write::AddEdges(edges.collect())];
    w.write(writes).await;
    let last = w.read().await.task_detail(&w.scope(), tasks[TASKS - 1].id).await.unwrap().unwrap();
    assert_eq!((last.criteria.len(), last.depends_on.visible.len()), (10, 10));
    let ids: Vec<_> = tasks.iter().map(|task| task.id).collect();
    let edges = w.read().await.directory().edges_below(&ids).await.unwrap();
    assert_eq!(edges.len(), (TASKS - 10) * 10 + 45);
    w.write([Write::RemoveEdges(edges)]).await;
    assert_eq!(w.read().await.directory().edges_below(&ids).await.unwrap(), []);
}

pub async fn pages_far_beyond_the_end_are_empty(store: &Shared) {
    let w = World::new(store).await;
    w.put_all([w.new_task(w.project), w.new_task(w.project)]).await;
    for page in [2, 1_000, u32::MAX] {
        let request = PageRequest { start: Start::Page(page), size: PageSize::MAX };
        let found = w.read().await.tasks(&w.scope(), w.project, &TaskFilter::default(), &request).await.unwrap();
        assert_eq!((found.rows.len(), found.total, found.more), (0, 2, false), "page {page}");
    }
}
