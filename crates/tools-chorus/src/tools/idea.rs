//! Tools for ideas.

pub mod handing;

use async_trait::async_trait;
use chorus_app::{
    Call,
    idea::{self, Created, FAMILY, IdeaDetail, IdeaFilter, IdeaRow as Listed},
    reference,
};
use chorus_dispatch::{
    Access, At, Hints, ListShape, ListTool, ReadTool, Requirement, Tool, WriteTool,
    tool::{list, read, write},
};
use chorus_domain::{
    Code, Kind,
    idea::{Idea, IdeaForm},
    reference::Reference,
    text,
};
use chorus_ids::{IdeaId, ProjectId, Timestamp, Uuid};
use chorus_lifecycle::idea::{Derived, IdeaStatus};
use chorus_permissions::IDEA_WRITE;
use chorus_store::{Hold, Outcome, Page, PageRequest, Reads, Result, Row, Tx};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    tools::{
        document::DocumentView,
        reference::{ReferenceError, ReferenceInput, ReferenceView, authors, forms},
    },
    view::{ActorView, AssigneeView, Names, ProjectRef, parties_of, row_title},
    words,
};

/// Makes an idea.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateIdea {
    /// The project it belongs to.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// A short title, not blank, at most 500 characters.
    title: String,
    /// What it is about, in Markdown.
    content: Option<String>,
    /// An idea of the same project that this one is derived from.
    #[schemars(with = "Option<Uuid>")]
    parent_uuid: Option<IdeaId>,
    /// Whether it is a theme: it groups child ideas and can't be proposed from itself.
    #[serde(default)]
    is_container: bool,
    /// Links that back it.
    references: Option<Vec<ReferenceInput>>,
}

/// A new idea.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedIdea {
    uuid: Uuid,
    title: String,
    status: &'static str,
    parent_uuid: Option<Uuid>,
    version: i32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reference_errors: Vec<ReferenceError>,
}

#[async_trait]
impl WriteTool for CreateIdea {
    type Output = CreatedIdea;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<CreatedIdea>> {
        let Self { project_uuid, title, content, parent_uuid, is_container, references } = self;
        let form = IdeaForm { title, content, parent: parent_uuid, is_container };
        let created = idea::create(call, tx, project_uuid, form, forms(references)).await?;
        Ok(created.map(|Created { idea: made, skipped }| CreatedIdea {
            uuid: made.id.uuid(),
            title: made.title,
            status: made.status.as_str(),
            parent_uuid: made.parent.map(|parent| parent.uuid()),
            version: made.version,
            reference_errors: skipped.into_iter().map(ReferenceError::of).collect(),
        }))
    }
}

/// Takes an idea.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimIdea {
    /// The idea to take.
    #[schemars(with = "Uuid")]
    idea_uuid: IdeaId,
}

/// Where an idea stands after a move.
#[derive(Serialize, JsonSchema)]
pub struct IdeaMoved {
    uuid: Uuid,
    status: &'static str,
    version: i32,
}

impl IdeaMoved {
    fn of(idea: &Idea) -> Self {
        Self { uuid: idea.id.uuid(), status: idea.status.as_str(), version: idea.version }
    }
}

#[async_trait]
impl WriteTool for ClaimIdea {
    type Output = IdeaMoved;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<IdeaMoved>> {
        Ok(idea::claim(call, tx, self.idea_uuid).await?.map(|idea| IdeaMoved::of(&idea)))
    }
}

/// Gives an idea back.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseIdea {
    /// The idea to give back.
    #[schemars(with = "Uuid")]
    idea_uuid: IdeaId,
}

#[async_trait]
impl WriteTool for ReleaseIdea {
    type Output = IdeaMoved;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<IdeaMoved>> {
        Ok(idea::release(call, tx, self.idea_uuid).await?.map(|idea| IdeaMoved::of(&idea)))
    }
}

/// Reads an idea.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetIdea {
    /// The idea to read.
    #[schemars(with = "Uuid")]
    idea_uuid: IdeaId,
}

