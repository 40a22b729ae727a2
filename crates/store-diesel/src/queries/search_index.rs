//! Keeping the index of words.

use std::collections::BTreeMap;

use chorus_domain::{
    Kind, Write,
    search::{Entry, WORDS_VERSION},
};
use chorus_ids::Uuid;
use chorus_store::Result;
use diesel::{
    QueryResult,
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::Text,
};
use diesel_async::SimpleAsyncConnection;

use super::{Conn, Db, WORDS, pool::Backend, run::execute, unit::Unit};
use crate::{
    fragment::{CACHED_ROWS, ROWS},
    loaded::Loaded,
    schema::{document, idea, project, project_group, proposal, task},
    types::{Label, Uid, Val},
};

/// The words of one thing.
pub(super) struct Row {
    kind: &'static str,
    id: Uuid,
    /// The project or group that decides who sees it.
    place: Uuid,
    words: Entry,
}

/// The words of whatever these writes give another title or text than was loaded.
pub(super) fn entries(loaded: &Loaded, writes: &[Write]) -> Vec<Row> {
    let changed = named(writes)
        .into_iter()
        .filter(|(thing, Named { version, title, body, .. })| !loaded.precedes(*thing, *version, title, *body));
    changed.map(row).collect()
}

/// A thing with its title and text.
#[derive(Clone, Copy)]
struct Named<'w> {
    place: Uuid,
    /// 0 for things without versions.
    version: i32,
    title: &'w str,
    body: Option<&'w str>,
}

/// The last title and text that these writes give to each thing.
fn named<'w>(writes: &'w [Write]) -> BTreeMap<(Kind, Uuid), Named<'w>> {
    let mut found = BTreeMap::new();
    let mut add = |thing: (Kind, Uuid), place: Uuid, version: i32, title: &'w str, body: Option<&'w str>| {
        found.insert(thing, Named { place, version, title, body });
    };
    for write in writes {
        match write {
            Write::NewGroup(new) => {
                add((Kind::Group, new.id.uuid()), new.id.uuid(), 0, &new.name, Some(&new.description))
            }
            Write::NewProject(new) => {
                add((Kind::Project, new.id.uuid()), new.id.uuid(), 0, &new.name, new.description.as_deref());
            }
            Write::NewIdea(new) | Write::SaveIdea(new) => {
                add((Kind::Idea, new.id.uuid()), new.project.uuid(), new.version, &new.title, new.content.as_deref());
            }
            Write::NewProposal(new) | Write::SaveProposal(new) => {
                add(
                    (Kind::Proposal, new.id.uuid()),
                    new.project.uuid(),
                    new.version,
                    &new.title,
                    new.description.as_deref(),
                );
            }
            Write::NewDocuments(new) => {
                for new in new {
                    add(
                        (Kind::Document, new.id.uuid()),
                        new.project.uuid(),
                        new.version,
                        &new.title,
                        new.content.as_deref(),
                    );
                }
            }
            Write::NewTasks(new) => {
                for new in new {
                    add(
                        (Kind::Task, new.id.uuid()),
                        new.project.uuid(),
                        new.version,
                        &new.title,
                        new.description.as_deref(),
                    );
                }
            }
            Write::SaveTask(new) => {
                add(
                    (Kind::Task, new.id.uuid()),
                    new.project.uuid(),
                    new.version,
                    &new.title,
                    new.description.as_deref(),
                );
            }
            // What is not searched, or changes neither title nor text. Entries of what is deleted or moved go along by
            // triggers.
            Write::NewCompany(_)
            | Write::NewUser(_)
            | Write::SetPassword(..)
            | Write::NewAgent(_)
            | Write::NewKey(_)
            | Write::RevokeKey(..)
            | Write::PutGroupMember(_)
            | Write::PutProjectMember(_)
            | Write::NewRound(_)
            | Write::SetRoundStatus(..)
            | Write::PutAnswers(..)
            | Write::AddDocumentDraft(..)
            | Write::AddTaskDraft(..)
            | Write::NewCriteria(_)
            | Write::DropCriteria(_)
            | Write::SetDevMarks(_)
            | Write::SetVerdicts(_)
            | Write::ResetMarks(_)
            | Write::AddEdges(_)
            | Write::RemoveEdges(_)
            | Write::NewComment(_)
            | Write::TouchAgent(..)
            | Write::MarkRead(..) => {}
        }
    }
    found
}

