//! What the end of tasks means for those that wait for them (README decision 5).

use std::collections::{BTreeMap, BTreeSet};

use chorus_ids::TaskId;

use super::Dependant;

/// How tasks ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// They are done.
    Done,
    /// They were given up: closed or deleted without having been done.
    GivenUp,
}

/// Those who have to be told that tasks ended, each with the ended task that concerns it. `waiting` are the unfinished
/// tasks that wait for one of the ended ones, as they stood before.
///
/// Of a task that is done learns whoever waits for nothing else, once. Of one that was given up learns everybody who
/// waits for it, since the work they counted on will not come.
pub fn concerned<'a>(ending: Ending, ended: &[TaskId], waiting: &'a [Dependant]) -> Vec<&'a Dependant> {
    let ended: BTreeSet<TaskId> = ended.iter().copied().collect();
    let left = || waiting.iter().filter(|dependant| !ended.contains(&dependant.id));
    match ending {
        Ending::GivenUp => left().collect(),
        Ending::Done => {
            let mut by_task: BTreeMap<TaskId, (u32, &Dependant)> = BTreeMap::new();
            for dependant in left() {
                by_task.entry(dependant.id).or_insert((0, dependant)).0 += 1;
            }
            let freed = by_task.into_values().filter(|(resolved, dependant)| dependant.open_prerequisites == *resolved);
            freed.map(|(_, dependant)| dependant).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use chorus_lifecycle::task::TaskStatus;

    use super::{
        super::samples::{COMPANY, OWNER, PROJECT},
        *,
    };
    use crate::Party;

    fn waiting(id: u128, depends_on: u128, open_prerequisites: u32) -> Dependant {
        Dependant {
            id: TaskId::from_u128(id),
            company: COMPANY,
            project: PROJECT,
            title: format!("Task {id}"),
            status: TaskStatus::Open,
            assignee: None,
            created_by: Party::User(OWNER),
            depends_on: TaskId::from_u128(depends_on),
            open_prerequisites,
        }
    }

    fn told(ending: Ending, ended: &[u128], waiting: &[Dependant]) -> Vec<(u128, u128)> {
        let ended: Vec<TaskId> = ended.iter().copied().map(TaskId::from_u128).collect();
        let pair = |d: &Dependant| (d.id.uuid().as_u128(), d.depends_on.uuid().as_u128());
        concerned(ending, &ended, waiting).into_iter().map(pair).collect()
    }

    #[test]
    fn who_waits_for_more_is_not_told_that_one_is_done() {
        let rows = [waiting(10, 1, 1), waiting(11, 1, 2)];
        assert_eq!(told(Ending::Done, &[1], &rows), [(10, 1)]);
    }

    #[test]
    fn who_waited_for_two_that_are_done_together_is_told_once() {
        let rows = [waiting(10, 1, 2), waiting(10, 2, 2), waiting(11, 1, 3), waiting(11, 2, 3)];
        assert_eq!(told(Ending::Done, &[1, 2], &rows), [(10, 1)]);
    }

    #[test]
    fn everybody_learns_of_work_that_will_not_come_but_not_what_ended_with_it() {
        let rows = [waiting(10, 1, 5), waiting(11, 1, 1), waiting(2, 1, 1)];
        assert_eq!(told(Ending::GivenUp, &[1, 2], &rows), [(10, 1), (11, 1)]);
        assert_eq!(told(Ending::Done, &[1, 2], &rows), [(11, 1)]);
    }
}
