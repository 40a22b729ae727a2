//! What only the database tells: rows that no tool reads.

use chorus_domain::Kind;
use chorus_ids::Uuid;

use crate::{Backend, Database};

/// A change event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventRow {
    /// The kind of entity.
    pub entity: Kind,
    /// Which one.
    pub id: Uuid,
    /// Its number among the entity's events, from 1.
    pub seq: i64,
    /// What happened: `created`, `updated` or `deleted`.
    pub change: &'static str,
}

impl Database {
    /// Every change event, by entity and number.
    ///
    /// # Panics
    /// If they can't be read.
    pub async fn events(&self) -> Vec<EventRow> {
        let id = match self.backend() {
            Backend::Sqlite => "lower(hex(entity_id))",
            Backend::Postgres => "entity_id",
        };
        let query = format!("SELECT entity_type || ' ' || {id} || ' ' || seq || ' ' || action AS line FROM event");
        let mut events: Vec<EventRow> = self.lines(&query).await.iter().map(|line| read(line)).collect();
        events.sort_unstable();
        events
    }

    /// The protected logs of all groups, entry by entry as they are stored, oldest first.
    ///
    /// # Panics
    /// If they can't be read.
    pub async fn group_logs(&self) -> Vec<String> {
        let query = "SELECT content AS line FROM comment WHERE target_type = 'project_group' ORDER BY created_at, id";
        self.lines(query).await
    }

    /// Who did what by the audit log, as `SUBJECT VIA OPERATION`, sorted.
    ///
    /// # Panics
    /// If it can't be read.
    pub async fn audit(&self) -> Vec<String> {
        let query = "SELECT subject_type || ' ' || via || ' ' || operation AS line FROM audit";
        let mut lines = self.lines(query).await;
        lines.sort_unstable();
        lines
    }
}

fn read(line: &str) -> EventRow {
    let words: Vec<&str> = line.split(' ').collect();
    let [entity, id, seq, change] = words.as_slice() else { panic!("{line}") };
    let change = ["created", "updated", "deleted"].into_iter().find(|known| known == change).unwrap();
    EventRow { entity: Kind::parse(entity).unwrap(), id: id.parse().unwrap(), seq: seq.parse().unwrap(), change }
}
