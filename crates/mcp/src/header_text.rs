//! Header values that carry more than a header can: `=?base64?...?=` (protocol checklist §2.6).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The text that a mirrored header value stands for; `None` if it is marked as Base64 and is not.
///
/// A value without the exact prefix or suffix is literal text. The encoding is strict: whitespace, missing padding and
/// stray bits in the last digit are refused, so that one value has one spelling.
pub(crate) fn header_text(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, expected: Option<&str>) {
        assert_eq!(header_text(value).as_deref(), expected, "{value}");
    }

    #[test]
    fn marked_values_are_decoded_strictly() {
        check("=?base64?aGk=?=", Some("hi"));
        check("=?base64?aGkh?=", Some("hi!"));
        check("=?base64?aA==?=", Some("h"));
        check("=?base64?w7/wn6aA?=", Some("ÿ🦀"));
        check("=?base64??=", Some(""));
        check("=?base64?aGk?=", None); // no padding
        check("=?base64?aGk==?=", None); // too much of it
        check("=?base64?a===?=", None);
        check("=?base64?=aGk?=", None);
        check("=?base64?aGl=?=", None); // stray bits
        check("=?base64?aG k?=", None);
        check("=?base64?aGk_?=", None); // another alphabet
        check("=?base64?/w==?=", None); // not UTF-8
    }

    #[test]
    fn values_without_the_exact_markers_are_literal() {
        for literal in ["aGk=", "=?base64?aGk=", "aGk=?=", "=?BASE64?aGk=?=", "=?base64?=", "", "=?utf-8?b?aGk=?="] {
            check(literal, Some(literal));
        }
    }
}
