//! Looking up and holding what a command is about.

use chorus_app::Call;
use chorus_domain::{Kind, Refusal};
use chorus_ids::{GroupId, ProjectId};
use chorus_store::{Error, Hold, Result, Roots, Tx};

/// Holds a project, the group that it is in, and perhaps another one.
///
/// # Errors
/// `Again` if it was moved meanwhile.
pub(super) async fn hold(
    call: &Call,
    tx: &mut dyn Tx,
    project: ProjectId,
    (as_strongly_as, other): (Hold, Option<GroupId>),
) -> Result<()> {
    let group = group_of(call, tx, project).await?;
    let mut roots = Roots::default();
    for group in group.into_iter().chain(other) {
        roots.add(Kind::Group, group.uuid(), Hold::Own);
    }
    roots.add(Kind::Project, project.uuid(), as_strongly_as);
    tx.lock(&roots).await?;
    if group_of(call, tx, project).await? == group {
        Ok(())
    } else {
        Err(Error::Again("the project was moved while the command waited".into()))
    }
}

async fn group_of(call: &Call, tx: &mut dyn Tx, project: ProjectId) -> Result<Option<GroupId>> {
    let found = tx.directory().projects_by_id(call.caller.company, &[project]).await?;
    Ok(found.into_iter().next().ok_or_else(|| Refusal::not_found(Kind::Project))?.group)
}
