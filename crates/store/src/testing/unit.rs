//! Units of work: all or nothing, and only where it was granted.

use std::time::Duration;

use chorus_domain::{
    Batch, Caller, Kind, Subject, Via, Write,
    access::{Demand, Granted, authorise},
    document::{Document, PastVersion},
    elaboration::Answer,
    idea::Idea,
    project::ProjectMember,
    proposal::Proposal,
    task::{Edge, Judgement, Task},
};
use chorus_ids::{AuditId, TaskId, Uuid};
use chorus_lifecycle::elaboration::RoundStatus;
use chorus_permissions::PermissionSet;
use chorus_visibility::{Need, Role, Visibility};
use tokio::sync::oneshot;

use super::world::{Shared, World, assert_discreet};
use crate::{AuditEntry, Error, Hold, Roots, Tx};

/// Where a test looks for traces of a unit: a row of every family.
struct Traces {
    batch: Batch,
    idea: Idea,
    task: Task,
    told: chorus_domain::notification::Notification,
}

impl Traces {
    fn new(w: &World) -> Self {
        let (idea, task) = (w.new_idea(w.project), w.new_task(w.project));
        let comment = w.new_comment(Kind::Task, task.id.uuid());
        let batch = Batch {
            writes: vec![Write::NewIdea(idea.clone()), Write::NewTasks(vec![task.clone()]), Write::NewComment(comment)],
            activities: vec![w.new_activity(w.project)],
            events: vec![w.new_event(w.project, Kind::Task, task.id.uuid())],
            notices: Vec::new(),
        };
        Self { batch, idea, task, told: w.new_notification(w.by(), w.project) }
    }

    async fn apply(&self, tx: &mut dyn Tx) {
        tx.apply(&Granted::operator(), &self.batch, std::slice::from_ref(&self.told)).await.unwrap();
    }

    /// How many of the four places that a reader can look into hold something.
    async fn found(&self, w: &World) -> usize {
        let (scope, mut reads) = (w.scope(), w.read().await);
        let counts = reads.project(&scope, w.project).await.unwrap().unwrap().counts;
        let found = [
            reads.idea(&scope, self.idea.id).await.unwrap().is_some(),
            reads.task_detail(&scope, self.task.id).await.unwrap().is_some_and(|detail| detail.comments == 1),
            counts.activities == 1,
            reads.unread(&scope, w.by(), 9).await.unwrap().unread == 1,
        ];
        found.into_iter().filter(|found| *found).count()
    }
}

pub async fn the_database_answers(store: &Shared) {
    store.ping().await.unwrap();
}

pub async fn a_committed_unit_keeps_everything(store: &Shared) {
    let w = World::new(store).await;
    let traces = Traces::new(&w);
    let mut tx = w.begin().await;
    traces.apply(&mut *tx).await;
    tx.commit().await.unwrap();
    assert_eq!(traces.found(&w).await, 4);
}

pub async fn a_unit_sees_its_own_writes_and_others_do_not(store: &Shared) {
    let w = World::new(store).await;
    let traces = Traces::new(&w);
    let mut tx = w.begin().await;
    traces.apply(&mut *tx).await;
    assert_eq!(tx.idea(&w.scope(), traces.idea.id).await.unwrap(), Some(traces.idea.clone()));
    assert_eq!(traces.found(&w).await, 0);
    tx.commit().await.unwrap();
}

pub async fn reads_see_what_is_committed_when_they_run(store: &Shared) {
    let w = World::new(store).await;
    let (scope, idea, mut reads) = (w.scope(), w.new_idea(w.project), w.read().await);
    assert_eq!(reads.idea(&scope, idea.id).await.unwrap(), None);
    let idea = w.put(idea).await;
    assert_eq!(reads.idea(&scope, idea.id).await.unwrap(), Some(idea));
}

pub async fn a_rolled_back_unit_keeps_nothing(store: &Shared) {
    let w = World::new(store).await;
    let traces = Traces::new(&w);
    let mut tx = w.begin().await;
    traces.apply(&mut *tx).await;
    tx.rollback().await.unwrap();
    assert_eq!(traces.found(&w).await, 0);
}

