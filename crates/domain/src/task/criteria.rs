//! Acceptance criteria: what is asked for, and the two independent marks (lifecycle specification §7).

use std::collections::BTreeMap;

use chorus_ids::{CriterionId, IdSource, TaskId, Timestamp};
use chorus_lifecycle::criterion::{self, AcceptanceStatus, Item, MARK, Mark, MarkEvent, Summary};
use serde_json::json;

use super::{Criterion, Judgement};
use crate::{
    Code, Party, Refusal,
    proposal::CriterionDraft,
    refusal::{Problem, Reason},
    text,
};

/// Criteria as they are stored: trimmed, without blank ones. `field` names the list in problems.
pub fn tidy(field: &str, drafts: Vec<CriterionDraft>, problems: &mut Vec<Problem>) -> Vec<CriterionDraft> {
    let mut kept = Vec::with_capacity(drafts.len());
    for (index, draft) in drafts.into_iter().enumerate() {
        let description = draft.description.trim();
        if description.is_empty() {
            continue;
        }
        if let Err(problem) = text::check(&format!("{field}[{index}].description"), description, text::Use::Note) {
            problems.push(problem);
        }
        kept.push(CriterionDraft { description: description.to_owned(), required: draft.required });
    }
    if kept.is_empty() {
        let none = Problem::new(field, "needs at least one criterion with a description that is not blank");
        problems.push(none.because(Reason::NoCriterion));
    }
    kept
}

/// Criteria of a task, unmarked, in the order given.
pub fn new(task: TaskId, drafts: Vec<CriterionDraft>, ids: &mut dyn IdSource) -> Vec<Criterion> {
    (0..)
        .zip(drafts)
        .map(|(position, draft)| Criterion {
            id: ids.make(),
            task,
            description: draft.description,
            required: draft.required,
            dev: Judgement::PENDING,
            verdict: Judgement::PENDING,
            position,
        })
        .collect()
}

/// A judgement of one criterion, as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    /// The criterion.
    pub criterion: CriterionId,
    /// Passed or failed.
    pub mark: Mark,
    /// What backs it.
    pub evidence: Option<String>,
}

/// Which of the two marks a judgement sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The assignee's own.
    SelfCheck,
    /// The reviewer's.
    Verdict,
}

impl Side {
    const fn of(self, criterion: &Criterion) -> &Judgement {
        match self {
            Self::SelfCheck => &criterion.dev,
            Self::Verdict => &criterion.verdict,
        }
    }

    /// The key of the evidence in the arguments.
    const fn evidence(self) -> &'static str {
        match self {
            Self::SelfCheck => "devEvidence",
            Self::Verdict => "evidence",
        }
    }
}

/// The judgements to write for a batch of opinions: all, or none if one is wrong. The same opinion given twice counts
/// once.
///
/// # Errors
/// Every criterion that is not one of the task's, every contradiction and every evidence that can't be stored, with
/// its index.
pub fn judge(
    criteria: &[Criterion],
    opinions: &[Opinion],
    side: Side,
    by: Party,
    now: Timestamp,
) -> Result<Vec<(CriterionId, Judgement)>, Refusal> {
    let known: BTreeMap<CriterionId, &Criterion> = criteria.iter().map(|criterion| (criterion.id, criterion)).collect();
    let mut first: BTreeMap<CriterionId, (usize, &Opinion)> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut judgements = Vec::new();
    for (index, opinion) in opinions.iter().enumerate() {
        let field = format!("criteria[{index}]");
        let Some(criterion) = known.get(&opinion.criterion) else {
            problems.push(Problem::new(
                format!("{field}.uuid"),
                "is no acceptance criterion of this task; take the uuids from the task's `acceptanceCriteriaItems`",
            ));
            continue;
        };
        if let Some((earlier, said)) = first.get(&opinion.criterion) {
            if *said != opinion {
                problems.push(Problem::new(
                    format!("{field}.uuid"),
                    format_args!("stands in `criteria[{earlier}]` too, with another judgement; keep one of them"),
                ));
            }
            continue;
        }
        first.insert(opinion.criterion, (index, opinion));
        if let Some(evidence) = &opinion.evidence
            && let Err(problem) = text::check(&format!("{field}.{}", side.evidence()), evidence, text::Use::Note)
        {
            problems.push(problem);
        }
        let event = match opinion.mark {
            Mark::Passed => MarkEvent::Pass,
            Mark::Failed => MarkEvent::Fail,
            Mark::Pending => MarkEvent::Reset,
        };
        match MARK.apply(side.of(criterion).mark, event) {
            Ok(mark) => judgements
                .push((criterion.id, Judgement { mark, evidence: opinion.evidence.clone(), by: Some((by, now)) })),
            Err(illegal) => problems.push(Problem::new(format!("{field}.uuid"), illegal)),
        }
    }
    if problems.is_empty() { Ok(judgements) } else { Err(Refusal::problems(problems)) }
}

