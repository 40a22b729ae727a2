//! A statement that the product ran, and how it is run again.
//!
//! What differs from call to call must differ in a replay too, or a write would write nothing. Which values those are is
//! found by looking at two calls of the same request, one after the other:
//!
//! * an id that the call made itself (a UUID of version 7 from after the capture began) becomes a new one;
//! * a small whole number that has grown, such as a row's version, grows by as much with each replay;
//! * everything else stays as it was.

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What a statement binds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

/// A statement as it was run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) sql: String,
    pub(crate) binds: Vec<Value>,
}

/// A statement that can be run again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Statement {
    pub(crate) sql: String,
    pub(crate) binds: Vec<Bind>,
}

/// A value of a statement that can be run again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Bind {
    /// Always the same.
    Same(Value),
    /// The `n`th id that the call makes, as 16 bytes.
    Id(usize),
    /// A text with such ids in it.
    Text(Vec<Piece>),
    /// A number that grows with each replay.
    Step { next: i64, by: i64, is_text: bool },
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Piece {
    Same(String),
    Id(usize),
}

/// What stands between reading and writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    Begin,
    Commit,
    /// A savepoint and the like, which a bare driver does without.
    Inner,
}

impl Run {
    /// Whether it opens or ends a transaction.
    pub(crate) fn boundary(&self) -> Option<Boundary> {
        let word = self.sql.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
        match word.as_str() {
            "BEGIN" => Some(Boundary::Begin),
            "COMMIT" => Some(Boundary::Commit),
            "SAVEPOINT" | "RELEASE" | "ROLLBACK" => Some(Boundary::Inner),
            _ => None,
        }
    }
}

/// Numbers from here on are times in microseconds.
const TIMES: i64 = 1_000_000_000_000;

/// The ids that a call made, in the order of their first use.
pub(crate) struct Made {
    since: u64,
    ahead: i64,
    ids: Vec<Uuid>,
}

impl Made {
    /// None yet; those are its own that were made from this moment on, in milliseconds since 1970. The first replay will
    /// be so many rounds behind the one looked at.
    pub(crate) const fn since(millis: u64, ahead: i64) -> Self {
        Self { since: millis, ahead, ids: Vec::new() }
    }

    /// How many there are.
    pub(crate) const fn count(&self) -> usize {
        self.ids.len()
    }

    fn place(&mut self, id: Uuid) -> Option<usize> {
        let millis = u64::try_from(id.as_u128() >> 80).ok()?;
        if id.get_version_num() != 7 || millis < self.since {
            return None;
        }
        let found = self.ids.iter().position(|other| *other == id);
        Some(found.unwrap_or_else(|| {
            self.ids.push(id);
            self.ids.len() - 1
        }))
    }

    /// Takes a text apart where such ids stand in it; `None` if none does.
    fn pieces(&mut self, text: &str) -> Option<Vec<Piece>> {
        let (mut pieces, mut from, mut at) = (Vec::new(), 0, 0);
        while let Some(candidate) = text.get(at..).filter(|rest| rest.len() >= ID_CHARS) {
            let id = candidate.get(..ID_CHARS).filter(|text| is_id(text)).and_then(|text| Uuid::try_parse(text).ok());
            if let Some(place) = id.and_then(|id| self.place(id)) {
                pieces.push(Piece::Same(text.get(from..at)?.to_owned()));
                pieces.push(Piece::Id(place));
                at += ID_CHARS;
                from = at;
            } else {
                at += candidate.chars().next().map_or(1, char::len_utf8);
            }
        }
        if pieces.is_empty() {
            return None;
        }
        pieces.push(Piece::Same(text.get(from..)?.to_owned()));
        Some(pieces)
    }
}

/// Characters of a UUID.
const ID_CHARS: usize = 36;

fn is_id(text: &str) -> bool {
    text.bytes().zip(0..).all(
        |(byte, at)| {
            if matches!(at, 8 | 13 | 18 | 23) { byte == b'-' } else { byte.is_ascii_hexdigit() }
        },
    )
}

/// The statement for replays, from what the same request ran at last and, if that is the same statement, before.
pub(crate) fn statement(last: &Run, before: Option<&Run>, made: &mut Made) -> Statement {
    let before = before.filter(|before| before.sql == last.sql && before.binds.len() == last.binds.len());
    let binds = last.binds.iter().enumerate();
    let binds = binds.map(|(n, value)| bind(value, before.and_then(|before| before.binds.get(n)), made)).collect();
    Statement { sql: last.sql.clone(), binds }
}

fn bind(last: &Value, before: Option<&Value>, made: &mut Made) -> Bind {
    let ahead = made.ahead;
    let step = |last: i64, before: i64, is_text| {
        let by = last - before;
        (by > 0 && last < TIMES).then_some(Bind::Step { next: last + by * ahead, by, is_text })
    };
    let special = match (last, before) {
        (Value::Blob(bytes), _) => Uuid::from_slice(bytes).ok().and_then(|id| made.place(id)).map(Bind::Id),
        (Value::Integer(last), Some(Value::Integer(before))) => step(*last, *before, false),
        (Value::Text(last), Some(Value::Text(before))) if last != before => match (last.parse(), before.parse()) {
            (Ok(last), Ok(before)) => step(last, before, true),
            _ => made.pieces(last).map(Bind::Text),
        },
        (Value::Text(last), _) => made.pieces(last).map(Bind::Text),
        _ => None,
    };
    special.unwrap_or_else(|| Bind::Same(last.clone()))
}

