//! Cursors: places in lists, as opaque texts (README decision 9).
//!
//! A cursor holds the sort keys of the last row and a checksum over them, the tool and its filters. It grants nothing:
//! what a walk shows is decided by the scope of each call.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chorus_domain::Refusal;
use chorus_ids::{Timestamp, Uuid};
use chorus_store::Position;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::arguments::canonical;

/// The keys of paging arguments; they are no filters.
pub const PAGING: [&str; 3] = ["cursor", "page", "pageSize"];

const LENGTH: usize = 1 + 2 + 8 + 16;
const CHECK: usize = 8;

/// The list that a cursor belongs to: a tool with its filters.
#[derive(Clone, Debug)]
pub struct Binding(Vec<u8>);

impl Binding {
    /// The list of this tool with these arguments.
    pub fn new(tool: &str, arguments: &Map<String, Value>) -> Self {
        let filters: Map<String, Value> = arguments
            .iter()
            .filter(|(name, _)| !PAGING.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        Self(format!("{tool}\n{}", canonical(&Value::Object(filters))).into_bytes())
    }

    /// A cursor to this place; `section` tells apart the parts of an answer that has several lists.
    pub fn encode(&self, section: u8, position: Position) -> String {
        let mut bytes = Vec::with_capacity(LENGTH + CHECK);
        bytes.push(section);
        bytes.extend(position.rank.to_be_bytes());
        bytes.extend(position.at.micros().to_be_bytes());
        bytes.extend(position.id.as_bytes());
        let check = self.check(&bytes);
        bytes.extend(check);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The section and place of a cursor.
    ///
    /// # Errors
    /// `invalid_arguments` for a damaged cursor, or one of another tool or other filters.
    pub fn decode(&self, cursor: &str) -> Result<(u8, Position), Refusal> {
        self.try_decode(cursor).ok_or_else(|| {
            Refusal::invalid(
                "cursor",
                "is damaged or belongs to another list; pass the `nextCursor` of the same tool with the same filters, \
                 or start without a cursor",
            )
        })
    }

    fn try_decode(&self, cursor: &str) -> Option<(u8, Position)> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (payload, check) = bytes.split_at_checked(LENGTH)?;
        if check != self.check(payload) {
            return None;
        }
        let (section, rest) = payload.split_first()?;
        let (rank, rest) = rest.split_first_chunk::<2>()?;
        let (at, id) = rest.split_first_chunk::<8>()?;
        Some((
            *section,
            Position {
                rank: i16::from_be_bytes(*rank),
                at: Timestamp::from_micros(i64::from_be_bytes(*at)),
                id: Uuid::from_slice(id).ok()?,
            },
        ))
    }

    fn check(&self, payload: &[u8]) -> [u8; CHECK] {
        let digest: [u8; 32] = Sha256::new().chain_update(payload).chain_update(&self.0).finalize().into();
        let (check, _) = digest.split_first_chunk::<CHECK>().unwrap_or((&[0; CHECK], &[]));
        *check
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn binding(tool: &str, arguments: &Value) -> Binding {
        Binding::new(tool, arguments.as_object().unwrap_or(&Map::new()))
    }

    const PLACE: Position =
        Position { rank: -2, at: Timestamp::from_micros(1_796_062_951_123_456), id: Uuid::from_u128(0xfeed) };

    #[test]
    fn a_cursor_leads_back_to_its_place_in_its_own_list_only() {
        let list = binding("list", &json!({"projectUuid": "p", "status": "open"}));
        let cursor = list.encode(1, PLACE);
        assert_eq!(list.decode(&cursor), Ok((1, PLACE)));
        // Paging arguments are no filters, and their order plays no part.
        let same = binding("list", &json!({"status": "open", "pageSize": 3, "cursor": "x", "projectUuid": "p"}));
        assert_eq!(same.decode(&cursor), Ok((1, PLACE)));
        for (tool, arguments) in [
            ("other", json!({"projectUuid": "p", "status": "open"})),
            ("list", json!({"projectUuid": "p", "status": "done"})),
            ("list", json!({"projectUuid": "p"})),
        ] {
            assert!(binding(tool, &arguments).decode(&cursor).is_err(), "{tool} {arguments}");
        }
    }

    #[test]
    fn a_damaged_cursor_is_refused() {
        let list = binding("list", &json!({}));
        let cursor = list.encode(0, PLACE);
        for at in 0..cursor.len() {
            let mut damaged = cursor.clone().into_bytes();
            if let Some(byte) = damaged.get_mut(at) {
                *byte = if *byte == b'A' { b'B' } else { b'A' };
            }
            let damaged = String::from_utf8_lossy(&damaged).into_owned();
            assert!(list.decode(&damaged).is_err(), "{damaged}");
        }
        for text in ["", "AAAA", "not base64!", &cursor[..cursor.len() - 1]] {
            assert!(list.decode(text).is_err(), "{text}");
        }
    }
}
