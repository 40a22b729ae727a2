//! Ideas, alone and with the facts that their progress follows from.

use async_trait::async_trait;
use chorus_domain::{
    Kind, Party,
    idea::{Idea, IdeaFacts, TaskTally, edit::Ancestor},
    removal::{HeldIdea, Proposed},
};
use chorus_ids::{CompanyId, IdeaId, ProjectId, ProposalId, Timestamp, Uuid};
use chorus_lifecycle::idea::{Depth, ElaborationStatus, IdeaStatus};
use chorus_store::{IdeaSummary, Ideas, Page, PageRequest, Position, Reach, Result, Row, Start};
use chorus_visibility::Scope;
use diesel::{
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate},
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{BigInt, Bool, Nullable},
};

use super::{Conn, Db, columns::columns, run::execute, unit::Unit};
use crate::{
    fragment::{Constant, Total, behind, constant, fixed, padded, page_of, rows_of},
    schema::idea,
    stored::{assignment, by_kind, count32, optional_party, party},
    types::{Uid, Val},
    visible::visible,
};

/// An idea without its content, which may be long.
#[derive(Queryable, Selectable)]
#[diesel(table_name = idea, check_for_backend(Db))]
pub(crate) struct IdeaRow {
    id: IdeaId,
    company_id: CompanyId,
    project_id: ProjectId,
    title: String,
    status: String,
    elaboration_depth: Option<Depth>,
    elaboration_status: Option<ElaborationStatus>,
    parent_id: Option<IdeaId>,
    is_container: bool,
    assignee_type: Option<String>,
    assignee_id: Option<Uuid>,
    assigned_at: Option<Timestamp>,
    assigned_by_type: Option<String>,
    assigned_by_id: Option<Uuid>,
    created_by_type: String,
    created_by_id: Uuid,
    version: i32,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl IdeaRow {
    fn read(self, content: Option<String>) -> Result<Idea> {
        Ok(Idea {
            id: self.id,
            company: self.company_id,
            project: self.project_id,
            title: self.title,
            content,
            // A status that never was one counts as open (lifecycle specification §2.1).
            status: IdeaStatus::read(&self.status).unwrap_or(IdeaStatus::Open),
            elaboration_status: self.elaboration_status,
            depth: self.elaboration_depth,
            parent: self.parent_id,
            is_container: self.is_container,
            assignee: assignment(
                optional_party(self.assignee_type.as_deref(), self.assignee_id)?,
                self.assigned_at,
                optional_party(self.assigned_by_type.as_deref(), self.assigned_by_id)?,
            )?,
            created_by: party(&self.created_by_type, self.created_by_id)?,
            version: self.version,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// Proposals that count for the idea around: those of its project that name it (lifecycle specification §2.7).
///
/// `CROSS JOIN` makes SQLite begin with the few that name the idea; it would take all of the project otherwise.
macro_rules! naming_proposals {
    ($idea:literal, $status:literal) => {
        concat!(
            "FROM proposal_input ni CROSS JOIN proposal np WHERE np.id = ni.proposal_id AND ni.input_id = ",
            $idea,
            ".id AND np.project_id = ",
            $idea,
            ".project_id AND np.input_type = 'idea' AND np.status ",
            $status
        )
    };
}

/// The most recently created approved one.
macro_rules! latest_approved {
    () => {
        concat!(
            "(SELECT np.id ",
            naming_proposals!("idea", "= 'approved'"),
            " ORDER BY np.created_at DESC, np.id DESC LIMIT 1)"
        )
    };
}

/// The proposal whose tasks count for the idea, under the name by which [`WithFacts`] knows it.
pub(crate) const LATEST: Constant<Nullable<Uid>> = constant(concat!(latest_approved!(), " AS latest"));

/// The idea derives `done` by its own facts (lifecycle specification §2.7, row 6).
pub(crate) const DERIVES_DONE: Constant<Bool> = constant(concat!(
    "(idea.status = 'elaborated' AND NOT EXISTS (SELECT 1 ",
    naming_proposals!("idea", "= 'pending'"),
    ") AND EXISTS (SELECT 1 FROM task nt WHERE nt.proposal_id = ",
    latest_approved!(),
    ") AND NOT EXISTS (SELECT 1 FROM task nt WHERE nt.proposal_id = ",
    latest_approved!(),
    " AND nt.status NOT IN ('done', 'closed')))"
));

/// A proposal that starts from the idea is approved.
const APPROVED: Constant<Bool> = constant(concat!("EXISTS (SELECT 1 ", naming_proposals!("idea", "= 'approved'"), ")"));

/// The ideas that some people and agents hold, in some projects or everywhere, by id.
pub(super) async fn held_by(unit: &mut Unit, parties: &[Party], within: Reach<'_>) -> Result<Vec<HeldIdea>> {
    let (users, agents) = by_kind(parties);
    let of = |kind: &'static str, ids: Vec<Uuid>| {
        let held = idea::assignee_id.eq_any(ids.into_iter().map(|id| Some(Val(id))));
        idea::assignee_type.eq(Some(Val(kind))).and(held)
    };
    let held = idea::table.filter(of("user", users).or(of("agent", agents))).into_boxed::<Db>();
    let held = match within {
        Reach::Everywhere => held,
        Reach::Projects(projects) => held.filter(idea::project_id.eq_any(projects.iter().map(Val))),
    };
    let held = held.order(idea::id).select((columns::<IdeaRow>(), idea::content, APPROVED));
    let held: Vec<(IdeaRow, Option<String>, bool)> = unit.rows(held).await?;
    let held = held.into_iter().map(|(row, content, approved)| {
        let proposed = if approved { Proposed::Approved } else { Proposed::NotYet };
        Ok(HeldIdea { idea: row.read(content)?, proposed })
    });
    held.collect()
}

/// The column that a list of ideas falls by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Falling {
    Created,
    Updated,
}

/// A statement on ideas, with their facts before them.
///
/// What it selects must include [`IdeaRow`] and [`LATEST`]. The facts are counted per row that it
/// returns, each from an index.
pub(crate) struct WithFacts<Q> {
    pub(crate) ideas: Q,
    pub(crate) order: Falling,
}

/// Proposals pending and approved; tasks, those to verify, those finished; reports; children.
pub(crate) type FactCounts = (i64, i64, i64, i64, i64, i64, i64);

impl<Q: Query> Query for WithFacts<Q> {
    type SqlType = ((BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt), Q::SqlType);
}
impl<Q> QueryId for WithFacts<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<Q: QueryFragment<Db>> QueryFragment<Db> for WithFacts<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(concat!(
            "SELECT (SELECT count(*) ",
            naming_proposals!("f", "= 'pending'"),
            "), (SELECT count(*) ",
            naming_proposals!("f", "= 'approved'"),
            "), (SELECT count(*) FROM task nt WHERE nt.proposal_id = f.latest)",
            ", (SELECT count(*) FROM task nt WHERE nt.proposal_id = f.latest AND nt.status = 'to_verify')",
            ", (SELECT count(*) FROM task nt WHERE nt.proposal_id = f.latest AND nt.status IN ('done', 'closed'))",
            ", (SELECT count(*) FROM document nd WHERE nd.kind = 'report' AND nd.proposal_id IN (SELECT np.id ",
            naming_proposals!("f", "IN ('approved', 'closed')"),
            ")), (SELECT count(*) FROM idea nc WHERE nc.parent_id = f.id), f.* FROM ("
        ));
        self.ideas.walk_ast(out.reborrow())?;
        out.push_sql(match self.order {
            Falling::Created => ") f ORDER BY f.created_at DESC, f.id DESC",
            Falling::Updated => ") f ORDER BY f.updated_at DESC, f.id DESC",
        });
        Ok(())
    }
}

/// An idea and its facts, as the domain knows them.
pub(crate) fn summary(
    row: IdeaRow,
    content: Option<String>,
    latest: Option<ProposalId>,
    counts: FactCounts,
) -> Result<IdeaSummary> {
    let (pending, approved, total, to_verify, finished, reports, children) = counts;
    let tasks = latest.map(|proposal| TaskTally {
        proposal,
        total: count32(total),
        to_verify: count32(to_verify),
        finished: count32(finished),
    });
    let facts = IdeaFacts {
        pending_proposals: count32(pending),
        approved_proposals: count32(approved),
        tasks,
        reports: count32(reports),
        children: count32(children),
    };
    Ok(IdeaSummary { idea: row.read(content)?, facts })
}

/// The idea stands below one of those whose children `first` selects, or is one of them.
struct Below<Q> {
    first: Q,
}

impl<Q> Expression for Below<Q> {
    type SqlType = Bool;
}
impl<Q> AppearsOnTable<idea::table> for Below<Q> {}
impl<Q> SelectableExpression<idea::table> for Below<Q> {}
impl<Q> ValidGrouping<()> for Below<Q> {
    type IsAggregate = is_aggregate::No;
}
impl<Q: QueryId> QueryId for Below<Q> {
    type QueryId = Below<Q::QueryId>;
    const HAS_STATIC_QUERY_ID: bool = Q::HAS_STATIC_QUERY_ID;
}
impl<Q: QueryFragment<Db>> QueryFragment<Db> for Below<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        // UNION, not UNION ALL: stored parents that form a cycle must not run for ever.
        out.push_sql("idea.id IN (WITH RECURSIVE below(id) AS (");
        self.first.walk_ast(out.reborrow())?;
        out.push_sql(" UNION SELECT nc.id FROM idea nc JOIN below ON nc.parent_id = below.id) SELECT id FROM below)");
        Ok(())
    }
}

