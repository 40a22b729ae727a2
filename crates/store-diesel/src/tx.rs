//! A unit as the store's traits see it. Compiled once per backend.

use std::sync::Arc;

use async_trait::async_trait;
use chorus_domain::{Batch, Party, access::Granted, notification::Notification};
use chorus_ids::{ProjectId, Timestamp};
use chorus_store::{Accounts, AuditEntry, Directory, Key, Locked, Operator, Reads, Recall, Report, Result, Roots, Tx};
use serde_json::Value;

use super::{ROW_LOCKS, apply::apply, audit::insert_audit, idempotency, people, unit::Unit};

/// The number of the lock of whoever sets up a database: its name in ASCII.
const SETUP: i64 = i64::from_be_bytes(*b"chorus\0s");

impl Reads for Unit {
    fn directory(&mut self) -> &mut dyn Directory {
        self
    }

    fn operator(&mut self) -> &mut dyn Operator {
        self
    }

    fn accounts(&mut self) -> &mut dyn Accounts {
        self
    }
}

#[async_trait]
impl Tx for Unit {
    async fn recall(&mut self, key: &Key, now: Timestamp) -> Result<Recall> {
        idempotency::recall(self, key, now).await
    }

    async fn remember(&mut self, key: &Key, answer: &Value, projects: &[ProjectId]) -> Result<()> {
        idempotency::remember(self, key, answer, projects).await
    }

    async fn lock(&mut self, roots: &Roots) -> Result<Locked> {
        Self::lock(self, roots).await?;
        Ok(if ROW_LOCKS { Locked::LookAgain } else { Locked::Settled })
    }

    async fn keep(&mut self, parties: &[Party]) -> Result<Vec<Party>> {
        people::keep(self, parties).await
    }

    async fn lock_setup(&mut self) -> Result<()> {
        self.lock_named(vec![SETUP]).await
    }

    async fn apply(&mut self, granted: &Granted, batch: &Batch, notifications: &[Notification]) -> Result<()> {
        apply(self, granted, batch, notifications).await
    }

    fn report_to(&mut self, report: Arc<Report>) {
        self.set_report(report);
    }

    async fn audit(&mut self, entry: &AuditEntry) -> Result<()> {
        let written = insert_audit(self.conn(), entry).await;
        self.checked(written).map(drop)
    }

    async fn commit(self: Box<Self>) -> Result<()> {
        Self::commit(*self).await
    }

    async fn rollback(self: Box<Self>) -> Result<()> {
        Self::rollback(*self).await
    }
}
