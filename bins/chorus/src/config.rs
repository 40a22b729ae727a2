//! Settings: flags beat environment beats a configuration file beats defaults.

use std::{
    ops::RangeInclusive,
    path::{Path, PathBuf},
    time::Duration,
};

use chorus_auth::Unscoped;
use chorus_http::{Limits, Origin};
use chorus_store_diesel::Events;
use clap::{Args, ValueEnum, value_parser};
use directories::ProjectDirs;
use serde::Deserialize;

use crate::{
    database::{Named, Place},
    failure::Failure,
};

/// Where a server listens unless told otherwise.
const LISTEN: &str = "127.0.0.1:8637";
/// Whose workspace the first run makes unless told otherwise.
const OWNER: &str = "owner@localhost";
/// What the limits may be set to.
const NUMBERS: RangeInclusive<i64> = 1..=1_000_000;

/// Flags that say which database a command works on.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PlaceArgs {
    /// Configuration file in TOML; flags and environment win over it [env: CHORUS_CONFIG]
    #[arg(long, global = true, value_name = "PATH")]
    config: Option<PathBuf>,
    /// Database: postgres://USER:PASSWORD@HOST/NAME or sqlite:PATH [env: DATABASE_URL] [default: a SQLite file in the
    /// data directory]
    #[arg(long, global = true, value_name = "URL")]
    database_url: Option<String>,
    /// Directory for the database and for files [env: CHORUS_DATA_DIR] [default: the user's data directory]
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

/// Flags of the server.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServeArgs {
    /// Address to listen on; port 0 takes any free one [env: CHORUS_LISTEN] [default: 127.0.0.1:8637]
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
    /// URL under which clients reach the server, if that is another one [env: CHORUS_PUBLIC_URL]
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Every connection comes through a proxy that adds to X-Forwarded-For where it comes from; believed when attempts
    /// to sign in are counted [env: CHORUS_BEHIND_PROXY=true] [default: off]
    #[arg(long)]
    behind_proxy: bool,
    /// Whether people are served a web console beside the endpoints [env: CHORUS_CONSOLE] [default: on]
    #[arg(long, value_name = "SWITCH")]
    console: Option<Switch>,
    /// Origin of web pages that may call the server; may be given several times [env: CHORUS_ALLOW_ORIGINS, separated by
    /// commas]
    #[arg(long = "allow-origin", value_name = "ORIGIN")]
    allow_origins: Vec<String>,
    /// Format of the log on standard error [env: CHORUS_LOG_FORMAT] [default: text]
    #[arg(long, value_name = "FORMAT")]
    log_format: Option<LogFormat>,
    /// What is logged, such as warn or info,chorus_http=debug [env: LOG_LEVEL] [default: info]
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,
    /// Log when each part of a request ends and how long it took: with --log-level debug the stages of calls, with trace
    /// the statements too [env: CHORUS_LOG_SPANS=true] [default: off]
    #[arg(long)]
    log_spans: bool,
    /// Milliseconds that a call, a page or a statement may take until the log is told of it [env: CHORUS_SLOW_CALL]
    /// [default: 1000]
    #[arg(long, value_name = "MILLISECONDS", value_parser = value_parser!(u32).range(NUMBERS))]
    slow_call: Option<u32>,
    /// Who may read what is measured, at /metrics: local is this machine without proxies on it, all whoever reaches the
    /// server [env: CHORUS_METRICS] [default: local]
    #[arg(long, value_name = "WHO")]
    metrics: Option<MetricsFor>,
    /// Refuse keys of agents that have no preset and no permission, instead of offering them the public tools
    /// [env: CHORUS_REFUSE_UNSCOPED_AGENTS=true] [default: off]
    #[arg(long)]
    refuse_unscoped_agents: bool,
    /// Most connections at a time, streams among them; whoever comes then is told to try again [env:
    /// CHORUS_MAX_CONNECTIONS] [default: 1024]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(NUMBERS))]
    max_connections: Option<u32>,
    /// Most requests that are worked on at a time; further ones wait a few seconds and are then told to try again [env:
    /// CHORUS_MAX_REQUESTS] [default: 256]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(NUMBERS))]
    max_requests: Option<u32>,
    /// Seconds for which a connection may stay idle; more than a proxy in front keeps one [env: CHORUS_IDLE_TIMEOUT]
    /// [default: 75]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u32).range(NUMBERS))]
    idle_timeout: Option<u32>,
    /// Whether clients of the older HTTP+SSE transport are served, at /sse and /message [env: CHORUS_LEGACY_SSE]
    /// [default: on]
    #[arg(long, value_name = "SWITCH")]
    legacy_sse: Option<Switch>,
    /// How changes made by other processes on the same PostgreSQL database are noticed: notify listens on a connection of
    /// its own, poll looks every second, for where a proxy such as PgBouncer shares sessions [env: CHORUS_EVENTS]
    /// [default: notify]
    #[arg(long, value_name = "WAY")]
    events: Option<EventsWay>,
}

