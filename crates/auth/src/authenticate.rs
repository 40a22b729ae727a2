//! From a header to a caller.

use std::sync::Arc;

use chorus_app::{Services, caller, unit};
use chorus_domain::{Caller, Via, identity::ApiKey};
use chorus_ids::{KeyId, Timestamp};
use chorus_permissions::PermissionSet;
use chorus_store::Credential;

use crate::{AuthError, presented_hash, usage::Usage};

/// What becomes of an agent without any permission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unscoped {
    /// It has the public tools (README decision 22).
    #[default]
    Admitted,
    /// It is not let in.
    Refused,
}

/// What a key that was let in is checked again with, as long as something stays open for it. The key itself is not in it.
#[derive(Clone)]
pub struct Ticket {
    /// The key.
    pub key: KeyId,
    hash: String,
}

/// Finds out who sends a request.
#[derive(Clone)]
pub struct Authenticator {
    services: Services,
    usage: Arc<Usage<KeyId>>,
    unscoped: Unscoped,
}

impl Authenticator {
    /// For requests to a server with these services.
    pub fn new(services: Services, unscoped: Unscoped) -> Self {
        Self { services, usage: Arc::new(Usage::default()), unscoped }
    }

    /// The caller that the lines of a request's `Authorization` header stand for, and what it is checked again with.
    ///
    /// Agent, owner and permissions are loaded with the key in one statement and kept nowhere: what an administrator
    /// changes counts from the next request on (permissions specification §3). The use of the key is noted behind the
    /// request's back, and no failure of that reaches it (§8).
    ///
    /// # Errors
    /// [`AuthError`] if there is no valid key, or nobody to ask.
    pub async fn authenticate<'a>(
        &self,
        authorization: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<(Caller, Ticket), AuthError> {
        let hash = presented_hash(authorization)?;
        let credential = self.credential(&hash).await?;
        let now = self.services.clock.now();
        let (caller, key) = judge(credential.as_ref(), self.unscoped, now)?;
        self.usage.note_key(&self.services.store, key, now);
        let key = key.id;
        Ok((caller, Ticket { key, hash }))
    }

    /// The caller that a key stands for now, some time after it was let in. Counts as no use of the key.
    ///
    /// # Errors
    /// [`AuthError`] as if the key were presented again.
    pub async fn check_again(&self, ticket: &Ticket) -> Result<Caller, AuthError> {
        let credential = self.credential(&ticket.hash).await?;
        judge(credential.as_ref(), self.unscoped, self.services.clock.now()).map(|(caller, _)| caller)
    }

    async fn credential(&self, hash: &str) -> Result<Option<Credential>, AuthError> {
        let store = &self.services.store;
        unit::read(|_run| async { store.read().await?.directory().credential(hash).await })
            .await
            .map_err(AuthError::Unavailable)
    }
}

/// Whether what the store knows of a presented key makes it valid now. A key that expires at this very moment still is.
fn judge(credential: Option<&Credential>, unscoped: Unscoped, now: Timestamp) -> Result<(Caller, &ApiKey), AuthError> {
    let credential = credential.ok_or(AuthError::Unknown)?;
    let key = credential.key.as_ref().ok_or(AuthError::Unknown)?;
    if key.revoked_at.is_some() {
        return Err(AuthError::Revoked);
    }
    if key.expires_at.is_some_and(|end| end < now) {
        return Err(AuthError::Expired);
    }
    if credential.owner_suspended.is_some() {
        return Err(AuthError::Suspended);
    }
    let caller = caller::of_credential(credential, Via::Key);
    match unscoped {
        Unscoped::Refused if caller.permissions == PermissionSet::EMPTY => Err(AuthError::Unscoped),
        Unscoped::Refused | Unscoped::Admitted => Ok((caller, key)),
    }
}

