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

/// Every path of the console, with something in its places, and whether a form is sent there.
fn every_path(town: &Town) -> Vec<(String, bool)> {
    let nothing = "0192f3a0-7d4c-7b1e-9a55-000000000001";
    let fill = |path: &str| {
        let path = path.replace("{tool}", "chorus_mark_notification_read");
        let path = town.fill(&path).unwrap_or(path);
        path.split('/').map(|part| if part.starts_with('{') { nothing } else { part }).collect::<Vec<_>>().join("/")
    };
    let pages = chorus_console::paths().map(|path| (fill(path), false));
    let others = ["/nowhere", "/api/health", "/api/nowhere", "/favicon.ico"].map(|path| (path.to_owned(), false));
    pages.chain(chorus_console::forms().map(|form| (fill(form.path), true))).chain(others).collect()
}

/// A client that follows no redirects: what they carry counts too.
fn plain_client() -> reqwest::Client {
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_can_be_put_in_a_frame_of_another_site() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    let (name, value) = tab.session().await;
    let http = plain_client();
    for (path, is_form) in every_path(&town) {
        for cookie in ["", &format!("{name}={value}")] {
            let url = format!("{}{path}", town.server.base());
            let request = if is_form { http.post(&url).body("a=b") } else { http.get(&url) };
            let answer = request.header("accept", "text/html").header("cookie", cookie).send().await.unwrap();
            let header = |name: &str| answer.headers().get(name).map_or("", |line| line.to_str().unwrap()).to_owned();
            let said = format!("{path} ({})", answer.status());
            assert_eq!(header("x-frame-options"), "DENY", "{said}");
            assert!(header("content-security-policy").contains("frame-ancestors 'none'"), "{said}");
            assert!(!header("content-security-policy").contains("unsafe"), "{said}");
            assert_eq!(header("x-content-type-options"), "nosniff", "{said}");
            assert!(["no-referrer", "same-origin"].contains(&header("referrer-policy").as_str()), "{said}");
            assert!(header("access-control-allow-origin").is_empty(), "{said}");
        }
    }
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

#[tokio::test(flavor = "multi_thread")]
async fn no_form_of_another_site_is_listened_to() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    let (name, value) = tab.session().await;
    let csrf: String = tab.eval("document.querySelector('[name=_csrf]').value").await;
    let (http, base) = (plain_client(), town.server.base());
    let sent = async |path: &str, origin: &str| {
        let body = format!("_csrf={csrf}&all=true&_next=/");
        let request =
            http.post(format!("{base}{path}")).header("origin", origin).header("cookie", format!("{name}={value}"));
        let request = request.header("content-type", "application/x-www-form-urlencoded").body(body);
        request.send().await.unwrap().status().as_u16()
    };
    // Even with the proof of the session in it.
    for (path, _) in every_path(&town).into_iter().filter(|(_, is_form)| *is_form) {
        for origin in ["https://evil.example", "null", "http://localhost.evil.example"] {
            assert_eq!(sent(&path, origin).await, 403, "{path} from {origin}");
        }
    }
    assert_eq!(sent("/do/chorus_mark_notification_read", base).await, 303, "our own page may");
    // A browser sends nothing of ours along with what another site's page sends.
    let form =
        "data:text/html,<form method=post action='BASE/do/chorus_mark_notification_read'><button>x</button></form>";
    let strangers = chromium.open(base, &form.replace("BASE", base)).await;
    strangers.click("button").await;
    strangers.until("location.href.startsWith('http')").await;
    assert!(strangers.sees("Origin").await, "it says that pages of that origin may not");
    chromium.close().await;
}

/// The most memory that the server has ever taken, in MiB.
fn peak(town: &Town) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", town.server.process_id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1_024
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_too_long_is_refused_in_words_and_fills_no_memory() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    // More than the field takes, and more than a form takes; what was written stays there.
    for bytes in [(1 << 20) + 1, 5 << 20] {
        tab.goto(&town.fill("/projects/{project}/ideas/new").unwrap()).await;
        tab.fill("[data-form='idea'] [name='title']", "Long").await;
        tab.eval::<bool>(&format!(
            "((document.querySelector(\"[data-form='idea'] textarea\").value = 'a'.repeat({bytes})), true)"
        ))
        .await;
        tab.click("[data-form='idea'] button.primary").await;
        let told = "[data-form='idea'] :is(.form-error:not([hidden]), .field-error)";
        tab.until(&format!("document.querySelector(\"{told}\")?.innerText.length > 10")).await;
        let kept: usize = tab.eval("document.querySelector(\"[data-form='idea'] textarea\").value.length").await;
        assert_eq!(kept, bytes);
    }
    // Without script the answer is a page.
    let (name, value) = tab.session().await;
    let before = peak(&town);
    let huge = bytes::Bytes::from(vec![b'a'; 32 << 20]);
    let send = |path: &str, bytes: usize| {
        let request = plain_client().post(format!("{}{path}", town.server.base())).header("accept", "text/html");
        request.header("cookie", format!("{name}={value}")).body(huge.slice(..bytes)).send()
    };
    let answer = send("/do/chorus_pm_create_idea", 5 << 20).await.unwrap();
    assert_eq!(answer.status(), 413);
    let page = answer.text().await.unwrap();
    assert!(page.contains("<h1>") && page.contains("4 MiB"), "{page}");
    let many = (0..24).map(|n| send(if n % 2 == 0 { "/do/chorus_pm_create_idea" } else { "/sign-in" }, 32 << 20));
    for answered in futures_util::future::join_all(many).await {
        // Whoever goes on sending may be cut off before the answer is read.
        assert!(answered.is_err() || answered.is_ok_and(|answer| [413, 503].contains(&answer.status().as_u16())));
    }
    let grown = peak(&town).saturating_sub(before);
    assert!(grown < 160, "24 uploads of 32 MiB took {grown} MiB");
    tab.goto("/").await;
    assert!(tab.sees("Offline sync").await, "others are served");
    tab.assert_quiet();
    chromium.close().await;
}