impl Bind {
    /// The value for the replay of this number, with the ids that it makes.
    pub(crate) fn value(&self, nth: i64, ids: &[Uuid]) -> Value {
        let id = |n: &usize| ids.get(*n).copied().unwrap_or_default();
        match self {
            Self::Same(value) => value.clone(),
            Self::Id(n) => Value::Blob(id(n).as_bytes().to_vec()),
            Self::Text(pieces) => {
                let text = pieces.iter().map(|piece| match piece {
                    Piece::Same(text) => text.clone(),
                    Piece::Id(n) => id(n).to_string(),
                });
                Value::Text(text.collect())
            }
            Self::Step { next, by, is_text } => {
                let number = next + by * nth;
                if *is_text { Value::Text(number.to_string()) } else { Value::Integer(number) }
            }
        }
    }
}

/// Reads a statement of SQLite as Diesel shows it: its text, and what it binds in Rust's own notation.
///
/// # Errors
/// What it binds is shown in another way.
pub(crate) fn of_sqlite(shown: &str) -> Result<Run> {
    let Some((sql, binds)) = shown.rsplit_once(" -- binds: ") else {
        return Ok(Run { sql: shown.to_owned(), binds: Vec::new() });
    };
    let (_, mut rest) = binds.split_once('[').context("no list of values")?;
    let mut values = Vec::new();
    while !rest.starts_with(']') {
        // Each with its type: `(I32(-2), Integer)`.
        let shown = rest.strip_prefix('(').and_then(value);
        let (value, after) = shown.with_context(|| format!("a value of unknown kind: {rest}"))?;
        values.push(value);
        let (_, after) = after.split_once(')').context("a value without a type")?;
        rest = after.strip_prefix(", ").unwrap_or(after);
    }
    Ok(Run { sql: sql.to_owned(), binds: values })
}

/// The value at the beginning, and what follows.
fn value(text: &str) -> Option<(Value, &str)> {
    if let Some(rest) = text.strip_prefix("Null") {
        return Some((Value::Null, rest));
    }
    let (kind, inside) = text.split_once('(')?;
    if kind == "String" {
        return string(inside);
    }
    let (inside, rest) = inside.split_once(')')?;
    let value = match kind {
        "Binary" => {
            let bytes = inside.trim_matches(['[', ']']).split(", ").filter(|byte| !byte.is_empty());
            Value::Blob(bytes.map(|byte| byte.parse().ok()).collect::<Option<_>>()?)
        }
        "I32" | "I64" => Value::Integer(inside.parse().ok()?),
        "F32" | "F64" => Value::Real(inside.parse().ok()?),
        _ => return None,
    };
    Some((value, rest))
}

/// A text in quotes, as Rust escapes it.
fn string(text: &str) -> Option<(Value, &str)> {
    let mut value = String::new();
    let mut chars = text.strip_prefix('"')?.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((Value::Text(value), text.get(at + 2..)?.strip_prefix(')')?)),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'r' => value.push('\r'),
                '0' => value.push('\0'),
                'u' => {
                    let code: String = chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '}').collect();
                    value.push(char::from_u32(u32::from_str_radix(code.trim_start_matches('{'), 16).ok()?)?);
                }
                other => value.push(other),
            },
            c => value.push(c),
        }
    }
    None
}

/// Reads a statement as PostgreSQL logs it: its text, and `Parameters: $1 = 'a', $2 = NULL`.
///
/// # Errors
/// The parameters are written in another way.
pub(crate) fn of_postgres(sql: &str, parameters: Option<&str>) -> Result<Run> {
    let mut binds = Vec::new();
    let mut rest = parameters.map_or("", |text| text.split_once(": ").map_or("", |(_, list)| list));
    while !rest.is_empty() {
        let (_, after) = rest.split_once(" = ").with_context(|| format!("an odd parameter: {rest}"))?;
        let (value, after) = match after.strip_prefix("NULL") {
            Some(after) => (Value::Null, after),
            None => quoted(after).with_context(|| format!("an odd parameter: {after}"))?,
        };
        binds.push(value);
        rest = match after.strip_prefix(", ") {
            Some(after) => after,
            None if after.is_empty() => after,
            None => bail!("an odd parameter: {after}"),
        };
    }
    Ok(Run { sql: sql.to_owned(), binds })
}

