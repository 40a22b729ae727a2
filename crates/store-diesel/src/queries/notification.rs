//! Notifications: what is unread, and how news joins it.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chorus_domain::{
    Kind, Party,
    notification::{Notification, Preference, Topic, damping::Exchange},
};
use chorus_ids::{AgentId, CompanyId, NotificationId, ProjectId, Timestamp, Uuid};
use chorus_store::{NotificationDigest, NotificationPage, Notifications, Page, Position, ReadState, Result, Row, Span};
use chorus_visibility::Scope;
use diesel::{
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{BigInt, Bool, Nullable, Text},
};

use super::{Conn, Db, columns::columns, preference::muted_by, run::execute, unit::Unit};
use crate::{
    fragment::{Constant, ROWS, Total, behind, constant, fixed, insert_all, on_conflict, padded},
    schema::notification,
    stored::{count32, count64, party, subject},
    types::{Label, Stamp, Uid, Val},
    visible::{list, visible},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = notification, check_for_backend(Db))]
struct NotificationRow {
    id: NotificationId,
    company_id: CompanyId,
    project_id: Option<ProjectId>,
    project_name: String,
    recipient_type: String,
    recipient_id: Uuid,
    entity_type: Kind,
    entity_id: Uuid,
    entity_title: String,
    action: Topic,
    message: String,
    actor_type: String,
    actor_id: Uuid,
    actor_name: String,
    count: i32,
    read_at: Option<Timestamp>,
    archived_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl NotificationRow {
    /// The notification, pointing at what is there.
    fn read(self, now_in: Option<(ProjectId, String)>) -> Result<Notification> {
        let stored = Notification {
            id: self.id,
            company: self.company_id,
            recipient: party(&self.recipient_type, self.recipient_id)?,
            project: self.project_id,
            project_name: self.project_name,
            entity: self.entity_type,
            entity_id: self.entity_id,
            entity_title: self.entity_title,
            topic: self.action,
            message: self.message,
            actor: subject(&self.actor_type, self.actor_id)?,
            actor_name: self.actor_name,
            count: self.count,
            read_at: self.read_at,
            archived_at: self.archived_at,
            created_at: self.created_at,
        };
        Ok(stored.placed(now_in))
    }
}

/// A row with the project where its entity is now.
type Loaded = (NotificationRow, Option<ProjectId>, Option<String>);

/// The same with how many there are.
type Counted = (NotificationRow, Option<ProjectId>, Option<String>, i64);

fn read((row, project, name): Loaded) -> Result<Notification> {
    row.read(project.zip(name))
}

/// The project in which the entity is now: nothing if it is gone. Kinds that live in no project stay where they were.
macro_rules! place {
    () => {
        "(CASE notification.entity_type \
         WHEN 'project' THEN (SELECT np.id FROM project np WHERE np.id = notification.entity_id) \
         WHEN 'idea' THEN (SELECT np.project_id FROM idea np WHERE np.id = notification.entity_id) \
         WHEN 'proposal' THEN (SELECT np.project_id FROM proposal np WHERE np.id = notification.entity_id) \
         WHEN 'document' THEN (SELECT np.project_id FROM document np WHERE np.id = notification.entity_id) \
         WHEN 'task' THEN (SELECT np.project_id FROM task np WHERE np.id = notification.entity_id) \
         ELSE notification.project_id END)"
    };
}

const PLACE: Constant<Nullable<Uid>> = constant(place!());

/// What that project is called.
const PLACE_NAME: Constant<Nullable<Text>> =
    constant(concat!("(SELECT nq.name FROM project nq WHERE nq.id = ", place!(), ")"));

/// Where the reader has to look: that project, or for what is gone the one where it was.
const HERE: Constant<Uid> = constant(concat!("COALESCE(", place!(), ", notification.project_id)"));

/// It is where it was, or gone: the usual case, in which one look at who sees what is enough.
const STAYED: Constant<Bool> =
    constant(concat!("COALESCE(", place!(), ", notification.project_id) = notification.project_id"));

/// The notifications of the recipient that the scope sees; see [`Notifications`].
macro_rules! of {
    ($scope:expr, $recipient:expr) => {
        notification::table
            .filter(notification::recipient_type.eq(Val($recipient.kind())))
            .filter(notification::recipient_id.eq(Val($recipient.uuid())))
            .filter(notification::company_id.eq(Val($scope.company())))
            .filter(
                notification::project_id
                    .is_null()
                    .or(visible($scope, notification::project_id.assume_not_null())
                        .and(STAYED.or(visible($scope, HERE)))),
            )
    };
}

/// The same in this state, without what was archived.
macro_rules! listed {
    ($scope:expr, $recipient:expr, $state:expr) => {{
        let listed = of!($scope, $recipient).filter(notification::archived_at.is_null()).into_boxed::<Db>();
        match $state {
            ReadState::Unread => listed.filter(notification::read_at.is_null()),
            ReadState::Read => listed.filter(notification::read_at.is_not_null()),
            ReadState::All => listed,
        }
    }};
}

#[async_trait]
impl Notifications for Unit {
    async fn unread(&mut self, scope: &Scope, recipient: Party, limit: u32) -> Result<NotificationDigest> {
        let unread = || listed!(scope, recipient, ReadState::Unread);
        if limit == 0 {
            let unread = count64(self.count(unread().count()).await?);
            return Ok(NotificationDigest { unread, recent: Vec::new() });
        }
        let newest = unread()
            .order((notification::created_at.desc(), notification::id.desc()))
            .limit(limit.into())
            .select((columns::<NotificationRow>(), PLACE, PLACE_NAME, Total(unread().count())));
        let loaded: Vec<Counted> = self.rows(newest).await?;
        let total = loaded.first().map_or(0, |(.., total)| *total);
        let recent = loaded.into_iter().map(|(row, project, name, _)| read((row, project, name)));
        Ok(NotificationDigest { unread: count64(total), recent: recent.collect::<Result<_>>()? })
    }