pub async fn dropped_units_keep_nothing_and_leave_the_store_usable(store: &Shared) {
    let w = World::new(store).await;
    let traces = Traces::new(&w);
    for _ in 0..40 {
        let mut tx = w.begin().await;
        traces.apply(&mut *tx).await;
        drop(tx);
    }
    assert_eq!(traces.found(&w).await, 0);
    w.apply_as(&Granted::operator(), &traces.batch, std::slice::from_ref(&traces.told)).await.unwrap();
    assert_eq!(traces.found(&w).await, 4);
}

pub async fn dropped_readers_give_their_connections_back(store: &Shared) {
    let w = World::new(store).await;
    for _ in 0..200 {
        assert!(w.read().await.project(&w.scope(), w.project).await.unwrap().is_some());
    }
}

pub async fn a_cancelled_unit_keeps_nothing(store: &Shared) {
    let w = World::new(store).await;
    let traces = Traces::new(&w);
    let (applied, mut tx) = (oneshot::channel(), w.begin().await);
    let (batch, told) = (traces.batch.clone(), traces.told.clone());
    let unit = tokio::spawn(async move {
        tx.apply(&Granted::operator(), &batch, &[told]).await.unwrap();
        applied.0.send(()).unwrap();
        std::future::pending::<()>().await;
        tx.commit().await
    });
    applied.1.await.unwrap();
    unit.abort();
    assert!(unit.await.unwrap_err().is_cancelled());
    assert_eq!(traces.found(&w).await, 0);
    w.put(traces.idea).await;
}

pub async fn a_unit_cancelled_anywhere_is_whole_or_absent(store: &Shared) {
    const TASKS: usize = 30;
    let w = World::new(store).await;
    for delay in 0..24 {
        let tasks: Vec<Task> = (0..TASKS).map(|_| w.new_task(w.project)).collect();
        let ids: Vec<TaskId> = tasks.iter().map(|task| task.id).collect();
        let store = store.clone();
        let unit = tokio::spawn(async move {
            let mut tx = store.begin().await?;
            for task in tasks {
                let batch = Batch { writes: vec![Write::NewTasks(vec![task])], ..Batch::default() };
                tx.apply(&Granted::operator(), &batch, &[]).await?;
            }
            tx.commit().await
        });
        tokio::time::sleep(Duration::from_millis(delay)).await;
        unit.abort();
        let ended = unit.await;
        // Nothing that the cancelled one held is in the way of the next.
        w.put(w.new_activity(w.project)).await;
        let kept = w.read().await.task_refs(&w.scope(), &ids).await.unwrap().len();
        match ended {
            Ok(done) => assert_eq!((done.is_ok(), kept), (true, TASKS)),
            Err(_) => assert!([0, TASKS].contains(&kept), "{kept} of {TASKS} tasks were kept"),
        }
    }
}

pub async fn a_panic_keeps_nothing(store: &Shared) {
    let w = World::new(store).await;
    let traces = Traces::new(&w);
    let (batch, told, mut tx) = (traces.batch.clone(), traces.told.clone(), w.begin().await);
    let unit = tokio::spawn(async move {
        tx.apply(&Granted::operator(), &batch, &[told]).await.unwrap();
        panic!("part of the test");
    });
    assert!(unit.await.unwrap_err().is_panic());
    assert_eq!(traces.found(&w).await, 0);
    w.put(traces.idea).await;
}

pub async fn a_failing_write_takes_those_before_it_with_it(store: &Shared) {
    let w = World::new(store).await;
    let taken = w.put(w.new_idea(w.project)).await;
    let mut traces = Traces::new(&w);
    traces.batch.writes.push(Write::NewIdea(taken.clone()));
    let error = w.apply_as(&Granted::operator(), &traces.batch, std::slice::from_ref(&traces.told)).await.unwrap_err();
    assert_discreet(&error);
    assert_eq!(traces.found(&w).await, 0);

    traces.batch.writes.pop();
    let mut tx = w.begin().await;
    traces.apply(&mut *tx).await;
    let late = Batch { writes: vec![Write::NewIdea(taken)], ..Batch::default() };
    assert_discreet(&tx.apply(&Granted::operator(), &late, &[]).await.unwrap_err());
    tx.rollback().await.unwrap();
    assert_eq!(traces.found(&w).await, 0);
}

