//! Clients that people use, pinned in `tests/clients/`, against the real server.
//!
//! Each row of the [matrix] is a test: the client goes the same [journey], with a restart of the server in its middle, and
//! what passes is [recorded](record). The page `docs/clients.md` shows the rows.

mod coding_agent;
mod driver;
mod inspector;
mod journey;
mod matrix;
mod page;
pub(crate) mod program;
mod record;
mod refused;
mod rust;
mod script;
