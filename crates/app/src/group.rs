//! Use cases: groups of projects.

use std::collections::BTreeMap;

use chorus_domain::{
    Batch, Kind, Party, Refusal, Write,
    activity::Activity,
    event::Change,
    group::{GroupForm, create as new_group},
    membership::group_denied,
    project::{Group, GroupMember},
};
use chorus_ids::{GroupId, UserId};
use chorus_store::{GroupSummary, GroupTotals, GroupedProject, Outcome, Page, PageRequest, Reads, Result};
use chorus_visibility::{ChildAccess, GroupAccess, GroupFacts, group_access};
use serde_json::json;

use crate::{Call, access};

pub mod change;
pub mod delete;

/// Projects shown with a group at most; all of them are in the list of projects.
const PROJECTS_SHOWN: u32 = 100;

/// Activities shown with a group.
const ACTIVITIES_SHOWN: u32 = 20;

/// A page of the groups that the caller may discover, oldest first.
///
/// # Errors
/// What the store reports.
pub async fn list(call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<GroupSummary>> {
    reads.groups(&call.scope, page).await
}

/// How many projects that the caller sees are in no group.
///
/// # Errors
/// What the store reports.
pub async fn ungrouped(call: &Call, reads: &mut dyn Reads) -> Result<u64> {
    reads.ungrouped_projects(&call.scope).await
}

/// A group with what the caller sees in it.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupDetail {
    /// The group.
    pub group: Group,
    /// What the caller has there.
    pub access: GroupAccess,
    /// What its visible projects add up to.
    pub totals: GroupTotals,
    /// Its visible projects, latest updated first, as many as are shown.
    pub projects: Vec<GroupedProject>,
    /// Its explicit members with their names, oldest first, if they were asked for.
    pub members: Option<Vec<(GroupMember, String)>>,
}

/// Whether the list of members is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Roster {
    /// With it; it takes an explicit role in the group.
    Wanted,
    /// Without it.
    Omitted,
}

/// A group with what the caller sees in it.
///
/// # Errors
/// Not found for a group that the caller may not discover; `forbidden` for the members without an explicit role.
pub async fn read(call: &Call, reads: &mut dyn Reads, id: GroupId, roster: Roster) -> Result<GroupDetail> {
    let missing = || Refusal::not_found(Kind::Group);
    let principal = &call.caller.principal;
    let view = reads.directory().group(principal, id).await?.ok_or_else(missing)?;
    let children = if view.sees_child { ChildAccess::Some } else { ChildAccess::None };
    let access = group_access(principal, principal.company, &view.facts, children);
    if !access.visible {
        return Err(missing().into());
    }
    let group = reads.group(&call.scope, id).await?.ok_or_else(missing)?;
    let members = match roster {
        Roster::Omitted => None,
        Roster::Wanted => {
            access.require_roster().map_err(group_denied)?;
            Some(named(call, reads, id).await?)
        }
    };
    let totals = reads.group_totals(&call.scope, id).await?;
    let projects = reads.grouped_projects(&call.scope, id, PROJECTS_SHOWN).await?;
    Ok(GroupDetail { group, access, totals, projects, members })
}

async fn named(call: &Call, reads: &mut dyn Reads, id: GroupId) -> Result<Vec<(GroupMember, String)>> {
    let members = reads.directory().group_members(&[id]).await?;
    let parties: Vec<Party> = members.iter().map(|member| Party::User(member.user)).collect();
    let names = reads.names(&call.scope, &parties).await?;
    let names: BTreeMap<Party, String> = names.into_iter().map(|named| (named.party, named.name)).collect();
    let name = |user: UserId| names.get(&Party::User(user)).cloned().unwrap_or_else(|| "Unknown".to_owned());
    Ok(members.into_iter().map(|member| (member, name(member.user))).collect())
}

/// A group's figures and what happened there last.
#[derive(Clone, Debug, PartialEq)]
pub struct Dashboard {
    /// The group.
    pub detail: GroupDetail,
    /// The newest activities of its visible projects with the names of these.
    pub recent: Vec<(Activity, String)>,
}

/// A group's figures and what happened there last, over the projects that the caller sees.
///
/// # Errors
/// Not found for a group that the caller may not discover.
pub async fn dashboard(call: &Call, reads: &mut dyn Reads, id: GroupId) -> Result<Dashboard> {
    let detail = read(call, reads, id, Roster::Omitted).await?;
    let recent = reads.group_activities(&call.scope, id, ACTIVITIES_SHOWN).await?;
    Ok(Dashboard { detail, recent })
}

/// Makes a group. The caller's owner becomes its first administrator (visibility specification §6.1).
///
/// # Errors
/// See [`new_group`].
pub fn create(call: &Call, form: GroupForm) -> Result<Outcome<GroupDetail>> {
    let (group, admin) = new_group(form, &call.caller, call.new_id(), call.now)?;
    let facts = GroupFacts {
        id: group.id,
        visibility: group.visibility,
        role: admin.map(|admin| admin.role),
        has_admin: admin.is_some(),
    };
    let principal = &call.caller.principal;
    let access = group_access(principal, principal.company, &facts, ChildAccess::None);
    let value = json!({ "name": group.name, "visibility": group.visibility.as_str() });
    let mut writes = vec![Write::NewGroup(group.clone())];
    writes.extend(admin.map(Write::PutGroupMember));
    writes.extend(access::logged(call, group.id, "group_created", value));
    let batch = Batch { writes, events: vec![call.group_event(group.id, Change::Created)], ..Batch::default() };
    let totals = GroupTotals::default();
    Ok(Outcome { batch, answer: GroupDetail { group, access, totals, projects: Vec::new(), members: None } })
}
