//! Pages of long lists.

use chorus_ids::PageSize;
use chorus_store::{Page, PageRequest, Start};

use crate::{desk::Desk, form::Form};

/// Rows of a page of a long list.
pub(crate) const ROWS: u32 = 50;

/// Where the reader is in a long list, and where they can go from there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Paging {
    /// The page that is shown, from 1.
    pub(crate) page: u64,
    /// How many there are.
    pub(crate) pages: u64,
    /// The page before, if there is one.
    pub(crate) before: Option<String>,
    /// The page behind.
    pub(crate) behind: Option<String>,
}

/// The number of the page that a request asks for; what is no number is the first.
pub(crate) fn number(query: &Form) -> u32 {
    query.get("page").and_then(|text| text.parse().ok()).filter(|page| (1..=1_000_000).contains(page)).unwrap_or(1)
}

/// The part of a list that a request asks for.
pub(crate) fn request(query: &Form) -> PageRequest {
    nth(number(query))
}

/// This page of a list.
pub(crate) fn nth(page: u32) -> PageRequest {
    PageRequest { start: Start::Page(page), size: PageSize::new(ROWS).unwrap_or_default() }
}

impl Paging {
    /// Of a list that was read in pages of [`ROWS`].
    pub(crate) fn of<T>(desk: &Desk, page: &Page<T>) -> Self {
        Self::new(desk, page.total)
    }

    /// Of a list with so many rows, in pages of [`ROWS`].
    pub(crate) fn new(desk: &Desk, total: u64) -> Self {
        Self::by(desk, total, ROWS)
    }

    /// Of a list with so many rows, in pages of so many.
    pub(crate) fn by(desk: &Desk, total: u64, rows: u32) -> Self {
        let (page, pages) = (u64::from(number(&desk.query)), total.div_ceil(u64::from(rows)).max(1));
        let at = |page: u64| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            for (name, value) in desk.query.fields().filter(|(name, _)| *name != "page") {
                query.append_pair(name, value);
            }
            format!("{}?{}", desk.head.uri.path(), query.append_pair("page", &page.to_string()).finish())
        };
        Self {
            page,
            pages,
            before: (page > 1).then(|| at((page - 1).min(pages))),
            behind: (page < pages).then(|| at(page + 1)),
        }
    }

    /// Whether there is more than one page.
    pub(crate) fn is_needed(&self) -> bool {
        self.before.is_some() || self.behind.is_some()
    }
}
