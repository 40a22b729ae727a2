//! Names of users and agents.

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

/// See [`Tx::keep`](chorus_store::Tx::keep).
pub(super) async fn keep(unit: &mut Unit, parties: &[Party]) -> Result<Vec<Party>> {
    let (users, agents) = by_kind(parties);
    let mut kept = Vec::new();
    if !users.is_empty() {
        let users = app_user::table
            .filter(app_user::id.eq_any(users.into_iter().map(Val)))
            .order(app_user::id)
            .select(app_user::id);
        kept.extend(unit.rows::<UserId, _>(hold!(Exist, users)).await?.into_iter().map(Party::User));
    }
    if !agents.is_empty() {
        let agents =
            agent::table.filter(agent::id.eq_any(agents.into_iter().map(Val))).order(agent::id).select(agent::id);
        kept.extend(unit.rows::<AgentId, _>(hold!(Exist, agents)).await?.into_iter().map(Party::Agent));
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
