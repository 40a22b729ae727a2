//! Notifications: what is unread, and how news joins it.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chorus_domain::{
    Kind, Party,
    notification::{Notification, Topic},
};
use chorus_ids::{CompanyId, NotificationId, ProjectId, Timestamp, Uuid};
use chorus_store::{NotificationDigest, Notifications, Result};
use chorus_visibility::Scope;
use diesel::prelude::*;

use super::{Conn, Db, run::execute, unit::Unit};
use crate::{
    fragment::{ROWS, Total, insert_all, on_conflict},
    schema::notification,
    stored::{count64, party, subject},
    types::Val,
    visible::visible,
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
    fn read(self) -> Result<Notification> {
        Ok(Notification {
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
        })
    }
}

#[async_trait]
impl Notifications for Unit {
    async fn unread(&mut self, scope: &Scope, recipient: Party, limit: u32) -> Result<NotificationDigest> {
        let unread = || {
            let homeless = notification::project_id.is_null();
            notification::table
                .filter(notification::recipient_type.eq(Val(recipient.kind())))
                .filter(notification::recipient_id.eq(Val(recipient.uuid())))
                .filter(notification::read_at.is_null())
                .filter(notification::archived_at.is_null())
                .filter(notification::company_id.eq(Val(scope.company())))
                .filter(homeless.or(visible(scope, notification::project_id.assume_not_null())))
                .into_boxed::<Db>()
        };
        let newest = unread()
            .order((notification::created_at.desc(), notification::id.desc()))
            .limit(limit.into())
            .select((NotificationRow::as_select(), Total(unread().count())));
        let loaded: Vec<(NotificationRow, i64)> = self.rows(newest).await?;
        let total = match loaded.as_slice() {
            [(_, total), ..] => *total,
            [] if limit == 0 => self.count(unread().count()).await?,
            [] => 0,
        };
        let recent = loaded.into_iter().map(|(row, _)| row.read());
        Ok(NotificationDigest { unread: count64(total), recent: recent.collect::<Result<_>>()? })
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
            .filter(notification::id.eq_any(ids.iter().map(Val)))
            .filter(notification::read_at.is_null());
        marked += execute(conn, diesel::update(unread).set(notification::read_at.eq(Some(Val(at))))).await?;
    }
    Ok(marked)
}

/// Puts notifications about these things away; one that was put away before keeps its time.
pub(super) async fn archive_about(conn: &mut Conn, kind: Kind, ids: &[Uuid], at: Timestamp) -> QueryResult<usize> {
    let mut archived = 0;
    for ids in ids.chunks(ROWS) {
        let about = notification::table
            .filter(notification::entity_type.eq(Val(kind)))
            .filter(notification::entity_id.eq_any(ids.iter().map(Val)))
            .filter(notification::archived_at.is_null());
        archived += execute(conn, diesel::update(about).set(notification::archived_at.eq(Some(Val(at))))).await?;
    }
    Ok(archived)
}
