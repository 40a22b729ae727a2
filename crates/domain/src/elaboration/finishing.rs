//! Finishing and skipping the elaboration of an idea (lifecycle specification §2.2).

use chorus_ids::Timestamp;
use chorus_lifecycle::{
    elaboration::RoundStatus,
    idea::{Depth, IdeaEvent},
};
use chorus_permissions::IDEA_ADMIN;
use serde_json::json;

use super::{Round, demand_assignee};
use crate::{
    Caller, Code, Refusal,
    idea::Idea,
    text::{self, Use},
};

/// In what role somebody finishes an elaboration; it decides what is recorded and who is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finisher {
    /// The assignee itself.
    Assignee,
    /// Somebody else who holds `idea:admin`.
    Other,
}

/// The role of the caller.
///
/// # Errors
/// `not_assignee`, or `invalid_state` as in [`demand_assignee`], for somebody who is neither the assignee itself nor
/// holds `idea:admin`.
fn finisher(idea: &Idea, caller: &Caller, event: IdeaEvent) -> Result<Finisher, Refusal> {
    if caller.holds_strictly(idea.assignee.map(|assignment| assignment.to)) {
        Ok(Finisher::Assignee)
    } else if caller.permissions.contains(IDEA_ADMIN) {
        Ok(Finisher::Other)
    } else {
        demand_assignee(idea, caller, event).map(|()| Finisher::Assignee)
    }
}

/// Finds the answers sufficient: the idea is elaborated. `None` if it was already, which is fine and changes nothing.
///
/// # Errors
/// `not_assignee`; `precondition_failed` without a round, or with one that still waits for answers.
pub fn resolve(
    idea: &Idea,
    rounds: &[Round],
    caller: &Caller,
    now: Timestamp,
) -> Result<Option<(Idea, Finisher)>, Refusal> {
    let finisher = finisher(idea, caller, IdeaEvent::Resolve)?;
    if rounds.is_empty() {
        return Err(Refusal::new(
            Code::PreconditionFailed,
            "The idea has no round of questions. Open one with chorus_pm_start_elaboration, or skip the elaboration \
             with chorus_pm_skip_elaboration.",
        ));
    }
    let open: Vec<&Round> = rounds.iter().filter(|round| round.status == RoundStatus::PendingAnswers).collect();
    if !open.is_empty() {
        let list: Vec<_> = open.iter().map(|r| json!({ "uuid": r.id, "roundNumber": r.number })).collect();
        let text = format!(
            "{} of {} rounds still wait for answers; answer them with chorus_answer_elaboration first.",
            open.len(),
            rounds.len()
        );
        return Err(
            Refusal::new(Code::PreconditionFailed, text).with(json!({ "openRounds": open.len(), "rounds": list }))
        );
    }
    let state = idea.after(IdeaEvent::Resolve, "")?;
    Ok((state != idea.state()).then(|| (idea.moved(state, now), finisher)))
}

/// Declares an idea clear without questions, for a reason. Rounds that wait for answers don't matter.
///
/// # Errors
/// `invalid_arguments` for a blank reason; `not_assignee`; `invalid_state` unless the idea is being elaborated.
pub fn skip(idea: &Idea, reason: &str, caller: &Caller, now: Timestamp) -> Result<(Idea, Finisher), Refusal> {
    Refusal::unless_fine(text::check("reason", reason, Use::Note).err().into_iter().collect())?;
    let finisher = finisher(idea, caller, IdeaEvent::Skip)?;
    let state = idea.after(
        IdeaEvent::Skip,
        "Only an idea that is being elaborated can be skipped: claim an open one with chorus_claim_idea; an elaborated \
         one is ready for chorus_pm_create_proposal.",
    )?;
    Ok((Idea { depth: Some(Depth::Minimal), ..idea.moved(state, now) }, finisher))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use chorus_lifecycle::idea::{ElaborationStatus, IdeaState, IdeaStatus};

    use super::*;
    use crate::{
        elaboration::asking::tests::{question, try_start},
        idea::fixtures::{LATER, NOW, agent, idea, reviewer, strange_agent, thought},
    };

    const DONE: IdeaState = IdeaState::new(IdeaStatus::Elaborated, Some(ElaborationStatus::Resolved));

    fn round(status: RoundStatus) -> Round {
        Round { status, ..try_start(&idea(), &[], &agent(), vec![question("q", true)]).unwrap().round }
    }

    #[test]
    fn answered_rounds_make_an_idea_elaborated() {
        let rounds = [round(RoundStatus::Answered)];
        for (caller, expected) in [(agent(), Finisher::Assignee), (reviewer(), Finisher::Other)] {
            let (resolved, finisher) = resolve(&idea(), &rounds, &caller, LATER).unwrap().unwrap();
            assert_eq!((resolved.state(), finisher), (DONE, expected));
            assert_eq!((resolved.version, resolved.depth), (idea().version + 1, idea().depth));
        }
        // The second time nothing changes.
        assert_eq!(resolve(&idea().moved(DONE, NOW), &rounds, &agent(), LATER), Ok(None));
    }

    #[test]
    fn resolving_needs_rounds_and_no_open_one() {
        let none = resolve(&idea(), &[], &agent(), LATER).unwrap_err();
        assert_eq!(none.code, Code::PreconditionFailed);
        let rounds = [round(RoundStatus::Answered), round(RoundStatus::PendingAnswers)];
        let open = resolve(&idea(), &rounds, &agent(), LATER).unwrap_err();
        assert_eq!(open.code, Code::PreconditionFailed);
        assert!(open.text.starts_with("1 of 2 rounds"), "{}", open.text);
        assert_eq!(open.details.unwrap().get("openRounds"), Some(&json!(1)));
    }

    #[test]
    fn resolving_is_for_the_assignee_and_idea_admins() {
        let refused = resolve(&idea(), &[round(RoundStatus::Answered)], &strange_agent(), LATER).unwrap_err();
        assert_eq!(refused.code, Code::NotAssignee);
    }

    #[test]
    fn skipping_makes_an_idea_elaborated_at_minimal_depth() {
        let waiting = Idea { elaboration_status: Some(ElaborationStatus::PendingAnswers), ..idea() };
        for (caller, expected) in [(agent(), Finisher::Assignee), (reviewer(), Finisher::Other)] {
            let (skipped, finisher) = skip(&waiting, "It is clear", &caller, LATER).unwrap();
            assert_eq!((skipped.state(), skipped.depth, finisher), (DONE, Some(Depth::Minimal), expected));
        }
    }

    #[test]
    fn skipping_needs_a_reason_the_right_caller_and_an_idea_at_work() {
        let code = |idea: &Idea, reason: &str, caller: &Caller| skip(idea, reason, caller, LATER).unwrap_err().code;
        assert_eq!(code(&idea(), " ", &strange_agent()), Code::InvalidArguments);
        assert_eq!(code(&idea(), "clear", &strange_agent()), Code::NotAssignee);
        assert_eq!(code(&thought(), "clear", &agent()), Code::InvalidState);
        assert_eq!(code(&thought(), "clear", &reviewer()), Code::InvalidState);
        assert_eq!(code(&idea().moved(DONE, NOW), "clear", &agent()), Code::InvalidState);
    }
}
