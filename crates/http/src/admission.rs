//! Which requests are listened to at all: `Host` and `Origin`, against pages that try to reach a server on somebody's
//! own machine or network through the browser (protocol checklist §2.5).

use http::{HeaderMap, Uri, header};

use crate::{Config, Origin, Reach, host::Host};

/// Why a request is not listened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stranger {
    /// It was sent to a name that is not the server's.
    Host,
    /// It was sent by a page of a site that is not known.
    Origin,
}

impl Stranger {
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Host => "This server does not answer to this Host. Its operator can set the public URL.",
            Self::Origin => "Pages of this Origin may not call this server. Its operator can allow the origin.",
        }
    }
}

/// Decides by the names alone; a proxy in front has to pass `Host` on or set it to the public one.
///
/// # Errors
/// [`Stranger`] for a request that must not be listened to.
pub(crate) fn admit(config: &Config, uri: &Uri, headers: &HeaderMap) -> Result<(), Stranger> {
    if !is_ours(config, uri, headers) {
        return Err(Stranger::Host);
    }
    match origin(headers) {
        Sent::Nothing => Ok(()),
        Sent::Origin(origin) if is_welcome(config, &origin) => Ok(()),
        Sent::Origin(_) | Sent::Nonsense => Err(Stranger::Origin),
    }
}

/// The origin among the configured ones that sent the request: the one to name in CORS headers.
pub(crate) fn configured(config: &Config, headers: &HeaderMap) -> Option<http::HeaderValue> {
    match origin(headers) {
        Sent::Origin(origin) if config.origins.contains(&origin) => headers.get(header::ORIGIN).cloned(),
        Sent::Origin(_) | Sent::Nothing | Sent::Nonsense => None,
    }
}

/// What stands in `Origin`.
enum Sent {
    /// Nothing: not a browser.
    Nothing,
    Origin(Origin),
    Nonsense,
}

fn origin(headers: &HeaderMap) -> Sent {
    let mut lines = headers.get_all(header::ORIGIN).iter();
    match (lines.next(), lines.next()) {
        (None, _) => Sent::Nothing,
        (Some(line), None) => {
            line.to_str().ok().and_then(|line| line.parse().ok()).map_or(Sent::Nonsense, Sent::Origin)
        }
        (Some(_), Some(_)) => Sent::Nonsense,
    }
}

/// Whether the request was sent to a name of this server. HTTP/2 and proxies put it into the URI; where `Host` stands
/// too, both have to be ours.
fn is_ours(config: &Config, uri: &Uri, headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::HOST).iter().map(|line| line.to_str().ok());
    let names: Vec<Option<&str>> = lines.chain(uri.authority().map(|authority| Some(authority.as_str()))).collect();
    let several_lines = headers.get_all(header::HOST).iter().nth(1).is_some();
    let ours = |name: &Option<&str>| {
        name.and_then(Host::parse).is_some_and(|(host, _)| {
            host.is_loopback()
                || config.public.as_ref().and_then(Origin::host) == Some(&host)
                || (config.reach == Reach::Network && is_address(&host))
        })
    };
    !names.is_empty() && !several_lines && names.iter().all(ours)
}

/// Rebinding a name needs a name, so a server that other machines reach answers to each of its addresses.
const fn is_address(host: &Host) -> bool {
    match host {
        Host::Address(_) => true,
        Host::Name(_) => false,
    }
}

