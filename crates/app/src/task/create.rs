//! New tasks, a batch at a time.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{
    Batch, Code, Kind, Refusal, Write,
    activity::Action,
    event::Change,
    origin,
    reference::{ReferenceForm, Skipped},
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
use crate::{
    Call,
    mention::{self, Text},
    reference,
};

/// A task as asked for, with references to evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTask {
    /// The task.
    pub form: Form,
    /// Its references.
    pub references: Vec<ReferenceForm>,
}

/// The tasks of a batch, and which of their references were passed over.
#[derive(Clone, Debug, PartialEq)]
pub struct Created {
    /// The tasks in the order asked for, each with its label.
    pub tasks: Vec<(Task, Option<String>)>,
    /// References that can't be stored, each with the title of its task.
    pub skipped: Vec<(String, Skipped)>,
}

/// Makes the tasks of a batch, all or none, for an approved proposal or as quick tasks (README decision 7).
///
/// Whoever is mentioned in a description is told.
///
/// # Errors
/// See [`plan`]; `invalid_state` for a proposal that is not approved.
pub async fn create(
    call: &Call,
    tx: &mut dyn Tx,
    project: ProjectId,
    proposal: Option<ProposalId>,
    tasks: Vec<NewTask>,
) -> Result<Outcome<Created>> {
    let (forms, references): (Vec<Form>, Vec<Vec<ReferenceForm>>) =
        tasks.into_iter().map(|task| (task.form, task.references)).unzip();
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
    let from = origin::Origin { company: origin.company, project, by: origin.by, now: origin.now };
    let (mut attached, mut skipped) = (Vec::new(), Vec::new());
    for ((task, _), references) in made.tasks.iter().zip(references) {
        let (sound, bad) = reference::attach(call, references, (Kind::Task, task.id.uuid()), from);
        attached.extend(sound);
        skipped.extend(bad.into_iter().map(|bad| (task.title.clone(), bad)));
    }
    batch.writes.extend(reference::written(&attached));
    let texts: Vec<Text<'_>> = made
        .tasks
        .iter()
        .enumerate()
        .map(|(index, (task, _))| Text {
            source: (Kind::Task, task.id.uuid()),
            entity: named(task),
            before: None,
            after: task.description.as_deref(),
            argument: Some(format!("tasks[{index}].description")),
        })
        .collect();
    mention::tell(call, tx, project, &texts, &mut batch).await?;
    Ok(Outcome { batch, answer: Created { tasks: made.tasks, skipped } })
}

async fn require_approved(call: &Call, reads: &mut dyn Reads, id: ProposalId) -> Result<()> {
    let proposal = reads.proposal(&call.scope, id).await?.ok_or_else(|| Refusal::not_found(Kind::Proposal))?;
    match proposal.status {
        ProposalStatus::Approved => Ok(()),
        ProposalStatus::Draft | ProposalStatus::Pending | ProposalStatus::Closed => Err(Refusal::new(
            Code::InvalidState,
            format!(
                "This proposal is `{}`; tasks can be added only to an approved one. Leave `proposalUuid` out for quick \
                 tasks, or draft the tasks in the proposal (chorus_pm_add_task_draft).",
                proposal.status
            ),
        )
        .with(json!({ "status": proposal.status.as_str() }))
        .into()),
    }
}
