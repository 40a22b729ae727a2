//! The lifecycles and their rules, used as a stranger would.
#![expect(clippy::unwrap_used, reason = "tests")]

mod criterion;
mod dependency;
mod elaboration;
mod idea;
mod names;
mod notification;
mod proposal;
mod rendered;
mod session;
mod tables;
mod task;
