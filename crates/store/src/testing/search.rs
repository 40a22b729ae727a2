//! Finding things by words and ids.

use std::collections::BTreeMap;

use chorus_domain::{
    Batch, Kind, Write,
    document::Document,
    idea::Idea,
    project::{Group, Project},
    proposal::Proposal,
    search::{MAX_TERMS, Query, SEARCHED, Score},
    task::{Edge, Task},
};
use chorus_ids::{ProjectId, TaskId, Uuid};
use chorus_visibility::{Role, Scope, Visibility};

use super::world::{SCRIPTS, Shared, World};
use crate::{Ground, MAX_MATCHES, Matches, RANKED, Relation, Within};

fn everywhere() -> Ground {
    Ground { within: Within::Everything, kinds: SEARCHED.to_vec() }
}

async fn search_as(w: &World, scope: &Scope, ground: &Ground, query: &str) -> Matches {
    w.read().await.matches(scope, ground, &Query::new(query)).await.unwrap()
}

/// The titles that a query finds, best first.
async fn titles(w: &World, query: &str) -> Vec<String> {
    let found = search_as(w, &w.scope(), &everywhere(), query).await;
    let shown = found.rows.len() as u64;
    assert_eq!(found.counts.values().sum::<u64>(), shown, "{query}: nothing is cut here");
    found.rows.into_iter().map(|(row, _)| row.title).collect()
}

fn task(w: &World, title: &str, text: &str) -> Task {
    Task { title: title.into(), description: Some(text.into()), ..w.new_task(w.project) }
}

pub async fn words_find_what_has_them_in_title_or_text_whatever_it_is(store: &Shared) {
    let w = World::new(store).await;
    let (title, text) = ("Blue zebra".to_owned(), Some("Stripes and hooves".to_owned()));
    let project = w.put(Project { name: title.clone(), description: text.clone(), ..w.new_project() }).await;
    let group = Group { name: title.clone(), description: "Stripes and hooves".into(), ..w.new_group() };
    let group = w.put(group).await;
    let task = Task { title: title.clone(), description: text.clone(), ..w.new_task(w.project) };
    let task = w.put(task).await;
    let idea = w.put(Idea { title: title.clone(), content: text.clone(), ..w.new_idea(w.project) }).await;
    let proposal = Proposal { title: title.clone(), description: text.clone(), ..w.new_proposal(w.project, &[]) };
    let proposal = w.put(proposal).await;
    let document = w.put(Document { title: title.clone(), content: text.clone(), ..w.new_document(w.project) }).await;
    w.put(w.new_task(w.project)).await;
    let counts: BTreeMap<Kind, u64> = SEARCHED.map(|kind| (kind, 1)).into();
    for query in ["zebra", "hooves", "ZEBRA stripes"] {
        let found = search_as(&w, &w.scope(), &everywhere(), query).await;
        assert_eq!(found.counts, counts, "{query}");
        let mut rows: Vec<_> = found
            .rows
            .into_iter()
            .map(|(row, _)| {
                assert_eq!((row.title, row.text), (title.clone(), text.clone()), "{query}");
                (row.kind, row.id, row.status, row.project, row.updated_at)
            })
            .collect();
        rows.sort();
        let home = Some((w.project, "Project".to_owned()));
        let mut expected = vec![
            (Kind::Task, task.id.uuid(), "open".into(), home.clone(), task.updated_at),
            (Kind::Idea, idea.id.uuid(), "open".into(), home.clone(), idea.updated_at),
            (Kind::Proposal, proposal.id.uuid(), proposal.status.as_str().into(), home.clone(), proposal.updated_at),
            (Kind::Document, document.id.uuid(), document.kind.as_str().into(), home, document.updated_at),
            (Kind::Project, project.id.uuid(), "active".into(), Some((project.id, title.clone())), project.updated_at),
            (Kind::Group, group.id.uuid(), "active".into(), None, group.updated_at),
        ];
        expected.sort();
        assert_eq!(rows, expected, "{query}");
    }
}

