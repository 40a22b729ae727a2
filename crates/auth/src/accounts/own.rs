//! What somebody does about their own account.

use async_trait::async_trait;
use chorus_domain::{
    Code, Refusal, Write,
    account::{BrowserSession, Ending},
    event::Change,
    refusal::{Problem, Reason},
};
use chorus_ids::BrowserSessionId;
use chorus_store::{Hold, Tx};

use super::{
    AccountError, Accounts, Client, NewToken, Opened, Result, SignedIn,
    act::{Act, Done, carry_out, hold},
    link::replace_password,
    sign_in::begin,
};
use crate::{
    Moment, check_password,
    password::{fitting, hash_in_turn},
};

impl Accounts {
    /// Gives somebody another password. Their other sessions end, and theirs goes on under a new token, so that whoever
    /// had the old one is out. Who has no password yet gives none.
    ///
    /// # Errors
    /// [`AccountError::Refused`] naming `current` or `password`; [`AccountError::TooMany`]; [`AccountError::SignedOut`].
    pub async fn change_password(
        &self,
        client: Client<'_>,
        who: &SignedIn,
        current: &str,
        password: &str,
    ) -> Result<Opened> {
        let account = format!("\n{}", who.user.id);
        self.throttle.account(client.address, &account).map_err(|retry_after| AccountError::TooMany { retry_after })?;
        if let Some(hash) = &who.user.password_hash
            && fitting(current, vec![hash.clone()]).await?.is_empty()
        {
            let wrong = Problem::new("current", "is not your password").because(Reason::WrongPassword);
            return Err(AccountError::field(wrong));
        }
        check_password("password", password, who.user.email.as_deref()).map_err(AccountError::field)?;
        let hash = hash_in_turn(password).await?;
        let token = NewToken::generate(&mut rand::rng());
        carry_out(&self.services, ChangePassword { who: who.clone(), hash, token }).await
    }

    /// The sessions of somebody, the last used first, without those that are over.
    ///
    /// # Errors
    /// The store could not be asked.
    pub async fn sessions(&self, who: &SignedIn) -> Result<Vec<BrowserSession>> {
        let mut sessions = self.services.store.read().await?.accounts().browser_sessions(who.user.id).await?;
        let now = self.services.clock.now();
        sessions.retain(|session| !session.is_over(now));
        Ok(sessions)
    }

    /// Ends one session of somebody, which may be the one that they are signed in with.
    ///
    /// # Errors
    /// Not found if they have no such session.
    pub async fn end_session(&self, who: &SignedIn, session: BrowserSessionId) -> Result<()> {
        carry_out(&self.services, EndSessions { who: who.clone(), ending: Ending::One(session) }).await
    }

    /// Ends every session of somebody, the one that they are signed in with too.
    ///
    /// # Errors
    /// The store could not be asked.
    pub async fn sign_out_everywhere(&self, who: &SignedIn) -> Result<()> {
        carry_out(&self.services, EndSessions { who: who.clone(), ending: Ending::All }).await
    }

    /// Ends every session of somebody but the one that they are signed in with.
    ///
    /// # Errors
    /// The store could not be asked.
    pub async fn sign_out_elsewhere(&self, who: &SignedIn) -> Result<()> {
        let ending = Ending::AllBut(who.session.id);
        carry_out(&self.services, EndSessions { who: who.clone(), ending }).await
    }
}

struct ChangePassword {
    who: SignedIn,
    hash: String,
    token: NewToken,
}

#[async_trait]
impl Act for ChangePassword {
    const NAME: &'static str = "change password";
    type Answer = Opened;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Done<Opened>> {
        let SignedIn { caller, user: before, session, .. } = &self.who;
        hold(tx, before.id, Hold::Own).await?;
        // What was checked before must still hold: the session, and the password that was given.
        let found = tx.accounts().visitor(&session.token_hash).await?.ok_or(AccountError::SignedOut)?;
        let user = found.user;
        if user.password_hash != before.password_hash || user.suspended_at.is_some() {
            return Err(AccountError::SignedOut);
        }
        let mut writes = replace_password(user.id, &self.hash).to_vec();
        // The age of the session goes on: a new token is no new month.
        let next = BrowserSession {
            created_at: session.created_at,
            ..begin(moment, user.id, (session.lasting, &session.client), &self.token)
        };
        writes.push(Write::NewBrowserSession(next.clone()));
        Ok(Done {
            caller: caller.clone(),
            writes,
            about: user.id,
            change: Some(Change::Updated),
            answer: Opened { token: self.token.clone(), session: next, user },
        })
    }
}

struct EndSessions {
    who: SignedIn,
    ending: Ending,
}

#[async_trait]
impl Act for EndSessions {
    const NAME: &'static str = "end sessions";
    type Answer = ();

    async fn decide(&self, tx: &mut dyn Tx, _moment: Moment<'_>) -> Result<Done<()>> {
        let SignedIn { caller, user, .. } = &self.who;
        hold(tx, user.id, Hold::Own).await?;
        let sessions = tx.accounts().browser_sessions(user.id).await?;
        let ends = |session: &BrowserSession| match self.ending {
            Ending::One(id) => session.id == id,
            Ending::AllBut(id) => session.id != id,
            Ending::All => true,
        };
        let any = sessions.iter().any(ends);
        if let (Ending::One(_), false) = (self.ending, any) {
            return Err(Refusal::new(Code::NotFound, "You have no such session; it may have ended already.").into());
        }
        let end = any.then_some(Write::EndBrowserSessions(user.id, self.ending));
        Ok(Done {
            caller: caller.clone(),
            writes: end.into_iter().collect(),
            about: user.id,
            change: Some(Change::Updated),
            answer: (),
        })
    }
}
