//! Sessions: how long they last, and what ends them.

use chorus_auth::accounts::{AccountError, Lasting, SignIn};
use chorus_domain::{Code, Write};

use crate::{
    both,
    site::{ADA, DAY, HOUR, MINUTE, OTHER, PASSWORD, SECOND, Site, client, fields, opened, refused},
};

async fn a_session_goes_on_as_long_as_it_is_used(site: Site) {
    let opened = site.enter(Lasting::Brief).await;
    for _ in 0..5 {
        site.pass(59 * MINUTE);
        assert!(site.visit(&opened).await.is_some());
        site.noted(&site.ada).await;
    }
    site.pass(HOUR - 1);
    assert!(site.visit(&opened).await.is_some());
    site.noted(&site.ada).await;
    site.pass(HOUR);
    assert!(site.visit(&opened).await.is_none());
    // A visit that comes too late does not revive it.
    assert!(site.visit(&opened).await.is_none());
}

async fn a_remembered_session_lasts_seven_days_unused_and_thirty_at_most(site: Site) {
    let idle = site.enter(Lasting::Remembered).await;
    site.pass(7 * DAY - 1);
    assert!(site.visit(&idle).await.is_some());
    site.noted(&site.ada).await;
    site.pass(7 * DAY);
    assert!(site.visit(&idle).await.is_none());

    let busy = site.enter(Lasting::Remembered).await;
    for _ in 0..5 {
        site.pass(6 * DAY - 1);
        assert!(site.visit(&busy).await.is_some());
        site.noted(&site.ada).await;
    }
    site.pass(5);
    assert_eq!(busy.session.created_at.plus_micros(30 * DAY), site.now());
    assert!(site.visit(&busy).await.is_none());
}

async fn a_visit_is_one_statement_and_its_use_is_noted_once_a_minute(site: Site) {
    let opened = site.enter(Lasting::Brief).await;
    site.statements.take();
    for _ in 0..3 {
        site.pass(19 * SECOND);
        site.signed_in(&opened).await;
        assert_eq!(site.statements.take().len(), 1);
    }
    // Three seconds later a minute is over: one of many visits notes it.
    site.pass(3 * SECOND);
    for _ in 0..20 {
        site.signed_in(&opened).await;
    }
    site.noted(&site.ada).await;
    let statements = site.statements.take();
    let notes = statements.iter().filter(|statement| statement.to_uppercase().contains("UPDATE")).count();
    assert_eq!(notes, 1, "{statements:?}");
    // What has not the form of a token is asked for nowhere.
    for junk in ["", "x", "cho_", &"A".repeat(44), &format!("{}\0", "A".repeat(42))] {
        assert!(site.accounts.visit(junk).await.unwrap().is_none());
    }
    assert_eq!(site.statements.take(), [""; 0]);
    // To look again is no use.
    site.pass(2 * MINUTE);
    let who = site.sessions(&site.ada).await[0].last_seen_at;
    let signed_in = site.signed_in(&opened).await;
    site.noted(&site.ada).await;
    assert_ne!(site.sessions(&site.ada).await[0].last_seen_at, who);
    site.pass(2 * MINUTE);
    assert!(site.accounts.check_again(&signed_in).await.unwrap().is_some());
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert_eq!(site.sessions(&site.ada).await[0].last_seen_at.plus_micros(2 * MINUTE), site.now());
}

async fn whoever_signs_out_is_out_at_once(site: Site) {
    let (mine, other) = (site.enter(Lasting::Remembered).await, site.enter(Lasting::Brief).await);
    let who = site.signed_in(&mine).await;
    site.accounts.sign_out(&who).await.unwrap();
    assert!(site.visit(&mine).await.is_none());
    assert!(site.accounts.check_again(&who).await.unwrap().is_none());
    assert!(site.visit(&other).await.is_some());
    site.accounts.sign_out(&who).await.unwrap();
    let acts = site.acts().await;
    assert_eq!(acts.iter().filter(|act| act.ends_with("sign out")).count(), 1, "{acts:?}");
    let events = site.db.lines("SELECT entity_type || ' ' || action AS line FROM event").await;
    assert_eq!(events, ["user updated"], "streams of the session are told to look again");
}

async fn sessions_are_ended_one_by_one_elsewhere_or_everywhere(site: Site) {
    let mut all = Vec::new();
    for _ in 0..4 {
        site.pass(SECOND);
        all.push(site.enter(Lasting::Brief).await);
    }
    let bo = site.person(site.company, "bo@example.com", Some(OTHER)).await;
    let theirs = opened(site.attempt(client(2), "bo@example.com", OTHER).await);
    let who = site.signed_in(&all[0]).await;
    let listed = site.accounts.sessions(&who).await.unwrap();
    assert_eq!(listed.iter().map(|session| session.id).collect::<Vec<_>>(), {
        all.iter().rev().map(|opened| opened.session.id).collect::<Vec<_>>()
    });
    site.accounts.end_session(&who, all[3].session.id).await.unwrap();
    assert!(site.visit(&all[3]).await.is_none());
    // Neither again, nor somebody else's.
    for id in [all[3].session.id, theirs.session.id] {
        let AccountError::Refused(refusal) = refused(site.accounts.end_session(&who, id).await) else { panic!() };
        assert_eq!(refusal.code, Code::NotFound);
    }
    site.accounts.sign_out_elsewhere(&who).await.unwrap();
    assert!(site.visit(&all[0]).await.is_some() && site.visit(&all[1]).await.is_none());
    site.accounts.sign_out_elsewhere(&who).await.unwrap();
    site.accounts.sign_out_everywhere(&who).await.unwrap();
    assert!(site.visit(&all[0]).await.is_none());
    assert_eq!((site.sessions(&site.ada).await.len(), site.sessions(&bo).await.len()), (0, 1));
    // Those that are over are not listed, swept or not.
    let who = site.signed_in(&theirs).await;
    site.pass(HOUR);
    assert_eq!(site.accounts.sessions(&who).await.unwrap(), []);
    assert_eq!(site.sessions(&bo).await.len(), 1);
}

