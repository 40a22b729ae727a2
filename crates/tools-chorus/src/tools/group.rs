//! Tools: groups of projects.

use async_trait::async_trait;
use chorus_app::{
    Call,
    group::{self, GroupDetail, Roster},
};
use chorus_dispatch::{
    Access, At, Expand, Hints, ListTool, ReadTool, Requirement, Tool, WriteTool,
    tool::{Destructive, Idempotent, list, read, write},
};
use chorus_domain::{Code, Kind, group::GroupForm, text};
use chorus_ids::{GroupId, Timestamp, Uuid};
use chorus_permissions::PROJECT_WRITE;
use chorus_store::{GroupedProject, Hold, Outcome, Page, PageRequest, Reads, Result, Row, Tx};
use chorus_visibility::{Need, Visibility};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::activity::ActivityRow;
use crate::{
    view::{Names, Room, row_title},
    words,
};

pub mod access;
mod change;
mod relocate;

/// Lists groups.
#[derive(Deserialize, JsonSchema)]
struct GetProjectGroups {}

#[async_trait]
impl ListTool for GetProjectGroups {
    type Row = GroupRow;

    const COLLECTION: &'static str = "groups";
    const COUNTS: &'static [&'static str] = &["ungroupedCount"];

    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<GroupRow>> {
        let page = group::list(call, reads, page).await?;
        let rows = page.rows.into_iter().map(|row| Row {
            at: row.at,
            item: GroupRow {
                uuid: row.item.group.id.uuid(),
                name: row_title(&row.item.group.name),
                project_count: row.item.projects,
                created_at: row.item.group.created_at,
                updated_at: row.item.group.updated_at,
            },
        });
        Ok(Page { rows: rows.collect(), total: page.total, more: page.more })
    }

    async fn counts(call: &Call, reads: &mut dyn Reads) -> Result<Vec<u64>> {
        Ok(vec![group::ungrouped(call, reads).await?])
    }
}

/// A group in a list.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GroupRow {
    uuid: Uuid,
    name: String,
    project_count: u64,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

/// Reads one group.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetProjectGroup {
    /// The group.
    #[schemars(with = "Uuid")]
    group_uuid: GroupId,
    /// Also list its explicit members; takes an explicit role in the group.
    include_members: Option<bool>,
}

#[async_trait]
impl ReadTool for GetProjectGroup {
    type Output = GroupView;

    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<GroupView> {
        let roster = if self.include_members == Some(true) { Roster::Wanted } else { Roster::Omitted };
        let detail = group::read(call, reads, self.group_uuid, roster).await?;
        Ok(GroupView::of(detail, Projects::Listed))
    }
}

/// What the caller has in a group.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Standing {
    visibility: &'static str,
    access_level: &'static str,
    explicit_role: Option<&'static str>,
    can_manage: bool,
    can_create_project: bool,
    access_initialized: bool,
}

impl Standing {
    fn of(detail: &GroupDetail) -> Self {
        let access = &detail.access;
        Self {
            visibility: detail.group.visibility.as_str(),
            access_level: access.access_level.as_str(),
            explicit_role: access.explicit_role.map(chorus_visibility::Role::as_str),
            can_manage: access.can_manage,
            can_create_project: access.can_create_project,
            access_initialized: access.access_initialized,
        }
    }
}

/// A group.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GroupView {
    uuid: Uuid,
    name: String,
    description: String,
    project_count: u64,
    #[serde(flatten)]
    standing: Standing,
    #[serde(skip_serializing_if = "Option::is_none")]
    projects: Option<Vec<ProjectLine>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<Vec<MemberLine>>,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

/// A project of a group, its description cut to what an overview needs.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct ProjectLine {
    uuid: Uuid,
    name: String,
    description: Option<String>,
}

/// An explicit member.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MemberLine {
    user_uuid: Uuid,
    name: String,
    role: &'static str,
    #[schemars(with = "String")]
    created_at: Timestamp,
}

