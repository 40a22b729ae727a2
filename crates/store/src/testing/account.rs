//! Sessions of browsers, and links that let somebody in once.

use chorus_domain::{
    Subject, Write,
    account::{BrowserSession, Ending, Lasting, LinkKind, OneTimeLink},
    identity::{FormerUser, User},
};
use chorus_ids::{BrowserSessionId, LinkId, Timestamp, UserId};

use super::world::{DAWN, SCRIPTS, Shared, World, assert_discreet, at_once};
use crate::{Claimant, Error, Hold, Roots, Visitor};

const SECOND: i64 = 1_000_000;
const HOUR: i64 = 3_600 * SECOND;
const DAY: i64 = 24 * HOUR;

fn session(w: &World, user: UserId) -> BrowserSession {
    let id: BrowserSessionId = w.id();
    let now = w.tick();
    BrowserSession {
        id,
        user,
        token_hash: format!("hash of {id}"),
        lasting: Lasting::Brief,
        client: "Browser".into(),
        created_at: now,
        last_seen_at: now,
    }
}

fn link(w: &World, user: UserId) -> OneTimeLink {
    let id: LinkId = w.id();
    let now = w.tick();
    OneTimeLink {
        id,
        company: w.company,
        user,
        kind: LinkKind::Invitation,
        token_hash: format!("hash of {id}"),
        made_by: Subject::Operator,
        created_at: now,
        expires_at: now.plus_micros(DAY),
        used_at: None,
    }
}

async fn begin(w: &World, session: BrowserSession) -> BrowserSession {
    w.write([Write::NewBrowserSession(session.clone())]).await;
    session
}

async fn hand_out(w: &World, link: OneTimeLink) -> OneTimeLink {
    w.write([Write::NewLink(link.clone())]).await;
    link
}

async fn visitor(w: &World, session: &BrowserSession) -> Option<Visitor> {
    w.read().await.accounts().visitor(&session.token_hash).await.unwrap()
}

async fn sessions(w: &World, user: UserId) -> Vec<BrowserSession> {
    w.read().await.accounts().browser_sessions(user).await.unwrap()
}

async fn links(w: &World, user: UserId) -> Vec<OneTimeLink> {
    w.read().await.accounts().links_of(user).await.unwrap()
}

async fn user(w: &World, id: UserId) -> User {
    w.read().await.directory().user(id).await.unwrap().unwrap()
}

/// Forgets sessions in units of one row, until there is none to forget.
async fn forget(w: &World, now: Timestamp) -> usize {
    for forgotten in 0.. {
        let mut tx = w.begin().await;
        let count = tx.accounts().forget_browser_sessions(now, 1).await.unwrap();
        tx.commit().await.unwrap();
        if count == 0 {
            return forgotten;
        }
        assert_eq!(count, 1);
    }
    unreachable!("the numbers do not end")
}

pub async fn a_session_is_found_by_its_hash_with_its_person_and_the_first_user(store: &Shared) {
    let w = World::new(store).await;
    let mine = begin(&w, BrowserSession { client: SCRIPTS.into(), ..session(&w, w.user) }).await;
    let long = begin(&w, BrowserSession { lasting: Lasting::Remembered, ..session(&w, w.user) }).await;
    let abroad = w.abroad().await;
    let foreign = begin(&abroad, session(&abroad, abroad.user)).await;
    for (w, session) in [(&w, &mine), (&w, &long), (&abroad, &foreign)] {
        let expected = Visitor { session: session.clone(), user: user(w, w.user).await, first_user: Some(w.first) };
        assert_eq!(visitor(w, session).await, Some(expected));
    }
    for unknown in ["", "unknown", &mine.token_hash.to_uppercase()] {
        assert_eq!(w.read().await.accounts().visitor(unknown).await.unwrap(), None, "{unknown}");
    }
    let twin = BrowserSession { token_hash: mine.token_hash.clone(), ..session(&w, w.first) };
    let refused = w.try_write([Write::NewBrowserSession(twin)]).await.unwrap_err();
    assert_discreet(&refused);
}

pub async fn a_persons_sessions_are_listed_the_last_used_first(store: &Shared) {
    let w = World::new(store).await;
    let (old, new) = (begin(&w, session(&w, w.user)).await, begin(&w, session(&w, w.user)).await);
    begin(&w, session(&w, w.first)).await;
    assert_eq!(sessions(&w, w.user).await, [new.clone(), old.clone()]);
    let later = w.tick();
    let note = async |id, at| {
        let mut tx = w.begin().await;
        tx.accounts().note_visit(id, at).await.unwrap();
        tx.commit().await.unwrap();
    };
    note(old.id, later).await;
    let used = BrowserSession { last_seen_at: later, ..old.clone() };
    assert_eq!(sessions(&w, w.user).await, [used.clone(), new.clone()]);
    // No clock goes back, and nothing comes back.
    note(old.id, DAWN).await;
    note(w.id(), later).await;
    assert_eq!(sessions(&w, w.user).await, [used, new]);
}

