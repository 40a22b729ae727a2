//! Changes of a group: its texts, its visibility, its members.

use std::collections::BTreeMap;

use chorus_domain::{
    Batch, Kind, Party, Refusal, Write,
    activity::Action,
    event::Change,
    group::Settings,
    membership::{Of, Person, Step, change_refused, group_denied, member_refused, visibility_told, write},
    project::{Group, GroupMember, Project},
    refusal::Problem,
};
use chorus_ids::{GroupId, ProjectId, UserId};
use chorus_store::{Outcome, Reads, Result, Tx};
use chorus_visibility::{
    GroupPlan, GroupVisibilityChange, MemberChange, MemberWrite, Operation, ProjectImpact, Visibility,
    change_group_member, group_access, group_member_impacts,
};
use serde_json::json;

use super::{GroupDetail, Roster, read};
use crate::{
    Call,
    access::{self, Company, Confirmation, Grouping, authorised, confirmed, confirmer, logged, token},
    agent::require_present,
    leaving::{Left, Released, responsible},
};

/// What shall become of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupEdit {
    /// New texts.
    pub settings: Settings,
    /// Another visibility.
    pub visibility: Option<Visibility>,
    /// Whether to preview or to apply it.
    pub step: Step,
}

impl GroupEdit {
    /// Whether its parts go together.
    ///
    /// # Errors
    /// `invalid_arguments` with every problem.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut problems = Vec::new();
        let needs_visibility = "goes with `visibility` only; give the visibility that the group shall have";
        match (&self.step, self.visibility) {
            (Step::Preview, None) => problems.push(Problem::new("preview", needs_visibility)),
            (Step::Apply(Some(_)), None) => problems.push(Problem::new("confirmationToken", needs_visibility)),
            (Step::Preview, Some(_)) => {
                let alone = "can't be previewed; leave it out, and give it with the `confirmationToken`";
                problems.extend(self.settings.fields().into_iter().map(|field| Problem::new(field, alone)));
            }
            (Step::Apply(_), _) => {}
        }
        Refusal::unless_fine(problems)?;
        self.settings.check()
    }
}

/// What a change of visibility would do.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupPreview {
    /// To the group and to each of its projects.
    pub plan: GroupPlan,
    /// What those hold who can't edit any more, and would let go of.
    pub released: Released,
    /// What the projects are called.
    pub projects: BTreeMap<ProjectId, String>,
    /// Who the people are.
    pub people: BTreeMap<UserId, Person>,
    /// Confirms exactly this.
    pub token: String,
}

/// What an edit came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Edited {
    /// The group as it is now.
    Group(GroupDetail),
    /// What the change would do; nothing was changed.
    Preview(GroupPreview),
}

/// Changes texts and visibility of a group, all or nothing; or says what a change of visibility would do.
///
/// # Errors
/// What [`GroupEdit::check`] finds; not found, `forbidden`; `stale_confirmation` for a visibility without the token of
/// a preview that still holds.
pub async fn update(call: &Call, tx: &mut dyn Tx, id: GroupId, edit: GroupEdit) -> Result<Outcome<Edited>> {
    edit.check()?;
    let detail = read(call, tx, id, Roster::Omitted).await?;
    let Some(to) = edit.visibility else { return rename(call, tx, detail, edit.settings).await };
    authorised(call, &Operation::GroupVisibility(&detail.access)).map_err(group_denied)?;
    let company = Company::load(call, tx).await?;
    let mut around = access::group(call, tx, id).await?;
    let children = around.load_projects(call, tx).await?;
    let change = GroupVisibilityChange { group: &around.snapshot, to };
    let plan = change.plan(&company.snapshot).map_err(change_refused)?;
    let expected = token(&change.confirmation_bytes(&company.snapshot, &confirmer(call)));
    let left = Left::by(call, tx, plan.projects.iter().map(|project| &project.impact)).await?;
    if edit.step == Step::Preview {
        let projects = children.into_iter().map(|project| (project.id, project.name)).collect();
        let preview =
            GroupPreview { plan, released: left.released(), projects, people: company.people, token: expected };
        return Ok(Outcome { batch: Batch::default(), answer: Edited::Preview(preview) });
    }
    confirmed(access::given(&edit.step), &expected, Confirmation::Required)?;

    let mut changed = edit.settings.fields();
    if plan.is_change() {
        changed.push("visibility");
    }
    if changed.is_empty() {
        return Ok(Outcome { batch: Batch::default(), answer: Edited::Group(detail) });
    }
    let raised = i32::from(plan.is_change());
    let named = edit.settings.of_group(&detail.group, call.now);
    let group = Group { visibility: to, access_version: named.access_version.saturating_add(raised), ..named };
    let mut batch = saved(call, &group, &changed, &children, json!(visibility_told(plan.from, to)));
    if plan.is_change() {
        tell_of_access(call, &children, &mut batch);
    }
    let closed: Vec<ProjectId> = plan.closed_projects().collect();
    for project in children.iter().filter(|project| closed.contains(&project.id)) {
        let private = Project { visibility: Visibility::Private, updated_at: call.now, ..project.clone() };
        batch.writes.push(Write::SaveProject(private));
        let value = visibility_told(project.visibility, Visibility::Private);
        let about = (Kind::Project, project.id.uuid(), project.name.as_str());
        batch.activities.push(call.activity(project.id, about, Action::ProjectVisibilityChanged, Some(value)));
    }
    let responsible = responsible(plan.projects.iter().map(|project| &project.impact));
    left.write(call, tx, &responsible, &mut batch).await?;
    let facts = chorus_visibility::GroupFacts { visibility: to, ..around.facts };
    let access = group_access(&call.caller.principal, group.company, &facts, around.children(call));
    Ok(Outcome { batch, answer: Edited::Group(GroupDetail { group, access, ..detail }) })
}

