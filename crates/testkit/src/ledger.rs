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

    /// Keeps everybody from writing to a table of a PostgreSQL database for so long, beginning when this returns. What is
    /// returned ends with the wait.
    ///
    /// # Panics
    /// If the table can't be locked.
    pub async fn hold(&self, table: &'static str, long: std::time::Duration) -> tokio::task::JoinHandle<()> {
        let url = self.url().to_owned();
        let held = tokio::spawn(async move {
            let seconds = long.as_secs_f64();
            let hold = format!("DO $$ BEGIN LOCK TABLE {table} IN EXCLUSIVE MODE; PERFORM pg_sleep({seconds}); END $$");
            chorus_store_diesel::testing::run_on_postgres(&url, &hold).await;
        });
        let locked = format!(
            "SELECT mode AS line FROM pg_locks WHERE relation = '{table}'::regclass AND mode = 'ExclusiveLock' AND granted"
        );
        while self.lines(&locked).await.is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        held
    }

    /// Ends every connection to a PostgreSQL database but this one, once there are some.
    ///
    /// # Panics
    /// If they can't be ended.
    pub async fn end_connections(&self) {
        let end = "SELECT pg_terminate_backend(pid)::text AS line FROM pg_stat_activity \
                   WHERE datname = current_database() AND pid <> pg_backend_pid()";
        while self.lines(end).await.is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }

    /// Lists a migration as applied that no version of the program knows yet.
    ///
    /// # Panics
    /// If the list can't be written.
    pub async fn list_newer_migration(&self) {
        let insert = "INSERT INTO __diesel_schema_migrations (version) VALUES ('9999') RETURNING version AS line";
        assert_eq!(self.lines(insert).await, ["9999"]);
    }

    /// Takes the newest migration off the list of those applied, though it is; says its version.
    ///
    /// # Panics
    /// If the list can't be written.
    pub async fn unlist_newest_migration(&self) -> String {
        let delete = "DELETE FROM __diesel_schema_migrations \
                      WHERE version = (SELECT max(version) FROM __diesel_schema_migrations) RETURNING version AS line";
        self.lines(delete).await.remove(0)
    }

    /// Lists a migration as applied again.
    ///
    /// # Panics
    /// As [`Database::unlist_newest_migration`].
    pub async fn list_migration(&self, version: &str) {
        let insert = "INSERT INTO __diesel_schema_migrations (version) VALUES";
        let listed = self.lines(&format!("{insert} ('{version}') RETURNING version AS line")).await;
        assert_eq!(listed, [version]);
    }

    /// Who was mentioned where, as `SOURCE MENTIONED by ACTOR`, kinds and ids, sorted.
    ///
    /// # Panics
    /// If they can't be read.
    pub async fn mentions(&self) -> Vec<String> {
        let id = |column: &str| match self.backend() {
            Backend::Sqlite => format!("lower(hex({column}))"),
            Backend::Postgres => format!("replace({column}::text, '-', '')"),
        };
        let party = |name: &str| format!("{name}_type || ' ' || {}", id(&format!("{name}_id")));
        let query = format!(
            "SELECT {} || ' ' || {} || ' by ' || {} AS line FROM mention",
            party("source"),
            party("mentioned"),
            party("actor")
        );
        let mut lines = self.lines(&query).await;
        lines.sort_unstable();
        lines
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