async fn another_password_ends_all_other_sessions_and_changes_the_token(site: Site) {
    let (mine, other) = (site.enter(Lasting::Remembered).await, site.enter(Lasting::Remembered).await);
    site.pass(DAY);
    let who = site.signed_in(&mine).await;
    let changed = site.accounts.change_password(client(1), &who, PASSWORD, OTHER).await.unwrap();
    assert_ne!(changed.token, mine.token);
    for gone in [&mine, &other] {
        assert!(site.visit(gone).await.is_none());
    }
    let after = site.signed_in(&changed).await;
    assert_eq!(after.session.lasting, Lasting::Remembered);
    assert_eq!(after.session.created_at, mine.session.created_at, "a new token is no new month");
    assert_ne!(after.csrf, who.csrf);
    assert!(matches!(refused(site.attempt(client(1), ADA, PASSWORD).await), AccountError::Wrong));
    opened(site.attempt(client(1), ADA, OTHER).await);
    // The session that was is no way in any more.
    let again = site.accounts.change_password(client(1), &who, PASSWORD, "one more good sentence").await;
    assert!(matches!(refused(again), AccountError::SignedOut));
}

async fn a_password_is_changed_by_who_knows_it_to_a_good_one(site: Site) {
    let who = site.signed_in(&site.enter(Lasting::Brief).await).await;
    let change =
        async |current, new| fields(&refused(site.accounts.change_password(client(1), &who, current, new).await));
    assert_eq!(change(OTHER, "one more good sentence").await, ["current"]);
    assert_eq!(change("", "one more good sentence").await, ["current"]);
    for bad in ["", "too short", ADA, "aaaaaaaaaaaaaa", &"long ".repeat(300)] {
        assert_eq!(change(PASSWORD, bad).await, ["password"], "{bad}");
    }
    opened(site.attempt(client(2), ADA, PASSWORD).await);
    // Guessing at it is as slow as from outside.
    let mut last = None;
    for _ in 0..10 {
        last = site.accounts.change_password(client(1), &who, OTHER, OTHER).await.err();
    }
    assert!(matches!(last, Some(AccountError::TooMany { .. })), "{last:?}");
}

async fn the_operator_ends_sessions_with_the_password_and_with_the_person(site: Site) {
    let before = site.enter(Lasting::Remembered).await;
    let who = site.signed_in(&before).await;
    site.set_password(&site.ada, OTHER).await;
    assert!(site.visit(&before).await.is_none());
    let before = opened(site.attempt(client(1), ADA, OTHER).await);
    site.suspend(&site.ada).await;
    assert!(site.visit(&before).await.is_none() && site.accounts.check_again(&who).await.unwrap().is_none());
    // Who comes back signs in again.
    site.write(vec![Write::ResumeUser(site.ada.id, site.now())]).await;
    assert!(site.visit(&before).await.is_none());
    opened(site.attempt(client(1), ADA, OTHER).await);
}

async fn who_signs_in_while_the_password_changes_does_not_slip_in_behind_it(site: Site) {
    let who = site.signed_in(&site.enter(Lasting::Brief).await).await;
    let attempts: Vec<_> = (0..8)
        .map(|n| {
            let accounts = site.accounts.clone();
            let wanted = SignIn { email: ADA, password: PASSWORD, lasting: Lasting::Brief, instead_of: None };
            tokio::spawn(async move { accounts.sign_in(client(n + 10), wanted).await.is_ok() })
        })
        .collect();
    let changed = site.accounts.change_password(client(1), &who, PASSWORD, OTHER).await.unwrap();
    for attempt in attempts {
        attempt.await.unwrap();
    }
    let left: Vec<_> = site.sessions(&site.ada).await.into_iter().map(|session| session.id).collect();
    assert_eq!(left, [changed.session.id]);
}

both! {
    a_session_goes_on_as_long_as_it_is_used,
    a_remembered_session_lasts_seven_days_unused_and_thirty_at_most,
    a_visit_is_one_statement_and_its_use_is_noted_once_a_minute,
    whoever_signs_out_is_out_at_once,
    sessions_are_ended_one_by_one_elsewhere_or_everywhere,
    another_password_ends_all_other_sessions_and_changes_the_token,
    a_password_is_changed_by_who_knows_it_to_a_good_one,
    the_operator_ends_sessions_with_the_password_and_with_the_person,
    who_signs_in_while_the_password_changes_does_not_slip_in_behind_it,
}
