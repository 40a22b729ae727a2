//! `GET /api/health` (surface specification §3.7).

use chorus_app::Services;
use http::StatusCode;
use serde_json::json;
use tokio::time::timeout;

use crate::{Answer, Limits, answer};

/// Whether the server can work. Why not is for the log: anybody may ask.
pub(crate) async fn check(services: &Services, limits: &Limits) -> Answer {
    let reached = match timeout(limits.ping_time, services.store.ping()).await {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            tracing::warn!(%error, cause, "the database does not answer");
            false
        }
        Err(_) => {
            tracing::warn!("the database does not answer in time");
            false
        }
    };
    let timestamp = services.clock.now().to_string();
    if reached {
        let body = json!({ "status": "ok", "timestamp": timestamp, "database": "connected" });
        answer::json(StatusCode::OK, &body)
    } else {
        let body = json!({ "status": "error", "timestamp": timestamp, "database": "disconnected" });
        answer::json(StatusCode::SERVICE_UNAVAILABLE, &body)
    }
}
