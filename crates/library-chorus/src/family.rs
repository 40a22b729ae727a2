//! The kinds of things that have addresses.

use chorus_domain::Kind;

/// The media type of a document.
pub(crate) const MARKDOWN: &str = "text/markdown";
/// The media type of everything else.
pub(crate) const JSON: &str = "application/json";

/// A kind of thing that has addresses.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) kind: Kind,
    /// What stands for the kind in an address; nothing for projects, which begin it.
    pub(crate) segment: Option<&'static str>,
    /// The name of its id: in the template, in the arguments of its tool, and in prompts about it.
    pub(crate) variable: &'static str,
    /// The tool that reads it.
    pub(crate) tool: &'static str,
    /// The part that is read, for a tool that has several.
    pub(crate) section: Option<&'static str>,
    /// Where in the tool's answer its project is.
    pub(crate) project_at: &'static str,
    pub(crate) media: &'static str,
    /// Its name for programs.
    pub(crate) name: &'static str,
    /// Its name for people.
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
}

/// Every kind that has addresses.
pub(crate) const FAMILIES: [Family; 5] = [
    Family {
        kind: Kind::Project,
        segment: None,
        variable: "projectUuid",
        tool: "chorus_get_project",
        section: None,
        project_at: "/uuid",
        media: JSON,
        name: "project",
        title: "Project",
        description: "A project: description, group, visibility, your access level and how much is in it.",
    },
    Family {
        kind: Kind::Idea,
        segment: Some("ideas"),
        variable: "ideaUuid",
        tool: "chorus_get_idea",
        section: None,
        project_at: "/project/uuid",
        media: JSON,
        name: "idea",
        title: "Idea",
        description: "An idea in full: text, assignee, progress, parent, children and completion reports.",
    },
    Family {
        kind: Kind::Proposal,
        segment: Some("proposals"),
        variable: "proposalUuid",
        tool: "chorus_get_proposal",
        section: Some("full"),
        project_at: "/project/uuid",
        media: JSON,
        name: "proposal",
        title: "Proposal",
        description: "A proposal with the whole drafts of its documents and tasks.",
    },
    Family {
        kind: Kind::Document,
        segment: Some("documents"),
        variable: "documentUuid",
        tool: "chorus_get_document",
        section: None,
        project_at: "/project/uuid",
        media: MARKDOWN,
        name: "document",
        title: "Document",
        description: "The newest version of a document, its title as the heading.",
    },
    Family {
        kind: Kind::Task,
        segment: Some("tasks"),
        variable: "taskUuid",
        tool: "chorus_get_task",
        section: None,
        project_at: "/project/uuid",
        media: JSON,
        name: "task",
        title: "Task",
        description: "A task in full: description, acceptance criteria, dependencies, assignee and references.",
    },
];

impl Family {
    /// The family of a kind, if that has addresses.
    pub(crate) fn of(kind: Kind) -> Option<&'static Self> {
        FAMILIES.iter().find(|family| family.kind == kind)
    }
}