pub async fn one_session_ends_or_all_but_one_or_all(store: &Shared) {
    let w = World::new(store).await;
    let theirs = begin(&w, session(&w, w.first)).await;
    let mut mine = Vec::new();
    for _ in 0..4 {
        mine.push(begin(&w, session(&w, w.user)).await);
    }
    let end = async |user, ending| w.write([Write::EndBrowserSessions(user, ending)]).await;
    let left = async || sessions(&w, w.user).await.iter().map(|session| session.id).collect::<Vec<_>>();
    end(w.user, Ending::One(mine[0].id)).await;
    assert_eq!(left().await, [mine[3].id, mine[2].id, mine[1].id]);
    assert_eq!(visitor(&w, &mine[0]).await, None);
    // Somebody else's does not end with it, nor does it end again.
    for id in [theirs.id, mine[0].id] {
        end(w.user, Ending::One(id)).await;
    }
    assert_eq!(left().await.len(), 3);
    end(w.user, Ending::AllBut(mine[2].id)).await;
    assert_eq!(left().await, [mine[2].id]);
    end(w.user, Ending::All).await;
    assert_eq!(left().await, []);
    assert_eq!(sessions(&w, w.first).await, [theirs]);
}

pub async fn sessions_that_are_over_are_forgotten(store: &Shared) {
    let w = World::new(store).await;
    let seen = |lasting, created_at: Timestamp, last_seen: i64| BrowserSession {
        lasting,
        created_at,
        last_seen_at: created_at.plus_micros(last_seen),
        ..session(&w, w.user)
    };
    let brief = begin(&w, seen(Lasting::Brief, DAWN, 0)).await;
    let used = begin(&w, seen(Lasting::Brief, DAWN, DAY)).await;
    let long = begin(&w, seen(Lasting::Remembered, DAWN, 0)).await;
    let busy = begin(&w, seen(Lasting::Remembered, DAWN, 29 * DAY)).await;
    let mut expected = [&brief, &used, &long, &busy].to_vec();
    let mut moments: Vec<Timestamp> = expected.iter().map(|session| session.ends_at()).collect();
    moments.sort_unstable();
    assert_eq!(moments, [HOUR, DAY + HOUR, 7 * DAY, 30 * DAY].map(|after| DAWN.plus_micros(after)));
    for moment in moments {
        assert_eq!(forget(&w, moment.plus_micros(-1)).await, 0, "{moment}");
        assert_eq!(forget(&w, moment).await, 1, "{moment}");
        expected.retain(|session| !session.is_over(moment));
        let left: Vec<_> = sessions(&w, w.user).await.into_iter().map(|session| session.id).collect();
        assert_eq!(left.len(), expected.len());
        assert!(expected.iter().all(|session| left.contains(&session.id)), "{moment}");
    }
}

pub async fn everybody_of_an_address_is_found_without_case_whatever_the_company(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    let address = |email: &str| Some(email.to_owned());
    let there = abroad.put(User { email: address("ADA.Müller@example.invalid"), ..abroad.new_user() }).await;
    let here = w.put(User { email: address("Ada.Müller@Example.invalid"), ..w.new_user() }).await;
    w.put(User { email: address("ada.muller@example.invalid"), ..w.new_user() }).await;
    let now = w.tick();
    w.write([Write::SuspendUser(here.id, now)]).await;
    let company = async |w: &World| {
        let companies = w.read().await.operator().companies().await.unwrap();
        companies.into_iter().find(|company| company.id == w.company).unwrap().name
    };
    let mut expected = [
        Claimant { user: there, company_name: company(&abroad).await },
        Claimant { user: User { suspended_at: Some(now), ..here }, company_name: company(&w).await },
    ];
    expected.sort_by_key(|claimant| claimant.user.created_at);
    let found = async |email| w.read().await.accounts().claimants(email).await.unwrap();
    assert_eq!(found("ada.MÜLLER@example.invalid").await, expected);
    assert_eq!(expected.iter().map(Claimant::company).collect::<Vec<_>>(), [w.company, abroad.company]);
    for nobody in ["", "ada.müller@example.invali_", "%"] {
        assert_eq!(found(nobody).await, [], "{nobody}");
    }
}

pub async fn a_link_is_found_by_its_hash_with_whom_it_lets_in(store: &Shared) {
    let w = World::new(store).await;
    let mut all = Vec::new();
    for (kind, made_by) in LinkKind::ALL.into_iter().zip([Subject::Operator, Subject::User(w.first), Subject::Operator])
    {
        all.insert(0, hand_out(&w, OneTimeLink { kind, made_by, ..link(&w, w.user) }).await);
    }
    let claimant = Claimant { user: user(&w, w.user).await, company_name: "Company".into() };
    for link in &all {
        let found = w.read().await.accounts().link(&link.token_hash).await.unwrap();
        assert_eq!(found, Some((link.clone(), claimant.clone())));
    }
    assert_eq!(links(&w, w.user).await, all);
    assert_eq!(links(&w, w.first).await, []);
    assert_eq!(w.read().await.accounts().link("unknown").await.unwrap(), None);
}

