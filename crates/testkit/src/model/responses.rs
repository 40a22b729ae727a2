//! `POST /v1/responses`.

use serde_json::{Value, json};

use super::{Dialect, Offered, Says, ToolOutput, text};

/// Tools are in a namespace `mcp__SERVER`; a result is the last item of the input.
pub(super) struct Responses;

fn namespace(server: &str) -> String {
    format!("mcp__{server}")
}

impl Dialect for Responses {
    fn offered(&self, server: &str, request: &Value) -> Vec<Offered> {
        let namespace = namespace(server);
        let groups = request["tools"].as_array().into_iter().flatten();
        let groups = groups.filter(|group| group["type"] == "namespace" && group["name"] == namespace.as_str());
        let tools = groups.flat_map(|group| group["tools"].as_array().into_iter().flatten());
        let offered = tools.filter_map(|tool| {
            Some(Offered { name: tool["name"].as_str()?.to_owned(), schema: tool["parameters"].clone() })
        });
        offered.collect()
    }

    fn result(&self, request: &Value) -> Option<ToolOutput> {
        let last = request["input"].as_array()?.last()?;
        let output = (last["type"] == "function_call_output").then(|| &last["output"])?;
        Some(ToolOutput { text: text(output), failed: None })
    }

    fn events(&self, server: &str, number: u64, says: &Says) -> Vec<Value> {
        let item = match says {
            Says::Call { tool, arguments } => json!({
                "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
                "namespace": namespace(server), "name": tool, "arguments": arguments.to_string()
            }),
            Says::Text(said) => json!({
                "type": "message", "id": format!("msg_{number}"), "role": "assistant",
                "content": [{ "type": "output_text", "text": said }]
            }),
        };
        let id = format!("resp_{number}");
        let usage = json!({
            "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null,
            "total_tokens": 2
        });
        vec![
            json!({ "type": "response.created", "response": { "id": id } }),
            json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
            json!({ "type": "response.completed", "response": { "id": id, "usage": usage } }),
        ]
    }
}
