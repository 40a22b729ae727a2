//! Signing in.

use std::time::{Duration, Instant};

use chorus_auth::accounts::{AccountError, Client, Entered, Lasting, LinkFault};
use chorus_domain::{Subject, Via};
use chorus_permissions::PermissionSet;

use crate::{
    both,
    site::{ADA, MINUTE, OTHER, PASSWORD, Site, client, opened, refused},
};

async fn who_knows_the_password_is_in_and_acts_as_themselves(site: Site) {
    let opened = site.enter(Lasting::Remembered).await;
    assert_eq!((opened.user.id, opened.session.user), (site.ada.id, site.ada.id));
    let who = site.signed_in(&opened).await;
    assert_eq!((&who.session, &who.user), (&opened.session, &site.ada));
    let caller = &who.caller;
    assert_eq!((caller.subject, caller.via), (Subject::User(site.ada.id), Via::Browser));
    assert_eq!((caller.company, caller.name.as_str(), caller.owner), (site.company, "Ada", Some(site.ada.id)));
    assert_eq!((caller.principal.user, caller.principal.first_user), (Some(site.ada.id), Some(site.first.id)));
    assert_eq!(caller.permissions, PermissionSet::ALL);
    assert_eq!(who.session.client, "Browser/1.0 (Test)");
    assert_eq!(site.acts().await, ["account browser user sign in"]);
    // The address is compared without case and without blanks around it.
    for email in ["ada@example.com", " ADA@EXAMPLE.COM "] {
        assert!(matches!(site.attempt(client(1), email, PASSWORD).await, Ok(Entered::In(_))), "{email}");
    }
}

async fn wrong_addresses_and_passwords_look_the_same(site: Site) {
    site.person(site.company, "bo@example.com", None).await;
    let long = "x".repeat(100_000);
    for (email, password) in [
        (ADA, OTHER),
        (ADA, ""),
        (ADA, &format!("{PASSWORD} ")),
        (ADA, &PASSWORD.to_uppercase()),
        (ADA, long.as_str()),
        ("nobody@example.com", PASSWORD),
        ("bo@example.com", PASSWORD),
        ("bo@example.com", ""),
        ("no address", PASSWORD),
        ("ada@example.com\0", PASSWORD),
        ("%@example.com", PASSWORD),
        ("", ""),
    ] {
        let error = refused(site.attempt(client(1), email, password).await);
        assert!(matches!(error, AccountError::Wrong), "{email}: {error:?}");
        assert_eq!(error.to_string(), "The e-mail address or the password is wrong.");
    }
    assert_eq!(site.acts().await, [""; 0]);
    assert_eq!(site.sessions(&site.ada).await, []);
}

async fn an_address_that_nobody_has_takes_as_long_as_a_wrong_password(site: Site) {
    let fastest = async |email: &str| {
        let mut fastest = Duration::MAX;
        for n in 0..4 {
            let start = Instant::now();
            refused(site.attempt(client(n), email, OTHER).await);
            fastest = fastest.min(start.elapsed());
        }
        fastest
    };
    let (known, unknown, none) = (fastest(ADA).await, fastest("nobody@example.com").await, fastest("no address").await);
    for other in [unknown, none] {
        assert!(other > known / 2, "{known:?} {unknown:?} {none:?}");
    }
}

async fn only_who_knows_the_password_learns_of_a_suspension(site: Site) {
    site.suspend(&site.ada).await;
    assert!(matches!(refused(site.attempt(client(1), ADA, OTHER).await), AccountError::Wrong));
    assert!(matches!(refused(site.attempt(client(1), ADA, PASSWORD).await), AccountError::Suspended));
    assert_eq!(site.sessions(&site.ada).await, []);
}

