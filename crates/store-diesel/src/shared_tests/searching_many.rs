//! The index of words at a hundred thousand tasks (issue 3): answered from the index, whatever the script and however
//! short the word, with as many statements and rows as among a few. Times are printed, not judged.
#![expect(clippy::print_stdout, reason = "times are for people to read")]

use std::time::Instant;

use chorus_domain::{Batch, Kind, Write, access::Granted, search::Query as Words};
use chorus_store::{MAX_MATCHES, Search as _, Store as _, Tx as _};
use diesel_async::SimpleAsyncConnection;

use super::{
    super::search::{Best, ById, Count},
    searching::{Explain, everything, everywhere, new_task, plan},
    *,
};

/// Tasks that are written as a call writes them; the others are copies of theirs.
const WRITTEN: u128 = 1_000;
/// Copies of each.
const COPIES: u128 = 99;
/// How many copies of each one statement makes.
const AT_ONCE: u128 = 11;

/// A phrase for each of a hundred of the tasks that are written, in four scripts, so that each is in one of a hundred.
fn text(id: u128) -> String {
    const PHRASES: [&str; 8] = [
        "数据 在 这里",
        "编译 的 规则",
        "한 번만 실행",
        "테스트 계획",
        "データベース設計",
        "parser of expressions",
        "tiếng Việt đầy đủ",
        "lexer and tokens",
    ];
    let phrase = usize::try_from(id % 100).ok().and_then(|nth| PHRASES.get(nth)).copied().unwrap_or("filler");
    format!("common {phrase} own{id}own")
}

/// The copies, with ids that begin with the number of the copy.
fn copies(first: u128) -> [String; 2] {
    let numbers = format!(
        "WITH RECURSIVE n(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM n WHERE n < {})",
        first + AT_ONCE - 1
    );
    let id = harness::COPY_OF;
    [
        format!(
            "{numbers} INSERT INTO task (id, company_id, project_id, title, description, created_by_type, created_by_id, \
             created_at, updated_at) SELECT {}, t.company_id, t.project_id, t.title, t.description, t.created_by_type, \
             t.created_by_id, t.created_at, t.updated_at FROM task t CROSS JOIN n WHERE {}",
            id.replace("OLD", "t.id"),
            harness::WRITTEN.replace("OLD", "t.id"),
        ),
        format!(
            "{numbers} INSERT INTO search_entry (entity_type, entity_id, place_id, title, body) SELECT 'task', {}, \
             e.place_id, e.title, e.body FROM search_entry e CROSS JOIN n WHERE e.entity_type = 'task' AND {}",
            id.replace("OLD", "e.entity_id"),
            harness::WRITTEN.replace("OLD", "e.entity_id"),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_tasks_are_searched_from_the_index() {
    let (db, backend) = inhabited().await;
    let begun = Instant::now();
    let mut unit = backend.begin().await.unwrap();
    let tasks = (1..=WRITTEN).map(|id| new_task(id, format!("Task {id}"), text(id))).collect();
    let batch = Batch { writes: vec![Write::NewTasks(tasks)], ..Batch::default() };
    unit.apply(&Granted::operator(), &batch, &[]).await.unwrap();
    for first in (1..=COPIES).step_by(usize::try_from(AT_ONCE).unwrap()) {
        for statement in copies(first) {
            unit.conn().batch_execute(&statement).await.unwrap();
        }
    }
    unit.commit().await.unwrap();
    harness::analyze(&backend).await;
    let total = u64::try_from(WRITTEN * (COPIES + 1)).unwrap();
    println!("{total} tasks in {:?}", begun.elapsed());

    let (scope, ground) = (everything(), everywhere());
    let one_in_a_hundred = total / 100;
    for (query, expected) in [
        ("数据", one_in_a_hundred),
        ("译", one_in_a_hundred),
        ("한", one_in_a_hundred),
        ("계획", one_in_a_hundred),
        ("設計", one_in_a_hundred),
        ("parser", one_in_a_hundred),
        ("Tiếng", one_in_a_hundred),
        ("own17own", total / u64::try_from(WRITTEN).unwrap()),
        ("nothing", 0),
    ] {
        let words = Words::new(query);
        let mut unit = backend.read().await.unwrap();
        for steps in [
            plan!(unit, Best::of(&scope, &ground, words.terms())),
            plan!(unit, Count::of(&scope, &ground, words.terms())),
        ] {
            harness::check_no_scan(&steps);
        }
        let begun = Instant::now();
        let matches = unit.matches(&scope, &ground, &words).await.unwrap();
        println!("{query}: {expected} in {:?}", begun.elapsed());
        assert_eq!(matches.counts.values().sum::<u64>(), expected, "{query}");
        let shown = usize::try_from(expected.min(MAX_MATCHES.into())).unwrap();
        assert_eq!(matches.rows.len(), shown, "{query}");
        for (row, _) in &matches.rows {
            let text = format!("{} {}", row.title, row.text.clone().unwrap_or_default()).to_lowercase();
            assert!(text.contains(&query.to_lowercase()), "{query} in {text}");
        }
    }
    // What everything has is counted in full, and shown no further than anything else.
    let mut unit = backend.read().await.unwrap();
    let begun = Instant::now();
    let common = unit.matches(&scope, &ground, &Words::new("common")).await.unwrap();
    println!("common: {total} in {:?}", begun.elapsed());
    assert_eq!((common.counts[&Kind::Task], common.rows.len()), (total, MAX_MATCHES as usize));
    // What has more of the query comes first.
    let both = unit.matches(&scope, &ground, &Words::new("数据 own200own")).await.unwrap();
    assert_eq!(both.rows[0].0.text.as_deref(), Some(text(200).as_str()));

    let id = Uuid::from_u128(17);
    harness::check_plan(&plan!(unit, ById::of(&scope, &ground, id)), 0);
    assert_eq!(unit.found_by_id(&scope, &ground, id).await.unwrap().unwrap().id, id);
    drop(unit);

    // As many statements for a word that a thousand have as for one that nothing has.
    let (watched, watch) = db.open_watched().await;
    let mut taken = Vec::new();
    for query in ["nothing", "数据", "common"] {
        let mut reads = watched.read().await.unwrap();
        watch.take();
        reads.matches(&scope, &ground, &Words::new(query)).await.unwrap();
        taken.push(watch.take().len());
    }
    assert!(taken.iter().all(|count| *count <= 3), "{taken:?}");
    assert_eq!(taken[1], taken[2]);
}
