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

/// Pages for people who are not signed in: [`Town::for_strangers`].
const FOR_STRANGERS: &[&str] = &["/sign-in", "/enter/{token}", "/join/{token}", "/reset/{token}"];

/// Every page that can be asked for, as this town has it.
fn pages(town: &Town) -> Vec<String> {
    let pages: Vec<String> = chorus_console::paths()
        .filter(|path| !FOR_STRANGERS.contains(path))
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

/// A tab, the pages to look at in it, and what looks at each.
struct Round {
    town: Town,
    chromium: Chromium,
}

impl Round {
    async fn new() -> Self {
        Self { town: Town::new(Backend::Sqlite, "x").await, chromium: Chromium::launch().await }
    }

    /// Opens every page, those for strangers first, and gathers what somebody who looks at it has against it.
    async fn walk(self, look: impl AsyncFn(&Tab, &str) -> Vec<String>) {
        let mut wrong = Vec::new();
        let tab = self.chromium.open(self.town.server.base(), "/sign-in").await;
        for path in self.town.for_strangers().await {
            tab.goto(&path).await;
            wrong.extend(look(&tab, &path).await.into_iter().map(|found| format!("{path}: {found}")));
        }
        tab.assert_quiet();
        let tab = self.town.signed_in(&self.chromium, self.town.owner).await;
        for path in pages(&self.town) {
            tab.goto(&path).await;
            wrong.extend(look(&tab, &path).await.into_iter().map(|found| format!("{path}: {found}")));
        }
        tab.assert_quiet();
        assert!(wrong.is_empty(), "{wrong:#?}");
        self.chromium.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_accessible_in_light_and_dark_and_with_more_contrast() {
    let axe = axe();
    let looks: [&[(&str, &str)]; 4] = [
        &[("color-scheme", "light")],
        &[("color-scheme", "dark")],
        &[("color-scheme", "light"), ("contrast", "more")],
        &[("color-scheme", "dark"), ("contrast", "more")],
    ];
    let look = async |tab: &Tab, _: &str| {
        let mut wrong = Vec::new();
        for preferences in looks {
            tab.prefer(preferences).await;
            let found = match preferences {
                [_] => tab.violations(&axe).await,
                // Who asks for more gets what WCAG AAA asks for.
                _ => tab.broken(&axe, "['color-contrast-enhanced']").await,
            };
            wrong.extend(found.into_iter().map(|found| format!("{preferences:?} {found}")));
        }
        wrong
    };
    Round::new().await.walk(look).await;
}

/// Screens as wide as a small phone, a phone, and a window at 1280 pixels that is zoomed to 200 %.
const NARROW: [(i64, i64); 3] = [(320, 568), (390, 844), (640, 450)];

#[tokio::test(flavor = "multi_thread")]
async fn every_page_fits_a_small_phone_and_a_zoomed_window() {
    let look = async |tab: &Tab, _: &str| {
        let mut wrong = Vec::new();
        for (width, height) in NARROW {
            tab.resize(width, height).await;
            let overhang = tab.overhang().await;
            if overhang > 0 {
                wrong.push(format!("{overhang} pixels too wide for {width}: {:?}", tab.sticking_out().await));
            }
        }
        tab.resize(1280, 900).await;
        wrong
    };
    Round::new().await.walk(look).await;
}

/// What is wrong for somebody with a keyboard alone: in one go, since pressing Tab through everything takes too long.
const FOR_KEYBOARDS: &str = "(() => { const wrong = [];
    const skip = document.body.querySelector('a, button, input, select, textarea, summary');
    if (!skip.matches('a.skip') || !document.querySelector(skip.hash)) wrong.push('the first stop does not skip to the content');
    for (const one of document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]')) {
        if (one.tabIndex > 0) wrong.push('out of order: ' + one.outerHTML.slice(0, 120));
        if (one.disabled || one.tabIndex < 0 || !one.checkVisibility()) continue;
        one.focus({ focusVisible: true, preventScroll: true });
        if (document.activeElement !== one) { wrong.push('takes no focus: ' + one.outerHTML.slice(0, 120)); continue; }
        const look = getComputedStyle(one);
        if (look.outlineStyle === 'none' || parseFloat(look.outlineWidth) < 2) wrong.push('shows no focus: ' + one.outerHTML.slice(0, 120));
    }
    for (const one of document.querySelectorAll('[draggable=true]:not([data-drop-at])'))
        if (!one.querySelector('form button')) wrong.push('can only be dragged: ' + one.outerHTML.slice(0, 120));
    return wrong; })()";

