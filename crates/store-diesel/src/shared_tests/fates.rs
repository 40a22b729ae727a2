//! What goes with a thing that nothing else of this crate writes yet: mentions, references, check-ins of sessions.

use chorus_domain::{Batch, Kind, Party, Write, access::Granted, comment::Comment};
use chorus_ids::{AgentId, CommentId, DocumentId, ProposalId, SessionId};
use chorus_store::{Directory as _, Hanging, Result, Tx as _};

use super::*;

const TASK: TaskId = TaskId::from_u128(1);
const KEPT: TaskId = TaskId::from_u128(2);
const IDEA: IdeaId = IdeaId::from_u128(3);
const DOCUMENT: DocumentId = DocumentId::from_u128(4);
const PROPOSAL: ProposalId = ProposalId::from_u128(5);

fn later() -> Timestamp {
    NOW.plus_micros(1)
}

fn comment(id: u128, target: Kind, target_id: Uuid) -> Write {
    Write::NewComment(Comment {
        id: CommentId::from_u128(id),
        company: COMPANY,
        target,
        target_id,
        content: "Comment".into(),
        author: Party::User(USER),
        created_at: NOW,
    })
}

async fn mention(conn: &mut Conn, id: u128, source: Kind, source_id: u128) {
    use schema::mention as t;
    let row = (
        t::id.eq(Val(Uuid::from_u128(id))),
        t::company_id.eq(Val(COMPANY)),
        t::source_type.eq(Val(source)),
        t::source_id.eq(Val(Uuid::from_u128(source_id))),
        t::mentioned_type.eq(Val("user")),
        t::mentioned_id.eq(Val(USER)),
        t::actor_type.eq(Val("user")),
        t::actor_id.eq(Val(USER)),
        t::created_at.eq(Val(NOW)),
    );
    diesel::insert_into(t::table).values(row).execute(conn).await.unwrap();
}

async fn reference(conn: &mut Conn, id: u128, target: Kind, target_id: Uuid) {
    use schema::reference_artifact as t;
    let row = (
        t::id.eq(Val(Uuid::from_u128(id))),
        t::company_id.eq(Val(COMPANY)),
        t::target_type.eq(Val(target)),
        t::target_id.eq(Val(target_id)),
        t::kind.eq(Val("docs")),
        t::url.eq("https://example.invalid"),
        t::title.eq("Evidence"),
        t::created_by_type.eq(Val("user")),
        t::created_by_id.eq(Val(USER)),
        t::created_at.eq(Val(NOW)),
        t::updated_at.eq(Val(NOW)),
    );
    diesel::insert_into(t::table).values(row).execute(conn).await.unwrap();
}

async fn session(conn: &mut Conn, tasks: &[TaskId]) {
    use schema::{agent as a, agent_session as s, session_checkin as c};
    let (agent, session) = (AgentId::from_u128(0xA6), SessionId::from_u128(0x5E));
    let row = (
        a::id.eq(Val(agent)),
        a::company_id.eq(Val(COMPANY)),
        a::name.eq("Agent"),
        a::roles.eq(Val(serde_json::json!([]))),
        a::permissions.eq(Val(serde_json::json!([]))),
        a::created_at.eq(Val(NOW)),
    );
    diesel::insert_into(a::table).values(row).execute(conn).await.unwrap();
    let row = (
        s::id.eq(Val(session)),
        s::company_id.eq(Val(COMPANY)),
        s::agent_id.eq(Val(agent)),
        s::name.eq("Session"),
        s::last_active_at.eq(Val(NOW)),
        s::created_at.eq(Val(NOW)),
        s::updated_at.eq(Val(NOW)),
    );
    diesel::insert_into(s::table).values(row).execute(conn).await.unwrap();
    for task in tasks {
        let row = (
            c::id.eq(Val(task.uuid())),
            c::session_id.eq(Val(session)),
            c::task_id.eq(Val(*task)),
            c::checkin_at.eq(Val(NOW)),
        );
        diesel::insert_into(c::table).values(row).execute(conn).await.unwrap();
    }
}

