//! What a person sees across projects.

use chorus_domain::{
    Party, Write,
    elaboration::Round,
    idea::Idea,
    notification::{Notification, Topic},
    project::{Group, Project},
    proposal::Proposal,
    task::Task,
};
use chorus_ids::{ProjectId, Timestamp, Uuid};
use chorus_lifecycle::{elaboration::RoundStatus, idea::IdeaStatus, proposal::ProposalStatus, task::TaskStatus};
use chorus_visibility::{Role, Scope, Visibility};

use super::world::{SCRIPTS, Shared, WHOLE, World, items, size};
use crate::{PageRequest, ProjectProgress, ProjectsWithin, Start, Waiting, WaitsFor};

async fn waiting(w: &World, scope: &Scope, for_what: WaitsFor) -> Vec<Waiting> {
    let page = w.read().await.waiting(scope, for_what, &WHOLE).await.unwrap();
    assert_eq!(page.total, u64::try_from(page.rows.len()).unwrap());
    items(page)
}

/// An idea in this status with rounds in these, and whether it waits.
async fn asked(w: &World, project: ProjectId, status: IdeaStatus, rounds: &[RoundStatus]) -> Uuid {
    let idea = w.put(Idea { status, ..w.new_idea(project) }).await.id;
    for (status, number) in rounds.iter().zip(1..) {
        w.put(Round { status: *status, ..w.new_round(idea, number) }).await;
    }
    idea.uuid()
}

pub async fn what_waits_for_people_is_found_by_its_state(store: &Shared) {
    let w = World::new(store).await;
    let (open, over) = (RoundStatus::PendingAnswers, RoundStatus::Answered);
    let mut answers = Vec::new();
    for rounds in [&[open][..], &[over, open], &[open, open]] {
        answers.push(asked(&w, w.project, IdeaStatus::Elaborating, rounds).await);
    }
    answers.push(asked(&w, w.project, IdeaStatus::Elaborated, &[over, open]).await);
    for (status, rounds) in
        [(IdeaStatus::Elaborating, &[][..]), (IdeaStatus::Elaborating, &[over]), (IdeaStatus::Elaborated, &[over])]
    {
        asked(&w, w.project, status, rounds).await;
    }
    let (mut reviews, mut verifications) = (Vec::new(), Vec::new());
    for status in ProposalStatus::ALL {
        let made = w.put(Proposal { status, ..w.new_proposal(w.project, &[]) }).await.id;
        reviews.extend((status == ProposalStatus::Pending).then_some(made.uuid()));
    }
    for status in TaskStatus::ALL {
        let assignee = w.held_by(Party::User(w.user));
        let made = w.put(Task { status, title: SCRIPTS.into(), assignee, ..w.new_task(w.project) }).await.id;
        verifications.extend((status == TaskStatus::ToVerify).then_some(made.uuid()));
    }
    for (for_what, expected) in
        [(WaitsFor::Answers, answers), (WaitsFor::Review, reviews), (WaitsFor::Verification, verifications)]
    {
        let found = waiting(&w, &w.scope(), for_what).await;
        assert_eq!(found.iter().map(|row| row.id).collect::<Vec<_>>(), expected, "{for_what:?}");
        assert!(found.iter().all(|row| row.project == w.project && row.project_name == "Project"));
    }
    let review = waiting(&w, &w.scope(), WaitsFor::Review).await.remove(0);
    assert_eq!(review.from, Some(w.by()), "whoever made it");
    let task = waiting(&w, &w.scope(), WaitsFor::Verification).await.remove(0);
    assert_eq!((task.from, task.title.as_str()), (Some(Party::User(w.user)), SCRIPTS), "whoever holds it");
}

pub async fn only_who_may_edit_is_waited_for(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    abroad.put(Task { status: TaskStatus::ToVerify, ..abroad.new_task(abroad.project) }).await;
    let group = w.put(Group { visibility: Visibility::Private, ..w.new_group() }).await.id;
    w.join_group(group, w.first, Role::Admin).await;
    let mut expected = Vec::new();
    for (local, edits) in
        [(None, false), (Some(Role::Viewer), false), (Some(Role::Editor), true), (Some(Role::Admin), true)]
    {
        let project = w.hidden_project().await;
        if let Some(role) = local {
            w.join(project, w.user, role).await;
        }
        let task = w.put(Task { status: TaskStatus::ToVerify, ..w.new_task(project) }).await.id;
        expected.extend(edits.then_some(task.uuid()));
    }
    let inside = Project { group: Some(group), visibility: Visibility::Private, ..w.new_project() };
    let inside = w.put(inside).await.id;
    let shared = w.put(Task { status: TaskStatus::ToVerify, ..w.new_task(inside) }).await.id.uuid();
    let ids = async |scope: Scope| {
        let found = waiting(&w, &scope, WaitsFor::Verification).await;
        found.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(w.scope()).await, expected);
    w.join_group(group, w.user, Role::Viewer).await;
    assert_eq!(ids(w.scope()).await, expected, "a viewer of the group reads");
    w.join_group(group, w.user, Role::Editor).await;
    expected.push(shared);
    assert_eq!(ids(w.scope()).await, expected);
    assert_eq!(ids(w.scope().narrowed(&[inside])).await, [shared]);
    assert!(ids(w.scope().narrowed(&[])).await.is_empty());
}

