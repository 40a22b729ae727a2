//! Tools: projects.

use async_trait::async_trait;
use chorus_app::{Call, project};
use chorus_dispatch::{
    Access, At, Hints, ListTool, ReadTool, Requirement, Tool, WriteTool, schema,
    tool::{list, read, write},
};
use chorus_domain::{Code, Kind, project::ProjectForm};
use chorus_ids::{GroupId, ProjectId, Timestamp, Uuid};
use chorus_permissions::PROJECT_WRITE;
use chorus_store::{Outcome, Page, PageRequest, ProjectSummary, Reads, Result, Row, Tx};
use chorus_visibility::{Level, Need, Visibility};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::view::row_title;

/// Lists projects.
#[derive(Deserialize, JsonSchema)]
struct ListProjects {}

#[async_trait]
impl ListTool for ListProjects {
    type Row = ProjectRow;

    const COLLECTION: &'static str = "projects";

    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<ProjectRow>> {
        let page = project::list(call, reads, page).await?;
        let rows = page.rows.into_iter().map(|row| Row { at: row.at, item: ProjectRow::of(row.item) }).collect();
        Ok(Page { rows, total: page.total, more: page.more })
    }
}

/// A project in a list.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ProjectRow {
    uuid: Uuid,
    name: String,
    group_uuid: Option<Uuid>,
    #[serde(rename = "_count")]
    count: Counts,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

impl ProjectRow {
    fn of(summary: ProjectSummary) -> Self {
        let ProjectSummary { project, counts } = summary;
        Self {
            uuid: project.id.uuid(),
            name: row_title(&project.name),
            group_uuid: project.group.map(GroupId::uuid),
            count: Counts {
                ideas: counts.ideas,
                documents: counts.documents,
                tasks: counts.tasks,
                proposals: counts.proposals,
                activities: None,
            },
            created_at: project.created_at,
            updated_at: project.updated_at,
        }
    }
}

/// How much is in a project.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Counts {
    ideas: u64,
    documents: u64,
    tasks: u64,
    proposals: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    activities: Option<u64>,
}

/// Reads one project.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetProject {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
}

#[async_trait]
impl ReadTool for GetProject {
    type Output = ProjectView;

    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<ProjectView> {
        let summary = project::get(call, reads, self.project_uuid).await?;
        let level = call.project(self.project_uuid)?.level;
        Ok(ProjectView::of(summary, level))
    }
}

/// A project.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ProjectView {
    uuid: Uuid,
    name: String,
    description: Option<String>,
    group_uuid: Option<Uuid>,
    visibility: &'static str,
    access_level: &'static str,
    #[serde(rename = "_count")]
    count: Counts,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

impl ProjectView {
    fn of(summary: ProjectSummary, level: Level) -> Self {
        let ProjectSummary { project, counts } = summary;
        Self {
            uuid: project.id.uuid(),
            name: project.name,
            description: project.description,
            group_uuid: project.group.map(GroupId::uuid),
            visibility: project.visibility.as_str(),
            access_level: level.as_str(),
            count: Counts {
                ideas: counts.ideas,
                documents: counts.documents,
                tasks: counts.tasks,
                proposals: counts.proposals,
                activities: Some(counts.activities),
            },
            created_at: project.created_at,
            updated_at: project.updated_at,
        }
    }
}

/// Creates a project.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CreateProject {
    /// What it is called.
    name: String,
    /// What it is about.
    description: Option<String>,
    /// The group to create it in.
    #[schemars(with = "Option<Uuid>")]
    group_uuid: Option<GroupId>,
    /// Who sees it: the whole company, or members only. If left out, as the group, else `public`.
    #[serde(default)]
    #[schemars(schema_with = "visibility")]
    visibility: Option<VisibilityWord>,
}

fn visibility(_: &mut SchemaGenerator) -> Schema {
    schema::words(Visibility::ALL.into_iter().map(Visibility::as_str))
}

/// A visibility as the caller writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
struct VisibilityWord(Visibility);

impl TryFrom<String> for VisibilityWord {
    type Error = chorus_visibility::UnknownWord;

    fn try_from(word: String) -> Result<Self, Self::Error> {
        word.parse().map(Self)
    }
}