/// An idea with everything around it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdeaView {
    uuid: Uuid,
    title: String,
    content: Option<String>,
    attachments: Vec<Value>,
    status: &'static str,
    derived_status: &'static str,
    badge_hint: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    elaboration_status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elaboration_depth: Option<&'static str>,
    is_container: bool,
    assignee: Option<AssigneeView>,
    project: ProjectRef,
    parent_uuid: Option<Uuid>,
    parent: Option<ParentView>,
    children: Vec<ChildView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    child_progress: Option<ChildProgressView>,
    descendant_uuids: Vec<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<OmittedView>,
    reports: Vec<DocumentView>,
    references: Vec<ReferenceView>,
    created_by: Option<ActorView>,
    version: i32,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

/// The idea above another.
#[derive(Serialize, JsonSchema)]
struct ParentView {
    uuid: Uuid,
    title: String,
    status: &'static str,
}

/// An idea directly below another.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChildView {
    uuid: Uuid,
    title: String,
    status: &'static str,
    derived_status: &'static str,
    badge_hint: &'static str,
}

/// Longest title of a child, in characters: a hundred of them stand in one answer.
const CHILD_TITLE: usize = 128;

impl ChildView {
    fn of((child, derived): (Idea, Derived)) -> Self {
        Self {
            uuid: child.id.uuid(),
            title: text::shorten(&child.title, CHILD_TITLE),
            status: child.status.as_str(),
            derived_status: derived.status.as_str(),
            badge_hint: derived.badge.as_str(),
        }
    }
}

/// What is below an idea beyond what is listed, and how to get it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OmittedView {
    child_count: usize,
    descendant_count: usize,
    message: String,
}

impl OmittedView {
    fn of(child_count: usize, descendant_count: usize) -> Option<Self> {
        if descendant_count <= FAMILY {
            return None;
        }
        let message = format!(
            "Only the oldest {FAMILY} children and descendants are listed. Page through the children of this idea, or of \
             one below it, with chorus_get_ideas and `parentUuid`."
        );
        Some(Self { child_count, descendant_count, message })
    }
}

/// How many of a theme's direct children are done.
#[derive(Serialize, JsonSchema)]
struct ChildProgressView {
    done: u32,
    total: u32,
}

#[async_trait]
impl ReadTool for GetIdea {
    type Output = IdeaView;

    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<IdeaView> {
        let detail = idea::read(call, reads, self.idea_uuid).await?;
        let references = reference::of(call, reads, (Kind::Idea, self.idea_uuid.uuid())).await?;
        let idea = &detail.summary.idea;
        let people = parties_of(idea.assignee)
            .chain([idea.created_by])
            .chain(detail.reports.iter().map(|report| report.created_by))
            .chain(authors(&references));
        let names = Names::load(reads, &call.scope, people).await?;
        let project = ProjectRef { uuid: idea.project, name: call.project(idea.project)?.name.clone() };
        Ok(shown(detail, references, project, &names))
    }
}

fn shown(detail: IdeaDetail, references: Vec<Reference>, project: ProjectRef, names: &Names) -> IdeaView {
    let IdeaDetail { summary, derived, child_progress, parent, children, child_count, .. } = detail;
    let omitted = OmittedView::of(child_count, detail.descendant_count);
    let idea = summary.idea;
    let progress = ChildProgressView { done: child_progress.done, total: child_progress.total };
    IdeaView {
        uuid: idea.id.uuid(),
        title: idea.title,
        content: idea.content,
        attachments: Vec::new(),
        status: idea.status.as_str(),
        derived_status: derived.status.as_str(),
        badge_hint: derived.badge.as_str(),
        elaboration_status: idea.elaboration_status.map(|status| status.as_str()),
        elaboration_depth: idea.depth.map(|depth| depth.as_str()),
        is_container: idea.is_container,
        assignee: names.assignee(idea.assignee),
        project,
        parent_uuid: idea.parent.map(|parent| parent.uuid()),
        parent: parent.map(|parent| ParentView {
            uuid: parent.id.uuid(),
            title: parent.title,
            status: parent.status.as_str(),
        }),
        children: children.into_iter().map(ChildView::of).collect(),
        child_progress: idea.is_container.then_some(progress),
        descendant_uuids: detail.descendants.into_iter().map(|id| id.uuid()).collect(),
        omitted,
        reports: detail.reports.into_iter().map(|report| DocumentView::of(report, None, names)).collect(),
        references: ReferenceView::all(references, names),
        created_by: names.actor(idea.created_by),
        version: idea.version,
        created_at: idea.created_at,
        updated_at: idea.updated_at,
    }
}

