//! Searching the index of words.
//!
//! Every statement begins with the places that the caller sees, once, and looks only at their entries, before anything
//! is ranked, cut or counted. The steps behind make a table `best` of what was found; the same end ranks it and reads the
//! rows.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chorus_domain::{
    Kind,
    search::{Query as Words, SEARCHED, Score, Term},
};
use chorus_ids::{ProjectId, Timestamp, Uuid};
use chorus_store::{
    Error, Ground, MAX_MATCHES, Matches, Neighbour, RANKED, Relation, Result, SEEN, Search, SearchRow, Within,
};
use chorus_visibility::Scope;
use diesel::{
    QueryResult,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{BigInt, Nullable, Text},
};

use super::{Db, WORDS, unit::Unit};
use crate::{
    fragment::{Constant, constant},
    stored::{count32, count64},
    types::{Label, Stamp, Uid},
    visible::{GroupVisible, Visible, group_visible, visible},
};

#[async_trait]
impl Search for Unit {
    async fn matches(&mut self, scope: &Scope, ground: &Ground, query: &Words) -> Result<Matches> {
        let terms = query.terms();
        let counts: BTreeMap<Kind, u64> = ground.kinds.iter().map(|kind| (*kind, 0)).collect();
        let mut found = Matches { rows: Vec::new(), counts };
        if terms.is_empty() || ground.kinds.is_empty() {
            return Ok(found);
        }
        let rows: Vec<FoundRow> = self.rows(Best::of(scope, ground, terms)).await?;
        for row in rows {
            let score = Score { matched: count32(row.8), titled: count32(row.9) };
            found.rows.push((read(row), score));
        }
        if found.rows.len() < MAX_MATCHES as usize {
            // Nothing was cut.
            for (row, _) in &found.rows {
                *found.counts.entry(row.kind).or_default() += 1;
            }
        } else {
            let counted: Vec<(Kind, i64)> = self.rows(Count::of(scope, ground, terms)).await?;
            found.counts.extend(counted.into_iter().map(|(kind, count)| (kind, count64(count))));
        }
        Ok(found)
    }

    async fn found_by_id(&mut self, scope: &Scope, ground: &Ground, id: Uuid) -> Result<Option<SearchRow>> {
        let row: Option<FoundRow> = self.row(ById::of(scope, ground, id)).await?;
        Ok(row.map(read))
    }

    async fn neighbours(
        &mut self,
        scope: &Scope,
        ground: &Ground,
        of: &[(Kind, Uuid)],
        limit: u32,
    ) -> Result<Vec<Neighbour>> {
        if of.is_empty() || ground.kinds.is_empty() {
            return Ok(Vec::new());
        }
        let of = of.iter().map(|(kind, id)| (kind.as_str(), *id)).collect();
        let rows: Vec<FoundRow> = self.rows(Beside::of(scope, ground, of, limit)).await?;
        rows.into_iter().map(beside).collect()
    }

    async fn ids_between(
        &mut self,
        scope: &Scope,
        (within, kind): (Within, Kind),
        between: (Uuid, Uuid),
        limit: u32,
    ) -> Result<Vec<Uuid>> {
        let ground = Ground { within, kinds: vec![kind] };
        self.rows(Between::of(scope, &ground, between, limit)).await
    }
}

/// Kind, id, title, status, text, time, project, its name; terms that it has, those in the title.
type FoundRow = (Kind, Uuid, String, String, Option<String>, Timestamp, Option<ProjectId>, Option<String>, i64, i64);
type FoundSql = (Label, Uid, Text, Text, Nullable<Text>, Stamp, Nullable<Uid>, Nullable<Text>, BigInt, BigInt);

fn read((kind, id, title, status, text, updated_at, project, name, ..): FoundRow) -> SearchRow {
    SearchRow { kind, id, title, status, text, project: project.zip(name), updated_at }
}

/// A neighbour's link stands where a match has its terms: negative, since the nearest comes first.
fn beside(row: FoundRow) -> Result<Neighbour> {
    let link = usize::try_from(-row.8).map_err(|error| Error::Internal(error.into()))?;
    let relation = Relation::ALL.get(link % RELATIONS).copied();
    let relation = relation.ok_or_else(|| Error::internal("stored: a link between neighbours without a name"))?;
    Ok(Neighbour { row: read(row), of: link / RELATIONS, relation })
}

/// How many relations a link tells apart.
const RELATIONS: usize = Relation::ALL.len();

/// The table `place` of what a caller sees of a ground, and the filter by it.
struct Places<'g> {
    within: &'g Within,
    company: Uuid,
    project: Visible<'g, Constant<Uid>>,
    group: GroupVisible<'g, Constant<Uid>>,
    /// The filter on entries `e`, beginning with AND.
    filter: String,
}

