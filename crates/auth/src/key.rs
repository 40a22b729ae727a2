//! The format of API keys (permissions specification §8).

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rand::CryptoRng;
use sha2::{Digest as _, Sha256};

/// What every key begins with.
const PREFIX: &str = "cho_";
/// Random bytes in a key.
const SECRET_BYTES: usize = 32;
/// Their length as base64url without padding.
const SECRET_CHARS: usize = 43;
/// How many characters at each end of the secret part are shown.
const SHOWN: usize = 4;

/// A key that has just been made. Its text can be had this once; what is stored is its hash.
pub struct NewKey {
    text: String, // INVARIANT (format): `PREFIX` and `SECRET_CHARS` characters of base64url.
}

impl NewKey {
    /// A key of 32 random bytes.
    pub fn generate(rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        let mut secret = [0; SECRET_BYTES];
        rng.fill_bytes(&mut secret);
        Self { text: format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(secret)) }
    }

    /// The key itself, 47 characters, for whoever it was made for and nobody else.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// What is stored of it: the SHA-256 of the whole text, in lower-case hexadecimal.
    pub fn hash(&self) -> String {
        sha256(&self.text)
    }

    /// What lists show of it: `cho_abcd...wxyz`.
    pub fn prefix(&self) -> String {
        let secret = self.text.strip_prefix(PREFIX).unwrap_or_default();
        let first = secret.get(..SHOWN).unwrap_or_default();
        let last = secret.len().checked_sub(SHOWN).and_then(|at| secret.get(at..)).unwrap_or_default();
        format!("{PREFIX}{first}...{last}")
    }
}

impl fmt::Debug for NewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NewKey").field(&self.prefix()).finish()
    }
}

/// The hash to look a presented text up by; `None` if it does not have the form of a key.
pub(crate) fn hash_of(text: &str) -> Option<String> {
    let secret = text.strip_prefix(PREFIX)?;
    let base64url = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (secret.len() == SECRET_CHARS && secret.bytes().all(base64url)).then(|| sha256(text))
}

/// Whether a text has the form in which keys are shown.
pub(crate) fn is_prefix(text: &str) -> bool {
    let base64url = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let ends = text.strip_prefix(PREFIX).and_then(|rest| rest.split_once("..."));
    ends.is_some_and(|(first, last)| [first, last].iter().all(|end| end.len() == SHOWN && end.bytes().all(base64url)))
}

/// The SHA-256 of a text, in lower-case hexadecimal.
pub(crate) fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_key_is_47_characters_of_which_eight_are_shown() {
        let key = NewKey::generate(&mut rand::rng());
        let text = key.reveal();
        assert_eq!(text.len(), 47);
        let secret = text.strip_prefix("cho_").unwrap_or_default();
        assert_eq!(URL_SAFE_NO_PAD.decode(secret).map(|bytes| bytes.len()), Ok(32));
        let (first, last) = (&secret.get(..4), &secret.get(39..));
        assert_eq!(key.prefix(), format!("cho_{}...{}", first.unwrap_or("?"), last.unwrap_or("?")));
        assert_eq!(hash_of(text), Some(key.hash()));
    }

    #[test]
    fn the_hash_is_the_sha_256_of_the_whole_text() {
        let text = format!("cho_{}", "A".repeat(43));
        assert_eq!(hash_of(&text).as_deref(), Some("38b2f846abd406f9b6b3997e0d5698e601075f14eb23b9caf73b798d88bf380f"),);
    }

    #[test]
    fn keys_are_never_the_same() {
        let keys: BTreeSet<String> = (0..100).map(|_| NewKey::generate(&mut rand::rng()).reveal().to_owned()).collect();
        assert_eq!(keys.len(), 100);
    }

    #[test]
    fn other_texts_are_not_taken_for_keys() {
        let good = "A".repeat(43);
        assert!(hash_of(&format!("cho_{good}")).is_some());
        for text in [
            String::new(),
            "cho_".into(),
            good.clone(),
            format!("CHO_{good}"),
            format!("cho-{good}"),
            format!("cho_{}", "A".repeat(42)),
            format!("cho_{}", "A".repeat(44)),
            format!("cho_{}=", "A".repeat(42)),
            format!("cho_{}+", "A".repeat(42)),
            format!("cho_{} ", "A".repeat(42)),
            format!("cho_{}é", "A".repeat(41)),
        ] {
            assert_eq!(hash_of(&text), None, "{text:?}");
        }
    }

    #[test]
    fn debugging_a_key_shows_its_ends_only() {
        let key = NewKey::generate(&mut rand::rng());
        let shown = format!("{key:?}");
        assert!(shown.contains(&key.prefix()) && !shown.contains(key.reveal()), "{shown}");
    }
}