async fn document(conn: &mut Conn) {
    use schema::document as t;
    let row = (
        t::id.eq(Val(DOCUMENT)),
        t::company_id.eq(Val(COMPANY)),
        t::project_id.eq(Val(PROJECT)),
        t::kind.eq(Val("prd")),
        t::title.eq("Document"),
        t::created_by_type.eq(Val("user")),
        t::created_by_id.eq(Val(USER)),
        t::created_at.eq(Val(NOW)),
        t::updated_at.eq(Val(NOW)),
    );
    diesel::insert_into(t::table).values(row).execute(conn).await.unwrap();
}

async fn write(unit: &mut Unit, writes: Vec<Write>) -> Result<()> {
    unit.apply(&Granted::operator(), &Batch { writes, ..Batch::default() }, &[]).await
}

/// A task, an idea and a document with one of each that can hang on them; another task with the same.
async fn furnished() -> (TestDb, Backend) {
    let (db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    for id in [TASK, KEPT] {
        task(unit.conn(), id, PROJECT, "low").await.unwrap();
    }
    idea(unit.conn(), IDEA, PROJECT, "Idea").await.unwrap();
    document(unit.conn()).await;
    let things = [
        (Kind::Task, TASK.uuid()),
        (Kind::Task, KEPT.uuid()),
        (Kind::Idea, IDEA.uuid()),
        (Kind::Document, DOCUMENT.uuid()),
    ];
    for (nth, (kind, id)) in (0_u128..).zip(things) {
        let said = 0x100 + nth;
        write(&mut unit, vec![comment(said, kind, id)]).await.unwrap();
        mention(unit.conn(), 0x200 + nth, Kind::Comment, said).await;
        if kind != Kind::Document {
            mention(unit.conn(), 0x300 + nth, kind, id.as_u128()).await;
            reference(unit.conn(), 0x400 + nth, kind, id).await;
        }
    }
    session(unit.conn(), &[TASK, KEPT]).await;
    unit.commit().await.unwrap();
    (db, backend)
}

async fn hanging(unit: &mut Unit, kind: Kind, id: Uuid) -> (u64, u64, u64, u64) {
    let Hanging { comments, mentions, references, checkins, .. } = unit.hanging(kind, id).await.unwrap();
    (comments, mentions, references, checkins)
}

#[tokio::test(flavor = "multi_thread")]
async fn mentions_references_and_checkins_go_with_their_thing_and_no_other() {
    let (_db, backend) = furnished().await;
    let mut unit = backend.begin().await.unwrap();
    let things = [(Kind::Task, TASK.uuid()), (Kind::Idea, IDEA.uuid()), (Kind::Document, DOCUMENT.uuid())];
    for ((kind, id), expected) in things.into_iter().zip([(1, 2, 1, 1), (1, 2, 1, 0), (1, 1, 0, 0)]) {
        assert_eq!(hanging(&mut unit, kind, id).await, expected, "{kind}");
    }
    let gone = vec![Write::DropTask(TASK), Write::DropIdea(IDEA, later()), Write::DropDocuments(vec![DOCUMENT])];
    write(&mut unit, gone).await.unwrap();
    for (kind, id) in things {
        assert_eq!(hanging(&mut unit, kind, id).await, (0, 0, 0, 0), "{kind}");
    }
    assert_eq!(hanging(&mut unit, Kind::Task, KEPT.uuid()).await, (1, 2, 1, 1));
    let left: i64 = schema::mention::table.count().get_result(unit.conn()).await.unwrap();
    assert_eq!(left, 2, "nothing is left without its source");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_checked_out_of_tasks_that_a_revocation_closes() {
    let (_db, backend) = furnished().await;
    let mut unit = backend.begin().await.unwrap();
    let made = diesel::update(schema::task::table.find(Val(TASK)))
        .set(schema::task::proposal_id.eq(Some(Val(PROPOSAL))))
        .execute(unit.conn())
        .await;
    assert_eq!(made, Ok(1));
    super::super::fate::close_tasks_of(unit.conn(), PROPOSAL, PROJECT, later()).await.unwrap();
    assert_eq!(hanging(&mut unit, Kind::Task, TASK.uuid()).await, (1, 2, 1, 0));
    assert_eq!(hanging(&mut unit, Kind::Task, KEPT.uuid()).await, (1, 2, 1, 1));
}
