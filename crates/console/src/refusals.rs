//! What a person is told of a refusal: in their language what kind it is and what to do about it, and where that says
//! less than the server did, what the server said, as a quotation.

use chorus_domain::{Code, Refusal};
use serde_json::{Value as Json, json};

use crate::{Texts, texts::Value};

/// A refusal as it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// What kind it is.
    pub(crate) title: String,
    /// What to do about it.
    pub(crate) text: String,
    /// What the server said, in English; blank where the rest says all of it.
    pub(crate) quoted: String,
    /// What is wrong with what was filled in.
    pub(crate) problems: Vec<Wrong>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// Where, as the tool names it.
    pub(crate) field: String,
    /// What a person calls that.
    pub(crate) label: String,
    /// What is wrong, as the rest of a sentence.
    pub(crate) message: String,
    /// Whether that is a quotation, in English.
    pub(crate) quoted: bool,
}

impl Wrong {
    /// Both as one sentence.
    pub(crate) fn sentence(&self) -> String {
        format!("{} {}", self.label, self.message)
    }
}

impl Told {
    /// A refusal of a use case.
    pub(crate) fn of(texts: &Texts, refusal: &Refusal) -> Self {
        let kind = kind(refusal);
        let listed = refusal.details.as_ref().and_then(|details| details.get("problems")).and_then(Json::as_array);
        let problems: Vec<Wrong> = listed.into_iter().flatten().filter_map(|problem| wrong(texts, problem)).collect();
        Self {
            title: texts.say(&format!("refused-{kind}"), &[]).into_owned(),
            text: texts.say(&format!("why-{kind}"), &[]).into_owned(),
            quoted: if problems.is_empty() { refusal.text.clone() } else { String::new() },
            problems,
        }
    }

    /// The first thing that is wrong with what was filled in, else what the server said.
    pub(crate) fn first(&self) -> String {
        self.problems.first().map_or_else(|| self.quoted.clone(), Wrong::sentence)
    }

    /// For the script, which shows it beside the form, with what it was refused for.
    pub(crate) fn json(&self, code: Code, blockers: Option<&Json>) -> Json {
        let problem = |wrong: &Wrong| json!({ "field": wrong.field, "label": wrong.label, "message": wrong.message });
        json!({
            "code": code.as_str(),
            "blockers": blockers,
            "title": self.title,
            "text": self.text,
            "quoted": self.quoted,
            "problems": self.problems.iter().map(problem).collect::<Vec<_>>(),
        })
    }
}

/// The kind of a refusal as keys of the catalogues name it. A precondition that names versions means that somebody else
/// was faster, any other that something is missing.
fn kind(refusal: &Refusal) -> String {
    let names_version = refusal.details.as_ref().is_some_and(|details| details.get("currentVersion").is_some());
    match refusal.code {
        Code::PreconditionFailed if !names_version => "precondition-missing".to_owned(),
        code => code.as_str().replace('_', "-"),
    }
}

fn wrong(texts: &Texts, problem: &Json) -> Option<Wrong> {
    let (field, said) = (problem.get("field")?.as_str()?, problem.get("message")?.as_str()?);
    let key = format!("field-{}", kebab(field));
    let label = if texts.has(&key) { texts.say(&key, &[]).into_owned() } else { field.to_owned() };
    let limit = problem.get("limit").and_then(Json::as_u64).unwrap_or_default().to_string();
    let (message, quoted) = match problem.get("reason").and_then(Json::as_str).and_then(known) {
        Some(key) => (texts.say(key, &[("most", Value::Text(&limit))]).into_owned(), false),
        None => (said.to_owned(), true),
    };
    Some(Wrong { field: field.to_owned(), label, message, quoted })
}

/// The last name of a path, as keys are written: of `tasks[0].storyPoints` it is `story-points`.
fn kebab(field: &str) -> String {
    let last = field.rsplit('.').next().unwrap_or(field);
    let last = last.split('[').next().unwrap_or(last);
    last.chars().fold(String::new(), |mut key, letter| {
        if letter.is_ascii_uppercase() {
            key.push('-');
        }
        key.push(letter.to_ascii_lowercase());
        key
    })
}

