//! Making a proposal and adding drafts to it (lifecycle specification §4.1, §4.2).

use std::collections::BTreeSet;

use chorus_ids::{DraftId, ProposalId, Timestamp, Uuid};
use chorus_lifecycle::{
    document::DocumentType,
    proposal::{InputType, PROPOSAL, ProposalEvent},
    task::Priority,
};
use serde_json::{Value, json};

use super::{CriterionDraft, DocumentDraft, Proposal, TaskDraft};
use crate::{
    Caller, Code, Refusal, Subject,
    idea::Idea,
    origin::Origin,
    refusal::{Problem, Reason},
    task::create::check_points,
    text::{self, Use},
};

/// What somebody says about a new proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposalForm {
    /// Its title.
    pub title: String,
    /// What it is about; a blank one counts as none.
    pub description: Option<String>,
    /// What its sources are.
    pub input_type: InputType,
    /// Its sources, in order; one named twice counts once.
    pub inputs: Vec<Uuid>,
}

/// Makes a proposal: a draft without drafts, at version 1. `ideas` are its input ideas, if it starts from ideas.
///
/// # Errors
/// `invalid_arguments` for texts that can't be stored. Of input ideas, all those that can't be proposed from:
/// `not_assignee` if one is not the calling agent's own, else `precondition_failed` for themes.
pub fn create(
    id: ProposalId,
    form: ProposalForm,
    ideas: &[Idea],
    caller: &Caller,
    origin: Origin,
) -> Result<Proposal, Refusal> {
    let ProposalForm { title, description, input_type, inputs } = form;
    let checks = [
        text::check("title", &title, Use::Title),
        text::check("description", description.as_deref().unwrap_or_default(), Use::Body),
    ];
    Refusal::unless_fine(checks.into_iter().filter_map(Result::err).collect())?;
    let inputs = once_each(inputs);
    match input_type {
        InputType::Idea => check_ideas(&inputs, ideas, caller)?,
        InputType::Document => {}
    }
    Ok(Proposal {
        id,
        company: origin.company,
        project: origin.project,
        title,
        description: text::present(description),
        input_type,
        inputs,
        status: PROPOSAL.initial,
        created_by: origin.by,
        review: None,
        version: 1,
        created_at: origin.now,
        updated_at: origin.now,
    })
}

/// The same without repetitions, in order.
pub(super) fn once_each<T: Ord + Copy>(items: Vec<T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.into_iter().filter(|item| seen.insert(*item)).collect()
}

/// An agent proposes only from ideas that are its own, and nobody from a theme.
fn check_ideas(inputs: &[Uuid], ideas: &[Idea], caller: &Caller) -> Result<(), Refusal> {
    let foreign = |idea: &Idea| match caller.subject {
        Subject::User(_) => false, // people may propose from any idea (lifecycle specification §4.1)
        Subject::Agent(_) | Subject::Operator => !caller.holds_strictly(idea.assignee.map(|assignment| assignment.to)),
    };
    let mut details: Vec<Value> = Vec::new();
    let mut reasons = Vec::new();
    let mut code = Code::PreconditionFailed;
    for idea in inputs.iter().filter_map(|id| ideas.iter().find(|idea| idea.id.uuid() == *id)) {
        let mut problems = Vec::new();
        let title = text::shorten(&idea.title, 80);
        if foreign(idea) {
            code = Code::NotAssignee;
            problems.push("not_assigned_to_you");
            reasons.push(format!(
                "Idea `{title}` is not assigned to you: claim it with chorus_claim_idea, or have it assigned to you."
            ));
        }
        if idea.is_container {
            problems.push("theme");
            reasons.push(format!(
                "Idea `{title}` is a theme: derive a child idea from it (chorus_pm_create_idea with `parentUuid`) and \
                 propose from that."
            ));
        }
        if !problems.is_empty() {
            details.push(json!({ "ideaUuid": idea.id, "title": idea.title, "problems": problems }));
        }
    }
    if reasons.is_empty() {
        return Ok(());
    }
    Err(Refusal::new(code, reasons.join(" ")).with(json!({ "ideas": details })))
}

/// Why a proposal that is no draft can't be edited.
pub(super) const ONLY_DRAFTS: &str = "Drafts are edited only while the proposal is `draft`: a pending one goes back with \
                           chorus_pm_reject_proposal.";

/// Adds a document draft. Answers with the proposal as it is now.
///
/// # Errors
/// `invalid_arguments` for texts that can't be stored; `invalid_state` unless the proposal is a draft.
pub fn add_document_draft(
    proposal: &Proposal,
    id: DraftId,
    (kind, title, content): (DocumentType, String, String),
    now: Timestamp,
) -> Result<(Proposal, DocumentDraft), Refusal> {
    let checks = [text::check("title", &title, Use::Title), text::check("content", &content, Use::Body)];
    Refusal::unless_fine(checks.into_iter().filter_map(Result::err).collect())?;
    let status = proposal.after(ProposalEvent::Edit, ONLY_DRAFTS)?;
    Ok((proposal.moved(status, now), DocumentDraft { id, kind, title, content }))
}