/// Where people reach the server, for links that are printed.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ServerArgs {
    /// URL under which people reach the server [env: CHORUS_PUBLIC_URL] [default: where a server with these settings
    /// listens]
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
}

impl ServeArgs {
    /// Whether any flag was given.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These flags, completed by those given before the command's name.
    pub(crate) fn over(self, before: Self) -> Self {
        Self {
            listen: self.listen.or(before.listen),
            public_url: self.public_url.or(before.public_url),
            behind_proxy: self.behind_proxy || before.behind_proxy,
            console: self.console.or(before.console),
            allow_origins: if self.allow_origins.is_empty() { before.allow_origins } else { self.allow_origins },
            log_format: self.log_format.or(before.log_format),
            log_level: self.log_level.or(before.log_level),
            log_spans: self.log_spans || before.log_spans,
            slow_call: self.slow_call.or(before.slow_call),
            metrics: self.metrics.or(before.metrics),
            refuse_unscoped_agents: self.refuse_unscoped_agents || before.refuse_unscoped_agents,
            max_connections: self.max_connections.or(before.max_connections),
            max_requests: self.max_requests.or(before.max_requests),
            idle_timeout: self.idle_timeout.or(before.idle_timeout),
            legacy_sse: self.legacy_sse.or(before.legacy_sse),
            events: self.events.or(before.events),
        }
    }
}

/// How the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Whether something is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// It is.
    #[default]
    On,
    /// It is not.
    Off,
}

/// Who may read what is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MetricsFor {
    /// This machine.
    #[default]
    Local,
    /// Whoever reaches the server.
    All,
    /// Nobody: nothing is measured.
    Off,
}

/// How changes of other processes are noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum EventsWay {
    /// The database tells.
    #[default]
    Notify,
    /// By looking.
    Poll,
}

/// What may stand in a configuration file: what the flags say, by the same names.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct File {
    listen: Option<String>,
    public_url: Option<String>,
    behind_proxy: Option<bool>,
    console: Option<String>,
    allow_origins: Option<Vec<String>>,
    log_format: Option<String>,
    log_level: Option<String>,
    log_spans: Option<bool>,
    slow_call: Option<u32>,
    metrics: Option<String>,
    refuse_unscoped_agents: Option<bool>,
    max_connections: Option<u32>,
    max_requests: Option<u32>,
    idle_timeout: Option<u32>,
    legacy_sse: Option<String>,
    events: Option<String>,
    database_url: Option<String>,
    data_dir: Option<PathBuf>,
    setup: Option<String>,
    setup_email: Option<String>,
}

/// The environment and the configuration file.
pub(crate) struct Sources<'e> {
    env: &'e dyn Fn(&str) -> Option<String>,
    file: File,
}

/// What a server needs to know.
#[derive(Clone, Debug)]
pub(crate) struct ServeSettings {
    pub(crate) listen: String,
    pub(crate) public_url: Option<PublicUrl>,
    pub(crate) behind_proxy: bool,
    pub(crate) console: Switch,
    pub(crate) origins: Vec<Origin>,
    pub(crate) log_format: LogFormat,
    pub(crate) log_level: String,
    pub(crate) log_spans: bool,
    pub(crate) metrics: MetricsFor,
    pub(crate) unscoped: Unscoped,
    pub(crate) limits: Limits,
    pub(crate) legacy_sse: Switch,
    pub(crate) events: Events,
    pub(crate) place: Place,
    pub(crate) setup: Setup,
}

