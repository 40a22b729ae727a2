//! Changes of identities from what a person typed.

use chorus_domain::{
    Refusal,
    identity::Agent,
    text::{Use, check, present},
};
use chorus_ids::UserId;

use crate::create::{bits, none_of, presets, titled};

/// What is to be different about an agent; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentChange {
    /// What it is called.
    pub name: Option<String>,
    /// Whose access it has: `Some(None)` makes it ownerless.
    pub owner: Option<Option<UserId>>,
    /// Full names of all presets it has from now on.
    pub presets: Option<Vec<String>>,
    /// Names of all single permissions it has from now on.
    pub permissions: Option<Vec<String>>,
    /// How it should see itself; a blank text removes that.
    pub persona: Option<String>,
}

/// The agent as it is after the change, which counts from its next request on (permissions specification §3).
///
/// # Errors
/// `invalid_arguments` as for a new agent; all problems are listed.
pub fn update_agent(agent: Agent, change: AgentChange) -> Result<Agent, Refusal> {
    let mut problems = Vec::new();
    let name = change.name.map(|name| titled("name", &name, &mut problems));
    let roles = change.presets.map(|names| presets(&names, &mut problems));
    let permissions = change.permissions.map(|names| bits(&names, &mut problems));
    if let Some(Err(problem)) = change.persona.as_deref().map(|text| check("persona", text, Use::Body)) {
        problems.push(problem);
    }
    none_of(problems)?;
    Ok(Agent {
        name: name.unwrap_or(agent.name),
        owner: change.owner.unwrap_or(agent.owner),
        roles: roles.unwrap_or(agent.roles),
        permissions: permissions.unwrap_or(agent.permissions),
        persona: match change.persona {
            None => agent.persona,
            Some(text) => present(Some(text)).map(|text| text.trim().to_owned()),
        },
        ..agent
    })
}

#[cfg(test)]
mod tests {
    use chorus_ids::{AgentId, CompanyId, Timestamp};

    use super::*;

    fn agent() -> Agent {
        Agent {
            id: AgentId::from_u128(1),
            company: CompanyId::from_u128(2),
            name: "Ada".into(),
            roles: vec!["pm_agent".into()],
            permissions: vec!["task:admin".into()],
            persona: Some("Careful".into()),
            system_prompt: Some("Kept".into()),
            owner: Some(UserId::from_u128(3)),
            last_active_at: Some(Timestamp::from_micros(4)),
            created_at: Timestamp::from_micros(5),
        }
    }

    #[test]
    fn what_is_not_named_stays() {
        assert_eq!(update_agent(agent(), AgentChange::default()), Ok(agent()));
        let renamed = update_agent(agent(), AgentChange { name: Some(" Bo ".into()), ..AgentChange::default() });
        assert_eq!(renamed, Ok(Agent { name: "Bo".into(), ..agent() }));
    }

    #[test]
    fn lists_are_replaced_and_texts_removed() {
        let change = AgentChange {
            owner: Some(None),
            presets: Some(Vec::new()),
            permissions: Some(vec!["task:write".into(), "idea:read".into(), "task:write".into()]),
            persona: Some(" ".into()),
            ..AgentChange::default()
        };
        let expected = Agent {
            owner: None,
            roles: Vec::new(),
            permissions: vec!["idea:read".into(), "task:write".into()],
            persona: None,
            ..agent()
        };
        assert_eq!(update_agent(agent(), change), Ok(expected));
    }

    #[test]
    fn every_problem_is_named() {
        let change = AgentChange {
            name: Some(" ".into()),
            presets: Some(vec!["pm".into()]),
            permissions: Some(vec!["task:*".into()]),
            persona: Some("a\0".into()),
            ..AgentChange::default()
        };
        let details = update_agent(agent(), change).err().and_then(|refusal| refusal.details).unwrap_or_default();
        let problems = details.get("problems").and_then(|list| list.as_array()).cloned().unwrap_or_default();
        let fields: Vec<_> = problems.iter().filter_map(|problem| problem.get("field")?.as_str()).collect();
        assert_eq!(fields, ["name", "preset", "permission", "persona"]);
    }
}
