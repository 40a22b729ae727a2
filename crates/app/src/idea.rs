//! Use cases: ideas.

use std::collections::BTreeMap;

use chorus_domain::{
    Batch, Kind, Party, Refusal, Write,
    activity::Action,
    document::Document,
    event::{Change, Event},
    idea::{self, Idea, IdeaForm},
    notification::{Notice, Recipient, Topic, quoted},
    reference::{ReferenceForm, Skipped},
};
use chorus_ids::{IdeaId, ProjectId};
use chorus_lifecycle::idea::{ChildProgress, Derived, IdeaStatus};
use chorus_store::{Error, IdeaSummary, Outcome, Page, PageRequest, Reads, Result, Row, Tx};
use chorus_visibility::Scope;
use serde_json::json;

use crate::{
    Call,
    agent::require_present,
    mention::{self, Text},
    reference,
};

pub mod edit;

pub mod assign;
pub mod delete;
pub mod relocate;

/// Most ideas of one kind that are listed with an idea: of those directly below it, and of all below it.
pub const FAMILY: usize = 100;

/// The progress of these ideas (lifecycle specification §2.7). What is below them is loaded, in one statement, only if
/// a theme with children is among them.
///
/// # Errors
/// What the store reports.
pub async fn derived(reads: &mut dyn Reads, scope: &Scope, ideas: &[IdeaSummary]) -> Result<BTreeMap<IdeaId, Derived>> {
    let themes: Vec<IdeaId> = ideas
        .iter()
        .filter(|summary| idea::follows_children(&summary.idea, &summary.facts))
        .map(|summary| summary.idea.id)
        .collect();
    let below = if themes.is_empty() { Vec::new() } else { reads.ideas_below(scope, &themes).await? };
    let known = ideas.iter().chain(&below).map(|summary| (&summary.idea, &summary.facts));
    let progress = idea::roll_up(known);
    Ok(ideas.iter().filter_map(|summary| Some((summary.idea.id, progress.get(&summary.idea.id)?.derived))).collect())
}

/// A new idea, and which of its references were passed over.
#[derive(Clone, Debug, PartialEq)]
pub struct Created {
    /// The idea.
    pub idea: Idea,
    /// References that can't be stored.
    pub skipped: Vec<Skipped>,
}

/// Makes an idea in a project that the call named, with references to evidence. No activity tells of it (tool guide
/// §17), but whoever its text mentions is told.
///
/// # Errors
/// What [`idea::create`] refuses.
pub async fn create(
    call: &Call,
    tx: &mut dyn Tx,
    project: ProjectId,
    form: IdeaForm,
    references: Vec<ReferenceForm>,
) -> Result<Outcome<Created>> {
    let origin = call.origin(project)?;
    let made = idea::create(call.new_id(), form, origin)?;
    let mut batch = Batch {
        writes: vec![Write::NewIdea(made.clone())],
        events: vec![call.event(project, Kind::Idea, made.id.uuid(), Change::Created)],
        ..Batch::default()
    };
    let (references, skipped) = reference::attach(call, references, (Kind::Idea, made.id.uuid()), origin);
    batch.writes.extend(reference::written(&references));
    let text = Text {
        source: (Kind::Idea, made.id.uuid()),
        entity: target(&made),
        before: None,
        after: made.content.as_deref(),
        argument: Some("content".to_owned()),
    };
    mention::tell(call, tx, project, &[text], &mut batch).await?;
    Ok(Outcome { batch, answer: Created { idea: made, skipped } })
}