/// The idea is this one or stands above it.
struct Above {
    last: Uuid,
}

impl Expression for Above {
    type SqlType = Bool;
}
impl AppearsOnTable<idea::table> for Above {}
impl SelectableExpression<idea::table> for Above {}
impl ValidGrouping<()> for Above {
    type IsAggregate = is_aggregate::No;
}
impl QueryId for Above {
    type QueryId = Self;
}
impl QueryFragment<Db> for Above {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        // UNION, not UNION ALL, as below.
        out.push_sql("idea.id IN (WITH RECURSIVE above(id) AS (SELECT nc.id FROM idea nc WHERE nc.id = ");
        out.push_bind_param::<Uid, _>(&self.last)?;
        out.push_sql(
            " UNION SELECT nc.parent_id FROM idea nc JOIN above ON nc.id = above.id WHERE nc.parent_id IS NOT NULL) \
             SELECT id FROM above)",
        );
        Ok(())
    }
}

#[async_trait]
impl Ideas for Unit {
    async fn idea(&mut self, scope: &Scope, id: IdeaId) -> Result<Option<Idea>> {
        let found = idea::table
            .find(Val(id))
            .filter(visible(scope, idea::project_id))
            .select((columns::<IdeaRow>(), idea::content));
        let found = self.row(found).await?.map(|(row, content): (IdeaRow, _)| row.read(content)).transpose()?;
        if let Some(idea) = &found {
            self.note((Kind::Idea, id.uuid()), idea.version, &idea.title, idea.content.as_deref());
        }
        Ok(found)
    }

