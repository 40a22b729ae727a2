//! Activity streams.

use async_trait::async_trait;
use chorus_domain::{
    Kind,
    activity::{Action, Activity},
};
use chorus_ids::{ActivityId, CompanyId, ProjectId, SessionId, Timestamp, Uuid};
use chorus_store::{Activities, Page, PageRequest, Position, Result, Row, Start};
use chorus_visibility::Scope;
use diesel::prelude::*;
use serde_json::Value;

use super::{Conn, Db, columns::columns, run::execute, unit::Unit};
use crate::{
    fragment::{ROWS, Total, behind, insert_all, page_of, rows_of},
    schema::activity,
    stored::subject,
    types::{Uid, Val},
    visible::visible,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = activity, check_for_backend(Db))]
pub(super) struct ActivityRow {
    id: ActivityId,
    company_id: CompanyId,
    project_id: ProjectId,
    target_type: Kind,
    target_id: Uuid,
    target_title: String,
    actor_type: String,
    actor_id: Uuid,
    action: Action,
    value: Option<Value>,
    session_id: Option<SessionId>,
    session_name: Option<String>,
    created_at: Timestamp,
}

impl ActivityRow {
    pub(super) fn read(self) -> Result<Activity> {
        Ok(Activity {
            id: self.id,
            company: self.company_id,
            project: self.project_id,
            target: self.target_type,
            target_id: self.target_id,
            target_title: self.target_title,
            actor: subject(&self.actor_type, self.actor_id)?,
            action: self.action,
            value: self.value,
            session: self.session_id.map(|id| (id, self.session_name.unwrap_or_default())),
            created_at: self.created_at,
        })
    }
}

#[async_trait]
impl Activities for Unit {
    async fn activities(&mut self, scope: &Scope, project: ProjectId, page: &PageRequest) -> Result<Page<Activity>> {
        let list = || {
            activity::table
                .filter(activity::project_id.eq(Val(project)))
                .filter(visible(scope, Val(project).into_sql::<Uid>()))
                .into_boxed::<Db>()
        };
        let rows = match page.start {
            Start::Page(_) => list().offset(page.offset()),
            Start::After(place) => list().filter(behind(activity::created_at, activity::id, &place)),
        };
        let rows = rows
            .order((activity::created_at.desc(), activity::id.desc()))
            .limit(rows_of(page))
            .select((columns::<ActivityRow>(), Total(list().count())));
        let loaded: Vec<(ActivityRow, i64)> = self.rows(rows).await?;
        let total = loaded.first().map(|(_, total)| *total);
        let total = self.total(total, page, || list().count()).await?;
        let rows = loaded.into_iter().map(|(row, _)| {
            let item = row.read()?;
            Ok(Row { at: Position { rank: 0, at: item.created_at, id: item.id.uuid() }, item })
        });
        Ok(page_of(rows.collect::<Result<_>>()?, total, page))
    }

    async fn activities_about(
        &mut self,
        scope: &Scope,
        target: Kind,
        id: Uuid,
        page: &PageRequest,
    ) -> Result<Page<Activity>> {
        let list = || {
            activity::table
                .filter(activity::target_type.eq(Val(target)))
                .filter(activity::target_id.eq(Val(id)))
                .filter(visible(scope, activity::project_id))
                .into_boxed::<Db>()
        };
        let rows = match page.start {
            Start::Page(_) => list().offset(page.offset()),
            Start::After(place) => list().filter(behind(activity::created_at, activity::id, &place)),
        };
        let rows = rows
            .order((activity::created_at.desc(), activity::id.desc()))
            .limit(rows_of(page))
            .select((columns::<ActivityRow>(), Total(list().count())));
        let loaded: Vec<(ActivityRow, i64)> = self.rows(rows).await?;
        let total = loaded.first().map(|(_, total)| *total);
        let total = self.total(total, page, || list().count()).await?;
        let rows = loaded.into_iter().map(|(row, _)| {
            let item = row.read()?;
            Ok(Row { at: Position { rank: 0, at: item.created_at, id: item.id.uuid() }, item })
        });
        Ok(page_of(rows.collect::<Result<_>>()?, total, page))
    }
}

/// Stores new activities.
pub(super) async fn insert_activities(conn: &mut Conn, new: &[Activity]) -> QueryResult<usize> {
    let mut made = 0;
    for new in new.chunks(ROWS) {
        let rows = new.iter().map(|new| {
            let session = new.session.as_ref();
            (
                activity::id.eq(Val(new.id)),
                activity::company_id.eq(Val(new.company)),
                activity::project_id.eq(Val(new.project)),
                activity::target_type.eq(Val(new.target)),
                activity::target_id.eq(Val(new.target_id)),
                activity::target_title.eq(&new.target_title),
                activity::actor_type.eq(Val(new.actor.kind())),
                activity::actor_id.eq(Val(new.actor.uuid())),
                activity::action.eq(Val(new.action)),
                activity::value.eq(new.value.as_ref().map(Val)),
                activity::session_id.eq(session.map(|(id, _)| Val(*id))),
                activity::session_name.eq(session.map(|(_, name)| name)),
                activity::created_at.eq(Val(new.created_at)),
            )
        });
        if let Some(insert) = insert_all(activity::table, rows) {
            made += execute(conn, insert).await?;
        }
    }
    Ok(made)
}
