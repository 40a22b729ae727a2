//! People and agents who go, stay away for a while, or may not edit a project any more.

use chorus_domain::{
    Party,
    account::Ending,
    identity::{Agent, FormerAgent, FormerUser},
    project::{GroupMember, ProjectMember},
    removal::{Absence, Absent, Holdings, OpenCheckin, Stake},
};
use chorus_ids::{AgentId, CompanyId, ProjectId, SessionId, TaskId, Timestamp, UserId, Uuid};
use chorus_lifecycle::session::SessionStatus;
use chorus_store::{Memberships, Reach, Result};
use chorus_visibility::Role;
use diesel::{
    QueryResult,
    prelude::*,
    sql_types::{Nullable, Text},
};

use super::{
    Conn,
    account::{drop_links, end_browser_sessions},
    columns::columns,
    idea,
    identity::AgentRow,
    run::execute,
    statement::Statement,
    task,
    unit::Unit,
};
use crate::{
    fragment::{ROWS, fixed, insert_all},
    schema::{
        agent, agent_session, api_key, app_user, former_agent, former_user, mention, notification,
        notification_preference,
    },
    stored::{by_kind, count64, optional_party, party},
    types::{Label, Stamp, Uid, Val},
};

/// See [`Directory::holdings`](chorus_store::Directory::holdings).
pub(super) async fn holdings(unit: &mut Unit, parties: &[Party], within: Reach<'_>) -> Result<Holdings> {
    let nowhere = matches!(within, Reach::Projects([]));
    if parties.is_empty() || nowhere {
        return Ok(Holdings::default());
    }
    let agents = by_kind(parties).1;
    let mut held = Holdings {
        tasks: task::unfinished_of(unit, parties, within).await?,
        ideas: idea::held_by(unit, parties, within).await?,
        checkins: checkins(unit, &agents, within).await?,
        finished_tasks: task::finished_of(unit, parties, within).await?,
        keys: 0,
        sessions: 0,
    };
    if !agents.is_empty() && within == Reach::Everywhere {
        let ids = || agents.iter().map(Val);
        let keys = api_key::table.filter(api_key::agent_id.eq_any(ids())).filter(api_key::revoked_at.is_null());
        let sessions = agent_session::table
            .filter(agent_session::agent_id.eq_any(ids()))
            .filter(agent_session::status.eq(Val(SessionStatus::Active)));
        held.keys = count64(unit.count(keys.count()).await?);
        held.sessions = count64(unit.count(sessions.count()).await?);
    }
    Ok(held)
}

/// Where sessions of these agents are.
async fn checkins(unit: &mut Unit, agents: &[Uuid], within: Reach<'_>) -> Result<Vec<OpenCheckin>> {
    if agents.is_empty() {
        return Ok(Vec::new());
    }
    let projects = ids_of(within);
    let statement = Statement::<(Uid, Uid, Uid, Uid)>::new(
        "SELECT t.project_id, s.agent_id, s.id, t.id FROM agent_session s \
         JOIN session_checkin c ON c.session_id = s.id AND c.checkout_at IS NULL JOIN task t ON t.id = c.task_id \
         WHERE s.agent_id IN ",
    );
    let statement = statement.ids(agents);
    let statement = if projects.is_empty() { statement } else { statement.sql(" AND t.project_id IN ").ids(&projects) };
    let rows: Vec<(ProjectId, AgentId, SessionId, TaskId)> = unit.rows(statement.sql(" ORDER BY t.id, s.id")).await?;
    Ok(rows.into_iter().map(|(project, agent, session, task)| OpenCheckin { project, agent, session, task }).collect())
}

fn ids_of(within: Reach<'_>) -> Vec<Uuid> {
    match within {
        Reach::Everywhere => Vec::new(),
        Reach::Projects(projects) => projects.iter().map(|project| project.uuid()).collect(),
    }
}

