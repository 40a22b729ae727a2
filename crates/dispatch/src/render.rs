//! From answers and refusals to what goes over the wire: one place per surface (README decisions 10 and 13).

use chorus_domain::{Code, Refusal};
use chorus_mcp::{CallResult, RpcError, Written, code};
use chorus_store::Error;
use serde_json::{Map, Value, json};

use crate::Reply;

/// The result of a call that was answered.
pub fn reply(reply: Reply) -> CallResult {
    let mut meta = Map::new();
    if !reply.ignored.is_empty() {
        let list = reply.ignored.iter().map(|ignored| match &ignored.nearest {
            Some(nearest) => json!({ "argument": ignored.path, "didYouMean": nearest }),
            None => json!({ "argument": ignored.path }),
        });
        meta.insert("chorus/ignoredArguments".into(), Value::Array(list.collect()));
    }
    if reply.replayed {
        meta.insert("chorus/replayed".into(), Value::Bool(true));
    }
    CallResult { meta: (!meta.is_empty()).then_some(meta), ..CallResult::value(Written::from(&reply.answer)) }
}

/// The result of a call that was refused.
pub fn refusal(refusal: &Refusal) -> CallResult {
    CallResult {
        text: refusal.text.clone(),
        content: Vec::new(),
        structured: None,
        is_error: true,
        meta: Some(Map::from_iter([("chorus/error".to_owned(), for_machines(refusal))])),
    }
}

fn for_machines(refusal: &Refusal) -> Value {
    let mut error = Map::new();
    error.insert("code".into(), refusal.code.as_str().into());
    error.insert("retryable".into(), refusal.retryable().into());
    if let Some(details) = &refusal.details {
        error.insert("details".into(), details.clone());
    }
    Value::Object(error)
}

/// A failure as an error of the protocol, for what is no tool and has no result of its own to say it in.
pub fn protocol(error: &Error) -> RpcError {
    let refusal = failure(error);
    let ours = matches!(refusal.code, Code::Unavailable | Code::Internal | Code::RateLimited);
    let code = if ours { code::INTERNAL_ERROR } else { code::INVALID_PARAMS };
    let data = Some(json!({ "chorus/error": for_machines(&refusal) }));
    RpcError { code, message: refusal.text, data }
}

/// What a caller may know of a failure. The cause goes to the log, and nowhere else.
pub fn failure(error: &Error) -> Refusal {
    match error {
        Error::Refused(refusal) => refusal.clone(),
        Error::Again(cause) | Error::Unavailable(cause) => {
            tracing::warn!(error = %cause, "the database is not available");
            Refusal::new(
                Code::Unavailable,
                "The server could not finish this just now. Wait a few seconds and repeat the call; with an \
                 `idempotencyKey` it is never done twice.",
            )
        }
        Error::Internal(cause) => {
            tracing::error!(error = %cause, "internal error");
            Refusal::new(
                Code::Internal,
                "Something went wrong inside the server; this is not the fault of your call. The server's log has \
                 the details under the id of this request.",
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_never_reaches_the_caller() {
        for error in [
            Error::internal("relation \"task\" does not exist"),
            Error::Unavailable("password authentication failed".into()),
            Error::Again("deadlock detected".into()),
        ] {
            let result = refusal(&failure(&error));
            let shown = format!("{} {:?}", result.text, result.meta);
            assert!(!["relation", "password", "deadlock"].iter().any(|word| shown.contains(word)), "{shown}");
        }
    }

    #[test]
    fn an_error_carries_code_and_details_but_no_structured_content() {
        let result = refusal(&Refusal::invalid("title", "is blank"));
        assert!(result.is_error);
        assert_eq!(result.structured, None);
        let error = result.meta.and_then(|meta| meta.get("chorus/error").cloned());
        assert_eq!(
            error,
            Some(json!({
                "code": "invalid_arguments", "retryable": false,
                "details": { "problems": [{ "field": "title", "message": "is blank" }] }
            }))
        );
    }
}
