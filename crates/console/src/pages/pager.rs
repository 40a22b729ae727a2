//! Lists by pages.

use chorus_store::PageRequest;

pub(crate) use crate::paging::ROWS;
use crate::{desk::Desk, paging};

/// Where a page is in its list.
pub(crate) struct Pager {
    pub(crate) number: u64,
    /// The path of the pages before and behind it.
    pub(crate) before: Option<String>,
    pub(crate) behind: Option<String>,
}

impl Pager {
    /// The page that is asked for; the first if none is.
    pub(crate) fn asked(desk: &Desk) -> u32 {
        desk.query.get("page").and_then(|page| page.parse().ok()).unwrap_or(1).clamp(1, 1_000_000)
    }

    /// The rows of a page.
    pub(crate) fn request(page: u32) -> PageRequest {
        paging::nth(page)
    }

    /// `base` is the path with its query, to which the page is added.
    pub(crate) fn new(page: u32, more: bool, base: &str) -> Self {
        let sign = if base.contains('?') { '&' } else { '?' };
        let to = |page: u32| format!("{base}{sign}page={page}");
        Self { number: page.into(), before: (page > 1).then(|| to(page - 1)), behind: more.then(|| to(page + 1)) }
    }
}
