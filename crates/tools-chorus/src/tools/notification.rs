//! Tools: the caller's notifications.

use async_trait::async_trait;
use chorus_app::{Call, notification};
use chorus_dispatch::{
    Access, At, Hints, Requirement, Tool, WriteTool,
    cursor::Binding,
    list::MAX_LIST_BYTES,
    schema,
    tool::{books_of_list, write},
};
use chorus_domain::{Code, Kind, Refusal, notification::Notification};
use chorus_ids::{NotificationId, PageSize, ProjectId, Timestamp, Uuid};
use chorus_store::{Error, NotificationPage, Outcome, Position, ReadState, Result, Span, Tx};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Lists the caller's notifications.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetNotifications {
    /// Which ones; `unread` if left out.
    #[serde(default)]
    #[schemars(schema_with = "states")]
    status: State,
    /// Rows at most; 20 if left out.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// Rows to skip. `cursor` is safer, since rows that are read leave the unread ones.
    #[schemars(range(min = 0, max = 1_000_000))]
    offset: Option<u32>,
    /// `nextCursor` of the answer before: goes on behind its last row.
    #[schemars(length(max = 200))]
    cursor: Option<String>,
    /// False leaves the unread ones shown unread; true if left out.
    auto_mark_read: Option<bool>,
}

/// Which notifications, as the caller writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum State {
    #[default]
    Unread,
    Read,
    All,
}

fn states(_: &mut SchemaGenerator) -> Schema {
    schema::words(["unread", "read", "all"])
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Unread => "unread",
            Self::Read => "read",
            Self::All => "all",
        }
    }
}

impl From<State> for ReadState {
    fn from(state: State) -> Self {
        match state {
            State::Unread => Self::Unread,
            State::Read => Self::Read,
            State::All => Self::All,
        }
    }
}

#[async_trait]
impl WriteTool for GetNotifications {
    type Output = NotificationList;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<NotificationList>> {
        let filter = Map::from_iter([("status".to_owned(), json!(self.status.word()))]);
        let binding = Binding::new("chorus_get_notifications", &filter);
        let after = self.cursor.as_deref().map(|cursor| binding.decode(cursor)).transpose()?;
        let size = self.limit.and_then(PageSize::new).unwrap_or_default();
        let span = Span { after: after.map(|(_, place)| place), skip: self.offset.unwrap_or(0), size };
        let found = notification::list(call, tx, self.status.into(), &span).await?;
        let (answer, shown) = NotificationList::of(found, &span, &binding)?;
        let consumes = self.status == State::Unread && self.auto_mark_read.unwrap_or(true);
        let batch = notification::shown(call, if consumes { shown } else { Vec::new() });
        Ok(Outcome { batch, answer })
    }
}

/// A part of the caller's notifications.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NotificationList {
    notifications: Vec<NotificationRow>,
    returned: usize,
    page: u32,
    page_size: u32,
    total: u64,
    unread_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl NotificationList {
    /// What the members beside the rows take at most: counts, keys and a cursor.
    const ENVELOPE_BYTES: usize = 320;

    /// As many of the rows as fit, where to go on if any follow, and which rows those are.
    fn of(found: NotificationPage, span: &Span, binding: &Binding) -> Result<(Self, Vec<NotificationId>)> {
        let NotificationPage { page, unread } = found;
        let (offered, mut left) = (page.rows.len(), MAX_LIST_BYTES - Self::ENVELOPE_BYTES);
        let mut last: Option<Position> = None;
        let (mut notifications, mut shown) = (Vec::with_capacity(offered), Vec::with_capacity(offered));
        for row in page.rows {
            let id = row.item.id;
            let line = NotificationRow::of(row.item);
            let bytes = serde_json::to_string(&line).map_or(usize::MAX, |json| json.len().saturating_add(1));
            if bytes > left {
                break;
            }
            left -= bytes;
            last = Some(row.at);
            shown.push(id);
            notifications.push(line);
        }
        if notifications.is_empty() && offered > 0 {
            return Err(Error::internal("one notification is larger than an answer may be"));
        }
        let follows = page.more || notifications.len() < offered;
        let size = span.size.get();
        let list = Self {
            returned: notifications.len(),
            notifications,
            page: (span.skip / size).saturating_add(1),
            page_size: size,
            total: page.total,
            unread_count: unread,
            next_cursor: last.filter(|_| follows).map(|place| binding.encode(0, place)),
        };
        Ok((list, shown))
    }
}

