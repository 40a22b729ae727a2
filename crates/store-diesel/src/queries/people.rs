//! Names of users and agents.

use std::collections::BTreeSet;

use async_trait::async_trait;
use chorus_domain::Party;
use chorus_ids::{AgentId, UserId, Uuid};
use chorus_store::{Mentionable, Mentionables, People, PersonName, Result};
use chorus_visibility::Scope;
use diesel::{
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::Text,
};

use super::{Db, mention, unit::Unit};
use crate::{
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
}

/// See [`Tx::keep`](chorus_store::Tx::keep). People first, as everybody locks. Who waited for somebody's suspension
/// looks at the row again and finds it out.
pub(super) async fn keep(unit: &mut Unit, parties: &[Party]) -> Result<Vec<Party>> {
    let (users, agents) = by_kind(parties);
    if users.is_empty() && agents.is_empty() {
        return Ok(Vec::new());
    }
    let owners = agent::table
        .filter(agent::id.eq_any(agents.iter().map(Val)))
        .filter(agent::owner_id.is_not_null())
        .select(agent::owner_id.assume_not_null());
    let people = app_user::table
        .filter(app_user::id.eq_any(users.iter().map(Val)).or(app_user::id.eq_any(owners)))
        .filter(app_user::suspended_at.is_null())
        .order(app_user::id)
        .select(app_user::id);
    let here: BTreeSet<UserId> = unit.rows::<UserId, _>(hold!(Exist, people)).await?.into_iter().collect();
    let users = users.into_iter().map(UserId::from_uuid).filter(|user| here.contains(user));
    let mut kept: Vec<Party> = users.map(Party::User).collect();
    if !agents.is_empty() {
        let agents = agent::table
            .filter(agent::id.eq_any(agents.into_iter().map(Val)))
            .order(agent::id)
            .select((agent::id, agent::owner_id));
        let found: Vec<(AgentId, Option<UserId>)> = unit.rows(hold!(Exist, agents)).await?;
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
