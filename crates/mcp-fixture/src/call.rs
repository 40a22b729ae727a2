//! The answers.

use chorus_mcp::{Answer, Filter, Head, Request, RpcError, Work, check_params};
use tokio::sync::broadcast::error::RecvError;

use crate::{
    Fixture,
    event::{Event, Reporter},
    prompts, resources, rounds, tools,
};

/// The answer to one request.
pub(crate) async fn answer(fixture: &Fixture, head: &Head, request: &Request, reporter: &Reporter) -> Answer {
    match &request.work {
        Work::ListTools { cursor } => tools::list(cursor.as_deref()),
        Work::CallTool { name, arguments, inputs } => {
            let Some(tool) = tools::all().into_iter().find(|tool| tool.name == *name) else {
                return Answer::Error(RpcError::unknown_tool(name));
            };
            if request.version.is_modern()
                && let Err(error) = check_params(head, &tool.input_schema, arguments)
            {
                return Answer::Error(error);
            }
            if let Some(answer) = rounds::call(fixture, request, name, inputs) {
                return answer;
            }
            if let Some(answer) = fixture.jobs.call(request, name, arguments, inputs).await {
                return answer;
            }
            tools::call(fixture, request, name, arguments, reporter).await
        }
        Work::ListResources { cursor } => resources::list(fixture, cursor.as_deref()),
        Work::ListTemplates { cursor } => resources::templates(cursor.as_deref()),
        Work::ReadResource { uri, .. } => {
            resources::read(uri).map_or_else(|| not_found(uri), |contents| Answer::Contents(vec![contents]))
        }
        Work::Subscribe { uri } | Work::Unsubscribe { uri } => {
            resources::read(uri).map_or_else(|| not_found(uri), |_| Answer::Done)
        }
        Work::ListPrompts { cursor } => prompts::list(fixture, cursor.as_deref()),
        Work::GetPrompt { name, arguments, inputs } => prompts::get(name, arguments, inputs),
        Work::Complete(wanted) => prompts::complete(wanted),
        Work::Listen(filter) => listen(fixture, filter, reporter).await,
        Work::GetTask { id } => fixture.jobs.get(id),
        Work::UpdateTask { id, responses } => fixture.jobs.update(id, responses),
        Work::CancelTask { id } => fixture.jobs.cancel(id),
    }
}

fn not_found(uri: &str) -> Answer {
    Answer::Error(RpcError::resource_not_found(uri))
}

/// Tells what changes until nobody listens any more.
async fn listen(fixture: &Fixture, filter: &Filter, reporter: &Reporter) -> Answer {
    let mut news = fixture.news.subscribe();
    let granted = Filter {
        resource_subscriptions: filter
            .resource_subscriptions
            .iter()
            .filter(|uri| resources::read(uri).is_some())
            .cloned()
            .collect(),
        tasks: filter.tasks.iter().filter(|id| fixture.jobs.knows(id)).cloned().collect(),
        ..filter.clone()
    };
    if !reporter.say(Event::Granted(granted)).await {
        return Answer::Listening;
    }
    loop {
        match news.recv().await {
            Ok(changed) => {
                if !reporter.say(Event::Changed(changed)).await {
                    return Answer::Listening;
                }
            }
            // Whoever missed some has to look again, and does so when the stream ends.
            Err(RecvError::Lagged(_) | RecvError::Closed) => return Answer::Listening,
        }
    }
}
