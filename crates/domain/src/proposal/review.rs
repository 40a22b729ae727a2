//! Submitting, approving and rejecting a proposal (lifecycle specification §4.1, §4.3, §4.4).

use std::collections::{BTreeMap, BTreeSet};

use chorus_ids::{DraftId, IdSource, TaskId, Timestamp};
use chorus_lifecycle::{
    document::FIRST_VERSION,
    proposal::{DocumentFacts, IdeaInput, Issue, ProposalEvent, ProposalFacts, TaskFacts, is_valid, validate},
    task::TASK,
};
use chorus_permissions::PROPOSAL_ADMIN;
use serde_json::{Value, json};

use super::{DocumentDraft, Proposal, Review, TaskDraft};
use crate::{
    Caller, Code, Party, Refusal,
    document::Document,
    idea::Idea,
    task::{Criterion, Edge, Judgement, Task},
    text::{self, Use},
};

/// Everything that is drafted in a proposal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drafts {
    /// Its document drafts, in order.
    pub documents: Vec<DocumentDraft>,
    /// Its task drafts, in order.
    pub tasks: Vec<TaskDraft>,
}

/// What the proposal lacks. `ideas` are those of its input ideas that exist and may be seen.
pub fn issues(proposal: &Proposal, drafts: &Drafts, ideas: &[Idea]) -> Vec<Issue> {
    let inputs = proposal.inputs.iter().filter_map(|id| ideas.iter().find(|idea| idea.id.uuid() == *id));
    validate(&ProposalFacts {
        description: proposal.description.as_deref(),
        input_type: proposal.input_type,
        inputs: proposal.inputs.len(),
        ideas: inputs.map(|idea| IdeaInput { title: &idea.title, elaboration: idea.elaboration_status }).collect(),
        documents: drafts
            .documents
            .iter()
            .map(|draft| DocumentFacts { title: &draft.title, kind: draft.kind, content: &draft.content })
            .collect(),
        tasks: drafts.tasks.iter().map(task_facts).collect(),
    })
}

fn task_facts(draft: &TaskDraft) -> TaskFacts<'_, DraftId> {
    TaskFacts {
        id: draft.id,
        title: &draft.title,
        description: draft.description.as_deref(),
        priority: draft.priority,
        story_points: draft.story_points,
        criteria: draft.criteria.iter().filter(|criterion| !criterion.description.trim().is_empty()).count(),
        depends_on: draft.depends_on.clone(),
    }
}

/// Refuses what has an error, with every issue: a line each, and as details.
fn demand_valid(issues: &[Issue], what: &str) -> Result<(), Refusal> {
    if is_valid(issues) {
        return Ok(());
    }
    let lines: Vec<String> = issues.iter().map(Issue::to_string).collect();
    let list: Vec<Value> = issues
        .iter()
        .map(|issue| {
            let mut row = json!({ "id": issue.id, "level": issue.level.as_str(), "message": issue.message });
            if let (Some(field), Value::Object(row)) = (&issue.field, &mut row) {
                row.insert("field".into(), field.as_str().into());
            }
            row
        })
        .collect();
    let text = format!(
        "The proposal can't be {what} before its errors are mended; what is missing is added to a draft with \
         chorus_pm_add_document_draft and chorus_pm_add_task_draft:\n{}",
        lines.join("\n")
    );
    Err(Refusal::new(Code::PreconditionFailed, text).with(json!({ "issues": list })))
}

/// Hands a draft in for review. The last review stays, as a hint to what was changed.
///
/// # Errors
/// `invalid_state` unless it is a draft; `precondition_failed` with all issues if one of them is an error.
pub fn submit(proposal: &Proposal, issues: &[Issue], now: Timestamp) -> Result<Proposal, Refusal> {
    let status = proposal.after(ProposalEvent::Submit, "Only a draft is submitted.")?;
    demand_valid(issues, "submitted")?;
    Ok(proposal.moved(status, now))
}

/// Passes for who made the proposal, and for holders of `proposal:admin`. The owner of the creator does not count
/// (lifecycle specification §4.1).
pub(super) fn require_maker_or_admin(
    proposal: &Proposal,
    (caller, by): (&Caller, Party),
    act: &str,
) -> Result<(), Refusal> {
    if proposal.created_by == by || caller.permissions.contains(PROPOSAL_ADMIN) {
        return Ok(());
    }
    let text = format!(
        "Only who made the proposal, or a holder of `proposal:admin`, can {act} it. Say in a comment \
         (chorus_add_comment) what should be changed."
    );
    Err(Refusal::new(Code::Forbidden, text))
}

