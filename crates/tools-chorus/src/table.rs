//! The table of Chorus tools.

use chorus_dispatch::{Surface, TableError, Tool, stages};

use crate::tools;

/// The surface's name in idempotency keys and in the audit log.
pub const NAME: &str = "chorus";

/// Every Chorus tool, in the order in which they are listed.
pub fn table() -> Vec<Tool> {
    [
        tools::checkin::TOOLS,
        tools::project::TOOLS,
        tools::group::TOOLS,
        tools::idea::TOOLS,
        tools::elaboration::TOOLS,
        tools::proposal::TOOLS,
        tools::document::TOOLS,
        tools::task::TOOLS,
        tools::task_work::TOOLS,
        tools::comment::TOOLS,
        tools::activity::TOOLS,
    ]
    .concat()
}

/// The Chorus surface: its table with its stages.
///
/// # Errors
/// [`TableError`] for a table that can't work; a test makes it once.
pub fn surface() -> Result<Surface, TableError> {
    Surface::new(NAME, table(), stages::chorus())
}
