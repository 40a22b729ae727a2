//! Accounts on both databases, with a clock that a test moves.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod attacks;
mod links;
mod sessions;
mod sign_in;
mod site;

/// Makes a test of each function on each database.
macro_rules! both {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(crate::site::Site::sqlite().await).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(crate::site::Site::postgres().await).await;
            })+
        }
    };
}
pub(crate) use both;
