//! `chorus login` and `chorus logout`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    URL, call,
    credentials::{Credentials, pick},
    is_error,
    profiles::{Profile, Profiles, change},
    text,
};
use crate::{config::environment, failure::Failure, output, output::Format, secret};

/// Flags of `chorus login`.
#[derive(Debug, clap::Args)]
pub(crate) struct LoginArgs {
    /// URL of the server [env: CHORUS_URL] [default: http://127.0.0.1:8637]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// API key of the agent [env: CHORUS_API_KEY] [default: asked for at the terminal, which does not show it]
    #[arg(long, value_name = "KEY")]
    api_key: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Flags of `chorus logout`.
#[derive(Debug, clap::Args)]
pub(crate) struct LogoutArgs {
    /// Name or UUID of the agent, if several are logged in
    #[arg(long, value_name = "AGENT", conflicts_with = "all")]
    agent: Option<String>,
    /// URL of the server, if the agent is logged in at several
    #[arg(long, value_name = "URL", conflicts_with = "all")]
    url: Option<String>,
    /// Forget every agent
    #[arg(long)]
    all: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const fn format(json: bool) -> Format {
    if json { Format::Json } else { Format::Text }
}

/// What is said about an agent that is logged in or was.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    agent_uuid: Option<String>,
    agent_name: Option<String>,
    url: String,
}

impl Shown {
    fn of(profile: &Profile) -> Self {
        Self { agent_uuid: profile.uuid.clone(), agent_name: profile.name.clone(), url: profile.url.clone() }
    }
}

#[derive(Serialize)]
struct LoggedIn {
    #[serde(flatten)]
    agent: Shown,
    file: String,
}

/// Asks the server whose key it is, and keeps it only then.
pub(crate) async fn login(args: LoginArgs) -> Result<(), Failure> {
    let url = args.url.or_else(|| environment("CHORUS_URL")).unwrap_or_else(|| URL.to_owned());
    let key = args.api_key.filter(|key| !key.is_empty()).or_else(|| environment("CHORUS_API_KEY"));
    let key = match key {
        Some(key) => key,
        None => secret::ask("API key: ", "give --api-key or set CHORUS_API_KEY")?,
    };
    let credentials = Credentials { url: url.trim().trim_end_matches('/').to_owned(), key: key.trim().to_owned() };
    let path = Profiles::path()?;
    // What can't be added to is refused before the server is asked.
    Profiles::read(path.clone())?;
    // Only to know whose key it is: no notification is to become read by that.
    let result = call(&credentials.endpoint()?.reading(), "chorus_checkin", Map::new()).await?;
    if is_error(&result) {
        return Err(Failure::Tool(text(&result)));
    }
    let Credentials { url, key } = credentials;
    let of_agent = |field: &str| result.pointer(&format!("/structuredContent/agent/{field}")).and_then(Value::as_str);
    let Some(uuid) = of_agent("uuid") else {
        return Err(Failure::usage("the server did not say whose key this is; is it a Chorus server?"));
    };
    let profile = Profile { url, key, uuid: Some(uuid.to_owned()), name: of_agent("name").map(str::to_owned) };
    change(path.clone(), |profiles| profiles.put(&profile))?;
    let answer = LoggedIn { agent: Shown::of(&profile), file: path.display().to_string() };
    output::answer(format(args.json), &answer, || {
        format!("Logged in as {} at {}. The key is kept in {}.", profile.label(), profile.url, answer.file)
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LoggedOut {
    logged_out: Vec<Shown>,
}

/// Takes keys out of the file. They go on working elsewhere.
pub(crate) fn logout(args: &LogoutArgs) -> Result<(), Failure> {
    let path = Profiles::path()?;
    if Profiles::read(path.clone())?.all().is_empty() {
        return Err(Failure::refused("nobody is logged in"));
    }
    let gone = change(path, |profiles| {
        let all = profiles.all();
        let gone = if args.all { all } else { vec![pick(all, args.agent.as_deref(), args.url.as_deref())?] };
        profiles.remove(&gone);
        Ok(gone)
    })?;
    let answer = LoggedOut { logged_out: gone.iter().map(Shown::of).collect() };
    output::answer(format(args.json), &answer, || {
        let labels: Vec<String> = gone.iter().map(|one| format!("{} at {}", one.label(), one.url)).collect();
        format!("Forgot the key of {}. It still works; `chorus key revoke` ends a key.", labels.join(", "))
    })
}
