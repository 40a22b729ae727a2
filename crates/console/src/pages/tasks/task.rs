//! `/projects/{project}/tasks/{task}`: one task, with everything that can be done with it.

use askama::Template;
use chorus_app::task;
use chorus_domain::{
    Kind, Party, Subject,
    session::fresh_since,
    task::{Criterion, Judgement, Task, TaskRef, criteria::roll_up},
};
use chorus_ids::{CriterionId, DocumentId, IdeaId, PageSize, ProjectId, ProposalId, Timestamp};
use chorus_lifecycle::{
    criterion::Mark,
    document::DocumentType,
    proposal::{InputType, ProposalStatus},
    task::TaskStatus,
};
use chorus_store::{Mentionables, PageRequest, TaskDetail, Within};
use chorus_visibility::Need;
use http::StatusCode;

use super::{
    board::{Move, blocked_path, moves},
    parts::{Choice, Names, name_of, names, party_text, priorities, read_task, unfinished},
};
use crate::{
    answer::{self, Answer},
    desk::{Desk, Reading, found},
    fault::Fault,
    frame::{Frame, Tab},
    pages::{evidence::Evidence, history::History, talk::Talk},
};

/// Most people and agents that a task can be given to at a time; more are found by a piece of their names.
const CANDIDATES: u32 = 50;

/// One of the two marks of a criterion.
struct Verdict {
    mark: Mark,
    evidence: Option<String>,
    by: Option<(String, Timestamp)>,
}

/// A criterion with both of them.
struct Line {
    id: CriterionId,
    description: String,
    required: bool,
    own: Verdict,
    verdict: Verdict,
    form: String,
}

/// Where a task comes from.
struct Origin {
    proposal: ProposalId,
    title: String,
    status: ProposalStatus,
    /// The ideas behind it that the person sees, each with its project.
    ideas: Vec<(IdeaId, ProjectId, String)>,
    reports: Vec<(DocumentId, String)>,
}

struct Worker {
    session: String,
    agent: String,
    since: Timestamp,
}

#[derive(Template)]
#[template(path = "tasks/task.html")]
struct TaskPage {
    f: Frame,
    project: ProjectId,
    here: String,
    blocked: String,
    task: Task,
    holder: Option<String>,
    creator: String,
    /// Whether the person holds it.
    mine: bool,
    me: String,
    moves: &'static [Move],
    /// Whether verdicts stand against verifying it.
    unproven: bool,
    acceptance: &'static str,
    lines: Vec<Line>,
    /// The criteria as they can be written anew: place, number, text, required.
    rewrite: Vec<(u64, u64, String, bool)>,
    depends_on: Vec<TaskRef>,
    hidden_on: u64,
    depended_by: Vec<TaskRef>,
    hidden_by: u64,
    waits: bool,
    others: Vec<TaskRef>,
    looked_for: String,
    origin: Option<Origin>,
    workers: Vec<Worker>,
    evidence: Evidence,
    priorities: Vec<Choice>,
    assignees: Vec<Choice>,
    who: String,
    talk: Talk,
    history: History,
}

