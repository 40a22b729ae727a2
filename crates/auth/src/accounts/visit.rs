//! From the token in a browser's cookie to a caller.

use std::fmt;

use chorus_app::caller;
use chorus_domain::{Caller, Via, account::BrowserSession, identity::User};
use chorus_ids::ProjectId;
use chorus_store::Visitor;

use super::{
    Accounts, Result,
    token::{form_token, hash_of, same},
};

/// Somebody who is signed in, as loaded for this one request.
#[derive(Clone)]
pub struct SignedIn {
    /// Who acts, for every use case: the person, with all permissions, so that only levels in projects decide.
    pub caller: Caller,
    /// The person.
    pub user: User,
    /// Their session.
    pub session: BrowserSession,
    /// What every form of this session carries, and every request that changes something sends back.
    pub csrf: String,
}

impl SignedIn {
    /// Whether a request that changes something comes from a page of this session.
    #[must_use]
    pub fn sent(&self, csrf: &str) -> bool {
        same(&self.csrf, csrf)
    }
}

/// Without secrets.
impl fmt::Debug for SignedIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedIn")
            .field("user", &self.user.id)
            .field("session", &self.session.id)
            .finish_non_exhaustive()
    }
}

impl Accounts {
    /// Who presents the token of a session; nobody if there is no such session, it is over, or the person is suspended.
    /// One statement. That the session was used is noted behind the request's back, at most once a minute.
    ///
    /// # Errors
    /// The store could not be asked, which says nothing about the token.
    pub async fn visit(&self, token: &str) -> Result<Option<SignedIn>> {
        let Some(hash) = hash_of(token) else { return Ok(None) };
        let visitor = self.visitor(&hash).await?;
        if let Some(Visitor { session, .. }) = &visitor {
            let now = self.services.clock.now();
            if session.is_use_due(now) {
                self.usage.note_visit(&self.services.store, session, now);
            }
        }
        Ok(visitor.map(|visitor| signed_in(visitor, form_token(token))))
    }

    /// The same person as they are now, some time after they were let in, for what stays open: nobody if the session has
    /// ended meanwhile. Counts as no use of the session.
    ///
    /// # Errors
    /// As [`Accounts::visit`].
    pub async fn check_again(&self, before: &SignedIn) -> Result<Option<SignedIn>> {
        let visitor = self.visitor(&before.session.token_hash).await?;
        Ok(visitor.map(|visitor| signed_in(visitor, before.csrf.clone())))
    }

    /// Notes, behind the request's back and at most once a minute, that somebody opened a project that they see.
    pub fn note_project(&self, who: &SignedIn, project: ProjectId) {
        self.opened.note_project(&self.services.store, (who.user.id, project), self.services.clock.now());
    }

    /// Whose token has this hash, if it lets them in.
    async fn visitor(&self, hash: &str) -> Result<Option<Visitor>> {
        let visitor = self.services.store.read().await?.accounts().visitor(hash).await?;
        let now = self.services.clock.now();
        Ok(visitor.filter(|found| !found.session.is_over(now) && found.user.suspended_at.is_none()))
    }
}

fn signed_in(visitor: Visitor, csrf: String) -> SignedIn {
    let Visitor { session, user, first_user } = visitor;
    SignedIn { caller: caller::of_user(&user, first_user, Via::Browser), user, session, csrf }
}
