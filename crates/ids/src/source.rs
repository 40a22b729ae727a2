//! Where new ids come from.

use uuid::{Builder, Uuid};

use crate::{Id, Timestamp};

/// A source of new, unique ids. The caller decides whether it is random (production) or counted (tests).
pub trait IdSource: Send {
    /// A UUID of version 7 that this source has not given before.
    fn next_uuid(&mut self) -> Uuid;

    /// The same, as the id of some kind of row.
    fn next_id<T: Id>(&mut self) -> T
    where
        Self: Sized,
    {
        T::from_uuid(self.next_uuid())
    }
}

impl dyn IdSource + '_ {
    /// A new id of some kind of row.
    pub fn make<T: Id>(&mut self) -> T {
        T::from_uuid(self.next_uuid())
    }
}

/// The UUID of version 7 for this moment and these ten random (or counted) bytes.
///
/// Its first 48 bits are the moment in milliseconds, so ids sort by their time of creation.
pub fn v7(now: Timestamp, bytes: [u8; 10]) -> Uuid {
    let millis = u64::try_from(now.millis()).unwrap_or(0);
    Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
}

/// Ids that count up from a moment: the same each time, for tests and fixtures.
#[derive(Clone, Debug)]
pub struct SequentialIds {
    start: Timestamp,
    given: u64,
}

impl SequentialIds {
    /// Counts from `start`.
    pub const fn starting_at(start: Timestamp) -> Self {
        Self { start, given: 0 }
    }
}

impl IdSource for SequentialIds {
    fn next_uuid(&mut self) -> Uuid {
        self.given += 1;
        let [a, b, c, d, e, f, g, h] = self.given.to_be_bytes();
        v7(self.start, [0, 0, a, b, c, d, e, f, g, h])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaskId;

    #[test]
    fn sequential_ids_are_distinct_and_rise() {
        let mut ids = SequentialIds::starting_at(Timestamp::from_micros(5_000));
        let made: Vec<TaskId> = (0..1_000).map(|_| ids.next_id()).collect();
        assert!(made.is_sorted_by(|a, b| a < b));
        assert!(made.iter().all(|id| id.uuid().get_version_num() == 7));
    }
}
