//! The page of the documentation that carries what was measured.

use std::{fs, path::Path};

use anyhow::{Context as _, Result};

const BEGIN: &str = "<!-- measured: what follows is written by `just bench --write-docs` -->\n";
const END: &str = "<!-- measured: end -->\n";

/// Puts tables into a page, instead of those that are there.
///
/// # Errors
/// The page has no place for them, or can't be written.
pub(crate) fn write(page: &Path, tables: &str) -> Result<()> {
    let text = fs::read_to_string(page).with_context(|| format!("can't read {}", page.display()))?;
    let text = replaced(&text, tables).with_context(|| format!("{} has no marks for the tables", page.display()))?;
    fs::write(page, text).with_context(|| format!("can't write {}", page.display()))
}

fn replaced(page: &str, tables: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{tables}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let page = format!("# Title\n{BEGIN}old\n{END}\nText\n");
        let once = replaced(&page, "new").unwrap();
        assert_eq!(once, format!("# Title\n{BEGIN}\nnew\n{END}\nText\n"));
        assert_eq!(replaced(&once, "new").unwrap(), once);
        assert_eq!(replaced("# Title\n", "new"), None);
    }
}
