//! Host names as they stand in `Host` headers and URLs.

use std::net::{IpAddr, Ipv6Addr};

/// The host part of an authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// A name, in lower case, without the dot that may end it.
    Name(String),
    /// An address.
    Address(IpAddr),
}

impl Host {
    /// Whether it always means the machine itself (protocol checklist §2.5).
    pub(crate) fn is_loopback(&self) -> bool {
        match self {
            Self::Name(name) => name == "localhost",
            Self::Address(address) => address.is_loopback(),
        }
    }

    /// Reads `host`, `host:port`, `[address]` or `[address]:port`. User names and anything else that could make two
    /// readers see two hosts are refused.
    pub(crate) fn parse(authority: &str) -> Option<(Self, Option<u16>)> {
        if let Some(rest) = authority.strip_prefix('[') {
            let (address, rest) = rest.split_once(']')?;
            let address: Ipv6Addr = address.parse().ok()?;
            let port = match rest.strip_prefix(':') {
                Some(port) => Some(read_port(port)?),
                None if rest.is_empty() => None,
                None => return None,
            };
            return Some((Self::Address(address.into()), port));
        }
        let (host, port) = match authority.split_once(':') {
            Some((host, port)) => (host, Some(read_port(port)?)),
            None => (authority, None),
        };
        let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        if name.is_empty() || !name.bytes().all(letter) {
            return None;
        }
        Some((name.parse().map_or(Self::Name(name), Self::Address), port))
    }
}

fn read_port(text: &str) -> Option<u16> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(authority: &str, expected: Option<(&str, Option<u16>)>) {
        let read = Host::parse(authority).map(|(host, port)| {
            let host = match host {
                Host::Name(name) => name,
                Host::Address(address) => format!("<{address}>"),
            };
            (host, port)
        });
        assert_eq!(read, expected.map(|(host, port)| (host.to_owned(), port)), "{authority:?}");
    }

    #[test]
    fn names_addresses_and_ports_are_read() {
        check("localhost", Some(("localhost", None)));
        check("LocalHost.:80", Some(("localhost", Some(80))));
        check("chorus.example.com:8637", Some(("chorus.example.com", Some(8637))));
        check("127.0.0.1:1", Some(("<127.0.0.1>", Some(1))));
        check("[::1]:8637", Some(("<::1>", Some(8637))));
        check("[2001:DB8::1]", Some(("<2001:db8::1>", None)));
    }

    #[test]
    fn what_two_readers_could_take_for_two_hosts_is_refused() {
        for text in [
            "",
            ":80",
            ".",
            "localhost@evil.example",
            "evil.example/localhost",
            "localhost, evil.example",
            "localhost:80:90",
            "localhost:",
            "localhost:+1",
            "localhost:99999",
            "::1",
            "[::1",
            "[::1]x",
            "[localhost]",
            "local host",
            "localhost#",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn only_the_machine_itself_is_loopback() {
        let loopback = |text: &str| Host::parse(text).is_some_and(|(host, _)| host.is_loopback());
        for text in ["localhost", "LOCALHOST:1", "127.0.0.1:2", "127.1.2.3", "[::1]:3"] {
            assert!(loopback(text), "{text}");
        }
        for text in ["localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0", "[::]", "10.0.0.1", "127.1"] {
            assert!(!loopback(text), "{text}");
        }
    }
}
