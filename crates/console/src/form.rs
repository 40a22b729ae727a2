//! Fields of forms as arguments of tools.

use chorus_domain::{Refusal, refusal::Problem};
use serde_json::{Map, Value};

/// Most places of a list that a form may fill.
const MOST: usize = 1_000;
/// Deepest nesting.
const DEEPEST: usize = 6;

/// The fields of a form, in the order in which they were sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads `application/x-www-form-urlencoded`, which a query is too.
    pub(crate) fn read(encoded: &[u8]) -> Self {
        Self(form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// The last value of this field; a checkbox behind a hidden field of its name wins over that.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The same, if anything stands in it.
    pub(crate) fn filled(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.trim().is_empty())
    }

    /// Every value of this field.
    pub(crate) fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Every field.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The arguments that the fields stand for. Names are paths as tools name arguments in refusals: `title`,
    /// `tasks[0].title`; `criteria[]` adds to a list. A field whose name ends in `?` is left out when nothing stands in
    /// it, one that ends in `?null` is null then; `criteria[]?` makes a list, if an empty one. One that ends in `?with` is
    /// left out where its item of a list has no other field: a question that nobody answered. `kind+id` takes `agent:5`
    /// apart, where one choice says two things. Names that begin with an underscore are the console's own. What type a value has is found out by the tool, as for clients that send
    /// everything as text.
    ///
    /// # Errors
    /// `invalid_arguments` for a name that is no path, too deep or too far.
    pub(crate) fn arguments(&self) -> Result<Map<String, Value>, Refusal> {
        let mut arguments = Value::Object(Map::new());
        let mut problems = Vec::new();
        let own = |name: &str| name.starts_with('_');
        let (with, alone): (Vec<_>, Vec<_>) =
            self.0.iter().filter(|(name, _)| !own(name)).partition(|(name, _)| name.ends_with("?with"));
        for (name, value) in alone {
            let blank = value.trim().is_empty();
            let (path, value) = if let Some(path) = name.strip_suffix("?null") {
                (path, if blank { Value::Null } else { text(value) })
            } else if let Some(path) = name.strip_suffix('?') {
                if blank {
                    let list = path.strip_suffix("[]").and_then(steps);
                    if list.is_some_and(|list| !put_list(&mut arguments, &list)) {
                        problems.push(Problem::new(name, "is no field that the console sends"));
                    }
                    continue;
                }
                (path, text(value))
            } else {
                (name.as_str(), text(value))
            };
            if let (Some((first, second)), Some(said)) = (path.split_once('+'), value.as_str()) {
                let (one, other) = said.split_once(':').unwrap_or((said, ""));
                for (path, value) in [(first, one), (second, other)] {
                    if !steps(path).is_some_and(|steps| put(&mut arguments, &steps, text(value))) {
                        problems.push(Problem::new(name, "is no field that the console sends"));
                    }
                }
                continue;
            }
            match steps(path) {
                Some(steps) if put(&mut arguments, &steps, value) => {}
                Some(_) | None => problems.push(Problem::new(name, "is no field that the console sends")),
            }
        }
        for (name, value) in with {
            let path = name.strip_suffix("?with").and_then(steps).unwrap_or_default();
            let there = path.split_last().is_none_or(|(_, item)| is_there(&arguments, item));
            if there && (path.is_empty() || !put(&mut arguments, &path, text(value))) {
                problems.push(Problem::new(name, "is no field that the console sends"));
            }
        }
        Refusal::unless_fine(problems)?;
        without_holes(&mut arguments);
        match arguments {
            Value::Object(arguments) => Ok(arguments),
            _ => Ok(Map::new()),
        }
    }
}

/// Text as it was typed. Browsers end lines with CR LF.
fn text(value: &str) -> Value {
    Value::String(value.replace("\r\n", "\n"))
}

enum Step<'n> {
    Key(&'n str),
    Place(usize),
    Next,
}

fn steps(path: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        if key.is_empty() || !key.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            return None;
        }
        steps.push(Step::Key(key));
        while !rest.is_empty() {
            let (place, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(if place.is_empty() { Step::Next } else { Step::Place(place.parse().ok()?) });
            rest = after;
        }
    }
    (steps.len() <= DEEPEST).then_some(steps)
}