/// See [`Directory::stakes`](chorus_store::Directory::stakes).
pub(super) async fn stakes(unit: &mut Unit, projects: &[ProjectId]) -> Result<Vec<Stake>> {
    if projects.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = projects.iter().map(|project| project.uuid()).collect();
    let statement = Statement::<(Uid, Label, Uid, Nullable<Uid>)>::new(
        "SELECT h.project_id, h.kind, h.id, a.owner_id FROM \
         (SELECT x.project_id, x.assignee_type AS kind, x.assignee_id AS id FROM task x \
         WHERE x.status IN ('assigned', 'in_progress') AND x.assignee_id IS NOT NULL AND x.project_id IN ",
    );
    let statement = statement
        .ids(&ids)
        .sql(
            " UNION SELECT x.project_id, x.assignee_type, x.assignee_id FROM idea x \
             WHERE x.assignee_id IS NOT NULL AND x.project_id IN ",
        )
        .ids(&ids)
        .sql(
            " UNION SELECT x.project_id, 'agent', s.agent_id FROM task x \
             JOIN session_checkin c ON c.task_id = x.id AND c.checkout_at IS NULL \
             JOIN agent_session s ON s.id = c.session_id WHERE x.project_id IN ",
        )
        .ids(&ids)
        .sql(") h LEFT JOIN agent a ON h.kind = 'agent' AND a.id = h.id");
    let rows: Vec<(ProjectId, String, Uuid, Option<UserId>)> = unit.rows(statement).await?;
    let stake = |(project, kind, id, owner): (ProjectId, String, Uuid, Option<UserId>)| {
        let party = party(&kind, id)?;
        let principal = match party {
            Party::User(user) => Some(user),
            Party::Agent(_) => owner,
        };
        Ok(Stake { project, party, principal })
    };
    rows.into_iter().map(stake).collect()
}

/// See [`Directory::absent`](chorus_store::Directory::absent).
pub(super) async fn absent(unit: &mut Unit, company: CompanyId, parties: &[Party]) -> Result<Vec<Absent>> {
    let (users, agents) = by_kind(parties);
    let of = [
        (
            "SELECT 'user', x.id, coalesce(x.name, x.email, 'Unknown'), 'suspended' FROM app_user x \
             WHERE x.suspended_at IS NOT NULL AND x.company_id = ",
            &users,
        ),
        ("SELECT 'user', x.id, x.name, 'removed' FROM former_user x WHERE x.company_id = ", &users),
        (
            "SELECT 'agent', x.id, x.name, 'suspended' FROM agent x JOIN app_user o ON o.id = x.owner_id \
             WHERE o.suspended_at IS NOT NULL AND x.company_id = ",
            &agents,
        ),
        ("SELECT 'agent', x.id, x.name, 'removed' FROM former_agent x WHERE x.company_id = ", &agents),
    ];
    let mut statement: Option<Statement<'_, (Label, Uid, Text, Label)>> = None;
    for (select, ids) in of.into_iter().filter(|(_, ids)| !ids.is_empty()) {
        let before = match statement.take() {
            None => Statement::new(select),
            Some(before) => before.sql(" UNION ALL ").sql(select),
        };
        statement = Some(before.id(company.uuid()).sql(" AND x.id IN ").ids(ids));
    }
    let Some(statement) = statement else { return Ok(Vec::new()) };
    let rows: Vec<(String, Uuid, String, String)> = unit.rows(statement).await?;
    let read = |(kind, id, name, why): (String, Uuid, String, String)| {
        let absence = if why == "removed" { Absence::Removed } else { Absence::Suspended };
        Ok(Absent { party: party(&kind, id)?, name, absence })
    };
    rows.into_iter().map(read).collect()
}

/// See [`Directory::agents_of`](chorus_store::Directory::agents_of).
pub(super) async fn agents_of(unit: &mut Unit, user: UserId) -> Result<Vec<Agent>> {
    let agents = agent::table
        .filter(agent::owner_id.eq(Some(Val(user))))
        .order((agent::created_at, agent::id))
        .select(columns::<AgentRow>());
    unit.rows(agents).await?.into_iter().map(AgentRow::read).collect()
}

/// The columns of a membership, kept apart or not.
type MemberColumns = (Uid, Label, Nullable<Label>, Nullable<Uid>, Stamp);
type MemberRow<T> = (T, String, Option<String>, Option<Uuid>, Timestamp);

