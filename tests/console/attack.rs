//! What strangers try against people who are signed in: forms of other sites, sessions that were planted, links that are
//! guessed, answers that lead elsewhere. What needs a browser to be seen is in `tests/browser`.

use std::collections::BTreeSet;

use chorus_auth::{
    Moment,
    accounts::{LinkKind, NewToken, create_link},
};
use chorus_domain::{Subject, Write};
use chorus_ids::UserId;
use chorus_testkit::Backend;
use http::StatusCode;

use crate::{
    backends,
    house::{Browser, House, Page},
};

/// Where an attacker would like people to be led.
const ELSEWHERE: &[&str] = &[
    "https://evil.example/",
    "//evil.example/",
    "///evil.example/",
    "/\\evil.example/",
    "\\\\evil.example/",
    "/\t/evil.example/",
    "\t//evil.example/",
    "/\r\nLocation: https://evil.example/",
    " https://evil.example/",
    "javascript:window.__ran=1",
    "data:text/html,x",
    "http:evil.example",
    "evil.example",
];

/// Passes if a browser that is told to go there stays on this server.
fn assert_stays(page: &Page, from: &str) {
    let here: reqwest::Url = "http://127.0.0.1:8637/".parse().unwrap();
    let to = here.join(page.location()).unwrap_or_else(|error| panic!("{from} leads to {}: {error}", page.location()));
    assert_eq!(to.origin(), here.origin(), "{from} leads to {to}");
}

/// A form's path with something in its places.
fn filled(path: &str, tool: &str) -> String {
    let nothing = "0192f3a0-7d4c-7b1e-9a55-000000000001";
    let path = path.replace("{tool}", tool).replace("{token}", "guess");
    path.split('/').map(|part| if part.starts_with('{') { nothing } else { part }).collect::<Vec<_>>().join("/")
}

