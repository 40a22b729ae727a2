//! Sessions of agents and their check-ins.

use chorus_domain::{
    Batch, Kind, Write,
    access::Granted,
    identity::Agent,
    session::{Checkin, Session, Worker},
    task::{Task, TaskRef},
};
use chorus_ids::{AgentId, SessionId, TaskId, Timestamp};
use chorus_lifecycle::session::SessionStatus;

use super::world::{SCRIPTS, Shared, WHOLE, World, at_once, items, persistently, sorted};
use crate::{AtWork, Hold, Roots};

async fn session(w: &World, agent: AgentId, id: SessionId) -> Option<Session> {
    w.read().await.session(&w.scope(), agent, id).await.unwrap()
}

async fn list(w: &World, agent: AgentId, status: Option<SessionStatus>) -> Vec<Session> {
    items(w.read().await.sessions(&w.scope(), agent, status, &WHOLE).await.unwrap())
}

async fn checkins(w: &World, id: SessionId) -> Vec<Checkin> {
    w.read().await.checkins(&w.scope(), id).await.unwrap()
}

async fn workers(w: &World, tasks: &[TaskId], since: Timestamp) -> Vec<Worker> {
    w.read().await.workers(&w.scope(), tasks, since).await.unwrap()
}

async fn task(w: &World) -> Task {
    w.put(w.new_task(w.project)).await
}

pub async fn a_session_round_trips_for_its_agent_alone(store: &Shared) {
    let w = World::new(store).await;
    let plain = w.put(w.new_session()).await;
    let full = w
        .put(Session {
            name: SCRIPTS.into(),
            description: Some(SCRIPTS.into()),
            status: SessionStatus::Closed,
            ..w.new_session()
        })
        .await;
    let (other, abroad) = (w.put(w.new_agent()).await.id, w.abroad().await);
    for stored in [plain, full] {
        assert_eq!(session(&w, other, stored.id).await, None);
        assert_eq!(w.read().await.session(&abroad.scope(), w.agent, stored.id).await.unwrap(), None);
        assert_eq!(session(&w, w.agent, stored.id).await, Some(stored));
    }
    assert_eq!(session(&w, w.agent, w.id()).await, None);
}

pub async fn sessions_are_listed_newest_first_by_status_and_agent(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_agent()).await.id;
    let (old, closed, new) = (
        w.put(w.new_session()).await,
        w.put(Session { status: SessionStatus::Closed, ..w.new_session() }).await,
        w.put(w.new_session()).await,
    );
    let theirs = w.put(Session { agent: other, ..w.new_session() }).await;
    assert_eq!(list(&w, w.agent, None).await, [new.clone(), closed.clone(), old.clone()]);
    assert_eq!(list(&w, w.agent, Some(SessionStatus::Active)).await, [new, old]);
    assert_eq!(list(&w, w.agent, Some(SessionStatus::Closed)).await, [closed]);
    assert_eq!(list(&w, other, None).await, [theirs]);
    assert_eq!(list(&w, w.id(), None).await, []);
}

pub async fn use_refreshes_active_sessions_and_no_clock_goes_back(store: &Shared) {
    let w = World::new(store).await;
    let made = w.put(w.new_session()).await;
    let (early, late) = (w.tick(), w.tick());
    w.write([Write::TouchSession(made.id, late)]).await;
    w.write([Write::TouchSession(made.id, early), Write::TouchSession(w.id(), late)]).await;
    let used = Session { last_active_at: late, ..made.clone() };
    assert_eq!(session(&w, w.agent, made.id).await, Some(used.clone()));
    let end = w.tick();
    w.write([Write::SetSessionStatus(made.id, SessionStatus::Closed, end)]).await;
    w.write([Write::TouchSession(made.id, w.tick())]).await;
    let closed = Session { status: SessionStatus::Closed, last_active_at: end, updated_at: end, ..used };
    assert_eq!(session(&w, w.agent, made.id).await, Some(closed));
}

pub async fn a_session_is_once_at_each_task_until_it_leaves(store: &Shared) {
    let w = World::new(store).await;
    let (made, other) = (w.put(w.new_session()).await.id, w.put(w.new_session()).await.id);
    let (a, b) = (task(&w).await.id, task(&w).await.id);
    let first = w.put(w.new_checkin(made, a)).await;
    let second = w.put(w.new_checkin(made, b)).await;
    let elsewhere = w.put(w.new_checkin(other, a)).await;
    assert_eq!(checkins(&w, made).await, [first, second]);
    // Coming again is the same check-in with another time.
    let again = w.put(w.new_checkin(made, a)).await;
    assert_eq!(checkins(&w, made).await, [second, Checkin { at: again.at, ..first }]);
    let left = w.tick();
    w.write([Write::EndCheckin(made, b, left), Write::EndCheckin(made, w.id(), left)]).await;
    assert_eq!(checkins(&w, made).await, [Checkin { at: again.at, ..first }]);
    let back = w.put(w.new_checkin(made, b)).await;
    assert_eq!(checkins(&w, made).await, [Checkin { at: again.at, ..first }, Checkin { at: back.at, ..second }]);
    w.write([Write::EndCheckins(made, w.tick())]).await;
    assert_eq!(checkins(&w, made).await, []);
    assert_eq!(checkins(&w, other).await, [elsewhere]);
}

