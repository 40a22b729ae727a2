//! The store on whichever database was opened.

use async_trait::async_trait;
use chorus_store::{Reads, Result, Store, Tx};

use crate::open::{DieselStore, Inner};

#[async_trait]
impl Store for DieselStore {
    async fn read(&self) -> Result<Box<dyn Reads>> {
        Ok(match &self.0 {
            Inner::Postgres(backend) => Box::new(backend.read().await?),
            Inner::Sqlite(backend) => Box::new(backend.read().await?),
        })
    }

    async fn begin(&self) -> Result<Box<dyn Tx>> {
        Ok(match &self.0 {
            Inner::Postgres(backend) => Box::new(backend.begin().await?),
            Inner::Sqlite(backend) => Box::new(backend.begin().await?),
        })
    }

    async fn ping(&self) -> Result<()> {
        match &self.0 {
            Inner::Postgres(backend) => backend.read().await?.ping().await,
            Inner::Sqlite(backend) => backend.read().await?.ping().await,
        }
    }
}