pub async fn a_failing_activity_event_or_notification_takes_the_rows_with_it(store: &Shared) {
    let w = World::new(store).await;
    let (activity, event) = (w.new_activity(w.project), w.new_event(w.project, Kind::Project, w.project.uuid()));
    w.put(activity.clone()).await;
    w.put(event.clone()).await;
    let told = w.new_notification(w.by(), w.id());
    for fault in 0..3 {
        let idea = w.new_idea(w.project);
        let mut batch = Batch { writes: vec![Write::NewIdea(idea.clone())], ..Batch::default() };
        let mut notifications = Vec::new();
        match fault {
            0 => batch.activities.push(activity.clone()),
            1 => batch.events.push(event.clone()),
            _ => notifications.push(told.clone()),
        }
        let error = w.apply_as(&Granted::operator(), &batch, &notifications).await.unwrap_err();
        assert_discreet(&error);
        assert_eq!(w.read().await.idea(&w.scope(), idea.id).await.unwrap(), None, "fault {fault}");
    }
}

pub async fn commit_after_an_error_refuses(store: &Shared) {
    let w = World::new(store).await;
    let taken = w.put(w.new_idea(w.project)).await;
    let elsewhere = w.granted(&[]).await;
    let faults = [
        (Granted::operator(), Write::NewIdea(taken.clone())),
        (Granted::operator(), Write::SaveIdea(taken)),
        (elsewhere, Write::NewIdea(w.new_idea(w.project))),
    ];
    for (index, (granted, fault)) in faults.into_iter().enumerate() {
        let (mut tx, idea) = (w.begin().await, w.new_idea(w.project));
        let good = Batch { writes: vec![Write::NewIdea(idea.clone())], ..Batch::default() };
        tx.apply(&Granted::operator(), &good, &[]).await.unwrap();
        tx.apply(&granted, &Batch { writes: vec![fault], ..Batch::default() }, &[]).await.unwrap_err();
        assert!(tx.commit().await.is_err(), "commit after fault {index}");
        assert_eq!(w.read().await.idea(&w.scope(), idea.id).await.unwrap(), None, "fault {index}");
    }
}

pub async fn an_empty_batch_writes_nothing(store: &Shared) {
    let w = World::new(store).await;
    w.apply(Batch::default()).await.unwrap();
    let lists = [Write::NewTasks(vec![]), Write::NewDocuments(vec![]), Write::NewCriteria(vec![])];
    w.write(lists).await;
    w.write([Write::AddEdges(vec![]), Write::RemoveEdges(vec![]), Write::MarkRead(vec![], w.tick())]).await;
    w.write([Write::SetDevMarks(vec![]), Write::SetVerdicts(vec![])]).await;
    assert_eq!(w.read().await.project(&w.scope(), w.project).await.unwrap().unwrap().counts.tasks, 0);
}

async fn refuse_outside(w: &World, granted: &Granted, write: Write) {
    let batch = Batch { writes: vec![write.clone()], ..Batch::default() };
    let error = w.apply_as(granted, &batch, &[]).await.unwrap_err();
    assert!(matches!(error, Error::Internal(_)), "{error:?} for {write:?}");
}