/// A text in single quotes, which are doubled within it.
fn quoted(text: &str) -> Option<(Value, &str)> {
    let inside = text.strip_prefix('\'')?;
    let mut at = 0;
    loop {
        let quote = at + inside.get(at..)?.find('\'')?;
        let rest = inside.get(quote + 1..)?;
        if rest.starts_with('\'') {
            at = quote + 2;
        } else {
            return Some((Value::Text(inside.get(..quote)?.replace("''", "'")), rest));
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// An id of the year 2001, before any capture, and one of the year 2096.
    const OLD: &str = "00e6b1d0-8c00-7000-8000-000000000001";
    const MADE: &str = "03a0f1c0-0000-7000-8000-000000000002";

    fn run(binds: impl IntoIterator<Item = Value>) -> Run {
        Run { sql: "SELECT 1".to_owned(), binds: binds.into_iter().collect() }
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn blob(id: &str) -> Value {
        Value::Blob(Uuid::parse_str(id).unwrap().as_bytes().to_vec())
    }

    fn made() -> Made {
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
        Made::since(u64::try_from(now).unwrap(), 1)
    }

    #[test]
    fn values_of_sqlite_are_read_as_diesel_shows_them() {
        let shown = "UPDATE `t` SET `a` = ? -- binds: Data { binds: [(Null, Text), (I32(-2), Integer), (I64(3), Long), \
                     (F64(0.5), Double), (Binary([1, 255]), Binary), (Binary([]), Binary), \
                     (String(\"a \\\"b\\\"\\n\\\\ é \\u{200b}), String(\"), Text), (String(\"\"), Text)] }";
        let values = [
            Value::Null,
            Value::Integer(-2),
            Value::Integer(3),
            Value::Real(0.5),
            Value::Blob(vec![1, 255]),
            Value::Blob(Vec::new()),
            text("a \"b\"\n\\ é \u{200b}), String("),
            text(""),
        ];
        assert_eq!(of_sqlite(shown).unwrap(), Run { sql: "UPDATE `t` SET `a` = ?".to_owned(), binds: values.to_vec() });
        assert_eq!(of_sqlite("COMMIT").unwrap().boundary(), Some(Boundary::Commit));
        assert!(of_sqlite("SELECT ? -- binds: Data { binds: [(Val(3), Text)] }").is_err());
    }

    #[test]
    fn parameters_of_postgresql_are_read_as_its_log_writes_them() {
        let logged = "Parameters: $1 = 'it''s, $2 = ''x''', $2 = NULL, $3 = '{a,b}', $4 = ''";
        let values = vec![text("it's, $2 = 'x'"), Value::Null, text("{a,b}"), text("")];
        assert_eq!(of_postgres("SELECT 1", Some(logged)).unwrap().binds, values);
        assert_eq!(of_postgres("SELECT 1", None).unwrap().binds, []);
        assert!(of_postgres("SELECT 1", Some("Parameters: $1 = 3")).is_err());
    }

    #[test]
    fn boundaries_are_known_on_both_databases() {
        let of = |sql: &str| Run { sql: sql.to_owned(), binds: Vec::new() }.boundary();
        assert_eq!(of("BEGIN IMMEDIATE"), Some(Boundary::Begin));
        assert_eq!(of("BEGIN ISOLATION LEVEL READ COMMITTED"), Some(Boundary::Begin));
        assert_eq!(of("SAVEPOINT unit"), Some(Boundary::Inner));
        assert_eq!(of("SELECT 1"), None);
    }

    #[test]
    fn an_id_that_the_call_made_is_another_in_every_replay_and_the_same_within_one() {
        let mut made = made();
        let inside = format!("[{{\"uuid\":\"{MADE}\"}},\"é{OLD}\"]");
        let last = run([blob(OLD), blob(MADE), text(OLD), text(&inside), text(MADE)]);
        let statement = statement(&last, None, &mut made);
        assert_eq!(made.count(), 1);
        let id = Uuid::from_u128(7);
        let values: Vec<_> = statement.binds.iter().map(|bind| bind.value(0, &[id])).collect();
        let expected = [
            blob(OLD),
            Value::Blob(id.as_bytes().to_vec()),
            text(OLD),
            text(&inside.replace(MADE, &id.to_string())),
            text(&id.to_string()),
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn a_number_that_grew_goes_on_growing_and_a_time_does_not() {
        let before = run([Value::Integer(3), text("7"), Value::Integer(5), Value::Integer(1_800_000_000_000_000)]);
        let last = run([Value::Integer(5), text("8"), Value::Integer(5), Value::Integer(1_800_000_000_000_009)]);
        let statement = statement(&last, Some(&before), &mut made());
        let of = |nth| statement.binds.iter().map(|bind| bind.value(nth, &[])).collect::<Vec<_>>();
        let time = Value::Integer(1_800_000_000_000_009);
        assert_eq!(of(0), [Value::Integer(7), text("9"), Value::Integer(5), time.clone()]);
        assert_eq!(of(2), [Value::Integer(11), text("11"), Value::Integer(5), time]);
    }

    #[test]
    fn another_statement_says_nothing_about_this_one() {
        let before = Run { sql: "SELECT 2".to_owned(), binds: vec![Value::Integer(3)] };
        let statement = statement(&run([Value::Integer(5)]), Some(&before), &mut made());
        assert_eq!(statement.binds, [Bind::Same(Value::Integer(5))]);
    }
}
