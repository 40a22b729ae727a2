//! Rounds of questions, as they are read and answered.

use chorus_domain::{
    Party,
    elaboration::{Question, Round},
    idea::Idea,
};
use chorus_ids::{Timestamp, Uuid};
use chorus_lifecycle::{
    elaboration::RoundStatus,
    idea::{IDEA, IdeaEvent},
};

use crate::pages::names::Names;

/// A round.
pub(super) struct Asked {
    pub(super) id: Uuid,
    pub(super) number: u64,
    pub(super) waits: bool,
    pub(super) by: String,
    pub(super) at: Timestamp,
    pub(super) questions: Vec<Item>,
}

impl Asked {
    /// The name of the form that answers it.
    pub(super) fn form(&self) -> String {
        format!("answer-{}", self.id)
    }

    pub(super) fn answered(&self) -> u64 {
        self.questions.iter().filter(|item| item.answer.is_some()).count() as u64
    }

    pub(super) fn total(&self) -> u64 {
        self.questions.len() as u64
    }
}

/// A question.
pub(super) struct Item {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) category: &'static str,
    pub(super) required: bool,
    pub(super) options: Vec<(String, String, Option<String>)>,
    pub(super) answer: Option<Answered>,
}

/// What was answered.
pub(super) struct Answered {
    /// What was chosen, as it was offered.
    pub(super) option: Option<String>,
    pub(super) text: Option<String>,
    pub(super) by: String,
    pub(super) at: Timestamp,
}

/// Whoever asked and answered.
pub(super) fn parties(rounds: &[Round]) -> impl Iterator<Item = Party> + '_ {
    rounds.iter().flat_map(|round| {
        let answers = round.questions.iter().filter_map(|question| question.answer.as_ref());
        [round.created_by].into_iter().chain(answers.map(|answer| answer.by))
    })
}

pub(super) fn asked(rounds: &[Round], names: &Names) -> Vec<Asked> {
    let asked = rounds.iter().map(|round| Asked {
        id: round.id.uuid(),
        number: u64::try_from(round.number).unwrap_or_default(),
        waits: round.status == RoundStatus::PendingAnswers,
        by: names.get(round.created_by),
        at: round.created_at,
        questions: round.questions.iter().map(|question| item(question, names)).collect(),
    });
    asked.collect()
}

fn item(question: &Question, names: &Names) -> Item {
    let label = |id: &str| question.options.iter().find(|option| option.id == id).map(|option| option.label.clone());
    Item {
        name: question.name.clone(),
        text: question.text.clone(),
        category: question.category.as_str(),
        required: question.required,
        options: question
            .options
            .iter()
            .map(|option| (option.id.clone(), option.label.clone(), option.description.clone()))
            .collect(),
        answer: question.answer.as_ref().map(|answer| Answered {
            option: answer.option.as_deref().map(|id| label(id).unwrap_or_else(|| id.to_owned())),
            text: answer.text.clone(),
            by: names.get(answer.by),
            at: answer.at,
        }),
    }
}

/// What a person can do about the questions of an idea.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    /// Find the answers sufficient.
    pub(super) verify: bool,
    /// Declare it clear without them.
    pub(super) skip: bool,
}

/// The ways that the lifecycle has open.
pub(super) fn ways(idea: &Idea, rounds: &[Round]) -> Ways {
    let answered = !rounds.is_empty() && rounds.iter().all(|round| round.status == RoundStatus::Answered);
    let resolves = IDEA.apply(idea.state(), IdeaEvent::Resolve).is_ok_and(|state| state != idea.state());
    Ways { verify: answered && resolves, skip: IDEA.apply(idea.state(), IdeaEvent::Skip).is_ok() }
}
