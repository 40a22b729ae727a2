//! Passwords: which may be chosen, their hashes, and checking them without giving the machine to whoever guesses.

use std::{
    collections::BTreeSet,
    sync::{Arc, LazyLock},
    thread::available_parallelism,
};

use argon2::{
    Argon2,
    password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString},
};
use chorus_domain::refusal::{Problem, Reason};
use chorus_store::{BoxError, Error, Result};
use rand::CryptoRng;
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization as _;

/// Longest password, in bytes; longer ones only cost time.
pub const MAX_PASSWORD_BYTES: usize = 1_024;

/// Shortest password that somebody may choose, in characters.
pub const MIN_PASSWORD: usize = 12;

/// Fewest different characters in a password that somebody may choose.
const MIN_DIFFERENT: usize = 4;

/// A hash that no password fits, made like all others, so that an address that nobody has takes as long to refuse as one
/// that somebody has.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGF0IGFsbC4uLg$W1Qe1T3cQ0pS0y2kqQbX2Y2d0sPqz9Yq4m3l5u7c1aA";

/// Whether somebody may have this password: long enough to stand guessing, and not what is known of them anyway.
///
/// # Errors
/// The problem names `field` and does not repeat the password.
pub fn check_password(field: &str, password: &str, email: Option<&str>) -> Result<(), Problem> {
    let characters = password.nfkc().count();
    if characters < MIN_PASSWORD {
        let short = format_args!("is too short; choose at least {MIN_PASSWORD} characters, several words for example");
        return Err(Problem::new(field, short).because(Reason::TooShort(MIN_PASSWORD)));
    }
    if password.len() > MAX_PASSWORD_BYTES {
        return Err(Problem::too_long(field, password.len(), "bytes", MAX_PASSWORD_BYTES));
    }
    let folded = password.trim().to_lowercase();
    if email.is_some_and(|email| folded == email.trim().to_lowercase()) {
        let known = Problem::new(field, "is the e-mail address, which others know; choose another");
        return Err(known.because(Reason::IsAddress));
    }
    let different: BTreeSet<char> = folded.chars().collect();
    if different.len() < MIN_DIFFERENT {
        let repeats = Problem::new(field, "repeats a few characters only; choose another");
        return Err(repeats.because(Reason::Repeats));
    }
    Ok(())
}

/// The argon2id hash of a password, with a salt of its own, in PHC form. Takes tens of milliseconds of a core.
///
/// # Errors
/// Refused if the password is blank or longer than [`MAX_PASSWORD_BYTES`].
pub fn hash_password(password: &str, rng: &mut (impl CryptoRng + ?Sized)) -> Result<String> {
    let problem = if password.trim().is_empty() {
        Some(Problem::blank("password"))
    } else if password.len() > MAX_PASSWORD_BYTES {
        Some(Problem::too_long("password", password.len(), "bytes", MAX_PASSWORD_BYTES))
    } else {
        None
    };
    if let Some(problem) = problem {
        return Err(chorus_domain::Refusal::problems(vec![problem]).into());
    }
    let mut salt = [0; 16];
    rng.fill_bytes(&mut salt);
    let internal = |error: argon2::password_hash::Error| Error::Internal(BoxError::from(error.to_string()));
    let salt = SaltString::encode_b64(&salt).map_err(internal)?;
    // The default of this crate is argon2id with the parameters that OWASP recommends.
    let hash = Argon2::default().hash_password(normal(password).as_bytes(), &salt).map_err(internal)?;
    Ok(hash.to_string())
}

/// The same password whatever keyboard it is typed at: letters with marks come composed from one and in parts from
/// another.
fn normal(password: &str) -> String {
    password.nfkc().collect()
}

/// Whether the password fits the hash; that of nobody, if there is none. What is too long fits nothing, and takes as long.
fn fits(password: &str, hash: Option<&str>) -> bool {
    let end = password.floor_char_boundary(MAX_PASSWORD_BYTES);
    let whole = end == password.len();
    let password = normal(password.get(..end).unwrap_or_default());
    let Ok(parsed) = PasswordHash::new(hash.unwrap_or(NOBODY)) else { return false };
    let same = Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok();
    same && whole && hash.is_some()
}

/// How many passwords are worked on at a time: half of the cores stay for others, however many guess.
static TURNS: LazyLock<Arc<Semaphore>> =
    LazyLock::new(|| Arc::new(Semaphore::new((available_parallelism().map_or(1, usize::from) / 2).max(1))));

/// Works on passwords on a thread that may block, when there is a turn. A caller that goes away gives it back only when
/// the work is done, or the limit would be none.
async fn in_turn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let turn = Arc::clone(&TURNS).acquire_owned().await.map_err(|closed| Error::Internal(closed.into()))?;
    let work = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(turn);
        done
    });
    work.await.map_err(|panic| Error::Internal(panic.into()))
}

