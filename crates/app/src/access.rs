//! What changes of access are decided on, read under the call's locks; who may make them, and how they are confirmed
//! (visibility specification §6).

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{
    Kind, Refusal, Subject, Write,
    comment::Comment,
    membership::{Person, Step, group_facts, project_facts, unconfirmed},
    project::{Group, GroupMember, Project, ProjectMember},
};
use chorus_ids::{GroupId, ProjectId, UserId};
use chorus_store::{Memberships, Reads, Result};
use chorus_visibility::{
    ActorRef, ChildAccess, CompanySnapshot, Confirmer, Denied, GroupAccess, GroupFacts, GroupSnapshot, Level,
    Operation, ProjectSnapshot, Role, authorise_change, group_access, level, level_in, responsible,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::Call;

/// The people of the caller's company.
pub(crate) struct Company {
    /// Everybody by id.
    pub(crate) people: BTreeMap<UserId, Person>,
    /// As changes are computed from.
    pub(crate) snapshot: CompanySnapshot,
}

impl Company {
    /// Everybody, in one statement.
    pub(crate) async fn load(call: &Call, reads: &mut dyn Reads) -> Result<Self> {
        let people = reads.directory().people(call.caller.company).await?;
        let snapshot = CompanySnapshot {
            id: call.caller.company,
            users: people.iter().map(|person| person.id).collect(),
            first_user: people.first().map(|person| person.id),
        };
        Ok(Self { people: people.into_iter().map(|person| (person.id, person)).collect(), snapshot })
    }
}

/// A group with its members.
pub(crate) struct Grouping {
    /// Its row.
    pub(crate) group: Group,
    /// Its explicit members, oldest first.
    pub(crate) members: Vec<GroupMember>,
    /// As the caller meets it.
    pub(crate) facts: GroupFacts,
    /// As changes are computed from; without its projects unless they were loaded.
    pub(crate) snapshot: GroupSnapshot,
}

impl Grouping {
    /// What the caller has there; `children` says whether they see a project in it.
    pub(crate) fn access(&self, call: &Call, children: ChildAccess) -> GroupAccess {
        group_access(&call.caller.principal, self.group.company, &self.facts, children)
    }

    /// Loads its projects with their members, and returns their rows.
    pub(crate) async fn load_projects(&mut self, call: &Call, reads: &mut dyn Reads) -> Result<Vec<Project>> {
        let projects = reads.directory().projects_in(self.group.id).await?;
        let ids: Vec<ProjectId> = projects.iter().map(|project| project.id).collect();
        let members = reads.directory().project_members(&ids).await?;
        self.snapshot.projects =
            projects.iter().map(|project| snapshot(call, project, &members, Some(self.facts))).collect();
        Ok(projects)
    }

    /// Whether the caller sees one of the loaded projects.
    pub(crate) fn children(&self, call: &Call) -> ChildAccess {
        let sees = |project: &ProjectSnapshot| level(&call.caller.principal, &project.facts) > Level::None;
        if self.snapshot.projects.iter().any(sees) { ChildAccess::Some } else { ChildAccess::None }
    }
}

/// Loads groups of the caller's company with their members, in two statements.
pub(crate) async fn groups(call: &Call, reads: &mut dyn Reads, ids: &[GroupId]) -> Result<BTreeMap<GroupId, Grouping>> {
    let groups = reads.directory().groups_by_id(call.caller.company, ids).await?;
    let found: Vec<GroupId> = groups.iter().map(|group| group.id).collect();
    let members = reads.directory().group_members(&found).await?;
    let load = |group: Group| {
        let own: Vec<GroupMember> = members.iter().filter(|member| member.group == group.id).copied().collect();
        let snapshot = GroupSnapshot {
            id: group.id,
            visibility: group.visibility,
            access_version: i64::from(group.access_version),
            members: own.iter().map(|member| (member.user, member.role)).collect(),
            projects: Vec::new(),
        };
        let facts = group_facts(&call.caller.principal, &group, &own);
        (group.id, Grouping { facts, snapshot, members: own, group })
    };
    Ok(groups.into_iter().map(load).collect())
}

/// One group, for a change of it. Whether the caller may see it is still to be decided.
pub(crate) async fn group(call: &Call, reads: &mut dyn Reads, id: GroupId) -> Result<Grouping> {
    let found = groups(call, reads, &[id]).await?.remove(&id);
    Ok(found.ok_or_else(|| Refusal::not_found(Kind::Group))?)
}

/// A project with its group.
pub(crate) struct Placed {
    /// Its row.
    pub(crate) project: Project,
    /// The group that it is in, and others that were asked for.
    pub(crate) groups: BTreeMap<GroupId, Grouping>,
    /// As changes are computed from.
    pub(crate) snapshot: ProjectSnapshot,
}

impl Placed {
    /// Loads a project with its group and, perhaps, another one.
    pub(crate) async fn load(
        call: &Call,
        reads: &mut dyn Reads,
        id: ProjectId,
        other: Option<GroupId>,
    ) -> Result<Self> {
        let project = project(call, reads, id).await?;
        let members = reads.directory().project_members(&[id]).await?;
        let wanted: Vec<GroupId> = project.group.into_iter().chain(other).collect();
        let groups = groups(call, reads, &wanted).await?;
        let group = project.group.and_then(|group| groups.get(&group));
        let snapshot = snapshot(call, &project, &members, group.map(|group| group.facts));
        Ok(Self { project, groups, snapshot })
    }

    /// The group that it is in.
    pub(crate) fn group(&self) -> Option<&Grouping> {
        self.project.group.and_then(|group| self.groups.get(&group))
    }

    /// Whether the caller is to be told names and addresses of people.
    pub(crate) fn is_administered(&self, call: &Call) -> bool {
        call.caller.subject == Subject::Operator || level(&call.caller.principal, &self.snapshot.facts) == Level::Admin
    }
}

/// Projects with all that who may do what in them follows from, as if somebody were not there.
pub(crate) struct Without {
    /// The company without them.
    pub(crate) company: Company,
    /// Rows of the projects, with their roles without theirs.
    pub(crate) projects: Vec<(Project, ProjectSnapshot)>,
    /// The groups that these are in, and others that were asked for.
    pub(crate) groups: BTreeMap<GroupId, Grouping>,
}

impl Without {
    /// Loads projects and groups without somebody, in a fixed number of statements.
    pub(crate) async fn load(
        call: &Call,
        reads: &mut dyn Reads,
        (ids, others): (&[ProjectId], &[GroupId]),
        without: Option<UserId>,
    ) -> Result<Self> {
        let mut company = Company::load(call, reads).await?;
        company.snapshot.users.retain(|user| Some(*user) != without);
        if company.snapshot.first_user == without {
            // The oldest comes first.
            company.snapshot.first_user = company.snapshot.users.first().copied();
        }
        let projects = reads.directory().projects_by_id(call.caller.company, ids).await?;
        let mut members = reads.directory().project_members(ids).await?;
        members.retain(|member| Some(member.user) != without);
        let around: BTreeSet<GroupId> =
            projects.iter().filter_map(|project| project.group).chain(others.iter().copied()).collect();
        let mut groups = groups(call, reads, &around.into_iter().collect::<Vec<_>>()).await?;
        for group in groups.values_mut() {
            group.members.retain(|member| Some(member.user) != without);
            group.snapshot.members.retain(|(user, _)| Some(*user) != without);
        }
        let placed = |project: Project| {
            let facts = project.group.and_then(|group| groups.get(&group)).map(|group| group.facts);
            let snapshot = snapshot(call, &project, &members, facts);
            (project, snapshot)
        };
        let projects = projects.into_iter().map(placed).collect();
        Ok(Self { company, projects, groups })
    }

    /// Adds somebody with their roles, as if they were there; `first` is the first user then.
    pub(crate) fn add(&mut self, user: UserId, roles: &Memberships, first: UserId) {
        self.company.snapshot.users.push(user);
        self.company.snapshot.first_user = Some(first);
        for member in &roles.groups {
            if let Some(group) = self.groups.get_mut(&member.group) {
                group.snapshot.members.push((user, member.role));
            }
        }
        for member in &roles.projects {
            for (_, snapshot) in self.projects.iter_mut().filter(|(project, _)| project.id == member.project) {
                snapshot.members.push((user, member.role));
            }
        }
    }

    /// Who answers for each of the projects.
    pub(crate) fn responsibles(&self) -> BTreeMap<ProjectId, UserId> {
        self.projects.iter().filter_map(|placed| Some((placed.0.id, self.responsible(placed)?))).collect()
    }

    /// Who answers for a project.
    pub(crate) fn responsible(&self, (project, snapshot): &(Project, ProjectSnapshot)) -> Option<UserId> {
        responsible(snapshot, self.group(project), &self.company.snapshot)
    }

    /// What somebody has in a project.
    pub(crate) fn level(&self, (project, snapshot): &(Project, ProjectSnapshot), user: UserId) -> Level {
        level_in(snapshot, self.group(project), &self.company.snapshot, user)
    }

    fn group(&self, project: &Project) -> Option<&GroupSnapshot> {
        project.group.and_then(|group| self.groups.get(&group)).map(|group| &group.snapshot)
    }
}

/// A project's row.
pub(crate) async fn project(call: &Call, reads: &mut dyn Reads, id: ProjectId) -> Result<Project> {
    let found = reads.directory().projects_by_id(call.caller.company, &[id]).await?;
    Ok(found.into_iter().next().ok_or_else(|| Refusal::not_found(Kind::Project))?)
}

fn snapshot(call: &Call, project: &Project, members: &[ProjectMember], group: Option<GroupFacts>) -> ProjectSnapshot {
    let own = members.iter().filter(|member| member.project == project.id);
    ProjectSnapshot {
        facts: project_facts(&call.caller.principal, project, members, group),
        name: project.name.clone(),
        members: own.map(|member| (member.user, member.role)).collect::<Vec<(UserId, Role)>>(),
    }
}

/// Whether the caller may make this change. Whoever runs the server may make any.
pub(crate) fn authorised(call: &Call, operation: &Operation<'_>) -> Result<(), Denied> {
    match call.caller.subject {
        Subject::Operator => Ok(()),
        Subject::User(_) | Subject::Agent(_) => authorise_change(&call.caller.principal, operation),
    }
}

/// For whom a confirmation of this call is valid.
pub(crate) fn confirmer(call: &Call) -> Confirmer {
    let actor = match call.caller.subject {
        Subject::User(user) => ActorRef::User(user),
        Subject::Agent(agent) => ActorRef::Agent(agent),
        Subject::Operator => ActorRef::Operator,
    };
    Confirmer { principal: call.caller.principal.user, actor }
}

/// The token of these bytes: 64 lower-case hexadecimal characters.
pub(crate) fn token(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a change has to be confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confirmation {
    /// It has to.
    Required,
    /// It need not; a token that comes all the same has to be right.
    Optional,
}

/// Passes if the token that came is the one of the change as it is now.
pub(crate) fn confirmed(given: Option<&str>, expected: &str, need: Confirmation) -> Result<(), Refusal> {
    match (given, need) {
        (None, Confirmation::Optional) => Ok(()),
        (None, Confirmation::Required) => Err(unconfirmed(false)),
        (Some(given), _) if bool::from(given.as_bytes().ct_eq(expected.as_bytes())) => Ok(()),
        (Some(_), _) => Err(unconfirmed(true)),
    }
}

/// The token in a step that applies; `None` for a preview.
pub(crate) fn given(step: &Step) -> Option<&str> {
    match step {
        Step::Preview => None,
        Step::Apply(token) => token.as_deref(),
    }
}

/// The group with its access version raised by one.
pub(crate) fn bumped(call: &Call, group: &Group) -> Write {
    let access_version = group.access_version.saturating_add(1);
    Write::SaveGroup(Group { access_version, updated_at: call.now, ..group.clone() })
}

/// An entry of a group's protected log, which stands among the comments and which no list shows. Only users and agents
/// write there; what the operator does stands in the audit log.
pub(crate) fn logged(call: &Call, group: GroupId, action: &str, value: Value) -> Option<Write> {
    let author = call.caller.subject.party()?;
    Some(Write::NewComment(Comment {
        id: call.new_id(),
        company: call.caller.company,
        target: Kind::Group,
        target_id: group.uuid(),
        content: json!({ "action": action, "value": value }).to_string(),
        author,
        created_at: call.now,
    }))
}

#[cfg(test)]
mod tests {
    use chorus_domain::Code;

    use super::*;

    #[test]
    fn a_token_is_the_digest_and_only_it_confirms() {
        let right = token(b"abc");
        assert_eq!(right, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let check = |given: Option<&str>, need| confirmed(given, &right, need).map_err(|refusal| refusal.code);
        assert_eq!(check(Some(&right), Confirmation::Required), Ok(()));
        assert_eq!(check(None, Confirmation::Optional), Ok(()));
        let upper = right.to_uppercase();
        for wrong in [Some(upper.as_str()), Some(""), Some("x"), right.get(1..)] {
            for need in [Confirmation::Required, Confirmation::Optional] {
                assert_eq!(check(wrong, need), Err(Code::StaleConfirmation), "{wrong:?}");
            }
        }
        assert_eq!(check(None, Confirmation::Required), Err(Code::StaleConfirmation));
    }
}