/// The URL under which clients reach the server, without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicUrl {
    pub(crate) text: String,
    pub(crate) origin: Origin,
}

/// What is made in an empty database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Setup {
    /// Nothing.
    Off,
    /// A workspace with a first user of this address, and an agent.
    For(String),
}

/// The process's environment. A blank variable is as good as none.
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

impl<'e> Sources<'e> {
    /// Reads the configuration file, if one is named.
    ///
    /// # Errors
    /// It can't be read, or holds what it may not.
    pub(crate) fn read(args: &PlaceArgs, env: &'e dyn Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let path = args.config.clone().or_else(|| env("CHORUS_CONFIG").map(PathBuf::from));
        let file = match path {
            None => File::default(),
            Some(path) => read_file(&path)?,
        };
        Ok(Self { env, file })
    }

    fn env(&self, name: &str) -> Option<String> {
        (self.env)(name)
    }

    /// Which database a command works on.
    ///
    /// # Errors
    /// The URL names none, or no directory is known.
    pub(crate) fn place(&self, args: &PlaceArgs) -> Result<Place, Failure> {
        let data_dir = args
            .data_dir
            .clone()
            .or_else(|| self.env("CHORUS_DATA_DIR").map(PathBuf::from))
            .or_else(|| self.file.data_dir.clone());
        let named = if data_dir.is_some() { Named::DataDir } else { Named::Default };
        let data_dir = match data_dir {
            Some(data_dir) => data_dir,
            None => ProjectDirs::from("", "", "chorus")
                .map(|folders| folders.data_dir().to_owned())
                .ok_or_else(|| Failure::usage("no home directory is known; name a folder with --data-dir"))?,
        };
        let url =
            args.database_url.clone().or_else(|| self.env("DATABASE_URL")).or_else(|| self.file.database_url.clone());
        match url {
            Some(url) => Place::at_url(&url, data_dir),
            None => Ok(Place::in_folder(data_dir, named)),
        }
    }

    /// The URL at which people reach the server, without a slash at its end.
    ///
    /// # Errors
    /// The URL is none, or the server takes any port.
    pub(crate) fn server(&self, args: ServerArgs) -> Result<String, Failure> {
        if let Some(url) = self.public_url(args.public_url)? {
            return Ok(url.text);
        }
        let listen = self.listen(None);
        let (host, port) = listen.rsplit_once(':').unwrap_or((listen.as_str(), ""));
        let host = match host {
            "0.0.0.0" => "127.0.0.1",
            "[::]" => "[::1]",
            host => host,
        };
        match port.parse::<u16>() {
            Ok(port) if port != 0 => Ok(format!("http://{host}:{port}")),
            _ => Err(Failure::usage(format_args!(
                "where the server listens can't be told from `{listen}`; name its URL with --public-url"
            ))),
        }
    }

    fn public_url(&self, flag: Option<String>) -> Result<Option<PublicUrl>, Failure> {
        let named = flag.or_else(|| self.env("CHORUS_PUBLIC_URL")).or_else(|| self.file.public_url.clone());
        named.map(|text| public(&text)).transpose()
    }

    fn listen(&self, flag: Option<String>) -> String {
        flag.or_else(|| self.env("CHORUS_LISTEN"))
            .or_else(|| self.file.listen.clone())
            .unwrap_or_else(|| LISTEN.to_owned())
    }

