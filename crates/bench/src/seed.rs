//! The database that is measured: made up, the same for the same seed, and shaped as one that was in use.
//!
//! It is written in the format of `chorus export`, as a release with the migrations named here would, and read by
//! `chorus import`: so it is what the product itself stores, its index for search included, also after later migrations.

mod model;
mod rows;
mod words;

use rand::{Rng as _, SeedableRng as _, rngs::StdRng};
use uuid::Uuid;

pub(crate) use model::{Model, Status};
pub(crate) use rows::write;

/// How large a database is, and which one of that size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// How many tasks.
    pub(crate) tasks: u32,
    /// From which number chance begins.
    pub(crate) seed: u64,
}

/// Agents that call during a measurement. What each of them holds is the same in a database of any size.
pub(crate) const WORKERS: u32 = 16;

/// What kind of thing something is, so that chance is another for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Thing {
    Company,
    User,
    Agent,
    Key,
    Group,
    Project,
    Idea,
    Proposal,
    Draft,
    Document,
    Task,
    Criterion,
    Comment,
    Activity,
    Session,
    Notification,
    Event,
    Audit,
    Query,
}

impl Shape {
    /// The chance of the `n`th of a kind.
    pub(crate) fn chance(self, thing: Thing, n: u32) -> StdRng {
        let part = (thing as u64) << 32 | u64::from(n);
        StdRng::seed_from_u64(self.seed ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The id of the `n`th of a kind, made when it was.
    pub(crate) fn id(self, thing: Thing, n: u32) -> Uuid {
        let chance = self.chance(thing, n).random();
        uuid::Builder::from_unix_timestamp_millis(made_at(n).unsigned_abs() / 1_000, &chance).into_uuid()
    }

    /// What agents could search for: two words that stand together in the title of some task.
    pub(crate) fn query(self, n: u32) -> String {
        let task = self.chance(Thing::Query, n).random_range(0..self.tasks);
        let title = self.title(Thing::Task, task);
        title.split(' ').take(2).collect::<Vec<_>>().join(" ")
    }

    /// The title of the `n`th of a kind.
    pub(crate) fn title(self, thing: Thing, n: u32) -> String {
        let mut rng = self.chance(thing, n);
        let words = rng.random_range(3..8);
        words::sentence(&mut rng, words)
    }
}

/// When the first things were made, in microseconds since 1970: the beginning of 2025.
const BEGINNING: i64 = 1_735_689_600_000_000;

/// When the `n`th of a kind was made, in microseconds since 1970: one every ten seconds.
pub(crate) fn made_at(n: u32) -> i64 {
    BEGINNING + i64::from(n) * 10_000_000
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::*;

    fn written(tasks: u32, seed: u64) -> Vec<u8> {
        let mut out = Vec::new();
        write(&Model::new(Shape { tasks, seed }), &mut out).unwrap();
        out
    }

    #[test]
    fn the_same_seed_makes_the_same_database_and_another_one_another() {
        assert_eq!(written(100, 1), written(100, 1));
        assert_ne!(written(100, 1), written(100, 2));
    }

    #[test]
    fn the_last_line_counts_what_was_written() {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let text = String::from_utf8(written(1_000, 1)).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for row in lines.iter().filter_map(|line| line.get("row")) {
            *counts.entry(row.as_object().unwrap().keys().next().unwrap().clone()).or_default() += 1;
        }
        assert_eq!(counts.get("task"), Some(&1_000));
        assert_eq!(lines.last().unwrap().get("end").unwrap(), &serde_json::to_value(counts).unwrap());
    }

    #[test]
    fn what_workers_hold_is_the_same_in_every_size() {
        let held = |tasks| {
            let model = Model::new(Shape { tasks, seed: 1 });
            let of =
                |worker| [Status::InProgress, Status::Open].map(|status| model.tasks_of_worker(worker, status).count());
            (0..WORKERS).map(of).collect::<Vec<_>>()
        };
        assert_eq!(held(1_000), held(20_000));
    }

    #[test]
    fn ids_are_older_than_any_capture_and_all_different() {
        let shape = Shape { tasks: 1, seed: 1 };
        let ids: std::collections::BTreeSet<_> =
            (0..1_000).flat_map(|n| [shape.id(Thing::Task, n), shape.id(Thing::Idea, n)]).collect();
        assert_eq!(ids.len(), 2_000);
        // A million tasks reach into the year 2025.
        assert!(made_at(1_000_000) < 1_767_225_600_000_000);
    }
}
