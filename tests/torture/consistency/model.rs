//! What may be seen and refused: the lifecycle's own table, and who may make its moves, by hand.

use std::{collections::BTreeMap, time::Duration};

use chorus_lifecycle::task::{TASK, TaskEvent, TaskStatus};

use super::{
    Field,
    history::{Done, History},
    plan::Deed,
};

/// A task at one of its versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    status: TaskStatus,
    /// The number of the agent that holds it.
    holder: Option<usize>,
}

/// What a task was, version by version.
struct Line<'h> {
    /// From version 1.
    states: Vec<State>,
    /// Calls that saw or made a version: the version, and the call.
    seen: Vec<(i64, &'h Done)>,
}

/// Passes if the history of each task is one that the rules allow.
pub(super) async fn check(field: &Field, history: &History) {
    for task in 0..field.tasks.len() {
        let calls: Vec<&Done> = history.calls.iter().filter(|done| done.task == task).collect();
        let line = Line::of(field, &calls);
        line.check_order();
        line.check_reads(field);
        for done in &calls {
            if let Err((code, details)) = &done.said {
                line.check_refusal(done, code, details);
            }
        }
        let only = serde_json::json!({ "taskUuid": field.tasks[task] });
        let read = field.client(0, 0).call("chorus_get_task", only).await.ok();
        assert_eq!(read["version"], line.states.len(), "a version that nobody asked for: {read}");
        assert_eq!(read["status"], line.states.last().unwrap().status.as_str());
    }
}

