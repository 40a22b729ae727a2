//! Writing all rows.

use std::{collections::BTreeMap, io::Write, ops::ControlFlow};

use serde_json::value::RawValue;

use super::{
    Exported, FORMAT, Header, Line, Progress, VERSION,
    dialect::{Dialect, tables},
    link::{self, Link},
};
use crate::{
    migrate::{self, BoxError},
    open::{Fault, OpenError},
    target::DatabaseUrl,
};

/// A row on its way out: the object is the database's own text.
type Row = BTreeMap<&'static str, Box<RawValue>>;

/// Writes every row of a database to `to`, as it was at one moment; servers may go on working. `progress` hears of every
/// thousandth row.
///
/// # Errors
/// [`OpenError`] if the database is missing, can't be reached or is not up to date, or `to` can't be written.
pub async fn export<W: Write + Send + 'static>(
    url: &DatabaseUrl,
    to: W,
    progress: impl FnMut(Progress) + Send + 'static,
) -> Result<Exported, OpenError> {
    let fail = |fault| OpenError::new(url, fault);
    let missing = migrate::pending(url).await?;
    if !missing.is_empty() {
        return Err(fail(Fault::Outdated(missing.len())));
    }
    let opener = link::opener(url.target()).await.map_err(fail)?;
    let work = tokio::task::spawn_blocking(move || {
        let (mut link, dialect) = opener()?;
        write(link.as_mut(), dialect, to, progress).map_err(Fault::Export)
    });
    work.await.unwrap_or_else(|error| Err(Fault::Export(error.into()))).map_err(fail)
}

fn write(
    link: &mut dyn Link,
    dialect: Dialect,
    mut to: impl Write,
    mut progress: impl FnMut(Progress),
) -> Result<Exported, BoxError> {
    let header = Header { format: FORMAT.to_owned(), version: VERSION, schema: migrate::known()? };
    line(&mut to, &Line::Header(header))?;
    link.run(link::snapshot(dialect))?;
    let (mut counts, mut all) = (BTreeMap::new(), 0);
    for table in tables() {
        let columns = link.all_lines(&table.stored(dialect))?;
        let (mut count, mut failed) = (0, None);
        link.lines(&table.export(dialect, &columns), &mut |row| {
            let written = RawValue::from_string(row)
                .map_err(BoxError::from)
                .and_then(|row| line(&mut to, &Line::Row(Row::from([(table.name(), row)]))));
            if let Err(error) = written {
                failed = Some(error);
                return ControlFlow::Break(());
            }
            count += 1;
            all += 1;
            if all % 1_000 == 0 {
                progress(Progress { table: table.name(), rows: all });
            }
            ControlFlow::Continue(())
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        counts.insert(table.name().to_owned(), count);
    }
    link.run("COMMIT")?;
    line(&mut to, &Line::End(counts.clone()))?;
    to.flush()?;
    Ok(Exported { rows: counts })
}

fn line(to: &mut impl Write, line: &Line<Row>) -> Result<(), BoxError> {
    serde_json::to_writer(&mut *to, line)?;
    to.write_all(b"\n")?;
    Ok(())
}
