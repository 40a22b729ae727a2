//! `/settings/account`: a person's own password and sessions, and invitations.

use askama::Template;
use chorus_auth::accounts::{AccountError, BrowserSession, Invitation, Invited};
use chorus_ids::{BrowserSessionId, Timestamp, UserId};
use http::StatusCode;

use crate::{
    act::signed_form,
    answer::{self, Answer, with_cookie},
    browser,
    cookies::{self, Keep, Name},
    desk::{Desk, Reading},
    fault::Fault,
    form::Form,
    frame::{Frame, Section},
    pages::{
        account::{client, signed_in},
        link::problem,
        names::Names,
    },
};

/// Where all of it stands.
const HERE: &str = "/settings/account";

#[derive(Template)]
#[template(path = "account/own.html")]
struct OwnPage {
    f: Frame,
    email: String,
    has_password: bool,
    sessions: Vec<BrowserSession>,
    this: BrowserSessionId,
    wrong_password: Option<String>,
    wrong_invitation: Option<String>,
    /// What was typed for an invitation that was refused.
    invitation: (String, String),
    /// Whoever was just invited, and the link for them.
    invited: Option<(String, String)>,
    /// Who was invited and has not come yet.
    waiting: Vec<Waiting>,
}

/// Somebody who was invited and has not come yet.
struct Waiting {
    user: UserId,
    name: String,
    email: String,
    by: String,
    /// Whether the person who looks made the invitation, and so can take it back.
    mine: bool,
    ends: Timestamp,
}

/// Most invitations that are listed, the newest.
const LISTED: u32 = 100;

impl Waiting {
    async fn load(desk: &Desk, reading: &mut Reading) -> Result<Vec<Self>, Fault> {
        let signed = desk.person()?;
        let invitations = desk.console.accounts.invitations(signed, LISTED).await?;
        let makers = invitations.iter().filter_map(|invitation| invitation.made_by.party()).collect();
        let names = Names::of(reading, makers).await?;
        let waiting = |invitation: Invitation| Self {
            by: match invitation.made_by.party() {
                Some(party) => names.get(party),
                None => desk.say("space-operator").into_owned(),
            },
            mine: invitation.made_by == signed.caller.subject,
            ends: invitation.expires_at,
            user: invitation.user.id,
            name: invitation.user.display_name().to_owned(),
            email: invitation.user.email.unwrap_or_default(),
        };
        Ok(invitations.into_iter().map(waiting).collect())
    }
}

impl OwnPage {
    /// What people call a browser.
    fn called(&self, client: &str) -> String {
        browser::name(client)
    }

    async fn new(desk: &Desk) -> Result<Self, Fault> {
        let signed = desk.person()?;
        let mut reading = desk.read().await?;
        let waiting = Waiting::load(desk, &mut reading).await?;
        let f = desk.frame(&reading, desk.say("account-title"), Section::Settings);
        drop(reading);
        Ok(Self {
            f,
            email: signed.user.email.clone().unwrap_or_default(),
            has_password: signed.user.password_hash.is_some(),
            sessions: desk.console.accounts.sessions(signed).await?,
            this: signed.session.id,
            wrong_password: None,
            wrong_invitation: None,
            invitation: (String::new(), String::new()),
            invited: None,
            waiting,
        })
    }
}

/// `GET /settings/account`.
pub(crate) async fn show(desk: &Desk) -> Result<Answer, Fault> {
    answer::page(StatusCode::OK, &OwnPage::new(desk).await?)
}

/// `POST /settings/account`: somebody is invited (`act=invite`), or the password changes. The address is that of the page
/// itself, so that what is shown then can be asked for again.
pub(crate) async fn change(desk: &Desk) -> Result<Answer, Fault> {
    let form = signed_form(desk)?;
    match form.get("act") {
        Some("invite") => invite(desk, &form).await,
        _ => password(desk, &form).await,
    }
}

async fn password(desk: &Desk, form: &Form) -> Result<Answer, Fault> {
    let (current, password) = (form.get("current").unwrap_or_default(), form.get("password").unwrap_or_default());
    let changed = if form.get("again") == Some(password) {
        desk.console.accounts.change_password(client(desk), desk.person()?, current, password).await
    } else {
        let wrong = desk.say("passwords-differ").into_owned();
        return password_refused(desk, wrong).await;
    };
    match changed {
        Ok(opened) => {
            let notice = cookies::set(Name::Notice, "done-password", Keep::Seconds(30), desk.console.settings.secure);
            Ok(with_cookie(signed_in(desk, &opened, HERE), notice))
        }
        Err(AccountError::Refused(refusal)) => password_refused(desk, problem(desk, &refusal)).await,
        Err(error) => Err(error.into()),
    }
}

async fn password_refused(desk: &Desk, wrong: String) -> Result<Answer, Fault> {
    let page = OwnPage { wrong_password: Some(wrong), ..OwnPage::new(desk).await? };
    answer::page(StatusCode::UNPROCESSABLE_ENTITY, &page)
}

/// `POST /settings/account/sessions/{session}/end`.
pub(crate) async fn end(desk: &Desk) -> Result<Answer, Fault> {
    signed_form(desk)?;
    let session: BrowserSessionId = desk.id("session")?;
    desk.console.accounts.end_session(desk.person()?, session).await?;
    Ok(crate::act::done(desk, HERE, Some("done-session-ended")))
}

/// `POST /settings/account/sessions/end`: every session, this one too.
pub(crate) async fn end_all(desk: &Desk) -> Result<Answer, Fault> {
    signed_form(desk)?;
    desk.console.accounts.sign_out_everywhere(desk.person()?).await?;
    let line = cookies::set(Name::Session, "", Keep::Gone, desk.console.settings.secure);
    Ok(with_cookie(answer::see_other("/sign-in"), line))
}

/// The link is shown this once.
async fn invite(desk: &Desk, form: &Form) -> Result<Answer, Fault> {
    let (email, name) = (form.get("email").unwrap_or_default(), form.get("name").unwrap_or_default());
    let invited = desk.console.accounts.invite(desk.person()?, email, name).await;
    let page = OwnPage::new(desk).await?;
    match invited {
        Ok(Invited { link, .. }) => {
            let link = format!("{}{}", desk.console.settings.base, link.path());
            answer::page(StatusCode::OK, &OwnPage { invited: Some((name.to_owned(), link)), ..page })
        }
        Err(AccountError::Refused(refusal)) => {
            let page = OwnPage {
                wrong_invitation: Some(problem(desk, &refusal)),
                invitation: (email.into(), name.into()),
                ..page
            };
            answer::page(StatusCode::UNPROCESSABLE_ENTITY, &page)
        }
        Err(error) => Err(error.into()),
    }
}

/// `POST /settings/account/invitations/{user}/end`: an invitation is taken back.
pub(crate) async fn take_back(desk: &Desk) -> Result<Answer, Fault> {
    signed_form(desk)?;
    desk.console.accounts.take_back(desk.person()?, desk.id("user")?).await?;
    Ok(crate::act::done(desk, HERE, Some("done-invitation-ended")))
}
