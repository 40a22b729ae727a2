//! Whether work can be given to somebody.

use chorus_domain::{
    Party, Via,
    assignee::{Candidate, require},
};
use chorus_ids::ProjectId;
use chorus_permissions::Permission;
use chorus_store::{Result, Tx};

use crate::{Call, agent::require_present, caller};

/// Passes if `to` can do work of this project that needs this permission, and keeps it from being removed before the
/// unit ends.
///
/// # Errors
/// See [`require`] and [`require_present`]: one that was removed is told from one that never was.
pub(crate) async fn check(
    call: &Call,
    tx: &mut dyn Tx,
    project: ProjectId,
    (to, needed): (Party, Permission),
) -> Result<()> {
    let level = tx.directory().level_of(project, to).await?;
    if level.is_some() || !tx.names(&call.scope, &[to]).await?.is_empty() {
        require_present(call, tx, to).await?;
    }
    let permissions = match to {
        Party::User(_) => None,
        Party::Agent(agent) => {
            let credential = tx.directory().agent_credential(agent).await?;
            credential.map(|credential| caller::of_credential(&credential, Via::Key).permissions)
        }
    };
    Ok(require(to, level.map(|level| Candidate { level, permissions }), needed)?)
}
