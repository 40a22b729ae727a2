//! HTTP+SSE, the transport of 2024-11-05: a stream that outlives requests, and a second path to which messages are
//! posted (protocol checklist §4). It is deprecated, and stands alone here so that it can go.
//!
//! A session lives in the process that opened its stream. Behind several of them, whatever distributes requests has to
//! send those of a session to the same one.

pub(crate) mod message;
mod running;
pub(crate) mod session;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use chorus_ids::KeyId;

use session::Session;

/// The paths of the transport: where its streams are opened, and where messages are posted. Each begins with a slash and
/// does not end with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SsePaths {
    /// `GET` opens a stream here.
    pub stream: &'static str,
    /// `POST` takes messages here; clients are told so by the first event of a stream.
    pub message: &'static str,
}

/// The sessions of this process, by their ids.
#[derive(Clone, Default)]
pub(crate) struct Sessions(Arc<Mutex<HashMap<String, Arc<Session>>>>);

impl Sessions {
    /// The session of this id, if this key opened it. Another's is as good as none.
    fn find(&self, id: &str, key: KeyId) -> Option<Arc<Session>> {
        let sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.get(id).filter(|session| session.key == key).cloned()
    }

    fn add(&self, id: &str, session: Arc<Session>) -> Listed {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), session);
        Listed { sessions: self.clone(), id: id.to_owned() }
    }
}

/// A session that can be found. Dropped, it can't any more.
struct Listed {
    sessions: Sessions,
    id: String,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.sessions.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}
