//! Fixtures: a company with a few people, and rows that differ from the ordinary only where a test says so.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicI64, Ordering},
};

use chorus_domain::{
    Assignment, Batch, Kind, Party, Subject, Write,
    access::{Demand, Granted, Located, authorise},
    activity::{Action, Activity},
    comment::Comment,
    document::Document,
    elaboration::{Choice, Question, Round},
    event::{Change, Event},
    idea::Idea,
    identity::{Agent, ApiKey, Company, User},
    notification::{Notification, Topic},
    project::{Group, GroupMember, Project, ProjectMember},
    proposal::{CriterionDraft, DocumentDraft, Proposal, TaskDraft},
    reference::Reference,
    session::{Checkin, Session},
    task::{Criterion, Edge, Judgement, Task},
};
use chorus_ids::{
    AgentId, CompanyId, GroupId, Id, IdSource as _, IdeaId, PageSize, ProjectId, SequentialIds, SessionId, TaskId,
    Timestamp, UserId, Uuid,
};
use chorus_lifecycle::{
    document::DocumentType,
    elaboration::{Category, RoundStatus},
    idea::IdeaStatus,
    proposal::{InputType, ProposalStatus},
    reference::ReferenceType,
    session::SessionStatus,
    task::{Priority, TaskStatus},
};
use chorus_visibility::{Need, Principal, Restriction, Role, Scope, Visibility, scope};

use crate::{Error, PageRequest, Reads, Result, Store, Tx};

/// A store that several tasks share.
pub type Shared = Arc<dyn Store>;

/// When the fixtures begin: 2026-01-01, with microseconds, so that a loss of them shows.
pub(crate) const DAWN: Timestamp = Timestamp::from_micros(1_767_225_600_123_457);

/// Texts that a database may mangle: Chinese, Korean, Vietnamese (composed and not), emoji with joiners, right-to-left,
/// four-byte letters, quotes, wildcards, backslashes and line breaks.
pub(crate) const SCRIPTS: &str =
    "项目 계획 Tiếng Việt Tie\u{302}\u{301}ng e\u{301} 👩‍💻🏳️‍🌈 עברית 𠀋𝒳 'q\"; -- %_\\n\r\n\t\u{feff}\u{200b}end";

/// A company in a store: its first user, another user with an agent, and a public project.
///
/// Nobody is a member of anything, so what somebody sees follows from what a test adds.
pub(crate) struct World {
    pub(crate) store: Shared,
    ids: Mutex<SequentialIds>,
    micros: AtomicI64,
    pub(crate) company: CompanyId,
    /// The first user, who stands in where an administrator is missing.
    pub(crate) first: UserId,
    /// Anybody else.
    pub(crate) user: UserId,
    /// The agent of `user`.
    pub(crate) agent: AgentId,
    /// A public project without group.
    pub(crate) project: ProjectId,
}

impl World {
    /// The world of most tests.
    pub(crate) async fn new(store: &Shared) -> Self {
        Self::starting_at(store, DAWN).await
    }

    /// Another company in the same store.
    pub(crate) async fn abroad(&self) -> Self {
        Self::starting_at(&self.store, DAWN.plus_micros(86_400_000_000)).await
    }

    async fn starting_at(store: &Shared, start: Timestamp) -> Self {
        let nil = Uuid::nil();
        let mut world = Self {
            store: Arc::clone(store),
            ids: Mutex::new(SequentialIds::starting_at(start)),
            micros: AtomicI64::new(start.micros()),
            company: CompanyId::from_uuid(nil),
            first: UserId::from_uuid(nil),
            user: UserId::from_uuid(nil),
            agent: AgentId::from_uuid(nil),
            project: ProjectId::from_uuid(nil),
        };
        let company = Company { id: world.id(), name: "Company".into(), created_at: world.tick() };
        world.company = world.put(company).await.id;
        world.first = world.put(world.new_user()).await.id;
        world.user = world.put(world.new_user()).await.id;
        world.agent = world.put(world.new_agent()).await.id;
        world.project = world.put(world.new_project()).await.id;
        world
    }

    /// An id that nothing has yet.
    pub(crate) fn id<T: Id>(&self) -> T {
        self.ids.lock().unwrap().next_id()
    }

