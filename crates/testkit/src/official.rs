//! The published schemas of the protocol, out of the conformance suite that the tests install.
//!
//! The suite is one script that holds the schema of each revision as a literal. They are read from the installed package
//! and not kept here, so that they are whatever its authors say.

use std::{iter::Peekable, path::Path, str::Chars};

use serde_json::{Map, Value};

/// Where the script is in the folder of the clients.
const SCRIPT: &str = "node_modules/conformance-0-2/dist/index.js";

/// The revisions whose schemas it has, in the order of its table.
const TABLE: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// The schema of this revision; `None` if the suite has none.
///
/// # Panics
/// If the suite is not in this folder, or is not made as this expects.
pub(crate) fn schema(clients: &Path, revision: &str) -> Option<Value> {
    let nth = TABLE.iter().position(|known| *known == revision)?;
    let place = clients.join(SCRIPT);
    let script = std::fs::read_to_string(&place)
        .unwrap_or_else(|error| panic!("{}: {error}; tests/provide installs it", place.display()));
    let name = names(&script)[nth];
    let start = script.find(&format!("{name}={{$schema:")).unwrap_or_else(|| panic!("{name} is not in the suite"));
    Some(Literal(script[start + name.len() + 1..].chars().peekable()).value())
}

/// What the script calls the schemas, oldest revision first.
fn names(script: &str) -> Vec<&str> {
    let first = format!("{{\"{}\":", TABLE[0]);
    let second = format!(",\"{}\":", TABLE[1]);
    let is_table = |text: &&str| text.find(&second).is_some_and(|at| at < 10);
    let table = script.split(&first).skip(1).find(is_table).unwrap_or_else(|| panic!("the suite has no such table"));
    let names: Vec<&str> = table.split('}').next().unwrap().split(',').collect();
    assert_eq!(names.len(), TABLE.len(), "{names:?}");
    names.into_iter().map(|entry| entry.rsplit(':').next().unwrap()).collect()
}

/// A literal of JavaScript that could be JSON.
struct Literal<'a>(Peekable<Chars<'a>>);

impl Literal<'_> {
    fn value(&mut self) -> Value {
        match *self.0.peek().unwrap() {
            '{' => Value::Object(self.object()),
            '[' => Value::Array(self.array()),
            '`' | '"' | '\'' => Value::String(self.string()),
            '!' => {
                self.0.next();
                Value::Bool(self.word() == "0")
            }
            _ => serde_json::from_str(&self.word()).unwrap(),
        }
    }

    fn object(&mut self) -> Map<String, Value> {
        let mut members = Map::new();
        self.0.next();
        while !self.ends('}') {
            let name = if matches!(self.0.peek(), Some('`' | '"' | '\'')) { self.string() } else { self.word() };
            assert_eq!(self.0.next(), Some(':'), "behind {name}");
            let value = self.value();
            members.insert(name, value);
        }
        members
    }

    fn array(&mut self) -> Vec<Value> {
        let mut items = Vec::new();
        self.0.next();
        while !self.ends(']') {
            items.push(self.value());
        }
        items
    }

    /// Whether this ends what was begun; a comma before the next part is passed over.
    fn ends(&mut self, end: char) -> bool {
        self.0.next_if_eq(&',');
        self.0.next_if_eq(&end).is_some()
    }

    fn string(&mut self) -> String {
        let quote = self.0.next().unwrap();
        let mut text = String::new();
        loop {
            match self.0.next().unwrap() {
                '\\' => text.push(match self.0.next().unwrap() {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    same @ ('`' | '"' | '\'' | '\\' | '$') => same,
                    other => panic!("an escape that is not known: {other}"),
                }),
                end if end == quote => return text,
                other => text.push(other),
            }
        }
    }

    /// A name or a number.
    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(letter) = self.0.next_if(|letter| letter.is_ascii_alphanumeric() || "$_-.+".contains(*letter)) {
            word.push(letter);
        }
        word
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_literal_of_javascript_is_read() {
        let text = r#"{$schema:`a\`b\n\\`,"x-y":[1,-2.5,!0,!1,null,[]],z:{}}rest"#;
        let expected = json!({ "$schema": "a`b\n\\", "x-y": [1, -2.5, true, false, null, []], "z": {} });
        assert_eq!(Literal(text.chars().peekable()).value(), expected);
    }
}
