//! Moments in time, as the databases keep them.

use std::{fmt, str::FromStr};

use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

/// A moment: whole microseconds since 1970-01-01T00:00:00Z, in UTC.
///
/// Shown as on the wire: ISO 8601 with milliseconds, `2026-11-30T18:22:31.123Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The moment `micros` microseconds after the epoch (before it, if negative).
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the epoch.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Milliseconds since the epoch, rounded down.
    pub const fn millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// The moment `micros` microseconds later (earlier, if negative), within what 64 bits can hold.
    #[must_use]
    pub const fn plus_micros(self, micros: i64) -> Self {
        Self(self.0.saturating_add(micros))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(t) = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000) else {
            return write!(f, "{} µs after 1970", self.0); // beyond year 9999: no calendar form exists
        };
        let (date, clock) = (t.date(), t.time());
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            date.year(),
            u8::from(date.month()),
            date.day(),
            clock.hour(),
            clock.minute(),
            clock.second(),
            clock.millisecond()
        )
    }
}

/// A text that is no RFC 3339 time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidTimestamp;

impl fmt::Display for InvalidTimestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a time such as 2026-11-30T18:22:31Z")
    }
}

impl std::error::Error for InvalidTimestamp {}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    /// Reads RFC 3339 with any offset; digits below the microsecond are dropped.
    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        let t = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| InvalidTimestamp)?.to_offset(UtcOffset::UTC);
        i64::try_from(t.unix_timestamp_nanos().div_euclid(1_000)).map(Self).map_err(|_| InvalidTimestamp)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_microseconds_agree() {
        for (text, micros) in [
            ("1970-01-01T00:00:00.000Z", 0),
            ("2026-11-30T18:22:31.123Z", 1_796_062_951_123_000),
            ("1969-12-31T23:59:59.999Z", -1_000),
        ] {
            assert_eq!(text.parse(), Ok(Timestamp::from_micros(micros)), "{text}");
            assert_eq!(Timestamp::from_micros(micros).to_string(), text);
        }
        assert_eq!("2026-11-30T19:22:31+01:00".parse::<Timestamp>(), "2026-11-30T18:22:31Z".parse());
        assert!("yesterday".parse::<Timestamp>().is_err());
    }
}
