//! Sentences with a link in them.

use crate::{Texts, texts::Value};

/// Stands in a text for where the link goes: a letter that nobody writes.
const HOLE: &str = "\u{e000}";

/// A sentence that names something, in pieces, so that the name can be a link wherever a language puts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// What stands before the name.
    pub(crate) before: String,
    /// The name; blank if the sentence does without.
    pub(crate) name: String,
    /// What stands behind it.
    pub(crate) after: String,
    /// Where the name leads.
    pub(crate) href: Option<String>,
}

impl Sentence {
    /// The text of a key in which `$name` is what has a page.
    pub(crate) fn new(texts: &Texts, key: &str, values: &[(&str, &str)], name: &str, href: Option<String>) -> Self {
        // What somebody wrote can't make a second hole.
        let clean: Vec<(&str, String)> = values.iter().map(|(key, text)| (*key, text.replace(HOLE, ""))).collect();
        let mut all: Vec<(&str, Value<'_>)> = clean.iter().map(|(key, text)| (*key, Value::Text(text))).collect();
        all.push(("name", Value::Text(HOLE)));
        let said = texts.say(key, &all).into_owned();
        match said.split_once(HOLE) {
            Some((before, after)) => {
                let (before, after) = (before.to_owned(), after.replace(HOLE, name));
                Self { before, name: name.to_owned(), after, href }
            }
            None => Self { before: said, name: String::new(), after: String::new(), href: None },
        }
    }
}
