//! End-to-end and structure tests.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod cli;
mod cli_accounts;
mod cli_backup;
mod cli_carry;
mod cli_library;
mod cli_login;
mod cli_operator;
mod cli_people;
mod cli_project;
mod clients;
mod conformance;
mod field;
mod first_run;
mod fuzz;
mod gates;
mod http;
mod http_load;
mod idempotency;
mod journey;
mod leaving;
mod live;
mod metrics;
mod narrowing;
mod offers;
mod protocol;
mod races;
mod statements;
mod swarm;
mod table;
mod tidy;
mod tools;
mod trials;

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
