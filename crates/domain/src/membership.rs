//! Changes of who has access: what is written, and why it may be refused.

use chorus_ids::{GroupId, ProjectId, Timestamp, UserId};
use chorus_visibility::{
    ChangeRefusal, Denied, GroupFacts, MemberRefusal, MemberWrite, Principal, ProjectFacts, Role, Visibility,
};
use serde_json::json;

use crate::{
    Code, Kind, Party, Refusal, Write,
    project::{Group, GroupMember, Project, ProjectMember},
};

/// A person of a company, as changes of access are shown to administrators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Who.
    pub id: UserId,
    /// What to call them.
    pub name: String,
    /// Their address.
    pub email: Option<String>,
}

/// Which step of a change that has to be confirmed a call is (visibility specification §6.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It asks what the change would do, and changes nothing.
    Preview,
    /// It makes the change; with the token of a preview, if it has one.
    Apply(Option<String>),
}

impl Step {
    /// The step that these arguments mean.
    ///
    /// # Errors
    /// `invalid_arguments` for both at once: whether anything shall be changed can't be told.
    pub fn of(preview: Option<bool>, token: Option<String>) -> Result<Self, Refusal> {
        match (preview, token) {
            (Some(true), None) => Ok(Self::Preview),
            (Some(true), Some(_)) => Err(Refusal::invalid(
                "preview",
                "can't be true beside `confirmationToken`; leave `preview` out to apply what the token confirms",
            )),
            (Some(false) | None, token) => Ok(Self::Apply(token)),
        }
    }
}

/// Whose members change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A project's own.
    Project(ProjectId),
    /// A group's explicit ones.
    Group(GroupId),
}

impl Of {
    const fn noun(self) -> &'static str {
        match self {
            Self::Project(_) => "project",
            Self::Group(_) => "project group",
        }
    }
}

/// The row that a change of a membership writes, if any.
pub fn write(of: Of, write: MemberWrite, added_by: Option<Party>, now: Timestamp) -> Option<Write> {
    match (write, of) {
        (MemberWrite::Insert { user, role } | MemberWrite::Update { user, role, .. }, Of::Project(project)) => {
            Some(Write::PutProjectMember(ProjectMember { project, user, role, added_by, created_at: now }))
        }
        (MemberWrite::Insert { user, role } | MemberWrite::Update { user, role, .. }, Of::Group(group)) => {
            Some(Write::PutGroupMember(GroupMember { group, user, role, added_by, created_at: now }))
        }
        (MemberWrite::Delete { user, .. }, Of::Project(project)) => Some(Write::RemoveProjectMember(project, user)),
        (MemberWrite::Delete { user, .. }, Of::Group(group)) => Some(Write::RemoveGroupMember(group, user)),
        (MemberWrite::Unchanged, _) => None,
    }
}

/// Why a membership can't be changed, with what to do instead.
pub fn member_refused(of: Of, refusal: MemberRefusal) -> Refusal {
    let place = of.noun();
    match refusal {
        MemberRefusal::NotInCompany => Refusal::not_found(Kind::User),
        MemberRefusal::AlreadyMember => Refusal::new(
            Code::AlreadyMember,
            format!("This user is a member of the {place} already. Use the action `update` to change their role."),
        ),
        MemberRefusal::NotAMember => Refusal::new(
            Code::NotFound,
            format!(
                "This user has no membership of their own in this {place}. Use the action `add` to make them a member."
            ),
        ),
        MemberRefusal::AutomaticAdmin => Refusal::new(
            Code::LastAdmin,
            format!(
                "This user stands in as administrator for as long as the {place} has no other. Make somebody an \
                 administrator first."
            ),
        ),
        MemberRefusal::LastAdmin => Refusal::new(
            Code::LastAdmin,
            format!("This is the last administrator of the {place}. Make somebody else one first, then repeat this."),
        ),
    }
}

/// Why a visibility or a place can't be changed, with what to do instead.
pub fn change_refused(refusal: ChangeRefusal) -> Refusal {
    match refusal {
        ChangeRefusal::PublicInPrivateGroup => Refusal::new(
            Code::InvalidState,
            "The project is in a private group, which holds private projects only. Move it out of the group first, or \
             make the group public.",
        ),
        ChangeRefusal::NoAdminLeft { project } => Refusal::new(
            Code::LastAdmin,
            "Out of its group the project would be left without an administrator. Make somebody an administrator of \
             the group or of the project first.",
        )
        .with(json!({ "projectUuid": project })),
        ChangeRefusal::GroupChanged { project } => Refusal::new(
            Code::StaleConfirmation,
            "The project was moved to another group meanwhile, and nothing was changed. Take a fresh preview.",
        )
        .with(json!({ "projectUuid": project })),
    }
}

/// Why somebody may not change a group.
pub fn group_denied(denied: Denied) -> Refusal {
    match denied {
        Denied::Hidden => Refusal::not_found(Kind::Group),
        Denied::Forbidden => Refusal::new(
            Code::Forbidden,
            "You see this project group, but your role in it does not allow this: visibility, members, the roster and \
             deleting are for its explicit members or administrators, and so is renaming a private group. Ask one of \
             its administrators.",
        ),
    }
}

