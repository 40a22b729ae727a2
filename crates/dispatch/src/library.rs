//! What a surface offers beside its tools: resources, prompts, completion.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chorus_app::{Books, Call, Context, Narrowing, Services};
use chorus_domain::{Caller, Kind, access::authorise};
use chorus_ids::Uuid;
use chorus_mcp::{
    CompleteRequest, Completion, PromptDef, PromptResult, Resource, ResourceContents, ResourceTemplate, RpcError,
};
use chorus_store::Result as Stored;

use crate::Selection;

/// Who asks a library for something, and with what.
#[derive(Clone)]
pub struct Visitor {
    /// What may be used for the answer.
    pub services: Services,
    /// Who asks.
    pub caller: Caller,
    /// The projects that the client asked to be restricted to.
    pub narrowing: Narrowing,
    /// The tools that the client asked for.
    pub selection: Selection,
}

impl Visitor {
    /// A call for a use case that reads what the caller's scope sees, and keeps no books of it. It is authorised for
    /// nothing in particular.
    ///
    /// # Errors
    /// None in practice: nothing is asked for.
    pub fn call(&self) -> Stored<Call> {
        let granted = authorise(&self.caller.principal, &[], &[])?;
        let context = Context { books: Books::Shut, ..Context::default() };
        let now = self.services.clock.now();
        let ids = self.services.ids.clone();
        Ok(Call::new(self.caller.clone(), granted, self.narrowing.clone(), now, context, ids))
    }
}

/// What a resource shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// Who calls, and what they have access to.
    Caller,
    /// A thing.
    Thing(Kind, Uuid),
}

/// What a surface offers beside its tools. What a visitor may not see, or can't do anything with, is not there for them,
/// and asking for it is answered like asking for what never was.
#[async_trait]
pub trait Library: Send + Sync {
    /// A page of the resources that are listed, and the cursor of the next.
    ///
    /// # Errors
    /// A cursor that is none of this list, or a failure.
    async fn resources(
        &self,
        visitor: &Visitor,
        cursor: Option<&str>,
    ) -> Result<(Vec<Resource>, Option<String>), RpcError>;

    /// The patterns of everything that can be read, whether it is listed or not.
    fn templates(&self, visitor: &Visitor) -> Vec<ResourceTemplate>;

    /// What a resource holds.
    ///
    /// # Errors
    /// Not found, or a failure.
    async fn read(&self, visitor: &Visitor, uri: &str) -> Result<Vec<ResourceContents>, RpcError>;

    /// What each of these resources shows, for telling those who wait for a change of it; `None` for one that the visitor
    /// may not read now, whatever the reason. The number of statements does not grow with the resources.
    ///
    /// # Errors
    /// A failure.
    async fn shown(&self, visitor: &Visitor, uris: &[String]) -> Stored<Vec<Option<Shown>>>;

    /// All prompts.
    fn prompts(&self, visitor: &Visitor) -> Vec<PromptDef>;

    /// A prompt, filled in.
    ///
    /// # Errors
    /// There is no such prompt, an argument is missing or names nothing, or a failure.
    async fn prompt(
        &self,
        visitor: &Visitor,
        name: &str,
        arguments: &BTreeMap<String, String>,
    ) -> Result<PromptResult, RpcError>;

    /// Values for an argument that is being written.
    ///
    /// # Errors
    /// There is no such argument, or a failure.
    async fn complete(&self, visitor: &Visitor, request: &CompleteRequest) -> Result<Completion, RpcError>;
}
