//! `/agents`: the agents of the person who is signed in, and the names of all others.

pub(crate) mod agent;
pub(crate) mod connect;
pub(crate) mod edit;
mod powers;

use askama::Template;
use chorus_app::agent::manage;
use chorus_domain::{identity::Agent, session::fresh_since};
use chorus_ids::PageSize;
use chorus_store::AgentLine;
use http::StatusCode;

use super::tasks::parts::{page, page_number};
use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Section},
};

struct Own {
    agent: Agent,
    /// What it may do: a preset's name, or a number of permissions.
    powers: String,
    fresh: bool,
}

#[derive(Template)]
#[template(path = "agents/agents.html")]
struct AgentsPage {
    f: Frame,
    own: Vec<Own>,
    others: Vec<AgentLine>,
    total: u64,
    before: Option<u32>,
    after: Option<u32>,
}

/// `GET /agents`.
pub(crate) async fn agents(desk: &Desk) -> Result<Answer, Fault> {
    let mut reading = desk.read().await?;
    let number = page_number(desk, "page");
    let (call, reads) = reading.parts();
    let own = found(manage::mine(call, reads).await)?;
    let all = found(manage::all(call, reads, &page(number, PageSize::MAX)).await)?;
    let since = fresh_since(call.now);
    let line = |agent: Agent| Own {
        powers: powers::said(desk, &agent),
        fresh: agent.last_active_at.is_some_and(|at| at > since),
        agent,
    };
    let is_own = |id| own.iter().any(|agent: &Agent| agent.id == id);
    let page = AgentsPage {
        f: desk.frame(&reading, desk.say("agents-title"), Section::Agents),
        others: all.rows.into_iter().map(|row| row.item).filter(|line| !is_own(line.id)).collect(),
        total: all.total.saturating_sub(own.len() as u64),
        before: (number > 1).then(|| number - 1),
        after: all.more.then(|| number + 1),
        own: own.into_iter().map(line).collect(),
    };
    answer::page(StatusCode::OK, &page)
}