/// Which of these hashes the password fits, by their places. At least one is tried, that of nobody if there is none.
pub(crate) async fn fitting(password: &str, hashes: Vec<String>) -> Result<Vec<usize>> {
    let password = password.to_owned();
    in_turn(move || {
        if hashes.is_empty() {
            fits(&password, None);
        }
        hashes.iter().enumerate().filter(|(_, hash)| fits(&password, Some(hash))).map(|(nth, _)| nth).collect()
    })
    .await
}

/// [`hash_password`] in its turn.
pub(crate) async fn hash_in_turn(password: &str) -> Result<String> {
    let password = password.to_owned();
    in_turn(move || hash_password(&password, &mut rand::rng())).await?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_argon2id_salted_and_fits_its_password_only() {
        let hash = || hash_password("Käse 密码", &mut rand::rng()).unwrap_or_default();
        let (first, second) = (hash(), hash());
        assert!(first.starts_with("$argon2id$v=19$"), "{first}");
        assert_ne!(first, second);
        assert!(fits("Käse 密码", Some(&first)));
        assert!(!fits("Kase 密码", Some(&first)));
        assert!(!fits("Käse 密码", Some("no hash")) && !fits("Käse 密码", None));
    }

    #[test]
    fn a_password_is_the_same_at_every_keyboard() {
        let hash = hash_password("K\u{e4}se, Tiếng Việt", &mut rand::rng()).unwrap_or_default();
        let parts: String = "K\u{e4}se, Tiếng Việt".nfd().collect();
        assert_ne!(parts, "K\u{e4}se, Tiếng Việt");
        assert!(fits(&parts, Some(&hash)));
    }

    #[test]
    fn blank_and_endless_passwords_are_refused_without_repeating_them() {
        for password in [String::new(), " \t".to_owned(), "x".repeat(MAX_PASSWORD_BYTES + 1)] {
            let refused = hash_password(&password, &mut rand::rng()).map_err(|error| error.to_string());
            assert!(refused.is_err_and(|text| !text.contains("xx")), "{}", password.len());
        }
        let hash = hash_password(&"x".repeat(MAX_PASSWORD_BYTES), &mut rand::rng()).unwrap_or_default();
        assert!(fits(&"x".repeat(MAX_PASSWORD_BYTES), Some(&hash)));
        assert!(!fits(&"x".repeat(MAX_PASSWORD_BYTES + 1), Some(&hash)));
    }

    #[test]
    fn who_is_nobody_is_refused_as_slowly_as_somebody() {
        let parameters = |hash: &str| {
            let hash = PasswordHash::new(hash).ok();
            hash.map(|hash| {
                let lengths = (hash.salt.map(|salt| salt.as_str().len()), hash.hash.map(|output| output.len()));
                (hash.algorithm.to_string(), hash.version, hash.params.to_string(), lengths)
            })
        };
        let somebody = hash_password("somebody", &mut rand::rng()).unwrap_or_default();
        assert!(parameters(&somebody).is_some());
        assert_eq!(parameters(NOBODY), parameters(&somebody));
    }

    #[test]
    fn passwords_that_anybody_guesses_may_not_be_chosen() {
        let check = |password: &str| check_password("password", password, Some("Ada.Lovelace@Example.com"));
        for good in ["correct horse battery", "αβγδεζηθικλμ", "1234 5678 abc", &"long ".repeat(204)] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (bad, word) in [
            ("", "short"),
            ("elevenchars", "short"),
            ("ada.lovelace@example.com", "address"),
            (" ADA.LOVELACE@example.com ", "address"),
            ("aaaaaaaaaaaaaaaa", "repeats"),
            ("abcabcabcabcabc", "repeats"),
            (&"long ".repeat(205), "bytes"),
        ] {
            let problem = check(bad).err();
            let told = problem.as_ref().is_some_and(|problem| {
                problem.field == "password" && problem.message.contains(word) && !problem.message.contains("abcabc")
            });
            assert!(told, "{bad}: {problem:?}");
        }
    }

    #[tokio::test]
    async fn a_password_is_tried_at_every_hash() {
        let hash = |password| hash_password(password, &mut rand::rng()).unwrap_or_default();
        let hashes = vec![hash("one"), hash("two"), hash("one")];
        assert_eq!(fitting("one", hashes.clone()).await.ok(), Some(vec![0, 2]));
        assert_eq!(fitting("three", hashes).await.ok(), Some(vec![]));
        assert_eq!(fitting("one", Vec::new()).await.ok(), Some(vec![]));
    }
}