/// Why somebody may not move a project that they could move elsewhere.
pub fn move_denied(denied: Denied) -> Refusal {
    match denied {
        Denied::Hidden => Refusal::not_found(Kind::Group),
        Denied::Forbidden => Refusal::new(
            Code::Forbidden,
            "This move changes who has access. It takes an administrator of each group involved, of the project where \
             it is in no group, and of the project too if anybody's role rises. Ask one of them to move it.",
        ),
    }
}

/// Why somebody may not change a project.
pub fn project_denied(denied: Denied) -> Refusal {
    match denied {
        Denied::Hidden => Refusal::not_found(Kind::Project),
        Denied::Forbidden => Refusal::forbidden_level(),
    }
}

/// What is said when a confirmation is missing, damaged, somebody else's or out of date.
pub fn unconfirmed(given: bool) -> Refusal {
    let text = if given {
        "This `confirmationToken` does not match the change and the access as they are now, and nothing was changed. \
         Take a fresh preview (`preview: true`), look at its impact, and repeat the same change with the new token."
    } else {
        "This changes who has access and has to be confirmed; nothing was changed. Call with `preview: true` first, \
         look at the impact, and repeat the same change with the `confirmationToken` of the preview."
    };
    Refusal::new(Code::StaleConfirmation, text)
}

/// A group as this principal meets it.
pub fn group_facts(principal: &Principal, group: &Group, members: &[GroupMember]) -> GroupFacts {
    let own = members.iter().find(|member| member.group == group.id && Some(member.user) == principal.user);
    GroupFacts {
        id: group.id,
        visibility: group.visibility,
        role: own.map(|member| member.role),
        has_admin: members.iter().any(|member| member.group == group.id && member.role == Role::Admin),
    }
}

/// A project as this principal meets it, with the group that it is in.
pub fn project_facts(
    principal: &Principal,
    project: &Project,
    members: &[ProjectMember],
    group: Option<GroupFacts>,
) -> ProjectFacts {
    let own = members.iter().find(|member| member.project == project.id && Some(member.user) == principal.user);
    ProjectFacts {
        company: project.company,
        project: project.id,
        visibility: project.visibility,
        role: own.map(|member| member.role),
        has_admin: members.iter().any(|member| member.project == project.id && member.role == Role::Admin),
        group,
    }
}

/// A change of a visibility as an activity tells it.
pub fn visibility_told(from: Visibility, to: Visibility) -> serde_json::Value {
    json!({ "from": from.as_str(), "to": to.as_str() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::samples;

    const USER: UserId = samples::OWNER;
    const PROJECT: Of = Of::Project(ProjectId::from_u128(1));
    const GROUP: Of = Of::Group(GroupId::from_u128(2));

    #[test]
    fn each_change_of_a_membership_writes_its_row() {
        let row = |of, change| write(of, change, None, samples::NOW);
        let insert = MemberWrite::Insert { user: USER, role: Role::Viewer };
        assert!(matches!(row(PROJECT, insert), Some(Write::PutProjectMember(m)) if m.role == Role::Viewer));
        let update = MemberWrite::Update { user: USER, from: Role::Viewer, role: Role::Admin };
        assert!(matches!(row(GROUP, update), Some(Write::PutGroupMember(m)) if m.role == Role::Admin));
        let delete = MemberWrite::Delete { user: USER, from: Role::Viewer };
        assert_eq!(row(GROUP, delete), Some(Write::RemoveGroupMember(GroupId::from_u128(2), USER)));
        assert_eq!(row(PROJECT, delete), Some(Write::RemoveProjectMember(ProjectId::from_u128(1), USER)));
        assert_eq!(row(PROJECT, MemberWrite::Unchanged), None);
    }

    #[test]
    fn a_preview_and_a_confirmation_exclude_each_other() {
        let token = || Some("0".repeat(64));
        assert_eq!(Step::of(Some(true), None), Ok(Step::Preview));
        assert_eq!(Step::of(None, token()), Ok(Step::Apply(token())));
        assert_eq!(Step::of(Some(false), None), Ok(Step::Apply(None)));
        assert_eq!(Step::of(Some(true), token()).map_err(|refusal| refusal.code), Err(Code::InvalidArguments));
    }

    #[test]
    fn refusals_have_the_code_that_clients_match_on() {
        for (refusal, code) in [
            (MemberRefusal::NotInCompany, Code::NotFound),
            (MemberRefusal::AlreadyMember, Code::AlreadyMember),
            (MemberRefusal::NotAMember, Code::NotFound),
            (MemberRefusal::AutomaticAdmin, Code::LastAdmin),
            (MemberRefusal::LastAdmin, Code::LastAdmin),
        ] {
            assert_eq!(member_refused(GROUP, refusal).code, code);
        }
        let project = ProjectId::from_u128(1);
        assert_eq!(change_refused(ChangeRefusal::NoAdminLeft { project }).code, Code::LastAdmin);
        assert_eq!(change_refused(ChangeRefusal::PublicInPrivateGroup).code, Code::InvalidState);
        assert_eq!(unconfirmed(true).code, Code::StaleConfirmation);
        assert_ne!(unconfirmed(true).text, unconfirmed(false).text);
    }

    #[test]
    fn what_is_hidden_is_refused_as_what_does_not_exist() {
        assert_eq!(group_denied(Denied::Hidden), Refusal::not_found(Kind::Group));
        assert_eq!(move_denied(Denied::Hidden), Refusal::not_found(Kind::Group));
        assert_eq!(project_denied(Denied::Hidden), Refusal::not_found(Kind::Project));
    }
}
