//! A project with tasks, for the tests of their pages.

use chorus_domain::{
    Assignment, Party, Write,
    task::{Criterion, Edge, Judgement, Task},
};
use chorus_ids::{CriterionId, ProjectId, TaskId, UserId};
use chorus_lifecycle::{
    criterion::Mark,
    task::{Priority, TaskStatus},
};
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};

use crate::house::{Browser, House};

/// A project with an administrator and a viewer.
pub(crate) struct Plot {
    pub(crate) house: House,
    pub(crate) project: ProjectId,
    pub(crate) ann: UserId,
    pub(crate) vic: UserId,
}

impl Plot {
    pub(crate) async fn new(backend: Backend) -> Self {
        let house = House::new(backend).await;
        let (ann, vic) = (house.world.user("ann").await, house.world.user("vic").await);
        let members = [(ann, Role::Admin), (vic, Role::Viewer)];
        let project = house.world.project("Plot", Visibility::Private, &members).await;
        Self { house, project, ann, vic }
    }

    pub(crate) fn a_task(&self, title: &str, status: TaskStatus, holder: Option<Party>) -> Task {
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

    pub(crate) async fn put(&self, title: &str, status: TaskStatus, holder: Option<Party>) -> TaskId {
        let task = self.a_task(title, status, holder);
        let id = task.id;
        self.house.world.write(vec![Write::NewTasks(vec![task])]).await;
        id
    }

    pub(crate) async fn wait(&self, task: TaskId, depends_on: TaskId) {
        self.house.world.write(vec![Write::AddEdges(vec![Edge { task, depends_on }])]).await;
    }

    pub(crate) async fn criterion(&self, task: TaskId, text: &str) -> CriterionId {
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

    pub(crate) fn board(&self) -> String {
        format!("/projects/{}/tasks", self.project)
    }

    pub(crate) fn page_of(&self, task: TaskId) -> String {
        format!("/projects/{}/tasks/{task}", self.project)
    }

    pub(crate) async fn status(&self, browser: &mut Browser<'_>, task: TaskId) -> String {
        browser.page(&self.page_of(task)).await.text("[data-part='head'] .status")
    }
}
