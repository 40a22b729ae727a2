//! Notifications: who is told, what joins, what counts as unread.

use chorus_domain::{
    Batch, Kind, Party, Subject, Write,
    access::Granted,
    identity::Agent,
    notification::{Notification, Recipient, Topic},
    project::{Group, Project},
};
use chorus_ids::{ProjectId, UserId};
use chorus_visibility::{Level, Role, Visibility};

use super::world::{SCRIPTS, Shared, World, at_once, persistently, sorted};
use crate::{Addressee, Hold, NotificationDigest, Roots};

async fn unread(w: &World, recipient: Party) -> NotificationDigest {
    w.read().await.unread(&w.scope(), recipient, 100).await.unwrap()
}

/// Which parties the store finds behind which recipients. Nobody has muted anything.
async fn audience(w: &World, project: ProjectId, recipients: &[Recipient]) -> Vec<(Recipient, Party)> {
    let found = w.read().await.directory().audience(project, recipients).await.unwrap();
    assert!(found.iter().all(|(_, addressee)| addressee.muted.is_empty()), "{found:?}");
    let mut found: Vec<_> = found.into_iter().map(|(recipient, Addressee { party, .. })| (recipient, party)).collect();
    found.sort_unstable();
    found
}

pub async fn a_notification_round_trips(store: &Shared) {
    let w = World::new(store).await;
    let plain = Notification { topic: Topic::Mentioned, ..w.new_notification(w.by(), w.project) };
    let mut expected = vec![Notification { project: None, project_name: String::new(), ..plain }];
    for topic in Topic::ALL {
        expected.push(Notification {
            topic,
            entity: Kind::Task,
            entity_id: w.id::<ProjectId>().uuid(),
            entity_title: SCRIPTS.into(),
            project_name: SCRIPTS.into(),
            message: SCRIPTS.into(),
            actor_name: SCRIPTS.into(),
            ..w.new_notification(w.by(), w.project)
        });
    }
    for actor in [Subject::User(w.user), Subject::Agent(w.agent), Subject::Operator] {
        let entity_id = w.id::<ProjectId>().uuid();
        expected.push(Notification { actor, entity_id, ..w.new_notification(w.by(), w.project) });
    }
    w.apply_as(&Granted::operator(), &Batch::default(), &expected).await.unwrap();
    expected.reverse();
    assert_eq!(unread(&w, w.by()).await, NotificationDigest { unread: expected.len() as u64, recent: expected });
}

pub async fn unread_notifications_are_those_of_the_recipient(store: &Shared) {
    let w = World::new(store).await;
    let (agents, users) = (w.new_notification(w.by(), w.project), w.new_notification(Party::User(w.user), w.project));
    w.notify([agents.clone(), users.clone()]).await;
    assert_eq!(unread(&w, w.by()).await.recent, [agents]);
    assert_eq!(unread(&w, Party::User(w.user)).await.recent, [users]);
    assert_eq!(unread(&w, Party::User(w.first)).await, NotificationDigest::default());
}

pub async fn the_digest_counts_all_and_shows_the_newest(store: &Shared) {
    let w = World::new(store).await;
    let topic = Topic::Mentioned;
    let all: [Notification; 7] =
        std::array::from_fn(|_| Notification { topic, ..w.new_notification(w.by(), w.project) });
    w.notify(all.clone()).await;
    for limit in [0, 1, 3, 7, 9] {
        let digest = w.read().await.unread(&w.scope(), w.by(), limit).await.unwrap();
        let newest: Vec<_> = all.iter().rev().take(limit as usize).cloned().collect();
        assert_eq!(digest, NotificationDigest { unread: 7, recent: newest });
    }
}

pub async fn read_notifications_are_no_longer_unread(store: &Shared) {
    let w = World::new(store).await;
    let topic = Topic::Mentioned;
    let [a, b, c] = std::array::from_fn(|_| Notification { topic, ..w.new_notification(w.by(), w.project) });
    w.notify([a.clone(), b.clone(), c.clone()]).await;
    w.write([Write::MarkRead(vec![a.id, c.id, w.id()], w.tick())]).await;
    assert_eq!(unread(&w, w.by()).await, NotificationDigest { unread: 1, recent: vec![b] });
    w.write([Write::MarkRead(vec![a.id], w.tick())]).await;
    assert_eq!(unread(&w, w.by()).await.unread, 1);
}

