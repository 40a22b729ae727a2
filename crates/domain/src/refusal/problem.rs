//! What is wrong with single arguments.

use std::fmt;

use serde_json::{Value, json};

/// What kind of problem it is, for whoever says it in words of their own. Those that have none are told by their message
/// alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Nothing in it is visible.
    Blank,
    /// It is needed, and not there.
    Missing,
    /// It is larger than this.
    TooLong(usize),
    /// It has fewer characters than this.
    TooShort(usize),
    /// It contains a character that no text may contain.
    Unstorable,
    /// It is a number outside the range.
    OutOfRange,
    /// A password that is the e-mail address.
    IsAddress,
    /// A password of few different characters.
    Repeats,
    /// No e-mail address.
    NoAddress,
    /// Somebody else has it.
    Taken,
    /// Not the password that was asked for.
    WrongPassword,
    /// Not the name that was to be typed again.
    NotTheName,
    /// No link to a page.
    NoLink,
    /// A moment that is over.
    Past,
    /// No criterion says how to see that a task is done.
    NoCriterion,
}

impl Reason {
    /// The reason as it goes over the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Missing => "missing",
            Self::TooLong(_) => "too_long",
            Self::TooShort(_) => "too_short",
            Self::Unstorable => "unstorable",
            Self::OutOfRange => "out_of_range",
            Self::IsAddress => "is_address",
            Self::Repeats => "repeats",
            Self::NoAddress => "no_address",
            Self::Taken => "taken",
            Self::WrongPassword => "wrong_password",
            Self::NotTheName => "not_the_name",
            Self::NoLink => "no_link",
            Self::Past => "past",
            Self::NoCriterion => "no_criterion",
        }
    }

    /// How large it may be at most, or how small at least.
    pub const fn limit(self) -> Option<usize> {
        match self {
            Self::TooLong(limit) | Self::TooShort(limit) => Some(limit),
            _ => None,
        }
    }
}

/// One thing that is wrong with the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: `tasks[3].title`.
    pub field: String,
    /// What is wrong and what would be right, as the rest of a sentence about the field.
    pub message: String,
    /// What kind of problem it is.
    pub reason: Option<Reason>,
}

impl Problem {
    /// A problem with the field.
    pub fn new(field: impl Into<String>, message: impl fmt::Display) -> Self {
        Self { field: field.into(), message: message.to_string(), reason: None }
    }

    /// The same, of this kind.
    #[must_use]
    pub fn because(self, reason: Reason) -> Self {
        Self { reason: Some(reason), ..self }
    }

    /// Nothing visible stands in a field that needs it.
    pub fn blank(field: impl Into<String>) -> Self {
        Self::new(field, "is blank; give it at least one visible character").because(Reason::Blank)
    }

    /// A field that is needed is not there; `give` says what belongs into it.
    pub fn missing(field: impl Into<String>, give: impl fmt::Display) -> Self {
        Self::new(field, format_args!("is required; give {give}")).because(Reason::Missing)
    }

    /// A field holds a NUL character, which PostgreSQL stores in no text.
    pub fn unstorable(field: impl Into<String>) -> Self {
        Self::new(field, "contains a NUL character, which can't be stored; remove it").because(Reason::Unstorable)
    }

    /// A field has `size` characters, bytes or whatever `unit` says, and may have `most`.
    pub fn too_long(field: impl Into<String>, size: usize, unit: &str, most: usize) -> Self {
        let message = format_args!("has {size} {unit}; at most {most} are allowed");
        Self::new(field, message).because(Reason::TooLong(most))
    }

    /// As it goes over the wire.
    pub(super) fn json(&self) -> Value {
        let mut json = json!({ "field": self.field, "message": self.message });
        if let (Some(reason), Some(map)) = (self.reason, json.as_object_mut()) {
            map.insert("reason".to_owned(), reason.as_str().into());
            if let Some(limit) = reason.limit() {
                map.insert("limit".to_owned(), limit.into());
            }
        }
        json
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.field, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_kind_a_problem_is_goes_over_the_wire_if_it_is_known() {
        let long = Problem::too_long("title", 501, "characters", 500);
        let message = "has 501 characters; at most 500 are allowed";
        let expected = json!({ "field": "title", "message": message, "reason": "too_long", "limit": 500 });
        assert_eq!(long.json(), expected);
        assert_eq!(Problem::blank("name").json().get("reason"), Some(&json!("blank")));
        assert_eq!(Problem::new("x", "is odd").json(), json!({ "field": "x", "message": "is odd" }));
    }
}