    /// A second (and a microsecond) later than the last time.
    pub(crate) fn tick(&self) -> Timestamp {
        Timestamp::from_micros(self.micros.fetch_add(1_000_001, Ordering::Relaxed) + 1_000_001)
    }

    /// A connection for reading.
    pub(crate) async fn read(&self) -> Box<dyn Reads> {
        self.store.read().await.unwrap()
    }

    /// A unit of work.
    pub(crate) async fn begin(&self) -> Box<dyn Tx> {
        self.store.begin().await.unwrap()
    }

    /// Writes a row and returns it.
    pub(crate) async fn put<T: Put>(&self, row: T) -> T {
        let mut batch = Batch::default();
        row.clone().add_to(&mut batch);
        self.apply(batch).await.unwrap();
        row
    }

    /// Writes several.
    pub(crate) async fn put_all<T: Put>(&self, rows: impl IntoIterator<Item = T>) {
        let mut batch = Batch::default();
        rows.into_iter().for_each(|row| row.add_to(&mut batch));
        self.apply(batch).await.unwrap();
    }

    /// Writes anything.
    pub(crate) async fn write<const N: usize>(&self, writes: [Write; N]) {
        self.try_write(writes).await.unwrap();
    }

    /// Writes anything, in a unit that is rolled back if that fails.
    pub(crate) async fn try_write<const N: usize>(&self, writes: [Write; N]) -> Result<()> {
        self.apply(Batch { writes: writes.into(), ..Batch::default() }).await
    }

    /// Applies a batch in a unit that is rolled back if that fails.
    pub(crate) async fn apply(&self, batch: Batch) -> Result<()> {
        self.apply_as(&Granted::operator(), &batch, &[]).await
    }

    /// The same with a proof of authorisation and notifications.
    pub(crate) async fn apply_as(&self, granted: &Granted, batch: &Batch, told: &[Notification]) -> Result<()> {
        let mut tx = self.store.begin().await?;
        match tx.apply(granted, batch, told).await {
            Ok(()) => tx.commit().await,
            Err(error) => {
                tx.rollback().await?;
                Err(error)
            }
        }
    }

    /// Sends notifications.
    pub(crate) async fn notify<const N: usize>(&self, told: [Notification; N]) {
        self.apply_as(&Granted::operator(), &Batch::default(), &told).await.unwrap();
    }

    /// Proof that `user` may write in these projects, which they must see.
    pub(crate) async fn granted(&self, projects: &[ProjectId]) -> Granted {
        let principal = self.principal(Some(self.user));
        let things: Vec<_> = projects.iter().map(|project| (Kind::Project, project.uuid())).collect();
        let located = self.read().await.directory().locate(&principal, &things).await.unwrap();
        let demand = |(kind, id)| Demand { kind, id, need: Need::Viewer, inside: None };
        authorise(&principal, &things.into_iter().map(demand).collect::<Vec<_>>(), &located).unwrap()
    }

    /// Where something is, as a principal meets it.
    pub(crate) async fn locate(&self, principal: &Principal, kind: Kind, id: Uuid) -> Option<Located> {
        let located = self.read().await.directory().locate(principal, &[(kind, id)]).await.unwrap();
        assert!(located.len() < 2, "asked for one thing, got {located:?}");
        located.into_iter().next()
    }

    /// A principal of this company.
    pub(crate) fn principal(&self, user: Option<UserId>) -> Principal {
        Principal { company: self.company, user, first_user: Some(self.first) }
    }

    /// What a user of this company sees.
    pub(crate) fn scope_of(&self, user: UserId) -> Scope {
        scope(&self.principal(Some(user)), Restriction::Everything)
    }

    /// What `user` sees.
    pub(crate) fn scope(&self) -> Scope {
        self.scope_of(self.user)
    }

    /// Makes a user a member of a project.
    pub(crate) async fn join(&self, project: ProjectId, user: UserId, role: Role) {
        let added_by = Some(Party::User(self.first));
        self.put(ProjectMember { project, user, role, added_by, created_at: self.tick() }).await;
    }

    /// Makes a user a member of a group.
    pub(crate) async fn join_group(&self, group: GroupId, user: UserId, role: Role) {
        let added_by = Some(Party::User(self.first));
        self.put(GroupMember { group, user, role, added_by, created_at: self.tick() }).await;
    }

