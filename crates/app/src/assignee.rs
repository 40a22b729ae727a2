//! Whether work can be given to somebody.

use chorus_domain::{
    Party, Via,
    assignee::{Candidate, require},
};
use chorus_ids::ProjectId;
use chorus_permissions::Permission;
use chorus_store::{Result, Tx};

use crate::caller;

/// Passes if `to` can do work of this project that needs this permission.
///
/// # Errors
/// See [`require`].
pub(crate) async fn check(tx: &mut dyn Tx, project: ProjectId, to: Party, needed: Permission) -> Result<()> {
    let level = tx.directory().level_of(project, to).await?;
    let permissions = match to {
        Party::User(_) => None,
        Party::Agent(agent) => {
            let credential = tx.directory().agent_credential(agent).await?;
            credential.map(|credential| caller::of_credential(&credential, Via::Key).permissions)
        }
    };
    Ok(require(to, level.map(|level| Candidate { level, permissions }), needed)?)
}
