//! Links that let somebody in once: the first user, who was invited, who lost a password, and who chooses a company.

use async_trait::async_trait;
use chorus_app::caller;
use chorus_domain::{
    Caller, Code, Refusal, Subject, Via, Write,
    account::{Ending, Lasting, LinkKind, OneTimeLink},
    event::Change,
    identity::User,
    refusal::{Problem, Reason},
};
use chorus_ids::{CompanyId, Timestamp, UserId};
use chorus_store::{Claimant, Hold, Tx};

use super::{
    AccountError, Accounts, Client, LinkFault, NewToken, Opened, Result, SignedIn,
    act::{Act, Done, carry_out, hold, new_id},
    sign_in::{begin, end_planted},
    token::hash_of,
    uninvite::uninvite,
};
use crate::{Moment, NewUser, check_password, create_user, password::hash_in_turn};

/// The row of a new link for this person, which works as long as those of its kind do. The token itself is not in it.
pub fn create_link(moment: Moment<'_>, user: &User, kind: LinkKind, made_by: Subject, token: &NewToken) -> OneTimeLink {
    OneTimeLink {
        id: new_id(moment.ids, moment.now),
        company: user.company,
        user: user.id,
        kind,
        token_hash: token.hash(),
        made_by,
        created_at: moment.now,
        expires_at: moment.now.plus_micros(kind.lasts_micros()),
        used_at: None,
    }
}

/// A link that has just been made, for whoever hands it on.
#[derive(Clone, Debug)]
pub struct NewLink {
    /// What it is for.
    pub kind: LinkKind,
    /// Its token. Nobody gets it a second time.
    pub token: NewToken,
    /// From when on it no longer works.
    pub expires_at: Timestamp,
}

impl NewLink {
    /// Its path on the web: `/join/<token>`.
    pub fn path(&self) -> String {
        format!("/{}/{}", self.kind.path(), self.token.reveal())
    }
}

/// Somebody who was invited.
#[derive(Clone, Debug)]
pub struct Invited {
    /// The person.
    pub user: User,
    /// What lets them in.
    pub link: NewLink,
}

/// An invitation that was neither used nor taken back and still works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// Whom it invites.
    pub user: User,
    /// Who invites them.
    pub made_by: Subject,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it no longer works.
    pub expires_at: Timestamp,
}

/// A link that somebody presents and has not used yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presented {
    /// What it is for.
    pub kind: LinkKind,
    /// Their address.
    pub email: Option<String>,
    /// What they are called.
    pub name: String,
    /// Their company.
    pub company: CompanyId,
    /// What it is called.
    pub company_name: String,
    /// Whether they have a password, which the link replaces.
    pub has_password: bool,
    /// From when on it no longer works.
    pub expires_at: Timestamp,
}

impl Accounts {
    /// What the link with this token is for. Looking at a link does not use it, so that previews of messages do no harm.
    /// Counted as an attempt of the client.
    ///
    /// # Errors
    /// [`AccountError::Link`], [`AccountError::TooMany`].
    pub async fn present(&self, client: Client<'_>, token: &str) -> Result<Presented> {
        let hash = self.attempt(client, token)?;
        let found = self.services.store.read().await?.accounts().link(&hash).await?;
        let (link, Claimant { user, company_name }) = usable(found, self.services.clock.now())?;
        Ok(Presented {
            kind: link.kind,
            name: user.display_name().to_owned(),
            company: user.company,
            company_name,
            has_password: user.password_hash.is_some(),
            expires_at: link.expires_at,
            email: user.email,
        })
    }

    /// Uses a link: the person has this password from now on, their earlier sessions and other links end, and a session
    /// begins, all or nothing.
    ///
    /// # Errors
    /// [`AccountError::Link`], [`AccountError::TooMany`]; [`AccountError::Refused`] naming `password`, which leaves the
    /// link as it is.
    pub async fn redeem(
        &self,
        client: Client<'_>,
        token: &str,
        password: &str,
        (lasting, instead_of): (Lasting, Option<&str>),
    ) -> Result<Opened> {
        let presented = self.present(client, token).await?;
        check_password("password", password, presented.email.as_deref()).map_err(AccountError::field)?;
        let hash = hash_in_turn(password).await?;
        self.use_up(client, token, Some(hash), (lasting, instead_of)).await
    }

