//! Texts for a person to paste into a shell.

/// The text as one word of a POSIX shell.
pub(crate) fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:@=+,%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_read_otherwise_is_quoted() {
        for plain in ["/usr/bin/chorus", "owner@localhost", "sqlite:/a/b.db", "http://127.0.0.1:8637"] {
            assert_eq!(quote(plain), plain);
        }
        assert_eq!(quote(""), "''");
        assert_eq!(quote("/my files/$HOME"), "'/my files/$HOME'");
        assert_eq!(quote("it's"), r"'it'\''s'");
    }
}