impl<'g> Places<'g> {
    fn of(scope: &'g Scope, ground: &'g Ground) -> Self {
        let mut filter = " AND e.place_id IN (SELECT id FROM place)".to_owned();
        if ground.kinds.len() < SEARCHED.len() {
            let kinds: Vec<_> = ground.kinds.iter().map(|kind| format!("'{kind}'")).collect();
            filter.push_str(&format!(" AND e.entity_type IN ({})", kinds.join(", ")));
        }
        Self {
            within: &ground.within,
            company: scope.company().uuid(),
            project: visible(scope, constant("p.id")),
            group: group_visible(scope, constant("g.id")),
            filter,
        }
    }

    /// Begins a statement with the places.
    fn begin<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        // Another query every time: no use in keeping it, and each wants a plan of its own.
        out.unsafe_to_cache_prepared();
        out.push_sql("WITH place (id) AS MATERIALIZED (SELECT p.id FROM project p WHERE ");
        match self.within {
            Within::Everything => {
                out.push_sql("p.company_id = ");
                out.push_bind_param::<Uid, _>(&self.company)?;
            }
            Within::Group(group) => {
                out.push_sql("p.group_id = ");
                out.push_bind_param::<Uid, _>(group)?;
            }
            Within::Project(project) => {
                out.push_sql("p.id = ");
                out.push_bind_param::<Uid, _>(project)?;
            }
        }
        out.push_sql(" AND ");
        self.project.walk_ast(out.reborrow())?;
        let group = match self.within {
            Within::Everything => {
                out.push_sql(" UNION ALL SELECT g.id FROM project_group g WHERE g.company_id = ");
                out.push_bind_param::<Uid, _>(&self.company)?;
                true
            }
            Within::Group(group) => {
                out.push_sql(" UNION ALL SELECT g.id FROM project_group g WHERE g.id = ");
                out.push_bind_param::<Uid, _>(group)?;
                true
            }
            Within::Project(_) => false,
        };
        if group {
            out.push_sql(" AND ");
            self.group.walk_ast(out.reborrow())?;
        }
        out.push_sql(")");
        Ok(())
    }
}

/// The end of a statement that made `best (entity_type, entity_id, matched, titled)`: ranks it, cuts it, reads the rows.
fn end(out: &mut AstPass<'_, '_, Db>, limit: u32) {
    macro_rules! joins {
        ($row:literal) => {
            concat!(
                " LEFT JOIN task t ON ",
                $row,
                ".entity_type = 'task' AND t.id = ",
                $row,
                ".entity_id",
                " LEFT JOIN idea i ON ",
                $row,
                ".entity_type = 'idea' AND i.id = ",
                $row,
                ".entity_id",
                " LEFT JOIN proposal r ON ",
                $row,
                ".entity_type = 'proposal' AND r.id = ",
                $row,
                ".entity_id",
                " LEFT JOIN document d ON ",
                $row,
                ".entity_type = 'document' AND d.id = ",
                $row,
                ".entity_id",
                " LEFT JOIN project o ON ",
                $row,
                ".entity_type = 'project' AND o.id = ",
                $row,
                ".entity_id",
                " LEFT JOIN project_group g ON ",
                $row,
                ".entity_type = 'project_group' AND g.id = ",
                $row,
                ".entity_id",
            )
        };
    }
    out.push_sql(
        " SELECT h.entity_type, h.entity_id, coalesce(t.title, i.title, r.title, d.title, o.name, g.name), \
         coalesce(t.status, i.status, r.status, d.kind, 'active'), ",
    );
    out.push_sql(&format!(
        "substr(coalesce(t.description, i.content, r.description, d.content, o.description, g.description), 1, {SEEN})"
    ));
    out.push_sql(
        ", h.updated_at, a.id, a.name, CAST(h.matched AS BIGINT), CAST(h.titled AS BIGINT) FROM (\
         SELECT b.entity_type, b.entity_id, b.matched, b.titled, coalesce(t.updated_at, i.updated_at, r.updated_at, \
         d.updated_at, o.updated_at, g.updated_at) AS updated_at FROM best b",
    );
    out.push_sql(joins!("b"));
    out.push_sql(&format!(
        " ORDER BY b.matched DESC, b.titled DESC, updated_at DESC, b.entity_id DESC LIMIT {limit}) h"
    ));
    out.push_sql(joins!("h"));
    out.push_sql(
        " LEFT JOIN project a ON a.id = coalesce(t.project_id, i.project_id, r.project_id, d.project_id, o.id) \
         ORDER BY h.matched DESC, h.titled DESC, h.updated_at DESC, h.entity_id DESC",
    );
}

