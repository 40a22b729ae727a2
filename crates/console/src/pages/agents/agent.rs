//! `/agents/{agent}`: one of the person's agents, with its keys and sessions.

use askama::Template;
use chorus_app::{
    agent::manage::{self, Managed},
    session::owned,
};
use chorus_domain::{
    identity::{Agent, ApiKey},
    session::{Session, fresh_since},
};
use chorus_ids::PageSize;
use chorus_lifecycle::session::SessionStatus;
use http::StatusCode;

use super::powers;
use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Section},
    pages::deletion::{Deletion, DeletionForm, counted},
    pages::tasks::parts::{page, page_number},
};

struct KeyLine {
    key: ApiKey,
    /// It works no longer, though nobody revoked it.
    expired: bool,
}

struct SessionLine {
    session: Session,
    active: bool,
}

#[derive(Template)]
#[template(path = "agents/agent.html")]
struct AgentPage {
    f: Frame,
    agent: Agent,
    powers: String,
    fresh: bool,
    keys: Vec<KeyLine>,
    sessions: Vec<SessionLine>,
    sessions_total: u64,
    before: Option<u32>,
    after: Option<u32>,
    unfinished: u64,
    finished: u64,
    ideas: u64,
}

/// `GET /agents/{agent}`.
pub(crate) async fn agent(desk: &Desk) -> Result<Answer, Fault> {
    let mut reading = desk.read().await?;
    let number = page_number(desk, "sessions");
    let (call, reads) = reading.parts();
    let Managed { agent, keys, holdings } = found(manage::show(call, reads, desk.id("agent")?).await)?;
    let sessions = found(owned::list(call, reads, agent.id, &page(number, PageSize::DEFAULT)).await)?;
    let now = call.now;
    let key = |key: ApiKey| KeyLine { expired: key.expires_at.is_some_and(|at| at < now), key };
    let session = |session: Session| SessionLine { active: session.status == SessionStatus::Active, session };
    let page = AgentPage {
        f: desk.frame(&reading, agent.name.clone(), Section::Agents),
        powers: powers::said(desk, &agent),
        fresh: agent.last_active_at.is_some_and(|at| at > fresh_since(now)),
        keys: keys.into_iter().map(key).collect(),
        sessions_total: sessions.total,
        before: (number > 1).then(|| number - 1),
        after: sessions.more.then(|| number + 1),
        sessions: sessions.rows.into_iter().map(|row| session(row.item)).collect(),
        unfinished: holdings.tasks.len() as u64,
        finished: holdings.finished_tasks,
        ideas: holdings.ideas.len() as u64,
        agent,
    };
    answer::page(StatusCode::OK, &page)
}

/// Most tasks that are named before an agent is deleted.
const NAMED: usize = 50;

/// `GET /agents/{agent}/delete`: what is free again when it goes.
pub(crate) async fn delete(desk: &Desk) -> Result<Answer, Fault> {
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let Managed { agent, keys, holdings } = found(manage::show(call, reads, desk.id("agent")?).await)?;
    let f = desk.frame(&reading, desk.say("agent-delete-title"), Section::Agents);
    let tasks = holdings.tasks.iter().take(NAMED);
    let tasks: Vec<_> =
        tasks.map(|task| (format!("/projects/{}/tasks/{}", task.project, task.id), task.title.clone())).collect();
    let more = holdings.tasks.len().saturating_sub(NAMED) as u64;
    let mut beside = Vec::new();
    if tasks.is_empty() {
        beside.push(f.t("agent-frees-nothing").into_owned());
    }
    if more > 0 {
        beside.push(f.tn("work-and-more", &more));
    }
    let page = Deletion {
        name: agent.name,
        status: None,
        text: f.t("agent-delete-text").into_owned(),
        goes: counted(
            &f,
            &[
                ("work-goes-keys", keys.len() as u64),
                ("work-goes-sessions", holdings.sessions),
                ("work-frees-ideas", holdings.ideas.len() as u64),
            ],
        ),
        concerned: (!tasks.is_empty()).then(|| (f.t("agent-frees").into_owned(), tasks)),
        beside,
        form: DeletionForm {
            tool: "console_delete_agent",
            field: "agentUuid",
            id: agent.id.uuid(),
            done: "done-agent-deleted",
        },
        go: f.t("agent-delete").into_owned(),
        next: "/agents".to_owned(),
        back: format!("/agents/{}", agent.id),
        f,
    };
    answer::page(StatusCode::OK, &page)
}
