//! The SQL that turns a row into JSON and back, made from the declared columns.

use std::fmt::Write as _;

use crate::schema::{Declared, TABLES};

/// Whose SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

/// A table that is carried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table(&'static Declared);

/// What a column holds, as far as JSON is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Text,
    Integer,
    Double,
    Bool,
    Id,
    Time,
    Json,
}

/// All tables, each behind those that its rows refer to.
pub(super) fn tables() -> impl Iterator<Item = Table> {
    TABLES.iter().map(Table)
}

/// The table of this name.
pub(super) fn table(name: &str) -> Option<Table> {
    tables().find(|table| table.name() == name)
}

/// The only column that refers to its own table. Its rows go in without it first, since a parent may come later.
pub(super) const OWN: (&str, &str) = ("idea", "parent_id");

/// Columns that the database computes.
const COMPUTED: &[(&str, &str)] = &[("task", "priority_rank")];

impl Table {
    pub(super) const fn name(self) -> &'static str {
        self.0.0
    }

    /// The names of its columns that are carried.
    pub(super) fn columns(self) -> impl Iterator<Item = &'static str> {
        self.held().map(|(name, _)| name)
    }

    fn held(self) -> impl Iterator<Item = (&'static str, Holds)> {
        let carried = move |column: &str| !COMPUTED.contains(&(self.name(), column));
        self.0.2.iter().filter(move |(name, _)| carried(name)).map(|(name, kind)| (*name, holds(kind)))
    }

    /// Every row as a JSON object in a text column `line`, in the order of the key.
    pub(super) fn export(self, dialect: Dialect) -> String {
        let mut pairs = String::new();
        for (column, holds) in self.held() {
            let value = match dialect {
                Dialect::Sqlite => from_sqlite(column, holds),
                Dialect::Postgres => from_postgres(column, holds),
            };
            let comma = if pairs.is_empty() { "" } else { ", " };
            let _ = write!(pairs, "{comma}'{column}', {value}");
        }
        let line = match dialect {
            Dialect::Sqlite => format!("json_object({pairs})"),
            Dialect::Postgres => format!("json_build_object({pairs})::text"),
        };
        format!("SELECT {line} AS line FROM {} ORDER BY {}", self.name(), self.0.1.join(", "))
    }

    /// Inserts the rows of a JSON array that is bound as text.
    pub(super) fn import(self, dialect: Dialect) -> String {
        let columns: Vec<_> = self.held().filter(|(column, _)| (self.name(), *column) != OWN).collect();
        let names: Vec<_> = columns.iter().map(|(column, _)| *column).collect();
        let values: Vec<_> = columns.iter().map(|(column, holds)| into(dialect, column, *holds)).collect();
        format!(
            "INSERT INTO {} ({}) SELECT {} FROM {}",
            self.name(),
            names.join(", "),
            values.join(", "),
            source(dialect)
        )
    }

    /// How many rows there are, in a column `line`.
    pub(super) fn count(self) -> String {
        format!("SELECT CAST(count(*) AS text) AS line FROM {}", self.name())
    }
}

/// Fills the column that refers to its own table, once all rows are there. Bound like [`Table::import`].
pub(super) fn import_own(dialect: Dialect) -> String {
    let (table, column) = OWN;
    let id = |column| into(dialect, column, Holds::Id);
    format!(
        "UPDATE {table} SET {column} = j.parent FROM (SELECT {} AS child, {} AS parent FROM {}) j \
         WHERE {table}.id = j.child",
        id("id"),
        id(column),
        source(dialect)
    )
}

/// The elements of the bound array, one row each, called `r.value`.
const fn source(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "json_each(?) r",
        Dialect::Postgres => "json_array_elements($1::json) r",
    }
}

/// Reads the declared type.
fn holds(kind: &str) -> Holds {
    let kind = kind.trim_start_matches("Nullable").trim_matches(|c: char| !c.is_alphanumeric());
    match kind {
        "Uid" => Holds::Id,
        "Stamp" => Holds::Time,
        "Json" => Holds::Json,
        "Bool" => Holds::Bool,
        "Double" => Holds::Double,
        "Integer" | "SmallInt" | "BigInt" => Holds::Integer,
        _ => Holds::Text,
    }
}

