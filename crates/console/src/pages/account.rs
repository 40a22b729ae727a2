//! Signing in and out, and how the console looks.

use std::net::{IpAddr, Ipv4Addr};

use askama::Template;
use chorus_auth::accounts::{AccountError, Choice, Client, Entered, Lasting, Opened, SignIn};
use http::{HeaderValue, StatusCode, header};

use crate::{
    Language,
    act::{done, signed_form},
    answer::{self, Answer, is_own_path},
    cookies::{self, Keep, Name},
    desk::Desk,
    fault::Fault,
    frame::{Frame, Theme},
    texts::Value,
};

/// How long a browser remembers a language and a theme, in seconds: a year.
const LOOK_KEPT: i64 = 365 * 24 * 60 * 60;

#[derive(Template)]
#[template(path = "account/sign_in.html")]
struct SignInPage {
    f: Frame,
    next: String,
    email: String,
    remember: bool,
    wrong: Option<String>,
    /// The workspaces to choose from.
    choices: Vec<Choice>,
}

impl SignInPage {
    fn new(desk: &Desk, next: Option<&str>) -> Self {
        let next = next.filter(|path| is_own_path(path)).unwrap_or("/").to_owned();
        let f = desk.bare_frame(desk.say("sign-in-title"));
        Self { f, next, email: String::new(), remember: false, wrong: None, choices: Vec::new() }
    }
}

/// `GET /sign-in`.
pub(crate) async fn sign_in(desk: &Desk) -> Result<Answer, Fault> {
    let next = desk.query.get("next");
    if desk.signed.is_some() {
        return Ok(answer::see_other(next.filter(|path| is_own_path(path)).unwrap_or("/")));
    }
    answer::page(StatusCode::OK, &SignInPage::new(desk, next))
}

/// `POST /sign-in`. A form of somebody else's page that signs a browser in is sent with an origin that is not ours, and is
/// refused before it comes here.
pub(crate) async fn enter(desk: &Desk) -> Result<Answer, Fault> {
    let form = desk.form();
    let (email, remember) = (form.get("email").unwrap_or_default(), form.get("remember") == Some("yes"));
    let lasting = if remember { Lasting::Remembered } else { Lasting::Brief };
    let before = cookies::session(&desk.head.headers, desk.console.settings.secure);
    let accounts = &desk.console.accounts;
    let entered = match form.filled("choice") {
        Some(token) => accounts.enter(client(desk), token, (lasting, before.as_deref())).await.map(Entered::In),
        None => {
            let password = form.get("password").unwrap_or_default();
            let wanted = SignIn { email, password, lasting, instead_of: before.as_deref() };
            accounts.sign_in(client(desk), wanted).await
        }
    };
    let mut page = SignInPage::new(desk, form.get("next"));
    let (email, next) = (email.to_owned(), page.next.clone());
    let (status, wrong) = match entered {
        Ok(Entered::In(opened)) => return Ok(signed_in(desk, &opened, &next)),
        Ok(Entered::Choose(choices)) => {
            page.choices = choices;
            (StatusCode::OK, None)
        }
        Err(AccountError::Wrong) => (StatusCode::UNAUTHORIZED, Some(desk.say("sign-in-refused").into_owned())),
        Err(AccountError::Suspended) => (StatusCode::FORBIDDEN, Some(desk.say("sign-in-suspended").into_owned())),
        Err(error @ AccountError::TooMany { .. }) => {
            let seconds = error.retry_after_seconds().unwrap_or(1);
            let text = desk.say_with("sign-in-throttled", "count", Value::Number(seconds));
            let mut refused = answer::page(
                StatusCode::TOO_MANY_REQUESTS,
                &SignInPage { email, remember, wrong: Some(text), ..page },
            )?;
            refused.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            return Ok(refused);
        }
        Err(error) => return Err(error.into()),
    };
    answer::page(status, &SignInPage { email, remember, wrong, ..page })
}

/// The answer that begins a session in the browser.
pub(crate) fn signed_in(desk: &Desk, opened: &Opened, next: &str) -> Answer {
    let keep = match opened.session.lasting {
        Lasting::Brief => Keep::Open,
        Lasting::Remembered => Keep::Seconds(chorus_auth::accounts::SESSION_MICROS / 1_000_000),
    };
    let line = cookies::set(Name::Session, opened.token.reveal(), keep, desk.console.settings.secure);
    answer::with_cookie(answer::see_other(next), line)
}

/// `POST /sign-out`.
pub(crate) async fn sign_out(desk: &Desk) -> Result<Answer, Fault> {
    signed_form(desk)?;
    desk.console.accounts.sign_out(desk.person()?).await?;
    let line = cookies::set(Name::Session, "", Keep::Gone, desk.console.settings.secure);
    let mut left = answer::with_cookie(answer::see_other("/sign-in"), line);
    // What pages left in the browser is nobody's business any more.
    left.headers_mut().insert("clear-site-data", HeaderValue::from_static("\"cache\", \"storage\""));
    Ok(left)
}

/// `POST /look`: language and theme, for this browser. Nothing secret depends on it, so that it needs no session.
pub(crate) async fn look(desk: &Desk) -> Result<Answer, Fault> {
    let (form, secure) = (desk.form(), desk.console.settings.secure);
    let mut answer = done(desk, form.get("_next").unwrap_or("/"), None);
    if let Some(language) = form.get("language").and_then(Language::of_tag) {
        let line = cookies::set(Name::Language, language.tag(), Keep::Seconds(LOOK_KEPT), secure);
        answer = answer::with_cookie(answer, line);
    }
    if let Some(theme) = form.get("theme").and_then(Theme::of_name) {
        let line = cookies::set(Name::Theme, theme.as_str(), Keep::Seconds(LOOK_KEPT), secure);
        answer = answer::with_cookie(answer, line);
    }
    Ok(answer)
}

/// Where a request comes from, for counting attempts.
pub(crate) fn client(desk: &Desk) -> Client<'_> {
    let agent = desk.head.headers.get(header::USER_AGENT).and_then(|line| line.to_str().ok()).unwrap_or_default();
    Client { address: desk.from.0.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), agent }
}