pub async fn an_unread_notification_is_refreshed_where_its_topic_joins(store: &Shared) {
    let w = World::new(store).await;
    for topic in Topic::ALL {
        let recipient = Party::Agent(w.put(w.new_agent()).await.id);
        let first = Notification { topic, ..w.new_notification(recipient, w.project) };
        let second = Notification {
            topic,
            message: SCRIPTS.into(),
            actor: Subject::User(w.user),
            actor_name: SCRIPTS.into(),
            ..w.new_notification(recipient, w.project)
        };
        w.notify([first.clone()]).await;
        w.notify([second.clone()]).await;
        let expected =
            if topic.joins() { vec![Notification { id: first.id, count: 2, ..second }] } else { vec![second, first] };
        assert_eq!(unread(&w, recipient).await.recent, expected, "{topic:?}");
    }
}

pub async fn notifications_of_one_batch_join_each_other_too(store: &Shared) {
    let w = World::new(store).await;
    let [a, b, c, d] = std::array::from_fn(|_| w.new_notification(w.by(), w.project));
    w.notify([a.clone(), b.clone()]).await;
    assert_eq!(unread(&w, w.by()).await.recent, [Notification { id: a.id, count: 2, ..b }]);
    w.notify([c, d.clone()]).await;
    assert_eq!(unread(&w, w.by()).await.recent, [Notification { id: a.id, count: 4, ..d }]);
}

pub async fn only_the_same_recipient_entity_and_topic_join(store: &Shared) {
    let w = World::new(store).await;
    let same = w.new_notification(w.by(), w.project);
    let other = |change: fn(&mut Notification, &World)| {
        let mut notification = w.new_notification(w.by(), w.project);
        change(&mut notification, &w);
        notification
    };
    w.notify([
        same,
        other(|it, _| it.topic = Topic::TaskAssigned),
        other(|it, _| it.entity = Kind::Idea),
        other(|it, w| it.entity_id = w.agent.uuid()),
    ])
    .await;
    w.notify([other(|it, w| it.recipient = Party::User(w.user))]).await;
    let mine = unread(&w, w.by()).await;
    assert_eq!((mine.unread, unread(&w, Party::User(w.user)).await.unread), (4, 1));
    assert!(mine.recent.iter().all(|notification| notification.count == 1), "{mine:?}");
}

pub async fn a_read_notification_is_followed_by_a_new_one(store: &Shared) {
    let w = World::new(store).await;
    let (old, new) = (w.new_notification(w.by(), w.project), w.new_notification(w.by(), w.project));
    w.notify([old.clone()]).await;
    w.write([Write::MarkRead(vec![old.id], w.tick())]).await;
    w.notify([new.clone()]).await;
    assert_eq!(unread(&w, w.by()).await.recent, [new]);
}

pub async fn simultaneous_notifications_of_an_owned_entity_join_in_one(store: &Shared) {
    let w = std::sync::Arc::new(World::new(store).await);
    let done = at_once(8, |_| {
        let w = w.clone();
        async move {
            persistently(|| async {
                let mut tx = w.store.begin().await?;
                let mut roots = Roots::default();
                roots.add(Kind::Project, w.project.uuid(), Hold::Own);
                tx.lock(&roots).await?;
                let told = w.new_notification(w.by(), w.project);
                tx.apply(&Granted::operator(), &Batch::default(), &[told]).await?;
                tx.commit().await
            })
            .await
        }
    })
    .await;
    assert!(done.iter().all(Result::is_ok), "{done:?}");
    let digest = unread(&w, w.by()).await;
    assert_eq!((digest.unread, digest.recent[0].count), (1, 8));
}

