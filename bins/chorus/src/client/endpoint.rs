//! JSON-RPC over HTTP: one request, one answer, no session.

use std::time::Duration;

use reqwest::{StatusCode, Url, header, redirect};
use serde_json::{Value, json};

use crate::failure::Failure;

/// Where the tools are below the URL of a server.
const PATH: &str = "/api/mcp";
/// The newest revision that needs no metadata in each request; servers take it without a handshake.
const PROTOCOL: &str = "2025-11-25";
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an answer may take.
const TOTAL: Duration = Duration::from_secs(120);

/// Most pages of a list that are fetched: a server that hands out more goes round in circles.
const MAX_PAGES: usize = 100;

/// A server and the key for it.
pub(super) struct Endpoint {
    client: reqwest::Client,
    url: Url,
    key: header::HeaderValue,
    /// What is asked for, as headers.
    asked: header::HeaderMap,
}

impl Endpoint {
    /// The endpoint of the server at `url`, which may name the endpoint itself.
    ///
    /// # Errors
    /// The URL is none, or the key can't be one.
    pub(super) fn new(url: &str, key: &str) -> Result<Self, Failure> {
        let url = endpoint_url(url)?;
        let mut key = header::HeaderValue::try_from(format!("Bearer {key}"))
            .map_err(|_| Failure::usage("the API key has characters that no key has"))?;
        key.set_sensitive(true);
        // Fails if a provider is installed already, and then there is one.
        rustls::crypto::ring::default_provider().install_default().ok();
        let mut builder = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .timeout(TOTAL)
            // A redirect would lose the body, and send the key to who knows whom.
            .redirect(redirect::Policy::none())
            .user_agent(concat!("chorus/", env!("CARGO_PKG_VERSION")));
        if is_local(&url) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| Failure::usage(explain(&error)))?;
        Ok(Self { client, url, key, asked: header::HeaderMap::new() })
    }

    /// The same for a client that asks to be restricted: the server narrows what it offers and never widens it.
    pub(super) fn asking(mut self, name: &'static str, value: header::HeaderValue) -> Self {
        self.asked.append(name, value);
        self
    }

    /// The same for a client that asks for tools that only read.
    pub(super) fn reading(self) -> Self {
        self.asking("x-chorus-readonly", header::HeaderValue::from_static("true"))
    }

    /// The result of a request.
    ///
    /// # Errors
    /// The server can't be reached, does not accept the key, or answers with an error of the protocol.
    pub(super) async fn request(&self, method: &str, params: Value) -> Result<Value, Failure> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let sent = self
            .client
            .post(self.url.clone())
            .header(header::AUTHORIZATION, self.key.clone())
            .header(header::ACCEPT, "application/json")
            .header("mcp-protocol-version", PROTOCOL)
            .headers(self.asked.clone())
            .json(&body)
            .send()
            .await;
        let url = &self.url;
        let answer = sent.map_err(|error| Failure::usage(format_args!("can't reach {url}: {}", explain(&error))))?;
        let status = answer.status();
        let bytes = answer
            .bytes()
            .await
            .map_err(|error| Failure::usage(format_args!("the answer of {url} broke off: {}", explain(&error))))?;
        read(status, &bytes).map_err(|text| Failure::usage(format_args!("{url} {text}")))
    }
}

impl Endpoint {
    /// All rows of a list that may come in pages: what stands in `member` of the results of `method`.
    ///
    /// # Errors
    /// As [`Endpoint::request`]; the list has no end.
    pub(super) async fn all(&self, method: &str, member: &str) -> Result<Vec<Value>, Failure> {
        let mut cursor: Option<String> = None;
        let mut rows = Vec::new();
        for _ in 0..MAX_PAGES {
            let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
            let page = self.request(method, params).await?;
            rows.extend(page.get(member).and_then(Value::as_array).into_iter().flatten().cloned());
            cursor = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
            if cursor.is_none() {
                return Ok(rows);
            }
        }
        Err(Failure::usage(format_args!("the server's list of {member} has no end")))
    }
}

/// The result in an answer, else what is wrong with it, as the end of a sentence about the server.
fn read(status: StatusCode, body: &[u8]) -> Result<Value, String> {
    let Ok(answer) = serde_json::from_slice::<Value>(body) else {
        return Err(format!("answered with status {status} and no JSON; is it a Chorus server?"));
    };
    if let Some(result) = answer.get("result") {
        return Ok(result.clone());
    }
    let message = match answer.get("error") {
        Some(Value::String(text)) => text.clone(),
        Some(error) => error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
        None => String::new(),
    };
    let refused = if status == StatusCode::UNAUTHORIZED { "does not accept the key" } else { "refused the request" };
    Err(format!("{refused} (status {}): {message}", status.as_u16()))
}

fn endpoint_url(text: &str) -> Result<Url, Failure> {
    let mut url = Url::parse(text.trim())
        .map_err(|error| Failure::usage(format_args!("`{text}` is not the URL of a server: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(Failure::usage(format_args!("`{text}` is not the URL of a server: use http:// or https://")));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    let path = if path.ends_with(PATH) { path } else { format!("{path}{PATH}") };
    url.set_path(&path);
    Ok(url)
}

/// Whether both are URLs of one server.
pub(super) fn same_server(one: &str, other: &str) -> bool {
    match (endpoint_url(one), endpoint_url(other)) {
        (Ok(one), Ok(other)) => one == other,
        (Ok(_) | Err(_), _) => false,
    }
}

/// Whether the server is this machine, which no proxy stands before.
fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// The innermost cause, which says most.
fn explain(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_is_that_of_the_server_or_of_its_endpoint() {
        let of = |text| endpoint_url(text).map(|url| url.to_string()).map_err(|failure| failure.to_string());
        for text in ["http://h:1", "http://h:1/", "http://h:1/api/mcp", "http://h:1/api/mcp/", " http://h:1 "] {
            assert_eq!(of(text).as_deref(), Ok("http://h:1/api/mcp"), "{text}");
        }
        assert_eq!(of("https://h/base/").as_deref(), Ok("https://h/base/api/mcp"));
        for text in ["", "h:1", "localhost", "ftp://h", "http://"] {
            assert!(of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_server_is_known_by_any_of_its_urls() {
        assert!(same_server("http://h:1", "http://H:1/api/mcp/") && same_server("http://h", "http://h:80/"));
        assert!(
            !same_server("http://h:1", "http://h:2") && !same_server("http://h", "https://h") && !same_server("", "")
        );
    }

    #[test]
    fn this_machine_is_reached_without_a_proxy() {
        let local = |text: &str| endpoint_url(text).is_ok_and(|url| is_local(&url));
        assert!(["http://localhost:1", "http://127.0.0.1", "http://[::1]:1"].into_iter().all(local));
        assert!(!["http://example.com", "http://10.0.0.1"].into_iter().any(local));
    }

    #[test]
    fn an_answer_is_a_result_or_a_reason() {
        let check = |status: u16, body: &str| read(StatusCode::from_u16(status).unwrap_or_default(), body.as_bytes());
        assert_eq!(check(200, r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#), Ok(json!({"tools": []})));
        for (status, body, part) in [
            (
                200,
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool `x`"}}"#,
                "unknown tool `x`",
            ),
            (
                401,
                r#"{"error":"The API key is unknown."}"#,
                "does not accept the key (status 401): The API key is unknown.",
            ),
            (502, "<html>", "502"),
            (200, "", "no JSON"),
        ] {
            let reason = check(status, body);
            assert!(reason.as_ref().is_err_and(|text| text.contains(part)), "{reason:?}");
        }
    }
}
