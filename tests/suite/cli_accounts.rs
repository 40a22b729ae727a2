//! Operator commands about accounts of people: links that let somebody in, and sessions of their browsers.

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use chorus_app::{Clock, Services};
use chorus_auth::{
    Accounts,
    accounts::{AccountError, Client, Entered, Lasting, LinkFault, LinkKind, Opened, SignIn},
};
use chorus_ids::Timestamp;
use chorus_testkit::{Backend, Database, Ran, Server, chorus, operator, run, run_with_input};
use serde_json::{Value, json};

use crate::backends;

const CLIENT: Client<'static> = Client { address: std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), agent: "Browser/1.0" };
const BRIEF: (Lasting, Option<&str>) = (Lasting::Brief, None);
const PASSWORD: &str = "correct horse battery";

async fn on(database: &Database, arguments: &[&str]) -> Ran {
    run(chorus().args(arguments).args(["--database-url", database.url()])).await
}

async fn accounts(database: &Database) -> Accounts {
    Accounts::new(database.services().await)
}

/// The token in a printed link.
#[track_caller]
fn token<'v>(printed: &'v Value, start: &str) -> &'v str {
    let link = printed["link"].as_str().unwrap();
    link.strip_prefix(start).unwrap_or_else(|| panic!("{link} does not begin with {start}"))
}

async fn enter(accounts: &Accounts, email: &str, password: &str) -> Result<Opened, AccountError> {
    let wanted = SignIn { email, password, lasting: Lasting::Remembered, instead_of: None };
    match accounts.sign_in(CLIENT, wanted).await? {
        Entered::In(opened) => Ok(opened),
        Entered::Choose(choices) => panic!("a choice among {choices:?}"),
    }
}

async fn is_in(accounts: &Accounts, opened: &Opened) -> bool {
    accounts.visit(opened.token.reveal()).await.unwrap().is_some()
}

async fn somebody_is_invited_by_a_link_that_works_once(backend: Backend) {
    let database = Database::untouched(backend).await;
    let invite = ["user", "invite", "--email", "Ada@example.com", "--name", "Ada"];
    let first = operator(database.url(), &invite).await;
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["email", "expiresAt", "link", "name", "userUuid"]);
    let lost = token(&first, "http://127.0.0.1:8637/join/");
    // Who has not come yet gets another link, and the lost one no longer works.
    let again =
        ["user", "invite", "--email", "ada@EXAMPLE.com", "--name", "x", "--public-url", "https://chorus.example/"];
    let second = operator(database.url(), &again).await;
    assert_eq!((&second["userUuid"], &second["name"]), (&first["userUuid"], &json!("Ada")));
    let accounts = accounts(&database).await;
    let gone = accounts.present(CLIENT, lost).await;
    assert!(matches!(gone, Err(AccountError::Link(LinkFault::Unknown))), "{gone:?}");
    let token = token(&second, "https://chorus.example/join/");
    let shown = accounts.present(CLIENT, token).await.unwrap();
    assert_eq!(
        (shown.kind, shown.expires_at.to_string()),
        (LinkKind::Invitation, second["expiresAt"].as_str().unwrap().into())
    );
    let opened = accounts.redeem(CLIENT, token, PASSWORD, BRIEF).await.unwrap();
    assert_eq!(json!(opened.user.id.to_string()), first["userUuid"]);
    // Who has a password does not get in by an invitation.
    let refused = on(&database, &invite).await.failed(1);
    assert!(refused.contains("chorus user reset"), "{refused}");
    let refused = on(&database, &["user", "invite", "--email", "nobody", "--name", " "]).await.failed(2);
    assert!(refused.contains("`email`") && refused.contains("`name`"), "{refused}");
    let acts = database.audit().await;
    assert_eq!(
        acts,
        ["operator command_line user invite", "operator command_line user invite", "user browser use link"]
    );
}

