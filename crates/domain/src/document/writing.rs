//! Making and changing documents (lifecycle specification §5).

use chorus_ids::{DocumentId, ProposalId, Timestamp};
use chorus_lifecycle::document::{DocumentType, FIRST_VERSION, next_version};

use super::Document;
use crate::{
    Party, Refusal,
    origin::Origin,
    text::{self, Use},
    version,
};

/// What somebody says in a new document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentForm {
    /// Its type; completion reports are made in another way.
    pub kind: DocumentType,
    /// Its title.
    pub title: String,
    /// Its Markdown text; a blank one counts as none.
    pub content: Option<String>,
    /// The proposal of the same project that it belongs to.
    pub proposal: Option<ProposalId>,
}

/// Makes a document at version 1.
///
/// # Errors
/// `invalid_arguments` for a completion report and for texts that can't be stored.
pub fn create(id: DocumentId, form: DocumentForm, origin: Origin) -> Result<Document, Refusal> {
    let DocumentForm { kind, title, content, proposal } = form;
    if kind == DocumentType::Report {
        return Err(Refusal::invalid("type", "can't be `report` here; write reports with chorus_create_report"));
    }
    check(Some(&title), content.as_deref())?;
    Ok(Document {
        id,
        company: origin.company,
        project: origin.project,
        kind,
        title,
        content: text::present(content),
        version: FIRST_VERSION,
        proposal,
        created_by: origin.by,
        created_at: origin.now,
        updated_at: origin.now,
    })
}

/// What a change of a document names; the rest stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentEdit {
    /// Another title.
    pub title: Option<String>,
    /// Another text; a blank one clears it.
    pub content: Option<String>,
}

/// What a document said until it was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastVersion {
    /// The document.
    pub document: DocumentId,
    /// Its version then.
    pub version: i32,
    /// Its title then.
    pub title: String,
    /// Its text then.
    pub content: Option<String>,
    /// Who changed it, and so wrote the next version.
    pub replaced_by: Party,
    /// When.
    pub replaced_at: Timestamp,
}

/// A document that was changed, and what it said before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Updated {
    /// As it is now.
    pub document: Document,
    /// As it was.
    pub past: PastVersion,
}

/// Changes a document. Nothing if that would change nothing.
///
/// # Errors
/// `invalid_arguments` for texts that can't be stored; `precondition_failed` if it is at another version than expected.
pub fn update(
    document: &Document,
    edit: DocumentEdit,
    expected: Option<i32>,
    (by, now): (Party, Timestamp),
) -> Result<Option<Updated>, Refusal> {
    let DocumentEdit { title, content } = edit;
    check(title.as_deref(), content.as_deref())?;
    version::require("document", "chorus_get_document", document.version, expected)?;
    let mut after = document.clone();
    if let Some(title) = title {
        after.title = title;
    }
    if content.is_some() {
        after.content = text::present(content);
    }
    if after == *document {
        return Ok(None);
    }
    let past = PastVersion {
        document: document.id,
        version: document.version,
        title: document.title.clone(),
        content: document.content.clone(),
        replaced_by: by,
        replaced_at: now,
    };
    Ok(Some(Updated { document: Document { version: next_version(document.version), updated_at: now, ..after }, past }))
}

fn check(title: Option<&str>, content: Option<&str>) -> Result<(), Refusal> {
    let title = title.and_then(|title| text::check("title", title, Use::Title).err());
    let content = content.and_then(|content| text::check("content", content, Use::Body).err());
    Refusal::unless_fine(title.into_iter().chain(content).collect())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;
    use crate::{
        Code,
        idea::fixtures::{LATER, NOW, idea, owner, someone},
    };

    fn form(kind: DocumentType, title: &str, content: Option<&str>) -> DocumentForm {
        DocumentForm { kind, title: title.into(), content: content.map(Into::into), proposal: None }
    }

    fn made(form: DocumentForm) -> Result<Document, Refusal> {
        let origin = Origin { company: idea().company, project: idea().project, by: owner(), now: NOW };
        create(DocumentId::from_u128(5), form, origin)
    }

    fn guide() -> Document {
        made(form(DocumentType::Guide, "Guide", Some("Text"))).unwrap()
    }

    fn edit(title: Option<&str>, content: Option<&str>) -> DocumentEdit {
        DocumentEdit { title: title.map(Into::into), content: content.map(Into::into) }
    }

    #[test]
    fn a_new_document_begins_at_version_one() {
        let made = made(form(DocumentType::Adr, "ADR", Some(" \n"))).unwrap();
        assert_eq!((made.version, made.content, made.created_by, made.updated_at), (1, None, owner(), NOW));
    }

    #[test]
    fn reports_and_texts_that_can_not_be_stored_are_refused() {
        let refused = made(form(DocumentType::Report, "Report", None)).unwrap_err();
        assert!(refused.text.contains("chorus_create_report"), "{}", refused.text);
        let refused = made(form(DocumentType::Prd, " ", Some("a\0"))).unwrap_err();
        let details = refused.details.unwrap();
        assert_eq!(details.pointer("/problems/0/field"), Some(&json!("title")));
        assert_eq!(details.pointer("/problems/1/field"), Some(&json!("content")));
    }

    #[test]
    fn a_change_touches_what_it_names_and_keeps_what_was() {
        let before = guide();
        let Updated { document, past } =
            update(&before, edit(Some("Manual"), None), None, (someone(), LATER)).unwrap().unwrap();
        let expected = Document { title: "Manual".into(), version: 2, updated_at: LATER, ..before.clone() };
        assert_eq!(document, expected);
        assert_eq!((past.version, past.title.as_str(), past.content), (1, "Guide", Some("Text".into())));
        assert_eq!((past.replaced_by, past.replaced_at), (someone(), LATER));
        let cleared = update(&before, edit(None, Some("  ")), Some(1), (someone(), LATER)).unwrap().unwrap();
        assert_eq!((cleared.document.content, cleared.document.title.as_str()), (None, "Guide"));
    }

    #[test]
    fn a_change_of_nothing_is_none() {
        for same in [edit(None, None), edit(Some("Guide"), Some("Text"))] {
            assert_eq!(update(&guide(), same, Some(1), (someone(), LATER)), Ok(None));
        }
    }

    #[test]
    fn a_stale_writer_is_told_the_version() {
        let refused = update(&guide(), edit(Some("x"), None), Some(2), (someone(), LATER)).unwrap_err();
        assert_eq!(refused.code, Code::PreconditionFailed);
        assert_eq!(
            update(&guide(), edit(Some(" "), None), Some(2), (someone(), LATER)).unwrap_err().code,
            Code::InvalidArguments
        );
    }
}