pub async fn rows_outside_the_granted_projects_are_refused(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let granted = w.granted(&[other]).await;
    let idea = w.put(w.new_idea(w.project)).await;
    let proposal = w.put(w.new_proposal(w.project, &[])).await;
    let task = w.put(w.new_task(w.project)).await;
    let member =
        ProjectMember { project: w.project, user: w.user, role: Role::Admin, added_by: None, created_at: w.tick() };
    for write in [
        Write::NewIdea(w.new_idea(w.project)),
        Write::SaveIdea(Idea { version: 2, title: "Taken".into(), ..idea.clone() }),
        Write::NewProposal(w.new_proposal(w.project, &[])),
        Write::SaveProposal(Proposal { version: 2, title: "Taken".into(), ..proposal.clone() }),
        Write::NewDocuments(vec![w.new_document(other), w.new_document(w.project)]),
        Write::NewTasks(vec![w.new_task(other), w.new_task(w.project)]),
        Write::SaveTask(Task { version: 2, title: "Taken".into(), ..task.clone() }),
        Write::PutProjectMember(member),
    ] {
        refuse_outside(&w, &granted, write).await;
    }
    let counts = w.read().await.project(&w.scope(), w.project).await.unwrap().unwrap().counts;
    assert_eq!((counts.ideas, counts.proposals, counts.documents, counts.tasks), (1, 1, 0, 1));
    assert_eq!(w.read().await.idea(&w.scope(), idea.id).await.unwrap(), Some(idea));
    assert_eq!(w.read().await.proposal(&w.scope(), proposal.id).await.unwrap(), Some(proposal));
    assert_eq!(w.read().await.task(&w.scope(), task.id).await.unwrap(), Some(task));
}

pub async fn parts_of_things_outside_the_granted_projects_are_refused(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let granted = w.granted(&[other]).await;
    let idea = w.put(w.new_idea(w.project)).await;
    let round = w.put(w.new_round(idea.id, 1)).await;
    let proposal = w.put(w.new_proposal(w.project, &[])).await;
    let (one, two) = (w.put(w.new_task(w.project)).await, w.put(w.new_task(w.project)).await);
    let criterion = w.put(w.new_criterion(one.id, 0)).await;
    let elsewhere = w.put(w.new_idea(other)).await;
    let document = w.put(w.new_document(w.project)).await;
    let past = PastVersion {
        document: document.id,
        version: 1,
        title: "Then".into(),
        content: None,
        replaced_by: w.by(),
        replaced_at: w.tick(),
    };
    let edge = Edge { task: one.id, depends_on: two.id };
    let answer = Answer { option: Some("x".into()), text: None, at: w.tick(), by: w.by() };
    for write in [
        Write::NewRound(w.new_round(idea.id, 2)),
        Write::SetRoundStatus(round.id, RoundStatus::Answered),
        Write::PutAnswers(round.id, vec![("a".into(), answer)]),
        Write::AddDocumentDraft(proposal.id, w.new_document_draft()),
        Write::AddTaskDraft(proposal.id, w.new_task_draft()),
        Write::NewCriteria(vec![w.new_criterion(one.id, 1)]),
        Write::DropCriteria(one.id),
        Write::SetDevMarks(vec![(criterion.id, Judgement::PENDING)]),
        Write::SetVerdicts(vec![(criterion.id, Judgement::PENDING)]),
        Write::ResetMarks(one.id),
        Write::AddEdges(vec![edge]),
        Write::RemoveEdges(vec![edge]),
        Write::NewComment(w.new_comment(Kind::Task, one.id.uuid())),
        Write::DropIdea(idea.id, w.tick()),
        Write::DropTask(one.id),
        Write::DropDocuments(vec![document.id]),
        Write::DropProposal(proposal.id),
        Write::SaveDocument(Document { version: 2, ..document.clone() }),
        Write::SaveDocument(Document { version: 2, project: other, ..document.clone() }),
        Write::KeepVersion(past),
        Write::SaveDocumentDraft(proposal.id, w.new_document_draft()),
        Write::SaveTaskDraft(proposal.id, w.new_task_draft()),
        Write::SetDraftDependencies(proposal.id, vec![(w.id(), vec![])]),
        Write::DropDocumentDraft(proposal.id, w.id()),
        Write::DropTaskDraft(proposal.id, w.id()),
        Write::CloseTasksOf(proposal.id, other, w.tick()),
        Write::CloseTasksOf(proposal.id, w.project, w.tick()),
        Write::MoveAlong(idea.id, w.project, other, w.tick()),
        Write::MoveAlong(idea.id, other, w.project, w.tick()),
        Write::MoveAlong(elsewhere.id, other, w.project, w.tick()),
    ] {
        refuse_outside(&w, &granted, write).await;
    }
    let covered = w.granted(&[w.project]).await;
    let batch = Batch { writes: vec![Write::AddEdges(vec![edge]), Write::ResetMarks(one.id)], ..Batch::default() };
    w.apply_as(&covered, &batch, &[]).await.unwrap();
}

