#![doc = include_str!("../README.md")]

mod asking;
mod backup;
mod bus;
mod failure;
#[cfg(test)]
mod feed_tests;
mod fragment;
mod loaded;
mod locate;
mod migrate;
mod open;
mod pg;
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
pub use migrate::{migrate, pending, reindex};
pub use open::{DieselStore, Events, OpenError, Options, open};
pub use target::{DatabaseUrl, UrlError};
