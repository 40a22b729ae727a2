//! A real browser, driven over its own protocol.

use std::{
    env,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chromiumoxide::{
    Browser, BrowserConfig, Page,
    cdp::{
        browser_protocol::{
            emulation::{MediaFeature, SetDeviceMetricsOverrideParams},
            input::{DispatchKeyEventParams, DispatchKeyEventType, InsertTextParams},
            log::{EnableParams as EnableLog, EventEntryAdded, LogEntryLevel, LogEntrySource},
            network::{EventResponseReceived, SetCacheDisabledParams},
            page::{CaptureScreenshotFormat, EventJavascriptDialogOpening, HandleJavaScriptDialogParams},
        },
        js_protocol::runtime::{EnableParams as EnableRuntime, EventExceptionThrown},
    },
    page::ScreenshotParams,
};
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};

/// How long something on a page may take; a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running Chromium with a profile of its own, so that nobody is signed in.
pub(crate) struct Chromium {
    browser: Browser,
    handler: JoinHandle<()>,
    _profile: TempDir,
}

/// The program: what `CHORUS_TEST_CHROMIUM` names, or what is installed. `tests/run` sees to it that one is.
fn program() -> PathBuf {
    if let Some(named) = env::var_os("CHORUS_TEST_CHROMIUM") {
        return named.into();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
    let found =
        env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.exists());
    found.expect(
        "Chromium is missing: tests/run installs it on Debian; elsewhere install it or set CHORUS_TEST_CHROMIUM",
    )
}

impl Chromium {
    pub(crate) async fn launch() -> Self {
        let profile = TempDir::new().unwrap();
        let config = BrowserConfig::builder()
            .chrome_executable(program())
            .user_data_dir(profile.path())
            .new_headless_mode()
            .window_size(1280, 900)
            .viewport(None)
            // As root Chromium has no sandbox to offer; all that it sees is our own server.
            .no_sandbox()
            .args([
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--lang=en-US",
                "--force-color-profile=srgb",
            ])
            .launch_timeout(PATIENCE)
            .request_timeout(PATIENCE)
            .build()
            .unwrap();
        let (browser, mut events) = Browser::launch(config).await.expect("Chromium starts");
        let handler = tokio::spawn(async move { while events.next().await.is_some() {} });
        Self { browser, handler, _profile: profile }
    }

    /// A tab at this address.
    pub(crate) async fn open(&self, base: &str, path: &str) -> Tab {
        let page = self.browser.new_page("about:blank").await.unwrap();
        let tab = Tab { page, base: base.to_owned(), wrong: Arc::default(), requests: Arc::default() };
        tab.watch().await;
        tab.goto(path).await;
        tab
    }

    pub(crate) async fn close(mut self) {
        let _ = self.browser.close().await;
        let _ = self.browser.wait().await;
        self.handler.abort();
    }
}

