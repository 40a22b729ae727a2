//! What deletions have in common: what they answer, and who is told.

use chorus_domain::{
    Kind, Party,
    notification::{Notice, Recipient, Topic, quoted},
};
use chorus_ids::{ProjectId, Uuid};
use chorus_store::{Hanging, Result};

use crate::Call;

/// Something that was deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// What kind of thing it was.
    pub kind: Kind,
    /// Which one.
    pub id: Uuid,
    /// What it was called.
    pub title: String,
    /// What went with it, and the entries of the activity stream, which stay.
    pub hanging: Hanging,
    /// What stayed that had to do with it.
    pub kept: Kept,
}

/// How much stayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Ideas directly below an idea, which are roots now.
    pub children: usize,
    /// Proposals that the caller sees and that name it as a source.
    pub proposals: usize,
    /// Tasks that waited for a task, as far as the caller sees them.
    pub dependants: usize,
}

/// Tells whoever held a thing that it is gone. The thing can't be opened any more, its project can.
pub(crate) fn notice(
    call: &Call,
    project: ProjectId,
    holder: Option<Party>,
    thing: (Kind, &str),
) -> Result<Option<Notice>> {
    holder.map(|holder| gone(call, project, (holder, "held"), thing)).transpose()
}

/// The same for whoever wrote it, or did what `did` says with it.
pub(crate) fn gone(
    call: &Call,
    project: ProjectId,
    (party, did): (Party, &str),
    (kind, title): (Kind, &str),
) -> Result<Notice> {
    let name = call.project(project)?.name.clone();
    Ok(Notice {
        to: vec![Recipient::Party(party)],
        topic: Topic::Deleted,
        project,
        entity: Kind::Project,
        entity_id: project.uuid(),
        entity_title: name,
        message: format!("{} deleted the {kind} {}, which you {did}", call.caller.name, quoted(title)),
    })
}
