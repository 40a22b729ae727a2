//! Invitations in pages: who was invited, by whom, and how one is taken back.

use chorus_testkit::Backend;
use http::StatusCode;

use crate::{backends, house::House};

const ACCOUNT: &str = "/settings/account";

async fn an_invitation_is_listed_until_it_is_taken_back(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let (mut ann, mut bob) = (house.signed_in(ann).await, house.signed_in(bob).await);
    let page = ann.page(ACCOUNT).await;
    assert!(!page.has("[data-part='invitations']"));
    let fields = [("email", "cy@example.com"), ("name", "Cy <b>bold</b>")];
    let invited = ann.submit(&page, "#invite", &fields).await;
    assert_eq!(invited.status, StatusCode::OK, "{}", invited.body);
    let link = invited.text("#invitation-link");
    let path = link.strip_prefix("http://127.0.0.1:8637").unwrap();
    house.browser().page(path).await;
    let listed = invited.text("[data-part='invitations'] li");
    assert!(listed.starts_with("Cy <b>bold</b> cy@example.com invited by ann"), "{listed}");

    // Everybody of the company sees that somebody comes, and only who invited them takes it back.
    let seen = bob.page(ACCOUNT).await;
    assert!(seen.text("[data-part='invitations']").contains("cy@example.com"));
    assert!(!seen.has("[data-part='invitations'] form"));
    let action = invited.attribute("[data-part='invitations'] form", "action").unwrap();
    let csrf = seen.attribute("[name='_csrf']", "value").unwrap();
    assert_eq!(bob.post(&action, &[("_csrf", &csrf)]).await.status, StatusCode::NOT_FOUND);
    assert_eq!(ann.post(&action, &[("_csrf", &csrf)]).await.status, StatusCode::CONFLICT, "a form of somebody else's");
    house.browser().page(path).await;

    let page = ann.follow(&invited, "[data-part='invitations'] form", &[]).await;
    assert_eq!(page.text(".notice"), "The invitation was taken back.");
    assert!(!page.has("[data-part='invitations']"));
    assert_ne!(house.browser().get(path).await.status, StatusCode::OK);
    // Who never came in went with it, so that anybody can invite them.
    let again = bob.submit(&seen, "#invite", &fields).await;
    assert_eq!(again.status, StatusCode::OK, "{}", again.body);
}

backends!(an_invitation_is_listed_until_it_is_taken_back);