/// A notification, whole: there is no other way to read one.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NotificationRow {
    uuid: Uuid,
    project_uuid: Option<Uuid>,
    project_name: String,
    recipient_type: &'static str,
    recipient_uuid: Uuid,
    entity_type: &'static str,
    entity_uuid: Uuid,
    entity_title: String,
    action: &'static str,
    message: String,
    actor_type: &'static str,
    actor_uuid: Uuid,
    actor_name: String,
    /// How many were joined in this one.
    count: i32,
    #[schemars(with = "Option<String>")]
    read_at: Option<Timestamp>,
    #[schemars(with = "Option<String>")]
    archived_at: Option<Timestamp>,
    #[schemars(with = "String")]
    created_at: Timestamp,
    /// Instructions for an agent program. Always null: nothing sends any yet.
    instruction_text: Value,
}

impl NotificationRow {
    fn of(notification: Notification) -> Self {
        Self {
            uuid: notification.id.uuid(),
            project_uuid: notification.project.map(ProjectId::uuid),
            project_name: notification.project_name,
            recipient_type: notification.recipient.kind(),
            recipient_uuid: notification.recipient.uuid(),
            entity_type: notification.entity.as_str(),
            entity_uuid: notification.entity_id,
            entity_title: notification.entity_title,
            action: notification.topic.as_str(),
            message: notification.message,
            actor_type: notification.actor.kind(),
            actor_uuid: notification.actor.uuid(),
            actor_name: notification.actor_name,
            count: notification.count,
            read_at: notification.read_at,
            archived_at: notification.archived_at,
            created_at: notification.created_at,
            instruction_text: Value::Null,
        }
    }
}

/// Marks notifications.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MarkNotificationRead {
    /// One of your notifications.
    #[schemars(with = "Option<Uuid>")]
    notification_uuid: Option<NotificationId>,
    /// True marks everything that is unread as the call comes; the id is not needed then.
    all: Option<bool>,
}

#[async_trait]
impl WriteTool for MarkNotificationRead {
    type Output = Marked;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Marked>> {
        let outcome = match (self.all, self.notification_uuid) {
            (Some(true), _) => notification::mark_all_read(call)?,
            (Some(false) | None, Some(id)) => notification::mark_read(call, tx, id).await?,
            (Some(false) | None, None) => {
                let detail = "is missing; give the id of one notification, or `all: true` for all of them";
                return Err(Refusal::invalid("notificationUuid", detail).into());
            }
        };
        Ok(outcome.map(|()| Marked { success: true }))
    }
}

