//! Calls whose answer may not come.

use chorus_testkit::Client;
use serde_json::{Value, json};

/// What became of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    /// Done, with this answer.
    Answer(Value),
    /// The tool refused it: its code, its text, its details.
    Refused(String, String, Value),
    /// Not done, and worth another try: the server said so.
    Later,
    /// Nobody knows: there was no answer, or the server does not know either.
    Lost,
}

/// Calls a tool once.
///
/// # Panics
/// If the answer is neither the tool's nor one that asks for patience in the form that clients understand.
pub(crate) async fn call(client: &Client, tool: &str, arguments: &Value) -> Said {
    let params = json!({ "name": tool, "arguments": arguments });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let Ok(response) = client.send(&body).await else { return Said::Lost };
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let Ok(text) = response.text().await else { return Said::Lost };
    if status == 503 {
        let seconds = headers.get("retry-after").map(|value| value.to_str().unwrap().parse::<u32>().unwrap());
        assert!(seconds.is_some_and(|seconds| seconds > 0), "no Retry-After: {text}");
        return Said::Later;
    }
    assert_eq!(status, 200, "{tool} {arguments}: {text}");
    let answer: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    read(&answer)
}

fn read(answer: &Value) -> Said {
    let result = &answer["result"];
    if result["isError"] == false {
        return Said::Answer(result["structuredContent"].clone());
    }
    let error = &result["_meta"]["chorus/error"];
    let code = error["code"].as_str().unwrap_or_else(|| panic!("not the answer of a tool: {answer}"));
    if code == "unavailable" {
        assert_eq!(error["retryable"], true, "{answer}");
        return Said::Lost;
    }
    assert_ne!(code, "internal", "{answer}");
    let text = result["content"][0]["text"].as_str().unwrap();
    Said::Refused(code.to_owned(), text.to_owned(), error["details"].clone())
}
