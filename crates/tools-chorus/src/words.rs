//! Schemas of words from closed lists; the lists themselves stand in the policy crates.
//!
//! Used as `#[schemars(schema_with = "words::priority")]` on fields whose type comes from there.

use chorus_dispatch::schema::words;
use chorus_lifecycle::{
    document::DocumentType,
    elaboration::Category,
    idea::{Depth, IdeaStatus},
    proposal::{InputType, ProposalStatus},
    task::{Priority, TaskStatus},
};
use chorus_visibility::{Role, Visibility};
use schemars::{Schema, SchemaGenerator};

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident: $kind:ty;)*) => { $(
        $(#[$doc])*
        pub fn $name(_: &mut SchemaGenerator) -> Schema {
            words(<$kind>::ALL.into_iter().map(<$kind>::as_str))
        }
    )* };
}

lists! {
    /// A task's status.
    task_status: TaskStatus;
    /// A task's priority.
    priority: Priority;
    /// An idea's status.
    idea_status: IdeaStatus;
    /// How deep an elaboration goes.
    depth: Depth;
    /// A question's category.
    category: Category;
    /// A proposal's status.
    proposal_status: ProposalStatus;
    /// What a proposal is made from.
    input_type: InputType;
    /// A document's type.
    document_type: DocumentType;
    /// Who sees a project or group.
    visibility: Visibility;
    /// What a member may do.
    role: Role;
}

/// What can be done with a member of a group.
pub fn member_action(_: &mut SchemaGenerator) -> Schema {
    words(["add", "update", "remove"])
}

/// The kinds of things that can be commented on.
pub fn comment_target(_: &mut SchemaGenerator) -> Schema {
    words(["idea", "proposal", "task", "document"])
}

/// The statuses that an assignee may set.
pub fn working_status(_: &mut SchemaGenerator) -> Schema {
    words([TaskStatus::InProgress.as_str(), TaskStatus::ToVerify.as_str()])
}