/// The verdict on a criterion when it is taken back: nothing is judged any more, and the self-check stays. Nothing to write
/// where there is no verdict.
///
/// # Errors
/// `invalid_arguments` for a criterion that is not one of the task's.
pub fn take_back(criteria: &[Criterion], id: CriterionId) -> Result<Option<(CriterionId, Judgement)>, Refusal> {
    let found = criteria.iter().find(|criterion| criterion.id == id).ok_or_else(|| {
        Refusal::invalid(
            "criterionUuid",
            "is no acceptance criterion of this task; take the uuids from the task's `acceptanceCriteriaItems`",
        )
    })?;
    let mark = MARK.apply(found.verdict.mark, MarkEvent::Reset).unwrap_or(Mark::Pending);
    let back = Judgement { mark, ..Judgement::PENDING };
    Ok((found.verdict != back).then_some((id, back)))
}

/// The criteria with these judgements.
pub fn marked(mut criteria: Vec<Criterion>, judgements: &[(CriterionId, Judgement)], side: Side) -> Vec<Criterion> {
    let given: BTreeMap<CriterionId, &Judgement> = judgements.iter().map(|(id, judgement)| (*id, judgement)).collect();
    for criterion in &mut criteria {
        if let Some(judgement) = given.get(&criterion.id) {
            let place = match side {
                Side::SelfCheck => &mut criterion.dev,
                Side::Verdict => &mut criterion.verdict,
            };
            *place = Judgement::clone(judgement);
        }
    }
    criteria
}

/// The criteria with all their marks taken back.
pub fn reset(mut criteria: Vec<Criterion>) -> Vec<Criterion> {
    for criterion in &mut criteria {
        criterion.dev = Judgement::PENDING;
        criterion.verdict = Judgement::PENDING;
    }
    criteria
}

/// What the verdicts amount to, and the counts behind it. Self-checks count for nothing here.
pub fn roll_up(criteria: &[Criterion]) -> (AcceptanceStatus, Summary) {
    criterion::roll_up(items(criteria))
}

/// Passes if every required criterion has passed.
///
/// # Errors
/// `precondition_failed` with the counts and the criteria that are missing.
pub fn require_passed(criteria: &[Criterion]) -> Result<(), Refusal> {
    criterion::verify_gate(items(criteria)).map_err(|summary| {
        let open: Vec<CriterionId> = criteria
            .iter()
            .filter(|criterion| criterion.required && criterion.verdict.mark != Mark::Passed)
            .map(|criterion| criterion.id)
            .collect();
        Refusal::new(
            Code::PreconditionFailed,
            format!(
                "Not every required acceptance criterion has passed: of {} required, {} passed, {} failed and {} have \
                 no verdict. Mark them with chorus_mark_acceptance_criteria, or reopen the task \
                 with chorus_admin_reopen_task.",
                summary.required, summary.required_passed, summary.required_failed, summary.required_pending
            ),
        )
        .with(json!({
            "required": summary.required, "passed": summary.required_passed, "failed": summary.required_failed,
            "pending": summary.required_pending, "criteria": open
        }))
    })
}

