//! Projects, groups and who belongs to them.

use chorus_ids::{CompanyId, GroupId, ProjectId, Timestamp, UserId};
use chorus_visibility::{CreationRefusal, Denied, GroupAccess, Role, Visibility, new_project};

use crate::{Caller, Code, Kind, Party, Refusal, text};

/// A project: ideas, proposals, documents and tasks live in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// Its tenant.
    pub company: CompanyId,
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// The group it is in.
    pub group: Option<GroupId>,
    /// Who sees it.
    pub visibility: Visibility,
    /// Who made it; this alone grants nothing.
    pub created_by: Option<Party>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// A group of projects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its id.
    pub id: GroupId,
    /// Its tenant.
    pub company: CompanyId,
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// Who sees it.
    pub visibility: Visibility,
    /// Who made it.
    pub created_by: Option<Party>,
    /// Raised by every change that concerns access.
    pub access_version: i32,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// A user's role in one project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProjectMember {
    /// The project.
    pub project: ProjectId,
    /// The user.
    pub user: UserId,
    /// The role.
    pub role: Role,
    /// Who added them.
    pub added_by: Option<Party>,
    /// When.
    pub created_at: Timestamp,
}

/// A user's explicit role in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// The group.
    pub group: GroupId,
    /// The user.
    pub user: UserId,
    /// The role.
    pub role: Role,
    /// Who added them.
    pub added_by: Option<Party>,
    /// When.
    pub created_at: Timestamp,
}

/// A project as asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectForm {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// Who sees it; if nothing is said, as its group, else everybody.
    pub visibility: Option<Visibility>,
}

/// A new project with its first administrator (visibility specification §6.1). `group` is where it shall be, as the
/// caller stands to it.
///
/// # Errors
/// Texts that can't be stored; a group that the caller does not see or may not create projects in; a visibility that
/// the group or an ownerless caller can't have.
pub fn create(
    form: ProjectForm,
    caller: &Caller,
    group: Option<&GroupAccess>,
    id: ProjectId,
    now: Timestamp,
) -> Result<(Project, Option<ProjectMember>), Refusal> {
    let description = form.description.as_deref().unwrap_or_default();
    let problems: Vec<_> =
        [text::check("name", &form.name, text::Use::Title), text::check("description", description, text::Use::Body)]
            .into_iter()
            .filter_map(Result::err)
            .collect();
    if !problems.is_empty() {
        return Err(Refusal::problems(problems));
    }
    let start = new_project(&caller.principal, group, form.visibility).map_err(refused)?;
    let by = caller.subject.party();
    let project = Project {
        id,
        company: caller.company,
        name: form.name,
        description: text::present(form.description),
        group: group.map(|group| group.id),
        visibility: start.visibility,
        created_by: by,
        created_at: now,
        updated_at: now,
    };
    let admin = |user| ProjectMember { project: id, user, role: Role::Admin, added_by: by, created_at: now };
    Ok((project, start.admin.map(admin)))
}

fn refused(refusal: CreationRefusal) -> Refusal {
    match refusal {
        CreationRefusal::Group(Denied::Hidden) => Refusal::not_found(Kind::Group),
        CreationRefusal::Group(Denied::Forbidden) => Refusal::new(
            Code::Forbidden,
            "You see this project group, but your role in it does not allow creating projects. Ask one of its \
             administrators to make you an editor, or create the project outside the group.",
        ),
        CreationRefusal::PublicInPrivateGroup => Refusal::invalid(
            "visibility",
            "can't be `public` in a private group, which holds private projects only; leave it out",
        ),
        CreationRefusal::PrivateWithoutPrincipal => Refusal::invalid(
            "visibility",
            "would be `private`, but an agent without an owner can create public projects only: nobody could see \
             the project. Make it `public`, or have the agent given an owner",
        ),
    }
}

#[cfg(test)]
mod tests {
    use chorus_visibility::{ChildAccess, GroupFacts, Principal, group_access};

    use super::*;
    use crate::{Subject, task::samples};

    fn caller(user: Option<UserId>) -> Caller {
        Caller {
            owner: user,
            principal: Principal { company: samples::COMPANY, user, first_user: None },
            ..samples::caller(Subject::Agent(samples::ME))
        }
    }

    fn made(
        user: Option<UserId>,
        group: Option<(Visibility, Option<Role>)>,
        visibility: Option<Visibility>,
    ) -> Result<(Visibility, Option<UserId>), Code> {
        let caller = caller(user);
        let facts = |(visibility, role)| GroupFacts { id: GroupId::from_u128(1), visibility, role, has_admin: true };
        let group = group.map(facts);
        let access = group.map(|facts| group_access(&caller.principal, caller.company, &facts, ChildAccess::None));
        let form = ProjectForm { name: "Compiler".into(), visibility, ..ProjectForm::default() };
        create(form, &caller, access.as_ref(), ProjectId::from_u128(1), samples::NOW)
            .map(|(project, admin)| {
                assert_eq!(project.group, group.map(|facts| facts.id));
                (project.visibility, admin.map(|member| member.user))
            })
            .map_err(|refusal| refusal.code)
    }

    const OWNER: Option<UserId> = Some(samples::OWNER);
    use Visibility::{Private, Public};

    #[test]
    fn the_owner_becomes_administrator_and_public_is_the_default() {
        assert_eq!(made(OWNER, None, None), Ok((Public, OWNER)));
        assert_eq!(made(OWNER, None, Some(Private)), Ok((Private, OWNER)));
        assert_eq!(made(None, None, None), Ok((Public, None)));
        assert_eq!(made(OWNER, Some((Public, None)), None), Ok((Public, OWNER)));
        assert_eq!(made(OWNER, Some((Private, Some(Role::Editor))), None), Ok((Private, OWNER)));
    }

    #[test]
    fn what_group_and_owner_do_not_allow_is_refused() {
        assert_eq!(made(OWNER, Some((Private, None)), None), Err(Code::NotFound));
        assert_eq!(made(OWNER, Some((Private, Some(Role::Viewer))), None), Err(Code::Forbidden));
        assert_eq!(made(OWNER, Some((Private, Some(Role::Editor))), Some(Public)), Err(Code::InvalidArguments));
        assert_eq!(made(None, None, Some(Private)), Err(Code::InvalidArguments));
    }

    #[test]
    fn a_name_is_needed_and_a_blank_description_is_none() {
        let form = |name: &str| ProjectForm { name: name.into(), description: Some(" ".into()), visibility: None };
        let make = |name: &str| create(form(name), &caller(OWNER), None, ProjectId::from_u128(1), samples::NOW);
        assert_eq!(make(" ").map_err(|refusal| refusal.code), Err(Code::InvalidArguments));
        assert_eq!(make("Compiler").map(|(project, _)| project.description), Ok(None));
    }
}
