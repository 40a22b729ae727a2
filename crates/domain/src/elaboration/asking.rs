//! Opening a round (lifecycle specification §3.1, §3.2).

use std::collections::BTreeSet;

use chorus_ids::{IdSource, Timestamp};
use chorus_lifecycle::{
    elaboration::{
        Category, MAX_ROUNDS, OPTIONS, OptionForm, QUESTIONS, QuestionForm, QuestionProblem, ROUND, check_questions,
    },
    idea::{Depth, IdeaEvent, IdeaStatus},
};
use serde_json::json;

use super::{Choice, Question, Round, demand_assignee};
use crate::{
    Caller, Code, Party, Refusal,
    idea::Idea,
    refusal::Problem,
    text::{self, Use},
};

/// A question that somebody wants to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewQuestion {
    /// Its name, unique in the round.
    pub name: String,
    /// The question.
    pub text: String,
    /// What it is about.
    pub category: Category,
    /// What can be chosen.
    pub options: Vec<Choice>,
    /// Whether the round waits for it.
    pub required: bool,
}

/// A round that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// The idea as it is now.
    pub idea: Idea,
    /// The new round.
    pub round: Round,
}

/// Opens a round of questions about an idea. A round on an elaborated idea is appended and blocks nothing.
///
/// The form of the questions is checked first, then whose the idea is, then its state.
///
/// # Errors
/// `invalid_arguments` with everything that is wrong with the questions; `not_assignee`; `invalid_state` for an idea
/// that nobody has taken up; `precondition_failed` for an eleventh round.
pub fn start(
    (idea, rounds): (&Idea, &[Round]),
    (depth, questions): (Depth, Vec<NewQuestion>),
    (caller, by): (&Caller, Party),
    now: Timestamp,
    ids: &mut dyn IdSource,
) -> Result<Started, Refusal> {
    Refusal::unless_fine(problems(&questions))?;
    demand_assignee(idea, caller, IdeaEvent::StartRound)?;
    let state = idea.after(IdeaEvent::StartRound, super::CLAIM_FIRST)?;
    if rounds.len() >= MAX_ROUNDS {
        let text = format!(
            "The idea has had {MAX_ROUNDS} rounds of questions, which is the most. Put what is still open into the \
             proposal or a comment (chorus_add_comment)."
        );
        return Err(
            Refusal::new(Code::PreconditionFailed, text).with(json!({ "rounds": rounds.len(), "limit": MAX_ROUNDS }))
        );
    }
    let last = rounds.iter().map(|round| round.number).max().unwrap_or(0);
    let round = Round {
        id: ids.make(),
        company: idea.company,
        idea: idea.id,
        number: last + 1,
        status: ROUND.initial,
        is_appended: idea.status == IdeaStatus::Elaborated,
        created_by: by,
        created_at: now,
        questions: questions
            .into_iter()
            .map(|NewQuestion { name, text, category, options, required }| Question {
                id: ids.make(),
                name,
                text,
                category,
                options,
                required,
                answer: None,
            })
            .collect(),
    };
    Ok(Started { idea: Idea { depth: Some(depth), ..idea.moved(state, now) }, round })
}

/// Everything that is wrong with the questions, each with its path.
fn problems(questions: &[NewQuestion]) -> Vec<Problem> {
    let forms: Vec<QuestionForm<'_>> = questions
        .iter()
        .map(|question| QuestionForm {
            id: &question.name,
            text: &question.text,
            options: question.options.iter().map(|o| OptionForm { id: &o.id, label: &o.label }).collect(),
        })
        .collect();
    let mut problems: Vec<Problem> = check_questions(&forms).into_iter().map(problem).collect();
    // A blank text is reported once.
    let known: BTreeSet<String> = problems.iter().map(|problem| problem.field.clone()).collect();
    let texts = questions.iter().enumerate().flat_map(|(index, question)| texts(index, question));
    problems.extend(
        texts
            .filter_map(|(field, text, usage)| text::check(&field, text, usage).err())
            .filter(|problem| !known.contains(&problem.field)),
    );
    problems
}

/// Every text of a question with its path and its use.
fn texts(index: usize, question: &NewQuestion) -> Vec<(String, &str, Use)> {
    let mut texts = vec![
        (format!("questions[{index}].id"), question.name.as_str(), Use::Title),
        (format!("questions[{index}].text"), question.text.as_str(), Use::Note),
    ];
    for (at, option) in question.options.iter().enumerate() {
        let path = |key: &str| format!("questions[{index}].options[{at}].{key}");
        texts.push((path("id"), &option.id, Use::Title));
        texts.push((path("label"), &option.label, Use::Title));
        texts.push((path("description"), option.description.as_deref().unwrap_or_default(), Use::Body));
    }
    texts
}

