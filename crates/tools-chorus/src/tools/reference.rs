//! Tools for references, and how references are given and shown.

use async_trait::async_trait;
use chorus_app::{Call, reference};
use chorus_dispatch::{Access, At, Expand, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::{
    Kind, Party, Refusal,
    reference::{Reference, ReferenceEdit, ReferenceForm, Skipped},
};
use chorus_ids::{ReferenceId, Timestamp, Uuid};
use chorus_lifecycle::reference::ReferenceType;
use chorus_permissions::DOCUMENT_WRITE;
use chorus_store::{Hold, Outcome, Result, Tx};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    nullable,
    view::{ActorView, Names},
    words,
};

/// A reference to attach to something new.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ReferenceInput {
    /// Its kind.
    #[serde(rename = "type")]
    #[schemars(schema_with = "words::reference_type")]
    kind: ReferenceType,
    /// An http(s) link.
    url: String,
    /// Its name.
    title: String,
    /// Why it matters.
    notes: Option<String>,
}

impl From<ReferenceInput> for ReferenceForm {
    fn from(ReferenceInput { kind, url, title, notes }: ReferenceInput) -> Self {
        Self { kind, url, title, notes }
    }
}

/// The references of an argument.
pub(crate) fn forms(inputs: Option<Vec<ReferenceInput>>) -> Vec<ReferenceForm> {
    inputs.into_iter().flatten().map(ReferenceForm::from).collect()
}

/// A reference with everything.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferenceView {
    uuid: Uuid,
    target_type: &'static str,
    target_uuid: Uuid,
    #[serde(rename = "type")]
    kind: &'static str,
    url: String,
    title: String,
    notes: Option<String>,
    created_by: Option<ActorView>,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
}

impl ReferenceView {
    pub(crate) fn of(reference: Reference, names: &Names) -> Self {
        Self {
            uuid: reference.id.uuid(),
            target_type: reference.target.as_str(),
            target_uuid: reference.target_id,
            kind: reference.kind.as_str(),
            url: reference.url,
            title: reference.title,
            notes: reference.notes,
            created_by: names.actor(reference.created_by),
            created_at: reference.created_at,
            updated_at: reference.updated_at,
        }
    }

    pub(crate) fn all(references: Vec<Reference>, names: &Names) -> Vec<Self> {
        references.into_iter().map(|reference| Self::of(reference, names)).collect()
    }

    async fn answer(call: &Call, tx: &mut dyn Tx, outcome: Outcome<Reference>) -> Result<Outcome<Self>> {
        let names = Names::load(tx, &call.scope, [outcome.answer.created_by]).await?;
        Ok(outcome.map(|reference| Self::of(reference, &names)))
    }
}

/// Whoever attached these.
pub(crate) fn authors(references: &[Reference]) -> impl Iterator<Item = Party> {
    references.iter().map(|reference| reference.created_by)
}

/// A reference that was not attached.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ReferenceError {
    /// The title of the task it was meant for, if there were several.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    index: usize,
    url: String,
    title: String,
    error: String,
}

impl ReferenceError {
    pub(crate) fn of(skipped: Skipped) -> Self {
        let Skipped { index, url, title, error } = skipped;
        Self { task: None, index, url: shortened(&url), title: shortened(&title), error }
    }

    pub(crate) fn of_task((task, skipped): (String, Skipped)) -> Self {
        Self { task: Some(shortened(&task)), ..Self::of(skipped) }
    }
}

/// A text of the caller's own, as it is sent back.
fn shortened(text: &str) -> String {
    crate::view::row_title(text)
}

/// Attaches a reference.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AddReference {
    /// What kind of thing it backs.
    #[schemars(schema_with = "words::reference_target")]
    target_type: String,
    /// Which one.
    target_uuid: Uuid,
    /// What it leads to.
    #[serde(rename = "type")]
    #[schemars(schema_with = "words::reference_type")]
    kind: ReferenceType,
    /// An http(s) link; never fetched.
    url: String,
    /// What it is called.
    title: String,
    /// Why it matters, in one sentence.
    notes: Option<String>,
}

#[async_trait]
impl WriteTool for AddReference {
    type Output = ReferenceView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<ReferenceView>> {
        let Self { target_type, target_uuid, kind, url, title, notes } = self;
        let target = Kind::parse(&target_type)
            .ok_or_else(|| Refusal::invalid("targetType", "names no kind of thing that takes references"))?;
        let form = ReferenceForm { kind, url, title, notes };
        let added = reference::add(call, tx, (target, target_uuid), form).await?;
        ReferenceView::answer(call, tx, added).await
    }
}

