//! What holds for every page of the console's table: nobody is shut out, nothing is wrong, nothing is heavy.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use chorus_console::Language;
use chorus_testkit::Backend;

use crate::{
    axe,
    chromium::{Chromium, Tab},
    town::Town,
};

/// Pages that are reached by a link that works once; each has a test of its own.
const BY_LINK: &[&str] = &["/enter/{token}", "/join/{token}", "/reset/{token}"];

/// Every page that can be asked for, as this town has it.
fn pages(town: &Town) -> Vec<String> {
    let pages: Vec<String> = chorus_console::paths()
        .filter(|path| !BY_LINK.contains(path))
        .map(|path| town.fill(path).unwrap_or_else(|| panic!("the town has nothing for {path}")))
        .chain(VIEWS.iter().map(|path| town.fill(path).unwrap()))
        .collect();
    assert!(pages.len() > 20, "{pages:?}");
    pages
}

/// Other ways to look at a page.
const VIEWS: &[&str] = &[
    "/projects/{project}?view=tree",
    "/projects/{project}/tasks?view=list",
    "/projects/{project}/tasks?view=graph",
    "/search?q=merge",
    "/nowhere",
];

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_accessible_in_light_and_dark_and_fits_a_phone() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    let (axe, mut wrong) = (axe(), Vec::new());
    for path in pages(&town) {
        for scheme in ["light", "dark"] {
            tab.scheme(scheme).await;
            if scheme == "light" {
                tab.goto(&path).await;
            }
            wrong.extend(tab.violations(&axe).await.into_iter().map(|found| format!("{path} ({scheme}): {found}")));
        }
        tab.resize(390, 844).await;
        let overhang = tab.overhang().await;
        if overhang > 0 {
            wrong.push(format!("{path} is {overhang} pixels too wide for a phone"));
        }
        tab.resize(1280, 900).await;
    }
    tab.assert_quiet();
    assert!(wrong.is_empty(), "{wrong:#?}");
    chromium.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_takes_one_request_and_its_style_and_script_one_each() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    for path in pages(&town) {
        tab.requests();
        tab.goto(&path).await;
        let requests = tab.requests();
        let of = |ending: &str| requests.iter().filter(|url| url.contains(ending)).count();
        assert!(of(".css") <= 1 && of(".js") <= 1, "{path}: {requests:?}");
        let others: Vec<_> = requests
            .iter()
            .filter(|url| !url.contains("/assets/") && !url.contains("/api/events") && !url.starts_with("data:"))
            .collect();
        assert!(others.len() <= 1, "{path}: {others:?}");
        assert!(
            requests.iter().all(|url| url.starts_with(town.server.base()) || url.starts_with("data:")),
            "{requests:?}"
        );
    }
    tab.assert_quiet();
    chromium.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_speaks_every_language() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    for language in Language::ALL {
        tab.goto("/settings").await;
        tab.choose("main [name='language'], [name='language']", language.tag()).await;
        tab.until(&format!(
            "document.documentElement.lang === '{}' && document.readyState === 'complete'",
            language.tag()
        ))
        .await;
        for path in pages(&town) {
            tab.goto(&path).await;
            // Commands and code are the same in every language.
            let said: String = tab
                .eval("(() => { const copy = document.body.cloneNode(true); for (const code of copy.querySelectorAll('pre, code')) code.remove(); return copy.textContent; })()")
                .await;
            // A key that has no text is shown as it is.
            let raw: Vec<&str> = said
                .split_whitespace()
                .filter(|word| {
                    word.matches('-').count() >= 2 && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
                })
                .collect();
            assert!(raw.is_empty(), "{path} in {}: {raw:?}", language.name());
        }
    }
    assert!(!town.server.log().contains("a text is"), "{}", town.server.log());
    tab.assert_quiet();
    chromium.close().await;
}

/// Writes a picture of every page in both themes to the folder that `CHORUS_SCREENSHOTS` names: `just screenshots`.
#[tokio::test(flavor = "multi_thread")]
async fn pictures_of_every_page_are_written_where_that_is_wanted() {
    let Some(folder) = env::var_os("CHORUS_SCREENSHOTS").map(PathBuf::from) else { return };
    fs::create_dir_all(&folder).unwrap();
    let town = Town::in_full_swing().await;
    let chromium = Chromium::launch().await;
    // Who is signed in never sees these.
    let tab = chromium.open(town.server.base(), "/sign-in").await;
    pictures(&tab, &folder, "sign-in").await;
    tab.goto(&town.link(town.owner).await).await;
    pictures(&tab, &folder, "enter-token").await;
    tab.click("form [name='later'] ~ button").await;
    tab.until_at("/").await;
    let pages = chorus_console::paths().filter(|path| !BY_LINK.contains(path) && *path != "/sign-in");
    for path in pages.chain(VIEWS.iter().copied()) {
        tab.goto(&town.fill(path).unwrap()).await;
        pictures(&tab, &folder, &name(path)).await;
    }
    chromium.close().await;
}

/// The page that is open in both themes, and as on a phone.
async fn pictures(tab: &Tab, folder: &Path, name: &str) {
    tab.resize(1280, 800).await;
    for scheme in ["dark", "light"] {
        tab.scheme(scheme).await;
        tab.picture(&folder.join(format!("{name}.{scheme}.png"))).await;
    }
    tab.resize(390, 844).await;
    tab.reload().await;
    tab.picture(&folder.join(format!("{name}.phone.png"))).await;
    tab.resize(1280, 800).await;
}

/// A name for a file: what the path says in letters.
fn name(path: &str) -> String {
    let name: String = path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let name: String = name.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    if name.is_empty() { "home".to_owned() } else { name }
}
