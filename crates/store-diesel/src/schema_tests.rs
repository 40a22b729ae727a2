//! The two migrated databases and the tables in the code are the same.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use diesel::{QueryableByName, sql_types::Text};

use crate::{
    pg,
    schema::{Declared, TABLES},
    sqlite,
    testing::TestDb,
};

/// One statement about a schema per line, in words that both databases share.
type Facts = BTreeSet<String>;

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// Runs statements that select one text called `line`.
macro_rules! lines {
    ($database:ident, $backend:expr, $sql:expr) => {{
        use $database::RunQueryDsl as _;
        let mut unit = $backend.read().await.unwrap();
        let rows: Vec<Line> = diesel::sql_query($sql).load(unit.conn()).await.unwrap();
        rows.into_iter().map(|row| row.line).collect::<Vec<_>>()
    }};
}

/// Columns as `table.column type nullability`, the type being the backend's own.
async fn columns_of_postgres(backend: &pg::pool::Backend) -> Facts {
    let sql = "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || is_generated \
               AS line FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE '\\_\\_%' \
               AND table_name NOT LIKE 'search\\_%'";
    lines!(pg, backend, sql).into_iter().collect()
}

async fn columns_of_sqlite(backend: &sqlite::pool::Backend) -> Facts {
    let sql = "SELECT t.name || '.' || c.name || ' ' || lower(c.type) || ' ' || iif(c.\"notnull\", 'NO', 'YES') || ' ' || \
               iif(c.hidden = 3, 'ALWAYS', 'NEVER') AS line FROM pragma_table_list t, pragma_table_xinfo(t.name) c \
               WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name NOT LIKE '\\_\\_%' ESCAPE '\\' \
               AND t.name NOT LIKE 'search\\_%' ESCAPE '\\'";
    lines!(sqlite, backend, sql).into_iter().collect()
}

/// What the code says about columns, in the words of one database.
fn columns_of_the_code(spell: fn(&str) -> &'static str) -> Facts {
    let mut facts = Facts::new();
    for (table, _, columns) in TABLES {
        for (column, kind) in *columns {
            let (kind, null) = match kind.strip_prefix("Nullable<").and_then(|kind| kind.strip_suffix('>')) {
                Some(kind) => (kind, "YES"),
                None => (*kind, "NO"),
            };
            let generated = if *column == "priority_rank" { "ALWAYS" } else { "NEVER" };
            facts.insert(format!("{table}.{column} {} {null} {generated}", spell(kind)));
        }
    }
    facts
}

fn on_postgres(kind: &str) -> &'static str {
    match kind {
        "Uid" => "uuid",
        "Stamp" => "timestamp with time zone",
        "Json" => "jsonb",
        "Text" | "Label" => "text",
        "Bool" => "boolean",
        "SmallInt" => "smallint",
        "Integer" => "integer",
        "BigInt" => "bigint",
        "Double" => "double precision",
        _ => "a type that this test does not know",
    }
}

fn on_sqlite(kind: &str) -> &'static str {
    match kind {
        "Uid" => "blob",
        "Json" | "Text" | "Label" => "text",
        "Stamp" | "Bool" | "SmallInt" | "Integer" | "BigInt" => "integer",
        "Double" => "real",
        _ => "a type that this test does not know",
    }
}

/// Keys, unique constraints, foreign keys and indexes.
async fn structure_of_postgres(backend: &pg::pool::Backend) -> Facts {
    let names = "(SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(c.conkey) WITH ORDINALITY k(col, n) \
                 JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.col)";
    let sql = format!(
        "SELECT CASE c.contype WHEN 'p' THEN 'key ' || c.conrelid::regclass || ' (' || {names} || ')' \
         WHEN 'u' THEN 'unique ' || c.conrelid::regclass || ' (' || {names} || ')' \
         ELSE 'foreign ' || c.conrelid::regclass || '.' || {names} || ' to ' || c.confrelid::regclass || ' ' || \
         CASE c.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'r' THEN 'RESTRICT' WHEN 'n' THEN 'SET NULL' ELSE 'NO ACTION' END \
         END AS line FROM pg_constraint c WHERE c.contype IN ('p', 'u', 'f') AND c.connamespace = 'public'::regnamespace \
         AND c.conrelid::regclass::text NOT LIKE '\\_\\_%' AND c.conrelid::regclass::text NOT LIKE 'search\\_%'"
    );
    let mut facts: Facts = lines!(pg, backend, sql).into_iter().collect();
    let sql = "SELECT 'index ' || i.indexrelid::regclass || ' on ' || i.indrelid::regclass || ' (' || \
               (SELECT string_agg(replace(pg_get_indexdef(i.indexrelid, k::int, true), '\"', '') || CASE WHEN i.indoption[k - 1] & 1 = 1 \
               THEN ' desc' ELSE '' END, ', ' ORDER BY k) FROM generate_series(1, i.indnatts) k) || ')' || \
               CASE WHEN i.indpred IS NULL THEN '' ELSE ' partial' END AS line FROM pg_index i \
               JOIN pg_class r ON r.oid = i.indrelid WHERE r.relnamespace = 'public'::regnamespace \
               AND r.relname NOT LIKE 'search\\_%' \
               AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid)";
    facts.extend(lines!(pg, backend, sql));
    facts
}

