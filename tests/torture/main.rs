//! Tests that try to break the server: kills, faults, load, races.
//!
//! A run of all tests takes the short form of each. `just torture` takes the long one (`CHORUS_TORTURE=full`), and tells
//! how far it is. Each test prints its seed, from which all that is random follows except the moments at which things
//! happen; `CHORUS_TORTURE_SEED` repeats one.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod calling;
mod consistency;
mod crash;
mod faults;
mod fleet;
mod load;
mod outage;
mod overload;
mod own_postgres;
mod pooler;
mod scale;
mod sweep;

/// One test per backend: `backends!(name)` makes `sqlite::name` and `postgres::name` of `async fn name(Backend)`.
macro_rules! backends {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                Box::pin(super::$name(chorus_testkit::Backend::Sqlite)).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                Box::pin(super::$name(chorus_testkit::Backend::Postgres)).await;
            })*
        }
    };
}
pub(crate) use backends;
