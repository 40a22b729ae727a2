//! The index of words: it answers by its plans, goes with what it stands for, and can be made anew.

use chorus_domain::{
    Batch, Kind, Party, Write,
    access::Granted,
    search::{Query as Words, SEARCHED},
    task::Task,
};
use chorus_lifecycle::task::{Priority, TaskStatus};
use chorus_store::{Ground, Search as _, Tasks as _, Tx as _, Within};
use chorus_visibility::{Principal, Restriction, Scope, scope};
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel_async::SimpleAsyncConnection;

use super::{
    super::{
        Db,
        search::{Beside, Best, Between, ById, Count},
        search_index::{entries, put},
    },
    *,
};
use crate::{migrate, reindex};

pub(super) fn everything() -> Scope {
    scope(&Principal { company: COMPANY, user: Some(USER), first_user: Some(USER) }, Restriction::Everything)
}

pub(super) fn everywhere() -> Ground {
    Ground { within: Within::Everything, kinds: SEARCHED.to_vec() }
}

pub(super) fn new_task(id: u128, title: String, text: String) -> Task {
    Task {
        id: TaskId::from_u128(id),
        company: COMPANY,
        project: PROJECT,
        title,
        description: Some(text),
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

/// A database with so many tasks; each has a word of its own and some of many others, and all have `common`.
async fn filled(tasks: u128) -> (TestDb, Backend) {
    let (db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    let others = |id| (0..60).map(|nth| format!("w{} ", (id * 7 + nth * 13) % 2_000)).collect::<String>();
    let text = |id| format!("common 数据库 {}{}", others(id), "filler ".repeat(180));
    let task = |id| new_task(id, format!("Task own{id}own"), text(id));
    let writes = vec![Write::NewTasks((1..=tasks).map(task).collect())];
    unit.apply(&Granted::operator(), &Batch { writes, ..Batch::default() }, &[]).await.unwrap();
    unit.commit().await.unwrap();
    (db, backend)
}

async fn found(backend: &Backend, query: &str) -> u64 {
    let mut unit = backend.read().await.unwrap();
    unit.matches(&everything(), &everywhere(), &Words::new(query)).await.unwrap().counts.values().sum()
}

/// Asks for the plan of a statement.
pub(super) struct Explain<Q>(pub(super) Q);

impl<Q> Query for Explain<Q> {
    type SqlType = harness::PlanSql;
}
impl<Q> QueryId for Explain<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<Q: QueryFragment<Db>> QueryFragment<Db> for Explain<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(harness::EXPLAIN);
        self.0.walk_ast(out)
    }
}

macro_rules! plan {
    ($unit:expr, $statement:expr) => {{
        let rows: Vec<harness::PlanRow> = $unit.rows(Explain($statement)).await.unwrap();
        rows.into_iter().map(harness::step).collect::<Vec<_>>()
    }};
}

pub(super) use plan;

#[tokio::test(flavor = "multi_thread")]
async fn every_search_is_answered_from_an_index() {
    let (_db, backend) = filled(3_000).await;
    harness::analyze(&backend).await;
    let mut unit = backend.read().await.unwrap();
    let (scope, ground) = (everything(), everywhere());
    for (query, looks) in [("own2321own", 2), ("own17own w555", 5), ("own1own own2own own3own", 7)] {
        let words = Words::new(query);
        let steps = plan!(unit, Best::of(&scope, &ground, words.terms()));
        harness::check_plan(&steps, looks);
        let steps = plan!(unit, Count::of(&scope, &ground, words.terms()));
        harness::check_plan(&steps, 1);
    }
    let steps = plan!(unit, ById::of(&scope, &ground, Uuid::from_u128(17)));
    harness::check_plan(&steps, 0);
    let tasks = Ground { kinds: vec![Kind::Task], ..everywhere() };
    let steps = plan!(unit, Between::of(&scope, &tasks, (Uuid::from_u128(100), Uuid::from_u128(900)), 101));
    harness::check_plan(&steps, 0);
    let of = (1..=20).map(|id| ("task", Uuid::from_u128(id))).collect();
    let steps = plan!(unit, Beside::of(&scope, &ground, of, 20));
    harness::check_plan(&steps, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_go_with_what_they_stand_for() {
    let (db, backend) = filled(50).await;
    let mut unit = backend.begin().await.unwrap();
    idea(unit.conn(), IdeaId::from_u128(1), PROJECT, "Idea").await.unwrap();
    let entries = async || db.lines("SELECT entity_type AS line FROM search_entry").await.len();
    unit.commit().await.unwrap();
    reindex(db.url()).await.unwrap();
    // The tasks, the idea, and both projects that were written without a word.
    assert_eq!(entries().await, 50 + 1 + 2);
    let mut unit = backend.begin().await.unwrap();
    let gone = diesel::delete(schema::task::table.find(Val(TaskId::from_u128(7)))).execute(unit.conn()).await;
    assert_eq!(gone.unwrap(), 1);
    unit.commit().await.unwrap();
    assert_eq!((found(&backend, "own7own").await, found(&backend, "common").await, entries().await), (0, 49, 52));
    let mut unit = backend.begin().await.unwrap();
    diesel::delete(schema::project::table.find(Val(PROJECT))).execute(unit.conn()).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!((found(&backend, "common idea project").await, entries().await), (1, 1));
    harness::check_index(&backend).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_from_before_the_index_is_indexed_by_migrating() {
    let (db, backend) = filled(450).await;
    let mut unit = backend.begin().await.unwrap();
    unit.conn().batch_execute("DELETE FROM search_entry; UPDATE search_state SET words_version = 0").await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(found(&backend, "common").await, 0);
    assert_eq!(migrate(db.url()).await.unwrap().applied, [""; 0]);
    assert_eq!(found(&backend, "common").await, 450);
    harness::check_index(&backend).await;
    // Once is enough.
    let mut unit = backend.begin().await.unwrap();
    unit.conn().batch_execute("DELETE FROM search_entry WHERE title LIKE '%own7own%'").await.unwrap();
    unit.commit().await.unwrap();
    migrate(db.url()).await.unwrap();
    assert_eq!(found(&backend, "own7own").await, 0);
    // Until somebody asks for it.
    assert_eq!(reindex(db.url()).await.unwrap(), 452);
    assert_eq!(found(&backend, "own7own").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn words_that_stay_are_not_written_again() {
    let (_db, backend) = filled(1).await;
    let mut unit = backend.begin().await.unwrap();
    let mut task = new_task(1, "Task".into(), "a b".into());
    for (title, written) in [("Task", 1), ("Task", 0), ("TASK!", 0), ("Task other", 1)] {
        task.title = title.into();
        task.version += 1;
        let rows = entries(unit.loaded(), &[Write::SaveTask(task.clone())]);
        assert_eq!((rows.len(), put(unit.conn(), &rows).await.unwrap()), (1, written), "{title}");
    }
    assert!(entries(unit.loaded(), &[Write::DropCriteria(task.id)]).is_empty());
    // A unit that has loaded the text knows that it stays.
    let mut task = unit.task_detail(&everything(), task.id).await.unwrap().unwrap().task;
    task.version += 1;
    task.status = TaskStatus::Closed;
    assert!(entries(unit.loaded(), &[Write::SaveTask(task.clone())]).is_empty());
    task.title = "Other".into();
    assert_eq!(entries(unit.loaded(), &[Write::SaveTask(task)]).len(), 1);
    unit.rollback().await.unwrap();
}
