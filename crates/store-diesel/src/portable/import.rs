//! Reading all rows.

use std::{collections::BTreeMap, io::BufRead};

use serde_json::{Map, Value};

use super::{
    FORMAT, Header, Imported, Line, Progress, VERSION,
    dialect::{Dialect, OWN, Table, import_own, tables},
    link::{self, Link},
};
use crate::{migrate, open::OpenError, target::DatabaseUrl};

/// Rows that one statement inserts at most.
const BATCH_ROWS: usize = 500;

/// Bytes of rows after which a statement is sent.
const BATCH_BYTES: usize = 4 << 20;

/// Why nothing was imported. The database is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The database can't be used.
    #[error(transparent)]
    Database(#[from] OpenError),
    /// It holds something already, in this table.
    #[error("the database is not empty: there are rows in `{0}`; import into a new one")]
    NotEmpty(&'static str),
    /// The file can't be read.
    #[error("the file can't be read: {0}")]
    Read(#[source] std::io::Error),
    /// It is no export.
    #[error("this is no export of Chorus: its first line must be the header that `chorus export` writes")]
    NoExport,
    /// The format is another one.
    #[error("the export has format version {0}, and this program reads version {VERSION}")]
    Version(u32),
    /// The rows are those of a schema that this program does not know.
    #[error(
        "the export was made by another release (its newest migration is {0}, which this program does not have); import \
         it with that release or a newer one"
    )]
    Schema(String),
    /// The rows are those of an older schema than the database has.
    #[error(
        "the export was made by an older release (its newest migration is {0}), and the database has a newer schema \
         already; import into one that has no tables yet"
    )]
    Older(String),
    /// A line is not what it should be.
    #[error("line {line}: {what}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// The last line is missing.
    #[error("the export is cut off after line {0}: its last line, which counts the rows, is missing")]
    CutOff(u64),
    /// The last line counts other rows than the file has.
    #[error("the export is damaged: it should have {expected} rows of `{table}`, and has {found}")]
    Count {
        /// The table.
        table: String,
        /// Rows by the last line.
        expected: u64,
        /// Rows in the file.
        found: u64,
    },
    /// The database refuses rows.
    #[error("lines {first} to {last}: the database refuses a row of `{table}`: {cause}")]
    Refused {
        /// The first line of the rows.
        first: u64,
        /// The last.
        last: u64,
        /// Their table.
        table: &'static str,
        /// What the database says.
        #[source]
        cause: diesel::result::Error,
    },
    /// The database failed.
    #[error("the database failed: {0}")]
    Failed(#[from] diesel::result::Error),
    /// This program failed.
    #[error("importing broke off")]
    BrokeOff,
}

/// Fills an empty database from what [`super::export`] wrote, all or nothing, and makes its index for search. `progress`
/// hears of every statement. A SQLite file is made if it is not there. What an older release exported goes into a database
/// without tables, which gets that release's schema first and is migrated afterwards. Needs the multi-thread runtime.
///
/// # Errors
/// [`ImportError`]; nothing was imported then, except that after an error of the migration or of the index the rows are
/// there: [`crate::migrate`] goes on from there.
pub async fn import<R: BufRead + Send + 'static>(
    url: &DatabaseUrl,
    mut from: R,
    progress: impl FnMut(Progress) + Send + 'static,
) -> Result<Imported, ImportError> {
    let mut first = String::new();
    let (first, from) = tokio::task::spawn_blocking(move || from.read_line(&mut first).map(|_| (first, from)))
        .await
        .map_err(|_| ImportError::BrokeOff)?
        .map_err(ImportError::Read)?;
    let schema = check_header(&first)?;
    migrate::migrate_until(url, schema.len()).await?;
    let known = migrate::known().map_err(|_| ImportError::BrokeOff)?.len();
    if migrate::pending(url).await?.len() + schema.len() < known {
        return Err(ImportError::Older(schema.last().cloned().unwrap_or_default()));
    }
    let opener = link::opener(url.target()).await.map_err(|fault| OpenError::new(url, fault))?;
    let shown = url.clone();
    let work = tokio::task::spawn_blocking(move || {
        let (mut link, dialect) = opener().map_err(|fault| OpenError::new(&shown, fault))?;
        link.run(link::alone(dialect))?;
        let read = read(link.as_mut(), dialect, from, progress);
        match &read {
            Ok(_) => link.run("COMMIT")?,
            // What the transaction wrote goes with the connection, if this can't be said any more.
            Err(_) => drop(link.run("ROLLBACK")),
        }
        read
    });
    let rows = work.await.unwrap_or(Err(ImportError::BrokeOff))?;
    migrate::migrate_until(url, known).await?;
    Ok(Imported { rows, indexed: migrate::reindex(url).await? })
}

