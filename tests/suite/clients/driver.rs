//! What every client can be told to do.

use chorus_testkit::CallResult;
use serde_json::Value;

/// A client that is connected, and does what it is told.
pub(super) trait Driver {
    /// Whether a call of a tool that it was not offered goes to the server.
    const BLIND: bool;

    /// Whether it stays connected between what it is told to do.
    const STAYS: bool;

    /// Whether whoever uses it is shown the machine code of a refusal.
    const SHOWS_CODES: bool;

    /// The names of the tools that it offers.
    async fn tools(&mut self) -> Vec<String>;

    /// Calls a tool.
    async fn call(&mut self, tool: &'static str, arguments: Value) -> CallResult;

    /// Ends in good order.
    async fn end(self);
}

/// Reads a result of a tool as an SDK gives it.
#[track_caller]
pub(super) fn read(result: &Value) -> CallResult {
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {result}"));
    if result["isError"] == true {
        assert_eq!(result.get("structuredContent"), None, "{result}");
        return CallResult::Refused(text.to_owned(), result["_meta"]["chorus/error"].clone());
    }
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    // Revisions before 2025-06-18 have the text alone.
    assert!(result.get("structuredContent").is_none_or(|structured| *structured == value), "{result}");
    CallResult::Answer(value)
}
