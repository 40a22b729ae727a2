//! How a deletion is told.

use std::collections::BTreeMap;

use chorus_app::deletion::Deleted;
use chorus_domain::{Kind, notification::quoted};
use chorus_ids::Uuid;
use schemars::JsonSchema;
use serde::Serialize;

/// What was deleted, what went with it, and what stayed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeletedView {
    message: String,
    uuid: Uuid,
    deleted: BTreeMap<&'static str, u64>,
    kept: BTreeMap<&'static str, u64>,
}

impl DeletedView {
    /// Counts whatever things of this kind can have.
    pub fn of(gone: Deleted) -> Self {
        let Deleted { kind, id, title, hanging, kept } = gone;
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let mut deleted = BTreeMap::from([("comments", hanging.comments), ("mentions", hanging.mentions)]);
        let mut stayed = BTreeMap::from([("activities", hanging.activities)]);
        let rest = match kind {
            Kind::Idea => {
                deleted.extend([("references", hanging.references), ("rounds", hanging.rounds)]);
                stayed.extend([("children", count(kept.children)), ("proposals", count(kept.proposals))]);
                "Ideas that were directly below it have no parent now. Proposals made from it stay, with their tasks and \
                 documents."
            }
            Kind::Task => {
                deleted.extend([
                    ("references", hanging.references),
                    ("criteria", hanging.criteria),
                    ("dependencies", hanging.dependencies),
                    ("checkins", hanging.checkins),
                ]);
                stayed.extend([("dependants", count(kept.dependants))]);
                "Tasks that waited for it no longer do; unless it was finished, their assignees were told."
            }
            Kind::Document => {
                deleted.extend([("versions", hanging.versions)]);
                stayed.extend([("proposals", count(kept.proposals))]);
                "Proposals made from it stay."
            }
            Kind::Proposal => {
                deleted.extend([("references", hanging.references)]);
                "Its drafts went with it."
            }
            Kind::Project
            | Kind::Group
            | Kind::Comment
            | Kind::Reference
            | Kind::Session
            | Kind::Notification
            | Kind::Agent
            | Kind::User
            | Kind::Key
            | Kind::Round => "",
        };
        let message = format!("{} {} (`{id}`) was deleted. {rest}", kind.noun(), quoted(&title));
        Self { message: message.trim_end().to_owned(), uuid: id, deleted, kept: stayed }
    }
}

#[cfg(test)]
mod tests {
    use chorus_app::deletion::Kept;
    use chorus_store::Hanging;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_deletion_counts_what_its_kind_can_have() {
        let hanging = Hanging { comments: 1, rounds: 2, criteria: 3, versions: 4, activities: 5, ..Hanging::default() };
        let kept = Kept { children: 6, proposals: 7, dependants: 8 };
        let shown = |kind| {
            let gone = Deleted { kind, id: Uuid::from_u128(9), title: "Old".into(), hanging, kept };
            serde_json::to_value(DeletedView::of(gone)).unwrap_or_default()
        };
        let idea = shown(Kind::Idea);
        assert_eq!(
            idea.pointer("/deleted"),
            Some(&json!({"comments": 1, "mentions": 0, "references": 0, "rounds": 2}))
        );
        assert_eq!(idea.pointer("/kept"), Some(&json!({"activities": 5, "children": 6, "proposals": 7})));
        let message = idea.pointer("/message").and_then(|message| message.as_str()).unwrap_or_default();
        assert!(message.starts_with(&format!("Idea \"Old\" (`{}`) was deleted. ", Uuid::from_u128(9))), "{message}");
        let task = shown(Kind::Task);
        assert_eq!(task.pointer("/deleted/criteria"), Some(&json!(3)));
        assert_eq!(task.pointer("/kept"), Some(&json!({"activities": 5, "dependants": 8})));
        let proposal = shown(Kind::Proposal);
        assert_eq!(proposal.pointer("/deleted"), Some(&json!({"comments": 1, "mentions": 0, "references": 0})));
        let document = shown(Kind::Document);
        assert_eq!(document.pointer("/deleted"), Some(&json!({"comments": 1, "mentions": 0, "versions": 4})));
    }
}