/// Rows that wait for their statement.
struct Batch<'l> {
    link: &'l mut dyn Link,
    dialect: Dialect,
    table: Option<Table>,
    /// The columns of its rows.
    columns: Vec<String>,
    rows: Vec<String>,
    bytes: usize,
    /// The line of the first row.
    first: u64,
    /// Children with their parents, which are set once all rows of the table are there.
    own: Vec<String>,
}

fn read(
    link: &mut dyn Link,
    dialect: Dialect,
    from: impl BufRead,
    mut progress: impl FnMut(Progress),
) -> Result<BTreeMap<String, u64>, ImportError> {
    let schema = Schema::read(link, dialect)?;
    for table in schema.tables() {
        if count(link, table)? > 0 {
            return Err(ImportError::NotEmpty(table.name()));
        }
    }
    let mut counts: BTreeMap<String, u64> = schema.tables().map(|table| (table.name().to_owned(), 0)).collect();
    let (mut all, mut last) = (0, 1);
    let mut batch = Batch {
        link,
        dialect,
        table: None,
        columns: Vec::new(),
        rows: Vec::new(),
        bytes: 0,
        first: 2,
        own: Vec::new(),
    };
    let mut expected = None;
    for (number, line) in (2..).zip(from.lines()) {
        let line = line.map_err(ImportError::Read)?;
        let wrong = |what: String| ImportError::Line { line: number, what };
        if expected.is_some() {
            return Err(wrong("nothing may follow the line that counts the rows".to_owned()));
        }
        last = number;
        match serde_json::from_str::<Line<Map<String, Value>>>(&line) {
            Ok(Line::Row(row)) => {
                let (table, row) = schema.known(row).map_err(wrong)?;
                all += 1;
                *counts.entry(table.name().to_owned()).or_default() += 1;
                if batch.add(table, row, number)? {
                    progress(Progress { table: table.name(), rows: all });
                }
            }
            Ok(Line::End(rows)) => expected = Some(rows),
            Ok(Line::Header(_)) => return Err(wrong("a second header".to_owned())),
            Err(error) => return Err(wrong(format!("not a row: {error}"))),
        }
    }
    batch.send(last)?;
    let Some(expected) = expected else { return Err(ImportError::CutOff(last)) };
    for (table, found) in &counts {
        let expected = expected.get(table).copied().unwrap_or_default();
        if expected != *found {
            return Err(ImportError::Count { table: table.clone(), expected, found: *found });
        }
    }
    Ok(counts)
}

/// Reads the first line: the migrations that made the schema of the rows.
fn check_header(line: &str) -> Result<Vec<String>, ImportError> {
    let Ok(Line::Header(Header { format, version, schema })) = serde_json::from_str::<Line<Value>>(line) else {
        return Err(ImportError::NoExport);
    };
    if format != FORMAT {
        return Err(ImportError::NoExport);
    }
    if version != VERSION {
        return Err(ImportError::Version(version));
    }
    let ours = migrate::known().map_err(|_| ImportError::BrokeOff)?;
    if schema.is_empty() || !ours.starts_with(&schema) {
        return Err(ImportError::Schema(schema.last().cloned().unwrap_or_else(|| "none".to_owned())));
    }
    Ok(schema)
}