pub async fn one_or_two_characters_find_chinese_japanese_and_korean(store: &Shared) {
    let w = World::new(store).await;
    w.put_all([
        task(&w, "数据库迁移", "把旧数据搬到新表"),
        task(&w, "한국어 문서를 번역", ""),
        task(&w, "データの移行", "ログイン画面"),
        task(&w, "Use the API", "使用API调用"),
    ])
    .await;
    for (query, expected) in [
        ("数据", "数据库迁移"),
        ("据", "数据库迁移"),
        ("旧", "数据库迁移"),
        ("한", "한국어 문서를 번역"),
        ("문서", "한국어 문서를 번역"),
        ("\u{1112}\u{1161}\u{11ab}", "한국어 문서를 번역"),
        ("デー", "データの移行"),
        ("ﾛｸﾞ", "データの移行"),
        ("调用", "Use the API"),
        ("api调", "Use the API"),
    ] {
        assert_eq!(titles(&w, query).await, [expected], "{query}");
    }
    // Characters that stand apart are not neighbours.
    assert_eq!(titles(&w, "库搬").await, [""; 0]);
}

pub async fn case_width_and_accents_do_not_count(store: &Shared) {
    let w = World::new(store).await;
    w.put_all([task(&w, "Đăng nhập bằng tiếng Việt", ""), task(&w, "Straße über ÉCOLE", "")]).await;
    for query in ["đăng nhập", "dang nhap", "DANG", "tiê\u{301}ng", "tieng viet", "vie\u{323}\u{302}t", "ＶＩＥＴ"]
    {
        assert_eq!(titles(&w, query).await, ["Đăng nhập bằng tiếng Việt"], "{query}");
    }
    for query in ["strasse", "STRASSE", "uber", "école", "e\u{301}cole"] {
        assert_eq!(titles(&w, query).await, ["Straße über ÉCOLE"], "{query}");
    }
}

pub async fn the_beginning_of_a_word_finds_it_and_its_middle_does_not(store: &Shared) {
    let w = World::new(store).await;
    w.put(task(&w, "Authentication of user_accounts", "v2.0")).await;
    for (query, found) in [
        ("auth", 1),
        ("au", 1),
        ("a", 0),
        ("accounts", 1),
        ("user", 1),
        ("thentic", 0),
        ("v2", 1),
        ("0", 1),
        ("2", 0),
        ("authenticationx", 0),
    ] {
        assert_eq!(titles(&w, query).await.len(), found, "{query}");
    }
}

pub async fn more_terms_come_first_then_titles_then_the_latest(store: &Shared) {
    let w = World::new(store).await;
    let mut rows = vec![
        task(&w, "1 alpha beta gamma", ""),
        task(&w, "2 alpha beta", "gamma"),
        task(&w, "3", "alpha beta gamma"),
        task(&w, "6 alpha beta", ""),
        task(&w, "5 alpha beta", ""),
        task(&w, "7", "gamma alpha gamma alpha"),
        task(&w, "8 gamma gamma gamma", ""),
        task(&w, "9", "alphabet"),
    ];
    // The order of ids must not matter: what was made first was updated last.
    rows.sort_by_key(|row| std::cmp::Reverse(row.title.clone()));
    rows[3].updated_at = w.tick();
    w.put_all(rows.clone()).await;
    let found = search_as(&w, &w.scope(), &everywhere(), "alpha beta gamma").await;
    let shown: Vec<_> =
        found.rows.iter().map(|(row, score)| (&row.title[..1], (score.matched, score.titled))).collect();
    let latest = if rows[3].title.starts_with('5') { ["5", "6"] } else { ["6", "5"] };
    assert_eq!(
        shown,
        [
            ("1", (3, 3)),
            ("2", (3, 2)),
            ("3", (3, 0)),
            (latest[0], (2, 2)),
            (latest[1], (2, 2)),
            ("7", (2, 0)),
            ("8", (1, 1)),
            ("9", (1, 0)),
        ]
    );
    assert!(found.rows.is_sorted_by_key(|(_, score)| std::cmp::Reverse(*score)));
    let twins: Vec<_> = (0..3).map(|_| Task { updated_at: rows[0].updated_at, ..task(&w, "twin", "") }).collect();
    w.put_all(twins.clone()).await;
    let ids: Vec<Uuid> =
        search_as(&w, &w.scope(), &everywhere(), "twin").await.rows.iter().map(|(r, _)| r.id).collect();
    assert_eq!(ids, twins.iter().rev().map(|twin| twin.id.uuid()).collect::<Vec<_>>());
}

