//! Ideas in pages: the overview of a project, questions and answers, and what is done with an idea.

use chorus_domain::{Write, idea::Idea, task::Task};
use chorus_ids::{IdeaId, TaskId};
use chorus_lifecycle::{
    idea::IdeaStatus,
    task::{Priority, TaskStatus},
};
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use http::StatusCode;
use serde_json::json;

use crate::{backends, works::Works};

const NEW: &str = "form[data-form='idea']";

async fn an_idea_is_written_down_changed_and_talked_about(backend: Backend) {
    let works = Works::new(backend).await;
    let mut ann = works.ann().await;
    let empty = ann.page(&works.path("")).await;
    assert!(empty.text("[data-part='ideas']").contains("No ideas yet"), "{}", empty.body);
    let form = ann.page(&empty.attribute("a.primary", "href").unwrap()).await;
    let page = ann.follow(&form, NEW, &[("title", "Offline"), ("content?", "Works *without* a net")]).await;
    assert_eq!(page.text("h1"), "Offline");
    assert_eq!(page.text("[data-part='text'] em"), "without");
    assert!(page.text(".notice").contains("The idea is there"), "{}", page.body);
    assert!(page.text("[data-part='head'] .status").contains("To do"));

    let edit = ann.page(&page.attribute("[data-part='head'] .actions a", "href").unwrap()).await;
    let fields = [("title", "Offline first"), ("content", ""), ("isContainer", "true")];
    let changed = ann.follow(&edit, "form[data-form='edit']", &fields).await;
    assert_eq!(changed.text("h1"), "Offline first");
    assert!(changed.text("[data-part='head']").contains("Theme"));
    // The form of before knows an older version.
    let stale = ann.submit(&edit, "form[data-form='edit']", &[("idempotencyKey", "another")]).await;
    assert_eq!(stale.status, StatusCode::CONFLICT);
    assert!(stale.text("h1").contains("changed meanwhile"), "{}", stale.body);

    let below = ann.page(&changed.attribute("[data-part='head'] .actions a:last-child", "href").unwrap()).await;
    let child = ann.follow(&below, NEW, &[("title", "Sync")]).await;
    assert_eq!(child.text("[data-part='head'] .meta a"), "Offline first");

    let token = child.attribute("[data-insert]", "value").unwrap();
    let said = ann.follow(&child, "form[data-form='comment']", &[("content", &format!("What about {token}?"))]).await;
    let comment = said.text("#comments .talk li");
    assert!(comment.starts_with("ann") && comment.contains("What about @Builder"), "{comment}");
    let blank = ann.submit(&said, "form[data-form='comment']", &[("content", " ")]).await;
    assert_eq!(blank.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(blank.text(".problems").contains("Text is blank"), "{}", blank.body);

    let tree = ann.page(&works.path("?view=tree")).await;
    assert_eq!(tree.text(".tree > li > ul .branch > a"), "Sync");
    let list = ann.page(&works.path("?view=list")).await;
    assert_eq!(list.count(".list > li"), 2);
    let column = ann.page(&works.path("?view=list&of=todo")).await;
    assert_eq!(column.count(".list > li"), 2);
    assert_eq!(ann.page(&works.path("?view=list&of=done")).await.count(".list > li"), 0);
}

async fn questions_are_answered_in_parts_and_the_answers_confirmed(backend: Backend) {
    let works = Works::new(backend).await;
    let idea = works.idea("Search").await;
    works.tool("claim_idea", json!({ "ideaUuid": idea })).await;
    let question = |id: &str, text: &str, required: bool| {
        json!({
            "id": id, "text": text, "category": "scope", "required": required,
            "options": [{ "id": "a", "label": "Small" }, { "id": "b", "label": "Large", "description": "Costs more" }]
        })
    };
    let questions = json!({
        "ideaUuid": idea, "depth": "standard",
        "questions": [question("size", "How large?", true), question("speed", "How fast?", true), question("x", "More?", false)]
    });
    works.tool("pm_start_elaboration", questions).await;

    let mut ann = works.ann().await;
    let board = ann.page(&works.path("")).await;
    assert!(
        board.text("[aria-labelledby='column-human_conduct_required']").contains("Questions to answer"),
        "{}",
        board.body
    );
    let page = ann.page(&works.path(&format!("/ideas/{idea}"))).await;
    assert!(page.text("[data-part='next']").contains("answer the questions"), "{}", page.body);
    let form = "form[data-form='answer-1']";
    let asked = page.attribute(&format!("{form} input[type='radio']"), "name");
    assert_eq!(asked.as_deref(), Some("answers[0].selectedOptionId?"));
    let none = ann.submit(&page, form, &[]).await;
    assert_eq!(none.status, StatusCode::UNPROCESSABLE_ENTITY, "no answer at all is none: {}", none.body);

    let first = [("answers[0].selectedOptionId?", "b"), ("answers[0].customText?", "for now")];
    let page = ann.follow(&page, form, &first).await;
    let given = page.text("#questions .answer");
    assert!(given.contains("Large for now ann"), "{given}");
    assert!(page.has(form), "one required question is open");
    assert!(!page.has("form[data-form='verify']"));

    let page = ann.follow(&page, form, &[("answers[1].customText?", "Very fast")]).await;
    assert!(!page.has(form), "the round is finished");
    assert!(page.text("#questions").contains("Very fast"));
    assert!(page.text("[data-part='next']").contains("Are the answers enough"), "{}", page.text("[data-part='next']"));
    let verified = ann.follow(&page, "form[data-form='verify']", &[]).await;
    assert!(verified.text("[data-part='facts']").contains("Elaborated"));
    assert!(!verified.has("form[data-form='verify']"));
    // Sent again, it is done already.
    let again = ann.follow(&page, "form[data-form='verify']", &[]).await;
    assert!(again.text("[data-part='facts']").contains("Elaborated"));
}

async fn an_idea_is_given_to_whoever_can_do_it(backend: Backend) {
    let works = Works::new(backend).await;
    let idea = works.idea("Search").await;
    let path = works.path(&format!("/ideas/{idea}"));
    let mut ann = works.ann().await;
    let page = ann.page(&path).await;
    assert!(page.text("[data-part='holder']").contains("Nobody"));
    let page = ann.follow(&page, "form[data-form='claim']", &[]).await;
    assert!(page.text("[data-part='holder'] strong").contains("ann"));
    let page = ann.follow(&page, "form[data-form='release']", &[]).await;
    assert!(page.text("[data-part='holder']").contains("Nobody"));
    let choice = "assigneeType+assigneeUuid";
    let to = format!("agent:{}", works.party().uuid());
    let page = ann.follow(&page, "form[data-form='assign']", &[(choice, &to)]).await;
    assert!(page.text("[data-part='holder'] strong").contains("Builder"));
    // People take back what an agent holds, and give it again.
    let page = ann.follow(&page, "form[data-form='release']", &[]).await;
    assert!(page.text("[data-part='holder']").contains("Nobody") && !page.has("form[data-form='release']"));
    let page = ann.follow(&page, "form[data-form='assign']", &[(choice, &to)]).await;
    let viewer = format!("user:{}", works.bob);
    let refused = ann.submit(&page, "form[data-form='assign']", &[(choice, &viewer)]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(refused.text("main").contains("can't edit the project"), "{}", refused.body);
    // Whoever must not know of the project is not offered.
    assert!(!page.body.contains(&works.eve.to_string()));

    let skipped = ann.follow(&page, "form[data-form='skip']", &[("reason", "It is clear")]).await;
    assert!(skipped.text("[data-part='facts']").contains("Elaborated"));
    assert!(!skipped.has("form[data-form='skip']"));
}

async fn links_back_an_idea(backend: Backend) {
    let works = Works::new(backend).await;
    let idea = works.idea("Search").await;
    let mut ann = works.ann().await;
    let page = ann.page(&works.path(&format!("/ideas/{idea}"))).await;
    let form = "form[data-form='reference']";
    let bad = ann.submit(&page, form, &[("url", "javascript:alert(1)"), ("title", "X")]).await;
    assert_eq!(bad.status, StatusCode::UNPROCESSABLE_ENTITY);
    let fields = [("url", "https://example.com/a"), ("title", "Paper"), ("notes?null", "Why"), ("type", "paper_blog")];
    let page = ann.follow(&page, form, &fields).await;
    let link = "[data-part='references'] .list a";
    assert_eq!(page.attribute(link, "href").as_deref(), Some("https://example.com/a"));
    assert!(page.attribute(link, "rel").unwrap().contains("noopener"));
    let change = "[data-part='references'] form[action='/do/chorus_update_reference']";
    let page = ann.follow(&page, change, &[("title", "Better paper")]).await;
    assert_eq!(page.text(link), "Better paper");
    let remove = "[data-part='references'] form[action='/do/chorus_remove_reference']";
    let page = ann.follow(&page, remove, &[]).await;
    assert!(!page.has(link));
}

async fn what_moves_and_what_goes_is_shown_before(backend: Backend) {
    let works = Works::new(backend).await;
    let other = works.house.world.project("Other", Visibility::Private, &[(works.ann, Role::Editor)]).await;
    let closed = works.house.world.project("Only to look at", Visibility::Private, &[(works.ann, Role::Viewer)]).await;
    works.proposal("Plan").await;
    let mut ann = works.ann().await;
    let list = ann.page(&works.path("?view=list")).await;
    let idea = list.attribute(".list a", "href").unwrap();

    let moving = ann.page(&format!("{idea}/move")).await;
    let impact = moving.text("[data-part='impact']");
    assert!(impact.starts_with("1 idea 1 proposal 0 documents 0 tasks"), "{impact}");
    assert!(!moving.body.contains(&closed.to_string()), "nothing can be written there");
    let moved = ann.follow(&moving, "form[data-form='move']", &[("targetProjectUuid", &other.to_string())]).await;
    assert!(moved.text(".tabs").contains("Other"), "{}", moved.text(".tabs"));
    // The old address leads there.
    let sent = ann.get(&idea).await;
    assert_eq!(sent.status, StatusCode::SEE_OTHER);
    let new = sent.location().to_owned();
    assert!(new.starts_with(&format!("/projects/{other}/ideas/")), "{new}");
    assert_eq!(ann.page(&new).await.count("[data-part='derived'] .list a"), 1);

    let page = ann.page(&new).await;
    ann.follow(&page, "form[data-form='comment']", &[("content", "Old")]).await;
    let deleting = ann.page(&format!("{new}/delete")).await;
    assert!(deleting.text("[data-part='goes']").starts_with("1 comment"), "{}", deleting.text("main"));
    assert!(deleting.text("main").contains("1 proposal made from it stays"), "{}", deleting.text("main"));
    let left = ann.follow(&deleting, "#delete", &[]).await;
    assert!(left.text(".notice").contains("Deleted"));
    assert_eq!(ann.get(&new).await.status, StatusCode::NOT_FOUND);
}

async fn a_viewer_reads_and_a_stranger_sees_nothing(backend: Backend) {
    let works = Works::new(backend).await;
    let idea = works.idea("Search").await;
    let path = works.path(&format!("/ideas/{idea}"));
    let mut bob = works.bob().await;
    for path in [works.path(""), path.clone()] {
        let page = bob.page(&path).await;
        assert!(!page.has("main form[method='post'], main .primary"), "{path}: {}", page.body);
        assert!(page.text(".tabs").contains("Read only"));
    }
    for rest in ["edit", "move", "delete"] {
        assert_eq!(bob.get(&format!("{path}/{rest}")).await.status, StatusCode::FORBIDDEN, "{rest}");
    }
    assert_eq!(bob.get(&works.path("/ideas/new")).await.status, StatusCode::FORBIDDEN);
    let csrf = bob.page("/").await.attribute("[name='_csrf']", "value").unwrap();
    let forged = [("_csrf", csrf.as_str()), ("ideaUuid", &idea), ("title", "Mine")];
    assert_eq!(bob.post("/do/chorus_edit_idea", &forged).await.status, StatusCode::FORBIDDEN);

    let mut eve = works.house.signed_in(works.eve).await;
    for path in [works.path(""), path.clone(), format!("{path}/edit"), format!("{path}/move"), works.path("/ideas/new")]
    {
        assert_eq!(eve.get(&path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

async fn a_large_project_is_one_round_of_statements(backend: Backend) {
    let works = Works::new(backend).await;
    let (project, now) = (works.project, works.house.world.now());
    let by = works.party();
    let task = |n: u32| Task {
        id: works.house.world.id::<TaskId>(),
        company: works.house.world.company,
        project,
        title: format!("Task {n}"),
        description: None,
        status: if n.is_multiple_of(4) { TaskStatus::Done } else { TaskStatus::Open },
        priority: Priority::Medium,
        story_points: None,
        assignee: None,
        proposal: None,
        created_by: by,
        version: 1,
        created_at: now,
        updated_at: now,
    };
    let idea = |n: u32| Idea {
        id: works.house.world.id::<IdeaId>(),
        company: works.house.world.company,
        project,
        title: format!("Idea {n}"),
        content: None,
        status: if n.is_multiple_of(2) { IdeaStatus::Open } else { IdeaStatus::Elaborated },
        elaboration_status: None,
        depth: None,
        parent: None,
        is_container: false,
        assignee: None,
        created_by: by,
        version: 1,
        created_at: now,
        updated_at: now,
    };
    works.house.world.write(vec![Write::NewTasks((0..10_000).map(task).collect())]).await;
    works.house.world.write((0..300).map(|n| Write::NewIdea(idea(n))).collect()).await;
    let mut ann = works.ann().await;
    let mut taken = async |path: &str| {
        works.house.watch.take();
        let page = ann.page(path).await;
        (works.house.watch.take(), page)
    };
    // Who it is, where it is, what is unread; the project, its ideas, its finished tasks, who is at work.
    let (statements, board) = taken(&works.path("")).await;
    assert!(statements.len() <= 10, "{}: {statements:#?}", statements.len());
    assert!(board.text("[data-part='numbers']").contains("2,500 / 10,000"), "{}", board.text("[data-part='numbers']"));
    let todo = "[aria-labelledby='column-todo']";
    assert_eq!((board.count(&format!("{todo} .tile")), board.text(&format!("{todo} .badge"))), (50, "150".to_owned()));
    assert!(board.text(todo).ends_with("100 more"));
    let (statements, tree) = taken(&works.path("?view=tree&page=2")).await;
    assert!(statements.len() <= 10, "{}: {statements:#?}", statements.len());
    assert_eq!(tree.count(".tree > li"), 50);
    let (_, last) = taken(&works.path("?view=list&of=todo&page=3")).await;
    assert_eq!((last.count(".list > li"), last.has("[rel='next']"), last.has("[rel='prev']")), (50, false, true));

    let idea = tree.attribute(".tree a", "href").unwrap();
    let (statements, _) = taken(&idea).await;
    assert!(statements.len() <= 16, "{}: {statements:#?}", statements.len());
}

backends!(
    an_idea_is_written_down_changed_and_talked_about,
    questions_are_answered_in_parts_and_the_answers_confirmed,
    an_idea_is_given_to_whoever_can_do_it,
    links_back_an_idea,
    what_moves_and_what_goes_is_shown_before,
    a_viewer_reads_and_a_stranger_sees_nothing,
    a_large_project_is_one_round_of_statements,
);
