//! Notifications: who is told, what joins, what counts as unread.

use std::collections::BTreeMap;

use chorus_domain::{
    Batch, Kind, Party, Subject, Write,
    access::Granted,
    idea::Idea,
    identity::Agent,
    notification::{Notification, Preference, Recipient, Topic, damping::Exchange},
    project::{Group, Project},
};
use chorus_ids::{AgentId, PageSize, ProjectId, Timestamp, UserId};
use chorus_visibility::{Level, Role, Visibility};

use super::world::{SCRIPTS, Shared, World, at_once, persistently, size, sorted};
use crate::{Addressee, Hold, NotificationDigest, NotificationPage, Position, ReadState, Roots, Span};

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
            entity_id: w.put(w.new_task(w.project)).await.id.uuid(),
            entity_title: SCRIPTS.into(),
            project_name: SCRIPTS.into(),
            message: SCRIPTS.into(),
            actor_name: SCRIPTS.into(),
            ..w.new_notification(w.by(), w.project)
        });
    }
    for actor in [Subject::User(w.user), Subject::Agent(w.agent), Subject::Operator] {
        let (entity, entity_id) = (Kind::Idea, w.put(w.new_idea(w.project)).await.id.uuid());
        expected.push(Notification { actor, entity, entity_id, ..w.new_notification(w.by(), w.project) });
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

const START: Span = Span { after: None, skip: 0, size: PageSize::MAX };

async fn part(w: &World, recipient: Party, state: ReadState, span: &Span) -> NotificationPage {
    w.read().await.notifications(&w.scope(), recipient, state, span).await.unwrap()
}

async fn list(w: &World, recipient: Party, state: ReadState) -> Vec<Notification> {
    let NotificationPage { page, unread: _ } = part(w, recipient, state, &START).await;
    assert_eq!((page.total, page.more), (page.rows.len() as u64, false));
    page.rows.into_iter().map(|row| row.item).collect()
}

/// Mentions of the agent, which never join.
async fn mentions<const N: usize>(w: &World) -> [Notification; N] {
    let topic = Topic::Mentioned;
    let told: [Notification; N] =
        std::array::from_fn(|_| Notification { topic, ..w.new_notification(w.by(), w.project) });
    w.notify(told.clone()).await;
    told
}

pub async fn what_is_gone_is_told_about_its_project_and_what_moved_where_it_is(store: &Shared) {
    let w = World::new(store).await;
    let (open, hidden) =
        (w.put(Project { name: "There".into(), ..w.new_project() }).await.id, w.hidden_project().await);
    let (gone, moved, lost) = (w.new_idea(w.project), w.new_idea(w.project), w.new_idea(w.project));
    let about = |idea: &Idea| Notification {
        entity: Kind::Idea,
        entity_id: idea.id.uuid(),
        entity_title: "As it was".into(),
        ..w.new_notification(w.by(), w.project)
    };
    let told = [about(&gone), about(&moved), about(&lost)];
    let (moved, lost) = (w.put(moved).await, w.put(lost).await);
    w.notify(told.clone()).await;
    let [of_gone, of_moved, of_lost] = told;
    let home = Notification { entity: Kind::Project, entity_id: w.project.uuid(), ..of_gone };
    assert_eq!(unread(&w, w.by()).await.recent, [of_lost.clone(), of_moved.clone(), home.clone()]);
    w.write([
        Write::SaveIdea(Idea { project: open, version: 2, ..moved }),
        Write::SaveIdea(Idea { project: hidden, version: 2, ..lost }),
    ])
    .await;
    let there = Notification { project: Some(open), project_name: "There".into(), ..of_moved };
    let digest = unread(&w, w.by()).await;
    assert_eq!(digest, NotificationDigest { unread: 2, recent: vec![there.clone(), home.clone()] });
    assert_eq!(list(&w, w.by(), ReadState::All).await, [there, home]);
    w.write([Write::MarkAllRead(w.by(), w.scope(), w.tick())]).await;
    w.join(hidden, w.user, Role::Viewer).await;
    let found = unread(&w, w.by()).await.recent;
    assert_eq!(found.iter().map(|one| (one.id, one.project)).collect::<Vec<_>>(), [(of_lost.id, Some(hidden))]);
}

pub async fn notifications_are_listed_by_state_newest_first(store: &Shared) {
    let w = World::new(store).await;
    let [a, b, c] = mentions(&w).await;
    let at = w.tick();
    w.write([Write::MarkRead(vec![b.id], at)]).await;
    let b = Notification { read_at: Some(at), ..b };
    assert_eq!(list(&w, w.by(), ReadState::Unread).await, [c.clone(), a.clone()]);
    assert_eq!(list(&w, w.by(), ReadState::Read).await, std::slice::from_ref(&b));
    assert_eq!(list(&w, w.by(), ReadState::All).await, [c, b, a]);
    for (state, total) in [(ReadState::Unread, 2), (ReadState::Read, 1), (ReadState::All, 3)] {
        let found = part(&w, w.by(), state, &START).await;
        assert_eq!((found.page.total, found.unread), (total, 2), "{state:?}");
        let nobody = part(&w, Party::User(w.user), state, &START).await;
        assert_eq!((nobody.page.total, nobody.unread, nobody.page.rows.len()), (0, 0, 0), "{state:?}");
    }
}

pub async fn a_span_begins_behind_a_place_or_after_some_rows(store: &Shared) {
    let w = World::new(store).await;
    let all: [Notification; 7] = mentions(&w).await;
    let newest: Vec<_> = all.iter().rev().map(|one| one.id).collect();
    let place = |index: usize| {
        let one = &all[all.len() - 1 - index];
        Position { rank: 0, at: one.created_at, id: one.id.uuid() }
    };
    for (after, skip, rows, expected) in [
        (None, 0, 3, 0..3),
        (None, 5, 3, 5..7),
        (None, 7, 3, 7..7),
        (None, 900, 3, 7..7),
        (Some(place(1)), 0, 2, 2..4),
        (Some(place(1)), 3, 9, 5..7),
        (Some(place(6)), 0, 9, 7..7),
    ] {
        let span = Span { after, skip, size: size(rows) };
        for state in [ReadState::Unread, ReadState::All] {
            let found = part(&w, w.by(), state, &span).await;
            let ids: Vec<_> = found.page.rows.iter().map(|row| row.item.id).collect();
            assert_eq!(ids, newest[expected.clone()], "{span:?}");
            assert_eq!((found.page.total, found.unread), (7, 7), "{span:?}");
            assert_eq!(found.page.more, expected.end < 7, "{span:?}");
            assert!(found.page.rows.iter().all(|row| row.at.id == row.item.id.uuid()));
        }
    }
}

pub async fn one_notification_is_found_by_its_recipient_alone(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let shown = w.new_notification(w.by(), w.project);
    let unseen = w.new_notification(w.by(), hidden);
    w.notify([shown.clone(), unseen.clone()]).await;
    let find = async |recipient, id| w.read().await.notification(&w.scope(), recipient, id).await.unwrap();
    assert_eq!(find(w.by(), shown.id).await, Some(shown.clone()));
    assert_eq!(find(Party::User(w.user), shown.id).await, None);
    assert_eq!(find(w.by(), unseen.id).await, None);
    assert_eq!(find(w.by(), w.id()).await, None);
    let abroad = w.abroad().await;
    assert_eq!(w.read().await.notification(&abroad.scope(), w.by(), shown.id).await.unwrap(), None);
}

pub async fn marking_all_spares_what_is_newer_hidden_or_somebody_elses(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let [old, read] = mentions(&w).await;
    let before = w.tick();
    w.write([Write::MarkRead(vec![read.id], before)]).await;
    let unseen = w.new_notification(w.by(), hidden);
    let theirs = w.new_notification(Party::User(w.user), w.project);
    let homeless = Notification { project: None, topic: Topic::Mentioned, ..w.new_notification(w.by(), w.project) };
    w.notify([unseen.clone(), theirs.clone(), homeless.clone()]).await;
    let at = w.tick();
    let [newer] = mentions(&w).await;
    w.write([Write::MarkAllRead(w.by(), w.scope(), at)]).await;
    assert_eq!(unread(&w, w.by()).await.recent, [newer]);
    assert_eq!(unread(&w, Party::User(w.user)).await.recent, [theirs]);
    let times = list(&w, w.by(), ReadState::Read).await.into_iter().map(|one| (one.id, one.read_at));
    assert_eq!(
        times.collect::<Vec<_>>(),
        [(homeless.id, Some(at)), (read.id, Some(before)), (old.id, Some(at))],
        "who read one before keeps the time"
    );
    w.join(hidden, w.user, Role::Viewer).await;
    assert!(unread(&w, w.by()).await.recent.contains(&unseen), "what nobody could read stays unread");
}

pub async fn what_was_archived_is_neither_listed_nor_counted(store: &Shared) {
    let w = World::new(store).await;
    let [kept, away] = mentions(&w).await;
    let at = w.tick();
    w.write([Write::ArchiveNotification(away.id, at)]).await;
    w.write([Write::ArchiveNotification(away.id, w.tick()), Write::ArchiveNotification(w.id(), at)]).await;
    assert_eq!(unread(&w, w.by()).await, NotificationDigest { unread: 1, recent: vec![kept.clone()] });
    assert_eq!(list(&w, w.by(), ReadState::All).await, [kept]);
    assert_eq!(list(&w, w.by(), ReadState::Read).await, []);
    let found = w.read().await.notification(&w.scope(), w.by(), away.id).await.unwrap();
    assert_eq!(found, Some(Notification { archived_at: Some(at), ..away }));
    // News joins no archived one.
    let (old, new) = (w.new_notification(w.by(), w.project), w.new_notification(w.by(), w.project));
    w.notify([old.clone()]).await;
    w.write([Write::ArchiveNotification(old.id, w.tick())]).await;
    w.notify([new.clone()]).await;
    assert_eq!(unread(&w, w.by()).await.recent[0], new);
}

async fn muted(w: &World, owner: Party) -> Vec<Preference> {
    w.read().await.muted(&w.scope(), owner).await.unwrap()
}

/// What somebody sets, at a new time.
fn set<const N: usize>(w: &World, owner: Party, wanted: [(Preference, bool); N]) -> Write {
    Write::SetPreferences(w.company, owner, BTreeMap::from(wanted), w.tick())
}

pub async fn preferences_are_all_on_and_set_one_by_one(store: &Shared) {
    let w = World::new(store).await;
    assert_eq!(muted(&w, w.by()).await, []);
    for preference in Preference::ALL {
        w.write([set(&w, w.by(), [(preference, false)])]).await;
        assert!(muted(&w, w.by()).await.contains(&preference), "{preference:?}");
    }
    assert_eq!(sorted(muted(&w, w.by()).await), sorted(Preference::ALL.to_vec()));
    // Each by itself, and the owner's are another's.
    for preference in Preference::ALL {
        w.write([set(&w, w.by(), [(preference, true)])]).await;
        assert!(!muted(&w, w.by()).await.contains(&preference), "{preference:?}");
    }
    assert_eq!(muted(&w, w.by()).await, []);
    let (a, b) = (Preference::CommentAdded, Preference::Mentioned);
    w.write([set(&w, Party::User(w.user), [(a, false), (b, true)])]).await;
    assert_eq!(muted(&w, Party::User(w.user)).await, [a]);
    assert_eq!(muted(&w, w.by()).await, []);
    w.write([set(&w, Party::User(w.user), [])]).await;
    assert_eq!(muted(&w, Party::User(w.user)).await, [a]);
    let abroad = w.abroad().await;
    assert_eq!(w.read().await.muted(&abroad.scope(), Party::User(w.user)).await.unwrap(), []);
}

pub async fn what_is_muted_comes_with_the_audience(store: &Shared) {
    let w = World::new(store).await;
    let (of, owner) = (Recipient::Party(w.by()), Recipient::OwnerOf(w.by()));
    w.write([
        set(&w, w.by(), [(Preference::TaskAssigned, false)]),
        set(&w, Party::User(w.user), [(Preference::IdeaClaimed, false), (Preference::Mentioned, false)]),
    ])
    .await;
    let found = w.read().await.directory().audience(w.project, &[of, owner]).await.unwrap();
    let found =
        sorted(found.into_iter().map(|(recipient, told)| (recipient, told.party, sorted(told.muted))).collect());
    let expected = vec![
        (of, w.by(), vec![Preference::TaskAssigned]),
        (owner, Party::User(w.user), sorted(vec![Preference::IdeaClaimed, Preference::Mentioned])),
    ];
    assert_eq!(found, sorted(expected));
}

pub async fn exchanges_count_mentions_of_two_agents_about_one_thing(store: &Shared) {
    let w = World::new(store).await;
    let (b, c, d) = (w.put(w.new_agent()).await.id, w.put(w.new_agent()).await.id, w.put(w.new_agent()).await.id);
    let task = w.put(w.new_task(w.project)).await.id.uuid();
    let mention = |from: Subject, to: Party| Notification {
        topic: Topic::Mentioned,
        entity: Kind::Task,
        entity_id: task,
        actor: from,
        ..w.new_notification(to, w.project)
    };
    let agents = |from: AgentId, to: AgentId| mention(Subject::Agent(from), Party::Agent(to));
    w.notify([agents(w.agent, b)]).await;
    let since = w.tick();
    let held = agents(b, w.agent);
    let read = agents(w.agent, b);
    w.notify([
        agents(w.agent, b),
        read.clone(),
        agents(b, w.agent),
        Notification { read_at: Some(held.created_at), ..held },
        agents(c, w.agent),
        // None of these: other agents, people, another thing, another topic.
        agents(b, c),
        agents(w.agent, d),
        mention(Subject::User(w.user), w.by()),
        Notification { entity_id: w.project.uuid(), entity: Kind::Project, ..agents(w.agent, b) },
        Notification { topic: Topic::CommentAdded, ..agents(w.agent, b) },
    ])
    .await;
    w.write([Write::MarkRead(vec![read.id], w.tick())]).await;
    let exchanges = async |others: &[AgentId], since: Timestamp| {
        let mut reads = w.read().await;
        sorted(reads.directory().exchanges(w.agent, others, (Kind::Task, task), since).await.unwrap())
    };
    let with_b = (b, Exchange { told: 3, held_back: 1 });
    assert_eq!(exchanges(&[b, c], since).await, sorted(vec![with_b, (c, Exchange { told: 1, held_back: 0 })]));
    assert_eq!(exchanges(&[b], since).await, [with_b]);
    assert_eq!(exchanges(&[b], Timestamp::from_micros(0)).await, [(b, Exchange { told: 4, held_back: 1 })]);
    assert_eq!(exchanges(&[b], w.tick()).await, []);
    assert_eq!(exchanges(&[], since).await, []);
}

pub async fn notifications_about_what_is_gone_are_put_away(store: &Shared) {
    let w = World::new(store).await;
    let about = |entity, entity_id| Notification { entity, entity_id, ..w.new_notification(w.by(), w.project) };
    let [one, two, other] = [(); 3].map(|()| w.new_task(w.project));
    w.put_all([one.clone(), two.clone(), other.clone()]).await;
    let idea = w.put(w.new_idea(w.project)).await.id.uuid();
    let (one, two, other) = (one.id.uuid(), two.id.uuid(), other.id.uuid());
    w.notify([about(Kind::Task, one), about(Kind::Task, two), about(Kind::Task, other), about(Kind::Idea, idea)]).await;
    let gone = vec![one, two];
    w.write([Write::ArchiveAbout(Kind::Task, gone, w.tick()), Write::ArchiveAbout(Kind::Task, vec![], w.tick())]).await;
    let left = w.read().await.unread(&w.scope(), w.by(), 10).await.unwrap();
    let mut left: Vec<_> = left.recent.iter().map(|one| (one.entity, one.entity_id)).collect();
    left.sort_unstable();
    let mut expected = vec![(Kind::Task, other), (Kind::Idea, idea)];
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
