//! E-mail addresses.

use chorus_domain::refusal::{Problem, Reason};

/// Longest address, in bytes (RFC 5321).
pub const MAX_EMAIL: usize = 254;

/// The address without blanks around it, if it is one: something, one `@`, something; no blanks or control characters
/// inside. Whether mail arrives there only mail can tell, so `owner@localhost` is as good as any.
///
/// # Errors
/// The problem names `field`.
pub fn check_email(field: &str, text: &str) -> Result<String, Problem> {
    let email = text.trim();
    if email.len() > MAX_EMAIL {
        return Err(Problem::too_long(field, email.len(), "bytes", MAX_EMAIL));
    }
    let visible = |c: char| !c.is_whitespace() && !c.is_control();
    let parts =
        email.split_once('@').filter(|(user, host)| !user.is_empty() && !host.is_empty() && !host.contains('@'));
    if parts.is_some() && email.chars().all(visible) {
        Ok(email.to_owned())
    } else {
        let none = Problem::new(field, "is not an e-mail address such as `ada@example.com`");
        Err(none.because(Reason::NoAddress))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_two_parts_around_one_at_sign() {
        for good in ["ada@example.com", "owner@localhost", "Ada.B+c@EXAMPLE.org", "用户@例子.中国"] {
            assert_eq!(check_email("email", good).as_deref(), Ok(good));
        }
        assert_eq!(check_email("email", "  ada@example.com\n").as_deref(), Ok("ada@example.com"));
        for bad in ["", "ada", "@", "ada@", "@example.com", "a@b@c", "a b@c", "a@b c", "a\0@b", "a@b\nx@y"] {
            let refused = check_email("email", bad).map_err(|problem| problem.field);
            assert_eq!(refused, Err("email".to_owned()), "{bad:?}");
        }
    }

    #[test]
    fn an_address_is_254_bytes_at_most() {
        let long = |bytes: usize| format!("{}@b", "a".repeat(bytes - 2));
        assert!(check_email("email", &long(MAX_EMAIL)).is_ok());
        assert!(check_email("email", &long(MAX_EMAIL + 1)).is_err());
    }
}
