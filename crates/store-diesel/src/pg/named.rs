//! Locks on what has no row, by number. PostgreSQL calls them advisory. Servers that speak its protocol may have none, or
//! accept the call and lock nothing; there rows of a table of our own stand for them.

use diesel::ConnectionResult;

use crate::target::{PgTarget, failed};

/// How many rows stand for all numbers. Two numbers may share one, which costs nothing but a wait.
pub(crate) const SLOTS: i16 = 1_024;

/// How the server locks what has no row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NamedLocks {
    /// By advisory locks.
    #[default]
    Advisory,
    /// By rows of `lock_slot`.
    Rows,
}

/// The row that stands for a number.
pub(crate) fn slot(number: i64) -> i16 {
    i16::try_from(number.rem_euclid(i64::from(SLOTS))).unwrap_or_default()
}

/// Makes the rows that stand for locks, if they are not there. Several processes may do this at once.
pub(crate) async fn make_slots(target: &PgTarget) -> ConnectionResult<()> {
    const TRIES: u32 = 5;
    let make = format!(
        "CREATE TABLE IF NOT EXISTS lock_slot (id smallint PRIMARY KEY); \
         INSERT INTO lock_slot (id) SELECT generate_series(0, {}) ON CONFLICT DO NOTHING",
        SLOTS - 1
    );
    let (client, drives) = target.connect_bare().await?;
    let ended = tokio::spawn(drives);
    let mut made = client.batch_execute(&make).await;
    for _ in 1..TRIES {
        if made.is_ok() {
            break;
        }
        // Another process made it between the look and the making.
        made = client.batch_execute(&make).await;
    }
    drop(client);
    let _ = ended.await;
    made.map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_row() {
        for number in [0, 1, -1, i64::MAX, i64::MIN, 1_023, 1_024, -1_024] {
            assert!((0..SLOTS).contains(&slot(number)), "{number}");
        }
        assert_eq!((slot(5), slot(1_029), slot(-1)), (5, 5, 1_023));
    }
}
