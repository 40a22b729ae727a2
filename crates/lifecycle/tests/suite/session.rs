//! Sessions and their freshness.

use chorus_lifecycle::session::{FRESH_MICROS, SESSION, SessionEvent as E, SessionStatus as S, is_fresh};

#[test]
fn closing_twice_is_fine_and_reopening_an_active_one_is_not() {
    assert_eq!(SESSION.apply(S::Closed, E::Close), Ok(S::Closed));
    assert!(SESSION.apply(S::Active, E::Reopen).is_err());
}

#[test]
fn a_closed_session_does_not_check_in() {
    assert_eq!(
        SESSION.apply(S::Closed, E::CheckIn).unwrap_err().to_string(),
        "`check_in` is not possible from `closed`"
    );
}

#[test]
fn a_session_is_fresh_for_one_hour() {
    let hour = 60 * 60 * 1_000_000;
    assert_eq!(FRESH_MICROS, hour);
    assert!(is_fresh(S::Active, 5, 5));
    assert!(is_fresh(S::Active, 5, 5 + hour - 1));
    assert!(!is_fresh(S::Active, 5, 5 + hour));
    assert!(!is_fresh(S::Active, i64::MIN, i64::MAX));
    // Clocks of two servers may disagree by a little.
    assert!(is_fresh(S::Active, 6, 5));
}

#[test]
fn a_closed_session_is_neither_fresh_nor_refreshed() {
    assert!(!is_fresh(S::Closed, 5, 5));
    assert!(!S::Closed.is_refreshed_by_use());
    assert!(S::Active.is_refreshed_by_use());
}
