//! Arguments whose null says something else than their absence.

use serde::{Deserialize, Deserializer};

/// Reads such an argument: `Some(None)` for null; with `#[serde(default)]` nothing is `None`. Its schema has to be marked
/// too ([`NULLABLE`](chorus_dispatch::schema::NULLABLE)).
///
/// # Errors
/// What the deserializer reports.
pub(crate) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