pub async fn operators_wildcards_and_quotes_are_plain_text(store: &Shared) {
    let w = World::new(store).await;
    w.put_all([task(&w, "Rock and roll", "near the title"), task(&w, "Other", "100% \"sure\" c++ a*b")]).await;
    for query in [
        "rock AND nothing",
        "rock NOT rock",
        "\"rock\"",
        "'rock'",
        "rock*",
        "*rock*",
        "%rock%",
        "title:rock",
        "body : rock",
        "{title}: rock",
        "^rock",
        "-rock",
        "NEAR(rock)",
        "(rock",
        "rock)",
        "rock:*",
        "rock:A",
        "!rock",
        "rock <-> x",
        "rock \\ '",
        "'; drop table search_entry; --",
        "rock\u{0}x",
        "$1 rock ?",
    ] {
        let found = titles(&w, query).await;
        assert_eq!(found.first().map(String::as_str), query.contains("rock").then_some("Rock and roll"), "{query}");
    }
    for query in ["100%", "sure", "\"sure", "a*b", "C++"] {
        assert_eq!(titles(&w, query).await, ["Other"], "{query}");
    }
    assert_eq!(titles(&w, "or").await, [""; 0]);
}

pub async fn a_query_without_words_finds_nothing(store: &Shared) {
    let w = World::new(store).await;
    w.put(task(&w, "% _ * \" ' : & | !", "...")).await;
    for query in ["", "  ", "%", "_", "*", "\"\"", "'", ":*", "&", "|", "!", "()", "-- ;", "。、", "\u{200b}"] {
        let found = search_as(&w, &w.scope(), &everywhere(), query).await;
        assert_eq!((found.rows.len(), found.counts), (0, SEARCHED.map(|kind| (kind, 0)).into()), "{query}");
    }
    let nothing = Ground { kinds: vec![], ..everywhere() };
    assert_eq!(search_as(&w, &w.scope(), &nothing, "task").await, Matches::default());
}

pub async fn emoji_and_mixed_scripts_are_found(store: &Shared) {
    let w = World::new(store).await;
    w.put_all([task(&w, "Launch 🚀", "👩‍💻 works"), task(&w, SCRIPTS, SCRIPTS)]).await;
    for query in ["🚀", "🚀🚀", "👩‍💻 works", "launch 🚀"] {
        assert_eq!(titles(&w, query).await[0], "Launch 🚀", "{query}");
    }
    for query in ["项目", "계획", "tieng", "עברית", "𠀋", "𝒳", "end", "🏳️‍🌈"] {
        assert_eq!(titles(&w, query).await, [SCRIPTS], "{query}");
    }
}

pub async fn very_long_queries_and_texts_are_searched(store: &Shared) {
    let w = World::new(store).await;
    let words: String = (0..120_000).map(|i| format!("w{i} ")).collect();
    let characters: String = (0..300_000_u32).filter_map(|i| char::from_u32(0x4e00 + i * 31 % 20_000)).collect();
    let body = |body: String| Document { content: Some(body), ..w.new_document(w.project) };
    w.put_all([body(words), body(characters), body("x".repeat(1024 * 1024))]).await;
    assert_eq!(titles(&w, "w0 w1 w2").await.len(), 1);
    let long: String = (0..400).map(|i| format!("w{i} ")).collect();
    let found = search_as(&w, &w.scope(), &everywhere(), &long).await;
    assert_eq!(found.rows[0].1, Score { matched: u32::try_from(MAX_TERMS).unwrap(), titled: 0 });
    assert!(found.rows[0].0.text.as_ref().unwrap().chars().count() == crate::SEEN);
    assert_eq!(titles(&w, "一").await.len(), 1);
    assert_eq!(titles(&w, &"x".repeat(900)).await.len(), 1);
}

