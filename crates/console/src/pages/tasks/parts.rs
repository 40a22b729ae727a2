//! What the pages about tasks have in common.

use chorus_domain::{Kind, Party, access::Demand, task::Task};
use chorus_ids::{PageSize, ProjectId, ProposalId, TaskId};
use chorus_lifecycle::task::{Priority, TaskStatus};
use chorus_store::{PageRequest, Start, TaskFilter};
use chorus_visibility::Need;

pub(crate) use crate::pages::names::{Names, party_text};
use crate::{
    desk::{Desk, Reading, found},
    fault::Fault,
};

/// An option of a list to choose from.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) text: String,
    pub(crate) chosen: bool,
}

/// What `user:…` or `agent:…` stands for.
pub(crate) fn read_party(text: &str) -> Option<Party> {
    let (kind, id) = text.split_once(':')?;
    Party::read(kind, id.parse().ok()?)
}

/// The names of these people and agents, in one statement. Whoever is gone without a trace has none.
pub(crate) async fn names(reading: &mut Reading, parties: impl IntoIterator<Item = Party>) -> Result<Names, Fault> {
    Names::of(reading, parties.into_iter().collect()).await
}

/// The name to show.
pub(crate) fn name_of(desk: &Desk, names: &Names, party: Party) -> String {
    names.known(party).unwrap_or_else(|| desk.say("work-somebody-gone").into_owned())
}

/// Reads about the project that the path names, with its id.
pub(crate) async fn read_project(desk: &Desk, need: Need) -> Result<(Reading, ProjectId), Fault> {
    let project: ProjectId = desk.id("project")?;
    Ok((desk.read_about(Kind::Project, project.uuid(), need).await?, project))
}

/// Reads about the task that the path names, which has to be in the path's project.
pub(crate) async fn read_task(desk: &Desk, need: Need) -> Result<(Reading, ProjectId, TaskId), Fault> {
    let (project, task): (ProjectId, TaskId) = (desk.id("project")?, desk.id("task")?);
    let demand = Demand { kind: Kind::Task, id: task.uuid(), need, inside: Some(project) };
    Ok((desk.read_at(&[demand]).await?, project, task))
}

/// Which tasks are asked for, as the query says. What means nothing is passed over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) status: Option<TaskStatus>,
    pub(crate) priority: Option<Priority>,
    pub(crate) proposal: Option<ProposalId>,
    pub(crate) assignee: Option<Party>,
}

impl Filter {
    pub(crate) fn of(desk: &Desk) -> Self {
        let query = |name| desk.query.filled(name);
        Self {
            status: query("status").and_then(|word| word.parse().ok()),
            priority: query("priority").and_then(|word| word.parse().ok()),
            proposal: query("proposal").and_then(|id| id.parse().ok()).map(ProposalId::from_uuid),
            assignee: query("assignee").and_then(read_party),
        }
    }

    /// For the store.
    pub(crate) fn wanted(&self) -> TaskFilter {
        TaskFilter {
            statuses: self.status.into_iter().collect(),
            priority: self.priority,
            proposals: self.proposal.into_iter().collect(),
            assignee: self.assignee,
            unblocked: None,
        }
    }

    /// Whether anything is asked for.
    pub(crate) const fn is_set(&self) -> bool {
        self.status.is_some() || self.priority.is_some() || self.proposal.is_some() || self.assignee.is_some()
    }

    /// The query that asks for the same in another view, on another page.
    pub(crate) fn query(&self, view: &str, page: u32) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let mut put = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                query.append_pair(name, &value);
            }
        };
        put("view", Some(view.to_owned()));
        put("status", self.status.map(|status| status.as_str().to_owned()));
        put("priority", self.priority.map(|priority| priority.as_str().to_owned()));
        put("proposal", self.proposal.map(|proposal| proposal.to_string()));
        put("assignee", self.assignee.map(party_text));
        put("page", (page > 1).then(|| page.to_string()));
        query.finish()
    }
}

/// The fields by which tasks are chosen.
pub(crate) struct Filters {
    pub(crate) statuses: Vec<Choice>,
    pub(crate) priorities: Vec<Choice>,
    pub(crate) proposals: Vec<Choice>,
    pub(crate) assignees: Vec<Choice>,
    pub(crate) is_set: bool,
}

impl Filters {
    /// The fields for a project, with two statements.
    pub(crate) async fn load(
        desk: &Desk,
        reading: &mut Reading,
        project: ProjectId,
        filter: &Filter,
    ) -> Result<Self, Fault> {
        let (call, reads) = reading.parts();
        let newest = PageRequest::first(PageSize::MAX);
        let proposals = found(reads.proposals(&call.scope, project, None, &newest).await)?;
        let holders = found(chorus_app::task::holders_of(call, reads, project).await)?;
        let word =
            |list: &str, word: &str| desk.texts.say(&format!("{list}-{}", word.replace('_', "-")), &[]).into_owned();
        let status = |status: TaskStatus| Choice {
            value: status.as_str().to_owned(),
            text: word("task-status", status.as_str()),
            chosen: filter.status == Some(status),
        };
        let priority = |priority: Priority| Choice {
            value: priority.as_str().to_owned(),
            text: word("priority", priority.as_str()),
            chosen: filter.priority == Some(priority),
        };
        let proposals = proposals.rows.into_iter().map(|row| Choice {
            value: row.item.id.to_string(),
            chosen: filter.proposal == Some(row.item.id),
            text: row.item.title,
        });
        let assignees = holders.into_iter().map(|holder| Choice {
            value: party_text(holder.party),
            chosen: filter.assignee == Some(holder.party),
            text: holder.name,
        });
        Ok(Self {
            statuses: TaskStatus::ALL.into_iter().map(status).collect(),
            priorities: Priority::ALL.into_iter().map(priority).collect(),
            proposals: proposals.collect(),
            assignees: assignees.collect(),
            is_set: filter.is_set(),
        })
    }
}

/// The page of a list that the query asks for, from 1.
pub(crate) fn page_number(desk: &Desk, name: &str) -> u32 {
    desk.query.filled(name).and_then(|number| number.parse().ok()).filter(|number| *number >= 1).unwrap_or(1)
}

/// A page of this size.
pub(crate) fn page(number: u32, size: PageSize) -> PageRequest {
    PageRequest { start: Start::Page(number), size }
}

/// The priorities to choose from, with that of a task chosen.
pub(crate) fn priorities(desk: &Desk, chosen: Priority) -> Vec<Choice> {
    let choice = |priority: Priority| Choice {
        value: priority.as_str().to_owned(),
        text: desk.texts.say(&format!("priority-{}", priority.as_str()), &[]).into_owned(),
        chosen: priority == chosen,
    };
    Priority::ALL.into_iter().map(choice).collect()
}

/// Tasks that have not ended, for being waited for: high, medium, low; newest first.
pub(crate) async fn unfinished(reading: &mut Reading, project: ProjectId) -> Result<Vec<Task>, Fault> {
    let statuses = TaskStatus::ALL.into_iter().filter(|status| !status.is_finished()).collect();
    let filter = TaskFilter { statuses, ..TaskFilter::default() };
    let (call, reads) = reading.parts();
    let tasks = chorus_app::task::list(call, reads, project, &filter, &PageRequest::first(PageSize::MAX)).await;
    Ok(found(tasks)?.rows.into_iter().map(|row| row.item).collect())
}
