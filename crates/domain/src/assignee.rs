//! Whom work may be given to (lifecycle specification §1.4).

use chorus_permissions::{Permission, PermissionSet};
use chorus_visibility::Level;
use serde_json::json;

use crate::{Code, Kind, Party, Refusal};

/// Somebody whom work is to be given to, as they stand to its project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Their level in the project; an agent has its owner's.
    pub level: Level,
    /// What an agent may do. People may do everything that their level allows.
    pub permissions: Option<PermissionSet>,
}

/// Passes if `to` can do the work that needs this permission. `candidate` is nobody if the company has no such user or
/// agent.
///
/// # Errors
/// `not_found` for nobody; `assignee_no_access` for an agent without the permission and for whoever can't edit the
/// project.
pub fn require(to: Party, candidate: Option<Candidate>, needed: Permission) -> Result<(), Refusal> {
    let Some(Candidate { level, permissions }) = candidate else { return Err(unknown(to)) };
    let refuse = |reason: &str, text: String| {
        let assignee = json!({ "type": to.kind(), "uuid": to.uuid() });
        Err(Refusal::new(Code::AssigneeNoAccess, text).with(json!({ "assignee": assignee, "reason": reason })))
    };
    if permissions.is_some_and(|permissions| !permissions.contains(needed)) {
        let text = format!(
            "This agent lacks the permission `{needed}`, so it could not do the work. Choose another agent, or have its \
             owner grant it that."
        );
        return refuse("permission", text);
    }
    if level < Level::Editor {
        let who = match to {
            Party::User(_) => "This person can't edit the project",
            Party::Agent(_) => "This agent can't edit the project, since its owner can't",
        };
        let text = format!(
            "{who}. Choose somebody who can, or ask an administrator of the project to make the person an editor."
        );
        return refuse("project_access", text);
    }
    Ok(())
}

fn unknown(to: Party) -> Refusal {
    let kind = match to {
        Party::User(_) => Kind::User,
        Party::Agent(_) => Kind::Agent,
    };
    Refusal::not_found(kind)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use chorus_ids::{AgentId, UserId};
    use chorus_permissions::{TASK_ADMIN, TASK_WRITE};

    use super::*;

    const AGENT: Party = Party::Agent(AgentId::from_u128(1));
    const USER: Party = Party::User(UserId::from_u128(2));

    fn reason(to: Party, level: Level, permissions: Option<PermissionSet>) -> Option<String> {
        let refused = require(to, Some(Candidate { level, permissions }), TASK_WRITE).err()?;
        assert_eq!(refused.code, Code::AssigneeNoAccess);
        let details = refused.details.unwrap();
        assert_eq!(details.pointer("/assignee/uuid"), Some(&json!(to.uuid())));
        Some(details.get("reason").unwrap().as_str().unwrap().to_owned())
    }

    #[test]
    fn an_agent_needs_the_permission_and_everybody_has_to_be_an_editor() {
        let able = Some(PermissionSet::EMPTY.with(TASK_WRITE));
        let unable = Some(PermissionSet::EMPTY.with(TASK_ADMIN));
        for (level, editor) in
            [(Level::None, false), (Level::Viewer, false), (Level::Editor, true), (Level::Admin, true)]
        {
            let expected = (!editor).then(|| "project_access".to_owned());
            assert_eq!(reason(AGENT, level, able), expected, "{level:?}");
            assert_eq!(reason(USER, level, None), expected, "{level:?}");
            assert_eq!(reason(AGENT, level, unable).as_deref(), Some("permission"), "{level:?}");
        }
    }

    #[test]
    fn nobody_is_not_found() {
        for (to, noun) in [(AGENT, "Agent not found"), (USER, "User not found")] {
            let refused = require(to, None, TASK_WRITE).unwrap_err();
            assert_eq!((refused.code, refused.details), (Code::NotFound, None));
            assert!(refused.text.starts_with(noun), "{}", refused.text);
        }
    }
}
