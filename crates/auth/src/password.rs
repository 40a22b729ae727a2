//! Password hashes.

use argon2::{
    Argon2,
    password_hash::{PasswordHasher as _, SaltString},
};
use chorus_domain::refusal::Problem;
use chorus_store::{BoxError, Error, Result};
use rand::CryptoRng;

/// Longest password, in bytes; longer ones only cost time.
pub const MAX_PASSWORD_BYTES: usize = 1_024;

/// The argon2id hash of a password, with a salt of its own, in PHC form.
///
/// # Errors
/// Refused if the password is blank or longer than [`MAX_PASSWORD_BYTES`].
pub fn hash_password(password: &str, rng: &mut (impl CryptoRng + ?Sized)) -> Result<String> {
    let problem = if password.trim().is_empty() {
        Some(Problem::new("password", "is blank; give it at least one visible character"))
    } else if password.len() > MAX_PASSWORD_BYTES {
        let long = format_args!("has {} bytes; at most {MAX_PASSWORD_BYTES} are allowed", password.len());
        Some(Problem::new("password", long))
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
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt).map_err(internal)?;
    Ok(hash.to_string())
}

#[cfg(test)]
mod tests {
    use argon2::password_hash::{PasswordHash, PasswordVerifier as _};

    use super::*;

    #[test]
    fn a_hash_is_argon2id_salted_and_fits_its_password_only() {
        let hash = || hash_password("Käse 密码", &mut rand::rng()).unwrap_or_default();
        let (first, second) = (hash(), hash());
        assert!(first.starts_with("$argon2id$v=19$"), "{first}");
        assert_ne!(first, second);
        let fits = |password: &str| {
            PasswordHash::new(&first)
                .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
        };
        assert!(fits("Käse 密码"));
        assert!(!fits("Kase 密码"));
    }

    #[test]
    fn blank_and_endless_passwords_are_refused_without_repeating_them() {
        for password in [String::new(), " \t".to_owned(), "x".repeat(MAX_PASSWORD_BYTES + 1)] {
            let refused = hash_password(&password, &mut rand::rng()).map_err(|error| error.to_string());
            assert!(refused.is_err_and(|text| !text.contains("xx")), "{}", password.len());
        }
    }
}
