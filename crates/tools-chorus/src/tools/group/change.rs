//! Changing and deleting a group.

use async_trait::async_trait;
use chorus_app::{
    Call,
    group::{
        change::{Edited, GroupEdit, GroupPreview, Membership, change_member, update},
        delete::{DeletedGroup, Projects as Fate, delete},
    },
};
use chorus_dispatch::WriteTool;
use chorus_domain::{Refusal, group::Settings, membership::Step, refusal::Problem};
use chorus_ids::{GroupId, Timestamp, UserId, Uuid};
use chorus_store::{Outcome, Result, Tx};
use chorus_visibility::{MemberChange, Role, Visibility};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    GroupView, Projects,
    access::{ChangeLine, ReleasedView, SummaryView, changes},
};
use crate::{
    view::{ContentsView, Room, row_title},
    words,
};

/// Changes a group.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpdateProjectGroup {
    /// The group.
    #[schemars(with = "Uuid")]
    group_uuid: GroupId,
    /// Its new name.
    name: Option<String>,
    /// Its new description.
    description: Option<String>,
    /// Who shall see it. Going private takes its public projects along.
    #[serde(default)]
    #[schemars(schema_with = "words::visibility")]
    visibility: Option<Visibility>,
    /// True: only tell what `visibility` would do.
    preview: Option<bool>,
    /// From your own preview of the same change.
    confirmation_token: Option<String>,
    /// What to do with the member; nothing else may be changed beside.
    #[serde(default)]
    #[schemars(schema_with = "words::member_action")]
    member_action: Option<Action>,
    /// The member: any user of the company.
    #[schemars(with = "Option<Uuid>")]
    user_uuid: Option<UserId>,
    /// The member's role, for `add` and `update`.
    #[serde(default)]
    #[schemars(schema_with = "words::role")]
    role: Option<Role>,
}

/// What to do with a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    Add,
    Update,
    Remove,
}

impl UpdateProjectGroup {
    /// The change of a member, if that is what the call is about.
    fn member_change(&self) -> Result<Option<MemberChange>, Refusal> {
        let Some(action) = self.member_action else {
            let alone = "goes with `memberAction` only; say `add`, `update` or `remove`";
            let given = [("userUuid", self.user_uuid.is_some()), ("role", self.role.is_some())];
            let problems = given.into_iter().filter(|(_, given)| *given);
            Refusal::unless_fine(problems.map(|(field, _)| Problem::new(field, alone)).collect())?;
            return Ok(None);
        };
        let mut problems = Vec::new();
        let others = [
            ("name", self.name.is_some()),
            ("description", self.description.is_some()),
            ("visibility", self.visibility.is_some()),
            ("preview", self.preview.is_some()),
            ("confirmationToken", self.confirmation_token.is_some()),
        ];
        let apart = "can't be given beside `memberAction`; make two calls";
        problems.extend(others.into_iter().filter(|(_, given)| *given).map(|(field, _)| Problem::new(field, apart)));
        if self.user_uuid.is_none() {
            problems.push(Problem::new("userUuid", "is required with `memberAction`; give the user's UUID"));
        }
        match (action, self.role) {
            (Action::Add | Action::Update, None) => {
                problems.push(Problem::new("role", "is required to add or update a member"));
            }
            (Action::Remove, Some(_)) => {
                problems.push(Problem::new("role", "means nothing for `remove`; leave it out"))
            }
            (Action::Add | Action::Update, Some(_)) | (Action::Remove, None) => {}
        }
        let change = match (action, self.user_uuid, self.role) {
            (Action::Add, Some(user), Some(role)) => Some(MemberChange::Add { user, role }),
            (Action::Update, Some(user), Some(role)) => Some(MemberChange::SetRole { user, role }),
            (Action::Remove, Some(user), None) => Some(MemberChange::Remove { user }),
            _ => None,
        };
        Refusal::unless_fine(problems)?;
        Ok(change)
    }
}

/// What came of it: the group, a preview, or the membership.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Updated {
    /// As it is now.
    Group(GroupView),
    /// What would become of it.
    Preview(PreviewView),
    /// A member that was added or has another role.
    Member(MemberView),
    /// A member that is none any more.
    Gone {
        /// True.
        removed: bool,
    },
}

