//! What a recipient has done with a notification.

use chorus_lifecycle::notification::{NOTIFICATION, NotificationEvent as E, NotificationState as S};

#[test]
fn two_times_make_a_state() {
    assert_eq!(S::of::<i64>(None, None), S::Unread);
    assert_eq!(S::of(Some(1), None), S::Read);
    assert_eq!(S::of(None, Some(1)), S::Archived);
    assert_eq!(S::of(Some(1), Some(2)), S::Archived);
}

#[test]
fn only_an_unread_one_is_refreshed() {
    for state in S::ALL {
        assert_eq!(NOTIFICATION.apply(state, E::Refresh).is_ok(), state == S::Unread, "{state}");
    }
}

#[test]
fn there_is_no_way_back_to_unread() {
    for (from, _, to) in NOTIFICATION.moves {
        assert!(*to != S::Unread || *from == S::Unread, "{from} to {to}");
    }
}