/// A page in the browser.
pub(crate) struct Tab {
    page: Page,
    base: String,
    wrong: Arc<Mutex<Vec<String>>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Tab {
    /// Keeps what the browser complains about, and what it asks for.
    async fn watch(&self) {
        self.page.execute(EnableRuntime::default()).await.unwrap();
        self.page.execute(EnableLog::default()).await.unwrap();
        let mut thrown = self.page.event_listener::<EventExceptionThrown>().await.unwrap();
        let mut logged = self.page.event_listener::<EventEntryAdded>().await.unwrap();
        let mut answered = self.page.event_listener::<EventResponseReceived>().await.unwrap();
        let mut asked = self.page.event_listener::<EventJavascriptDialogOpening>().await.unwrap();
        let page = self.page.clone();
        let (wrong, requests) = (Arc::clone(&self.wrong), Arc::clone(&self.requests));
        tokio::spawn(async move {
            loop {
                let line = tokio::select! {
                    event = thrown.next() => match event {
                        Some(event) => format!("thrown: {:?}", event.exception_details),
                        None => break,
                    },
                    event = logged.next() => match event {
                        // That a form was refused is told by a status, which the browser logs as well.
                        Some(event) if event.entry.source == LogEntrySource::Network => continue,
                        Some(event) if event.entry.level != LogEntryLevel::Error => continue,
                        Some(event) => format!("logged: {} ({:?})", event.entry.text, event.entry.url),
                        None => break,
                    },
                    event = asked.next() => match event {
                        Some(event) => {
                            let _ = page.execute(HandleJavaScriptDialogParams::new(false)).await;
                            format!("dialog: {}", event.message)
                        }
                        None => break,
                    },
                    event = answered.next() => match event {
                        Some(event) => {
                            requests.lock().unwrap_or_else(PoisonError::into_inner).push(event.response.url.clone());
                            if event.response.status < 500 {
                                continue;
                            }
                            format!("status {} of {}", event.response.status, event.response.url)
                        }
                        None => break,
                    },
                };
                wrong.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
    }

    /// What was asked for since the last time that this was called.
    pub(crate) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Nothing was thrown, logged as an error or answered as our fault.
    pub(crate) fn assert_quiet(&self) {
        let wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    pub(crate) async fn goto(&self, path: &str) {
        let url = if path.starts_with("http") || path.starts_with("data:") {
            path.to_owned()
        } else {
            format!("{}{path}", self.base)
        };
        self.page.goto(url).await.unwrap();
        self.settled().await;
    }

    pub(crate) async fn reload(&self) {
        let here: String = self.eval("location.href").await;
        self.goto(&here).await;
    }

    async fn settled(&self) {
        self.until("document.readyState === 'complete'").await;
    }

    /// What an expression of the page is.
    pub(crate) async fn eval<T: DeserializeOwned>(&self, script: &str) -> T {
        let found = self.page.evaluate(script).await.unwrap_or_else(|error| panic!("{script}: {error}"));
        found.into_value().unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Waits until an expression is true. While a page is being replaced there is nothing to ask; that is waited out.
    pub(crate) async fn until(&self, script: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            let holds = match self.page.evaluate(format!("!!({script})")).await {
                Ok(found) => found.into_value::<bool>().unwrap_or(false),
                Err(_) => false,
            };
            if holds {
                return;
            }
            if Instant::now() > end {
                let text: Value = self.eval("({url: location.href, text: document.body.innerText})").await;
                panic!("it never came true: {script}\n{}\n{}", text["url"], text["text"].as_str().unwrap_or_default());
            }
            sleep(Duration::from_millis(60)).await;
        }
    }

    /// Waits until something is found.
    pub(crate) async fn until_there(&self, selector: &str) {
        self.until(&format!("document.querySelector({})", quoted(selector))).await;
    }

    /// Waits until a text is seen.
    pub(crate) async fn until_seen(&self, text: &str) {
        self.until(&format!("document.body.innerText.includes({})", quoted(text))).await;
    }

    /// Whether a text is seen now.
    pub(crate) async fn sees(&self, text: &str) -> bool {
        self.eval(&format!("document.body.innerText.includes({})", quoted(text))).await
    }

    /// The path where it is.
    pub(crate) async fn path(&self) -> String {
        self.eval("location.pathname").await
    }

    /// Waits until it is at a path that this expression of `path` accepts.
    pub(crate) async fn until_at(&self, path: &str) {
        self.until(&format!("location.pathname === {} && document.readyState === 'complete'", quoted(path))).await;
    }

    /// Clicks with the mouse what is found, once it can be seen.
    pub(crate) async fn click(&self, selector: &str) {
        self.until_there(selector).await;
        let element = self.page.find_element(selector).await.unwrap_or_else(|error| panic!("{selector}: {error}"));
        element.scroll_into_view().await.unwrap();
        element.click().await.unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// Types into a field, in place of what stands there.
    pub(crate) async fn fill(&self, selector: &str, text: &str) {
        self.until_there(selector).await;
        let focus = format!(
            "(() => {{ const field = document.querySelector({}); field.scrollIntoView({{block: 'center'}}); field.focus(); \
             field.select?.(); return document.activeElement === field; }})()",
            quoted(selector)
        );
        self.until(&focus).await;
        self.page.execute(InsertTextParams::new(text)).await.unwrap();
    }

    /// Chooses in a list.
    pub(crate) async fn choose(&self, selector: &str, value: &str) {
        self.until_there(selector).await;
        let script = format!(
            "(() => {{ const list = document.querySelector({}); list.value = {}; \
             list.dispatchEvent(new Event('change', {{bubbles: true}})); return list.value; }})()",
            quoted(selector),
            quoted(value)
        );
        let chosen: String = self.eval(&script).await;
        assert_eq!(chosen, value, "{selector} offers {value}");
    }

    /// Presses and releases a key, perhaps with Control.
    pub(crate) async fn key(&self, key: &str, code: &str, number: i64, control: bool) {
        let modifiers = if control { 2 } else { 0 };
        for kind in [DispatchKeyEventType::RawKeyDown, DispatchKeyEventType::KeyUp] {
            let mut event = DispatchKeyEventParams::new(kind);
            event.key = Some(key.to_owned());
            event.code = Some(code.to_owned());
            event.windows_virtual_key_code = Some(number);
            event.modifiers = Some(modifiers);
            self.page.execute(event.clone()).await.unwrap();
            if key == "Enter" && event.r#type == DispatchKeyEventType::RawKeyDown {
                let mut typed = DispatchKeyEventParams::new(DispatchKeyEventType::Char);
                typed.key = Some("Enter".into());
                typed.text = Some("\r".into());
                self.page.execute(typed).await.unwrap();
            }
        }
    }

    /// Moves the focus on with the keyboard until it is on what is found.
    pub(crate) async fn tab_to(&self, selector: &str) {
        for _ in 0..120 {
            let there: bool =
                self.eval(&format!("document.activeElement?.matches({}) ?? false", quoted(selector))).await;
            if there {
                return;
            }
            self.key("Tab", "Tab", 9, false).await;
        }
        panic!("{selector} can't be reached with the keyboard");
    }

    pub(crate) async fn enter(&self) {
        self.key("Enter", "Enter", 13, false).await;
    }

    /// Types with the keyboard into whatever has the focus.
    pub(crate) async fn type_text(&self, text: &str) {
        self.page.execute(InsertTextParams::new(text)).await.unwrap();
    }

    /// Drags what is found onto something else. Events of the page, since a headless browser has no drag of its own.
    pub(crate) async fn drag(&self, from: &str, to: &str) {
        self.until_there(from).await;
        self.until_there(to).await;
        let script = format!(
            "(() => {{ const from = document.querySelector({}), to = document.querySelector({});
               const transfer = new DataTransfer();
               const fire = (on, kind) => on.dispatchEvent(new DragEvent(kind, {{bubbles: true, cancelable: true, dataTransfer: transfer}}));
               fire(from, 'dragstart'); fire(to, 'dragover'); fire(to, 'drop'); fire(from, 'dragend'); return true; }})()",
            quoted(from),
            quoted(to)
        );
        let _: bool = self.eval(&script).await;
    }

    /// A screen of this size.
    pub(crate) async fn resize(&self, width: i64, height: i64) {
        let metrics = SetDeviceMetricsOverrideParams::new(width, height, 1.0, width < 600);
        self.page.execute(metrics).await.unwrap();
    }

    /// What the system says that it prefers: `light` or `dark`.
    pub(crate) async fn scheme(&self, scheme: &str) {
        self.prefer(&[("color-scheme", scheme)]).await;
    }

    /// All that the system says that it prefers: of `color-scheme` and its like.
    pub(crate) async fn prefer(&self, preferences: &[(&str, &str)]) {
        let feature =
            |(name, value): &(&str, &str)| MediaFeature { name: format!("prefers-{name}"), value: (*value).into() };
        self.page.emulate_media_features(preferences.iter().map(feature).collect()).await.unwrap();
    }

    /// Every file is asked for anew, as on somebody's first visit.
    pub(crate) async fn forget_files(&self) {
        self.page.execute(SetCacheDisabledParams::new(true)).await.unwrap();
    }

    /// The whole page as a picture.
    pub(crate) async fn picture(&self, file: &Path) {
        let params = ScreenshotParams::builder().format(CaptureScreenshotFormat::Png).full_page(true).build();
        self.page.save_screenshot(params, file).await.unwrap();
    }

    /// What fits the screen as a picture that takes little room.
    pub(crate) async fn small_picture(&self, file: &Path) {
        let params = ScreenshotParams::builder().format(CaptureScreenshotFormat::Webp).quality(82).build();
        self.page.save_screenshot(params, file).await.unwrap();
    }

    /// What an automated check has against the page (WCAG 2.2 AA and what comes before it).
    pub(crate) async fn violations(&self, axe: &str) -> Vec<String> {
        self.broken(axe, "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']").await
    }

    /// The same with these rules of the check, or kinds of rules.
    pub(crate) async fn broken(&self, axe: &str, rules: &str) -> Vec<String> {
        self.page.evaluate(axe).await.unwrap();
        let script = format!(
            "axe.run(document, {{runOnly: {rules}, rules: {{region: {{enabled: false}}}}}})
            .then((found) => found.violations.map((one) => one.id + ': ' + one.help + ' — ' + \
                one.nodes.slice(0, 4).map((node) => node.target.join(' ') + ' ' + node.failureSummary).join(' | ')))"
        );
        self.eval(&script).await
    }

    /// The cookie that keeps somebody signed in, which scripts of the page can't read.
    pub(crate) async fn session(&self) -> (String, String) {
        let cookies = self.page.get_cookies().await.unwrap();
        let found = cookies.into_iter().find(|cookie| cookie.name.contains("session")).expect("somebody is signed in");
        assert!(found.http_only, "scripts can read the session");
        (found.name, found.value)
    }

    /// What stands out of the screen, for whoever has to find it.
    pub(crate) async fn sticking_out(&self) -> Vec<String> {
        self.eval(
            "[...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1) \
             .slice(0, 6).map((one) => one.outerHTML.slice(0, 120))",
        )
        .await
    }

    /// How far the page is wider than the screen, in pixels.
    pub(crate) async fn overhang(&self) -> i64 {
        self.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth").await
    }
}

/// A text as it stands in a script.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
