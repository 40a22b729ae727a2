//! Changing and removing the drafts of a proposal (lifecycle specification §4.2).

use chorus_ids::{DraftId, Timestamp};
use chorus_lifecycle::{document::DocumentType, proposal::ProposalEvent, task::Priority};

use super::{
    CriterionDraft, DocumentDraft, DocumentDraftIndex, Proposal, TaskDraft,
    drafting::{ONLY_DRAFTS, normalised, once_each},
};
use crate::{
    Code, Refusal,
    refusal::Problem,
    task::create::check_points,
    text::{self, Use},
    version,
};

/// What a change of a proposal names; the rest stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProposalEdit {
    /// Another title.
    pub title: Option<String>,
    /// Another description; a blank one clears it.
    pub description: Option<String>,
}

/// Changes what a proposal is called and what it says about itself. Nothing if that would change nothing.
///
/// # Errors
/// `invalid_arguments` for texts that can't be stored; `precondition_failed` if the proposal is at another version than
/// expected; `invalid_state` unless it is a draft.
pub fn edit(
    proposal: &Proposal,
    edit: ProposalEdit,
    expected: Option<i32>,
    now: Timestamp,
) -> Result<Option<Proposal>, Refusal> {
    let ProposalEdit { title, description } = edit;
    let problems = [
        title.as_deref().and_then(|title| text::check("title", title, Use::Title).err()),
        description.as_deref().and_then(|text| text::check("description", text, Use::Body).err()),
    ];
    Refusal::unless_fine(problems.into_iter().flatten().collect())?;
    let mut next = editable(proposal, expected, now)?;
    if let Some(title) = title {
        next.title = title;
    }
    if description.is_some() {
        next.description = text::present(description);
    }
    let changed = (&next.title, &next.description) != (&proposal.title, &proposal.description);
    Ok(changed.then_some(next))
}

/// What a change of a document draft names; the rest stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentDraftEdit {
    /// Another type.
    pub kind: Option<DocumentType>,
    /// Another title.
    pub title: Option<String>,
    /// Another text.
    pub content: Option<String>,
}

/// What a change of a task draft names; the rest stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskDraftEdit {
    /// Another title.
    pub title: Option<String>,
    /// Another description; a blank one clears it.
    pub description: Option<String>,
    /// Another priority.
    pub priority: Option<Priority>,
    /// Another effort, 0 to 1000.
    pub story_points: Option<f64>,
    /// Criteria that take the place of all there are; at least one.
    pub criteria: Option<Vec<CriterionDraft>>,
    /// Drafts that take the place of all it depends on. Whether there are such is found out at validation.
    pub depends_on: Option<Vec<DraftId>>,
}

/// A draft after a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Redrafted<D> {
    /// The draft as it is now.
    pub draft: D,
    /// The proposal as it is now; nothing if the draft was like that before.
    pub proposal: Option<Proposal>,
}

/// Changes a document draft. `draft` is none if the proposal has no such draft.
///
/// # Errors
/// `invalid_arguments` for texts that can't be stored; `precondition_failed` if the proposal is at another version than
/// expected; `invalid_state` unless it is a draft; `not_found` without the draft.
pub fn edit_document_draft(
    proposal: &Proposal,
    draft: Option<DocumentDraft>,
    edit: DocumentDraftEdit,
    expected: Option<i32>,
    now: Timestamp,
) -> Result<Redrafted<DocumentDraft>, Refusal> {
    let DocumentDraftEdit { kind, title, content } = edit;
    let problems = [
        title.as_deref().and_then(|title| text::check("title", title, Use::Title).err()),
        content.as_deref().and_then(|content| text::check("content", content, Use::Body).err()),
    ];
    Refusal::unless_fine(problems.into_iter().flatten().collect())?;
    let next = editable(proposal, expected, now)?;
    let before = draft.ok_or_else(no_draft)?;
    let draft = DocumentDraft {
        id: before.id,
        kind: kind.unwrap_or(before.kind),
        title: title.unwrap_or_else(|| before.title.clone()),
        content: content.unwrap_or_else(|| before.content.clone()),
    };
    Ok(Redrafted { proposal: (draft != before).then_some(next), draft })
}

