//! Use cases: people who are suspended, come back, or go for good. No tool does this; the command line does.
//!
//! Whoever is suspended or removed leaves nothing that nobody can finish (report 35): what they and their agents hold and
//! have not finished is free again, and finished work keeps their names. A project or group that they alone administered
//! is not left alone either: its group's administrator or the company's first user answers for it from then on, by the
//! rule that holds wherever there is no administrator (visibility specification §3.4). Only the last person of a company
//! can't go.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{
    Batch, Code, Kind, Party, Refusal, Write,
    activity::Action,
    event::Change,
    identity::{Agent, FormerUser, User},
    removal::{self, Freed, Parting, Stake},
    text,
};
use chorus_ids::{AgentId, GroupId, ProjectId, UserId, Uuid};
use chorus_store::{Hold, Memberships, Outcome, Result, Roots, Tx};
use chorus_visibility::{Level, Role};
use serde_json::json;

use crate::{
    Call,
    access::Without,
    agent::{former, hold, projects_of as held_in},
    leaving::{Left, free, notice},
};

/// Longest name in a notice, in characters.
const NAME_IN_NOTICE: usize = 60;

/// For how long somebody goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// Until they are let in again. Their agents and their roles wait for them.
    Suspension,
    /// For good, with their agents.
    Removal,
}

impl Departure {
    /// What was done, in the middle of a sentence.
    const fn done(self) -> &'static str {
        match self {
            Self::Suspension => "suspended",
            Self::Removal => "removed",
        }
    }

    /// Why things are free again, in the stream.
    const fn reason(self) -> &'static str {
        match self {
            Self::Suspension => "user_suspended",
            Self::Removal => "user_removed",
        }
    }
}

/// What a departure does.
#[derive(Clone, Debug, PartialEq)]
pub struct Departed {
    /// The person as they were.
    pub user: User,
    /// Their agents.
    pub agents: Vec<Agent>,
    /// What becomes of what they and their agents held.
    pub parting: Parting,
    /// How many keys of the agents don't work any more.
    pub keys: u64,
    /// How many sessions of the agents end.
    pub sessions: u64,
    /// What they alone administered, and who answers for it afterwards.
    pub passed: Vec<Passed>,
}

/// A project or group that had one administrator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// A project or a group.
    pub kind: Kind,
    /// Which one.
    pub id: Uuid,
    /// What it is called.
    pub name: String,
    /// Who answers for it from now on.
    pub to: String,
}

/// Suspends or removes somebody. Suspending somebody who is suspended changes nothing.
///
/// # Errors
/// Not found if they are gone; `last_admin` for the only person of a company who is not suspended.
pub async fn depart(call: &Call, tx: &mut dyn Tx, id: UserId, departure: Departure) -> Result<Outcome<Departed>> {
    let user = held(call, tx, id).await?;
    let agents = tx.directory().agents_of(id).await?;
    if user.suspended_at.is_some() && departure == Departure::Suspension {
        let answer = Departed { user, agents, parting: Parting::default(), keys: 0, sessions: 0, passed: Vec::new() };
        return Ok(Outcome { batch: Batch::default(), answer });
    }
    let roles = tx.directory().memberships(id).await?;
    own(tx, &roles, &agents).await?;
    let parties: Vec<Party> =
        [Party::User(id)].into_iter().chain(agents.iter().map(|agent| Party::Agent(agent.id))).collect();
    let holdings = hold(tx, &parties).await?;
    let (keys, sessions) = (holdings.keys, holdings.sessions);
    let left: BTreeSet<(ProjectId, Uuid)> =
        holdings.checkins.iter().map(|checkin| (checkin.project, checkin.task.uuid())).collect();
    let parting = removal::part(holdings, call.now)?;
    let freed = parting.freed();
    let around = around(call, tx, &user, &roles, &freed).await?;

    let mut batch = Batch::default();
    let who = |party: Party| match party {
        Party::User(_) => user.display_name(),
        Party::Agent(agent) => agents.iter().find(|one| one.id == agent).map_or("", |agent| agent.name.as_str()),
    };
    free(call, &parting, &mut batch, |thing| {
        json!({
            "reason": departure.reason(), "userUuid": id, "userName": user.display_name(),
            "assigneeType": thing.holder.kind(), "assigneeUuid": thing.holder.uuid(), "assigneeName": who(thing.holder)
        })
    });
    let left = left.iter().filter(|(_, task)| !freed.iter().any(|thing| thing.id == *task));
    batch.events.extend(left.map(|(project, task)| call.event(*project, Kind::Task, *task, Change::Updated)));
    if user.suspended_at.is_none() {
        roles_change(call, &around, &roles, Action::ProjectMemberRemoved, departure.reason(), &mut batch);
    }
    tell(call, &around, &user, departure, &freed, &mut batch);
    let ids: Vec<AgentId> = agents.iter().map(|agent| agent.id).collect();
    match departure {
        Departure::Suspension => {
            if !ids.is_empty() {
                batch.writes.push(Write::CloseSessionsOf(ids, call.now));
            }
            batch.writes.push(Write::SuspendUser(id, call.now));
            batch.events.push(call.company_event(Kind::User, id.uuid(), Change::Updated));
        }
        Departure::Removal => {
            if !ids.is_empty() {
                batch.writes.push(Write::RemoveAgents(agents.iter().map(|agent| former(call, agent)).collect()));
            }
            let (company, name) = (user.company, user.display_name().to_owned());
            batch.writes.push(Write::RemoveUser(FormerUser { id, company, name, removed_at: call.now }));
            batch.events.extend(ids.iter().map(|id| call.company_event(Kind::Agent, id.uuid(), Change::Deleted)));
            batch.events.push(call.company_event(Kind::User, id.uuid(), Change::Deleted));
        }
    }
    let passed = passed(&around, &roles, user.suspended_at.is_none());
    Ok(Outcome { batch, answer: Departed { user, agents, parting, keys, sessions, passed } })
}

