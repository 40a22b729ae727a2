//! Who can be mentioned: agents at work come first. In how many statements mentions and references are kept.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use chorus_domain::{
    Batch, Kind, Party, Subject, Write,
    access::{Demand, authorise},
    mention::Mention,
    reference::Reference,
};
use chorus_ids::{AgentId, MentionId, ReferenceId, SessionId};
use chorus_lifecycle::reference::ReferenceType;
use chorus_store::{Directory as _, Mentionable, Mentionables, People as _, References as _, Tx as _};
use chorus_visibility::{Need, Principal, Restriction, Scope, scope};
use diesel::connection::InstrumentationEvent;

use super::*;

const PRINCIPAL: Principal = Principal { company: COMPANY, user: Some(USER), first_user: Some(USER) };
const HOUR: i64 = 3_600_000_000;

async fn agent(conn: &mut Conn, id: u128, name: &str) {
    use schema::agent as t;
    let row = (
        t::id.eq(Val(AgentId::from_u128(id))),
        t::company_id.eq(Val(COMPANY)),
        t::name.eq(name),
        t::name_key.eq(name),
        t::owner_id.eq(Some(Val(USER))),
        t::created_at.eq(Val(NOW.plus_micros(i64::try_from(id).unwrap()))),
    );
    diesel::insert_into(t::table).values(row).execute(conn).await.unwrap();
}

async fn session(conn: &mut Conn, id: u128, agent: u128, status: &'static str, ago: i64) {
    use schema::agent_session as t;
    let row = (
        t::id.eq(Val(SessionId::from_u128(id))),
        t::company_id.eq(Val(COMPANY)),
        t::agent_id.eq(Val(AgentId::from_u128(agent))),
        t::name.eq("Session"),
        t::status.eq(Val(status)),
        t::last_active_at.eq(Val(NOW.plus_micros(-ago))),
        t::created_at.eq(Val(NOW)),
        t::updated_at.eq(Val(NOW)),
    );
    diesel::insert_into(t::table).values(row).execute(conn).await.unwrap();
}

fn own() -> Scope {
    scope(&PRINCIPAL, Restriction::Everything)
}

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

fn taken(statements: &AtomicUsize) -> usize {
    AtomicUsize::swap(statements, 0, Ordering::Relaxed)
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_at_work_come_first_and_the_least_busy_before_others() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    for (id, name) in [(1, "robot a"), (2, "robot b"), (3, "robot c"), (4, "robot d")] {
        agent(unit.conn(), id, name).await;
    }
    session(unit.conn(), 1, 2, "active", 0).await;
    session(unit.conn(), 2, 2, "active", HOUR).await;
    session(unit.conn(), 3, 4, "active", HOUR - 1).await;
    // Neither a closed session nor one that did nothing for an hour counts.
    session(unit.conn(), 4, 4, "closed", 0).await;
    session(unit.conn(), 5, 1, "active", HOUR + 1).await;
    let wanted = |piece: Option<&str>| Mentionables {
        piece: piece.map(Into::into),
        seeing: Some(PROJECT),
        active_since: NOW.plus_micros(-HOUR),
        limit: 10,
    };
    let ranked = |found: Vec<Mentionable>| -> Vec<(String, u32)> {
        found.into_iter().map(|found| (found.name, found.active)).collect()
    };
    let expected = [("robot d", 1), ("robot b", 2), ("robot a", 0), ("robot c", 0)];
    let expected: Vec<_> = expected.map(|(name, active)| (name.to_owned(), active)).into();
    let statements = watch(&mut unit);
    assert_eq!(ranked(unit.mentionables(&own(), &wanted(Some("robot"))).await.unwrap()), expected);
    assert_eq!(taken(&statements), 2);
    assert_eq!(ranked(unit.mentionables(&own(), &wanted(None)).await.unwrap()), expected);
    assert_eq!(taken(&statements), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_of_references_and_mentions_are_one_statement_each() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    task(unit.conn(), TaskId::from_u128(7), PROJECT, "low").await.unwrap();
    let task = Uuid::from_u128(7);
    let demand = Demand { kind: Kind::Task, id: task, need: Need::Editor, inside: None };
    let located = unit.locate(&PRINCIPAL, &[(Kind::Task, task)]).await.unwrap();
    let granted = authorise(&PRINCIPAL, &[demand], &located).unwrap();
    let references = (1..=200).map(|id| Reference {
        id: ReferenceId::from_u128(id),
        company: COMPANY,
        target: Kind::Task,
        target_id: task,
        kind: ReferenceType::Repo,
        url: "https://example.invalid".into(),
        title: "Reference".into(),
        notes: None,
        created_by: Party::User(USER),
        created_at: NOW,
        updated_at: NOW,
    });
    let mentions = (1..=200).map(|id| Mention {
        id: MentionId::from_u128(id),
        company: COMPANY,
        source: Kind::Task,
        source_id: task,
        mentioned: Party::User(USER),
        actor: Subject::Operator,
        created_at: NOW,
    });
    let writes = vec![Write::NewReferences(references.collect()), Write::NewMentions(mentions.collect())];
    let statements = watch(&mut unit);
    unit.apply(&granted, &Batch { writes, ..Batch::default() }, &[]).await.unwrap();
    assert_eq!(taken(&statements), 2);
    assert_eq!(unit.references(&own(), Kind::Task, task).await.unwrap().len(), 200);
    assert_eq!(taken(&statements), 1);
}
