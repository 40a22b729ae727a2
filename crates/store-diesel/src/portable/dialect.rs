//! The SQL that turns a row into JSON and back, made from the declared columns.

use std::fmt::Write as _;

use crate::schema::{Declared, NOT_CARRIED, TABLES};

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

/// All tables that are carried, each behind those that its rows refer to.
pub(super) fn tables() -> impl Iterator<Item = Table> {
    TABLES.iter().filter(|(name, ..)| !NOT_CARRIED.contains(name)).map(Table)
}

/// The only column that refers to its own table. Its rows go in without it first, since a parent may come later.
pub(super) const OWN: (&str, &str) = ("idea", "parent_id");

impl Table {
    pub(super) const fn name(self) -> &'static str {
        self.0.0
    }

    /// What a column holds; text, if this program does not know it any more.
    fn holds(self, column: &str) -> Holds {
        self.0.2.iter().find(|(name, _)| *name == column).map_or(Holds::Text, |(_, kind)| holds(kind))
    }

    /// The names of its columns in the database, in a column `line`, without those that the database computes.
    pub(super) fn stored(self, dialect: Dialect) -> String {
        let name = self.name();
        match dialect {
            Dialect::Sqlite => format!("SELECT name AS line FROM pragma_table_info('{name}')"),
            Dialect::Postgres => format!(
                "SELECT column_name::text AS line FROM information_schema.columns WHERE table_schema = current_schema() \
                 AND table_name = '{name}' AND is_generated = 'NEVER' ORDER BY ordinal_position"
            ),
        }
    }

    /// These columns of every row as a JSON object in a text column `line`, in the order of the key.
    pub(super) fn export(self, dialect: Dialect, columns: &[String]) -> String {
        let mut pairs = String::new();
        for column in columns {
            let value = match dialect {
                Dialect::Sqlite => from_sqlite(column, self.holds(column)),
                Dialect::Postgres => from_postgres(column, self.holds(column)),
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

    /// Inserts the rows of a JSON array that is bound as text, each with these columns.
    pub(super) fn import(self, dialect: Dialect, columns: &[String]) -> String {
        let names = columns.iter().map(String::as_str).filter(|column| (self.name(), *column) != OWN);
        let names: Vec<_> = names.collect();
        let values: Vec<_> = names.iter().map(|column| into(dialect, column, self.holds(column))).collect();
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
    fn a_table_stands_behind_those_that_it_refers_to() {
        let place = |name: &str| tables().position(|table| table.name() == name);
        let mut seen = 0;
        each_line(|table, line| {
            let Some((_, rest)) = line.split_once(" references ") else { return };
            let other = rest.split(' ').next().unwrap();
            if NOT_CARRIED.contains(&table) {
                return;
            }
            assert!(place(other) <= place(table) && place(other).is_some(), "{table} refers to {other}");
            seen += 1;
        });
        assert!(seen > 30, "{seen} references were found");
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
