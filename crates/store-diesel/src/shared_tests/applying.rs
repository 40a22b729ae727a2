//! What a batch writes, and what it refuses.

use chorus_domain::{
    Batch, Code, Kind, Party, Subject, Write,
    access::{Demand, Granted, authorise},
    comment::Comment,
    event::{Change, Event},
    identity::User,
    task::{Edge, Task},
};
use chorus_ids::{CommentId, EventId};
use chorus_lifecycle::task::{Priority, TaskStatus};
use chorus_store::{Directory as _, Error, Result, Tx as _};
use chorus_visibility::{Need, Principal};

use super::*;

fn event(id: u128, entity: u128) -> Event {
    Event {
        id: EventId::from_u128(id),
        company: COMPANY,
        project: Some(PROJECT),
        entity: Kind::Task,
        entity_id: Uuid::from_u128(entity),
        change: Change::Updated,
        actor: Subject::User(USER),
        created_at: NOW,
    }
}

fn new_task(id: u128, project: ProjectId) -> Task {
    Task {
        id: TaskId::from_u128(id),
        company: COMPANY,
        project,
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

fn comment(target: Kind, target_id: Uuid) -> Write {
    Write::NewComment(Comment {
        id: CommentId::from_u128(1),
        company: COMPANY,
        target,
        target_id,
        content: "Comment".into(),
        author: Party::User(USER),
        created_at: NOW,
    })
}

async fn apply(backend: &Backend, granted: &Granted, batch: Batch) -> Result<()> {
    let mut unit = backend.begin().await?;
    match unit.apply(granted, &batch, &[]).await {
        Ok(()) => unit.commit().await,
        Err(error) => unit.rollback().await.and(Err(error)),
    }
}

async fn write(backend: &Backend, granted: &Granted, write: Write) -> Result<()> {
    apply(backend, granted, Batch { writes: vec![write], ..Batch::default() }).await
}

async fn record(backend: &Backend, events: impl IntoIterator<Item = Event>) -> Result<()> {
    apply(backend, &Granted::operator(), Batch { events: events.into_iter().collect(), ..Batch::default() }).await
}

/// What the public project grants to its company's user.
async fn granted(backend: &Backend) -> Granted {
    let principal = Principal { company: COMPANY, user: Some(USER), first_user: Some(USER) };
    let thing = (Kind::Project, PROJECT.uuid());
    let located = backend.read().await.unwrap().locate(&principal, &[thing]).await.unwrap();
    let demand = Demand { kind: thing.0, id: thing.1, need: Need::Editor, inside: None };
    authorise(&principal, &[demand], &located).unwrap()
}

/// The ids of an entity's events with their numbers, by number.
async fn numbers(backend: &Backend, entity: u128) -> Vec<(u128, i64)> {
    use schema::event as t;
    let mut unit = backend.read().await.unwrap();
    let found = t::table
        .filter(t::entity_id.eq(Val(Uuid::from_u128(entity))))
        .order(t::seq)
        .select((t::id, t::seq))
        .load::<(EventId, i64)>(unit.conn())
        .await
        .unwrap();
    found.into_iter().map(|(id, seq)| (id.uuid().as_u128(), seq)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_an_entity_are_numbered_without_gaps_in_their_order() {
    let (_db, backend) = inhabited().await;
    record(&backend, [event(9, 1), event(3, 2), event(5, 1), event(4, 1)]).await.unwrap();
    record(&backend, [event(2, 2), event(1, 1)]).await.unwrap();
    record(&backend, [Event { change: Change::Created, ..event(8, 1) }]).await.unwrap();
    assert_eq!(numbers(&backend, 1).await, [(9, 1), (5, 2), (4, 3), (1, 4), (8, 5)]);
    assert_eq!(numbers(&backend, 2).await, [(3, 1), (2, 2)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_need_more_than_one_statement_are_numbered_on() {
    let (_db, backend) = inhabited().await;
    record(&backend, (1..=2_001).map(|id| event(id, 1))).await.unwrap();
    let expected: Vec<_> = (1..=2_001).map(|id| (id, i64::try_from(id).unwrap())).collect();
    assert_eq!(numbers(&backend, 1).await, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn simultaneous_events_of_entities_that_nobody_owns_wait_for_each_other() {
    const UNITS: u128 = 16;
    let (_db, backend) = inhabited().await;
    let backend = std::sync::Arc::new(backend);
    let units: Vec<_> = (1..=UNITS)
        .map(|unit| {
            let backend = std::sync::Arc::clone(&backend);
            // In opposite orders, which must not lock each other out.
            let mut events = [event(2 * unit, 1), event(2 * unit + 1, 2)];
            events.rotate_left((unit % 2) as usize);
            tokio::spawn(async move { record(&backend, events).await })
        })
        .collect();
    for unit in units {
        unit.await.unwrap().unwrap();
    }
    for entity in [1, 2] {
        let numbers: Vec<_> = numbers(&backend, entity).await.into_iter().map(|(_, seq)| seq).collect();
        assert!(numbers.into_iter().eq(1..=16), "entity {entity}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_on_what_is_not_granted_or_not_there_is_refused() {
    let (_db, backend) = inhabited().await;
    let granted = granted(&backend).await;
    let tasks = vec![new_task(1, PROJECT), new_task(2, OTHER_PROJECT)];
    write(&backend, &Granted::operator(), Write::NewTasks(tasks)).await.unwrap();
    for target in [2, 3] {
        let refused = write(&backend, &granted, comment(Kind::Task, Uuid::from_u128(target))).await.unwrap_err();
        assert!(matches!(refused, Error::Internal(_)), "{refused:?}");
    }
    write(&backend, &granted, comment(Kind::Task, Uuid::from_u128(1))).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_of_what_a_batch_makes_belong_to_it() {
    let (_db, backend) = inhabited().await;
    let edge = Edge { task: TaskId::from_u128(1), depends_on: TaskId::from_u128(2) };
    let writes = vec![Write::NewTasks(vec![new_task(1, PROJECT), new_task(2, PROJECT)]), Write::AddEdges(vec![edge])];
    let granted = granted(&backend).await;
    apply(&backend, &granted, Batch { writes, ..Batch::default() }).await.unwrap();
    let edges = backend.read().await.unwrap().edges_below(&[edge.task]).await.unwrap();
    assert_eq!(edges, [edge]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_violation_that_a_caller_can_cause_names_the_field() {
    let (_db, backend) = inhabited().await;
    let user = |id, email: &str| {
        let (email, name) = (Some(email.to_owned()), Some("Ada".into()));
        User {
            id: UserId::from_u128(id),
            company: COMPANY,
            email,
            name,
            password_hash: None,
            suspended_at: None,
            created_at: NOW,
        }
    };
    write(&backend, &Granted::operator(), Write::NewUser(user(1, "ada@example.invalid"))).await.unwrap();
    for (refused, field) in [
        (Write::NewUser(user(2, "ADA@example.invalid")), "email"),
        (Write::NewTasks(vec![Task { title: " ".into(), ..new_task(1, PROJECT) }]), "title"),
        (Write::NewTasks(vec![Task { story_points: Some(1_001.0), ..new_task(1, PROJECT) }]), "storyPoints"),
    ] {
        let error = write(&backend, &Granted::operator(), refused).await.unwrap_err();
        let refusal = error.refusal().unwrap();
        assert_eq!(refusal.code, Code::InvalidArguments);
        assert_eq!(refusal.details.as_ref().unwrap()["problems"][0]["field"], field);
    }
}