/// `GET /projects/{project}/tasks/{task}`.
pub(crate) async fn task(desk: &Desk) -> Result<Answer, Fault> {
    let (mut reading, project, id) = read_task(desk, Need::Viewer).await?;
    let (call, reads) = reading.parts();
    let detail = found(task::get(call, reads, id).await)?;
    let at_it = found(reads.workers(&call.scope, &[id], fresh_since(call.now)).await)?;
    let (here, about) = (format!("/projects/{project}/tasks/{id}"), (Kind::Task, id.uuid()));
    let talk = Talk::load(desk, &mut reading, about, (project, &here)).await?;
    let history = History::load(desk, &mut reading, about).await?;
    let origin = origin(&mut reading, detail.task.proposal).await?;
    let f = desk.project_frame(&reading, detail.task.title.clone(), Tab::Tasks);
    let edits = f.edits();
    let looked_for = desk.query.filled("find").unwrap_or_default().to_owned();
    let others = if edits { others(&mut reading, project, &looked_for, &detail).await? } else { Vec::new() };
    let who = desk.query.filled("who").unwrap_or_default().to_owned();
    let assignees = if edits { candidates(desk, &mut reading, project, &who).await? } else { Vec::new() };

    let task = &detail.task;
    let marked = |judgement: &Judgement| judgement.by.map(|(by, _)| by);
    let markers = detail.criteria.iter().flat_map(|line| [marked(&line.dev), marked(&line.verdict)]).flatten();
    let holder = task.assignee.map(|held| held.to);
    let agents = at_it.iter().map(|worker| Party::Agent(worker.agent));
    let parties = markers.chain(holder).chain([task.created_by]).chain(agents);
    let names = names(&mut reading, parties.collect::<Vec<_>>()).await?;
    let me = reading.call.party()?;
    let (acceptance, summary) = roll_up(&detail.criteria);
    let page = TaskPage {
        project,
        evidence: Evidence::of(detail.references, about, &here),
        here,
        blocked: blocked_path(project, task),
        holder: holder.map(|holder| name_of(desk, &names, holder)),
        creator: name_of(desk, &names, task.created_by),
        mine: holder == Some(me),
        me: party_text(me),
        moves: if edits { moves(task.status) } else { &[] },
        unproven: summary.required_passed < summary.required,
        acceptance: acceptance.as_str(),
        rewrite: rewrite(&detail.criteria),
        lines: detail.criteria.iter().map(|criterion| line(desk, &names, criterion)).collect(),
        waits: !task.status.is_finished() && detail.depends_on.open_count() > 0,
        hidden_on: detail.depends_on.hidden.into(),
        depends_on: detail.depends_on.visible,
        hidden_by: detail.depended_by.hidden.into(),
        depended_by: detail.depended_by.visible,
        others,
        looked_for,
        origin,
        workers: at_it
            .into_iter()
            .map(|worker| Worker {
                agent: name_of(desk, &names, Party::Agent(worker.agent)),
                session: worker.name,
                since: worker.since,
            })
            .collect(),
        priorities: priorities(desk, task.priority),
        assignees,
        who,
        talk,
        history,
        task: detail.task,
        f,
    };
    answer::page(StatusCode::OK, &page)
}

impl TaskPage {
    /// Whether it can be given to somebody.
    fn is_free(&self) -> bool {
        matches!(self.task.status, TaskStatus::Open | TaskStatus::Assigned)
    }

    fn waits_for_a_verdict(&self) -> bool {
        self.task.status == TaskStatus::ToVerify
    }
}

fn line(desk: &Desk, names: &Names, criterion: &Criterion) -> Line {
    let verdict = |judgement: &Judgement| Verdict {
        mark: judgement.mark,
        evidence: judgement.evidence.clone(),
        by: judgement.by.map(|(by, at)| (name_of(desk, names, by), at)),
    };
    Line {
        id: criterion.id,
        description: criterion.description.clone(),
        required: criterion.required,
        own: verdict(&criterion.dev),
        verdict: verdict(&criterion.verdict),
        form: format!("mark-{}", criterion.id),
    }
}

/// The criteria as they can be written anew, with room for three more.
fn rewrite(criteria: &[Criterion]) -> Vec<(u64, u64, String, bool)> {
    let there = criteria.iter().map(|criterion| (criterion.description.clone(), criterion.required));
    let room = (0..3).map(|_| (String::new(), true));
    (0..).zip(there.chain(room)).map(|(place, (text, required))| (place, place + 1, text, required)).collect()
}

