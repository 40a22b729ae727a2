//! Rows of identity from what a person typed: read strictly, so that nothing is stored that means nothing.

use chorus_app::Ids;
use chorus_domain::{
    Refusal,
    identity::{Agent, ApiKey, Company, User},
    refusal::Problem,
    text::{Use, check},
};
use chorus_ids::{CompanyId, Id, Timestamp, UserId};
use chorus_permissions::validate;

use crate::{NewKey, check_email, key::is_prefix};

/// When rows are made and where their ids come from.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// The time of creation.
    pub now: Timestamp,
    /// New ids.
    pub ids: &'a dyn Ids,
}

impl Moment<'_> {
    fn id<T: Id>(&self) -> T {
        T::from_uuid(self.ids.uuid(self.now))
    }
}

/// What is known of a person who is to be added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewUser {
    /// Their address, unique in the company without regard to case.
    pub email: String,
    /// What they are called.
    pub name: String,
    /// Their password as [`hash_password`](crate::hash_password) gives it.
    pub password_hash: Option<String>,
}

/// What is known of an agent that is to be added. Without presets and permissions it has the public tools only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewAgent {
    /// What it is called.
    pub name: String,
    /// Whose access it has.
    pub owner: Option<UserId>,
    /// Full names of presets.
    pub presets: Vec<String>,
    /// Names of single permissions.
    pub permissions: Vec<String>,
}

/// A new tenant.
///
/// # Errors
/// `invalid_arguments` for a name that is blank or too long.
pub fn create_company(moment: Moment<'_>, name: &str) -> Result<Company, Refusal> {
    let mut problems = Vec::new();
    let name = titled("name", name, &mut problems);
    none_of(problems)?;
    Ok(Company { id: moment.id(), name, created_at: moment.now })
}

/// A new person.
///
/// # Errors
/// `invalid_arguments` for a name that is blank or too long, or an address that is none; all problems are listed.
pub fn create_user(moment: Moment<'_>, company: CompanyId, user: NewUser) -> Result<User, Refusal> {
    let mut problems = Vec::new();
    let email = check_email("email", &user.email).map_err(|problem| problems.push(problem)).ok();
    let name = titled("name", &user.name, &mut problems);
    none_of(problems)?;
    Ok(User {
        id: moment.id(),
        company,
        email,
        name: Some(name),
        password_hash: user.password_hash,
        suspended_at: None,
        created_at: moment.now,
    })
}

/// A new agent. Presets and permissions are stored as names (permissions specification §3.1).
///
/// # Errors
/// `invalid_arguments` for a name that is blank or too long, a preset that is not one of the three full names, or a
/// permission that is not one of the fifteen; the offending text is named.
pub fn create_agent(moment: Moment<'_>, company: CompanyId, agent: NewAgent) -> Result<Agent, Refusal> {
    let mut problems = Vec::new();
    let name = titled("name", &agent.name, &mut problems);
    let roles = presets(&agent.presets, &mut problems);
    let permissions = bits(&agent.permissions, &mut problems);
    none_of(problems)?;
    Ok(Agent {
        id: moment.id(),
        company,
        name,
        roles,
        permissions,
        persona: None,
        system_prompt: None,
        owner: agent.owner,
        last_active_at: None,
        created_at: moment.now,
    })
}

/// The row of a new key of this agent. The key itself is not in it.
///
/// # Errors
/// `invalid_arguments` for a name that is blank or too long.
pub fn create_key(
    moment: Moment<'_>,
    agent: &Agent,
    key: &NewKey,
    name: Option<&str>,
    expires_at: Option<Timestamp>,
) -> Result<ApiKey, Refusal> {
    create_key_row(moment, agent, KeyText { hash: key.hash(), prefix: key.prefix() }, name, expires_at)
}

/// What is stored and shown of a key, for whoever must not hold the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyText {
    /// As [`NewKey::hash`] gives it.
    pub hash: String,
    /// As [`NewKey::prefix`] gives it.
    pub prefix: String,
}

/// The same as [`create_key`], where the key was made elsewhere.
///
/// # Errors
/// As [`create_key`]; `invalid_arguments` for a hash that is not 64 lower-case hexadecimal digits, or a prefix that can't be
/// one.
pub fn create_key_row(
    moment: Moment<'_>,
    agent: &Agent,
    key: KeyText,
    name: Option<&str>,
    expires_at: Option<Timestamp>,
) -> Result<ApiKey, Refusal> {
    let mut problems = Vec::new();
    let name = name.map(|name| titled("name", name, &mut problems));
    let hexadecimal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if key.hash.len() != 64 || !key.hash.bytes().all(hexadecimal) {
        problems.push(Problem::new("hash", "must be 64 lower-case hexadecimal digits"));
    }
    if !is_prefix(&key.prefix) {
        problems.push(Problem::new("prefix", "must be the beginning and the end of a key"));
    }
    none_of(problems)?;
    Ok(ApiKey {
        id: moment.id(),
        company: agent.company,
        agent: agent.id,
        hash: key.hash,
        prefix: key.prefix,
        name,
        last_used: None,
        expires_at,
        revoked_at: None,
        created_at: moment.now,
    })
}

/// Full names of presets, each once.
pub(crate) fn presets(names: &[String], problems: &mut Vec<Problem>) -> Vec<String> {
    let nothing: [&str; 0] = [];
    let found = validate(names, &nothing).map(|(presets, _)| presets);
    let found = found.map_err(|error| problems.push(Problem::new("preset", error)));
    found.into_iter().flatten().map(|preset| preset.name().to_owned()).collect()
}

