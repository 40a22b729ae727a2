//! The kinds of things that have an id of their own.

use std::fmt;

/// A kind of entity. Its name on the wire is [`Kind::as_str`]; people read [`Kind::noun`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A project.
    Project,
    /// A project group.
    Group,
    /// An idea.
    Idea,
    /// A proposal.
    Proposal,
    /// A document.
    Document,
    /// A task.
    Task,
    /// A comment.
    Comment,
    /// A reference to external evidence.
    Reference,
    /// An agent's session.
    Session,
    /// A notification.
    Notification,
    /// An agent.
    Agent,
    /// A user.
    User,
    /// An API key.
    Key,
    /// An elaboration round.
    Round,
}

impl Kind {
    /// Every kind, in the order of declaration.
    pub const ALL: [Self; 14] = [
        Self::Project,
        Self::Group,
        Self::Idea,
        Self::Proposal,
        Self::Document,
        Self::Task,
        Self::Comment,
        Self::Reference,
        Self::Session,
        Self::Notification,
        Self::Agent,
        Self::User,
        Self::Key,
        Self::Round,
    ];

    /// The name in rows and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Group => "project_group",
            Self::Idea => "idea",
            Self::Proposal => "proposal",
            Self::Document => "document",
            Self::Task => "task",
            Self::Comment => "comment",
            Self::Reference => "reference",
            Self::Session => "session",
            Self::Notification => "notification",
            Self::Agent => "agent",
            Self::User => "user",
            Self::Key => "key",
            Self::Round => "round",
        }
    }

    /// The noun that begins a sentence about one: `Task not found`.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Project => "Project",
            Self::Group => "Project group",
            Self::Idea => "Idea",
            Self::Proposal => "Proposal",
            Self::Document => "Document",
            Self::Task => "Task",
            Self::Comment => "Comment",
            Self::Reference => "Reference",
            Self::Session => "Session",
            Self::Notification => "Notification",
            Self::Agent => "Agent",
            Self::User => "User",
            Self::Key => "Key",
            Self::Round => "Elaboration round",
        }
    }

    /// What shows those that there are, as the rest of a sentence: the next step for who named one in vain.
    pub const fn found_with(self) -> &'static str {
        match self {
            Self::Project => "chorus_list_projects lists those that you can see",
            Self::Group => "chorus_get_project_groups lists those that you can see",
            Self::Idea => "chorus_get_ideas lists the ideas of a project",
            Self::Proposal => "chorus_get_proposals lists the proposals of a project",
            Self::Document => "chorus_get_documents lists the documents of a project",
            Self::Task => "chorus_list_tasks lists the tasks of a project",
            Self::Comment => "chorus_get_comments lists the comments on an idea, proposal, task or document",
            Self::Reference => "chorus_get_idea, chorus_get_proposal and chorus_get_task show the references of each",
            Self::Session => "chorus_list_sessions lists yours",
            Self::Notification => "chorus_get_notifications lists yours",
            Self::Agent | Self::User => "chorus_search_mentionables finds agents and people by name",
            Self::Key => "the key that you call with says who you are (chorus_checkin)",
            Self::Round => "chorus_get_elaboration lists the rounds of an idea",
        }
    }

    /// The kind with this wire name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
