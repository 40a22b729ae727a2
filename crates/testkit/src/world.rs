//! People, agents and projects in a database.

use chorus_app::{Services, caller};
use chorus_auth::{Moment, NewAgent, NewKey, NewUser, create_agent, create_company, create_key, create_user};
use chorus_domain::{
    Batch, Caller, Via, Write,
    access::Granted,
    project::{Group, GroupMember, Project, ProjectMember},
};
use chorus_ids::{AgentId, CompanyId, GroupId, Id, ProjectId, Timestamp, UserId};
use chorus_visibility::{Role, Visibility};

/// A company with its first user, and what a test adds to it.
///
/// The first user is the automatic administrator of whatever has none, so tests about hiding use other people.
pub struct World {
    /// The store with time and ids.
    pub services: Services,
    /// The company.
    pub company: CompanyId,
    /// Its first user.
    pub first_user: UserId,
}

/// An agent with its key.
#[derive(Clone, Debug)]
pub struct WorldAgent {
    /// The agent.
    pub id: AgentId,
    /// Its key.
    pub key: String,
}

impl World {
    /// A new company in this database.
    ///
    /// # Panics
    /// If it can't be written, as every method here.
    pub async fn new(services: Services) -> Self {
        let mut world = Self::empty(services, "Test company").await;
        world.first_user = world.user("first").await;
        world
    }

    /// A new company of this name, whose first user has this name and address.
    pub async fn of(services: Services, company: &str, name: &str, email: &str) -> Self {
        let mut world = Self::empty(services, company).await;
        world.first_user = world.person(name, email).await;
        world
    }

    async fn empty(services: Services, name: &str) -> Self {
        let company = create_company(moment(&services), name).unwrap();
        let id = company.id;
        write(&services, vec![Write::NewCompany(company)]).await;
        Self { services, company: id, first_user: UserId::from_u128(0) }
    }

    /// A new person, `NAME@example.com`.
    pub async fn user(&self, name: &str) -> UserId {
        self.person(name, format!("{name}.{}@example.com", self.company)).await
    }

    /// A new person with this e-mail address.
    pub async fn person(&self, name: &str, email: impl Into<String>) -> UserId {
        let new = NewUser { email: email.into(), name: name.to_owned(), password_hash: None };
        let user = create_user(moment(&self.services), self.company, new).unwrap();
        let id = user.id;
        self.write(vec![Write::NewUser(user)]).await;
        id
    }

    /// A new agent with these presets and single permissions, and a key for it.
    pub async fn agent(&self, name: &str, owner: Option<UserId>, presets: &[&str], permissions: &[&str]) -> WorldAgent {
        let strings = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let new =
            NewAgent { name: name.to_owned(), owner, presets: strings(presets), permissions: strings(permissions) };
        let agent = create_agent(moment(&self.services), self.company, new).unwrap();
        let id = agent.id;
        let key = NewKey::generate(&mut rand::rng());
        let row = create_key(moment(&self.services), &agent, &key, None, None).unwrap();
        self.write(vec![Write::NewAgent(agent), Write::NewKey(row)]).await;
        WorldAgent { id, key: key.reveal().to_owned() }
    }

    /// The caller that an agent is now.
    pub async fn caller(&self, agent: AgentId) -> Caller {
        let mut reads = self.services.store.read().await.unwrap();
        let credential = reads.directory().agent_credential(agent).await.unwrap().unwrap();
        caller::of_credential(&credential, Via::Key)
    }

    /// The caller that a person in a browser is now.
    pub async fn person_caller(&self, user: UserId) -> Caller {
        let mut reads = self.services.store.read().await.unwrap();
        let row = reads.directory().user(user).await.unwrap().unwrap();
        caller::of_user(&row, Some(self.first_user), Via::Browser)
    }

    /// A new agent as a caller.
    pub async fn new_caller(
        &self,
        name: &str,
        owner: Option<UserId>,
        presets: &[&str],
        permissions: &[&str],
    ) -> Caller {
        let agent = self.agent(name, owner, presets, permissions).await;
        self.caller(agent.id).await
    }

    /// A new project outside any group with these members.
    pub async fn project(&self, name: &str, visibility: Visibility, members: &[(UserId, Role)]) -> ProjectId {
        self.project_in(name, visibility, None, members).await
    }

    /// A new project, in a group or not, with these members.
    pub async fn project_in(
        &self,
        name: &str,
        visibility: Visibility,
        group: Option<GroupId>,
        members: &[(UserId, Role)],
    ) -> ProjectId {
        let (id, now) = (self.id(), self.now());
        let project = Project {
            id,
            company: self.company,
            name: name.to_owned(),
            description: None,
            group,
            visibility,
            created_by: None,
            created_at: now,
            updated_at: now,
        };
        let mut writes = vec![Write::NewProject(project)];
        writes.extend(members.iter().map(|&(user, role)| {
            Write::PutProjectMember(ProjectMember { project: id, user, role, added_by: None, created_at: now })
        }));
        self.write(writes).await;
        id
    }

    /// A new group with these explicit members.
    pub async fn group(&self, name: &str, visibility: Visibility, members: &[(UserId, Role)]) -> GroupId {
        let (id, now) = (self.id(), self.now());
        let group = Group {
            id,
            company: self.company,
            name: name.to_owned(),
            description: String::new(),
            visibility,
            created_by: None,
            access_version: 1,
            created_at: now,
            updated_at: now,
        };
        let mut writes = vec![Write::NewGroup(group)];
        writes.extend(members.iter().map(|&(user, role)| {
            Write::PutGroupMember(GroupMember { group: id, user, role, added_by: None, created_at: now })
        }));
        self.write(writes).await;
        id
    }

    /// Gives a user a role in a project, new or changed.
    pub async fn member(&self, project: ProjectId, user: UserId, role: Role) {
        let member = ProjectMember { project, user, role, added_by: None, created_at: self.now() };
        self.write(vec![Write::PutProjectMember(member)]).await;
    }

    /// Writes rows as the operator.
    pub async fn write(&self, writes: Vec<Write>) {
        write(&self.services, writes).await;
    }

    /// A new id.
    pub fn id<T: Id>(&self) -> T {
        T::from_uuid(self.services.ids.uuid(self.now()))
    }

    /// Now.
    pub fn now(&self) -> Timestamp {
        self.services.clock.now()
    }
}

fn moment(services: &Services) -> Moment<'_> {
    Moment { now: services.clock.now(), ids: services.ids.as_ref() }
}

async fn write(services: &Services, writes: Vec<Write>) {
    let mut tx = services.store.begin().await.unwrap();
    let batch = Batch { writes, ..Batch::default() };
    tx.apply(&Granted::operator(), &batch, &[]).await.unwrap();
    tx.commit().await.unwrap();
}
