//! Links that let somebody in once: `/enter/<token>` of the first run, `/join/<token>` of an invitation, `/reset/<token>`.

use askama::Template;
use chorus_auth::accounts::{AccountError, Lasting, LinkFault, LinkKind, Presented};
use chorus_domain::Refusal;
use http::{HeaderValue, StatusCode, header};

use crate::{
    answer::{self, Answer},
    cookies,
    desk::Desk,
    fault::Fault,
    frame::Frame,
    pages::account::{client, signed_in},
    refusals::Told,
};

#[derive(Template)]
#[template(path = "account/link.html")]
struct LinkPage {
    f: Frame,
    /// The path that the form is sent to.
    action: String,
    presented: Option<Presented>,
    is_first: bool,
    wrong: Option<String>,
}

/// Shows what the link is for. That does not use it up, so that previews of messages do no harm.
pub(crate) async fn show(desk: &Desk) -> Result<Answer, Fault> {
    match desk.console.accounts.present(client(desk), token(desk)).await {
        Ok(presented) => page(desk, StatusCode::OK, Some(presented), None),
        Err(error) => refused(desk, error),
    }
}

/// Lets somebody in by the link, with the password that they chose.
pub(crate) async fn redeem(desk: &Desk) -> Result<Answer, Fault> {
    let form = desk.form();
    let lasting = if form.get("remember") == Some("yes") { Lasting::Remembered } else { Lasting::Brief };
    let before = cookies::session(&desk.head.headers, desk.console.settings.secure);
    let (accounts, token) = (&desk.console.accounts, token(desk));
    let opened = if form.get("later") == Some("yes") {
        accounts.enter(client(desk), token, (lasting, before.as_deref())).await
    } else {
        let password = form.get("password").unwrap_or_default();
        if form.get("again") != Some(password) {
            let wrong = desk.say("passwords-differ").into_owned();
            return again(desk, wrong).await;
        }
        accounts.redeem(client(desk), token, password, (lasting, before.as_deref())).await
    };
    match opened {
        Ok(opened) => Ok(signed_in(desk, &opened, "/")),
        Err(AccountError::Refused(refusal)) => again(desk, problem(desk, &refusal)).await,
        Err(error) => refused(desk, error),
    }
}

async fn again(desk: &Desk, wrong: String) -> Result<Answer, Fault> {
    match desk.console.accounts.present(client(desk), token(desk)).await {
        Ok(presented) => page(desk, StatusCode::UNPROCESSABLE_ENTITY, Some(presented), Some(wrong)),
        Err(error) => refused(desk, error),
    }
}

/// The first thing that is wrong with what was filled in.
pub(crate) fn problem(desk: &Desk, refusal: &Refusal) -> String {
    Told::of(desk.texts, refusal).first()
}

fn refused(desk: &Desk, error: AccountError) -> Result<Answer, Fault> {
    let (status, key) = match &error {
        // One answer, so that a guess learns nothing about links that there are or were.
        AccountError::Link(LinkFault::Unknown | LinkFault::Used | LinkFault::Expired) => {
            (StatusCode::NOT_FOUND, "link-dead")
        }
        AccountError::Link(LinkFault::Suspended) | AccountError::Suspended => {
            (StatusCode::FORBIDDEN, "sign-in-suspended")
        }
        _ => return Err(error.into()),
    };
    page(desk, status, None, Some(desk.say(key).into_owned()))
}

fn page(desk: &Desk, status: StatusCode, presented: Option<Presented>, wrong: Option<String>) -> Result<Answer, Fault> {
    let kind = presented.as_ref().map(|presented| presented.kind);
    let title = match kind {
        Some(LinkKind::Invitation) => "link-join-title",
        Some(LinkKind::Reset) => "link-reset-title",
        Some(LinkKind::SignIn) => "link-enter-title",
        None => "link-title",
    };
    let mut f = desk.bare_frame(desk.say(title));
    // Whoever is signed in here may be somebody else; the page is about whom the link is for. The language menu comes back
    // to the sign-in page, so that the link stands in one place only.
    f.person = None;
    f.here = "/sign-in".to_owned();
    let action = desk.head.uri.path().to_owned();
    let page = LinkPage { f, action, presented, is_first: kind == Some(LinkKind::SignIn), wrong };
    let mut answer = answer::page(status, &page)?;
    answer.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Ok(answer)
}

fn token(desk: &Desk) -> &str {
    desk.places.iter().find(|(name, _)| name == "token").map_or("", |(_, token)| token.as_str())
}