    /// Who does everything here.
    pub(crate) const fn by(&self) -> Party {
        Party::Agent(self.agent)
    }

    /// A user with nothing but a name and an address.
    pub(crate) fn new_user(&self) -> User {
        let id: UserId = self.id();
        User {
            id,
            company: self.company,
            email: Some(format!("{id}@example.invalid")),
            name: Some(format!("User {id}")),
            password_hash: None,
            suspended_at: None,
            created_at: self.tick(),
        }
    }

    /// An agent of `user`.
    pub(crate) fn new_agent(&self) -> Agent {
        let id: AgentId = self.id();
        Agent {
            id,
            company: self.company,
            name: format!("Agent {id}"),
            roles: Vec::new(),
            permissions: Vec::new(),
            persona: None,
            system_prompt: None,
            owner: Some(self.user),
            last_active_at: None,
            created_at: self.tick(),
        }
    }

    /// A key of an agent that works for ever.
    pub(crate) fn new_key(&self, agent: AgentId) -> ApiKey {
        let id: chorus_ids::KeyId = self.id();
        ApiKey {
            id,
            company: self.company,
            agent,
            hash: format!("hash of {id}"),
            prefix: "cho_abcd...wxyz".into(),
            name: None,
            last_used: None,
            expires_at: None,
            revoked_at: None,
            created_at: self.tick(),
        }
    }

    /// A public group.
    pub(crate) fn new_group(&self) -> Group {
        let now = self.tick();
        Group {
            id: self.id(),
            company: self.company,
            name: "Group".into(),
            description: String::new(),
            visibility: Visibility::Public,
            created_by: None,
            access_version: 0,
            created_at: now,
            updated_at: now,
        }
    }

