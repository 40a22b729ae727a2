//! Giving an idea to somebody (lifecycle specification §2.2).

use chorus_ids::Timestamp;
use chorus_lifecycle::idea::IdeaEvent;

use super::Idea;
use crate::{Assignment, Party, Refusal};

/// The idea in the hands of `to`, whoever held it before; one that is not elaborated is being elaborated then. Nothing
/// if that would change nothing.
///
/// # Errors
/// `invalid_state` where the lifecycle has no such move.
pub fn assign(idea: &Idea, to: Party, by: Party, now: Timestamp) -> Result<Option<Idea>, Refusal> {
    let state = idea.after(IdeaEvent::Assign, "")?;
    if idea.assignee.is_some_and(|held| held.to == to) && state == idea.state() {
        return Ok(None);
    }
    Ok(Some(Idea { assignee: Some(Assignment { to, at: now, by: Some(by) }), ..idea.moved(state, now) }))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use chorus_lifecycle::idea::{ElaborationStatus, IdeaStatus};

    use super::{
        super::fixtures::{LATER, idea, owner, someone, thought},
        *,
    };

    #[test]
    fn a_given_idea_is_elaborating_and_says_who_gave_it() {
        let given = assign(&thought(), someone(), owner(), LATER).unwrap().unwrap();
        assert_eq!((given.status, given.version, given.updated_at), (IdeaStatus::Elaborating, 2, LATER));
        assert_eq!(given.assignee, Some(Assignment { to: someone(), at: LATER, by: Some(owner()) }));
    }

    #[test]
    fn an_idea_is_taken_from_its_holder_in_any_status() {
        for status in IdeaStatus::ALL {
            let held = Idea { status, elaboration_status: Some(ElaborationStatus::Resolved), ..idea() };
            let given = assign(&held, someone(), owner(), LATER).unwrap().unwrap();
            let expected = if status == IdeaStatus::Open { IdeaStatus::Elaborating } else { status };
            assert_eq!((given.status, given.elaboration_status), (expected, held.elaboration_status), "{status}");
            assert_eq!(given.assignee.unwrap().to, someone());
        }
    }

    #[test]
    fn giving_it_to_its_holder_changes_nothing() {
        let holder = idea().assignee.unwrap().to;
        assert_eq!(assign(&idea(), holder, owner(), LATER), Ok(None));
        // An imported one that is held and open is put right.
        let open = Idea { status: IdeaStatus::Open, ..idea() };
        assert_eq!(assign(&open, holder, owner(), LATER).unwrap().unwrap().status, IdeaStatus::Elaborating);
    }
}
