//! From stored facts to a caller.

use chorus_domain::{Caller, Code, Kind, Refusal, Subject, Via};
use chorus_permissions::effective;
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

/// The same caller as it is stored now: before a unit runs again, and before a call that waited runs at last.
///
/// # Errors
/// `Refused` when the caller is gone, or its owner suspended.
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
        Subject::User(_) | Subject::Operator => Ok(caller.clone()),
    }
}
