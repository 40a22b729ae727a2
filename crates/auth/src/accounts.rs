//! Accounts of people: signing in and out, sessions of browsers, passwords, and links that let somebody in once.
//!
//! Nothing here knows of cookies or pages. Who serves those hands over what a browser sent, and says from where: behind a
//! proxy the address is what a proxy that is trusted says.

mod act;
mod error;
mod link;
mod own;
mod sign_in;
mod throttle;
mod token;
mod uninvite;
mod visit;

use std::{net::IpAddr, sync::Arc};

use chorus_app::Services;
use chorus_domain::account::MAX_CLIENT;
use chorus_ids::{BrowserSessionId, ProjectId, UserId};

use self::throttle::Throttle;
use crate::usage::Usage;

pub use chorus_domain::account::{BrowserSession, Lasting, LinkKind, OneTimeLink, SESSION_MICROS};
pub use error::{AccountError, LinkFault};
pub use link::{Invitation, Invited, NewLink, Presented, create_link, replace_password};
pub use sign_in::{Choice, Entered, Opened, SignIn};
pub use token::NewToken;
pub use uninvite::{Uninvited, uninvite};
pub use visit::SignedIn;

/// A result of this module.
pub type Result<T, E = AccountError> = std::result::Result<T, E>;

/// The surface's name in the audit log.
const SURFACE: &str = "account";

/// Who is signed in, and everything about it. Cheap to clone; clones count attempts together.
#[derive(Clone)]
pub struct Accounts {
    services: Services,
    throttle: Arc<Throttle>,
    usage: Arc<Usage<BrowserSessionId>>,
    opened: Arc<Usage<(UserId, ProjectId)>>,
}

impl Accounts {
    /// On a server with these services.
    pub fn new(services: Services) -> Self {
        let (usage, opened) = (Arc::default(), Arc::default());
        Self { services, throttle: Arc::new(Throttle::new()), usage, opened }
    }
}

/// Where a request comes from.
#[derive(Clone, Copy, Debug)]
pub struct Client<'c> {
    /// The address of the browser. Behind a proxy it is what that proxy says, if it is trusted.
    pub address: IpAddr,
    /// What the browser calls itself, as it was sent.
    pub agent: &'c str,
}

impl Client<'_> {
    /// What is kept of the name, for the person to recognise the session by.
    fn excerpt(&self) -> String {
        self.agent.trim().chars().filter(|c| !c.is_control()).take(MAX_CLIENT).collect()
    }
}
