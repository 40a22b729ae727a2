//! What comes back over HTTP.

use std::time::Duration;

use bytes::Buf as _;
use http_body_util::BodyExt;
use serde_json::Value;

/// How long the body of an answer may take; a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// A whole answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// The headers: names in lower case, values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub text: String,
}

impl Reply {
    /// Reads an answer to its end.
    ///
    /// # Panics
    /// If the connection breaks, or the answer is no text.
    pub async fn of(response: reqwest::Response) -> Self {
        let status = response.status().as_u16();
        let lines = response.headers().iter();
        let headers = lines.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
        Self { status, headers, text: response.text().await.unwrap() }
    }

    /// The same of a service in this process.
    ///
    /// # Panics
    /// If its body breaks off, is no text, or goes on and on as a stream does.
    pub async fn of_service<B>(response: http::Response<B>) -> Self
    where
        B: BodyExt<Error: std::fmt::Debug>,
    {
        let (head, body) = response.into_parts();
        let lines = head.headers.iter();
        let headers = lines.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
        let whole = tokio::time::timeout(PATIENCE, body.collect()).await.unwrap();
        let mut body = whole.unwrap().aggregate();
        let text = String::from_utf8(body.copy_to_bytes(body.remaining()).to_vec()).unwrap();
        Self { status: head.status.as_u16(), headers, text }
    }

    /// A header that is there at most once.
    ///
    /// # Panics
    /// If it is there several times.
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        only(&self.headers, name)
    }

    /// The body, which has to be JSON by its type too.
    ///
    /// # Panics
    /// If it is not.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The value of a header that is there at most once.
///
/// # Panics
/// If it is there several times.
#[track_caller]
pub(crate) fn only<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    let mut values = headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let first = values.next();
    assert_eq!(values.next(), None, "{name}");
    first
}
