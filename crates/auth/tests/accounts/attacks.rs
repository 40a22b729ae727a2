//! What somebody tries who should not get in.

use std::time::Duration;

use chorus_auth::accounts::{AccountError, Lasting, LinkFault, LinkKind, NewToken, SignIn};

use crate::{
    both,
    site::{ADA, OTHER, PASSWORD, Site, client, opened, refused},
};

async fn guessing_a_password_has_to_wait_and_keeps_nobody_else_out(site: Site) {
    for n in 0..10 {
        // Whatever the spelling, it is one account.
        let email = if n % 2 == 0 { ADA } else { " ada@EXAMPLE.com" };
        assert!(matches!(refused(site.attempt(client(1), email, OTHER).await), AccountError::Wrong));
    }
    // The right one comes too late, for a while.
    let error = refused(site.attempt(client(1), ADA, PASSWORD).await);
    let wait = error.retry_after_seconds().unwrap();
    assert!((1..=30).contains(&wait), "{error:?}");
    // She herself gets in from elsewhere, and so does her neighbour from there.
    opened(site.attempt(client(2), ADA, PASSWORD).await);
    site.person(site.company, "bo@example.com", Some(OTHER)).await;
    opened(site.attempt(client(1), "bo@example.com", OTHER).await);
    // What is refused costs no work.
    let start = std::time::Instant::now();
    for _ in 0..1_000 {
        refused(site.attempt(client(1), ADA, OTHER).await);
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

async fn guessing_links_is_hopeless_and_has_to_wait(site: Site) {
    let token = site.link(&site.first, LinkKind::SignIn).await;
    let mut tried = 0;
    loop {
        let guess = NewToken::generate(&mut rand::rng());
        match site.accounts.present(client(1), guess.reveal()).await {
            Err(AccountError::Link(LinkFault::Unknown)) => tried += 1,
            other => {
                assert!(refused(other).retry_after_seconds().is_some());
                break;
            }
        }
        assert!(tried < 1_000, "nothing stops it");
    }
    assert_eq!(tried, 100);
    // The link itself waits too, for this client and for no other.
    assert!(
        refused(site.accounts.enter(client(1), &token, (Lasting::Brief, None)).await).retry_after_seconds().is_some()
    );
    site.accounts.enter(client(2), &token, (Lasting::Brief, None)).await.unwrap();
}

async fn a_planted_session_is_not_taken_over_by_who_signs_in(site: Site) {
    // Mallory has a session of their own and plants its token in Ada's browser.
    site.person(site.company, "mallory@example.com", Some(OTHER)).await;
    let planted = opened(site.attempt(client(2), "mallory@example.com", OTHER).await);
    let invented = NewToken::generate(&mut rand::rng());
    for token in [planted.token.reveal(), invented.reveal(), "junk"] {
        let wanted = SignIn { email: ADA, password: PASSWORD, lasting: Lasting::Brief, instead_of: Some(token) };
        let opened = opened(site.accounts.sign_in(client(1), wanted).await);
        assert_ne!(opened.token.reveal(), token);
        assert_eq!(site.signed_in(&opened).await.user.id, site.ada.id);
        assert!(site.accounts.visit(token).await.unwrap().is_none());
    }
    // A link does the same.
    let planted = opened(site.attempt(client(2), "mallory@example.com", OTHER).await);
    let link = site.link(&site.first, LinkKind::SignIn).await;
    let entered = site.accounts.enter(client(1), &link, (Lasting::Brief, Some(planted.token.reveal()))).await.unwrap();
    assert_ne!(entered.token, planted.token);
    assert!(site.visit(&planted).await.is_none());
}

async fn a_stolen_cookie_is_worth_nothing_after_signing_out(site: Site) {
    let stolen = site.enter(Lasting::Remembered).await;
    let thief = site.signed_in(&stolen).await;
    site.accounts.sign_out(&thief).await.unwrap();
    assert!(site.visit(&stolen).await.is_none());
    let change = site.accounts.change_password(client(3), &thief, PASSWORD, OTHER).await;
    assert!(matches!(refused(change), AccountError::SignedOut));
    opened(site.attempt(client(1), ADA, PASSWORD).await);
}

async fn a_form_of_another_session_is_forged(site: Site) {
    let (one, two) = (site.enter(Lasting::Brief).await, site.enter(Lasting::Brief).await);
    let (first, second) = (site.signed_in(&one).await, site.signed_in(&two).await);
    assert!(first.sent(&first.csrf) && second.sent(&second.csrf));
    for forged in [second.csrf.as_str(), "", one.token.reveal(), &first.csrf[1..], &first.csrf.to_lowercase()] {
        assert!(!first.sent(forged), "{forged}");
    }
    assert_eq!(site.signed_in(&one).await.csrf, first.csrf, "a page that was open a while is still good");
    assert!(!format!("{first:?}").contains(&first.csrf));
}

async fn a_session_is_no_link_and_a_link_is_no_session(site: Site) {
    let opened = site.enter(Lasting::Brief).await;
    let link = site.link(&site.ada, LinkKind::SignIn).await;
    assert!(site.accounts.visit(&link).await.unwrap().is_none());
    let entered = site.accounts.enter(client(1), opened.token.reveal(), (Lasting::Brief, None)).await;
    assert!(matches!(refused(entered), AccountError::Link(LinkFault::Unknown)));
}

both! {
    guessing_a_password_has_to_wait_and_keeps_nobody_else_out,
    guessing_links_is_hopeless_and_has_to_wait,
    a_planted_session_is_not_taken_over_by_who_signs_in,
    a_stolen_cookie_is_worth_nothing_after_signing_out,
    a_form_of_another_session_is_forged,
    a_session_is_no_link_and_a_link_is_no_session,
}
