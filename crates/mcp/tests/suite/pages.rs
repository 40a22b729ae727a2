//! Pages of definitions (protocol checklist §11).

use chorus_mcp::Pages;
use proptest::collection::btree_set;
use proptest::prelude::*;

const PAGES: Pages<'_> = Pages { key: b"a key of the server", list: b"prompts", size: 2 };

fn page(pages: Pages<'_>, items: &[&str], cursor: Option<&str>) -> Option<(Vec<String>, Option<String>)> {
    let items = items.iter().map(|item| (*item).to_owned()).collect();
    match pages.page(items, |item: &String| item, cursor) {
        Ok(page) => Some(page),
        Err(error) => {
            assert_eq!(error.code, -32602);
            None
        }
    }
}

#[test]
fn a_list_is_walked_from_its_beginning_to_its_end() {
    let items = ["a", "b", "c", "d", "e"];
    for start in [None, Some("")] {
        let (first, cursor) = page(PAGES, &items, start).unwrap();
        assert_eq!(first, ["a", "b"]);
        let (second, cursor) = page(PAGES, &items, Some(&cursor.unwrap())).unwrap();
        assert_eq!(second, ["c", "d"]);
        assert_eq!(page(PAGES, &items, Some(&cursor.unwrap())).unwrap(), (vec!["e".to_owned()], None));
    }
    assert_eq!(page(PAGES, &[], None).unwrap(), (vec![], None));
    assert_eq!(page(PAGES, &["a", "b"], None).unwrap().1, None);
    assert_eq!(page(Pages { size: 0, ..PAGES }, &["a", "b"], None).unwrap().0, ["a"]);
}

#[test]
fn a_cursor_survives_items_that_come_and_go() {
    let cursor = page(PAGES, &["a", "b", "c", "d"], None).unwrap().1.unwrap();
    assert_eq!(page(PAGES, &["a", "aa", "c", "d"], Some(&cursor)).unwrap().0, ["c", "d"]);
    assert_eq!(page(PAGES, &["a", "b", "bb", "c", "d"], Some(&cursor)).unwrap().0, ["bb", "c"]);
    assert_eq!(page(PAGES, &["a"], Some(&cursor)).unwrap(), (vec![], None));
}

#[test]
fn a_cursor_is_good_for_its_list_and_its_server_only() {
    let items = ["a", "b", "c"];
    let cursor = page(PAGES, &items, None).unwrap().1.unwrap();
    for other in [Pages { list: b"resources", ..PAGES }, Pages { key: b"another key", ..PAGES }] {
        assert_eq!(page(other, &items, Some(&cursor)), None);
    }
    for wrong in ["x", "====", &cursor[1..], &format!("{cursor}A"), &format!("{cursor} ")] {
        assert_eq!(page(PAGES, &items, Some(wrong)), None, "{wrong}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn a_walk_meets_every_item_once(names in btree_set(any::<String>(), 0..20), size in 1_usize..6) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let pages = Pages { size, ..PAGES };
        let (mut met, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let (page, next) = page(pages, &names, cursor.as_deref()).unwrap();
            prop_assert!(page.len() <= size);
            met.extend(page);
            let Some(next) = next else { break };
            prop_assert!(!next.is_empty());
            cursor = Some(next);
        }
        prop_assert_eq!(met, names);
    }

    #[test]
    fn no_text_is_a_cursor_by_chance(text in ".+") {
        prop_assert_eq!(page(PAGES, &["a"], Some(&text)), None);
    }
}
