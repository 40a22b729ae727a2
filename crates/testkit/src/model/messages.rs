//! `POST /v1/messages`.

use serde_json::{Value, json};

use super::{Dialect, Offered, Says, ToolOutput, text};

/// Tools are `mcp__SERVER__TOOL`; a result is in what follows the model's last message.
pub(super) struct Messages;

fn prefix(server: &str) -> String {
    format!("mcp__{server}__")
}

impl Dialect for Messages {
    fn offered(&self, server: &str, request: &Value) -> Vec<Offered> {
        let prefix = prefix(server);
        let tools = request["tools"].as_array().into_iter().flatten();
        let offered = tools.filter_map(|tool| {
            let name = tool["name"].as_str()?.strip_prefix(&prefix)?.to_owned();
            Some(Offered { name, schema: tool["input_schema"].clone() })
        });
        offered.collect()
    }

    fn result(&self, request: &Value) -> Option<ToolOutput> {
        let since = request["messages"].as_array()?.iter().rev().take_while(|message| message["role"] != "assistant");
        let mut parts = since.flat_map(|message| message["content"].as_array().into_iter().flatten());
        let result = parts.find(|part| part["type"] == "tool_result")?;
        let failed = result["is_error"].as_bool().unwrap_or(false);
        Some(ToolOutput { text: text(&result["content"]), failed: Some(failed) })
    }

    fn events(&self, server: &str, number: u64, says: &Says) -> Vec<Value> {
        let (block, delta, reason) = match says {
            Says::Call { tool, arguments } => (
                json!({
                    "type": "tool_use", "id": format!("toolu_{number}"), "name": format!("{}{tool}", prefix(server)),
                    "input": {}
                }),
                json!({ "type": "input_json_delta", "partial_json": arguments.to_string() }),
                "tool_use",
            ),
            Says::Text(said) => {
                (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": said }), "end_turn")
            }
        };
        let usage = json!({ "input_tokens": 1, "output_tokens": 1 });
        let message = json!({
            "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "test", "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage
        });
        vec![
            json!({ "type": "message_start", "message": message }),
            json!({ "type": "content_block_start", "index": 0, "content_block": block }),
            json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": usage }),
            json!({ "type": "message_stop" }),
        ]
    }
}
