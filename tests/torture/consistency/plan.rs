//! What a client is going to do.

use rand::{Rng as _, rngs::StdRng};

use crate::scale::random;

/// How many tasks a client chooses from at a time.
const WINDOW: usize = 5;

/// What is done to a task by somebody who means to finish it.
const WORK: [Deed; 5] = [Deed::Claim, Deed::Start, Deed::Report, Deed::Submit, Deed::Verify];

/// The steps of one client, in their order.
pub(crate) struct Plan {
    pub(super) steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The number of the task.
    pub(super) task: usize,
    pub(super) deed: Deed,
    /// The number of the server, modulo how many there are.
    pub(super) server: usize,
    pub(super) sent: Sent,
}

/// How often a call is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// Once.
    Once,
    /// Twice at the same time, under one key, to two servers if there are two.
    Twice,
    /// Once, and again under the same key when it has been answered.
    Again,
}

/// What is done to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Read,
    Claim,
    Release,
    /// Given to the agent of this number.
    Assign(usize),
    /// To `in_progress`, by an edit.
    Start,
    Report,
    /// To `to_verify`, by a report.
    ReportSubmit,
    Submit,
    Verify,
    Reopen,
    Close,
    Rename,
    /// Renamed if it is as it was when this client last saw it.
    RenameIfUnchanged,
    /// Made to wait for the task of this number, or not any more.
    Wait(usize),
    WaitNoMore(usize),
    Comment,
}

impl Plan {
    /// What the client of this number does to so many tasks in so many steps.
    pub(crate) fn of(seed: u64, client: usize, clients: usize, steps: usize, tasks: usize) -> Self {
        let mut random = random(seed, client as u64 + 1);
        let window = WINDOW.min(tasks);
        let (mut own, mut done) = (usize::MAX, 0);
        let steps = (0..steps)
            .map(|step| {
                let first = step * tasks.saturating_sub(WINDOW) / steps;
                let other = first + random.random_range(0..window);
                let (task, deed) = if random.random() {
                    // One after the other, so that much is brought to an end.
                    let task = first + client % window;
                    (own, done) = if own == task { (own, done + 1) } else { (task, 0) };
                    (task, WORK[done % WORK.len()])
                } else {
                    (first + random.random_range(0..window), deed(&mut random, clients, other))
                };
                let server = random.random_range(0..64);
                let sent = match random.random_range(0..10) {
                    0 => Sent::Twice,
                    1 => Sent::Again,
                    _ => Sent::Once,
                };
                Step { task, deed, server, sent }
            })
            .collect();
        Self { steps }
    }
}

fn deed(random: &mut StdRng, clients: usize, other: usize) -> Deed {
    match random.random_range(0..100) {
        0..14 => Deed::Read,
        14..34 => Deed::Claim,
        34..38 => Deed::Release,
        38..43 => Deed::Assign(random.random_range(0..clients)),
        43..58 => Deed::Start,
        58..62 => Deed::Report,
        62..66 => Deed::ReportSubmit,
        66..74 => Deed::Submit,
        74..80 => Deed::Verify,
        80..84 => Deed::Reopen,
        84 => Deed::Close,
        85..88 => Deed::Rename,
        88..92 => Deed::RenameIfUnchanged,
        92..94 => Deed::Wait(other),
        94..97 => Deed::WaitNoMore(other),
        _ => Deed::Comment,
    }
}

#[test]
fn a_plan_follows_from_its_seed() {
    let show = |seed, client| format!("{:?}", Plan::of(seed, client, 4, 50, 20).steps);
    assert_eq!(show(1, 0), show(1, 0));
    assert_ne!(show(1, 0), show(1, 1));
    assert_ne!(show(1, 0), show(2, 0));
    assert!(Plan::of(1, 0, 4, 500, 20).steps.iter().all(|step| step.task < 20));
}