/// The key of what is said of a problem of this kind; none for a kind that forms can't cause.
fn known(reason: &str) -> Option<&'static str> {
    const KEYS: &[(&str, &str)] = &[
        ("blank", "problem-blank"),
        ("missing", "problem-missing"),
        ("too_long", "problem-long"),
        ("too_short", "problem-short"),
        ("unstorable", "problem-nul"),
        ("out_of_range", "problem-range"),
        ("is_address", "problem-is-address"),
        ("repeats", "problem-repeats"),
        ("no_address", "problem-no-address"),
        ("taken", "problem-taken"),
        ("wrong_password", "problem-wrong-password"),
        ("not_the_name", "problem-not-the-name"),
        ("no_link", "problem-no-link"),
        ("past", "problem-past"),
        ("no_criterion", "problem-no-criterion"),
    ];
    KEYS.iter().find(|(known, _)| *known == reason).map(|(_, key)| *key)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use chorus_auth::check_password;
    use chorus_domain::{
        refusal::Problem,
        text::{self, Use},
    };

    use super::*;
    use crate::Language;

    fn told(language: Language, problem: Problem) -> Wrong {
        let told = Told::of(Texts::of(language), &Refusal::problems(vec![problem]));
        assert_eq!(told.quoted, "");
        told.problems[0].clone()
    }

    #[test]
    fn every_kind_of_refusal_is_told_in_every_language() {
        let english = Texts::of(Language::En);
        for language in Language::ALL {
            let texts = Texts::of(language);
            for code in Code::ALL {
                for details in [json!({}), json!({ "currentVersion": 3 })] {
                    let told = Told::of(texts, &Refusal::new(code, "Because.").with(details));
                    assert!(!told.title.starts_with("refused-") && !told.text.starts_with("why-"), "{told:?}");
                    assert_eq!(told.quoted, "Because.");
                }
            }
            let blank = Refusal::new(Code::InvalidState, "x");
            let same = Told::of(texts, &blank).text == Told::of(english, &blank).text;
            assert_eq!(same, language == Language::En);
        }
    }

    #[test]
    fn whoever_was_overtaken_is_told_so_and_whoever_misses_something_is_told_that() {
        let texts = Texts::of(Language::En);
        let title = |refusal: &Refusal| Told::of(texts, refusal).title;
        let overtaken = chorus_domain::version::require("task", "chorus_get_task", 3, Some(2)).unwrap_err();
        assert_eq!(title(&overtaken), "It was changed meanwhile");
        assert_eq!(title(&Refusal::new(Code::PreconditionFailed, "x")), "Something else has to be done first");
    }

    /// What forms can get wrong is recognised by the messages that are really sent: another wording fails here.
    #[test]
    fn what_is_wrong_with_a_field_is_said_in_the_readers_language() {
        let long = "x".repeat(text::MAX_BODY_BYTES + 1);
        let mut problems: Vec<Problem> = [
            ("title", "", Use::Title),
            ("title", &long[..501], Use::Title),
            ("content", &long[..20_001], Use::Comment),
            ("description", long.as_str(), Use::Body),
            ("name", "a\0b", Use::Title),
        ]
        .into_iter()
        .map(|(field, text, usage)| text::check(field, text, usage).unwrap_err())
        .collect();
        for password in ["short", "aaaaaaaaaaaaaaaa", "ada@example.com", &"ab c".repeat(2_000)] {
            problems.push(check_password("password", password, Some("ada@example.com")).unwrap_err());
        }
        for problem in problems {
            for language in Language::ALL {
                let wrong = told(language, problem.clone());
                assert!(!wrong.quoted && wrong.label != problem.field, "{problem}: {wrong:?}");
            }
        }
        let wrong = told(Language::Ja, text::check("tasks[2].title", &long[..501], Use::Title).unwrap_err());
        assert_eq!(wrong.sentence(), "タイトル が長すぎます。最大 500");
        let other = told(Language::Ja, Problem::new("someOther[1]", "is odd"));
        assert!(other.quoted && other.label == "someOther[1]" && other.message == "is odd");
    }

    #[test]
    fn a_field_is_known_by_the_last_name_of_its_path() {
        let names = ["title", "tasks[0].storyPoints", "acceptanceCriteriaItems", "answers[3].customText"];
        assert_eq!(names.map(kebab), ["title", "story-points", "acceptance-criteria-items", "custom-text"]);
    }
}