/// Sends a pending proposal back to be worked on.
///
/// # Errors
/// `invalid_arguments` for a blank note; `forbidden` unless the caller made it or holds `proposal:admin`;
/// `invalid_state` unless it is pending.
pub fn reject(
    proposal: &Proposal,
    note: &str,
    (caller, by): (&Caller, Party),
    now: Timestamp,
) -> Result<Proposal, Refusal> {
    Refusal::unless_fine(text::check("reviewNote", note, Use::Note).err().into_iter().collect())?;
    require_maker_or_admin(proposal, (caller, by), "reject")?;
    let status = proposal.after(ProposalEvent::Reject, "Only a pending proposal is rejected.")?;
    let review = Some(Review { by, note: Some(note.to_owned()), at: now });
    Ok(Proposal { review, ..proposal.moved(status, now) })
}

/// What comes of an approval.
#[derive(Clone, Debug, PartialEq)]
pub struct Approval {
    /// The proposal as it is now.
    pub proposal: Proposal,
    /// The new documents, each with its draft, in their order.
    pub documents: Vec<(DraftId, Document)>,
    /// The new tasks, each with its draft, in their order.
    pub tasks: Vec<(DraftId, Task)>,
    /// The criteria of the new tasks.
    pub criteria: Vec<Criterion>,
    /// The dependencies between the new tasks.
    pub edges: Vec<Edge>,
}

/// Accepts a pending proposal: its drafts become documents and tasks of the proposal's creator. What validation demands
/// is demanded again, since drafts and ideas may have changed since it was submitted (README decision 8).
///
/// # Errors
/// `invalid_arguments` for a note that can't be stored; `invalid_state` unless it is pending; `precondition_failed` with
/// all issues if one of them is an error.
pub fn approve(
    proposal: &Proposal,
    drafts: Drafts,
    ideas: &[Idea],
    (by, note): (Party, Option<String>),
    now: Timestamp,
    ids: &mut dyn IdSource,
) -> Result<Approval, Refusal> {
    let check = text::check("reviewNote", note.as_deref().unwrap_or_default(), Use::Body);
    Refusal::unless_fine(check.err().into_iter().collect())?;
    let status = proposal.after(ProposalEvent::Approve, "Only a pending proposal is approved.")?;
    demand_valid(&issues(proposal, &drafts, ideas), "approved")?;
    let review = Some(Review { by, note: text::present(note), at: now });
    let mut approval = Approval {
        proposal: Proposal { review, ..proposal.moved(status, now) },
        documents: drafts.documents.into_iter().map(|draft| (draft.id, document(proposal, draft, now, ids))).collect(),
        tasks: Vec::new(),
        criteria: Vec::new(),
        edges: Vec::new(),
    };
    let made: BTreeMap<DraftId, TaskId> = drafts.tasks.iter().map(|draft| (draft.id, ids.make())).collect();
    let mut edges = BTreeSet::new();
    for draft in drafts.tasks {
        let Some(&id) = made.get(&draft.id) else { continue };
        edges.extend(draft.depends_on.iter().filter_map(|on| Some(Edge { task: id, depends_on: *made.get(on)? })));
        let described = draft.criteria.iter().map(|c| (c.description.trim(), c.required));
        approval.criteria.extend((0..).zip(described.filter(|(text, _)| !text.is_empty())).map(
            |(position, (text, required))| Criterion {
                id: ids.make(),
                task: id,
                description: text.to_owned(),
                required,
                dev: Judgement::PENDING,
                verdict: Judgement::PENDING,
                position,
            },
        ));
        approval.tasks.push((draft.id, task(proposal, id, draft, now)));
    }
    approval.edges = edges.into_iter().collect();
    Ok(approval)
}

fn document(proposal: &Proposal, draft: DocumentDraft, now: Timestamp, ids: &mut dyn IdSource) -> Document {
    Document {
        id: ids.make(),
        company: proposal.company,
        project: proposal.project,
        kind: draft.kind,
        title: draft.title,
        content: Some(draft.content),
        version: FIRST_VERSION,
        proposal: Some(proposal.id),
        created_by: proposal.created_by,
        created_at: now,
        updated_at: now,
    }
}