    /// How to serve.
    ///
    /// # Errors
    /// A setting means nothing; it is named.
    pub(crate) fn serve(&self, place: &PlaceArgs, args: ServeArgs) -> Result<ServeSettings, Failure> {
        let origins = if args.allow_origins.is_empty() {
            let listed = |text: String| text.split(',').map(|part| part.trim().to_owned()).collect();
            self.env("CHORUS_ALLOW_ORIGINS").map(listed).or_else(|| self.file.allow_origins.clone()).unwrap_or_default()
        } else {
            args.allow_origins
        };
        let log_format = match args.log_format {
            Some(format) => format,
            None => self.env("CHORUS_LOG_FORMAT").or_else(|| self.file.log_format.clone()).map_or(
                Ok(LogFormat::default()),
                |text| {
                    LogFormat::from_str(&text, true)
                        .map_err(|_| Failure::usage(format_args!("`{text}` is no log format; use text or json")))
                },
            )?,
        };
        let setup = self.env("CHORUS_SETUP").or_else(|| self.file.setup.clone());
        let setup = match setup.as_deref().map(str::trim) {
            Some("off") => Setup::Off,
            None | Some("on") => {
                let email = self.env("CHORUS_SETUP_EMAIL").or_else(|| self.file.setup_email.clone());
                Setup::For(email.unwrap_or_else(|| OWNER.to_owned()))
            }
            Some(other) => {
                return Err(Failure::usage(format_args!("CHORUS_SETUP is `{other}`; it may be `on` or `off`")));
            }
        };
        let refuse =
            self.holds(args.refuse_unscoped_agents, "CHORUS_REFUSE_UNSCOPED_AGENTS", self.file.refuse_unscoped_agents)?;
        let behind_proxy = self.holds(args.behind_proxy, "CHORUS_BEHIND_PROXY", self.file.behind_proxy)?;
        let log_spans = self.holds(args.log_spans, "CHORUS_LOG_SPANS", self.file.log_spans)?;
        let number = |flag: Option<u32>, name: &str, file: Option<u32>| match flag {
            Some(number) => Ok(Some(number)),
            None => match self.env(name) {
                Some(text) => count(name, &text).map(Some),
                None => file.map(|number| count(name, &number.to_string())).transpose(),
            },
        };
        let connections = number(args.max_connections, "CHORUS_MAX_CONNECTIONS", self.file.max_connections)?;
        let requests = number(args.max_requests, "CHORUS_MAX_REQUESTS", self.file.max_requests)?;
        let idle = number(args.idle_timeout, "CHORUS_IDLE_TIMEOUT", self.file.idle_timeout)?;
        let slow = number(args.slow_call, "CHORUS_SLOW_CALL", self.file.slow_call)?;
        let mut limits = Limits::default();
        limits.slow = slow.map_or(limits.slow, |millis| Duration::from_millis(millis.into()));
        limits.connections = connections.map_or(limits.connections, |most| most as usize);
        limits.requests = requests.map_or(limits.requests, |most| most as usize);
        limits.head_time = idle.map_or(limits.head_time, |seconds| Duration::from_secs(seconds.into()));
        let console = self.choice(args.console, "CHORUS_CONSOLE", self.file.console.as_deref())?;
        let legacy_sse = self.choice(args.legacy_sse, "CHORUS_LEGACY_SSE", self.file.legacy_sse.as_deref())?;
        let metrics = self.choice(args.metrics, "CHORUS_METRICS", self.file.metrics.as_deref())?;
        let events = self.choice(args.events, "CHORUS_EVENTS", self.file.events.as_deref())?;
        Ok(ServeSettings {
            limits,
            legacy_sse,
            events: match events {
                EventsWay::Notify => Events::Notify,
                EventsWay::Poll => Events::Poll,
            },
            unscoped: if refuse { Unscoped::Refused } else { Unscoped::Admitted },
            listen: self.listen(args.listen),
            public_url: self.public_url(args.public_url)?,
            behind_proxy,
            console,
            origins: origins.iter().map(|text| origin(text)).collect::<Result<_, _>>()?,
            log_format,
            log_spans,
            metrics,
            log_level: args
                .log_level
                .or_else(|| self.env("LOG_LEVEL"))
                .or_else(|| self.file.log_level.clone())
                .unwrap_or_else(|| "info".to_owned()),
            place: self.place(place)?,
            setup,
        })
    }

    /// A switch that is on if its flag is there, else what the variable says, else the file.
    fn holds(&self, flag: bool, name: &str, file: Option<bool>) -> Result<bool, Failure> {
        if flag {
            return Ok(true);
        }
        let set = self.env(name).map(|text| truth(name, &text)).transpose()?;
        Ok(set.or(file).unwrap_or_default())
    }

