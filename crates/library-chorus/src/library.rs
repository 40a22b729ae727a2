//! The library as a surface offers it.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use chorus_app::unit;
use chorus_dispatch::{Library, Shown, Surface, Visitor, render};
use chorus_mcp::{
    CompleteRequest, Completion, PromptDef, PromptResult, Resource, ResourceContents, ResourceTemplate, RpcError,
};
use chorus_store::Result as Stored;

/// What Chorus offers beside its tools. It reads through them.
#[derive(Clone)]
pub struct ChorusLibrary {
    pub(crate) surface: Arc<Surface>,
}

impl ChorusLibrary {
    /// The library that reads through the Chorus tools.
    pub const fn new(surface: Arc<Surface>) -> Self {
        Self { surface }
    }
}

#[async_trait]
impl Library for ChorusLibrary {
    async fn resources(
        &self,
        visitor: &Visitor,
        cursor: Option<&str>,
    ) -> Result<(Vec<Resource>, Option<String>), RpcError> {
        let page = unit::read(|_run| self.shelf(visitor, cursor)).await.map_err(|error| render::protocol(&error))?;
        page.ok_or_else(RpcError::invalid_cursor)
    }

    fn templates(&self, visitor: &Visitor) -> Vec<ResourceTemplate> {
        self.patterns(visitor)
    }

    async fn read(&self, visitor: &Visitor, uri: &str) -> Result<Vec<ResourceContents>, RpcError> {
        let contents =
            unit::read(|_run| self.contents(visitor, uri)).await.map_err(|error| render::protocol(&error))?;
        Ok(vec![contents.ok_or_else(|| RpcError::resource_not_found(uri))?])
    }

    async fn shown(&self, visitor: &Visitor, uris: &[String]) -> Stored<Vec<Option<Shown>>> {
        unit::read(|_run| self.watched(visitor, uris)).await
    }

    fn prompts(&self, visitor: &Visitor) -> Vec<PromptDef> {
        self.definitions(visitor)
    }

    async fn prompt(
        &self,
        visitor: &Visitor,
        name: &str,
        arguments: &BTreeMap<String, String>,
    ) -> Result<PromptResult, RpcError> {
        self.filled_in(visitor, name, arguments).await
    }

    async fn complete(&self, visitor: &Visitor, request: &CompleteRequest) -> Result<Completion, RpcError> {
        let values =
            unit::read(|_run| self.suggestions(visitor, request)).await.map_err(|error| render::protocol(&error))?;
        values.ok_or_else(RpcError::unknown_reference)
    }
}