fn task(proposal: &Proposal, id: TaskId, draft: TaskDraft, now: Timestamp) -> Task {
    Task {
        id,
        company: proposal.company,
        project: proposal.project,
        title: draft.title,
        description: draft.description,
        status: TASK.initial,
        priority: draft.priority.unwrap_or_default(),
        story_points: draft.story_points,
        assignee: None,
        proposal: Some(proposal.id),
        created_by: proposal.created_by,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use chorus_ids::SequentialIds;
    use chorus_lifecycle::{
        document::DocumentType,
        idea::ElaborationStatus,
        proposal::ProposalStatus,
        task::{Priority, TaskStatus},
    };

    use super::*;
    use crate::{
        idea::fixtures::{LATER, NOW, agent, idea, owner, reviewer, someone, strange_agent},
        proposal::{
            CriterionDraft,
            drafting::tests::{draft, in_status},
        },
    };

    fn clear() -> Idea {
        Idea { elaboration_status: Some(ElaborationStatus::Resolved), ..idea() }
    }

    fn task_draft(id: u128, depends_on: &[u128]) -> TaskDraft {
        TaskDraft {
            id: DraftId::from_u128(id),
            title: format!("Task {id}"),
            description: Some("Do it".into()),
            priority: None,
            story_points: Some(0.0),
            criteria: vec![
                CriterionDraft { description: " it works ".into(), required: true },
                CriterionDraft { description: "  ".into(), required: true },
                CriterionDraft { description: "it is fast".into(), required: false },
            ],
            depends_on: depends_on.iter().map(|id| DraftId::from_u128(*id)).collect(),
        }
    }

    fn complete() -> Drafts {
        let document = DocumentDraft {
            id: DraftId::from_u128(1),
            kind: DocumentType::TechDesign,
            title: "Design".into(),
            content: "x".repeat(100),
        };
        Drafts { documents: vec![document], tasks: vec![task_draft(2, &[3, 3]), task_draft(3, &[])] }
    }

    fn try_approve(proposal: &Proposal, drafts: Drafts, ideas: &[Idea]) -> Result<Approval, Refusal> {
        let said = (someone(), Some("Good".to_owned()));
        approve(proposal, drafts, ideas, said, LATER, &mut SequentialIds::starting_at(NOW))
    }

    fn ids(issues: &[Issue]) -> Vec<&str> {
        issues.iter().map(|issue| issue.id).collect()
    }

    #[test]
    fn issues_look_at_drafts_with_their_texts_and_at_the_ideas_there_are() {
        assert_eq!(ids(&issues(&draft(), &complete(), &[clear()])), ["W5", "I1", "I1"]);
        assert_eq!(ids(&issues(&draft(), &Drafts::default(), &[idea()])), ["E1", "E3", "E5", "W1", "W5"]);
        // An idea that is gone keeps nobody waiting.
        assert!(!ids(&issues(&draft(), &complete(), &[])).contains(&"E5"));
        let mut blank = complete();
        blank.tasks[0].criteria.truncate(2);
        blank.tasks[0].criteria.remove(0);
        assert!(ids(&issues(&draft(), &blank, &[clear()])).contains(&"E-AC"));
    }

    #[test]
    fn a_complete_draft_is_submitted_and_keeps_its_last_review() {
        let review = Some(Review { by: someone(), note: Some("Again".into()), at: NOW });
        let sent_back = Proposal { review: review.clone(), ..draft() };
        let submitted = submit(&sent_back, &issues(&sent_back, &complete(), &[clear()]), LATER).unwrap();
        assert_eq!((submitted.status, submitted.version), (ProposalStatus::Pending, 2));
        assert_eq!(submitted.review, review);
    }

    #[test]
    fn submission_is_refused_with_every_issue_on_a_line_of_its_own() {
        let mut drafts = complete();
        drafts.documents.clear();
        drafts.tasks[1].depends_on = vec![DraftId::from_u128(2)];
        let refused = submit(&draft(), &issues(&draft(), &drafts, &[clear()]), LATER).unwrap_err();
        assert_eq!(refused.code, Code::PreconditionFailed);
        let lines: Vec<&str> = refused.text.lines().skip(1).collect();
        assert_eq!(lines.len(), 6, "{lines:#?}");
        assert!(lines[0].starts_with("[error] E1: "), "{}", lines[0]);
        assert!(lines.iter().any(|line| line.starts_with("[warning] ")));
        let details = refused.details.unwrap();
        let listed: Vec<_> = details["issues"].as_array().unwrap().iter().map(|issue| issue["id"].clone()).collect();
        assert_eq!(listed, ["E1", "W1", "E-DEP", "W5", "I1", "I1"]);
        assert_eq!(details["issues"][2]["field"], "Task 2");
        assert_eq!(details["issues"][0].get("field"), None);
    }

    #[test]
    fn only_a_draft_is_submitted_and_only_a_pending_one_decided() {
        for status in ProposalStatus::ALL {
            let proposal = in_status(status);
            let submitted = submit(&proposal, &[], LATER).map(|p| p.status).map_err(|refusal| refusal.code);
            let approved = try_approve(&proposal, complete(), &[clear()]).map(|a| a.proposal.status);
            let rejected = reject(&proposal, "no", (&agent(), proposal.created_by), LATER).map(|p| p.status);
            let (is_draft, is_pending) = (status == ProposalStatus::Draft, status == ProposalStatus::Pending);
            let expected = |legal, to| if legal { Ok(to) } else { Err(Code::InvalidState) };
            assert_eq!(submitted, expected(is_draft, ProposalStatus::Pending), "{status}");
            assert_eq!(approved.map_err(|r| r.code), expected(is_pending, ProposalStatus::Approved), "{status}");
            assert_eq!(rejected.map_err(|r| r.code), expected(is_pending, ProposalStatus::Draft), "{status}");
        }
        let closed = submit(&in_status(ProposalStatus::Closed), &[], LATER).unwrap_err();
        assert!(
            closed.text.contains("possible now: only make another one (chorus_pm_create_proposal)"),
            "{}",
            closed.text
        );
    }

    #[test]
    fn approval_makes_documents_and_tasks_of_the_creator() {
        let pending = in_status(ProposalStatus::Pending);
        let made = try_approve(&pending, complete(), &[clear()]).unwrap();
        assert_eq!(made.proposal.version, pending.version + 1);
        let review = Review { by: someone(), note: Some("Good".into()), at: LATER };
        assert_eq!(made.proposal.review, Some(review));

        let (draft, document) = &made.documents[0];
        assert_eq!((*draft, document.kind, document.version), (DraftId::from_u128(1), DocumentType::TechDesign, 1));
        assert_eq!((document.proposal, document.created_by), (Some(pending.id), pending.created_by));
        assert_eq!(document.content.as_deref().map(str::len), Some(100));

        let (first, second) = (&made.tasks[0], &made.tasks[1]);
        assert_eq!((first.0, second.0), (DraftId::from_u128(2), DraftId::from_u128(3)));
        assert_eq!((first.1.status, first.1.priority), (TaskStatus::Open, Priority::Medium));
        assert_eq!((first.1.story_points, first.1.created_by), (Some(0.0), pending.created_by));
        assert_eq!(first.1.proposal, Some(pending.id));
        assert_eq!(made.edges, [Edge { task: first.1.id, depends_on: second.1.id }]);

        let of_first: Vec<_> = made
            .criteria
            .iter()
            .filter(|criterion| criterion.task == first.1.id)
            .map(|criterion| (criterion.description.as_str(), criterion.required, criterion.position))
            .collect();
        assert_eq!(of_first, [("it works", true, 0), ("it is fast", false, 1)]);
    }

    #[test]
    fn approval_validates_again() {
        let pending = in_status(ProposalStatus::Pending);
        let mut circle = complete();
        circle.tasks[1].depends_on = vec![DraftId::from_u128(2)];
        let mut unknown = complete();
        unknown.tasks[0].depends_on = vec![DraftId::from_u128(99)];
        for (drafts, ideas, issue) in
            [(circle, [clear()], "E-DEP"), (unknown, [clear()], "E-DEP"), (complete(), [idea()], "E5")]
        {
            let refused = try_approve(&pending, drafts, &ideas).unwrap_err();
            assert_eq!(refused.code, Code::PreconditionFailed, "{issue}");
            assert!(refused.text.contains(&format!("[error] {issue}: ")), "{}", refused.text);
        }
    }

    #[test]
    fn a_proposal_is_rejected_by_its_creator_or_a_proposal_admin_with_a_reason() {
        let pending = in_status(ProposalStatus::Pending);
        let code = |caller: &Caller, note: &str| {
            let by = caller.subject.party().unwrap();
            reject(&pending, note, (caller, by), LATER).map(|p| p.status).map_err(|refusal| refusal.code)
        };
        assert_eq!(code(&agent(), "Why?"), Ok(ProposalStatus::Draft));
        assert_eq!(code(&reviewer(), "Why?"), Ok(ProposalStatus::Draft));
        assert_eq!(code(&strange_agent(), "Why?"), Err(Code::Forbidden));
        assert_eq!(code(&strange_agent(), " "), Err(Code::InvalidArguments));
        // Whose agent it is does not matter.
        let of_owner = Proposal { created_by: owner(), ..pending.clone() };
        let by = agent().subject.party().unwrap();
        assert_eq!(reject(&of_owner, "Why?", (&agent(), by), LATER).unwrap_err().code, Code::Forbidden);
        let rejected = reject(&pending, "Why?", (&reviewer(), someone()), LATER).unwrap();
        assert_eq!(rejected.review, Some(Review { by: someone(), note: Some("Why?".into()), at: LATER }));
    }
}
