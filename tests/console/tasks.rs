//! The tasks of a project as board, list and picture: who sees what, and what a page costs.

use chorus_domain::{
    Party, Write,
    proposal::Proposal,
    task::{Edge, Task},
};
use chorus_lifecycle::{
    proposal::{InputType, ProposalStatus},
    task::{Priority, TaskStatus},
};
use chorus_testkit::Backend;
use chorus_visibility::Visibility;
use http::StatusCode;

use crate::{backends, plot::Plot};

async fn an_empty_project_says_how_tasks_come(backend: Backend) {
    let plot = Plot::new(backend).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let page = ann.page(&plot.board()).await;
    assert_eq!(page.text(".empty-title"), "No tasks yet");
    assert!(page.has("a.primary[href$='/tasks/new']"));
    let page = plot.house.signed_in(plot.vic).await.page(&plot.board()).await;
    assert!(!page.has("a[href$='/tasks/new']"), "a viewer makes nothing");
    for view in ["list", "graph"] {
        assert!(ann.page(&format!("{}?view={view}", plot.board())).await.has(".empty"), "{view}");
    }
}

async fn a_board_has_a_column_for_each_status_and_moves_for_editors(backend: Backend) {
    let plot = Plot::new(backend).await;
    for status in TaskStatus::ALL {
        let holder = (status != TaskStatus::Open).then_some(Party::User(plot.ann));
        plot.put(&format!("In {status}"), status, holder).await;
    }
    let page = plot.house.signed_in(plot.ann).await.page(&plot.board()).await;
    for status in TaskStatus::ALL {
        let column = format!("[data-drop='{status}']");
        assert_eq!(page.text(&format!("{column} .tile h3")), format!("In {status}"));
    }
    assert_eq!(page.count("[data-drop='closed'] [data-to]"), 0, "what is closed stays there");
    for (from, to) in [("open", "assigned"), ("assigned", "in_progress"), ("assigned", "open"), ("to_verify", "done")] {
        assert!(page.has(&format!("[data-drop='{from}'] .tile[draggable] [data-to='{to}']")), "{from} {to}");
    }
    let page = plot.house.signed_in(plot.vic).await.page(&plot.board()).await;
    assert_eq!((page.count(".tile"), page.count("[draggable='true']"), page.count("[data-to]")), (6, 0, 0));
}