/// That it was done.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Marked {
    success: bool,
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_get_notifications",
        family: "notification",
        title: "Read my notifications",
        description: "Page through your notifications, newest first. The unread ones shown become read, unless \
                      `autoMarkRead` is false. `unreadCount` is how many were unread before. Each names the entity to \
                      read next.",
        requirement: Requirement::PUBLIC,
        access: Access::company("they are the caller's own, and the scope hides those of unseen projects", &[]),
        hints: Hints::MOVES,
        refuses: &[],
        example: r#"{"status": "unread", "limit": 20, "autoMarkRead": false}"#,
        run: books_of_list::<GetNotifications>(),
    },
    Tool {
        name: "chorus_mark_notification_read",
        family: "notification",
        title: "Mark notifications read",
        description: "Mark one of your notifications as read, or all of them; what arrives later stays unread. Needed \
                      only after peeking: chorus_get_notifications and chorus_checkin mark what they show.",
        requirement: Requirement::PUBLIC,
        access: Access::company(
            "they are the caller's own, and the scope hides those of unseen projects",
            &[At::own("notificationUuid", Kind::Notification)],
        ),
        hints: Hints::SETS,
        refuses: &[(Code::NotFound, "there is no such notification for the caller")],
        example: r#"{"notificationUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000c"}"#,
        run: write::<MarkNotificationRead>(),
    },
];

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use chorus_domain::{Party, Subject, notification::Topic};
    use chorus_ids::{AgentId, CompanyId, UserId};
    use chorus_store::{Page, Row};

    use super::*;

    fn told(id: u128, title: &str) -> Notification {
        Notification {
            id: NotificationId::from_u128(id),
            company: CompanyId::from_u128(2),
            recipient: Party::Agent(AgentId::from_u128(3)),
            project: Some(ProjectId::from_u128(4)),
            project_name: "Compiler".into(),
            entity: Kind::Task,
            entity_id: Uuid::from_u128(5),
            entity_title: title.into(),
            topic: Topic::TaskReopened,
            message: "Ann reopened it".into(),
            actor: Subject::User(UserId::from_u128(6)),
            actor_name: "Ann".into(),
            count: 2,
            read_at: None,
            archived_at: None,
            created_at: Timestamp::from_micros(0),
        }
    }

    fn list(rows: Vec<Notification>, skip: u32, more: bool) -> (Value, Vec<NotificationId>) {
        let place = |item: &Notification| Position { rank: 0, at: item.created_at, id: item.id.uuid() };
        let rows = rows.into_iter().map(|item| Row { at: place(&item), item }).collect();
        let found = NotificationPage { page: Page { rows, total: 77, more }, unread: 9 };
        let span = Span { after: None, skip, size: PageSize::new(20).unwrap() };
        let (list, shown) = NotificationList::of(found, &span, &Binding::new("x", &Map::new())).unwrap();
        (serde_json::to_value(list).unwrap(), shown)
    }

    #[test]
    fn a_notification_is_shown_whole() {
        let (shown, ids) = list(vec![told(1, "Parse")], 45, false);
        assert_eq!(ids, [NotificationId::from_u128(1)]);
        assert_eq!(
            shown,
            json!({
                "notifications": [{
                    "uuid": Uuid::from_u128(1), "projectUuid": Uuid::from_u128(4), "projectName": "Compiler",
                    "recipientType": "agent", "recipientUuid": Uuid::from_u128(3), "entityType": "task",
                    "entityUuid": Uuid::from_u128(5), "entityTitle": "Parse", "action": "task_reopened",
                    "message": "Ann reopened it", "actorType": "user", "actorUuid": Uuid::from_u128(6),
                    "actorName": "Ann", "count": 2, "readAt": null, "archivedAt": null,
                    "createdAt": "1970-01-01T00:00:00.000Z", "instructionText": null
                }],
                "returned": 1, "page": 3, "pageSize": 20, "total": 77, "unreadCount": 9
            })
        );
    }

    #[test]
    fn a_list_is_cut_below_the_ceiling_and_only_what_fits_counts_as_shown() {
        let rows: Vec<_> = (1..=100).map(|id| told(id, &"\u{1}".repeat(500))).collect();
        let (cut, ids) = list(rows, 0, false);
        assert!(cut.to_string().len() <= MAX_LIST_BYTES);
        assert_eq!(cut["returned"], ids.len());
        assert!(ids.len() > 10 && ids.len() < 100 && cut["nextCursor"].is_string(), "{}", ids.len());
        assert_eq!(list(vec![told(1, "x")], 0, false).0.get("nextCursor"), None);
        assert!(list(vec![told(1, "x")], 0, true).0["nextCursor"].is_string());
    }

    #[test]
    fn nothing_has_to_be_given() {
        for schema in [schema::input::<GetNotifications>(), schema::write_input::<MarkNotificationRead>()] {
            assert_eq!(schema::portable(&schema).get("required"), None);
        }
        let schema = schema::portable(&schema::input::<GetNotifications>());
        let limit = &schema["properties"]["limit"];
        assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(1), &json!(100)));
        assert_eq!(schema["properties"]["status"]["enum"], json!(["unread", "read", "all"]));
        let empty: GetNotifications = serde_json::from_value(json!({})).unwrap();
        assert_eq!((empty.status, empty.auto_mark_read), (State::Unread, None));
    }
}
