//! Who was mentioned, and who can be.

use chorus_domain::mention::Mention;
use chorus_ids::{Timestamp, Uuid};
use chorus_store::{Mentionable, Mentionables, Result};
use chorus_visibility::Scope;
use diesel::{
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{BigInt, Text},
};

use super::{
    Conn, Db,
    identity::{email_key, name_key},
    run::execute,
    unit::Unit,
};
use crate::{
    fragment::{ROWS, insert_all},
    schema::mention,
    stored::{count32, party},
    types::{Label, Stamp, Uid, Val},
};

/// See [`People::mentionables`](chorus_store::People::mentionables): a statement for agents, and one for users if
/// there is room.
pub(super) async fn mentionables(unit: &mut Unit, scope: &Scope, wanted: &Mentionables) -> Result<Vec<Mentionable>> {
    let search = |who: Who, limit: u32| Search {
        who,
        company: scope.company().uuid(),
        owner: scope.principal().map(|user| user.uuid()),
        name: wanted.piece.as_deref().map(|piece| containing(&name_key(piece))),
        email: wanted.piece.as_deref().map(|piece| containing(&email_key(piece))),
        seeing: wanted.seeing.map(|project| project.uuid()),
        active_since: wanted.active_since,
        limit: i64::from(limit),
    };
    let mut rows: Vec<(String, Uuid, String, i64)> = unit.rows(search(Who::Agents, wanted.limit)).await?;
    let room = wanted.limit.saturating_sub(u32::try_from(rows.len()).unwrap_or(u32::MAX));
    if wanted.piece.is_some() && room > 0 {
        rows.extend(unit.rows::<(String, Uuid, String, i64), _>(search(Who::Users, room)).await?);
    }
    let found = rows
        .into_iter()
        .map(|(kind, id, name, active)| Ok(Mentionable { party: party(&kind, id)?, name, active: count32(active) }));
    let mut found: Vec<Mentionable> = found.collect::<Result<_>>()?;
    if wanted.piece.is_none() {
        // They were chosen by age; they are shown in the order of the others.
        found.sort_by_cached_key(|agent| (agent.active == 0, agent.active, name_key(&agent.name)));
    }
    Ok(found)
}

/// A pattern for whatever contains this piece.
fn containing(piece: &str) -> String {
    let mut pattern = String::from("%");
    for c in piece.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Agents,
    Users,
}

/// A whole statement: agents or users of the company whose names fit.
struct Search {
    who: Who,
    company: Uuid,
    owner: Option<Uuid>,
    name: Option<String>,
    email: Option<String>,
    seeing: Option<Uuid>,
    active_since: Timestamp,
    limit: i64,
}

impl Query for Search {
    type SqlType = (Label, Uid, Text, BigInt);
}
impl QueryId for Search {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for Search {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        match self.who {
            Who::Agents => self.agents(out.reborrow())?,
            Who::Users => self.users(out.reborrow())?,
        }
        out.push_sql(" LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)
    }
}

impl Search {
    fn agents<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(
            "SELECT f.kind, f.id, f.name, f.active FROM (SELECT 'agent' AS kind, x.id, x.name, x.name_key, \
             x.created_at, (SELECT count(*) FROM agent_session s WHERE s.agent_id = x.id AND s.status = 'active' \
             AND s.last_active_at >= ",
        );
        out.push_bind_param::<Stamp, _>(&self.active_since)?;
        out.push_sql(") AS active FROM agent x WHERE x.company_id = ");
        out.push_bind_param::<Uid, _>(&self.company)?;
        out.push_sql(
            " AND NOT EXISTS (SELECT 1 FROM app_user o WHERE o.id = x.owner_id AND o.suspended_at IS NOT NULL)",
        );
        if let Some(owner) = &self.owner {
            out.push_sql(" AND x.owner_id = ");
            out.push_bind_param::<Uid, _>(owner)?;
        }
        if let Some(name) = &self.name {
            out.push_sql(" AND x.name_key LIKE ");
            out.push_bind_param::<Text, _>(name)?;
            out.push_sql(ESCAPE);
        }
        self.sees(out.reborrow(), "x.owner_id")?;
        out.push_sql(match self.name {
            Some(_) => ") f ORDER BY CASE WHEN f.active > 0 THEN 0 ELSE 1 END, f.active, f.name_key, f.id",
            None => ") f ORDER BY f.created_at DESC, f.id DESC",
        });
        Ok(())
    }

