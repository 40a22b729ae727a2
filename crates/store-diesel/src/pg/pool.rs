//! Connections of a PostgreSQL database: reads and units share one pool.

use std::{
    ops::{Deref, DerefMut},
    pin::pin,
    time::{Duration, Instant},
};

use bb8::{ManageConnection, PooledConnection};
use chorus_store::{Error, Result};
use diesel::{QueryResult, result::Error as Sql};
use diesel_async::{
    AnsiTransactionManager, TransactionManager as _,
    pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, PoolError},
};
use metrics::Histogram;
use tokio::time::sleep;

use super::{Conn, named::NamedLocks, unit::Unit};
use crate::{bus::Bell, meter, open::Options, outage::Outage};

/// How long after the beginning of an outage callers still wait for its end.
const GRACE: Duration = Duration::from_secs(2);
/// How long until they try again.
const PAUSE: Duration = Duration::from_millis(50);

/// Opens connections and tells usable ones from broken ones.
pub(crate) struct Manager {
    connections: AsyncDieselConnectionManager<Conn>,
    outage: Outage,
}

impl ManageConnection for Manager {
    type Connection = Conn;
    type Error = PoolError;

    async fn connect(&self) -> Result<Conn, PoolError> {
        let connected = self.connections.connect().await;
        match &connected {
            Ok(_) => self.outage.ends(),
            Err(error) => self.outage.goes_on(error),
        }
        connected
    }

    /// Costs no round trip: the driver has noticed by now if the server ended an idle connection. One that dies later
    /// fails its first statement, and the unit runs again on another.
    async fn is_valid(&self, conn: &mut Conn) -> Result<(), PoolError> {
        if self.connections.has_broken(conn) {
            Err(PoolError::QueryError(Sql::BrokenTransactionManager))
        } else {
            Ok(())
        }
    }

    /// True with a transaction open or a half-done BEGIN or COMMIT: such a connection never returns to the pool.
    fn has_broken(&self, conn: &mut Conn) -> bool {
        self.connections.has_broken(conn)
    }
}

/// Connections of one kind.
#[derive(Clone)]
pub(crate) struct Pool {
    connections: bb8::Pool<Manager>,
    /// How many connections it has at most.
    size: u32,
    outage: Outage,
    waits: Histogram,
    named_locks: NamedLocks,
}

/// A pool whose connections come from `config`.
pub(super) fn pool(config: ManagerConfig<Conn>, named_locks: NamedLocks, options: &Options) -> Pool {
    // The set-up callback of `config` knows where to connect to, hence no URL here.
    let size = options.connections.get();
    let outage = Outage::default();
    let manager = Manager {
        connections: AsyncDieselConnectionManager::new_with_config(String::new(), config),
        outage: outage.clone(),
    };
    let connections = bb8::Pool::builder()
        .max_size(size)
        .connection_timeout(options.wait)
        .retry_connection(false)
        .error_sink(Box::new(Sink))
        .build_unchecked(manager);
    Pool { connections, size, outage, waits: meter::Pool::All.waits(), named_locks }
}

/// Connections that turned out to be dead. Failures to connect are the [`Outage`]'s to tell.
#[derive(Clone, Copy, Debug)]
struct Sink;

impl bb8::ErrorSink<PoolError> for Sink {
    fn sink(&self, error: PoolError) {
        match error {
            PoolError::ConnectionError(_) => {}
            PoolError::QueryError(error) => tracing::warn!(%error, "a database connection was lost"),
        }
    }

    fn boxed_clone(&self) -> Box<dyn bb8::ErrorSink<PoolError>> {
        Box::new(*self)
    }
}

/// A connection of the pool.
pub(crate) struct Lease {
    conn: PooledConnection<'static, Manager>,
    named_locks: NamedLocks,
}

impl Deref for Lease {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.conn
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut Conn {
        &mut self.conn
    }
}

impl Lease {
    /// How its server locks what has no row.
    pub(super) const fn named_locks(&self) -> NamedLocks {
        self.named_locks
    }

    /// Opens a transaction through Diesel's manager, which counts the depth. READ COMMITTED is enough, since what a
    /// decision depends on is locked or guarded by a constraint.
    pub(super) async fn start(&mut self) -> QueryResult<()> {
        AnsiTransactionManager::begin_transaction_sql(&mut **self, "BEGIN ISOLATION LEVEL READ COMMITTED").await
    }

    /// Ends the transaction and keeps what it wrote.
    pub(super) async fn commit(mut self) -> QueryResult<()> {
        AnsiTransactionManager::commit_transaction(&mut *self).await
    }

    /// Ends the transaction and keeps nothing. What was read in it holds all the same.
    pub(super) async fn rollback(mut self) -> QueryResult<()> {
        // A connection that can't roll back is closed by the pool, and the server rolls back then.
        if let Err(error) = AnsiTransactionManager::rollback_transaction(&mut *self).await {
            tracing::warn!(%error, "rolling back failed");
        }
        Ok(())
    }
}

/// One database.
#[derive(Clone)]
pub(crate) struct Backend {
    pub(super) pool: Pool,
    /// Rung by each commit.
    pub(super) bell: Bell,
}

impl Backend {
    /// A unit of work, its transaction open.
    pub(crate) async fn begin(&self) -> Result<Unit> {
        Unit::begin(self.pool.take().await?, self.bell.clone()).await
    }

    /// A connection for reads, without a transaction.
    pub(crate) async fn read(&self) -> Result<Unit> {
        Ok(Unit::reading(self.pool.take().await?))
    }

    /// A connection that may write, without a transaction.
    #[cfg(test)]
    pub(crate) async fn bare(&self) -> Lease {
        self.pool.take().await.expect("a connection")
    }

    /// Says how its connections stand.
    pub(crate) fn observe(&self) {
        self.pool.observe();
    }

    /// Whether the database answers. A connection that has died is no sign that the database has: if all of them were cut
    /// off at once, each may have to be found dead before the first new one is opened.
    pub(crate) async fn ping(&self) -> Result<()> {
        let mut dead = 0;
        loop {
            match self.read().await?.ping().await {
                Err(_) if dead < self.pool.size => dead += 1,
                answered => return answered,
            }
        }
    }
}

impl Pool {
    /// Says how its connections stand.
    fn observe(&self) {
        let state = self.connections.state();
        let (open, idle) = (state.connections as usize, state.idle_connections as usize);
        meter::Pool::All.stands(open.saturating_sub(idle), idle);
    }

    /// A connection. While the database can't be reached the pool itself would let each caller wait to the end of its
    /// patience; here callers wait as long as an outage is young, as a restart is, and are told at once when it is old.
    pub(crate) async fn take(&self) -> Result<Lease> {
        let since = Instant::now();
        let taken = self.wait().await;
        self.waits.record(since.elapsed());
        taken
    }

    async fn wait(&self) -> Result<Lease> {
        loop {
            let mut taken = pin!(self.connections.get_owned());
            let error = loop {
                tokio::select! {
                    // It listens before a connection is asked for, which may fail at once.
                    biased;
                    error = self.outage.told() => {
                        // Whoever holds a connection may still give it back.
                        if self.connections.state().connections == 0 {
                            break error;
                        }
                    }
                    taken = taken.as_mut() => {
                        let lease = taken.map(|conn| Lease { conn, named_locks: self.named_locks });
                        return lease.map_err(|error| Error::Unavailable(Box::new(error)));
                    }
                }
            };
            if error.lasts > GRACE {
                return Err(Error::Unavailable(Box::new(error)));
            }
            sleep(PAUSE).await;
        }
    }
}
