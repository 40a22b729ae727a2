//! Answering (lifecycle specification §3.1, §3.3).

use std::collections::BTreeMap;

use chorus_ids::{RoundId, Timestamp};
use chorus_lifecycle::{
    elaboration::{
        AnswerForm, AnswerProblem, Asked, PickError, ROUND, RoundEvent, RoundStatus, check_answers, is_complete,
        pick_round,
    },
    idea::IdeaEvent,
};
use serde_json::{Value, json};

use super::{Answer, Round};
use crate::{
    Code, Kind, Party, Refusal,
    idea::Idea,
    refusal::{Problem, Reason},
    text::{self, Use},
};

/// An answer that somebody gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerGiven {
    /// The question's name.
    pub question: String,
    /// The option's name; none for an answer in free words.
    pub option: Option<String>,
    /// The free words, or a note to the option; blank ones count as none.
    pub text: Option<String>,
}

/// Answers that were taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The round as it is now.
    pub round: Round,
    /// What is new: answers by the names of their questions, in the order of the questions.
    pub answers: Vec<(String, Answer)>,
    /// The idea as it is now, if its state changed.
    pub idea: Option<Idea>,
}

/// Takes answers to questions of one round, all or none. A question that was answered before is answered anew.
///
/// `named` is the round that is meant; without it, the only one that waits for answers.
///
/// # Errors
/// `not_found` for a round of another idea; `precondition_failed` if none waits and none is named; `ambiguous_round`
/// if several do; `invalid_state` if the named one is answered; `invalid_arguments` with everything that is wrong with
/// the answers.
pub fn answer(
    (idea, rounds): (&Idea, &[Round]),
    named: Option<RoundId>,
    mut given: Vec<AnswerGiven>,
    by: Party,
    now: Timestamp,
) -> Result<Answered, Refusal> {
    let round = pick(rounds, named)?;
    for answer in &mut given {
        answer.text = text::present(answer.text.take());
    }
    Refusal::unless_fine(problems(round, &given))?;
    let mut by_name: BTreeMap<&str, Answer> = given
        .iter()
        .map(|answer| {
            let (option, text) = (answer.option.clone(), answer.text.clone());
            (answer.question.as_str(), Answer { option, text, at: now, by })
        })
        .collect();
    let mut round = round.clone();
    let mut answers = Vec::new();
    for question in &mut round.questions {
        if let Some(answer) = by_name.remove(question.name.as_str()) {
            question.answer = Some(answer.clone());
            answers.push((question.name.clone(), answer));
        }
    }
    let complete = is_complete(round.questions.iter().map(|q| (q.required, q.answer.is_some())));
    let event = if complete { RoundEvent::AnswerLast } else { RoundEvent::Answer };
    round.status = ROUND.apply(round.status, event).map_err(|_| answered_before(&round))?;
    let idea = match event {
        RoundEvent::AnswerLast => {
            let state = idea.after(IdeaEvent::AnswerLast, "")?;
            (state != idea.state()).then(|| idea.moved(state, now))
        }
        RoundEvent::Answer => None,
    };
    Ok(Answered { round, answers, idea })
}

fn pick(rounds: &[Round], named: Option<RoundId>) -> Result<&Round, Refusal> {
    let pending: Vec<&Round> = rounds.iter().filter(|round| round.status == RoundStatus::PendingAnswers).collect();
    match named {
        Some(id) => {
            let round = rounds.iter().find(|round| round.id == id).ok_or_else(|| Refusal::not_found(Kind::Round))?;
            match round.status {
                RoundStatus::PendingAnswers => Ok(round),
                RoundStatus::Answered => Err(answered_before(round)),
            }
        }
        None => pick_round(&pending).map_err(|error| match error {
            PickError::None => Refusal::new(
                Code::PreconditionFailed,
                "No round of this idea is waiting for answers. chorus_get_elaboration shows its rounds; a new one is \
                 opened with chorus_pm_start_elaboration.",
            ),
            PickError::Ambiguous => {
                let rounds: Vec<Value> = pending.iter().map(|round| open_round(round)).collect();
                let numbers: Vec<String> = pending.iter().map(|round| round.number.to_string()).collect();
                let text = format!(
                    "Rounds {} are waiting for answers; say in `roundUuid` which one is meant \
                     (chorus_get_elaboration shows them).",
                    numbers.join(", ")
                );
                Refusal::new(Code::AmbiguousRound, text).with(json!({ "rounds": rounds }))
            }
        }),
    }
}

fn open_round(round: &Round) -> Value {
    let open: Vec<&str> =
        round.questions.iter().filter(|q| q.answer.is_none()).map(|question| question.name.as_str()).collect();
    json!({ "uuid": round.id, "roundNumber": round.number, "unansweredQuestionIds": open })
}

