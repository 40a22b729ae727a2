//! `chorus user invite`, `chorus user reset`, `chorus user sessions` and `chorus user sign-out`.

use async_trait::async_trait;
use chorus_auth::{
    Moment, NewUser,
    accounts::{BrowserSession, Lasting, LinkKind, NewToken, create_link},
    create_user,
};
use chorus_domain::{Code, Kind, Refusal, Subject, Write, account::Ending, event::Change, identity::User};
use chorus_ids::Timestamp;
use chorus_store::{Result, Tx};
use serde::Serialize;

use super::{find, find_present, named};
use crate::{
    database::Place,
    failure::Failure,
    operator::{CompanyArgs, Decision, FormatArgs, Operation, company::existing_or_first, perform, workspace},
    output,
};

/// A link that has just been made, for whoever hands it on.
struct Made {
    user: User,
    kind: LinkKind,
    expires_at: Timestamp,
}

/// What is said about a link.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Linked {
    user_uuid: String,
    email: Option<String>,
    name: String,
    link: String,
    expires_at: String,
}

impl Linked {
    fn new(made: Made, token: &NewToken, server: &str) -> Self {
        Self {
            user_uuid: made.user.id.to_string(),
            name: made.user.display_name().to_owned(),
            link: link(server, made.kind, token),
            expires_at: made.expires_at.to_string(),
            email: made.user.email,
        }
    }

    fn text(&self, does: &str) -> String {
        let Self { name, link, expires_at, .. } = self;
        format!("Give {name} this link, shown this once. It {does}, once and until {expires_at}.\n\n  {link}")
    }
}

/// The URL that a person opens.
pub(crate) fn link(server: &str, kind: LinkKind, token: &NewToken) -> String {
    format!("{server}/{}/{}", kind.path(), token.reveal())
}

/// Somebody is invited.
struct Invite {
    email: String,
    name: String,
    company: CompanyArgs,
    token: NewToken,
}

#[async_trait]
impl Operation for Invite {
    const NAME: &'static str = "user invite";
    type Answer = Made;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<Made>> {
        let mut writes = Vec::new();
        let company = existing_or_first(tx, &self.company, moment, &mut writes).await?;
        let new = NewUser { email: self.email.clone(), name: self.name.clone(), password_hash: None };
        let new = create_user(moment, company, new)?;
        let address = new.email.clone().unwrap_or_default();
        let mut changes = Vec::new();
        let user = match tx.operator().user_by_email(company, &address).await? {
            None => {
                writes.push(Write::NewUser(new.clone()));
                changes.push((Kind::User, new.id.uuid(), Change::Created));
                new
            }
            Some(known) if known.password_hash.is_some() => {
                let text = format!(
                    "`{address}` has an account and a password already. `chorus user reset {address}` makes a link that lets \
                     them choose another."
                );
                return Err(Refusal::new(Code::InvalidState, text).into());
            }
            Some(known) => {
                let known = find_present(tx, company, known.email.as_deref().unwrap_or(&address)).await?;
                writes.push(Write::DropLinks(known.id));
                changes.push((Kind::User, known.id.uuid(), Change::Updated));
                known
            }
        };
        let (write, made) = hand_out(moment, user, LinkKind::Invitation, &self.token);
        writes.push(write);
        Ok(Decision { company, writes, changes, answer: made })
    }
}

/// The link and what is said of it.
fn hand_out(moment: Moment<'_>, user: User, kind: LinkKind, token: &NewToken) -> (Write, Made) {
    let link = create_link(moment, &user, kind, Subject::Operator, token);
    let made = Made { user, kind, expires_at: link.expires_at };
    (Write::NewLink(link), made)
}

pub(super) async fn invite(
    place: &Place,
    server: &str,
    (email, name): (String, String),
    company: CompanyArgs,
    format: FormatArgs,
) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let token = NewToken::generate(&mut rand::rng());
    let made = perform(&services, Invite { email, name, company, token: token.clone() }).await?;
    let linked = Linked::new(made, &token, server);
    output::answer(format.format(), &linked, || linked.text("lets them choose a password and come in"))
}