async fn rename(call: &Call, tx: &mut dyn Tx, detail: GroupDetail, settings: Settings) -> Result<Outcome<Edited>> {
    detail.access.require_manage().map_err(group_denied)?;
    if settings.is_empty() {
        return Ok(Outcome { batch: Batch::default(), answer: Edited::Group(detail) });
    }
    let changed = settings.fields();
    let group = settings.of_group(&detail.group, call.now);
    let children = tx.directory().projects_in(group.id).await?;
    let batch = saved(call, &group, &changed, &children, json!(null));
    Ok(Outcome { batch, answer: Edited::Group(GroupDetail { group, ..detail }) })
}

/// The group as it is now, its log, its event, and a line in the stream of each of its projects.
fn saved(
    call: &Call,
    group: &Group,
    changed: &[&'static str],
    children: &[Project],
    visibility: serde_json::Value,
) -> Batch {
    let mut writes = vec![Write::SaveGroup(group.clone())];
    let value = json!({ "changed": changed, "name": group.name, "visibility": visibility });
    writes.extend(logged(call, group.id, "group_updated", value));
    let mut batch = Batch { writes, events: vec![call.group_event(group.id, Change::Updated)], ..Batch::default() };
    mirror(call, group, changed, children, &mut batch);
    batch
}

/// A line in the stream of each project: that the group changed, and nothing of its members.
fn mirror(call: &Call, group: &Group, changed: &[&'static str], children: &[Project], batch: &mut Batch) {
    let about = (Kind::Group, group.id.uuid(), group.name.as_str());
    let value = json!({ "changed": changed });
    let line = |project: &Project| call.activity(project.id, about, Action::GroupUpdated, Some(value.clone()));
    batch.activities.extend(children.iter().map(line));
}

/// Access to each of these projects may have changed: streams have to look again.
fn tell_of_access(call: &Call, children: &[Project], batch: &mut Batch) {
    let event = |project: &Project| call.event(project.id, Kind::Project, project.id.uuid(), Change::Updated);
    batch.events.extend(children.iter().map(event));
}

/// A membership as it is after a change of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Membership {
    /// The row, and who it is.
    Is(GroupMember, Person),
    /// There is none any more.
    Gone,
}

/// What a change of a membership would do in each project of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberPreview {
    /// What it does to people, in each project.
    pub impacts: Vec<ProjectImpact>,
    /// What the member and their agents would have to let go of.
    pub released: Released,
    /// What the projects are called.
    pub projects: BTreeMap<ProjectId, String>,
    /// Who the people are.
    pub people: BTreeMap<UserId, Person>,
}

/// What a change of an explicit member of a group would do; nothing is changed.
///
/// # Errors
/// As [`change_member`].
pub async fn preview_member(
    call: &Call,
    reads: &mut dyn Reads,
    id: GroupId,
    change: MemberChange,
) -> Result<MemberPreview> {
    let mut around = access::group(call, reads, id).await?;
    let children = around.load_projects(call, reads).await?;
    let access = around.access(call, around.children(call));
    authorised(call, &Operation::GroupMembers(&access)).map_err(group_denied)?;
    let company = Company::load(call, reads).await?;
    let written = change_group_member(change, &around.snapshot, &company.snapshot)
        .map_err(|why| member_refused(Of::Group(id), why))?;
    let impacts = group_member_impacts(written, &around.snapshot, &company.snapshot);
    let released = Left::by(call, reads, &impacts).await?.released();
    let projects = children.into_iter().map(|project| (project.id, project.name)).collect();
    Ok(MemberPreview { impacts, released, projects, people: company.people })
}

