//! Rounds, questions and answers.

use chorus_lifecycle::elaboration::{
    AnswerForm, AnswerProblem as A, Asked, MAX_ROUNDS, OPTIONS, OptionForm, PickError, QUESTIONS, QuestionForm,
    QuestionProblem as Q, ROUND, RoundCounts, RoundEvent, RoundStatus, Summary, check_answers, check_questions,
    is_complete, pick_round, summarize,
};

const OPTION_IDS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn question(id: &str, options: usize) -> QuestionForm<'_> {
    let options = OPTION_IDS.iter().take(options).map(|id| OptionForm { id, label: "so" }).collect();
    QuestionForm { id, text: "how?", options }
}

fn round(questions: usize) -> Vec<String> {
    (0..questions).map(|n| format!("q{n}")).collect()
}

#[test]
fn the_limits_are_those_of_the_specification() {
    assert_eq!((MAX_ROUNDS, QUESTIONS, OPTIONS), (10, 1..=15, 2..=5));
}

#[test]
fn an_answered_round_takes_no_more_answers() {
    for event in RoundEvent::ALL {
        assert!(ROUND.apply(RoundStatus::Answered, event).is_err());
    }
}

#[test]
fn a_round_has_one_to_fifteen_questions() {
    for (count, expected) in [(0, Some(0)), (1, None), (15, None), (16, Some(16))] {
        let ids = round(count);
        let questions: Vec<_> = ids.iter().map(|id| question(id, 2)).collect();
        let expected: Vec<Q> = expected.map(|found| Q::QuestionCount { found }).into_iter().collect();
        assert_eq!(check_questions(&questions), expected, "{count}");
    }
}

#[test]
fn a_question_has_two_to_five_options() {
    for (count, fits) in [(0, false), (1, false), (2, true), (5, true), (6, false)] {
        let problems = check_questions(&[question("q", count)]);
        let expected = if fits { vec![] } else { vec![Q::OptionCount { question: 0, found: count }] };
        assert_eq!(problems, expected, "{count}");
    }
}

#[test]
fn everything_that_is_wrong_with_questions_is_reported() {
    let mut unnamed = question(" ", 2);
    unnamed.text = "\n";
    let mut options = question("q", 2);
    options.options = vec![
        OptionForm { id: "a", label: "" },
        OptionForm { id: "", label: "so" },
        OptionForm { id: "a", label: "\t" },
    ];
    let problems = check_questions(&[question("q", 2), unnamed, options]);
    assert_eq!(
        problems,
        [
            Q::BlankId { question: 1 },
            Q::BlankText { question: 1 },
            Q::RepeatedId { question: 2, first: 0 },
            Q::BlankLabel { question: 2, option: 0 },
            Q::BlankOptionId { question: 2, option: 1 },
            Q::RepeatedOptionId { question: 2, option: 2, first: 0 },
            Q::BlankLabel { question: 2, option: 2 },
        ]
    );
    assert_eq!(problems.iter().map(|p| p.question()).collect::<Vec<_>>(), [1, 1, 2, 2, 2, 2, 2].map(Some));
    assert_eq!(Q::QuestionCount { found: 0 }.question(), None);
}

#[test]
fn problems_say_what_would_be_right() {
    assert_eq!(Q::QuestionCount { found: 16 }.to_string(), "a round has 1 to 15 questions, not 16");
    assert_eq!(Q::OptionCount { question: 3, found: 1 }.to_string(), "question 3 needs 2 to 5 options, not 1");
    assert_eq!(
        Q::RepeatedId { question: 2, first: 0 }.to_string(),
        "question 2 has the id of question 0: ids are unique in a round"
    );
    assert_eq!(A::MissingText { answer: 1 }.to_string(), "answer 1 chooses no option and so needs a text");
}

fn asked() -> [Asked<'static>; 2] {
    [Asked { id: "q0", options: vec!["a", "b"] }, Asked { id: "q1", options: vec!["c", "d"] }]
}

const fn answer(
    question: &'static str,
    option: Option<&'static str>,
    text: Option<&'static str>,
) -> AnswerForm<'static> {
    AnswerForm { question, option, text }
}

#[test]
fn an_answer_is_an_option_or_a_text_or_both() {
    let fine = [answer("q0", Some("a"), None), answer("q1", None, Some("neither"))];
    assert_eq!(check_answers(&asked(), &fine), []);
    assert_eq!(check_answers(&asked(), &[answer("q0", Some("a"), Some("with care"))]), []);
    assert_eq!(check_answers(&asked(), &[answer("q0", Some("a"), Some(" "))]), []);
}

#[test]
fn everything_that_is_wrong_with_answers_is_reported() {
    let answers = [
        answer("q2", Some("a"), None),
        answer("q0", Some("c"), None),
        answer("q1", None, None),
        answer("q1", None, Some(" \n")),
    ];
    let problems = check_answers(&asked(), &answers);
    assert_eq!(
        problems,
        [
            A::UnknownQuestion { answer: 0 },
            A::UnknownOption { answer: 1 },
            A::MissingText { answer: 2 },
            A::MissingText { answer: 3 },
            A::Contradiction { answer: 3, first: 2 },
        ]
    );
    assert_eq!(problems.iter().map(|problem| problem.answer()).collect::<Vec<_>>(), [0, 1, 2, 3, 3]);
}

#[test]
fn the_same_answer_twice_is_fine_and_a_contradiction_is_not() {
    let (a, b) = (answer("q0", Some("a"), None), answer("q0", Some("b"), None));
    assert_eq!(check_answers(&asked(), &[a, a]), []);
    assert_eq!(check_answers(&asked(), &[a, b]), [A::Contradiction { answer: 1, first: 0 }]);
}

#[test]
fn a_round_is_complete_when_every_required_question_has_an_answer() {
    let (required, optional, answered, open) = (true, false, true, false);
    assert!(is_complete([(required, answered), (optional, open)]));
    assert!(!is_complete([(required, answered), (required, open), (optional, answered)]));
    assert!(is_complete([(optional, answered), (optional, open)]));
}

#[test]
fn an_omitted_round_is_the_only_pending_one() {
    assert_eq!(pick_round(&[7]), Ok(7));
    assert_eq!(pick_round::<u8>(&[]), Err(PickError::None));
    assert_eq!(pick_round(&[7, 8]), Err(PickError::Ambiguous));
    assert_eq!(PickError::None.to_string(), "no round is waiting for answers");
}

#[test]
fn the_summary_names_the_first_round_that_waits() {
    let counts = |number, status, questions, answered| RoundCounts { number, status, questions, answered };
    let rounds = [
        counts(3, RoundStatus::PendingAnswers, 4, 0),
        counts(1, RoundStatus::Answered, 5, 3),
        counts(2, RoundStatus::PendingAnswers, 2, 1),
    ];
    let expected = Summary { total_questions: 11, answered_questions: 4, validated_rounds: 1, pending_round: Some(2) };
    assert_eq!(summarize(rounds), expected);
    assert_eq!(summarize([]), Summary::default());
}