pub async fn counts_are_of_all_matches_of_the_kinds_asked_for(store: &Shared) {
    let w = World::new(store).await;
    w.put_all((0..60).map(|i| task(&w, &format!("common {i}"), ""))).await;
    w.put_all((0..3).map(|_| Idea { title: "common".into(), ..w.new_idea(w.project) })).await;
    let found = search_as(&w, &w.scope(), &everywhere(), "common").await;
    assert_eq!(found.rows.len(), MAX_MATCHES as usize);
    let expected = SEARCHED.map(|kind| {
        let count = match kind {
            Kind::Task => 60,
            Kind::Idea => 3,
            _ => 0,
        };
        (kind, count)
    });
    assert_eq!(found.counts, expected.into());
    let ideas = Ground { kinds: vec![Kind::Idea, Kind::Group], ..everywhere() };
    let found = search_as(&w, &w.scope(), &ideas, "common").await;
    assert_eq!((found.rows.len(), found.counts), (3, [(Kind::Idea, 3), (Kind::Group, 0)].into()));
}

pub async fn of_a_very_frequent_word_the_newest_take_part_and_full_matches_always(store: &Shared) {
    let w = World::new(store).await;
    let old = [task(&w, "Old rare one", "frequent"), task(&w, "Old frequent title", ""), task(&w, "Old", "frequent")];
    w.put_all(old).await;
    w.put_all((0..RANKED + 100).map(|i| task(&w, &format!("New {i}"), "frequent"))).await;
    let found = search_as(&w, &w.scope(), &everywhere(), "frequent").await;
    assert_eq!(found.counts[&Kind::Task], u64::from(RANKED) + 103);
    assert_eq!(found.rows[0].0.title, "Old frequent title");
    assert_eq!(found.rows[1].0.title, format!("New {}", RANKED + 99));
    let found = search_as(&w, &w.scope(), &everywhere(), "frequent rare").await;
    assert_eq!((found.rows[0].0.title.as_str(), found.rows[0].1), ("Old rare one", Score { matched: 2, titled: 1 }));
}

pub async fn the_index_is_part_of_the_unit_that_writes(store: &Shared) {
    let w = World::new(store).await;
    let mut found = w.put(task(&w, "Before", "First")).await;
    assert_eq!(titles(&w, "first").await, ["Before"]);
    found.title = "After".into();
    found.description = None;
    found.version += 1;
    let batch = Batch { writes: vec![Write::SaveTask(found.clone())], ..Batch::default() };
    let mut tx = w.begin().await;
    tx.apply(&chorus_domain::access::Granted::operator(), &batch, &[]).await.unwrap();
    let seen = tx.matches(&w.scope(), &everywhere(), &Query::new("after")).await.unwrap();
    assert_eq!(seen.rows.len(), 1, "a unit finds what it wrote");
    tx.rollback().await.unwrap();
    assert_eq!(titles(&w, "before").await, ["Before"]);
    assert_eq!(titles(&w, "after").await, [""; 0]);
    w.apply(batch).await.unwrap();
    assert_eq!(titles(&w, "before first").await, [""; 0]);
    assert_eq!(titles(&w, "after").await, ["After"]);
    // Every other kind that can be saved.
    let mut idea = w.put(w.new_idea(w.project)).await;
    (idea.content, idea.version) = (Some("walrus".into()), 2);
    let mut proposal = w.put(w.new_proposal(w.project, &[])).await;
    (proposal.title, proposal.version) = ("Walrus".into(), 2);
    w.write([Write::SaveIdea(idea.clone()), Write::SaveProposal(proposal)]).await;
    assert_eq!(titles(&w, "walrus").await.len(), 2);
    // Made and saved in one batch: the last words count.
    let made = Idea { title: "Caterpillar".into(), ..w.new_idea(w.project) };
    let saved = Idea { title: "Butterfly".into(), version: 2, ..made.clone() };
    w.write([Write::NewIdea(made), Write::SaveIdea(saved)]).await;
    assert_eq!(titles(&w, "caterpillar butterfly").await, ["Butterfly"]);
}

