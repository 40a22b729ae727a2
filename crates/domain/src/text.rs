//! Limits of texts (README decision 17).
//!
//! Lengths are Unicode characters (scalar values) unless bytes are named.

use crate::refusal::{Problem, Reason};

/// Longest title or name, in characters.
pub const MAX_TITLE: usize = 500;
/// Longest description or content, in bytes of UTF-8.
pub const MAX_BODY_BYTES: usize = 1024 * 1024;
/// Longest comment or report, in characters.
pub const MAX_COMMENT: usize = 20_000;
/// Longest comment or report, in bytes of its escaped JSON form.
pub const MAX_COMMENT_JSON_BYTES: usize = 48 * 1024;
/// Longest excerpt of a text inside an activity, in characters.
pub const MAX_EXCERPT: usize = 512;

/// What a text is for; decides its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A title or name: one line's worth, not blank.
    Title,
    /// A text that must say something: a reason, a question, a criterion, an evidence. Not blank.
    Note,
    /// A description or content: may be blank.
    Body,
    /// A comment or report: not blank, and small enough for a row of a list.
    Comment,
}

/// Checks one text; the problem names `field`.
///
/// # Errors
/// A NUL character, a blank text where one is needed, or one that is too long.
pub fn check(field: &str, text: &str, usage: Use) -> Result<(), Problem> {
    if text.contains('\0') {
        return Err(Problem::unstorable(field));
    }
    let needed = match usage {
        Use::Title | Use::Note | Use::Comment => true,
        Use::Body => false,
    };
    if needed && text.trim().is_empty() {
        return Err(Problem::blank(field));
    }
    let characters = || text.chars().count();
    match usage {
        Use::Title if characters() > MAX_TITLE => Err(Problem::too_long(field, characters(), "characters", MAX_TITLE)),
        Use::Comment if characters() > MAX_COMMENT => {
            Err(Problem::too_long(field, characters(), "characters", MAX_COMMENT))
        }
        Use::Comment if json_bytes(text) > MAX_COMMENT_JSON_BYTES => Err(Problem::new(
            field,
            format_args!("takes {} bytes as JSON; at most {MAX_COMMENT_JSON_BYTES} are allowed", json_bytes(text)),
        )
        .because(Reason::TooLong(MAX_COMMENT_JSON_BYTES))),
        Use::Note | Use::Body if text.len() > MAX_BODY_BYTES => {
            Err(Problem::too_long(field, text.len(), "bytes", MAX_BODY_BYTES))
        }
        Use::Title | Use::Note | Use::Body | Use::Comment => Ok(()),
    }
}

/// The text without blanks around it, or nothing if nothing is left: how optional bodies are stored.
pub fn present(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// At most [`MAX_EXCERPT`] characters of the text, the last three being dots if it was cut.
pub fn excerpt(text: &str) -> String {
    shorten(text, MAX_EXCERPT)
}

/// At most `limit` characters of the text (`limit` at least 3), the last three being dots if it was cut.
pub fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some(_) => {
            let mut cut: String = text.chars().take(limit.saturating_sub(3)).collect();
            cut.push_str("...");
            cut
        }
    }
}

/// Bytes of the text as a JSON string, without its quotes.
fn json_bytes(text: &str) -> usize {
    serde_json::to_string(text).map_or(usize::MAX, |json| json.len().saturating_sub(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str, usage: Use) -> Option<String> {
        check("f", text, usage).err().map(|problem| problem.message)
    }

    #[test]
    fn blank_and_nul_are_refused_where_a_text_is_needed() {
        for usage in [Use::Title, Use::Note, Use::Comment] {
            assert!(refused(" \u{3000}\n", usage).is_some_and(|m| m.contains("blank")), "{usage:?}");
        }
        assert_eq!(refused("  ", Use::Body), None);
        for usage in [Use::Title, Use::Note, Use::Comment, Use::Body] {
            assert!(refused("a\0b", usage).is_some_and(|m| m.contains("NUL")), "{usage:?}");
        }
    }

    #[test]
    fn limits_count_characters_or_bytes_as_named() {
        assert_eq!(refused(&"界".repeat(MAX_TITLE), Use::Title), None);
        assert!(refused(&"界".repeat(MAX_TITLE + 1), Use::Title).is_some());
        assert_eq!(refused(&"x".repeat(MAX_BODY_BYTES), Use::Body), None);
        assert!(refused(&"x".repeat(MAX_BODY_BYTES + 1), Use::Body).is_some());
        assert_eq!(refused(&"x".repeat(MAX_COMMENT), Use::Comment), None);
        assert!(refused(&"x".repeat(MAX_COMMENT + 1), Use::Comment).is_some());
        // 10,000 control characters are 60,000 bytes of escapes.
        assert!(refused(&"\u{1}".repeat(10_000), Use::Comment).is_some_and(|m| m.contains("JSON")));
    }

    #[test]
    fn excerpts_end_in_three_dots_and_keep_the_limit() {
        assert_eq!(excerpt("short"), "short");
        let cut = excerpt(&"字".repeat(600));
        assert_eq!(cut.chars().count(), MAX_EXCERPT);
        assert!(cut.ends_with("字..."));
        assert_eq!(excerpt(&"字".repeat(512)).chars().count(), 512);
    }
}
