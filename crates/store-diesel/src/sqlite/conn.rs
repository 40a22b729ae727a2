//! A connection, whose statements run on the thread that asks for them.

use std::{
    any::type_name,
    future::{Ready, ready},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use diesel::{
    Connection as _, ConnectionError, ConnectionResult, QueryResult, SqliteConnection,
    backend::Backend,
    connection::{Instrumentation, LoadConnection, SimpleConnection as _},
    deserialize::FromSqlRow,
    expression::QueryMetadata,
    query_builder::{AsQuery, CollectedQuery, MoveableBindCollector, QueryBuilder as _, QueryFragment, QueryId},
    query_dsl::CompatibleType,
    row::Row,
};
use diesel_async::SimpleAsyncConnection;

use super::Db;
use crate::watch::Watch;

/// An open database file.
///
/// The same text as on PostgreSQL awaits its statements, but each is done as soon as it is asked for, and a row is built
/// from the database's own: the wrapper of `diesel-async` copies every value of every row first, to carry rows from thread to
/// thread, which costs more than most statements do. Needs the multi-thread runtime.
pub(crate) struct Conn {
    inner: SqliteConnection,
    watch: Option<Watch>,
}

impl Conn {
    /// Opens a file and runs `settings`.
    pub(super) fn open(name: &str, settings: &[&str]) -> ConnectionResult<Self> {
        blocking(|| {
            let mut conn = SqliteConnection::establish(name)?;
            for settings in settings {
                conn.batch_execute(settings).map_err(ConnectionError::CouldntSetupConfiguration)?;
            }
            Ok(Self { inner: conn, watch: None })
        })
    }

    /// Runs statements that wait for nobody and do next to nothing.
    pub(super) fn at_once(&mut self, sql: &str) -> QueryResult<()> {
        self.note(|| Ok(sql.to_owned()))?;
        self.inner.batch_execute(sql)
    }

    /// Runs statements that may wait, for others or for the disk, or do much.
    pub(super) fn wait(&mut self, sql: &str) -> QueryResult<()> {
        blocking(|| self.at_once(sql))
    }

    /// Tells a watch of every statement from now on.
    pub(super) fn set_watch(&mut self, watch: Option<Watch>) {
        self.watch = watch;
    }

    fn note(&self, shown: impl FnOnce() -> QueryResult<String>) -> QueryResult<()> {
        if let Some(watch) = &self.watch {
            watch.note(shown()?);
        }
        Ok(())
    }

    /// Has every statement and its time watched from now on.
    pub(crate) fn set_instrumentation(&mut self, watch: impl Instrumentation) {
        self.inner.set_instrumentation(watch);
    }
}

impl SimpleAsyncConnection for Conn {
    fn batch_execute(&mut self, sql: &str) -> impl Future<Output = QueryResult<()>> + Send {
        ready(self.wait(sql))
    }
}

/// A statement that returns rows of this shape.
pub(crate) trait LoadQuery<'q, C, U> {
    /// Every row.
    fn all(self, conn: &mut C) -> QueryResult<Vec<U>>;

    /// The first row, or `NotFound`.
    fn first(self, conn: &mut C) -> QueryResult<U>;
}

impl<'q, T, U, ST> LoadQuery<'q, Conn, U> for T
where
    T: AsQuery<Query: QueryFragment<Db> + QueryId + 'q, SqlType: CompatibleType<U, Db, SqlType = ST>> + 'q,
    U: FromSqlRow<ST, Db> + 'static,
    Db: QueryMetadata<T::SqlType>,
    ST: 'static,
{
    fn all(self, conn: &mut Conn) -> QueryResult<Vec<U>> {
        let query = self.as_query();
        conn.note(|| shown(&query))?;
        LoadConnection::load(&mut conn.inner, query)?.map(build).collect()
    }

    fn first(self, conn: &mut Conn) -> QueryResult<U> {
        let query = self.as_query();
        conn.note(|| shown(&query))?;
        LoadConnection::load(&mut conn.inner, query)?.next().map_or(Err(diesel::NotFound), build)
    }
}

fn build<'r, U: FromSqlRow<ST, Db>, ST>(row: QueryResult<impl Row<'r, Db>>) -> QueryResult<U> {
    U::build_from_row(&row?).map_err(diesel::result::Error::DeserializationError)
}

/// A statement with what it binds, as the database gets it.
fn shown(statement: &impl QueryFragment<Db>) -> QueryResult<String> {
    let (text, binds) = collected(statement)?;
    Ok(format!("{text} -- binds: {binds:?}"))
}

