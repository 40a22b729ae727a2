//! The bytes that a confirmation token is the digest of (visibility specification §6.6).
//!
//! The digest is made elsewhere; here is what it covers. INVARIANT (canonical): two changes have the same bytes only if
//! they are the same change, by the same actor, of the same state. Every field is written with its length and every
//! list with its count, in a fixed order, so no boundary can be read in two ways; what has no order of its own is
//! sorted. What does not concern access (names and e-mails of people, a project's description) is left out, so that
//! editing it leaves a confirmation valid.

use chorus_ids::{AgentId, UserId};

use crate::roster::Roster;
use crate::snapshot::{CompanySnapshot, GroupSnapshot, ProjectSnapshot};
use crate::{GroupVisibilityChange, MoveChange, ProjectVisibilityChange, Role, Visibility};

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActorRef {
    /// A user.
    User(UserId),
    /// An agent.
    Agent(AgentId),
    /// Whoever runs the server.
    Operator,
}

/// For whom a confirmation is valid: nobody else can use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmer {
    /// Whose memberships count; `None` for an agent without owner.
    pub principal: Option<UserId>,
    /// Who acts.
    pub actor: ActorRef,
}

impl ProjectVisibilityChange<'_> {
    /// The bytes whose digest confirms this change.
    pub fn confirmation_bytes(&self, company: &CompanySnapshot, by: &Confirmer) -> Vec<u8> {
        let mut encoder = Encoder::new("project_visibility", company, by);
        encoder.project(self.project);
        encoder.optional(self.group, Encoder::group);
        encoder.visibility(self.to);
        encoder.bytes
    }
}

impl GroupVisibilityChange<'_> {
    /// The bytes whose digest confirms this change. They cover every project in the group.
    pub fn confirmation_bytes(&self, company: &CompanySnapshot, by: &Confirmer) -> Vec<u8> {
        let mut encoder = Encoder::new("group_visibility", company, by);
        encoder.group(self.group);
        let mut projects: Vec<_> = self.group.projects.iter().collect();
        projects.sort_unstable_by_key(|project| project.id());
        encoder.list(&projects, |encoder, project| encoder.project(project));
        encoder.visibility(self.to);
        encoder.bytes
    }
}

impl MoveChange<'_> {
    /// The bytes whose digest confirms this move. They cover the project's name.
    pub fn confirmation_bytes(&self, company: &CompanySnapshot, by: &Confirmer) -> Vec<u8> {
        let mut encoder = Encoder::new("move_project", company, by);
        encoder.project(self.project);
        encoder.text(&self.project.name);
        encoder.optional(self.source, Encoder::group);
        encoder.optional(self.target, Encoder::group);
        encoder.bytes
    }
}

/// Changed with the layout, so that bytes of two layouts never meet.
const LAYOUT: &str = "chorus access change 1";

struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    fn new(operation: &str, company: &CompanySnapshot, by: &Confirmer) -> Self {
        let mut encoder = Self { bytes: Vec::with_capacity(1024) };
        encoder.text(LAYOUT);
        encoder.text(operation);
        encoder.field(company.id.uuid().as_bytes());
        encoder.optional(by.principal, Self::user);
        match by.actor {
            ActorRef::User(user) => {
                encoder.text("user");
                encoder.user(user);
            }
            ActorRef::Agent(agent) => {
                encoder.text("agent");
                encoder.field(agent.uuid().as_bytes());
            }
            ActorRef::Operator => encoder.text("operator"),
        }
        // Together with the rosters below, the first user determines every automatic admin.
        encoder.optional(company.first_user, Self::user);
        encoder.list(&company.sorted_users(), |encoder, user| encoder.user(*user));
        encoder
    }

    fn project(&mut self, project: &ProjectSnapshot) {
        self.field(project.id().uuid().as_bytes());
        self.visibility(project.facts.visibility);
        self.optional(project.group_id(), |encoder, group| encoder.field(group.uuid().as_bytes()));
        self.members(&project.members);
    }

    fn group(&mut self, group: &GroupSnapshot) {
        self.field(group.id.uuid().as_bytes());
        self.visibility(group.visibility);
        self.field(&group.access_version.to_be_bytes());
        self.members(&group.members);
    }

    fn members(&mut self, members: &[(UserId, Role)]) {
        self.list(Roster::new(members).rows(), |encoder, (user, role)| {
            encoder.user(*user);
            encoder.text(role.as_str());
        });
    }

    fn user(&mut self, user: UserId) {
        self.field(user.uuid().as_bytes());
    }

    fn visibility(&mut self, visibility: Visibility) {
        self.text(visibility.as_str());
    }

    fn optional<T>(&mut self, value: Option<T>, write: impl Fn(&mut Self, T)) {
        match value {
            None => self.text("none"),
            Some(value) => {
                self.text("some");
                write(self, value);
            }
        }
    }

    fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.count(items.len());
        for item in items {
            write(self, item);
        }
    }

    fn text(&mut self, text: &str) {
        self.field(text.as_bytes());
    }

    fn field(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    fn count(&mut self, count: usize) {
        // A `usize` has at most 64 bits on every platform that Rust supports.
        self.bytes.extend_from_slice(&(count as u64).to_be_bytes());
    }
}
