//! Giving a task to somebody (lifecycle specification §6.2).

use chorus_ids::Timestamp;
use chorus_lifecycle::task::TaskEvent;

use super::{Task, work::apply};
use crate::{Assignment, Party, Refusal};

/// The task in the hands of `to`, whoever held it before. Nothing if that would change nothing.
///
/// # Errors
/// `invalid_state` unless it is open or assigned.
pub fn assign(task: &Task, to: Party, by: Party, now: Timestamp) -> Result<Option<Task>, Refusal> {
    let assigned = apply(task, TaskEvent::Assign, now)?;
    if assigned.status == task.status && task.assignee.is_some_and(|held| held.to == to) {
        return Ok(None);
    }
    Ok(Some(Task { assignee: Some(Assignment { to, at: now, by: Some(by) }), ..assigned }))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use chorus_lifecycle::task::TaskStatus;

    use super::{
        super::samples::{ME, NOW, OTHER, OWNER, task},
        *,
    };
    use crate::Code;

    const MINE: Option<Party> = Some(Party::Agent(ME));
    const BY: Party = Party::User(OWNER);

    #[test]
    fn only_what_nobody_has_begun_is_given_to_somebody() {
        for status in TaskStatus::ALL {
            let given = assign(&task(status, MINE), Party::Agent(OTHER), BY, NOW);
            match status {
                TaskStatus::Open | TaskStatus::Assigned => {
                    let given = given.unwrap().unwrap();
                    assert_eq!((given.status, given.version), (TaskStatus::Assigned, 4), "{status}");
                    let expected = Assignment { to: Party::Agent(OTHER), at: NOW, by: Some(BY) };
                    assert_eq!(given.assignee, Some(expected), "{status}");
                }
                TaskStatus::InProgress | TaskStatus::ToVerify | TaskStatus::Done | TaskStatus::Closed => {
                    let refused = given.unwrap_err();
                    assert_eq!(refused.code, Code::InvalidState, "{status}");
                    assert!(refused.text.contains("`open` or `assigned`"), "{}", refused.text);
                }
            }
        }
    }

    #[test]
    fn giving_it_to_its_holder_changes_nothing() {
        assert_eq!(assign(&task(TaskStatus::Assigned, MINE), Party::Agent(ME), BY, NOW), Ok(None));
        assert!(assign(&task(TaskStatus::Open, None), Party::Agent(ME), BY, NOW).unwrap().is_some());
    }
}
