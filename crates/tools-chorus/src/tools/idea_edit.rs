//! Tools: editing ideas.

use async_trait::async_trait;
use chorus_app::{Call, idea};
use chorus_dispatch::{Access, At, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::{Code, Kind, idea::edit::IdeaEdit};
use chorus_ids::{IdeaId, Uuid};
use chorus_permissions::IDEA_WRITE;
use chorus_store::{Hold, Outcome, Result, Tx};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::nullable;

/// Edits an idea.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EditIdea {
    /// The idea.
    #[schemars(with = "Uuid")]
    idea_uuid: IdeaId,
    /// Another title, not blank.
    title: Option<String>,
    /// Another text; an empty one clears it.
    content: Option<String>,
    /// Another parent of its project; null detaches it.
    #[serde(default, deserialize_with = "nullable::given")]
    #[schemars(with = "Option<Uuid>", extend("nullable" = true))]
    parent_uuid: Option<Option<IdeaId>>,
    /// Whether it is a theme.
    is_container: Option<bool>,
    /// The `version` you saw: refused if it is stale.
    #[schemars(range(min = 1))]
    expected_version: Option<i32>,
}

/// An idea after an edit.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EditedIdea {
    uuid: Uuid,
    title: String,
    status: &'static str,
    parent_uuid: Option<Uuid>,
    is_container: bool,
    version: i32,
}

#[async_trait]
impl WriteTool for EditIdea {
    type Output = EditedIdea;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<EditedIdea>> {
        let edit = IdeaEdit {
            title: self.title,
            content: self.content,
            parent: self.parent_uuid,
            is_container: self.is_container,
            expected_version: self.expected_version,
        };
        Ok(idea::edit::edit(call, tx, self.idea_uuid, edit).await?.map(|idea| EditedIdea {
            uuid: idea.id.uuid(),
            title: idea.title,
            status: idea.status.as_str(),
            parent_uuid: idea.parent.map(|parent| parent.uuid()),
            is_container: idea.is_container,
            version: idea.version,
        }))
    }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[Tool {
    name: "chorus_edit_idea",
    family: "idea",
    title: "Change an idea",
    description: "Change what you name of an idea and nothing else: title, text, parent or theme flag, in any status. Whoever \
                  the new text mentions is told.",
    requirement: Requirement::bit(IDEA_WRITE),
    access: Access::resource(&[
        At::id("ideaUuid", Kind::Idea, Need::Editor).held(Hold::Own),
        // The tree of ideas is the whole project's: two that move below each other at once must not both succeed.
        At::id("parentUuid", Kind::Idea, Need::Editor).held(Hold::Share).owning_project(),
    ]),
    hints: Hints::SETS,
    refuses: &[
        (Code::PreconditionFailed, "`expectedVersion` is not the current version"),
        (Code::Cycle, "the new parent is the idea itself or below it"),
    ],
    example: r#"{
        "ideaUuid": "0192f3a0-7d4c-7b1e-9a55-000000000003",
        "title": "Works without a connection",
        "expectedVersion": 3
    }"#,
    run: write::<EditIdea>(),
}];

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "tests")]

    use chorus_dispatch::schema;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_parent_is_kept_detached_or_set() {
        let parent =
            |arguments| serde_json::from_value::<EditIdea>(arguments).ok().map(|edit: EditIdea| edit.parent_uuid);
        let uuid = Uuid::nil();
        assert_eq!(parent(json!({ "ideaUuid": uuid })), Some(None));
        assert_eq!(parent(json!({ "ideaUuid": uuid, "parentUuid": null })), Some(Some(None)));
        let other = Some(Some(Some(IdeaId::from_uuid(uuid))));
        assert_eq!(parent(json!({ "ideaUuid": uuid, "parentUuid": uuid })), other);
        let working = schema::write_input::<EditIdea>();
        let argument = &working["properties"]["parentUuid"];
        assert_eq!(
            (&argument["type"], &argument["format"], &argument["nullable"]),
            (&json!("string"), &json!("uuid"), &json!(true))
        );
        assert_eq!(schema::portable(&working)["required"], json!(["ideaUuid"]));
    }
}