macro_rules! statement {
    ($($name:ident: $sql:ty),+) => { $(
        impl Query for $name<'_> {
            type SqlType = $sql;
        }
        impl QueryId for $name<'_> {
            type QueryId = ();
            const HAS_STATIC_QUERY_ID: bool = false;
        }
    )+ };
}

statement! { Best: FoundSql, Count: (Label, BigInt), ById: FoundSql, Beside: FoundSql, Between: Uid }

/// A whole statement: the best matches.
pub(super) struct Best<'g> {
    places: Places<'g>,
    looks: Vec<Look>,
    terms: usize,
}

/// One look into the index.
struct Look {
    /// The entries, up to where the query is bound.
    entries: &'static str,
    query: String,
    /// The number of the term; −1 for all of them.
    term: i64,
    /// 1 for a look at titles.
    titled: u8,
}

impl<'g> Best<'g> {
    pub(super) fn of(scope: &'g Scope, ground: &'g Ground, terms: &[Term]) -> Self {
        let mut looks = Vec::new();
        for (term, nth) in terms.iter().zip(0..) {
            looks.push(Look { entries: WORDS.anywhere, query: WORDS.term(term), term: nth, titled: 0 });
            looks.push(Look { entries: WORDS.in_title, query: WORDS.title(term), term: nth, titled: 1 });
        }
        if terms.len() > 1 {
            looks.push(Look { entries: WORDS.anywhere, query: WORDS.all(terms), term: -1, titled: 0 });
        }
        Self { places: Places::of(scope, ground), looks, terms: terms.len() }
    }
}

impl QueryFragment<Db> for Best<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.places.begin(&mut out)?;
        out.push_sql(", found (entity_type, entity_id, term, titled) AS (");
        for (look, nth) in self.looks.iter().zip(0..) {
            let Look { entries, query, term, titled } = look;
            out.push_sql(if nth == 0 { "" } else { " UNION ALL " });
            out.push_sql(&format!(
                "SELECT * FROM (SELECT e.entity_type, e.entity_id, {term} AS term, {titled} AS titled FROM {entries}"
            ));
            out.push_bind_param::<Text, _>(query)?;
            out.push_sql(WORDS.after);
            out.push_sql(&self.places.filter);
            out.push_sql(&format!(" ORDER BY {} DESC LIMIT {RANKED}) l{nth}", WORDS.newest));
        }
        out.push_sql(&format!(
            "), best AS (SELECT entity_type, entity_id, CASE WHEN min(term) < 0 THEN {} ELSE count(DISTINCT term) END \
             AS matched, sum(titled) AS titled FROM found GROUP BY entity_type, entity_id)",
            self.terms
        ));
        end(&mut out, MAX_MATCHES);
        Ok(())
    }
}

/// A whole statement: how many things of each kind match.
pub(super) struct Count<'g> {
    places: Places<'g>,
    query: String,
}

impl<'g> Count<'g> {
    pub(super) fn of(scope: &'g Scope, ground: &'g Ground, terms: &[Term]) -> Self {
        Self { places: Places::of(scope, ground), query: WORDS.any(terms) }
    }
}

impl QueryFragment<Db> for Count<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.places.begin(&mut out)?;
        out.push_sql(" SELECT e.entity_type, count(*) FROM ");
        out.push_sql(WORDS.anywhere);
        out.push_bind_param::<Text, _>(&self.query)?;
        out.push_sql(WORDS.after);
        out.push_sql(&self.places.filter);
        out.push_sql(" GROUP BY e.entity_type");
        Ok(())
    }
}

/// A whole statement: the thing with an id.
pub(super) struct ById<'g> {
    places: Places<'g>,
    id: Uuid,
}

impl<'g> ById<'g> {
    pub(super) fn of(scope: &'g Scope, ground: &'g Ground, id: Uuid) -> Self {
        Self { places: Places::of(scope, ground), id }
    }
}

impl QueryFragment<Db> for ById<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.places.begin(&mut out)?;
        out.push_sql(", best AS (SELECT e.entity_type, e.entity_id, 0 AS matched, 0 AS titled FROM search_entry e");
        // With its kinds named, so that the key of the entries finds it.
        let kinds: Vec<_> = SEARCHED.iter().map(|kind| format!("'{kind}'")).collect();
        out.push_sql(&format!(" WHERE e.entity_type IN ({}) AND e.entity_id = ", kinds.join(", ")));
        out.push_bind_param::<Uid, _>(&self.id)?;
        out.push_sql(&self.places.filter);
        out.push_sql(")");
        end(&mut out, 1);
        Ok(())
    }
}

/// A whole statement: what stands beside things. A link is the number of the thing and of the relation in one.
pub(super) struct Beside<'g> {
    places: Places<'g>,
    of: Vec<(&'static str, Uuid)>,
    limit: u32,
}