/// The tables that the database has now, with the columns that a row brings.
struct Schema(Vec<(Table, Vec<String>)>);

impl Schema {
    fn read(link: &mut dyn Link, dialect: Dialect) -> Result<Self, ImportError> {
        let mut found = Vec::new();
        for table in tables() {
            let columns = link.all_lines(&table.stored(dialect))?;
            if !columns.is_empty() {
                found.push((table, columns));
            }
        }
        Ok(Self(found))
    }

    fn tables(&self) -> impl Iterator<Item = Table> + '_ {
        self.0.iter().map(|(table, _)| *table)
    }

    /// The table and the columns of a row, which has to have all of them and no others.
    fn known(&self, row: Map<String, Value>) -> Result<(Table, Map<String, Value>), String> {
        let mut members = row.into_iter();
        let (Some((name, value)), None) = (members.next(), members.next()) else {
            return Err("a row has exactly one member, named after its table".to_owned());
        };
        let table = self.0.iter().find(|(table, _)| table.name() == name);
        let (table, columns) = table.ok_or_else(|| format!("there is no table `{name}`"))?;
        let Value::Object(row) = value else { return Err(format!("a row of `{name}` must be an object")) };
        if let Some(missing) = columns.iter().find(|column| !row.contains_key(*column)) {
            return Err(format!("a row of `{name}` lacks `{missing}`"));
        }
        if let Some(surplus) = row.keys().find(|key| !columns.contains(key)) {
            return Err(format!("`{name}` has no column `{surplus}`"));
        }
        Ok((*table, row))
    }
}

fn count(link: &mut dyn Link, table: Table) -> Result<u64, ImportError> {
    let rows = link.all_lines(&table.count())?;
    Ok(rows.first().and_then(|rows| rows.parse().ok()).unwrap_or(u64::MAX))
}

impl Batch<'_> {
    /// Takes a row in; says whether rows were sent.
    fn add(&mut self, table: Table, row: Map<String, Value>, line: u64) -> Result<bool, ImportError> {
        let other = self.table.is_some_and(|before| before.name() != table.name());
        let full = self.rows.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES;
        let sent = other || full;
        if full && !other {
            self.insert(line - 1)?;
        } else if other {
            self.send(line - 1)?;
        }
        if self.rows.is_empty() {
            self.first = line;
        }
        if other || self.table.is_none() {
            self.columns = row.keys().cloned().collect();
        }
        self.table = Some(table);
        let (own, column) = OWN;
        if table.name() == own && row.get(column).is_some_and(|parent| !parent.is_null()) {
            let kept = |name: &str| row.get(name).cloned().unwrap_or_default();
            let pair = Map::from_iter([("id".to_owned(), kept("id")), (column.to_owned(), kept(column))]);
            self.own.push(Value::Object(pair).to_string());
        }
        let row = Value::Object(row).to_string();
        self.bytes += row.len();
        self.rows.push(row);
        Ok(sent)
    }

    /// Inserts what waits, and ends the table.
    fn send(&mut self, last: u64) -> Result<(), ImportError> {
        self.insert(last)?;
        let (first, table) = (self.first, OWN.0);
        let statement = import_own(self.dialect);
        for pairs in std::mem::take(&mut self.own).chunks(BATCH_ROWS) {
            let set = self.link.put(&statement, &format!("[{}]", pairs.join(",")));
            set.map_err(|cause| ImportError::Refused { first, last, table, cause })?;
        }
        Ok(())
    }

    fn insert(&mut self, last: u64) -> Result<(), ImportError> {
        let Some(table) = self.table.filter(|_| !self.rows.is_empty()) else { return Ok(()) };
        let rows = format!("[{}]", std::mem::take(&mut self.rows).join(","));
        self.bytes = 0;
        let (first, name) = (self.first, table.name());
        let put = self.link.put(&table.import(self.dialect, &self.columns), &rows);
        put.map_err(|cause| ImportError::Refused { first, last, table: name, cause })?;
        Ok(())
    }
}
