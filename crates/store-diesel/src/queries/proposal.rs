//! Proposals with their inputs and drafts.

use async_trait::async_trait;
use chorus_domain::{
    Kind,
    proposal::{DocumentDraft, DocumentDraftIndex, Proposal, Review, TaskDraft},
};
use chorus_ids::{CompanyId, DraftId, ProjectId, ProposalId, Timestamp, Uuid};
use chorus_lifecycle::{
    document::DocumentType,
    proposal::{InputType, ProposalStatus},
    task::Priority,
};
use chorus_store::{DraftBodies, Error, Page, PageRequest, Position, ProposalUse, Proposals, Result, Row, Start};
use chorus_visibility::Scope;
use diesel::{
    define_sql_function,
    dsl::case_when,
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate},
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{Integer, Nullable, Text},
};
use serde_json::Value;

use super::{Conn, Db, columns::columns, run::execute, unit::Unit};
use crate::{
    fragment::{CACHED_ROWS, ROWS, Total, behind, fixed, insert_all, page_of, rows_of},
    schema::{document_draft, proposal, proposal_input, task_draft},
    stored::{from_json, optional_party, party, to_json},
    types::{Json, Uid, Val},
    visible::visible,
};

define_sql_function! {
    /// How many characters a text has.
    fn length(text: Text) -> Integer;
}