pub async fn what_waits_longest_comes_first_and_a_walk_meets_all(store: &Shared) {
    let w = World::new(store).await;
    let now = w.tick();
    let mut tasks: Vec<Task> = (0..7).map(|_| Task { status: TaskStatus::ToVerify, ..w.new_task(w.project) }).collect();
    // Some of one moment.
    for task in &mut tasks[2..5] {
        task.updated_at = now;
    }
    w.put_all(tasks.clone()).await;
    tasks.sort_by_key(|task| (task.updated_at, task.id));
    let expected: Vec<Uuid> = tasks.iter().map(|task| task.id.uuid()).collect();
    let mut reads = w.read().await;
    for rows in [1, 2, 3, 7] {
        let (mut walked, mut start) = (Vec::new(), Start::Page(1));
        loop {
            let request = PageRequest { start, size: size(rows) };
            let page = reads.waiting(&w.scope(), WaitsFor::Verification, &request).await.unwrap();
            assert_eq!(page.total, 7);
            walked.extend(page.rows.iter().map(|row| row.item.id));
            start = Start::After(page.rows.last().unwrap().at);
            if !page.more {
                break;
            }
        }
        assert_eq!(walked, expected, "by {rows}");
        let second = PageRequest { start: Start::Page(2), size: size(rows) };
        let second = reads.waiting(&w.scope(), WaitsFor::Verification, &second).await.unwrap();
        let by_number: Vec<Uuid> = second.rows.iter().map(|row| row.item.id).collect();
        let skipped = usize::try_from(rows).unwrap();
        let after: Vec<Uuid> = expected.iter().skip(skipped).take(skipped).copied().collect();
        assert_eq!((by_number, second.total), (after, 7));
    }
}

fn shown(found: &[ProjectProgress]) -> Vec<ProjectId> {
    found.iter().map(|row| row.project.id).collect()
}

pub async fn the_first_projects_of_each_group_are_found_at_once(store: &Shared) {
    let w = World::new(store).await;
    w.abroad().await;
    let (one, two, other) =
        (w.put(w.new_group()).await.id, w.put(w.new_group()).await.id, w.put(w.new_group()).await.id);
    let mut of = std::collections::BTreeMap::<_, Vec<ProjectId>>::from([(None, vec![w.project])]);
    for _ in 0..3 {
        for group in [Some(one), Some(two), Some(other), None] {
            let id = w.put(Project { group, ..w.new_project() }).await.id;
            of.entry(group).or_default().insert(0, id);
        }
        // What is hidden takes nobody's place.
        w.put(Project { group: Some(one), visibility: Visibility::Private, ..w.new_project() }).await;
    }
    let mut reads = w.read().await;
    let scope = w.scope();
    for each in [1, 2, 9] {
        let found = reads.project_heads(&scope, &[one, two], each).await.unwrap();
        assert!(found.is_sorted_by(|a, b| a.project.updated_at > b.project.updated_at));
        for group in [Some(one), Some(two), None] {
            let own: Vec<_> = found.iter().filter(|row| row.project.group == group).cloned().collect();
            let expected: Vec<_> = of[&group].iter().take(each as usize).copied().collect();
            assert_eq!(shown(&own), expected, "{each} of {group:?}");
        }
        assert!(found.iter().all(|row| row.project.group != Some(other)));
    }
    assert_eq!(shown(&reads.project_heads(&scope, &[], 9).await.unwrap()), of[&None]);
    for (within, expected) in [
        (ProjectsWithin::Group(other), of[&Some(other)].clone()),
        (ProjectsWithin::NoGroup, of[&None].clone()),
        (ProjectsWithin::Group(w.id()), Vec::new()),
    ] {
        let page = reads.projects_within(&scope, within, &WHOLE).await.unwrap();
        assert_eq!(page.total, u64::try_from(expected.len()).unwrap());
        assert_eq!(shown(&items(page)), expected, "{within:?}");
    }
    let second = PageRequest { start: Start::Page(2), size: size(5) };
    let page = reads.projects_within(&scope, ProjectsWithin::Everything, &second).await.unwrap();
    assert_eq!((page.rows.len(), page.total, page.more), (5, 13, true));
}