    /// Uses a link for signing in without choosing a password: a session begins, and earlier ones go on.
    ///
    /// # Errors
    /// [`AccountError::Link`], also for a link of another kind; [`AccountError::TooMany`].
    pub async fn enter(
        &self,
        client: Client<'_>,
        token: &str,
        (lasting, instead_of): (Lasting, Option<&str>),
    ) -> Result<Opened> {
        self.attempt(client, token)?;
        self.use_up(client, token, None, (lasting, instead_of)).await
    }

    /// Adds somebody new to the company of whoever is signed in, and makes the link that lets them choose a password.
    /// Somebody whom the same person invited before and who has not come yet gets another link, and the earlier one no
    /// longer works.
    ///
    /// # Errors
    /// [`AccountError::Refused`] naming `email` or `name`, also where the address belongs to somebody else already.
    pub async fn invite(&self, by: &SignedIn, email: &str, name: &str) -> Result<Invited> {
        let (email, name) = (email.to_owned(), name.to_owned());
        let token = NewToken::generate(&mut rand::rng());
        carry_out(&self.services, Invite { by: by.caller.clone(), email, name, token }).await
    }

    /// The invitations of the company of whoever is signed in that still work, newest first, at most `limit`.
    ///
    /// # Errors
    /// The store could not be asked.
    pub async fn invitations(&self, who: &SignedIn, limit: u32) -> Result<Vec<Invitation>> {
        let now = self.services.clock.now();
        let open = self.services.store.read().await?.accounts().invitations(who.user.company, now, limit).await?;
        let invitation = |(link, user): (OneTimeLink, User)| Invitation {
            user,
            made_by: link.made_by,
            created_at: link.created_at,
            expires_at: link.expires_at,
        };
        Ok(open.into_iter().map(invitation).collect())
    }

    /// Takes back an invitation that whoever is signed in made: its link no longer works, and whoever never came in and has
    /// nothing yet goes with it ([`uninvite`]).
    ///
    /// # Errors
    /// Not found unless this person waits with an invitation of theirs.
    pub async fn take_back(&self, by: &SignedIn, user: UserId) -> Result<()> {
        carry_out(&self.services, TakeBack { by: by.caller.clone(), user }).await
    }

    /// Counts an attempt at a link; the hash to look it up by.
    fn attempt(&self, client: Client<'_>, token: &str) -> Result<String> {
        self.throttle.client(client.address).map_err(|retry_after| AccountError::TooMany { retry_after })?;
        hash_of(token).ok_or(AccountError::Link(LinkFault::Unknown))
    }

    async fn use_up(
        &self,
        client: Client<'_>,
        token: &str,
        password_hash: Option<String>,
        (lasting, instead_of): (Lasting, Option<&str>),
    ) -> Result<Opened> {
        let hash = hash_of(token).ok_or(AccountError::Link(LinkFault::Unknown))?;
        let token = NewToken::generate(&mut rand::rng());
        let (client, instead_of) = (client.excerpt(), instead_of.and_then(hash_of));
        carry_out(&self.services, Redeem { hash, password_hash, lasting, client, instead_of, token }).await
    }
}

/// The link, if it can be used now.
fn usable(found: Option<(OneTimeLink, Claimant)>, now: Timestamp) -> Result<(OneTimeLink, Claimant)> {
    let (link, claimant) = found.ok_or(AccountError::Link(LinkFault::Unknown))?;
    let fault = if link.used_at.is_some() {
        LinkFault::Used
    } else if link.expires_at <= now {
        LinkFault::Expired
    } else if claimant.user.suspended_at.is_some() {
        LinkFault::Suspended
    } else {
        return Ok((link, claimant));
    };
    Err(AccountError::Link(fault))
}

/// A link is used.
struct Redeem {
    hash: String,
    password_hash: Option<String>,
    lasting: Lasting,
    client: String,
    instead_of: Option<String>,
    token: NewToken,
}

