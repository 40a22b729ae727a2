//! Accounts of people.

use async_trait::async_trait;
use chorus_domain::{
    account::{BrowserSession, OneTimeLink},
    identity::User,
};
use chorus_ids::{BrowserSessionId, CompanyId, Timestamp, UserId};

use crate::Result;

/// Who signs in, and how. Facts without a scope: whoever uses this trait answers for what becomes of them.
///
/// Three methods write; they need a unit, and its commit.
#[async_trait]
pub trait Accounts: Send {
    /// The session whose token has this hash, the person and the first user of their company, in one statement. Over or
    /// not, suspended or not.
    async fn visitor(&mut self, token_hash: &str) -> Result<Option<Visitor>>;

    /// Everybody with this address, compared without case, in whichever company, oldest first; suspended ones too. In
    /// one statement.
    async fn claimants(&mut self, email: &str) -> Result<Vec<Claimant>>;

    /// The link whose token has this hash, whom it lets in, and what their company is called, in one statement. Used or
    /// not, expired or not.
    async fn link(&mut self, token_hash: &str) -> Result<Option<(OneTimeLink, Claimant)>>;

    /// The links of a person, newest first, whatever became of them.
    async fn links_of(&mut self, user: UserId) -> Result<Vec<OneTimeLink>>;

    /// Invitations of a company that were neither used nor taken back and still work at this moment, newest first, with
    /// whom they invite, at most `limit`. In one statement.
    async fn invitations(&mut self, company: CompanyId, now: Timestamp, limit: u32)
    -> Result<Vec<(OneTimeLink, User)>>;

    /// The sessions of a person's browsers, the last used first; those that are over too, until they are swept.
    async fn browser_sessions(&mut self, user: UserId) -> Result<Vec<BrowserSession>>;

    /// Notes that a session was used. No clock goes back, and a session that is gone does not come back.
    async fn note_visit(&mut self, session: BrowserSessionId, at: Timestamp) -> Result<()>;

    /// Forgets sessions that are over, at most `limit`; says how many.
    async fn forget_browser_sessions(&mut self, now: Timestamp, limit: u32) -> Result<u64>;

    /// Forgets links that expired before this moment, at most `limit`; says how many.
    async fn forget_links(&mut self, before: Timestamp, limit: u32) -> Result<u64>;
}

/// Who presents the token of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitor {
    /// The session.
    pub session: BrowserSession,
    /// The person.
    pub user: User,
    /// The earliest user of the person's company who is not suspended, then the lowest id.
    pub first_user: Option<UserId>,
}

/// Somebody who may be who they say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimant {
    /// The person.
    pub user: User,
    /// What their company is called.
    pub company_name: String,
}

impl Claimant {
    /// The person's company.
    pub const fn company(&self) -> CompanyId {
        self.user.company
    }
}
