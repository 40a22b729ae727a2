//! Signing in and out.

use async_trait::async_trait;
use chorus_app::caller;
use chorus_domain::{
    Subject, Via, Write,
    account::{BrowserSession, Ending, Lasting, LinkKind, OneTimeLink},
    event::Change,
    identity::User,
};
use chorus_ids::{CompanyId, UserId};
use chorus_store::{Claimant, Hold, Tx};

use super::{
    AccountError, Accounts, Client, NewToken, Result, SignedIn,
    act::{Act, Done, carry_out, hold, new_id},
    link::create_link,
    token::hash_of,
};
use crate::{Moment, check_email, password::fitting};

/// For how long somebody may choose among their companies, in microseconds.
const CHOICE_MICROS: i64 = 5 * 60 * 1_000_000;

/// Most people of one address whose passwords are tried.
const MAX_CLAIMANTS: usize = 16;

/// What somebody types to get in.
#[derive(Clone, Copy)]
pub struct SignIn<'a> {
    /// Their address, compared without case.
    pub email: &'a str,
    /// Their password.
    pub password: &'a str,
    /// How long the session lasts.
    pub lasting: Lasting,
    /// The token of the session that the browser has now, which ends: whoever planted it has nothing of the new one.
    pub instead_of: Option<&'a str>,
}

/// What becomes of an attempt with the right password.
#[derive(Debug)]
pub enum Entered {
    /// They are in.
    In(Opened),
    /// The address and the password are good in several companies: one has to be chosen.
    Choose(Vec<Choice>),
}

/// A session that has just begun.
#[derive(Clone, Debug)]
pub struct Opened {
    /// What the browser keeps. Nobody else gets it.
    pub token: NewToken,
    /// The session.
    pub session: BrowserSession,
    /// The person.
    pub user: User,
}

/// A company that somebody can sign in to.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The company.
    pub company: CompanyId,
    /// What it is called.
    pub name: String,
    /// What [`Accounts::enter`] lets them in there with, once and within five minutes.
    pub token: NewToken,
}

impl Accounts {
    /// Lets somebody in who gives their address and password.
    ///
    /// An address that nobody has takes as long to refuse as a wrong password, and reads the same. Attempts are counted
    /// for the client, and for the client and the address together.
    ///
    /// # Errors
    /// [`AccountError::Wrong`], [`AccountError::Suspended`] to who knows the password, [`AccountError::TooMany`].
    pub async fn sign_in(&self, client: Client<'_>, wanted: SignIn<'_>) -> Result<Entered> {
        let email = check_email("email", wanted.email).ok();
        let account = email.as_deref().unwrap_or_default().to_lowercase();
        self.throttle.account(client.address, &account).map_err(|retry_after| AccountError::TooMany { retry_after })?;
        let mut claimants = match &email {
            Some(email) => self.services.store.read().await?.accounts().claimants(email).await?,
            None => Vec::new(),
        };
        claimants.retain(|claimant| claimant.user.password_hash.is_some());
        claimants.truncate(MAX_CLAIMANTS);
        let hashes = claimants.iter().filter_map(|claimant| claimant.user.password_hash.clone()).collect();
        let fits = fitting(wanted.password, hashes).await?;
        let fitting: Vec<Claimant> = fits.into_iter().filter_map(|nth| claimants.get(nth)).cloned().collect();
        if fitting.is_empty() {
            tracing::info!(client = %client.address, "somebody was not let in");
            return Err(AccountError::Wrong);
        }
        let mut present: Vec<Claimant> =
            fitting.into_iter().filter(|claimant| claimant.user.suspended_at.is_none()).collect();
        match (present.pop(), present.is_empty()) {
            (None, _) => Err(AccountError::Suspended),
            (Some(only), true) => {
                let open = Open {
                    user: only.user,
                    lasting: wanted.lasting,
                    client: client.excerpt(),
                    instead_of: wanted.instead_of.and_then(hash_of),
                    token: NewToken::generate(&mut rand::rng()),
                };
                carry_out(&self.services, open).await.map(Entered::In)
            }
            (Some(last), false) => {
                present.push(last);
                self.offer(present).await.map(Entered::Choose)
            }
        }
    }

