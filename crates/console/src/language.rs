//! The languages of the console.

use fluent_langneg::{LanguageIdentifier, NegotiationStrategy, negotiate_languages, parse_accepted_languages};

/// A language in which the console speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese, simplified.
    Zh,
    /// Korean.
    Ko,
    /// Vietnamese.
    Vi,
    /// Japanese.
    Ja,
}

impl Language {
    /// Every language, in the order in which they are offered.
    pub const ALL: [Self; 5] = [Self::En, Self::Zh, Self::Ko, Self::Vi, Self::Ja];

    /// Its tag (BCP 47).
    pub const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
            Self::Ko => "ko",
            Self::Vi => "vi",
            Self::Ja => "ja",
        }
    }

    /// Its name in itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Zh => "中文",
            Self::Ko => "한국어",
            Self::Vi => "Tiếng Việt",
            Self::Ja => "日本語",
        }
    }

    /// The language of this tag.
    pub fn of_tag(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.tag() == tag)
    }

    /// The best language for what a browser says that its reader accepts; English if it names none of ours.
    pub fn negotiate(accept_language: &str) -> Self {
        let wanted = parse_accepted_languages(accept_language);
        let ours: Vec<LanguageIdentifier> = Self::ALL.iter().filter_map(|l| l.tag().parse().ok()).collect();
        let found = negotiate_languages(&wanted, &ours, None, NegotiationStrategy::Lookup);
        found.first().and_then(|found| Self::of_tag(found.language.as_str())).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_language_that_is_ours_is_taken() {
        for (header, expected) in [
            ("", Language::En),
            ("fr", Language::En),
            ("fr, ja;q=0.8, en;q=0.5", Language::Ja),
            ("zh-CN,zh;q=0.9,en;q=0.8", Language::Zh),
            ("ko-KR", Language::Ko),
            ("vi", Language::Vi),
            ("en-GB", Language::En),
            ("\u{1}", Language::En),
        ] {
            assert_eq!(Language::negotiate(header), expected, "{header}");
        }
    }

    #[test]
    fn tags_are_their_own() {
        for language in Language::ALL {
            assert_eq!(Language::of_tag(language.tag()), Some(language));
        }
        assert_eq!(Language::of_tag("EN"), None);
    }
}
