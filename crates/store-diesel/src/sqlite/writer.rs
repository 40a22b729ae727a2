//! The connection that writes, and how units share a durable commit.
//!
//! Making a commit durable takes longer than most units. So units that wait for each other share one: each has a savepoint
//! of its own in a transaction of the group, and is told that it is done when the group's COMMIT is. Nobody waits for a
//! group to fill. Whoever is done goes to the end of the line of those who want the connection, and whoever comes to its
//! head first with nothing left to do commits for all before it. So a unit waits for none that came after it was done.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diesel::{
    QueryResult,
    result::{DatabaseErrorKind, Error as Sql},
};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};

use super::Conn;
use crate::meter;

/// How a group ended: what its COMMIT said, if that failed.
type Fate = Result<(), Arc<str>>;

/// The connection that writes; clones share it.
#[derive(Clone)]
pub(crate) struct Writer {
    turns: Arc<Semaphore>,
    desk: Arc<Mutex<Desk>>,
}

/// What lies there for the next.
#[derive(Default)]
struct Desk {
    conn: Option<Conn>,
    /// INVARIANT (group): whenever nobody has the turn, somebody counts on it.
    group: Option<Group>,
}

/// The open transaction.
struct Group {
    /// Units that are done and want it committed.
    done: usize,
    fate: watch::Sender<Option<Fate>>,
}

impl Default for Writer {
    fn default() -> Self {
        Self { turns: Arc::new(Semaphore::new(1)), desk: Arc::default() }
    }
}

impl Writer {
    /// Gives out the one turn, in the order in which it was asked for.
    pub(super) const fn turns(&self) -> &Arc<Semaphore> {
        &self.turns
    }

    /// Whether the connection is there, unless somebody has it.
    pub(super) fn is_open(&self) -> bool {
        self.desk().conn.is_some()
    }

