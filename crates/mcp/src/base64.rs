//! Header values that carry more than a header can: `=?base64?...?=` (protocol checklist §2.6).

/// The text that a mirrored header value stands for; `None` if it is marked as Base64 and is not.
///
/// A value without the exact prefix or suffix is literal text.
pub(crate) fn header_text(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(decode(encoded)?).ok(),
        None => Some(value.to_owned()),
    }
}

/// The bytes of standard Base64 with padding (RFC 4648 §4). Strict: whitespace, missing padding and stray bits in the
/// last digit are refused, so that one value has one spelling.
fn decode(encoded: &str) -> Option<Vec<u8>> {
    if !encoded.len().is_multiple_of(4) {
        return None;
    }
    let digits = encoded.strip_suffix("==").or_else(|| encoded.strip_suffix('=')).unwrap_or(encoded);
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut pending, mut bits) = (0_u32, 0_u32);
    for digit in digits.bytes() {
        pending = pending << 6 | sextet(digit)?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(pending >> bits).ok()?);
            pending &= (1 << bits) - 1;
        }
    }
    (pending == 0).then_some(bytes)
}

fn sextet(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
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
