//! Sessions of agents and their check-ins to tasks (lifecycle specification §8).

use chorus_ids::{AgentId, CheckinId, CompanyId, SessionId, TaskId, Timestamp};
use chorus_lifecycle::{
    session::{FRESH_MICROS, SESSION, SessionEvent, SessionStatus},
    task::TaskStatus,
};
use serde_json::json;

use crate::{
    Code, Party, Refusal,
    task::{Task, work},
    text::{self, Use},
};

/// A named worker of one agent; unrelated to the transport, which has no sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// Its tenant.
    pub company: CompanyId,
    /// Whose it is.
    pub agent: AgentId,
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Active or closed.
    pub status: SessionStatus,
    /// When it last did something.
    pub last_active_at: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its status was last set.
    pub updated_at: Timestamp,
}

/// A session at a task. There is one for each pair, whose time is that of the last arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkin {
    /// Its id.
    pub id: CheckinId,
    /// The session.
    pub session: SessionId,
    /// The task.
    pub task: TaskId,
    /// Since when.
    pub at: Timestamp,
}

/// A session that is at a task now, as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// The task.
    pub task: TaskId,
    /// The session.
    pub session: SessionId,
    /// What it is called.
    pub name: String,
    /// Whose it is.
    pub agent: AgentId,
    /// Since when it is at the task.
    pub since: Timestamp,
}

/// What a new session is called, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionForm {
    /// Its name; need not be unique.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
}

/// Sessions last active before this moment are no longer fresh.
pub const fn fresh_since(now: Timestamp) -> Timestamp {
    now.plus_micros(-FRESH_MICROS)
}

/// A new session of `agent`.
///
/// # Errors
/// `invalid_arguments` for texts that can't be stored.
pub fn create(
    id: SessionId,
    form: SessionForm,
    (company, agent): (CompanyId, AgentId),
    now: Timestamp,
) -> Result<Session, Refusal> {
    let SessionForm { name, description } = form;
    let checks = [
        text::check("name", &name, Use::Title),
        text::check("description", description.as_deref().unwrap_or_default(), Use::Body),
    ];
    Refusal::unless_fine(checks.into_iter().filter_map(Result::err).collect())?;
    Ok(Session {
        id,
        company,
        agent,
        name,
        description: text::present(description),
        status: SESSION.initial,
        last_active_at: now,
        created_at: now,
        updated_at: now,
    })
}

/// Whether the session may check in to a task.
///
/// # Errors
/// `invalid_state` for a closed one.
pub fn check_in(session: &Session) -> Result<(), Refusal> {
    SESSION.apply(session.status, SessionEvent::CheckIn).map(drop).map_err(|_| {
        Refusal::new(
            Code::InvalidState,
            "This session is `closed` and can't check in to tasks. Call chorus_reopen_session first, or check in with \
             another session (chorus_list_sessions, chorus_create_session).",
        )
        .with(json!({ "status": session.status.as_str() }))
    })
}

/// The session put away. A closed one stays as it is.
#[must_use]
pub fn close(session: &Session, now: Timestamp) -> Session {
    match SESSION.apply(session.status, SessionEvent::Close) {
        Ok(status) if status != session.status => {
            Session { status, last_active_at: now, updated_at: now, ..session.clone() }
        }
        Ok(_) | Err(_) => session.clone(),
    }
}

/// The session taken up again; it is at no task.
///
/// # Errors
/// `invalid_state` unless it is closed.
pub fn reopen(session: &Session, now: Timestamp) -> Result<Session, Refusal> {
    let status = SESSION.apply(session.status, SessionEvent::Reopen).map_err(|_| {
        Refusal::new(
            Code::InvalidState,
            format!(
                "This session is `{}`; only a closed one is reopened. Use it as it is: chorus_session_checkin_task.",
                session.status
            ),
        )
        .with(json!({ "status": session.status.as_str() }))
    })?;
    Ok(Session { status, last_active_at: now, updated_at: now, ..session.clone() })
}

/// The session after it was used: fresh, unless it is closed.
#[must_use]
pub fn used(session: &Session, now: Timestamp) -> Session {
    if session.status.is_refreshed_by_use() {
        Session { last_active_at: session.last_active_at.max(now), ..session.clone() }
    } else {
        session.clone()
    }
}

