//! The store on whichever database was opened.

use async_trait::async_trait;
use chorus_store::{Feed, Reads, Result, Store, Tx};

use crate::{
    open::{DieselStore, Inner, Teller},
    pg, sqlite,
};

#[async_trait]
impl Store for DieselStore {
    async fn read(&self) -> Result<Box<dyn Reads>> {
        Ok(match &self.inner {
            Inner::Postgres(backend, _) => Box::new(backend.read().await?),
            Inner::Sqlite(backend) => Box::new(backend.read().await?),
        })
    }

    async fn begin(&self) -> Result<Box<dyn Tx>> {
        Ok(match &self.inner {
            Inner::Postgres(backend, _) => Box::new(backend.begin().await?),
            Inner::Sqlite(backend) => Box::new(backend.begin().await?),
        })
    }

    async fn ping(&self) -> Result<()> {
        match &self.inner {
            Inner::Postgres(backend, _) => backend.ping().await,
            Inner::Sqlite(backend) => backend.ping().await,
        }
    }

    fn observe(&self) {
        match &self.inner {
            Inner::Postgres(backend, _) => backend.observe(),
            Inner::Sqlite(backend) => backend.observe(),
        }
    }

    async fn feed(&self) -> Box<dyn Feed> {
        match &self.inner {
            Inner::Postgres(_, Teller::Listens(target)) => {
                self.bus.feed(|voice| pg::tell::tell(target.clone(), voice)).await
            }
            Inner::Postgres(backend, Teller::Polls) => {
                self.bus.feed(|voice| pg::poll::tell(backend.clone(), voice)).await
            }
            Inner::Sqlite(backend) => self.bus.feed(|voice| sqlite::tell::tell(backend.clone(), voice)).await,
        }
    }
}