pub async fn the_tasks_of_a_session_are_told_to_its_agent_hidden_ones_too(store: &Shared) {
    let w = World::new(store).await;
    let made = w.put(w.new_session()).await.id;
    let hidden = w.hidden_project().await;
    let (seen, unseen, left) = (task(&w).await, w.put(w.new_task(hidden)).await, task(&w).await);
    for task in [&seen, &unseen, &left] {
        w.put(w.new_checkin(made, task.id)).await;
    }
    w.write([Write::EndCheckin(made, left.id, w.tick())]).await;
    let told =
        async |agent, session| sorted(w.read().await.directory().tasks_of_session(agent, session).await.unwrap());
    assert_eq!(told(w.agent, made).await, sorted(vec![(seen.id, w.project), (unseen.id, hidden)]));
    assert_eq!(told(w.put(w.new_agent()).await.id, made).await, []);
    assert_eq!(told(w.agent, w.id()).await, []);
    assert_eq!(checkins(&w, made).await.iter().map(|checkin| checkin.task).collect::<Vec<_>>(), [seen.id]);
}

pub async fn workers_are_the_fresh_sessions_at_a_task(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let (busy, idle, unseen) = (task(&w).await.id, task(&w).await.id, w.put(w.new_task(hidden)).await.id);
    let stale = w.put(Session { name: "stale".into(), ..w.new_session() }).await;
    let since = stale.last_active_at;
    let (first, closed, left, last) = (
        w.put(Session { name: SCRIPTS.into(), ..w.new_session() }).await,
        w.put(w.new_session()).await,
        w.put(w.new_session()).await,
        w.put(w.new_session()).await,
    );
    let mut arrivals = Vec::new();
    for session in [&stale, &first, &closed, &left, &last] {
        arrivals.push(w.put(w.new_checkin(session.id, busy)).await);
    }
    w.put(w.new_checkin(first.id, unseen)).await;
    w.write([
        Write::EndCheckin(left.id, busy, w.tick()),
        Write::SetSessionStatus(closed.id, SessionStatus::Closed, w.tick()),
    ])
    .await;
    let worker = |session: &Session, arrival: &Checkin| Worker {
        task: busy,
        session: session.id,
        name: session.name.clone(),
        agent: w.agent,
        since: arrival.at,
    };
    let expected = [worker(&last, &arrivals[4]), worker(&first, &arrivals[1])];
    assert_eq!(workers(&w, &[busy, idle, unseen, w.id()], since).await, expected);
    assert_eq!(workers(&w, &[idle], since).await, []);
    assert_eq!(workers(&w, &[], since).await, []);
    // An agent is told how many of its own there are, wherever they are.
    let profile = async |agent| w.read().await.directory().profile(agent, since).await.unwrap().unwrap();
    assert_eq!(profile(w.agent).await.active_sessions, 3);
    assert_eq!(profile(w.put(w.new_agent()).await.id).await.active_sessions, 0);
}

pub async fn checkins_go_with_their_session_and_their_task(store: &Shared) {
    let w = World::new(store).await;
    let made = w.put(w.new_session()).await.id;
    let nowhere = w.new_checkin(made, w.id());
    let nobody = w.new_checkin(w.id(), task(&w).await.id);
    for checkin in [nowhere, nobody] {
        w.try_write([Write::PutCheckin(checkin)]).await.unwrap_err();
    }
    let stranger = Session { agent: w.id(), ..w.new_session() };
    w.try_write([Write::NewSession(stranger)]).await.unwrap_err();
}