    async fn ideas_by_id(&mut self, scope: &Scope, ids: &[IdeaId]) -> Result<Vec<Idea>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let found = idea::table
            .filter(idea::id.eq_any(padded(ids.iter().map(Val))))
            .filter(visible(scope, idea::project_id))
            .select((columns::<IdeaRow>(), idea::content));
        self.rows(fixed(found)).await?.into_iter().map(|(row, content): (IdeaRow, _)| row.read(content)).collect()
    }

    async fn ideas(
        &mut self,
        scope: &Scope,
        project: ProjectId,
        status: Option<IdeaStatus>,
        page: &PageRequest,
    ) -> Result<Page<IdeaSummary>> {
        self.ideas_of(scope, Place::Project(project), status, page).await
    }

    async fn children(
        &mut self,
        scope: &Scope,
        parent: IdeaId,
        status: Option<IdeaStatus>,
        page: &PageRequest,
    ) -> Result<Page<IdeaSummary>> {
        self.ideas_of(scope, Place::Below(parent), status, page).await
    }

    async fn ideas_in(&mut self, scope: &Scope, project: ProjectId, limit: u32) -> Result<Vec<IdeaSummary>> {
        let ideas = idea::table
            .filter(idea::project_id.eq(Val(project)))
            .filter(visible(scope, Val(project).into_sql::<Uid>()))
            .order((idea::updated_at.desc(), idea::id.desc()))
            .limit(limit.into())
            .select((columns::<IdeaRow>(), LATEST));
        let ideas = WithFacts { ideas, order: Falling::Updated };
        let loaded: Vec<(FactCounts, (IdeaRow, Option<ProposalId>))> = self.rows(ideas).await?;
        loaded.into_iter().map(|(counts, (row, latest))| summary(row, None, latest, counts)).collect()
    }

    async fn titles_of_children(&mut self, scope: &Scope, parent: IdeaId) -> Result<Vec<(IdeaId, String)>> {
        let children = idea::table
            .filter(idea::parent_id.eq(Some(Val(parent))))
            .filter(visible(scope, idea::project_id))
            .order((idea::created_at, idea::id))
            .select((idea::id, idea::title));
        self.rows(children).await
    }

    async fn idea_summary(&mut self, scope: &Scope, id: IdeaId) -> Result<Option<IdeaSummary>> {
        let ideas = idea::table.find(Val(id)).filter(visible(scope, idea::project_id)).select((
            columns::<IdeaRow>(),
            idea::content,
            LATEST,
        ));
        let ideas = WithFacts { ideas, order: Falling::Created };
        let found: Option<(FactCounts, (IdeaRow, Option<String>, Option<ProposalId>))> = self.row(ideas).await?;
        let found = found.map(|(counts, (row, content, latest))| summary(row, content, latest, counts)).transpose()?;
        if let Some(IdeaSummary { idea, .. }) = &found {
            self.note((Kind::Idea, id.uuid()), idea.version, &idea.title, idea.content.as_deref());
        }
        Ok(found)
    }

    async fn ideas_below(&mut self, scope: &Scope, roots: &[IdeaId]) -> Result<Vec<IdeaSummary>> {
        if roots.is_empty() {
            return Ok(Vec::new());
        }
        let first = idea::table
            .filter(idea::parent_id.assume_not_null().eq_any(padded(roots.iter().map(Val))))
            .select(idea::id);
        let ideas = idea::table
            .filter(Below { first })
            .filter(visible(scope, idea::project_id))
            .select((columns::<IdeaRow>(), LATEST));
        let ideas = WithFacts { ideas, order: Falling::Created };
        let loaded: Vec<(FactCounts, (IdeaRow, Option<ProposalId>))> = self.rows(fixed(ideas)).await?;
        loaded.into_iter().map(|(counts, (row, latest))| summary(row, None, latest, counts)).collect()
    }

    async fn ideas_above(&mut self, scope: &Scope, id: IdeaId) -> Result<Vec<Ancestor>> {
        let line = idea::table.filter(Above { last: id.uuid() }).filter(visible(scope, idea::project_id)).select((
            idea::id,
            idea::title,
            idea::parent_id,
        ));
        let line: Vec<(IdeaId, String, Option<IdeaId>)> = self.rows(line).await?;
        Ok(line.into_iter().map(|(id, title, parent)| Ancestor { id, title, parent }).collect())
    }
}

