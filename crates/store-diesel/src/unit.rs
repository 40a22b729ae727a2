//! A unit of work on one connection. Compiled once per backend.

use std::sync::Arc;

use chorus_domain::Kind;
use chorus_ids::Uuid;
use chorus_store::{Error, Hold, Report, Result, Roots};
use diesel::QueryResult;
use diesel_async::SimpleAsyncConnection;

use super::{Conn, READING, ROW_LOCKS, lock_rows, pool::Lease};
use crate::{
    bus::Bell,
    failure::{Failure, Violation},
    loaded::Loaded,
    pg::named::NamedLocks,
};

/// One connection, with or without a transaction.
///
/// INVARIANT (drop): dropped with its transaction open, by an error, a panic or a cancelled request, nothing of it is kept.
/// On PostgreSQL the connection never returns to the pool: bb8 asks Diesel's transaction manager, which counts the depth; the
/// connection is closed, and the database rolls back. On SQLite the lease rolls back.
pub(crate) struct Unit {
    conn: Lease,
    state: State,
    loaded: Loaded,
    bell: Bell,
    report: Option<Arc<Report>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No transaction: each statement stands alone.
    Reading,
    /// In a transaction.
    Writing,
    /// In a transaction of which a statement failed.
    Failed,
}

impl Unit {
    /// Reads on this connection.
    pub(super) fn reading(conn: Lease) -> Self {
        Self { conn, state: State::Reading, loaded: Loaded::default(), bell: Bell::default(), report: None }
    }

    /// Opens the transaction. Its commit rings the bell.
    pub(super) async fn begin(conn: Lease, bell: Bell) -> Result<Self> {
        let mut unit = Self { conn, state: State::Writing, loaded: Loaded::default(), bell, report: None };
        let begun = unit.conn.start().await;
        unit.checked(begun)?;
        Ok(unit)
    }

    /// The connection to run a statement on. Its result belongs into [`Unit::checked`].
    pub(crate) fn conn(&mut self) -> &mut Conn {
        &mut self.conn
    }

    /// The texts that a unit of work has loaded.
    pub(super) const fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// Notes what was loaded with all of its text, for a save to come.
    pub(super) fn note(&mut self, thing: (Kind, Uuid), version: i32, title: &str, body: Option<&str>) {
        if self.state == State::Writing {
            self.loaded.note(thing, version, title, body);
        }
    }

    /// How it locks what has no row.
    pub(super) const fn named_locks(&self) -> NamedLocks {
        self.conn.named_locks()
    }

    /// Whom writes are reported to.
    pub(super) fn set_report(&mut self, report: Arc<Report>) {
        self.report = Some(report);
    }

    /// So many writes are done, of so many.
    pub(super) fn report(&self, done: usize, of: usize) {
        if let Some(report) = &self.report {
            report(done as u64, of as u64);
        }
    }

    /// Every statement's result passes here. After an error PostgreSQL answers COMMIT with a rollback that looks like
    /// success, so the unit remembers that it failed.
    pub(super) fn checked<T>(&mut self, result: QueryResult<T>) -> Result<T> {
        self.guarded(result).map_err(Error::from)
    }

    /// The same for statements whose violations mean something to the caller.
    pub(super) fn guarded<T>(&mut self, result: QueryResult<T>) -> Result<T, Failure> {
        result.map_err(|error| {
            if self.state == State::Writing {
                self.state = State::Failed;
            }
            Failure::of(error, &READING)
        })
    }

    /// The same, the violation turned into a refusal by `refuse`; what it leaves alone is a fault of ours.
    pub(super) fn refused<T>(
        &mut self,
        result: QueryResult<T>,
        refuse: impl FnOnce(&Violation) -> Option<chorus_domain::Refusal>,
    ) -> Result<T> {
        self.guarded(result).map_err(|failure| match &failure {
            Failure::Violation(violation) => refuse(violation).map_or_else(|| failure.into(), Error::Refused),
            Failure::Again(_) | Failure::Unable(_) | Failure::Fault(_) => failure.into(),
        })
    }

    /// The error, which ends the unit though no statement failed: nothing of it may be kept.
    pub(super) fn over(&mut self, error: Error) -> Error {
        if self.state == State::Writing {
            self.state = State::Failed;
        }
        error
    }

    /// Locks rows: groups, projects, ideas, proposals, documents, tasks, users, agents, sessions, by id. On SQLite the unit is
    /// the lock.
    ///
    /// Everybody locks in this order whatever the strength; sorted by strength first, two units could hold one row
    /// each and wait for the other's.
    pub(super) async fn lock(&mut self, roots: &Roots) -> Result<()> {
        const WITHOUT_LOCK: [Kind; 5] = [Kind::Comment, Kind::Reference, Kind::Notification, Kind::Key, Kind::Round];
        if let Some(kind) = WITHOUT_LOCK.into_iter().find(|kind| roots.of(*kind).next().is_some()) {
            return Err(Error::internal(format!("rows of kind {kind} are locked through their parents")));
        }
        if !ROW_LOCKS {
            return Ok(());
        }
        let mut held = Vec::new();
        for kind in [
            Kind::Group,
            Kind::Project,
            Kind::Idea,
            Kind::Proposal,
            Kind::Document,
            Kind::Task,
            Kind::User,
            Kind::Agent,
            Kind::Session,
        ] {
            let rows: Vec<(Uuid, Hold)> = roots.of(kind).collect();
            for run in rows.chunk_by(|a, b| a.1 == b.1) {
                let Some((_, hold)) = run.first() else { continue };
                held.push((kind, *hold, run.iter().map(|(id, _)| *id).collect()));
            }
        }
        lock_rows(self, held).await
    }

    /// Whether the database answers.
    pub(crate) async fn ping(&mut self) -> Result<()> {
        let answered = self.conn().batch_execute("SELECT 1").await;
        self.checked(answered).map_err(|error| Error::Unavailable(Box::new(error)))
    }

    /// Ends the transaction and keeps what it wrote.
    ///
    /// # Errors
    /// `Internal` if a statement of the unit failed; nothing is kept then.
    pub(super) async fn commit(self) -> Result<()> {
        match self.state {
            State::Writing => {
                self.conn.commit().await.map_err(|error| Error::from(Failure::of(error, &READING)))?;
                self.bell.ring();
                Ok(())
            }
            State::Failed => {
                self.rollback().await?;
                Err(Error::internal("a statement of this unit had failed"))
            }
            State::Reading => Err(Error::internal("a reading connection has nothing to commit")),
        }
    }

    /// Ends the transaction and keeps nothing. Gives the connection back whole, which a drop does not.
    ///
    /// # Errors
    /// `Again` if the unit has seen what others then failed to commit.
    pub(super) async fn rollback(self) -> Result<()> {
        match self.state {
            State::Writing | State::Failed => {
                self.conn.rollback().await.map_err(|error| Failure::of(error, &READING).into())
            }
            State::Reading => Ok(()),
        }
    }
}