    /// Takes what lies there.
    pub(super) fn sit(&self, turn: OwnedSemaphorePermit) -> Seat {
        let Desk { conn, group } = std::mem::take(&mut *self.desk());
        Seat { conn, group, open: false, writer: self.clone(), _turn: turn }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to write.
pub(crate) struct Seat {
    conn: Option<Conn>,
    group: Option<Group>,
    /// Whether a unit's savepoint is open.
    open: bool,
    writer: Writer,
    _turn: OwnedSemaphorePermit, // INVARIANT: dropped after what lies on the desk was put there.
}

impl Seat {
    pub(super) const fn has_connection(&self) -> bool {
        self.conn.is_some()
    }

    pub(super) fn connect(&mut self, conn: Conn) {
        self.conn = Some(conn);
    }

    pub(super) fn conn(&self) -> &Conn {
        self.conn.as_ref().expect("whoever writes was given a connection")
    }

    pub(super) fn conn_mut(&mut self) -> &mut Conn {
        self.conn.as_mut().expect("whoever writes was given a connection")
    }

    /// Opens a unit, in the group that there is or in a new one.
    pub(super) fn start(&mut self) -> QueryResult<()> {
        if self.group.is_none() {
            // IMMEDIATE, since a read that turns into a write can't wait for another writer.
            self.run(Conn::wait, "BEGIN IMMEDIATE")?;
            self.group = Some(Group { done: 0, fate: watch::Sender::new(None) });
        }
        self.run(Conn::at_once, "SAVEPOINT unit")?;
        self.open = true;
        Ok(())
    }

    /// Ends the unit and waits until what it wrote is kept.
    pub(super) async fn commit(mut self) -> QueryResult<()> {
        // If this fails, the drop of the seat sees to the group.
        self.run(Conn::at_once, "RELEASE unit").map_err(|error| failed(&error.to_string()))?;
        self.open = false;
        if let Some(group) = &mut self.group {
            group.done += 1;
        }
        self.wait().await
    }

    /// Ends the unit without what it wrote. What it has seen of others in its group is not committed yet: who decided on
    /// it waits until it is.
    pub(super) async fn rollback(mut self) -> QueryResult<()> {
        self.take_back()?;
        if self.group.is_some() { self.wait().await } else { Ok(()) }
    }

    /// Undoes the open unit; and the group, if there is nobody else in it.
    fn take_back(&mut self) -> QueryResult<()> {
        self.open = false;
        if self.group.as_ref().is_some_and(|group| group.done > 0) {
            // Fails if the whole transaction is gone, as after some errors of the file system.
            let undone = self.run(Conn::at_once, "ROLLBACK TO unit; RELEASE unit");
            return undone.map_err(|error| {
                self.give_up(&error);
                failed(&error.to_string())
            });
        }
        self.group = None;
        let undone = self.run(Conn::at_once, "ROLLBACK");
        if undone.is_err() {
            // Closed, it takes back what is left.
            self.conn = None;
        }
        Ok(())
    }

    /// Commits for all in the group, and tells them.
    fn end_group(&mut self) {
        let committed = self.run(Conn::wait, "COMMIT");
        match (committed, self.group.take()) {
            (Ok(()), Some(group)) => {
                meter::committed(group.done);
                group.fate.send_replace(Some(Ok(())));
            }
            (Err(error), Some(group)) => {
                self.group = Some(group);
                self.give_up(&error);
            }
            (Ok(()) | Err(_), None) => {}
        }
    }

    /// Tells the group that nothing of it is kept, and sees to that: closed, the connection takes back what was written.
    fn give_up(&mut self, error: &Sql) {
        let Some(group) = self.group.take() else { return };
        tracing::warn!(%error, units = group.done, "a commit failed");
        meter::commit_failed();
        self.conn = None;
        group.fate.send_replace(Some(Err(error.to_string().into())));
    }

    /// Gives up the seat and waits for the end of the group.
    async fn wait(self) -> QueryResult<()> {
        let Some(fate) = self.group.as_ref().map(|group| group.fate.subscribe()) else {
            return Err(Sql::NotInTransaction);
        };
        let waiting = Waiting { writer: self.writer.clone(), fate, if_dropped: IfDropped::Replace };
        drop(self);
        waiting.end().await
    }

    fn run(&mut self, how: fn(&mut Conn, &str) -> QueryResult<()>, sql: &str) -> QueryResult<()> {
        self.conn.as_mut().map_or(Err(Sql::BrokenTransactionManager), |conn| how(conn, sql))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if self.open {
            // By an error, a panic or a cancelled request. Statements run in place, so that none is under way here.
            if self.take_back().is_err() {
                self.give_up(&Sql::BrokenTransactionManager);
                self.conn = None;
            }
        }
        *self.writer.desk() = Desk { conn: self.conn.take(), group: self.group.take() };
    }
}

/// Somebody who counts on a group. Its COMMIT comes also if they are gone.
struct Waiting {
    writer: Writer,
    fate: watch::Receiver<Option<Fate>>,
    if_dropped: IfDropped,
}

/// What becomes of a group if somebody who counts on it is gone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IfDropped {
    /// Somebody else waits in their place.
    Replace,
    /// That one is gone too, with the whole runtime.
    Nothing,
}

impl Waiting {
    /// Waits until somebody has committed, or does it.
    async fn end(self) -> QueryResult<()> {
        let (turn, mut fate) = (Arc::clone(self.writer.turns()).acquire_owned(), self.fate.clone());
        let ended = async move { fate.wait_for(Option::is_some).await.is_ok() };
        tokio::select! {
            biased;
            _ = ended => {}
            turn = turn => if let Ok(turn) = turn {
                let mut seat = self.writer.sit(turn);
                if self.is_open() {
                    seat.end_group();
                }
            },
        }
        let fate = self.fate.borrow().clone();
        match fate {
            Some(Ok(())) => Ok(()),
            Some(Err(cause)) => Err(failed(&cause)),
            None => Err(failed("the server ended")),
        }
    }

    fn is_open(&self) -> bool {
        self.fate.borrow().is_none()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.is_open()
            && self.if_dropped == IfDropped::Replace
            && let Ok(runtime) = Handle::try_current()
        {
            let (writer, fate) = (self.writer.clone(), self.fate.clone());
            runtime.spawn(Self { writer, fate, if_dropped: IfDropped::Nothing }.end());
        }
    }
}

/// Nothing of the unit is kept: it may run again.
fn failed(cause: &str) -> Sql {
    let text = format!("the transaction that it shared is lost: {cause}");
    Sql::DatabaseError(DatabaseErrorKind::SerializationFailure, Box::new(text))
}