impl<'g> Beside<'g> {
    pub(super) fn of(scope: &'g Scope, ground: &'g Ground, of: Vec<(&'static str, Uuid)>, limit: u32) -> Self {
        Self { places: Places::of(scope, ground), of, limit }
    }
}

impl QueryFragment<Db> for Beside<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        /// Kind, id and the tables behind `seed s` of each relation.
        const LINKS: [(Relation, &str); 10] = [
            (Relation::Parent, "'idea', x.parent_id FROM seed s JOIN idea x ON x.id = s.id WHERE s.kind = 'idea'"),
            (Relation::Child, "'idea', x.id FROM seed s JOIN idea x ON x.parent_id = s.id WHERE s.kind = 'idea'"),
            (
                Relation::Proposal,
                "'proposal', x.proposal_id FROM seed s JOIN task x ON x.id = s.id WHERE s.kind = 'task'",
            ),
            (
                Relation::Proposal,
                "'proposal', x.proposal_id FROM seed s JOIN document x ON x.id = s.id WHERE s.kind = 'document'",
            ),
            (
                Relation::Sibling,
                "'task', x.id FROM seed s JOIN task y ON y.id = s.id JOIN task x ON x.proposal_id = y.proposal_id \
                 WHERE s.kind = 'task'",
            ),
            (
                Relation::Sibling,
                "'document', x.id FROM seed s JOIN task y ON y.id = s.id JOIN document x \
                 ON x.proposal_id = y.proposal_id WHERE s.kind = 'task'",
            ),
            (
                Relation::Sibling,
                "'task', x.id FROM seed s JOIN document y ON y.id = s.id JOIN task x \
                 ON x.proposal_id = y.proposal_id WHERE s.kind = 'document'",
            ),
            (
                Relation::Sibling,
                "'document', x.id FROM seed s JOIN document y ON y.id = s.id JOIN document x \
                 ON x.proposal_id = y.proposal_id WHERE s.kind = 'document'",
            ),
            (
                Relation::Prerequisite,
                "'task', x.depends_on_id FROM seed s JOIN task_dependency x ON x.task_id = s.id WHERE s.kind = 'task'",
            ),
            (
                Relation::Dependant,
                "'task', x.task_id FROM seed s JOIN task_dependency x ON x.depends_on_id = s.id WHERE s.kind = 'task'",
            ),
        ];
        self.places.begin(&mut out)?;
        out.push_sql(", seed (kind, id, nth) AS (VALUES ");
        for ((kind, id), nth) in self.of.iter().zip(0..) {
            out.push_sql(if nth == 0 { "(" } else { ", (" });
            out.push_bind_param::<Label, _>(kind)?;
            out.push_sql(", ");
            out.push_bind_param::<Uid, _>(id)?;
            out.push_sql(&format!(", {nth})"));
        }
        out.push_sql("), near (link, entity_type, entity_id) AS (");
        for ((relation, link), nth) in LINKS.iter().zip(0..) {
            out.push_sql(if nth == 0 { "" } else { " UNION ALL " });
            out.push_sql(&format!("SELECT s.nth * {RELATIONS} + {}, {link}", *relation as usize));
        }
        out.push_sql(
            "), best AS (SELECT e.entity_type, e.entity_id, -min(n.link) AS matched, 0 AS titled FROM near n \
             JOIN search_entry e ON e.entity_type = n.entity_type AND e.entity_id = n.entity_id \
             WHERE NOT EXISTS (SELECT 1 FROM seed s WHERE s.kind = e.entity_type AND s.id = e.entity_id)",
        );
        out.push_sql(&self.places.filter);
        out.push_sql(" GROUP BY e.entity_type, e.entity_id)");
        end(&mut out, self.limit);
        Ok(())
    }
}

/// A whole statement: the ids in a range, from its end. The key of the entries has them in this order.
pub(super) struct Between<'g> {
    places: Places<'g>,
    between: (Uuid, Uuid),
    limit: u32,
}

impl<'g> Between<'g> {
    pub(super) fn of(scope: &'g Scope, ground: &'g Ground, between: (Uuid, Uuid), limit: u32) -> Self {
        Self { places: Places::of(scope, ground), between, limit }
    }
}

impl QueryFragment<Db> for Between<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.places.begin(&mut out)?;
        out.push_sql(" SELECT e.entity_id FROM search_entry e WHERE e.entity_id >= ");
        out.push_bind_param::<Uid, _>(&self.between.0)?;
        out.push_sql(" AND e.entity_id <= ");
        out.push_bind_param::<Uid, _>(&self.between.1)?;
        out.push_sql(&self.places.filter);
        out.push_sql(&format!(" ORDER BY e.entity_id DESC LIMIT {}", self.limit));
        Ok(())
    }
}