/// Whether an answer lists the projects of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Projects {
    Listed,
    Omitted,
}

impl GroupView {
    /// The group as it is shown; of long lists as much as fits, members first.
    fn of(detail: GroupDetail, projects: Projects) -> Self {
        let mut room = Room::of_answer();
        let standing = Standing::of(&detail);
        let group = detail.group;
        room.take(&(&group.name, &group.description));
        let members = detail.members.map(|members| {
            let lines = members.into_iter().map(|(member, name)| MemberLine {
                user_uuid: member.user.uuid(),
                name: row_title(&name),
                role: member.role.as_str(),
                created_at: member.created_at,
            });
            room.fitting(lines)
        });
        let line = |grouped: GroupedProject| ProjectLine {
            uuid: grouped.project.id.uuid(),
            name: row_title(&grouped.project.name),
            description: grouped.project.description.as_deref().map(text::excerpt),
        };
        let projects = match projects {
            Projects::Omitted => None,
            Projects::Listed => Some(room.fitting(detail.projects.into_iter().map(line))),
        };
        Self {
            uuid: group.id.uuid(),
            name: group.name,
            description: group.description,
            project_count: detail.totals.projects,
            standing,
            projects,
            members,
            created_at: group.created_at,
            updated_at: group.updated_at,
        }
    }
}

/// Reads a group's figures.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetGroupDashboard {
    /// The group.
    #[schemars(with = "Uuid")]
    group_uuid: GroupId,
}

