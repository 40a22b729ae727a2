//! What the arguments of a call name, by the row's [`At`]s: what has to be allowed, and what a writer locks.

use std::collections::BTreeSet;

use chorus_domain::{
    Kind, Party, Refusal, Subject,
    access::{Demand, Located},
};
use chorus_ids::{AgentId, GroupId, ProjectId, SessionId, TaskId, Uuid};
use chorus_store::{Hold, Reach, Reads, Result, Roots};
use chorus_visibility::{ChildAccess, Level, Need, Principal, group_access, level};
use serde_json::{Map, Value};

use crate::{
    stage::Job,
    tool::{At, Expand},
};

/// What the arguments name.
#[derive(Default)]
pub(crate) struct Named {
    pub(crate) demands: Vec<Demand>,
    holds: Roots,
    /// Projects of these things are owned rather than shared.
    owned_projects_of: BTreeSet<(Kind, Uuid)>,
    /// Groups that these things are in are owned rather than shared.
    owned_groups_of: BTreeSet<(Kind, Uuid)>,
    /// Projects that the call covers as far as the caller sees them; the handler judges.
    offered: BTreeSet<Uuid>,
    expansions: Vec<(Expand, Uuid)>,
    /// Things of the caller's own.
    pub(crate) own: Vec<(Kind, Uuid)>,
}

impl Named {
    /// What the call's arguments name, and what stored rows name through them.
    pub(crate) async fn of(job: &Job, reads: &mut dyn Reads) -> Result<Self> {
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
            At::Own { path, kind, hold } => {
                for id in ids_at(path, arguments)? {
                    self.own.push((kind, id));
                    if let Some(hold) = hold {
                        self.holds.add(kind, id, hold);
                    }
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
    pub(crate) fn things(&self) -> Vec<(Kind, Uuid)> {
        let demanded = self.demands.iter().map(|demand| (demand.kind, demand.id));
        demanded.chain(self.offered.iter().map(|id| (Kind::Project, *id))).collect()
    }

    /// What has to be granted, and what is granted because the caller happens to see it.
    pub(crate) fn demanded(&self, principal: &Principal, located: &[Located]) -> Vec<Demand> {
        let seen = located.iter().filter(|place| {
            place.kind == Kind::Project
                && self.offered.contains(&place.id)
                && level(principal, &place.facts) > Level::None
        });
        let offered = seen.map(|place| Demand { kind: Kind::Project, id: place.id, need: Need::Viewer, inside: None });
        self.demands.iter().copied().chain(offered).collect()
    }

    /// What to lock: the things themselves as declared, their projects and groups against changes of access.
    pub(crate) fn roots(&self, located: &[Located]) -> Roots {
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
            Expand::ReferenceTarget => {
                for (kind, id) in reads.directory().reference_targets(&[id]).await? {
                    named.holds.add(kind, id, Hold::Own);
                }
            }
            Expand::Dependants => {
                let task = TaskId::from_uuid(id);
                for dependant in reads.directory().dependants(&[task]).await? {
                    named.holds.add(Kind::Task, dependant.id.uuid(), Hold::Own);
                }
            }
            Expand::Results => {
                let proposal = chorus_ids::ProposalId::from_uuid(id);
                let tasks = reads.directory().task_ids_of(proposal).await?;
                let waiting = reads.directory().dependants(&tasks).await?;
                for task in tasks.into_iter().chain(waiting.into_iter().map(|dependant| dependant.id)) {
                    named.holds.add(Kind::Task, task.uuid(), Hold::Own);
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
            Expand::SessionTasks(need) => {
                for (task, _) in tasks_of_session(job, reads, id).await? {
                    named.demands.push(Demand { kind: Kind::Task, id: task.uuid(), need, inside: None });
                }
            }
            Expand::RemovedAgent => hold_agent(job, reads, named, AgentId::from_uuid(id)).await?,
            Expand::HeldSessionTasks => {
                for (task, _) in tasks_of_session(job, reads, id).await? {
                    named.holds.add(Kind::Task, task.uuid(), Hold::Own);
                }
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

/// Holds an agent of the caller for removal with all that it has, and offers the projects of that to the call. Nobody
/// holds up somebody else's; the handler refuses them.
async fn hold_agent(job: &Job, reads: &mut dyn Reads, named: &mut Named, agent: AgentId) -> Result<()> {
    let owner = reads.directory().agent_credential(agent).await?.and_then(|credential| credential.agent.owner);
    if owner.map(Subject::User) != Some(job.caller.subject) {
        return Ok(());
    }
    named.holds.add(Kind::Agent, agent.uuid(), Hold::Remove);
    let held = reads.directory().holdings(&[Party::Agent(agent)], Reach::Everywhere).await?;
    let tasks = held.tasks.iter().map(|task| (Kind::Task, task.id.uuid(), task.project));
    let ideas = held.ideas.iter().map(|held| (Kind::Idea, held.idea.id.uuid(), held.idea.project));
    let left = held.checkins.iter().map(|checkin| (Kind::Task, checkin.task.uuid(), checkin.project));
    for (kind, id, project) in tasks.chain(ideas).chain(left) {
        named.holds.add(kind, id, Hold::Own);
        named.offered.insert(project.uuid());
    }
    Ok(())
}

/// Where a session of the caller is; nothing of somebody else's.
async fn tasks_of_session(job: &Job, reads: &mut dyn Reads, session: Uuid) -> Result<Vec<(TaskId, ProjectId)>> {
    match job.caller.subject {
        Subject::Agent(agent) => reads.directory().tasks_of_session(agent, SessionId::from_uuid(session)).await,
        Subject::User(_) | Subject::Operator => Ok(Vec::new()),
    }
}

/// The ids at a path such as `tasks[].dependsOnTaskUuids`.
///
/// # Errors
/// `invalid_arguments` naming the place of a text that is no UUID.
pub(crate) fn ids_at(path: &str, arguments: &Map<String, Value>) -> Result<Vec<Uuid>, Refusal> {
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
    // A null that came this far says that there shall be none.
    for (place, value) in found.into_iter().flat_map(items).filter(|(_, value)| !value.is_null()) {
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

/// Whether a group exists that the principal may not discover.
pub(crate) async fn is_hidden(reads: &mut dyn Reads, principal: &Principal, group: Uuid) -> Result<bool> {
    let found = reads.directory().group(principal, GroupId::from_uuid(group)).await?;
    Ok(found.is_some_and(|view| {
        let children = if view.sees_child { ChildAccess::Some } else { ChildAccess::None };
        !group_access(principal, principal.company, &view.facts, children).visible
    }))
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
        assert_eq!(ids("parentUuid", json!({"parentUuid": null})), Ok(vec![]));
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