/// Changes a reference.
#[derive(Deserialize, JsonSchema)]
struct UpdateReference {
    /// The reference.
    #[schemars(with = "Uuid")]
    uuid: ReferenceId,
    /// What it leads to.
    #[serde(default, rename = "type")]
    #[schemars(schema_with = "words::reference_type")]
    kind: Option<ReferenceType>,
    /// Another http(s) link.
    url: Option<String>,
    /// Another title.
    title: Option<String>,
    /// Other notes; null clears them.
    #[serde(default, deserialize_with = "nullable::given")]
    #[schemars(with = "Option<String>", extend("nullable" = true))]
    notes: Option<Option<String>>,
}

#[async_trait]
impl WriteTool for UpdateReference {
    type Output = ReferenceView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<ReferenceView>> {
        let Self { uuid, kind, url, title, notes } = self;
        let edited = reference::edit(call, tx, uuid, ReferenceEdit { kind, url, title, notes }).await?;
        ReferenceView::answer(call, tx, edited).await
    }
}

/// Removes a reference.
#[derive(Deserialize, JsonSchema)]
struct RemoveReference {
    /// The reference.
    #[schemars(with = "Uuid")]
    uuid: ReferenceId,
}

/// A reference that is gone.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct RemovedReference {
    uuid: Uuid,
    action: &'static str,
}

#[async_trait]
impl WriteTool for RemoveReference {
    type Output = RemovedReference;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<RemovedReference>> {
        let removed = reference::remove(call, tx, self.uuid).await?;
        Ok(removed.map(|id| RemovedReference { uuid: id.uuid(), action: "reference_removed" }))
    }
}

/// A reference that is changed; what it is attached to shows it, so that is held.
const REFERENCE: &[At] =
    &[At::id("uuid", Kind::Reference, Need::Editor), At::Via { path: "uuid", expand: Expand::ReferenceTarget }];

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_add_reference",
        family: "reference",
        title: "Add a reference",
        description: "Attach a web link that backs an idea, proposal or task; whoever reads that sees it.",
        requirement: Requirement::bit(DOCUMENT_WRITE),
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
            "type": "issue_pr",
            "url": "https://git.example.com/compiler/pull/12",
            "title": "Pull request 12"
        }"#,
        run: write::<AddReference>(),
    },
    Tool {
        name: "chorus_update_reference",
        family: "reference",
        title: "Change a reference",
        description: "Change the kind, link, title or notes of a reference, whoever attached it. What you leave out \
                      stays.",
        requirement: Requirement::bit(DOCUMENT_WRITE),
        access: Access::resource(REFERENCE),
        hints: Hints::SETS,
        refuses: &[],
        example: r#"{"uuid": "0192f3a0-7d4c-7b1e-9a55-00000000000f", "title": "Pull request 12, merged"}"#,
        run: write::<UpdateReference>(),
    },
    Tool {
        name: "chorus_remove_reference",
        family: "reference",
        title: "Remove a reference",
        description: "Take a reference off what it is attached to, for good, whoever attached it.",
        requirement: Requirement::bit(DOCUMENT_WRITE),
        access: Access::resource(REFERENCE),
        hints: Hints::ENDS,
        refuses: &[],
        example: r#"{"uuid": "0192f3a0-7d4c-7b1e-9a55-00000000000f"}"#,
        run: write::<RemoveReference>(),
    },
];

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "tests")]

    use chorus_dispatch::schema;
    use serde_json::json;

    use super::*;

    #[test]
    fn notes_are_kept_cleared_or_set() {
        let notes = |arguments: serde_json::Value| {
            serde_json::from_value::<UpdateReference>(arguments).ok().map(|update| update.notes)
        };
        let uuid = Uuid::nil();
        assert_eq!(notes(json!({ "uuid": uuid })), Some(None));
        assert_eq!(notes(json!({ "uuid": uuid, "notes": null })), Some(Some(None)));
        assert_eq!(notes(json!({ "uuid": uuid, "notes": "x" })), Some(Some(Some("x".into()))));
        let working = schema::write_input::<UpdateReference>();
        assert_eq!(working["properties"]["notes"]["nullable"], true);
        let shown = schema::portable(&working);
        assert_eq!(
            shown["properties"]["notes"],
            json!({ "type": "string", "description": "Other notes; null clears them." })
        );
        assert_eq!(shown["required"], json!(["uuid"]));
    }
}