/// Whether there is something at a place.
fn is_there(at: &Value, steps: &[Step<'_>]) -> bool {
    let found = steps.iter().try_fold(at, |at, step| match step {
        Step::Key(key) => at.get(key),
        Step::Place(place) => at.get(place),
        Step::Next => None,
    });
    found.is_some_and(|found| !found.is_null())
}

/// Makes a list at a place where there is none; `false` if something else is there.
fn put_list(at: &mut Value, steps: &[Step<'_>]) -> bool {
    is_there(at, steps) || put(at, steps, Value::Array(Vec::new()))
}

/// Takes out of lists what no field has filled.
fn without_holes(at: &mut Value) {
    match at {
        Value::Array(list) => {
            list.retain(|item| !item.is_null());
            list.iter_mut().for_each(without_holes);
        }
        Value::Object(map) => map.values_mut().for_each(without_holes),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Puts a value at its place; `false` if something else is there.
fn put(at: &mut Value, steps: &[Step<'_>], value: Value) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        *at = value;
        return true;
    };
    if at.is_null() {
        *at = match step {
            Step::Key(_) => Value::Object(Map::new()),
            Step::Place(_) | Step::Next => Value::Array(Vec::new()),
        };
    }
    match (step, at) {
        (Step::Key(key), Value::Object(map)) => put(map.entry(*key).or_insert(Value::Null), rest, value),
        (Step::Next, Value::Array(list)) if list.len() < MOST => {
            list.push(Value::Null);
            list.last_mut().is_some_and(|last| put(last, rest, value))
        }
        (Step::Place(place), Value::Array(list)) if *place < MOST => {
            if list.len() <= *place {
                list.resize(*place + 1, Value::Null);
            }
            list.get_mut(*place).is_some_and(|item| put(item, rest, value))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;

    fn check(encoded: &str, expected: Value) {
        assert_eq!(Value::Object(Form::read(encoded.as_bytes()).arguments().unwrap()), expected, "{encoded}");
    }

    #[test]
    fn fields_become_arguments() {
        check("title=a+b&_csrf=x", json!({ "title": "a b" }));
        check("text=a%0D%0Ab", json!({ "text": "a\nb" }));
        check(
            "answers[0].id=x&answers[1].id=y&answers[0].text=t",
            json!({ "answers": [{"id": "x", "text": "t"}, {"id": "y"}] }),
        );
        check("criteria[]=a&criteria[]=b", json!({ "criteria": ["a", "b"] }));
        check("flag=false&flag=true", json!({ "flag": "true" }));
    }

    #[test]
    fn blank_fields_are_left_out_or_null_where_their_name_says_so() {
        check("a?=&b?=x&c?null=+&d?null=y&e=", json!({ "b": "x", "c": null, "d": "y", "e": "" }));
    }

    #[test]
    fn one_choice_can_say_two_things() {
        check("kind%2Bid=agent%3A5", json!({ "kind": "agent", "id": "5" }));
        check("kind%2Bid=", json!({ "kind": "", "id": "" }));
        check("kind%2Bid?=", json!({}));
    }

    #[test]
    fn a_list_can_be_emptied() {
        check("on[]?=", json!({ "on": [] }));
        check("on[]?=&on[]=a&on[]=b", json!({ "on": ["a", "b"] }));
        check("on[]=a&on[]?=", json!({ "on": ["a"] }));
    }

    #[test]
    fn an_item_that_nobody_filled_is_left_out() {
        check(
            "a[0].id?with=x&a[0].text?=&a[1].id?with=y&a[1].text?=t&a[2].id?with=z",
            json!({ "a": [{ "id": "y", "text": "t" }] }),
        );
        check("a[0].id?with=x", json!({}));
    }

    #[test]
    fn names_that_are_no_paths_are_refused() {
        for name in ["a[", "a[x]", "", "a..b", ".a", "a[99999]", "a.b.c.d.e.f.g", "a[0]b", "a-b"] {
            let encoded: String = form_urlencoded::Serializer::new(String::new()).append_pair(name, "v").finish();
            let refused = Form::read(encoded.as_bytes()).arguments().unwrap_err();
            assert_eq!(refused.code, chorus_domain::Code::InvalidArguments, "{name}");
        }
    }

    #[test]
    fn a_value_is_not_a_list_and_an_object_at_once() {
        assert!(Form::read(b"a[]=1&a.b=2").arguments().is_err());
    }
}
