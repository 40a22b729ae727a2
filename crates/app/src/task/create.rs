//! New tasks, a batch at a time.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{
    Batch, Code, Kind, Refusal, Write,
    activity::Action,
    event::Change,
    task::{
        Task,
        create::{Form, Origin, make, plan},
    },
    text,
};
use chorus_ids::{ProjectId, ProposalId, TaskId};
use chorus_lifecycle::proposal::ProposalStatus;
use chorus_store::{Outcome, Reads, Result, Tx};
use serde_json::json;

use super::named;
use crate::Call;

/// Makes the tasks of a batch, all or none, for an approved proposal or as quick tasks (README decision 7).
///
/// The answer has them in the order asked for, each with its label.
///
/// # Errors
/// See [`plan`]; `invalid_state` for a proposal that is not approved.
pub async fn create(
    call: &Call,
    tx: &mut dyn Tx,
    project: ProjectId,
    proposal: Option<ProposalId>,
    forms: Vec<Form>,
) -> Result<Outcome<Vec<(Task, Option<String>)>>> {
    let prerequisites: BTreeSet<TaskId> = forms.iter().flat_map(|form| form.after.iter().copied()).collect();
    let projects: BTreeMap<TaskId, ProjectId> =
        prerequisites.iter().filter_map(|id| Some((*id, call.granted.project_of(Kind::Task, id.uuid())?))).collect();
    let planned = plan(forms, project, &projects)?;
    if let Some(proposal) = proposal {
        require_approved(call, tx, proposal).await?;
    }
    let origin = Origin { company: call.caller.company, project, proposal, by: call.party()?, now: call.now };
    let made = make(planned, &origin, &mut call.ids());
    let mut batch = Batch::default();
    for (task, _) in &made.tasks {
        let mut value = json!({ "title": text::excerpt(&task.title) });
        if let Some(value) = value.as_object_mut() {
            match proposal {
                Some(proposal) => value.insert("proposalUuid".into(), json!(proposal)),
                None => value.insert("quickTask".into(), json!(true)),
            };
        }
        batch.activities.push(call.activity(project, named(task), Action::Created, Some(value)));
        batch.events.push(call.event(project, Kind::Task, task.id.uuid(), Change::Created));
    }
    // A dependency shows on both of its tasks.
    for prerequisite in &prerequisites {
        batch.events.push(call.event(project, Kind::Task, prerequisite.uuid(), Change::Updated));
    }
    if !made.tasks.is_empty() {
        batch.writes.push(Write::NewTasks(made.tasks.iter().map(|(task, _)| task.clone()).collect()));
        batch.writes.push(Write::NewCriteria(made.criteria));
    }
    if !made.edges.is_empty() {
        batch.writes.push(Write::AddEdges(made.edges));
    }
    Ok(Outcome { batch, answer: made.tasks })
}

async fn require_approved(call: &Call, reads: &mut dyn Reads, id: ProposalId) -> Result<()> {
    let proposal = reads.proposal(&call.scope, id).await?.ok_or_else(|| Refusal::not_found(Kind::Proposal))?;
    match proposal.status {
        ProposalStatus::Approved => Ok(()),
        ProposalStatus::Draft | ProposalStatus::Pending | ProposalStatus::Closed => Err(Refusal::new(
            Code::InvalidState,
            format!(
                "This proposal is `{}`; tasks can be added only to an approved one. Leave `proposalUuid` out for quick \
                 tasks, or draft the tasks in the proposal.",
                proposal.status
            ),
        )
        .with(json!({ "status": proposal.status.as_str() }))
        .into()),
    }
}