/// A proposal without its inputs and its description, which may be long.
#[derive(Queryable, Selectable)]
#[diesel(table_name = proposal, check_for_backend(Db))]
struct ProposalRow {
    id: ProposalId,
    company_id: CompanyId,
    project_id: ProjectId,
    title: String,
    input_type: InputType,
    status: ProposalStatus,
    created_by_type: String,
    created_by_id: Uuid,
    reviewed_by_type: Option<String>,
    reviewed_by_id: Option<Uuid>,
    review_note: Option<String>,
    reviewed_at: Option<Timestamp>,
    version: i32,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl ProposalRow {
    fn read(self, description: Option<String>) -> Result<Proposal> {
        let by = optional_party(self.reviewed_by_type.as_deref(), self.reviewed_by_id)?;
        let review = match (by, self.reviewed_at) {
            (Some(by), Some(at)) => Some(Review { by, note: self.review_note, at }),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => {
                return Err(Error::internal("stored: half of a review is missing"));
            }
        };
        Ok(Proposal {
            id: self.id,
            company: self.company_id,
            project: self.project_id,
            title: self.title,
            description,
            input_type: self.input_type,
            inputs: Vec::new(),
            status: self.status,
            created_by: party(&self.created_by_type, self.created_by_id)?,
            review,
            version: self.version,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// One proposal per run of rows with the same id, each row with one of its inputs.
fn gather(rows: impl Iterator<Item = (ProposalRow, Option<String>, Option<Uuid>)>) -> Result<Vec<Proposal>> {
    let mut proposals: Vec<Proposal> = Vec::new();
    for (row, description, input) in rows {
        if proposals.last().is_none_or(|last| last.id != row.id) {
            proposals.push(row.read(description)?);
        }
        if let Some(last) = proposals.last_mut() {
            last.inputs.extend(input);
        }
    }
    Ok(proposals)
}

/// A page of proposals, newest first, each row repeated for each of its inputs, in order.
struct WithInputs<Q> {
    proposals: Q,
}

impl<Q: Query> Query for WithInputs<Q> {
    type SqlType = (Nullable<Uid>, Q::SqlType);
}
impl<Q> QueryId for WithInputs<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<Q: QueryFragment<Db>> QueryFragment<Db> for WithInputs<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("SELECT i.input_id, f.* FROM (");
        self.proposals.walk_ast(out.reborrow())?;
        out.push_sql(
            ") f LEFT JOIN proposal_input i ON i.proposal_id = f.id \
             ORDER BY f.created_at DESC, f.id DESC, i.position",
        );
        Ok(())
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = document_draft, check_for_backend(Db))]
struct DocumentDraftRow {
    id: DraftId,
    kind: DocumentType,
    title: String,
}

/// A task draft without its description.
#[derive(Queryable, Selectable)]
#[diesel(table_name = task_draft, check_for_backend(Db))]
struct TaskDraftRow {
    id: DraftId,
    title: String,
    priority: Option<Priority>,
    story_points: Option<f64>,
    criteria: Value,
    depends_on: Value,
}

impl TaskDraftRow {
    fn read(self, description: Option<String>) -> Result<TaskDraft> {
        let depends_on: Vec<String> = from_json(self.depends_on)?;
        let depends_on = depends_on.iter().map(|id| id.parse());
        Ok(TaskDraft {
            id: self.id,
            title: self.title,
            description,
            priority: self.priority,
            story_points: self.story_points,
            criteria: from_json(self.criteria)?,
            depends_on: depends_on.collect::<Result<_, _>>().map_err(|invalid| Error::Internal(Box::new(invalid)))?,
        })
    }
}

#[async_trait]
impl Proposals for Unit {
    async fn proposal(&mut self, scope: &Scope, id: ProposalId) -> Result<Option<Proposal>> {
        // A row per input; the description, which may be long, comes only with the first.
        let is_first = proposal_input::position.nullable().is_null().or(proposal_input::position.nullable().eq(0));
        let loaded = proposal::table
            .left_join(proposal_input::table)
            .filter(proposal::id.eq(Val(id)))
            .filter(visible(scope, proposal::project_id))
            .order(proposal_input::position)
            .select((
                columns::<ProposalRow>(),
                case_when(is_first.assume_not_null(), proposal::description),
                proposal_input::input_id.nullable(),
            ));
        let found = gather(self.rows(loaded).await?.into_iter())?.pop();
        if let Some(found) = &found {
            self.note((Kind::Proposal, id.uuid()), found.version, &found.title, found.description.as_deref());
        }
        Ok(found)
    }

    async fn proposals(
        &mut self,
        scope: &Scope,
        project: ProjectId,
        status: Option<ProposalStatus>,
        page: &PageRequest,
    ) -> Result<Page<Proposal>> {
        let list = || {
            let list = proposal::table
                .filter(proposal::project_id.eq(Val(project)))
                .filter(visible(scope, Val(project).into_sql::<Uid>()))
                .into_boxed::<Db>();
            match status {
                Some(status) => list.filter(proposal::status.eq(Val(status))),
                None => list,
            }
        };
        let rows = match page.start {
            Start::Page(_) => list().offset(page.offset()),
            Start::After(place) => list().filter(behind(proposal::created_at, proposal::id, &place)),
        };
        let proposals = rows
            .order((proposal::created_at.desc(), proposal::id.desc()))
            .limit(rows_of(page))
            .select((columns::<ProposalRow>(), Total(list().count())));
        let loaded: Vec<(Option<Uuid>, (ProposalRow, i64))> = self.rows(WithInputs { proposals }).await?;
        let total = loaded.first().map(|(_, (_, total))| *total);
        let total = self.total(total, page, || list().count()).await?;
        let proposals = gather(loaded.into_iter().map(|(input, (row, _))| (row, None, input)))?;
        let rows = proposals
            .into_iter()
            .map(|item| Row { at: Position { rank: 0, at: item.created_at, id: item.id.uuid() }, item });
        Ok(page_of(rows.collect(), total, page))
    }

    async fn document_drafts(&mut self, scope: &Scope, id: ProposalId) -> Result<Vec<DocumentDraft>> {
        let query = document_draft::table
            .inner_join(proposal::table)
            .filter(document_draft::proposal_id.eq(Val(id)))
            .filter(visible(scope, proposal::project_id))
            .order(document_draft::position)
            .select((columns::<DocumentDraftRow>(), document_draft::content));
        let drafts = self.rows(query).await?.into_iter();
        Ok(drafts
            .map(|(DocumentDraftRow { id, kind, title }, content)| DocumentDraft { id, kind, title, content })
            .collect())
    }

    async fn document_draft_index(&mut self, scope: &Scope, id: ProposalId) -> Result<Vec<DocumentDraftIndex>> {
        let query = document_draft::table
            .inner_join(proposal::table)
            .filter(document_draft::proposal_id.eq(Val(id)))
            .filter(visible(scope, proposal::project_id))
            .order(document_draft::position)
            .select((columns::<DocumentDraftRow>(), length(document_draft::content)));
        let index = self.rows(query).await?.into_iter().map(|(row, characters): (DocumentDraftRow, i32)| {
            let DocumentDraftRow { id, kind, title } = row;
            DocumentDraftIndex { id, kind, title, content_length: u32::try_from(characters).unwrap_or(0) }
        });
        Ok(index.collect())
    }

    async fn task_drafts(&mut self, scope: &Scope, id: ProposalId, bodies: DraftBodies) -> Result<Vec<TaskDraft>> {
        let query = task_draft::table
            .inner_join(proposal::table)
            .filter(task_draft::proposal_id.eq(Val(id)))
            .filter(visible(scope, proposal::project_id))
            .order(task_draft::position);
        let rows: Vec<(TaskDraftRow, Option<String>)> = match bodies {
            DraftBodies::Full => self.rows(query.select((columns::<TaskDraftRow>(), task_draft::description))).await?,
            DraftBodies::Omitted => {
                let rows = self.rows(query.select(columns::<TaskDraftRow>())).await?;
                rows.into_iter().map(|row| (row, None)).collect()
            }
        };
        rows.into_iter().map(|(row, description)| row.read(description)).collect()
    }

    async fn document_draft(&mut self, scope: &Scope, id: ProposalId, draft: DraftId) -> Result<Option<DocumentDraft>> {
        let found = document_draft::table
            .inner_join(proposal::table)
            .filter(document_draft::id.eq(Val(draft)))
            .filter(document_draft::proposal_id.eq(Val(id)))
            .filter(visible(scope, proposal::project_id))
            .select((columns::<DocumentDraftRow>(), document_draft::content));
        let found = self.row(found).await?;
        Ok(found.map(|(DocumentDraftRow { id, kind, title }, content)| DocumentDraft { id, kind, title, content }))
    }

    async fn task_draft(&mut self, scope: &Scope, id: ProposalId, draft: DraftId) -> Result<Option<TaskDraft>> {
        let found = task_draft::table
            .inner_join(proposal::table)
            .filter(task_draft::id.eq(Val(draft)))
            .filter(task_draft::proposal_id.eq(Val(id)))
            .filter(visible(scope, proposal::project_id))
            .select((columns::<TaskDraftRow>(), task_draft::description));
        self.row(found).await?.map(|(row, description): (TaskDraftRow, _)| row.read(description)).transpose()
    }

    async fn proposals_naming(&mut self, scope: &Scope, inputs: &[Uuid]) -> Result<Vec<ProposalUse>> {
        if inputs.is_empty() {
            return Ok(Vec::new());
        }
        let query = proposal_input::table
            .inner_join(proposal::table)
            .filter(proposal_input::input_id.eq_any(inputs.iter().map(Val)))
            .filter(visible(scope, proposal::project_id))
            .order((proposal::created_at.desc(), proposal::id.desc(), proposal_input::position))
            .select((proposal_input::input_id, proposal::id, proposal::title, proposal::status));
        let uses = self.rows(query).await?.into_iter();
        Ok(uses.map(|(input, proposal, title, status)| ProposalUse { input, proposal, title, status }).collect())
    }
}

/// Stores a new proposal with its inputs.
pub(crate) async fn insert_proposal(conn: &mut Conn, new: &Proposal) -> QueryResult<usize> {
    let review = new.review.as_ref();
    let statement = diesel::insert_into(proposal::table).values((
        proposal::id.eq(Val(new.id)),
        proposal::company_id.eq(Val(new.company)),
        proposal::project_id.eq(Val(new.project)),
        proposal::title.eq(&new.title),
        proposal::description.eq(&new.description),
        proposal::input_type.eq(Val(new.input_type)),
        proposal::status.eq(Val(new.status)),
        proposal::created_by_type.eq(Val(new.created_by.kind())),
        proposal::created_by_id.eq(Val(new.created_by.uuid())),
        proposal::reviewed_by_type.eq(review.map(|review| Val(review.by.kind()))),
        proposal::reviewed_by_id.eq(review.map(|review| Val(review.by.uuid()))),
        proposal::review_note.eq(review.and_then(|review| review.note.as_deref())),
        proposal::reviewed_at.eq(review.map(|review| Val(review.at))),
        proposal::version.eq(new.version),
        proposal::created_at.eq(Val(new.created_at)),
        proposal::updated_at.eq(Val(new.updated_at)),
    ));
    let made = execute(conn, statement).await?;
    let inputs = (0_i32..).zip(&new.inputs).map(|(position, input)| {
        (
            proposal_input::proposal_id.eq(Val(new.id)),
            proposal_input::position.eq(position),
            proposal_input::input_id.eq(Val(*input)),
        )
    });
    match insert_all(proposal_input::table, inputs) {
        Some(insert) => execute(conn, insert).await.map(|inputs| made + inputs),
        None => Ok(made),
    }
}

/// Stores the proposal as it is now, its inputs and drafts apart, if the stored one is the version before; says whether
/// it was, as a number of rows.
pub(crate) async fn save_proposal(conn: &mut Conn, new: &Proposal) -> QueryResult<usize> {
    let review = new.review.as_ref();
    let statement = diesel::update(proposal::table.find(Val(new.id)).filter(proposal::version.eq(new.version - 1)))
        .set((
            proposal::project_id.eq(Val(new.project)),
            proposal::title.eq(&new.title),
            proposal::description.eq(&new.description),
            proposal::status.eq(Val(new.status)),
            proposal::reviewed_by_type.eq(review.map(|review| Val(review.by.kind()))),
            proposal::reviewed_by_id.eq(review.map(|review| Val(review.by.uuid()))),
            proposal::review_note.eq(review.and_then(|review| review.note.as_deref())),
            proposal::reviewed_at.eq(review.map(|review| Val(review.at))),
            proposal::version.eq(new.version),
            proposal::updated_at.eq(Val(new.updated_at)),
        ));
    execute(conn, fixed(statement)).await
}

/// Stores a document draft at the end of the proposal's list. The unit owns the proposal, so nobody else adds one.
pub(crate) async fn add_document_draft(
    conn: &mut Conn,
    proposal: ProposalId,
    draft: &DocumentDraft,
) -> QueryResult<usize> {
    let statement = diesel::insert_into(document_draft::table).values((
        document_draft::id.eq(Val(draft.id)),
        document_draft::proposal_id.eq(Val(proposal)),
        document_draft::position.eq(NextPosition { drafts: Drafts::Documents, proposal }),
        document_draft::kind.eq(Val(draft.kind)),
        document_draft::title.eq(&draft.title),
        document_draft::content.eq(&draft.content),
    ));
    execute(conn, statement).await
}

/// Stores a task draft at the end of the proposal's list; see [`add_document_draft`].
pub(crate) async fn add_task_draft(conn: &mut Conn, proposal: ProposalId, draft: &TaskDraft) -> QueryResult<usize> {
    let statement = diesel::insert_into(task_draft::table).values((
        task_draft::id.eq(Val(draft.id)),
        task_draft::proposal_id.eq(Val(proposal)),
        task_draft::position.eq(NextPosition { drafts: Drafts::Tasks, proposal }),
        task_draft::title.eq(&draft.title),
        task_draft::description.eq(&draft.description),
        task_draft::priority.eq(draft.priority.map(Val)),
        task_draft::story_points.eq(draft.story_points),
        task_draft::criteria.eq(Val(to_json(&draft.criteria)?)),
        task_draft::depends_on.eq(Val(dependencies(&draft.depends_on)?)),
    ));
    execute(conn, statement).await
}

/// Stores a document draft as it is now, in its place.
pub(crate) async fn save_document_draft(
    conn: &mut Conn,
    proposal: ProposalId,
    draft: &DocumentDraft,
) -> QueryResult<usize> {
    let stored = document_draft::table.find(Val(draft.id)).filter(document_draft::proposal_id.eq(Val(proposal)));
    let statement = diesel::update(stored).set((
        document_draft::kind.eq(Val(draft.kind)),
        document_draft::title.eq(&draft.title),
        document_draft::content.eq(&draft.content),
    ));
    execute(conn, fixed(statement)).await
}

/// Stores a task draft as it is now, in its place.
pub(crate) async fn save_task_draft(conn: &mut Conn, proposal: ProposalId, draft: &TaskDraft) -> QueryResult<usize> {
    let stored = task_draft::table.find(Val(draft.id)).filter(task_draft::proposal_id.eq(Val(proposal)));
    let statement = diesel::update(stored).set((
        task_draft::title.eq(&draft.title),
        task_draft::description.eq(&draft.description),
        task_draft::priority.eq(draft.priority.map(Val)),
        task_draft::story_points.eq(draft.story_points),
        task_draft::criteria.eq(Val(to_json(&draft.criteria)?)),
        task_draft::depends_on.eq(Val(dependencies(&draft.depends_on)?)),
    ));
    execute(conn, fixed(statement)).await
}

/// Stores what several task drafts of a proposal depend on.
pub(crate) async fn set_draft_dependencies(
    conn: &mut Conn,
    proposal: ProposalId,
    drafts: &[(DraftId, Vec<DraftId>)],
) -> QueryResult<usize> {
    let mut set = 0;
    for drafts in drafts.chunks(ROWS) {
        let rows = drafts.iter().map(|(draft, depends_on)| {
            Ok((Val(*draft).into_sql::<Uid>(), Val(dependencies(depends_on)?).into_sql::<Json>()))
        });
        set += execute(conn, SetDependencies { proposal, rows: rows.collect::<QueryResult<Vec<_>>>()? }).await?;
    }
    Ok(set)
}

/// One statement for all drafts that another one goes from.
struct SetDependencies<V> {
    proposal: ProposalId,
    // INVARIANT (drafts): not empty.
    rows: Vec<V>,
}

impl<V> QueryId for SetDependencies<V> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<V: QueryFragment<Db>> QueryFragment<Db> for SetDependencies<V> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        if self.rows.len() > CACHED_ROWS {
            out.unsafe_to_cache_prepared();
        }
        out.push_sql("WITH given (draft, depends_on) AS (VALUES ");
        for (i, row) in self.rows.iter().enumerate() {
            out.push_sql(if i == 0 { "(" } else { ", (" });
            row.walk_ast(out.reborrow())?;
            out.push_sql(")");
        }
        out.push_sql(
            ") UPDATE task_draft SET depends_on = given.depends_on FROM given WHERE task_draft.id = given.draft \
             AND task_draft.proposal_id = ",
        );
        out.push_bind_param::<Uid, _>(&self.proposal)
    }
}

/// Removes a document draft; one that is not there is fine.
pub(crate) async fn drop_document_draft(conn: &mut Conn, proposal: ProposalId, draft: DraftId) -> QueryResult<usize> {
    let stored = document_draft::table.find(Val(draft)).filter(document_draft::proposal_id.eq(Val(proposal)));
    execute(conn, diesel::delete(stored)).await
}

/// Removes a task draft; one that is not there is fine.
pub(crate) async fn drop_task_draft(conn: &mut Conn, proposal: ProposalId, draft: DraftId) -> QueryResult<usize> {
    let stored = task_draft::table.find(Val(draft)).filter(task_draft::proposal_id.eq(Val(proposal)));
    execute(conn, diesel::delete(stored)).await
}

/// Ids of drafts as they are stored.
fn dependencies(drafts: &[DraftId]) -> QueryResult<Value> {
    to_json(&drafts.iter().map(DraftId::to_string).collect::<Vec<_>>())
}

/// The first free position in one of a proposal's lists of drafts.
#[derive(Clone, Copy, Debug)]
struct NextPosition {
    drafts: Drafts,
    proposal: ProposalId,
}

#[derive(Clone, Copy, Debug)]
enum Drafts {
    Documents,
    Tasks,
}

impl Expression for NextPosition {
    type SqlType = Integer;
}
impl<T> AppearsOnTable<T> for NextPosition {}
impl<T> SelectableExpression<T> for NextPosition {}
impl ValidGrouping<()> for NextPosition {
    type IsAggregate = is_aggregate::Never;
}
impl QueryId for NextPosition {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for NextPosition {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("(SELECT coalesce(max(position) + 1, 0) FROM ");
        out.push_sql(match self.drafts {
            Drafts::Documents => "document_draft",
            Drafts::Tasks => "task_draft",
        });
        out.push_sql(" WHERE proposal_id = ");
        out.push_bind_param::<Uid, _>(&self.proposal)?;
        out.push_sql(")");
        Ok(())
    }
}
