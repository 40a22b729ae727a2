//! Deleting an idea.

use chorus_domain::{Batch, Kind, Refusal, Write, activity::Action, event::Change};
use chorus_ids::IdeaId;
use chorus_store::{Outcome, Reads, Result, Tx};
use serde_json::json;

use super::load;
use crate::{
    Call,
    deletion::{self, Deleted, Kept},
};

/// What would go with an idea and what would stay, as things are now.
///
/// # Errors
/// Not found.
pub async fn impact(call: &Call, reads: &mut dyn Reads, id: IdeaId) -> Result<Deleted> {
    let idea = reads.idea(&call.scope, id).await?.ok_or_else(|| Refusal::not_found(Kind::Idea))?;
    let uuid = id.uuid();
    let children = reads.titles_of_children(&call.scope, id).await?.len();
    let proposals = reads.proposals_naming(&call.scope, &[uuid]).await?.len();
    let hanging = reads.directory().hanging(Kind::Idea, uuid).await?;
    let kept = Kept { children, proposals, ..Kept::default() };
    Ok(Deleted { kind: Kind::Idea, id: uuid, title: idea.title, hanging, kept })
}

/// Deletes an idea with what hangs on it. The ideas directly below it become roots, which their streams tell; its holder
/// is told (lifecycle specification §2.6).
///
/// # Errors
/// Not found.
pub async fn delete(call: &Call, tx: &mut dyn Tx, id: IdeaId) -> Result<Outcome<Deleted>> {
    let idea = load(call, tx, id).await?;
    let (project, uuid) = (idea.project, id.uuid());
    let children = tx.titles_of_children(&call.scope, id).await?;
    let proposals = tx.proposals_naming(&call.scope, &[uuid]).await?.len();
    let hanging = tx.directory().hanging(Kind::Idea, uuid).await?;
    let holder = idea.assignee.map(|held| held.to);
    let mut batch = Batch {
        writes: vec![Write::DropIdea(id, call.now), Write::ArchiveAbout(Kind::Idea, vec![uuid], call.now)],
        events: vec![call.event(project, Kind::Idea, uuid, Change::Deleted)],
        notices: deletion::notice(call, project, holder, (Kind::Idea, &idea.title))?.into_iter().collect(),
        ..Batch::default()
    };
    for (child, title) in &children {
        let value = json!({ "fromParentUuid": id, "toParentUuid": null });
        let child = child.uuid();
        batch.activities.push(call.activity(project, (Kind::Idea, child, title), Action::Reparented, Some(value)));
        batch.events.push(call.event(project, Kind::Idea, child, Change::Updated));
    }
    // Above it one child is missing now.
    batch.events.extend(idea.parent.map(|parent| call.event(project, Kind::Idea, parent.uuid(), Change::Updated)));
    let kept = Kept { children: children.len(), proposals, ..Kept::default() };
    let answer = Deleted { kind: Kind::Idea, id: uuid, title: idea.title, hanging, kept };
    Ok(Outcome { batch, answer })
}
