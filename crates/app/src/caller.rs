//! From stored facts to a caller.

use chorus_domain::{Caller, Code, Kind, Refusal, Subject, Via, identity::User};
use chorus_ids::UserId;
use chorus_permissions::{PermissionSet, effective};
use chorus_store::{Credential, Error, Reads, Result};
use chorus_visibility::Principal;

/// The caller that a credential stands for. Permissions are computed anew each time (permissions specification §3).
pub fn of_credential(credential: &Credential, via: Via) -> Caller {
    let agent = &credential.agent;
    Caller {
        subject: Subject::Agent(agent.id),
        via,
        company: agent.company,
        name: agent.name.clone(),
        owner: agent.owner,
        principal: Principal { company: agent.company, user: agent.owner, first_user: credential.first_user },
        permissions: effective(agent.roles.iter().map(String::as_str), agent.permissions.iter().map(String::as_str)),
    }
}

/// The caller that a person is. People need no bits: what they may do follows from their levels (permissions
/// specification §5).
pub fn of_user(user: &User, first_user: Option<UserId>, via: Via) -> Caller {
    Caller {
        subject: Subject::User(user.id),
        via,
        company: user.company,
        name: user.display_name().to_owned(),
        owner: Some(user.id),
        principal: Principal { company: user.company, user: Some(user.id), first_user },
        permissions: PermissionSet::ALL,
    }
}

/// The same caller as it is stored now: before a unit runs again, and before a call that waited runs at last.
///
/// # Errors
/// `Refused` when the caller is gone, or it or its owner suspended.
pub async fn reload(reads: &mut dyn Reads, caller: &Caller) -> Result<Caller> {
    match caller.subject {
        Subject::Agent(agent) => {
            let credential = reads.directory().agent_credential(agent).await?;
            let credential = credential.ok_or_else(|| Error::from(Refusal::not_found(Kind::Agent)))?;
            if credential.owner_suspended.is_some() {
                let text = "The owner of this agent was suspended meanwhile; nothing was done. Ask whoever runs the server \
                            to let them in again.";
                return Err(Refusal::new(Code::Forbidden, text).into());
            }
            Ok(of_credential(&credential, caller.via))
        }
        // People's roles are read with every statement; nothing of them is kept in the caller.
        Subject::User(user) => {
            let found = reads.directory().user(user).await?;
            let found = found.ok_or_else(|| Error::from(Refusal::not_found(Kind::User)))?;
            if found.suspended_at.is_some() {
                let text = "Your account was suspended meanwhile; nothing was done. Ask whoever runs the server to let you \
                            in again.";
                return Err(Refusal::new(Code::Forbidden, text).into());
            }
            Ok(caller.clone())
        }
        Subject::Operator => Ok(caller.clone()),
    }
}