    /// One-time links to each of the companies where somebody's password fits, for a few minutes.
    async fn offer(&self, claimants: Vec<Claimant>) -> Result<Vec<Choice>> {
        let mut choices = Vec::new();
        for Claimant { user, company_name } in claimants {
            let (company, token) = (user.company, NewToken::generate(&mut rand::rng()));
            choices.push(Choice { company, name: company_name, token: token.clone() });
            carry_out(&self.services, Offer { user, token }).await?;
        }
        Ok(choices)
    }

    /// Ends the session of somebody who signs out. One that has ended already is fine.
    ///
    /// # Errors
    /// The store could not be asked.
    pub async fn sign_out(&self, signed_in: &SignedIn) -> Result<()> {
        carry_out(&self.services, SignOut { who: signed_in.clone() }).await
    }
}

/// A session begins.
struct Open {
    /// The person as they were when their password was tried.
    user: User,
    lasting: Lasting,
    client: String,
    instead_of: Option<String>,
    token: NewToken,
}

#[async_trait]
impl Act for Open {
    const NAME: &'static str = "sign in";
    type Answer = Opened;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Done<Opened>> {
        // The password was tried before, which takes a while: it must still be theirs, and they not be suspended, when
        // the session begins. Whoever changes either ends the sessions that are there then.
        hold(tx, self.user.id, Hold::Share).await?;
        let user = tx.directory().user(self.user.id).await?;
        let user = user.filter(|user| user.password_hash == self.user.password_hash).ok_or(AccountError::Wrong)?;
        if user.suspended_at.is_some() {
            return Err(AccountError::Suspended);
        }
        let mut writes = end_planted(tx, self.instead_of.as_deref()).await?;
        let session = begin(moment, user.id, (self.lasting, &self.client), &self.token);
        writes.push(Write::NewBrowserSession(session.clone()));
        Ok(Done {
            caller: caller::of_user(&user, None, Via::Browser),
            writes,
            about: user.id,
            change: None,
            answer: Opened { token: self.token.clone(), session, user },
        })
    }
}

/// What ends the session that a browser had before.
pub(super) async fn end_planted(tx: &mut dyn Tx, hash: Option<&str>) -> Result<Vec<Write>> {
    let Some(hash) = hash else { return Ok(Vec::new()) };
    let planted = tx.accounts().visitor(hash).await?;
    let end = planted.map(|found| Write::EndBrowserSessions(found.user.id, Ending::One(found.session.id)));
    Ok(end.into_iter().collect())
}

/// The row of a session that begins now.
pub(super) fn begin(
    moment: Moment<'_>,
    user: UserId,
    (lasting, client): (Lasting, &str),
    token: &NewToken,
) -> BrowserSession {
    BrowserSession {
        id: new_id(moment.ids, moment.now),
        user,
        token_hash: token.hash(),
        lasting,
        client: client.to_owned(),
        created_at: moment.now,
        last_seen_at: moment.now,
    }
}

/// A link to one of several companies.
struct Offer {
    user: User,
    token: NewToken,
}

#[async_trait]
impl Act for Offer {
    const NAME: &'static str = "offer company";
    type Answer = ();

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Done<()>> {
        hold(tx, self.user.id, Hold::Share).await?;
        let user = tx.directory().user(self.user.id).await?;
        let user = user.filter(|user| user.password_hash == self.user.password_hash).ok_or(AccountError::Wrong)?;
        let link = create_link(moment, &user, LinkKind::SignIn, Subject::User(user.id), &self.token);
        let link = OneTimeLink { expires_at: moment.now.plus_micros(CHOICE_MICROS), ..link };
        Ok(Done {
            caller: caller::of_user(&user, None, Via::Browser),
            writes: vec![Write::NewLink(link)],
            about: user.id,
            change: None,
            answer: (),
        })
    }
}

struct SignOut {
    who: SignedIn,
}

#[async_trait]
impl Act for SignOut {
    const NAME: &'static str = "sign out";
    type Answer = ();

    async fn decide(&self, tx: &mut dyn Tx, _moment: Moment<'_>) -> Result<Done<()>> {
        let SignedIn { caller, user, session, .. } = &self.who;
        hold(tx, user.id, Hold::Own).await?;
        let still = tx.accounts().visitor(&session.token_hash).await?.is_some();
        let end = still.then_some(Write::EndBrowserSessions(user.id, Ending::One(session.id)));
        Ok(Done {
            caller: caller.clone(),
            writes: end.into_iter().collect(),
            about: user.id,
            // Whatever the session keeps open looks again.
            change: Some(Change::Updated),
            answer: (),
        })
    }
}