/// The task in the hands of the agent whose session checks in to it: an open task that nobody holds is taken without
/// a word (lifecycle specification §6.2). Nothing for any other task.
pub fn takes(task: &Task, agent: AgentId, now: Timestamp) -> Option<Task> {
    match (task.status, task.assignee) {
        (TaskStatus::Open, None) => work::claim(task, None, Party::Agent(agent), now).ok(),
        (TaskStatus::Open, Some(_))
        | (
            TaskStatus::Assigned
            | TaskStatus::InProgress
            | TaskStatus::ToVerify
            | TaskStatus::Done
            | TaskStatus::Closed,
            _,
        ) => None,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::task::samples::{COMPANY, ME, NOW, OTHER, task};

    const LATER: Timestamp = NOW.plus_micros(5);

    fn form(name: &str, description: Option<&str>) -> SessionForm {
        SessionForm { name: name.into(), description: description.map(Into::into) }
    }

    fn session(status: SessionStatus) -> Session {
        let made = create(SessionId::from_u128(1), form("builder", None), (COMPANY, ME), NOW).unwrap();
        Session { status, ..made }
    }

    #[test]
    fn a_session_begins_active_and_its_texts_have_limits() {
        let made = create(SessionId::from_u128(1), form("builder", Some("  ")), (COMPANY, ME), NOW).unwrap();
        assert_eq!((made.status, made.agent, made.description), (SessionStatus::Active, ME, None));
        assert_eq!((made.last_active_at, made.created_at, made.updated_at), (NOW, NOW, NOW));
        for (name, description) in [(" ", None), ("a\0b", None), ("x", Some("a\0b"))] {
            let refused = create(SessionId::from_u128(1), form(name, description), (COMPANY, ME), NOW);
            assert_eq!(refused.map_err(|refusal| refusal.code), Err(Code::InvalidArguments));
        }
    }

    #[test]
    fn only_an_active_session_checks_in() {
        assert_eq!(check_in(&session(SessionStatus::Active)), Ok(()));
        let refused = check_in(&session(SessionStatus::Closed)).unwrap_err();
        assert_eq!((refused.code, refused.details), (Code::InvalidState, Some(json!({ "status": "closed" }))));
        assert!(refused.text.contains("chorus_reopen_session"), "{}", refused.text);
    }

    #[test]
    fn closing_refreshes_once_and_reopening_needs_a_closed_one() {
        let closed = close(&session(SessionStatus::Active), LATER);
        assert_eq!((closed.status, closed.last_active_at, closed.updated_at), (SessionStatus::Closed, LATER, LATER));
        assert_eq!(close(&closed, LATER.plus_micros(1)), closed);
        let open = reopen(&closed, LATER.plus_micros(9)).unwrap();
        assert_eq!((open.status, open.last_active_at), (SessionStatus::Active, LATER.plus_micros(9)));
        let refused = reopen(&open, LATER).unwrap_err();
        assert_eq!((refused.code, refused.details), (Code::InvalidState, Some(json!({ "status": "active" }))));
        assert!(refused.text.contains("`active`"), "{}", refused.text);
    }

    #[test]
    fn use_refreshes_an_active_session_and_never_turns_its_clock_back() {
        assert_eq!(used(&session(SessionStatus::Active), LATER).last_active_at, LATER);
        assert_eq!(used(&session(SessionStatus::Active), NOW.plus_micros(-1)).last_active_at, NOW);
        assert_eq!(used(&session(SessionStatus::Closed), LATER), session(SessionStatus::Closed));
    }

    #[test]
    fn only_an_open_task_that_nobody_holds_is_taken() {
        let taken = takes(&task(TaskStatus::Open, None), ME, NOW).unwrap();
        assert_eq!((taken.status, taken.version), (TaskStatus::Assigned, 4));
        assert_eq!(taken.assignee.map(|held| (held.to, held.by)), Some((Party::Agent(ME), None)));
        for status in TaskStatus::ALL {
            assert_eq!(takes(&task(status, Some(Party::Agent(OTHER))), ME, NOW), None, "{status}");
            if status != TaskStatus::Open {
                assert_eq!(takes(&task(status, None), ME, NOW), None, "{status}");
            }
        }
    }

    #[test]
    fn fresh_is_what_was_active_within_the_hour() {
        assert_eq!(fresh_since(NOW), Timestamp::from_micros(NOW.micros() - 3_600_000_000));
    }
}