/// Lists ideas.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetIdeas {
    /// The project whose ideas are listed.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// Only ideas in this stored status.
    #[serde(default)]
    #[schemars(schema_with = "words::idea_status")]
    status: Option<IdeaStatus>,
    /// Only ideas directly below this one.
    #[schemars(with = "Option<Uuid>")]
    parent_uuid: Option<IdeaId>,
}

/// An idea in a list.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdeaRow {
    uuid: Uuid,
    title: String,
    status: &'static str,
    derived_status: &'static str,
    badge_hint: &'static str,
    is_container: bool,
    parent_uuid: Option<Uuid>,
    project_uuid: Uuid,
    report_count: u32,
    child_count: u32,
    version: i32,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

impl IdeaRow {
    fn of(Listed { summary, derived }: Listed) -> Self {
        let (idea, facts) = (summary.idea, summary.facts);
        Self {
            uuid: idea.id.uuid(),
            title: row_title(&idea.title),
            status: idea.status.as_str(),
            derived_status: derived.status.as_str(),
            badge_hint: derived.badge.as_str(),
            is_container: idea.is_container,
            parent_uuid: idea.parent.map(|parent| parent.uuid()),
            project_uuid: idea.project.uuid(),
            report_count: facts.reports,
            child_count: facts.children,
            version: idea.version,
            created_at: idea.created_at,
            updated_at: idea.updated_at,
        }
    }
}

#[async_trait]
impl ListTool for GetIdeas {
    type Row = IdeaRow;

    const COLLECTION: &'static str = "ideas";

    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<IdeaRow>> {
        let filter = IdeaFilter { status: self.status, parent: self.parent_uuid };
        let Page { rows, total, more } = idea::list(call, reads, (self.project_uuid, filter), page).await?;
        let rows = rows.into_iter().map(|row| Row { at: row.at, item: IdeaRow::of(row.item) });
        Ok(Page { rows: rows.collect(), total, more })
    }
}

/// Lists open ideas.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetAvailableIdeas {
    /// The project whose ideas are listed.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
}

/// An idea that can be claimed, in a list.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AvailableIdea {
    uuid: Uuid,
    title: String,
    status: &'static str,
    derived_status: &'static str,
    badge_hint: &'static str,
    parent_uuid: Option<Uuid>,
    version: i32,
    #[schemars(with = "String")]
    created_at: Timestamp,
}

impl AvailableIdea {
    fn of(Listed { summary, derived }: Listed) -> Self {
        let idea = summary.idea;
        Self {
            uuid: idea.id.uuid(),
            title: row_title(&idea.title),
            status: idea.status.as_str(),
            derived_status: derived.status.as_str(),
            badge_hint: derived.badge.as_str(),
            parent_uuid: idea.parent.map(|parent| parent.uuid()),
            version: idea.version,
            created_at: idea.created_at,
        }
    }
}

#[async_trait]
impl ListTool for GetAvailableIdeas {
    type Row = AvailableIdea;

