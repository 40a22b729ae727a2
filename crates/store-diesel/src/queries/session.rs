//! Sessions of agents and their check-ins to tasks.

use async_trait::async_trait;
use chorus_domain::{
    session::{Checkin, Session, Worker},
    task::TaskRef,
};
use chorus_ids::{AgentId, CheckinId, CompanyId, ProjectId, SessionId, TaskId, Timestamp, Uuid};
use chorus_lifecycle::{session::SessionStatus, task::TaskStatus};
use chorus_store::{AtWork, Page, PageRequest, Position, Result, Row, Sessions, Start};
use chorus_visibility::Scope;
use diesel::prelude::*;

use super::{Conn, Db, columns::columns, run::execute, unit::Unit};
use crate::{
    fragment::{Total, behind, fixed, on_conflict, padded, page_of, rows_of},
    schema::{agent_session, session_checkin, task},
    stored::optional_party,
    types::Val,
    visible::visible,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = agent_session, check_for_backend(Db))]
struct SessionRow {
    id: SessionId,
    company_id: CompanyId,
    agent_id: AgentId,
    name: String,
    description: Option<String>,
    status: SessionStatus,
    last_active_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl SessionRow {
    fn read(self) -> Session {
        Session {
            id: self.id,
            company: self.company_id,
            agent: self.agent_id,
            name: self.name,
            description: self.description,
            status: self.status,
            last_active_at: self.last_active_at,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = session_checkin, check_for_backend(Db))]
struct CheckinRow {
    id: CheckinId,
    session_id: SessionId,
    task_id: TaskId,
    checkin_at: Timestamp,
}

#[async_trait]
impl Sessions for Unit {
    async fn session(&mut self, scope: &Scope, agent: AgentId, id: SessionId) -> Result<Option<Session>> {
        let found = agent_session::table
            .find(Val(id))
            .filter(agent_session::agent_id.eq(Val(agent)))
            .filter(agent_session::company_id.eq(Val(scope.company())))
            .select(columns::<SessionRow>());
        Ok(self.row(found).await?.map(SessionRow::read))
    }

    async fn sessions(
        &mut self,
        scope: &Scope,
        agent: AgentId,
        status: Option<SessionStatus>,
        page: &PageRequest,
    ) -> Result<Page<Session>> {
        let list = || {
            let list = agent_session::table
                .filter(agent_session::agent_id.eq(Val(agent)))
                .filter(agent_session::company_id.eq(Val(scope.company())))
                .into_boxed::<Db>();
            match status {
                Some(status) => list.filter(agent_session::status.eq(Val(status))),
                None => list,
            }
        };
        let rows = match page.start {
            Start::Page(_) => list().offset(page.offset()),
            Start::After(place) => list().filter(behind(agent_session::created_at, agent_session::id, &place)),
        };
        let rows = rows
            .order((agent_session::created_at.desc(), agent_session::id.desc()))
            .limit(rows_of(page))
            .select((columns::<SessionRow>(), Total(list().count())));
        let loaded: Vec<(SessionRow, i64)> = self.rows(rows).await?;
        let total = loaded.first().map(|(_, total)| *total);
        let total = self.total(total, page, || list().count()).await?;
        let rows = loaded.into_iter().map(|(row, _)| {
            let item = row.read();
            Row { at: Position { rank: 0, at: item.created_at, id: item.id.uuid() }, item }
        });
        Ok(page_of(rows.collect(), total, page))
    }

    async fn checkins(&mut self, scope: &Scope, session: SessionId) -> Result<Vec<Checkin>> {
        let open = session_checkin::table
            .inner_join(task::table)
            .filter(session_checkin::session_id.eq(Val(session)))
            .filter(session_checkin::checkout_at.is_null())
            .filter(visible(scope, task::project_id))
            .order((session_checkin::checkin_at, session_checkin::id))
            .select(columns::<CheckinRow>());
        let read =
            |row: CheckinRow| Checkin { id: row.id, session: row.session_id, task: row.task_id, at: row.checkin_at };
        Ok(self.rows(open).await?.into_iter().map(read).collect())
    }

    async fn workers(&mut self, scope: &Scope, tasks: &[TaskId], since: Timestamp) -> Result<Vec<Worker>> {
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let at_work = session_checkin::table
            .inner_join(agent_session::table)
            .inner_join(task::table)
            .filter(session_checkin::task_id.eq_any(padded(tasks.iter().map(Val))))
            .filter(session_checkin::checkout_at.is_null())
            .filter(agent_session::status.eq(Val(SessionStatus::Active)))
            .filter(agent_session::last_active_at.gt(Val(since)))
            .filter(visible(scope, task::project_id))
            .order((session_checkin::checkin_at.desc(), session_checkin::id.desc()))
            .select((columns::<CheckinRow>(), agent_session::name, agent_session::agent_id));
        let read = |(row, name, agent): (CheckinRow, String, AgentId)| Worker {
            task: row.task_id,
            session: row.session_id,
            name,
            agent,
            since: row.checkin_at,
        };
        Ok(self.rows(fixed(at_work)).await?.into_iter().map(read).collect())
    }

    async fn at_work(
        &mut self,
        scope: &Scope,
        project: ProjectId,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<AtWork>> {
        let at_work = session_checkin::table
            .inner_join(agent_session::table)
            .inner_join(task::table)
            .filter(task::project_id.eq(Val(project)))
            .filter(session_checkin::checkout_at.is_null())
            .filter(agent_session::status.eq(Val(SessionStatus::Active)))
            .filter(agent_session::last_active_at.gt(Val(since)))
            .filter(agent_session::company_id.eq(Val(scope.company())))
            .filter(visible(scope, task::project_id))
            .order((agent_session::last_active_at.desc(), agent_session::id, session_checkin::checkin_at.desc()))
            .limit(i64::from(limit))
            .select((
                columns::<SessionRow>(),
                (task::id, task::title, task::status, task::assignee_type, task::assignee_id),
                session_checkin::checkin_at,
            ));
        type Beside = (TaskId, String, TaskStatus, Option<String>, Option<Uuid>);
        let rows: Vec<(SessionRow, Beside, Timestamp)> = self.rows(at_work).await?;
        let read = |(session, (id, title, status, kind, holder), since): (SessionRow, Beside, Timestamp)| {
            let assignee = optional_party(kind.as_deref(), holder)?;
            Ok(AtWork { session: session.read(), task: TaskRef { id, title, status, assignee }, since })
        };
        rows.into_iter().map(read).collect()
    }
}

/// See [`Directory::tasks_of_session`](chorus_store::Directory::tasks_of_session).
pub(super) async fn tasks_of_session(
    unit: &mut Unit,
    agent: AgentId,
    session: SessionId,
) -> Result<Vec<(TaskId, ProjectId)>> {
    let open = session_checkin::table
        .inner_join(agent_session::table)
        .inner_join(task::table)
        .filter(session_checkin::session_id.eq(Val(session)))
        .filter(session_checkin::checkout_at.is_null())
        .filter(agent_session::agent_id.eq(Val(agent)))
        .select((task::id, task::project_id));
    unit.rows(open).await
}

/// Stores a new session.
pub(super) async fn insert_session(conn: &mut Conn, new: &Session) -> QueryResult<usize> {
    let statement = diesel::insert_into(agent_session::table).values((
        agent_session::id.eq(Val(new.id)),
        agent_session::company_id.eq(Val(new.company)),
        agent_session::agent_id.eq(Val(new.agent)),
        agent_session::name.eq(&new.name),
        agent_session::description.eq(&new.description),
        agent_session::status.eq(Val(new.status)),
        agent_session::last_active_at.eq(Val(new.last_active_at)),
        agent_session::created_at.eq(Val(new.created_at)),
        agent_session::updated_at.eq(Val(new.updated_at)),
    ));
    execute(conn, statement).await
}

/// Sets a session's status, which counts as use.
pub(super) async fn set_session_status(
    conn: &mut Conn,
    session: SessionId,
    status: SessionStatus,
    at: Timestamp,
) -> QueryResult<usize> {
    let statement = diesel::update(agent_session::table.find(Val(session))).set((
        agent_session::status.eq(Val(status)),
        agent_session::last_active_at.eq(Val(at)),
        agent_session::updated_at.eq(Val(at)),
    ));
    execute(conn, fixed(statement)).await
}

/// Notes that a session was used. A closed one stays as it is, and no clock goes back.
pub(super) async fn touch_session(conn: &mut Conn, session: SessionId, at: Timestamp) -> QueryResult<usize> {
    let older = agent_session::table
        .find(Val(session))
        .filter(agent_session::status.eq(Val(SessionStatus::Active)))
        .filter(agent_session::last_active_at.lt(Val(at)));
    execute(conn, fixed(diesel::update(older).set(agent_session::last_active_at.eq(Val(at))))).await
}

/// The session comes to the task, again perhaps.
const AGAIN: &str = " ON CONFLICT (session_id, task_id) DO UPDATE SET checkin_at = excluded.checkin_at, \
                     checkout_at = NULL";

/// Puts a session at a task.
pub(super) async fn put_checkin(conn: &mut Conn, new: &Checkin) -> QueryResult<usize> {
    let insert = diesel::insert_into(session_checkin::table).values((
        session_checkin::id.eq(Val(new.id)),
        session_checkin::session_id.eq(Val(new.session)),
        session_checkin::task_id.eq(Val(new.task)),
        session_checkin::checkin_at.eq(Val(new.at)),
    ));
    execute(conn, on_conflict(insert, AGAIN)).await
}

/// Which check-ins of a session end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaving {
    /// That to one task.
    Task(TaskId),
    /// All.
    Everything,
}

/// Ends check-ins of a session; those that ended before keep their time.
pub(super) async fn end_checkins(
    conn: &mut Conn,
    session: SessionId,
    leaving: Leaving,
    at: Timestamp,
) -> QueryResult<usize> {
    let open = diesel::update(session_checkin::table)
        .filter(session_checkin::session_id.eq(Val(session)))
        .filter(session_checkin::checkout_at.is_null())
        .set(session_checkin::checkout_at.eq(Some(Val(at))));
    match leaving {
        Leaving::Task(task) => execute(conn, fixed(open.filter(session_checkin::task_id.eq(Val(task))))).await,
        Leaving::Everything => execute(conn, fixed(open)).await,
    }
}