    async fn unread_mentions(&mut self, scope: &Scope, recipient: Party, limit: u32) -> Result<NotificationDigest> {
        let unread =
            || listed!(scope, recipient, ReadState::Unread).filter(notification::action.eq(Val(Topic::Mentioned)));
        let newest = unread()
            .order((notification::created_at.desc(), notification::id.desc()))
            .limit(limit.into())
            .select((columns::<NotificationRow>(), PLACE, PLACE_NAME, Total(unread().count())));
        let loaded: Vec<Counted> = self.rows(newest).await?;
        let total = loaded.first().map_or(0, |(.., total)| *total);
        let recent = loaded.into_iter().map(|(row, project, name, _)| read((row, project, name)));
        Ok(NotificationDigest { unread: count64(total), recent: recent.collect::<Result<_>>()? })
    }

    async fn notification(
        &mut self,
        scope: &Scope,
        recipient: Party,
        id: NotificationId,
    ) -> Result<Option<Notification>> {
        let found = of!(scope, recipient).filter(notification::id.eq(Val(id))).select((
            columns::<NotificationRow>(),
            PLACE,
            PLACE_NAME,
        ));
        let found: Option<Loaded> = self.row(found).await?;
        found.map(read).transpose()
    }

    async fn notifications(
        &mut self,
        scope: &Scope,
        recipient: Party,
        state: ReadState,
        span: &Span,
    ) -> Result<NotificationPage> {
        let all = || listed!(scope, recipient, state);
        let part = match span.after {
            Some(place) => all().filter(behind(notification::created_at, notification::id, &place)),
            None => all(),
        };
        let size = span.size.get() as usize;
        let part = part
            .order((notification::created_at.desc(), notification::id.desc()))
            .offset(span.skip.into())
            .limit(i64::from(span.size.get()) + 1)
            .select((columns::<NotificationRow>(), PLACE, PLACE_NAME, Total(all().count())));
        let loaded: Vec<Counted> = self.rows(part).await?;
        let total = match loaded.as_slice() {
            [(.., total), ..] => *total,
            [] if span.skip > 0 || span.after.is_some() => self.count(all().count()).await?,
            [] => 0,
        };
        let unread = match state {
            ReadState::Unread => total,
            ReadState::Read | ReadState::All => {
                self.count(listed!(scope, recipient, ReadState::Unread).count()).await?
            }
        };
        let more = loaded.len() > size;
        let rows = loaded.into_iter().take(size).map(|(row, project, name, _)| {
            let item = read((row, project, name))?;
            Ok(Row { at: Position { rank: 0, at: item.created_at, id: item.id.uuid() }, item })
        });
        let page = Page { rows: rows.collect::<Result<_>>()?, total: count64(total), more };
        Ok(NotificationPage { page, unread: count64(unread) })
    }

