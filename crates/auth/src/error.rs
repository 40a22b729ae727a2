//! Why a request has no caller.

use std::fmt;

use chorus_store::Error;

/// The realm that challenges name.
pub const REALM: &str = "chorus";

/// Why a request has no caller.
#[derive(Debug)]
pub enum AuthError {
    /// No credential was sent.
    Missing,
    /// What was sent does not have the form of a key.
    Malformed,
    /// No such key.
    Unknown,
    /// The key was revoked.
    Revoked,
    /// The key's time is over.
    Expired,
    /// The key works, but the owner of its agent is suspended.
    Suspended,
    /// The key works, but its agent may do nothing, and this server lets no such agent in.
    Unscoped,
    /// Nobody could be asked: says nothing about the key, and must not be answered with 401.
    Unavailable(Error),
}

impl AuthError {
    /// One sentence for whoever sent the request. Holding a key is required to learn what became of it, so the causes
    /// are told apart (README decision 21).
    pub const fn description(&self) -> &'static str {
        match self {
            Self::Missing => "An API key is required: send `Authorization: Bearer cho_...`.",
            Self::Malformed => "The API key is malformed: it must be `cho_` followed by 43 characters.",
            Self::Unknown => "The API key is unknown.",
            Self::Revoked => "The API key was revoked.",
            Self::Expired => "The API key has expired.",
            Self::Suspended => {
                "The person who owns the agent of this API key is suspended. The operator of this server can let them in \
                 again with `chorus user resume`, or give the agent another owner with `chorus agent update`."
            }
            Self::Unscoped => {
                "This server refuses agents without any permission, and the agent of this API key has none. Its operator \
                 can give it a preset or a permission with `chorus agent update`."
            }
            Self::Unavailable(_) => "The server can't check the API key just now. Repeat the request in a few seconds.",
        }
    }

    /// The value of `WWW-Authenticate` (RFC 6750 §3); `None` where the credential is not to blame. A request without
    /// any credential gets no error code, since nothing is wrong with what it sent.
    pub fn challenge(&self) -> Option<String> {
        match self {
            Self::Missing => Some(format!("Bearer realm=\"{REALM}\"")),
            Self::Malformed | Self::Unknown | Self::Revoked | Self::Expired | Self::Suspended | Self::Unscoped => {
                Some(format!(
                    "Bearer realm=\"{REALM}\", error=\"invalid_token\", error_description=\"{}\"",
                    self.description()
                ))
            }
            Self::Unavailable(_) => None,
        }
    }
}

impl fmt::Display for AuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description())
    }
}

impl std::error::Error for AuthError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unavailable(error) => Some(error),
            Self::Missing
            | Self::Malformed
            | Self::Unknown
            | Self::Revoked
            | Self::Expired
            | Self::Suspended
            | Self::Unscoped => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_name_the_cause_and_quote_nothing() {
        assert_eq!(AuthError::Missing.challenge().as_deref(), Some("Bearer realm=\"chorus\""));
        for (error, word) in [
            (AuthError::Malformed, "malformed"),
            (AuthError::Unknown, "unknown"),
            (AuthError::Revoked, "revoked"),
            (AuthError::Expired, "expired"),
            (AuthError::Suspended, "suspended"),
            (AuthError::Unscoped, "without any permission"),
        ] {
            let challenge = error.challenge().unwrap_or_default();
            let rest = challenge.strip_prefix("Bearer realm=\"chorus\", error=\"invalid_token\", error_description=\"");
            let description = rest.and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
            assert!(description.contains(word), "{challenge}");
            // RFC 6750 §3: neither quotes nor backslashes, nor anything beyond ASCII.
            assert!(description.bytes().all(|b| matches!(b, 0x20..=0x7e) && b != b'"' && b != b'\\'), "{challenge}");
        }
    }

    #[test]
    fn a_database_that_is_down_is_no_reason_to_ask_for_another_key() {
        let error = AuthError::Unavailable(Error::Unavailable("connection refused by db.internal".into()));
        assert_eq!(error.challenge(), None);
        assert!(!error.to_string().contains("db.internal"));
    }
}
