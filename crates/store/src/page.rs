//! Pages of lists that lose no row.

use chorus_ids::{PageSize, Timestamp, Uuid};

/// The place of a row in a list: its sort keys. A list goes on after a place even if that row is gone.
///
/// Every list sorts by (rank, time, id); where one of them plays no part it is the same in every row. Ranks rise. Times
/// and ids fall together in a list that is newest first, and rise together in one that is oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The first sort key, 0 where the list has none.
    pub rank: i16,
    /// The second: when it was made or last changed.
    pub at: Timestamp,
    /// The last, which makes places unique.
    pub id: Uuid,
}

/// Where a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this page, counted from 1.
    Page(u32),
    /// Behind this place.
    After(Position),
}

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Where it begins.
    pub start: Start,
    /// How many rows it has at most.
    pub size: PageSize,
}

impl PageRequest {
    /// The first page of this size.
    pub const fn first(size: PageSize) -> Self {
        Self { start: Start::Page(1), size }
    }

    /// The page of this size behind a place.
    pub const fn after(position: Position, size: PageSize) -> Self {
        Self { start: Start::After(position), size }
    }

    /// Rows to skip, for a start by page number.
    pub const fn offset(&self) -> i64 {
        match self.start {
            Start::Page(page) => (page.saturating_sub(1) as i64) * (self.size.get() as i64),
            Start::After(_) => 0,
        }
    }
}

/// A row of a list with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<T> {
    /// Its place.
    pub at: Position,
    /// What it shows.
    pub item: T,
}

/// A part of a list; empty behind its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The rows, in the list's order.
    pub rows: Vec<Row<T>>,
    /// How many rows the whole list has for this caller, wherever this part of it begins.
    pub total: u64,
    /// Whether rows follow.
    pub more: bool,
}
