//! Comments.

use chorus_domain::{Kind, Party, comment::Comment};
use chorus_ids::Uuid;

use super::world::{SCRIPTS, Shared, WHOLE, World, items};
use crate::{Order, PageRequest};

async fn list(w: &World, kind: Kind, id: Uuid, order: Order, page: &PageRequest) -> crate::Page<Comment> {
    w.read().await.comments(&w.scope(), kind, id, order, page).await.unwrap()
}

pub async fn comments_of_every_target_are_listed_oldest_first_or_newest_first(store: &Shared) {
    let w = World::new(store).await;
    let targets: [(Kind, Uuid); 4] = [
        (Kind::Idea, w.put(w.new_idea(w.project)).await.id.uuid()),
        (Kind::Proposal, w.put(w.new_proposal(w.project, &[])).await.id.uuid()),
        (Kind::Document, w.put(w.new_document(w.project)).await.id.uuid()),
        (Kind::Task, w.put(w.new_task(w.project)).await.id.uuid()),
    ];
    let mut expected = targets.map(|_| Vec::new());
    for author in [w.by(), Party::User(w.user), Party::User(w.first)] {
        for (index, (kind, id)) in targets.into_iter().enumerate() {
            let comment = Comment { author, content: SCRIPTS.into(), ..w.new_comment(kind, id) };
            expected[index].push(w.put(comment).await);
        }
    }
    for ((kind, id), mut expected) in targets.into_iter().zip(expected) {
        let page = list(&w, kind, id, Order::Oldest, &WHOLE).await;
        assert_eq!((page.total, page.more), (3, false));
        assert_eq!(items(page), expected);
        expected.reverse();
        assert_eq!(items(list(&w, kind, id, Order::Newest, &WHOLE).await), expected);
    }
}

pub async fn comments_are_those_of_kind_and_id(store: &Shared) {
    let w = World::new(store).await;
    let task = w.put(w.new_task(w.project)).await.id.uuid();
    w.put(w.new_comment(Kind::Task, task)).await;
    for (kind, id) in [(Kind::Idea, task), (Kind::Project, w.project.uuid()), (Kind::Task, w.agent.uuid())] {
        let page = list(&w, kind, id, Order::Oldest, &WHOLE).await;
        assert_eq!((page.total, page.rows.len(), page.more), (0, 0, false), "{kind}");
    }
}

pub async fn the_log_of_a_group_is_never_listed(store: &Shared) {
    let w = World::new(store).await;
    let group = w.put(w.new_group()).await.id.uuid();
    w.put(w.new_comment(Kind::Group, group)).await;
    assert_eq!(list(&w, Kind::Group, group, Order::Oldest, &WHOLE).await.total, 0);
}
