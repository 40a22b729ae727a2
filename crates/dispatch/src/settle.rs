//! What follows the stages of a writer, in its unit of work: everything that the handler wants written, together with
//! the notifications, the remembered answer and the audit row.

use std::{collections::BTreeSet, sync::Arc};

use chorus_app::{call::Progress, notify};
use chorus_domain::Kind;
use chorus_ids::ProjectId;
use chorus_store::{AuditEntry, Error, Result, Tx};
use serde_json::Value;

use crate::{Job, tool::Effect};

pub(crate) async fn settle(job: &Job, tx: &mut dyn Tx) -> Result<Value> {
    let tool = job.tool()?;
    let call = job.call()?;
    let outcome = job.outcome.as_ref().ok_or_else(|| Error::internal("no stage of the surface ran the handler"))?;
    let progress = &job.context.progress;
    progress.report(DECIDED, Some(DECIDED + outcome.batch.writes.len() as u64 + 1), "decided what to write");
    let notifications = notify::address(&call, tx, &outcome.batch).await?;
    if !outcome.batch.is_empty() {
        report_writes(progress, tx);
        tx.apply(&call.granted, &outcome.batch, &notifications).await?;
    }
    if let Some(key) = &job.key {
        // What the call itself deleted can't be checked again; its answer is repeated all the same.
        let deleted: BTreeSet<ProjectId> = outcome.batch.deleted_projects().collect();
        let projects = call.granted.projects().map(|(id, _)| id).filter(|id| !deleted.contains(id));
        let projects: Vec<ProjectId> = projects.collect();
        tx.remember(key, &outcome.answer, &projects).await?;
    }
    // A preview, or an edit that changes nothing, is no write.
    if tool.row.run.effect == Effect::Write && !outcome.batch.is_empty() {
        let made = outcome.batch.events.iter().map(|event| (event.entity, event.entity_id));
        let mut entities: Vec<(Kind, chorus_ids::Uuid)> = job.things.iter().copied().chain(made).collect();
        entities.sort_unstable();
        entities.dedup();
        tx.audit(&AuditEntry {
            id: call.new_id(),
            caller: job.caller.clone(),
            surface: job.surface.name,
            operation: tool.row.name,
            entities,
            at: job.now,
        })
        .await?;
    }
    Ok(outcome.answer.clone())
}

/// The steps of a call before it writes: its access was checked, and it was decided what to write.
pub(crate) const CHECKED: u64 = 1;
const DECIDED: u64 = 2;

/// Lets the caller know how far the writes are.
fn report_writes(progress: &Arc<dyn Progress>, tx: &mut dyn Tx) {
    let progress = Arc::clone(progress);
    tx.report_to(Arc::new(move |done, of| {
        progress.report(DECIDED + done, Some(DECIDED + of), &format!("{done} of {of} writes done"));
    }));
}
