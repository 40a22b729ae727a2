//! The first page: what waits for the person, and what somebody new does first.

use chorus_domain::{
    Assignment, Party, Write,
    elaboration::{Choice, Question, Round},
    idea::Idea,
    proposal::Proposal,
};
use chorus_ids::{IdeaId, ProjectId};
use chorus_lifecycle::{
    elaboration::{Category, RoundStatus},
    idea::{ElaborationStatus, IdeaStatus},
    proposal::{InputType, ProposalStatus},
    task::TaskStatus,
};
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use http::StatusCode;
use serde_json::json;

use crate::{backends, house::House};

fn idea(house: &House, project: ProjectId, title: &str) -> Idea {
    let now = house.world.now();
    Idea {
        id: house.world.id(),
        company: house.world.company,
        project,
        title: title.to_owned(),
        content: None,
        status: IdeaStatus::Elaborating,
        elaboration_status: Some(ElaborationStatus::PendingAnswers),
        depth: None,
        parent: None,
        is_container: false,
        assignee: None,
        created_by: Party::User(house.world.first_user),
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

fn round(house: &House, idea: IdeaId) -> Round {
    let choice = |id: &str| Choice { id: id.to_owned(), label: id.to_owned(), description: None };
    let question = Question {
        id: house.world.id(),
        name: "q".to_owned(),
        text: "Which?".to_owned(),
        category: Category::Scope,
        options: vec![choice("a"), choice("b")],
        required: true,
        answer: None,
    };
    Round {
        id: house.world.id(),
        company: house.world.company,
        idea,
        number: 1,
        status: RoundStatus::PendingAnswers,
        is_appended: false,
        created_by: Party::User(house.world.first_user),
        created_at: house.world.now(),
        questions: vec![question],
    }
}

fn proposal(house: &House, project: ProjectId, title: &str) -> Proposal {
    let now = house.world.now();
    Proposal {
        id: house.world.id(),
        company: house.world.company,
        project,
        title: title.to_owned(),
        description: None,
        input_type: InputType::Idea,
        inputs: Vec::new(),
        status: ProposalStatus::Pending,
        created_by: Party::User(house.world.first_user),
        review: None,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

async fn somebody_new_is_led_through_the_first_steps(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let mut browser = house.signed_in(ann).await;
    let page = browser.page("/").await;
    assert!(page.has(".steps a.primary[href='/projects/new']") && page.has(".steps a[href='/agents/new']"));
    house.world.project("First", Visibility::Public, &[]).await;
    let page = browser.page("/").await;
    assert!(!page.has(".steps a[href='/projects/new']") && page.has(".steps a.primary[href='/agents/new']"));
    house.world.agent("robo", Some(ann), &[], &[]).await;
    let page = browser.page("/").await;
    assert!(!page.has(".steps"), "{}", page.body);
    assert_eq!(page.text(".empty-title"), "Nothing waits for you");
}

async fn what_waits_is_shown_to_those_who_may_decide(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let members = [(ann, Role::Editor), (bob, Role::Viewer)];
    let project = house.world.project("Compiler", Visibility::Private, &members).await;
    let hidden = house.world.project("Hidden", Visibility::Private, &[(house.world.first_user, Role::Admin)]).await;
    for place in [project, hidden] {
        let asked = idea(&house, place, "Ask <me>");
        house.world.write(vec![Write::NewIdea(asked.clone()), Write::NewRound(round(&house, asked.id))]).await;
        house.world.write(vec![Write::NewProposal(proposal(&house, place, "Plan"))]).await;
    }
    let tasks: Vec<_> = (0..12).map(|n| house.task(project, &format!("Task {n}"), TaskStatus::ToVerify)).collect();
    let first = tasks[0].id;
    house.world.write(vec![Write::NewTasks(tasks)]).await;

    let mut browser = house.signed_in(ann).await;
    let page = browser.page("/").await;
    assert_eq!(page.text(".tiles dd"), "1 1 12 0");
    assert!(page.has(&format!("a[href='/projects/{project}/tasks/{first}']")), "{}", page.body);
    assert!(page.text("section").contains("Ask <me>") && !page.body.contains("Hidden"));
    assert_eq!(page.count("section[aria-labelledby='wait-verification'] li"), 10);
    assert!(page.has("section[aria-labelledby='wait-verification'] a[href='/waiting/verification']"));
    let all = browser.page("/waiting/verification").await;
    assert_eq!(all.count(".list li"), 12);
    assert_eq!(browser.page("/waiting/review").await.count(".list li"), 1);
    assert_eq!(browser.get("/waiting/nonsense").await.status, StatusCode::NOT_FOUND);

    let page = house.signed_in(bob).await.page("/").await;
    assert!(!page.has(".stats"), "a viewer decides nothing: {}", page.body);
}

async fn long_lists_have_pages(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let project = house.world.project("Compiler", Visibility::Public, &[]).await;
    let tasks: Vec<_> = (0..120).map(|n| house.task(project, &format!("Task {n}"), TaskStatus::ToVerify)).collect();
    house.world.write(vec![Write::NewTasks(tasks)]).await;
    let mut browser = house.signed_in(ann).await;
    let first = browser.page("/waiting/verification").await;
    assert_eq!(first.count(".list li"), 50);
    let next = first.attribute(".pages [rel='next']", "href").unwrap();
    let second = browser.page(&next).await;
    assert!(second.has(".pages [rel='prev']"));
    let third = browser.page(&second.attribute(".pages [rel='next']", "href").unwrap()).await;
    assert_eq!(third.count(".list li"), 20);
    assert!(!third.has(".pages [rel='next']"));
}

async fn what_somebody_holds_and_mentions_of_them_are_shown(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let project = house.world.project("Compiler", Visibility::Public, &[]).await;
    let held = |n: usize| {
        let assignee = Some(Assignment { to: Party::User(ann), at: house.world.now(), by: None });
        let status = TaskStatus::InProgress;
        chorus_domain::task::Task { assignee, ..house.task(project, &format!("Mine {n}"), status) }
    };
    house.world.write(vec![Write::NewTasks((0..60).map(held).collect())]).await;
    let noted = house.task(project, "Noted", TaskStatus::Open);
    house.world.write(vec![Write::NewTasks(vec![noted.clone()])]).await;
    let agent = house.world.new_caller("robo", Some(bob), &["developer_agent"], &[]).await;
    let text = format!("Look, @[Ann](user:{ann})");
    let comment = json!({ "targetType": "task", "targetUuid": noted.id, "content": text });
    house.call(&agent, "chorus_add_comment", comment).await;

    let mut browser = house.signed_in(ann).await;
    let page = browser.page("/").await;
    assert_eq!(page.count("section[aria-labelledby='mine-title'] li"), 10);
    assert!(page.text("section[aria-labelledby='mentions-title']").contains("Noted"), "{}", page.body);
    assert!(page.has(&format!("a[href='/projects/{project}/tasks/{}']", noted.id)));
    let mine = browser.page("/mine").await;
    assert_eq!(mine.count("[data-part='my-tasks'] li"), 50);
    let more = mine.attribute("[data-part='my-tasks'] .actions a", "href").unwrap();
    assert_eq!(browser.page(&more).await.count("[data-part='my-tasks'] li"), 10);
}

backends!(
    somebody_new_is_led_through_the_first_steps,
    what_waits_is_shown_to_those_who_may_decide,
    long_lists_have_pages,
    what_somebody_holds_and_mentions_of_them_are_shown,
);