async fn structure_of_sqlite(backend: &sqlite::pool::Backend) -> Facts {
    let tables = "(SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
                  AND name NOT LIKE '\\_\\_%' ESCAPE '\\' AND name NOT LIKE 'search\\_%' ESCAPE '\\') t";
    let names = "(SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))";
    let described = "(SELECT group_concat(name || iif(\"desc\", ' desc', ''), ', ') FROM (SELECT name, \"desc\" FROM \
                     pragma_index_xinfo(i.name) WHERE key ORDER BY seqno))";
    let mut facts = Facts::new();
    for sql in [
        format!(
            "SELECT 'key ' || t.name || ' (' || (SELECT group_concat(name, ', ') FROM (SELECT name FROM \
             pragma_table_xinfo(t.name) WHERE pk > 0 ORDER BY pk)) || ')' AS line FROM {tables}"
        ),
        format!(
            "SELECT 'unique ' || t.name || ' (' || {names} || ')' AS line FROM {tables}, pragma_index_list(t.name) i \
             WHERE i.origin = 'u'"
        ),
        format!(
            "SELECT 'foreign ' || t.name || '.' || f.\"from\" || ' to ' || f.\"table\" || ' ' || f.on_delete AS line \
             FROM {tables}, pragma_foreign_key_list(t.name) f"
        ),
        format!(
            "SELECT 'index ' || i.name || ' on ' || t.name || ' (' || {described} || ')' || iif(i.partial, ' partial', '') \
             AS line FROM {tables}, pragma_index_list(t.name) i WHERE i.origin = 'c'"
        ),
    ] {
        facts.extend(lines!(sqlite, backend, sql));
    }
    facts
}

fn check(left: &Facts, right: &Facts) {
    let only: (Vec<_>, Vec<_>) = (left.difference(right).collect(), right.difference(left).collect());
    assert!(only.0.is_empty() && only.1.is_empty(), "only left: {:#?}\nonly right: {:#?}", only.0, only.1);
}

async fn databases() -> (TestDb, pg::pool::Backend, TestDb, sqlite::pool::Backend) {
    let (left, right) = (TestDb::postgres().await, TestDb::sqlite().await);
    let (one, two) = (pg::harness::backend(left.url()), sqlite::harness::backend(right.url()));
    (left, one, right, two)
}

#[tokio::test(flavor = "multi_thread")]
async fn both_databases_have_the_columns_that_the_code_declares() {
    let (_left, postgres, _right, sqlite) = databases().await;
    check(&columns_of_postgres(&postgres).await, &columns_of_the_code(on_postgres));
    check(&columns_of_sqlite(&sqlite).await, &columns_of_the_code(on_sqlite));
}

#[tokio::test(flavor = "multi_thread")]
async fn both_databases_have_the_same_keys_and_indexes() {
    let (_left, postgres, _right, sqlite) = databases().await;
    let structure = structure_of_postgres(&postgres).await;
    check(&structure, &structure_of_sqlite(&sqlite).await);
    let keys: Facts = structure.into_iter().filter(|fact| fact.starts_with("key ")).collect();
    let declared = |(table, key, _): &Declared| format!("key {table} ({})", key.join(", "));
    check(&keys, &TABLES.iter().map(declared).collect());
}

/// The index of words differs by nature: PostgreSQL keeps it in columns of its entries, SQLite in a table of its own.
/// What it stands on is the same.
#[tokio::test(flavor = "multi_thread")]
async fn both_databases_index_the_same_words() {
    let (_left, postgres, _right, sqlite) = databases().await;
    let columns = "SELECT column_name || ' ' || is_nullable AS line FROM information_schema.columns \
                   WHERE table_schema = 'public' AND table_name = 'search_entry'";
    let mut left: Facts = lines!(pg, postgres, columns).into_iter().collect();
    let columns = "SELECT name || ' ' || iif(\"notnull\", 'NO', 'YES') AS line FROM pragma_table_info('search_entry')";
    let mut right: Facts = lines!(sqlite, sqlite, columns).into_iter().collect();
    for own in ["title_words NO", "all_words NO"] {
        assert!(left.remove(own), "{own}");
    }
    assert!(right.remove("seq NO"));
    check(&left, &right);
    let names = ["entity_id NO", "entity_type NO", "place_id NO", "title NO", "body NO"];
    assert_eq!(left, names.map(str::to_owned).into());

    let triggers = "SELECT DISTINCT trigger_name || ' ' || event_object_table || ' ' || action_timing || ' ' || \
                    event_manipulation AS line FROM information_schema.triggers WHERE trigger_schema = 'public'";
    let mut left: Facts = lines!(pg, postgres, triggers).into_iter().collect();
    // On SQLite nobody has to be told.
    assert!(left.remove("event_told event AFTER INSERT"));
    let triggers = "SELECT name || ' ' || tbl_name || ' AFTER ' || iif(sql LIKE '%after delete on%', 'DELETE', 'UPDATE') \
                    AS line FROM sqlite_schema WHERE type = 'trigger' AND tbl_name NOT LIKE 'search%'";
    let right: Facts = lines!(sqlite, sqlite, triggers).into_iter().collect();
    assert_eq!(left.len(), 10, "six kinds go, four move: {left:?}");
    check(&left, &right);

    let indexes = "SELECT indexname AS line FROM pg_indexes WHERE tablename = 'search_entry' AND indexdef LIKE '%gin%'";
    let left: Facts = lines!(pg, postgres, indexes).into_iter().collect();
    assert_eq!(left, ["search_entry_all_words_idx", "search_entry_title_words_idx"].map(str::to_owned).into());
}

