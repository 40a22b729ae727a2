//! Requests as fuzzers make them: whatever can be put into a request of HTTP at all.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Uri};
use http_body_util::Full;

use crate::{Reply, check_reply};

/// What stands for the key of an agent.
const KEY: &[u8] = b"$KEY";

/// A request that need not make sense.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Raw {
    /// The method.
    pub method: Vec<u8>,
    /// The path, with a query or not; or a whole URL.
    pub path: Vec<u8>,
    /// The lines of the head.
    pub headers: Vec<(Vec<u8>, Vec<u8>)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Raw {
    /// Reads a text like `POST /api/mcp`, lines of a head, an empty line, and a body; `$KEY` in the head stands for the
    /// key. What is missing is left out.
    pub fn read(text: &[u8], key: &str) -> Self {
        let mut rest = text;
        let mut line = || {
            let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]).to_vec();
            rest = rest.get(end + 1..).unwrap_or_default();
            line
        };
        let split = |line: Vec<u8>, at: u8| match line.iter().position(|byte| *byte == at) {
            Some(found) => (line[..found].to_vec(), line[found + 1..].to_vec()),
            None => (line, Vec::new()),
        };
        let (method, path) = split(line(), b' ');
        let mut headers = Vec::new();
        loop {
            let line = line();
            if line.is_empty() {
                break;
            }
            let (name, value) = split(line, b':');
            headers.push((name, with_key(value.trim_ascii(), key)));
        }
        Self { method, path, headers, body: rest.to_vec() }
    }

    /// It as a request; `None` if HTTP has no such request. Lines that can't stand in a head are left out.
    pub fn request(&self) -> Option<Request<Full<Bytes>>> {
        let mut request = Request::new(Full::new(Bytes::from(self.body.clone())));
        *request.method_mut() = Method::from_bytes(&self.method).ok()?;
        *request.uri_mut() = Uri::try_from(self.path.as_slice()).ok()?;
        for (name, value) in &self.headers {
            if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
                request.headers_mut().append(name, value);
            }
        }
        Some(request)
    }

    /// Whether it is a message to an endpoint.
    fn is_message(&self, request: &Request<Full<Bytes>>) -> bool {
        request.method() == Method::POST && request.uri().path().trim_end_matches('/').ends_with("/mcp")
    }

    /// Holds the answer to it against what every answer has to be: no fault of the server, JSON where there is a body,
    /// and messages that are what was asked for.
    ///
    /// # Panics
    /// If it is something else.
    #[track_caller]
    pub fn check(&self, request: &Request<Full<Bytes>>, reply: &Reply) {
        let known = [200, 202, 204, 400, 401, 403, 404, 405, 406, 413, 415];
        assert!(known.contains(&reply.status), "{reply:?} to {self:?}");
        assert_eq!(reply.text.is_empty(), matches!(reply.status, 202 | 204), "{reply:?} to {self:?}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert!(reply.header("x-request-id").is_some());
        if reply.status == 401 {
            assert!(reply.header("www-authenticate").is_some_and(|challenge| challenge.starts_with("Bearer ")));
        }
        if self.is_message(request) {
            let lines = request.headers().iter();
            let headers: Vec<_> = lines
                .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
                .collect();
            check_reply(&headers, &self.body, reply);
        } else if !reply.text.is_empty() {
            assert!(reply.json().is_object(), "{reply:?}");
        }
    }
}

fn with_key(value: &[u8], key: &str) -> Vec<u8> {
    match value.windows(KEY.len()).position(|part| part == KEY) {
        Some(at) => [&value[..at], key.as_bytes(), &value[at + KEY.len()..]].concat(),
        None => value.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_a_request() {
        let raw = Raw::read(b"POST /x\r\nAuthorization: Bearer $KEY\nodd\n\n{}\n\n", "cho_1");
        assert_eq!((raw.method.as_slice(), raw.path.as_slice()), (&b"POST"[..], &b"/x"[..]));
        assert_eq!(raw.headers[0], (b"Authorization".to_vec(), b"Bearer cho_1".to_vec()));
        assert_eq!((raw.headers.len(), raw.body.as_slice()), (2, &b"{}\n\n"[..]));
        assert_eq!(raw.request().unwrap().headers().len(), 2);
        assert!(Raw::read(b"", "").request().is_none());
    }
}
