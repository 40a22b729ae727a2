//! The page on which a change of access is confirmed, once what it does was seen.

use askama::Template;
use chorus_ids::{GroupId, ProjectId, UserId, Uuid};
use chorus_visibility::{Role, Visibility};

use crate::{frame::Frame, pages::impact::Impact};

/// What is asked. Its heading is the frame's title.
#[derive(Template)]
#[template(path = "confirm.html")]
pub(crate) struct Confirm {
    pub(crate) f: Frame,
    /// What was asked for, where the heading does not say it.
    pub(crate) asked: Option<String>,
    /// Something to know beside the impact.
    pub(crate) warning: Option<String>,
    pub(crate) impact: Impact,
    /// The tool that does it, and what it is given.
    pub(crate) tool: &'static str,
    pub(crate) fields: Vec<(&'static str, String)>,
    /// The key of what is said then.
    pub(crate) done: &'static str,
    /// What stands on the button.
    pub(crate) go: String,
    /// The page to be on then.
    pub(crate) next: String,
    /// The page of whoever would rather not.
    pub(crate) back: String,
}

/// What has members and is seen by some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Project(ProjectId),
    Group(GroupId),
}

impl Space {
    fn uuid(self) -> Uuid {
        match self {
            Self::Project(id) => id.uuid(),
            Self::Group(id) => id.uuid(),
        }
    }

    const fn field(self) -> &'static str {
        match self {
            Self::Project(_) => "projectUuid",
            Self::Group(_) => "groupUuid",
        }
    }

    fn settings(self) -> String {
        match self {
            Self::Project(id) => format!("/projects/{id}/settings"),
            Self::Group(id) => format!("/groups/{id}/settings"),
        }
    }
}

impl Confirm {
    /// Another visibility.
    pub(crate) fn visibility(f: Frame, space: Space, to: Visibility, impact: Impact) -> Self {
        let fields = vec![
            (space.field(), space.uuid().to_string()),
            ("visibility", to.as_str().to_owned()),
            ("confirmationToken", impact.token.clone()),
        ];
        Self {
            asked: None,
            warning: None,
            tool: match space {
                Space::Project(_) => "console_set_project_visibility",
                Space::Group(_) => "chorus_admin_update_project_group",
            },
            fields,
            done: "done-visibility-changed",
            go: f.title.clone(),
            next: space.settings(),
            back: space.settings(),
            impact,
            f,
        }
    }

    /// Another role for a member, or the end of a membership.
    pub(crate) fn member(
        f: Frame,
        space: Space,
        (user, name): (UserId, &str),
        role: Option<Role>,
        impact: Impact,
    ) -> Self {
        let mut fields = vec![(space.field(), space.uuid().to_string()), ("userUuid", user.to_string())];
        let tool = match (space, role) {
            (Space::Project(_), Some(_)) => "console_set_project_role",
            (Space::Project(_), None) => "console_remove_project_member",
            (Space::Group(_), role) => {
                fields.push(("memberAction", if role.is_some() { "update" } else { "remove" }.to_owned()));
                "chorus_admin_update_project_group"
            }
        };
        fields.extend(role.map(|role| ("role", role.as_str().to_owned())));
        let asked = match role {
            Some(role) => f.tv("member-becomes", "role", &f.word("level", role.as_str())),
            None => f.tv("member-goes", "name", name),
        };
        Self {
            asked: Some(asked),
            warning: None,
            tool,
            fields,
            done: if role.is_some() { "done-role-changed" } else { "done-member-removed" },
            go: f.t(if role.is_some() { "role-confirm" } else { "remove-confirm" }).into_owned(),
            next: space.settings(),
            back: space.settings(),
            impact,
            f,
        }
    }

    /// A project goes into another group, or out of the one that it is in.
    pub(crate) fn relocation(f: Frame, project: ProjectId, target: Option<(GroupId, String)>, impact: Impact) -> Self {
        let asked = match &target {
            Some((_, name)) => f.tv("move-into", "name", name),
            None => f.t("move-out").into_owned(),
        };
        let group = target.map(|(group, _)| group.to_string()).unwrap_or_default();
        let space = Space::Project(project);
        let fields = vec![
            (space.field(), project.to_string()),
            ("groupUuid?null", group),
            ("confirmationToken", impact.token.clone()),
        ];
        Self {
            asked: Some(asked),
            warning: (impact.company == "closed").then(|| f.t("move-closes").into_owned()),
            tool: "chorus_admin_move_project_to_group",
            fields,
            done: "done-moved",
            go: f.t("move-confirm").into_owned(),
            next: space.settings(),
            back: format!("{}/group", space.settings()),
            impact,
            f,
        }
    }
}