    /// A public project without group.
    pub(crate) fn new_project(&self) -> Project {
        let now = self.tick();
        Project {
            id: self.id(),
            company: self.company,
            name: "Project".into(),
            description: None,
            group: None,
            visibility: Visibility::Public,
            created_by: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// A private project that is stored already; an administrator keeps the first user from standing in.
    pub(crate) async fn hidden_project(&self) -> ProjectId {
        let project = self.put(Project { visibility: Visibility::Private, ..self.new_project() }).await.id;
        let somebody = self.put(self.new_user()).await.id;
        self.join(project, somebody, Role::Admin).await;
        project
    }

    /// An open idea.
    pub(crate) fn new_idea(&self, project: ProjectId) -> Idea {
        let now = self.tick();
        Idea {
            id: self.id(),
            company: self.company,
            project,
            title: "Idea".into(),
            content: None,
            status: IdeaStatus::Open,
            elaboration_status: None,
            depth: None,
            parent: None,
            is_container: false,
            assignee: None,
            created_by: self.by(),
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// A round with the questions `a` and `b`, neither answered.
    pub(crate) fn new_round(&self, idea: IdeaId, number: i32) -> Round {
        let question = |name: &str| Question {
            id: self.id(),
            name: name.into(),
            text: format!("What about {name}?"),
            category: Category::Functional,
            options: ["x", "y"].map(|id| Choice { id: id.into(), label: id.into(), description: None }).into(),
            required: true,
            answer: None,
        };
        Round {
            id: self.id(),
            company: self.company,
            idea,
            number,
            status: RoundStatus::PendingAnswers,
            is_appended: false,
            created_by: self.by(),
            created_at: self.tick(),
            questions: vec![question("a"), question("b")],
        }
    }

    /// A proposal in draft that names ideas.
    pub(crate) fn new_proposal(&self, project: ProjectId, inputs: &[IdeaId]) -> Proposal {
        let now = self.tick();
        Proposal {
            id: self.id(),
            company: self.company,
            project,
            title: "Proposal".into(),
            description: None,
            input_type: InputType::Idea,
            inputs: inputs.iter().map(|id| id.uuid()).collect(),
            status: ProposalStatus::Draft,
            created_by: self.by(),
            review: None,
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// A draft of a document.
    pub(crate) fn new_document_draft(&self) -> DocumentDraft {
        DocumentDraft { id: self.id(), kind: DocumentType::Prd, title: "Draft".into(), content: "Text".into() }
    }

    /// A draft of a task with one criterion.
    pub(crate) fn new_task_draft(&self) -> TaskDraft {
        TaskDraft {
            id: self.id(),
            title: "Draft".into(),
            description: None,
            priority: None,
            story_points: None,
            criteria: vec![CriterionDraft { description: "It works".into(), required: true }],
            depends_on: Vec::new(),
        }
    }

    /// A document.
    pub(crate) fn new_document(&self, project: ProjectId) -> Document {
        let now = self.tick();
        Document {
            id: self.id(),
            company: self.company,
            project,
            kind: DocumentType::Prd,
            title: "Document".into(),
            content: None,
            version: 1,
            proposal: None,
            created_by: self.by(),
            created_at: now,
            updated_at: now,
        }
    }

    /// An open task of medium priority.
    pub(crate) fn new_task(&self, project: ProjectId) -> Task {
        let now = self.tick();
        Task {
            id: self.id(),
            company: self.company,
            project,
            title: "Task".into(),
            description: None,
            status: TaskStatus::Open,
            priority: Priority::Medium,
            story_points: None,
            assignee: None,
            proposal: None,
            created_by: self.by(),
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// A required criterion that nobody has judged.
    pub(crate) fn new_criterion(&self, task: TaskId, position: i32) -> Criterion {
        Criterion {
            id: self.id(),
            task,
            description: format!("Criterion {position}"),
            required: true,
            dev: Judgement::PENDING,
            verdict: Judgement::PENDING,
            position,
        }
    }

    /// A comment.
    pub(crate) fn new_comment(&self, target: Kind, target_id: Uuid) -> Comment {
        Comment {
            id: self.id(),
            company: self.company,
            target,
            target_id,
            content: "Comment".into(),
            author: self.by(),
            created_at: self.tick(),
        }
    }

    /// A reference.
    pub(crate) fn new_reference(&self, target: Kind, target_id: Uuid) -> Reference {
        let now = self.tick();
        Reference {
            id: self.id(),
            company: self.company,
            target,
            target_id,
            kind: ReferenceType::Docs,
            url: "https://example.invalid".into(),
            title: "Reference".into(),
            notes: Some("Why".into()),
            created_by: self.by(),
            created_at: now,
            updated_at: now,
        }
    }

    /// An entry of a project's stream about the project itself.
    pub(crate) fn new_activity(&self, project: ProjectId) -> Activity {
        Activity {
            id: self.id(),
            company: self.company,
            project,
            target: Kind::Project,
            target_id: project.uuid(),
            target_title: "Project".into(),
            actor: self.by().into(),
            action: Action::Created,
            value: None,
            session: None,
            created_at: self.tick(),
        }
    }

    /// A change of something.
    pub(crate) fn new_event(&self, project: ProjectId, entity: Kind, entity_id: Uuid) -> Event {
        Event {
            id: self.id(),
            company: self.company,
            project: Some(project),
            entity,
            entity_id,
            change: Change::Updated,
            actor: self.by().into(),
            created_at: self.tick(),
        }
    }

    /// A notification about a project that joins an unread one.
    pub(crate) fn new_notification(&self, recipient: Party, project: ProjectId) -> Notification {
        Notification {
            id: self.id(),
            company: self.company,
            recipient,
            project: Some(project),
            project_name: "Project".into(),
            entity: Kind::Project,
            entity_id: project.uuid(),
            entity_title: "Project".into(),
            topic: Topic::CommentAdded,
            message: "Something happened".into(),
            actor: Subject::User(self.first),
            actor_name: "First".into(),
            count: 1,
            read_at: None,
            archived_at: None,
            created_at: self.tick(),
        }
    }

    /// An active session of the agent.
    pub(crate) fn new_session(&self) -> Session {
        let now = self.tick();
        Session {
            id: self.id(),
            company: self.company,
            agent: self.agent,
            name: "Session".into(),
            description: None,
            status: SessionStatus::Active,
            last_active_at: now,
            created_at: now,
            updated_at: now,
        }
    }

    /// A session that has just come to a task.
    pub(crate) fn new_checkin(&self, session: SessionId, task: TaskId) -> Checkin {
        Checkin { id: self.id(), session, task, at: self.tick() }
    }

    /// `to` holds it since now; they took it themselves.
    pub(crate) fn held_by(&self, to: Party) -> Option<Assignment> {
        Some(Assignment { to, at: self.tick(), by: None })
    }
}

/// What [`World::put`] can write.
pub(crate) trait Put: Clone + Send {
    /// Adds the row to a batch.
    fn add_to(self, batch: &mut Batch);
}

macro_rules! put {
    ($($row:ty => |$it:ident| $write:expr;)*) => { $(
        impl Put for $row {
            fn add_to(self, batch: &mut Batch) {
                let $it = self;
                batch.writes.push($write);
            }
        }
    )* };
}

put! {
    Company => |row| Write::NewCompany(row);
    User => |row| Write::NewUser(row);
    Agent => |row| Write::NewAgent(row);
    ApiKey => |row| Write::NewKey(row);
    Group => |row| Write::NewGroup(row);
    GroupMember => |row| Write::PutGroupMember(row);
    Project => |row| Write::NewProject(row);
    ProjectMember => |row| Write::PutProjectMember(row);
    Idea => |row| Write::NewIdea(row);
    Round => |row| Write::NewRound(row);
    Proposal => |row| Write::NewProposal(row);
    Document => |row| Write::NewDocuments(vec![row]);
    Task => |row| Write::NewTasks(vec![row]);
    Criterion => |row| Write::NewCriteria(vec![row]);
    Edge => |row| Write::AddEdges(vec![row]);
    Comment => |row| Write::NewComment(row);
    Reference => |row| Write::NewReferences(vec![row]);
    Session => |row| Write::NewSession(row);
    Checkin => |row| Write::PutCheckin(row);
}

impl Put for Activity {
    fn add_to(self, batch: &mut Batch) {
        batch.activities.push(self);
    }
}

impl Put for Event {
    fn add_to(self, batch: &mut Batch) {
        batch.events.push(self);
    }
}

/// The first page of a list, as large as pages get.
pub(crate) const WHOLE: PageRequest = PageRequest::first(PageSize::MAX);

/// A page of so many rows, from 1 to 100.
pub(crate) fn size(rows: u32) -> PageSize {
    PageSize::new(rows).unwrap()
}

/// The items of a page.
pub(crate) fn items<T>(page: crate::Page<T>) -> Vec<T> {
    page.rows.into_iter().map(|row| row.item).collect()
}

/// A list in the order of its debug form, where a read promises no order.
pub(crate) fn sorted<T: std::fmt::Debug>(mut list: Vec<T>) -> Vec<T> {
    list.sort_by_cached_key(|item| format!("{item:?}"));
    list
}

/// Runs `attempt(0)`, `attempt(1)`, … in as many tasks, started together; the results in the same order.
pub(crate) async fn at_once<T, F>(tasks: usize, attempt: impl Fn(usize) -> F) -> Vec<Result<T>>
where
    T: Send + 'static,
    F: Future<Output = Result<T>> + Send + 'static,
{
    let start = Arc::new(tokio::sync::Barrier::new(tasks));
    let running: Vec<_> = (0..tasks)
        .map(|index| {
            let (start, attempt) = (Arc::clone(&start), attempt(index));
            tokio::spawn(async move {
                start.wait().await;
                attempt.await
            })
        })
        .collect();
    let mut results = Vec::with_capacity(tasks);
    for task in running {
        results.push(task.await.unwrap());
    }
    results
}

/// Runs an attempt until it ends in anything but `Again`, as whoever writes does.
pub(crate) async fn persistently<T, F: Future<Output = Result<T>>>(attempt: impl Fn() -> F) -> Result<T> {
    for pause in 1..=20 {
        match attempt().await {
            Err(Error::Again(_)) => tokio::time::sleep(std::time::Duration::from_millis(pause)).await,
            done => return done,
        }
    }
    attempt().await
}

/// A failed write tells its caller nothing about the database.
pub(crate) fn assert_discreet(error: &Error) {
    const TELLTALES: [&str; 12] = [
        "constraint",
        "violat",
        "foreign key",
        "sqlite",
        "postgres",
        "diesel",
        "relation \"",
        "insert into",
        "app_user",
        "_check",
        "_key",
        "byte sequence",
    ];
    let details = error.refusal().and_then(|refusal| refusal.details.as_ref()).map(ToString::to_string);
    let shown = format!("{error} {}", details.unwrap_or_default()).to_lowercase();
    for telltale in TELLTALES {
        assert!(!shown.contains(telltale), "`{shown}` shows `{telltale}`");
    }
}
