//! References to evidence.

use async_trait::async_trait;
use chorus_domain::{Kind, reference::Reference};
use chorus_ids::{CompanyId, ReferenceId, Timestamp, Uuid};
use chorus_lifecycle::reference::ReferenceType;
use chorus_store::{References, Result};
use chorus_visibility::Scope;
use diesel::{prelude::*, sql_types::Nullable};

use super::{Conn, Db, columns::columns, run::execute, unit::Unit};
use crate::{
    fragment::{Constant, ROWS, constant, fixed, insert_all},
    schema::reference_artifact,
    stored::party,
    types::{Uid, Val},
    visible::visible,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = reference_artifact, check_for_backend(Db))]
struct ReferenceRow {
    id: ReferenceId,
    company_id: CompanyId,
    target_type: Kind,
    target_id: Uuid,
    kind: ReferenceType,
    url: String,
    title: String,
    notes: Option<String>,
    created_by_type: String,
    created_by_id: Uuid,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl ReferenceRow {
    fn read(self) -> Result<Reference> {
        Ok(Reference {
            id: self.id,
            company: self.company_id,
            target: self.target_type,
            target_id: self.target_id,
            kind: self.kind,
            url: self.url,
            title: self.title,
            notes: self.notes,
            created_by: party(&self.created_by_type, self.created_by_id)?,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// The project of what a reference is attached to; null where that is gone.
const PROJECT: Constant<Nullable<Uid>> = constant(
    "(CASE reference_artifact.target_type \
     WHEN 'idea' THEN (SELECT rt.project_id FROM idea rt WHERE rt.id = reference_artifact.target_id) \
     WHEN 'proposal' THEN (SELECT rt.project_id FROM proposal rt WHERE rt.id = reference_artifact.target_id) \
     WHEN 'task' THEN (SELECT rt.project_id FROM task rt WHERE rt.id = reference_artifact.target_id) END)",
);

#[async_trait]
impl References for Unit {
    async fn references(&mut self, scope: &Scope, target: Kind, id: Uuid) -> Result<Vec<Reference>> {
        let found = reference_artifact::table
            .filter(reference_artifact::target_type.eq(Val(target)))
            .filter(reference_artifact::target_id.eq(Val(id)))
            .filter(visible(scope, PROJECT.assume_not_null()))
            .order((reference_artifact::created_at, reference_artifact::id))
            .select(columns::<ReferenceRow>());
        self.rows(found).await?.into_iter().map(ReferenceRow::read).collect()
    }

    async fn reference(&mut self, scope: &Scope, id: ReferenceId) -> Result<Option<Reference>> {
        let found = reference_artifact::table
            .find(Val(id))
            .filter(visible(scope, PROJECT.assume_not_null()))
            .select(columns::<ReferenceRow>());
        self.row(found).await?.map(ReferenceRow::read).transpose()
    }
}

/// What these references are attached to.
pub(super) async fn targets(unit: &mut Unit, references: &[Uuid]) -> Result<Vec<(Kind, Uuid)>> {
    if references.is_empty() {
        return Ok(Vec::new());
    }
    let found = reference_artifact::table
        .filter(reference_artifact::id.eq_any(references.iter().map(Val)))
        .select((reference_artifact::target_type, reference_artifact::target_id));
    unit.rows(found).await
}

/// Stores new references.
pub(super) async fn insert_references(conn: &mut Conn, new: &[Reference]) -> QueryResult<usize> {
    let mut made = 0;
    for new in new.chunks(ROWS) {
        let rows = new.iter().map(|new| {
            (
                reference_artifact::id.eq(Val(new.id)),
                reference_artifact::company_id.eq(Val(new.company)),
                reference_artifact::target_type.eq(Val(new.target)),
                reference_artifact::target_id.eq(Val(new.target_id)),
                reference_artifact::kind.eq(Val(new.kind)),
                reference_artifact::url.eq(&new.url),
                reference_artifact::title.eq(&new.title),
                reference_artifact::notes.eq(&new.notes),
                reference_artifact::created_by_type.eq(Val(new.created_by.kind())),
                reference_artifact::created_by_id.eq(Val(new.created_by.uuid())),
                reference_artifact::created_at.eq(Val(new.created_at)),
                reference_artifact::updated_at.eq(Val(new.updated_at)),
            )
        });
        if let Some(insert) = insert_all(reference_artifact::table, rows) {
            made += execute(conn, insert).await?;
        }
    }
    Ok(made)
}

/// Stores what of a reference can change; says whether it is there, as a number of rows.
pub(super) async fn save_reference(conn: &mut Conn, new: &Reference) -> QueryResult<usize> {
    let statement = diesel::update(reference_artifact::table.find(Val(new.id))).set((
        reference_artifact::kind.eq(Val(new.kind)),
        reference_artifact::url.eq(&new.url),
        reference_artifact::title.eq(&new.title),
        reference_artifact::notes.eq(&new.notes),
        reference_artifact::updated_at.eq(Val(new.updated_at)),
    ));
    execute(conn, fixed(statement)).await
}

/// Removes a reference.
pub(super) async fn drop_reference(conn: &mut Conn, id: ReferenceId) -> QueryResult<usize> {
    execute(conn, diesel::delete(reference_artifact::table.find(Val(id)))).await
}
