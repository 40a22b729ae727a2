//! Stored values as the domain knows them. What no code of ours could have written is our fault, not the caller's.

use chorus_domain::{Assignment, Party, Subject};
use chorus_ids::{Timestamp, Uuid};
use chorus_store::{Error, Result};
use diesel::QueryResult;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Somebody, kind and id.
pub(crate) fn party(kind: &str, id: Uuid) -> Result<Party> {
    Party::read(kind, id).ok_or_else(|| Error::internal(format!("stored: `{kind}` is neither a user nor an agent")))
}

/// Whoever acted, kind and id.
pub(crate) fn subject(kind: &str, id: Uuid) -> Result<Subject> {
    Subject::read(kind, id).ok_or_else(|| Error::internal(format!("stored: `{kind}` never acts")))
}

/// The ids of the users and of the agents among these.
pub(crate) fn by_kind(parties: &[Party]) -> (Vec<Uuid>, Vec<Uuid>) {
    let (mut users, mut agents) = (Vec::new(), Vec::new());
    for party in parties {
        match party {
            Party::User(id) => users.push(id.uuid()),
            Party::Agent(id) => agents.push(id.uuid()),
        }
    }
    (users, agents)
}

/// Somebody who may be absent.
pub(crate) fn optional_party(kind: Option<&str>, id: Option<Uuid>) -> Result<Option<Party>> {
    match (kind, id) {
        (Some(kind), Some(id)) => party(kind, id).map(Some),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err(Error::internal("stored: half of somebody is missing")),
    }
}

/// Who holds something, since when, and who gave it to them.
pub(crate) fn assignment(to: Option<Party>, at: Option<Timestamp>, by: Option<Party>) -> Result<Option<Assignment>> {
    match (to, at) {
        (Some(to), Some(at)) => Ok(Some(Assignment { to, at, by })),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err(Error::internal("stored: half of an assignment is missing")),
    }
}

/// A value kept as JSON.
pub(crate) fn from_json<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|error| Error::Internal(error.into()))
}

/// A value to keep as JSON.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> QueryResult<Value> {
    serde_json::to_value(value).map_err(|error| diesel::result::Error::SerializationError(error.into()))
}

/// A count that the domain keeps in 32 bits.
pub(crate) fn count32(count: i64) -> u32 {
    u32::try_from(count).unwrap_or(if count < 0 { 0 } else { u32::MAX })
}

/// A count of rows.
pub(crate) fn count64(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn internal<T>(result: Result<T>) -> bool {
        matches!(result, Err(Error::Internal(_)))
    }

    #[test]
    fn what_we_never_write_is_an_internal_error() {
        assert!(internal(party("operator", Uuid::nil())));
        assert!(internal(subject("operators", Uuid::nil())));
        assert!(internal(optional_party(Some("user"), None)));
        assert!(internal(assignment(None, Some(Timestamp::from_micros(0)), None)));
        assert!(internal(from_json::<Vec<String>>(Value::Null)));
    }

    #[test]
    fn counts_stay_in_their_range() {
        assert_eq!((count32(7), count32(-1), count32(i64::MAX)), (7, 0, u32::MAX));
        assert_eq!((count64(7), count64(-1)), (7, 0));
    }
}