pub async fn the_stored_project_counts_not_the_one_in_the_row(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let granted = w.granted(&[other]).await;
    let idea = w.put(w.new_idea(w.project)).await;
    let task = w.put(w.new_task(w.project)).await;
    for write in [
        Write::SaveIdea(Idea { project: other, version: 2, ..idea.clone() }),
        Write::SaveTask(Task { project: other, version: 2, ..task.clone() }),
    ] {
        let batch = Batch { writes: vec![write], ..Batch::default() };
        w.apply_as(&granted, &batch, &[]).await.unwrap_err();
    }
    assert_eq!(w.read().await.idea(&w.scope(), idea.id).await.unwrap(), Some(idea));
    assert_eq!(w.read().await.task(&w.scope(), task.id).await.unwrap(), Some(task));
}

pub async fn a_project_made_in_a_batch_is_covered_by_it(store: &Shared) {
    let w = World::new(store).await;
    let project = chorus_domain::project::Project { visibility: Visibility::Private, ..w.new_project() };
    let (id, user) = (project.id, w.user);
    let member = ProjectMember { project: id, user, role: Role::Admin, added_by: None, created_at: w.tick() };
    let batch = Batch {
        writes: vec![Write::NewProject(project.clone()), Write::PutProjectMember(member)],
        activities: vec![w.new_activity(id)],
        events: vec![w.new_event(id, Kind::Project, id.uuid())],
        notices: Vec::new(),
    };
    let nothing = authorise(&w.principal(Some(user)), &[], &[]).unwrap();
    w.apply_as(&nothing, &batch, &[]).await.unwrap();
    let found = w.read().await.project(&w.scope(), id).await.unwrap().unwrap();
    assert_eq!((found.project, found.counts.activities), (project, 1));
}

pub async fn what_belongs_to_no_project_needs_no_grant(store: &Shared) {
    let w = World::new(store).await;
    w.notify([w.new_notification(w.by(), w.project)]).await;
    let id = w.read().await.unread(&w.scope(), w.by(), 1).await.unwrap().recent[0].id;
    let now = w.tick();
    let batch =
        Batch { writes: vec![Write::TouchAgent(w.agent, now), Write::MarkRead(vec![id], now)], ..Batch::default() };
    w.apply_as(&w.granted(&[]).await, &batch, &[]).await.unwrap();
    assert_eq!(w.read().await.unread(&w.scope(), w.by(), 1).await.unwrap().unread, 0);
    let profile = w.read().await.directory().profile(w.agent, now).await.unwrap().unwrap();
    assert_eq!(profile.agent.last_active_at, Some(now));
}

pub async fn a_stale_save_has_to_run_again(store: &Shared) {
    let w = World::new(store).await;
    let idea = w.put(Idea { version: 7, ..w.new_idea(w.project) }).await;
    let proposal = w.put(Proposal { version: 7, ..w.new_proposal(w.project, &[]) }).await;
    let task = w.put(Task { version: 7, ..w.new_task(w.project) }).await;
    let document = w.put(Document { version: 7, ..w.new_document(w.project) }).await;
    let (gone, lost, away) = (w.new_idea(w.project), w.new_proposal(w.project, &[]), w.new_task(w.project));
    let stale = [1, 6, 7, 9].into_iter().flat_map(|version| {
        [
            Write::SaveIdea(Idea { version, title: "Stale".into(), ..idea.clone() }),
            Write::SaveProposal(Proposal { version, title: "Stale".into(), ..proposal.clone() }),
            Write::SaveTask(Task { version, title: "Stale".into(), ..task.clone() }),
            Write::SaveDocument(Document { version, title: "Stale".into(), ..document.clone() }),
        ]
    });
    let missing = [
        Write::SaveIdea(Idea { version: 2, ..gone }),
        Write::SaveProposal(Proposal { version: 2, ..lost }),
        Write::SaveTask(Task { version: 2, ..away }),
    ];
    for write in stale.chain(missing) {
        let error = w.try_write([write.clone()]).await.unwrap_err();
        assert!(matches!(error, Error::Again(_)), "{error:?} for {write:?}");
    }
    assert_eq!(w.read().await.idea(&w.scope(), idea.id).await.unwrap(), Some(idea));
    assert_eq!(w.read().await.proposal(&w.scope(), proposal.id).await.unwrap(), Some(proposal));
    assert_eq!(w.read().await.task(&w.scope(), task.id).await.unwrap(), Some(task));
}

