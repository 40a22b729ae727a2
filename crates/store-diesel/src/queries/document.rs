//! Documents.

use async_trait::async_trait;
use chorus_domain::document::{Document, PastVersion};
use chorus_ids::{CompanyId, DocumentId, IdeaId, ProjectId, ProposalId, Timestamp, Uuid};
use chorus_lifecycle::{
    document::DocumentType,
    proposal::{InputType, ProposalStatus},
};
use chorus_store::{Documents, Page, PageRequest, Position, Result, Row, Start};
use chorus_visibility::Scope;
use diesel::prelude::*;

use super::{Conn, Db, columns::columns, run::execute, unit::Unit};
use crate::{
    fragment::{ROWS, Total, behind, fixed, insert_all, page_of, rows_of},
    schema::{document, document_version, idea, proposal, proposal_input},
    stored::{count64, party},
    types::{Uid, Val},
    visible::visible,
};

/// A document without its text, which may be long.
#[derive(Queryable, Selectable)]
#[diesel(table_name = document, check_for_backend(Db))]
struct DocumentRow {
    id: DocumentId,
    company_id: CompanyId,
    project_id: ProjectId,
    kind: DocumentType,
    title: String,
    proposal_id: Option<ProposalId>,
    created_by_type: String,
    created_by_id: Uuid,
    version: i32,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl DocumentRow {
    fn read(self, content: Option<String>) -> Result<Document> {
        Ok(Document {
            id: self.id,
            company: self.company_id,
            project: self.project_id,
            kind: self.kind,
            title: self.title,
            content,
            version: self.version,
            proposal: self.proposal_id,
            created_by: party(&self.created_by_type, self.created_by_id)?,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// A past version without its text. Who made it past, and when, are its `created_by` and `created_at`.
#[derive(Queryable, Selectable)]
#[diesel(table_name = document_version, check_for_backend(Db))]
struct PastRow {
    document_id: DocumentId,
    version: i32,
    title: String,
    created_by_type: String,
    created_by_id: Uuid,
    created_at: Timestamp,
}

impl PastRow {
    fn read(self, content: Option<String>) -> Result<PastVersion> {
        Ok(PastVersion {
            document: self.document_id,
            version: self.version,
            title: self.title,
            content,
            replaced_by: party(&self.created_by_type, self.created_by_id)?,
            replaced_at: self.created_at,
        })
    }
}

#[async_trait]
impl Documents for Unit {
    async fn document(&mut self, scope: &Scope, id: DocumentId) -> Result<Option<Document>> {
        let found = document::table
            .find(Val(id))
            .filter(visible(scope, document::project_id))
            .select((columns::<DocumentRow>(), document::content));
        self.row(found).await?.map(|(row, content): (DocumentRow, _)| row.read(content)).transpose()
    }

    async fn documents(
        &mut self,
        scope: &Scope,
        project: ProjectId,
        kind: Option<DocumentType>,
        page: &PageRequest,
    ) -> Result<Page<Document>> {
        let list = || {
            let list = document::table
                .filter(document::project_id.eq(Val(project)))
                .filter(visible(scope, Val(project).into_sql::<Uid>()))
                .into_boxed::<Db>();
            match kind {
                Some(kind) => list.filter(document::kind.eq(Val(kind))),
                None => list,
            }
        };
        let rows = match page.start {
            Start::Page(_) => list().offset(page.offset()),
            Start::After(place) => list().filter(behind(document::updated_at, document::id, &place)),
        };
        let rows = rows
            .order((document::updated_at.desc(), document::id.desc()))
            .limit(rows_of(page))
            .select((columns::<DocumentRow>(), Total(list().count())));
        let loaded: Vec<(DocumentRow, i64)> = self.rows(rows).await?;
        let total = loaded.first().map(|(_, total)| *total);
        let total = self.total(total, page, || list().count()).await?;
        let rows = loaded.into_iter().map(|(row, _)| {
            let item = row.read(None)?;
            Ok(Row { at: Position { rank: 0, at: item.updated_at, id: item.id.uuid() }, item })
        });
        Ok(page_of(rows.collect::<Result<_>>()?, total, page))
    }

    async fn reports_of_idea(&mut self, scope: &Scope, idea: IdeaId) -> Result<Vec<Document>> {
        // The same proposals count as for the number of reports in an idea's facts.
        let ended = [ProposalStatus::Approved, ProposalStatus::Closed];
        let proposals = proposal::table
            .inner_join(proposal_input::table)
            .inner_join(idea::table.on(idea::id.eq(proposal_input::input_id)))
            .filter(idea::id.eq(Val(idea)))
            .filter(proposal::project_id.eq(idea::project_id))
            .filter(proposal::input_type.eq(Val(InputType::Idea)))
            .filter(proposal::status.eq_any(ended.map(Val)))
            .select(proposal::id);
        let reports = document::table
            .filter(document::kind.eq(Val(DocumentType::Report)))
            .filter(document::proposal_id.assume_not_null().eq_any(proposals))
            .filter(visible(scope, document::project_id))
            .order((document::created_at.desc(), document::id.desc()))
            .select((columns::<DocumentRow>(), document::content));
        self.rows(reports).await?.into_iter().map(|(row, content): (DocumentRow, _)| row.read(content)).collect()
    }

    async fn report_count(&mut self, scope: &Scope, proposal: ProposalId) -> Result<u64> {
        let reports = document::table
            .filter(document::proposal_id.eq(Some(Val(proposal))))
            .filter(document::kind.eq(Val(DocumentType::Report)))
            .filter(visible(scope, document::project_id))
            .count();
        self.count(reports).await.map(count64)
    }

    async fn past_version(&mut self, scope: &Scope, id: DocumentId, version: i32) -> Result<Option<PastVersion>> {
        let found = document_version::table
            .inner_join(document::table)
            .filter(document_version::document_id.eq(Val(id)))
            .filter(document_version::version.eq(version))
            .filter(visible(scope, document::project_id))
            .select((columns::<PastRow>(), document_version::content));
        self.row(found).await?.map(|(row, content): (PastRow, _)| row.read(content)).transpose()
    }

    async fn past_versions(
        &mut self,
        scope: &Scope,
        id: DocumentId,
        up_to: i32,
        limit: u32,
    ) -> Result<Vec<PastVersion>> {
        let past = document_version::table
            .inner_join(document::table)
            .filter(document_version::document_id.eq(Val(id)))
            .filter(document_version::version.le(up_to))
            .filter(visible(scope, document::project_id))
            .order(document_version::version.desc())
            .limit(limit.into())
            .select(columns::<PastRow>());
        self.rows(past).await?.into_iter().map(|row: PastRow| row.read(None)).collect()
    }

    async fn document_titles(&mut self, scope: &Scope, ids: &[DocumentId]) -> Result<Vec<(DocumentId, String)>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let titles = document::table
            .filter(document::id.eq_any(ids.iter().map(Val)))
            .filter(visible(scope, document::project_id))
            .select((document::id, document::title));
        self.rows(titles).await
    }

    async fn documents_of_proposal(&mut self, scope: &Scope, proposal: ProposalId) -> Result<Vec<Document>> {
        let documents = document::table
            .filter(document::proposal_id.eq(Some(Val(proposal))))
            .filter(visible(scope, document::project_id))
            .order((document::created_at, document::id))
            .select(columns::<DocumentRow>());
        self.rows(documents).await?.into_iter().map(|row: DocumentRow| row.read(None)).collect()
    }
}

/// Stores new documents.
pub(crate) async fn insert_documents(conn: &mut Conn, new: &[Document]) -> QueryResult<usize> {
    let mut made = 0;
    for new in new.chunks(ROWS) {
        let rows = new.iter().map(|new| {
            (
                document::id.eq(Val(new.id)),
                document::company_id.eq(Val(new.company)),
                document::project_id.eq(Val(new.project)),
                document::kind.eq(Val(new.kind)),
                document::title.eq(&new.title),
                document::content.eq(&new.content),
                document::proposal_id.eq(new.proposal.map(Val)),
                document::created_by_type.eq(Val(new.created_by.kind())),
                document::created_by_id.eq(Val(new.created_by.uuid())),
                document::version.eq(new.version),
                document::created_at.eq(Val(new.created_at)),
                document::updated_at.eq(Val(new.updated_at)),
            )
        });
        if let Some(insert) = insert_all(document::table, rows) {
            made += execute(conn, insert).await?;
        }
    }
    Ok(made)
}

/// Stores the document as it is now, if the stored one is the version before; says whether it was, as a number of rows.
pub(crate) async fn save_document(conn: &mut Conn, new: &Document) -> QueryResult<usize> {
    let before = document::table.find(Val(new.id)).filter(document::version.eq(new.version - 1));
    let statement = diesel::update(before).set((
        document::project_id.eq(Val(new.project)),
        document::kind.eq(Val(new.kind)),
        document::title.eq(&new.title),
        document::content.eq(&new.content),
        document::proposal_id.eq(new.proposal.map(Val)),
        document::version.eq(new.version),
        document::updated_at.eq(Val(new.updated_at)),
    ));
    execute(conn, fixed(statement)).await
}

/// Stores what a document said before a change.
pub(crate) async fn keep_version(conn: &mut Conn, past: &PastVersion) -> QueryResult<usize> {
    let statement = diesel::insert_into(document_version::table).values((
        document_version::document_id.eq(Val(past.document)),
        document_version::version.eq(past.version),
        document_version::title.eq(&past.title),
        document_version::content.eq(&past.content),
        document_version::created_by_type.eq(Val(past.replaced_by.kind())),
        document_version::created_by_id.eq(Val(past.replaced_by.uuid())),
        document_version::created_at.eq(Val(past.replaced_at)),
    ));
    execute(conn, statement).await
}