    const COLLECTION: &'static str = "ideas";
    const SHAPE: ListShape = ListShape::Bounded { rows: 50, reported: 100 };

    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<AvailableIdea>> {
        let filter = IdeaFilter { status: Some(IdeaStatus::Open), parent: None };
        let Page { rows, total, more } = idea::list(call, reads, (self.project_uuid, filter), page).await?;
        let rows = rows.into_iter().map(|row| Row { at: row.at, item: AvailableIdea::of(row.item) });
        Ok(Page { rows: rows.collect(), total, more })
    }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_pm_create_idea",
        family: "idea",
        title: "Create an idea",
        description: "Write down an idea in a project: a wish or problem that work may come from. It starts `open` \
                      and unassigned. Next: chorus_claim_idea to work it out.",
        requirement: Requirement::bit(IDEA_WRITE),
        access: Access::resource(&[
            At::id("projectUuid", Kind::Project, Need::Editor),
            At::id("parentUuid", Kind::Idea, Need::Editor).inside("projectUuid").held(Hold::Share),
        ]),
        hints: Hints::ADDS,
        refuses: &[],
        example: r#"{
            "projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001",
            "title": "Works offline",
            "content": "People lose their edits on the train."
        }"#,
        run: write::<CreateIdea>(),
    },
    Tool {
        name: "chorus_claim_idea",
        family: "idea",
        title: "Claim an idea",
        description: "Take an idea that nobody holds and that is not elaborated yet: it becomes yours and \
                      `elaborating`. Next: chorus_pm_start_elaboration to ask what is unclear, or \
                      chorus_pm_skip_elaboration.",
        requirement: Requirement::bit(IDEA_WRITE),
        access: Access::resource(&[At::id("ideaUuid", Kind::Idea, Need::Editor).held(Hold::Own)]),
        hints: Hints::MOVES,
        refuses: &[
            (Code::AlreadyClaimed, "somebody holds it; the details name the holder"),
            (Code::InvalidState, "it is elaborated already"),
            (Code::AssigneeNoAccess, "the calling agent was removed meanwhile"),
        ],
        example: r#"{"ideaUuid": "0192f3a0-7d4c-7b1e-9a55-000000000003"}"#,
        run: write::<ClaimIdea>(),
    },
    Tool {
        name: "chorus_release_idea",
        family: "idea",
        title: "Release an idea",
        description: "Give back an idea that you or your owner hold. One that is not elaborated is `open` again and \
                      forgets how far its questions were; an elaborated one only loses its assignee.",
        requirement: Requirement::bit(IDEA_WRITE),
        access: Access::resource(&[At::id("ideaUuid", Kind::Idea, Need::Editor).held(Hold::Own)]),
        hints: Hints::MOVES,
        refuses: &[(Code::NotAssignee, "somebody else holds it"), (Code::NotClaimed, "nobody holds it")],
        example: r#"{"ideaUuid": "0192f3a0-7d4c-7b1e-9a55-000000000003"}"#,
        run: write::<ReleaseIdea>(),
    },
    Tool {
        name: "chorus_get_idea",
        family: "idea",
        title: "Read an idea",
        description: "Read one idea in full: text, assignee, progress (`derivedStatus`, `badgeHint`), parent, \
                      children and completion reports. Its questions: chorus_get_elaboration.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("ideaUuid", Kind::Idea, Need::Viewer)]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"ideaUuid": "0192f3a0-7d4c-7b1e-9a55-000000000003"}"#,
        run: read::<GetIdea>(),
    },
    Tool {
        name: "chorus_get_ideas",
        family: "idea",
        title: "List ideas",
        description: "List a project's ideas, newest first, without their texts. `derivedStatus` tells how far the \
                      work from an idea is.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[
            At::id("projectUuid", Kind::Project, Need::Viewer),
            At::id("parentUuid", Kind::Idea, Need::Viewer).inside("projectUuid"),
        ]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001", "status": "open"}"#,
        run: list::<GetIdeas>(),
    },
    Tool {
        name: "chorus_get_available_ideas",
        family: "idea",
        title: "List open ideas",
        description: "List the open ideas of a project, newest first, at most 50: what nobody has taken up yet. Next: \
                      chorus_claim_idea.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("projectUuid", Kind::Project, Need::Viewer)]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001"}"#,
        run: list::<GetAvailableIdeas>(),
    },
];