    /// One of a few words: of the flag, else of the variable, else of the file.
    fn choice<T: ValueEnum + Default>(&self, flag: Option<T>, name: &str, file: Option<&str>) -> Result<T, Failure> {
        if let Some(value) = flag {
            return Ok(value);
        }
        let Some(text) = self.env(name).or_else(|| file.map(str::to_owned)) else { return Ok(T::default()) };
        T::from_str(text.trim(), true).map_err(|_| {
            let words: Vec<String> = T::value_variants()
                .iter()
                .filter_map(|value| Some(format!("`{}`", value.to_possible_value()?.get_name())))
                .collect();
            Failure::usage(format_args!("{name} is `{text}`; it may be {}", words.join(" or ")))
        })
    }
}

fn read_file(path: &Path) -> Result<File, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format_args!("can't read the configuration {}: {error}", path.display())))?;
    toml::from_str(&text)
        .map_err(|error| Failure::usage(format_args!("the configuration {} is wrong: {error}", path.display())))
}

fn public(text: &str) -> Result<PublicUrl, Failure> {
    let text = text.trim().trim_end_matches('/');
    let origin = Origin::of_url(text)
        .map_err(|error| Failure::usage(format_args!("the public URL `{text}` is none: it {error}")))?;
    if text.contains(['?', '#']) {
        return Err(Failure::usage(format_args!("the public URL `{text}` must have no query and no fragment")));
    }
    Ok(PublicUrl { text: text.to_owned(), origin })
}

/// A switch in the environment.
fn truth(name: &str, text: &str) -> Result<bool, Failure> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Ok(true),
        "false" | "off" | "no" | "0" => Ok(false),
        _ => Err(Failure::usage(format_args!("{name} is `{text}`; it may be `true` or `false`"))),
    }
}

/// A number in the environment or in the file.
fn count(name: &str, text: &str) -> Result<u32, Failure> {
    text.trim().parse().ok().filter(|number| NUMBERS.contains(&i64::from(*number))).ok_or_else(|| {
        let (least, most) = (NUMBERS.start(), NUMBERS.end());
        Failure::usage(format_args!("{name} is `{text}`; it must be a whole number from {least} to {most}"))
    })
}

