//! Connections of one backend. Compiled once per backend.

use bb8::ManageConnection;
use chorus_store::{Error, Result};
use diesel::result::Error as Sql;
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, PoolError};

use super::{Conn, unit::Unit};
use crate::{bus::Bell, open::Options};

/// Opens connections and tells usable ones from broken ones.
pub(crate) struct Manager(AsyncDieselConnectionManager<Conn>);

impl ManageConnection for Manager {
    type Connection = Conn;
    type Error = PoolError;

    async fn connect(&self) -> Result<Conn, PoolError> {
        self.0.connect().await
    }

    /// Costs no round trip: the driver has noticed by now if the server ended an idle connection. One that dies later
    /// fails its first statement, and the unit runs again on another.
    async fn is_valid(&self, conn: &mut Conn) -> Result<(), PoolError> {
        if self.0.has_broken(conn) { Err(PoolError::QueryError(Sql::BrokenTransactionManager)) } else { Ok(()) }
    }

    /// True with a transaction open or a half-done BEGIN or COMMIT: such a connection never returns to the pool.
    fn has_broken(&self, conn: &mut Conn) -> bool {
        self.0.has_broken(conn)
    }
}

pub(crate) type Pool = bb8::Pool<Manager>;

/// A pool whose connections come from `config`.
pub(super) fn pool(config: ManagerConfig<Conn>, size: u32, options: &Options) -> Pool {
    // The set-up callback of `config` knows where to connect to, hence no URL here.
    let manager = Manager(AsyncDieselConnectionManager::new_with_config(String::new(), config));
    Pool::builder()
        .max_size(size)
        .connection_timeout(options.wait)
        .retry_connection(false)
        .error_sink(Box::new(Sink))
        .build_unchecked(manager)
}

/// Failures to connect that nobody waits for.
#[derive(Clone, Copy, Debug)]
struct Sink;

impl bb8::ErrorSink<PoolError> for Sink {
    fn sink(&self, error: PoolError) {
        tracing::warn!(%error, "a database connection was lost or could not be opened");
    }

    fn boxed_clone(&self) -> Box<dyn bb8::ErrorSink<PoolError>> {
        Box::new(*self)
    }
}

/// One database.
#[derive(Clone)]
pub(crate) struct Backend {
    /// For units of work.
    pub(super) writers: Pool,
    /// For reads.
    pub(super) readers: Pool,
    /// Rung by each commit.
    pub(super) bell: Bell,
}

impl Backend {
    /// A unit of work, its transaction open.
    pub(crate) async fn begin(&self) -> Result<Unit> {
        Unit::begin(take(&self.writers).await?, self.bell.clone()).await
    }

    /// A connection for reads, without a transaction.
    pub(crate) async fn read(&self) -> Result<Unit> {
        Ok(Unit::reading(take(&self.readers).await?))
    }
}

async fn take(pool: &Pool) -> Result<bb8::PooledConnection<'static, Manager>> {
    pool.get_owned().await.map_err(|error| Error::Unavailable(Box::new(error)))
}