async fn invitations_are_listed_and_taken_back(backend: Backend) {
    let database = Database::untouched(backend).await;
    let url = database.url();
    let invite = async |email: &str| operator(url, &["user", "invite", "--email", email, "--name", "Somebody"]).await;
    let first = invite("ada@example.com").await;
    invite("bo@example.com").await;
    let accounts = accounts(&database).await;
    let link = token(&first, "http://127.0.0.1:8637/join/");
    // What somebody invites from the console says who they are.
    let opened = accounts.redeem(CLIENT, link, PASSWORD, BRIEF).await.unwrap();
    let signed = accounts.visit(opened.token.reveal()).await.unwrap().unwrap();
    let invited = accounts.invite(&signed, "cy@example.com", "Cy").await.unwrap();
    let listed = operator(url, &["user", "invitations"]).await;
    let row = |row: &Value| (row["email"].clone(), row["invitedBy"].clone());
    let rows: Vec<_> = listed["invitations"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(
        rows,
        [(json!("cy@example.com"), json!("ada@example.com")), (json!("bo@example.com"), Value::Null)],
        "not the one that was used"
    );
    assert_eq!(listed["invitations"][0]["expiresAt"], json!(invited.link.expires_at.to_string()));
    let table = on(&database, &["user", "invitations"]).await.ok();
    assert!(table.contains("cy@example.com") && !table.contains(invited.link.token.reveal()), "{table}");

    let taken = operator(url, &["user", "uninvite", "CY@example.com"]).await;
    assert_eq!((&taken["removed"], &taken["email"]), (&json!(true), &json!("cy@example.com")));
    let people = async || operator(url, &["user", "list"]).await.to_string();
    assert!(!people().await.contains("cy@example.com"), "who never came in goes with the invitation");
    let gone = accounts.present(CLIENT, invited.link.token.reveal()).await;
    assert!(matches!(gone, Err(AccountError::Link(LinkFault::Unknown))), "{gone:?}");
    assert_eq!(operator(url, &["user", "invitations"]).await["invitations"].as_array().unwrap().len(), 1);
    for email in ["cy@example.com", "ada@example.com", "nobody@example.com"] {
        on(&database, &["user", "uninvite", email]).await.failed(1);
    }
    // Only who made one takes it back without the operator.
    let waiting = accounts.invitations(&signed, 10).await.unwrap();
    let bo = waiting.iter().find(|one| one.user.email.as_deref() == Some("bo@example.com")).unwrap();
    let refused = accounts.take_back(&signed, bo.user.id).await;
    assert!(matches!(refused, Err(AccountError::Refused(_))), "{refused:?}");
    let again = accounts.invite(&signed, "dee@example.com", "Dee").await.unwrap();
    accounts.take_back(&signed, again.user.id).await.unwrap();
    assert!(accounts.present(CLIENT, again.link.token.reveal()).await.is_err());
    assert_eq!(accounts.invitations(&signed, 10).await.unwrap().len(), 1);
    assert!(accounts.take_back(&signed, again.user.id).await.is_err(), "there is none any more");
    assert!(!people().await.contains("dee@example.com"));
    // Whoever has something already stays.
    operator(url, &["agent", "create", "--name", "Helper", "--owner", "bo@example.com"]).await;
    let taken = operator(url, &["user", "uninvite", "bo@example.com"]).await;
    assert_eq!(taken["removed"], json!(false));
    assert!(people().await.contains("bo@example.com"));
}

async fn a_reset_lets_somebody_choose_another_password(backend: Backend) {
    let database = Database::untouched(backend).await;
    let url = database.url();
    operator(url, &["user", "create", "--email", "ada@example.com", "--name", "Ada"]).await;
    let set = async |password: &str| {
        let mut command = chorus();
        command.args(["user", "password", "--email", "ada@example.com", "--password-stdin", "--database-url", url]);
        run_with_input(&mut command, password).await
    };
    set(PASSWORD).await.ok();
    let accounts = accounts(&database).await;
    let before = enter(&accounts, "ada@example.com", PASSWORD).await.unwrap();
    let text = run(chorus()
        .args(["user", "reset", "ADA@example.com", "--database-url", url])
        .env("CHORUS_PUBLIC_URL", "https://chorus.example"))
    .await
    .ok();
    let link = text.lines().last().unwrap().trim();
    let token = link.strip_prefix("https://chorus.example/reset/").unwrap_or_else(|| panic!("{text}"));
    assert!(text.contains("Ada") && text.contains("once"), "{text}");
    assert!(is_in(&accounts, &before).await, "until it is used nothing is different");
    let after = accounts.redeem(CLIENT, token, "another good sentence", BRIEF).await.unwrap();
    assert!(!is_in(&accounts, &before).await && is_in(&accounts, &after).await);
    assert!(enter(&accounts, "ada@example.com", PASSWORD).await.is_err());
    // The operator's own password command ends sessions too.
    set("one more good sentence").await.ok();
    assert!(!is_in(&accounts, &after).await);
    enter(&accounts, "ada@example.com", "one more good sentence").await.unwrap();
    // Nobody, and nobody who is suspended.
    let refused = on(&database, &["user", "reset", "bo@example.com"]).await.failed(1);
    assert!(refused.contains("bo@example.com"), "{refused}");
    operator(url, &["user", "create", "--email", "bo@example.com", "--name", "Bo"]).await;
    operator(url, &["user", "suspend", "ada@example.com", "--yes"]).await;
    let refused = on(&database, &["user", "reset", "ada@example.com"]).await.failed(1);
    assert!(refused.contains("suspended"), "{refused}");
}

async fn sessions_are_listed_and_ended(backend: Backend) {
    let database = Database::untouched(backend).await;
    let url = database.url();
    let invited = operator(url, &["user", "invite", "--email", "ada@example.com", "--name", "Ada"]).await;
    let accounts = accounts(&database).await;
    let token = token(&invited, "http://127.0.0.1:8637/join/");
    let one = accounts.redeem(CLIENT, token, PASSWORD, BRIEF).await.unwrap();
    let two = enter(&accounts, "ada@example.com", PASSWORD).await.unwrap();
    let listed = operator(url, &["user", "sessions", "ADA@example.com"]).await;
    let rows = listed["sessions"].as_array().unwrap();
    let keys: Vec<&String> = rows[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["browser", "createdAt", "endsAt", "lastSeenAt", "remembered", "sessionUuid"]);
    assert_eq!(rows.iter().map(|row| row["remembered"].as_bool().unwrap()).collect::<Vec<_>>(), [true, false]);
    assert_eq!(rows[1]["sessionUuid"], json!(one.session.id.to_string()));
    let table = on(&database, &["user", "sessions", "ada@example.com"]).await.ok();
    assert!(table.contains("Browser/1.0") && !table.contains(one.token.reveal()), "{table}");
    let ended = operator(url, &["user", "sign-out", "ada@example.com"]).await;
    assert_eq!(ended["sessionsEnded"], 2);
    assert!(!is_in(&accounts, &one).await && !is_in(&accounts, &two).await);
    assert_eq!(operator(url, &["user", "sessions", "ada@example.com"]).await["sessions"], json!([]));
    assert_eq!(operator(url, &["user", "sign-out", "ada@example.com"]).await["sessionsEnded"], 0);
    let acts = database.audit().await;
    assert_eq!(acts.iter().filter(|act| act.ends_with("user sign-out")).count(), 1, "{acts:?}");
    enter(&accounts, "ada@example.com", PASSWORD).await.unwrap();
    for command in ["sessions", "sign-out"] {
        on(&database, &["user", command, "nobody@example.com"]).await.failed(1);
    }
}

/// A clock of last year.
struct LastYear;

impl Clock for LastYear {
    fn now(&self) -> Timestamp {
        chorus_app::SystemClock.now().plus_micros(-365 * 86_400 * 1_000_000)
    }
}

async fn a_server_forgets_sessions_and_links_that_are_over(backend: Backend) {
    let database = Database::untouched(backend).await;
    let url = database.url();
    let invited = operator(url, &["user", "invite", "--email", "ada@example.com", "--name", "Ada"]).await;
    let recent = accounts(&database).await;
    let token = token(&invited, "http://127.0.0.1:8637/join/");
    let kept = recent.redeem(CLIENT, token, PASSWORD, BRIEF).await.unwrap();
    let services = Services { clock: Arc::new(LastYear), ..database.services().await };
    let store = Arc::clone(&services.store);
    let old = Accounts::new(services);
    let opened = enter(&old, "ada@example.com", PASSWORD).await.unwrap();
    let who = old.visit(opened.token.reveal()).await.unwrap().unwrap();
    let bo = old.invite(&who, "bo@example.com", "Bo").await.unwrap().user;
    let left = async || {
        let mut reads = store.read().await.unwrap();
        let sessions = reads.accounts().browser_sessions(kept.user.id).await.unwrap();
        let links = reads.accounts().links_of(bo.id).await.unwrap().len();
        (sessions.into_iter().map(|session| session.id).collect::<Vec<_>>(), links)
    };
    assert_eq!((left().await.0.len(), left().await.1), (2, 1));
    let _server = Server::start(&database).await;
    for _ in 0..200 {
        if left().await.0.len() == 1 && left().await.1 == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(left().await, (vec![kept.session.id], 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_needs_to_lead_somewhere() {
    let database = Database::untouched(Backend::Sqlite).await;
    let invite = ["user", "invite", "--email", "ada@example.com", "--name", "Ada"];
    let refused = on(&database, &[&invite[..], &["--public-url", "chorus.example"]].concat()).await.failed(2);
    assert!(refused.contains("`chorus.example`"), "{refused}");
    let mut command = chorus();
    command.args(invite).args(["--database-url", database.url()]).env("CHORUS_LISTEN", "127.0.0.1:0");
    let refused = run(&mut command).await.failed(2);
    assert!(refused.contains("--public-url"), "{refused}");
    assert!(on(&database, &["user", "list"]).await.code != Some(0), "nobody was added");
}

backends!(
    somebody_is_invited_by_a_link_that_works_once,
    invitations_are_listed_and_taken_back,
    a_reset_lets_somebody_choose_another_password,
    sessions_are_listed_and_ended,
    a_server_forgets_sessions_and_links_that_are_over,
);
