//! Links that let somebody in once.

use chorus_auth::accounts::{AccountError, Lasting, LinkFault, LinkKind, Opened};
use chorus_domain::{Code, identity::User};

use crate::{
    both,
    site::{ADA, DAY, HOUR, OTHER, PASSWORD, Site, client, fields, opened, refused},
};

const BRIEF: (Lasting, Option<&str>) = (Lasting::Brief, None);

async fn redeem(site: &Site, token: &str, password: &str) -> Result<Opened, AccountError> {
    site.accounts.redeem(client(1), token, password, BRIEF).await
}

async fn fault(site: &Site, token: &str) -> LinkFault {
    let presented = site.accounts.present(client(1), token).await;
    let used = redeem(site, token, OTHER).await;
    let AccountError::Link(fault) = refused(presented) else { panic!("another error") };
    assert!(matches!(refused(used), AccountError::Link(same) if same == fault));
    fault
}

async fn an_invitation_lets_somebody_new_choose_a_password(site: Site) {
    let ada = site.signed_in(&site.enter(Lasting::Brief).await).await;
    let invited = site.accounts.invite(&ada, " Bo@Example.com", " Bo ").await.unwrap();
    assert_eq!((invited.user.email.as_deref(), invited.user.display_name()), (Some("Bo@Example.com"), "Bo"));
    assert_eq!(invited.link.expires_at, site.now().plus_micros(7 * DAY));
    let token = invited.link.token.reveal();
    assert_eq!(invited.link.path(), format!("/join/{token}"));
    // Looking at it does not use it, however often.
    for _ in 0..3 {
        let shown = site.accounts.present(client(1), token).await.unwrap();
        assert_eq!((shown.kind, shown.name.as_str(), shown.has_password), (LinkKind::Invitation, "Bo", false));
        assert_eq!((shown.email.as_deref(), shown.company_name.as_str()), (Some("Bo@Example.com"), "Company"));
    }
    // A password that can't be taken leaves it as it is, and it is no way in without one.
    for bad in ["", "short", "BO@example.com"] {
        assert_eq!(fields(&refused(redeem(&site, token, bad).await)), ["password"]);
    }
    let without = site.accounts.enter(client(1), token, BRIEF).await;
    assert!(matches!(refused(without), AccountError::Link(LinkFault::Unknown)));
    let entered = redeem(&site, token, OTHER).await.unwrap();
    let bo = site.signed_in(&entered).await;
    assert_eq!((bo.user.id, bo.caller.company), (invited.user.id, site.company));
    assert_eq!(fault(&site, token).await, LinkFault::Used);
    assert_eq!(opened(site.attempt(client(2), "bo@example.com", OTHER).await).user.id, invited.user.id);
    let acts = site.acts().await;
    let expected = ["invite", "sign in", "sign in", "use link"].map(|act| format!("account browser user {act}"));
    assert_eq!(acts, expected);
}

async fn a_reset_ends_the_password_the_sessions_and_the_other_links(site: Site) {
    let before = site.enter(Lasting::Remembered).await;
    let (other, token) = (site.link(&site.ada, LinkKind::Reset).await, site.link(&site.ada, LinkKind::Reset).await);
    assert!(site.accounts.present(client(1), &token).await.unwrap().has_password);
    // Until it is used nothing is different.
    assert!(site.visit(&before).await.is_some());
    let after = redeem(&site, &token, OTHER).await.unwrap();
    assert!(site.visit(&before).await.is_none() && site.visit(&after).await.is_some());
    assert!(matches!(refused(site.attempt(client(2), ADA, PASSWORD).await), AccountError::Wrong));
    opened(site.attempt(client(2), ADA, OTHER).await);
    assert_eq!(fault(&site, &other).await, LinkFault::Unknown);
}

async fn a_sign_in_link_lets_the_first_user_in_with_or_without_a_password(site: Site) {
    let (with, without) =
        (site.link(&site.first, LinkKind::SignIn).await, site.link(&site.first, LinkKind::SignIn).await);
    let entered = site.accounts.enter(client(1), &without, BRIEF).await.unwrap();
    let who = site.signed_in(&entered).await;
    assert_eq!(who.user.password_hash, None);
    // Who has no password gives none to choose one.
    let chosen = site.accounts.change_password(client(1), &who, "", PASSWORD).await.unwrap();
    assert!(site.visit(&chosen).await.is_some());
    opened(site.attempt(client(2), "first@example.com", PASSWORD).await);
    assert_eq!(fault(&site, &with).await, LinkFault::Unknown, "the other link went with the choice");
    let another = site.link(&site.first, LinkKind::SignIn).await;
    let entered = redeem(&site, &another, OTHER).await.unwrap();
    assert!(site.visit(&chosen).await.is_none() && site.visit(&entered).await.is_some());
}

async fn links_expire(site: Site) {
    for (kind, lasts) in [(LinkKind::SignIn, DAY), (LinkKind::Reset, DAY), (LinkKind::Invitation, 7 * DAY)] {
        let (early, late) = (site.link(&site.first, kind).await, site.link(&site.ada, kind).await);
        site.pass(lasts - 1);
        redeem(&site, &early, OTHER).await.unwrap();
        site.pass(1);
        assert_eq!(fault(&site, &late).await, LinkFault::Expired);
    }
}