/// An idea of a list with its facts, and how many the list has.
type ListedRow = (FactCounts, (IdeaRow, Option<ProposalId>, i64));

/// Which ideas a list is of.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Those of a project.
    Project(ProjectId),
    /// Those directly below another.
    Below(IdeaId),
}

impl Unit {
    async fn ideas_of(
        &mut self,
        scope: &Scope,
        place: Place,
        status: Option<IdeaStatus>,
        page: &PageRequest,
    ) -> Result<Page<IdeaSummary>> {
        let list = || {
            let list = match place {
                Place::Project(project) => idea::table
                    .filter(idea::project_id.eq(Val(project)))
                    .filter(visible(scope, Val(project).into_sql::<Uid>()))
                    .into_boxed::<Db>(),
                Place::Below(parent) => idea::table
                    .filter(idea::parent_id.eq(Some(Val(parent))))
                    .filter(visible(scope, idea::project_id))
                    .into_boxed::<Db>(),
            };
            match status {
                Some(status) => list.filter(idea::status.eq(Val(status))),
                None => list,
            }
        };
        let rows = match page.start {
            Start::Page(_) => list().offset(page.offset()),
            Start::After(place) => list().filter(behind(idea::created_at, idea::id, &place)),
        };
        let ideas = rows.order((idea::created_at.desc(), idea::id.desc())).limit(rows_of(page)).select((
            columns::<IdeaRow>(),
            LATEST,
            Total(list().count()),
        ));
        let ideas = WithFacts { ideas, order: Falling::Created };
        let loaded: Vec<ListedRow> = self.rows(ideas).await?;
        let total = loaded.first().map(|(_, (_, _, total))| *total);
        let total = self.total(total, page, || list().count()).await?;
        let rows = loaded.into_iter().map(|(counts, (row, latest, _))| {
            let item = summary(row, None, latest, counts)?;
            Ok(Row { at: Position { rank: 0, at: item.idea.created_at, id: item.idea.id.uuid() }, item })
        });
        Ok(page_of(rows.collect::<Result<_>>()?, total, page))
    }
}