/// Somebody who was let in again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resumed {
    /// The person as they were.
    pub user: User,
    /// How many agents are let in again with them.
    pub agents: usize,
    /// The roles that they have again.
    pub roles: Memberships,
}

/// Lets somebody in again who was suspended: they have the roles that they had, and the keys of their agents work.
/// What they held stays with whoever has it now. Whoever is not suspended stays as they are.
///
/// # Errors
/// Not found if they are gone.
pub async fn resume(call: &Call, tx: &mut dyn Tx, id: UserId) -> Result<Outcome<Resumed>> {
    let user = held(call, tx, id).await?;
    let agents = tx.directory().agents_of(id).await?;
    if user.suspended_at.is_none() {
        let answer = Resumed { user, agents: agents.len(), roles: Memberships::default() };
        return Ok(Outcome { batch: Batch::default(), answer });
    }
    let roles = tx.directory().memberships(id).await?;
    own(tx, &roles, &[]).await?;
    let around = Without::load(call, tx, (&projects_of(&roles), &groups_of(&roles)), None).await?;
    let mut batch = Batch { writes: vec![Write::ResumeUser(id, call.now)], ..Batch::default() };
    roles_change(call, &around, &roles, Action::ProjectMemberAdded, "user_resumed", &mut batch);
    batch.events.push(call.company_event(Kind::User, id.uuid(), Change::Updated));
    if let Some(stand_in) = around.company.snapshot.first_user {
        step_back(call, tx, stand_in, (&user, &roles), &mut batch).await?;
    }
    Ok(Outcome { batch, answer: Resumed { user, agents: agents.len(), roles } })
}

/// Whoever stood in as administrator lets go of what they and their agents hold where they don't any more: where the
/// person is one who comes back, and everywhere if that person is the first user.
async fn step_back(
    call: &Call,
    tx: &mut dyn Tx,
    stand_in: UserId,
    (user, roles): (&User, &Memberships),
    batch: &mut Batch,
) -> Result<()> {
    let Some(first) = tx.directory().user(stand_in).await? else { return Ok(()) };
    let earlier = (user.created_at, user.id) < (first.created_at, first.id);
    let agents = tx.directory().agents_of(stand_in).await?;
    let parties: Vec<Party> =
        [Party::User(stand_in)].into_iter().chain(agents.iter().map(|agent| Party::Agent(agent.id))).collect();
    let projects: Vec<ProjectId> = held_in(&hold(tx, &parties).await?).into_iter().collect();
    let mut after = Without::load(call, tx, (&projects, &[]), None).await?;
    after.add(user.id, roles, if earlier { user.id } else { stand_in });
    let lost = after.projects.iter().filter(|placed| after.level(placed, stand_in) < Level::Editor);
    let stakes: Vec<Stake> = lost
        .flat_map(|(project, _)| {
            parties.iter().map(|party| Stake { project: project.id, party: *party, principal: Some(stand_in) })
        })
        .collect();
    let left = Left::of(call, tx, stakes).await?;
    left.write(call, tx, &after.responsibles(), batch).await
}

/// Holds somebody for removal, so that nobody gives them anything meanwhile.
async fn held(call: &Call, tx: &mut dyn Tx, id: UserId) -> Result<User> {
    let mut roots = Roots::default();
    roots.add(Kind::User, id.uuid(), Hold::Remove);
    tx.lock(&roots).await?;
    let found = tx.directory().user(id).await?.filter(|user| user.company == call.caller.company);
    Ok(found.ok_or_else(|| Refusal::not_found(Kind::User))?)
}

