//! What is offered beside the tools: resources, prompts, completion, as the library gives them over a real store of each
//! kind. How they look on the wire is in `offers.rs` of the suite.

mod completing;
mod listing;
mod prompting;
mod reading;

use std::collections::BTreeMap;

use chorus_app::Narrowing;
use chorus_dispatch::{Library as _, Selection, Visitor};
use chorus_domain::Caller;
use chorus_library::ChorusLibrary;
use chorus_mcp::{
    CompleteRequest, Completion, PromptResult, Reference, Resource, ResourceBody, ResourceContents, RpcError,
};
use serde_json::Value;

use super::stage::Stage;

/// The library over the tools of a stage.
struct Shelves<'s> {
    s: &'s Stage,
    library: ChorusLibrary,
}

impl<'s> Shelves<'s> {
    fn of(s: &'s Stage) -> Self {
        Self { s, library: ChorusLibrary::new(s.tools.surface.clone()) }
    }

    fn visitor(&self, who: &Caller) -> Visitor {
        Visitor {
            services: self.s.world.services.clone(),
            caller: who.clone(),
            narrowing: Narrowing::Nothing,
            selection: Selection::default(),
        }
    }

    fn narrowed(&self, who: &Caller, narrowing: Narrowing) -> Visitor {
        Visitor { narrowing, ..self.visitor(who) }
    }

    /// The pages of the list, to its end.
    async fn pages(&self, visitor: &Visitor) -> Vec<Vec<Resource>> {
        let mut pages = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let (page, next) = self.library.resources(visitor, cursor.as_deref()).await.unwrap();
            pages.push(page);
            if next.is_none() {
                return pages;
            }
            assert_ne!(next, cursor, "the walk goes on");
            cursor = next;
        }
    }

    /// The addresses that are listed, in their order.
    async fn listed(&self, visitor: &Visitor) -> Vec<String> {
        self.pages(visitor).await.concat().into_iter().map(|resource| resource.uri).collect()
    }

    /// What a resource holds: its one part.
    async fn part(&self, who: &Caller, uri: &str) -> Result<ResourceContents, RpcError> {
        let mut contents = self.library.read(&self.visitor(who), uri).await?;
        assert_eq!(contents.len(), 1, "{uri}");
        let part = contents.remove(0);
        assert_eq!(part.uri, uri);
        Ok(part)
    }

    /// The JSON of a resource.
    async fn json(&self, who: &Caller, uri: &str) -> Value {
        let part = self.part(who, uri).await.unwrap_or_else(|error| panic!("{uri}: {error}"));
        assert_eq!(part.mime_type.as_deref(), Some("application/json"), "{uri}");
        serde_json::from_str(body(&part)).unwrap()
    }

    async fn prompt(&self, visitor: &Visitor, name: &str, argument: (&str, &str)) -> Result<PromptResult, RpcError> {
        let arguments = BTreeMap::from([(argument.0.to_owned(), argument.1.to_owned())]);
        self.library.prompt(visitor, name, &arguments).await
    }

    async fn complete(
        &self,
        visitor: &Visitor,
        reference: Reference,
        argument: (&str, &str),
        context: &[(&str, &str)],
    ) -> Result<Completion, RpcError> {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let context = context.iter().map(|pair| owned(*pair)).collect();
        let request = CompleteRequest { reference, argument: owned(argument), context };
        self.library.complete(visitor, &request).await
    }
}

#[track_caller]
fn body(part: &ResourceContents) -> &str {
    match &part.body {
        ResourceBody::Text(text) => text,
        ResourceBody::Blob(_) => panic!("{} is no text", part.uri),
    }
}

/// The address of something in the project of a stage.
fn uri(s: &Stage, segment: &str, id: &str) -> String {
    format!("chorus://projects/{}/{segment}/{id}", s.project)
}
