//! Completing ids in prompts and templates.

use chorus_app::completion::{self, Suggestions};
use chorus_dispatch::Visitor;
use chorus_domain::Kind;
use chorus_ids::ProjectId;
use chorus_mcp::{CompleteRequest, Completion, Reference};
use chorus_store::Error;

use crate::{
    ChorusLibrary,
    address::template,
    family::{FAMILIES, Family},
};

/// The variable that narrows the others.
const PROJECT: &str = "projectUuid";

impl ChorusLibrary {
    /// Values for an argument; `None` if there is no such argument for this visitor.
    pub(crate) async fn suggestions(
        &self,
        visitor: &Visitor,
        request: &CompleteRequest,
    ) -> Result<Option<Completion>, Error> {
        let (name, written) = &request.argument;
        let Some(kind) = self.kind_of(visitor, &request.reference, name) else { return Ok(None) };
        let project = match request.context.get(PROJECT).filter(|_| kind != Kind::Project) {
            None => None,
            // What is no id is no project, and nothing is in it.
            Some(text) => match text.parse::<ProjectId>() {
                Ok(project) => Some(project),
                Err(_) => return Ok(Some(Completion::default())),
            },
        };
        let call = visitor.call()?;
        let mut reads = visitor.services.store.read().await?;
        let Suggestions { ids, more } = completion::ids(&call, reads.as_mut(), kind, project, written).await?;
        let total = (!more).then_some(ids.len() as u64);
        Ok(Some(Completion { values: ids.iter().map(ToString::to_string).collect(), total, has_more: more }))
    }

    /// What the argument of this name stands for.
    fn kind_of(&self, visitor: &Visitor, reference: &Reference, argument: &str) -> Option<Kind> {
        match reference {
            Reference::Prompt { name } => {
                let family = self.offered(visitor, name)?.family()?;
                (family.variable == argument).then_some(family.kind)
            }
            Reference::Resource { uri } => {
                let readable = |family: &&Family| template(family) == *uri && self.reads(visitor, family);
                let family = FAMILIES.iter().find(readable)?;
                match argument {
                    PROJECT => Some(Kind::Project),
                    name => (name == family.variable).then_some(family.kind),
                }
            }
        }
    }
}
