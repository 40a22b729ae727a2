//! `chorus backup`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use chorus_store_diesel::backup;
use serde::Serialize;

use super::{FormatArgs, whole_file::WholeFile};
use crate::{database::Place, failure::Failure, output};

/// Flags of `chorus backup`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File to write; only its owner can read it, since it holds hashes of keys and passwords
    file: PathBuf,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Serialize)]
struct Copied {
    database: String,
    file: String,
    bytes: u64,
}

/// Copies the database into a temporary file beside the wanted one, which takes its name once it is whole.
pub(crate) async fn run(place: &Place, args: Args) -> Result<(), Failure> {
    let Args { file, force, format } = args;
    let Some(source) = place.url.sqlite_path() else {
        return Err(Failure::refused(format_args!(
            "{} is a PostgreSQL database, and `chorus backup` copies SQLite files; use pg_dump, which also may run while \
             the server does: pg_dump --format=custom --file={} \"$DATABASE_URL\"",
            place.url,
            crate::shell::quote(&file.to_string_lossy())
        )));
    };
    let shown = file.display();
    if is_part_of(source, &file) {
        return Err(Failure::refused(format_args!("{shown} is the database itself; name another file")));
    }
    let fresh = WholeFile::begin(&file, force)?;
    backup(&place.url, fresh.path()).await?;
    let bytes = fresh.finish()?;
    let copied = Copied { database: place.url.to_string(), file: shown.to_string(), bytes };
    output::answer(format.format(), &copied, || {
        format!(
            "Copied {} to {}, {} bytes. To restore, stop the server and put the copy in the place of the database; its \
             -wal and -shm files, if there are any, have to go.",
            copied.database, copied.file, copied.bytes
        )
    })
}

/// Whether writing to `file` would damage the database.
fn is_part_of(database: &Path, file: &Path) -> bool {
    let whole = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let target = whole(file);
    let database = whole(database);
    let beside = |ending: &str| {
        let mut name = database.clone().into_os_string();
        name.push(ending);
        PathBuf::from(name)
    };
    target == database || ["-wal", "-shm", "-journal"].into_iter().any(|ending| target == beside(ending))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_database_and_its_side_files_are_known_by_any_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["chorus.db", "chorus.db-wal", "other.db"] {
            fs::write(path(name), "").unwrap();
        }
        for (file, expected) in [
            ("chorus.db", true),
            ("./chorus.db", true),
            ("chorus.db-wal", true),
            ("other.db", false),
            ("new.db", false),
        ] {
            assert_eq!(is_part_of(&path("chorus.db"), &path(file)), expected, "{file}");
        }
    }
}