async fn what_is_hidden_is_not_found_and_a_task_is_under_its_project_alone(backend: Backend) {
    let plot = Plot::new(backend).await;
    let task = plot.put("Secret", TaskStatus::Open, None).await;
    let bob = plot.house.world.user("bob").await;
    let other = plot.house.world.project("Other", Visibility::Public, &[]).await;
    let mut bob = plot.house.signed_in(bob).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    for path in [
        "",
        "?view=list",
        "?view=graph",
        "/new",
        &format!("/{task}"),
        &format!("/{task}/blocked"),
        &format!("/{task}/delete"),
    ] {
        let page = bob.get(&format!("{}{path}", plot.board())).await;
        assert_eq!((page.status, page.body.contains("Secret")), (StatusCode::NOT_FOUND, false), "{path}");
    }
    assert_eq!(bob.get(&format!("/projects/{}/sessions", plot.project)).await.status, StatusCode::NOT_FOUND);
    for path in [format!("/projects/{other}/tasks/{task}"), format!("{}/nonsense", plot.board())] {
        assert_eq!(ann.get(&path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    // Who may only look is told so where something is to be done.
    let mut vic = plot.house.signed_in(plot.vic).await;
    for path in ["/new".to_owned(), format!("/{task}/delete")] {
        assert_eq!(vic.get(&format!("{}{path}", plot.board())).await.status, StatusCode::FORBIDDEN, "{path}");
    }
    let page = vic.page(&plot.page_of(task)).await;
    assert_eq!(page.count("main form"), 0, "nothing that a viewer may not do is offered");
}

async fn a_quick_task_is_made_with_criteria_and_prerequisites(backend: Backend) {
    let plot = Plot::new(backend).await;
    let before = plot.put("Before", TaskStatus::Open, None).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let page = ann.page(&format!("{}/new", plot.board())).await;
    let made = ann
        .follow(
            &page,
            "#new-task",
            &[
                ("tasks[0].title", "Write <b>it</b>"),
                ("tasks[0].priority", "high"),
                ("tasks[0].acceptanceCriteriaItems[0].description", "It is written"),
                ("tasks[0].acceptanceCriteriaItems[2].description", "It is read"),
                ("tasks[0].dependsOnTaskUuids[]", &before.to_string()),
            ],
        )
        .await;
    assert_eq!(made.text("h1"), "Write <b>it</b>");
    assert_eq!(made.text(".notice"), "The task is there.");
    assert_eq!(made.text(".criterion"), "It is written It is read");
    assert_eq!(made.text("#waiting .list a"), "Before");
    assert!(made.has("[data-part='head'] .s-high") && made.has("[data-part='head'] .s-blocked"));
    // Without a criterion it is refused, and the reason says so.
    let page = ann.page(&format!("{}/new", plot.board())).await;
    let refused = ann.submit(&page, "#new-task", &[("tasks[0].title", "Nothing")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text(".problems").contains("Acceptance criteria need"), "{}", refused.text(".problems"));
}

async fn lists_are_filtered_and_paged(backend: Backend) {
    let plot = Plot::new(backend).await;
    let now = plot.house.world.now();
    let proposal = Proposal {
        id: plot.house.world.id(),
        company: plot.house.world.company,
        project: plot.project,
        title: "Plan".to_owned(),
        description: None,
        input_type: InputType::Idea,
        inputs: Vec::new(),
        status: ProposalStatus::Approved,
        created_by: Party::User(plot.ann),
        review: None,
        version: 1,
        created_at: now,
        updated_at: now,
    };
    let planned = Task { proposal: Some(proposal.id), ..plot.a_task("Planned", TaskStatus::Open, None) };
    let planned_id = planned.id;
    let id = proposal.id;
    plot.house.world.write(vec![Write::NewProposal(proposal), Write::NewTasks(vec![planned])]).await;
    let urgent =
        Task { priority: Priority::High, ..plot.a_task("Urgent", TaskStatus::Assigned, Some(Party::User(plot.ann))) };
    plot.house.world.write(vec![Write::NewTasks(vec![urgent])]).await;
    let many = (0..60).map(|n| plot.a_task(&format!("Many {n}"), TaskStatus::Done, None)).collect();
    plot.house.world.write(vec![Write::NewTasks(many)]).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let list = |query: &str| format!("{}?view=list&{query}", plot.board());
    for (query, expected) in [
        ("status=open".to_owned(), "Planned"),
        ("priority=high".to_owned(), "Urgent"),
        (format!("proposal={id}"), "Planned"),
        (format!("assignee=user:{}", plot.ann), "Urgent"),
    ] {
        assert_eq!(ann.page(&list(&query)).await.text("tbody th"), expected, "{query}");
    }
    assert!(ann.page(&list("status=closed")).await.text(".empty").starts_with("Nothing matches"));
    let first = ann.page(&list("status=done")).await;
    assert_eq!((first.count("tbody tr"), first.text(".card > .meta")), (50, "60 tasks".to_owned()));
    let next = first.attribute("[rel='next']", "href").unwrap();
    let second = ann.page(&next).await;
    assert_eq!((second.count("tbody tr"), second.has("[rel='next']"), second.has("[rel='prev']")), (10, false, true));
    let board = ann.page(&plot.board()).await;
    assert_eq!(board.count("[data-drop='done'] .tile"), 30);
    assert_eq!(board.text("[data-drop='done'] > p a"), "Show all 60");
    // The origin of a task leads to its proposal.
    let page = ann.page(&plot.page_of(planned_id)).await;
    assert_eq!(page.text("[data-part='origin'] a"), "Plan");
}

async fn pages_take_as_many_statements_for_ten_thousand_tasks(backend: Backend) {
    let plot = Plot::new(backend).await;
    let mut last = None;
    for n in 0..20 {
        let tasks: Vec<Task> = (0..500)
            .map(|m| {
                let status = TaskStatus::ALL[(n * 500 + m) % 6];
                let holder = (status != TaskStatus::Open).then_some(Party::User(plot.ann));
                plot.a_task(&format!("Task {n}.{m}"), status, holder)
            })
            .collect();
        let edges = tasks.windows(2).map(|pair| Edge { task: pair[1].id, depends_on: pair[0].id }).collect();
        last = tasks.last().map(|task| task.id);
        plot.house.world.write(vec![Write::NewTasks(tasks), Write::AddEdges(edges)]).await;
    }
    let mut ann = plot.house.signed_in(plot.ann).await;
    for (path, at_most) in [
        (plot.board(), 16),
        (format!("{}?view=list&page=7", plot.board()), 10),
        (format!("{}?view=graph", plot.board()), 10),
        (plot.page_of(last.unwrap()), 16),
        (format!("{}/new", plot.board()), 6),
        (format!("/projects/{}/sessions", plot.project), 7),
    ] {
        plot.house.watch.take();
        let page = ann.page(&path).await;
        let statements = plot.house.watch.take();
        assert!(statements.len() <= at_most, "{path} takes {}: {statements:#?}", statements.len());
        assert!(page.body.len() < 700_000, "{path} has {} bytes", page.body.len());
    }
    let graph = ann.page(&format!("{}?view=graph", plot.board())).await;
    assert!(graph.text("[data-part='graph']").contains("Only 300 dependencies are drawn"), "nothing is cut silently");
}

backends!(
    an_empty_project_says_how_tasks_come,
    a_board_has_a_column_for_each_status_and_moves_for_editors,
    what_is_hidden_is_not_found_and_a_task_is_under_its_project_alone,
    a_quick_task_is_made_with_criteria_and_prerequisites,
    lists_are_filtered_and_paged,
    pages_take_as_many_statements_for_ten_thousand_tasks,
);
