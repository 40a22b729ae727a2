//! Use cases: members of projects (visibility specification §6.2). No tool changes them; the command line and the
//! console do.

use std::collections::BTreeMap;

use chorus_domain::{
    Batch, Kind, Party, Subject,
    activity::Action,
    event::Change,
    membership::{Of, Person, member_refused, project_denied, write},
};
use chorus_ids::{ProjectId, UserId};
use chorus_store::{Outcome, Reads, Result, Tx};
use chorus_visibility::{
    MemberChange, MemberWrite, Need, Operation, ProjectImpact, ProjectMember, change_project_member, level, permits,
    project_member_impact, project_members,
};
use serde_json::json;

use crate::{
    Call,
    access::{Company, Placed, authorised},
    agent::require_present,
    leaving::{Left, Released, responsible},
};

/// The members of a project, from both layers, with who they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Members {
    /// Their roles, by user.
    pub rows: Vec<ProjectMember>,
    /// Who the people are.
    pub people: BTreeMap<UserId, Person>,
}

/// Everybody with a role in a project.
///
/// # Errors
/// Not found for who does not see the project.
pub async fn list(call: &Call, reads: &mut dyn Reads, id: ProjectId) -> Result<Members> {
    let placed = Placed::load(call, reads, id, None).await?;
    if call.caller.subject != Subject::Operator {
        let facts = &placed.snapshot.facts;
        let access = permits(level(&call.caller.principal, facts), facts.visibility, Need::Viewer);
        access.granted().map_err(project_denied)?;
    }
    let company = Company::load(call, reads).await?;
    let group = placed.group().map(|group| &group.snapshot);
    let rows = project_members(&placed.snapshot, group, &company.snapshot);
    Ok(Members { rows, people: company.people })
}

/// The people of the caller's company who are not suspended, oldest first.
///
/// # Errors
/// What the store reports.
pub async fn people(call: &Call, reads: &mut dyn Reads) -> Result<Vec<Person>> {
    reads.directory().people(call.caller.company).await
}

/// A membership as it was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberChanged {
    /// What was written.
    pub written: MemberWrite,
    /// What the member and their agents had to let go of.
    pub released: Released,
}

/// What a change of a membership would do.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberPreview {
    /// What would be written.
    pub written: MemberWrite,
    /// What it does to people.
    pub impact: ProjectImpact,
    /// What the member and their agents would have to let go of.
    pub released: Released,
    /// Who the people are.
    pub people: BTreeMap<UserId, Person>,
}

/// What a change of a member of a project would do; nothing is changed.
///
/// # Errors
/// As [`change`].
pub async fn preview(call: &Call, reads: &mut dyn Reads, id: ProjectId, change: MemberChange) -> Result<MemberPreview> {
    let placed = Placed::load(call, reads, id, None).await?;
    authorised(call, &Operation::ProjectMembers(&placed.snapshot.facts)).map_err(project_denied)?;
    let company = Company::load(call, reads).await?;
    let group = placed.group().map(|group| &group.snapshot);
    let written = change_project_member(change, &placed.snapshot, group, &company.snapshot)
        .map_err(|why| member_refused(Of::Project(id), why))?;
    let impact = project_member_impact(written, &placed.snapshot, group, &company.snapshot);
    let released = Left::by(call, reads, [&impact]).await?.released();
    Ok(MemberPreview { written, impact, released, people: company.people })
}

/// Adds, changes or removes a member of a project. It takes effect at once. Whoever can't edit the project any more lets
/// go of what they and their agents hold there.
///
/// # Errors
/// Not found, `forbidden` without an administrator of the project; what [`member_refused`] says.
pub async fn change(
    call: &Call,
    tx: &mut dyn Tx,
    id: ProjectId,
    change: MemberChange,
) -> Result<Outcome<MemberChanged>> {
    let placed = Placed::load(call, tx, id, None).await?;
    authorised(call, &Operation::ProjectMembers(&placed.snapshot.facts)).map_err(project_denied)?;
    let company = Company::load(call, tx).await?;
    let group = placed.group().map(|group| &group.snapshot);
    let of = Of::Project(id);
    let written = change_project_member(change, &placed.snapshot, group, &company.snapshot)
        .map_err(|why| member_refused(of, why))?;
    let unchanged = MemberChanged { written, released: Released::default() };
    let Some(row) = write(of, written, call.caller.subject.party(), call.now) else {
        return Ok(Outcome { batch: Batch::default(), answer: unchanged });
    };
    if let MemberWrite::Insert { user, .. } | MemberWrite::Update { user, .. } = written {
        require_present(call, tx, Party::User(user)).await?;
    }
    let (action, value) = match written {
        MemberWrite::Insert { user, role } => {
            (Action::ProjectMemberAdded, json!({ "userUuid": user, "role": role.as_str() }))
        }
        MemberWrite::Update { user, from, role } => (
            Action::ProjectMemberRoleChanged,
            json!({ "userUuid": user, "from": from.as_str(), "role": role.as_str() }),
        ),
        MemberWrite::Delete { user, from } => {
            (Action::ProjectMemberRemoved, json!({ "userUuid": user, "from": from.as_str() }))
        }
        MemberWrite::Unchanged => return Ok(Outcome { batch: Batch::default(), answer: unchanged }),
    };
    let about = (Kind::Project, id.uuid(), placed.project.name.as_str());
    let impact = project_member_impact(written, &placed.snapshot, group, &company.snapshot);
    let left = Left::by(call, tx, [&impact]).await?;
    let mut batch = Batch {
        writes: vec![row],
        activities: vec![call.activity(id, about, action, Some(value))],
        events: vec![call.event(id, Kind::Project, id.uuid(), Change::Updated)],
        ..Batch::default()
    };
    left.write(call, tx, &responsible([&impact]), &mut batch).await?;
    Ok(Outcome { batch, answer: MemberChanged { written, released: left.released() } })
}