/// The proposal behind a task, its ideas and the reports about it.
async fn origin(reading: &mut Reading, proposal: Option<ProposalId>) -> Result<Option<Origin>, Fault> {
    let Some(id) = proposal else { return Ok(None) };
    let (call, reads) = reading.parts();
    let Some(proposal) = found(reads.proposal(&call.scope, id).await)? else { return Ok(None) };
    let ideas = match proposal.input_type {
        InputType::Idea => {
            let ids: Vec<IdeaId> = proposal.inputs.iter().map(|id| chorus_ids::Id::from_uuid(*id)).collect();
            found(reads.ideas_by_id(&call.scope, &ids).await)?
        }
        InputType::Document => Vec::new(),
    };
    let documents = found(reads.documents_of_proposal(&call.scope, id).await)?;
    let reports = documents.into_iter().filter(|document| document.kind == DocumentType::Report);
    Ok(Some(Origin {
        proposal: id,
        title: proposal.title,
        status: proposal.status,
        ideas: ideas.into_iter().map(|idea| (idea.id, idea.project, idea.title)).collect(),
        reports: reports.map(|report| (report.id, report.title)).collect(),
    }))
}

/// The tasks that it could wait for: those that are found, or those that have not ended.
async fn others(
    reading: &mut Reading,
    project: ProjectId,
    looked_for: &str,
    detail: &TaskDetail,
) -> Result<Vec<TaskRef>, Fault> {
    let found_tasks = if looked_for.is_empty() {
        let tasks = unfinished(reading, project).await?.into_iter();
        let beside = |task: Task| {
            let assignee = task.assignee.map(|held| held.to);
            TaskRef { id: task.id, title: task.title, status: task.status, assignee }
        };
        tasks.map(beside).collect()
    } else {
        let (call, reads) = reading.parts();
        let hits =
            chorus_app::search::search(call, reads, looked_for, Within::Project(project), vec![Kind::Task]).await;
        let ids: Vec<_> = found(hits)?.hits.iter().map(|hit| chorus_ids::Id::from_uuid(hit.row.id)).collect();
        found(reads.task_refs(&call.scope, &ids).await)?.into_iter().map(|(task, _)| task).collect::<Vec<_>>()
    };
    let beside = |task: &TaskRef| {
        task.id == detail.task.id || detail.depends_on.visible.iter().any(|prerequisite| prerequisite.id == task.id)
    };
    Ok(found_tasks.into_iter().filter(|task| !beside(task)).collect())
}

/// Whom the task can be given to: the person, their agents and people who see the project, and the agents of others.
async fn candidates(desk: &Desk, reading: &mut Reading, project: ProjectId, who: &str) -> Result<Vec<Choice>, Fault> {
    let me = reading.call.caller.subject;
    let (call, reads) = reading.parts();
    let wanted = Mentionables {
        piece: Some(who.to_owned()),
        seeing: Some(project),
        active_since: fresh_since(call.now),
        limit: CANDIDATES,
    };
    let known = found(reads.mentionables(&call.scope, &wanted).await)?;
    let agents = found(chorus_app::agent::manage::all(call, reads, &PageRequest::first(PageSize::MAX)).await)?;
    let mut choices: Vec<Choice> = known
        .into_iter()
        .map(|somebody| {
            let is_me = matches!((somebody.party, me), (Party::User(user), Subject::User(me)) if user == me);
            let kind = if matches!(somebody.party, Party::Agent(_)) { "assign-own-agent" } else { "assign-person" };
            let text = if is_me { desk.say("assign-me").into_owned() } else { somebody.name };
            Choice { value: party_text(somebody.party), text: labelled(desk, text, kind), chosen: false }
        })
        .collect();
    let low = who.to_lowercase();
    for agent in agents.rows.into_iter().map(|row| row.item).filter(|agent| agent.name.to_lowercase().contains(&low)) {
        let value = party_text(Party::Agent(agent.id));
        if choices.iter().all(|choice| choice.value != value) {
            let owner = agent.owner.map(|(_, name)| name).unwrap_or_default();
            let text = if owner.is_empty() { agent.name } else { format!("{} · {owner}", agent.name) };
            choices.push(Choice { value, text: labelled(desk, text, "assign-agent"), chosen: false });
        }
    }
    Ok(choices)
}

fn labelled(desk: &Desk, name: String, kind: &'static str) -> String {
    format!("{name} — {}", desk.say(kind))
}
