//! Fresh databases.

use std::sync::Arc;

use chorus_app::Services;
use chorus_store::Store;
use chorus_store_diesel::testing::{Statements, TestDb};

/// The kinds of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// A file in a temporary folder.
    Sqlite,
    /// A database on the server of the tests.
    Postgres,
}

impl Backend {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Sqlite, Self::Postgres];
}

/// A database of one test. Dropping it removes it.
pub struct Database {
    db: TestDb,
    backend: Backend,
}

impl Database {
    /// A migrated one without rows.
    pub async fn fresh(backend: Backend) -> Self {
        let db = match backend {
            Backend::Sqlite => TestDb::sqlite().await,
            Backend::Postgres => TestDb::postgres().await,
        };
        Self { db, backend }
    }

    /// A migrated one without rows on another PostgreSQL server than that of the tests, named by a superuser's URL.
    pub async fn on_server(admin: &str) -> Self {
        Self { db: TestDb::postgres_on(admin).await, backend: Backend::Postgres }
    }

    /// One that nothing was ever done to.
    pub async fn untouched(backend: Backend) -> Self {
        let db = match backend {
            Backend::Sqlite => TestDb::empty_sqlite(),
            Backend::Postgres => TestDb::empty_postgres().await,
        };
        Self { db, backend }
    }

    /// Takes the newest migration back, as if this were a database of the release before it; says its version.
    ///
    /// # Panics
    /// If that fails.
    pub async fn revert(&self) -> String {
        self.db.revert().await
    }

    /// Of which kind it is.
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// Where it is, for a process to be started.
    pub fn url(&self) -> &str {
        self.db.url_text()
    }

    /// A store on it, with connections of its own.
    pub async fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.db.open().await)
    }

    /// A store on it whose statements are watched, with the machine's clock and random ids.
    pub async fn watched(&self) -> (Services, Statements) {
        let (store, watch) = self.db.open_watched().await;
        (Services::new(Arc::new(store)), watch)
    }

    /// The same with the machine's clock and random ids.
    pub async fn services(&self) -> Services {
        Services::new(self.store().await)
    }

    /// Every row of it, as an export writes it: what is nowhere in it is not stored.
    ///
    /// # Panics
    /// If it can't be exported.
    pub async fn exported(&self) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        let url = self.url().parse().unwrap();
        chorus_store_diesel::export(&url, file.reopen().unwrap(), |_| ()).await.unwrap();
        std::fs::read_to_string(file.path()).unwrap()
    }

    /// The column `line` of what a query finds, for what no read of the store tells.
    ///
    /// # Panics
    /// If the query fails.
    pub async fn lines(&self, query: &str) -> Vec<String> {
        self.db.lines(query).await
    }
}
