//! Names of users and agents.

use std::collections::BTreeSet;

use async_trait::async_trait;
use chorus_domain::Party;
use chorus_ids::{AgentId, Timestamp, UserId, Uuid};
use chorus_store::{
    AgentLine, Mentionable, Mentionables, Page, PageRequest, People, PersonName, Position, Result, Row, Start,
};
use chorus_visibility::Scope;
use diesel::{
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::Text,
};

use super::{Db, mention, unit::Unit};
use crate::{
    fragment::{Total, behind, fixed, padded, page_of, rows_of},
    schema::{agent, app_user},
    stored::{by_kind, party},
    types::{Label, Uid, Val},
    visible::list,
};

#[async_trait]
impl People for Unit {
    async fn names(&mut self, scope: &Scope, parties: &[Party]) -> Result<Vec<PersonName>> {
        if parties.is_empty() {
            return Ok(Vec::new());
        }
        let (users, agents) = by_kind(parties);
        let names = Names { company: scope.company().uuid(), users, agents };
        let names: Vec<(String, Uuid, String)> = self.rows(names).await?;
        names.into_iter().map(|(kind, id, name)| Ok(PersonName { party: party(&kind, id)?, name })).collect()
    }

    async fn mentionables(&mut self, scope: &Scope, wanted: &Mentionables) -> Result<Vec<Mentionable>> {
        mention::mentionables(self, scope, wanted).await
    }

    async fn agents(&mut self, scope: &Scope, page: &PageRequest) -> Result<Page<AgentLine>> {
        let list = || agent::table.filter(agent::company_id.eq(Val(scope.company()))).into_boxed::<Db>();
        let rows = match page.start {
            Start::Page(_) => list().offset(page.offset()),
            Start::After(place) => list().filter(behind(agent::created_at, agent::id, &place)),
        };
        let rows = rows
            .left_join(app_user::table)
            .order((agent::created_at.desc(), agent::id.desc()))
            .limit(rows_of(page))
            .select((
                (agent::id, agent::name, agent::created_at),
                (app_user::id, app_user::name, app_user::email).nullable(),
                Total(list().count()),
            ));
        type Owner = (UserId, Option<String>, Option<String>);
        let loaded: Vec<((AgentId, String, Timestamp), Option<Owner>, i64)> = self.rows(rows).await?;
        let total = loaded.first().map(|(_, _, total)| *total);
        let total = self.total(total, page, || list().count()).await?;
        let rows = loaded.into_iter().map(|((id, name, created_at), owner, _)| {
            // A user without name goes by the address (data model specification §2).
            let shown =
                |name: Option<String>, email: Option<String>| name.or(email).unwrap_or_else(|| "Unknown".into());
            let owner = owner.map(|(owner, name, email)| (owner, shown(name, email)));
            let at = Position { rank: 0, at: created_at, id: id.uuid() };
            Row { at, item: AgentLine { id, name, owner, created_at } }
        });
        Ok(page_of(rows.collect(), total, page))
    }
}

/// See [`Tx::keep`](chorus_store::Tx::keep). People first, as everybody locks. Who waited for somebody's suspension
/// looks at the row again and finds it out.
pub(super) async fn keep(unit: &mut Unit, parties: &[Party]) -> Result<Vec<Party>> {
    let (users, agents) = by_kind(parties);
    if users.is_empty() && agents.is_empty() {
        return Ok(Vec::new());
    }
    let owners = agent::table
        .filter(agent::id.eq_any(padded(agents.iter().map(Val))))
        .filter(agent::owner_id.is_not_null())
        .select(agent::owner_id.assume_not_null());
    let people = app_user::table
        .filter(app_user::id.eq_any(padded(users.iter().map(Val))).or(app_user::id.eq_any(owners)))
        .filter(app_user::suspended_at.is_null())
        .order(app_user::id)
        .select(app_user::id);
    let here: BTreeSet<UserId> = unit.rows::<UserId, _>(fixed(hold!(Exist, people))).await?.into_iter().collect();
    let users = users.into_iter().map(UserId::from_uuid).filter(|user| here.contains(user));
    let mut kept: Vec<Party> = users.map(Party::User).collect();
    if !agents.is_empty() {
        let agents = agent::table
            .filter(agent::id.eq_any(padded(agents.into_iter().map(Val))))
            .order(agent::id)
            .select((agent::id, agent::owner_id));
        let found: Vec<(AgentId, Option<UserId>)> = unit.rows(fixed(hold!(Exist, agents))).await?;
        let found = found.into_iter().filter(|(_, owner)| owner.is_none_or(|owner| here.contains(&owner)));
        kept.extend(found.map(|(agent, _)| Party::Agent(agent)));
    }
    Ok(kept)
}

/// A whole statement: what these users and agents of the company are called.
struct Names {
    company: Uuid,
    users: Vec<Uuid>,
    agents: Vec<Uuid>,
}

impl Query for Names {
    type SqlType = (Label, Uid, Text);
}
impl QueryId for Names {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for Names {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        // A user without name goes by the address (data model specification §2).
        let kinds = [
            ("SELECT 'user', x.id, coalesce(x.name, x.email, 'Unknown') FROM app_user x", &self.users),
            ("SELECT 'agent', x.id, x.name FROM agent x", &self.agents),
            ("SELECT 'user', x.id, x.name FROM former_user x", &self.users),
            ("SELECT 'agent', x.id, x.name FROM former_agent x", &self.agents),
        ];
        for (i, (select, ids)) in kinds.into_iter().filter(|(_, ids)| !ids.is_empty()).enumerate() {
            out.push_sql(if i == 0 { "" } else { " UNION ALL " });
            out.push_sql(select);
            out.push_sql(" WHERE x.company_id = ");
            out.push_bind_param::<Uid, _>(&self.company)?;
            out.push_sql(" AND x.id IN ");
            list(&mut out, ids)?;
        }
        Ok(())
    }
}