/// What somebody says about a new task draft.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskDraftForm {
    /// Its title.
    pub title: String,
    /// What is to be done; a blank one counts as none.
    pub description: Option<String>,
    /// How urgent.
    pub priority: Option<Priority>,
    /// Expected effort in agent hours, 0 to 1000.
    pub story_points: Option<f64>,
    /// When it counts as done; blank ones are dropped.
    pub criteria: Vec<CriterionDraft>,
    /// Task drafts that come first. Whether there are such is found out at validation.
    pub depends_on: Vec<DraftId>,
}

/// Adds a task draft. Answers with the proposal as it is now.
///
/// # Errors
/// `invalid_arguments` for texts that can't be stored or without a criterion; `invalid_state` unless the proposal is a
/// draft.
pub fn add_task_draft(
    proposal: &Proposal,
    id: DraftId,
    form: TaskDraftForm,
    now: Timestamp,
) -> Result<(Proposal, TaskDraft), Refusal> {
    let TaskDraftForm { title, description, priority, story_points, criteria, depends_on } = form;
    let mut problems: Vec<Problem> = [
        text::check("title", &title, Use::Title),
        text::check("description", description.as_deref().unwrap_or_default(), Use::Body),
    ]
    .into_iter()
    .filter_map(Result::err)
    .collect();
    problems.extend(story_points.and_then(|points| check_points("storyPoints", points).err()));
    let criteria = normalised(criteria, &mut problems);
    Refusal::unless_fine(problems)?;
    let status = proposal.after(ProposalEvent::Edit, ONLY_DRAFTS)?;
    let draft = TaskDraft {
        id,
        title,
        description: text::present(description),
        priority,
        story_points,
        criteria,
        depends_on: once_each(depends_on),
    };
    Ok((proposal.moved(status, now), draft))
}

/// The criteria trimmed, without blank ones.
pub(super) fn normalised(criteria: Vec<CriterionDraft>, problems: &mut Vec<Problem>) -> Vec<CriterionDraft> {
    let mut kept = Vec::new();
    for (index, CriterionDraft { description, required }) in criteria.into_iter().enumerate() {
        let description = description.trim();
        if description.is_empty() {
            continue;
        }
        let field = format!("acceptanceCriteriaItems[{index}].description");
        problems.extend(text::check(&field, description, Use::Note).err());
        kept.push(CriterionDraft { description: description.to_owned(), required });
    }
    if kept.is_empty() {
        let none = "needs at least one item whose description is not blank: say how to see that the task is done";
        problems.push(Problem::new("acceptanceCriteriaItems", none).because(Reason::NoCriterion));
    }
    kept
}

