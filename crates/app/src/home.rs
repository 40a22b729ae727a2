//! Use cases: what waits for a person, over all projects.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{Kind, Party};
use chorus_ids::{PageSize, ProjectId};
use chorus_store::{
    NotificationDigest, Page, PageRequest, ProjectProgress, ProjectsWithin, Reads, Result, TrackedTask, Waiting,
    WaitsFor,
};
use chorus_visibility::{Access, Need, ProjectFacts, level, permits};

use crate::{
    Call,
    tracker::{self, IdeaLine},
};

/// Rows of each list that the overview shows.
const SHOWN: u32 = 10;

/// What waits for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct YourTurn {
    /// What waits for each kind of decision, in the order of [`WaitsFor::ALL`], longest unchanged first, the first few.
    pub waiting: Vec<(WaitsFor, Page<Waiting>)>,
    /// Unread mentions, the newest few.
    pub mentions: NotificationDigest,
    /// Ideas that the person holds and that are not done, latest updated first, the first few.
    pub ideas: Vec<IdeaLine>,
    /// Whether they hold more ideas than these.
    pub more_ideas: bool,
    /// Unfinished tasks that the person holds: high, medium, low; the first few.
    pub tasks: Vec<TrackedTask>,
    /// Whether they hold more tasks than these.
    pub more_tasks: bool,
    /// The names of those from whom something waits.
    pub names: BTreeMap<Party, String>,
    /// How far they are with setting up.
    pub start: Start,
}

/// What somebody needs before agents can work for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// A project that they see.
    pub project: bool,
    /// An agent of their own.
    pub agent: bool,
}

/// What waits for the person who calls, with the projects in which they may edit. The number of statements does not grow
/// with what waits.
///
/// # Errors
/// `Internal` for the operator.
pub async fn your_turn(call: &Call, reads: &mut dyn Reads) -> Result<YourTurn> {
    let first = PageRequest::first(PageSize::new(SHOWN).unwrap_or_default());
    let mut waiting = Vec::new();
    for what in WaitsFor::ALL {
        waiting.push((what, reads.waiting(&call.scope, what, &first).await?));
    }
    let names =
        names(call, reads, waiting.iter().flat_map(|(_, page)| &page.rows).filter_map(|row| row.item.from)).await?;
    let mentions = reads.unread_mentions(&call.scope, call.party()?, SHOWN).await?;
    let holders = tracker::holders(call)?;
    let ideas = tracker::ideas(reads, &call.scope, &holders, None, SHOWN).await?;
    let tasks = tracker::tasks(reads, &call.scope, &holders, None, SHOWN).await?;
    let project = !reads.all_visible_projects(&call.scope, 1).await?.is_empty();
    let agent = match call.caller.principal.user {
        Some(user) => !reads.directory().agents_of(user).await?.is_empty(),
        None => false,
    };
    Ok(YourTurn {
        waiting,
        mentions,
        more_ideas: ideas.next.is_some(),
        ideas: ideas.rows.into_iter().map(|row| row.item).collect(),
        more_tasks: tasks.next.is_some(),
        tasks: tasks.rows.into_iter().map(|row| row.item).collect(),
        names,
        start: Start { project, agent },
    })
}

/// A page of what waits for one kind of decision, with the names of those from whom it is.
///
/// # Errors
/// What the store reports.
pub async fn waiting(
    call: &Call,
    reads: &mut dyn Reads,
    for_what: WaitsFor,
    page: &PageRequest,
) -> Result<(Page<Waiting>, BTreeMap<Party, String>)> {
    let page = reads.waiting(&call.scope, for_what, page).await?;
    let names = names(call, reads, page.rows.iter().filter_map(|row| row.item.from)).await?;
    Ok((page, names))
}

/// The names of these, in one statement.
///
/// # Errors
/// What the store reports.
pub async fn names(
    call: &Call,
    reads: &mut dyn Reads,
    parties: impl IntoIterator<Item = Party>,
) -> Result<BTreeMap<Party, String>> {
    let parties: BTreeSet<Party> = parties.into_iter().collect();
    if parties.is_empty() {
        return Ok(BTreeMap::new());
    }
    let parties: Vec<Party> = parties.into_iter().collect();
    let names = reads.names(&call.scope, &parties).await?;
    Ok(names.into_iter().map(|named| (named.party, named.name)).collect())
}

/// A page of groups that the caller may discover, and the first projects of each and of those in no group.
///
/// # Errors
/// What the store reports.
pub async fn grouped(
    call: &Call,
    reads: &mut dyn Reads,
    page: &PageRequest,
    each: u32,
) -> Result<(Page<chorus_store::GroupSummary>, Vec<ProjectProgress>)> {
    let groups = reads.groups(&call.scope, page).await?;
    let ids: Vec<_> = groups.rows.iter().map(|row| row.item.group.id).collect();
    let heads = reads.project_heads(&call.scope, &ids, each).await?;
    Ok((groups, heads))
}

/// Which of these projects the person who calls may rename, move and delete. One statement, however many they are.
///
/// # Errors
/// What the store reports.
pub async fn managed(
    call: &Call,
    reads: &mut dyn Reads,
    projects: impl IntoIterator<Item = ProjectId>,
) -> Result<BTreeSet<ProjectId>> {
    let things: Vec<_> = projects.into_iter().map(|project| (Kind::Project, project.uuid())).collect();
    if things.is_empty() {
        return Ok(BTreeSet::new());
    }
    let principal = &call.caller.principal;
    let located = reads.directory().locate(principal, &things).await?;
    let facts = located.into_iter().map(|located| located.facts);
    let may =
        |facts: &ProjectFacts| permits(level(principal, facts), facts.visibility, Need::Manage) == Access::Granted;
    Ok(facts.filter(may).map(|facts| facts.project).collect())
}

/// A page of the projects that the caller sees, with how far they are, latest updated first.
///
/// # Errors
/// What the store reports.
pub async fn projects(
    call: &Call,
    reads: &mut dyn Reads,
    within: ProjectsWithin,
    page: &PageRequest,
) -> Result<Page<ProjectProgress>> {
    reads.projects_within(&call.scope, within, page).await
}
