//! Values come back as they went in.

use serde_json::{Value, json};

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn every_type_comes_back_as_it_went_in() {
    use schema::activity as t;
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    let values = [
        None,
        Some(json!({"text": "Größe \u{1F980} \\ \" \n", "list": [1, -2.5, true, null], "empty": {}})),
        Some(json!([])),
        Some(json!("scalar")),
    ];
    let times = [0, -1, 1, NOW.micros(), -62_135_596_800_000_000, 253_402_300_799_999_999].map(Timestamp::from_micros);
    let mut expected = Vec::new();
    for (i, (value, at)) in values.iter().cycle().zip(times).enumerate() {
        let id = Uuid::from_u128(u128::MAX - i as u128);
        let session = (i % 2 == 0).then(|| Uuid::from_u128(i as u128));
        let row = (
            t::id.eq(Val(id)),
            t::company_id.eq(Val(COMPANY)),
            t::project_id.eq(Val(PROJECT)),
            t::target_type.eq(Val(chorus_domain::Kind::Group)),
            t::target_id.eq(Val(id)),
            t::target_title.eq("title"),
            t::actor_type.eq(Val("operator")),
            t::actor_id.eq(Val(Uuid::nil())),
            t::action.eq(Val(chorus_domain::activity::Action::Created)),
            t::value.eq(value.as_ref().map(Val)),
            t::session_id.eq(session.map(Val)),
            t::created_at.eq(Val(at)),
        );
        let done = diesel::insert_into(t::table).values(row).execute(unit.conn()).await;
        unit.checked(done).unwrap();
        expected.push((id, chorus_domain::Kind::Group, value.clone(), session, at));
    }
    let found = t::table
        .order(t::id.desc())
        .select((t::id, t::target_type, t::value, t::session_id, t::created_at))
        .load::<(Uuid, chorus_domain::Kind, Option<Value>, Option<Uuid>, Timestamp)>(unit.conn())
        .await;
    assert_eq!(unit.checked(found).unwrap(), expected);

    let among = expected.iter().take(2).map(|row| Val(row.0));
    let found = t::table
        .filter(t::id.eq_any(among))
        .filter(t::created_at.le(Val(NOW)))
        .filter(t::action.eq(Val("created")))
        .count()
        .get_result::<i64>(unit.conn())
        .await;
    assert_eq!(unit.checked(found).unwrap(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_sort_by_priority_high_first() {
    use schema::task as t;
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    for (id, priority) in [(1, "low"), (2, "high"), (3, "medium")] {
        task(unit.conn(), TaskId::from_u128(id), PROJECT, priority).await.unwrap();
    }
    let found = t::table.order(t::priority_rank).select((t::priority, t::priority_rank)).load(unit.conn()).await;
    let found: Vec<(chorus_lifecycle::task::Priority, i16)> = unit.checked(found).unwrap();
    use chorus_lifecycle::task::Priority as P;
    assert_eq!(found, [(P::High, 0), (P::Medium, 1), (P::Low, 2)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_project_takes_everything_in_it_along() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    project_member(unit.conn(), PROJECT, USER, "admin").await.unwrap();
    idea(unit.conn(), IdeaId::from_u128(1), PROJECT, "goes").await.unwrap();
    idea(unit.conn(), IdeaId::from_u128(2), OTHER_PROJECT, "stays").await.unwrap();
    task(unit.conn(), TaskId::from_u128(1), PROJECT, "low").await.unwrap();
    let gone = diesel::delete(schema::project::table.find(Val(PROJECT))).execute(unit.conn()).await;
    assert_eq!(unit.checked(gone).unwrap(), 1);
    unit.commit().await.unwrap();
    assert_eq!(titles(&backend).await, ["stays"]);
    let mut unit = backend.read().await.unwrap();
    let tasks = schema::task::table.count().get_result::<i64>(unit.conn()).await;
    assert_eq!(unit.checked(tasks).unwrap(), 0);
}