#[cfg(test)]
pub(super) mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use chorus_ids::IdeaId;
    use chorus_lifecycle::proposal::ProposalStatus;

    use super::*;
    use crate::{
        Assignment,
        idea::fixtures::{LATER, NOW, agent, idea, owner, person, thought},
    };

    fn form(inputs: &[IdeaId]) -> ProposalForm {
        ProposalForm {
            title: "A proposal".into(),
            description: Some(" ".into()),
            input_type: InputType::Idea,
            inputs: inputs.iter().map(|id| id.uuid()).collect(),
        }
    }

    fn try_create(caller: &Caller, ideas: &[Idea]) -> Result<Proposal, Refusal> {
        let inputs: Vec<IdeaId> = ideas.iter().map(|idea| idea.id).collect();
        let Idea { company, project, .. } = idea();
        let origin = Origin { company, project, by: caller.subject.party().unwrap(), now: NOW };
        create(ProposalId::from_u128(50), form(&inputs), ideas, caller, origin)
    }

    /// A draft from [`idea`], made by [`agent`].
    pub(in crate::proposal) fn draft() -> Proposal {
        try_create(&agent(), &[idea()]).unwrap()
    }

    pub(in crate::proposal) fn in_status(status: ProposalStatus) -> Proposal {
        Proposal { status, ..draft() }
    }

    pub(in crate::proposal) fn task_form(criteria: &[&str]) -> TaskDraftForm {
        let criterion = |text: &&str| CriterionDraft { description: (*text).to_owned(), required: true };
        TaskDraftForm {
            title: "A task".into(),
            description: None,
            priority: None,
            story_points: None,
            criteria: criteria.iter().map(criterion).collect(),
            depends_on: Vec::new(),
        }
    }

    fn numbered(id: u128, idea: Idea) -> Idea {
        Idea { id: IdeaId::from_u128(id), ..idea }
    }

    #[test]
    fn a_new_proposal_is_an_empty_draft() {
        let made = draft();
        assert_eq!((made.status, made.version, made.review.clone()), (ProposalStatus::Draft, 1, None));
        assert_eq!((made.description, made.inputs), (None, vec![idea().id.uuid()]));
    }

    #[test]
    fn inputs_named_twice_count_once_in_the_order_given() {
        let [a, b] = [numbered(7, idea()), numbered(5, idea())];
        let made = try_create(&agent(), &[a.clone(), b.clone(), a.clone()]).unwrap();
        assert_eq!(made.inputs, [a.id.uuid(), b.id.uuid()]);
        assert!(try_create(&agent(), &[]).unwrap().inputs.is_empty());
    }

    #[test]
    fn every_idea_that_can_t_be_proposed_from_is_named() {
        let free = numbered(1, Idea { title: "Free".into(), ..thought() });
        let of_owner = Idea { assignee: Some(Assignment { to: owner(), at: NOW, by: None }), ..idea() };
        let of_owner = numbered(2, Idea { is_container: true, title: "Both".into(), ..of_owner });
        let theme = numbered(3, Idea { is_container: true, title: "Theme".into(), ..idea() });
        let fine = numbered(4, idea());

        let refused = try_create(&agent(), &[free.clone(), of_owner.clone(), theme.clone(), fine.clone()]).unwrap_err();
        assert_eq!(refused.code, Code::NotAssignee);
        assert_eq!(
            refused.details,
            Some(json!({"ideas": [
                {"ideaUuid": free.id, "title": "Free", "problems": ["not_assigned_to_you"]},
                {"ideaUuid": of_owner.id, "title": "Both", "problems": ["not_assigned_to_you", "theme"]},
                {"ideaUuid": theme.id, "title": "Theme", "problems": ["theme"]},
            ]}))
        );
        let only_theme = try_create(&agent(), &[fine, theme]).unwrap_err();
        assert_eq!(only_theme.code, Code::PreconditionFailed);
        assert!(only_theme.text.contains("`Theme` is a theme: derive a child idea"), "{}", only_theme.text);
        // A person may propose from anybody's idea.
        assert!(try_create(&person(), &[free]).is_ok());
        assert_eq!(try_create(&person(), &[of_owner]).unwrap_err().code, Code::PreconditionFailed);
    }

    #[test]
    fn documents_as_inputs_are_nobody_s() {
        let form = ProposalForm { input_type: InputType::Document, ..form(&[IdeaId::from_u128(77)]) };
        let Idea { company, project, .. } = idea();
        let origin = Origin { company, project, by: owner(), now: NOW };
        assert!(create(ProposalId::from_u128(1), form, &[], &agent(), origin).is_ok());
    }

    #[test]
    fn drafts_raise_the_version_of_the_proposal() {
        let document = (DocumentType::Prd, "A document".to_owned(), String::new());
        let (proposal, _) = add_document_draft(&draft(), DraftId::from_u128(1), document, LATER).unwrap();
        assert_eq!((proposal.version, proposal.updated_at, proposal.status), (2, LATER, ProposalStatus::Draft));
        let (proposal, _) = add_task_draft(&proposal, DraftId::from_u128(2), task_form(&["x"]), LATER).unwrap();
        assert_eq!(proposal.version, 3);
    }

    #[test]
    fn only_a_draft_takes_drafts() {
        for status in [ProposalStatus::Pending, ProposalStatus::Approved, ProposalStatus::Closed] {
            let document = (DocumentType::Prd, "A document".to_owned(), String::new());
            let proposal = in_status(status);
            let refused = add_document_draft(&proposal, DraftId::from_u128(1), document, LATER).unwrap_err();
            assert_eq!(refused.code, Code::InvalidState, "{status}");
            assert!(refused.text.contains(&format!("is `{status}`")), "{}", refused.text);
            assert_eq!(refused.details.unwrap().get("status"), Some(&json!(status)));
            let refused = add_task_draft(&proposal, DraftId::from_u128(1), task_form(&["x"]), LATER).unwrap_err();
            assert_eq!(refused.code, Code::InvalidState, "{status}");
        }
    }

    #[test]
    fn criteria_are_trimmed_and_blank_ones_dropped() {
        let form = TaskDraftForm {
            depends_on: vec![DraftId::from_u128(8), DraftId::from_u128(8)],
            ..task_form(&[" ", "  it works \n", ""])
        };
        let (_, made) = add_task_draft(&draft(), DraftId::from_u128(1), form, LATER).unwrap();
        assert_eq!(made.criteria, [CriterionDraft { description: "it works".into(), required: true }]);
        assert_eq!(made.depends_on, [DraftId::from_u128(8)]);
    }

    #[test]
    fn every_problem_of_a_task_draft_is_listed() {
        let form = TaskDraftForm {
            title: " ".into(),
            description: Some("a\0".into()),
            story_points: Some(1000.5),
            ..task_form(&["", " "])
        };
        let refused = add_task_draft(&draft(), DraftId::from_u128(1), form, LATER).unwrap_err();
        let details = refused.details.unwrap();
        let problems = details.get("problems").and_then(Value::as_array).unwrap();
        let fields: Vec<_> = problems.iter().filter_map(|p| p.get("field")?.as_str()).collect();
        assert_eq!(fields, ["title", "description", "storyPoints", "acceptanceCriteriaItems"]);
    }
}