/// See [`Directory::memberships`](chorus_store::Directory::memberships).
pub(super) async fn memberships(unit: &mut Unit, user: UserId) -> Result<Memberships> {
    let of = |select: &'static str, parked: &'static str| {
        let statement = Statement::<MemberColumns>::new(select).id(user.uuid());
        statement.sql(" UNION ALL ").sql(parked).id(user.uuid()).sql(" ORDER BY 1")
    };
    let projects = of(
        "SELECT m.project_id, m.role, m.added_by_type, m.added_by_id, m.created_at FROM project_member m WHERE m.user_id = ",
        "SELECT m.project_id, m.role, m.added_by_type, m.added_by_id, m.created_at FROM parked_project_member m \
         WHERE m.user_id = ",
    );
    let groups = of(
        "SELECT m.group_id, m.role, m.added_by_type, m.added_by_id, m.created_at FROM group_member m WHERE m.user_id = ",
        "SELECT m.group_id, m.role, m.added_by_type, m.added_by_id, m.created_at FROM parked_group_member m \
         WHERE m.user_id = ",
    );
    let mut found = Memberships::default();
    for (project, role, by_type, by_id, created_at) in unit.rows::<MemberRow<ProjectId>, _>(projects).await? {
        // A role that never was one counts as none.
        let Some(role) = Role::read(&role) else { continue };
        let added_by = optional_party(by_type.as_deref(), by_id)?;
        found.projects.push(ProjectMember { project, user, role, added_by, created_at });
    }
    for (group, role, by_type, by_id, created_at) in unit.rows::<MemberRow<chorus_ids::GroupId>, _>(groups).await? {
        let Some(role) = Role::read(&role) else { continue };
        let added_by = optional_party(by_type.as_deref(), by_id)?;
        found.groups.push(GroupMember { group, user, role, added_by, created_at });
    }
    Ok(found)
}

/// Whoever sees a group may change with these rows, which its access version has to tell.
async fn bump(conn: &mut Conn, members: &'static str, user: UserId, at: Timestamp) -> QueryResult<usize> {
    let groups = Statement::<()>::new("UPDATE project_group SET access_version = access_version + 1, updated_at = ");
    let groups = groups.at(at).sql(" WHERE id IN (SELECT m.group_id FROM ").sql(members).sql(" m WHERE m.user_id = ");
    execute(conn, groups.id(user.uuid()).sql(")")).await
}

/// Puts rows from one table of roles into its twin.
async fn shift(conn: &mut Conn, moves: [(&'static str, &'static str); 2], user: UserId) -> QueryResult<()> {
    for (insert, delete) in moves {
        execute(conn, Statement::<()>::new(insert).id(user.uuid()).sql(" ON CONFLICT DO NOTHING")).await?;
        execute(conn, Statement::<()>::new(delete).id(user.uuid())).await?;
    }
    Ok(())
}

const PARK: [(&str, &str); 2] = [
    (
        "INSERT INTO parked_project_member (project_id, user_id, role, added_by_type, added_by_id, created_at) \
         SELECT m.project_id, m.user_id, m.role, m.added_by_type, m.added_by_id, m.created_at FROM project_member m \
         WHERE m.user_id = ",
        "DELETE FROM project_member WHERE user_id = ",
    ),
    (
        "INSERT INTO parked_group_member (group_id, user_id, role, added_by_type, added_by_id, created_at) \
         SELECT m.group_id, m.user_id, m.role, m.added_by_type, m.added_by_id, m.created_at FROM group_member m \
         WHERE m.user_id = ",
        "DELETE FROM group_member WHERE user_id = ",
    ),
];

const UNPARK: [(&str, &str); 2] = [
    (
        "INSERT INTO project_member (project_id, user_id, role, added_by_type, added_by_id, created_at) \
         SELECT m.project_id, m.user_id, m.role, m.added_by_type, m.added_by_id, m.created_at \
         FROM parked_project_member m WHERE m.user_id = ",
        "DELETE FROM parked_project_member WHERE user_id = ",
    ),
    (
        "INSERT INTO group_member (group_id, user_id, role, added_by_type, added_by_id, created_at) \
         SELECT m.group_id, m.user_id, m.role, m.added_by_type, m.added_by_id, m.created_at \
         FROM parked_group_member m WHERE m.user_id = ",
        "DELETE FROM parked_group_member WHERE user_id = ",
    ),
];

/// Suspends somebody, keeps their roles apart, and shuts every door that they have open.
pub(super) async fn suspend_user(conn: &mut Conn, user: UserId, at: Timestamp) -> QueryResult<usize> {
    end_browser_sessions(conn, user, Ending::All).await?;
    drop_links(conn, user).await?;
    bump(conn, "group_member", user, at).await?;
    shift(conn, PARK, user).await?;
    execute(conn, fixed(diesel::update(app_user::table.find(Val(user))).set(app_user::suspended_at.eq(Some(Val(at))))))
        .await
}

/// Lets somebody in again, with the roles that they had.
pub(super) async fn resume_user(conn: &mut Conn, user: UserId, at: Timestamp) -> QueryResult<usize> {
    bump(conn, "parked_group_member", user, at).await?;
    shift(conn, UNPARK, user).await?;
    let nothing = None::<Val<Timestamp>>;
    execute(conn, fixed(diesel::update(app_user::table.find(Val(user))).set(app_user::suspended_at.eq(nothing)))).await
}

