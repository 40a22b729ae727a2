//! What becomes of things that hang on another when that one moves or goes. A fixed number of statements, however many
//! rows they concern.

use chorus_domain::{Kind, idea::Following};
use chorus_ids::{DocumentId, IdeaId, ProjectId, ProposalId, TaskId, Timestamp, Uuid};
use chorus_store::{Hanging, Result};
use diesel::{QueryResult, prelude::*, sql_types::BigInt};

use super::{Conn, run::execute, statement::Statement, unit::Unit};
use crate::{
    fragment::ROWS,
    schema::{document, idea, proposal, task},
    stored::count64,
    types::Val,
};

type Five = (BigInt, BigInt, BigInt, BigInt, BigInt);
type NineCounts = (i64, i64, i64, i64, i64, i64, i64, i64, i64);
type Nine = (BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt);

/// Adds the ids of an idea and of those below it, as far as they are in the project.
fn family<ST>(statement: Statement<'_, ST>, root: IdeaId, project: ProjectId) -> Statement<'_, ST> {
    // UNION, not UNION ALL: stored parents that form a cycle must not run for ever.
    statement
        .sql("WITH RECURSIVE below(id) AS (SELECT fi.id FROM idea fi WHERE fi.id = ")
        .id(root.uuid())
        .sql(" UNION SELECT fc.id FROM idea fc JOIN below ON fc.parent_id = below.id WHERE fc.project_id = ")
        .id(project.uuid())
        .sql(") SELECT id FROM below")
}

/// Adds the ids of the project's proposals that start from one of the family.
fn proposals<ST>(statement: Statement<'_, ST>, root: IdeaId, project: ProjectId) -> Statement<'_, ST> {
    let statement = statement.sql("SELECT fp.id FROM proposal fp WHERE fp.project_id = ").id(project.uuid()).sql(
        " AND fp.input_type = 'idea' AND fp.id IN \
             (SELECT fn.proposal_id FROM proposal_input fn WHERE fn.input_id IN (",
    );
    family(statement, root, project).sql("))")
}

/// See [`Directory::following`](chorus_store::Directory::following).
pub(super) async fn following(unit: &mut Unit, root: IdeaId, project: ProjectId) -> Result<Following> {
    let statement = Statement::<Five>::new("WITH kin AS (");
    let statement = family(statement, root, project).sql("), origin AS (");
    let here = project.uuid();
    let statement = proposals(statement, root, project)
        .sql("), text AS (SELECT d.id FROM document d JOIN origin ON d.proposal_id = origin.id WHERE d.project_id = ")
        .id(here)
        .sql("), work AS (SELECT t.id FROM task t JOIN origin ON t.proposal_id = origin.id WHERE t.project_id = ")
        .id(here)
        .sql(
            ") SELECT (SELECT count(*) FROM kin), (SELECT count(*) FROM origin), (SELECT count(*) FROM text), \
             (SELECT count(*) FROM work), (SELECT count(*) FROM activity a WHERE a.project_id = ",
        )
        .id(here)
        .sql(
            " AND ((a.target_type = 'idea' AND a.target_id IN (SELECT id FROM kin)) \
             OR (a.target_type = 'proposal' AND a.target_id IN (SELECT id FROM origin)) \
             OR (a.target_type = 'document' AND a.target_id IN (SELECT id FROM text)) \
             OR (a.target_type = 'task' AND a.target_id IN (SELECT id FROM work))))",
        );
    let found: Option<(i64, i64, i64, i64, i64)> = unit.row(statement).await?;
    let (ideas, proposals, documents, tasks, activities) = found.unwrap_or_default();
    Ok(Following {
        ideas: count64(ideas),
        proposals: count64(proposals),
        documents: count64(documents),
        tasks: count64(tasks),
        activities: count64(activities),
    })
}

/// Lets everything follow an idea that is in its new project already. From the leaves to the root: what a thing belongs
/// to has to be where it was for the thing to be found.
pub(super) async fn move_along(
    conn: &mut Conn,
    root: IdeaId,
    (from, to): (ProjectId, ProjectId),
    at: Timestamp,
) -> QueryResult<usize> {
    let here = from.uuid();
    let activities = |kind, of: &'static str| {
        Statement::<()>::new("UPDATE activity SET project_id = ")
            .id(to.uuid())
            .sql(" WHERE project_id = ")
            .id(here)
            .sql(" AND target_type = ")
            .kind(kind)
            .sql(" AND target_id IN (")
            .sql(of)
    };
    let made = |of| activities(of, if of == Kind::Task { MADE_TASKS } else { MADE_DOCUMENTS }).id(here);
    let mut moved = execute(conn, family(activities(Kind::Idea, ""), root, from).sql(")")).await?;
    moved += execute(conn, proposals(activities(Kind::Proposal, ""), root, from).sql(")")).await?;
    for kind in [Kind::Document, Kind::Task] {
        let statement = made(kind).sql(" AND m.proposal_id IN (");
        moved += execute(conn, proposals(statement, root, from).sql("))")).await?;
    }
    // A document's version counts what it said, which is the same here.
    let documents = Statement::<()>::new("UPDATE document SET project_id = ").id(to.uuid());
    let documents = documents.sql(" WHERE project_id = ").id(here).sql(" AND proposal_id IN (");
    moved += execute(conn, proposals(documents, root, from).sql(")")).await?;
    let tasks = newer("UPDATE task SET version = version + 1, updated_at = ", at, to, from);
    moved += execute(conn, proposals(tasks.sql(" AND proposal_id IN ("), root, from).sql(")")).await?;
    let origin = newer("UPDATE proposal SET version = version + 1, updated_at = ", at, to, from);
    moved += execute(conn, proposals(origin.sql(" AND id IN ("), root, from).sql(")")).await?;
    let ideas = newer("UPDATE idea SET version = version + 1, updated_at = ", at, to, from);
    moved += execute(conn, family(ideas.sql(" AND id IN ("), root, from).sql(")")).await?;
    Ok(moved)
}

const MADE_TASKS: &str = "SELECT m.id FROM task m WHERE m.project_id = ";
const MADE_DOCUMENTS: &str = "SELECT m.id FROM document m WHERE m.project_id = ";

/// An update of rows that move from one project to another, up to its further conditions.
fn newer(update: &'static str, at: Timestamp, to: ProjectId, from: ProjectId) -> Statement<'static> {
    Statement::new(update).at(at).sql(", project_id = ").id(to.uuid()).sql(" WHERE project_id = ").id(from.uuid())
}

/// See [`Directory::hanging`](chorus_store::Directory::hanging).
pub(super) async fn hanging(unit: &mut Unit, kind: Kind, id: Uuid) -> Result<Hanging> {
    let statement = Statement::<Nine>::new("SELECT (SELECT count(*) FROM comment WHERE target_type = ")
        .kind(kind)
        .sql(" AND target_id = ")
        .id(id)
        .sql("), (SELECT count(*) FROM mention WHERE (source_type = ")
        .kind(kind)
        .sql(" AND source_id = ")
        .id(id)
        .sql(
            ") OR (source_type = 'comment' AND source_id IN \
             (SELECT hc.id FROM comment hc WHERE hc.target_type = ",
        )
        .kind(kind)
        .sql(" AND hc.target_id = ")
        .id(id)
        .sql("))), (SELECT count(*) FROM reference_artifact WHERE target_type = ")
        .kind(kind)
        .sql(" AND target_id = ")
        .id(id)
        .sql("), (SELECT count(*) FROM elaboration_round WHERE idea_id = ")
        .id(id)
        .sql("), (SELECT count(*) FROM acceptance_criterion WHERE task_id = ")
        .id(id)
        .sql("), (SELECT count(*) FROM task_dependency WHERE task_id = ")
        .id(id)
        .sql(" OR depends_on_id = ")
        .id(id)
        .sql("), (SELECT count(*) FROM session_checkin WHERE task_id = ")
        .id(id)
        .sql("), (SELECT count(*) FROM document_version WHERE document_id = ")
        .id(id)
        .sql("), (SELECT count(*) FROM activity WHERE target_type = ")
        .kind(kind)
        .sql(" AND target_id = ")
        .id(id)
        .sql(")");
    let found: Option<NineCounts> = unit.row(statement).await?;
    let (comments, mentions, references, rounds, criteria, dependencies, checkins, versions, activities) =
        found.unwrap_or_default();
    Ok(Hanging {
        comments: count64(comments),
        mentions: count64(mentions),
        references: count64(references),
        rounds: count64(rounds),
        criteria: count64(criteria),
        dependencies: count64(dependencies),
        checkins: count64(checkins),
        versions: count64(versions),
        activities: count64(activities),
    })
}

/// Removes what names its target by kind and id, and so knows of no foreign key.
async fn drop_hanging(conn: &mut Conn, kind: Kind, ids: &[Uuid]) -> QueryResult<()> {
    for ids in ids.chunks(ROWS) {
        let of_comments = Statement::<()>::new(
            "DELETE FROM mention WHERE source_type = 'comment' AND source_id IN \
             (SELECT dc.id FROM comment dc WHERE dc.target_type = ",
        );
        execute(conn, of_comments.kind(kind).sql(" AND dc.target_id IN ").ids(ids).sql(")")).await?;
        for (from, of) in [
            ("DELETE FROM mention WHERE source_type = ", " AND source_id IN "),
            ("DELETE FROM comment WHERE target_type = ", " AND target_id IN "),
            ("DELETE FROM reference_artifact WHERE target_type = ", " AND target_id IN "),
        ] {
            execute(conn, Statement::<()>::new(from).kind(kind).sql(of).ids(ids)).await?;
        }
    }
    Ok(())
}

/// Removes an idea. Its rounds go by their foreign key; its children become roots, which is a change of theirs.
pub(super) async fn drop_idea(conn: &mut Conn, id: IdeaId, at: Timestamp) -> QueryResult<usize> {
    let children = Statement::<()>::new("UPDATE idea SET parent_id = NULL, version = version + 1, updated_at = ")
        .at(at)
        .sql(" WHERE parent_id = ")
        .id(id.uuid());
    execute(conn, children).await?;
    drop_hanging(conn, Kind::Idea, &[id.uuid()]).await?;
    execute(conn, diesel::delete(idea::table.find(Val(id)))).await
}

/// Removes a task. Its criteria, dependencies and check-ins go by their foreign keys.
pub(super) async fn drop_task(conn: &mut Conn, id: TaskId) -> QueryResult<usize> {
    drop_hanging(conn, Kind::Task, &[id.uuid()]).await?;
    execute(conn, diesel::delete(task::table.find(Val(id)))).await
}

/// Removes a proposal. Its inputs and drafts go by their foreign keys.
pub(super) async fn drop_proposal(conn: &mut Conn, id: ProposalId) -> QueryResult<usize> {
    drop_hanging(conn, Kind::Proposal, &[id.uuid()]).await?;
    execute(conn, diesel::delete(proposal::table.find(Val(id)))).await
}

/// Removes documents. Their past versions go by their foreign key.
pub(super) async fn drop_documents(conn: &mut Conn, ids: &[DocumentId]) -> QueryResult<usize> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
    drop_hanging(conn, Kind::Document, &ids).await?;
    let mut gone = 0;
    for ids in ids.chunks(ROWS) {
        gone += execute(conn, diesel::delete(document::table.filter(document::id.eq_any(ids.iter().map(Val))))).await?;
    }
    Ok(gone)
}

/// Closes the tasks of a proposal whose approval is taken back (lifecycle specification §4.5). Says how many.
pub(super) async fn close_tasks_of(
    conn: &mut Conn,
    proposal: ProposalId,
    project: ProjectId,
    at: Timestamp,
) -> QueryResult<usize> {
    let of = |sql: &'static str, condition: &'static str| {
        Statement::<()>::new(sql)
            .sql(" IN (SELECT ct.id FROM task ct WHERE ct.proposal_id = ")
            .id(proposal.uuid())
            .sql(" AND ct.project_id = ")
            .id(project.uuid())
            .sql(condition)
    };
    // Work that waits for a verdict will get none.
    let marks = of(
        "UPDATE acceptance_criterion SET dev_status = 'pending', dev_evidence = NULL, dev_marked_by_type = NULL, \
         dev_marked_by_id = NULL, dev_marked_at = NULL, status = 'pending', evidence = NULL, marked_by_type = NULL, \
         marked_by_id = NULL, marked_at = NULL WHERE task_id",
        " AND ct.status = 'to_verify')",
    );
    execute(conn, marks).await?;
    execute(conn, of("DELETE FROM session_checkin WHERE task_id", " AND ct.status <> 'closed')")).await?;
    let edges = of("DELETE FROM task_dependency WHERE depends_on_id", " AND ct.status <> 'closed')")
        .sql(" AND task_id NOT IN (SELECT it.id FROM task it WHERE it.proposal_id = ")
        .id(proposal.uuid())
        .sql(")");
    execute(conn, edges).await?;
    let tasks = Statement::<()>::new("UPDATE task SET status = 'closed', version = version + 1, updated_at = ")
        .at(at)
        .sql(" WHERE status <> 'closed' AND proposal_id = ")
        .id(proposal.uuid())
        .sql(" AND project_id = ")
        .id(project.uuid());
    execute(conn, tasks).await
}
