//! Small companies: who is a member where, as plain indices, and the facts and snapshots that follow from them.

use chorus_ids::{CompanyId, GroupId, ProjectId, UserId};
use chorus_visibility::{
    CompanySnapshot, GroupFacts, GroupSnapshot, Principal, ProjectFacts, ProjectSnapshot, Role, Visibility,
};
use proptest::prelude::*;

pub(crate) use chorus_visibility::Visibility::{Private, Public};

pub(crate) const COMPANY: CompanyId = CompanyId::from_u128(0xC0);
pub(crate) const ELSEWHERE: CompanyId = CompanyId::from_u128(0xC1);

/// No role and every role.
pub(crate) const ROLES: [Option<Role>; 4] = [None, Some(Role::Viewer), Some(Role::Editor), Some(Role::Admin)];

/// One entry per user.
pub(crate) type Roles = Vec<Option<Role>>;

pub(crate) fn user(index: usize) -> UserId {
    UserId::from_u128(0x100 + index as u128)
}

pub(crate) fn group_id(index: usize) -> GroupId {
    GroupId::from_u128(0x200 + index as u128)
}

pub(crate) fn project_id(index: usize) -> ProjectId {
    ProjectId::from_u128(0x300 + index as u128)
}

/// What a project's row says about its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// No group.
    Nowhere,
    /// A group that is no longer there.
    Missing,
    /// A group of another company.
    Foreign,
    /// This group.
    In(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) visibility: Visibility,
    pub(crate) roles: Roles,
}

#[derive(Clone, Debug)]
pub(crate) struct Project {
    pub(crate) visibility: Visibility,
    pub(crate) place: Place,
    pub(crate) roles: Roles,
}

#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) users: usize,
    pub(crate) first: Option<usize>,
    pub(crate) groups: Vec<Group>,
    pub(crate) projects: Vec<Project>,
}

/// Who looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// A user, or an agent of theirs.
    User(usize),
    /// An agent without owner.
    Ownerless,
    /// Somebody of another company who, by an accident of ids, looks like this user and like a first user.
    Stranger(usize),
}

impl World {
    /// One project, and the groups given.
    pub(crate) fn of(visibility: Visibility, place: Place, roles: Roles, groups: Vec<Group>) -> Self {
        Self { users: roles.len(), first: None, groups, projects: vec![Project { visibility, place, roles }] }
    }

    pub(crate) fn with_first(mut self, first: Option<usize>) -> Self {
        self.first = first;
        self
    }

    pub(crate) fn everybody(&self) -> impl Iterator<Item = Who> + use<> {
        let users = self.users;
        (0..users).map(Who::User).chain([Who::Ownerless]).chain((0..users).map(Who::Stranger))
    }

    pub(crate) fn principal(&self, who: Who) -> Principal {
        let (company, user_index) = match who {
            Who::User(index) => (COMPANY, Some(index)),
            Who::Ownerless => (COMPANY, None),
            Who::Stranger(index) => (ELSEWHERE, Some(index)),
        };
        Principal { company, user: user_index.map(user), first_user: self.first.map(user) }
    }

    pub(crate) fn group_facts(&self, index: usize, who: Who) -> GroupFacts {
        let group = &self.groups[index];
        GroupFacts {
            id: group_id(index),
            visibility: group.visibility,
            role: role_of(&group.roles, who),
            has_admin: group.roles.contains(&Some(Role::Admin)),
        }
    }

    pub(crate) fn facts(&self, index: usize, who: Who) -> ProjectFacts {
        let project = &self.projects[index];
        ProjectFacts {
            company: COMPANY,
            project: project_id(index),
            visibility: project.visibility,
            role: role_of(&project.roles, who),
            has_admin: project.roles.contains(&Some(Role::Admin)),
            group: match project.place {
                Place::Nowhere | Place::Missing | Place::Foreign => None,
                Place::In(group) => Some(self.group_facts(group, who)),
            },
        }
    }

    pub(crate) fn company(&self) -> CompanySnapshot {
        CompanySnapshot { id: COMPANY, users: (0..self.users).map(user).collect(), first_user: self.first.map(user) }
    }

    /// The project's snapshot, as an agent without owner meets it: whoever reads roles out of its facts reads none.
    pub(crate) fn project(&self, index: usize) -> ProjectSnapshot {
        ProjectSnapshot {
            facts: self.facts(index, Who::Ownerless),
            name: String::from("Apollo"),
            members: rows(&self.projects[index].roles),
        }
    }

    /// The group with its projects.
    pub(crate) fn group(&self, index: usize) -> GroupSnapshot {
        let inside = (0..self.projects.len()).filter(|project| self.projects[*project].place == Place::In(index));
        GroupSnapshot {
            id: group_id(index),
            visibility: self.groups[index].visibility,
            access_version: 7,
            members: rows(&self.groups[index].roles),
            projects: inside.map(|project| self.project(project)).collect(),
        }
    }

    /// The snapshot of the group that the project is in.
    pub(crate) fn group_of(&self, project: usize) -> Option<GroupSnapshot> {
        match self.projects[project].place {
            Place::Nowhere | Place::Missing | Place::Foreign => None,
            Place::In(group) => Some(self.group(group)),
        }
    }
}

fn role_of(roles: &Roles, who: Who) -> Option<Role> {
    match who {
        Who::User(index) | Who::Stranger(index) => roles[index],
        Who::Ownerless => None,
    }
}

pub(crate) fn rows(roles: &Roles) -> Vec<(UserId, Role)> {
    roles.iter().enumerate().filter_map(|(index, role)| role.map(|role| (user(index), role))).collect()
}

/// Every assignment of no role or a role to `users` users.
pub(crate) fn assignments(users: u32) -> Vec<Roles> {
    let digit = |number: usize, place: u32| ROLES[number / 4_usize.pow(place) % 4];
    (0..4_usize.pow(users)).map(|number| (0..users).map(|place| digit(number, place)).collect()).collect()
}

pub(crate) fn a_visibility() -> impl Strategy<Value = Visibility> {
    prop_oneof![Just(Public), Just(Private)]
}

pub(crate) fn a_role() -> impl Strategy<Value = Role> {
    prop_oneof![Just(Role::Viewer), Just(Role::Editor), Just(Role::Admin)]
}

fn roles(users: usize) -> impl Strategy<Value = Roles> {
    prop::collection::vec(prop::option::weighted(0.4, a_role()), users)
}

/// A company of up to eight users, four groups and six projects, in which a private group holds private projects only.
pub(crate) fn a_world() -> impl Strategy<Value = World> {
    let size = (1..=8_usize, 1..=4_usize, 1..=6_usize);
    size.prop_flat_map(|(users, groups, projects)| {
        let group = (a_visibility(), roles(users)).prop_map(|(visibility, roles)| Group { visibility, roles });
        let place = prop_oneof![
            1 => Just(Place::Nowhere), 1 => Just(Place::Missing), 1 => Just(Place::Foreign),
            6 => (0..groups).prop_map(Place::In),
        ];
        let project = (a_visibility(), place, roles(users)).prop_map(|(visibility, place, roles)| Project {
            visibility,
            place,
            roles,
        });
        let groups = prop::collection::vec(group, groups);
        let projects = prop::collection::vec(project, projects);
        (prop::option::weighted(0.8, 0..users), groups, projects).prop_map(move |(first, groups, mut projects)| {
            for project in &mut projects {
                if let Place::In(group) = project.place
                    && groups[group].visibility == Private
                {
                    project.visibility = Private;
                }
            }
            World { users, first, groups, projects }
        })
    })
}
