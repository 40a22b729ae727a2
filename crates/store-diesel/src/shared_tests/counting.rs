//! How many statements an operation takes: they cost more than what they do.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use chorus_domain::{
    Batch, Kind, Party, Subject, Write,
    access::{Demand, Granted, authorise},
    activity::{Action, Activity},
    identity::Agent,
    notification::{Notification, Preference, Recipient, Topic},
    session::{Checkin, Session},
    task::{Criterion, Edge, Judgement, Task},
};
use chorus_ids::{ActivityId, AgentId, CheckinId, CriterionId, NotificationId, PageSize, SessionId};
use chorus_lifecycle::{
    criterion::Mark,
    session::SessionStatus,
    task::{Priority, TaskStatus},
};
use chorus_store::{
    Accounts as _, Directory as _, Notifications as _, PageRequest, People as _, Projects as _, ReadState,
    Sessions as _, Span, TaskFilter, Tasks as _, Tx as _,
};
use chorus_visibility::{Need, Principal, Restriction, Scope, scope};
use diesel::connection::InstrumentationEvent;

use super::*;

const TASK: TaskId = TaskId::from_u128(1);
const PRINCIPAL: Principal = Principal { company: COMPANY, user: Some(USER), first_user: Some(USER) };

/// Counts the statements of a unit from now on.
fn watch(unit: &mut Unit) -> Arc<AtomicUsize> {
    let statements = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&statements);
    harness::watch(unit.conn(), move |event: InstrumentationEvent<'_>| {
        if matches!(event, InstrumentationEvent::StartQuery { .. }) {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    statements
}

macro_rules! check {
    ($statements:ident, $at_most:literal, $operation:expr) => {{
        $statements.store(0, Ordering::Relaxed);
        let answer = $operation.await.unwrap();
        // By its full name: diesel's `load` would take the method call.
        let taken = AtomicUsize::load(&$statements, Ordering::Relaxed);
        assert!((1..=$at_most).contains(&taken), "{}: {taken} statements", stringify!($operation));
        answer
    }};
}

fn own() -> Scope {
    scope(&PRINCIPAL, Restriction::Everything)
}

fn new_task(id: u128) -> Task {
    Task {
        id: TaskId::from_u128(id),
        company: COMPANY,
        project: PROJECT,
        title: "Task".into(),
        description: None,
        status: TaskStatus::Open,
        priority: Priority::Medium,
        story_points: None,
        assignee: None,
        proposal: None,
        created_by: Party::User(USER),
        version: 1,
        created_at: NOW,
        updated_at: NOW,
    }
}

fn new_criterion(id: u128) -> Criterion {
    Criterion {
        id: CriterionId::from_u128(id),
        task: TASK,
        description: "It works".into(),
        required: true,
        dev: Judgement::PENDING,
        verdict: Judgement::PENDING,
        position: 0,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_take_few_statements_whatever_they_find() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    for id in 1..=4 {
        task(unit.conn(), TaskId::from_u128(id), PROJECT, "low").await.unwrap();
    }
    let edge = |task, depends_on| Edge { task: TaskId::from_u128(task), depends_on: TaskId::from_u128(depends_on) };
    let writes = vec![
        Write::AddEdges(vec![edge(1, 2), edge(2, 3), edge(4, 1)]),
        Write::NewCriteria((1..=3).map(new_criterion).collect()),
    ];
    unit.apply(&Granted::operator(), &Batch { writes, ..Batch::default() }, &[]).await.unwrap();

    let (scope, page) = (own(), PageRequest::first(PageSize::DEFAULT));
    let statements = watch(&mut unit);
    let detail = check!(statements, 2, unit.task_detail(&scope, TASK)).unwrap();
    assert_eq!((detail.criteria.len(), detail.depends_on.visible.len(), detail.depended_by.visible.len()), (3, 1, 1));
    assert_eq!(check!(statements, 1, unit.tasks(&scope, PROJECT, &TaskFilter::default(), &page)).total, 4);
    assert_eq!(check!(statements, 1, unit.projects(&scope, &page)).total, 2);
    assert!(check!(statements, 1, unit.project(&scope, PROJECT)).is_some());
    let parties = [Party::User(USER), Party::Agent(AgentId::from_u128(1))];
    assert_eq!(check!(statements, 1, unit.names(&scope, &parties)).len(), 1);
    assert_eq!(check!(statements, 1, unit.credential("no key")), None);
    assert_eq!(check!(statements, 1, unit.visitor("no token")), None);
    assert_eq!(check!(statements, 1, unit.claimants("nobody@example.com")), []);
    assert_eq!(check!(statements, 1, unit.link("no token")), None);
    assert_eq!(check!(statements, 1, unit.dependants(&[TASK, TaskId::from_u128(2)])).len(), 2);
    assert_eq!(check!(statements, 1, unit.edges_below(&[TaskId::from_u128(4)])).len(), 3);
    let things: Vec<_> = (1..=4).map(|id| (Kind::Task, Uuid::from_u128(id))).collect();
    assert_eq!(check!(statements, 1, unit.locate(&PRINCIPAL, &things)).len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_and_notifications_take_few_statements_whatever_they_find() {
    const AGENT: AgentId = AgentId::from_u128(0xD1);
    const SESSION: SessionId = SessionId::from_u128(0xD2);
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    let agent = Agent {
        id: AGENT,
        company: COMPANY,
        name: "Agent".into(),
        roles: Vec::new(),
        permissions: Vec::new(),
        persona: None,
        system_prompt: None,
        owner: Some(USER),
        last_active_at: None,
        created_at: NOW,
    };
    let session = Session {
        id: SESSION,
        company: COMPANY,
        agent: AGENT,
        name: "Session".into(),
        description: None,
        status: SessionStatus::Active,
        last_active_at: NOW,
        created_at: NOW,
        updated_at: NOW,
    };
    let mut writes =
        vec![Write::NewAgent(agent), Write::NewSession(session), Write::NewTasks((1..=3).map(new_task).collect())];
    writes.extend((1..=3).map(|id| {
        let (id, task) = (CheckinId::from_u128(id), TaskId::from_u128(id));
        Write::PutCheckin(Checkin { id, session: SESSION, task, at: NOW })
    }));
    let told: Vec<_> = (1..=30).map(|id| notification(id, Topic::Mentioned)).collect();
    unit.apply(&Granted::operator(), &Batch { writes, ..Batch::default() }, &told).await.unwrap();

    let (scope, page, me) = (own(), PageRequest::first(PageSize::DEFAULT), Party::User(USER));
    let span = Span { after: None, skip: 0, size: PageSize::DEFAULT };
    let tasks = [1, 2, 3].map(TaskId::from_u128);
    let before = NOW.plus_micros(-1);
    let statements = watch(&mut unit);
    assert!(check!(statements, 1, unit.session(&scope, AGENT, SESSION)).is_some());
    assert_eq!(check!(statements, 1, unit.sessions(&scope, AGENT, None, &page)).total, 1);
    assert_eq!(check!(statements, 1, unit.checkins(&scope, SESSION)).len(), 3);
    assert_eq!(check!(statements, 1, unit.workers(&scope, &tasks, before)).len(), 3);
    assert_eq!(check!(statements, 1, unit.tasks_of_session(AGENT, SESSION)).len(), 3);
    assert_eq!(check!(statements, 1, unit.profile(AGENT, before)).map(|found| found.active_sessions), Some(1));
    assert_eq!(check!(statements, 1, unit.unread(&scope, me, 5)).unread, 30);
    assert_eq!(check!(statements, 1, unit.notifications(&scope, me, ReadState::Unread, &span)).unread, 30);
    assert_eq!(check!(statements, 2, unit.notifications(&scope, me, ReadState::All, &span)).page.total, 30);
    assert_eq!(check!(statements, 1, unit.notification(&scope, me, NotificationId::from_u128(404))), None);
    assert!(check!(statements, 1, unit.muted(&scope, me)).is_empty());
    let about = (Kind::Project, PROJECT.uuid());
    assert!(check!(statements, 1, unit.exchanges(AGENT, &[AgentId::from_u128(1)], about, before)).is_empty());
    let everything = Batch { writes: vec![Write::MarkAllRead(me, own(), NOW)], ..Batch::default() };
    check!(statements, 1, unit.apply(&Granted::operator(), &everything, &[]));
    assert_eq!(unit.unread(&scope, me, 5).await.unwrap().unread, 0);
}

fn notification(id: u128, topic: Topic) -> Notification {
    Notification {
        id: NotificationId::from_u128(id),
        company: COMPANY,
        recipient: Party::User(USER),
        project: Some(PROJECT),
        project_name: "Project".into(),
        entity: Kind::Task,
        entity_id: Uuid::from_u128(id % 50),
        entity_title: "Task".into(),
        topic,
        message: "You got a task".into(),
        actor: Subject::Operator,
        actor_name: "Operator".into(),
        count: 1,
        read_at: None,
        archived_at: None,
        created_at: NOW,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_audience_takes_two_statements_and_knows_what_was_muted() {
    use schema::{agent, notification_preference as preference};
    const AGENT: AgentId = AgentId::from_u128(0xD1);
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    let row = (
        agent::id.eq(Val(AGENT)),
        agent::company_id.eq(Val(COMPANY)),
        agent::name.eq("Agent"),
        agent::owner_id.eq(Some(Val(USER))),
        agent::created_at.eq(Val(NOW)),
    );
    diesel::insert_into(agent::table).values(row).execute(unit.conn()).await.unwrap();
    let row = (
        preference::owner_type.eq(Val("user")),
        preference::owner_id.eq(Val(USER)),
        preference::company_id.eq(Val(COMPANY)),
        preference::comment_added.eq(false),
        preference::mentioned.eq(false),
        preference::created_at.eq(Val(NOW)),
        preference::updated_at.eq(Val(NOW)),
    );
    diesel::insert_into(preference::table).values(row).execute(unit.conn()).await.unwrap();

    let agent = Party::Agent(AGENT);
    let recipients = [Recipient::Party(agent), Recipient::OwnerOf(agent), Recipient::ProjectAdmins];
    let statements = watch(&mut unit);
    let audience = check!(statements, 2, unit.audience(PROJECT, &recipients));
    let muted = vec![Preference::CommentAdded, Preference::Mentioned];
    let mut found: Vec<_> = audience.into_iter().map(|(who, told)| (who, told.party, told.muted)).collect();
    found.sort();
    let mut expected = vec![
        (Recipient::Party(agent), agent, vec![]),
        (Recipient::OwnerOf(agent), Party::User(USER), muted.clone()),
        (Recipient::ProjectAdmins, Party::User(USER), muted),
    ];
    expected.sort();
    assert_eq!(found, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_rows_is_one_statement() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    let thing = (Kind::Project, PROJECT.uuid());
    let located = unit.locate(&PRINCIPAL, &[thing]).await.unwrap();
    let demand = Demand { kind: thing.0, id: thing.1, need: Need::Editor, inside: None };
    let granted = authorise(&PRINCIPAL, &[demand], &located).unwrap();
    let edges: Vec<_> = (2..=200).map(|id| Edge { task: TaskId::from_u128(id), depends_on: TASK }).collect();
    let batch = Batch {
        writes: vec![
            Write::NewTasks((1..=200).map(new_task).collect()),
            Write::NewCriteria((1..=300).map(new_criterion).collect()),
            Write::AddEdges(edges.clone()),
        ],
        activities: (1..=200)
            .map(|id| Activity {
                id: ActivityId::from_u128(id),
                company: COMPANY,
                project: PROJECT,
                target: Kind::Task,
                target_id: Uuid::from_u128(id),
                target_title: "Task".into(),
                actor: Subject::User(USER),
                action: Action::Created,
                value: None,
                session: None,
                created_at: NOW,
            })
            .collect(),
        ..Batch::default()
    };
    let told: Vec<_> = (1..=200).map(|id| notification(id, Topic::TaskAssigned)).collect();
    let statements = watch(&mut unit);
    // Three lists, the words of the tasks, activities, notifications. What the batch makes need not be looked up.
    check!(statements, 6, unit.apply(&granted, &batch, &told));
    let passed = Judgement { mark: Mark::Passed, evidence: None, by: Some((Party::User(USER), NOW)) };
    let marks = (1..=300).map(|id| (CriterionId::from_u128(id), passed.clone())).collect();
    let later = vec![Write::SetVerdicts(marks), Write::RemoveEdges(edges)];
    // One look where the things are, and one statement for each list.
    check!(statements, 3, unit.apply(&granted, &Batch { writes: later, ..Batch::default() }, &[]));
    unit.commit().await.unwrap();
}
