//! What a change of access does to people, as an answer shows it (visibility specification §6.5).

use std::collections::BTreeMap;

use chorus_app::leaving::Released;
use chorus_domain::membership::Person;
use chorus_ids::{UserId, Uuid};
use chorus_visibility::{ProjectImpact, RoleChange, Summary};
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::{Room, row_title};

/// One user's role before and after.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeLine {
    user_uuid: Uuid,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    before_role: &'static str,
    after_role: &'static str,
}

impl ChangeLine {
    fn of(change: RoleChange, people: Option<&BTreeMap<UserId, Person>>) -> Self {
        let person = people.and_then(|people| people.get(&change.user));
        Self {
            user_uuid: change.user.uuid(),
            name: person.map(|person| row_title(&person.name)),
            email: person.and_then(|person| person.email.clone()),
            before_role: change.before.as_str(),
            after_role: change.after.as_str(),
        }
    }
}

/// The changes of one project, as many as there is room for.
pub fn changes(impact: &ProjectImpact, people: Option<&BTreeMap<UserId, Person>>, room: &mut Room) -> Vec<ChangeLine> {
    room.fitting(impact.changes.iter().map(|change| ChangeLine::of(*change, people)))
}

/// What those let go of who can't edit any more: it is free for others.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleasedView {
    tasks: usize,
    ideas: usize,
    checkins: usize,
}

impl From<Released> for ReleasedView {
    fn from(Released { tasks, ideas, checkins }: Released) -> Self {
        Self { tasks, ideas, checkins }
    }
}

/// How many users and projects a change touches, those that an answer has no room for included.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryView {
    affected_user_count: usize,
    gained_access_count: usize,
    lost_access_count: usize,
    increased_permissions_count: usize,
    decreased_permissions_count: usize,
    affected_project_count: usize,
}

impl From<Summary> for SummaryView {
    fn from(summary: Summary) -> Self {
        Self {
            affected_user_count: summary.affected_users,
            gained_access_count: summary.gained_access,
            lost_access_count: summary.lost_access,
            increased_permissions_count: summary.increased,
            decreased_permissions_count: summary.decreased,
            affected_project_count: summary.affected_projects,
        }
    }
}
