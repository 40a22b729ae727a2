//! Lists from which hidden things are taken out.

/// What remains of a list once the things its reader can't see are removed (visibility specification §5): they are
/// counted and never named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<T> {
    /// What the reader sees, in the order of the whole list.
    pub visible: Vec<T>,
    /// How many are hidden.
    pub hidden: u32,
}

impl<T> Redacted<T> {
    /// Splits rows that carry whether their reader sees them, as a store selects them.
    pub fn from_rows(rows: impl IntoIterator<Item = (T, bool)>) -> Self {
        let mut redacted = Self::default();
        for (item, seen) in rows {
            if seen {
                redacted.visible.push(item);
            } else {
                redacted.hidden = redacted.hidden.saturating_add(1);
            }
        }
        redacted
    }

    /// Whether the whole list is empty, hidden things included.
    pub const fn is_empty(&self) -> bool {
        self.visible.is_empty() && self.hidden == 0
    }
}

impl<T> Default for Redacted<T> {
    fn default() -> Self {
        Self { visible: Vec::new(), hidden: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_rows_are_counted_and_the_rest_keeps_its_order() {
        let redacted = Redacted::from_rows([("c", true), ("x", false), ("a", true), ("y", false), ("b", true)]);
        assert_eq!(redacted, Redacted { visible: vec!["c", "a", "b"], hidden: 2 });
    }

    #[test]
    fn a_list_of_hidden_rows_only_is_not_empty() {
        assert!(!Redacted::from_rows([((), false)]).is_empty());
        assert!(Redacted::<u8>::from_rows([]).is_empty());
    }
}
