//! What agents and strangers try against people's browsers.

use chorus_testkit::Backend;

use crate::{
    chromium::{Chromium, Tab},
    town::Town,
};

/// Text that would run if it were ever taken for markup, an attribute, a link or a script.
pub(crate) const SCRIPT: &str = "<script>window.__ran=1</script><img src=x onerror=window.__ran=1>\"'><svg onload=window.__ran=1>\
     [link](javascript:window.__ran=1) ![pic](https://evil.invalid/x.png) <a href='javascript:window.__ran=1'>a</a> \
     <style>*{display:none}</style><iframe src=javascript:window.__ran=1></iframe> {{7*7}} ${window.__ran=1}";

/// Passes if nothing that was written runs, loads or styles anything on the page that is open.
pub(crate) async fn assert_harmless(tab: &Tab, path: &str) {
    let ran: bool = tab.eval("'__ran' in window").await;
    assert!(!ran, "{path}");
    let bad: Vec<String> = tab
        .eval(
            "[...document.querySelectorAll('main script, main style, main iframe, main img:not([src^=\"/assets/\"]), \
             main [onerror], main [onload], main [style], main a[href^=\"javascript:\" i], main a[href^=\"data:\" i]')]\
             .map((one) => one.outerHTML.slice(0, 200))",
        )
        .await;
    assert!(bad.is_empty(), "{path}: {bad:#?}");
    let open: Vec<String> = tab
        .eval(
            "[...document.querySelectorAll('main a[href^=\"http\"]')].filter((link) => \
             link.origin !== location.origin && !(link.relList.contains('noopener') && link.target === '_blank'))\
             .map((link) => link.outerHTML)",
        )
        .await;
    assert!(open.is_empty(), "{path}: {open:#?}");
    assert!(tab.requests().iter().all(|url| !url.contains("evil.invalid")), "{path} asks a stranger for a picture");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_an_agent_writes_runs_or_loads_in_a_browser() {
    let town = Town::new(Backend::Sqlite, SCRIPT).await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    let pages = chorus_console::paths().filter(|path| !path.contains("{token}"));
    for path in
        pages.chain(["/search?q=script", "/projects/{project}?view=tree", "/projects/{project}/tasks?view=graph"])
    {
        tab.requests();
        tab.goto(&town.fill(path).unwrap()).await;
        assert_harmless(&tab, path).await;
    }
    tab.assert_quiet();
    chromium.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_can_be_put_in_a_frame_of_another_site() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    let answer = chorus_testkit::http().get(format!("{}/sign-in", town.server.base())).send().await.unwrap();
    assert_eq!(answer.headers()["x-frame-options"], "DENY");
    assert!(answer.headers()["content-security-policy"].to_str().unwrap().contains("frame-ancestors 'none'"));
    let health = chorus_testkit::http().get(format!("{}/api/health", town.server.base())).send().await.unwrap();
    assert!(health.headers()["content-security-policy"].to_str().unwrap().contains("frame-ancestors 'none'"));
    // A page of the same address that frames another one sees nothing of it either.
    let framed: bool = tab
        .eval(
            "new Promise((done) => { const frame = document.createElement('iframe'); frame.src = '/'; \
             frame.addEventListener('load', () => { let seen = false; try { seen = frame.contentDocument?.body?.innerText.length > 0 } \
             catch {} done(seen); }); document.body.append(frame); setTimeout(() => done(false), 3000); })",
        )
        .await;
    assert!(!framed);
    chromium.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_cookie_is_worth_nothing_after_its_owner_signed_out() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    let (name, stolen) = tab.session().await;
    let with = async |cookie: &str| {
        let request = chorus_testkit::http().get(town.server.base()).header("cookie", format!("{name}={cookie}"));
        request.send().await.unwrap().url().path().to_owned()
    };
    assert_eq!(with(&stolen).await, "/");
    let readable: String = tab.eval("document.cookie").await;
    assert!(!readable.contains(&stolen), "scripts can read the session");
    tab.click("details.menu summary").await;
    tab.click("form[action='/sign-out'] button").await;
    tab.until_at("/sign-in").await;
    assert_eq!(with(&stolen).await, "/sign-in");
    tab.assert_quiet();
    chromium.close().await;
}
