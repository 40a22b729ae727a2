//! What people and their agents hold where they may not edit any more, or nowhere any more: it is free for others, which
//! the stream says of each thing and one person is told in a list (report 35).

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{
    Batch, Kind, Party, Write,
    activity::Action,
    event::Change,
    notification::{Notice, Recipient, Topic},
    removal::{self, Freed, Parting, Stake},
    text,
};
use chorus_ids::{AgentId, ProjectId, UserId, Uuid};
use chorus_store::{Reach, Reads, Result};
use chorus_visibility::ProjectImpact;
use serde_json::{Value, json};

use crate::Call;

/// Most titles that a notice lists.
const LISTED: usize = 20;
/// Longest title in that list, in characters.
const LISTED_TITLE: usize = 60;

/// How much a change of access frees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Released {
    /// Unfinished tasks.
    pub tasks: usize,
    /// Ideas that are not approved yet.
    pub ideas: usize,
    /// Sessions that leave a task.
    pub checkins: usize,
}

/// What a change of access takes from those who can't edit any more.
#[derive(Debug, Default)]
pub(crate) struct Left {
    parting: Parting,
    /// The agents whose sessions leave the tasks of a project.
    leaving: BTreeMap<ProjectId, BTreeSet<AgentId>>,
    /// The tasks that they leave.
    left: BTreeSet<(ProjectId, Uuid)>,
    checkins: usize,
}

impl Left {
    /// What these changes take. Looks only where somebody loses the right to edit, with as many statements for many
    /// people as for one. Whoever calls this owns the projects, so that nobody takes anything there meanwhile.
    pub(crate) async fn by<'i>(
        call: &Call,
        reads: &mut dyn Reads,
        impacts: impl IntoIterator<Item = &'i ProjectImpact>,
    ) -> Result<Self> {
        let impacts: BTreeMap<ProjectId, &ProjectImpact> =
            impacts.into_iter().filter(|impact| impact.ends_editing()).map(|impact| (impact.project, impact)).collect();
        let projects: Vec<ProjectId> = impacts.keys().copied().collect();
        let ends =
            |stake: &Stake| impacts.get(&stake.project).is_some_and(|impact| impact.ends_editing_of(stake.principal));
        let stakes = reads.directory().stakes(&projects).await?;
        Self::of(call, reads, stakes.into_iter().filter(ends)).await
    }

    /// What goes with these stakes.
    pub(crate) async fn of(
        call: &Call,
        reads: &mut dyn Reads,
        stakes: impl IntoIterator<Item = Stake>,
    ) -> Result<Self> {
        let going: BTreeSet<(ProjectId, Party)> =
            stakes.into_iter().map(|stake| (stake.project, stake.party)).collect();
        let parties: Vec<Party> = going.iter().map(|(_, party)| *party).collect::<BTreeSet<_>>().into_iter().collect();
        let projects: Vec<ProjectId> =
            going.iter().map(|(project, _)| *project).collect::<BTreeSet<_>>().into_iter().collect();
        let mut held = reads.directory().holdings(&parties, Reach::Projects(&projects)).await?;
        let goes = |project, holder: Option<Party>| holder.is_some_and(|holder| going.contains(&(project, holder)));
        held.tasks.retain(|task| goes(task.project, task.assignee.map(|held| held.to)));
        held.ideas.retain(|held| goes(held.idea.project, held.idea.assignee.map(|held| held.to)));
        held.checkins.retain(|checkin| going.contains(&(checkin.project, Party::Agent(checkin.agent))));
        let mut left = Self { checkins: held.checkins.len(), ..Self::default() };
        for checkin in &held.checkins {
            left.leaving.entry(checkin.project).or_default().insert(checkin.agent);
            left.left.insert((checkin.project, checkin.task.uuid()));
        }
        left.parting = removal::part(held, call.now)?;
        Ok(left)
    }

    /// How much that is.
    pub(crate) fn released(&self) -> Released {
        Released { tasks: self.parting.tasks.len(), ideas: self.parting.ideas.len(), checkins: self.checkins }
    }

    /// Adds it to the batch; `responsible` says who answers for a project once the batch is written, and is told of
    /// what is free again there.
    pub(crate) async fn write(
        &self,
        call: &Call,
        reads: &mut dyn Reads,
        responsible: &BTreeMap<ProjectId, UserId>,
        batch: &mut Batch,
    ) -> Result<()> {
        let freed = self.parting.freed();
        let holders: Vec<Party> = freed.iter().map(|thing| thing.holder).collect::<BTreeSet<_>>().into_iter().collect();
        let names = reads.names(&call.scope, &holders).await?;
        let names: BTreeMap<Party, String> = names.into_iter().map(|named| (named.party, named.name)).collect();
        let name = |thing: &Freed<'_>| names.get(&thing.holder).cloned().unwrap_or_default();
        free(call, &self.parting, batch, |thing| {
            json!({
                "reason": "access_lost", "assigneeType": thing.holder.kind(), "assigneeUuid": thing.holder.uuid(),
                "assigneeName": name(thing)
            })
        });
        for (project, agents) in &self.leaving {
            batch.writes.push(Write::EndCheckinsIn(*project, agents.iter().copied().collect(), call.now));
        }
        let freed_tasks: BTreeSet<Uuid> = freed.iter().map(|thing| thing.id).collect();
        let left = self.left.iter().filter(|(_, task)| !freed_tasks.contains(task));
        batch.events.extend(left.map(|(project, task)| call.event(*project, Kind::Task, *task, Change::Updated)));
        for (project, things) in by_project(&freed) {
            let Some(told) = responsible.get(&project) else { continue };
            let who: BTreeSet<String> = things.iter().map(&name).collect();
            let who: Vec<String> =
                who.into_iter().map(|name| format!("\"{}\"", text::shorten(&name, LISTED_TITLE))).collect();
            let said = format!("{} changed who can edit the project, so {} let go of", call.caller.name, some(&who));
            batch.notices.extend(notice(*told, &things, &said));
        }
        Ok(())
    }
}