    async fn muted(&mut self, scope: &Scope, owner: Party) -> Result<Vec<Preference>> {
        muted_by(self, scope.company(), owner).await
    }
}

/// See [`Directory::exchanges`](chorus_store::Directory::exchanges).
pub(super) async fn exchanges(
    unit: &mut Unit,
    agent: AgentId,
    others: &[AgentId],
    (kind, id): (Kind, Uuid),
    since: Timestamp,
) -> Result<Vec<(AgentId, Exchange)>> {
    if others.is_empty() {
        return Ok(Vec::new());
    }
    let found: Vec<(AgentId, i64, i64)> = unit.rows(Exchanges { agent, others, kind, id, since }).await?;
    let exchange = |(other, all, held_back): (AgentId, i64, i64)| {
        (other, Exchange { told: count32(all - held_back), held_back: count32(held_back) })
    };
    Ok(found.into_iter().map(exchange).collect())
}

/// A whole statement: mentions between an agent and others about one thing. What was held back is read from the moment
/// it was made; whatever somebody reads is older by then.
struct Exchanges<'o> {
    agent: AgentId,
    others: &'o [AgentId],
    kind: Kind,
    id: Uuid,
    since: Timestamp,
}

impl Query for Exchanges<'_> {
    type SqlType = (Uid, BigInt, BigInt);
}
impl QueryId for Exchanges<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for Exchanges<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(
            "SELECT e.other, COUNT(*), COUNT(CASE WHEN e.read_at = e.created_at THEN 1 END) FROM \
             (SELECT CASE WHEN n.recipient_id = ",
        );
        out.push_bind_param::<Uid, _>(&self.agent)?;
        out.push_sql(
            " THEN n.actor_id ELSE n.recipient_id END AS other, n.read_at, n.created_at FROM notification n \
             WHERE n.action = 'mentioned' AND n.recipient_type = 'agent' AND n.actor_type = 'agent' \
             AND n.entity_type = ",
        );
        out.push_bind_param::<Label, _>(&self.kind)?;
        out.push_sql(" AND n.entity_id = ");
        out.push_bind_param::<Uid, _>(&self.id)?;
        out.push_sql(" AND n.created_at > ");
        out.push_bind_param::<Stamp, _>(&self.since)?;
        out.push_sql(" AND ((n.recipient_id = ");
        out.push_bind_param::<Uid, _>(&self.agent)?;
        out.push_sql(" AND n.actor_id IN ");
        list(&mut out, self.others)?;
        out.push_sql(") OR (n.actor_id = ");
        out.push_bind_param::<Uid, _>(&self.agent)?;
        out.push_sql(" AND n.recipient_id IN ");
        list(&mut out, self.others)?;
        out.push_sql("))) e GROUP BY e.other");
        Ok(())
    }
}

/// What has to agree for notifications to join: recipient, entity and topic.
type Thread = (Party, Kind, Uuid, Topic);

/// Joins within the batch: one statement can't refresh a row twice. In the order of the threads, in which everybody
/// takes their rows.
fn joined(new: &[Notification]) -> Vec<Notification> {
    let mut threads = BTreeMap::<Thread, Notification>::new();
    let mut single = Vec::new();
    for new in new {
        if !new.topic.joins() {
            single.push(new.clone());
            continue;
        }
        threads
            .entry((new.recipient, new.entity, new.entity_id, new.topic))
            .and_modify(|first| {
                let (id, count) = (first.id, first.count.saturating_add(new.count));
                *first = Notification { id, count, ..new.clone() };
            })
            .or_insert_with(|| new.clone());
    }
    threads.into_values().chain(single).collect()
}

