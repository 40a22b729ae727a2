//! Comments.

use chorus_ids::{CommentId, CompanyId, Timestamp, Uuid};

use crate::{Kind, Party, Refusal, text};

/// A comment on an idea, proposal, task or document. Comments are never edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its id.
    pub id: CommentId,
    /// Its tenant.
    pub company: CompanyId,
    /// What kind of thing it is about.
    pub target: Kind,
    /// Which one.
    pub target_id: Uuid,
    /// The text, at most 20,000 characters and 48 KiB as escaped JSON.
    pub content: String,
    /// Who wrote it.
    pub author: Party,
    /// When.
    pub created_at: Timestamp,
}

/// The text of a comment or report as it is stored: trimmed. `field` names it in problems.
///
/// # Errors
/// A blank text, or one that does not fit into a row of a list.
pub fn content(field: &str, given: &str) -> Result<String, Refusal> {
    let content = given.trim();
    text::check(field, content, text::Use::Comment).map_err(|problem| Refusal::problems(vec![problem]))?;
    Ok(content.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn comments_are_trimmed_and_must_say_something() {
        assert_eq!(content("content", " fine\n"), Ok("fine".to_owned()));
        for given in ["", " \n", "a\0b"] {
            assert_eq!(content("report", given).map_err(|refusal| refusal.code), Err(Code::InvalidArguments));
        }
        // Blanks around a text don't count against its limit.
        let longest = format!(" {} ", "x".repeat(text::MAX_COMMENT));
        assert_eq!(content("content", &longest).map(|text| text.len()), Ok(text::MAX_COMMENT));
        assert!(content("content", &"x".repeat(text::MAX_COMMENT + 1)).is_err());
    }
}