pub async fn unread_notifications_of_unseen_projects_do_not_exist(store: &Shared) {
    let w = World::new(store).await;
    let (abroad, hidden) = (w.abroad().await, w.hidden_project().await);
    let recipient = Party::User(w.user);
    let shown = w.new_notification(recipient, w.project);
    let unseen = w.new_notification(recipient, hidden);
    let homeless = Notification { project: None, topic: Topic::Mentioned, ..w.new_notification(recipient, w.project) };
    w.notify([shown.clone(), unseen.clone(), homeless.clone()]).await;
    let digest = async |scope| {
        let digest = w.read().await.unread(&scope, recipient, 9).await.unwrap();
        assert_eq!(digest.unread, digest.recent.len() as u64);
        digest.recent
    };
    assert_eq!(digest(w.scope()).await, [homeless.clone(), shown.clone()]);
    assert_eq!(digest(abroad.scope()).await, []);
    w.join(hidden, w.user, Role::Viewer).await;
    assert_eq!(digest(w.scope()).await, [homeless, unseen, shown]);
}

pub async fn the_audience_is_the_parties_and_the_people_behind_them(store: &Shared) {
    let w = World::new(store).await;
    let ownerless = Party::Agent(w.put(Agent { owner: None, ..w.new_agent() }).await.id);
    let (agent, user, first) = (w.by(), Party::User(w.user), Party::User(w.first));
    let (of, owner, admins) = (Recipient::Party, Recipient::OwnerOf, Recipient::ProjectAdmins);
    for (recipients, mut expected) in [
        (vec![of(user)], vec![(of(user), user)]),
        (vec![of(agent)], vec![(of(agent), agent)]),
        (vec![of(ownerless)], vec![(of(ownerless), ownerless)]),
        (vec![owner(agent)], vec![(owner(agent), user)]),
        (vec![owner(user)], vec![]),
        (vec![owner(ownerless)], vec![]),
        (vec![owner(agent), of(user), of(user)], vec![(owner(agent), user), (of(user), user)]),
        (vec![admins], vec![(admins, first)]),
        (vec![admins, of(first), owner(agent)], vec![(admins, first), (of(first), first), (owner(agent), user)]),
        (vec![of(Party::User(w.id())), of(Party::Agent(w.id())), owner(Party::Agent(w.id()))], vec![]),
        (vec![], vec![]),
    ] {
        expected.sort_unstable();
        assert_eq!(audience(&w, w.project, &recipients).await, expected, "{recipients:?}");
    }
    assert_eq!(audience(&w, w.id(), &[of(user), admins]).await, []);
}

pub async fn the_administrators_of_a_project_are_its_own_its_groups_and_the_automatic_one(store: &Shared) {
    let w = World::new(store).await;
    let mut users = Vec::new();
    for _ in 0..4 {
        users.push(w.put(w.new_user()).await.id);
    }
    let (local, of_group, viewer, editor) = (users[0], users[1], users[2], users[3]);
    for visibility in Visibility::ALL {
        let admins = async |project| -> Vec<Party> {
            let found = audience(&w, project, &[Recipient::ProjectAdmins]).await;
            found.into_iter().map(|(_, party)| party).collect()
        };
        let users = |users: &[UserId]| sorted(users.iter().copied().map(Party::User).collect());
        let alone = w.put(Project { visibility, ..w.new_project() }).await.id;
        w.join(alone, viewer, Role::Viewer).await;
        w.join(alone, editor, Role::Editor).await;
        assert_eq!(admins(alone).await, users(&[w.first]));
        w.join(alone, local, Role::Admin).await;
        assert_eq!(admins(alone).await, users(&[local]));

        let group = w.put(Group { visibility, ..w.new_group() }).await.id;
        let child = w.put(Project { group: Some(group), visibility, ..w.new_project() }).await.id;
        w.join_group(group, viewer, Role::Viewer).await;
        w.join_group(group, editor, Role::Editor).await;
        assert_eq!(admins(child).await, users(&[w.first]));
        // A local administrator does not end what the group falls back to; its own administrator does.
        w.join(child, local, Role::Admin).await;
        assert_eq!(admins(child).await, users(&[local, w.first]));
        w.join_group(group, of_group, Role::Admin).await;
        assert_eq!(admins(child).await, users(&[local, of_group]));
        w.join_group(group, local, Role::Admin).await;
        assert_eq!(admins(child).await, users(&[local, of_group]));
    }
}

