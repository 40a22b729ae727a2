//! The console in a real browser: Chromium, driven over its own protocol, against the real server.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod attack;
mod chromium;
mod every_page;
mod flow;
mod planted;
mod scene;
mod town;

/// How the suite makes things: arguments with which every tool succeeds.
#[path = "../suite/tools"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod making {
    pub(crate) mod maker;
    pub(crate) mod stage;
    pub(crate) mod valid;
}

use std::{env, fs, path::Path};

/// The source of the automated check of accessibility, from the pinned packages that `tests/run` installs.
fn axe() -> String {
    let clients =
        env::var("CHORUS_TEST_CLIENTS").expect("CHORUS_TEST_CLIENTS names the folder that tests/provide prints");
    fs::read_to_string(Path::new(&clients).join("node_modules/axe-core/axe.min.js")).unwrap()
}