/// Stores a new idea.
pub(crate) async fn insert_idea(conn: &mut Conn, new: &Idea) -> QueryResult<usize> {
    let assignee = new.assignee.as_ref();
    let assigned_by = assignee.and_then(|assignee| assignee.by);
    let statement = diesel::insert_into(idea::table).values((
        idea::id.eq(Val(new.id)),
        idea::company_id.eq(Val(new.company)),
        idea::project_id.eq(Val(new.project)),
        idea::title.eq(&new.title),
        idea::content.eq(&new.content),
        idea::status.eq(Val(new.status)),
        idea::elaboration_depth.eq(new.depth.map(Val)),
        idea::elaboration_status.eq(new.elaboration_status.map(Val)),
        idea::parent_id.eq(new.parent.map(Val)),
        idea::is_container.eq(new.is_container),
        idea::assignee_type.eq(assignee.map(|assignee| Val(assignee.to.kind()))),
        idea::assignee_id.eq(assignee.map(|assignee| Val(assignee.to.uuid()))),
        idea::assigned_at.eq(assignee.map(|assignee| Val(assignee.at))),
        idea::assigned_by_type.eq(assigned_by.map(|by| Val(by.kind()))),
        idea::assigned_by_id.eq(assigned_by.map(|by| Val(by.uuid()))),
        idea::created_by_type.eq(Val(new.created_by.kind())),
        idea::created_by_id.eq(Val(new.created_by.uuid())),
        idea::version.eq(new.version),
        idea::created_at.eq(Val(new.created_at)),
        idea::updated_at.eq(Val(new.updated_at)),
    ));
    execute(conn, statement).await
}

/// Stores the idea as it is now, if the stored one is the version before; says whether it was, as a number of rows.
pub(crate) async fn save_idea(conn: &mut Conn, new: &Idea) -> QueryResult<usize> {
    let assignee = new.assignee.as_ref();
    let assigned_by = assignee.and_then(|assignee| assignee.by);
    let statement = diesel::update(idea::table.find(Val(new.id)).filter(idea::version.eq(new.version - 1))).set((
        idea::project_id.eq(Val(new.project)),
        idea::title.eq(&new.title),
        idea::content.eq(&new.content),
        idea::status.eq(Val(new.status)),
        idea::elaboration_depth.eq(new.depth.map(Val)),
        idea::elaboration_status.eq(new.elaboration_status.map(Val)),
        idea::parent_id.eq(new.parent.map(Val)),
        idea::is_container.eq(new.is_container),
        idea::assignee_type.eq(assignee.map(|assignee| Val(assignee.to.kind()))),
        idea::assignee_id.eq(assignee.map(|assignee| Val(assignee.to.uuid()))),
        idea::assigned_at.eq(assignee.map(|assignee| Val(assignee.at))),
        idea::assigned_by_type.eq(assigned_by.map(|by| Val(by.kind()))),
        idea::assigned_by_id.eq(assigned_by.map(|by| Val(by.uuid()))),
        idea::version.eq(new.version),
        idea::updated_at.eq(Val(new.updated_at)),
    ));
    execute(conn, fixed(statement)).await
}
