//! The stages of the Chorus surface; other surfaces may use them in another order, or their own.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use chorus_domain::{
    Code, Kind, Refusal,
    access::{Demand, Located, authorise},
};
use chorus_ids::{GroupId, ProjectId, TaskId, Uuid};
use chorus_store::{Error, Hold, Key, Locked, Reads, Recall, Result, Roots};
use chorus_visibility::{ChildAccess, Level, Need, Principal, group_access, level};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::{
    arguments::{self, canonical},
    schema::IDEMPOTENCY_KEY,
    stage::{Flow, Gate, Halt, Job, Line, Stage, Step},
    tool::{At, Effect, Expand, Invocation, Invoke, Policy},
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

/// Finds the tool among those that exist for the caller. Any other name is unknown, whatever the arguments
/// (README decision 15).
pub struct FindTool;

impl Gate for FindTool {
    fn pass(&self, job: &mut Job) -> Result<Flow, Halt> {
        let tool = job.surface.visible(&job.caller, &job.name).ok_or(Halt::UnknownTool)?;
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

/// Whether a group exists that the principal may not discover.
async fn is_hidden(reads: &mut dyn Reads, principal: &Principal, group: Uuid) -> Result<bool> {
    let found = reads.directory().group(principal, GroupId::from_uuid(group)).await?;
    Ok(found.is_some_and(|view| {
        let children = if view.sees_child { ChildAccess::Some } else { ChildAccess::None };
        !group_access(principal, principal.company, &view.facts, children).visible
    }))
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
        let things = named.things();
        let located = locate(line.reads(), job, &things).await?;
        let mut granted = authorise(&job.caller.principal, &named.demanded(&job.caller.principal, &located), &located)?;
        if let Line::Write(tx) = line {
            let roots = named.roots(&located);
            if !roots.is_empty() && tx.lock(&roots).await? == Locked::LookAgain {
                let named = Named::of(job, *tx).await?;
                let located = locate(*tx, job, &things).await?;
                granted = authorise(&job.caller.principal, &named.demanded(&job.caller.principal, &located), &located)?;
                if named.roots(&located) != roots {
                    return Err(Error::Again("what the call concerns changed while it waited for its locks".into()));
                }
            }
        }
        job.things = things;
        job.granted = Some(granted);
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

/// What the arguments name.
#[derive(Default)]
struct Named {
    demands: Vec<Demand>,
    holds: Roots,
    /// Projects of these things are owned rather than shared.
    owned_projects_of: BTreeSet<(Kind, Uuid)>,
    /// Groups that these things are in are owned rather than shared.
    owned_groups_of: BTreeSet<(Kind, Uuid)>,
    /// Projects that the call covers as far as the caller sees them; the handler judges.
    offered: BTreeSet<Uuid>,
    expansions: Vec<(Expand, Uuid)>,
}

impl Named {
    /// What the call's arguments name, and what stored rows name through them.
    async fn of(job: &Job, reads: &mut dyn Reads) -> Result<Self> {
        let mut named = Self::default();
        for at in job.tool()?.row.access.ids {
            named.collect(at, &job.arguments)?;
        }
        expand(job, reads, &mut named).await?;
        Ok(named)
    }

    fn collect(&mut self, at: &At, arguments: &Map<String, Value>) -> Result<(), Refusal> {
        match *at {
            At::Id { path, kind, need, hold, project, inside } => {
                let inside = inside.and_then(|key| arguments.get(key)).and_then(Value::as_str);
                let inside = inside.and_then(|id| id.parse::<ProjectId>().ok());
                for id in ids_at(path, arguments)? {
                    self.demands.push(Demand { kind, id, need, inside });
                    if let Some(hold) = hold {
                        self.holds.add(kind, id, hold);
                    }
                    if project != Hold::Share {
                        self.owned_projects_of.insert((kind, id));
                    }
                }
            }
            At::Pair { kind, id, need, hold } => {
                let kind = arguments.get(kind).and_then(Value::as_str).and_then(Kind::parse);
                let Some(kind) = kind else { return Ok(()) };
                for id in ids_at(id, arguments)? {
                    self.demands.push(Demand { kind, id, need, inside: None });
                    if let Some(hold) = hold {
                        self.holds.add(kind, id, hold);
                    }
                }
            }
            At::Typed { kind, ids, need, hold } => {
                let kind = arguments.get(kind).and_then(Value::as_str).and_then(Kind::parse);
                let Some(kind) = kind else { return Ok(()) };
                for id in ids_at(ids, arguments)? {
                    self.demands.push(Demand { kind, id, need, inside: None });
                    self.holds.add(kind, id, hold);
                }
            }
            At::Via { path, expand } => {
                for id in ids_at(path, arguments)? {
                    self.expansions.push((expand, id));
                }
            }
            At::Group(path) => {
                for id in ids_at(path, arguments)? {
                    self.holds.add(Kind::Group, id, Hold::Share);
                }
            }
            At::Filter(path) | At::Part { path, .. } => {
                ids_at(path, arguments)?;
            }
        }
        Ok(())
    }

    /// Everything to be located.
    fn things(&self) -> Vec<(Kind, Uuid)> {
        let demanded = self.demands.iter().map(|demand| (demand.kind, demand.id));
        demanded.chain(self.offered.iter().map(|id| (Kind::Project, *id))).collect()
    }

    /// What has to be granted, and what is granted because the caller happens to see it.
    fn demanded(&self, principal: &Principal, located: &[Located]) -> Vec<Demand> {
        let seen = located.iter().filter(|place| {
            place.kind == Kind::Project
                && self.offered.contains(&place.id)
                && level(principal, &place.facts) > Level::None
        });
        let offered = seen.map(|place| Demand { kind: Kind::Project, id: place.id, need: Need::Viewer, inside: None });
        self.demands.iter().copied().chain(offered).collect()
    }

    /// What to lock: the things themselves as declared, their projects and groups against changes of access.
    fn roots(&self, located: &[Located]) -> Roots {
        let mut roots = self.holds.clone();
        for place in located {
            let hold = if self.owned_projects_of.contains(&(place.kind, place.id)) { Hold::Own } else { Hold::Share };
            roots.add(Kind::Project, place.facts.project.uuid(), hold);
            if let Some(group) = &place.facts.group {
                let owned = self.owned_groups_of.contains(&(place.kind, place.id));
                roots.add(Kind::Group, group.id.uuid(), if owned { Hold::Own } else { Hold::Share });
            }
        }
        roots
    }
}

async fn expand(job: &Job, reads: &mut dyn Reads, named: &mut Named) -> Result<()> {
    let principal = &job.caller.principal;
    for (expand, id) in std::mem::take(&mut named.expansions) {
        match expand {
            Expand::StoredInputs => {
                for (kind, id) in reads.directory().proposal_inputs(&[id]).await? {
                    named.demands.push(Demand { kind, id, need: Need::Viewer, inside: None });
                    named.holds.add(kind, id, Hold::Share);
                }
            }
            Expand::HeldInputs => {
                for (kind, id) in reads.directory().proposal_inputs(&[id]).await? {
                    named.holds.add(kind, id, Hold::Share);
                }
            }
            Expand::Dependants => {
                let task = TaskId::from_uuid(id);
                for dependant in reads.directory().dependants(&[task]).await? {
                    named.holds.add(Kind::Task, dependant.id.uuid(), Hold::Own);
                }
            }
            Expand::ChangedGroup => drop(hold_group(principal, reads, named, (id, Hold::Own)).await?),
            Expand::RemovedGroup => {
                let projects = hold_group(principal, reads, named, (id, Hold::Remove)).await?;
                let awaited = reads.directory().awaited_elsewhere(&projects).await?;
                let awaited: Vec<TaskId> = awaited.into_iter().map(|task| task.id).collect();
                for dependant in reads.directory().dependants(&awaited).await? {
                    named.holds.add(Kind::Task, dependant.id.uuid(), Hold::Own);
                }
            }
            Expand::EnteredGroup => named.holds.add(Kind::Group, id, Hold::Own),
            Expand::LeftGroup => {
                named.owned_groups_of.insert((Kind::Project, id));
            }
        }
    }
    Ok(())
}

/// Holds a group with all its projects, and offers these to the call. Nobody holds up what they may not even discover;
/// the handler refuses them.
async fn hold_group(
    principal: &Principal,
    reads: &mut dyn Reads,
    named: &mut Named,
    (id, hold): (Uuid, Hold),
) -> Result<Vec<ProjectId>> {
    if is_hidden(reads, principal, id).await? {
        return Ok(Vec::new());
    }
    named.holds.add(Kind::Group, id, hold);
    let projects = reads.directory().projects_in(GroupId::from_uuid(id)).await?;
    for project in &projects {
        named.holds.add(Kind::Project, project.id.uuid(), hold);
        named.offered.insert(project.id.uuid());
    }
    Ok(projects.into_iter().map(|project| project.id).collect())
}

/// The ids at a path such as `tasks[].dependsOnTaskUuids`.
///
/// # Errors
/// `invalid_arguments` naming the place of a text that is no UUID.
fn ids_at(path: &str, arguments: &Map<String, Value>) -> Result<Vec<Uuid>, Refusal> {
    let mut found: Vec<(String, &Value)> = Vec::new();
    for (step, key) in path.split('.').enumerate() {
        let (key, each) = key.strip_suffix("[]").map_or((key, false), |key| (key, true));
        let from: Vec<(String, &Value)> = if step == 0 {
            arguments.get(key).map(|value| (key.to_owned(), value)).into_iter().collect()
        } else {
            found.iter().filter_map(|(place, value)| Some((format!("{place}.{key}"), value.get(key)?))).collect()
        };
        found = if each { from.into_iter().flat_map(items).collect() } else { from };
    }
    let mut ids = Vec::new();
    for (place, value) in found.into_iter().flat_map(items) {
        if value.is_null() {
            continue; // said on purpose: none
        }
        let id = value.as_str().and_then(|text| text.parse::<TaskId>().ok());
        let id = id
            .ok_or_else(|| Refusal::invalid(&place, "must be a UUID such as `0192f3a0-7d4c-7b1e-9a55-3f0c2b6d8e11`"))?;
        ids.push(id.uuid());
    }
    Ok(ids)
}

/// The items of a list with their places; anything else is its own only item.
fn items((place, value): (String, &Value)) -> Vec<(String, &Value)> {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (format!("{place}[{index}]"), item)).collect()
        }
        other => vec![(place, other)],
    }
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

#[cfg(test)]
mod tests {
    #![expect(clippy::panic, reason = "tests")]

    use serde_json::json;

    use super::*;

    fn ids(path: &str, arguments: Value) -> Result<Vec<u128>, String> {
        let Value::Object(arguments) = arguments else { panic!("no object") };
        ids_at(path, &arguments)
            .map(|ids| ids.into_iter().map(|id| id.as_u128()).collect())
            .map_err(|refusal| refusal.text)
    }

    const A: &str = "00000000-0000-0000-0000-00000000000a";
    const B: &str = "00000000-0000-0000-0000-00000000000b";

    #[test]
    fn ids_are_found_wherever_a_path_leads() {
        assert_eq!(ids("taskUuid", json!({"taskUuid": A})), Ok(vec![0xa]));
        assert_eq!(ids("taskUuid", json!({})), Ok(vec![]));
        assert_eq!(ids("groupUuid", json!({"groupUuid": null})), Ok(vec![]));
        assert_eq!(ids("inputUuids", json!({"inputUuids": [A, B]})), Ok(vec![0xa, 0xb]));
        assert_eq!(
            ids(
                "tasks[].dependsOnTaskUuids",
                json!({"tasks": [{"dependsOnTaskUuids": [A]}, {}, {"dependsOnTaskUuids": [B, A]}]})
            ),
            Ok(vec![0xa, 0xb, 0xa])
        );
        assert_eq!(ids("criteria[].uuid", json!({"criteria": [{"uuid": B}]})), Ok(vec![0xb]));
    }

    #[test]
    fn a_text_that_is_no_id_is_refused_with_its_place() {
        let refused = ids("tasks[].dependsOnTaskUuids", json!({"tasks": [{}, {"dependsOnTaskUuids": [A, "x"]}]}));
        assert_eq!(refused.map_err(|text| text.contains("`tasks[1].dependsOnTaskUuids[1]` must be a UUID")), Err(true));
    }
}