#[async_trait]
impl WriteTool for CreateProject {
    type Output = CreatedProject;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<CreatedProject>> {
        let form = ProjectForm {
            name: self.name,
            description: self.description,
            visibility: self.visibility.map(|VisibilityWord(visibility)| visibility),
        };
        let outcome = project::create(call, tx, form, self.group_uuid).await?;
        Ok(outcome.map(|project| CreatedProject {
            uuid: project.id.uuid(),
            name: project.name,
            group_uuid: project.group.map(GroupId::uuid),
            visibility: project.visibility.as_str(),
        }))
    }
}

/// A project that was created.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CreatedProject {
    uuid: Uuid,
    name: String,
    group_uuid: Option<Uuid>,
    visibility: &'static str,
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_list_projects",
        family: "project",
        title: "List projects",
        description: "Page through the projects you can see, latest updated first, with the number of ideas, proposals, \
                      documents and tasks in each. Most tools need a project's uuid.",
        requirement: Requirement::PUBLIC,
        access: Access::filtered("the rows are those that the scope sees", &[]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"pageSize": 50}"#,
        run: list::<ListProjects>(),
    },
    Tool {
        name: "chorus_get_project",
        family: "project",
        title: "Read a project",
        description: "Read one project: description, group, visibility, your access level there (viewer reads, editor \
                      writes, admin manages members) and how much is in it.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("projectUuid", Kind::Project, Need::Viewer)]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001"}"#,
        run: read::<GetProject>(),
    },
    Tool {
        name: "chorus_admin_create_project",
        family: "project",
        title: "Create a project",
        description: "Create a project, on its own or in a group in which you may create. Your owner becomes its \
                      administrator; an agent without an owner can create public projects only. Next: \
                      chorus_pm_create_idea or chorus_create_tasks.",
        requirement: Requirement::bit(PROJECT_WRITE),
        access: Access::company(
            "a new project belongs to nobody yet; whether the group allows it is decided with the group's roles",
            &[At::Group("groupUuid")],
        ),
        hints: Hints::ADDS,
        refuses: &[
            (Code::Forbidden, "the caller may not create projects in the group"),
            (Code::NotFound, "the group does not exist or is hidden"),
        ],
        example: r#"{"name": "Compiler", "description": "The new front end", "visibility": "private"}"#,
        run: write::<CreateProject>(),
    },
];

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "tests")]

    use chorus_domain::project::Project;
    use chorus_ids::CompanyId;
    use chorus_store::ProjectCounts;
    use serde_json::json;

    use super::*;

    fn summary() -> ProjectSummary {
        let at = Timestamp::from_micros(0);
        ProjectSummary {
            project: Project {
                id: ProjectId::from_u128(1),
                company: CompanyId::from_u128(2),
                name: "Compiler".into(),
                description: None,
                group: Some(GroupId::from_u128(3)),
                visibility: Visibility::Private,
                created_by: None,
                created_at: at,
                updated_at: at,
            },
            counts: ProjectCounts { ideas: 1, documents: 2, tasks: 3, proposals: 4, activities: 5 },
        }
    }

    #[test]
    fn a_project_is_shown_with_visibility_level_and_counts() {
        let at = "1970-01-01T00:00:00.000Z";
        let (id, group) = (Uuid::from_u128(1), Uuid::from_u128(3));
        assert_eq!(
            serde_json::to_value(ProjectView::of(summary(), Level::Editor)).unwrap_or_default(),
            json!({
                "uuid": id, "name": "Compiler", "description": null, "groupUuid": group, "visibility": "private",
                "accessLevel": "editor", "createdAt": at, "updatedAt": at,
                "_count": {"ideas": 1, "documents": 2, "tasks": 3, "proposals": 4, "activities": 5}
            })
        );
        assert_eq!(
            serde_json::to_value(ProjectRow::of(summary())).unwrap_or_default(),
            json!({
                "uuid": id, "name": "Compiler", "groupUuid": group, "createdAt": at, "updatedAt": at,
                "_count": {"ideas": 1, "documents": 2, "tasks": 3, "proposals": 4}
            })
        );
    }

    #[test]
    fn only_a_name_is_needed_for_a_project() {
        let schema = schema::portable(&schema::write_input::<CreateProject>());
        assert_eq!(schema["required"], json!(["name"]));
        assert_eq!(schema["properties"]["visibility"]["enum"], json!(["public", "private"]));
        let read = |value: serde_json::Value| serde_json::from_value::<CreateProject>(value).ok();
        let form = read(json!({"name": "x", "visibility": "private"}));
        assert_eq!(form.and_then(|form| form.visibility), Some(VisibilityWord(Visibility::Private)));
        assert!(read(json!({"name": "x", "visibility": "secret"})).is_none());
    }
}