/// Takes an idea that nobody holds.
///
/// # Errors
/// What [`idea::claim`] refuses.
pub async fn claim(call: &Call, tx: &mut dyn Tx, id: IdeaId) -> Result<Outcome<Idea>> {
    let by = call.party()?;
    let before = load(call, tx, id).await?;
    // Only a refusal names the holder.
    let names = match before.assignee {
        Some(held) => tx.names(&call.scope, &[held.to]).await?,
        None => Vec::new(),
    };
    let claimed = idea::claim(&before, names.first().map(|found| found.name.as_str()), by, call.now)?;
    require_present(call, tx, by).await?;
    let mut batch = saved(call, &claimed);
    let value = json!({ "assigneeType": by.kind(), "assigneeUuid": by.uuid() });
    batch.activities.push(call.activity(claimed.project, target(&claimed), Action::Assigned, Some(value)));
    let to = vec![Recipient::Party(claimed.created_by), Recipient::Party(by)];
    batch.notices.push(notice(&claimed, Topic::IdeaClaimed, to, format!("{} claimed", call.caller.name)));
    Ok(Outcome { batch, answer: claimed })
}

/// Gives an idea back.
///
/// # Errors
/// What [`idea::release`] refuses.
pub async fn release(call: &Call, tx: &mut dyn Tx, id: IdeaId) -> Result<Outcome<Idea>> {
    let released = idea::release(&load(call, tx, id).await?, &call.caller, call.now)?;
    let mut batch = saved(call, &released);
    batch.activities.push(call.activity(released.project, target(&released), Action::Released, None));
    Ok(Outcome { batch, answer: released })
}

/// An idea with everything around it.
#[derive(Clone, Debug, PartialEq)]
pub struct IdeaDetail {
    /// The idea and its facts.
    pub summary: IdeaSummary,
    /// Its progress.
    pub derived: Derived,
    /// How many of the ideas directly below it are done.
    pub child_progress: ChildProgress,
    /// The idea above it.
    pub parent: Option<Idea>,
    /// The ideas directly below it, oldest first, at most [`FAMILY`].
    pub children: Vec<(Idea, Derived)>,
    /// How many ideas are directly below it.
    pub child_count: usize,
    /// Everything below it, at any depth, oldest first, at most [`FAMILY`].
    pub descendants: Vec<IdeaId>,
    /// How many ideas are below it.
    pub descendant_count: usize,
    /// Its completion reports, newest first, with their texts.
    pub reports: Vec<Document>,
}

/// Reads an idea with everything around it.
///
/// # Errors
/// Not found.
pub async fn read(call: &Call, reads: &mut dyn Reads, id: IdeaId) -> Result<IdeaDetail> {
    let scope = &call.scope;
    let summary = reads.idea_summary(scope, id).await?.ok_or_else(|| Refusal::not_found(Kind::Idea))?;
    let parent = match summary.idea.parent {
        Some(parent) => reads.idea(scope, parent).await?,
        None => None,
    };
    let mut below = match summary.facts.children {
        0 => Vec::new(),
        _ => reads.ideas_below(scope, &[id]).await?,
    };
    let reports = match summary.facts.reports {
        0 => Vec::new(),
        _ => reads.reports_of_idea(scope, id).await?,
    };
    below.retain(|other| other.idea.id != id); // it is below itself where stored parents form a cycle
    below.sort_by_key(|other| (other.idea.created_at, other.idea.id));
    let family = below.iter().chain([&summary]).map(|known| (&known.idea, &known.facts));
    let progress = idea::roll_up(family);
    let own = progress.get(&id).ok_or_else(|| Error::internal("an idea has no progress of its own"))?;
    let (derived, child_progress) = (own.derived, own.children);
    let descendant_count = below.len();
    let descendants = below.iter().take(FAMILY).map(|other| other.idea.id).collect();
    let child_count = below.iter().filter(|other| other.idea.parent == Some(id)).count();
    let children = below
        .into_iter()
        .filter(|other| other.idea.parent == Some(id))
        .take(FAMILY)
        .filter_map(|other| Some((progress.get(&other.idea.id)?.derived, other.idea)))
        .map(|(derived, child)| (child, derived))
        .collect();
    Ok(IdeaDetail {
        summary,
        derived,
        child_progress,
        parent,
        children,
        child_count,
        descendants,
        descendant_count,
        reports,
    })
}

