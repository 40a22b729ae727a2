//! What questions and answers have to look like (lifecycle specification §3.2,
//! §3.3). Each check reports everything that is wrong, so that one more attempt
//! is enough.

use std::{collections::BTreeMap, error::Error, fmt};

use super::{OPTIONS, QUESTIONS};

/// A question as it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionForm<'a> {
    /// Its name within the round.
    pub id: &'a str,
    /// What is asked.
    pub text: &'a str,
    /// What can be chosen.
    pub options: Vec<OptionForm<'a>>,
}

/// An option as it is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionForm<'a> {
    /// Its name within the question.
    pub id: &'a str,
    /// What is read.
    pub label: &'a str,
}

/// What is wrong with a round of questions. Questions and options are counted
/// from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionProblem {
    /// The round has too few questions or too many.
    QuestionCount {
        /// How many it has.
        found: usize,
    },
    /// The question has no id.
    BlankId {
        /// Which one.
        question: usize,
    },
    /// The question has the id of an earlier one.
    RepeatedId {
        /// Which one.
        question: usize,
        /// The earlier one.
        first: usize,
    },
    /// The question has no text.
    BlankText {
        /// Which one.
        question: usize,
    },
    /// The question has too few options or too many.
    OptionCount {
        /// Which question.
        question: usize,
        /// How many it has.
        found: usize,
    },
    /// The option has no id.
    BlankOptionId {
        /// Which question.
        question: usize,
        /// Which option of it.
        option: usize,
    },
    /// The option has the id of an earlier one, so that choosing it would say
    /// nothing.
    RepeatedOptionId {
        /// Which question.
        question: usize,
        /// Which option of it.
        option: usize,
        /// The earlier one.
        first: usize,
    },
    /// The option has no label.
    BlankLabel {
        /// Which question.
        question: usize,
        /// Which option of it.
        option: usize,
    },
}

impl QuestionProblem {
    /// The question that is wrong, or `None` if it is the round as a whole.
    pub const fn question(self) -> Option<usize> {
        match self {
            Self::QuestionCount { .. } => None,
            Self::BlankId { question }
            | Self::RepeatedId { question, .. }
            | Self::BlankText { question }
            | Self::OptionCount { question, .. }
            | Self::BlankOptionId { question, .. }
            | Self::RepeatedOptionId { question, .. }
            | Self::BlankLabel { question, .. } => Some(question),
        }
    }
}

impl fmt::Display for QuestionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::QuestionCount { found } => {
                write!(f, "a round has {} to {} questions, not {found}", QUESTIONS.start(), QUESTIONS.end())
            }
            Self::BlankId { question } => write!(f, "question {question} needs an id"),
            Self::RepeatedId { question, first } => {
                write!(f, "question {question} has the id of question {first}: ids are unique in a round")
            }
            Self::BlankText { question } => write!(f, "question {question} needs a text"),
            Self::OptionCount { question, found } => {
                let (least, most) = (OPTIONS.start(), OPTIONS.end());
                write!(f, "question {question} needs {least} to {most} options, not {found}")
            }
            Self::BlankOptionId { question, option } => {
                write!(f, "option {option} of question {question} needs an id")
            }
            Self::RepeatedOptionId { question, option, first } => write!(
                f,
                "option {option} of question {question} has the id of option {first}: ids are unique in a question"
            ),
            Self::BlankLabel { question, option } => {
                write!(f, "option {option} of question {question} needs a label")
            }
        }
    }
}

impl Error for QuestionProblem {}

