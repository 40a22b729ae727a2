//! With which key a command goes to which server (surface specification §6.2).

use super::{
    URL,
    endpoint::{Endpoint, same_server},
    profiles::{Profile, Profiles},
};
use crate::failure::Failure;

/// Flags that say who calls whom.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ConnectArgs {
    /// URL of the server [env: CHORUS_URL] [default: that of the key, else http://127.0.0.1:8637]
    #[arg(long, global = true, value_name = "URL")]
    pub(super) url: Option<String>,
    /// API key of the agent [env: CHORUS_API_KEY] [default: the one that `chorus login` has kept]
    #[arg(long, global = true, value_name = "KEY")]
    pub(super) api_key: Option<String>,
    /// Name or UUID of the agent, if `chorus login` has kept several [env: CHORUS_AGENT_PROFILE]
    #[arg(long, global = true, value_name = "AGENT", conflicts_with = "api_key")]
    pub(super) agent: Option<String>,
}

/// A key and the server that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Credentials {
    pub(super) url: String,
    pub(super) key: String,
}

impl Credentials {
    /// What the flags, the environment or the file of logged-in agents say, in this order.
    ///
    /// # Errors
    /// There is no key, none that is meant, or there are several and none is selected.
    pub(super) fn resolve(args: &ConnectArgs, env: &dyn Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        resolve(args, env, || Ok(Profiles::read(Profiles::path()?)?.all()))
    }

    pub(super) fn endpoint(&self) -> Result<Endpoint, Failure> {
        Endpoint::new(&self.url, self.key.trim())
    }
}

fn resolve(
    args: &ConnectArgs,
    env: &dyn Fn(&str) -> Option<String>,
    profiles: impl FnOnce() -> Result<Vec<Profile>, Failure>,
) -> Result<Credentials, Failure> {
    let url = args.url.clone().or_else(|| env("CHORUS_URL"));
    let key = args.api_key.clone().filter(|key| !key.is_empty());
    // Who names an agent means the file.
    let key = if args.agent.is_some() { key } else { key.or_else(|| env("CHORUS_API_KEY")) };
    if let Some(key) = key {
        return Ok(Credentials { url: url.unwrap_or_else(|| URL.to_owned()), key });
    }
    let wanted = args.agent.clone().or_else(|| env("CHORUS_AGENT_PROFILE"));
    let Profile { url, key, .. } = pick(profiles()?, wanted.as_deref(), url.as_deref())?;
    Ok(Credentials { url, key })
}

