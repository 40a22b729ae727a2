//! `chorus db`.

use chorus_store_diesel::{pending, reindex};
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
    /// See whether the database can be reached and is up to date; changes nothing
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
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Checked {
    database: String,
    up_to_date: bool,
    pending: Vec<String>,
}

#[derive(Serialize)]
struct Reindexed {
    database: String,
    indexed: u64,
}

pub(crate) async fn run(place: &Place, command: Command) -> Result<(), Failure> {
    let database = place.url.to_string();
    match command {
        Command::Migrate { format } => {
            let migrated = Migrated { applied: place.migrate().await?, database };
            output::answer(format.format(), &migrated, || match migrated.applied.as_slice() {
                [] => format!("{} is up to date.", migrated.database),
                applied => format!("{} is up to date now: {}.", migrated.database, applied.join(", ")),
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
            let checked = Checked { up_to_date: pending.is_empty(), database, pending };
            output::answer(format.format(), &checked, || match checked.pending.as_slice() {
                [] => format!("{} is up to date.", checked.database),
                pending => format!("{} lacks: {}.", checked.database, pending.join(", ")),
            })?;
            if checked.up_to_date {
                // Beside the schema, the store itself has to answer.
                place.open().await?.store.ping().await?;
                Ok(())
            } else {
                Err(Failure::refused("the database is out of date; `chorus db migrate` brings it up to date"))
            }
        }
    }
}
