//! The pages of the console, asked for in this process as a browser would: what they show, to whom, and what they cost.
//! What needs a real browser is tested in `tests/browser`.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod account;
mod agents;
mod attack;
mod cost;
mod documents;
mod door;
mod groups;
mod house;
mod ideas;
mod inbox;
mod plot;
mod projects;
mod proposals;
mod sessions;
mod task;
mod tasks;
mod turn;
mod works;

/// One test per backend: `backends!(name)` makes `sqlite::name` and `postgres::name` of `async fn name(Backend)`.
macro_rules! backends {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(chorus_testkit::Backend::Sqlite).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(chorus_testkit::Backend::Postgres).await;
            })*
        }
    };
}
pub(crate) use backends;
