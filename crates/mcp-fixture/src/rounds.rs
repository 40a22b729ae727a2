//! Tools that ask the client back (2026-07-28).

use std::collections::BTreeMap;

use chorus_mcp::{Answer, CallResult, InputRequest, InputRequired, Inputs, Request, RpcError};
use serde_json::{Value, json};

use crate::Fixture;

/// The answer of the tool with this name, if it is one of these.
pub(crate) fn call(fixture: &Fixture, request: &Request, name: &str, inputs: &Inputs) -> Option<Answer> {
    let round = Round { fixture, request, inputs };
    match name {
        "test_input_required_result_elicitation" => Some(round.greet()),
        "test_input_required_result_sampling" => Some(round.capital()),
        "test_input_required_result_list_roots" => Some(round.folders()),
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            Some(round.confirm().unwrap_or_else(Answer::Error))
        }
        "test_input_required_result_multiple_inputs" => Some(round.everything().unwrap_or_else(Answer::Error)),
        "test_input_required_result_multi_round" => Some(round.two_steps().unwrap_or_else(Answer::Error)),
        "test_input_required_result_capabilities" => Some(round.whatever_is_declared()),
        _ => None,
    }
}

/// One round of a request.
struct Round<'a> {
    fixture: &'a Fixture,
    request: &'a Request,
    inputs: &'a Inputs,
}

impl Round<'_> {
    fn greet(&self) -> Answer {
        match form(self.inputs, "user_name", "name") {
            Some(name) => text(format!("Hello, {name}!")),
            None => required([("user_name", ask("What is your name?", "name", "string"))], None),
        }
    }

    fn capital(&self) -> Answer {
        match said(self.inputs, "capital_question") {
            Some(said) => text(said),
            None => required([("capital_question", sample("What is the capital of France?", 100))], None),
        }
    }

    fn folders(&self) -> Answer {
        match roots(self.inputs, "client_roots") {
            Some(roots) => text(format!("The client works in {}.", roots.join(", "))),
            None => required([("client_roots", InputRequest::Roots)], None),
        }
    }

    /// Only who has seen the question can confirm.
    fn confirm(&self) -> Result<Answer, RpcError> {
        let asked = self.state()?.is_some();
        if asked && form(self.inputs, "confirm", "ok").is_some() {
            return Ok(text("state-ok"));
        }
        Ok(required([("confirm", ask("Please confirm", "ok", "boolean"))], self.sealed("asked")))
    }

    fn everything(&self) -> Result<Answer, RpcError> {
        let name = form(self.inputs, "user_name", "name");
        let answers = (name, said(self.inputs, "greeting"), roots(self.inputs, "client_roots"));
        if let (Some(_), (Some(name), Some(greeting), Some(roots))) = (self.state()?, answers) {
            return Ok(text(format!("{greeting} {name} works in {} folders.", roots.len())));
        }
        let questions = [
            ("user_name", ask("What is your name?", "name", "string")),
            ("greeting", sample("Generate a greeting", 50)),
            ("client_roots", InputRequest::Roots),
        ];
        Ok(required(questions, self.sealed("asked")))
    }

    /// The first answer travels in the state of the second question.
    fn two_steps(&self) -> Result<Answer, RpcError> {
        let first =
            || required([("step1", ask("Step 1: What is your name?", "name", "string"))], self.sealed("step 1"));
        let second = |name: &str| {
            let question = ask("Step 2: What is your favorite color?", "color", "string");
            required([("step2", question)], self.sealed(&format!("step 2 {name}")))
        };
        let Some(state) = self.state()? else { return Ok(first()) };
        if let Some(name) = state.strip_prefix("step 2 ") {
            return Ok(match form(self.inputs, "step2", "color") {
                Some(color) => text(format!("{name} likes {color}.")),
                None => second(name),
            });
        }
        Ok(form(self.inputs, "step1", "name").map_or_else(first, |name| second(&name)))
    }

    /// Asks of the client what it can do, and nothing else.
    fn whatever_is_declared(&self) -> Answer {
        if !self.inputs.responses.is_empty() {
            return text("Thank you.");
        }
        let questions = [
            ("user_name", ask("What is your name?", "name", "string")),
            ("greeting", sample("Generate a greeting", 50)),
            ("client_roots", InputRequest::Roots),
        ];
        let possible: Vec<_> =
            questions.into_iter().filter(|(_, question)| self.request.client.declares(question.needs())).collect();
        if possible.is_empty() {
            text("There is nothing that this client can be asked.")
        } else {
            required(possible, None)
        }
    }

    fn state(&self) -> Result<Option<String>, RpcError> {
        self.fixture.seal().open(&self.request.work)
    }

    fn sealed(&self, state: &str) -> Option<String> {
        self.fixture.seal().seal(&self.request.work, state, Fixture::expiry())
    }
}

/// A question with one field, which has to be filled in.
pub(crate) fn ask(message: &str, field: &str, kind: &str) -> InputRequest {
    let schema = json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] });
    InputRequest::Elicit { message: message.into(), schema }
}

fn sample(question: &str, tokens: u32) -> InputRequest {
    let message = json!({ "role": "user", "content": { "type": "text", "text": question } });
    InputRequest::Sample(
        [("messages".to_owned(), json!([message])), ("maxTokens".to_owned(), json!(tokens))].into_iter().collect(),
    )
}

/// What a form was filled in with, as text; `None` if it was not accepted or is not what was asked for.
pub(crate) fn form(inputs: &Inputs, key: &str, field: &str) -> Option<String> {
    let response = inputs.responses.get(key)?;
    if response.get("action")? != "accept" {
        return None;
    }
    match response.get("content")?.get(field)? {
        Value::String(value) => Some(value.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// What the model said.
fn said(inputs: &Inputs, key: &str) -> Option<String> {
    Some(inputs.responses.get(key)?.get("content")?.get("text")?.as_str()?.to_owned())
}

/// The folders that the client named.
fn roots(inputs: &Inputs, key: &str) -> Option<Vec<String>> {
    let roots = inputs.responses.get(key)?.get("roots")?.as_array()?;
    roots.iter().map(|root| Some(root.get("uri")?.as_str()?.to_owned())).collect()
}

pub(crate) fn required<'a>(
    questions: impl IntoIterator<Item = (&'a str, InputRequest)>,
    state: Option<String>,
) -> Answer {
    let requests: BTreeMap<_, _> = questions.into_iter().map(|(key, question)| (key.to_owned(), question)).collect();
    Answer::InputRequired(InputRequired { requests, state })
}

fn text(text: impl Into<String>) -> Answer {
    Answer::Call(CallResult::text(text))
}
