//! The fifteen permissions, used as a stranger would.
#![expect(clippy::unwrap_used, reason = "tests")]

mod bits;
mod golden;
mod grants;
#[cfg(feature = "serde")]
mod wire;