/// Refreshes the unread one of the same recipient, entity and topic where there is one (README decision 26). The index
/// with this condition makes that exact, also between units: the second waits for the first.
const REFRESH: &str = " ON CONFLICT (recipient_type, recipient_id, entity_type, entity_id, action) \
     WHERE read_at IS NULL AND archived_at IS NULL AND joins DO UPDATE SET \
     project_id = excluded.project_id, project_name = excluded.project_name, entity_title = excluded.entity_title, \
     message = excluded.message, actor_type = excluded.actor_type, actor_id = excluded.actor_id, \
     actor_name = excluded.actor_name, created_at = excluded.created_at, \
     count = notification.count + excluded.count";

/// Stores new notifications, each by itself or joined with an unread one.
pub(super) async fn insert_notifications(conn: &mut Conn, new: &[Notification]) -> QueryResult<usize> {
    let mut made = 0;
    for new in joined(new).chunks(ROWS) {
        let rows = new.iter().map(|new| {
            (
                notification::id.eq(Val(new.id)),
                notification::company_id.eq(Val(new.company)),
                notification::project_id.eq(new.project.map(Val)),
                notification::project_name.eq(&new.project_name),
                notification::recipient_type.eq(Val(new.recipient.kind())),
                notification::recipient_id.eq(Val(new.recipient.uuid())),
                notification::entity_type.eq(Val(new.entity)),
                notification::entity_id.eq(Val(new.entity_id)),
                notification::entity_title.eq(&new.entity_title),
                notification::action.eq(Val(new.topic)),
                notification::joins.eq(new.topic.joins()),
                notification::message.eq(&new.message),
                notification::actor_type.eq(Val(new.actor.kind())),
                notification::actor_id.eq(Val(new.actor.uuid())),
                notification::actor_name.eq(&new.actor_name),
                notification::count.eq(new.count),
                notification::read_at.eq(new.read_at.map(Val)),
                notification::archived_at.eq(new.archived_at.map(Val)),
                notification::created_at.eq(Val(new.created_at)),
            )
        });
        if let Some(insert) = insert_all(notification::table, rows) {
            made += execute(conn, on_conflict(insert, REFRESH)).await?;
        }
    }
    Ok(made)
}

/// Marks notifications as read; one that was read before keeps its time.
pub(super) async fn mark_read(conn: &mut Conn, ids: &[NotificationId], at: Timestamp) -> QueryResult<usize> {
    let mut marked = 0;
    for ids in ids.chunks(ROWS) {
        let unread = notification::table
            .filter(notification::id.eq_any(padded(ids.iter().map(Val))))
            .filter(notification::read_at.is_null());
        marked += execute(conn, fixed(diesel::update(unread).set(notification::read_at.eq(Some(Val(at)))))).await?;
    }
    Ok(marked)
}

/// Puts notifications about these things away; one that was put away before keeps its time.
pub(super) async fn archive_about(conn: &mut Conn, kind: Kind, ids: &[Uuid], at: Timestamp) -> QueryResult<usize> {
    let mut archived = 0;
    for ids in ids.chunks(ROWS) {
        let about = notification::table
            .filter(notification::entity_type.eq(Val(kind)))
            .filter(notification::entity_id.eq_any(padded(ids.iter().map(Val))))
            .filter(notification::archived_at.is_null());
        archived +=
            execute(conn, fixed(diesel::update(about).set(notification::archived_at.eq(Some(Val(at)))))).await?;
    }
    Ok(archived)
}

/// Marks everything unread of somebody as read that the scope sees and that is not newer than `at`.
pub(super) async fn mark_all_read(
    conn: &mut Conn,
    recipient: Party,
    scope: &Scope,
    at: Timestamp,
) -> QueryResult<usize> {
    let unread = of!(scope, recipient)
        .filter(notification::read_at.is_null())
        .filter(notification::archived_at.is_null())
        .filter(notification::created_at.le(Val(at)));
    execute(conn, fixed(diesel::update(unread).set(notification::read_at.eq(Some(Val(at)))))).await
}

/// Puts a notification away; one that was before keeps its time.
pub(super) async fn archive(conn: &mut Conn, id: NotificationId, at: Timestamp) -> QueryResult<usize> {
    let kept = notification::table.find(Val(id)).filter(notification::archived_at.is_null());
    execute(conn, fixed(diesel::update(kept).set(notification::archived_at.eq(Some(Val(at)))))).await
}
