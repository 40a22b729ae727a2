//! Times, as a reader's language writes them.

use chorus_ids::Timestamp;
use icu::{
    calendar::Date,
    datetime::{DateTimeFormatter, fieldsets::YMDT, options::TimePrecision},
    locale::Locale,
    time::{DateTime, Time},
};

use crate::{
    Language,
    html::{Html, escape},
};

/// A moment as an element that a program can read too. The text is in UTC; the console's script puts it into the reader's
/// own time zone.
pub(crate) fn element(language: Language, at: Timestamp) -> Html {
    let machine = at.to_string();
    let said = written(language, &machine).unwrap_or_else(|| machine.clone());
    Html::trusted(format!("<time datetime=\"{}\">{}</time>", escape(&machine), escape(&said)))
}

/// The moment of an RFC 3339 text in UTC, as the language writes it.
fn written(language: Language, text: &str) -> Option<String> {
    let part = |range: std::ops::Range<usize>| text.get(range)?.parse::<u8>().ok();
    let date = Date::try_new_iso(text.get(0..4)?.parse().ok()?, part(5..7)?, part(8..10)?).ok()?;
    let time = Time::try_new(part(11..13)?, part(14..16)?, 0, 0).ok()?;
    let locale: Locale = language.tag().parse().ok()?;
    let formatter =
        DateTimeFormatter::try_new(locale.into(), YMDT::medium().with_time_precision(TimePrecision::Minute)).ok()?;
    Some(format!("{} UTC", formatter.format(&DateTime { date, time })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_writes_a_moment_in_its_way() {
        let at = Timestamp::from_micros(1_800_000_000_000_000);
        let html = |language| element(language, at).to_string();
        assert!(html(Language::En).starts_with("<time datetime=\"2027-01-15T08:00:00"), "{}", html(Language::En));
        assert!(html(Language::En).contains("Jan 15, 2027"), "{}", html(Language::En));
        assert!(html(Language::Ja).contains("2027"), "{}", html(Language::Ja));
        let distinct: std::collections::BTreeSet<String> = Language::ALL.into_iter().map(html).collect();
        assert!(distinct.len() >= 4, "{distinct:?}");
    }
}
