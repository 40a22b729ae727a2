//! `/agents/new` and `/agents/{agent}/edit`: name, permissions and persona, with the tools that an agent sees with them.

use askama::Template;
use chorus_app::agent::manage;
use chorus_ids::AgentId;
use chorus_permissions::Preset;
use http::StatusCode;

use super::powers::{GridRow, Powers, PresetChoice, ToolLine};
use crate::{
    act::signed_form,
    answer::{self, Answer},
    desk::{Desk, Reading, found},
    fault::Fault,
    form::Form,
    frame::{Frame, Section},
};

#[derive(Template)]
#[template(path = "agents/edit.html")]
struct EditPage {
    f: Frame,
    /// The agent that is changed; none for a new one.
    agent: Option<AgentId>,
    name: String,
    persona: String,
    presets: Vec<PresetChoice>,
    grid: Vec<GridRow>,
    tools: Vec<ToolLine>,
    visible: u64,
    total: u64,
    /// The form's own page, which shows what was chosen without keeping it.
    here: String,
    next: String,
}

impl EditPage {
    fn new(
        desk: &Desk,
        reading: &Reading,
        agent: Option<AgentId>,
        (name, persona): (&str, &str),
        powers: &Powers,
    ) -> Self {
        let title = if agent.is_some() { desk.say("agent-edit-title") } else { desk.say("agent-new-title") };
        let tools = powers.tools(desk);
        Self {
            f: desk.frame(reading, title, Section::Agents),
            name: name.to_owned(),
            persona: persona.to_owned(),
            presets: powers.presets(),
            grid: powers.grid(),
            visible: tools.iter().filter(|tool| tool.visible).count() as u64,
            total: tools.len() as u64,
            tools,
            here: agent.map_or_else(|| "/agents/new".to_owned(), |agent| format!("/agents/{agent}/edit")),
            next: agent.map_or_else(|| "/agents/{uuid}/connect".to_owned(), |agent| format!("/agents/{agent}")),
            agent,
        }
    }
}

/// `GET /agents/new`.
pub(crate) async fn new_agent(desk: &Desk) -> Result<Answer, Fault> {
    let reading = desk.read().await?;
    let powers = Powers::chosen(Preset::Developer.name(), std::iter::empty());
    answer::page(StatusCode::OK, &EditPage::new(desk, &reading, None, ("", ""), &powers))
}

/// `POST /agents/new`: the form as it was filled in, with the tools that go with it.
pub(crate) async fn show_new(desk: &Desk) -> Result<Answer, Fault> {
    let form = signed_form(desk)?;
    let reading = desk.read().await?;
    answer::page(StatusCode::OK, &EditPage::new(desk, &reading, None, texts(&form), &chosen(&form)))
}

/// `GET /agents/{agent}/edit`.
pub(crate) async fn edit(desk: &Desk) -> Result<Answer, Fault> {
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let agent = found(manage::own(call, reads, desk.id("agent")?).await)?;
    let texts = (agent.name.as_str(), agent.persona.as_deref().unwrap_or_default());
    answer::page(StatusCode::OK, &EditPage::new(desk, &reading, Some(agent.id), texts, &Powers::of(&agent)))
}

/// `POST /agents/{agent}/edit`: as [`show_new`].
pub(crate) async fn show_edited(desk: &Desk) -> Result<Answer, Fault> {
    let form = signed_form(desk)?;
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let agent = found(manage::own(call, reads, desk.id("agent")?).await)?;
    answer::page(StatusCode::OK, &EditPage::new(desk, &reading, Some(agent.id), texts(&form), &chosen(&form)))
}

fn texts(form: &Form) -> (&str, &str) {
    (form.get("name").unwrap_or_default(), form.get("persona").unwrap_or_default())
}

fn chosen(form: &Form) -> Powers {
    Powers::chosen(form.get("preset").unwrap_or_default(), form.all("permissions[]"))
}
