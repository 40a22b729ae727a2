//! Keeping the index of words.

use std::collections::BTreeMap;

use chorus_domain::{
    Kind, Write,
    document::Document,
    search::{Entry, WORDS_VERSION},
    task::Task,
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

/// A thing, its place and version, its title and its text.
fn thing<'w>(
    (kind, id): (Kind, Uuid),
    place: Uuid,
    version: i32,
    (title, body): (&'w str, Option<&'w str>),
) -> ((Kind, Uuid), Named<'w>) {
    ((kind, id), Named { place, version, title, body })
}

fn document(new: &Document) -> ((Kind, Uuid), Named<'_>) {
    let texts = (new.title.as_str(), new.content.as_deref());
    thing((Kind::Document, new.id.uuid()), new.project.uuid(), new.version, texts)
}

fn task(new: &Task) -> ((Kind, Uuid), Named<'_>) {
    let texts = (new.title.as_str(), new.description.as_deref());
    thing((Kind::Task, new.id.uuid()), new.project.uuid(), new.version, texts)
}

/// The last title and text that these writes give to each thing.
fn named(writes: &[Write]) -> BTreeMap<(Kind, Uuid), Named<'_>> {
    let mut found = BTreeMap::new();
    for write in writes {
        match write {
            Write::NewGroup(new) | Write::SaveGroup(new) => {
                let texts = (new.name.as_str(), Some(new.description.as_str()));
                found.extend([thing((Kind::Group, new.id.uuid()), new.id.uuid(), 0, texts)]);
            }
            Write::NewProject(new) | Write::SaveProject(new) => {
                let texts = (new.name.as_str(), new.description.as_deref());
                found.extend([thing((Kind::Project, new.id.uuid()), new.id.uuid(), 0, texts)]);
            }
            Write::NewIdea(new) | Write::SaveIdea(new) => {
                let texts = (new.title.as_str(), new.content.as_deref());
                found.extend([thing((Kind::Idea, new.id.uuid()), new.project.uuid(), new.version, texts)]);
            }
            Write::NewProposal(new) | Write::SaveProposal(new) => {
                let texts = (new.title.as_str(), new.description.as_deref());
                found.extend([thing((Kind::Proposal, new.id.uuid()), new.project.uuid(), new.version, texts)]);
            }
            Write::NewDocuments(new) => found.extend(new.iter().map(document)),
            Write::SaveDocument(new) => found.extend([document(new)]),
            Write::NewTasks(new) => found.extend(new.iter().map(task)),
            Write::SaveTask(new) => found.extend([task(new)]),
            // What is not searched, or changes neither title nor text. Entries of what is deleted or moved go along by
            // triggers.
            Write::NewCompany(_)
            | Write::NewUser(_)
            | Write::SetPassword(..)
            | Write::NewBrowserSession(_)
            | Write::EndBrowserSessions(..)
            | Write::NewLink(_)
            | Write::UseLink(..)
            | Write::DropLinks(_)
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
            | Write::MarkRead(..)
            | Write::SaveAgent(_)
            | Write::RemoveAgents(_)
            | Write::RemoveUser(_)
            | Write::SuspendUser(..)
            | Write::ResumeUser(..)
            | Write::CloseSessionsOf(..)
            | Write::EndCheckinsIn(..)
            | Write::NewReferences(_)
            | Write::SaveReference(_)
            | Write::DropReference(_)
            | Write::NewMentions(_)
            | Write::MoveAlong(..)
            | Write::DropIdea(..)
            | Write::DropTask(_)
            | Write::DropDocuments(_)
            | Write::DropProposal(_)
            | Write::KeepVersion(_)
            | Write::SaveDocumentDraft(..)
            | Write::SaveTaskDraft(..)
            | Write::SetDraftDependencies(..)
            | Write::DropDocumentDraft(..)
            | Write::DropTaskDraft(..)
            | Write::CloseTasksOf(..)
            | Write::ArchiveAbout(..)
            | Write::RemoveGroupMember(..)
            | Write::RemoveProjectMember(..)
            | Write::DeleteGroup(_)
            | Write::DeleteProjects(_)
            | Write::MarkAllRead(..)
            | Write::ArchiveNotification(..)
            | Write::SetPreferences(..)
            | Write::PinProject(..)
            | Write::UnpinProject(..)
            | Write::NewSession(_)
            | Write::SetSessionStatus(..)
            | Write::TouchSession(..)
            | Write::PutCheckin(_)
            | Write::EndCheckin(..)
            | Write::EndCheckins(..) => {}
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