async fn who_is_suspended_is_let_in_by_no_link(site: Site) {
    let taken_back = site.link(&site.ada, LinkKind::Reset).await;
    site.suspend(&site.ada).await;
    assert_eq!(fault(&site, &taken_back).await, LinkFault::Unknown);
    let made_later = site.link(&site.ada, LinkKind::Reset).await;
    assert_eq!(fault(&site, &made_later).await, LinkFault::Suspended);
    assert_eq!(site.sessions(&site.ada).await, []);
}

async fn of_eight_who_use_a_link_at_once_one_is_let_in(site: Site) {
    let token = site.link(&site.first, LinkKind::SignIn).await;
    let attempts: Vec<_> = (0..8)
        .map(|n| {
            let (accounts, token) = (site.accounts.clone(), token.clone());
            tokio::spawn(async move {
                if n % 2 == 0 {
                    accounts.enter(client(n), &token, BRIEF).await
                } else {
                    accounts.redeem(client(n), &token, OTHER, BRIEF).await
                }
            })
        })
        .collect();
    let mut won = 0;
    for attempt in attempts {
        match attempt.await.unwrap() {
            Ok(_) => won += 1,
            Err(error) => assert!(matches!(error, AccountError::Link(LinkFault::Used)), "{error:?}"),
        }
    }
    assert_eq!((won, site.sessions(&site.first).await.len()), (1, 1));
}

async fn an_invitation_is_no_way_into_somebody_elses_account(site: Site) {
    let mine = site.link(&site.first, LinkKind::SignIn).await;
    let ada = site.signed_in(&site.enter(Lasting::Brief).await).await;
    let bo = site.person(site.company, "bo@example.com", Some(OTHER)).await;
    let bo_in = site.signed_in(&opened(site.attempt(client(2), "bo@example.com", OTHER).await)).await;
    // With a password or without, by whatever spelling.
    for email in ["first@example.com", "FIRST@example.com", "bo@example.com", ADA] {
        assert_eq!(fields(&refused(site.accounts.invite(&ada, email, "x").await)), ["email"], "{email}");
    }
    let invited = site.accounts.invite(&ada, "cy@example.com", "Cy").await.unwrap();
    assert_eq!(fields(&refused(site.accounts.invite(&bo_in, "cy@example.com", "x").await)), ["email"]);
    // The links of those others still work.
    site.accounts.present(client(1), &mine).await.unwrap();
    site.accounts.present(client(1), invited.link.token.reveal()).await.unwrap();
    // In another company the address is free.
    let there = site.abroad("There", "dee@example.com", OTHER).await;
    let dee = site.signed_in(&opened(site.attempt(client(3), "dee@example.com", OTHER).await)).await;
    let foreign = site.accounts.invite(&dee, "bo@example.com", "Bo").await.unwrap();
    assert_eq!((foreign.user.company, foreign.user.id == bo.id), (there.company, false));
    for (email, name, named) in
        [("no address", "x", &["email"][..]), ("e@example.com", " ", &["name"]), ("", "", &["email", "name"])]
    {
        assert_eq!(fields(&refused(site.accounts.invite(&ada, email, name).await)), named);
    }
}

async fn who_has_not_come_is_invited_again_by_the_same_person(site: Site) {
    let ada = site.signed_in(&site.enter(Lasting::Remembered).await).await;
    let first = site.accounts.invite(&ada, "bo@example.com", "Bo").await.unwrap();
    site.pass(HOUR);
    let second = site.accounts.invite(&ada, "BO@example.com", "Another name").await.unwrap();
    assert_eq!((second.user.id, second.user.display_name()), (first.user.id, "Bo"));
    assert_eq!(fault(&site, first.link.token.reveal()).await, LinkFault::Unknown);
    redeem(&site, second.link.token.reveal(), OTHER).await.unwrap();
    // Who has come is let in by nobody else any more.
    assert_eq!(fields(&refused(site.accounts.invite(&ada, "bo@example.com", "Bo").await)), ["email"]);
}

async fn who_is_suspended_meanwhile_invites_nobody(site: Site) {
    let ada = site.signed_in(&site.enter(Lasting::Brief).await).await;
    site.suspend(&site.ada).await;
    let AccountError::Refused(refusal) = refused(site.accounts.invite(&ada, "bo@example.com", "Bo").await) else {
        panic!("another error")
    };
    assert_eq!(refusal.code, Code::Forbidden);
    let known: Vec<User> = site.services.store.read().await.unwrap().operator().users(site.company).await.unwrap();
    assert_eq!(known.len(), 2);
}

both! {
    an_invitation_lets_somebody_new_choose_a_password,
    a_reset_ends_the_password_the_sessions_and_the_other_links,
    a_sign_in_link_lets_the_first_user_in_with_or_without_a_password,
    links_expire,
    who_is_suspended_is_let_in_by_no_link,
    of_eight_who_use_a_link_at_once_one_is_let_in,
    an_invitation_is_no_way_into_somebody_elses_account,
    who_has_not_come_is_invited_again_by_the_same_person,
    who_is_suspended_meanwhile_invites_nobody,
}
