//! Edits of an idea.

use chorus_domain::{
    Batch, Kind,
    activity::Action,
    idea::{
        Idea,
        edit::{self, Edited, IdeaEdit, NewParent},
    },
};
use chorus_ids::IdeaId;
use chorus_store::{Outcome, Result, Tx};
use serde_json::json;

use super::{load, saved, target};
use crate::{
    Call,
    mention::{self, Text},
};

/// Changes title, text, parent and theme flag, those that are named, in one write. Whoever is newly mentioned in the
/// text is told. An edit that changes nothing writes nothing.
///
/// # Errors
/// What [`edit::edit`] refuses.
pub async fn edit(call: &Call, tx: &mut dyn Tx, id: IdeaId, edit: IdeaEdit) -> Result<Outcome<Idea>> {
    let before = load(call, tx, id).await?;
    let parent = match edit.parent {
        Some(Some(parent)) => {
            let line = tx.ideas_above(&call.scope, parent).await?;
            Some(NewParent { project: call.granted.project_of(Kind::Idea, parent.uuid()), line })
        }
        Some(None) | None => None,
    };
    let Edited { idea, changed_fields, reparented } = edit::edit(&before, edit, parent.as_ref(), call.now)?;
    if idea.version == before.version {
        return Ok(Outcome { batch: Batch::default(), answer: idea });
    }
    let mut batch = saved(call, &idea);
    if let Some((from, to)) = reparented {
        let value = json!({ "fromParentUuid": from, "toParentUuid": to });
        batch.activities.push(call.activity(idea.project, target(&idea), Action::Reparented, Some(value)));
    }
    if !changed_fields.is_empty() {
        let value = json!({ "changedFields": changed_fields });
        batch.activities.push(call.activity(idea.project, target(&idea), Action::Edited, Some(value)));
    }
    let text = Text {
        source: (Kind::Idea, id.uuid()),
        entity: target(&idea),
        before: before.content.as_deref(),
        after: idea.content.as_deref(),
        argument: Some("content".to_owned()),
    };
    mention::tell(call, tx, idea.project, &[text], &mut batch).await?;
    Ok(Outcome { batch, answer: idea })
}
