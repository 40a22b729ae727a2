//! `/projects/{project}/sessions`: who works on what in a project now.

use askama::Template;
use chorus_app::session::owned;
use chorus_domain::{Party, task::TaskRef};
use chorus_ids::{AgentId, ProjectId, SessionId, Timestamp};
use chorus_visibility::Need;
use http::StatusCode;

use super::tasks::parts::{name_of, names, read_project};
use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Tab},
};

/// Most places of sessions that are shown.
const PLACES: u32 = 200;

/// A session with all that it is at.
struct Working {
    session: SessionId,
    name: String,
    agent: AgentId,
    agent_name: String,
    /// Whether the agent is the person's own.
    own: bool,
    last_active_at: Timestamp,
    tasks: Vec<(TaskRef, Timestamp)>,
}

#[derive(Template)]
#[template(path = "sessions.html")]
struct SessionsPage {
    f: Frame,
    project: ProjectId,
    working: Vec<Working>,
    /// How many sessions are shown, if there are more.
    cut: bool,
}

/// `GET /projects/{project}/sessions`.
pub(crate) async fn at_work(desk: &Desk) -> Result<Answer, Fault> {
    let (mut reading, project) = read_project(desk, Need::Viewer).await?;
    let (call, reads) = reading.parts();
    let mut places = found(owned::at_work(call, reads, project, PLACES + 1).await)?;
    let own = found(chorus_app::agent::manage::mine(call, reads).await)?;
    let cut = places.len() > PLACES as usize;
    places.truncate(PLACES as usize);
    let names = names(&mut reading, places.iter().map(|place| Party::Agent(place.session.agent))).await?;
    let mut working: Vec<Working> = Vec::new();
    for place in places {
        // Those of one session follow each other.
        match working.last_mut().filter(|last| last.session == place.session.id) {
            Some(last) => last.tasks.push((place.task, place.since)),
            None => working.push(Working {
                session: place.session.id,
                agent: place.session.agent,
                agent_name: name_of(desk, &names, Party::Agent(place.session.agent)),
                own: own.iter().any(|agent| agent.id == place.session.agent),
                last_active_at: place.session.last_active_at,
                name: place.session.name,
                tasks: vec![(place.task, place.since)],
            }),
        }
    }
    let f = desk.project_frame(&reading, desk.say("sessions-title"), Tab::Sessions);
    answer::page(StatusCode::OK, &SessionsPage { f, project, working, cut })
}
