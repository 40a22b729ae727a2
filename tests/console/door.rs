//! Who comes in, what every answer carries, and what is not there.

use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use http::StatusCode;

use crate::{backends, house::House};

async fn who_is_not_signed_in_is_sent_to_do_so_and_comes_back(backend: Backend) {
    let house = House::new(backend).await;
    let mut browser = house.browser();
    let sent = browser.get("/projects?sort=name").await;
    assert_eq!((sent.status, sent.location()), (StatusCode::SEE_OTHER, "/sign-in?next=%2Fprojects%3Fsort%3Dname"));
    let page = browser.page(sent.location()).await;
    assert_eq!(
        page.attribute("form[action='/sign-in'] [name='next']", "value").as_deref(),
        Some("/projects?sort=name")
    );
    let refused =
        browser.submit(&page, "form[action='/sign-in']", &[("email", "a@example.com"), ("password", "no")]).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    assert!(refused.text(".form-error").contains("do not go together"), "{}", refused.body);
    assert_eq!(
        refused.attribute("[name='email']", "value").as_deref(),
        Some("a@example.com"),
        "nothing is typed twice"
    );
}

async fn nobody_is_sent_to_another_server(backend: Backend) {
    let house = House::new(backend).await;
    let page = house.browser().page("/sign-in?next=https%3A%2F%2Fevil.example").await;
    assert_eq!(page.attribute("[name='next']", "value").as_deref(), Some("/"));
    let user = house.world.user("ann").await;
    let sent = house.signed_in(user).await.get("/sign-in?next=%2F%2Fevil.example").await;
    assert_eq!(sent.location(), "/");
}

async fn a_form_of_somebody_elses_making_does_nothing(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let (mut ann, mut bob) = (house.signed_in(ann).await, house.signed_in(bob).await);
    let theirs = bob.page("/").await.attribute("[name='_csrf']", "value").unwrap();
    for csrf in ["", "x", &theirs] {
        let fields = [("_csrf", csrf), ("name", "Planted"), ("_next", "/")];
        let refused = ann.post("/do/chorus_admin_create_project", &fields).await;
        assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);
    }
    let refused = ann.post("/sign-out", &[("_csrf", &theirs)]).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let own = ann.page("/").await.attribute("[name='_csrf']", "value").unwrap();
    let done = ann.post("/do/chorus_admin_create_project", &[("_csrf", &own), ("name", "Real"), ("_next", "/")]).await;
    assert_eq!((done.status, done.location()), (StatusCode::SEE_OTHER, "/"));
}

async fn a_session_is_over_when_its_owner_signs_out(backend: Backend) {
    let house = House::new(backend).await;
    let user = house.world.user("ann").await;
    let mut browser = house.signed_in(user).await;
    let stolen = browser.clone();
    let page = browser.page("/").await;
    let out = browser.submit(&page, "form[action='/sign-out']", &[]).await;
    assert_eq!((out.status, out.location()), (StatusCode::SEE_OTHER, "/sign-in"));
    for mut left in [browser, stolen] {
        assert_eq!(left.get("/").await.location(), "/sign-in");
    }
}

async fn every_page_is_for_its_reader_alone_and_runs_nothing_but_ours(backend: Backend) {
    let house = House::new(backend).await;
    let user = house.world.user("ann").await;
    let mut browser = house.signed_in(user).await;
    for path in ["/", "/sign-in?x", "/nowhere"] {
        let page = browser.get(path).await;
        let header = |name: &str| page.headers.get(name).map_or("", |line| line.to_str().unwrap()).to_owned();
        if page.status != StatusCode::SEE_OTHER {
            let policy = header("content-security-policy");
            assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{path}: {policy}");
            assert!(!page.has("[style], style, script:not([src]), [onclick], [onload]"), "{path}");
        }
        assert_eq!(header("cache-control"), "no-store", "{path}");
    }
}

async fn what_is_hidden_is_the_page_of_what_is_not_there(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let hidden = house.world.project("Hidden", Visibility::Private, &[(ann, Role::Admin)]).await;
    let mut bob = house.signed_in(bob).await;
    let of = async |bob: &mut crate::house::Browser<'_>, path: String| {
        let page = bob.get(&path).await;
        let words = page.body.lines().filter(|line| !line.contains("_next") && !line.contains("data-back"));
        (page.status, words.collect::<Vec<_>>().join("\n"))
    };
    let missing = of(&mut bob, "/projects/0192f3a0-7d4c-7b1e-9a55-000000000001".to_owned()).await;
    assert_eq!(missing.0, StatusCode::NOT_FOUND);
    assert_eq!(of(&mut bob, format!("/projects/{hidden}")).await, missing);
}

async fn pages_speak_the_language_that_is_asked_for_or_chosen(backend: Backend) {
    let house = House::new(backend).await;
    let mut browser = house.browser();
    browser.language = "ja, en;q=0.5";
    let page = browser.page("/sign-in").await;
    assert_eq!((page.attribute("html", "lang").as_deref(), page.text("h1").as_str()), (Some("ja"), "サインイン"));
    let chosen = browser.follow(&page, "form.look", &[("language", "ko"), ("theme", "dark")]).await;
    assert_eq!(chosen.attribute("html", "lang").as_deref(), Some("ko"));
    assert_eq!(chosen.attribute("html", "data-theme").as_deref(), Some("dark"));
}

backends!(
    who_is_not_signed_in_is_sent_to_do_so_and_comes_back,
    nobody_is_sent_to_another_server,
    a_form_of_somebody_elses_making_does_nothing,
    a_session_is_over_when_its_owner_signs_out,
    every_page_is_for_its_reader_alone_and_runs_nothing_but_ours,
    what_is_hidden_is_the_page_of_what_is_not_there,
    pages_speak_the_language_that_is_asked_for_or_chosen,
);
