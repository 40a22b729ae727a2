//! Limits of a page of a list.

/// Rows of a page when the caller names no number (data model specification §4).
pub const DEFAULT_PAGE_SIZE: u32 = 20;

/// Most rows of a page (data model specification §4).
pub const MAX_PAGE_SIZE: u32 = 100;

/// How many rows a page holds: 1 to [`MAX_PAGE_SIZE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageSize(u32); // INVARIANT (page size): 1..=MAX_PAGE_SIZE.

impl PageSize {
    /// The default number of rows.
    pub const DEFAULT: Self = Self(DEFAULT_PAGE_SIZE);
    /// The largest number of rows.
    pub const MAX: Self = Self(MAX_PAGE_SIZE);

    /// `rows` rows, or `None` outside 1..=[`MAX_PAGE_SIZE`]: such a number is refused, never clamped.
    pub const fn new(rows: u32) -> Option<Self> {
        if rows >= 1 && rows <= MAX_PAGE_SIZE { Some(Self(rows)) } else { None }
    }

    /// The number of rows.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl Default for PageSize {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_outside_the_range_are_refused() {
        assert_eq!(PageSize::new(0), None);
        assert_eq!(PageSize::new(1).map(PageSize::get), Some(1));
        assert_eq!(PageSize::new(100).map(PageSize::get), Some(100));
        assert_eq!(PageSize::new(101), None);
    }
}
