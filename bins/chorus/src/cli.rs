//! The command line.

use std::{process::ExitCode, time::Duration};

use clap::{CommandFactory as _, Parser, Subcommand, error::ErrorKind};
use clap_complete::Shell;

use crate::{
    client,
    config::{PlaceArgs, ServeArgs, Sources, environment},
    failure::Failure,
    operator, output, serve,
};

/// How long threads that are still busy are waited for at the end.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Chorus takes software work from idea to done, with AI agents and people.
///
/// Without a command it serves.
#[derive(Debug, Parser)]
#[command(name = "chorus", version)]
struct Cli {
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    serve: ServeArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server (the default)
    Serve(ServeArgs),
    /// Add and list companies, in the database directly
    #[command(subcommand)]
    Company(operator::company::Command),
    /// Add, invite, list, suspend and remove people, reset their passwords, in the database directly
    #[command(subcommand)]
    User(operator::user::Command),
    /// Add, show, change and remove agents, in the database directly
    #[command(subcommand)]
    Agent(operator::agent::Command),
    /// Make, list and revoke API keys of agents, in the database directly
    #[command(subcommand)]
    Key(operator::key::Command),
    /// Make, list, rename, delete and move projects, and say who has access, in the database directly
    #[command(subcommand)]
    Project(operator::project::Command),
    /// Bring the database up to date, or see whether it is
    #[command(subcommand)]
    Db(operator::db::Command),
    /// Copy the database into a file, also while a server runs on it (SQLite)
    ///
    /// The copy is what the database held at one moment, in one file that can be opened like the database itself. It is
    /// there only when it is whole. For PostgreSQL use pg_dump.
    #[command(after_help = "Example:\n  chorus backup chorus-backup.db\n  chorus backup --force /backups/chorus.db")]
    Backup(operator::backup::Args),
    /// Write everything that the database holds as JSON lines, also while a server runs on it
    ///
    /// The file is what the database held at one moment: every row of every table, with ids as UUIDs and times in
    /// microseconds. Keys go on working where it is imported; like the database it holds their hashes, never the keys.
    /// Only sessions of browsers and one-time links are left out: people sign in there with their passwords.
    #[command(after_help = "Example:\n  chorus export chorus.jsonl\n  chorus export - | gzip > chorus.jsonl.gz")]
    Export(operator::carry::ExportArgs),
    /// Fill an empty database with what `chorus export` wrote: the way from SQLite to PostgreSQL and back
    ///
    /// The database is made and brought up to date if need be. All of the file is taken or none of it.
    #[command(after_help = "Example:\n  chorus export chorus.jsonl\n  \
        chorus import chorus.jsonl --database-url postgres://chorus@db.example.com/chorus")]
    Import(operator::carry::ImportArgs),
    /// Call tools of a running server
    Mcp(client::Args),
    /// Keep an agent's key, so that `chorus mcp` needs no flags
    ///
    /// The key is kept in ~/.chorus/daemon.json, for you only, once the server has said whose it is. Several agents can be
    /// logged in; select one with --agent or CHORUS_AGENT_PROFILE.
    #[command(after_help = "Example:\n  chorus login --url https://chorus.example.com\n  chorus mcp whoami")]
    Login(client::login::LoginArgs),
    /// Forget a key that `chorus login` has kept
    #[command(after_help = "Example:\n  chorus logout\n  chorus logout --agent builder")]
    Logout(client::login::LogoutArgs),
    /// Print a script that completes commands in a shell
    #[command(
        after_help = "Example:\n  chorus completions bash > ~/.local/share/bash-completion/completions/chorus\n  \
        chorus completions zsh > ~/.zfunc/_chorus"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Runs the command that the process was started with.
pub(crate) fn run() -> ExitCode {
    match Cli::try_parse().and_then(check) {
        Err(error) => {
            // Help goes to standard output and ends well; nobody is left to tell if that is closed.
            let _ = error.print();
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
        Ok(cli) => match execute(cli) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                output::note(&failure.to_string());
                failure.exit_code()
            }
        },
    }
}

/// Flags of the server before another command would be passed over in silence.
fn check(cli: Cli) -> Result<Cli, clap::Error> {
    let serves = matches!(cli.command, None | Some(Command::Serve(_)));
    if serves || cli.serve.is_empty() {
        Ok(cli)
    } else {
        let text = "--listen, --public-url, --allow-origin, --log-format, --log-level, --refuse-unscoped-agents, \
                    --max-connections, --max-requests and --idle-timeout are for `chorus serve` only";
        Err(Cli::command().error(ErrorKind::ArgumentConflict, text))
    }
}

