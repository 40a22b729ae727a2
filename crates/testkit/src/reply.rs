//! What comes back over HTTP.

use serde_json::Value;

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

    /// A header that is there at most once.
    ///
    /// # Panics
    /// If it is there several times.
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let first = values.next();
        assert_eq!(values.next(), None, "{name}");
        first
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