pub async fn the_audience_is_only_who_sees_the_project(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    let hidden = w.hidden_project().await;
    let group = w.put(Group { visibility: Visibility::Private, ..w.new_group() }).await.id;
    let child = w.put(Project { group: Some(group), visibility: Visibility::Private, ..w.new_project() }).await.id;
    let ownerless = Party::Agent(w.put(Agent { owner: None, ..w.new_agent() }).await.id);
    let (agent, user, first) = (w.by(), Party::User(w.user), Party::User(w.first));
    let everybody = [agent, user, first, ownerless, abroad.by(), Party::User(abroad.user), Party::User(abroad.first)];
    let recipients: Vec<_> =
        everybody.into_iter().flat_map(|party| [Recipient::Party(party), Recipient::OwnerOf(party)]).collect();
    let told = async |project| -> Vec<Party> {
        let mut told: Vec<_> = audience(&w, project, &recipients).await.into_iter().map(|(_, party)| party).collect();
        told.sort_unstable();
        told.dedup();
        told
    };
    let parties = |mut parties: Vec<Party>| {
        parties.sort_unstable();
        parties
    };
    assert_eq!(told(w.project).await, parties(vec![agent, user, first, ownerless]));
    assert_eq!(told(hidden).await, []);
    assert_eq!(told(child).await, [first]);
    w.join(hidden, w.user, Role::Viewer).await;
    w.join_group(group, w.user, Role::Viewer).await;
    assert_eq!(told(hidden).await, parties(vec![agent, user]));
    assert_eq!(told(child).await, parties(vec![agent, user, first]));
}

pub async fn notifications_about_what_is_gone_are_put_away(store: &Shared) {
    let w = World::new(store).await;
    let about = |entity, id: chorus_ids::TaskId| Notification {
        entity,
        entity_id: id.uuid(),
        ..w.new_notification(w.by(), w.project)
    };
    let (one, two, other) = (w.id(), w.id(), w.id());
    w.notify([about(Kind::Task, one), about(Kind::Task, two), about(Kind::Task, other), about(Kind::Idea, one)]).await;
    let gone = vec![one.uuid(), two.uuid()];
    w.write([Write::ArchiveAbout(Kind::Task, gone, w.tick()), Write::ArchiveAbout(Kind::Task, vec![], w.tick())]).await;
    let left = w.read().await.unread(&w.scope(), w.by(), 10).await.unwrap();
    let mut left: Vec<_> = left.recent.iter().map(|one| (one.entity, one.entity_id)).collect();
    left.sort_unstable();
    let mut expected = vec![(Kind::Task, other.uuid()), (Kind::Idea, one.uuid())];
    expected.sort_unstable();
    assert_eq!(left, expected);
    // News of the same thing begins anew.
    w.notify([about(Kind::Task, two)]).await;
    assert_eq!(w.read().await.unread(&w.scope(), w.by(), 10).await.unwrap().recent[0].count, 1);
}

pub async fn the_level_of_a_party_is_its_own_or_its_owners(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    let hidden = w.hidden_project().await;
    let ownerless = w.put(Agent { owner: None, ..w.new_agent() }).await.id;
    let level = async |project, party| w.read().await.directory().level_of(project, party).await.unwrap();
    for party in [Party::User(w.user), w.by(), Party::Agent(ownerless)] {
        assert_eq!(level(w.project, party).await, Some(Level::Editor), "{party:?}");
        assert_eq!(level(hidden, party).await, Some(Level::None), "{party:?}");
    }
    for (role, expected) in [(Role::Viewer, Level::Viewer), (Role::Editor, Level::Editor), (Role::Admin, Level::Admin)]
    {
        w.join(hidden, w.user, role).await;
        assert_eq!(level(hidden, Party::User(w.user)).await, Some(expected));
        assert_eq!(level(hidden, w.by()).await, Some(expected));
        assert_eq!(level(hidden, Party::Agent(ownerless)).await, Some(Level::None));
    }
    for stranger in [abroad.by(), Party::User(abroad.user), Party::Agent(w.id()), Party::User(w.id())] {
        assert_eq!(level(w.project, stranger).await, None);
    }
    assert_eq!(level(w.id(), w.by()).await, None);
}
