//! Tools: whom to mention.

use async_trait::async_trait;
use chorus_app::{Call, mention};
use chorus_dispatch::{Access, At, Hints, ReadTool, Requirement, Tool, list::MAX_LIST_BYTES, tool::read};
use chorus_domain::{Kind, Party};
use chorus_ids::Uuid;
use chorus_store::{Mentionable, Reads, Result};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{view::row_title, words};

/// Looks for people and agents.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SearchMentionables {
    /// A piece of a name or e-mail; empty: your owner's newest agents.
    #[schemars(length(max = 500))]
    query: String,
    /// Rows at most.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
    /// What kind of thing to mention them on.
    #[serde(default)]
    #[schemars(schema_with = "words::comment_target")]
    entity_type: Option<String>,
    /// Which one.
    entity_uuid: Option<Uuid>,
}

const fn ten() -> u32 {
    10
}

/// Who was found.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Found {
    results: Vec<FoundRow>,
    returned: usize,
    page: u32,
    page_size: u32,
    total: usize,
}

/// Somebody who can be mentioned.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FoundRow {
    uuid: Uuid,
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    online: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    active_count: Option<u32>,
}

impl FoundRow {
    fn of(found: &Mentionable) -> Self {
        let active = match found.party {
            Party::Agent(_) => Some(found.active),
            Party::User(_) => None,
        };
        Self {
            uuid: found.party.uuid(),
            name: row_title(&found.name),
            kind: found.party.kind(),
            online: active.map(|active| active > 0),
            active_count: active,
        }
    }
}

impl Found {
    fn of(found: &[Mentionable], limit: u32) -> Self {
        let mut left = MAX_LIST_BYTES - ENVELOPE_BYTES;
        let rows = found.iter().map(FoundRow::of);
        let results: Vec<FoundRow> = rows
            .take_while(|row| {
                let size = serde_json::to_string(row).map_or(usize::MAX, |row| row.len() + 1);
                let fits = size <= left;
                left = left.saturating_sub(size);
                fits
            })
            .collect();
        Self { returned: results.len(), results, page: 1, page_size: limit, total: found.len() }
    }
}

/// What the members beside the rows take at most.
const ENVELOPE_BYTES: usize = 256;

#[async_trait]
impl ReadTool for SearchMentionables {
    type Output = Found;

    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<Found> {
        // With only one of the two there is no place to look at: the search stays company-wide.
        let seeing = match (self.entity_type.as_deref().and_then(Kind::parse), self.entity_uuid) {
            (Some(kind), Some(id)) => Some(call.project_of(kind, id)?),
            (Some(_), None) | (None, _) => None,
        };
        let found = mention::search(call, reads, (&self.query, self.limit), seeing).await?;
        Ok(Found::of(&found, self.limit))
    }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[Tool {
    name: "chorus_search_mentionables",
    family: "mention",
    title: "Find whom to mention",
    description: "Find people, and your owner's agents, to mention: `@[Name](user:uuid)` or `@[Name](agent:uuid)` in a \
                  comment, report, idea or task tells them. Name the entity to leave out who can't see it.",
    requirement: Requirement::PUBLIC,
    access: Access::company(
        "without an entity it is about the company's people, who see each other",
        &[At::Pair { kind: "entityType", id: "entityUuid", need: Need::Viewer, hold: None }],
    ),
    hints: Hints::READ,
    refuses: &[],
    example: r#"{"query": "ada", "entityType": "task", "entityUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006"}"#,
    run: read::<SearchMentionables>(),
}];

#[cfg(test)]
mod tests {
    use chorus_ids::{AgentId, UserId};
    use serde_json::json;

    use super::*;

    #[test]
    fn only_agents_are_online() {
        let found = [
            Mentionable { party: Party::Agent(AgentId::from_u128(1)), name: "A".into(), active: 2 },
            Mentionable { party: Party::User(UserId::from_u128(2)), name: "B".into(), active: 0 },
        ];
        assert_eq!(
            serde_json::to_value(Found::of(&found, 7)).unwrap_or_default(),
            json!({
                "results": [
                    { "uuid": Uuid::from_u128(1), "name": "A", "type": "agent", "online": true, "activeCount": 2 },
                    { "uuid": Uuid::from_u128(2), "name": "B", "type": "user" }
                ],
                "returned": 2, "page": 1, "pageSize": 7, "total": 2
            })
        );
    }

    #[test]
    fn rows_that_do_not_fit_are_cut_from_the_end() {
        let long = Mentionable { party: Party::Agent(AgentId::from_u128(1)), name: "\u{1}".repeat(400), active: 0 };
        let found = Found::of(&vec![long; 50], 50);
        assert!(found.returned < 50 && found.total == 50, "{}", found.returned);
        assert!(serde_json::to_string(&found).is_ok_and(|text| text.len() <= MAX_LIST_BYTES));
    }
}
