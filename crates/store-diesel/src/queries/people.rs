//! Names of users and agents.

use async_trait::async_trait;
use chorus_domain::Party;
use chorus_ids::Uuid;
use chorus_store::{Mentionable, Mentionables, People, PersonName, Result};
use chorus_visibility::Scope;
use diesel::{
    QueryResult,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::Text,
};

use super::{Db, mention, unit::Unit};
use crate::{
    stored::{by_kind, party},
    types::{Label, Uid},
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
