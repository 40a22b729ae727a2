//! Bodies that clients have sent or might send, as they are and spoiled in every way.

use std::{fs, path::Path, sync::LazyLock};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::properties::{assert_sound, head, reply};

/// The bodies in `tests/corpus/messages`, by name.
static CORPUS: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/messages");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut bodies: Vec<_> = files.map(|file| (file.display().to_string(), fs::read(&file).unwrap())).collect();
    bodies.sort_unstable();
    bodies
});

fn body() -> impl Strategy<Value = Vec<u8>> {
    any::<Index>().prop_map(|index| index.get(&CORPUS).1.clone())
}

/// One change of a body.
#[derive(Clone, Debug)]
enum Edit {
    Put(Index, u8),
    Insert(Index, Vec<u8>),
    Cut(Index, usize),
    Repeat(Index, usize, usize),
    End(Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let piece = prop_oneof![
        vec(any::<u8>(), 1..4),
        proptest::sample::select(vec![
            "[", "]", "{", "}", "\"", ",", ":", "\\u", "\\ud800", "null", "1e999", "\u{feff}", "\0"
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        body(),
    ];
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Edit::Put(at, byte)),
        (any::<Index>(), piece).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        (any::<Index>(), 1_usize..8).prop_map(|(at, size)| Edit::Cut(at, size)),
        (any::<Index>(), 1_usize..20, 2_usize..300).prop_map(|(at, size, times)| Edit::Repeat(at, size, times)),
        any::<Index>().prop_map(Edit::End),
    ]
}

fn apply(body: &mut Vec<u8>, edit: &Edit) {
    if body.is_empty() {
        return;
    }
    let part = |body: &[u8], at: usize, size: usize| at..(at + size).min(body.len());
    match edit {
        Edit::Put(at, byte) => {
            let at = at.index(body.len());
            body[at] = *byte;
        }
        Edit::Insert(at, piece) => {
            let at = at.index(body.len());
            body.splice(at..at, piece.iter().copied());
        }
        Edit::Cut(at, size) => {
            let range = part(body, at.index(body.len()), *size);
            body.drain(range);
        }
        Edit::Repeat(at, size, times) => {
            let range = part(body, at.index(body.len()), *size);
            let piece = body[range.clone()].repeat(*times);
            body.splice(range, piece);
        }
        Edit::End(at) => body.truncate(at.index(body.len())),
    }
}

#[test]
fn every_body_of_the_corpus_gets_a_sound_reply() {
    assert!(CORPUS.len() > 30, "{}", CORPUS.len());
    let versions = [None, Some("2024-11-05"), Some("2025-03-26"), Some("2025-11-25"), Some("2026-07-28"), Some("x")];
    for (name, body) in CORPUS.iter() {
        for version in versions {
            let head = chorus_mcp::Head {
                content_type: Some("application/json".into()),
                protocol_version: version.map(str::to_owned).into_iter().collect(),
                mcp_method: version.map(|_| "tools/call".to_owned()).into_iter().collect(),
                ..chorus_mcp::Head::default()
            };
            let seen = reply(&head, body);
            assert_sound(&seen);
            assert_ne!(seen.code(), Some(-32603), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        // `PROPTEST_CASES` sets how many; a spoiled body is cheap.
        cases: ProptestConfig::default().cases * 4,
        ..ProptestConfig::default()
    })]

    #[test]
    fn spoiled_bodies_get_sound_replies(head in head(), body in body(), edits in vec(edit(), 0..6)) {
        let mut body = body;
        for edit in &edits {
            apply(&mut body, edit);
        }
        let seen = reply(&head, &body);
        assert_sound(&seen);
        prop_assert_ne!(seen.code(), Some(-32603));
    }
}