pub async fn a_projects_progress_counts_what_is_in_it(store: &Shared) {
    let w = World::new(store).await;
    w.put_all(TaskStatus::ALL.map(|status| Task { status, ..w.new_task(w.project) })).await;
    w.put_all((0..3).map(|_| w.new_idea(w.project))).await;
    w.put(w.new_proposal(w.project, &[])).await;
    w.put_all((0..2).map(|_| w.new_document(w.project))).await;
    let elsewhere = w.put(w.new_project()).await.id;
    w.put(w.new_task(elsewhere)).await;
    let found = w.read().await.project_heads(&w.scope(), &[], 9).await.unwrap();
    let counts = |row: &ProjectProgress| (row.ideas, row.proposals, row.documents, row.tasks, row.finished_tasks);
    assert_eq!(found.iter().map(counts).collect::<Vec<_>>(), [(0, 0, 0, 1, 0), (3, 1, 2, 6, 2)]);
}

pub async fn unread_mentions_are_told_apart(store: &Shared) {
    let w = World::new(store).await;
    let me = Party::User(w.user);
    let hidden = w.hidden_project().await;
    let told = |topic, project| Notification { topic, ..w.new_notification(me, project) };
    let (first, second) = (told(Topic::Mentioned, w.project), told(Topic::Mentioned, w.project));
    let read = Notification { read_at: Some(w.tick()), ..told(Topic::Mentioned, w.project) };
    let others = [told(Topic::CommentAdded, w.project), told(Topic::Mentioned, hidden), read];
    let theirs = Notification { topic: Topic::Mentioned, ..w.new_notification(Party::User(w.first), w.project) };
    w.notify([first.clone(), second.clone(), theirs]).await;
    w.notify(others).await;
    let mut reads = w.read().await;
    let digest = reads.unread_mentions(&w.scope(), me, 9).await.unwrap();
    assert_eq!(digest.unread, 2);
    let found: Vec<_> = digest.recent.iter().map(|told| told.id).collect();
    assert_eq!(found, [second.id, first.id]);
    let one = reads.unread_mentions(&w.scope(), me, 1).await.unwrap();
    assert_eq!((one.unread, one.recent.len()), (2, 1));
    assert_eq!(reads.unread_mentions(&w.scope(), w.by(), 9).await.unwrap().unread, 0);
}

pub async fn projects_at_hand_are_those_pinned_and_those_opened_last(store: &Shared) {
    let w = World::new(store).await;
    let (pinned, opened) = (w.put(w.new_project()).await.id, w.put(w.new_project()).await.id);
    let hidden = w.hidden_project().await;
    let visit = async |project: ProjectId, at: Timestamp| {
        let mut tx = w.begin().await;
        tx.note_project_visit(w.user, project, at).await.unwrap();
        tx.commit().await.unwrap();
    };
    let at_hand = async |limit: u32| {
        let found = w.read().await.at_hand(&w.scope(), w.user, limit).await.unwrap();
        found.into_iter().map(|found| (found.project.id, found.pinned)).collect::<Vec<_>>()
    };
    assert_eq!(at_hand(10).await, []);
    let (early, late) = (w.tick(), w.tick());
    visit(w.project, early).await;
    visit(opened, late).await;
    visit(hidden, w.tick()).await;
    assert_eq!(at_hand(10).await, [(opened, false), (w.project, false)], "and none that is hidden");
    // No clock goes back.
    visit(opened, early.plus_micros(-1)).await;
    assert_eq!(at_hand(1).await, [(opened, false)]);
    // What is pinned comes first, in the order in which it was.
    w.write([Write::PinProject(w.user, pinned, w.tick()), Write::PinProject(w.user, w.project, w.tick())]).await;
    w.write([Write::PinProject(w.user, pinned, w.tick())]).await;
    visit(pinned, w.tick()).await;
    assert_eq!(at_hand(10).await, [(pinned, true), (w.project, true), (opened, false)]);
    w.write([Write::UnpinProject(w.user, w.project), Write::UnpinProject(w.user, hidden)]).await;
    assert_eq!(at_hand(2).await, [(pinned, true), (opened, false)]);
    // Everybody has their own.
    assert_eq!(w.read().await.at_hand(&w.scope(), w.first, 10).await.unwrap(), []);
    w.write([Write::DeleteProjects(vec![pinned])]).await;
    assert_eq!(at_hand(10).await, [(opened, false), (w.project, false)]);
}