/// Name and text of each check constraint of a migration.
fn checks(sql: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for line in sql.lines() {
        let line = line.trim().trim_end_matches(',');
        if let Some((name, text)) = line.strip_prefix("constraint ").and_then(|rest| rest.split_once(" check ")) {
            found.insert(name.to_owned(), text.to_owned());
        }
    }
    found
}

const POSTGRES: &str = concat!(
    include_str!("../migrations/postgres/0001_init/up.sql"),
    include_str!("../migrations/postgres/0002_search/up.sql"),
    include_str!("../migrations/postgres/0006_accounts/up.sql"),
);
const SQLITE: &str = concat!(
    include_str!("../migrations/sqlite/0001_init/up.sql"),
    include_str!("../migrations/sqlite/0002_search/up.sql"),
    include_str!("../migrations/sqlite/0006_accounts/up.sql"),
);

/// SQLite has more of them, where PostgreSQL has types; JSON is asked about in other words.
#[test]
fn both_migrations_check_the_same() {
    let (postgres, sqlite) = (checks(POSTGRES), checks(SQLITE));
    assert!(postgres.len() > 100, "{}", postgres.len());
    for (name, text) in &postgres {
        let same = text.replace("jsonb_typeof", "json_type");
        assert_eq!(sqlite.get(name), Some(&same), "{name}");
    }
    for (name, text) in sqlite.iter().filter(|(name, _)| !postgres.contains_key(*name)) {
        let stands_for_a_type = text.starts_with("(length(") && text.ends_with("= 16)")
            || text.ends_with(" in (0, 1))")
            || text.starts_with("(json_valid(");
        assert!(stands_for_a_type, "{name} {text}");
    }
}

/// The words that a column takes are those that the code writes.
#[test]
fn vocabularies_in_checks_are_those_of_the_code() {
    use chorus_domain::{Kind, account::LinkKind};
    use chorus_lifecycle::{
        criterion as c, document as d, elaboration as e, idea as i, proposal as p, session as s, task as t,
    };
    use chorus_visibility::{Role, Visibility};
    let checks = checks(POSTGRES);
    let check = |columns: &[&str], words: &[&str]| {
        let words: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
        for name in columns {
            let column = checks.get(&format!("{name}_check")).unwrap();
            let list = column.rsplit_once(" in (").unwrap().1.trim_end_matches("))");
            let sorted = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
            let declared = sorted(list.split(", ").collect());
            assert_eq!(declared, sorted(words.iter().map(String::as_str).collect()), "{name}");
        }
    };
    check(&["task_status"], &t::TaskStatus::NAMES);
    check(&["task_priority", "task_draft_priority"], &t::Priority::NAMES);
    check(&["idea_status"], &i::IdeaStatus::NAMES);
    check(&["idea_elaboration_status"], &i::ElaborationStatus::NAMES);
    check(&["idea_elaboration_depth"], &i::Depth::NAMES);
    check(&["proposal_status"], &p::ProposalStatus::NAMES);
    check(&["proposal_input_type"], &p::InputType::NAMES);
    check(&["document_kind", "document_draft_kind"], &d::DocumentType::NAMES);
    check(&["elaboration_round_status"], &e::RoundStatus::NAMES);
    check(&["elaboration_question_category"], &e::Category::NAMES);
    check(&["acceptance_criterion_status", "acceptance_criterion_dev_status"], &c::Mark::NAMES);
    check(&["agent_session_status"], &s::SessionStatus::NAMES);
    check(&["one_time_link_kind"], &LinkKind::ALL.map(LinkKind::as_str));
    check(&["project_visibility", "project_group_visibility"], &Visibility::ALL.map(Visibility::as_str));
    check(&["project_member_role", "group_member_role"], &Role::ALL.map(Role::as_str));
    check(&["search_entry_entity_type"], &chorus_domain::search::SEARCHED.map(Kind::as_str));
    check(&["activity_target_type", "event_entity_type", "notification_entity_type"], &Kind::ALL.map(Kind::as_str));
}
