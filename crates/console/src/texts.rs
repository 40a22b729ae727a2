//! What the console says, from catalogues.

use std::{borrow::Cow, sync::LazyLock};

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle, types::FluentNumber};
use icu::{
    decimal::{DecimalFormatter, input::Decimal},
    locale::Locale,
};
use intl_memoizer::concurrent::IntlLangMemoizer;

use crate::Language;

macro_rules! catalogue {
    ($language:literal: $($file:literal)*) => {
        &[$(($file, include_str!(concat!("../locales/", $language, "/", $file, ".ftl")))),*]
    };
}

macro_rules! catalogues {
    ($($file:literal)*) => {
        /// The catalogues of every language: names of files and what stands in them.
        pub const CATALOGUES: &[(Language, &[(&str, &str)])] = &[
            (Language::En, catalogue!("en": $($file)*)),
            (Language::Zh, catalogue!("zh": $($file)*)),
            (Language::Ko, catalogue!("ko": $($file)*)),
            (Language::Vi, catalogue!("vi": $($file)*)),
            (Language::Ja, catalogue!("ja": $($file)*)),
        ];
    };
}

// A file for each part of the console.
catalogues! { "frame" "refusals" "words" "account" "home" "tasks" "agents" "projects" "activity" "inbox" "work" "ideas" "proposals" "documents" }

/// The texts of one language.
pub struct Texts {
    language: Language,
    bundle: FluentBundle<FluentResource>,
    numbers: Option<DecimalFormatter>,
}

static ALL: LazyLock<Vec<Texts>> =
    LazyLock::new(|| CATALOGUES.iter().map(|(of, files)| Texts::load(*of, files)).collect());

impl Texts {
    /// The texts of this language.
    ///
    /// # Panics
    /// Never: every language has a catalogue, and a test parses them all.
    pub fn of(language: Language) -> &'static Self {
        ALL.iter().find(|texts| texts.language == language).expect("every language has a catalogue")
    }

    fn load(language: Language, files: &[(&str, &str)]) -> Self {
        let tag = language.tag();
        let mut bundle = FluentBundle::new_concurrent(tag.parse().into_iter().collect());
        // Marks around what is filled in would be seen in text that is copied and compared.
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(match language {
            Language::En => format_value::<0>,
            Language::Zh => format_value::<1>,
            Language::Ko => format_value::<2>,
            Language::Vi => format_value::<3>,
            Language::Ja => format_value::<4>,
        }));
        for (_, text) in files {
            // What can't be read is left out here, and named by the test of the catalogues.
            let resource = FluentResource::try_new((*text).to_owned()).unwrap_or_else(|(resource, _)| resource);
            let _ = bundle.add_resource(resource);
        }
        Self { language, bundle, numbers: numbers(language) }
    }

    /// Which language it is.
    pub const fn language(&self) -> Language {
        self.language
    }

    /// The text of this key. A key that is not in the catalogue is a mistake of ours that a test finds; it is said as it
    /// is rather than failing a page.
    pub fn say<'t>(&'t self, key: &'t str, values: &'t [(&'t str, Value<'t>)]) -> Cow<'t, str> {
        let Some(pattern) = self.bundle.get_message(key).and_then(|message| message.value()) else {
            tracing::error!(key, language = self.language.tag(), "a text is missing");
            return Cow::Borrowed(key);
        };
        let mut arguments = FluentArgs::new();
        for (name, value) in values {
            arguments.set(*name, value.fluent());
        }
        let mut errors = Vec::new();
        let said = self.bundle.format_pattern(pattern, Some(&arguments), &mut errors).into_owned();
        if !errors.is_empty() {
            tracing::error!(key, ?errors, "a text is not filled in right");
        }
        Cow::Owned(said)
    }

    /// Whether there is a text of this key.
    pub fn has(&self, key: &str) -> bool {
        self.bundle.get_message(key).is_some_and(|message| message.value().is_some())
    }

    /// A number as it is written in this language.
    pub fn number(&self, number: u64) -> String {
        match &self.numbers {
            Some(numbers) => numbers.format_to_string(&Decimal::from(number)),
            None => number.to_string(),
        }
    }
}

/// What is filled into a text.
#[derive(Clone, Copy, Debug)]
pub enum Value<'v> {
    /// A text.
    Text(&'v str),
    /// A number, which can choose between forms.
    Number(u64),
}

impl<'v> Value<'v> {
    fn fluent(self) -> FluentValue<'v> {
        match self {
            Self::Text(text) => FluentValue::String(Cow::Borrowed(text)),
            // INVARIANT (exactness): counts of rows are far below 2^53.
            #[expect(clippy::cast_precision_loss, reason = "see above")]
            Self::Number(number) => FluentValue::Number(FluentNumber::new(number as f64, Default::default())),
        }
    }
}

fn numbers(language: Language) -> Option<DecimalFormatter> {
    let locale: Locale = language.tag().parse().ok()?;
    DecimalFormatter::try_new(locale.into(), Default::default()).ok()
}

/// Numbers in texts are written as the language does, here that of this place in [`CATALOGUES`]: a bundle takes a plain
/// function, which can't know whose it is.
fn format_value<const LANGUAGE: usize>(value: &FluentValue<'_>, _: &IntlLangMemoizer) -> Option<String> {
    match value {
        FluentValue::Number(number) if number.value >= 0.0 && number.value.fract() == 0.0 =>
        {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number, not negative")]
            ALL.get(LANGUAGE).map(|texts| texts.number(number.value as u64))
        }
        FluentValue::Number(_)
        | FluentValue::String(_)
        | FluentValue::Custom(_)
        | FluentValue::None
        | FluentValue::Error => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_language_does() {
        for (language, expected) in
            [(Language::En, "1,234,567"), (Language::Vi, "1.234.567"), (Language::Ja, "1,234,567")]
        {
            let texts = Texts::of(language);
            assert_eq!(texts.number(1_234_567), expected);
            let said = texts.say("notifications-unread", &[("count", Value::Number(1_234_567))]);
            assert!(said.contains(expected), "{said}");
        }
    }

    #[test]
    fn each_language_says_its_own_number() {
        for (at, (language, _)) in CATALOGUES.iter().enumerate() {
            assert_eq!(Language::ALL.get(at), Some(language));
        }
    }
}
