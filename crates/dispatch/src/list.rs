//! Lists that lose no row (README decision 9).

use chorus_domain::{Code, Refusal};
use chorus_ids::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, PageSize};
use chorus_store::{Page, PageRequest, Row, Start};
use serde_json::{Map, Value, json};

use crate::{cursor::Binding, tool::ListShape};

/// Most bytes of a list's answer, serialised once.
pub const MAX_LIST_BYTES: usize = 65_536;

/// What the members beside the rows take at most: counts, keys and a cursor.
const ENVELOPE_BYTES: usize = 256;

/// Which part of a list a call asks for.
#[derive(Clone, Copy, Debug)]
pub struct Paging {
    /// As the store wants it.
    pub request: PageRequest,
    /// The page number to report.
    page: u32,
    /// The page size to report.
    reported_size: u32,
    /// Bounded lists count their candidates only.
    bound: Option<u32>,
}

impl Paging {
    /// Reads the paging arguments; the schema has bounded them.
    ///
    /// # Errors
    /// `invalid_arguments` for a cursor that is not of this list.
    pub fn read(arguments: &Map<String, Value>, shape: ListShape, binding: &Binding) -> Result<Self, Refusal> {
        let number = |name: &str, default: u32| {
            arguments.get(name).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).unwrap_or(default)
        };
        let (size, reported_size, bound) = match shape {
            ListShape::Paged => {
                let size = PageSize::new(number("pageSize", DEFAULT_PAGE_SIZE)).unwrap_or_default();
                (size, size.get(), None)
            }
            ListShape::Bounded { rows, reported } => (PageSize::new(rows).unwrap_or_default(), reported, Some(rows)),
        };
        let page = number("page", 1);
        let start = match arguments.get("cursor").and_then(Value::as_str) {
            Some(cursor) => Start::After(binding.decode(cursor)?.1),
            None => Start::Page(page),
        };
        Ok(Self { request: PageRequest { start, size }, page, reported_size, bound })
    }
}

/// Adds the paging arguments to a list's input schema.
pub(crate) fn add_paging(shape: ListShape, mut add: impl FnMut(&str, Value)) {
    match shape {
        ListShape::Paged => {
            add(
                "page",
                json!({ "type": "integer", "minimum": 1, "maximum": 1_000_000, "default": 1,
                        "description": "Page, counted from 1." }),
            );
            add(
                "pageSize",
                json!({ "type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": DEFAULT_PAGE_SIZE,
                        "description": "Rows per page." }),
            );
        }
        ListShape::Bounded { .. } => {}
    }
    add(
        "cursor",
        json!({ "type": "string", "maxLength": 200,
                "description": "`nextCursor` of the answer before." }),
    );
}

/// The answer of a list: as many of the page's rows as fit, and where to go on if any follow.
///
/// # Errors
/// `too_large` if not even one row fits, which the limits of what can be stored rule out.
pub fn answer(collection: &str, page: Page<Value>, paging: &Paging, binding: &Binding) -> Result<Value, Refusal> {
    let found = page.rows.len();
    let mut left = MAX_LIST_BYTES - ENVELOPE_BYTES;
    let mut last = None;
    let mut rows = Vec::with_capacity(found);
    for Row { at, item } in page.rows {
        let size = written_size(&item) + 1;
        if size > left {
            break;
        }
        left -= size;
        last = Some(at);
        rows.push(item);
    }
    if rows.is_empty() && found > 0 {
        return Err(Refusal::new(
            Code::TooLarge,
            "One row of this list is larger than an answer may be. Read the entity by itself with its chorus_get_ tool.",
        ));
    }
    let returned = rows.len();
    let total = paging.bound.map_or(page.total, |bound| page.total.min(u64::from(bound)));
    let mut answer = Map::new();
    answer.insert(collection.to_owned(), Value::Array(rows));
    answer.insert("returned".into(), json!(returned));
    answer.insert("page".into(), json!(paging.page));
    answer.insert("pageSize".into(), json!(paging.reported_size));
    answer.insert("total".into(), json!(total));
    if let (Some(last), true) = (last, page.more || returned < found) {
        answer.insert("nextCursor".into(), Value::String(binding.encode(0, last)));
    }
    Ok(Value::Object(answer))
}

/// How many bytes a value takes as text.
fn written_size(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // INVARIANT: JSON can be written, and counting does not fail.
    serde_json::to_writer(&mut count, value).expect("JSON is serialisable");
    count.0
}

#[cfg(test)]
mod tests {
    #![expect(clippy::panic, clippy::indexing_slicing, reason = "tests")]

    use chorus_ids::{Timestamp, Uuid};
    use chorus_store::Position;

    use super::*;

    fn page(sizes: &[usize], more: bool) -> Page<Value> {
        let row = |(index, size): (usize, &usize)| Row {
            at: Position { rank: 0, at: Timestamp::from_micros(0), id: Uuid::from_u128(index as u128) },
            item: Value::String("x".repeat(*size)),
        };
        Page { rows: sizes.iter().enumerate().map(row).collect(), total: 77, more }
    }

    fn listed(sizes: &[usize], more: bool, shape: ListShape) -> Value {
        let binding = Binding::new("list", &Map::new());
        let paging = Paging::read(&Map::new(), shape, &binding).unwrap_or_else(|refusal| panic!("{refusal}"));
        answer("rows", page(sizes, more), &paging, &binding).unwrap_or_else(|refusal| panic!("{refusal}"))
    }

    #[test]
    fn an_answer_stays_below_the_ceiling_and_says_where_to_go_on() {
        let cut = listed(&[30_000, 30_000, 30_000], false, ListShape::Paged);
        assert_eq!(cut["returned"], 2);
        assert!(cut.to_string().len() <= MAX_LIST_BYTES);
        let binding = Binding::new("list", &Map::new());
        let next = cut["nextCursor"].as_str().map(|cursor| binding.decode(cursor).map(|(_, place)| place.id));
        assert_eq!(next, Some(Ok(Uuid::from_u128(1))));
    }

    #[test]
    fn a_value_is_counted_as_it_is_written() {
        for value in [json!({ "a": ["\n\u{1}é", 1.5, null] }), json!("\u{10348}\"")] {
            assert_eq!(written_size(&value), value.to_string().len());
        }
    }

    #[test]
    fn the_last_page_has_no_cursor() {
        assert_eq!(listed(&[1, 2], false, ListShape::Paged).get("nextCursor"), None);
        assert_eq!(listed(&[], false, ListShape::Paged).get("nextCursor"), None);
        assert!(listed(&[1, 2], true, ListShape::Paged).get("nextCursor").is_some());
    }

    #[test]
    fn a_row_that_fits_nowhere_is_an_error_not_an_empty_page() {
        let binding = Binding::new("list", &Map::new());
        let paging =
            Paging::read(&Map::new(), ListShape::Paged, &binding).unwrap_or_else(|refusal| panic!("{refusal}"));
        let refused = answer("rows", page(&[70_000], false), &paging, &binding);
        assert_eq!(refused.map_err(|refusal| refusal.code), Err(Code::TooLarge));
    }

    #[test]
    fn a_bounded_list_reports_what_its_clients_expect() {
        let listed = listed(&[1], true, ListShape::Bounded { rows: 50, reported: 100 });
        assert_eq!((&listed["page"], &listed["pageSize"], &listed["total"]), (&json!(1), &json!(100), &json!(50)));
    }
}
