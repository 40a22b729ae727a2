//! The requests of a session that are worked on, so that the client can cancel them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use chorus_app::call::Cancellation;
use chorus_mcp::Id;
use serde_json::Value;
use tokio::task::AbortHandle;

/// Requests by their ids as JSON.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<Mutex<HashMap<String, (Cancellation, AbortHandle)>>>);

impl Running {
    /// Notes a request. One of the same id, which a client should not send, is no longer to be cancelled.
    pub(super) fn add(&self, id: &Id, cancellation: Cancellation, work: AbortHandle) {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.insert(id.as_json().to_owned(), (cancellation, work));
    }

    /// A request was answered.
    pub(super) fn remove(&self, id: &Id) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id.as_json());
    }

    /// Cancels what a message names that is a notification of cancellation. What has ended or never was is fine.
    pub(super) fn cancel(&self, body: &[u8]) {
        let Some(id) = cancelled(body) else { return };
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        if let Some((cancellation, work)) = found {
            // A unit of work that has begun ends by itself, whole or not at all; its answer is not sent.
            cancellation.cancel();
            work.abort();
        }
    }
}

/// The id, as JSON, of the request that a message cancels.
fn cancelled(body: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(body).ok()?;
    if message.get("method")? != "notifications/cancelled" || message.get("id").is_some() {
        return None;
    }
    Some(message.get("params")?.get("requestId")?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_notification_of_cancellation_cancels() {
        let named = |text: &str| cancelled(text.as_bytes());
        let cancel = |id: &str| {
            let body =
                format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#);
            named(&body)
        };
        assert_eq!(cancel("7").as_deref(), Some("7"));
        assert_eq!(cancel("\"a\"").as_deref(), Some("\"a\""));
        assert_eq!(named(r#"{"method":"notifications/cancelled","params":{}}"#), None);
        assert_eq!(named(r#"{"method":"notifications/other","params":{"requestId":7}}"#), None);
        assert_eq!(named(r#"{"id":1,"method":"notifications/cancelled","params":{"requestId":7}}"#), None);
        assert_eq!(named("["), None);
    }
}
