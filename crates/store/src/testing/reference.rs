//! References.

use chorus_domain::{Batch, Kind, Party, Write, reference::Reference};
use chorus_ids::{ReferenceId, Uuid};
use chorus_lifecycle::reference::ReferenceType;

use super::world::{SCRIPTS, Shared, World, sorted};
use crate::Error;

async fn of(w: &World, kind: Kind, id: Uuid) -> Vec<Reference> {
    w.read().await.references(&w.scope(), kind, id).await.unwrap()
}

async fn one(w: &World, id: ReferenceId) -> Option<Reference> {
    w.read().await.reference(&w.scope(), id).await.unwrap()
}

pub async fn references_of_every_target_are_listed_oldest_first(store: &Shared) {
    let w = World::new(store).await;
    let targets: [(Kind, Uuid); 3] = [
        (Kind::Idea, w.put(w.new_idea(w.project)).await.id.uuid()),
        (Kind::Proposal, w.put(w.new_proposal(w.project, &[])).await.id.uuid()),
        (Kind::Task, w.put(w.new_task(w.project)).await.id.uuid()),
    ];
    let mut expected = targets.map(|_| Vec::new());
    for kind in ReferenceType::ALL {
        for (index, (target, id)) in targets.into_iter().enumerate() {
            let (url, notes) = (format!("https://例え.example/{SCRIPTS}"), Some(SCRIPTS.into()));
            let by = Party::User(w.user);
            let new =
                Reference { kind, url, notes, created_by: by, title: SCRIPTS.into(), ..w.new_reference(target, id) };
            expected[index].push(w.put(new).await);
        }
    }
    for ((target, id), expected) in targets.into_iter().zip(expected) {
        assert_eq!(of(&w, target, id).await, expected);
        assert_eq!(one(&w, expected[1].id).await.as_ref(), Some(&expected[1]));
    }
    assert_eq!(of(&w, Kind::Task, targets[0].1).await, []);
    assert_eq!(of(&w, Kind::Document, targets[0].1).await, []);
}

pub async fn saving_a_reference_keeps_its_target_and_maker(store: &Shared) {
    let w = World::new(store).await;
    let task = w.put(w.new_task(w.project)).await.id.uuid();
    let before = w.put(w.new_reference(Kind::Task, task)).await;
    let after = Reference {
        kind: ReferenceType::PaperBlog,
        url: "http://other.example".into(),
        title: "Other".into(),
        notes: None,
        updated_at: w.tick(),
        ..before.clone()
    };
    let forged = Reference { created_by: Party::User(w.first), created_at: w.tick(), ..after.clone() };
    w.write([Write::SaveReference(forged)]).await;
    assert_eq!(of(&w, Kind::Task, task).await, [after]);
}

pub async fn a_reference_that_is_gone_is_neither_saved_nor_dropped_again(store: &Shared) {
    let w = World::new(store).await;
    let task = w.put(w.new_task(w.project)).await.id.uuid();
    let (kept, gone) = (w.put(w.new_reference(Kind::Task, task)).await, w.put(w.new_reference(Kind::Task, task)).await);
    w.write([Write::DropReference(gone.id)]).await;
    assert_eq!(of(&w, Kind::Task, task).await, [kept]);
    assert_eq!(one(&w, gone.id).await, None);
    for write in [Write::DropReference(gone.id), Write::SaveReference(gone)] {
        let again = w.try_write([write]).await;
        assert!(matches!(again, Err(Error::Again(_))), "{again:?}");
    }
}

pub async fn references_of_unseen_projects_do_not_exist(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let targets: [(Kind, Uuid); 3] = [
        (Kind::Idea, w.put(w.new_idea(hidden)).await.id.uuid()),
        (Kind::Proposal, w.put(w.new_proposal(hidden, &[])).await.id.uuid()),
        (Kind::Task, w.put(w.new_task(hidden)).await.id.uuid()),
    ];
    for (target, id) in targets {
        let reference = w.put(w.new_reference(target, id)).await.id;
        assert_eq!(of(&w, target, id).await, []);
        assert_eq!(one(&w, reference).await, None);
        let located = w.locate(&w.principal(Some(w.user)), Kind::Reference, reference.uuid()).await.unwrap();
        assert_eq!(located.facts.project, hidden);
    }
    // Nor do those of a thing that is gone.
    let lost = w.put(w.new_reference(Kind::Task, w.id::<chorus_ids::TaskId>().uuid())).await.id;
    assert_eq!(one(&w, lost).await, None);
}

pub async fn references_say_what_they_are_attached_to(store: &Shared) {
    let w = World::new(store).await;
    let task = w.put(w.new_task(w.project)).await.id.uuid();
    let idea = w.put(w.new_idea(w.project)).await.id.uuid();
    let on_task = w.put(w.new_reference(Kind::Task, task)).await.id.uuid();
    let on_idea = w.put(w.new_reference(Kind::Idea, idea)).await.id.uuid();
    let mut reads = w.read().await;
    let nothing: Uuid = w.id::<ReferenceId>().uuid();
    let targets = reads.directory().reference_targets(&[on_task, nothing, on_idea]).await.unwrap();
    assert_eq!(sorted(targets), sorted(vec![(Kind::Task, task), (Kind::Idea, idea)]));
    assert_eq!(reads.directory().reference_targets(&[]).await.unwrap(), []);
}

pub async fn a_reference_needs_a_grant_for_what_it_is_attached_to(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let elsewhere = w.put(w.new_task(other)).await.id.uuid();
    let stored = w.put(w.new_reference(Kind::Task, elsewhere)).await;
    let granted = w.granted(&[w.project]).await;
    for write in [
        Write::NewReferences(vec![w.new_reference(Kind::Task, elsewhere)]),
        Write::NewReferences(vec![w.new_reference(Kind::Task, w.id::<chorus_ids::TaskId>().uuid())]),
        Write::SaveReference(stored.clone()),
        Write::DropReference(stored.id),
    ] {
        let batch = Batch { writes: vec![write], ..Batch::default() };
        let refused = w.apply_as(&granted, &batch, &[]).await;
        assert!(matches!(refused, Err(Error::Internal(_))), "{refused:?}");
    }
    assert_eq!(of(&w, Kind::Task, elsewhere).await, [stored]);
    // What the batch itself makes is covered by where it is made.
    let idea = w.new_idea(w.project);
    let reference = w.new_reference(Kind::Idea, idea.id.uuid());
    let writes = vec![Write::NewIdea(idea.clone()), Write::NewReferences(vec![reference.clone()])];
    w.apply_as(&granted, &Batch { writes, ..Batch::default() }, &[]).await.unwrap();
    assert_eq!(of(&w, Kind::Idea, idea.id.uuid()).await, [reference]);
}