/// The agent that is meant by its name or UUID and its server, or the only one. A key is never sent to another server than
/// the one it is kept for.
///
/// # Errors
/// There is none, or several; they are named.
pub(super) fn pick(all: Vec<Profile>, wanted: Option<&str>, url: Option<&str>) -> Result<Profile, Failure> {
    let none = all.is_empty();
    let called: Vec<Profile> =
        all.into_iter().filter(|one| wanted.is_none_or(|wanted| one.is_called(wanted))).collect();
    let known = !called.is_empty();
    let mut found: Vec<Profile> =
        called.into_iter().filter(|one| url.is_none_or(|url| same_server(&one.url, url))).collect();
    match (found.pop(), found.as_slice(), wanted) {
        (Some(one), [], _) => Ok(one),
        (Some(last), others, _) => {
            let labels: Vec<String> =
                others.iter().chain([&last]).map(|one| format!("{} at {}", one.label(), one.url)).collect();
            Err(Failure::usage(format_args!(
                "several agents are logged in; select one with --agent or CHORUS_AGENT_PROFILE: {}",
                labels.join(", ")
            )))
        }
        (None, _, _) if none => {
            Err(Failure::usage("no API key: log in with `chorus login`, give --api-key, or set CHORUS_API_KEY"))
        }
        (None, _, Some(wanted)) if !known => Err(Failure::usage(format_args!(
            "no agent `{wanted}` is logged in; `chorus login` adds one, or give --api-key or CHORUS_API_KEY"
        ))),
        (None, ..) => Err(Failure::usage(format_args!(
            "no agent is logged in at {}; `chorus login` adds one, or give --api-key or CHORUS_API_KEY",
            url.unwrap_or(URL)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(name: &str, uuid: &str, url: &str) -> Profile {
        let key = format!("key of {uuid}");
        Profile { url: url.into(), key, uuid: Some(uuid.into()), name: Some(name.into()) }
    }

    fn flags(url: &str, key: &str, agent: &str) -> ConnectArgs {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        ConnectArgs { url: given(url), api_key: given(key), agent: given(agent) }
    }

    /// The URL and key found, or the error.
    fn found(args: &ConnectArgs, env: &[(&str, &str)], profiles: &[Profile]) -> Result<(String, String), String> {
        let lookup = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let found = resolve(args, &lookup, || Ok(profiles.to_vec())).map_err(|failure| failure.to_string())?;
        Ok((found.url, found.key))
    }

    fn ok(url: &str, key: &str) -> Result<(String, String), String> {
        Ok((url.to_owned(), key.to_owned()))
    }

    #[test]
    fn flags_beat_the_environment_and_that_beats_the_file() {
        let file = [profile("a", "1", "http://file")];
        let env = [("CHORUS_URL", "http://env"), ("CHORUS_API_KEY", "env")];
        assert_eq!(found(&flags("http://flag", "flag", ""), &env, &file), ok("http://flag", "flag"));
        assert_eq!(found(&flags("", "flag", ""), &env, &file), ok("http://env", "flag"));
        assert_eq!(found(&flags("", "", ""), &env, &file), ok("http://env", "env"));
        assert_eq!(found(&flags("", "", ""), &env[1..], &file), ok(URL, "env"));
        assert_eq!(found(&flags("", "", ""), &[], &file), ok("http://file", "key of 1"));
    }

    #[test]
    fn of_several_agents_one_is_selected_by_name_or_uuid() {
        let file = [profile("a", "1", "http://h"), profile("b", "2", "http://h"), profile("b", "3", "http://i")];
        let two = ok("http://h", "key of 2");
        assert_eq!(found(&flags("", "", "2"), &[], &file), two);
        assert_eq!(found(&flags("", "", ""), &[("CHORUS_AGENT_PROFILE", "2")], &file), two);
        assert_eq!(found(&flags("", "", "2"), &[("CHORUS_AGENT_PROFILE", "a")], &file), two, "a flag beats it");
        assert_eq!(found(&flags("", "", "2"), &[("CHORUS_API_KEY", "env")], &file), two, "who names an agent means it");
        assert_eq!(found(&flags("http://h/", "", "b"), &[], &file), two, "the server tells them apart");
        for (args, labels) in
            [(flags("", "", ""), &["a (1)", "b (2)", "b (3)"][..]), (flags("", "", "b"), &["b (2)", "b (3)"])]
        {
            let error = found(&args, &[], &file).err().unwrap_or_default();
            assert!(labels.iter().all(|label| error.contains(label)) && !error.contains("key of"), "{error}");
        }
    }

    #[test]
    fn a_key_is_not_sent_to_a_server_that_it_is_not_kept_for() {
        let file = [profile("a", "1", "http://h")];
        for (args, env) in
            [(flags("http://evil", "", ""), &[][..]), (flags("", "", ""), &[("CHORUS_URL", "http://evil")])]
        {
            let error = found(&args, env, &file).err().unwrap_or_default();
            assert!(error.contains("http://evil"), "{error}");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let error = |args, file: &[Profile]| found(&args, &[], file).err().unwrap_or_default();
        let nothing = error(flags("", "", ""), &[]);
        for way in ["chorus login", "--api-key", "CHORUS_API_KEY"] {
            assert!(nothing.contains(way), "{nothing}");
        }
        assert!(error(flags("", "", "nobody"), &[profile("a", "1", "http://h")]).contains("`nobody`"));
    }
}
