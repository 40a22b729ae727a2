//! Decisions about groups of projects, and about the names of groups and projects.

use chorus_ids::{GroupId, Timestamp};
use chorus_visibility::{CreationRefusal, Role, Visibility, new_group};

use crate::{
    Caller, Refusal,
    project::{Group, GroupMember, Project},
    text,
};

/// A group as asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupForm {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// Who sees it; if nothing is said, everybody.
    pub visibility: Option<Visibility>,
}

/// A new group with its first administrator (visibility specification §6.1).
///
/// # Errors
/// Texts that can't be stored; a private group of a caller without owner.
pub fn create(
    form: GroupForm,
    caller: &Caller,
    id: GroupId,
    now: Timestamp,
) -> Result<(Group, Option<GroupMember>), Refusal> {
    let settings = Settings { name: Some(form.name), description: form.description };
    settings.check()?;
    let start = new_group(&caller.principal, form.visibility).map_err(refused)?;
    let by = caller.subject.party();
    let group = Group {
        id,
        company: caller.company,
        name: settings.name.unwrap_or_default(),
        description: text::present(settings.description).unwrap_or_default(),
        visibility: start.visibility,
        created_by: by,
        access_version: i32::try_from(start.access_version).unwrap_or_default(),
        created_at: now,
        updated_at: now,
    };
    let admin = |user| GroupMember { group: id, user, role: Role::Admin, added_by: by, created_at: now };
    Ok((group, start.admin.map(admin)))
}

fn refused(refusal: CreationRefusal) -> Refusal {
    match refusal {
        CreationRefusal::PrivateWithoutPrincipal
        | CreationRefusal::PublicInPrivateGroup
        | CreationRefusal::Group(_) => Refusal::invalid(
            "visibility",
            "would be `private`, but an agent without an owner can create public groups only: nobody could see the \
             group",
        ),
    }
}

/// New texts of a group or project; what is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Another name.
    pub name: Option<String>,
    /// Another description; a blank one takes it away.
    pub description: Option<String>,
}

impl Settings {
    /// Whether nothing is to be changed.
    pub const fn is_empty(&self) -> bool {
        self.name.is_none() && self.description.is_none()
    }

    /// The names of the fields that are to be changed.
    pub fn fields(&self) -> Vec<&'static str> {
        let named = [("name", self.name.is_some()), ("description", self.description.is_some())];
        named.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    /// Whether the texts can be stored.
    ///
    /// # Errors
    /// `invalid_arguments` with every problem.
    pub fn check(&self) -> Result<(), Refusal> {
        let name = self.name.as_deref().map(|name| text::check("name", name, text::Use::Title));
        let description = self.description.as_deref().map(|body| text::check("description", body, text::Use::Body));
        Refusal::unless_fine([name, description].into_iter().flatten().filter_map(Result::err).collect())
    }

    /// The group with these texts.
    pub fn of_group(self, group: &Group, now: Timestamp) -> Group {
        let name = self.name.unwrap_or_else(|| group.name.clone());
        let description = match self.description {
            Some(description) => text::present(Some(description)).unwrap_or_default(),
            None => group.description.clone(),
        };
        Group { name, description, updated_at: now, ..group.clone() }
    }

    /// The project with these texts.
    pub fn of_project(self, project: &Project, now: Timestamp) -> Project {
        let name = self.name.unwrap_or_else(|| project.name.clone());
        let description = match self.description {
            Some(description) => text::present(Some(description)),
            None => project.description.clone(),
        };
        Project { name, description, updated_at: now, ..project.clone() }
    }
}

#[cfg(test)]
mod tests {
    use chorus_ids::UserId;
    use chorus_visibility::Principal;

    use super::*;
    use crate::{Code, Subject, task::samples};

    fn caller(user: Option<UserId>) -> Caller {
        Caller {
            owner: user,
            principal: Principal { company: samples::COMPANY, user, first_user: None },
            ..samples::caller(Subject::Agent(samples::ME))
        }
    }

    fn made(user: Option<UserId>, visibility: Option<Visibility>) -> Result<(Group, Option<GroupMember>), Code> {
        let form = GroupForm { name: "Compilers".into(), description: Some(" ".into()), visibility };
        create(form, &caller(user), GroupId::from_u128(1), samples::NOW).map_err(|refusal| refusal.code)
    }

    #[test]
    fn the_owner_becomes_administrator_and_public_is_the_default() {
        let (group, admin) = made(Some(samples::OWNER), None).unwrap_or_else(|code| unreachable!("{code}"));
        assert_eq!((group.visibility, group.access_version, group.description.as_str()), (Visibility::Public, 1, ""));
        assert_eq!(admin.map(|admin| (admin.user, admin.role)), Some((samples::OWNER, Role::Admin)));
        let nobody = made(None, None).map(|(group, admin)| (group.access_version, admin));
        assert_eq!(nobody, Ok((0, None)));
        assert_eq!(made(None, Some(Visibility::Private)).map(|_| ()), Err(Code::InvalidArguments));
    }

    #[test]
    fn a_text_that_is_not_named_stays() {
        let (group, _) = made(Some(samples::OWNER), None).unwrap_or_else(|code| unreachable!("{code}"));
        let described = Settings { description: Some("Why".into()), ..Settings::default() };
        assert_eq!(described.fields(), ["description"]);
        let group = described.of_group(&group, samples::NOW);
        assert_eq!((group.name.as_str(), group.description.as_str()), ("Compilers", "Why"));
        let renamed = Settings { name: Some("Linkers".into()), ..Settings::default() }.of_group(&group, samples::NOW);
        assert_eq!((renamed.name.as_str(), renamed.description.as_str()), ("Linkers", "Why"));
        let blank = Settings { description: Some(" ".into()), ..Settings::default() }.of_group(&group, samples::NOW);
        assert_eq!(blank.description, "");
    }

    #[test]
    fn all_texts_are_checked_at_once() {
        let wrong = Settings { name: Some(" ".into()), description: Some("\0".into()) };
        let details = wrong.check().err().and_then(|refusal| refusal.details);
        let count = details.as_ref().and_then(|details| details.get("problems")?.as_array().map(Vec::len));
        assert_eq!(count, Some(2));
        assert_eq!(Settings::default().check(), Ok(()));
    }
}