pub async fn a_unit_may_save_a_row_more_than_once(store: &Shared) {
    let w = World::new(store).await;
    let task = w.put(w.new_task(w.project)).await;
    let saved = |version| Task { version, title: format!("Title {version}"), ..task.clone() };
    w.write([Write::SaveTask(saved(2)), Write::SaveTask(saved(3))]).await;
    assert_eq!(w.read().await.task(&w.scope(), task.id).await.unwrap(), Some(saved(3)));
}

pub async fn locking_passes_over_rows_that_do_not_exist(store: &Shared) {
    const LOCKABLE: [Kind; 6] = [Kind::Group, Kind::Project, Kind::Idea, Kind::Proposal, Kind::Document, Kind::Task];
    let w = World::new(store).await;
    let mut roots = Roots::default();
    for (kind, hold) in LOCKABLE.into_iter().zip([Hold::Share, Hold::Own, Hold::Remove].into_iter().cycle()) {
        roots.add(kind, w.id::<TaskId>().uuid(), hold);
    }
    roots.add(Kind::Project, w.project.uuid(), Hold::Own);
    let mut tx = w.begin().await;
    tx.lock(&Roots::default()).await.unwrap();
    tx.lock(&roots).await.unwrap();
    tx.commit().await.unwrap();
}

pub async fn audit_rows_are_part_of_the_unit(store: &Shared) {
    let w = World::new(store).await;
    let entry = |id: AuditId, subject, via| AuditEntry {
        id,
        caller: Caller {
            subject,
            via,
            company: w.company,
            name: "Caller".into(),
            owner: Some(w.user),
            principal: w.principal(Some(w.user)),
            permissions: PermissionSet::ALL,
        },
        surface: "chorus",
        operation: "chorus_update_task",
        entities: vec![(Kind::Task, w.id::<TaskId>().uuid()), (Kind::Project, w.project.uuid())],
        at: w.tick(),
    };
    let callers = [
        (Subject::Agent(w.agent), Via::Key),
        (Subject::User(w.user), Via::Browser),
        (Subject::User(w.user), Via::Token),
        (Subject::Operator, Via::CommandLine),
    ];
    for (subject, via) in callers {
        // An id that is taken is refused, which shows whether the row is there.
        let id = w.id();
        let mut lost = w.begin().await;
        lost.audit(&entry(id, subject, via)).await.unwrap();
        lost.rollback().await.unwrap();
        let mut kept = w.begin().await;
        kept.audit(&entry(id, subject, via)).await.unwrap();
        kept.commit().await.unwrap();
        let mut twice = w.begin().await;
        assert_discreet(&twice.audit(&entry(id, subject, via)).await.unwrap_err());
        assert!(twice.commit().await.is_err(), "{via:?}");
    }
}

pub async fn a_demand_on_what_a_unit_wrote_is_decided_inside_it(store: &Shared) {
    let w = World::new(store).await;
    let (idea, principal) = (w.new_idea(w.project), w.principal(Some(w.user)));
    let mut tx = w.begin().await;
    let batch = Batch { writes: vec![Write::NewIdea(idea.clone())], ..Batch::default() };
    tx.apply(&Granted::operator(), &batch, &[]).await.unwrap();
    let thing: (Kind, Uuid) = (Kind::Idea, idea.id.uuid());
    let located = tx.directory().locate(&principal, &[thing]).await.unwrap();
    let demand = Demand { kind: thing.0, id: thing.1, need: Need::Editor, inside: Some(w.project) };
    assert!(authorise(&principal, &[demand], &located).unwrap().covers(w.project));
    tx.rollback().await.unwrap();
}
