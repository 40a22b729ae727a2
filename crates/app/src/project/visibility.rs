//! Who sees a project (visibility specification §6.4). No tool changes it; the command line and the console do.

use std::collections::BTreeMap;

use chorus_domain::{
    Batch, Kind, Write,
    activity::Action,
    event::Change,
    group::Settings,
    membership::{Person, Step, change_refused, project_denied, visibility_told},
    project::{Project, ProjectMember},
};
use chorus_ids::{ProjectId, UserId};
use chorus_store::{Outcome, Result, Tx};
use chorus_visibility::{Operation, OtherSettings, ProjectPlan, ProjectVisibilityChange, Visibility};

use crate::{
    Call,
    access::{self, Company, Confirmation, Placed, authorised, confirmed, confirmer, token},
    leaving::{Left, Released, responsible},
};

/// What a change of visibility would do.
#[derive(Clone, Debug, PartialEq)]
pub struct VisibilityPreview {
    /// What it writes and does.
    pub plan: ProjectPlan,
    /// What those hold who can't edit any more, and would let go of.
    pub released: Released,
    /// What the project is called.
    pub name: String,
    /// Who the people are, for an administrator of the project.
    pub people: Option<BTreeMap<UserId, Person>>,
    /// Confirms exactly this.
    pub token: String,
}

/// What a call for a visibility came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// The project as it is now.
    Project(Project),
    /// What the change would do; nothing was changed.
    Preview(VisibilityPreview),
}

/// Gives a project a visibility, with new texts or without, or says what that would do.
///
/// # Errors
/// Texts that can't be stored; not found, `forbidden` without an administrator of the project; `invalid_state` in a
/// private group; `stale_confirmation` if it has to be confirmed and no token that still holds came.
pub async fn set_visibility(
    call: &Call,
    tx: &mut dyn Tx,
    id: ProjectId,
    to: Visibility,
    settings: Settings,
    step: Step,
) -> Result<Outcome<Shown>> {
    settings.check()?;
    let placed = Placed::load(call, tx, id, None).await?;
    authorised(call, &Operation::ProjectVisibility(&placed.snapshot.facts)).map_err(project_denied)?;
    let company = Company::load(call, tx).await?;
    let change =
        ProjectVisibilityChange { project: &placed.snapshot, group: placed.group().map(|group| &group.snapshot), to };
    let plan = change.plan(&company.snapshot, &call.caller.principal).map_err(change_refused)?;
    let expected = token(&change.confirmation_bytes(&company.snapshot, &confirmer(call)));
    let left = Left::by(call, tx, [&plan.impact]).await?;
    if step == Step::Preview {
        let people = placed.is_administered(call).then_some(company.people);
        let released = left.released();
        let preview = VisibilityPreview { plan, released, name: placed.project.name.clone(), people, token: expected };
        return Ok(Outcome { batch: Batch::default(), answer: Shown::Preview(preview) });
    }
    let others = if settings.is_empty() { OtherSettings::Absent } else { OtherSettings::Present };
    let need = if change.requires_confirmation(others) { Confirmation::Required } else { Confirmation::Optional };
    confirmed(access::given(&step), &expected, need)?;
    let from = placed.project.visibility;
    if from == to && settings.is_empty() {
        return Ok(Outcome { batch: Batch::default(), answer: Shown::Project(placed.project) });
    }
    let named = settings.of_project(&placed.project, call.now);
    let project = Project { visibility: to, ..named };
    let added_by = call.caller.subject.party();
    let member = |&(user, role): &(UserId, _)| {
        Write::PutProjectMember(ProjectMember { project: id, user, role, added_by, created_at: call.now })
    };
    let mut batch = Batch { writes: plan.grants.iter().map(member).collect(), ..Batch::default() };
    batch.writes.push(Write::SaveProject(project.clone()));
    if from != to {
        let about = (Kind::Project, id.uuid(), project.name.as_str());
        let value = visibility_told(from, to);
        batch.activities.push(call.activity(id, about, Action::ProjectVisibilityChanged, Some(value)));
    }
    batch.events.push(call.event(id, Kind::Project, id.uuid(), Change::Updated));
    left.write(call, tx, &responsible([&plan.impact]), &mut batch).await?;
    Ok(Outcome { batch, answer: Shown::Project(project) })
}
