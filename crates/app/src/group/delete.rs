//! The end of a group, with its projects or without them.

use chorus_domain::{
    Batch, Kind, Write,
    activity::Action,
    event::Change,
    membership::{change_refused, group_denied},
    project::{Project, ProjectMember},
};
use chorus_ids::{GroupId, ProjectId};
use chorus_store::{Contents, Outcome, Reads, Result, Tx};
use chorus_visibility::{GroupDeletion, Operation, ProjectFacts};
use serde_json::json;

use crate::{
    Call,
    access::{self, Company, authorised, logged},
    leaving::{Left, responsible},
    project::manage::{Removed, remove},
};

/// What becomes of the projects of a group that ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projects {
    /// They stay, in no group. What members had from the group they keep in each project.
    Kept,
    /// They go, with everything in them.
    Deleted,
}

/// What went with a group, and what stayed.
#[derive(Clone, Debug, PartialEq)]
pub struct DeletedGroup {
    /// The group.
    pub group: GroupId,
    /// What it was called.
    pub name: String,
    /// Its projects that stayed.
    pub kept: Vec<ProjectId>,
    /// What went beside it.
    pub removed: Removed,
}

/// What would go, or stay, with a group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupContents {
    /// What the group is called.
    pub name: String,
    /// What its projects are called, by id.
    pub projects: Vec<(ProjectId, String)>,
    /// What is in them.
    pub contents: Contents,
}

/// What the deletion of a group is about; nothing is changed.
///
/// # Errors
/// Not found, `forbidden`, as [`delete`].
pub async fn contents(call: &Call, reads: &mut dyn Reads, id: GroupId) -> Result<GroupContents> {
    let mut around = access::group(call, reads, id).await?;
    let children = around.load_projects(call, reads).await?;
    require(call, &around)?;
    let ids: Vec<ProjectId> = children.iter().map(|project| project.id).collect();
    let contents = reads.directory().contents(&ids).await?;
    let projects = children.into_iter().map(|project| (project.id, project.name)).collect();
    Ok(GroupContents { name: around.group.name, projects, contents })
}

/// Passes for who may delete a group with the projects that were loaded.
fn require(call: &Call, around: &access::Grouping) -> Result<()> {
    let group = around.access(call, around.children(call));
    let facts: Vec<ProjectFacts> = around.snapshot.projects.iter().map(|project| project.facts).collect();
    Ok(authorised(call, &Operation::DeleteGroup { group: &group, children: &facts }).map_err(group_denied)?)
}

/// Deletes a group. It takes an administrator of the group who may manage every project in it (visibility
/// specification §6.4).
///
/// # Errors
/// Not found, `forbidden`; `last_admin` if a project that stays would be left without administrator.
pub async fn delete(call: &Call, tx: &mut dyn Tx, id: GroupId, projects: Projects) -> Result<Outcome<DeletedGroup>> {
    let mut around = access::group(call, tx, id).await?;
    let children = around.load_projects(call, tx).await?;
    require(call, &around)?;
    let (mut batch, kept, removed) = match projects {
        Projects::Kept => {
            let company = Company::load(call, tx).await?;
            let plan = GroupDeletion { group: &around.snapshot }.plan(&company.snapshot).map_err(change_refused)?;
            let mut batch = Batch::default();
            let impacts = || plan.projects.iter().map(|project| &project.impact);
            let left = Left::by(call, tx, impacts()).await?;
            let told = responsible(impacts());
            left.write(call, tx, &told, &mut batch).await?;
            for left in plan.projects {
                let project = children.iter().find(|project| project.id == left.impact.project);
                let Some(project) = project else { continue };
                batch.extend(detached(call, project, (id, &around.group.name), left.grants));
            }
            (batch, children.iter().map(|project| project.id).collect(), Removed::default())
        }
        Projects::Deleted => {
            let (batch, removed) = remove(call, tx, &children).await?;
            (batch, Vec::new(), removed)
        }
    };
    let value = json!({
        "name": around.group.name, "projectsKept": kept.len(), "projectsDeleted": removed.projects.len()
    });
    batch.writes.push(Write::DeleteGroup(id));
    batch.writes.extend(logged(call, id, "group_deleted", value));
    batch.events.push(call.group_event(id, Change::Deleted));
    Ok(Outcome { batch, answer: DeletedGroup { group: id, name: around.group.name, kept, removed } })
}

/// A project out of a group that ends, with what members had from it.
fn detached(
    call: &Call,
    project: &Project,
    (group, name): (GroupId, &str),
    grants: Vec<(chorus_ids::UserId, chorus_visibility::Role)>,
) -> Batch {
    let member = |(user, role)| {
        let added_by = call.caller.subject.party();
        Write::PutProjectMember(ProjectMember { project: project.id, user, role, added_by, created_at: call.now })
    };
    let mut writes: Vec<Write> = grants.into_iter().map(member).collect();
    writes.push(Write::SaveProject(Project { group: None, updated_at: call.now, ..project.clone() }));
    Batch {
        writes,
        activities: vec![call.activity(project.id, (Kind::Group, group.uuid(), name), Action::GroupDeleted, None)],
        events: vec![call.event(project.id, Kind::Project, project.id.uuid(), Change::Updated)],
        ..Batch::default()
    }
}
