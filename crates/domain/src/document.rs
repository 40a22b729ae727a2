//! Documents.

use chorus_ids::{CompanyId, DocumentId, ProjectId, ProposalId, Timestamp};
use chorus_lifecycle::{
    document::{DocumentType, FIRST_VERSION},
    proposal::ProposalStatus,
};
use serde_json::json;

use crate::{
    Code, Party, Refusal,
    origin::Origin,
    proposal::Proposal,
    refusal::{Problem, Reason},
    text::{self, Use},
};

mod writing;

pub use writing::{DocumentEdit, DocumentForm, PastVersion, Updated, create, update};

/// A document of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its id.
    pub id: DocumentId,
    /// Its tenant.
    pub company: CompanyId,
    /// Its project.
    pub project: ProjectId,
    /// Its type.
    pub kind: DocumentType,
    /// Its title.
    pub title: String,
    /// Its Markdown text.
    pub content: Option<String>,
    /// 1 when made, one more with every change.
    pub version: i32,
    /// The proposal it came from.
    pub proposal: Option<ProposalId>,
    /// Who made it.
    pub created_by: Party,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Longest title of a completion report, in characters (lifecycle specification §13).
pub const MAX_REPORT_TITLE: usize = 200;

/// What somebody says in a new completion report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportForm {
    /// Its title, at most [`MAX_REPORT_TITLE`] characters.
    pub title: String,
    /// Its Markdown text.
    pub content: String,
    /// What to do if the proposal has one already.
    pub another: Another,
}

/// What to do if a proposal has a completion report already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Another {
    /// Refuse.
    Refused,
    /// Write another one.
    Allowed,
}

/// Writes the completion report of an approved proposal that has `existing` reports (lifecycle specification §13).
///
/// # Errors
/// `invalid_arguments` for texts that can't be stored; `invalid_state` unless the proposal is approved;
/// `precondition_failed` if it has a report and no other one is allowed.
pub fn report(
    id: DocumentId,
    form: ReportForm,
    (proposal, existing): (&Proposal, u64),
    origin: Origin,
) -> Result<Document, Refusal> {
    let ReportForm { title, content, another } = form;
    let mut problems: Vec<Problem> =
        [text::check("title", &title, Use::Title), text::check("content", &content, Use::Note)]
            .into_iter()
            .filter_map(Result::err)
            .collect();
    if problems.is_empty() && title.chars().count() > MAX_REPORT_TITLE {
        let long = Problem::new("title", format_args!("has more than {MAX_REPORT_TITLE} characters"));
        problems.push(long.because(Reason::TooLong(MAX_REPORT_TITLE)));
    }
    Refusal::unless_fine(problems)?;
    let status = proposal.status;
    if status != ProposalStatus::Approved {
        let text = format!(
            "The proposal is `{status}`; a completion report is written for an approved one \
             only. Have it approved first: chorus_pm_submit_proposal, then chorus_admin_approve_proposal."
        );
        return Err(Refusal::new(Code::InvalidState, text).with(json!({ "status": status.as_str() })));
    }
    if existing > 0 && another == Another::Refused {
        let text = "The proposal has a completion report already. Read it (chorus_get_documents with type `report`); \
                    to write another one all the same, repeat the call with `force: true`.";
        return Err(Refusal::new(Code::PreconditionFailed, text).with(json!({ "reports": existing })));
    }
    Ok(Document {
        id,
        company: origin.company,
        project: origin.project,
        kind: DocumentType::Report,
        title,
        content: Some(content),
        version: FIRST_VERSION,
        proposal: Some(proposal.id),
        created_by: origin.by,
        created_at: origin.now,
        updated_at: origin.now,
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use chorus_ids::Uuid;
    use chorus_lifecycle::proposal::InputType;

    use super::*;
    use crate::idea::fixtures::{LATER, NOW, idea, owner, someone};

    fn try_report(title: &str, content: &str, status: ProposalStatus, existing: u64) -> Result<Document, Refusal> {
        write(title, content, status, (existing, Another::Refused))
    }

    fn write(
        title: &str,
        content: &str,
        status: ProposalStatus,
        (existing, another): (u64, Another),
    ) -> Result<Document, Refusal> {
        let (company, project) = (idea().company, idea().project);
        let proposal = Proposal {
            id: ProposalId::from_u128(5),
            company,
            project,
            title: "A proposal".into(),
            description: None,
            input_type: InputType::Idea,
            inputs: vec![Uuid::from_u128(1)],
            status,
            created_by: someone(),
            review: None,
            version: 3,
            created_at: NOW,
            updated_at: NOW,
        };
        let form = ReportForm { title: title.into(), content: content.into(), another };
        let origin = Origin { company, project, by: owner(), now: LATER };
        report(DocumentId::from_u128(6), form, (&proposal, existing), origin)
    }

    #[test]
    fn a_report_is_a_document_of_its_writer_under_the_proposal() {
        let made = try_report("Done", "## Summary", ProposalStatus::Approved, 0).unwrap();
        assert_eq!((made.kind, made.version), (DocumentType::Report, 1));
        assert_eq!((made.proposal, made.created_by), (Some(ProposalId::from_u128(5)), owner()));
    }

    #[test]
    fn only_an_approved_proposal_has_a_report() {
        for status in [ProposalStatus::Draft, ProposalStatus::Pending, ProposalStatus::Closed] {
            let refused = try_report("Done", "text", status, 0).unwrap_err();
            assert_eq!(refused.code, Code::InvalidState);
            assert!(refused.text.contains(status.as_str()), "{}", refused.text);
        }
    }

    #[test]
    fn a_second_report_has_to_be_wanted() {
        let refused = try_report("Done", "text", ProposalStatus::Approved, 1).unwrap_err();
        assert_eq!((refused.code, refused.details), (Code::PreconditionFailed, Some(json!({"reports": 1}))));
        assert!(refused.text.contains("`force: true`"), "{}", refused.text);
        assert!(write("Done", "text", ProposalStatus::Approved, (1, Another::Allowed)).is_ok());
    }

    #[test]
    fn a_report_says_something_under_a_short_title() {
        for (title, content) in [(" ", "text"), ("Done", " "), (&*"t".repeat(201), "text")] {
            let refused = try_report(title, content, ProposalStatus::Approved, 0).unwrap_err();
            assert_eq!(refused.code, Code::InvalidArguments, "{title} {content}");
        }
        assert!(try_report(&"界".repeat(200), "text", ProposalStatus::Approved, 0).is_ok());
    }
}
