//! Resources to read.

use chorus_mcp::{Answer, Pages, Resource, ResourceContents, ResourceTemplate, RpcError};
use serde_json::json;

use crate::{Fixture, media};

/// How many resources and prompts a page holds: all that the suite looks for.
pub(crate) const PAGE: usize = 50;

/// The pattern of the resources that are made up on demand.
pub(crate) const TEMPLATE: &str = "test://template/{id}/data";

/// A page of the resources, by their URIs.
pub(crate) fn list(fixture: &Fixture, cursor: Option<&str>) -> Answer {
    let resource = |uri: &str, name: &str, description: &str, mime_type: &str| Resource {
        description: Some(description.into()),
        mime_type: Some(mime_type.into()),
        ..Resource::new(uri, name)
    };
    let resources = vec![
        resource("test://static-binary", "static-binary", "A picture of one pixel.", "image/png"),
        resource("test://static-text", "static-text", "A text that never changes.", "text/plain"),
        resource("test://watched-resource", "watched-resource", "A text to subscribe to.", "text/plain"),
    ];
    let pages = Pages { key: &fixture.key, list: b"resources", size: PAGE };
    match pages.page(resources, |resource| &resource.uri, cursor) {
        Ok((resources, next_cursor)) => Answer::Resources { resources, next_cursor },
        Err(error) => Answer::Error(error),
    }
}

/// The one template, on one page.
pub(crate) fn templates(cursor: Option<&str>) -> Answer {
    if cursor.is_some_and(|cursor| !cursor.is_empty()) {
        return Answer::Error(RpcError::invalid_cursor());
    }
    let template = ResourceTemplate {
        description: Some("Data for any id.".into()),
        mime_type: Some("application/json".into()),
        ..ResourceTemplate::new(TEMPLATE, "template")
    };
    Answer::Templates { templates: vec![template], next_cursor: None }
}

/// What a resource holds, if there is one.
pub(crate) fn read(uri: &str) -> Option<ResourceContents> {
    match uri {
        "test://static-text" => {
            Some(ResourceContents::text(uri, "text/plain", "This is the content of the static text resource."))
        }
        "test://static-binary" => Some(ResourceContents::blob(uri, "image/png", media::PNG)),
        "test://watched-resource" => Some(ResourceContents::text(uri, "text/plain", "Nothing has happened yet.")),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let valid = !id.is_empty() && !id.contains('/');
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            valid.then(|| ResourceContents::text(uri, "application/json", data.to_string()))
        }
    }
}