fn is_welcome(config: &Config, origin: &Origin) -> bool {
    config.origins.contains(origin)
        || config.public.as_ref() == Some(origin)
        || (config.reach == Reach::Loopback && origin.host().is_some_and(Host::is_loopback))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use http::HeaderValue;

    use super::*;

    fn local() -> Config {
        Config::default()
    }

    fn public() -> Config {
        Config {
            reach: Reach::Network,
            public: Some(Origin::of_url("https://chorus.example.com/base").unwrap()),
            origins: vec!["https://console.example.com".parse().unwrap()],
            ..Config::default()
        }
    }

    fn judge(config: &Config, headers: &[(&'static str, &str)]) -> Result<(), Stranger> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        admit(config, &Uri::from_static("/api/mcp"), &map)
    }

    #[test]
    fn on_loopback_only_the_names_of_the_machine_itself_are_answered() {
        for host in ["localhost", "localhost:8637", "127.0.0.1:1", "[::1]:65535", "LOCALHOST"] {
            assert_eq!(judge(&local(), &[("host", host)]), Ok(()), "{host}");
        }
        for host in
            ["evil.example", "evil.example:8637", "10.0.0.1", "chorus.example.com", "", "localhost.evil.example"]
        {
            assert_eq!(judge(&local(), &[("host", host)]), Err(Stranger::Host), "{host}");
        }
    }

    #[test]
    fn a_request_names_its_host_once() {
        assert_eq!(judge(&local(), &[]), Err(Stranger::Host));
        assert_eq!(judge(&local(), &[("host", "localhost"), ("host", "localhost")]), Err(Stranger::Host));
    }

    #[test]
    fn the_authority_of_the_uri_counts_like_the_header() {
        let uri = |text: &'static str| Uri::from_static(text);
        assert_eq!(admit(&local(), &uri("http://localhost:1/api/mcp"), &HeaderMap::new()), Ok(()));
        assert_eq!(admit(&local(), &uri("http://evil.example/api/mcp"), &HeaderMap::new()), Err(Stranger::Host));
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("localhost"));
        assert_eq!(admit(&local(), &uri("http://evil.example/api/mcp"), &headers), Err(Stranger::Host));
    }

    #[test]
    fn a_public_server_answers_to_its_name_its_addresses_and_the_machine_itself() {
        for host in ["chorus.example.com", "Chorus.Example.com:443", "10.0.0.7:8637", "localhost:8637"] {
            assert_eq!(judge(&public(), &[("host", host)]), Ok(()), "{host}");
        }
        for host in ["example.com", "console.example.com", "evil.example"] {
            assert_eq!(judge(&public(), &[("host", host)]), Err(Stranger::Host), "{host}");
        }
    }

    #[test]
    fn on_loopback_pages_of_the_machine_itself_may_call() {
        let from = |origin: &str| judge(&local(), &[("host", "localhost"), ("origin", origin)]);
        for origin in ["http://localhost:6274", "http://127.0.0.1", "https://[::1]:3000"] {
            assert_eq!(from(origin), Ok(()), "{origin}");
        }
        for origin in ["http://evil.example", "null", "", "localhost", "http://localhost.evil.example"] {
            assert_eq!(from(origin), Err(Stranger::Origin), "{origin}");
        }
    }

    #[test]
    fn a_public_server_takes_its_own_and_configured_origins_to_the_letter() {
        let from = |origin: &str| judge(&public(), &[("host", "chorus.example.com"), ("origin", origin)]);
        for origin in ["https://chorus.example.com", "https://chorus.example.com:443", "https://console.example.com"] {
            assert_eq!(from(origin), Ok(()), "{origin}");
        }
        for origin in ["http://chorus.example.com", "https://chorus.example.com:8443", "http://localhost:1", "null"] {
            assert_eq!(from(origin), Err(Stranger::Origin), "{origin}");
        }
    }

    #[test]
    fn null_is_an_origin_only_if_configured() {
        let config = Config { origins: vec!["null".parse().unwrap()], ..local() };
        assert_eq!(judge(&config, &[("host", "localhost"), ("origin", "null")]), Ok(()));
    }

    #[test]
    fn several_origins_are_none() {
        let origin = ("origin", "http://localhost");
        assert_eq!(judge(&local(), &[("host", "localhost"), origin, origin]), Err(Stranger::Origin));
    }

    #[test]
    fn cors_is_for_configured_origins_only() {
        let named = |config: &Config, origin: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            configured(config, &headers)
        };
        let console = "https://console.example.com";
        assert_eq!(named(&public(), console), Some(HeaderValue::from_static(console)));
        assert_eq!(named(&public(), "https://chorus.example.com"), None);
        assert_eq!(named(&local(), "http://localhost:6274"), None);
        assert_eq!(configured(&public(), &HeaderMap::new()), None);
    }
}