fn from_sqlite(column: &str, holds: Holds) -> String {
    match holds {
        Holds::Text | Holds::Integer | Holds::Time => column.to_owned(),
        Holds::Json => format!("json({column})"),
        Holds::Bool => format!("json(iif({column}, 'true', 'false'))"),
        // Of itself it would write 15 digits, and another number would come back.
        Holds::Double => format!("json(iif({column} IS NULL, 'null', printf('%!.17g', {column})))"),
        Holds::Id => {
            let part = |from: u8, length: u8| format!("substr(hex({column}), {from}, {length})");
            let parts = [part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)];
            format!("iif({column} IS NULL, NULL, lower({}))", parts.join(" || '-' || "))
        }
    }
}

fn from_postgres(column: &str, holds: Holds) -> String {
    match holds {
        Holds::Text | Holds::Integer | Holds::Bool | Holds::Double | Holds::Id | Holds::Json => column.to_owned(),
        Holds::Time => format!("(extract(epoch FROM {column}) * 1000000)::bigint"),
    }
}

/// A member of `r.value` as a value of the column.
fn into(dialect: Dialect, column: &str, holds: Holds) -> String {
    let text = format!("(r.value ->> '{column}')");
    match (dialect, holds) {
        (_, Holds::Text) | (Dialect::Sqlite, Holds::Integer | Holds::Time | Holds::Bool | Holds::Double) => text,
        (Dialect::Sqlite, Holds::Id) => format!("unhex(replace({text}, '-', ''))"),
        (Dialect::Sqlite, Holds::Json) => format!("nullif(r.value -> '{column}', 'null')"),
        (Dialect::Postgres, Holds::Id) => format!("{text}::uuid"),
        (Dialect::Postgres, Holds::Integer) => format!("{text}::bigint"),
        (Dialect::Postgres, Holds::Double) => format!("{text}::double precision"),
        (Dialect::Postgres, Holds::Bool) => format!("{text}::boolean"),
        (Dialect::Postgres, Holds::Time) => {
            format!("timestamptz 'epoch' + {text}::bigint * interval '1 microsecond'")
        }
        (Dialect::Postgres, Holds::Json) => format!("nullif((r.value -> '{column}')::jsonb, 'null'::jsonb)"),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::fs;

    use super::*;

    #[test]
    fn every_declared_type_is_read() {
        for (kind, expected) in [
            ("Uid", Holds::Id),
            ("Nullable<Uid>", Holds::Id),
            ("Nullable < Stamp >", Holds::Time),
            ("Json", Holds::Json),
            ("Nullable<Double>", Holds::Double),
            ("SmallInt", Holds::Integer),
            ("BigInt", Holds::Integer),
            ("Bool", Holds::Bool),
            ("Label", Holds::Text),
            ("Nullable<Text>", Holds::Text),
        ] {
            assert_eq!(holds(kind), expected, "{kind}");
        }
    }

    #[test]
    fn what_the_database_computes_is_known() {
        let mut computed = Vec::new();
        each_line(|table, line| {
            if line.contains("generated always as") && super::table(table).is_some() {
                computed.push((table.to_owned(), line.split(' ').next().unwrap().to_owned()));
            }
        });
        let known: Vec<_> = COMPUTED.iter().map(|(table, column)| (table.to_string(), column.to_string())).collect();
        assert_eq!(computed, known);
    }

    /// Gives each line of the migrations to `see`, with the table that is made there.
    fn each_line(mut see: impl FnMut(&str, &str)) {
        for folder in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/postgres")).unwrap() {
            let text = fs::read_to_string(folder.unwrap().path().join("up.sql")).unwrap();
            let mut table = "";
            for line in text.lines().map(str::trim) {
                match line.strip_prefix("create table ") {
                    Some(rest) => table = rest.trim_end_matches(" ("),
                    None => see(table, line),
                }
            }
        }
    }

    #[test]
    fn only_one_column_refers_to_its_own_table() {
        // A second one would have to be filled in afterwards too.
        let mut own = Vec::new();
        each_line(|table, line| {
            if line.contains(&format!("references {table} (")) {
                let column = line.split_once("foreign key (").unwrap().1.split_once(')').unwrap().0;
                own.push((table.to_owned(), column.to_owned()));
            }
        });
        assert_eq!(own, [(OWN.0.to_owned(), OWN.1.to_owned())]);
    }
}
