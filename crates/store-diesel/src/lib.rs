#![doc = include_str!("../README.md")]

mod asking;
mod backup;
mod bus;
mod failure;
#[cfg(test)]
mod feed_tests;
mod fragment;
mod integrity;
mod loaded;
mod locate;
mod meter;
mod migrate;
mod open;
mod outage;
mod pg;
mod portable;
mod schema;
#[cfg(test)]
mod schema_tests;
mod sqlite;
mod store;
mod stored;
mod target;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tls;
mod types;
mod visible;
mod watch;

pub use backup::backup;
pub use integrity::damage;
pub use meter::METRICS;
#[cfg(test)]
pub(crate) use migrate::migrate_until;
pub use migrate::{Migrated, migrate, pending, reindex};
pub use open::{DieselStore, Events, OpenError, Options, open};
pub use portable::{Exported, ImportError, Imported, Progress, export, import};
pub use target::{DatabaseUrl, UrlError};
