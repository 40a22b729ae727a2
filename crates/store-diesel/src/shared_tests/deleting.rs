//! What no foreign key ties to a project goes with it all the same.

use chorus_domain::{Batch, Write, access::Granted};
use chorus_store::{Directory as _, Tx as _};
use diesel::sql_types::Text;

use super::*;

#[derive(diesel::QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// Rows of a table as their numbers in this test, sorted.
async fn left(unit: &mut Unit, table: &str) -> Vec<String> {
    let sql = match table {
        "mention" => "SELECT mentioned_type AS line FROM mention ORDER BY line",
        "comment" => "SELECT content AS line FROM comment ORDER BY line",
        _ => "SELECT title AS line FROM reference_artifact ORDER BY line",
    };
    let rows: Vec<Line> = diesel::sql_query(sql).load(unit.conn()).await.unwrap();
    rows.into_iter().map(|row| row.line).collect()
}

async fn comment(conn: &mut Conn, id: u128, target: (&'static str, Uuid), content: &str) {
    use schema::comment as t;
    let row = (
        t::id.eq(Val(Uuid::from_u128(id))),
        t::company_id.eq(Val(COMPANY)),
        t::target_type.eq(Val(target.0)),
        t::target_id.eq(Val(target.1)),
        t::content.eq(content),
        t::author_type.eq(Val("user")),
        t::author_id.eq(Val(USER)),
        t::created_at.eq(Val(NOW)),
    );
    diesel::insert_into(t::table).values(row).execute(conn).await.unwrap();
}

async fn mention(conn: &mut Conn, id: u128, source: (&'static str, Uuid), whom: &'static str) {
    use schema::mention as t;
    let row = (
        t::id.eq(Val(Uuid::from_u128(id))),
        t::company_id.eq(Val(COMPANY)),
        t::source_type.eq(Val(source.0)),
        t::source_id.eq(Val(source.1)),
        t::mentioned_type.eq(Val(whom)),
        t::mentioned_id.eq(Val(USER)),
        t::actor_type.eq(Val("user")),
        t::actor_id.eq(Val(USER)),
        t::created_at.eq(Val(NOW)),
    );
    diesel::insert_into(t::table).values(row).execute(conn).await.unwrap();
}

async fn reference(conn: &mut Conn, id: u128, target: (&'static str, Uuid), title: &str) {
    use schema::reference_artifact as t;
    let row = (
        t::id.eq(Val(Uuid::from_u128(id))),
        t::company_id.eq(Val(COMPANY)),
        t::target_type.eq(Val(target.0)),
        t::target_id.eq(Val(target.1)),
        t::kind.eq(Val("docs")),
        t::url.eq("https://example.invalid"),
        t::title.eq(title),
        t::created_by_type.eq(Val("user")),
        t::created_by_id.eq(Val(USER)),
        t::created_at.eq(Val(NOW)),
        t::updated_at.eq(Val(NOW)),
    );
    diesel::insert_into(t::table).values(row).execute(conn).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_takes_mentions_comments_and_references_along() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    for (n, place) in [(1, PROJECT), (2, OTHER_PROJECT)] {
        let whom = if n == 1 { "user" } else { "agent" };
        let (one, two) = (IdeaId::from_u128(n), TaskId::from_u128(n));
        idea(unit.conn(), one, place, "Idea").await.unwrap();
        task(unit.conn(), two, place, "low").await.unwrap();
        let said = n * 100;
        let (on_idea, on_task) = (("idea", one.uuid()), ("task", two.uuid()));
        comment(unit.conn(), said, on_idea, &format!("on idea {n}")).await;
        comment(unit.conn(), said + 1, on_task, &format!("on task {n}")).await;
        mention(unit.conn(), said + 2, ("comment", Uuid::from_u128(said)), whom).await;
        mention(unit.conn(), said + 3, ("comment", Uuid::from_u128(said + 1)), whom).await;
        mention(unit.conn(), said + 4, on_idea, whom).await;
        mention(unit.conn(), said + 5, on_task, whom).await;
        reference(unit.conn(), said + 6, on_idea, &format!("of idea {n}")).await;
        reference(unit.conn(), said + 7, on_task, &format!("of task {n}")).await;
    }
    let contents = unit.contents(&[PROJECT]).await.unwrap();
    assert_eq!((contents.comments, contents.references), (2, 2));
    let batch = Batch { writes: vec![Write::DeleteProjects(vec![PROJECT])], ..Batch::default() };
    unit.apply(&Granted::operator(), &batch, &[]).await.unwrap();
    assert_eq!(left(&mut unit, "mention").await, ["agent"; 4]);
    assert_eq!(left(&mut unit, "comment").await, ["on idea 2", "on task 2"]);
    assert_eq!(left(&mut unit, "reference_artifact").await, ["of idea 2", "of task 2"]);
    unit.commit().await.unwrap();
}