fn answered_before(round: &Round) -> Refusal {
    let text = format!(
        "Round {} is `{}` and takes no more answers. If something is still unclear, its assignee can open another \
         round with chorus_pm_start_elaboration.",
        round.number, round.status
    );
    Refusal::new(Code::InvalidState, text)
        .with(json!({ "roundUuid": round.id, "roundNumber": round.number, "status": round.status }))
}

/// Everything that is wrong with the answers, each with its path.
fn problems(round: &Round, given: &[AnswerGiven]) -> Vec<Problem> {
    if given.is_empty() {
        return vec![Problem::new("answers", "is empty; give at least one answer").because(Reason::Missing)];
    }
    let asked: Vec<Asked<'_>> = round
        .questions
        .iter()
        .map(|question| Asked {
            id: &question.name,
            options: question.options.iter().map(|option| option.id.as_str()).collect(),
        })
        .collect();
    let forms: Vec<AnswerForm<'_>> = given
        .iter()
        .map(|answer| AnswerForm {
            question: &answer.question,
            option: answer.option.as_deref(),
            text: answer.text.as_deref(),
        })
        .collect();
    let mut problems: Vec<Problem> =
        check_answers(&asked, &forms).into_iter().map(|found| problem(found, round, given)).collect();
    for (index, answer) in given.iter().enumerate() {
        let text = answer.text.as_deref().unwrap_or_default();
        problems.extend(text::check(&format!("answers[{index}].customText"), text, Use::Body).err());
    }
    problems
}