/// An idea of a list with its progress.
#[derive(Clone, Debug, PartialEq)]
pub struct IdeaRow {
    /// The idea, without its content, and its facts.
    pub summary: IdeaSummary,
    /// Its progress.
    pub derived: Derived,
}

/// Which ideas of a project are wanted; `None` means any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdeaFilter {
    /// In this stored status.
    pub status: Option<IdeaStatus>,
    /// Directly below this idea, which is in the project.
    pub parent: Option<IdeaId>,
}

/// A project's ideas, newest first.
///
/// # Errors
/// What the store reports.
pub async fn list(
    call: &Call,
    reads: &mut dyn Reads,
    (project, filter): (ProjectId, IdeaFilter),
    page: &PageRequest,
) -> Result<Page<IdeaRow>> {
    let IdeaFilter { status, parent } = filter;
    let Page { rows, total, more } = match parent {
        Some(parent) => reads.children(&call.scope, parent, status, page).await?,
        None => reads.ideas(&call.scope, project, status, page).await?,
    };
    let (places, summaries): (Vec<_>, Vec<_>) = rows.into_iter().map(|row| (row.at, row.item)).unzip();
    let progress = derived(reads, &call.scope, &summaries).await?;
    let rows = places
        .into_iter()
        .zip(summaries)
        .filter_map(|(at, summary)| {
            let derived = *progress.get(&summary.idea.id)?;
            Some(Row { at, item: IdeaRow { summary, derived } })
        })
        .collect();
    Ok(Page { rows, total, more })
}

/// Most ideas whose progress [`overview`] works out.
pub const OVERVIEW: u32 = 2_000;

/// The ideas of a project with their progress, latest updated first, at most [`OVERVIEW`]: what its board, its tree and
/// its numbers are made of. A theme beyond that many ideas may lack some of its children.
///
/// # Errors
/// What the store reports.
pub async fn overview(call: &Call, reads: &mut dyn Reads, project: ProjectId) -> Result<Vec<IdeaRow>> {
    let summaries = reads.ideas_in(&call.scope, project, OVERVIEW).await?;
    let progress = idea::roll_up(summaries.iter().map(|summary| (&summary.idea, &summary.facts)));
    let row = |summary: IdeaSummary| {
        let derived = progress.get(&summary.idea.id)?.derived;
        Some(IdeaRow { summary, derived })
    };
    Ok(summaries.into_iter().filter_map(row).collect())
}

/// Loads an idea to decide about it.
pub(crate) async fn load(call: &Call, tx: &mut dyn Tx, id: IdeaId) -> Result<Idea> {
    Ok(tx.idea(&call.scope, id).await?.ok_or_else(|| Refusal::not_found(Kind::Idea))?)
}

/// A batch that saves an idea and tells of its change.
pub(crate) fn saved(call: &Call, idea: &Idea) -> Batch {
    Batch { writes: vec![Write::SaveIdea(idea.clone())], events: vec![updated(call, idea)], ..Batch::default() }
}

/// Tells that an idea, or something shown with it, changed.
pub(crate) fn updated(call: &Call, idea: &Idea) -> Event {
    call.event(idea.project, Kind::Idea, idea.id.uuid(), Change::Updated)
}

/// An idea as the target of an activity.
pub(crate) fn target(idea: &Idea) -> (Kind, chorus_ids::Uuid, &str) {
    (Kind::Idea, idea.id.uuid(), &idea.title)
}

/// A notice about an idea; the message is `did` and the idea's title.
pub(crate) fn notice(idea: &Idea, topic: Topic, to: Vec<Recipient>, did: String) -> Notice {
    Notice {
        to,
        topic,
        project: idea.project,
        entity: Kind::Idea,
        entity_id: idea.id.uuid(),
        entity_title: idea.title.clone(),
        message: format!("{did} the idea {}", quoted(&idea.title)),
    }
}

/// Whoever made an idea and whoever holds it.
pub(crate) fn concerned(idea: &Idea) -> impl Iterator<Item = Party> {
    idea.assignee.map(|held| held.to).into_iter().chain([idea.created_by])
}