fn origin(text: &str) -> Result<Origin, Failure> {
    text.trim_end_matches('/')
        .parse()
        .map_err(|error| Failure::usage(format_args!("the allowed origin `{text}` is none: it {error}")))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// Settings from these flags, variables and lines of a file.
    fn settings(flags: ServeArgs, env: &[(&str, &str)], file: &str) -> Result<ServeSettings, String> {
        let lookup = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let file = toml::from_str(file).map_err(|error| error.to_string())?;
        let place = PlaceArgs { data_dir: Some("/data".into()), ..PlaceArgs::default() };
        Sources { env: &lookup, file }.serve(&place, flags).map_err(|failure| failure.to_string())
    }

    fn flags(listen: &str) -> ServeArgs {
        ServeArgs { listen: Some(listen.to_owned()), ..ServeArgs::default() }
    }

    #[test]
    fn flags_beat_environment_beats_file_beats_defaults() {
        let (env, file) = (&[("CHORUS_LISTEN", "env:2")][..], "listen = \"file:3\"");
        let listen = |flags, env, file| settings(flags, env, file).map(|settings| settings.listen);
        assert_eq!(listen(flags("flag:1"), env, file).as_deref(), Ok("flag:1"));
        assert_eq!(listen(ServeArgs::default(), env, file).as_deref(), Ok("env:2"));
        assert_eq!(listen(ServeArgs::default(), &[], file).as_deref(), Ok("file:3"));
        assert_eq!(listen(ServeArgs::default(), &[], "").as_deref(), Ok(LISTEN));
    }

    #[test]
    fn every_setting_can_stand_in_the_environment_and_in_the_file() {
        let env = [
            ("CHORUS_PUBLIC_URL", "https://chorus.example.com/"),
            ("CHORUS_ALLOW_ORIGINS", "https://a.example, https://b.example"),
            ("CHORUS_LOG_FORMAT", "json"),
            ("LOG_LEVEL", "debug"),
            ("CHORUS_REFUSE_UNSCOPED_AGENTS", "true"),
            ("CHORUS_SETUP_EMAIL", "ada@example.com"),
            ("CHORUS_MAX_CONNECTIONS", "7"),
            ("CHORUS_MAX_REQUESTS", "8"),
            ("CHORUS_IDLE_TIMEOUT", "9"),
            ("CHORUS_LEGACY_SSE", "off"),
            ("CHORUS_EVENTS", "poll"),
            ("CHORUS_LOG_SPANS", "true"),
            ("CHORUS_SLOW_CALL", "250"),
            ("CHORUS_METRICS", "all"),
        ];
        let file = "public-url = \"https://chorus.example.com\"\n\
                    allow-origins = [\"https://a.example\", \"https://b.example\"]\n\
                    log-format = \"json\"\nlog-level = \"debug\"\nrefuse-unscoped-agents = true\nsetup-email = \"ada@example.com\"\n\
                    max-connections = 7\nmax-requests = 8\nidle-timeout = 9\n\
                    legacy-sse = \"off\"\nevents = \"poll\"\nlog-spans = true\nslow-call = 250\nmetrics = \"all\"";
        for settings in [settings(ServeArgs::default(), &env, ""), settings(ServeArgs::default(), &[], file)] {
            let settings = settings.unwrap();
            assert_eq!(settings.public_url.unwrap().text, "https://chorus.example.com");
            assert_eq!(settings.origins.len(), 2);
            assert_eq!((settings.log_format, settings.log_level.as_str()), (LogFormat::Json, "debug"));
            assert_eq!(settings.setup, Setup::For("ada@example.com".to_owned()));
            assert_eq!(settings.unscoped, Unscoped::Refused);
            assert_eq!((settings.limits.connections, settings.limits.requests), (7, 8));
            assert_eq!(settings.limits.head_time, Duration::from_secs(9));
            assert_eq!((settings.legacy_sse, settings.events), (Switch::Off, Events::Poll));
            assert_eq!((settings.log_spans, settings.metrics), (true, MetricsFor::All));
            assert_eq!(settings.limits.slow, Duration::from_millis(250));
        }
        let settings = settings(ServeArgs::default(), &[], "").unwrap();
        assert_eq!((settings.legacy_sse, settings.events), (Switch::On, Events::Notify));
        assert_eq!((settings.log_spans, settings.metrics), (false, MetricsFor::Local));
        assert_eq!(settings.limits.slow, Duration::from_secs(1));
    }

    #[test]
    fn agents_without_permissions_are_admitted_unless_told_otherwise() {
        const NAME: &str = "CHORUS_REFUSE_UNSCOPED_AGENTS";
        let unscoped = |flag, env: &[(&str, &str)], file| {
            let flags = ServeArgs { refuse_unscoped_agents: flag, ..ServeArgs::default() };
            settings(flags, env, file).map(|settings| settings.unscoped)
        };
        let file = "refuse-unscoped-agents = true";
        assert_eq!(unscoped(false, &[], ""), Ok(Unscoped::Admitted));
        assert_eq!(unscoped(true, &[(NAME, "false")], ""), Ok(Unscoped::Refused));
        assert_eq!(unscoped(false, &[(NAME, "1")], ""), Ok(Unscoped::Refused));
        assert_eq!(unscoped(false, &[(NAME, "off")], file), Ok(Unscoped::Admitted));
        assert_eq!(unscoped(false, &[], file), Ok(Unscoped::Refused));
    }

    #[test]
    fn set_up_is_on_unless_it_is_off() {
        let setup = |env: &[(&str, &str)]| settings(ServeArgs::default(), env, "").map(|settings| settings.setup);
        assert_eq!(setup(&[]), Ok(Setup::For(OWNER.to_owned())));
        assert_eq!(setup(&[("CHORUS_SETUP", "off")]), Ok(Setup::Off));
        assert!(setup(&[("CHORUS_SETUP", "no")]).is_err());
    }

    #[test]
    fn a_setting_that_means_nothing_is_named() {
        for (env, named) in [
            (("CHORUS_PUBLIC_URL", "chorus.example.com"), "`chorus.example.com`"),
            (("CHORUS_ALLOW_ORIGINS", "*"), "`*`"),
            (("CHORUS_LOG_FORMAT", "xml"), "`xml`"),
            (("CHORUS_REFUSE_UNSCOPED_AGENTS", "perhaps"), "`perhaps`"),
            (("CHORUS_MAX_CONNECTIONS", "0"), "`0`"),
            (("CHORUS_MAX_REQUESTS", "many"), "`many`"),
            (("CHORUS_IDLE_TIMEOUT", "-1"), "`-1`"),
            (("CHORUS_LEGACY_SSE", "maybe"), "`on` or `off`"),
            (("CHORUS_EVENTS", "maybe"), "`notify` or `poll`"),
            (("CHORUS_METRICS", "on"), "`local` or `all` or `off`"),
            (("CHORUS_SLOW_CALL", "1s"), "`1s`"),
        ] {
            let refused = settings(ServeArgs::default(), &[env], "").map(|_| ());
            assert!(refused.as_ref().is_err_and(|text| text.contains(named)), "{refused:?}");
        }
        assert!(settings(ServeArgs::default(), &[], "max-requests = 0").is_err());
        assert!(settings(ServeArgs::default(), &[], "lisen = \"x\"").is_err());
    }

    #[test]
    fn the_database_is_named_by_url_or_by_folder() {
        let lookup = |name: &str| (name == "DATABASE_URL").then(|| "postgres://me:secret@db:5433/x".to_owned());
        let sources = Sources { env: &lookup, file: File::default() };
        let args = |url: Option<&str>| PlaceArgs {
            database_url: url.map(str::to_owned),
            data_dir: Some("/my data".into()),
            ..PlaceArgs::default()
        };
        let place = sources.place(&args(None)).unwrap();
        assert_eq!((place.url.to_string().as_str(), place.named), ("postgres://db:5433/x", Named::Url));
        assert_eq!(place.flags(), " --database-url \"$DATABASE_URL\"");
        let place = sources.place(&args(Some("sqlite:/x/y.db"))).unwrap();
        assert_eq!(place.flags(), " --database-url sqlite:/x/y.db");
        let nothing = |_: &str| None;
        let place = Sources { env: &nothing, file: File::default() }.place(&args(None)).unwrap();
        assert_eq!(place.url.to_string(), "sqlite:/my data/chorus.db");
        assert_eq!(place.flags(), " --data-dir '/my data'");
    }

    #[test]
    fn links_lead_to_where_people_reach_the_server() {
        let server = |flag: Option<&str>, env: &[(&str, &str)], file: &str| {
            let lookup =
                |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            let sources = Sources { env: &lookup, file: toml::from_str(file).unwrap() };
            sources.server(ServerArgs { public_url: flag.map(str::to_owned) }).map_err(|failure| failure.to_string())
        };
        let url = |text: &str| Ok(text.to_owned());
        let (env, file) = ([("CHORUS_PUBLIC_URL", "https://env.example")], "public-url = \"https://file.example/x/\"");
        assert_eq!(server(Some("https://flag.example/"), &env, file), url("https://flag.example"));
        assert_eq!(server(None, &env, file), url("https://env.example"));
        assert_eq!(server(None, &[], file), url("https://file.example/x"));
        assert_eq!(server(None, &[], ""), url("http://127.0.0.1:8637"));
        for (listen, expected) in [
            ("0.0.0.0:80", "http://127.0.0.1:80"),
            ("[::]:80", "http://[::1]:80"),
            ("192.0.2.1:80", "http://192.0.2.1:80"),
            ("chorus.lan:80", "http://chorus.lan:80"),
        ] {
            assert_eq!(server(None, &[("CHORUS_LISTEN", listen)], ""), url(expected));
        }
        assert!(server(None, &[("CHORUS_LISTEN", "127.0.0.1:0")], "").is_err_and(|text| text.contains("--public-url")));
        assert!(server(Some("chorus.lan"), &[], "").is_err_and(|text| text.contains("`chorus.lan`")));
    }

    #[test]
    fn flags_after_the_command_win_over_those_before() {
        let merged = flags("after:1").over(ServeArgs { public_url: Some("x".into()), ..flags("before:2") });
        assert_eq!((merged.listen.as_deref(), merged.public_url.as_deref()), (Some("after:1"), Some("x")));
        assert!(ServeArgs::default().is_empty() && !merged.is_empty());
    }
}
