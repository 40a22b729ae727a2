//! Moving a project into a group, or out of one (visibility specification §6.4).

use std::collections::BTreeMap;

use chorus_domain::{
    Batch, Kind, Refusal, Write,
    activity::Action,
    event::Change,
    membership::{Person, Step, change_refused, move_denied, visibility_told},
    project::{Project, ProjectMember},
};
use chorus_ids::{GroupId, ProjectId, UserId};
use chorus_store::{Outcome, Result, Tx};
use chorus_visibility::{ChildAccess, GroupAccess, MoveChange, MovePlan, Operation, RoleEffect};
use serde_json::json;

use crate::{
    Call,
    access::{self, Company, Confirmation, Placed, authorised, confirmed, confirmer, logged, token},
    leaving::{Left, Released, responsible},
};

/// What a move would do.
#[derive(Clone, Debug, PartialEq)]
pub struct MovePreview {
    /// What it writes and does.
    pub plan: MovePlan,
    /// What those hold who can't edit any more, and would let go of.
    pub released: Released,
    /// What the project is called.
    pub name: String,
    /// Who the people are, for an administrator of the project.
    pub people: Option<BTreeMap<UserId, Person>>,
    /// Confirms exactly this.
    pub token: String,
}

/// What a call for a move came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Moved {
    /// The project where it is now.
    Project(Project),
    /// What the move would do; nothing was changed.
    Preview(MovePreview),
}

/// Moves a project into a group, or out of its group, or says what that would do.
///
/// # Errors
/// Not found for project or group; `forbidden`; `last_admin` if it would be left without administrator;
/// `stale_confirmation` if it has to be confirmed and no token that still holds came.
pub async fn relocate(
    call: &Call,
    tx: &mut dyn Tx,
    id: ProjectId,
    target: Option<GroupId>,
    step: Step,
) -> Result<Outcome<Moved>> {
    let placed = Placed::load(call, tx, id, target).await?;
    let access = match target {
        None => None,
        Some(target) => Some(target_access(call, tx, &placed, target).await?),
    };
    let authorise = |effect| {
        let project = &placed.snapshot.facts;
        authorised(call, &Operation::Move { project, target: access.as_ref(), effect }).map_err(move_denied)
    };
    authorise(RoleEffect::Kept)?;
    let company = Company::load(call, tx).await?;
    let change = MoveChange {
        project: &placed.snapshot,
        source: placed.group().map(|group| &group.snapshot),
        target: target.and_then(|target| placed.groups.get(&target)).map(|group| &group.snapshot),
    };
    let plan = change.plan(&company.snapshot).map_err(change_refused)?;
    authorise(plan.effect())?;
    let expected = token(&change.confirmation_bytes(&company.snapshot, &confirmer(call)));
    let left = Left::by(call, tx, [&plan.project.impact]).await?;
    if step == Step::Preview {
        let people = placed.is_administered(call).then_some(company.people);
        let released = left.released();
        let preview = MovePreview { plan, released, name: placed.project.name.clone(), people, token: expected };
        return Ok(Outcome { batch: Batch::default(), answer: Moved::Preview(preview) });
    }
    let need = if plan.requires_confirmation() { Confirmation::Required } else { Confirmation::Optional };
    confirmed(access::given(&step), &expected, need)?;
    if !plan.is_move() {
        return Ok(Outcome { batch: Batch::default(), answer: Moved::Project(placed.project) });
    }
    let visibility = plan.project.impact.to;
    let project = Project { group: target, visibility, updated_at: call.now, ..placed.project.clone() };
    let mut batch = written(call, &placed, &project, &plan);
    left.write(call, tx, &responsible([&plan.project.impact]), &mut batch).await?;
    Ok(Outcome { batch, answer: Moved::Project(project) })
}

async fn target_access(call: &Call, tx: &mut dyn Tx, placed: &Placed, target: GroupId) -> Result<GroupAccess> {
    let missing = || Refusal::not_found(Kind::Group);
    let group = placed.groups.get(&target).ok_or_else(missing)?;
    let view = tx.directory().group(&call.caller.principal, target).await?.ok_or_else(missing)?;
    Ok(group.access(call, if view.sees_child { ChildAccess::Some } else { ChildAccess::None }))
}

fn written(call: &Call, placed: &Placed, project: &Project, plan: &MovePlan) -> Batch {
    let id = project.id;
    let added_by = call.caller.subject.party();
    let member = |&(user, role): &(UserId, _)| {
        Write::PutProjectMember(ProjectMember { project: id, user, role, added_by, created_at: call.now })
    };
    let mut batch = Batch { writes: plan.project.grants.iter().map(member).collect(), ..Batch::default() };
    batch.writes.push(Write::SaveProject(project.clone()));
    let about = (Kind::Project, id.uuid(), project.name.as_str());
    // Who sees the project discovers the group that it is in now, but perhaps not the one that it left.
    let value = json!({ "groupUuid": project.group });
    batch.activities.push(call.activity(id, about, Action::ProjectGroupChanged, Some(value)));
    if let Some(to) = plan.project.new_visibility() {
        let value = visibility_told(placed.project.visibility, to);
        batch.activities.push(call.activity(id, about, Action::ProjectVisibilityChanged, Some(value)));
    }
    batch.events.push(call.event(id, Kind::Project, id.uuid(), Change::Updated));
    for group in plan.bumped_groups().filter_map(|group| placed.groups.get(&group)) {
        batch.writes.push(access::bumped(call, &group.group));
        let value = json!({ "projectUuid": id, "from": plan.source, "to": plan.target });
        batch.writes.extend(logged(call, group.group.id, "project_moved", value));
        batch.events.push(call.group_event(group.group.id, Change::Updated));
    }
    batch
}
