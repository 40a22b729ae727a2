//! The stages of the Chorus surface; other surfaces may use them in another order, or their own.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use chorus_domain::{
    Code, Kind, Refusal,
    access::{Demand, Located, authorise},
};
use chorus_ids::Uuid;
use chorus_store::{Error, Key, Locked, Reads, Recall, Result};
use chorus_visibility::Need;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{
    arguments::{self, canonical},
    named::{Named, ids_at, is_hidden},
    schema::IDEMPOTENCY_KEY,
    settle::CHECKED,
    stage::{Flow, Gate, Halt, Job, Line, Stage, Step},
    tool::{At, Effect, Invocation, Invoke, Policy},
};

/// Microseconds for which an answer is remembered: 24 hours (README decision 14).
pub const RETENTION_MICROS: i64 = 24 * 3_600 * 1_000_000;

/// The ordered stages of the Chorus surface.
pub fn chorus() -> Vec<Stage> {
    vec![
        Stage::Gate(Arc::new(FindTool)),
        Stage::Gate(Arc::new(ReadArguments)),
        Stage::Step(Arc::new(RecallKey)),
        Stage::Step(Arc::new(ProjectAccess)),
        Stage::Step(Arc::new(Handle)),
    ]
}

/// Finds the tool among those that exist for the caller and were asked for. Any other name is unknown, whatever the
/// arguments (README decision 15).
pub struct FindTool;

impl Gate for FindTool {
    fn pass(&self, job: &mut Job) -> Result<Flow, Halt> {
        let tool = job.surface.visible(&job.caller, &job.selection, &job.name).ok_or(Halt::UnknownTool)?;
        job.tool = Some(tool);
        Ok(Flow::Next)
    }
}

/// Coerces and validates the arguments, and takes the idempotency key out of them.
pub struct ReadArguments;

impl Gate for ReadArguments {
    fn pass(&self, job: &mut Job) -> Result<Flow, Halt> {
        let tool = job.tool()?;
        let given = std::mem::take(&mut job.arguments);
        let read = arguments::read(&tool.input, given, tool.row.run.effect)?;
        job.arguments = read.arguments;
        job.ignored = read.ignored;
        if tool.row.run.effect == Effect::Write
            && let Some(Value::String(key)) = job.arguments.remove(IDEMPOTENCY_KEY)
        {
            job.key = Some(idempotency_key(job, tool.row.name, key)?);
        }
        Ok(Flow::Next)
    }
}

fn idempotency_key(job: &Job, tool: &'static str, key: String) -> Result<Key, Refusal> {
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Refusal::invalid(IDEMPOTENCY_KEY, "must be 1 to 255 visible ASCII characters, without spaces"));
    }
    let digest = Sha256::digest(canonical(&Value::Object(job.arguments.clone())));
    let fingerprint = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Key {
        caller: job.caller.subject,
        surface: job.surface.name,
        tool,
        key,
        fingerprint,
        retention_micros: RETENTION_MICROS,
    })
}

/// Answers a repeated call with the first answer, after checking access to the projects that the first call touched.
pub struct RecallKey;

#[async_trait]
impl Step for RecallKey {
    async fn take(&self, job: &mut Job, line: &mut Line<'_>) -> Result<Flow> {
        let (Some(key), Line::Write(tx)) = (job.key.clone(), line) else { return Ok(Flow::Next) };
        match tx.recall(&key, job.now).await? {
            Recall::Mine => Ok(Flow::Next),
            Recall::Reused => Err(Refusal::new(
                Code::IdempotencyKeyReused,
                "This `idempotencyKey` was used with other arguments. Use a new key for a new call, or repeat the \
                 first call with exactly its arguments.",
            )
            .into()),
            Recall::Answered { answer, projects } => {
                groups_are_visible(*tx, job).await?;
                let things: Vec<_> = projects.iter().map(|project| (Kind::Project, project.uuid())).collect();
                let located = locate(*tx, job, &things).await?;
                let demands: Vec<_> =
                    things.iter().map(|&(kind, id)| Demand { kind, id, need: Need::Viewer, inside: None }).collect();
                authorise(&job.caller.principal, &demands, &located)?;
                job.replayed = true;
                Ok(Flow::Answer(answer))
            }
        }
    }
}

/// Passes if the caller may discover every group that the arguments name and that still exists.
async fn groups_are_visible(reads: &mut dyn Reads, job: &Job) -> Result<()> {
    for at in job.tool()?.row.access.ids {
        let At::Group(path) = *at else { continue };
        for id in ids_at(path, &job.arguments)? {
            if is_hidden(reads, &job.caller.principal, id).await? {
                return Err(Refusal::not_found(Kind::Group).into());
            }
        }
    }
    Ok(())
}

/// Locates everything that the arguments name, authorises the caller for it, and locks what a writer decides on.
///
/// After a lock that may have waited, everything is looked up again: a role read by the statement that takes the lock
/// can be one that was taken away meanwhile.
pub struct ProjectAccess;

#[async_trait]
impl Step for ProjectAccess {
    async fn take(&self, job: &mut Job, line: &mut Line<'_>) -> Result<Flow> {
        let tool = job.tool()?;
        let named = Named::of(job, line.reads()).await?;
        if tool.row.access.policy == Policy::Resource && named.demands.is_empty() {
            return Err(Refusal::not_found(Kind::Project).into());
        }
        let mut things = named.things();
        let located = locate(line.reads(), job, &things).await?;
        let mut granted = authorise(&job.caller.principal, &named.demanded(&job.caller.principal, &located), &located)?;
        if let Line::Write(tx) = line {
            let roots = named.roots(&located);
            if !roots.is_empty() && tx.lock(&roots).await? == Locked::LookAgain {
                let named = Named::of(job, *tx).await?;
                things = named.things();
                let located = locate(*tx, job, &things).await?;
                granted = authorise(&job.caller.principal, &named.demanded(&job.caller.principal, &located), &located)?;
                if named.roots(&located) != roots {
                    return Err(Error::Again("what the call concerns changed while it waited for its locks".into()));
                }
            }
        }
        things.extend(&named.own);
        job.things = things;
        job.granted = Some(granted);
        job.context.progress.report(CHECKED, None, "checked what the call may touch");
        Ok(Flow::Next)
    }
}

async fn locate(reads: &mut dyn Reads, job: &Job, things: &[(Kind, Uuid)]) -> Result<Vec<Located>> {
    if things.is_empty() {
        return Ok(Vec::new());
    }
    let distinct: BTreeSet<(Kind, Uuid)> = things.iter().copied().collect();
    let distinct: Vec<_> = distinct.into_iter().collect();
    reads.directory().locate(&job.caller.principal, &distinct).await
}

/// Runs the handler.
pub struct Handle;

#[async_trait]
impl Step for Handle {
    async fn take(&self, job: &mut Job, line: &mut Line<'_>) -> Result<Flow> {
        let tool = job.tool()?;
        let call = job.call()?;
        let invocation = Invocation { tool: tool.row.name, arguments: &job.arguments };
        match (tool.row.run.invoke, line) {
            (Invoke::Read(invoke), line) => Ok(Flow::Answer(invoke(invocation, &call, line.reads()).await?)),
            (Invoke::Write(invoke), Line::Write(tx)) => {
                job.outcome = Some(invoke(invocation, &call, *tx).await?);
                Ok(Flow::Next)
            }
            (Invoke::Write(_), Line::Read(_)) => Err(Error::internal("a writer ran without a unit of work")),
        }
    }
}
