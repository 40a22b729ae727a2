//! Files that are there only when they are whole.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// A file for its owner only, which gets its name in the end and is gone if that never comes.
#[derive(Debug)]
pub(crate) struct WholeFile {
    fresh: NamedTempFile,
    file: PathBuf,
    force: bool,
}

impl WholeFile {
    /// Begins a file that will be called `file`; with `force` it may take the place of another.
    ///
    /// # Errors
    /// The name is taken, or nothing can be written there.
    pub(crate) fn begin(file: &Path, force: bool) -> Result<Self, Failure> {
        if file.is_dir() {
            return Err(Failure::refused(format_args!("{} is a folder; name a file in it", file.display())));
        }
        if !force && fs::symlink_metadata(file).is_ok() {
            return Err(taken(file));
        }
        let fresh = tempfile::Builder::new().prefix(".chorus-").tempfile_in(folder(file));
        let fresh = fresh.map_err(|error| cant(file, &error))?;
        Ok(Self { fresh, file: file.to_owned(), force })
    }

    /// Where it is until it has its name.
    pub(crate) fn path(&self) -> &Path {
        self.fresh.path()
    }

    /// Another handle to write to it.
    ///
    /// # Errors
    /// The system has none to give.
    pub(crate) fn writer(&self) -> Result<File, Failure> {
        self.fresh.reopen().map_err(|error| cant(&self.file, &error))
    }

    /// Makes it last and gives it its name; says how many bytes it has.
    ///
    /// # Errors
    /// The disk refuses, or somebody else took the name meanwhile.
    pub(crate) fn finish(self) -> Result<u64, Failure> {
        let Self { fresh, file, force } = self;
        let failed = |error: &io::Error| cant(&file, error);
        fresh.as_file().sync_all().map_err(|error| failed(&error))?;
        if force {
            fresh.persist(&file).map_err(|error| failed(&error.error))?;
        } else {
            fresh.persist_noclobber(&file).map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => taken(&file),
                _ => failed(&error.error),
            })?;
        }
        // The name has to last too. Not every system can do this for a folder.
        #[cfg(unix)]
        File::open(folder(&file)).and_then(|folder| folder.sync_all()).map_err(|error| failed(&error))?;
        Ok(fs::metadata(&file).map_err(|error| failed(&error))?.len())
    }
}

fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn taken(file: &Path) -> Failure {
    Failure::refused(format_args!("{} exists already; name another file, or replace it with --force", file.display()))
}

fn cant(file: &Path, error: &io::Error) -> Failure {
    Failure::refused(format_args!("can't write {}: {error}", file.display()))
}