pub async fn what_moves_is_found_where_it_is_now(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let task = w.put(task(&w, "Nomad", "")).await;
    let idea = w.put(Idea { title: "Nomad".into(), ..w.new_idea(hidden) }).await;
    let (proposal, document) = (w.new_proposal(hidden, &[]), w.new_document(hidden));
    w.put(Proposal { title: "Nomad".into(), ..proposal.clone() }).await;
    w.put(Document { title: "Nomad".into(), ..document }).await;
    let kinds = async || {
        let found = search_as(&w, &w.scope(), &everywhere(), "nomad").await;
        found.rows.into_iter().map(|(row, _)| row.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds().await, [Kind::Task]);
    let moved = Task { project: hidden, version: 2, ..task.clone() };
    w.write([Write::SaveTask(moved)]).await;
    assert_eq!(kinds().await, []);
    assert_eq!(w.read().await.found_by_id(&w.scope(), &everywhere(), task.id.uuid()).await.unwrap(), None);
    let moved = Idea { project: w.project, version: 2, ..idea };
    let proposal = Proposal { title: "Nomad".into(), project: w.project, version: 2, ..proposal };
    w.write([Write::SaveIdea(moved), Write::SaveProposal(proposal)]).await;
    let mut found = kinds().await;
    found.sort();
    assert_eq!(found, [Kind::Idea, Kind::Proposal]);
}

pub async fn what_is_hidden_is_neither_found_nor_counted(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    abroad.put(Task { title: "Secret".into(), ..abroad.new_task(abroad.project) }).await;
    let hidden = w.hidden_project().await;
    let private = Group { name: "Secret".into(), visibility: Visibility::Private, ..w.new_group() };
    let group = w.put(private).await.id;
    let inside =
        Project { name: "Secret".into(), group: Some(group), visibility: Visibility::Private, ..w.new_project() };
    let inside = w.put(inside).await.id;
    // Both have an administrator, so that nobody stands in.
    let keeper = w.put(w.new_user()).await.id;
    w.join_group(group, keeper, Role::Admin).await;
    let open = w.put(task(&w, "Secret", "secret")).await;
    let closed = w.put(Task { title: "Secret".into(), ..w.new_task(hidden) }).await;
    w.put(Document { title: "Secret".into(), ..w.new_document(inside) }).await;
    let edge = Edge { task: closed.id, depends_on: open.id };
    w.write([Write::AddEdges(vec![edge])]).await;

    let found = search_as(&w, &w.scope(), &everywhere(), "secret").await;
    assert_eq!(found.rows.iter().map(|(row, _)| row.id).collect::<Vec<_>>(), [open.id.uuid()]);
    assert_eq!(found.counts.values().sum::<u64>(), 1);
    let mut reads = w.read().await;
    for id in [closed.id.uuid(), hidden.uuid(), group.uuid(), inside.uuid(), Uuid::from_u128(7)] {
        assert_eq!(reads.found_by_id(&w.scope(), &everywhere(), id).await.unwrap(), None);
    }
    let beside = reads.neighbours(&w.scope(), &everywhere(), &[(Kind::Task, open.id.uuid())], 20).await.unwrap();
    assert_eq!(beside, []);
    for within in [Within::Project(hidden), Within::Project(inside), Within::Group(group), Within::Project(w.id())] {
        let ground = Ground { within, ..everywhere() };
        assert_eq!(search_as(&w, &w.scope(), &ground, "secret").await.rows, []);
    }
    // Of the group's only project a member sees the group too.
    w.join(inside, w.user, Role::Viewer).await;
    let found = search_as(&w, &w.scope(), &everywhere(), "secret").await;
    assert_eq!(found.counts.values().sum::<u64>(), 4);
    let keeper = search_as(&w, &w.scope_of(keeper), &everywhere(), "secret").await;
    assert_eq!(keeper.counts.values().sum::<u64>(), 4);
    assert_eq!(search_as(&w, &abroad.scope(), &everywhere(), "secret").await.rows.len(), 1);
}

pub async fn a_ground_is_a_group_with_its_projects_or_a_project(store: &Shared) {
    let w = World::new(store).await;
    let group = w.put(Group { name: "Here".into(), ..w.new_group() }).await.id;
    let project = Project { name: "Here".into(), group: Some(group), ..w.new_project() };
    let project = w.put(project).await.id;
    let other = w.put(Project { name: "Here".into(), ..w.new_project() }).await.id;
    for project in [project, other] {
        w.put(Task { title: "Here".into(), ..w.new_task(project) }).await;
    }
    let kinds = async |within| {
        let ground = Ground { within, ..everywhere() };
        let found = search_as(&w, &w.scope(), &ground, "here").await;
        let mut kinds: Vec<_> = found.rows.into_iter().map(|(row, _)| row.kind).collect();
        kinds.sort();
        assert_eq!(found.counts.values().sum::<u64>(), kinds.len() as u64);
        kinds
    };
    assert_eq!(kinds(Within::Group(group)).await, [Kind::Project, Kind::Group, Kind::Task]);
    assert_eq!(kinds(Within::Project(project)).await, [Kind::Project, Kind::Task]);
    assert_eq!(kinds(Within::Everything).await.len(), 5);
    let ground = Ground { within: Within::Project(project), ..everywhere() };
    let mut reads = w.read().await;
    assert_eq!(reads.found_by_id(&w.scope(), &ground, group.uuid()).await.unwrap(), None);
    assert_eq!(reads.found_by_id(&w.scope(), &ground, other.uuid()).await.unwrap(), None);
    let found = reads.found_by_id(&w.scope(), &ground, project.uuid()).await.unwrap();
    assert_eq!(found.map(|row| row.kind), Some(Kind::Project));
}

pub async fn a_thing_is_found_by_its_id_among_the_kinds_asked_for(store: &Shared) {
    let w = World::new(store).await;
    let group = w.put(w.new_group()).await.id.uuid();
    let things = [
        (Kind::Group, group),
        (Kind::Project, w.project.uuid()),
        (Kind::Idea, w.put(w.new_idea(w.project)).await.id.uuid()),
        (Kind::Proposal, w.put(w.new_proposal(w.project, &[])).await.id.uuid()),
        (Kind::Document, w.put(w.new_document(w.project)).await.id.uuid()),
        (Kind::Task, w.put(w.new_task(w.project)).await.id.uuid()),
    ];
    let mut reads = w.read().await;
    for (kind, id) in things {
        let found = reads.found_by_id(&w.scope(), &everywhere(), id).await.unwrap().unwrap();
        assert_eq!((found.kind, found.id), (kind, id));
        let others = SEARCHED.into_iter().filter(|other| *other != kind).collect();
        let ground = Ground { kinds: others, ..everywhere() };
        assert_eq!(reads.found_by_id(&w.scope(), &ground, id).await.unwrap(), None, "{kind}");
    }
    assert_eq!(reads.found_by_id(&w.scope(), &everywhere(), w.user.uuid()).await.unwrap(), None);
}

pub async fn neighbours_are_each_listed_once_the_nearest_first(store: &Shared) {
    let w = World::new(store).await;
    let parent = w.put(Idea { title: "Parent".into(), ..w.new_idea(w.project) }).await.id;
    let idea = Idea { title: "Middle".into(), parent: Some(parent), ..w.new_idea(w.project) };
    let idea = w.put(idea).await.id;
    w.put(Idea { title: "Child".into(), parent: Some(idea), ..w.new_idea(w.project) }).await;
    let proposal = Proposal { title: "Source".into(), ..w.new_proposal(w.project, &[]) };
    let proposal = Some(w.put(proposal).await.id);
    let of_it = |title: &str| Task { title: title.into(), proposal, ..w.new_task(w.project) };
    let [task, sibling, both] = [of_it("Task"), of_it("Sibling"), of_it("Both")];
    w.put_all([task.clone(), sibling, both.clone()]).await;
    w.put(Document { title: "Paper".into(), proposal, ..w.new_document(w.project) }).await;
    let alone = |title: &str| Task { title: title.into(), ..w.new_task(w.project) };
    let [first, last] = [alone("First"), alone("Last")];
    w.put_all([first.clone(), last.clone()]).await;
    let edge = |task: TaskId, depends_on: TaskId| Edge { task, depends_on };
    w.write([Write::AddEdges(vec![edge(task.id, first.id), edge(last.id, task.id), edge(both.id, task.id)])]).await;

    let of = [(Kind::Idea, idea.uuid()), (Kind::Task, task.id.uuid())];
    let list = async |limit, kinds: &[Kind]| {
        let ground = Ground { kinds: kinds.to_vec(), ..everywhere() };
        let found = w.read().await.neighbours(&w.scope(), &ground, &of, limit).await.unwrap();
        found.into_iter().map(|found| (found.row.title, found.of, found.relation)).collect::<Vec<_>>()
    };
    let expected = [
        ("Parent", 0, Relation::Parent),
        ("Child", 0, Relation::Child),
        ("Source", 1, Relation::Proposal),
        ("Paper", 1, Relation::Sibling),
        ("Both", 1, Relation::Sibling),
        ("Sibling", 1, Relation::Sibling),
        ("First", 1, Relation::Prerequisite),
        ("Last", 1, Relation::Dependant),
    ]
    .map(|(title, of, relation)| (title.to_owned(), of, relation));
    assert_eq!(list(20, &SEARCHED).await, expected);
    assert_eq!(list(3, &SEARCHED).await, expected[..3]);
    assert_eq!(list(20, &[Kind::Document]).await, expected[3..4]);
    assert_eq!(list(20, &[]).await, []);
    let mut reads = w.read().await;
    assert_eq!(reads.neighbours(&w.scope(), &everywhere(), &[], 20).await.unwrap(), []);
    // A document's are those of its proposal; its project is none.
    let other: ProjectId = w.put(w.new_project()).await.id;
    let beside = reads.neighbours(&w.scope(), &everywhere(), &[(Kind::Project, other.uuid())], 20).await.unwrap();
    assert_eq!(beside, []);
}

pub async fn ids_of_a_kind_come_from_the_end_of_their_range(store: &Shared) {
    let w = World::new(store).await;
    let mut tasks: Vec<Uuid> = Vec::new();
    for _ in 0..5 {
        tasks.push(w.put(w.new_task(w.project)).await.id.uuid());
    }
    let other = w.put(w.new_project()).await.id;
    let elsewhere = w.put(w.new_task(other)).await.id.uuid();
    let idea = w.put(w.new_idea(w.project)).await.id.uuid();
    let hidden = w.hidden_project().await;
    w.put(w.new_task(hidden)).await;
    tasks.sort_unstable();
    let ids = async |scope: &Scope, within, kind, between, limit| {
        w.read().await.ids_between(scope, (within, kind), between, limit).await.unwrap()
    };
    let (all, scope) = ((Uuid::nil(), Uuid::max()), w.scope());
    let newest: Vec<Uuid> = tasks.iter().rev().copied().collect();
    let here = Within::Project(w.project);
    assert_eq!(ids(&scope, here, Kind::Task, all, 100).await, newest);
    assert_eq!(ids(&scope, here, Kind::Task, all, 2).await, newest[..2]);
    assert_eq!(ids(&scope, here, Kind::Task, (tasks[1], tasks[3]), 100).await, newest[1..4]);
    assert_eq!(ids(&scope, here, Kind::Task, (tasks[3], tasks[1]), 100).await, Vec::<Uuid>::new());
    assert_eq!(ids(&scope, here, Kind::Idea, all, 100).await, [idea]);
    assert_eq!(ids(&scope, here, Kind::Project, all, 100).await, [w.project.uuid()]);
    assert_eq!(ids(&scope, here, Kind::Session, all, 100).await, Vec::<Uuid>::new());
    let everywhere = ids(&scope, Within::Everything, Kind::Task, all, 100).await;
    assert!(everywhere.contains(&elsewhere) && everywhere.len() == 6, "{everywhere:?}");
    assert_eq!(ids(&scope, Within::Project(hidden), Kind::Task, all, 100).await, Vec::<Uuid>::new());
    assert_eq!(ids(&scope.narrowed(&[other]), Within::Everything, Kind::Task, all, 100).await, [elsewhere]);
    assert_eq!(ids(&scope.narrowed(&[]), Within::Everything, Kind::Task, all, 100).await, Vec::<Uuid>::new());
}