impl<'h> Line<'h> {
    /// Replays the changes of a task in the order of their versions.
    fn of(field: &Field, calls: &[&'h Done]) -> Self {
        let mut seen = Vec::new();
        let mut writes = BTreeMap::<i64, Vec<&Done>>::new();
        for done in calls {
            let Some(version) = done.said.as_ref().ok().and_then(|answer| answer["version"].as_i64()) else { continue };
            seen.push((version, *done));
            if done.deed.writes() {
                writes.entry(version).or_default().push(done);
            }
        }
        let mut states = vec![State { status: TASK.initial, holder: None }];
        for (version, writers) in writes {
            let before = *states.last().unwrap();
            if version == states.len() as i64 {
                // The version was there: these changed nothing.
                assert!(writers.iter().all(|done| done.deed.may_change_nothing()), "{version}: {writers:?}");
                continue;
            }
            assert_eq!(version, states.len() as i64 + 1, "a version that nobody made, before {writers:?}");
            let (changing, idle): (Vec<&Done>, Vec<&Done>) =
                writers.iter().copied().partition(|done| !done.deed.may_change_nothing());
            let made = match (changing.as_slice(), idle.as_slice()) {
                ([made], _) => *made,
                ([], [first, rest @ ..]) => {
                    // Whichever it was, the others found it done.
                    rest.iter().find(|done| Self::of_assignment(done)).copied().unwrap_or(first)
                }
                _ => panic!("two calls made version {version}: {writers:?}"),
            };
            let after = after(before, made).unwrap_or_else(|code| panic!("{code}, but {before:?} became {made:?}"));
            if let Some(expected) = made.expected {
                assert_eq!(version, expected + 1, "{made:?} named another version");
            }
            check_answer(field, after, made);
            states.push(after);
        }
        Self { states, seen }
    }

    const fn of_assignment(done: &Done) -> bool {
        matches!(done.deed, Deed::Assign(_))
    }

    /// Passes if no call saw less than what had been seen before it began.
    fn check_order(&self) {
        let mut calls: Vec<(i64, &Done)> = self.seen.clone();
        calls.sort_by_key(|(_, done)| done.ended);
        let mut newest = Vec::with_capacity(calls.len());
        let mut most = 0;
        for (version, done) in &calls {
            most = most.max(*version);
            newest.push((done.ended, most));
        }
        for (version, done) in &calls {
            let before = newest.partition_point(|(ended, _)| *ended < done.began);
            let known = before.checked_sub(1).map_or(1, |last| newest[last].1);
            let least = if done.deed.writes() && !done.deed.may_change_nothing() { known + 1 } else { known };
            assert!(*version >= least, "{done:?} saw version {version} although {known} had been seen before");
        }
    }

    /// Passes if what was read is what was there at that version.
    fn check_reads(&self, field: &Field) {
        for (version, done) in &self.seen {
            let state = self.states.get(*version as usize - 1);
            let state = *state.unwrap_or_else(|| panic!("{done:?} saw a version that nobody made"));
            check_answer(field, state, done);
            if done.deed == Deed::Report {
                assert_eq!(state.holder, Some(done.client), "{done:?} is somebody else's");
            }
        }
    }

    /// The versions that were there at some moment of a call.
    fn during(&self, began: Duration, ended: Duration) -> std::ops::RangeInclusive<i64> {
        let before = self.seen.iter().filter(|(_, done)| done.ended < began).map(|(version, _)| *version).max();
        // A change that began later is not there yet; what is only read may have been there long.
        let later = self.seen.iter().filter(|(_, done)| done.began > ended && done.deed.writes());
        let later = later.filter(|(_, done)| !done.deed.may_change_nothing()).map(|(version, _)| *version - 1).min();
        before.unwrap_or(1)..=later.unwrap_or(self.states.len() as i64)
    }

    fn check_refusal(&self, done: &Done, code: &str, details: &serde_json::Value) {
        let possible = self.during(done.began, done.ended);
        let mut states = possible.clone().map(|version| (version, self.states[version as usize - 1]));
        let right = match (done.deed, code) {
            // What hangs on other tasks is held against the whole database afterwards.
            (Deed::Start | Deed::Reopen, "blocked_by_dependencies") => {
                states.any(|(_, state)| after(state, done).is_ok())
            }
            (Deed::Wait(_), "blocked_by_dependencies") => {
                states.any(|(_, state)| matches!(state.status, TaskStatus::InProgress | TaskStatus::ToVerify))
            }
            (Deed::Wait(other), "cycle" | "invalid_arguments") => code == "cycle" || other == done.task,
            (Deed::RenameIfUnchanged, "precondition_failed") => {
                let current = details["currentVersion"].as_i64().unwrap();
                possible.contains(&current) && Some(current) != done.expected
            }
            _ => states.any(|(_, state)| after(state, done) == Err(code)),
        };
        assert!(
            right,
            "{code} to {done:?}, but it was {:?}",
            &self.states[*possible.start() as usize - 1..*possible.end() as usize]
        );
    }
}

/// Holds status and holder of an answer against what they have to be.
fn check_answer(field: &Field, state: State, done: &Done) {
    let Ok(answer) = &done.said else { return };
    assert_eq!(answer["status"], state.status.as_str(), "{done:?}");
    if let Some(assignee) = answer.get("assignee") {
        let holder = state.holder.map(|holder| field.agents[holder].0.as_str());
        assert_eq!(assignee["uuid"].as_str(), holder, "{done:?}");
    }
}

/// What a call makes of a task, or why not.
fn after(state: State, done: &Done) -> Result<State, &'static str> {
    let me = Some(done.client);
    let go = |event: TaskEvent, refusal| {
        let moved = TASK.apply(state.status, event).map_err(|_| refusal)?;
        Ok(State { status: moved, ..state })
    };
    let mine = || if state.holder == me { Ok(()) } else { Err("not_assignee") };
    let resume_or_start = match state.status {
        TaskStatus::ToVerify => TaskEvent::Resume,
        _ => TaskEvent::Start,
    };
    match done.deed {
        Deed::Claim if state.holder.is_some() => Err("already_claimed"),
        Deed::Claim => Ok(State { holder: me, ..go(TaskEvent::Claim, "invalid_state")? }),
        Deed::Release if state.holder.is_none() => Err("not_claimed"),
        Deed::Release => mine().and_then(|()| Ok(State { holder: None, ..go(TaskEvent::Release, "invalid_state")? })),
        Deed::Assign(agent) => Ok(State { holder: Some(agent), ..go(TaskEvent::Assign, "invalid_state")? }),
        Deed::Start => mine().and_then(|()| go(resume_or_start, "invalid_transition")),
        Deed::Report => mine().map(|()| state),
        Deed::ReportSubmit => mine().and_then(|()| go(TaskEvent::Submit, "invalid_transition")),
        Deed::Submit => mine().and_then(|()| go(TaskEvent::Submit, "invalid_state")),
        Deed::Verify => go(TaskEvent::Verify, "invalid_state"),
        Deed::Reopen => go(TaskEvent::Reopen, "invalid_state"),
        Deed::Close => go(TaskEvent::Close, "invalid_state"),
        Deed::Read | Deed::Rename | Deed::RenameIfUnchanged | Deed::Wait(_) | Deed::WaitNoMore(_) | Deed::Comment => {
            Ok(state)
        }
    }
}

impl Deed {
    /// Whether it makes a version of its task.
    const fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::Report | Self::Comment)
    }

    /// Whether it can find done what it asks for.
    const fn may_change_nothing(self) -> bool {
        matches!(self, Self::Assign(_) | Self::Wait(_) | Self::WaitNoMore(_))
    }
}