pub async fn one_of_eight_simultaneous_uses_of_a_link_wins(store: &Shared) {
    let w = World::new(store).await;
    let link = hand_out(&w, link(&w, w.user)).await;
    let now = w.tick();
    let results = at_once(8, |_| {
        let (store, link) = (w.store.clone(), link.clone());
        async move {
            let mut tx = store.begin().await?;
            let mut roots = Roots::default();
            roots.add(chorus_domain::Kind::User, link.user.uuid(), Hold::Own);
            tx.lock(&roots).await?;
            let used = chorus_domain::Batch { writes: vec![Write::UseLink(link.id, now)], ..Default::default() };
            let granted = chorus_domain::access::Granted::operator();
            match tx.apply(&granted, &used, &[]).await {
                Ok(()) => tx.commit().await,
                Err(error) => {
                    tx.rollback().await?;
                    Err(error)
                }
            }
        }
    })
    .await;
    let won = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!(won, 1, "{results:?}");
    assert!(results.iter().all(|result| matches!(result, Ok(()) | Err(Error::Again(_)))), "{results:?}");
    assert_eq!(links(&w, w.user).await, [OneTimeLink { used_at: Some(now), ..link }]);
}

pub async fn links_that_were_not_used_are_taken_back(store: &Shared) {
    let w = World::new(store).await;
    let used = hand_out(&w, OneTimeLink { used_at: Some(w.tick()), ..link(&w, w.user) }).await;
    hand_out(&w, link(&w, w.user)).await;
    let theirs = hand_out(&w, link(&w, w.first)).await;
    w.write([Write::DropLinks(w.user)]).await;
    assert_eq!(links(&w, w.user).await, [used]);
    assert_eq!(links(&w, w.first).await, [theirs]);
}

pub async fn links_that_expired_long_ago_are_forgotten(store: &Shared) {
    let w = World::new(store).await;
    let old = hand_out(&w, link(&w, w.user)).await;
    let new = hand_out(&w, link(&w, w.user)).await;
    let forget = async |before, limit| {
        let mut tx = w.begin().await;
        let count = tx.accounts().forget_links(before, limit).await.unwrap();
        tx.commit().await.unwrap();
        count
    };
    assert_eq!(forget(old.expires_at, 10).await, 0);
    assert_eq!(forget(new.expires_at, 10).await, 1);
    assert_eq!(links(&w, w.user).await, std::slice::from_ref(&new));
    hand_out(&w, link(&w, w.user)).await;
    assert_eq!(forget(new.expires_at.plus_micros(DAY), 1).await, 1);
    assert_eq!(links(&w, w.user).await.len(), 1);
}

pub async fn whoever_is_suspended_or_removed_has_no_session_and_no_link(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_user()).await.id;
    let (theirs, kept) = (begin(&w, session(&w, w.first)).await, hand_out(&w, link(&w, w.first)).await);
    for id in [w.user, other] {
        begin(&w, session(&w, id)).await;
        hand_out(&w, link(&w, id)).await;
    }
    w.write([Write::SuspendUser(w.user, w.tick())]).await;
    let gone = FormerUser { id: other, company: w.company, name: "Gone".into(), removed_at: w.tick() };
    w.write([Write::RemoveUser(gone)]).await;
    for id in [w.user, other] {
        assert_eq!((sessions(&w, id).await, links(&w, id).await), (vec![], vec![]));
    }
    assert_eq!((sessions(&w, w.first).await, links(&w, w.first).await), (vec![theirs], vec![kept]));
    // A session that begins all the same does not hide the suspension.
    let late = begin(&w, session(&w, w.user)).await;
    assert!(visitor(&w, &late).await.unwrap().user.suspended_at.is_some());
}

pub async fn invitations_that_still_work_are_listed_newest_first_with_whom_they_invite(store: &Shared) {
    let w = World::new(store).await;
    let invited = async |w: &World| {
        let user = w.put(w.new_user()).await;
        (hand_out(w, link(w, user.id)).await, user)
    };
    let (first, second) = (invited(&w).await, invited(&w).await);
    let (used, _) = invited(&w).await;
    let (_, withdrawn) = invited(&w).await;
    w.write([Write::UseLink(used.id, w.tick()), Write::DropLinks(withdrawn.id)]).await;
    hand_out(&w, OneTimeLink { kind: LinkKind::Reset, ..link(&w, w.user) }).await;
    invited(&w.abroad().await).await;
    let open =
        async |now: Timestamp, limit: u32| w.read().await.accounts().invitations(w.company, now, limit).await.unwrap();
    let now = w.tick();
    assert_eq!(open(now, 10).await, [second.clone(), first.clone()]);
    assert_eq!(open(now, 1).await, std::slice::from_ref(&second));
    // One whose time has come no longer works.
    assert_eq!(open(first.0.expires_at, 10).await, [second]);
}
