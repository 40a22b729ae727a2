//! Which database a command works on, and opening it.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use chorus_app::Services;
use chorus_store_diesel::{DatabaseUrl, Migrated, Options, migrate, open};

use crate::{failure::Failure, shell};

/// The file of the database in the data directory.
const FILE: &str = "chorus.db";

/// Where a command's database and files are.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The database.
    pub(crate) url: DatabaseUrl,
    /// The folder for files.
    pub(crate) data_dir: PathBuf,
    /// How the database was named.
    pub(crate) named: Named,
}

/// How a database was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// By its URL.
    Url,
    /// By its folder.
    DataDir,
    /// Not at all.
    Default,
}

impl Place {
    /// The database at this URL.
    ///
    /// # Errors
    /// The URL names none.
    pub(crate) fn at_url(url: &str, data_dir: PathBuf) -> Result<Self, Failure> {
        let url = DatabaseUrl::parse(url).map_err(Failure::usage)?;
        Ok(Self { url, data_dir, named: Named::Url })
    }

    /// The database in a folder.
    pub(crate) fn in_folder(data_dir: PathBuf, named: Named) -> Self {
        Self { url: DatabaseUrl::sqlite(data_dir.join(FILE)), data_dir, named }
    }

    /// Flags, with a blank before each, that make another command in another terminal work on the same database. A URL
    /// that may hold a password is not repeated.
    pub(crate) fn flags(&self) -> String {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        match (self.named, self.url.sqlite_path()) {
            (Named::Default, _) => String::new(),
            (Named::DataDir, _) => {
                format!(" --data-dir {}", shell::quote(&absolute(&self.data_dir).to_string_lossy()))
            }
            (Named::Url, Some(file)) => {
                let url = format!("sqlite:{}", absolute(file).display());
                format!(" --database-url {}", shell::quote(&url))
            }
            (Named::Url, None) => " --database-url \"$DATABASE_URL\"".to_owned(),
        }
    }

    /// Makes the data directory if it is not there, for its owner only: it will hold hashes and keys.
    ///
    /// # Errors
    /// It can't be made.
    pub(crate) fn prepare(&self) -> Result<(), Failure> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let made: io::Result<()> = builder.create(&self.data_dir);
        made.map_err(|error| {
            Failure::refused(format_args!("can't make the data directory {}: {error}", self.data_dir.display()))
        })
    }

    /// Opens the database as it is.
    ///
    /// # Errors
    /// It is missing, out of date, or can't be reached.
    pub(crate) async fn open(&self) -> Result<Services, Failure> {
        Ok(Services::new(Arc::new(open(&self.url, &Options::default()).await?)))
    }

    /// Opens the database, made and brought up to date if need be.
    ///
    /// # Errors
    /// It can't be reached or migrated.
    pub(crate) async fn open_migrated(&self) -> Result<Services, Failure> {
        self.open_migrated_for(&Options::default()).await
    }

    /// The same, used like this.
    ///
    /// # Errors
    /// As [`Place::open_migrated`].
    pub(crate) async fn open_migrated_for(&self, options: &Options) -> Result<Services, Failure> {
        let migrated = self.migrate().await?;
        if let Some(kept) = migrated.kept {
            tracing::info!(kept = %kept.display(), "the database was migrated; as it was before, it is kept");
        }
        Ok(Services::new(Arc::new(open(&self.url, options).await?)))
    }

    /// Makes the database if need be and brings it up to date; says what was done.
    ///
    /// # Errors
    /// It can't be reached or migrated.
    pub(crate) async fn migrate(&self) -> Result<Migrated, Failure> {
        self.prepare_default()?;
        Ok(migrate(&self.url).await?)
    }

    /// Makes the data directory if the database is in it.
    ///
    /// # Errors
    /// It can't be made.
    pub(crate) fn prepare_default(&self) -> Result<(), Failure> {
        if self.named == Named::Url { Ok(()) } else { self.prepare() }
    }
}
