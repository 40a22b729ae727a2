//! Tokens of sessions and of one-time links: 256 random bits each. What is stored of one is its hash.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::CryptoRng;
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use crate::key::sha256;

/// Random bytes in a token.
const BYTES: usize = 32;
/// Their length as base64url without padding.
const CHARS: usize = 43;

/// What the derivation of a form's token is for, so that nothing else comes out of the same key.
const FORMS: &[u8] = b"chorus forms v1";

/// A token that has just been made. Its text can be had this once.
#[derive(Clone, PartialEq, Eq)]
pub struct NewToken {
    text: String, // INVARIANT (format): `CHARS` characters of base64url.
}

impl NewToken {
    /// A token of 32 random bytes.
    pub fn generate(rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        let mut secret = [0; BYTES];
        rng.fill_bytes(&mut secret);
        Self { text: URL_SAFE_NO_PAD.encode(secret) }
    }

    /// The token itself, 43 characters that may stand in a cookie and in a path, for whoever it was made for.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// What is stored of it: the SHA-256 of the text, in lower-case hexadecimal.
    pub(crate) fn hash(&self) -> String {
        sha256(&self.text)
    }
}

impl fmt::Debug for NewToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewToken(..)")
    }
}

/// The hash to look a presented token up by; `None` if it does not have the form of one.
pub(crate) fn hash_of(text: &str) -> Option<String> {
    let base64url = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (text.len() == CHARS && text.bytes().all(base64url)).then(|| sha256(text))
}

/// What every form of a session has to send back: only who holds the session's token can make it, and it does not tell
/// that token.
pub(crate) fn form_token(session_token: &str) -> String {
    // INVARIANT: HMAC takes keys of any length.
    let mut mac = Hmac::<Sha256>::new_from_slice(session_token.as_bytes()).expect("a key of any length");
    mac.update(FORMS);
    URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
}

/// Whether two secrets are the same, without telling by the time it takes how far they agree.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_token_is_256_random_bits_and_known_by_its_hash() {
        let tokens: BTreeSet<String> =
            (0..100).map(|_| NewToken::generate(&mut rand::rng()).reveal().to_owned()).collect();
        assert_eq!(tokens.len(), 100);
        for text in tokens {
            assert_eq!(URL_SAFE_NO_PAD.decode(&text).map(|bytes| bytes.len()), Ok(32));
            let hash = hash_of(&text).unwrap_or_default();
            assert_eq!((hash.len(), hash.contains(&text)), (64, false));
        }
    }

    #[test]
    fn other_texts_are_not_taken_for_tokens() {
        let good = "A".repeat(43);
        assert!(hash_of(&good).is_some());
        for text in ["", "A", &"A".repeat(42), &"A".repeat(44), &format!("{}=", "A".repeat(42)), &"é".repeat(21)] {
            assert_eq!(hash_of(text), None, "{text}");
        }
    }

    #[test]
    fn a_forms_token_is_that_of_its_session_and_tells_nothing_of_it() {
        let (one, two) = (NewToken::generate(&mut rand::rng()), NewToken::generate(&mut rand::rng()));
        let form = form_token(one.reveal());
        assert_eq!(form, form_token(one.reveal()));
        assert_ne!(form, form_token(two.reveal()));
        assert_ne!(form, one.reveal());
        assert!(same(&form, &form_token(one.reveal())) && !same(&form, &form_token(two.reveal())));
        assert!(!same(&form, "") && !same(&form, form.get(..42).unwrap_or_default()));
    }

    #[test]
    fn debugging_a_token_shows_nothing_of_it() {
        let token = NewToken::generate(&mut rand::rng());
        assert!(!format!("{token:?}").contains(token.reveal().get(..8).unwrap_or_default()));
    }
}
