//! Tools: the table of them, and what the simple ones do.

use std::time::Duration;

use chorus_mcp::{
    Annotations, Answer, CallResult, Capability, Changed, Content, Request, ResourceContents, RpcError, ToolDef,
};
use serde_json::{Map, Value, json};
use tokio::time::sleep;

use crate::{Fixture, event::Reporter, media};

/// How long the tools that report take from one report to the next.
const STEP: Duration = Duration::from_millis(50);

/// All tools, on one page.
pub(crate) fn list(cursor: Option<&str>) -> Answer {
    match cursor {
        None | Some("") => Answer::Tools { tools: all(), next_cursor: None },
        Some(_) => Answer::Error(RpcError::invalid_cursor()),
    }
}

/// The table: name, description, properties of the arguments.
pub(crate) fn all() -> Vec<ToolDef> {
    let nothing = || json!({});
    let named = |name: &str| json!({ name: { "type": "string", "description": "Any text." } });
    let rows = [
        ("test_simple_text", "Answers with a text.", nothing()),
        ("test_image_content", "Answers with a picture.", nothing()),
        ("test_audio_content", "Answers with sound.", nothing()),
        ("test_embedded_resource", "Answers with a resource.", nothing()),
        ("test_multiple_content_types", "Answers with a text, a picture and a resource.", nothing()),
        ("test_tool_with_logging", "Logs what it does.", nothing()),
        ("test_tool_with_progress", "Tells how far it is.", nothing()),
        ("test_error_handling", "Fails.", nothing()),
        ("test_missing_capability", "Needs a client that can ask its model.", nothing()),
        ("test_streaming_elicitation", "Answers without asking back.", nothing()),
        ("test_logging_tool", "Logs, if it was asked to.", nothing()),
        ("test_trigger_tool_change", "Tells that the tools have changed.", nothing()),
        ("test_trigger_prompt_change", "Tells that the prompts have changed.", nothing()),
        ("test_input_required_result_elicitation", "Asks for a name.", nothing()),
        ("test_input_required_result_sampling", "Asks the model.", nothing()),
        ("test_input_required_result_list_roots", "Asks for folders.", nothing()),
        ("test_input_required_result_request_state", "Asks, and remembers that it did.", nothing()),
        ("test_input_required_result_multiple_inputs", "Asks three things at once.", nothing()),
        ("test_input_required_result_multi_round", "Asks two things, one after the other.", nothing()),
        ("test_input_required_result_tampered_state", "Asks, and refuses a memory that is not its own.", nothing()),
        ("test_input_required_result_capabilities", "Asks whatever the client can be asked.", nothing()),
        (
            "test_mirrored_argument",
            "Answers with an argument that a header mirrors.",
            json!({ "region": { "type": "string", "description": "Any text.", "x-mcp-header": "Region" } }),
        ),
        ("greet", "Greets by name.", named("name")),
        (
            "slow_compute",
            "Takes some seconds.",
            json!({
                "seconds": { "type": "integer", "description": "How many." },
                "label": { "type": "string", "description": "What the result is called." },
            }),
        ),
        ("failing_job", "Fails after a second, as a task.", nothing()),
        ("protocol_error_job", "Breaks off, as a task.", nothing()),
        ("confirm_delete", "Asks before it deletes nothing, as a task.", named("filename")),
        ("multi_input", "Asks two things, as a task.", nothing()),
        ("test_tool_with_task", "Asks for a name, then goes on as a task.", nothing()),
    ];
    let annotations = Annotations { read_only: true, destructive: false, idempotent: true, open_world: false };
    let tool = |name: &str, description: &str, input_schema: Value| ToolDef {
        name: name.into(),
        title: None,
        description: description.into(),
        input_schema,
        output_schema: None,
        annotations,
        meta: None,
    };
    let mut tools: Vec<_> = rows
        .into_iter()
        .map(|(name, description, properties)| {
            tool(name, description, json!({ "type": "object", "properties": properties }))
        })
        .collect();
    tools.push(tool("json_schema_2020_12_tool", "Has a schema of many words.", wordy_schema()));
    tools
}

/// A schema that has to arrive as it is.
fn wordy_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// The answer of a tool that neither asks back nor goes on as a task.
pub(crate) async fn call(
    fixture: &Fixture,
    request: &Request,
    name: &str,
    arguments: &Map<String, Value>,
    reporter: &Reporter,
) -> Answer {
    let picture = || Content::Image { data: media::PNG.to_vec(), mime_type: "image/png".into() };
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let result = match name {
        "test_simple_text" => CallResult::text("This is a simple text response for testing."),
        "test_image_content" => CallResult::blocks(vec![picture()]),
        "test_audio_content" => {
            CallResult::blocks(vec![Content::Audio { data: media::WAV.to_vec(), mime_type: "audio/wav".into() }])
        }
        "test_embedded_resource" => CallResult::blocks(vec![Content::Resource(ResourceContents::text(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        ))]),
        "test_multiple_content_types" => {
            let data = json!({ "test": "data", "value": 123 }).to_string();
            let resource = ResourceContents::text("test://mixed-content-resource", "application/json", data);
            CallResult {
                content: vec![picture(), Content::Resource(resource)],
                ..CallResult::text("Multiple content types test:")
            }
        }
        "test_tool_with_logging" => {
            reporter.info("Tool execution started").await;
            sleep(STEP).await;
            reporter.info("Tool processing data").await;
            sleep(STEP).await;
            reporter.info("Tool execution completed").await;
            CallResult::text("The tool ran and logged three messages.")
        }
        "test_tool_with_progress" => {
            reporter.progress(0.0).await;
            sleep(STEP).await;
            reporter.progress(50.0).await;
            sleep(STEP).await;
            reporter.progress(100.0).await;
            CallResult::text("The tool ran to its end.")
        }
        "test_error_handling" => CallResult::failure("This tool intentionally returns an error for testing"),
        "test_missing_capability" => match request.client.require([Capability::Sampling]) {
            Ok(()) => CallResult::text("The client can ask its model."),
            Err(error) => return Answer::Error(error),
        },
        "test_streaming_elicitation" => CallResult::text("Nothing was asked on the stream."),
        "test_logging_tool" => {
            reporter.info("The tool was called.").await;
            CallResult::text("Whoever asked for it has a message.")
        }
        "test_trigger_tool_change" => told(fixture, Changed::Tools),
        "test_trigger_prompt_change" => told(fixture, Changed::Prompts),
        "test_mirrored_argument" => CallResult::text(text("region").unwrap_or("no region")),
        "greet" => CallResult::text(format!("Hello, {}!", text("name").unwrap_or("stranger"))),
        "json_schema_2020_12_tool" => CallResult::text("The schema is what matters."),
        _ => return Answer::Error(RpcError::unknown_tool(name)),
    };
    Answer::Call(result)
}

/// Tells whoever listens.
fn told(fixture: &Fixture, changed: Changed) -> CallResult {
    let listeners = fixture.news.send(changed).unwrap_or_default();
    CallResult::text(format!("{listeners} were told."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_such_that_clients_keep_the_tools() {
        for tool in all() {
            assert_eq!(chorus_mcp::check_annotations(&tool.input_schema), Ok(()), "{}", tool.name);
        }
    }
}