fn items(criteria: &[Criterion]) -> impl Iterator<Item = Item> {
    criteria.iter().map(|criterion| Item { required: criterion.required, mark: criterion.verdict.mark })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use chorus_ids::SequentialIds;

    use super::{
        super::samples::{ME, NOW, criterion},
        *,
    };

    fn draft(description: &str) -> CriterionDraft {
        CriterionDraft { description: description.into(), required: true }
    }

    #[test]
    fn blank_criteria_are_dropped_and_one_must_remain() {
        let mut problems = Vec::new();
        let kept = tidy("c", vec![draft("  "), draft(" holds\n"), draft("")], &mut problems);
        assert_eq!((kept, problems.len()), (vec![draft("holds")], 0));
        for none in [vec![], vec![draft(" ")]] {
            let mut problems = Vec::new();
            tidy("c", none, &mut problems);
            assert_eq!(problems[0].field, "c");
        }
        let mut problems = Vec::new();
        tidy("c", vec![draft("fine"), draft("a\0b")], &mut problems);
        assert_eq!(problems[0].field, "c[1].description");
    }

    #[test]
    fn a_verdict_is_taken_back_and_the_self_check_stays() {
        let all = [criterion(1, true, Mark::Pending), criterion(2, true, Mark::Failed)];
        let id = CriterionId::from_u128;
        assert_eq!(take_back(&all, id(1)), Ok(None));
        let back = take_back(&all, id(2)).unwrap().unwrap();
        assert_eq!(back, (id(2), Judgement::PENDING));
        let after = marked(all.to_vec(), &[back], Side::Verdict);
        assert_eq!((after[1].verdict.mark, after[1].dev.mark), (Mark::Pending, Mark::Passed));
        assert_eq!(take_back(&all, id(9)).unwrap_err().code, Code::InvalidArguments);
    }

    #[test]
    fn new_criteria_are_unmarked_and_numbered_from_zero() {
        let made = new(TaskId::from_u128(1), vec![draft("a"), draft("b")], &mut SequentialIds::starting_at(NOW));
        let positions: Vec<i32> = made.iter().map(|criterion| criterion.position).collect();
        assert_eq!(positions, [0, 1]);
        assert_ne!(made[0].id, made[1].id);
        assert!(made.iter().all(|c| c.dev == Judgement::PENDING && c.verdict == Judgement::PENDING));
    }

    fn opinion(id: u128, mark: Mark, evidence: Option<&str>) -> Opinion {
        Opinion { criterion: CriterionId::from_u128(id), mark, evidence: evidence.map(str::to_owned) }
    }

    fn judged(opinions: &[Opinion]) -> Result<Vec<(CriterionId, Judgement)>, Vec<String>> {
        let criteria = [criterion(1, true, Mark::Pending), criterion(2, true, Mark::Passed)];
        judge(&criteria, opinions, Side::SelfCheck, Party::Agent(ME), NOW).map_err(|refusal| {
            assert_eq!(refusal.code, Code::InvalidArguments);
            let details = refusal.details.unwrap();
            let fields = details["problems"].as_array().unwrap().iter();
            fields.map(|problem| problem["field"].as_str().unwrap().to_owned()).collect()
        })
    }

    #[test]
    fn a_batch_of_marks_is_written_whole_or_not_at_all() {
        let judgements = judged(&[opinion(2, Mark::Failed, Some("log")), opinion(1, Mark::Passed, None)]).unwrap();
        assert_eq!(judgements.len(), 2);
        let (id, judgement) = &judgements[0];
        assert_eq!((*id, judgement.mark), (CriterionId::from_u128(2), Mark::Failed));
        assert_eq!(judgement.by, Some((Party::Agent(ME), NOW)));
        let problems = judged(&[
            opinion(1, Mark::Passed, None),
            opinion(9, Mark::Passed, None),
            opinion(2, Mark::Passed, Some(" ")),
            opinion(8, Mark::Passed, None),
        ]);
        assert_eq!(
            problems,
            Err(vec!["criteria[1].uuid".into(), "criteria[2].devEvidence".into(), "criteria[3].uuid".into()])
        );
    }

    #[test]
    fn the_same_judgement_twice_counts_once_and_two_different_ones_are_refused() {
        let twice = [opinion(1, Mark::Passed, Some("x")), opinion(1, Mark::Passed, Some("x"))];
        assert_eq!(judged(&twice).unwrap().len(), 1);
        for other in [opinion(1, Mark::Failed, Some("x")), opinion(1, Mark::Passed, None)] {
            let problems = judged(&[opinion(1, Mark::Passed, Some("x")), other]);
            assert_eq!(problems, Err(vec!["criteria[1].uuid".into()]));
        }
    }

    #[test]
    fn the_two_marks_are_independent() {
        let criteria = vec![criterion(1, true, Mark::Pending)];
        let judgement = Judgement { mark: Mark::Failed, evidence: None, by: Some((Party::Agent(ME), NOW)) };
        let judgements = [(CriterionId::from_u128(1), judgement.clone())];
        let checked = marked(criteria.clone(), &judgements, Side::SelfCheck);
        assert_eq!((&checked[0].dev, checked[0].verdict.mark), (&judgement, Mark::Pending));
        let judged = marked(criteria, &judgements, Side::Verdict);
        assert_eq!((judged[0].dev.mark, &judged[0].verdict), (Mark::Passed, &judgement));
        let cleared = reset(judged);
        assert_eq!((&cleared[0].dev, &cleared[0].verdict), (&Judgement::PENDING, &Judgement::PENDING));
    }

    #[test]
    fn the_gate_says_what_is_missing() {
        let criteria = [
            criterion(1, true, Mark::Passed),
            criterion(2, true, Mark::Failed),
            criterion(3, true, Mark::Pending),
            criterion(4, false, Mark::Pending),
        ];
        let refusal = require_passed(&criteria).unwrap_err();
        assert_eq!(refusal.code, Code::PreconditionFailed);
        assert_eq!(
            refusal.details,
            Some(json!({
                "required": 3, "passed": 1, "failed": 1, "pending": 1,
                "criteria": [criteria[1].id, criteria[2].id]
            }))
        );
        assert_eq!(require_passed(&[criterion(4, false, Mark::Failed)]), Ok(()));
        assert_eq!(require_passed(&[]), Ok(()));
    }
}
