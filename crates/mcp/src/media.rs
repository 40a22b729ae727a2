//! Media types: what a request is in, and what its answer may be in (protocol checklist §1.2 step 3, §2.3).

use crate::head::trim;
use crate::reply::Encoding;

/// Whether `content_type` is `application/json`, parameters and case ignored.
pub(crate) fn is_json(content_type: Option<&str>) -> bool {
    content_type.is_some_and(|value| essence(value).eq_ignore_ascii_case("application/json"))
}

/// The encoding for a client that sent this `Accept`: JSON wherever it is acceptable, since proxies buffer streams;
/// `None` if neither JSON nor an event stream is.
///
/// The specification wants clients to list both, but hand-written clients and proxies list one or none. A missing or
/// empty header accepts everything.
pub(crate) fn encoding(accept: Option<&str>) -> Option<Encoding> {
    let ranges = ranges(accept);
    if ranges.is_empty() || acceptable(&ranges, "application", "json") {
        Some(Encoding::Json)
    } else if acceptable(&ranges, "text", "event-stream") {
        Some(Encoding::Sse)
    } else {
        None
    }
}

/// Whether a client that sent this `Accept` takes an event stream.
pub(crate) fn admits_events(accept: Option<&str>) -> bool {
    let ranges = ranges(accept);
    ranges.is_empty() || acceptable(&ranges, "text", "event-stream")
}

fn ranges(accept: Option<&str>) -> Vec<Range<'_>> {
    accept.unwrap_or_default().split(',').filter(|item| !trim(item).is_empty()).map(Range::read).collect()
}

/// Whether the most specific range that covers the type admits it.
fn acceptable(ranges: &[Range<'_>], kind: &str, subtype: &str) -> bool {
    ranges
        .iter()
        .filter_map(|range| Some((range.specificity(kind, subtype)?, range.weight)))
        .max_by_key(|&(specificity, _)| specificity)
        .is_some_and(|(_, weight)| weight == Weight::Wanted)
}

/// One item of an `Accept` header.
struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    weight: Weight,
}

/// A quality value, of which only zero matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    Wanted,
    Excluded,
}

impl<'a> Range<'a> {
    fn read(item: &'a str) -> Self {
        let (kind, subtype) = essence(item).split_once('/').unwrap_or((essence(item), ""));
        let excluded = item.split(';').skip(1).any(|parameter| {
            parameter.split_once('=').is_some_and(|(name, value)| {
                trim(name).eq_ignore_ascii_case("q") && trim(value).parse::<f32>().is_ok_and(|quality| quality == 0.0)
            })
        });
        Self { kind, subtype, weight: if excluded { Weight::Excluded } else { Weight::Wanted } }
    }

    /// How closely this range names the type; `None` if it does not cover it.
    fn specificity(&self, kind: &str, subtype: &str) -> Option<u8> {
        if self.kind == "*" && self.subtype == "*" {
            Some(0)
        } else if !self.kind.eq_ignore_ascii_case(kind) {
            None
        } else if self.subtype == "*" {
            Some(1)
        } else {
            self.subtype.eq_ignore_ascii_case(subtype).then_some(2)
        }
    }
}

/// A media type or range without its parameters.
fn essence(value: &str) -> &str {
    trim(value.split(';').next().unwrap_or_default())
}
