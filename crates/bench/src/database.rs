//! Databases that are measured: making, filling and copying them.

use std::{
    fs,
    io::{self, BufWriter},
    path::{Path, PathBuf},
    process::{Output, Stdio},
};

use anyhow::{Context as _, Result, bail};
use tokio_postgres::{Client, NoTls};

use crate::{process, seed};

/// The kinds of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Backend {
    Sqlite,
    Postgres,
}

impl Backend {
    /// What it is called.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// Where databases are made.
pub(crate) struct Place {
    pub(crate) backend: Backend,
    /// The folder of files.
    pub(crate) folder: PathBuf,
    /// A superuser's URL, where the server is one.
    pub(crate) admin: String,
}

/// A database of one measurement. It stays until another one takes its name.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    pub(crate) backend: Backend,
    /// Where it is, as the product is told.
    pub(crate) url: String,
    /// Its file, or its name at the server.
    pub(crate) name: String,
}

impl Place {
    fn database(&self, name: &str) -> Database {
        let (backend, file) = (self.backend, self.folder.join(format!("{name}.db")));
        match backend {
            Backend::Sqlite => {
                let name = file.display().to_string();
                Database { backend, url: format!("sqlite:{name}"), name }
            }
            Backend::Postgres => {
                let name = format!("chorus_bench_{name}");
                Database { backend, url: with_database(&self.admin, &name), name }
            }
        }
    }

    /// A new database of this name, without anything in it.
    ///
    /// # Errors
    /// It can't be made, or what had its name can't be removed.
    pub(crate) async fn empty(&self, name: &str) -> Result<Database> {
        let database = self.database(name);
        self.remove(&database).await?;
        if self.backend == Backend::Postgres {
            self.admin(&format!("CREATE DATABASE {}", database.name)).await?;
        }
        Ok(database)
    }

    /// A copy of a database that nobody uses.
    ///
    /// # Errors
    /// It can't be made.
    pub(crate) async fn copy(&self, of: &Database, name: &str) -> Result<Database> {
        let database = self.database(name);
        self.remove(&database).await?;
        match self.backend {
            Backend::Sqlite => {
                fs::copy(&of.name, &database.name).with_context(|| format!("can't copy {}", of.name))?;
            }
            Backend::Postgres => self.admin(&format!("CREATE DATABASE {} TEMPLATE {}", database.name, of.name)).await?,
        }
        Ok(database)
    }

    /// Removes a database that may be there.
    pub(crate) async fn remove(&self, database: &Database) -> Result<()> {
        if self.backend == Backend::Postgres {
            return self.admin(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", database.name)).await;
        }
        for suffix in ["", "-wal", "-shm"] {
            let path = format!("{}{suffix}", database.name);
            if Path::new(&path).exists() {
                fs::remove_file(&path).with_context(|| format!("can't remove {path}"))?;
            }
        }
        Ok(())
    }

    async fn admin(&self, sql: &str) -> Result<()> {
        connect(&self.admin).await?.batch_execute(sql).await.with_context(|| format!("PostgreSQL refuses: {sql}"))
    }
}

impl Database {
    /// Fills it with what is made up, through the product's own import, and has the product check it.
    ///
    /// # Errors
    /// The product refuses it.
    pub(crate) async fn fill(&self, product: &Path, model: &seed::Model) -> Result<()> {
        let mut command = process::product(product);
        let command = command.as_std_mut().args(["import", "-", "--json", "--database-url", &self.url]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let input = child.stdin.take().context("the import takes no input")?;
        tokio::task::block_in_place(|| {
            // Whether all could be written shows best in what the import says.
            let written = seed::write(model, BufWriter::with_capacity(1 << 20, input));
            finished("import", child.wait_with_output())?;
            written.context("can't write the rows")
        })?;
        if self.backend == Backend::Postgres {
            // What the server would do by itself in time.
            let server = connect(&self.url).await?;
            for tidying in ["VACUUM ANALYZE", "CHECKPOINT"] {
                server.batch_execute(tidying).await.with_context(|| format!("PostgreSQL refuses: {tidying}"))?;
            }
        }
        self.check(product).await
    }

    /// Has the product check it.
    ///
    /// # Errors
    /// Something is wrong with what is stored.
    pub(crate) async fn check(&self, product: &Path) -> Result<()> {
        let mut command = process::product(product);
        command.args(["db", "check", "--database-url", &self.url]);
        finished("db check", command.output().await)
    }
}

fn finished(what: &str, ran: io::Result<Output>) -> Result<()> {
    let ran = ran.with_context(|| format!("can't run `chorus {what}`"))?;
    if ran.status.success() {
        return Ok(());
    }
    let said = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    bail!("`chorus {what}` fails: {said}")
}

/// A connection to PostgreSQL, which ends with the client.
///
/// # Errors
/// The server does not answer.
pub(crate) async fn connect(url: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.context("PostgreSQL does not answer")?;
    tokio::spawn(connection);
    Ok(client)
}

/// The URL with another database in it.
fn with_database(url: &str, name: &str) -> String {
    let (base, query) = url.find('?').map_or((url, ""), |at| url.split_at(at));
    let server = base.rsplit_once('/').map_or(base, |(server, _)| server);
    format!("{server}/{name}{query}")
}

/// The first process of the PostgreSQL server on this machine, whose children do its work; `None` if it is elsewhere.
pub(crate) async fn postmaster(admin: &str) -> Result<Option<u32>> {
    let row =
        connect(admin).await?.query_one("SHOW data_directory", &[]).await.context("PostgreSQL hides its folder")?;
    let folder: String = row.get(0);
    let file = fs::read_to_string(Path::new(&folder).join("postmaster.pid")).unwrap_or_default();
    Ok(file.lines().next().and_then(|line| line.trim().parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_of_a_url_can_be_changed() {
        assert_eq!(with_database("postgres://a@h:1/x?sslmode=disable", "y"), "postgres://a@h:1/y?sslmode=disable");
        assert_eq!(with_database("postgres://a@h:1/x", "y"), "postgres://a@h:1/y");
    }
}
