//! `chorus db`.

use std::fmt;

use chorus_store::Contradiction;
use chorus_store_diesel::{damage, pending, reindex};
use clap::Subcommand;
use serde::Serialize;

use super::FormatArgs;
use crate::{database::Place, failure::Failure, output};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make the database if need be and bring it up to date; `chorus serve` does that by itself
    Migrate {
        #[command(flatten)]
        format: FormatArgs,
    },
    /// See whether the database can be reached, is whole and up to date and holds no contradictions; changes nothing
    ///
    /// Reads the whole database. Safe while the server runs.
    Check {
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Make the index for search anew, if a search misses something; the server may run meanwhile
    Reindex {
        #[command(flatten)]
        format: FormatArgs,
    },
}

#[derive(Serialize)]
struct Migrated {
    database: String,
    applied: Vec<String>,
    /// The SQLite file as it was before.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Checked {
    database: String,
    up_to_date: bool,
    pending: Vec<String>,
    /// What is broken on its disk.
    damage: Vec<String>,
    contradictions: Vec<Broken>,
}

#[derive(Serialize)]
struct Reindexed {
    database: String,
    indexed: u64,
}

/// A rule that rows break.
#[derive(Serialize)]
struct Broken {
    rule: &'static str,
    kind: String,
    uuid: String,
}

/// Most rows that are named for each broken rule.
const NAMED: u32 = 20;

pub(crate) async fn run(place: &Place, command: Command) -> Result<(), Failure> {
    let database = place.url.to_string();
    match command {
        Command::Migrate { format } => {
            let done = place.migrate().await?;
            let kept = done.kept.map(|kept| kept.display().to_string());
            let migrated = Migrated { applied: done.applied, kept, database };
            output::answer(format.format(), &migrated, || match migrated.applied.as_slice() {
                [] => format!("{} is up to date.", migrated.database),
                applied => {
                    let kept = migrated.kept.as_ref().map(|kept| format!(" As it was before, it is kept in {kept}."));
                    let (database, applied) = (&migrated.database, applied.join(", "));
                    format!("{database} is up to date now: {applied}.{}", kept.unwrap_or_default())
                }
            })
        }
        Command::Reindex { format } => {
            let reindexed = Reindexed { indexed: reindex(&place.url).await?, database };
            output::answer(format.format(), &reindexed, || {
                format!("{}: the index is new; entries: {}.", reindexed.database, reindexed.indexed)
            })
        }
        Command::Check { format } => {
            let pending = pending(&place.url).await?;
            let damage = damage(&place.url).await?;
            let readable = pending.is_empty() && damage.is_empty();
            let contradictions = if readable { contradictions(place).await? } else { Vec::new() };
            let checked = Checked { up_to_date: pending.is_empty(), database, pending, damage, contradictions };
            output::answer(format.format(), &checked, || checked.to_string())?;
            match checked {
                Checked { damage, .. } if !damage.is_empty() => {
                    Err(Failure::refused("the database is damaged; restore a backup"))
                }
                Checked { up_to_date: false, .. } => {
                    Err(Failure::refused("the database is out of date; `chorus db migrate` brings it up to date"))
                }
                Checked { contradictions, .. } if !contradictions.is_empty() => {
                    Err(Failure::refused("the database contradicts itself; restore a backup, or report what is listed"))
                }
                Checked { .. } => Ok(()),
            }
        }
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.damage.is_empty() {
            write!(f, "{} is damaged:", self.database)?;
            return self.damage.iter().try_for_each(|one| write!(f, "\n{one}"));
        }
        match self.pending.as_slice() {
            [] => write!(f, "{} is up to date", self.database)?,
            pending => return write!(f, "{} lacks: {}.", self.database, pending.join(", ")),
        }
        match self.contradictions.as_slice() {
            [] => f.write_str(" and sound."),
            broken => {
                f.write_str(", but:")?;
                broken.iter().try_for_each(|one| write!(f, "\n{} {}: {}", one.kind, one.uuid, one.rule))
            }
        }
    }
}

async fn contradictions(place: &Place) -> Result<Vec<Broken>, Failure> {
    let services = place.open().await?;
    let mut reads = services.store.read().await?;
    let found = reads.operator().contradictions(NAMED).await?;
    let named = |broken: Contradiction| Broken { rule: broken.rule, kind: broken.kind, uuid: broken.id.to_string() };
    Ok(found.into_iter().map(named).collect())
}
