//! `/agents/{agent}/connect`: a key, ready configuration for client programs, and whether the agent has come in.

use askama::Template;
use chorus_app::agent::manage;
use chorus_auth::NewKey;
use chorus_domain::identity::Agent;
use http::StatusCode;
use serde_json::json;

use crate::{
    act::signed_form,
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Section},
};

/// The variable that stands for the key where it is not shown.
const VARIABLE: &str = "CHORUS_API_KEY";

#[derive(Template)]
#[template(path = "agents/connect.html")]
struct ConnectPage {
    f: Frame,
    agent: Agent,
    /// The key that was just made, shown this once.
    key: Option<String>,
    endpoint: String,
    claude: String,
    codex: String,
    json: String,
}

impl ConnectPage {
    fn new(desk: &Desk, f: Frame, agent: Agent, key: Option<String>) -> Self {
        let endpoint = format!("{}/api/mcp", desk.console.settings.base);
        let in_shell = key.clone().unwrap_or_else(|| format!("${VARIABLE}"));
        let in_json = key.clone().unwrap_or_else(|| format!("${{{VARIABLE}}}"));
        let set = key.as_ref().map(|key| format!("export {VARIABLE}={key}\n")).unwrap_or_default();
        let servers = json!({ "mcpServers": { "chorus": {
            "type": "http",
            "url": endpoint,
            "headers": { "Authorization": format!("Bearer {in_json}") },
        } } });
        Self {
            claude: format!(
                "claude mcp add --transport http chorus {endpoint} --header \"Authorization: Bearer {in_shell}\""
            ),
            codex: format!("{set}codex mcp add chorus --url {endpoint} --bearer-token-env-var {VARIABLE}"),
            json: format!("{servers:#}"),
            f,
            agent,
            key,
            endpoint,
        }
    }
}

/// `GET /agents/{agent}/connect`.
pub(crate) async fn connect(desk: &Desk) -> Result<Answer, Fault> {
    show(desk, None).await
}

/// `POST /agents/{agent}/connect`: makes a key. It is made here and shown in this one answer; the tool is given what is
/// stored of it, so that the key stands in no remembered answer.
pub(crate) async fn make_key(desk: &Desk) -> Result<Answer, Fault> {
    let form = signed_form(desk)?;
    let key = NewKey::generate(&mut rand::rng());
    let mut arguments = form.arguments()?;
    arguments.insert("agentUuid".into(), json!(desk.uuid("agent")?));
    arguments.insert("hash".into(), json!(key.hash()));
    arguments.insert("prefix".into(), json!(key.prefix()));
    if let Some(day) = form.filled("_expires") {
        arguments.insert("expiresAt".into(), json!(format!("{day}T00:00:00Z")));
    }
    desk.call("console_create_key", arguments).await?;
    show(desk, Some(key.reveal().to_owned())).await
}

async fn show(desk: &Desk, key: Option<String>) -> Result<Answer, Fault> {
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let agent = found(manage::own(call, reads, desk.id("agent")?).await)?;
    let title = desk.say_with("agent-connect-title", "name", crate::texts::Value::Text(&agent.name));
    let f = desk.frame(&reading, title, Section::Agents);
    answer::page(StatusCode::OK, &ConnectPage::new(desk, f, agent, key))
}