fn problem(problem: QuestionProblem) -> Problem {
    use QuestionProblem as Q;
    let of_question = |question: usize, key: &str| format!("questions[{question}].{key}");
    let of_option =
        |question: usize, option: usize, key: &str| format!("questions[{question}].options[{option}].{key}");
    match problem {
        Q::QuestionCount { found } => {
            let (least, most) = (QUESTIONS.start(), QUESTIONS.end());
            Problem::new("questions", format_args!("holds {found} questions; a round has {least} to {most}"))
        }
        Q::BlankId { question } => Problem::blank(of_question(question, "id")),
        Q::RepeatedId { question, first } => Problem::new(
            of_question(question, "id"),
            format_args!("is the id of `questions[{first}]` too; ids are unique in a round"),
        ),
        Q::BlankText { question } => Problem::blank(of_question(question, "text")),
        Q::OptionCount { question, found } => {
            let (least, most) = (OPTIONS.start(), OPTIONS.end());
            Problem::new(
                of_question(question, "options"),
                format_args!("holds {found} options; a question has {least} to {most}"),
            )
        }
        Q::BlankOptionId { question, option } => Problem::blank(of_option(question, option, "id")),
        Q::RepeatedOptionId { question, option, first } => Problem::new(
            of_option(question, option, "id"),
            format_args!("is the id of `options[{first}]` too; ids are unique in a question"),
        ),
        Q::BlankLabel { question, option } => Problem::blank(of_option(question, option, "label")),
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use chorus_ids::SequentialIds;
    use chorus_lifecycle::{
        elaboration::RoundStatus,
        idea::{ElaborationStatus, IdeaState},
    };

    use super::*;
    use crate::idea::fixtures::{LATER, NOW, agent, idea, strange_agent, thought};

    pub(in crate::elaboration) fn question(name: &str, required: bool) -> NewQuestion {
        let option = |id: &str| Choice { id: id.into(), label: id.to_uppercase(), description: None };
        NewQuestion {
            name: name.into(),
            text: "Which one?".into(),
            category: Category::Scope,
            options: vec![option("a"), option("b")],
            required,
        }
    }

    pub(in crate::elaboration) fn try_start(
        idea: &Idea,
        rounds: &[Round],
        caller: &Caller,
        questions: Vec<NewQuestion>,
    ) -> Result<Started, Refusal> {
        let by = caller.subject.party().unwrap();
        let asked = (Depth::Standard, questions);
        start((idea, rounds), asked, (caller, by), LATER, &mut SequentialIds::starting_at(NOW))
    }

    fn fields(refusal: Refusal) -> Vec<String> {
        let details = refusal.details.unwrap();
        let problems = details["problems"].as_array().unwrap();
        problems.iter().map(|problem| problem["field"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_round_waits_for_answers_and_so_does_its_idea() {
        let started = try_start(&idea(), &[], &agent(), vec![question("q1", true), question("q2", false)]).unwrap();
        assert_eq!((started.round.number, started.round.status), (1, RoundStatus::PendingAnswers));
        assert!(!started.round.is_appended);
        assert_eq!(started.idea.elaboration_status, Some(ElaborationStatus::PendingAnswers));
        assert_eq!((started.idea.depth, started.idea.version), (Some(Depth::Standard), idea().version + 1));
        let names: Vec<_> = started.round.questions.iter().map(|q| (q.name.as_str(), q.required)).collect();
        assert_eq!(names, [("q1", true), ("q2", false)]);
    }

    #[test]
    fn a_round_on_an_elaborated_idea_is_appended_and_blocks_nothing() {
        let state = IdeaState::new(IdeaStatus::Elaborated, Some(ElaborationStatus::Resolved));
        let elaborated = idea().moved(state, NOW);
        let started = try_start(&elaborated, &[], &agent(), vec![question("q", true)]).unwrap();
        assert!(started.round.is_appended);
        assert_eq!((started.idea.state(), started.idea.depth), (state, Some(Depth::Standard)));
    }

    #[test]
    fn rounds_are_numbered_up_to_ten() {
        let mut rounds = Vec::new();
        for number in 1..=10 {
            let round = try_start(&idea(), &rounds, &agent(), vec![question("q", true)]).unwrap().round;
            assert_eq!(round.number, number);
            rounds.push(round);
        }
        let refused = try_start(&idea(), &rounds, &agent(), vec![question("q", true)]).unwrap_err();
        assert_eq!(
            (refused.code, refused.details),
            (Code::PreconditionFailed, Some(json!({"rounds": 10, "limit": 10})),)
        );
    }

    #[test]
    fn an_open_idea_has_to_be_claimed_first() {
        let refused = try_start(&thought(), &[], &agent(), vec![question("q", true)]).unwrap_err();
        assert_eq!(refused.code, Code::InvalidState);
        assert!(refused.text.contains("chorus_claim_idea"), "{}", refused.text);
    }

    #[test]
    fn the_form_is_checked_before_ownership_and_status() {
        for (idea, caller) in [(idea(), strange_agent()), (thought(), agent())] {
            let refused = try_start(&idea, &[], &caller, Vec::new()).unwrap_err();
            assert_eq!(refused.code, Code::InvalidArguments);
        }
        assert_eq!(
            try_start(&idea(), &[], &strange_agent(), vec![question("q", true)]).unwrap_err().code,
            Code::NotAssignee
        );
    }

    #[test]
    fn every_problem_is_listed_once_with_its_path() {
        let blank = NewQuestion { name: " ".into(), text: String::new(), ..question("x", true) };
        let mut few = question("q", true);
        few.options.truncate(1);
        let mut odd = question("q", true);
        odd.options[0].label = "l".repeat(501);
        odd.options[0].description = Some("a\0".into());
        odd.options[1] = Choice { id: "a".into(), label: " ".into(), description: None };
        let refused = try_start(&idea(), &[], &agent(), vec![blank, few, odd]).unwrap_err();
        assert_eq!(
            fields(refused),
            [
                "questions[0].id",
                "questions[0].text",
                "questions[1].options",
                "questions[2].id",
                "questions[2].options[1].id",
                "questions[2].options[1].label",
                "questions[2].options[0].label",
                "questions[2].options[0].description",
            ]
        );
        let many = (0..16).map(|index| question(&format!("q{index}"), true)).collect();
        let refused = try_start(&idea(), &[], &agent(), many).unwrap_err();
        assert!(refused.text.contains("`questions` holds 16 questions; a round has 1 to 15"), "{}", refused.text);
    }
}