#[async_trait]
impl Act for Redeem {
    const NAME: &'static str = "use link";
    type Answer = Opened;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Done<Opened>> {
        let (link, _) = tx.accounts().link(&self.hash).await?.ok_or(AccountError::Link(LinkFault::Unknown))?;
        // Whoever uses it at the same moment, or takes it back, waits here; so it is looked at again.
        hold(tx, link.user, Hold::Own).await?;
        let (link, Claimant { user, .. }) = usable(tx.accounts().link(&self.hash).await?, moment.now)?;
        let mut writes = vec![Write::UseLink(link.id, moment.now)];
        let mut change = None;
        match &self.password_hash {
            Some(hash) => {
                writes.extend(replace_password(user.id, hash));
                change = Some(Change::Updated);
            }
            None if link.kind == LinkKind::SignIn => {}
            None => return Err(AccountError::Link(LinkFault::Unknown)),
        }
        writes.extend(end_planted(tx, self.instead_of.as_deref()).await?);
        let session = begin(moment, user.id, (self.lasting, &self.client), &self.token);
        writes.push(Write::NewBrowserSession(session.clone()));
        Ok(Done {
            caller: caller::of_user(&user, None, Via::Browser),
            writes,
            about: user.id,
            change,
            answer: Opened { token: self.token.clone(), session, user },
        })
    }
}

/// What gives somebody another password, as [`hash_password`](crate::hash_password) gives its hash: sessions end that
/// were begun with the old one, and links that were not used.
pub fn replace_password(user: UserId, hash: &str) -> [Write; 3] {
    // In this order: whoever signs in with the old one waits for the first, and does not slip in behind the second.
    [Write::SetPassword(user, hash.to_owned()), Write::EndBrowserSessions(user, Ending::All), Write::DropLinks(user)]
}

/// Somebody new is invited.
struct Invite {
    by: Caller,
    email: String,
    name: String,
    token: NewToken,
}

#[async_trait]
impl Act for Invite {
    const NAME: &'static str = "invite";
    type Answer = Invited;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Done<Invited>> {
        let by = caller::reload(tx, &self.by).await?;
        let new = NewUser { email: self.email.clone(), name: self.name.clone(), password_hash: None };
        let fresh = create_user(moment, by.company, new)?;
        let address = fresh.email.clone().unwrap_or_default();
        let (user, mut writes, change) = match tx.operator().user_by_email(by.company, &address).await? {
            None => (fresh.clone(), vec![Write::NewUser(fresh)], Some(Change::Created)),
            Some(known) => {
                hold(tx, known.id, Hold::Own).await?;
                let known = tx.directory().user(known.id).await?.ok_or_else(taken)?;
                // Anybody else's link would be a way into an account that is not theirs to give.
                if !invited_by(tx, &known, by.subject).await? || known.password_hash.is_some() {
                    return Err(taken());
                }
                if known.suspended_at.is_some() {
                    let text = format!("`{address}` is suspended. Whoever runs the server can let them in again.");
                    return Err(Refusal::new(Code::InvalidState, text).into());
                }
                let drop = vec![Write::DropLinks(known.id)];
                (known, drop, None)
            }
        };
        let link = create_link(moment, &user, LinkKind::Invitation, by.subject, &self.token);
        let new = NewLink { kind: link.kind, token: self.token.clone(), expires_at: link.expires_at };
        writes.push(Write::NewLink(link));
        Ok(Done { caller: by, writes, about: user.id, change, answer: Invited { user, link: new } })
    }
}

/// Whether the last link of somebody is an invitation of this person's that was not used.
async fn invited_by(tx: &mut dyn Tx, user: &User, by: Subject) -> Result<bool> {
    let last = tx.accounts().links_of(user.id).await?.into_iter().next();
    Ok(last.is_some_and(|link| link.kind == LinkKind::Invitation && link.made_by == by && link.used_at.is_none()))
}

/// An invitation is taken back.
struct TakeBack {
    by: Caller,
    user: UserId,
}

#[async_trait]
impl Act for TakeBack {
    const NAME: &'static str = "take invitation back";
    type Answer = ();

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Done<()>> {
        let by = caller::reload(tx, &self.by).await?;
        hold(tx, self.user, Hold::Remove).await?;
        let user = tx.directory().user(self.user).await?.filter(|user| user.company == by.company);
        let mine = match &user {
            Some(user) => invited_by(tx, user, by.subject).await?,
            None => false,
        };
        let Some(user) = user.filter(|_| mine) else {
            let text = "You have no such invitation; it may have been used or taken back already.";
            return Err(Refusal::new(Code::NotFound, text).into());
        };
        let taken = uninvite(tx, &user, moment.now).await?;
        let change = taken.is_removed().then_some(taken.change);
        Ok(Done { caller: by, writes: taken.writes, about: user.id, change, answer: () })
    }
}

fn taken() -> AccountError {
    let text = "belongs to somebody of your company already; whoever runs the server can give them a new link";
    AccountError::field(Problem::new("email", text).because(Reason::Taken))
}
