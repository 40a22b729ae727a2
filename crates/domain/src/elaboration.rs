//! Elaboration: rounds of questions about an idea.

mod answering;
mod asking;
mod finishing;

use chorus_ids::{CompanyId, IdeaId, QuestionId, RoundId, Timestamp};
use chorus_lifecycle::{
    elaboration::{Category, RoundCounts, RoundStatus, Summary, summarize},
    idea::{IDEA, IdeaEvent},
};
use serde::{Deserialize, Serialize};

use crate::{
    Caller, Party, Refusal,
    idea::{ASK, Idea},
};

pub use answering::{AnswerGiven, Answered, answer};
pub use asking::{NewQuestion, Started, start};
pub use finishing::{Finisher, resolve, skip};

/// A round of questions about an idea.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Its id.
    pub id: RoundId,
    /// Its tenant.
    pub company: CompanyId,
    /// The idea.
    pub idea: IdeaId,
    /// 1 for the idea's first round, at most 10.
    pub number: i32,
    /// Waiting for answers or answered.
    pub status: RoundStatus,
    /// Opened when the idea was elaborated already.
    pub is_appended: bool,
    /// Who opened it.
    pub created_by: Party,
    /// When.
    pub created_at: Timestamp,
    /// Its questions, in the order asked.
    pub questions: Vec<Question>,
}

/// A question of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its id.
    pub id: QuestionId,
    /// The name that the asker gave it, unique in the round.
    pub name: String,
    /// The question.
    pub text: String,
    /// What it is about.
    pub category: Category,
    /// What can be chosen, two to five.
    pub options: Vec<Choice>,
    /// Whether the round waits for it.
    pub required: bool,
    /// The answer, once there is one.
    pub answer: Option<Answer>,
}

/// One option of a question. Stored and shown in this form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Its name in the question.
    pub id: String,
    /// What to show.
    pub label: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The option chosen; none means free text.
    pub option: Option<String>,
    /// The free text, or a note beside the option.
    pub text: Option<String>,
    /// When it was given.
    pub at: Timestamp,
    /// Who gave it.
    pub by: Party,
}

/// The rounds of an idea in numbers (lifecycle specification §3.4).
pub fn summary(rounds: &[Round]) -> Summary {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    summarize(rounds.iter().map(|round| RoundCounts {
        number: round.number,
        status: round.status,
        questions: count(round.questions.len()),
        answered: count(round.questions.iter().filter(|question| question.answer.is_some()).count()),
    }))
}

/// Only the agent that holds the idea itself may go on, not one whose owner holds it (lifecycle specification §1.3).
///
/// # Errors
/// `invalid_state` if nobody holds it and `event` could not happen anyway, so that the caller learns to claim it first;
/// otherwise `not_assignee`.
fn demand_assignee(idea: &Idea, caller: &Caller, event: IdeaEvent) -> Result<(), Refusal> {
    let holder = idea.assignee.map(|assignment| assignment.to);
    if caller.holds_strictly(holder) {
        return Ok(());
    }
    let text = match holder {
        None if IDEA.apply(idea.state(), event).is_err() => return idea.after(event, CLAIM_FIRST).map(drop),
        None => {
            "Nobody holds this idea. Only its assignee can do this; claim it with chorus_claim_idea, or have it \
                 assigned to you."
        }
        Some(_) if caller.holds(holder) => {
            "This idea is held by your owner, and only the assignee itself can do this. Release it with \
             chorus_release_idea and claim it with chorus_claim_idea, or have it assigned to you."
        }
        Some(_) => "This idea is held by somebody else, and only its assignee can do this.",
    };
    let text = if caller.holds(holder) || holder.is_none() { text.to_owned() } else { format!("{text} {ASK}") };
    Err(crate::idea::not_assignee(idea, &text))
}

const CLAIM_FIRST: &str = "Claim the idea first, with chorus_claim_idea.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Assignment, Code,
        idea::fixtures::{NOW, agent, idea, owner, strange_agent, thought},
    };

    #[test]
    fn only_the_agent_itself_counts_as_assignee() {
        let start = |idea: &Idea, caller: &Caller| {
            demand_assignee(idea, caller, IdeaEvent::StartRound).map_err(|refusal| refusal.code)
        };
        assert_eq!(start(&idea(), &agent()), Ok(()));
        assert_eq!(start(&idea(), &strange_agent()), Err(Code::NotAssignee));
        let of_owner = Idea { assignee: Some(Assignment { to: owner(), at: NOW, by: None }), ..idea() };
        assert_eq!(start(&of_owner, &agent()), Err(Code::NotAssignee));
        // Where nobody holds it, what can't happen yet is said before whose it is.
        assert_eq!(start(&thought(), &agent()), Err(Code::InvalidState));
        assert_eq!(start(&Idea { assignee: None, ..idea() }, &agent()), Err(Code::NotAssignee));
    }
}
