//! Activity streams and change events.

use chorus_domain::{
    Batch, Kind, Subject,
    access::Granted,
    activity::{Action, Activity},
    event::{Change, Event},
};
use serde_json::json;

use super::world::{SCRIPTS, Shared, WHOLE, World, assert_discreet, at_once, items};
use crate::{Hold, Roots};

pub async fn an_activity_round_trips(store: &Shared) {
    let w = World::new(store).await;
    let mut stream: Vec<Activity> =
        Action::ALL.map(|action| Activity { action, ..w.new_activity(w.project) }).into_iter().collect();
    stream.extend(Kind::ALL.map(|target| Activity {
        target,
        target_id: w.id::<chorus_ids::IdeaId>().uuid(),
        ..w.new_activity(w.project)
    }));
    for actor in [Subject::User(w.user), Subject::Agent(w.agent), Subject::Operator] {
        stream.push(Activity {
            actor,
            target_title: SCRIPTS.into(),
            value: Some(json!({ "text": SCRIPTS, "none": null, "list": [1, 0.5, true], "of": { "min": i64::MIN, "max": u64::MAX } })),
            session: Some((w.id(), SCRIPTS.into())),
            ..w.new_activity(w.project)
        });
    }
    stream.push(Activity { value: Some(json!({})), ..w.new_activity(w.project) });
    w.put_all(stream.clone()).await;
    stream.reverse();
    let page = w.read().await.activities(&w.scope(), w.project, &WHOLE).await.unwrap();
    assert_eq!((page.total, page.more), (stream.len() as u64, false));
    assert_eq!(items(page), stream);
}

pub async fn a_stream_is_that_of_its_project(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let mine = w.put(w.new_activity(w.project)).await;
    let theirs = w.put(w.new_activity(other)).await;
    for (project, expected) in [(w.project, vec![mine]), (other, vec![theirs]), (w.id(), vec![])] {
        assert_eq!(items(w.read().await.activities(&w.scope(), project, &WHOLE).await.unwrap()), expected);
    }
}

pub async fn what_happened_to_one_thing_is_listed_wherever_the_scope_sees_it(store: &Shared) {
    let w = World::new(store).await;
    let (other, hidden) = (w.put(w.new_project()).await.id, w.hidden_project().await);
    let id = w.id::<chorus_ids::IdeaId>().uuid();
    let about = |project, target| Activity { target, target_id: id, ..w.new_activity(project) };
    let old = w.put(about(other, Kind::Idea)).await;
    w.put_all([about(hidden, Kind::Idea), about(w.project, Kind::Task), w.new_activity(w.project)]).await;
    let new = w.put(about(w.project, Kind::Idea)).await;
    let page = w.read().await.activities_about(&w.scope(), Kind::Idea, id, &WHOLE).await.unwrap();
    assert_eq!((page.total, items(page)), (2, vec![new, old]));
}

pub async fn events_are_part_of_the_unit(store: &Shared) {
    let w = World::new(store).await;
    for (change, kind) in
        [(Change::Created, Kind::Task), (Change::Updated, Kind::Group), (Change::Deleted, Kind::Project)]
    {
        // An id that is taken is refused, which shows whether the event is there.
        let event = Event { change, ..w.new_event(w.project, kind, w.project.uuid()) };
        let batch = Batch { events: vec![event.clone()], ..Batch::default() };
        let mut lost = w.begin().await;
        lost.apply(&Granted::operator(), &batch, &[]).await.unwrap();
        lost.rollback().await.unwrap();
        w.put(event).await;
        assert_discreet(&w.apply(batch).await.unwrap_err());
    }
    w.put(Event { project: None, actor: Subject::Operator, ..w.new_event(w.project, Kind::User, w.user.uuid()) }).await;
}

pub async fn many_events_of_one_entity_fit_in_one_batch(store: &Shared) {
    let w = World::new(store).await;
    for _ in 0..3 {
        let mut batch = Batch::default();
        batch.events.extend((0..120).map(|_| w.new_event(w.project, Kind::Project, w.project.uuid())));
        batch.activities.extend((0..120).map(|_| w.new_activity(w.project)));
        w.apply(batch).await.unwrap();
    }
    assert_eq!(w.read().await.activities(&w.scope(), w.project, &WHOLE).await.unwrap().total, 360);
}

pub async fn simultaneous_events_of_an_owned_entity_are_all_kept(store: &Shared) {
    let w = std::sync::Arc::new(World::new(store).await);
    let kept = at_once(8, |_| {
        let w = w.clone();
        async move {
            let mut roots = Roots::default();
            roots.add(Kind::Project, w.project.uuid(), Hold::Own);
            let mut batch = Batch::default();
            batch.events.push(w.new_event(w.project, Kind::Project, w.project.uuid()));
            batch.activities.push(w.new_activity(w.project));
            let mut tx = w.store.begin().await?;
            tx.lock(&roots).await?;
            tx.apply(&Granted::operator(), &batch, &[]).await?;
            tx.commit().await
        }
    })
    .await;
    assert!(kept.iter().all(Result::is_ok), "{kept:?}");
    assert_eq!(w.read().await.activities(&w.scope(), w.project, &WHOLE).await.unwrap().total, 8);
}