/// What a statement binds, collected.
type Binds = <<Db as Backend>::BindCollector<'static> as MoveableBindCollector<Db>>::BindData;

fn collected(statement: &impl QueryFragment<Db>) -> QueryResult<(String, Binds)> {
    let (db, mut text) = (Db::default(), <Db as Backend>::QueryBuilder::default());
    statement.to_sql(&mut text, &db)?;
    let mut binds = <Db as Backend>::BindCollector::<'_>::default();
    statement.collect_binds(&mut binds, &mut (), &db)?;
    Ok((text.finish(), binds.moveable()))
}

/// A statement that returns none.
pub(crate) trait ExecuteDsl<C> {
    /// How many rows it touched.
    fn run(self, conn: &mut C) -> QueryResult<usize>;
}

impl<T: QueryFragment<Db> + QueryId> ExecuteDsl<Conn> for T {
    fn run(self, conn: &mut Conn) -> QueryResult<usize> {
        conn.note(|| shown(&self))?;
        let db = Db::default();
        // What is run is a reference to it, which does not know what the statement itself may know better than its parts: that
        // it can be kept prepared.
        let keep = self.is_safe_to_cache_prepared(&db)?;
        if keep == QueryFragment::<Db>::is_safe_to_cache_prepared(&&self, &db)? {
            return conn.inner.execute_returning_count(&self);
        }
        let (text, binds) = collected(&self)?;
        conn.inner.execute_returning_count(&CollectedQuery::new(text, keep, binds))
    }
}

/// Running statements, by the names that `diesel-async` has for it.
pub(crate) trait RunQueryDsl: Sized {
    /// Every row.
    fn load<'q, U>(self, conn: &mut Conn) -> Ready<QueryResult<Vec<U>>>
    where
        Self: LoadQuery<'q, Conn, U>,
    {
        ready(in_place(type_name::<Self>(), || self.all(conn)))
    }

    /// The first row.
    fn get_result<'q, U>(self, conn: &mut Conn) -> Ready<QueryResult<U>>
    where
        Self: LoadQuery<'q, Conn, U>,
    {
        ready(in_place(type_name::<Self>(), || self.first(conn)))
    }

    /// How many rows were touched.
    fn execute(self, conn: &mut Conn) -> Ready<QueryResult<usize>>
    where
        Self: ExecuteDsl<Conn>,
    {
        ready(in_place(type_name::<Self>(), || self.run(conn)))
    }
}

impl<Q> RunQueryDsl for Q {}

/// What statements of a kind took lately, in microseconds. Kinds that share a place share the figure.
static TOOK: [AtomicU32; 1 << 10] = [const { AtomicU32::new(UNKNOWN) }; 1 << 10];

/// Nothing of the kind has run yet.
const UNKNOWN: u32 = u32::MAX;

/// From how many microseconds on the runtime is told. Replacing the thread takes some ten.
const LONG: u32 = 500;

/// Runs a statement on this thread: a third of the time of a hop to the blocking pool, and it can't be cancelled half-way. If
/// those of its kind take long, or there was none yet, the runtime replaces the thread meanwhile.
fn in_place<T>(kind: &'static str, statement: impl FnOnce() -> T) -> T {
    let Some(took) = TOOK.get(kind.as_ptr().addr() / align_of::<usize>() % TOOK.len()) else {
        return blocking(statement);
    };
    let before = took.load(Ordering::Relaxed);
    let since = Instant::now();
    let done = if before < LONG { statement() } else { blocking(statement) };
    took.store(average(before, since.elapsed()), Ordering::Relaxed);
    done
}

/// Runs what may take long.
fn blocking<T>(statement: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(statement)
}

/// The moving average. A single one that took long, since the machine was busy with something else, makes no kind long.
fn average(before: u32, took: Duration) -> u32 {
    let took = u32::try_from(took.as_micros()).unwrap_or(u32::MAX).min(4 * LONG);
    if before == UNKNOWN { took } else { before - before / 8 + took / 8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(before: u32, took: &[u32]) -> u32 {
        took.iter().fold(before, |before, took| average(before, Duration::from_micros((*took).into())))
    }

    #[test]
    fn a_kind_is_long_if_it_is_so_again_and_again() {
        assert_eq!(after(UNKNOWN, &[40]), 40);
        assert!(after(40, &[1_000_000]) < LONG, "once");
        assert!(after(40, &[1_000_000; 3]) >= LONG);
        assert!(after(UNKNOWN, &[10_000]) >= LONG);
        assert!(after(4 * LONG, &[40; 12]) < LONG, "no more");
        assert_eq!(after(0, &[0; 10]), 0);
    }
}