/// Owns where somebody has roles, and holds their agents for removal.
async fn own(tx: &mut dyn Tx, roles: &Memberships, agents: &[Agent]) -> Result<()> {
    let mut roots = Roots::default();
    roles.groups.iter().for_each(|member| roots.add(Kind::Group, member.group.uuid(), Hold::Own));
    roles.projects.iter().for_each(|member| roots.add(Kind::Project, member.project.uuid(), Hold::Own));
    agents.iter().for_each(|agent| roots.add(Kind::Agent, agent.id.uuid(), Hold::Remove));
    tx.lock(&roots).await.map(drop)
}

fn projects_of(roles: &Memberships) -> Vec<ProjectId> {
    roles.projects.iter().map(|member| member.project).collect()
}

fn groups_of(roles: &Memberships) -> Vec<GroupId> {
    roles.groups.iter().map(|member| member.group).collect()
}

/// What is left around somebody who goes.
async fn around(
    call: &Call,
    tx: &mut dyn Tx,
    user: &User,
    roles: &Memberships,
    freed: &[Freed<'_>],
) -> Result<Without> {
    let projects: BTreeSet<ProjectId> = freed.iter().map(|thing| thing.project).chain(projects_of(roles)).collect();
    let projects: Vec<ProjectId> = projects.into_iter().collect();
    let around = Without::load(call, tx, (&projects, &groups_of(roles)), Some(user.id)).await?;
    if around.company.snapshot.users.is_empty() {
        let text = format!(
            "{} is the only person of the workspace who is not suspended, and nobody would be left to administer it. Add \
             or resume somebody else first (`chorus user create`, `chorus user resume`), then repeat this.",
            user.display_name()
        );
        return Err(Refusal::new(Code::LastAdmin, text).into());
    }
    Ok(around)
}

/// A line in the stream of each project where the person had a role of their own, and events wherever they had one.
fn roles_change(call: &Call, around: &Without, roles: &Memberships, action: Action, reason: &str, batch: &mut Batch) {
    for member in &roles.projects {
        let Some((project, _)) = around.projects.iter().find(|(project, _)| project.id == member.project) else {
            continue;
        };
        let value = match action {
            Action::ProjectMemberAdded => {
                json!({ "userUuid": member.user, "role": member.role.as_str(), "reason": reason })
            }
            _ => json!({ "userUuid": member.user, "from": member.role.as_str(), "reason": reason }),
        };
        let about = (Kind::Project, project.id.uuid(), project.name.as_str());
        batch.activities.push(call.activity(project.id, about, action, Some(value)));
        batch.events.push(call.event(project.id, Kind::Project, project.id.uuid(), Change::Updated));
    }
    batch.events.extend(roles.groups.iter().map(|member| call.group_event(member.group, Change::Updated)));
}

/// Tells one person of everything that is free again: the company's first user. What is hidden from them is told to who
/// answers for its project.
fn tell(call: &Call, around: &Without, user: &User, departure: Departure, freed: &[Freed<'_>], batch: &mut Batch) {
    let heir = around.company.snapshot.first_user;
    let mut told = BTreeMap::<UserId, Vec<Freed<'_>>>::new();
    for thing in freed {
        let Some(placed) = around.projects.iter().find(|(project, _)| project.id == thing.project) else { continue };
        let sees = heir.filter(|heir| around.level(placed, *heir) >= Level::Viewer);
        if let Some(person) = sees.or_else(|| around.responsible(placed)) {
            told.entry(person).or_default().push(*thing);
        }
    }
    let name = text::shorten(user.display_name(), NAME_IN_NOTICE);
    let said = format!("{} {} \"{name}\", who let go of", call.caller.name, departure.done());
    batch.notices.extend(told.into_iter().filter_map(|(person, things)| notice(person, &things, &said)));
}

/// What has no administrator of its own any more.
fn passed(around: &Without, roles: &Memberships, present: bool) -> Vec<Passed> {
    let named = |user: Option<UserId>| {
        user.and_then(|user| around.company.people.get(&user)).map(|person| person.name.clone()).unwrap_or_default()
    };
    let mut passed = Vec::new();
    if !present {
        return passed;
    }
    for member in roles.groups.iter().filter(|member| member.role == Role::Admin) {
        let Some(group) = around.groups.get(&member.group) else { continue };
        if !group.members.iter().any(|other| other.role == Role::Admin) {
            passed.push(Passed {
                kind: Kind::Group,
                id: group.group.id.uuid(),
                name: group.group.name.clone(),
                to: named(around.company.snapshot.first_user),
            });
        }
    }
    for member in roles.projects.iter().filter(|member| member.role == Role::Admin) {
        let Some(placed) = around.projects.iter().find(|(project, _)| project.id == member.project) else { continue };
        let (project, snapshot) = placed;
        if !snapshot.members.iter().any(|(_, role)| *role == Role::Admin) {
            let to = named(around.responsible(placed));
            passed.push(Passed { kind: Kind::Project, id: project.id.uuid(), name: project.name.clone(), to });
        }
    }
    passed
}
