//! Tools: checking in, and what the caller has to do.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chorus_app::{
    Call, checkin,
    tracker::{self, IdeaLine},
};
use chorus_dispatch::{
    Access, Hints, ReadTool, Requirement, Tool, WriteTool,
    cursor::Binding,
    list::MAX_LIST_BYTES,
    tool::{books, read},
};
use chorus_domain::{notification::Notification, text};
use chorus_ids::{IdeaId, ProjectId, Timestamp, Uuid};
use chorus_permissions::PermissionSet;
use chorus_store::{AgentProfile, Error, Outcome, Position, Reads, Result, Row, TrackedTask, Tx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::view::row_title;

/// Longest persona or system prompt shown at check-in, in characters (tool guide §3).
const MAX_PERSONA: usize = 4_096;

/// An agent announces itself.
#[derive(Deserialize, JsonSchema)]
struct Checkin {}

#[async_trait]
impl WriteTool for Checkin {
    type Output = CheckinView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<CheckinView>> {
        let outcome = checkin::checkin(call, tx).await?;
        Ok(outcome.map(|checkin| CheckinView::of(checkin, call.caller.permissions, call.now)))
    }
}

/// What an agent learns at check-in.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CheckinView {
    #[schemars(with = "String")]
    checkin_time: Timestamp,
    agent: AgentView,
    idea_tracker: BTreeMap<Uuid, Ideas>,
    notifications: Digest,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AgentView {
    uuid: Uuid,
    name: String,
    permissions: BTreeMap<&'static str, Vec<&'static str>>,
    persona: Option<String>,
    system_prompt: Option<String>,
    owner: Option<OwnerView>,
    /// Its active sessions of the last hour.
    active_count: u64,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct OwnerView {
    uuid: Uuid,
    name: String,
    email: Option<String>,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Digest {
    unread: u64,
    recent: Vec<NotificationLine>,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NotificationLine {
    uuid: Uuid,
    action: &'static str,
    entity: &'static str,
    entity_uuid: Uuid,
    title: String,
    actor: String,
    #[schemars(with = "String")]
    at: Timestamp,
}

impl CheckinView {
    fn of(checkin: checkin::Checkin, permissions: PermissionSet, now: Timestamp) -> Self {
        let AgentProfile { agent, owner, active_sessions } = checkin.profile;
        let cut = |text: Option<String>| text.map(|text| text::shorten(&text, MAX_PERSONA));
        let grouped = permissions.grouped().into_iter();
        let mut view = Self {
            checkin_time: now,
            agent: AgentView {
                uuid: agent.id.uuid(),
                name: agent.name,
                permissions: grouped
                    .map(|(resource, actions)| {
                        (resource.as_str(), actions.into_iter().map(chorus_permissions::Action::as_str).collect())
                    })
                    .collect(),
                persona: cut(agent.persona),
                system_prompt: cut(agent.system_prompt),
                owner: owner.map(|owner| OwnerView {
                    uuid: owner.id.uuid(),
                    name: owner.display_name().to_owned(),
                    email: owner.email,
                }),
                active_count: active_sessions,
            },
            idea_tracker: BTreeMap::new(),
            notifications: Digest {
                unread: checkin.unread,
                recent: checkin.recent.into_iter().map(NotificationLine::of).collect(),
            },
        };
        // What does not fit is left out from the end, as in every answer that holds a list. Texts of ordinary letters
        // always fit.
        let mut left = MAX_LIST_BYTES.saturating_sub(size(&view));
        for line in checkin.ideas {
            let project = line.idea.project.uuid();
            let row = IdeaRow::of(&line);
            let bytes = size(&row) + 1 + view.idea_tracker.get(&project).map_or(opening(&line.project_name), |_| 0);
            if bytes > left {
                break;
            }
            left -= bytes;
            let ideas = view.idea_tracker.entry(project);
            ideas.or_insert_with(|| Ideas { name: row_title(&line.project_name), ideas: Vec::new() }).ideas.push(row);
        }
        view
    }
}

impl NotificationLine {
    fn of(notification: Notification) -> Self {
        Self {
            uuid: notification.id.uuid(),
            action: notification.topic.as_str(),
            entity: notification.entity.as_str(),
            entity_uuid: notification.entity_id,
            title: row_title(&notification.entity_title),
            actor: notification.actor_name,
            at: notification.created_at,
        }
    }
}

/// Ideas of one project.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Ideas {
    name: String,
    ideas: Vec<IdeaRow>,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct IdeaRow {
    uuid: Uuid,
    title: String,
    status: &'static str,
    parent_uuid: Option<Uuid>,
    proposals: u32,
    tasks: u32,
}

impl IdeaRow {
    fn of(line: &IdeaLine) -> Self {
        Self {
            uuid: line.idea.id.uuid(),
            title: row_title(&line.idea.title),
            status: line.derived.status.as_str(),
            parent_uuid: line.idea.parent.map(IdeaId::uuid),
            proposals: line.proposals,
            tasks: line.tasks,
        }
    }
}

/// Tasks of one project.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Tasks {
    name: String,
    tasks: Vec<TaskLine>,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TaskLine {
    uuid: Uuid,
    title: String,
    status: &'static str,
    priority: &'static str,
    #[schemars(with = "Option<String>")]
    assigned_at: Option<Timestamp>,
    ac: Criteria,
}

/// Criteria that a reviewer marked as passed, and all of them.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Criteria {
    passed: u32,
    total: u32,
}

impl TaskLine {
    fn of(tracked: &TrackedTask) -> Self {
        let task = &tracked.task;
        Self {
            uuid: task.id.uuid(),
            title: row_title(&task.title),
            status: task.status.as_str(),
            priority: task.priority.as_str(),
            assigned_at: task.assignee.map(|assignment| assignment.at),
            ac: Criteria { passed: tracked.criteria_passed, total: tracked.criteria_total },
        }
    }
}

/// Bytes of a value in the answer.
fn size(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(usize::MAX, |json| json.len())
}

/// Bytes of a project's entry in a tracker, without its rows.
fn opening(project_name: &str) -> usize {
    const KEYS: usize = r#""00000000-0000-0000-0000-000000000000":{"name":,"ideas":[]},"#.len();
    KEYS + size(&row_title(project_name))
}

/// Reads what the caller has to do.
#[derive(Deserialize, JsonSchema)]
struct GetMyAssignments {
    /// `nextCursor` of the answer before: goes on behind its last row.
    #[schemars(length(max = 200))]
    cursor: Option<String>,
}

/// Rows read at a time.
const STEP: u32 = 100;

/// Sections of the walk over assignments.
const IDEAS: u8 = 0;
const TASKS: u8 = 1;

#[async_trait]
impl ReadTool for GetMyAssignments {
    type Output = Assignments;

    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<Assignments> {
        let binding = Binding::new("chorus_get_my_assignments", &Map::new());
        let start = self.cursor.as_deref().map(|cursor| binding.decode(cursor)).transpose()?;
        let scope = tracker::narrowed(call, reads).await?;
        let holders = tracker::holders(call)?;
        let mut filling = Filling::new();
        let mut after = start.filter(|(section, _)| *section == IDEAS).map(|(_, place)| place);
        let mut ideas = start.is_none_or(|(section, _)| section == IDEAS);
        while ideas {
            let part = tracker::ideas(reads, &scope, &holders, after, STEP).await?;
            for row in part.rows {
                if filling.idea(&row) == Fits::No {
                    return filling.cut(&binding);
                }
            }
            ideas = part.next.is_some();
            after = part.next;
        }
        let mut after = start.filter(|(section, _)| *section == TASKS).map(|(_, place)| place);
        loop {
            let part = tracker::tasks(reads, &scope, &holders, after, STEP).await?;
            for row in part.rows {
                if filling.task(&row) == Fits::No {
                    return filling.cut(&binding);
                }
            }
            after = part.next;
            if after.is_none() {
                return Ok(filling.assignments);
            }
        }
    }
}

/// What the caller has to do, grouped by project, as far as it fits.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Assignments {
    idea_tracker: BTreeMap<Uuid, Ideas>,
    task_tracker: BTreeMap<Uuid, Tasks>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// Assignments on the way, with the bytes that are left.
struct Filling {
    assignments: Assignments,
    left: usize,
    last: Option<(u8, Position)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fits {
    Yes,
    No,
}

impl Filling {
    /// What the members beside the rows take at most: keys and a cursor.
    const ENVELOPE_BYTES: usize = 256;

    fn new() -> Self {
        Self { assignments: Assignments::default(), left: MAX_LIST_BYTES - Self::ENVELOPE_BYTES, last: None }
    }

    fn idea(&mut self, row: &Row<IdeaLine>) -> Fits {
        let (project, name) = (row.item.idea.project, &row.item.project_name);
        let line = IdeaRow::of(&row.item);
        let known = self.assignments.idea_tracker.contains_key(&project.uuid());
        if self.take(size(&line), (!known).then_some(name), (IDEAS, row.at)) == Fits::No {
            return Fits::No;
        }
        let entry = self.assignments.idea_tracker.entry(project.uuid());
        entry.or_insert_with(|| Ideas { name: row_title(name), ideas: Vec::new() }).ideas.push(line);
        Fits::Yes
    }

    fn task(&mut self, row: &Row<TrackedTask>) -> Fits {
        let (project, name): (ProjectId, _) = (row.item.task.project, &row.item.project_name);
        let line = TaskLine::of(&row.item);
        let known = self.assignments.task_tracker.contains_key(&project.uuid());
        if self.take(size(&line), (!known).then_some(name), (TASKS, row.at)) == Fits::No {
            return Fits::No;
        }
        let entry = self.assignments.task_tracker.entry(project.uuid());
        entry.or_insert_with(|| Tasks { name: row_title(name), tasks: Vec::new() }).tasks.push(line);
        Fits::Yes
    }

    /// Takes a row's bytes from what is left, with those of a new project's entry.
    fn take(&mut self, row: usize, new_project: Option<&String>, place: (u8, Position)) -> Fits {
        let bytes = row + 1 + new_project.map_or(0, |name| opening(name));
        if bytes > self.left {
            return Fits::No;
        }
        self.left -= bytes;
        self.last = Some(place);
        Fits::Yes
    }

    /// The assignments up to the last row that fitted, and where to go on.
    fn cut(mut self, binding: &Binding) -> Result<Assignments> {
        let (section, place) =
            self.last.ok_or_else(|| Error::internal("a row of a tracker is larger than an answer may be"))?;
        self.assignments.next_cursor = Some(binding.encode(section, place));
        Ok(self.assignments)
    }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_checkin",
        family: "checkin",
        title: "Check in",
        description: "Call this first in every session. It tells who you are, what you may do, which ideas you and your \
                      owner are at (at most 10, by project), and the newest notifications, which become read. Next: \
                      chorus_get_my_assignments.",
        requirement: Requirement::PUBLIC,
        access: Access::filtered("ideas and notifications are those that the scope sees", &[]),
        hints: Hints::ADDS,
        refuses: &[],
        example: r#"{}"#,
        run: books::<Checkin>(),
    },
    Tool {
        name: "chorus_get_my_assignments",
        family: "checkin",
        title: "List my assignments",
        description: "List the ideas in progress and the unfinished tasks that you or your owner hold, by project: your \
                      work list. If `nextCursor` comes back, call again with it for the rest.",
        requirement: Requirement::PUBLIC,
        access: Access::filtered("the rows are those that the scope sees", &[]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{}"#,
        run: read::<GetMyAssignments>(),
    },
];

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use chorus_dispatch::schema;
    use chorus_domain::{
        Assignment, Kind, Party, Subject,
        idea::Idea,
        identity::{Agent, User},
        notification::Topic,
        task::Task,
    };
    use chorus_ids::{AgentId, CompanyId, NotificationId, TaskId, UserId};
    use chorus_lifecycle::{
        idea::{BadgeHint, Derived, DerivedStatus, IdeaStatus},
        task::{Priority, TaskStatus},
    };
    use chorus_permissions::{IDEA_READ, IDEA_WRITE, TASK_ADMIN};
    use serde_json::{Value, json};

    use super::*;

    const AT: Timestamp = Timestamp::from_micros(0);
    const ISO: &str = "1970-01-01T00:00:00.000Z";
    const ME: Party = Party::Agent(AgentId::from_u128(1));

    fn idea(id: u128, project: u128, title: &str) -> Row<IdeaLine> {
        let idea = Idea {
            id: IdeaId::from_u128(id),
            company: CompanyId::from_u128(9),
            project: ProjectId::from_u128(project),
            title: title.into(),
            content: None,
            status: IdeaStatus::Elaborated,
            elaboration_status: None,
            depth: None,
            parent: Some(IdeaId::from_u128(7)),
            is_container: false,
            assignee: None,
            created_by: ME,
            version: 1,
            created_at: AT,
            updated_at: AT,
        };
        let derived = Derived { status: DerivedStatus::InProgress, badge: BadgeHint::Building };
        let item = IdeaLine { idea, project_name: format!("Project {project}"), derived, proposals: 2, tasks: 3 };
        Row { at: Position { rank: 0, at: AT, id: Uuid::from_u128(id) }, item }
    }

    fn task(id: u128, project: u128) -> Row<TrackedTask> {
        let task = Task {
            id: TaskId::from_u128(id),
            company: CompanyId::from_u128(9),
            project: ProjectId::from_u128(project),
            title: "Parse".into(),
            description: None,
            status: TaskStatus::Assigned,
            priority: Priority::High,
            story_points: None,
            assignee: Some(Assignment { to: ME, at: AT, by: None }),
            proposal: None,
            created_by: ME,
            version: 1,
            created_at: AT,
            updated_at: AT,
        };
        let item =
            TrackedTask { task, project_name: format!("Project {project}"), criteria_passed: 1, criteria_total: 2 };
        Row { at: Position { rank: 0, at: AT, id: Uuid::from_u128(id) }, item }
    }

    #[test]
    fn assignments_are_grouped_by_project() {
        let mut filling = Filling::new();
        for row in [idea(1, 50, "One"), idea(2, 51, "Two"), idea(3, 50, "Three")] {
            assert_eq!(filling.idea(&row), Fits::Yes);
        }
        assert_eq!(filling.task(&task(4, 50)), Fits::Yes);
        let (one, two) = (Uuid::from_u128(50).to_string(), Uuid::from_u128(51).to_string());
        let row = |id: u128, title: &str| {
            json!({
                "uuid": Uuid::from_u128(id), "title": title, "status": "in_progress",
                "parentUuid": Uuid::from_u128(7), "proposals": 2, "tasks": 3
            })
        };
        assert_eq!(
            serde_json::to_value(&filling.assignments).unwrap(),
            json!({
                "ideaTracker": {
                    one.clone(): {"name": "Project 50", "ideas": [row(1, "One"), row(3, "Three")]},
                    two: {"name": "Project 51", "ideas": [row(2, "Two")]}
                },
                "taskTracker": {one: {"name": "Project 50", "tasks": [{
                    "uuid": Uuid::from_u128(4), "title": "Parse", "status": "assigned", "priority": "high",
                    "assignedAt": ISO, "ac": {"passed": 1, "total": 2}
                }]}}
            })
        );
    }

    #[test]
    fn assignments_are_cut_below_the_ceiling_and_go_on_behind_the_last_row() {
        let binding = Binding::new("chorus_get_my_assignments", &Map::new());
        let mut filling = Filling::new();
        let mut fitted = 0;
        // A project of its own for each: the worst case for the bytes of the entries.
        while filling.idea(&idea(fitted + 1, 1_000 + fitted, &"\u{1}".repeat(300))) == Fits::Yes {
            fitted += 1;
        }
        let cut = filling.cut(&binding).unwrap();
        let place = binding.decode(cut.next_cursor.as_deref().unwrap()).unwrap();
        assert_eq!(place, (IDEAS, Position { rank: 0, at: AT, id: Uuid::from_u128(fitted) }));
        assert_eq!(cut.idea_tracker.len() as u128, fitted);
        let bytes = size(&cut);
        assert!(bytes <= MAX_LIST_BYTES && bytes > MAX_LIST_BYTES - 2_500, "{bytes}");
    }

    fn checkin(ideas: Vec<IdeaLine>, persona: &str) -> Value {
        let (company, owner) = (CompanyId::from_u128(9), UserId::from_u128(2));
        let agent = Agent {
            id: AgentId::from_u128(1),
            company,
            name: "Dev".into(),
            roles: vec![],
            permissions: vec![],
            persona: Some(persona.into()),
            system_prompt: None,
            owner: Some(owner),
            last_active_at: None,
            created_at: AT,
        };
        let owner = User {
            id: owner,
            company,
            email: Some("ann@example.com".into()),
            name: Some("Ann".into()),
            password_hash: Some("secret".into()),
            suspended_at: None,
            created_at: AT,
        };
        let recent = Notification {
            id: NotificationId::from_u128(3),
            company,
            recipient: ME,
            project: None,
            project_name: String::new(),
            entity: Kind::Task,
            entity_id: Uuid::from_u128(4),
            entity_title: "Parse".into(),
            topic: Topic::TaskReopened,
            message: "Ann reopened it".into(),
            actor: Subject::User(UserId::from_u128(2)),
            actor_name: "Ann".into(),
            count: 1,
            read_at: None,
            archived_at: None,
            created_at: AT,
        };
        let checkin = checkin::Checkin {
            profile: AgentProfile { agent, owner: Some(owner), active_sessions: 2 },
            ideas,
            unread: 6,
            recent: vec![recent],
        };
        let permissions = PermissionSet::from_iter([TASK_ADMIN, IDEA_WRITE, IDEA_READ]);
        serde_json::to_value(CheckinView::of(checkin, permissions, AT)).unwrap()
    }

    #[test]
    fn a_checkin_tells_who_one_is_what_one_may_do_and_what_is_new() {
        let shown = checkin(vec![idea(1, 50, "One").item], "Careful");
        assert_eq!(
            shown["agent"],
            json!({
                "uuid": Uuid::from_u128(1), "name": "Dev",
                "permissions": {"idea": ["read", "write"], "task": ["admin"]},
                "persona": "Careful", "systemPrompt": null,
                "owner": {"uuid": Uuid::from_u128(2), "name": "Ann", "email": "ann@example.com"},
                "activeCount": 2
            })
        );
        assert_eq!(
            shown["notifications"],
            json!({"unread": 6, "recent": [{
                "uuid": Uuid::from_u128(3), "action": "task_reopened", "entity": "task",
                "entityUuid": Uuid::from_u128(4), "title": "Parse", "actor": "Ann", "at": ISO
            }]})
        );
        assert_eq!(shown["checkinTime"], ISO);
        let project = &shown["ideaTracker"][Uuid::from_u128(50).to_string()];
        assert_eq!((&project["name"], &project["ideas"][0]["title"]), (&json!("Project 50"), &json!("One")));
    }

    #[test]
    fn a_checkin_stays_below_the_ceiling() {
        let persona = "\u{1}".repeat(9_000);
        let ideas = (0..10).map(|id| idea(id, 50 + id, &persona).item).collect();
        let shown = checkin(ideas, &persona);
        assert_eq!(shown["agent"]["persona"].as_str().unwrap().chars().count(), MAX_PERSONA);
        assert!(shown.to_string().len() <= MAX_LIST_BYTES);
    }

    #[test]
    fn trackers_are_advertised_as_objects_and_the_cursor_is_optional() {
        let output = schema::output::<Assignments>();
        assert_eq!(output["properties"]["ideaTracker"], json!({"type": "object"}));
        assert_eq!(output["properties"]["taskTracker"], json!({"type": "object"}));
        assert_eq!(schema::output::<CheckinView>()["properties"]["ideaTracker"], json!({"type": "object"}));
        assert_eq!(schema::portable(&schema::input::<GetMyAssignments>()).get("required"), None);
        assert_eq!(schema::portable(&schema::input::<Checkin>()), json!({"type": "object", "properties": {}}));
    }
}
