#![doc = include_str!("../README.md")]

mod agent;
mod group;
mod member;
mod notification;
mod project;
mod proposal;
mod session;
mod task;
mod visibility;

use chorus_dispatch::{Surface, TableError, Tool, stages};

/// The surface's name in idempotency keys and in the audit log.
pub const NAME: &str = "console";

/// What only people may do.
pub fn own() -> Vec<Tool> {
    [
        agent::TOOLS,
        group::TOOLS,
        member::TOOLS,
        notification::TOOLS,
        project::TOOLS,
        proposal::TOOLS,
        session::TOOLS,
        task::TOOLS,
        visibility::TOOLS,
    ]
    .concat()
}

/// Everything that a form of the console may call: the tools of Chorus, and what only people may do.
///
/// # Errors
/// [`TableError`] for a table that can't work; a test makes it once.
pub fn surface() -> Result<Surface, TableError> {
    Surface::new(NAME, [chorus_tools::table(), own()].concat(), stages::chorus())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_works_and_its_own_rows_are_told_apart() {
        assert!(surface().is_ok());
        for tool in own() {
            assert!(tool.name.starts_with("console_"), "{}", tool.name);
        }
    }
}