async fn of_several_companies_those_are_offered_where_the_password_fits(site: Site) {
    let there = site.abroad("There", "ada@example.com", PASSWORD).await;
    site.abroad("Elsewhere", ADA, OTHER).await;
    let away = site.abroad("Away", ADA, PASSWORD).await;
    site.suspend(&away).await;
    let Ok(Entered::Choose(choices)) = site.attempt(client(1), ADA, PASSWORD).await else { panic!("no choice") };
    let mut names: Vec<_> = choices.iter().map(|choice| choice.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Company", "There"]);
    let chosen = choices.iter().find(|choice| choice.company == there.company).unwrap();
    let entered = site.accounts.enter(client(1), chosen.token.reveal(), (Lasting::Remembered, None)).await.unwrap();
    assert_eq!((entered.user.id, entered.session.lasting), (there.id, Lasting::Remembered));
    assert_eq!(site.signed_in(&entered).await.caller.company, there.company);
    // Once, and not for long.
    let again = site.accounts.enter(client(1), chosen.token.reveal(), (Lasting::Brief, None)).await;
    assert!(matches!(refused(again), AccountError::Link(LinkFault::Used)));
    let late = choices.iter().find(|choice| choice.company == site.company).unwrap();
    site.pass(5 * MINUTE);
    let late = site.accounts.enter(client(1), late.token.reveal(), (Lasting::Brief, None)).await;
    assert!(matches!(refused(late), AccountError::Link(LinkFault::Expired)));
    // One fits: nothing to choose.
    let only = opened(site.attempt(client(1), ADA, OTHER).await);
    assert_ne!(only.user.company, site.company);
}

async fn what_a_browser_calls_itself_is_kept_in_short(site: Site) {
    let agent = format!(" Mozilla\r\n\0\u{7} {}", "数".repeat(500));
    let from = Client { agent: &agent, ..client(1) };
    let opened = opened(site.attempt(from, ADA, PASSWORD).await);
    assert_eq!(opened.session.client, format!("Mozilla {}", "数".repeat(192)));
    assert_eq!(site.sessions(&site.ada).await, [opened.session]);
}

async fn of_a_token_the_database_has_the_hash_only(site: Site) {
    let opened = site.enter(Lasting::Brief).await;
    let token = opened.token.reveal();
    let stored = site.db.lines("SELECT token_hash AS line FROM browser_session").await;
    assert_eq!((stored.len(), stored[0].len()), (1, 64));
    assert!(!stored[0].contains(token));
    // What is stored does not let in.
    assert!(site.accounts.visit(&stored[0]).await.unwrap().is_none());
    assert!(!site.statements.take().iter().any(|statement| statement.contains(token)));
    assert!(!format!("{opened:?}").contains(token));
}

async fn signing_in_takes_few_statements(site: Site) {
    // What SQLite does so that units can share a commit costs no way to a database.
    let taken = |site: &Site| {
        let mut taken = site.statements.take();
        taken.retain(|statement| !statement.starts_with("SAVEPOINT") && !statement.starts_with("RELEASE"));
        taken
    };
    site.statements.take();
    let opened = site.enter(Lasting::Brief).await;
    let entering = taken(&site);
    // Who claims the address; then, in one unit: the person is held, read, the session and its audit row written.
    assert!(entering.len() <= 7, "{entering:#?}");
    let who = site.signed_in(&opened).await;
    site.statements.take();
    site.accounts.sign_out(&who).await.unwrap();
    let leaving = taken(&site);
    assert!(leaving.len() <= 8, "{leaving:#?}");
}

both! {
    signing_in_takes_few_statements,
    who_knows_the_password_is_in_and_acts_as_themselves,
    wrong_addresses_and_passwords_look_the_same,
    an_address_that_nobody_has_takes_as_long_as_a_wrong_password,
    only_who_knows_the_password_learns_of_a_suspension,
    of_several_companies_those_are_offered_where_the_password_fits,
    what_a_browser_calls_itself_is_kept_in_short,
    of_a_token_the_database_has_the_hash_only,
}