#[tokio::test(flavor = "multi_thread")]
async fn every_page_can_be_used_with_a_keyboard_alone() {
    Round::new().await.walk(async |tab: &Tab, _: &str| tab.eval(FOR_KEYBOARDS).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_moves_for_who_wants_nothing_to_move() {
    let look = async |tab: &Tab, _: &str| {
        tab.prefer(&[("reduced-motion", "reduce")]).await;
        let script = "[...document.querySelectorAll('*')].filter((one) => { const look = getComputedStyle(one); \
            return look.scrollBehavior === 'smooth' || look.animationName !== 'none' || \
            look.transitionDuration.split(',').some((time) => parseFloat(time) > 0); }).map((one) => one.outerHTML.slice(0, 120))";
        tab.eval(script).await
    };
    Round::new().await.walk(look).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_paint_takes_a_page_a_style_and_a_script() {
    let look = async |tab: &Tab, path: &str| {
        tab.forget_files().await;
        tab.requests();
        tab.goto(path).await;
        let mut requests = tab.requests();
        requests.retain(|url| !url.starts_with("data:"));
        let mut wrong = Vec::new();
        for (what, ending) in [("style", ".css"), ("script", ".js")] {
            let many = requests.iter().filter(|url| url.ends_with(ending)).count();
            if many != 1 {
                wrong.push(format!("{many} times a {what}"));
            }
        }
        // The picture in the tab and the stream of events come after the first paint.
        let later = ["/assets/icon.", "/favicon.ico", "/api/events"];
        requests.retain(|url| {
            !url.ends_with(".css") && !url.ends_with(".js") && !later.iter().any(|part| url.contains(part))
        });
        if requests.len() != 1 || !requests.iter().all(|url| url.ends_with(path)) {
            wrong.push(format!("asks for {requests:?}"));
        }
        wrong
    };
    Round::new().await.walk(look).await;
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
    let pages = chorus_console::paths().filter(|path| !FOR_STRANGERS.contains(path));
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

/// The pictures that the documentation shows: file, page, width and height of the screen, theme.
const SHOWN: [(&str, &str, (i64, i64), &str); 6] = [
    ("home", "/", (1280, 640), "light"),
    ("ideas", "/projects/{project}", (1280, 860), "light"),
    ("proposal", "/projects/{project}/proposals/{proposal}", (1280, 900), "light"),
    ("board", "/projects/{project}/tasks", (1280, 900), "dark"),
    ("task", "/projects/{project}/tasks/{task}", (1280, 900), "light"),
    ("phone", "/projects/{project}/tasks/{task}", (390, 844), "dark"),
];

/// Writes the pictures of the documentation to the folder that `CHORUS_PICTURES` names: `just pictures`.
#[tokio::test(flavor = "multi_thread")]
async fn the_documentation_is_illustrated_where_that_is_wanted() {
    let Some(folder) = env::var_os("CHORUS_PICTURES").map(PathBuf::from) else { return };
    fs::create_dir_all(&folder).unwrap();
    let town = Town::in_full_swing().await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    for (name, path, (width, height), scheme) in SHOWN {
        tab.resize(width, height).await;
        tab.scheme(scheme).await;
        tab.goto(&town.fill(path).unwrap()).await;
        let file = folder.join(format!("{name}.webp"));
        tab.small_picture(&file).await;
        assert!(fs::metadata(&file).unwrap().len() < 200_000, "{name} takes too much room");
    }
    chromium.close().await;
}