/// What a visibility would do.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PreviewView {
    group_uuid: Uuid,
    from_visibility: &'static str,
    visibility: &'static str,
    company_access: &'static str,
    projects: Vec<ImpactLine>,
    summary: SummaryView,
    released: ReleasedView,
    confirmation_token: String,
}

/// What it would do to one project.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ImpactLine {
    project_uuid: Uuid,
    name: String,
    from_visibility: &'static str,
    visibility: &'static str,
    company_access: &'static str,
    changes: Vec<ChangeLine>,
}

impl PreviewView {
    /// Of a very large group, or a very large company, as much as fits; the summary counts everything.
    fn of(preview: &GroupPreview) -> Self {
        let plan = &preview.plan;
        let mut room = Room::of_answer();
        let mut projects = Vec::new();
        for project in &plan.projects {
            let impact = &project.impact;
            let mut line = ImpactLine {
                project_uuid: impact.project.uuid(),
                name: preview.projects.get(&impact.project).map(|name| row_title(name)).unwrap_or_default(),
                from_visibility: impact.from.as_str(),
                visibility: impact.to.as_str(),
                company_access: impact.company_access().as_str(),
                changes: Vec::new(),
            };
            if !room.take(&line) {
                break;
            }
            line.changes = changes(impact, Some(&preview.people), &mut room);
            projects.push(line);
        }
        Self {
            group_uuid: plan.group.uuid(),
            from_visibility: plan.from.as_str(),
            visibility: plan.to.as_str(),
            company_access: plan.company_access().as_str(),
            projects,
            summary: plan.summary().into(),
            released: preview.released.into(),
            confirmation_token: preview.token.clone(),
        }
    }
}

/// A membership.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MemberView {
    group_uuid: Uuid,
    user_uuid: Uuid,
    name: String,
    email: Option<String>,
    role: &'static str,
    #[schemars(with = "String")]
    created_at: Timestamp,
}

#[async_trait]
impl WriteTool for UpdateProjectGroup {
    type Output = Updated;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Updated>> {
        if let Some(change) = self.member_change()? {
            let outcome = change_member(call, tx, self.group_uuid, change).await?;
            return Ok(outcome.map(|membership| match membership {
                Membership::Gone => Updated::Gone { removed: true },
                Membership::Is(row, person) => Updated::Member(MemberView {
                    group_uuid: row.group.uuid(),
                    user_uuid: row.user.uuid(),
                    name: person.name,
                    email: person.email,
                    role: row.role.as_str(),
                    created_at: row.created_at,
                }),
            }));
        }
        let edit = GroupEdit {
            settings: Settings { name: self.name, description: self.description },
            visibility: self.visibility,
            step: Step::of(self.preview, self.confirmation_token)?,
        };
        let outcome = update(call, tx, self.group_uuid, edit).await?;
        Ok(outcome.map(|edited| match edited {
            Edited::Group(detail) => Updated::Group(GroupView::of(detail, Projects::Listed)),
            Edited::Preview(preview) => Updated::Preview(PreviewView::of(&preview)),
        }))
    }
}

/// Deletes a group.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeleteProjectGroup {
    /// The group.
    #[schemars(with = "Uuid")]
    group_uuid: GroupId,
    /// Also delete its projects with everything in them.
    delete_projects: Option<bool>,
}

/// What went with a group, and what stayed.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Deleted {
    message: String,
    group_uuid: Uuid,
    kept_projects: usize,
    deleted: Gone,
}

/// How much went.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Gone {
    projects: usize,
    #[serde(flatten)]
    contents: ContentsView,
}

impl From<DeletedGroup> for Deleted {
    fn from(gone: DeletedGroup) -> Self {
        let removed = &gone.removed;
        Self {
            message: match removed.projects.len() {
                0 => format!(
                    "Project group {} was deleted; {} of its projects stay, in no group.",
                    gone.group,
                    gone.kept.len()
                ),
                projects => {
                    format!("Project group {} was deleted with {projects} projects and everything in them.", gone.group)
                }
            },
            group_uuid: gone.group.uuid(),
            kept_projects: gone.kept.len(),
            deleted: Gone { projects: removed.projects.len(), contents: removed.into() },
        }
    }
}

#[async_trait]
impl WriteTool for DeleteProjectGroup {
    type Output = Deleted;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Deleted>> {
        let fate = if self.delete_projects == Some(true) { Fate::Deleted } else { Fate::Kept };
        Ok(delete(call, tx, self.group_uuid, fate).await?.map(Deleted::from))
    }
}
