//! Asking for what must not be seen.

use std::io::{self, IsTerminal as _};

use crate::failure::Failure;

/// What a person types at the terminal, which does not show it.
///
/// # Errors
/// There is no terminal (`instead` says what to do then), or nothing can be read from it.
pub(crate) fn ask(prompt: &str, instead: &str) -> Result<String, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(format_args!("there is no terminal to ask at; {instead}")));
    }
    rpassword::prompt_password(prompt)
        .map_err(|error| Failure::usage(format_args!("can't read what was typed: {error}")))
}