/// Changes a task draft. `draft` is none if the proposal has no such draft.
///
/// # Errors
/// As [`edit_document_draft`]; `invalid_arguments` for criteria that are given but all blank.
pub fn edit_task_draft(
    proposal: &Proposal,
    draft: Option<TaskDraft>,
    edit: TaskDraftEdit,
    expected: Option<i32>,
    now: Timestamp,
) -> Result<Redrafted<TaskDraft>, Refusal> {
    let TaskDraftEdit { title, description, priority, story_points, criteria, depends_on } = edit;
    let mut problems: Vec<Problem> = [
        title.as_deref().and_then(|title| text::check("title", title, Use::Title).err()),
        description.as_deref().and_then(|text| text::check("description", text, Use::Body).err()),
    ]
    .into_iter()
    .flatten()
    .collect();
    problems.extend(story_points.and_then(|points| check_points("storyPoints", points).err()));
    let criteria = criteria.map(|given| normalised(given, &mut problems));
    Refusal::unless_fine(problems)?;
    let next = editable(proposal, expected, now)?;
    let before = draft.ok_or_else(no_draft)?;
    let mut draft = before.clone();
    if let Some(title) = title {
        draft.title = title;
    }
    if description.is_some() {
        draft.description = text::present(description);
    }
    draft.priority = priority.or(draft.priority);
    draft.story_points = story_points.or(draft.story_points);
    if let Some(criteria) = criteria {
        draft.criteria = criteria;
    }
    if let Some(depends_on) = depends_on {
        draft.depends_on = once_each(depends_on);
    }
    Ok(Redrafted { proposal: (draft != before).then_some(next), draft })
}

/// Removes a document draft. Answers with its title and the proposal as it is now, or with nothing if there is no such
/// draft: what shall not be there is not there.
///
/// # Errors
/// `precondition_failed` if the proposal is at another version than expected; `invalid_state` unless it is a draft.
pub fn remove_document_draft(
    proposal: &Proposal,
    drafts: &[DocumentDraftIndex],
    id: DraftId,
    expected: Option<i32>,
    now: Timestamp,
) -> Result<Option<(String, Proposal)>, Refusal> {
    let next = editable(proposal, expected, now)?;
    Ok(drafts.iter().find(|draft| draft.id == id).map(|draft| (draft.title.clone(), next)))
}

/// Removes a task draft. Answers as [`remove_document_draft`], and with those of the other drafts that depended on it,
/// which no longer do.
///
/// # Errors
/// As [`remove_document_draft`].
pub fn remove_task_draft(
    proposal: &Proposal,
    drafts: &[TaskDraft],
    id: DraftId,
    expected: Option<i32>,
    now: Timestamp,
) -> Result<Option<(String, Proposal, Vec<TaskDraft>)>, Refusal> {
    let next = editable(proposal, expected, now)?;
    let Some(gone) = drafts.iter().find(|draft| draft.id == id) else { return Ok(None) };
    let waiting = drafts.iter().filter(|draft| draft.id != id && draft.depends_on.contains(&id));
    let freed = waiting.map(|draft| TaskDraft {
        depends_on: draft.depends_on.iter().copied().filter(|on| *on != id).collect(),
        ..draft.clone()
    });
    Ok(Some((gone.title.clone(), next, freed.collect())))
}

/// The next version of a proposal whose drafts may be edited.
fn editable(proposal: &Proposal, expected: Option<i32>, now: Timestamp) -> Result<Proposal, Refusal> {
    version::require("proposal", "chorus_get_proposal", proposal.version, expected)?;
    let status = proposal.after(ProposalEvent::Edit, ONLY_DRAFTS)?;
    Ok(proposal.moved(status, now))
}