/// A group's figures over the projects that the caller sees.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Dashboard {
    group: DashboardGroup,
    stats: Stats,
    projects: Vec<ProgressLine>,
    recent_activity: Vec<RecentLine>,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DashboardGroup {
    uuid: Uuid,
    name: String,
    description: String,
    #[serde(flatten)]
    standing: Standing,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Stats {
    project_count: u64,
    total_tasks: u64,
    completed_tasks: u64,
    completion_rate: u64,
    open_ideas: u64,
    active_proposals: u64,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ProgressLine {
    uuid: Uuid,
    name: String,
    visibility: &'static str,
    task_count: u64,
    completion_rate: u64,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RecentLine {
    project_uuid: Uuid,
    project_name: String,
    #[serde(flatten)]
    activity: ActivityRow,
}

/// A part of a whole in per cent, rounded; nothing of nothing is nothing.
const fn percent(part: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { (part * 200 + whole) / (whole * 2) }
}

#[async_trait]
impl ReadTool for GetGroupDashboard {
    type Output = Dashboard;

    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<Dashboard> {
        let group::Dashboard { detail, recent } = group::dashboard(call, reads, self.group_uuid).await?;
        let names = Names::load(reads, &call.scope, recent.iter().filter_map(|(row, _)| row.actor.party())).await?;
        Ok(Dashboard::of(detail, recent, &names))
    }
}

impl Dashboard {
    fn of(detail: GroupDetail, recent: Vec<(chorus_domain::activity::Activity, String)>, names: &Names) -> Self {
        let standing = Standing::of(&detail);
        let (group, totals) = (detail.group, detail.totals);
        let mut room = Room::of_answer();
        room.take(&(&group.name, &group.description));
        let recent = recent.into_iter().map(|(activity, project_name)| RecentLine {
            project_uuid: activity.project.uuid(),
            project_name: row_title(&project_name),
            activity: ActivityRow::of(activity, names),
        });
        let recent_activity = room.fitting(recent);
        let projects = detail.projects.into_iter().map(|grouped| ProgressLine {
            uuid: grouped.project.id.uuid(),
            name: row_title(&grouped.project.name),
            visibility: grouped.project.visibility.as_str(),
            task_count: grouped.tasks,
            completion_rate: percent(grouped.finished_tasks, grouped.tasks),
        });
        Self {
            projects: room.fitting(projects),
            recent_activity,
            stats: Stats {
                project_count: totals.projects,
                total_tasks: totals.tasks,
                completed_tasks: totals.finished_tasks,
                completion_rate: percent(totals.finished_tasks, totals.tasks),
                open_ideas: totals.open_ideas,
                active_proposals: totals.active_proposals,
            },
            group: DashboardGroup { uuid: group.id.uuid(), name: group.name, description: group.description, standing },
        }
    }
}

/// Creates a group.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CreateProjectGroup {
    /// What it is called.
    name: String,
    /// What its projects have in common.
    description: Option<String>,
    /// Who sees it: the whole company (the default), or members only.
    #[serde(default)]
    #[schemars(schema_with = "words::visibility")]
    visibility: Option<Visibility>,
}

#[async_trait]
impl WriteTool for CreateProjectGroup {
    type Output = GroupView;

    async fn run(self, call: &Call, _tx: &mut dyn Tx) -> Result<Outcome<GroupView>> {
        let form = GroupForm { name: self.name, description: self.description, visibility: self.visibility };
        let created = group::create(call, form)?;
        Ok(created.map(|detail| GroupView::of(detail, Projects::Omitted)))
    }
}

/// The group that a call changes, with its projects.
const CHANGED: At = At::Via { path: "groupUuid", expand: Expand::ChangedGroup };

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_get_project_groups",
        family: "group",
        title: "List project groups",
        description: "Page through the project groups that you may discover, oldest first, each with the number of its \
                      projects that you see. `ungroupedCount` counts those in no group.",
        requirement: Requirement::PUBLIC,
        access: Access::filtered("the rows are those that the scope may discover", &[]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{}"#,
        run: list::<GetProjectGroups>(),
    },
    Tool {
        name: "chorus_get_project_group",
        family: "group",
        title: "Read a project group",
        description: "Read one project group: who sees it, what you may do there, and its projects that you see, latest \
                      updated first (at most 100; `projectCount` has them all, chorus_list_projects lists them).",
        requirement: Requirement::PUBLIC,
        access: Access::filtered(
            "the group and its projects are read as the scope sees them",
            &[At::Group("groupUuid")],
        ),
        hints: Hints::READ,
        refuses: &[
            (Code::Forbidden, "members are asked for without an explicit role in the group"),
            (Code::NotFound, "the group does not exist or is hidden"),
        ],
        example: r#"{"groupUuid": "0192f3a0-7d4c-7b1e-9a55-000000000002", "includeMembers": true}"#,
        run: read::<GetProjectGroup>(),
    },
    Tool {
        name: "chorus_get_group_dashboard",
        family: "group",
        title: "See how a project group is doing",
        description: "See how the projects of a group are doing, as far as you see them: finished tasks, open ideas, \
                      proposals under way, progress of each project, the newest activities.",
        requirement: Requirement::PUBLIC,
        access: Access::filtered("everything is counted as the scope sees it", &[At::Group("groupUuid")]),
        hints: Hints::READ,
        refuses: &[(Code::NotFound, "the group does not exist or is hidden")],
        example: r#"{"groupUuid": "0192f3a0-7d4c-7b1e-9a55-000000000002"}"#,
        run: read::<GetGroupDashboard>(),
    },
    Tool {
        name: "chorus_admin_create_project_group",
        family: "group",
        title: "Create a project group",
        description: "Create a group to keep projects together and to share access to them. Your owner becomes its \
                      administrator. Next: chorus_admin_create_project or chorus_admin_move_project_to_group.",
        requirement: Requirement::bit(PROJECT_WRITE),
        access: Access::company("a new group belongs to nobody yet", &[]),
        hints: Hints::ADDS,
        refuses: &[],
        example: r#"{"name": "Platform", "visibility": "public"}"#,
        run: write::<CreateProjectGroup>(),
    },
    Tool {
        name: "chorus_admin_update_project_group",
        family: "group",
        title: "Change a project group",
        description: "Do one of three things. Rename or describe a group. Change who sees it: first with `preview: true` \
                      and `visibility` alone, which changes nothing and tells the impact; then the same with its \
                      `confirmationToken`. Or add, update or remove one member, at once.",
        requirement: Requirement::bit(PROJECT_WRITE),
        access: Access::company(
            "what it takes depends on the change; the handler asks the rules of visibility under the group's lock",
            &[
                At::Group("groupUuid"),
                CHANGED,
                At::Part { path: "userUuid", reason: "anybody of the company, looked up among its people" },
            ],
        ),
        hints: Hints { destructive: Destructive::Yes, idempotent: Idempotent::No },
        refuses: &[
            (Code::Forbidden, "the caller may not make this change to the group"),
            (Code::NotFound, "the group or the user does not exist"),
            (Code::StaleConfirmation, "the confirmation token is missing or no longer fits"),
            (Code::AlreadyMember, "the person to add is a member already"),
            (Code::LastAdmin, "the group would lose its last administrator"),
        ],
        example: r#"{"groupUuid": "0192f3a0-7d4c-7b1e-9a55-000000000002", "visibility": "private", "preview": true}"#,
        run: write::<change::UpdateProjectGroup>(),
    },
    Tool {
        name: "chorus_admin_delete_project_group",
        family: "group",
        title: "Delete a project group",
        description: "Delete a group; you must administer it and be able to manage every project in it. Its projects stay, \
                      and members keep their roles in each; or, with `deleteProjects`, they go for good with everything in \
                      them.",
        requirement: Requirement::bit(PROJECT_WRITE),
        access: Access::company(
            "the group decides before its projects do, so that a refusal tells nothing of hidden ones",
            &[At::Group("groupUuid"), At::Via { path: "groupUuid", expand: Expand::RemovedGroup }],
        ),
        hints: Hints::ENDS,
        refuses: &[
            (Code::Forbidden, "the caller does not administer the group, or may not manage one of its projects"),
            (Code::NotFound, "the group, or a project in it, is not visible to the caller"),
            (Code::LastAdmin, "a project that stays would have no administrator"),
        ],
        example: r#"{"groupUuid": "0192f3a0-7d4c-7b1e-9a55-000000000002", "deleteProjects": false}"#,
        run: write::<change::DeleteProjectGroup>(),
    },
    Tool {
        name: "chorus_admin_move_project_to_group",
        family: "group",
        title: "Move a project to a group",
        description: "Put a project into a group, or out of its group with `groupUuid: null`. With `preview: true` nothing \
                      changes, and the answer tells whose access would; where `requiresConfirmation` is true, repeat the \
                      same with its `confirmationToken`.",
        requirement: Requirement::bit(PROJECT_WRITE),
        access: Access::resource(&[
            At::id("projectUuid", Kind::Project, Need::Manage).held(Hold::Own).owning_project(),
            At::Group("groupUuid"),
            At::Via { path: "groupUuid", expand: Expand::EnteredGroup },
            At::Via { path: "projectUuid", expand: Expand::LeftGroup },
        ]),
        hints: Hints { destructive: Destructive::No, idempotent: Idempotent::Yes },
        refuses: &[
            (Code::Forbidden, "the caller may not manage the project or the groups concerned"),
            (Code::NotFound, "the project or the group is not visible to the caller"),
            (Code::StaleConfirmation, "the confirmation token is missing or no longer fits"),
            (Code::LastAdmin, "the project would have no administrator"),
        ],
        example: r#"{
            "projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001",
            "groupUuid": "0192f3a0-7d4c-7b1e-9a55-000000000002",
            "preview": true
        }"#,
        run: write::<relocate::MoveProjectToGroup>(),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_rounded_and_nothing_of_nothing_is_zero() {
        for (part, whole, rate) in [(0, 0, 0), (0, 3, 0), (1, 3, 33), (2, 3, 67), (1, 2, 50), (1, 200, 1), (3, 3, 100)]
        {
            assert_eq!(percent(part, whole), rate, "{part} of {whole}");
        }
    }
}
