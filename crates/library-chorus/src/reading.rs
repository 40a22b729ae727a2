//! Reading resources.

use chorus_app::{Context, library};
use chorus_dispatch::{CallRequest, Halt, Selection, Visitor};
use chorus_ids::{ProjectId, Uuid};
use chorus_mcp::ResourceContents;
use chorus_store::Error;
use serde_json::{Map, Value, json};

use crate::{
    ChorusLibrary,
    address::Address,
    context,
    family::{Family, JSON, MARKDOWN},
};

/// Something that was read.
pub(crate) struct Thing {
    /// Where it is.
    pub(crate) address: Address,
    /// Its tool's answer.
    pub(crate) answer: Value,
}

impl Thing {
    /// A text of the answer, blank if it has none.
    pub(crate) fn text(&self, at: &str) -> &str {
        self.answer.pointer(at).and_then(Value::as_str).unwrap_or_default()
    }
}

impl ChorusLibrary {
    /// What stands at an address; `None` if nothing does for this visitor.
    pub(crate) async fn contents(&self, visitor: &Visitor, uri: &str) -> Result<Option<ResourceContents>, Error> {
        match Address::parse(uri) {
            None => Ok(None),
            Some(Address::Context) => {
                let call = visitor.call()?;
                let mut reads = visitor.services.store.read().await?;
                let standing = library::standing(&call, reads.as_mut()).await?;
                let shown = context::shown(&visitor.caller, &standing);
                Ok(Some(ResourceContents::text(uri, JSON, shown.to_string())))
            }
            Some(Address::Thing { project, family, id }) => {
                let thing = self.thing(visitor, family, id).await?;
                // What is in another project is not there, whether the caller sees it or not.
                let there =
                    |thing: &Thing| matches!(thing.address, Address::Thing { project: of, .. } if of == project);
                Ok(thing.filter(there).map(|thing| rendered(&thing, family, uri)))
            }
        }
    }

    /// Reads something as its tool does, for this visitor; `None` if the tool finds nothing, or does not exist for them.
    /// What the client asked for of the tools plays no part: resources are offered beside them.
    pub(crate) async fn thing(
        &self,
        visitor: &Visitor,
        family: &'static Family,
        id: Uuid,
    ) -> Result<Option<Thing>, Error> {
        let mut arguments = Map::from_iter([(family.variable.to_owned(), json!(id))]);
        if let Some(section) = family.section {
            arguments.insert("section".to_owned(), json!(section));
        }
        let request = CallRequest {
            caller: visitor.caller.clone(),
            narrowing: visitor.narrowing.clone(),
            selection: Selection::default(),
            tool: family.tool.to_owned(),
            arguments,
            context: Context::default(),
        };
        let answer = match self.surface.call(&visitor.services, request).await {
            Ok(reply) => reply.answer,
            Err(Halt::UnknownTool) => return Ok(None),
            Err(Halt::Error(Error::Refused(refusal))) if refusal.code == chorus_domain::Code::NotFound => {
                return Ok(None);
            }
            Err(Halt::Error(error)) => return Err(error),
        };
        let project = answer.pointer(family.project_at).and_then(Value::as_str);
        let project = project.and_then(|project| project.parse::<ProjectId>().ok());
        let project = project.ok_or_else(|| Error::internal("an answer does not say its project"))?;
        Ok(Some(Thing { address: Address::Thing { project, family, id }, answer }))
    }
}

/// A thing as the contents of a resource.
pub(crate) fn rendered(thing: &Thing, family: &Family, uri: &str) -> ResourceContents {
    match family.media {
        MARKDOWN => {
            let mut contents = ResourceContents::text(uri, MARKDOWN, markdown(thing));
            let about = ["type", "version", "updatedAt"].into_iter();
            let about = about.filter_map(|key| Some((format!("chorus/{key}"), thing.answer.get(key)?.clone())));
            contents.meta = Some(about.collect());
            contents
        }
        media => ResourceContents::text(uri, media, thing.answer.to_string()),
    }
}

/// A document's text under its title.
fn markdown(thing: &Thing) -> String {
    let title: Vec<&str> = thing.text("/title").split_whitespace().collect();
    format!("# {}\n\n{}\n", title.join(" "), thing.text("/content").trim_end())
}