fn row(((kind, id), Named { place, title, body, .. }): ((Kind, Uuid), Named<'_>)) -> Row {
    Row { kind: kind.as_str(), id, place, words: Entry::new(title, body) }
}

/// Stores entries; one whose words are the same stays as it is.
pub(super) async fn put(conn: &mut Conn, rows: &[Row]) -> QueryResult<usize> {
    let mut put = 0;
    for rows in rows.chunks(ROWS) {
        put += execute(conn, PutEntries { rows }).await?;
    }
    Ok(put)
}

/// One statement for all entries of a batch.
struct PutEntries<'r> {
    // INVARIANT (rows): not empty, each thing once.
    rows: &'r [Row],
}

impl QueryId for PutEntries<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for PutEntries<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        if self.rows.len() > CACHED_ROWS {
            out.unsafe_to_cache_prepared();
        }
        out.push_sql("INSERT INTO search_entry (entity_type, entity_id, place_id, title, body) VALUES ");
        for (i, row) in self.rows.iter().enumerate() {
            out.push_sql(if i == 0 { "(" } else { ", (" });
            out.push_bind_param::<Label, _>(row.kind)?;
            out.push_sql(", ");
            out.push_bind_param::<Uid, _>(&row.id)?;
            out.push_sql(", ");
            out.push_bind_param::<Uid, _>(&row.place)?;
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(&row.words.title)?;
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(&row.words.body)?;
            out.push_sql(")");
        }
        out.push_sql(
            " ON CONFLICT (entity_type, entity_id) DO UPDATE SET title = excluded.title, body = excluded.body \
             WHERE search_entry.title <> excluded.title OR search_entry.body <> excluded.body",
        );
        Ok(())
    }
}

/// Things read at a time when all entries are made anew.
const STEP: i64 = 200;

/// Makes every entry anew; says how many things there are. Each step is a unit of its own, so that others can work
/// meanwhile; what they write is indexed already.
pub(crate) async fn reindex(backend: &Backend) -> Result<u64> {
    let mut done = 0;
    macro_rules! each {
        ($kind:expr, $table:ident, $place:expr, $title:expr, $body:expr) => {
            let mut after = Uuid::nil();
            loop {
                let mut unit = backend.begin().await?;
                let rows = $table::table.filter($table::id.gt(Val(after))).order($table::id).limit(STEP).select((
                    $table::id,
                    $place,
                    $title,
                    $body,
                ));
                let found: Vec<(Uuid, Uuid, String, Option<String>)> = unit.rows(hold!(Share, rows)).await?;
                let Some(last) = found.last() else {
                    unit.rollback().await?;
                    break;
                };
                after = last.0;
                done += found.len() as u64;
                let thing = |(id, place, title, body): &(Uuid, Uuid, String, Option<String>)| {
                    row((($kind, *id), Named { place: *place, version: 0, title, body: body.as_deref() }))
                };
                let rows: Vec<Row> = found.iter().map(thing).collect();
                let written = put(unit.conn(), &rows).await;
                unit.checked(written)?;
                unit.commit().await?;
            }
        };
    }
    each!(Kind::Group, project_group, project_group::id, project_group::name, project_group::description.nullable());
    each!(Kind::Project, project, project::id, project::name, project::description);
    each!(Kind::Idea, idea, idea::project_id, idea::title, idea::content);
    each!(Kind::Proposal, proposal, proposal::project_id, proposal::title, proposal::description);
    each!(Kind::Document, document, document::project_id, document::title, document::content);
    each!(Kind::Task, task, task::project_id, task::title, task::description);
    let mut unit = backend.begin().await?;
    finish(&mut unit).await?;
    unit.commit().await?;
    Ok(done)
}

async fn finish(unit: &mut Unit) -> Result<()> {
    if let Some(rebuild) = WORDS.rebuild {
        let rebuilt = unit.conn().batch_execute(rebuild).await;
        unit.checked(rebuilt)?;
    }
    let noted = unit.conn().batch_execute(&note_version()).await;
    unit.checked(noted)
}

/// The statement that says that all entries have the words of this program.
fn note_version() -> String {
    format!("UPDATE search_state SET words_version = {WORDS_VERSION}")
}
