//! Every text is there in every language, is filled in alike, and is used.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use chorus_console::{CATALOGUES, Language};
use fluent_bundle::FluentResource;
use fluent_syntax::ast::{Entry, Expression, InlineExpression, PatternElement};

/// Lists of words: keys that pages put together of a list's name and a word.
const LISTS: &[&str] = &[
    "refused-",
    "why-",
    "field-",
    "theme-",
    "did-",
    "told-",
    "prefer-",
    "noun-",
    "wait-",
    "found-",
    "via-",
    "reach-",
    "project-make-",
    "group-make-",
];

/// The names that are filled into a text.
fn variables(elements: &[PatternElement<&str>], found: &mut BTreeSet<String>) {
    fn inline(expression: &InlineExpression<&str>, found: &mut BTreeSet<String>) {
        match expression {
            InlineExpression::VariableReference { id } => {
                found.insert(id.name.to_owned());
            }
            InlineExpression::Placeable { expression } => whole(expression, found),
            _ => {}
        }
    }
    fn whole(expression: &Expression<&str>, found: &mut BTreeSet<String>) {
        match expression {
            Expression::Inline(expression) => inline(expression, found),
            Expression::Select { selector, variants } => {
                inline(selector, found);
                for variant in variants {
                    variables(&variant.value.elements, found);
                }
            }
        }
    }
    for element in elements {
        if let PatternElement::Placeable { expression } = element {
            whole(expression, found);
        }
    }
}

/// The keys of a language with what is filled into each.
fn texts(language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let files = CATALOGUES.iter().find(|(of, _)| *of == language).unwrap().1;
    let mut texts = BTreeMap::new();
    for (file, text) in files {
        let resource = FluentResource::try_new((*text).to_owned())
            .unwrap_or_else(|(_, errors)| panic!("{}/{file}.ftl: {errors:?}", language.tag()));
        for entry in resource.entries() {
            match entry {
                Entry::Message(message) => {
                    let mut found = BTreeSet::new();
                    variables(&message.value.as_ref().unwrap().elements, &mut found);
                    let before = texts.insert(message.id.name.to_owned(), found);
                    assert!(before.is_none(), "{}: `{}` is there twice", language.tag(), message.id.name);
                }
                Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => {}
                other => panic!("{}/{file}.ftl: {other:?}", language.tag()),
            }
        }
    }
    texts
}

#[test]
fn every_language_says_the_same_things() {
    let english = texts(Language::En);
    for language in Language::ALL {
        let theirs = texts(language);
        let (ours, there): (BTreeSet<_>, BTreeSet<_>) = (english.keys().collect(), theirs.keys().collect());
        let missing: Vec<_> = ours.difference(&there).collect();
        let extra: Vec<_> = there.difference(&ours).collect();
        assert!(missing.is_empty() && extra.is_empty(), "{}: missing {missing:?}, too much {extra:?}", language.tag());
        for (key, variables) in &english {
            assert_eq!(&theirs[key], variables, "{}: {key}", language.tag());
        }
    }
}

#[test]
fn no_text_is_left_in_english() {
    let english: BTreeMap<&str, &str> = lines(Language::En);
    for language in Language::ALL.into_iter().filter(|language| *language != Language::En) {
        let theirs = lines(language);
        let same: Vec<_> = english
            .iter()
            .filter(|(key, text)| text.split_whitespace().count() > 2 && theirs.get(*key) == Some(text))
            .collect();
        assert!(same.is_empty(), "{}: {same:?}", language.tag());
    }
}

/// Texts that stand on one line.
fn lines(language: Language) -> BTreeMap<&'static str, &'static str> {
    let files = CATALOGUES.iter().find(|(of, _)| *of == language).unwrap().1;
    files
        .iter()
        .flat_map(|(_, text)| text.lines())
        .filter(|line| !line.starts_with(['#', ' ']))
        .filter_map(|line| line.split_once(" = "))
        .collect()
}

/// Everything in a file that stands between quotes and could be a key.
fn quoted(text: &str, found: &mut BTreeSet<String>) {
    for part in text.split('"').skip(1).step_by(1) {
        if part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') && !part.is_empty() {
            found.insert(part.to_owned());
        }
    }
}

fn sources(folder: &Path, found: &mut BTreeSet<String>, keys: &mut BTreeSet<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found, keys);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        quoted(&text, found);
        for call in ["f.t(\"", "f.tn(\"", "f.tv(\"", "say(\"", "say_with(\""] {
            for (at, _) in text.match_indices(call) {
                let key: String = text[at + call.len()..].chars().take_while(|c| *c != '"').collect();
                keys.insert((path.display().to_string(), key));
            }
        }
    }
}

#[test]
fn every_text_that_pages_use_is_there_and_every_text_is_used() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut mentioned, mut keys) = (BTreeSet::new(), BTreeSet::new());
    sources(&here.join("src"), &mut mentioned, &mut keys);
    sources(&here.join("templates"), &mut mentioned, &mut keys);
    let english = texts(Language::En);
    let missing: Vec<_> = keys.iter().filter(|(_, key)| !english.contains_key(key)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    // Words of closed lists are found by the name of their list.
    let words: BTreeSet<String> = CATALOGUES[0]
        .1
        .iter()
        .filter(|(file, _)| *file == "words")
        .flat_map(|(_, text)| text.lines())
        .filter_map(|line| line.split_once(" = "))
        .map(|(key, _)| key.to_owned())
        .collect();
    let unused: Vec<_> = english
        .keys()
        .filter(|key| {
            !mentioned.contains(*key) && !words.contains(*key) && !LISTS.iter().any(|list| key.starts_with(list))
        })
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}
