//! Use cases: what the caller has to do (data model specification §9 and §10).

use std::collections::BTreeSet;

use chorus_domain::{Party, idea::Idea};
use chorus_ids::UserId;
use chorus_lifecycle::idea::{Derived, DerivedStatus};
use chorus_store::{IdeaSummary, Position, Reads, Result, Row, TrackedIdea, TrackedTask};
use chorus_visibility::Scope;

use crate::{Call, Narrowing, idea};

/// A part of a tracker.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<T> {
    /// Its rows. There may be none although more follow.
    pub rows: Vec<Row<T>>,
    /// Behind which place the next part begins; nothing at the end.
    pub next: Option<Position>,
}

/// An idea of a tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdeaLine {
    /// The idea, without its content.
    pub idea: Idea,
    /// What its project is called.
    pub project_name: String,
    /// Its progress; never `done`.
    pub derived: Derived,
    /// Pending and approved proposals that name it.
    pub proposals: u32,
    /// Tasks of the latest approved one.
    pub tasks: u32,
}

/// Whose items are the caller's: its own and its owner's.
///
/// # Errors
/// `Internal` for the operator.
pub fn holders(call: &Call) -> Result<Vec<Party>> {
    let owner: Option<UserId> = call.caller.owner;
    let holders: BTreeSet<Party> = [call.party()?].into_iter().chain(owner.map(Party::User)).collect();
    Ok(holders.into_iter().collect())
}

/// The caller's scope, narrowed to what the client asked for. What it names that is missing or hidden contributes
/// nothing; if nothing remains, the scope sees nothing (README decision 16).
///
/// # Errors
/// What the store reports.
pub async fn narrowed(call: &Call, reads: &mut dyn Reads) -> Result<Scope> {
    Ok(match &call.narrowing {
        Narrowing::Nothing => call.scope.clone(),
        Narrowing::Projects(projects) => {
            let visible = reads.visible_projects(&call.scope, projects).await?;
            call.scope.narrowed(&visible)
        }
        Narrowing::Group(group) => {
            let visible = reads.projects_of_group(&call.scope, *group).await?;
            call.scope.narrowed(&visible)
        }
    })
}

/// Ideas of these holders that are not done, latest updated first, at most `limit` behind a place.
///
/// # Errors
/// What the store reports.
pub async fn ideas(
    reads: &mut dyn Reads,
    scope: &Scope,
    holders: &[Party],
    after: Option<Position>,
    limit: u32,
) -> Result<Part<IdeaLine>> {
    let found = reads.tracked_ideas(scope, holders, after, limit).await?;
    let next = next(&found, limit);
    let summaries: Vec<IdeaSummary> = found.iter().map(|row| row.item.summary.clone()).collect();
    let progress = idea::derived(reads, scope, &summaries).await?;
    let rows = found
        .into_iter()
        .filter_map(|Row { at, item: TrackedIdea { summary, project_name } }| {
            let derived = *progress.get(&summary.idea.id)?;
            let facts = summary.facts;
            (derived.status != DerivedStatus::Done).then(|| Row {
                at,
                item: IdeaLine {
                    idea: summary.idea,
                    project_name,
                    derived,
                    proposals: facts.pending_proposals.saturating_add(facts.approved_proposals),
                    tasks: facts.tasks.map_or(0, |tasks| tasks.total),
                },
            })
        })
        .collect();
    Ok(Part { rows, next })
}

/// Unfinished tasks of these holders: high, medium, low; most recently assigned first; at most `limit` behind a place.
///
/// # Errors
/// What the store reports.
pub async fn tasks(
    reads: &mut dyn Reads,
    scope: &Scope,
    holders: &[Party],
    after: Option<Position>,
    limit: u32,
) -> Result<Part<TrackedTask>> {
    let rows = reads.tracked_tasks(scope, holders, after, limit).await?;
    let next = next(&rows, limit);
    Ok(Part { rows, next })
}

/// Where to go on: behind the last row of a part that is as full as can be.
fn next<T>(rows: &[Row<T>], limit: u32) -> Option<Position> {
    rows.last().filter(|_| rows.len() >= limit as usize).map(|row| row.at)
}
