//! Prompts, and the completion of what fills them in.

use std::collections::BTreeMap;

use chorus_mcp::{
    Answer, CompleteRequest, Completion, Content, InputRequired, Inputs, Pages, PromptArgument, PromptDef,
    PromptMessage, PromptResult, Reference, ResourceContents, Role, RpcError,
};

use crate::{Fixture, media, resources, rounds};

/// What the first argument of `test_prompt_with_arguments` can be completed to.
const PLACES: &[&str] = &["london", "paris", "park", "party"];

/// A page of the prompts, by their names.
pub(crate) fn list(fixture: &Fixture, cursor: Option<&str>) -> Answer {
    let pages = Pages { key: &fixture.key, list: b"prompts", size: resources::PAGE };
    match pages.page(all(), |prompt| &prompt.name, cursor) {
        Ok((prompts, next_cursor)) => Answer::Prompts { prompts, next_cursor },
        Err(error) => Answer::Error(error),
    }
}

fn all() -> Vec<PromptDef> {
    let prompt = |name: &str, description: &str, arguments: &[(&str, &str)]| PromptDef {
        name: name.into(),
        description: Some(description.into()),
        arguments: arguments
            .iter()
            .map(|(name, description)| PromptArgument {
                name: (*name).into(),
                description: Some((*description).into()),
                required: true,
                ..PromptArgument::default()
            })
            .collect(),
        ..PromptDef::default()
    };
    vec![
        prompt("test_input_required_result_prompt", "Asks the user back before it is there.", &[]),
        prompt(
            "test_prompt_with_arguments",
            "Says its arguments again.",
            &[("arg1", "The first of them."), ("arg2", "The second of them.")],
        ),
        prompt("test_prompt_with_embedded_resource", "Holds a resource.", &[("resourceUri", "Which resource.")]),
        prompt("test_prompt_with_image", "Holds a picture.", &[]),
        prompt("test_simple_prompt", "Is one sentence.", &[]),
    ]
}

/// A prompt, filled in.
pub(crate) fn get(name: &str, arguments: &BTreeMap<String, String>, inputs: &Inputs) -> Answer {
    let Some(prompt) = all().into_iter().find(|prompt| prompt.name == name) else {
        return Answer::Error(RpcError::unknown_prompt(name));
    };
    if let Some(missing) = prompt.arguments.iter().find(|argument| !arguments.contains_key(&argument.name)) {
        return Answer::Error(RpcError::missing_argument(&missing.name));
    }
    let argument = |name: &str| arguments.get(name).map(String::as_str).unwrap_or_default();
    let user = |content| PromptMessage { role: Role::User, content };
    let messages = match name {
        "test_simple_prompt" => vec![PromptMessage::user("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => vec![PromptMessage::user(format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            argument("arg1"),
            argument("arg2")
        ))],
        "test_prompt_with_embedded_resource" => vec![
            user(Content::Resource(ResourceContents::text(
                argument("resourceUri"),
                "text/plain",
                "Embedded resource content for testing.",
            ))),
            PromptMessage::user("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![
            user(Content::Image { data: media::PNG.to_vec(), mime_type: "image/png".into() }),
            PromptMessage::user("Please analyze the image above."),
        ],
        _ => match rounds::form(inputs, "user_context", "context") {
            Some(context) => vec![PromptMessage::user(format!("Prompt with context: {context}"))],
            None => {
                let question = rounds::ask("What context should the prompt use?", "context", "string");
                let requests = BTreeMap::from([("user_context".to_owned(), question)]);
                return Answer::InputRequired(InputRequired { requests, state: None });
            }
        },
    };
    Answer::Prompt(PromptResult { description: prompt.description, messages, meta: None })
}

/// Values for an argument of a prompt or a part of a URI.
pub(crate) fn complete(wanted: &CompleteRequest) -> Answer {
    let (argument, typed) = &wanted.argument;
    let known: &[&str] = match (&wanted.reference, argument.as_str()) {
        (Reference::Prompt { name }, "arg1") if name == "test_prompt_with_arguments" => PLACES,
        (Reference::Prompt { name }, "arg2") if name == "test_prompt_with_arguments" => &[],
        (Reference::Prompt { name }, "resourceUri") if name == "test_prompt_with_embedded_resource" => {
            &["test://static-text", "test://watched-resource"]
        }
        (Reference::Resource { uri }, "id") if uri == resources::TEMPLATE => &[],
        (Reference::Prompt { .. } | Reference::Resource { .. }, _) => {
            return Answer::Error(RpcError::unknown_reference());
        }
    };
    let values: Vec<_> = known.iter().filter(|value| value.starts_with(typed)).map(|value| (*value).into()).collect();
    let total = u64::try_from(values.len()).ok();
    Answer::Completion(Completion { values, total, has_more: false })
}