pub async fn a_checkin_needs_a_grant_for_its_task_and_leaving_all_needs_none(store: &Shared) {
    let w = World::new(store).await;
    let made = w.put(w.new_session()).await.id;
    let elsewhere = w.put(w.new_project()).await.id;
    let task = w.put(w.new_task(elsewhere)).await.id;
    let granted = w.granted(&[w.project]).await;
    let apply = async |write: Write, granted: &Granted| {
        w.apply_as(granted, &Batch { writes: vec![write], ..Batch::default() }, &[]).await
    };
    let checkin = w.new_checkin(made, task);
    apply(Write::PutCheckin(checkin), &granted).await.unwrap_err();
    assert_eq!(checkins(&w, made).await, []);
    apply(Write::PutCheckin(checkin), &w.granted(&[elsewhere]).await).await.unwrap();
    apply(Write::EndCheckin(made, task, w.tick()), &granted).await.unwrap_err();
    assert_eq!(checkins(&w, made).await, [checkin]);
    for write in [
        Write::TouchSession(made, w.tick()),
        Write::SetSessionStatus(made, SessionStatus::Closed, w.tick()),
        Write::EndCheckins(made, w.tick()),
    ] {
        apply(write, &w.granted(&[]).await).await.unwrap();
    }
    assert_eq!(checkins(&w, made).await, []);
}

pub async fn a_session_that_is_closed_while_another_checks_in_is_left_at_no_task(store: &Shared) {
    let w = std::sync::Arc::new(World::new(store).await);
    let made = w.put(w.new_session()).await;
    let other: AgentId = w.put(Agent { owner: None, ..w.new_agent() }).await.id;
    let (id, agent) = (made.id, w.agent);
    let mut tasks = Vec::new();
    for _ in 0..7 {
        tasks.push(task(&w).await.id);
    }
    let done = at_once(8, |index| {
        let (w, task) = (w.clone(), tasks.get(index).copied());
        async move {
            persistently(|| async {
                let mut tx = w.store.begin().await?;
                let mut roots = Roots::default();
                roots.add(Kind::Session, id.uuid(), Hold::Own);
                tx.lock(&roots).await?;
                let found = tx.session(&w.scope(), agent, id).await?.map(|session| session.status);
                let writes = match (task, found) {
                    (Some(task), Some(SessionStatus::Active)) => vec![Write::PutCheckin(w.new_checkin(id, task))],
                    (Some(_), _) => vec![],
                    (None, _) => vec![
                        Write::SetSessionStatus(id, SessionStatus::Closed, w.tick()),
                        Write::EndCheckins(id, w.tick()),
                    ],
                };
                tx.apply(&Granted::operator(), &Batch { writes, ..Batch::default() }, &[]).await?;
                tx.commit().await
            })
            .await
        }
    })
    .await;
    assert!(done.iter().all(Result::is_ok), "{done:?}");
    assert_eq!(checkins(&w, id).await, []);
    assert_eq!(session(&w, other, id).await, None);
}

pub async fn those_at_work_on_a_project_are_its_fresh_active_sessions(store: &Shared) {
    let w = World::new(store).await;
    let (elsewhere, hidden) = (w.put(w.new_project()).await.id, w.hidden_project().await);
    let session = async |status| w.put(Session { status, ..w.new_session() }).await;
    let (stale, closed) = (session(SessionStatus::Active).await, session(SessionStatus::Closed).await);
    let since = w.tick();
    let (quiet, busy) = (session(SessionStatus::Active).await, session(SessionStatus::Active).await);
    let (a, b) = (w.put(Task { assignee: w.held_by(w.by()), ..w.new_task(w.project) }).await, task(&w).await);
    let (far, unseen) = (w.put(w.new_task(elsewhere)).await, w.put(w.new_task(hidden)).await);
    for (session, task) in [(&stale, &a), (&closed, &a), (&quiet, &far), (&quiet, &unseen)] {
        w.put(w.new_checkin(session.id, task.id)).await;
    }
    let left = w.put(w.new_checkin(quiet.id, b.id)).await;
    w.write([Write::EndCheckin(quiet.id, left.task, w.tick())]).await;
    let first = w.put(w.new_checkin(busy.id, a.id)).await;
    let second = w.put(w.new_checkin(busy.id, b.id)).await;
    let third = w.put(w.new_checkin(quiet.id, a.id)).await;
    let at_work = async |project, limit| w.read().await.at_work(&w.scope(), project, since, limit).await.unwrap();
    let at = |session: &Session, task: &Task, checkin: &Checkin| AtWork {
        session: session.clone(),
        task: TaskRef {
            id: task.id,
            title: task.title.clone(),
            status: task.status,
            assignee: task.assignee.map(|held| held.to),
        },
        since: checkin.at,
    };
    let expected = [at(&busy, &b, &second), at(&busy, &a, &first), at(&quiet, &a, &third)];
    assert_eq!(at_work(w.project, 9).await, expected);
    assert_eq!(at_work(w.project, 2).await, expected[..2]);
    assert_eq!(at_work(elsewhere, 9).await.len(), 1);
    assert_eq!(at_work(hidden, 9).await, []);
}