/// Who answers for projects after these changes.
pub(crate) fn responsible<'i>(impacts: impl IntoIterator<Item = &'i ProjectImpact>) -> BTreeMap<ProjectId, UserId> {
    impacts.into_iter().filter_map(|impact| Some((impact.project, impact.responsible?))).collect()
}

/// The same things, by project.
pub(crate) fn by_project<'p>(things: &[Freed<'p>]) -> BTreeMap<ProjectId, Vec<Freed<'p>>> {
    let mut projects = BTreeMap::<ProjectId, Vec<Freed<'p>>>::new();
    for thing in things {
        projects.entry(thing.project).or_default().push(*thing);
    }
    projects
}

/// Adds what becomes of the things to a batch: the rows, a line in the stream for each with this value, an event.
pub(crate) fn free(call: &Call, parting: &Parting, batch: &mut Batch, value: impl Fn(&Freed<'_>) -> Value) {
    batch.writes.extend(parting.tasks.iter().map(|vacated| Write::SaveTask(vacated.now.clone())));
    batch.writes.extend(parting.ideas.iter().map(|vacated| Write::SaveIdea(vacated.now.clone())));
    for thing in parting.freed() {
        let about = (thing.kind, thing.id, thing.title);
        batch.activities.push(call.activity(thing.project, about, Action::Released, Some(value(&thing))));
        batch.events.push(call.event(thing.project, thing.kind, thing.id, Change::Updated));
    }
}

/// Tells one person of all these things, none if there are none. It leads to the first of them; `said` is the beginning
/// of the sentence that their list ends.
pub(crate) fn notice(told: UserId, things: &[Freed<'_>], said: &str) -> Option<Notice> {
    let first = things.first()?;
    Some(Notice {
        to: vec![Recipient::Entitled(told)],
        topic: Topic::WorkFreed,
        project: first.project,
        entity: first.kind,
        entity_id: first.id,
        entity_title: first.title.to_owned(),
        message: format!("{said} {}; free for others now", listed(things)),
    })
}

/// The things as a message lists them.
pub(crate) fn listed(things: &[Freed<'_>]) -> String {
    let name = |thing: &Freed<'_>| format!("the {} \"{}\"", thing.kind, text::shorten(thing.title, LISTED_TITLE));
    some(&things.iter().map(name).collect::<Vec<_>>())
}

/// The beginning of a list, and how much more there is.
fn some(names: &[String]) -> String {
    let mut list: Vec<String> = names.iter().take(LISTED).cloned().collect();
    if names.len() > LISTED {
        list.push(format!("{} more", names.len() - LISTED));
    }
    list.join(", ")
}

#[cfg(test)]
mod tests {
    use chorus_ids::TaskId;

    use super::*;

    fn thing(n: u128, title: &str) -> Freed<'_> {
        Freed {
            kind: Kind::Task,
            id: TaskId::from_u128(n).uuid(),
            project: ProjectId::from_u128(1),
            title,
            holder: Party::User(UserId::from_u128(2)),
        }
    }

    #[test]
    fn a_notice_lists_what_is_free_and_leads_to_the_first() {
        let told = notice(UserId::from_u128(3), &[thing(1, "Parse"), thing(2, "Lex")], "Ann let go of");
        let told = told.map(|notice| (notice.message, notice.entity_id));
        let message = "Ann let go of the task \"Parse\", the task \"Lex\"; free for others now".to_owned();
        assert_eq!(told, Some((message, TaskId::from_u128(1).uuid())));
        assert_eq!(notice(UserId::from_u128(3), &[], "x"), None);
    }

    #[test]
    fn a_long_list_ends_with_how_much_more_there_is() {
        let things: Vec<Freed<'_>> = (0..25).map(|n| thing(n, "Parse")).collect();
        let list = listed(&things);
        assert!(list.ends_with(", 5 more"), "{list}");
        assert_eq!(list.matches("Parse").count(), 20);
    }
}
