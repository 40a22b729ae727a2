//! What is answered by the library of a mount.

use std::time::Duration;

use chorus_dispatch::{Library, Visitor, render};
use chorus_mcp::{Answer, RpcError, Work};
use chorus_store::Error;
use tokio::time::timeout;

/// The answer to what a library is for. It gets as much time as a tool. Where there is no library none of it is offered,
/// so that the protocol has refused it already.
pub(crate) async fn answer(library: Option<&dyn Library>, visitor: Visitor, work: &Work, time: Duration) -> Answer {
    let Some(library) = library else { return Answer::Error(RpcError::internal()) };
    let visitor = &visitor;
    let answering = async {
        match work {
            Work::ListResources { cursor } => library
                .resources(visitor, further(cursor.as_deref()))
                .await
                .map(|(resources, next_cursor)| Answer::Resources { resources, next_cursor }),
            Work::ListTemplates { cursor } => whole(cursor.as_deref(), || Answer::Templates {
                templates: library.templates(visitor),
                next_cursor: None,
            }),
            Work::ReadResource { uri, .. } => library.read(visitor, uri).await.map(Answer::Contents),
            Work::ListPrompts { cursor } => {
                whole(cursor.as_deref(), || Answer::Prompts { prompts: library.prompts(visitor), next_cursor: None })
            }
            Work::GetPrompt { name, arguments, .. } => {
                library.prompt(visitor, name, arguments).await.map(Answer::Prompt)
            }
            Work::Complete(request) => library.complete(visitor, request).await.map(Answer::Completion),
            Work::ListTools { .. }
            | Work::CallTool { .. }
            | Work::Subscribe { .. }
            | Work::Unsubscribe { .. }
            | Work::Listen(_)
            | Work::GetTask { .. }
            | Work::UpdateTask { .. }
            | Work::CancelTask { .. } => Err(RpcError::internal()),
        }
    };
    match timeout(time, answering).await {
        Ok(answered) => answered.unwrap_or_else(Answer::Error),
        Err(late) => Answer::Error(render::protocol(&Error::Unavailable(Box::new(late)))),
    }
}

/// An empty cursor is valid and means the beginning (protocol checklist §11).
fn further(cursor: Option<&str>) -> Option<&str> {
    cursor.filter(|cursor| !cursor.is_empty())
}

/// A list that is sent in one page, so that no cursor is ever handed out.
fn whole(cursor: Option<&str>, list: impl FnOnce() -> Answer) -> Result<Answer, RpcError> {
    if further(cursor).is_some() { Err(RpcError::invalid_cursor()) } else { Ok(list()) }
}
