//! `chorus export` and `chorus import`.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader, BufWriter},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use chorus_store_diesel::{ImportError, Progress, export, import};
use serde::Serialize;

use super::{FormatArgs, whole_file::WholeFile};
use crate::{database::Place, failure::Failure, output};

/// How often a person who waits is told how far it is.
const TOLD_EVERY: Duration = Duration::from_secs(1);

/// Flags of `chorus export`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// File to write, or `-` for standard output; only its owner can read it, since it holds hashes of keys and passwords
    file: PathBuf,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// Flags of `chorus import`.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// File that `chorus export` wrote, or `-` for standard input
    file: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Serialize)]
struct Carried {
    database: String,
    file: String,
    rows: u64,
    tables: BTreeMap<String, u64>,
}

/// Writes everything that the database holds, as JSON lines.
pub(crate) async fn write(place: &Place, args: ExportArgs) -> Result<(), Failure> {
    let ExportArgs { file, force, format } = args;
    if is_standard(&file) {
        // Standard output belongs to the rows.
        export(&place.url, BufWriter::new(io::stdout()), teller()).await?;
        return Ok(());
    }
    let fresh = WholeFile::begin(&file, force)?;
    let exported = export(&place.url, BufWriter::new(fresh.writer()?), teller()).await?;
    fresh.finish()?;
    answer(place, &file, exported.rows, format, |carried| {
        format!(
            "Exported {} rows of {} to {}. `chorus import` reads it into an empty database, of either kind.",
            carried.rows, carried.database, carried.file
        )
    })
}

/// Fills an empty database.
pub(crate) async fn read(place: &Place, args: ImportArgs) -> Result<(), Failure> {
    let ImportArgs { file, format } = args;
    let from: Box<dyn io::BufRead + Send> = if is_standard(&file) {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let opened = File::open(&file);
        let cant = |error| Failure::refused(format_args!("can't read {}: {error}", file.display()));
        Box::new(BufReader::new(opened.map_err(cant)?))
    };
    place.prepare_default()?;
    let imported = import(&place.url, from, teller()).await?;
    answer(place, &file, imported.rows, format, |carried| {
        format!("Imported {} rows from {} into {}.", carried.rows, carried.file, carried.database)
    })
}

fn answer(
    place: &Place,
    file: &Path,
    tables: BTreeMap<String, u64>,
    format: FormatArgs,
    text: impl FnOnce(&Carried) -> String,
) -> Result<(), Failure> {
    let (database, file) = (place.url.to_string(), file.display().to_string());
    let carried = Carried { database, file, rows: tables.values().sum(), tables };
    output::answer(format.format(), &carried, || text(&carried))
}

fn is_standard(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Tells a person at the terminal how far it is, now and then.
fn teller() -> impl FnMut(Progress) + Send + 'static {
    let mut told = Instant::now();
    move |progress| {
        if output::is_watched() && told.elapsed() >= TOLD_EVERY {
            told = Instant::now();
            output::note(&progress.to_string());
        }
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        Self::refused(error)
    }
}