/// Names of permissions, each once, in canonical order.
pub(crate) fn bits(names: &[String], problems: &mut Vec<Problem>) -> Vec<String> {
    let nothing: [&str; 0] = [];
    let found = validate(&nothing, names).map(|(_, bits)| bits);
    let found = found.map_err(|error| problems.push(Problem::new("permission", error)));
    found.unwrap_or_default().iter().map(|bit| bit.to_string()).collect()
}

/// The text without blanks around it, checked as a title.
pub(crate) fn titled(field: &str, text: &str, problems: &mut Vec<Problem>) -> String {
    if let Err(problem) = check(field, text, Use::Title) {
        problems.push(problem);
    }
    text.trim().to_owned()
}

pub(crate) fn none_of(problems: Vec<Problem>) -> Result<(), Refusal> {
    if problems.is_empty() { Ok(()) } else { Err(Refusal::problems(problems)) }
}

#[cfg(test)]
mod tests {
    use chorus_app::RandomIds;
    use chorus_permissions::{Preset, effective};

    use super::*;

    const MOMENT: Moment<'static> = Moment { now: Timestamp::from_micros(1_800_000_000_000_000), ids: &RandomIds };

    fn company() -> CompanyId {
        CompanyId::from_u128(7)
    }

    fn agent(presets: &[&str], permissions: &[&str]) -> Result<Agent, String> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let new =
            NewAgent { name: " Ada ".into(), owner: None, presets: owned(presets), permissions: owned(permissions) };
        create_agent(MOMENT, company(), new).map_err(|refusal| refusal.text)
    }

    #[test]
    fn an_agent_keeps_the_names_it_was_given_and_means_what_they_say() {
        let made = agent(&["pm_agent", "pm_agent"], &["task:admin", "idea:read", "task:admin"]);
        let names = made.as_ref().map(|agent| (agent.roles.clone(), agent.permissions.clone(), agent.name.as_str()));
        let expected = (vec!["pm_agent".to_owned()], vec!["idea:read".to_owned(), "task:admin".to_owned()], "Ada");
        assert_eq!(names, Ok(expected));
        let set = made.map(|agent| {
            effective(agent.roles.iter().map(String::as_str), agent.permissions.iter().map(String::as_str))
        });
        let expected = Preset::Pm.permissions().with(chorus_permissions::TASK_ADMIN);
        assert_eq!(set, Ok(expected));
    }

    #[test]
    fn an_agent_without_preset_and_permission_is_valid() {
        assert_eq!(agent(&[], &[]).map(|agent| (agent.roles, agent.permissions)), Ok((vec![], vec![])));
    }

    #[test]
    fn what_is_no_full_name_is_refused_by_name() {
        for (presets, permissions, named) in [
            (&["pm"][..], &[][..], "`pm`"),
            (&["Admin_agent"], &[], "`Admin_agent`"),
            (&[], &["task:*"], "`task:*`"),
            (&[], &["Task:Write"], "`Task:Write`"),
        ] {
            assert!(agent(presets, permissions).is_err_and(|text| text.contains(named)), "{named}");
        }
    }

    #[test]
    fn all_problems_of_a_user_are_listed() {
        let new = NewUser { email: "nobody".into(), name: " ".into(), password_hash: None };
        let details = create_user(MOMENT, company(), new).err().and_then(|refusal| refusal.details);
        let fields = details.map(|details| {
            let problems = details.get("problems").and_then(|list| list.as_array()).cloned().unwrap_or_default();
            problems.into_iter().filter_map(|p| p.get("field")?.as_str().map(str::to_owned)).collect::<Vec<_>>()
        });
        assert_eq!(fields, Some(vec!["email".to_owned(), "name".to_owned()]));
    }

    #[test]
    fn a_key_row_holds_hash_and_prefix_only() {
        let key = NewKey::generate(&mut rand::rng());
        let made = agent(&[], &[])
            .and_then(|agent| create_key(MOMENT, &agent, &key, Some("laptop"), None).map_err(|refusal| refusal.text));
        let shown = format!("{made:?}");
        assert!(shown.contains(&key.hash()) && shown.contains(&key.prefix()) && !shown.contains(key.reveal()));
    }

    #[test]
    fn a_key_made_elsewhere_has_the_form_of_one() {
        let key = NewKey::generate(&mut rand::rng());
        let made = |hash: String, prefix: &str| {
            let text = KeyText { hash, prefix: prefix.to_owned() };
            agent(&[], &[]).map(|agent| create_key_row(MOMENT, &agent, text, None, None).is_ok())
        };
        assert_eq!(made(key.hash(), &key.prefix()), Ok(true));
        assert_eq!(made(key.hash().to_uppercase(), &key.prefix()), Ok(false));
        for prefix in [key.reveal(), "cho_abcd", "cho_abc...wxyz", "abcd...wxyz", "cho_<b>d...wxyz"] {
            assert_eq!(made(key.hash(), prefix), Ok(false), "{prefix}");
        }
    }

    #[test]
    fn names_are_titles() {
        assert!(create_company(MOMENT, " \t").is_err());
        assert!(create_company(MOMENT, &"x".repeat(501)).is_err());
        assert_eq!(create_company(MOMENT, " 工作室 ").map(|company| company.name), Ok("工作室".to_owned()));
    }
}