#[cfg(test)]
mod tests {
    use chorus_domain::{Assignment, Party, document::Document, idea::IdeaFacts};
    use chorus_ids::{AgentId, CompanyId, DocumentId, UserId};
    use chorus_lifecycle::{
        document::DocumentType,
        idea::{BadgeHint, ChildProgress, DerivedStatus},
    };
    use chorus_store::IdeaSummary;
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_796_062_951_123_000);
    const PROJECT: ProjectId = ProjectId::from_u128(0xb);

    fn thought(id: u128) -> Idea {
        Idea {
            id: IdeaId::from_u128(id),
            company: CompanyId::from_u128(1),
            project: PROJECT,
            title: format!("Idea {id}"),
            content: None,
            status: IdeaStatus::Open,
            elaboration_status: None,
            depth: None,
            parent: None,
            is_container: false,
            assignee: None,
            created_by: Party::User(UserId::from_u128(2)),
            version: 1,
            created_at: NOW,
            updated_at: NOW,
        }
    }

    const TODO: Derived = Derived { status: DerivedStatus::Todo, badge: BadgeHint::Open };

    fn detail(idea: Idea) -> IdeaDetail {
        IdeaDetail {
            summary: IdeaSummary { idea, facts: IdeaFacts::default() },
            derived: TODO,
            child_progress: ChildProgress { done: 0, total: 1 },
            parent: None,
            children: Vec::new(),
            child_count: 0,
            descendants: Vec::new(),
            descendant_count: 0,
            reports: Vec::new(),
        }
    }

    fn value(detail: IdeaDetail) -> Value {
        let project = ProjectRef { uuid: PROJECT, name: "Project".into() };
        serde_json::to_value(shown(detail, Vec::new(), project, &Names::default())).unwrap_or_default()
    }

    #[test]
    fn an_idea_shows_null_for_what_it_lacks_and_leaves_out_what_it_may() {
        assert_eq!(
            value(detail(thought(0xa))),
            json!({
                "uuid": "00000000-0000-0000-0000-00000000000a", "title": "Idea 10", "content": null,
                "attachments": [], "status": "open", "derivedStatus": "todo", "badgeHint": "open",
                "isContainer": false, "assignee": null,
                "project": {"uuid": "00000000-0000-0000-0000-00000000000b", "name": "Project"},
                "parentUuid": null, "parent": null, "children": [], "descendantUuids": [], "reports": [],
                "references": [], "createdBy": null, "version": 1,
                "createdAt": "2026-11-30T18:22:31.123Z", "updatedAt": "2026-11-30T18:22:31.123Z"
            })
        );
    }

    #[test]
    fn a_theme_shows_how_many_children_are_done() {
        let theme = Idea {
            is_container: true,
            assignee: Some(Assignment { to: Party::Agent(AgentId::from_u128(3)), at: NOW, by: None }),
            ..thought(1)
        };
        let child = Idea { parent: Some(theme.id), ..thought(2) };
        let report = Document {
            id: DocumentId::from_u128(9),
            company: theme.company,
            project: PROJECT,
            kind: DocumentType::Report,
            title: "Report".into(),
            content: Some("## Summary".into()),
            version: 1,
            proposal: None,
            created_by: theme.created_by,
            created_at: NOW,
            updated_at: NOW,
        };
        let detail = IdeaDetail {
            children: vec![(child, TODO)],
            descendants: vec![IdeaId::from_u128(2)],
            reports: vec![report],
            parent: Some(thought(7)),
            ..detail(theme)
        };
        let shown = value(detail);
        assert_eq!(shown.pointer("/childProgress"), Some(&json!({"done": 0, "total": 1})));
        assert_eq!(
            shown.pointer("/children/0"),
            Some(&json!({
                "uuid": "00000000-0000-0000-0000-000000000002", "title": "Idea 2", "status": "open",
                "derivedStatus": "todo", "badgeHint": "open"
            }))
        );
        assert_eq!(shown.pointer("/parent/title"), Some(&json!("Idea 7")));
        assert_eq!(shown.pointer("/reports/0/content"), Some(&json!("## Summary")));
        assert_eq!(shown.pointer("/reports/0/project"), None);
        // The holder's name is not known, so the holder reads as none.
        assert_eq!(shown.pointer("/assignee"), Some(&Value::Null));
    }

    #[test]
    fn what_is_left_out_below_an_idea_is_counted() {
        let below = |descendant_count| value(IdeaDetail { child_count: 7, descendant_count, ..detail(thought(1)) });
        assert_eq!(below(FAMILY).pointer("/omitted"), None);
        let cut = below(FAMILY + 1);
        assert_eq!(cut.pointer("/omitted/childCount"), Some(&json!(7)));
        assert_eq!(cut.pointer("/omitted/descendantCount"), Some(&json!(FAMILY + 1)));
        let child = Idea { title: "x".repeat(300), ..thought(2) };
        let shown = value(IdeaDetail { children: vec![(child, TODO)], ..detail(thought(1)) });
        let title = shown.pointer("/children/0/title").and_then(Value::as_str);
        assert_eq!(title.map(str::len), Some(CHILD_TITLE));
    }

    #[test]
    fn a_row_has_a_short_title_and_no_text() {
        let idea = Idea { title: "x".repeat(300), ..thought(1) };
        let facts = IdeaFacts { reports: 2, children: 3, ..IdeaFacts::default() };
        let listed = Listed { summary: IdeaSummary { idea, facts }, derived: TODO };
        let row = serde_json::to_value(IdeaRow::of(listed)).unwrap_or_default();
        assert_eq!(row.pointer("/title").and_then(Value::as_str).map(str::len), Some(256));
        assert_eq!((row.pointer("/reportCount"), row.pointer("/childCount")), (Some(&json!(2)), Some(&json!(3))));
        assert_eq!(row.pointer("/content"), None);
    }
}
