//! Standard output and standard error: the only place that writes to them.

use std::{
    collections::BTreeMap,
    io::{self, IsTerminal as _, Write as _},
};

use serde::Serialize;

use crate::failure::Failure;

/// How a command says what it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One JSON document, for programs.
    Json,
}

/// Writes this text to standard output as it is, and makes sure that it is out.
///
/// # Errors
/// Whoever read it is gone, or the disk is full.
pub(crate) fn write(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Failure::refused(format_args!("can't write to standard output: {error}")))
}

/// Writes a line to standard output.
///
/// # Errors
/// As [`write()`].
pub(crate) fn line(text: &str) -> Result<(), Failure> {
    write(&format!("{text}\n"))
}

/// Writes what a command answers: `text` for people, else `value`.
///
/// # Errors
/// As [`write()`].
pub(crate) fn answer(format: Format, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
    match format {
        Format::Text => line(text().trim_end()),
        Format::Json => {
            let json = serde_json::to_string(value)
                .map_err(|error| Failure::refused(format_args!("can't write JSON: {error}")))?;
            line(&json)
        }
    }
}

/// Writes a list: a table for people, else one object that holds the rows under this name.
///
/// # Errors
/// As [`write()`].
pub(crate) fn list<T: Serialize, const N: usize>(
    format: Format,
    (name, rows): (&str, &[T]),
    heading: [&str; N],
    cells: impl Fn(&T) -> [String; N],
) -> Result<(), Failure> {
    answer(format, &BTreeMap::from([(name, rows)]), || table(heading, &rows.iter().map(cells).collect::<Vec<_>>()))
}

/// A cell that may be empty.
pub(crate) fn or_dash(text: Option<&str>) -> String {
    text.unwrap_or("-").to_owned()
}

/// Writes a line to standard error. If that fails too, there is nobody left to tell.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether a person reads standard output.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether a person sees what goes to standard error.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Rows in aligned columns under a heading, two blanks apart.
pub(crate) fn table<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = heading.map(|cell| cell.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in std::iter::once(&heading.map(str::to_owned)).chain(rows) {
        let mut line = String::new();
        for (width, cell) in widths.iter().zip(row) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.chars().count() + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [["admin".to_owned(), "1".to_owned()], ["协作".to_owned(), "22".to_owned()]];
        assert_eq!(table(["NAME", "N"], &rows), "NAME   N\nadmin  1\n协作     22\n");
        assert_eq!(table(["NAME", "N"], &[]), "NAME  N\n");
    }
}