    fn users<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(
            "SELECT 'user', x.id, coalesce(x.name, x.email, 'Unknown'), CAST(0 AS bigint) FROM app_user x \
             WHERE x.suspended_at IS NULL AND x.company_id = ",
        );
        out.push_bind_param::<Uid, _>(&self.company)?;
        if let (Some(name), Some(email)) = (&self.name, &self.email) {
            out.push_sql(" AND (x.name_key LIKE ");
            out.push_bind_param::<Text, _>(name)?;
            out.push_sql(ESCAPE);
            out.push_sql(" OR x.email_key LIKE ");
            out.push_bind_param::<Text, _>(email)?;
            out.push_sql(ESCAPE);
            out.push_sql(")");
        }
        self.sees(out.reborrow(), "x.id")?;
        out.push_sql(" ORDER BY x.name_key, x.id");
        Ok(())
    }

    /// `AND` the user in the column sees the project, if one is asked about: the rule of `visible`, which is about one
    /// principal and any project, turned round. A test holds it against the rules.
    fn sees<'b>(&'b self, mut out: AstPass<'_, 'b, Db>, user: &str) -> QueryResult<()> {
        let Some(project) = &self.seeing else { return Ok(()) };
        out.push_sql(
            " AND EXISTS (SELECT 1 FROM project p LEFT JOIN project_group g ON g.id = p.group_id \
             AND g.company_id = p.company_id WHERE p.company_id = x.company_id AND p.id = ",
        );
        out.push_bind_param::<Uid, _>(project)?;
        let known = " AND m.role IN ('viewer', 'editor', 'admin'))";
        out.push_sql(
            " AND (p.visibility = 'public' OR EXISTS (SELECT 1 FROM project_member m WHERE m.project_id = p.id",
        );
        out.push_sql(" AND m.user_id = ");
        out.push_sql(user);
        out.push_sql(known);
        out.push_sql(" OR EXISTS (SELECT 1 FROM group_member m WHERE m.group_id = g.id AND m.user_id = ");
        out.push_sql(user);
        out.push_sql(known);
        out.push_sql(" OR (");
        out.push_sql(user);
        out.push_sql(
            " = (SELECT u.id FROM app_user u WHERE u.company_id = p.company_id AND u.suspended_at IS NULL \
             ORDER BY u.created_at, u.id LIMIT 1) \
             AND CASE WHEN g.id IS NULL \
             THEN NOT EXISTS (SELECT 1 FROM project_member m WHERE m.project_id = p.id AND m.role = 'admin') \
             ELSE NOT EXISTS (SELECT 1 FROM group_member m WHERE m.group_id = g.id AND m.role = 'admin') END)))",
        );
        Ok(())
    }
}

/// The backslash takes a wildcard's meaning away, on SQLite only if it is told so.
const ESCAPE: &str = " ESCAPE '\\'";

/// Stores who was mentioned.
pub(super) async fn insert_mentions(conn: &mut Conn, new: &[Mention]) -> QueryResult<usize> {
    let mut made = 0;
    for new in new.chunks(ROWS) {
        let rows = new.iter().map(|new| {
            (
                mention::id.eq(Val(new.id)),
                mention::company_id.eq(Val(new.company)),
                mention::source_type.eq(Val(new.source)),
                mention::source_id.eq(Val(new.source_id)),
                mention::mentioned_type.eq(Val(new.mentioned.kind())),
                mention::mentioned_id.eq(Val(new.mentioned.uuid())),
                mention::actor_type.eq(Val(new.actor.kind())),
                mention::actor_id.eq(Val(new.actor.uuid())),
                mention::created_at.eq(Val(new.created_at)),
            )
        });
        if let Some(insert) = insert_all(mention::table, rows) {
            made += execute(conn, insert).await?;
        }
    }
    Ok(made)
}