async fn no_form_is_taken_without_the_proof_of_its_session(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let (mut ann, mut bob) = (house.signed_in(ann).await, house.signed_in(bob).await);
    let theirs = bob.page("/").await.attribute("[name='_csrf']", "value").unwrap();
    let before = house.stored().await;
    let mut tried = 0;
    for path in chorus_console::forms().filter(|form| form.needs_session).map(|form| form.path) {
        for csrf in [None, Some(""), Some("x"), Some(theirs.as_str())] {
            let mut fields =
                vec![("name", "Planted"), ("password", "correct horse battery"), ("email", "p@example.com")];
            fields.extend(csrf.map(|csrf| ("_csrf", csrf)));
            let refused = ann.post(&filled(path, "chorus_admin_create_project"), &fields).await;
            assert_eq!(refused.status, StatusCode::CONFLICT, "{path} with {csrf:?}: {}", refused.body);
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
    assert_eq!(house.stored().await, before, "something was done");
}

async fn who_is_not_signed_in_can_send_no_form_of_a_session(backend: Backend) {
    let house = House::new(backend).await;
    let before = house.stored().await;
    for path in chorus_console::forms().filter(|form| form.needs_session).map(|form| form.path) {
        let sent = house.browser().post(&filled(path, "chorus_admin_create_project"), &[("name", "Planted")]).await;
        assert_eq!(
            (sent.status, sent.location().split('?').next()),
            (StatusCode::SEE_OTHER, Some("/sign-in")),
            "{path}"
        );
    }
    assert_eq!(house.stored().await, before, "something was done");
}

/// The session that a browser has.
fn session(browser: &Browser<'_>) -> String {
    let found = browser.cookies.iter().find(|(name, _)| name == "chorus_session");
    found.map(|(_, value)| value.clone()).unwrap_or_default()
}

async fn link(house: &House, user: UserId, kind: LinkKind) -> String {
    let services = &house.world.services;
    let row = services.store.read().await.unwrap().directory().user(user).await.unwrap().unwrap();
    let token = NewToken::generate(&mut rand::rng());
    let moment = Moment { now: services.clock.now(), ids: services.ids.as_ref() };
    house.world.write(vec![Write::NewLink(create_link(moment, &row, kind, Subject::Operator, &token))]).await;
    format!("/{}/{}", kind.path(), token.reveal())
}

const PASSWORD: &str = "correct horse battery";

async fn a_session_that_was_planted_is_never_anybody_elses(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, eve) = (house.world.user("ann").await, house.world.user("eve").await);
    let mut victim = house.browser();
    let page = victim.page(&link(&house, ann, LinkKind::Reset).await).await;
    victim.submit(&page, "form.stack", &[("password", PASSWORD), ("again", PASSWORD)]).await;
    let eves = session(&house.signed_in(eve).await);
    // One of the attacker's own, and one that was never given out; by signing in and by a link.
    for planted in [eves.as_str(), "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"] {
        let by_link = link(&house, ann, LinkKind::SignIn).await;
        for way in ["/sign-in", by_link.as_str()] {
            let mut victim = house.browser();
            victim.set("chorus_session", planted);
            let email = house.stored().await;
            assert!(email.contains("ann."), "the address is stored");
            let address = format!("ann.{}@example.com", house.world.company);
            let entered = match way {
                "/sign-in" => victim.post(way, &[("email", &address), ("password", PASSWORD)]).await,
                link => victim.post(link, &[("password", PASSWORD), ("again", PASSWORD)]).await,
            };
            assert_eq!(entered.status, StatusCode::SEE_OTHER, "{way}: {}", entered.body);
            assert_ne!(session(&victim), planted, "{way}: the session is a new one");
            assert!(victim.page("/settings/account").await.body.contains(&address), "{way}");
            // Whoever planted it is not let in by it as the victim.
            let mut attacker = house.browser();
            attacker.set("chorus_session", planted);
            let seen = attacker.get("/settings/account").await;
            assert!(!seen.body.contains(&address), "{way}");
        }
    }
}

async fn a_link_that_does_not_work_does_not_say_why(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    for kind in LinkKind::ALL {
        let used = link(&house, ann, kind).await;
        let mut browser = house.browser();
        let page = browser.page(&used).await;
        let taken = browser.submit(&page, "form.stack", &[("password", PASSWORD), ("again", PASSWORD)]).await;
        assert_eq!(taken.status, StatusCode::SEE_OTHER, "{}", taken.body);
        let expired = {
            let services = &house.world.services;
            let row = services.store.read().await.unwrap().directory().user(ann).await.unwrap().unwrap();
            let token = NewToken::generate(&mut rand::rng());
            let now = services.clock.now();
            let moment = Moment { now, ids: services.ids.as_ref() };
            let mut old = create_link(moment, &row, kind, Subject::Operator, &token);
            old.created_at = now.plus_micros(-30 * 24 * 3_600 * 1_000_000);
            old.expires_at = now.plus_micros(-1);
            house.world.write(vec![Write::NewLink(old)]).await;
            format!("/{}/{}", kind.path(), token.reveal())
        };
        let never = format!("/{}/{}", kind.path(), NewToken::generate(&mut rand::rng()).reveal());
        let broken = format!("/{}/guess", kind.path());
        let mut asked = BTreeSet::new();
        let mut sent = BTreeSet::new();
        for path in [&used, &expired, &never, &broken] {
            let same = |page: Page| (page.status.as_u16(), page.body.replace(path.as_str(), "LINK"));
            asked.insert(same(house.browser().get(path).await));
            let fields = [("password", PASSWORD), ("again", PASSWORD)];
            sent.insert(same(house.browser().post(path, &fields).await));
        }
        assert_eq!((asked.len(), sent.len()), (1, 1), "{kind:?} tells apart: {asked:#?} {sent:#?}");
    }
}

async fn links_can_be_guessed_so_often_and_no_more(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let works = link(&house, ann, LinkKind::Reset).await;
    let mut statuses = BTreeSet::new();
    let mut throttled = None;
    for guess in 0..200 {
        let kind = LinkKind::ALL[guess % 3];
        let page =
            house.browser().get(&format!("/{}/{}", kind.path(), NewToken::generate(&mut rand::rng()).reveal())).await;
        statuses.insert(page.status.as_u16());
        if page.status == StatusCode::TOO_MANY_REQUESTS {
            throttled = Some(guess);
            break;
        }
    }
    assert_eq!(statuses, BTreeSet::from([404, 429]));
    assert!(throttled.is_some_and(|at| (50..=110).contains(&at)), "{throttled:?}");
    // Nor is one that works told apart then.
    for path in [works.as_str(), "/reset/guess"] {
        let page = house.browser().get(path).await;
        assert_eq!(page.status, StatusCode::TOO_MANY_REQUESTS, "{path}: {}", page.body);
        assert!(!page.has("form.stack"), "{path}");
    }
}

async fn no_answer_leads_to_another_server(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let mut browser = house.signed_in(ann).await;
    let csrf = browser.page("/").await.attribute("[name='_csrf']", "value").unwrap();
    for evil in ELSEWHERE {
        let asked: String = form_urlencoded::byte_serialize(evil.as_bytes()).collect();
        for parameter in ["next", "_next", "back", "url", "return", "redirect"] {
            let path = format!("/sign-in?{parameter}={asked}");
            assert_stays(&browser.get(&path).await, &path);
            let hidden = house.browser().page(&path).await.attribute("[name='next']", "value");
            assert_eq!(hidden.as_deref(), Some("/"), "{path}");
        }
        // Every form with every name under which any form names a page.
        let fields = |names: &[&'static str]| {
            let mut fields: Vec<(&str, &str)> = vec![("_csrf", &csrf), ("all", "true"), ("theme", "dark")];
            fields.extend(names.iter().map(|name| (*name, *evil)));
            fields.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<Vec<_>>()
        };
        for form in chorus_console::forms().filter(|form| form.path != "/sign-out") {
            let fields = fields(&["_next", "next", "_blocked", "_done"]);
            let fields: Vec<(&str, &str)> =
                fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let path = filled(form.path, "chorus_mark_notification_read");
            let answered = browser.post(&path, &fields).await;
            assert_stays(&answered, &path);
            let ends = path.ends_with("/look") || path.contains("/do/");
            assert!(!ends || answered.status == StatusCode::SEE_OTHER, "{path}: {}", answered.body);
            assert!(!answered.body.contains("evil.example\""), "{path}: {}", answered.body);
        }
        let wrong =
            house.browser().post("/sign-in", &[("next", evil), ("email", "a@example.com"), ("password", "x")]).await;
        assert_eq!(wrong.attribute("[name='next']", "value").as_deref(), Some("/"), "{evil}");
    }
    // Who is not signed in is sent to do so, and from there to no other server.
    for evil in ["//evil.example/", "/\\evil.example"] {
        assert_stays(&house.browser().get(evil).await, evil);
    }
}

backends!(
    no_form_is_taken_without_the_proof_of_its_session,
    who_is_not_signed_in_can_send_no_form_of_a_session,
    a_session_that_was_planted_is_never_anybody_elses,
    a_link_that_does_not_work_does_not_say_why,
    links_can_be_guessed_so_often_and_no_more,
    no_answer_leads_to_another_server,
);