fn execute(cli: Cli) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::refused(format_args!("can't start threads: {error}")))?;
    let done = runtime.block_on(async {
        let Cli { place, serve: before, command } = cli;
        let sources = || Sources::read(&place, &environment);
        match command {
            None => serve::run(sources()?.serve(&place, before)?).await,
            Some(Command::Serve(args)) => serve::run(sources()?.serve(&place, args.over(before))?).await,
            Some(Command::Company(command)) => operator::company::run(&sources()?.place(&place)?, command).await,
            Some(Command::User(command)) => {
                let sources = sources()?;
                operator::user::run(&sources.place(&place)?, &sources, command).await
            }
            Some(Command::Agent(command)) => operator::agent::run(&sources()?.place(&place)?, command).await,
            Some(Command::Key(command)) => operator::key::run(&sources()?.place(&place)?, command).await,
            Some(Command::Project(command)) => operator::project::run(&sources()?.place(&place)?, command).await,
            Some(Command::Db(command)) => operator::db::run(&sources()?.place(&place)?, command).await,
            Some(Command::Backup(args)) => operator::backup::run(&sources()?.place(&place)?, args).await,
            Some(Command::Export(args)) => operator::carry::write(&sources()?.place(&place)?, args).await,
            Some(Command::Import(args)) => operator::carry::read(&sources()?.place(&place)?, args).await,
            Some(Command::Mcp(args)) => client::run(args).await,
            Some(Command::Login(args)) => client::login::login(args).await,
            Some(Command::Logout(args)) => client::login::logout(&args),
            Some(Command::Completions { shell }) => completions(shell),
        }
    });
    // What has been given up may still block a thread, and must not keep the process alive.
    runtime.shutdown_timeout(LAST_WAIT);
    done
}

fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "chorus", &mut script);
    output::write(&String::from_utf8_lossy(&script))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Cli, ErrorKind> {
        Cli::try_parse_from(line.split_whitespace()).and_then(check).map_err(|error| error.kind())
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_server_takes_its_flags_with_and_without_its_command() {
        for line in ["chorus", "chorus --listen x:1", "chorus serve --listen x:1", "chorus --listen x:1 serve"] {
            assert!(parse(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn the_database_can_be_named_before_and_after_any_command() {
        for line in [
            "chorus --data-dir d user create --email a@b --name A",
            "chorus user create --data-dir d --email a@b --name A --json",
            "chorus agent list --database-url sqlite:x",
            "chorus db check --config c",
            "chorus serve --data-dir d",
        ] {
            assert!(parse(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn flags_of_the_server_are_refused_elsewhere() {
        assert_eq!(parse("chorus --listen x:1 agent list").map(|_| ()), Err(ErrorKind::ArgumentConflict));
        assert_eq!(parse("chorus agent list --listen x:1").map(|_| ()), Err(ErrorKind::UnknownArgument));
    }

    #[test]
    fn required_flags_are_required() {
        for line in [
            "chorus company create",
            "chorus user create --name A",
            "chorus user password",
            "chorus user invite --email a@b",
            "chorus user reset",
            "chorus user uninvite",
            "chorus user sessions",
            "chorus user sign-out",
            "chorus agent create",
            "chorus agent show",
            "chorus agent update a",
            "chorus agent delete",
            "chorus key create",
            "chorus key revoke",
            "chorus backup",
            "chorus export",
            "chorus import",
            "chorus completions",
        ] {
            assert_eq!(parse(line).map(|_| ()), Err(ErrorKind::MissingRequiredArgument), "{line}");
        }
    }

    #[test]
    fn a_change_of_an_agent_does_not_contradict_itself() {
        assert!(
            parse("chorus agent update a --name b --no-owner --preset pm_agent --no-permissions --persona x").is_ok()
        );
        for line in ["--owner a@b --no-owner", "--preset pm_agent --no-presets", "--permission x:y --no-permissions"] {
            let refused = parse(&format!("chorus agent update a {line}")).map(|_| ());
            assert_eq!(refused, Err(ErrorKind::ArgumentConflict), "{line}");
        }
    }

    #[test]
    fn a_key_and_an_agent_are_not_both_given() {
        assert!(parse("chorus mcp --agent a list").is_ok() && parse("chorus mcp list --agent a --url u").is_ok());
        assert_eq!(parse("chorus mcp list --agent a --api-key k").map(|_| ()), Err(ErrorKind::ArgumentConflict));
    }

    #[test]
    fn a_call_has_one_base_of_arguments() {
        assert!(parse("chorus mcp call t {} --arg a=b --arg-file c=d --url u --api-key k").is_ok());
        assert!(parse("chorus mcp --url u call t --args-file -").is_ok());
        assert_eq!(parse("chorus mcp call t {} --args-file x").map(|_| ()), Err(ErrorKind::ArgumentConflict));
    }
}
