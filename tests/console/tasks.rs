//! The pages of tasks: who sees what, what each form does, and what a page costs.

use chorus_domain::{
    Assignment, Party, Write,
    proposal::Proposal,
    task::{Criterion, Edge, Judgement, Task},
};
use chorus_ids::{AgentId, CriterionId, ProjectId, TaskId, UserId};
use chorus_lifecycle::{
    criterion::Mark,
    proposal::{InputType, ProposalStatus},
    task::{Priority, TaskStatus},
};
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use http::StatusCode;

use crate::{
    backends,
    house::{Browser, House},
};

/// A project with an administrator and a viewer.
struct Plot {
    house: House,
    project: ProjectId,
    ann: UserId,
    vic: UserId,
}

impl Plot {
    async fn new(backend: Backend) -> Self {
        let house = House::new(backend).await;
        let (ann, vic) = (house.world.user("ann").await, house.world.user("vic").await);
        let members = [(ann, Role::Admin), (vic, Role::Viewer)];
        let project = house.world.project("Plot", Visibility::Private, &members).await;
        Self { house, project, ann, vic }
    }

    fn a_task(&self, title: &str, status: TaskStatus, holder: Option<Party>) -> Task {
        let now = self.house.world.now();
        Task {
            id: self.house.world.id(),
            company: self.house.world.company,
            project: self.project,
            title: title.to_owned(),
            description: Some("Do *it*".to_owned()),
            status,
            priority: Priority::Medium,
            story_points: None,
            assignee: holder.map(|to| Assignment { to, at: now, by: None }),
            proposal: None,
            created_by: Party::User(self.ann),
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    async fn put(&self, title: &str, status: TaskStatus, holder: Option<Party>) -> TaskId {
        let task = self.a_task(title, status, holder);
        let id = task.id;
        self.house.world.write(vec![Write::NewTasks(vec![task])]).await;
        id
    }

    async fn wait(&self, task: TaskId, depends_on: TaskId) {
        self.house.world.write(vec![Write::AddEdges(vec![Edge { task, depends_on }])]).await;
    }

    async fn criterion(&self, task: TaskId, text: &str) -> CriterionId {
        let id = self.house.world.id();
        let criterion = Criterion {
            id,
            task,
            description: text.to_owned(),
            required: true,
            dev: Judgement { mark: Mark::Passed, evidence: Some("it runs".to_owned()), by: None },
            verdict: Judgement::PENDING,
            position: 0,
        };
        self.house.world.write(vec![Write::NewCriteria(vec![criterion])]).await;
        id
    }

    fn board(&self) -> String {
        format!("/projects/{}/tasks", self.project)
    }

    fn page_of(&self, task: TaskId) -> String {
        format!("/projects/{}/tasks/{task}", self.project)
    }

    async fn status(&self, browser: &mut Browser<'_>, task: TaskId) -> String {
        browser.page(&self.page_of(task)).await.text("[data-part='head'] .status")
    }
}

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
    let refused = ann.submit(&page, "#new-task", &[("tasks[0].title", "Nothing")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text(".problems").contains("acceptanceCriteriaItems"), "{}", refused.text(".problems"));
}

async fn a_task_goes_through_its_life_by_buttons(backend: Backend) {
    let plot = Plot::new(backend).await;
    let task = plot.put("Life", TaskStatus::Open, None).await;
    let criterion = plot.criterion(task, "It lives").await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let mut page = ann.page(&plot.board()).await;
    for (to, expected) in [("assigned", "assigned"), ("in_progress", "in_progress"), ("to_verify", "to_verify")] {
        page = ann.press_on(&page, &format!(".tile [data-to='{to}']"), &[]).await;
        assert_eq!(page.text(&format!("[data-drop='{expected}'] .tile h3")), "Life", "{to}");
    }
    // A required criterion without a verdict stands against verifying.
    let refused = ann.press(&page, ".tile [data-to='done']", &[]).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(refused.text("main").contains("Not every required acceptance criterion"), "{}", refused.text("main"));
    let page = ann.page(&plot.page_of(task)).await;
    assert!(page.has("#moves button[formaction$='verify_task'][disabled]") && page.has("#unproven"));
    let form = format!("#mark-{criterion}");
    let page =
        ann.press_on(&page, &format!("{form} button[value='failed']"), &[("criteria[0].evidence?", "broken")]).await;
    assert_eq!(page.text(".beside .s-failed"), "Failed");
    assert!(page.text(".beside").contains("broken") && page.text(".beside").contains("it runs"), "side by side");
    let page = ann.press_on(&page, &format!("{form} .reset button"), &[]).await;
    assert_eq!((page.count(".beside .s-failed"), page.text(".beside .s-pending")), (0, "Not judged".to_owned()));
    assert_eq!(page.count(".beside .s-passed"), 1, "the self-check stays");
    let page = ann.press_on(&page, &format!("{form} button[value='passed']"), &[]).await;
    let page = ann.press_on(&page, "#moves button[formaction$='verify_task']", &[]).await;
    assert_eq!(page.text("[data-part='head'] .status"), "Done");
    assert!(
        page.text("[data-part='activity']").contains("ann: verified it"),
        "{}",
        page.text("[data-part='activity']")
    );
    let page = ann.press_on(&page, "#moves button[formaction$='close_task']", &[]).await;
    assert_eq!((page.text("[data-part='head'] .status"), page.has("#moves")), ("Closed".to_owned(), false));
}

async fn blocked_work_shows_what_it_waits_for_and_can_be_forced(backend: Backend) {
    let plot = Plot::new(backend).await;
    let ann_party = Some(Party::User(plot.ann));
    let task = plot.put("Roof", TaskStatus::Assigned, ann_party).await;
    let wall = plot.put("Wall", TaskStatus::InProgress, ann_party).await;
    plot.wait(task, wall).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let page = ann.page(&plot.board()).await;
    assert_eq!(page.text("[data-drop='assigned'] .s-blocked"), "Waits for 1");
    let page = ann.press_on(&page, ".tile [data-to='in_progress']", &[]).await;
    assert_eq!(page.text("h1"), "Something has to be finished first");
    assert_eq!(page.text(".blockers"), "Wall In progress ann");
    assert_eq!(plot.status(&mut ann, task).await, "Assigned Blocked", "nothing has moved yet");
    let page = ann.press_on(&page, "#force button.danger", &[]).await;
    assert_eq!(page.text("[data-part='head'] .status"), "In progress Blocked");
    assert!(page.text("[data-part='activity']").contains("went past what it waits for"), "it is recorded");
    // What nothing blocks is started without a word about it.
    let free = plot.put("Door", TaskStatus::Assigned, ann_party).await;
    let page = ann.page(&plot.page_of(free)).await;
    let page = ann.press_on(&page, "#moves button[formaction$='start_task']", &[]).await;
    assert!(!page.text("[data-part='activity']").contains("went past"));
    // Sent back to work it is blocked again, and can be forced again.
    let page = ann.page(&plot.page_of(task)).await;
    let page = ann.press_on(&page, "#moves button[formaction$='submit_for_verify']", &[]).await;
    let page = ann.press_on(&page, "#moves button[formaction$='reopen_task']", &[]).await;
    assert_eq!(page.text("h1"), "Something has to be finished first");
    let page = ann.press_on(&page, "#force button.danger", &[]).await;
    assert_eq!(page.text("[data-part='head'] .status"), "In progress Blocked");
}

async fn blockers_that_are_not_seen_are_counted(backend: Backend) {
    let plot = Plot::new(backend).await;
    let bob = plot.house.world.user("bob").await;
    let hidden = plot.house.world.project("Hidden", Visibility::Private, &[(bob, Role::Admin)]).await;
    let far = Task { project: hidden, ..plot.a_task("Far away", TaskStatus::Open, None) };
    let far_id = far.id;
    plot.house.world.write(vec![Write::NewTasks(vec![far])]).await;
    let task = plot.put("Near", TaskStatus::Assigned, Some(Party::User(plot.ann))).await;
    plot.wait(task, far_id).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    for path in [plot.page_of(task), format!("{}/blocked", plot.page_of(task))] {
        let page = ann.page(&path).await;
        assert!(
            page.body.contains("1 task in a project that you don&#39;t see")
                || page.text("main").contains("1 task in a project"),
            "{path}"
        );
        assert!(!page.body.contains("Far away"), "{path}");
    }
}

async fn tasks_are_edited_with_care_for_what_others_changed(backend: Backend) {
    let plot = Plot::new(backend).await;
    let task = plot.put("Old", TaskStatus::Open, None).await;
    plot.criterion(task, "First").await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let stale = ann.page(&plot.page_of(task)).await;
    let page =
        ann.follow(&stale, "#edit-task", &[("title", "New"), ("description", ""), ("storyPoints?", "2.5")]).await;
    assert_eq!(
        (page.text("h1"), page.text("[data-part='description'] .meta")),
        ("New".into(), "No description.".into())
    );
    assert!(page.text("[data-part='people']").contains("2.5"));
    let refused = ann.submit(&stale, "#edit-task", &[("title", "Other")]).await;
    assert_eq!((refused.status, refused.text("h1")), (StatusCode::CONFLICT, "It was changed meanwhile".to_owned()));
    let fields =
        [("acceptanceCriteriaItems[0].description", "Second"), ("acceptanceCriteriaItems[1].description", "Third")];
    let page = ann.follow(&page, "#rewrite-criteria", &fields).await;
    assert_eq!(page.text(".criterion"), "Second Third");
}

async fn a_task_is_given_to_people_and_agents_and_back(backend: Backend) {
    let plot = Plot::new(backend).await;
    let eve = plot.house.world.user("eve").await;
    plot.house.world.member(plot.project, eve, Role::Editor).await;
    let own = plot.house.world.agent("robot", Some(plot.ann), &["developer_agent"], &[]).await.id;
    let theirs = plot.house.world.agent("helper", Some(eve), &["developer_agent"], &[]).await.id;
    let idle = plot.house.world.agent("reader", Some(plot.ann), &[], &[]).await.id;
    let task = plot.put("Gift", TaskStatus::Open, None).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let mut page = ann.page(&plot.page_of(task)).await;
    let agent = |id: AgentId| format!("agent:{id}");
    for (to, name) in [(agent(own), "robot"), (agent(theirs), "helper"), (format!("user:{eve}"), "eve")] {
        assert!(page.has(&format!("#assign-task option[value='{to}']")), "{name}: {}", page.text("#assign-task"));
        page = ann.follow(&page, "#assign-task", &[("assignee", &to)]).await;
        assert!(page.text("[data-part='head'] .sub").ends_with(name), "{}", page.text("[data-part='head']"));
    }
    for (to, code) in [(format!("user:{}", plot.vic), StatusCode::FORBIDDEN), (agent(idle), StatusCode::FORBIDDEN)] {
        let refused = ann.submit(&page, "#assign-task", &[("assignee", &to)]).await;
        assert_eq!((refused.status, refused.text("h1")), (code, "They can't work on this".to_owned()), "{to}");
    }
    let refused = ann.submit(&page, "#assign-task", &[("assignee", "nobody")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let page = ann.follow(&page, "#take", &[]).await;
    assert!(page.text("[data-part='head'] .sub").ends_with("ann") && !page.has("#take"));
    let page = ann.press_on(&page, "#moves button[formaction$='release_task']", &[]).await;
    assert_eq!(page.text("[data-part='head'] .sub"), "Open Nobody");
    // A piece of a name finds people.
    let page = ann.page(&format!("{}?who=ev", plot.page_of(task))).await;
    assert_eq!(page.count("#assign-task option"), 1);
}

async fn prerequisites_are_added_and_removed_and_circles_refused(backend: Backend) {
    let plot = Plot::new(backend).await;
    let (a, b) = (plot.put("Alpha", TaskStatus::Open, None).await, plot.put("Beta", TaskStatus::Open, None).await);
    let mut ann = plot.house.signed_in(plot.ann).await;
    let page = ann.page(&format!("{}?find=beta", plot.page_of(a))).await;
    let page = ann.follow(&page, "#add-prerequisite", &[("addDependsOn[]", &b.to_string())]).await;
    assert_eq!(page.text("#waiting .list a"), "Beta");
    let other = ann.page(&plot.page_of(b)).await;
    let refused = ann.submit(&other, "#add-prerequisite", &[("addDependsOn[]", &a.to_string())]).await;
    assert_eq!(
        (refused.status, refused.text("h1")),
        (StatusCode::CONFLICT, "That would go round in a circle".to_owned())
    );
    let graph = ann.page(&format!("{}?view=graph", plot.board())).await;
    assert_eq!((graph.count("svg a"), graph.text("#graph-in-words li")), (2, "Alpha Open Waits for Beta".to_owned()));
    let page = ann.follow(&page, "#waiting .drop", &[]).await;
    assert_eq!(page.count("#waiting .list a"), 0);
}

async fn what_is_said_is_shown_as_text_and_older_comments_are_a_page_away(backend: Backend) {
    let plot = Plot::new(backend).await;
    let task = plot.put("Talk", TaskStatus::Open, None).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let mut page = ann.page(&plot.page_of(task)).await;
    for n in 0..21 {
        let said = format!("Comment {n} <script>alert(1)</script> **bold**");
        page = ann.follow(&page, "#comment", &[("content", &said)]).await;
    }
    assert!(page.has(".talk strong") && !page.body.contains("<script>alert"));
    assert_eq!((page.count(".talk > li"), page.text("#comments h2")), (20, "Comments and reports 21".to_owned()));
    assert!(page.text(".talk > li:last-child").contains("Comment 20 "));
    let older = ann.page(&format!("{}?comments=2", plot.page_of(task))).await;
    assert!(older.count(".talk > li") == 1 && older.text(".talk").contains("Comment 0 "));
}

async fn a_task_is_deleted_after_saying_what_goes_with_it(backend: Backend) {
    let plot = Plot::new(backend).await;
    let task = plot.put("Gone", TaskStatus::Open, None).await;
    let waiting = plot.put("Waiting", TaskStatus::Open, None).await;
    plot.criterion(task, "Never").await;
    plot.wait(waiting, task).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let page = ann.page(&format!("{}/delete", plot.page_of(task))).await;
    assert!(page.text("[data-part='goes']").starts_with("1 acceptance criterion 0 comments"), "{}", page.text("main"));
    assert!(page.text("main").contains("Waiting"));
    let page = ann.follow(&page, "#delete", &[]).await;
    assert_eq!((page.text(".notice"), page.text(".tile h3")), ("The task is deleted.".into(), "Waiting".into()));
    assert_eq!(ann.get(&plot.page_of(task)).await.status, StatusCode::NOT_FOUND);
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
    a_task_goes_through_its_life_by_buttons,
    blocked_work_shows_what_it_waits_for_and_can_be_forced,
    blockers_that_are_not_seen_are_counted,
    tasks_are_edited_with_care_for_what_others_changed,
    a_task_is_given_to_people_and_agents_and_back,
    prerequisites_are_added_and_removed_and_circles_refused,
    what_is_said_is_shown_as_text_and_older_comments_are_a_page_away,
    a_task_is_deleted_after_saying_what_goes_with_it,
    lists_are_filtered_and_paged,
    pages_take_as_many_statements_for_ten_thousand_tasks,
);
