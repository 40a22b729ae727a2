//! Style, script and pictures, in the binary. Their names change with what is in them, so that a browser asks once.

use std::{fmt::Write as _, sync::LazyLock};

use bytes::Bytes;
use http::{HeaderValue, Response, header};
use sha2::{Digest as _, Sha256};

use crate::answer::Answer;

/// One file.
pub(crate) struct Asset {
    /// The path at which it is.
    pub(crate) path: String,
    kind: &'static str,
    bytes: &'static [u8],
}

/// All files.
pub(crate) struct Assets {
    /// The style.
    pub(crate) style: Asset,
    /// The script.
    pub(crate) script: Asset,
    /// The picture in the tab.
    pub(crate) icon: Asset,
}

pub(crate) static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets {
    style: Asset::new("style", "css", "text/css; charset=utf-8", include_bytes!("../assets/style.css")),
    script: Asset::new("console", "js", "text/javascript; charset=utf-8", include_bytes!("../assets/console.js")),
    icon: Asset::new("icon", "svg", "image/svg+xml", include_bytes!("../assets/icon.svg")),
});

impl Asset {
    fn new(name: &str, ending: &str, kind: &'static str, bytes: &'static [u8]) -> Self {
        let mut digest = String::new();
        for byte in Sha256::digest(bytes).iter().take(8) {
            let _ = write!(digest, "{byte:02x}");
        }
        Self { path: format!("/assets/{name}.{digest}.{ending}"), kind, bytes }
    }

    fn answer(&self) -> Answer {
        let mut answer = Response::new(Bytes::from_static(self.bytes));
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
        headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
        answer
    }
}

/// The file at this path.
pub(crate) fn find(path: &str) -> Option<Answer> {
    let Assets { style, script, icon } = &*ASSETS;
    if path == "/favicon.ico" {
        return Some(icon.answer());
    }
    [style, script, icon].into_iter().find(|asset| asset.path == path).map(Asset::answer)
}
