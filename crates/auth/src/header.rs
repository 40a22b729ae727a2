//! Reading the `Authorization` header.

use crate::{AuthError, key};

/// The hash of the key in the lines of a request's `Authorization` header: `Bearer KEY`, the scheme in any case, or the
/// key alone (README decision 21).
///
/// # Errors
/// `Missing` without a line or with an empty one, `Malformed` for several lines, another scheme, or anything else that
/// is no key.
pub fn presented_hash<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Result<String, AuthError> {
    let mut lines = lines.into_iter();
    let line = lines.next().ok_or(AuthError::Missing)?;
    // Which of two credentials counts must not be for an intermediary to guess.
    if lines.next().is_some() {
        return Err(AuthError::Malformed);
    }
    let line = std::str::from_utf8(line).map_err(|_| AuthError::Malformed)?.trim_matches(BLANKS);
    if line.is_empty() {
        return Err(AuthError::Missing);
    }
    let key = match line.split_once(BLANKS) {
        None => line,
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => key.trim_start_matches(BLANKS),
        Some(_) => return Err(AuthError::Malformed),
    };
    key::hash_of(key).ok_or(AuthError::Malformed)
}

/// The whitespace that HTTP allows around and inside a value.
const BLANKS: [char; 2] = [' ', '\t'];

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<String, String> {
        presented_hash(lines.iter().map(|line| line.as_bytes())).map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn a_key_is_read_with_the_scheme_in_any_case_or_alone() {
        let key = format!("cho_{}", "k".repeat(43));
        let hash = key::hash_of(&key).ok_or_else(String::new);
        for line in [
            format!("Bearer {key}"),
            format!("bearer {key}"),
            format!("BEARER {key}"),
            format!("  Bearer \t {key}  "),
            key.clone(),
            format!(" {key}\t"),
        ] {
            assert_eq!(read(&[&line]), hash, "{line:?}");
        }
    }

    #[test]
    fn without_a_credential_it_is_missing() {
        for lines in [&[][..], &[""], &["  \t"]] {
            assert_eq!(read(lines), Err("Missing".to_owned()), "{lines:?}");
        }
    }

    #[test]
    fn anything_else_is_malformed() {
        let key = format!("cho_{}", "k".repeat(43));
        for line in [
            "Bearer".to_owned(),
            "Bearer ".to_owned(),
            "Bearer x".to_owned(),
            format!("Basic {key}"),
            format!("Bearer{key}"),
            format!("Bearer {key} {key}"),
            format!("Bearer Bearer {key}"),
            format!("Bearer {key},"),
            format!("Bearer \"{key}\""),
        ] {
            assert_eq!(read(&[&line]), Err("Malformed".to_owned()), "{line:?}");
        }
        let line = format!("Bearer {key}");
        assert_eq!(read(&[&line, &line]), Err("Malformed".to_owned()));
        assert!(matches!(presented_hash([&b"Bearer \xff"[..]]), Err(AuthError::Malformed)));
    }
}