/// Everything that is wrong with the questions of a round, in their order.
pub fn check_questions(questions: &[QuestionForm<'_>]) -> Vec<QuestionProblem> {
    let mut problems = Vec::new();
    if !QUESTIONS.contains(&questions.len()) {
        problems.push(QuestionProblem::QuestionCount { found: questions.len() });
    }
    let mut known = BTreeMap::new();
    for (question, form) in questions.iter().enumerate() {
        if is_blank(form.id) {
            problems.push(QuestionProblem::BlankId { question });
        } else {
            let first = *known.entry(form.id).or_insert(question);
            if first != question {
                problems.push(QuestionProblem::RepeatedId { question, first });
            }
        }
        if is_blank(form.text) {
            problems.push(QuestionProblem::BlankText { question });
        }
        check_options(question, &form.options, &mut problems);
    }
    problems
}

fn check_options(question: usize, options: &[OptionForm<'_>], problems: &mut Vec<QuestionProblem>) {
    if !OPTIONS.contains(&options.len()) {
        problems.push(QuestionProblem::OptionCount { question, found: options.len() });
    }
    let mut known = BTreeMap::new();
    for (option, form) in options.iter().enumerate() {
        if is_blank(form.id) {
            problems.push(QuestionProblem::BlankOptionId { question, option });
        } else {
            let first = *known.entry(form.id).or_insert(option);
            if first != option {
                problems.push(QuestionProblem::RepeatedOptionId { question, option, first });
            }
        }
        if is_blank(form.label) {
            problems.push(QuestionProblem::BlankLabel { question, option });
        }
    }
}

/// A stored question, as an answer has to fit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked<'a> {
    /// Its name within the round.
    pub id: &'a str,
    /// The names of its options.
    pub options: Vec<&'a str>,
}

/// An answer as it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerForm<'a> {
    /// The name of the question.
    pub question: &'a str,
    /// The name of the option that was chosen, if any.
    pub option: Option<&'a str>,
    /// The answer in free words, or a note to the option.
    pub text: Option<&'a str>,
}

/// What is wrong with an answer. Answers are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerProblem {
    /// The round has no such question.
    UnknownQuestion {
        /// Which answer.
        answer: usize,
    },
    /// The question has no such option.
    UnknownOption {
        /// Which answer.
        answer: usize,
    },
    /// No option was chosen and nothing was said.
    MissingText {
        /// Which answer.
        answer: usize,
    },
    /// An earlier answer says something else about the same question.
    Contradiction {
        /// Which answer.
        answer: usize,
        /// The earlier one.
        first: usize,
    },
}

impl AnswerProblem {
    /// The answer that is wrong.
    pub const fn answer(self) -> usize {
        match self {
            Self::UnknownQuestion { answer }
            | Self::UnknownOption { answer }
            | Self::MissingText { answer }
            | Self::Contradiction { answer, .. } => answer,
        }
    }
}

impl fmt::Display for AnswerProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownQuestion { answer } => write!(f, "answer {answer} names no question of the round"),
            Self::UnknownOption { answer } => write!(f, "answer {answer} names no option of its question"),
            Self::MissingText { answer } => {
                write!(f, "answer {answer} chooses no option and so needs a text")
            }
            Self::Contradiction { answer, first } => {
                write!(f, "answer {answer} contradicts answer {first} to the same question")
            }
        }
    }
}

impl Error for AnswerProblem {}

/// Everything that is wrong with answers to the questions `asked`, in their
/// order. The same answer twice is fine.
pub fn check_answers(asked: &[Asked<'_>], answers: &[AnswerForm<'_>]) -> Vec<AnswerProblem> {
    let options: BTreeMap<&str, &[&str]> = asked.iter().map(|q| (q.id, q.options.as_slice())).collect();
    let mut given: BTreeMap<&str, (usize, &AnswerForm<'_>)> = BTreeMap::new();
    let mut problems = Vec::new();
    for (answer, form) in answers.iter().enumerate() {
        let Some(options) = options.get(form.question) else {
            problems.push(AnswerProblem::UnknownQuestion { answer });
            continue;
        };
        match form.option {
            Some(option) if !options.contains(&option) => problems.push(AnswerProblem::UnknownOption { answer }),
            None if form.text.is_none_or(is_blank) => problems.push(AnswerProblem::MissingText { answer }),
            Some(_) | None => {}
        }
        let &mut (first, earlier) = given.entry(form.question).or_insert((answer, form));
        if earlier != form {
            problems.push(AnswerProblem::Contradiction { answer, first });
        }
    }
    problems
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
