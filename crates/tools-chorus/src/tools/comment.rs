//! Tools: comments.

use async_trait::async_trait;
use chorus_app::{Call, comment};
use chorus_dispatch::{
    Access, At, Hints, ListTool, Requirement, Tool, WriteTool, schema,
    tool::{list, write},
};
use chorus_domain::{Kind, Refusal, comment::Comment};
use chorus_ids::{Timestamp, Uuid};
use chorus_store::{Hold, Order, Outcome, Page, PageRequest, Reads, Result, Row, Tx};
use chorus_visibility::Need;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::{
    view::{ActorView, Names},
    words,
};

/// The kind of this wire name. Arguments have been checked against the schema's list.
fn kind(word: &str) -> Result<Kind, Refusal> {
    Kind::parse(word).ok_or_else(|| Refusal::invalid("targetType", "names no kind of thing that takes comments"))
}

/// Posts a comment.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AddComment {
    /// What kind of thing to comment on.
    #[schemars(schema_with = "words::comment_target")]
    target_type: String,
    /// Which one.
    target_uuid: Uuid,
    /// The comment, at most 20,000 characters.
    content: String,
}

#[async_trait]
impl WriteTool for AddComment {
    type Output = AddedComment;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<AddedComment>> {
        let target = (kind(&self.target_type)?, self.target_uuid);
        let outcome = comment::add(call, tx, target, &self.content).await?;
        Ok(outcome.map(|comment| AddedComment {
            uuid: comment.id.uuid(),
            target_type: comment.target.as_str(),
            target_uuid: comment.target_id,
            created_at: comment.created_at,
        }))
    }
}

/// A comment that was posted.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AddedComment {
    uuid: Uuid,
    target_type: &'static str,
    target_uuid: Uuid,
    #[schemars(with = "String")]
    created_at: Timestamp,
}

/// Lists comments.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetComments {
    /// What kind of thing was commented on.
    #[schemars(schema_with = "words::comment_target")]
    target_type: String,
    /// Which one.
    target_uuid: Uuid,
    /// Which end comes first; `oldest` if left out.
    #[serde(default)]
    #[schemars(schema_with = "order")]
    order: OrderWord,
}

/// Which end of a list comes first, as the caller writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OrderWord {
    #[default]
    Oldest,
    Newest,
}

fn order(_: &mut SchemaGenerator) -> Schema {
    schema::words(["oldest", "newest"])
}

impl From<OrderWord> for Order {
    fn from(word: OrderWord) -> Self {
        match word {
            OrderWord::Oldest => Self::Oldest,
            OrderWord::Newest => Self::Newest,
        }
    }
}

#[async_trait]
impl ListTool for GetComments {
    type Row = CommentRow;

    const COLLECTION: &'static str = "comments";

    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<CommentRow>> {
        let target = (kind(&self.target_type)?, self.target_uuid);
        let page = comment::list(call, reads, target, self.order.into(), page).await?;
        let names = Names::load(reads, &call.scope, page.rows.iter().map(|row| row.item.author)).await?;
        let show = |row: Row<Comment>| Row { at: row.at, item: CommentRow::of(row.item, &names) };
        Ok(Page { rows: page.rows.into_iter().map(show).collect(), total: page.total, more: page.more })
    }
}

/// A comment in a list, whole: there is no other way to read one.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CommentRow {
    uuid: Uuid,
    target_type: &'static str,
    target_uuid: Uuid,
    content: String,
    author: ActorView,
    #[schemars(with = "String")]
    created_at: Timestamp,
    /// Comments are never edited: the time of their making.
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

impl CommentRow {
    fn of(comment: Comment, names: &Names) -> Self {
        Self {
            uuid: comment.id.uuid(),
            target_type: comment.target.as_str(),
            target_uuid: comment.target_id,
            content: comment.content,
            author: names.author(comment.author),
            created_at: comment.created_at,
            updated_at: comment.created_at,
        }
    }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_get_comments",
        family: "comment",
        title: "List comments",
        description: "Page through the comments on an idea, proposal, task or document, oldest first unless you ask for \
                      the newest. Reports on tasks are comments too.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::Pair { kind: "targetType", id: "targetUuid", need: Need::Viewer, hold: None }]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"targetType": "task", "targetUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006", "order": "newest"}"#,
        run: list::<GetComments>(),
    },
    Tool {
        name: "chorus_add_comment",
        family: "comment",
        title: "Comment",
        description: "Comment on an idea, proposal, task or document: a question, an answer, a decision, a review. Its \
                      creator and its assignee are told. On a task that you hold, use chorus_report_work for progress.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::Pair {
            kind: "targetType",
            id: "targetUuid",
            need: Need::Editor,
            hold: Some(Hold::Own),
        }]),
        hints: Hints::ADDS,
        refuses: &[],
        example: r#"{
            "targetType": "task",
            "targetUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006",
            "content": "Does this cover deletions?"
        }"#,
        run: write::<AddComment>(),
    },
];

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "tests")]

    use chorus_domain::Party;
    use chorus_ids::{AgentId, CommentId, CompanyId};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_comment_is_shown_with_its_author_even_if_they_are_gone() {
        let comment = Comment {
            id: CommentId::from_u128(1),
            company: CompanyId::from_u128(2),
            target: Kind::Idea,
            target_id: Uuid::from_u128(3),
            content: "Why?".into(),
            author: Party::Agent(AgentId::from_u128(4)),
            created_at: Timestamp::from_micros(0),
        };
        let at = "1970-01-01T00:00:00.000Z";
        assert_eq!(
            serde_json::to_value(CommentRow::of(comment, &Names::default())).unwrap_or_default(),
            json!({
                "uuid": Uuid::from_u128(1), "targetType": "idea", "targetUuid": Uuid::from_u128(3), "content": "Why?",
                "author": {"type": "agent", "uuid": Uuid::from_u128(4), "name": "Unknown"},
                "createdAt": at, "updatedAt": at
            })
        );
    }

    #[test]
    fn the_order_is_oldest_first_unless_asked_otherwise() {
        let schema = schema::portable(&schema::list_input::<GetComments>());
        assert_eq!(schema["required"], json!(["targetType", "targetUuid"]));
        assert_eq!(schema["properties"]["order"]["enum"], json!(["oldest", "newest"]));
        let order = |order: Option<&str>| {
            let mut arguments = json!({"targetType": "task", "targetUuid": Uuid::nil()});
            if let (Some(order), Some(arguments)) = (order, arguments.as_object_mut()) {
                arguments.insert("order".into(), json!(order));
            }
            serde_json::from_value::<GetComments>(arguments).ok().map(|input| Order::from(input.order))
        };
        assert_eq!(order(None), Some(Order::Oldest));
        assert_eq!(order(Some("oldest")), Some(Order::Oldest));
        assert_eq!(order(Some("newest")), Some(Order::Newest));
    }

    #[test]
    fn groups_take_no_comments_through_here() {
        let schema = schema::portable(&schema::write_input::<AddComment>());
        assert_eq!(schema["properties"]["targetType"]["enum"], json!(["idea", "proposal", "task", "document"]));
    }
}