#[cfg(test)]
mod tests {
    use chorus_domain::{Subject, identity::Agent};
    use chorus_ids::{AgentId, CompanyId, UserId};
    use chorus_permissions::Preset;

    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_800_000_000_000_000);

    fn credential(change: impl FnOnce(&mut ApiKey)) -> Credential {
        let (company, agent) = (CompanyId::from_u128(1), AgentId::from_u128(2));
        let mut key = ApiKey {
            id: KeyId::from_u128(3),
            company,
            agent,
            hash: "hash".into(),
            prefix: "cho_abcd...wxyz".into(),
            name: None,
            last_used: None,
            expires_at: None,
            revoked_at: None,
            created_at: NOW,
        };
        change(&mut key);
        let agent = Agent {
            id: agent,
            company,
            name: "Ada".into(),
            roles: vec![Preset::Pm.name().into()],
            permissions: Vec::new(),
            persona: None,
            system_prompt: None,
            owner: Some(UserId::from_u128(4)),
            last_active_at: None,
            created_at: NOW,
        };
        Credential { key: Some(key), agent, owner_suspended: None, first_user: None }
    }

    fn check(credential: Option<Credential>, expected: Result<u128, &str>) {
        let judged = judge(credential.as_ref(), Unscoped::Admitted, NOW)
            .map(|(_, key)| key.id)
            .map_err(|error| format!("{error:?}"));
        assert_eq!(judged, expected.map(KeyId::from_u128).map_err(str::to_owned));
    }

    #[test]
    fn a_key_that_is_neither_revoked_nor_over_is_valid() {
        check(Some(credential(|_| {})), Ok(3));
        check(Some(credential(|key| key.expires_at = Some(NOW.plus_micros(1)))), Ok(3));
    }

    #[test]
    fn at_the_moment_of_its_expiry_a_key_still_works() {
        check(Some(credential(|key| key.expires_at = Some(NOW))), Ok(3));
        check(Some(credential(|key| key.expires_at = Some(NOW.plus_micros(-1)))), Err("Expired"));
    }

    #[test]
    fn unknown_revoked_and_expired_are_told_apart_in_this_order() {
        check(None, Err("Unknown"));
        check(Some(Credential { key: None, ..credential(|_| {}) }), Err("Unknown"));
        let both = credential(|key| {
            key.revoked_at = Some(NOW.plus_micros(1));
            key.expires_at = Some(NOW.plus_micros(-1));
        });
        check(Some(both), Err("Revoked"));
    }

    #[test]
    fn a_key_that_works_does_not_let_in_an_agent_whose_owner_is_suspended() {
        let suspended = |credential: Credential| Credential { owner_suspended: Some(NOW), ..credential };
        check(Some(suspended(credential(|_| {}))), Err("Suspended"));
        // A key that does not work says so first.
        check(Some(suspended(credential(|key| key.revoked_at = Some(NOW)))), Err("Revoked"));
    }

    #[test]
    fn an_agent_without_any_permission_is_let_in_unless_that_is_refused() {
        let agent = |roles: &[&str], permissions: &[&str]| {
            let credential = credential(|_| {});
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let agent = Agent { roles: owned(roles), permissions: owned(permissions), ..credential.agent };
            Credential { agent, ..credential }
        };
        let refused = |credential: &Credential| {
            assert!(judge(Some(credential), Unscoped::Admitted, NOW).is_ok());
            matches!(judge(Some(credential), Unscoped::Refused, NOW), Err(AuthError::Unscoped))
        };
        assert!(refused(&agent(&[], &[])));
        // What means nothing grants nothing.
        assert!(refused(&agent(&["nobody"], &["task:*"])));
        assert!(!refused(&agent(&[], &["task:read"])));
        assert!(!refused(&agent(&["developer"], &[])));
        // A key that does not work says so first.
        let mut revoked = agent(&[], &[]);
        revoked.key = revoked.key.map(|key| ApiKey { revoked_at: Some(NOW), ..key });
        assert!(matches!(judge(Some(&revoked), Unscoped::Refused, NOW), Err(AuthError::Revoked)));
    }

    #[test]
    fn the_caller_is_the_agent_with_what_it_may_do_now() {
        let credential = credential(|_| {});
        let caller = judge(Some(&credential), Unscoped::Refused, NOW).map(|(caller, _)| caller).ok();
        let caller = caller.as_ref();
        assert_eq!(caller.map(|c| c.subject), Some(Subject::Agent(AgentId::from_u128(2))));
        assert_eq!(caller.map(|c| c.via), Some(Via::Key));
        assert_eq!(caller.map(|c| c.owner), Some(Some(UserId::from_u128(4))));
        assert_eq!(caller.map(|c| c.permissions), Some(Preset::Pm.permissions()));
        assert_ne!(caller.map(|c| c.permissions), Some(PermissionSet::ALL));
    }
}