/// Somebody may choose another password.
struct Reset {
    email: String,
    company: CompanyArgs,
    token: NewToken,
}

#[async_trait]
impl Operation for Reset {
    const NAME: &'static str = "user reset";
    type Answer = Made;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<Made>> {
        let company = workspace(tx, &self.company).await?.id;
        let user = find_present(tx, company, &self.email).await?;
        let changes = vec![(Kind::User, user.id.uuid(), Change::Updated)];
        let drop = Write::DropLinks(user.id);
        let (write, made) = hand_out(moment, user, LinkKind::Reset, &self.token);
        Ok(Decision { company, writes: vec![drop, write], changes, answer: made })
    }
}

pub(super) async fn reset(
    place: &Place,
    server: &str,
    email: String,
    company: CompanyArgs,
    format: FormatArgs,
) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let token = NewToken::generate(&mut rand::rng());
    let made = perform(&services, Reset { email, company, token: token.clone() }).await?;
    let linked = Linked::new(made, &token, server);
    output::answer(format.format(), &linked, || {
        linked.text("lets them choose another password and ends their sessions")
    })
}

/// A row of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    session_uuid: String,
    browser: String,
    remembered: bool,
    created_at: String,
    last_seen_at: String,
    ends_at: String,
}

impl From<BrowserSession> for Listed {
    fn from(session: BrowserSession) -> Self {
        Self {
            session_uuid: session.id.to_string(),
            remembered: session.lasting == Lasting::Remembered,
            created_at: session.created_at.to_string(),
            last_seen_at: session.last_seen_at.to_string(),
            ends_at: session.ends_at().to_string(),
            browser: session.client,
        }
    }
}

pub(super) async fn sessions(
    place: &Place,
    email: &str,
    company: &CompanyArgs,
    format: FormatArgs,
) -> Result<(), Failure> {
    let services = place.open().await?;
    let mut reads = services.store.read().await?;
    let company = workspace(reads.as_mut(), company).await?.id;
    let user = find(reads.as_mut(), company, email).await?;
    let now = services.clock.now();
    let sessions = reads.accounts().browser_sessions(user.id).await?;
    let sessions: Vec<Listed> =
        sessions.into_iter().filter(|session| !session.is_over(now)).map(Listed::from).collect();
    let heading = ["UUID", "SIGNED IN", "LAST USED", "ENDS UNLESS USED", "BROWSER"];
    output::list(format.format(), ("sessions", &sessions), heading, |session| {
        [
            session.session_uuid.clone(),
            session.created_at.clone(),
            session.last_seen_at.clone(),
            session.ends_at.clone(),
            output::or_dash(Some(session.browser.as_str()).filter(|browser| !browser.is_empty())),
        ]
    })
}

/// What is said about sessions that ended.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SignedOut {
    user_uuid: String,
    email: Option<String>,
    name: String,
    sessions_ended: usize,
}

/// Somebody is signed out everywhere.
struct SignOut {
    email: String,
    company: CompanyArgs,
}

#[async_trait]
impl Operation for SignOut {
    const NAME: &'static str = "user sign-out";
    type Answer = SignedOut;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<SignedOut>> {
        let (company, user) = named(tx, &self.company, &self.email).await?;
        let sessions = tx.accounts().browser_sessions(user.id).await?;
        let (mut writes, mut changes) = (Vec::new(), Vec::new());
        if !sessions.is_empty() {
            writes.push(Write::EndBrowserSessions(user.id, Ending::All));
            changes.push((Kind::User, user.id.uuid(), Change::Updated));
        }
        let answer = SignedOut {
            user_uuid: user.id.to_string(),
            name: user.display_name().to_owned(),
            sessions_ended: sessions.iter().filter(|session| !session.is_over(moment.now)).count(),
            email: user.email,
        };
        Ok(Decision { company, writes, changes, answer })
    }
}

pub(super) async fn sign_out(
    place: &Place,
    email: String,
    company: CompanyArgs,
    format: FormatArgs,
) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let done = perform(&services, SignOut { email, company }).await?;
    output::answer(format.format(), &done, || {
        format!("{}, {}, is signed out. Sessions that ended: {}.", done.name, done.user_uuid, done.sessions_ended)
    })
}