fn problem(problem: AnswerProblem, round: &Round, given: &[AnswerGiven]) -> Problem {
    use AnswerProblem as A;
    let index = problem.answer();
    let question = given.get(index).map_or("", |answer| answer.question.as_str());
    match problem {
        A::UnknownQuestion { .. } => {
            let known: Vec<String> = round.questions.iter().map(|q| format!("`{}`", q.name)).collect();
            Problem::new(
                format!("answers[{index}].questionId"),
                format_args!("names no question of round {}; it asks {}", round.number, known.join(", ")),
            )
        }
        A::UnknownOption { .. } => {
            let options = round.questions.iter().filter(|q| q.name == question).flat_map(|q| &q.options);
            let known: Vec<String> = options.map(|option| format!("`{}`", option.id)).collect();
            Problem::new(
                format!("answers[{index}].selectedOptionId"),
                format_args!("is no option of question `{question}`; choose one of {}", known.join(", ")),
            )
        }
        A::MissingText { .. } => {
            let said = "is needed where no option is selected; say something";
            Problem::new(format!("answers[{index}].customText"), said).because(Reason::Missing)
        }
        A::Contradiction { first, .. } => Problem::new(
            format!("answers[{index}]"),
            format_args!("answers question `{question}` otherwise than `answers[{first}]`; answer it once"),
        ),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use chorus_lifecycle::idea::{ElaborationStatus, IdeaState, IdeaStatus};

    use super::*;
    use crate::{
        elaboration::asking::tests::{question, try_start},
        idea::fixtures::{LATER, NOW, agent, idea, someone},
    };

    fn round(id: u128, number: i32, questions: &[(&str, bool)]) -> Round {
        let questions = questions.iter().map(|(name, required)| question(name, *required)).collect();
        let round = try_start(&idea(), &[], &agent(), questions).unwrap().round;
        Round { id: RoundId::from_u128(id), number, ..round }
    }

    fn waiting() -> Idea {
        Idea { elaboration_status: Some(ElaborationStatus::PendingAnswers), ..idea() }
    }

    fn given(question: &str, option: Option<&str>, text: Option<&str>) -> AnswerGiven {
        AnswerGiven { question: question.into(), option: option.map(Into::into), text: text.map(Into::into) }
    }

    fn try_answer(rounds: &[Round], named: Option<u128>, answers: &[AnswerGiven]) -> Result<Answered, Refusal> {
        answer((&waiting(), rounds), named.map(RoundId::from_u128), answers.to_vec(), someone(), LATER)
    }

    #[test]
    fn a_round_stays_open_until_every_required_question_is_answered() {
        let first = round(1, 1, &[("q1", true), ("q2", true), ("q3", false)]);
        let partial = try_answer(&[first], None, &[given("q1", Some("a"), Some("  "))]).unwrap();
        assert_eq!(partial.round.status, RoundStatus::PendingAnswers);
        assert_eq!(partial.idea, None);
        let expected = Answer { option: Some("a".into()), text: None, at: LATER, by: someone() };
        assert_eq!(partial.answers, [("q1".to_owned(), expected)]);

        let last = try_answer(&[partial.round], Some(1), &[given("q2", None, Some("neither"))]).unwrap();
        assert_eq!(last.round.status, RoundStatus::Answered);
        let idea = last.idea.unwrap();
        assert_eq!(
            (idea.elaboration_status, idea.version),
            (Some(ElaborationStatus::Validating), waiting().version + 1)
        );
    }

    #[test]
    fn a_round_of_optional_questions_closes_with_the_first_answer() {
        let optional = round(1, 1, &[("q1", false), ("q2", false)]);
        let answered = try_answer(&[optional], None, &[given("q2", Some("b"), None)]).unwrap();
        assert_eq!(answered.round.status, RoundStatus::Answered);
    }

    #[test]
    fn an_open_answer_is_replaced_and_the_same_answer_twice_counts_once() {
        let first = round(1, 1, &[("q1", true), ("q2", true)]);
        let once = try_answer(&[first], None, &[given("q1", Some("a"), None), given("q1", Some("a"), Some(""))]);
        let once = once.unwrap();
        assert_eq!(once.answers.len(), 1);
        let again = try_answer(&[once.round], None, &[given("q1", Some("b"), None)]).unwrap();
        assert_eq!(again.round.questions[0].answer.clone().unwrap().option, Some("b".into()));
    }

    #[test]
    fn answering_an_appended_round_leaves_a_resolved_idea_as_it_is() {
        let state = IdeaState::new(IdeaStatus::Elaborated, Some(ElaborationStatus::Resolved));
        let resolved = idea().moved(state, NOW);
        let appended = round(1, 1, &[("q", true)]);
        let answers = vec![given("q", Some("a"), None)];
        let answered = answer((&resolved, &[appended]), None, answers, someone(), LATER).unwrap();
        assert_eq!((answered.round.status, answered.idea), (RoundStatus::Answered, None));
    }

    #[test]
    fn the_round_is_picked_named_or_asked_for() {
        let open = round(1, 1, &[("q", true)]);
        let other = round(2, 2, &[("q", true), ("r", true)]);
        let closed = Round { status: RoundStatus::Answered, ..round(3, 3, &[("q", true)]) };
        let answers = [given("q", Some("a"), None)];

        assert_eq!(try_answer(&[open.clone(), closed.clone()], None, &answers).unwrap().round.number, 1);
        assert_eq!(try_answer(&[open.clone(), other.clone()], Some(2), &answers).unwrap().round.number, 2);

        let ambiguous = try_answer(&[open.clone(), other], None, &answers).unwrap_err();
        assert_eq!(ambiguous.code, Code::AmbiguousRound);
        assert_eq!(
            ambiguous.details,
            Some(json!({"rounds": [
                {"uuid": RoundId::from_u128(1), "roundNumber": 1, "unansweredQuestionIds": ["q"]},
                {"uuid": RoundId::from_u128(2), "roundNumber": 2, "unansweredQuestionIds": ["q", "r"]},
            ]}))
        );
        let none = try_answer(std::slice::from_ref(&closed), None, &answers).unwrap_err();
        assert_eq!(none.code, Code::PreconditionFailed);
        let late = try_answer(&[open.clone(), closed], Some(3), &answers).unwrap_err();
        assert_eq!(late.code, Code::InvalidState);
        assert!(late.text.contains("Round 3 is `answered`"), "{}", late.text);
        let foreign = try_answer(&[open], Some(9), &answers).unwrap_err();
        assert_eq!(foreign, Refusal::not_found(Kind::Round));
    }

    #[test]
    fn every_wrong_answer_is_listed_and_none_is_taken() {
        let first = round(1, 1, &[("q1", true), ("q2", true)]);
        let refused = try_answer(
            std::slice::from_ref(&first),
            None,
            &[
                given("q1", Some("a"), None),
                given("q9", Some("a"), None),
                given("q2", Some("z"), None),
                given("q2", None, Some(" ")),
                given("q1", Some("b"), None),
                given("q1", Some("a"), Some("a\0")),
            ],
        )
        .unwrap_err();
        assert_eq!(refused.code, Code::InvalidArguments);
        let details = refused.details.unwrap();
        let fields: Vec<_> = details["problems"].as_array().unwrap().iter().map(|p| p["field"].clone()).collect();
        assert_eq!(
            fields,
            [
                "answers[1].questionId",
                "answers[2].selectedOptionId",
                "answers[3].customText",
                "answers[3]",
                "answers[4]",
                "answers[5]",
                "answers[5].customText",
            ]
        );
        assert_eq!(try_answer(&[first], None, &[]).unwrap_err().code, Code::InvalidArguments);
    }
}
