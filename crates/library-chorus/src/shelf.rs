//! What is listed: the context, then what the caller is likely to open.

use chorus_app::library::{self, Item, Section, Stretch};
use chorus_dispatch::{Visitor, cursor::Binding};
use chorus_mcp::{Resource, ResourceAnnotations, ResourceTemplate};
use chorus_store::Error;
use serde_json::Map;

use crate::{
    ChorusLibrary,
    address::{Address, template},
    family::{FAMILIES, Family, JSON},
};

/// A page of the list, with the cursor of the next.
pub(crate) type Listed = (Vec<Resource>, Option<String>);

/// How much the context matters beside other resources: a model should know it before anything else.
const FOREMOST: f64 = 1.0;

fn binding() -> Binding {
    Binding::new("resources/list", &Map::new())
}

const fn number(section: Section) -> u8 {
    match section {
        Section::Ideas => 0,
        Section::Tasks => 1,
        Section::Projects => 2,
    }
}

fn section(number: u8) -> Option<Section> {
    match number {
        0 => Some(Section::Ideas),
        1 => Some(Section::Tasks),
        2 => Some(Section::Projects),
        _ => None,
    }
}

impl ChorusLibrary {
    /// The page of the list behind a cursor; `None` for a cursor that is none of its own.
    pub(crate) async fn shelf(&self, visitor: &Visitor, cursor: Option<&str>) -> Result<Option<Listed>, Error> {
        let after = match cursor {
            None => None,
            Some(cursor) => {
                let place = binding().decode(cursor).ok();
                let Some((Some(section), place)) = place.map(|(number, place)| (section(number), place)) else {
                    return Ok(None);
                };
                Some((section, place))
            }
        };
        let call = visitor.call()?;
        let mut reads = visitor.services.store.read().await?;
        let Stretch { items, next } = library::shelf(&call, reads.as_mut(), after).await?;
        let first = after.is_none().then(context);
        let rest = items.iter().filter_map(|item| self.listed(visitor, item));
        let next = next.map(|(section, place)| binding().encode(number(section), place));
        Ok(Some((first.into_iter().chain(rest).collect(), next)))
    }

    /// Something as it is listed; nothing of a kind that the visitor can't read.
    fn listed(&self, visitor: &Visitor, item: &Item) -> Option<Resource> {
        let family = Family::of(item.kind).filter(|family| self.reads(visitor, family))?;
        let address = Address::of(item.project, item.kind, item.id)?;
        let about = match item.status {
            Some(status) => format!("{}, {status}, in the project {}", family.title, item.project_name),
            None => family.title.to_owned(),
        };
        Some(Resource {
            title: Some(item.title.clone()),
            description: Some(about),
            mime_type: Some(family.media.to_owned()),
            annotations: ResourceAnnotations {
                last_modified: Some(item.updated_at.to_string()),
                ..ResourceAnnotations::default()
            },
            ..Resource::new(address.to_string(), item.title.clone())
        })
    }

    /// The patterns of everything that can be read.
    pub(crate) fn patterns(&self, visitor: &Visitor) -> Vec<ResourceTemplate> {
        let readable = FAMILIES.iter().filter(|family| self.reads(visitor, family));
        let pattern = |family: &Family| ResourceTemplate {
            title: Some(family.title.to_owned()),
            description: Some(family.description.to_owned()),
            mime_type: Some(family.media.to_owned()),
            ..ResourceTemplate::new(template(family), family.name)
        };
        readable.map(pattern).collect()
    }

    /// Whether the tool that reads this family exists for the visitor.
    pub(crate) fn reads(&self, visitor: &Visitor, family: &Family) -> bool {
        self.surface.visible(&visitor.caller, &chorus_dispatch::Selection::default(), family.tool).is_some()
    }
}

fn context() -> Resource {
    Resource {
        title: Some("Who I am in Chorus".to_owned()),
        description: Some("Your name, owner and permissions, and your access level in each project.".to_owned()),
        mime_type: Some(JSON.to_owned()),
        annotations: ResourceAnnotations { priority: Some(FOREMOST), ..ResourceAnnotations::default() },
        ..Resource::new(Address::Context.to_string(), "context")
    }
}