/// Adds, changes or removes an explicit member of a group. It takes effect on all its projects at once (visibility
/// specification §6.3).
///
/// # Errors
/// Not found, `forbidden` without an explicit administrator; what [`member_refused`] says.
pub async fn change_member(
    call: &Call,
    tx: &mut dyn Tx,
    id: GroupId,
    change: MemberChange,
) -> Result<Outcome<Membership>> {
    let mut around = access::group(call, tx, id).await?;
    let children = around.load_projects(call, tx).await?;
    let access = around.access(call, around.children(call));
    authorised(call, &Operation::GroupMembers(&access)).map_err(group_denied)?;
    let company = Company::load(call, tx).await?;
    let of = Of::Group(id);
    let written =
        change_group_member(change, &around.snapshot, &company.snapshot).map_err(|why| member_refused(of, why))?;
    if let MemberWrite::Insert { user, .. } | MemberWrite::Update { user, .. } = written {
        require_present(call, tx, Party::User(user)).await?;
    }
    let answer = after(&around, &company, written, change, call);
    let Some(row) = write(of, written, call.caller.subject.party(), call.now) else {
        return Ok(Outcome { batch: Batch::default(), answer });
    };
    let mut batch = Batch { writes: vec![row, access::bumped(call, &around.group)], ..Batch::default() };
    let (action, value) = match written {
        MemberWrite::Delete { user, from } => {
            ("group_member_removed", json!({ "userUuid": user, "from": from.as_str() }))
        }
        MemberWrite::Update { user, from, role } => {
            ("group_member_changed", json!({ "userUuid": user, "from": from.as_str(), "role": role.as_str() }))
        }
        MemberWrite::Insert { user, role } => {
            ("group_member_changed", json!({ "userUuid": user, "from": null, "role": role.as_str() }))
        }
        MemberWrite::Unchanged => ("group_member_changed", json!(null)),
    };
    batch.writes.extend(logged(call, id, action, value));
    batch.events.push(call.group_event(id, Change::Updated));
    tell_of_access(call, &children, &mut batch);
    mirror(call, &around.group, &["members"], &children, &mut batch);
    let impacts = group_member_impacts(written, &around.snapshot, &company.snapshot);
    let left = Left::by(call, tx, &impacts).await?;
    left.write(call, tx, &responsible(&impacts), &mut batch).await?;
    Ok(Outcome { batch, answer })
}

fn after(around: &Grouping, company: &Company, written: MemberWrite, change: MemberChange, call: &Call) -> Membership {
    let (user, role) = match change {
        MemberChange::Add { user, role } | MemberChange::SetRole { user, role } => (user, role),
        MemberChange::Remove { .. } => return Membership::Gone,
    };
    let stored = around.members.iter().find(|member| member.user == user).copied();
    let new =
        GroupMember { group: around.group.id, user, role, added_by: call.caller.subject.party(), created_at: call.now };
    let row = match (written, stored) {
        (MemberWrite::Insert { .. }, _) | (_, None) => new,
        (_, Some(stored)) => GroupMember { role, ..stored },
    };
    let unknown = Person { id: user, name: "Unknown".to_owned(), email: None };
    Membership::Is(row, company.people.get(&user).cloned().unwrap_or(unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(edit: &GroupEdit) -> Vec<String> {
        let details = edit.check().err().and_then(|refusal| refusal.details).unwrap_or_default();
        let problems = details.get("problems").and_then(|list| list.as_array()).cloned().unwrap_or_default();
        problems.iter().filter_map(|problem| Some(problem.get("field")?.as_str()?.to_owned())).collect()
    }

    #[test]
    fn a_preview_is_of_a_visibility_alone() {
        let texts = Settings { name: Some("x".into()), description: Some("y".into()) };
        let edit = |settings: &Settings, visibility, step| GroupEdit { settings: settings.clone(), visibility, step };
        let (none, private) = (Settings::default(), Some(Visibility::Private));
        let token = || Step::Apply(Some("x".into()));
        assert_eq!(fields(&edit(&none, private, Step::Preview)), [""; 0]);
        assert_eq!(fields(&edit(&texts, private, token())), [""; 0]);
        assert_eq!(fields(&edit(&none, None, Step::Preview)), ["preview"]);
        assert_eq!(fields(&edit(&texts, None, token())), ["confirmationToken"]);
        assert_eq!(fields(&edit(&texts, private, Step::Preview)), ["name", "description"]);
    }
}