fn no_draft() -> Refusal {
    Refusal::new(Code::NotFound, "Draft not found in this proposal. chorus_get_proposal lists its drafts.")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use chorus_lifecycle::proposal::ProposalStatus;

    use super::{
        super::drafting::tests::{draft, in_status},
        *,
    };
    use crate::idea::fixtures::LATER;

    #[test]
    fn only_a_draft_changes_what_it_is_called_and_at_the_expected_version() {
        let before = in_status(ProposalStatus::Draft);
        let said = |title: &str, description: &str| ProposalEdit {
            title: Some(title.into()),
            description: Some(description.into()),
        };
        let after = edit(&before, said("New", " "), Some(before.version), LATER).unwrap().unwrap();
        assert_eq!(
            (after.title.as_str(), after.description.as_deref(), after.version),
            ("New", None, before.version + 1)
        );
        let described = edit(&before, ProposalEdit { title: None, ..said("", "Why") }, None, LATER).unwrap().unwrap();
        assert_eq!((&described.title, described.description.as_deref()), (&before.title, Some("Why")));
        assert_eq!(edit(&before, ProposalEdit::default(), None, LATER), Ok(None));
        let code = |proposal: &Proposal, edited, expected| edit(proposal, edited, expected, LATER).unwrap_err().code;
        assert_eq!(code(&before, said(" ", ""), None), Code::InvalidArguments);
        assert_eq!(code(&before, said("New", ""), Some(7)), Code::PreconditionFailed);
        for status in [ProposalStatus::Pending, ProposalStatus::Approved, ProposalStatus::Closed] {
            assert_eq!(code(&in_status(status), said("New", ""), None), Code::InvalidState);
        }
    }

    fn document() -> DocumentDraft {
        DocumentDraft {
            id: DraftId::from_u128(1),
            kind: DocumentType::Prd,
            title: "Document".into(),
            content: "Text".into(),
        }
    }

    fn criterion(description: &str) -> CriterionDraft {
        CriterionDraft { description: description.into(), required: true }
    }

    fn task(id: u128, depends_on: &[u128]) -> TaskDraft {
        TaskDraft {
            id: DraftId::from_u128(id),
            title: format!("Task {id}"),
            description: Some("Do it".into()),
            priority: Some(Priority::High),
            story_points: Some(2.0),
            criteria: vec![criterion("it works")],
            depends_on: depends_on.iter().copied().map(DraftId::from_u128).collect(),
        }
    }

    #[test]
    fn a_change_touches_what_it_names_and_raises_the_version_of_the_proposal() {
        let edit = DocumentDraftEdit { title: Some("Other".into()), ..DocumentDraftEdit::default() };
        let Redrafted { draft: after, proposal } =
            edit_document_draft(&draft(), Some(document()), edit, Some(1), LATER).unwrap();
        assert_eq!(after, DocumentDraft { title: "Other".into(), ..document() });
        let proposal = proposal.unwrap();
        assert_eq!((proposal.version, proposal.updated_at), (2, LATER));

        let edit = TaskDraftEdit {
            description: Some(" ".into()),
            criteria: Some(vec![criterion(" "), criterion(" it is fast ")]),
            depends_on: Some(vec![DraftId::from_u128(3), DraftId::from_u128(3)]),
            ..TaskDraftEdit::default()
        };
        let after = edit_task_draft(&draft(), Some(task(2, &[9])), edit, None, LATER).unwrap();
        let expected = TaskDraft { description: None, criteria: vec![criterion("it is fast")], ..task(2, &[3]) };
        assert_eq!(after.draft, expected);
        let edit = TaskDraftEdit { priority: Some(Priority::Low), story_points: Some(0.0), ..TaskDraftEdit::default() };
        let after = edit_task_draft(&draft(), Some(task(2, &[9])), edit, None, LATER).unwrap().draft;
        assert_eq!(after, TaskDraft { priority: Some(Priority::Low), story_points: Some(0.0), ..task(2, &[9]) });
        let edit = TaskDraftEdit { depends_on: Some(vec![]), ..TaskDraftEdit::default() };
        assert_eq!(edit_task_draft(&draft(), Some(task(2, &[9])), edit, None, LATER).unwrap().draft, task(2, &[]));
    }

    #[test]
    fn a_change_of_nothing_leaves_the_proposal_alone() {
        let edit = DocumentDraftEdit { content: Some("Text".into()), ..DocumentDraftEdit::default() };
        assert_eq!(edit_document_draft(&draft(), Some(document()), edit, None, LATER).unwrap().proposal, None);
        let same = edit_task_draft(&draft(), Some(task(2, &[])), TaskDraftEdit::default(), None, LATER);
        assert_eq!(same.unwrap().proposal, None);
    }

    #[test]
    fn what_can_not_be_stored_is_listed_before_anything_else() {
        let edit = TaskDraftEdit {
            title: Some(" ".into()),
            description: Some("a\0".into()),
            story_points: Some(-0.5),
            criteria: Some(vec![criterion(" ")]),
            ..TaskDraftEdit::default()
        };
        let refused = edit_task_draft(&in_status(ProposalStatus::Closed), None, edit, Some(9), LATER).unwrap_err();
        let details = refused.details.unwrap();
        let fields: Vec<_> =
            details.get("problems").unwrap().as_array().unwrap().iter().map(|p| p.get("field").unwrap()).collect();
        assert_eq!(fields, ["title", "description", "storyPoints", "acceptanceCriteriaItems"]);
        let edit = DocumentDraftEdit { title: Some("".into()), ..DocumentDraftEdit::default() };
        assert_eq!(edit_document_draft(&draft(), None, edit, None, LATER).unwrap_err().code, Code::InvalidArguments);
    }

    #[test]
    fn a_stale_version_another_status_and_an_unknown_draft_are_refused() {
        let code = |proposal: &Proposal, draft: Option<TaskDraft>, expected| {
            let edit = TaskDraftEdit::default();
            edit_task_draft(proposal, draft, edit, expected, LATER).map(drop).map_err(|refusal| refusal.code)
        };
        assert_eq!(code(&draft(), Some(task(1, &[])), Some(7)), Err(Code::PreconditionFailed));
        assert_eq!(code(&draft(), None, None), Err(Code::NotFound));
        for status in [ProposalStatus::Pending, ProposalStatus::Approved, ProposalStatus::Closed] {
            let proposal = in_status(status);
            assert_eq!(code(&proposal, Some(task(1, &[])), None), Err(Code::InvalidState), "{status}");
            let id = DraftId::from_u128(1);
            let refused = remove_document_draft(&proposal, &[], id, None, LATER).unwrap_err();
            assert_eq!(refused.code, Code::InvalidState, "{status}");
            assert_eq!(remove_task_draft(&proposal, &[], id, None, LATER).unwrap_err().code, Code::InvalidState);
        }
        let stale = remove_task_draft(&draft(), &[], DraftId::from_u128(1), Some(2), LATER).unwrap_err();
        assert_eq!(stale.code, Code::PreconditionFailed);
    }

    #[test]
    fn a_removed_task_draft_goes_from_the_others_dependencies() {
        let drafts = [task(1, &[]), task(2, &[1, 3]), task(3, &[2]), task(4, &[1])];
        let (title, proposal, freed) =
            remove_task_draft(&draft(), &drafts, DraftId::from_u128(1), Some(1), LATER).unwrap().unwrap();
        assert_eq!((title.as_str(), proposal.version), ("Task 1", 2));
        assert_eq!(freed, [task(2, &[3]), task(4, &[])]);
        assert_eq!(remove_task_draft(&draft(), &drafts, DraftId::from_u128(9), None, LATER), Ok(None));
    }

    #[test]
    fn an_unknown_document_draft_is_gone_already() {
        let entry = DocumentDraftIndex {
            id: DraftId::from_u128(1),
            kind: DocumentType::Prd,
            title: "Document".into(),
            content_length: 4,
        };
        let remove =
            |id| remove_document_draft(&draft(), std::slice::from_ref(&entry), DraftId::from_u128(id), None, LATER);
        assert_eq!(remove(2), Ok(None));
        assert_eq!(remove(1).unwrap().map(|(title, next)| (title, next.version)), Some(("Document".into(), 2)));
    }
}
