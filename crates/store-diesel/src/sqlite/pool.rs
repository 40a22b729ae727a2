//! Connections of a SQLite file: several that read, one that writes.

use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use chorus_store::{Error, Result};
use diesel::QueryResult;
use metrics::Histogram;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{
    Conn, Opener,
    unit::Unit,
    writer::{Seat, Writer},
};
use crate::{bus::Bell, meter, open::Options, pg::named::NamedLocks};

/// One database.
#[derive(Clone)]
pub(crate) struct Backend {
    inner: Arc<Inner>,
    /// Rung by each commit.
    pub(super) bell: Bell,
}

struct Inner {
    opener: Opener,
    wait: Duration,
    /// One permit for each connection that may read.
    readers: Arc<Semaphore>,
    idle: Mutex<Vec<Conn>>,
    writer: Writer,
    reader_waits: Histogram,
    writer_waits: Histogram,
    /// How many connections may read.
    most: usize,
}

impl Backend {
    pub(super) fn new(opener: Opener, options: &Options) -> Self {
        let readers = usize::try_from(options.connections.get()).unwrap_or(Semaphore::MAX_PERMITS);
        let inner = Inner {
            opener,
            wait: options.wait,
            readers: Arc::new(Semaphore::new(readers)),
            idle: Mutex::default(),
            writer: Writer::default(),
            reader_waits: meter::Pool::Readers.waits(),
            writer_waits: meter::Pool::Writer.waits(),
            most: readers,
        };
        Self { inner: Arc::new(inner), bell: Bell::default() }
    }

    /// A unit of work, its transaction open.
    pub(crate) async fn begin(&self) -> Result<Unit> {
        Unit::begin(Lease::Writer(self.seat().await?), self.bell.clone()).await
    }

    /// A connection for reads, without a transaction.
    pub(crate) async fn read(&self) -> Result<Unit> {
        let turn = turn(&self.inner.readers, self.inner.wait, &self.inner.reader_waits).await?;
        let idle = self.inner.idle().pop();
        let conn = match idle {
            Some(conn) => conn,
            None => self.inner.opener.open("PRAGMA query_only = ON").map_err(unavailable)?,
        };
        Ok(Unit::reading(Lease::Reader(Reader { conn: Some(conn), inner: Arc::clone(&self.inner), _turn: turn })))
    }

    /// Whether the database answers.
    pub(crate) async fn ping(&self) -> Result<()> {
        self.read().await?.ping().await
    }

    /// Says how its connections stand.
    pub(crate) fn observe(&self) {
        let busy = self.inner.most - self.inner.readers.available_permits().min(self.inner.most);
        meter::Pool::Readers.stands(busy, self.inner.idle().len());
        let (writes, open) = (self.inner.writer.turns().available_permits() == 0, self.inner.writer.is_open());
        meter::Pool::Writer.stands(usize::from(writes), usize::from(open && !writes));
    }

    async fn seat(&self) -> Result<Seat> {
        let turn = turn(self.inner.writer.turns(), self.inner.wait, &self.inner.writer_waits).await?;
        let mut seat = self.inner.writer.sit(turn);
        if !seat.has_connection() {
            seat.connect(self.inner.opener.open("").map_err(unavailable)?);
        }
        Ok(seat)
    }

    /// A connection that may write, without a transaction.
    #[cfg(test)]
    pub(crate) async fn bare(&self) -> Lease {
        Lease::Writer(self.seat().await.expect("a connection"))
    }
}

impl Inner {
    fn idle(&self) -> MutexGuard<'_, Vec<Conn>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to use a connection, for which callers wait in line.
async fn turn(turns: &Arc<Semaphore>, wait: Duration, waits: &Histogram) -> Result<OwnedSemaphorePermit> {
    if let Ok(turn) = Arc::clone(turns).try_acquire_owned() {
        waits.record(0.0);
        return Ok(turn);
    }
    let since = Instant::now();
    let waited = timeout(wait, Arc::clone(turns).acquire_owned()).await;
    waits.record(since.elapsed());
    waited.map_err(unavailable)?.map_err(unavailable)
}

fn unavailable(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Unavailable(Box::new(error))
}

/// A connection, as long as somebody uses it.
pub(crate) enum Lease {
    Reader(Reader),
    Writer(Seat),
}

/// One that reads.
pub(crate) struct Reader {
    // INVARIANT: there until it is dropped.
    conn: Option<Conn>,
    inner: Arc<Inner>,
    _turn: OwnedSemaphorePermit,
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.inner.idle().extend(self.conn.take());
    }
}

impl Deref for Lease {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        match self {
            Self::Reader(reader) => reader.conn.as_ref().expect("a reader has its connection"),
            Self::Writer(seat) => seat.conn(),
        }
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut Conn {
        match self {
            Self::Reader(reader) => reader.conn.as_mut().expect("a reader has its connection"),
            Self::Writer(seat) => seat.conn_mut(),
        }
    }
}

impl Lease {
    /// Nothing needs a lock here: the unit is one.
    pub(super) const fn named_locks(&self) -> NamedLocks {
        NamedLocks::Advisory
    }

    /// Opens the unit.
    pub(super) async fn start(&mut self) -> QueryResult<()> {
        match self {
            Self::Reader(_) => Err(diesel::result::Error::NotInTransaction),
            Self::Writer(seat) => seat.start(),
        }
    }

    /// Ends the unit and keeps what it wrote.
    pub(super) async fn commit(self) -> QueryResult<()> {
        match self {
            Self::Reader(_) => Err(diesel::result::Error::NotInTransaction),
            Self::Writer(seat) => seat.commit().await,
        }
    }

    /// Ends the unit and keeps nothing.
    pub(super) async fn rollback(self) -> QueryResult<()> {
        match self {
            Self::Reader(_) => Ok(()),
            Self::Writer(seat) => seat.rollback().await,
        }
    }
}
