//! Web origins (RFC 6454).

use std::{fmt, str::FromStr};

use crate::host::Host;

/// A web origin: scheme, host and port, or the opaque `null`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Opaque,
    Tuple { scheme: Scheme, host: Host, port: u16 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

/// A text that is no origin of a web page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidOrigin;

impl fmt::Display for InvalidOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must begin with http:// or https:// and name a host, as `https://chorus.example.com`")
    }
}

impl std::error::Error for InvalidOrigin {}

impl Origin {
    /// The origin of a URL, whatever its path.
    ///
    /// # Errors
    /// [`InvalidOrigin`] for another scheme than `http` and `https`, or without a host.
    pub fn of_url(url: &str) -> Result<Self, InvalidOrigin> {
        let (scheme, rest) = url.split_once("://").ok_or(InvalidOrigin)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(InvalidOrigin),
        };
        let (host, port) = Host::parse(authority).ok_or(InvalidOrigin)?;
        let port = port.unwrap_or(match scheme {
            Scheme::Http => 80,
            Scheme::Https => 443,
        });
        Ok(Self(Kind::Tuple { scheme, host, port }))
    }

    /// Whether its pages come over TLS.
    pub const fn is_https(&self) -> bool {
        matches!(self.0, Kind::Tuple { scheme: Scheme::Https, .. })
    }

    pub(crate) const fn host(&self) -> Option<&Host> {
        match &self.0 {
            Kind::Opaque => None,
            Kind::Tuple { host, .. } => Some(host),
        }
    }
}

impl FromStr for Origin {
    type Err = InvalidOrigin;

    /// Reads an origin as browsers send it: no path, no user, or `null`.
    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        if text == "null" {
            return Ok(Self(Kind::Opaque));
        }
        let origin = Self::of_url(text)?;
        let authority = text.split_once("://").map_or("", |(_, rest)| rest);
        if authority.contains(['/', '?', '#']) { Err(InvalidOrigin) } else { Ok(origin) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_compare_as_scheme_host_and_port() {
        let same = |a: &str, b: &str| a.parse::<Origin>().is_ok_and(|a| b.parse() == Ok(a));
        assert!(same("https://Example.com", "HTTPS://example.COM:443"));
        assert!(same("http://example.com:80", "http://example.com"));
        assert!(same("null", "null"));
        for other in ["http://example.com", "https://example.com:8443", "https://www.example.com", "null"] {
            assert!(!same("https://example.com", other), "{other}");
        }
    }

    #[test]
    fn the_origin_of_a_url_leaves_its_path_out() {
        let of = |url: &str| Origin::of_url(url).ok();
        let origin = "https://chorus.example.com".parse().ok();
        assert_eq!(of("https://chorus.example.com/tools/?x#y"), origin);
        assert_eq!(of("https://chorus.example.com"), origin);
        assert_eq!(of("https://chorus.example.com?x"), origin);
    }

    #[test]
    fn what_no_browser_sends_is_refused() {
        for text in [
            "",
            "example.com",
            "ftp://example.com",
            "https://",
            "https://example.com/",
            "https://user@example.com",
            "https://a.example, https://b.example",
            "NULL",
            "file:///etc/passwd",
        ] {
            assert_eq!(text.parse::<Origin>(), Err(InvalidOrigin), "{text:?}");
        }
    }
}
