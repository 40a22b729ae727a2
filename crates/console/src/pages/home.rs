//! `GET /`: what waits for the person who is signed in.

use askama::Template;
use chorus_app::{
    home::{self, Start},
    tracker::IdeaLine,
};
use chorus_domain::{Kind, notification::Notification};
use chorus_store::{TrackedTask, WaitsFor};
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Section},
    link,
    pages::{
        projects::at_hand::AtHand,
        waiting::{Line, slug},
    },
};

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    f: Frame,
    start: Start,
    /// What waits for each kind of decision.
    lists: Vec<List>,
    mentions: Vec<Line>,
    mention_count: u64,
    ideas: Vec<Held>,
    tasks: Vec<Held>,
    /// Whether the person holds more than what is shown.
    more_held: bool,
    near: AtHand,
}

/// What waits for one kind of decision.
struct List {
    /// The name of the list in paths and texts.
    slug: &'static str,
    total: u64,
    lines: Vec<Line>,
}

/// Something that the person holds.
pub(crate) struct Held {
    pub(crate) title: String,
    pub(crate) href: Option<String>,
    pub(crate) project: String,
    /// The list of words that the status is from, and the word.
    pub(crate) status: (&'static str, &'static str),
}

impl Held {
    pub(crate) fn idea(line: &IdeaLine) -> Self {
        Self {
            title: line.idea.title.clone(),
            href: link::to(Kind::Idea, line.idea.id, Some(line.idea.project)),
            project: line.project_name.clone(),
            status: ("derived", line.derived.status.as_str()),
        }
    }

    pub(crate) fn task(line: &TrackedTask) -> Self {
        Self {
            title: line.task.title.clone(),
            href: link::to(Kind::Task, line.task.id, Some(line.task.project)),
            project: line.project_name.clone(),
            status: ("task-status", line.task.status.as_str()),
        }
    }
}

fn mentioned(told: &Notification) -> Line {
    Line {
        title: told.entity_title.clone(),
        href: link::to(told.entity, told.entity_id, told.project),
        project: told.project_name.clone(),
        project_href: told.project.map(|project| format!("/projects/{project}")),
        from: Some(told.actor_name.clone()),
        since: told.created_at,
    }
}

impl Home {
    /// Whether there is nothing to do at all.
    fn is_quiet(&self) -> bool {
        self.lists.iter().all(|list| list.total == 0)
            && self.mention_count == 0
            && self.ideas.is_empty()
            && self.tasks.is_empty()
    }

    /// Whether somebody has everything that it takes to begin.
    fn is_set_up(&self) -> bool {
        self.start.project && self.start.agent
    }
}

/// `GET /`.
pub(crate) async fn home(desk: &Desk) -> Result<Answer, Fault> {
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let turn = found(home::your_turn(call, reads).await)?;
    let list = |(what, page): (WaitsFor, chorus_store::Page<chorus_store::Waiting>)| List {
        slug: slug(what),
        total: page.total,
        lines: page.rows.into_iter().map(|row| Line::of(what, row.item, &turn.names)).collect(),
    };
    let near = AtHand::load(&mut reading).await?;
    let f = desk.frame(&reading, desk.say("home-title"), Section::Home);
    let page = Home {
        f,
        start: turn.start,
        lists: turn.waiting.into_iter().map(list).collect(),
        mentions: turn.mentions.recent.iter().map(mentioned).collect(),
        mention_count: turn.mentions.unread,
        ideas: turn.ideas.iter().map(Held::idea).collect(),
        tasks: turn.tasks.iter().map(Held::task).collect(),
        more_held: turn.more_ideas || turn.more_tasks,
        near,
    };
    answer::page(StatusCode::OK, &page)
}