/// Removes a person and keeps their name. Roles and visits go by their foreign keys.
pub(super) async fn remove_user(conn: &mut Conn, former: &FormerUser) -> QueryResult<usize> {
    bump(conn, "group_member", former.id, former.removed_at).await?;
    let name = diesel::insert_into(former_user::table).values((
        former_user::id.eq(Val(former.id)),
        former_user::company_id.eq(Val(former.company)),
        former_user::name.eq(&former.name),
        former_user::removed_at.eq(Val(former.removed_at)),
    ));
    execute(conn, name).await?;
    forget(conn, Party::User(former.id).kind(), &[former.id.uuid()]).await?;
    execute(conn, diesel::delete(app_user::table.find(Val(former.id)))).await
}

/// Removes agents with what hangs on them, and keeps their names. Keys, sessions and check-ins go by their foreign keys.
pub(super) async fn remove_agents(conn: &mut Conn, former: &[FormerAgent]) -> QueryResult<usize> {
    let mut gone = 0;
    for former in former.chunks(ROWS) {
        let names = former.iter().map(|former| {
            (
                former_agent::id.eq(Val(former.id)),
                former_agent::company_id.eq(Val(former.company)),
                former_agent::name.eq(&former.name),
                former_agent::removed_at.eq(Val(former.removed_at)),
            )
        });
        if let Some(names) = insert_all(former_agent::table, names) {
            execute(conn, names).await?;
        }
        let ids: Vec<Uuid> = former.iter().map(|former| former.id.uuid()).collect();
        forget(conn, "agent", &ids).await?;
        gone += execute(conn, diesel::delete(agent::table.filter(agent::id.eq_any(ids.iter().map(Val))))).await?;
    }
    Ok(gone)
}

/// Removes what is addressed to somebody, and nobody else.
async fn forget(conn: &mut Conn, kind: &'static str, ids: &[Uuid]) -> QueryResult<()> {
    let ids = || ids.iter().map(Val);
    let told = notification::table
        .filter(notification::recipient_type.eq(Val(kind)))
        .filter(notification::recipient_id.eq_any(ids()));
    execute(conn, diesel::delete(told)).await?;
    let wishes = notification_preference::table
        .filter(notification_preference::owner_type.eq(Val(kind)))
        .filter(notification_preference::owner_id.eq_any(ids()));
    execute(conn, diesel::delete(wishes)).await?;
    let mentions =
        mention::table.filter(mention::mentioned_type.eq(Val(kind))).filter(mention::mentioned_id.eq_any(ids()));
    execute(conn, diesel::delete(mentions)).await.map(drop)
}

/// Closes the sessions of agents, which leave their tasks.
pub(super) async fn close_sessions_of(conn: &mut Conn, agents: &[AgentId], at: Timestamp) -> QueryResult<usize> {
    let ids: Vec<Uuid> = agents.iter().map(|agent| agent.uuid()).collect();
    let mut closed = 0;
    for ids in ids.chunks(ROWS) {
        let left = Statement::<()>::new("UPDATE session_checkin SET checkout_at = ")
            .at(at)
            .sql(" WHERE checkout_at IS NULL AND session_id IN (SELECT s.id FROM agent_session s WHERE s.agent_id IN ");
        execute(conn, left.ids(ids).sql(")")).await?;
        let ended = Statement::<()>::new("UPDATE agent_session SET status = 'closed', updated_at = ").at(at);
        closed += execute(conn, ended.sql(" WHERE status <> 'closed' AND agent_id IN ").ids(ids)).await?;
    }
    Ok(closed)
}

/// Lets the sessions of agents leave the tasks of a project.
pub(super) async fn end_checkins_in(
    conn: &mut Conn,
    project: ProjectId,
    agents: &[AgentId],
    at: Timestamp,
) -> QueryResult<usize> {
    let ids: Vec<Uuid> = agents.iter().map(|agent| agent.uuid()).collect();
    let mut left = 0;
    for ids in ids.chunks(ROWS) {
        let leaving = Statement::<()>::new("UPDATE session_checkin SET checkout_at = ")
            .at(at)
            .sql(" WHERE checkout_at IS NULL AND session_id IN (SELECT s.id FROM agent_session s WHERE s.agent_id IN ")
            .ids(ids)
            .sql(") AND task_id IN (SELECT t.id FROM task t WHERE t.project_id = ")
            .id(project.uuid())
            .sql(")");
        left += execute(conn, leaving).await?;
    }
    Ok(left)
}
