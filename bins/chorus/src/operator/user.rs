//! `chorus user`.

use std::io::Read as _;

use async_trait::async_trait;
use chorus_app::person::Departure;
use chorus_auth::{Moment, NewUser, accounts::replace_password, check_password, create_user, hash_password};
use chorus_domain::{Code, Kind, Refusal, Write, event::Change, identity::User};
use chorus_ids::CompanyId;
use chorus_store::{Reads, Result, Tx};
use clap::Subcommand;
use serde::Serialize;

use super::{CompanyArgs, Decision, FormatArgs, Operation, Sure, company::existing_or_first, perform, workspace};
use crate::{
    config::{ServerArgs, Sources},
    database::Place,
    failure::Failure,
    output, secret,
};

pub(crate) mod account;
mod depart;
mod invitations;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add a person; makes the company if there is none
    #[command(
        after_help = "Example:\n  chorus user create --email ada@example.com --name Ada\n  chorus user password \
        --email ada@example.com"
    )]
    Create {
        /// Their e-mail address; nobody else of the company may have it, whatever its case
        #[arg(long)]
        email: String,
        /// What they are called
        #[arg(long)]
        name: String,
        /// Read their password from standard input; without one they can't sign in with a password
        #[arg(long)]
        password_stdin: bool,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List people, oldest first; the first one administers whatever has no administrator
    List {
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Tell what suspending somebody does and, with --yes, do it
    ///
    /// They can't sign in, the keys of their agents don't work, and nothing can be given to them, until `chorus user resume`
    /// lets them in again. What they and their agents have not finished is free for others, which one person is told with
    /// a list: the first user, or who answers for a project that is hidden from that one. A project or group that they
    /// alone administer passes to its group's administrator or the first user meanwhile.
    #[command(
        after_help = "Example:\n  chorus user suspend ada@example.com\n  chorus user suspend ada@example.com --yes"
    )]
    Suspend {
        /// Their e-mail address
        email: String,
        #[command(flatten)]
        sure: Sure,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Let somebody in again who was suspended, with the roles that they had
    #[command(after_help = "Example:\n  chorus user resume ada@example.com")]
    Resume {
        /// Their e-mail address
        email: String,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Tell what removing somebody does and, with --yes, do it for good
    ///
    /// Their agents go with them, keys and all; to keep one, give it another owner first (`chorus agent update --owner`).
    /// What they and their agents have not finished is free for others, as with `chorus user suspend`. Finished work,
    /// comments and activities keep their names.
    #[command(
        after_help = "Example:\n  chorus user remove ada@example.com\n  chorus user remove ada@example.com --yes"
    )]
    Remove {
        /// Their e-mail address
        email: String,
        #[command(flatten)]
        sure: Sure,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Add a person and print a link that lets them in and choose a password, once and within seven days
    ///
    /// No mail is sent: give them the link yourself. Somebody who was added before and has no password gets a new link, and
    /// earlier ones no longer work.
    #[command(after_help = "Example:\n  chorus user invite --email ada@example.com --name Ada")]
    Invite {
        /// Their e-mail address
        #[arg(long)]
        email: String,
        /// What they are called, if they are new
        #[arg(long)]
        name: String,
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List invitations that still work, newest first: whom they invite, who made them and when they end
    #[command(after_help = "Example:\n  chorus user invitations")]
    Invitations {
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Take an invitation back, whoever made it: its link no longer works
    ///
    /// Somebody who never came in and has no role, no agent and no work yet is removed with it; whoever has stays in the
    /// list of people (`chorus user remove`).
    #[command(after_help = "Example:\n  chorus user uninvite ada@example.com")]
    Uninvite {
        /// Their e-mail address
        email: String,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Print a link that lets somebody choose another password, once and within a day
    ///
    /// Their password and their sessions end when the link is used. Earlier links no longer work.
    #[command(after_help = "Example:\n  chorus user reset ada@example.com")]
    Reset {
        /// Their e-mail address
        email: String,
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List where somebody is signed in, the last used session first
    #[command(after_help = "Example:\n  chorus user sessions ada@example.com")]
    Sessions {
        /// Their e-mail address
        email: String,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// End all sessions of somebody's browsers; their password and the keys of their agents stay
    #[command(after_help = "Example:\n  chorus user sign-out ada@example.com")]
    SignOut {
        /// Their e-mail address
        email: String,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Set a person's password, which ends their sessions
    ///
    /// Asks for it twice at the terminal, which does not show it, or reads it from standard input.
    #[command(
        after_help = "Example:\n  chorus user password --email ada@example.com\n  pass show chorus | chorus user \
        password --email ada@example.com --password-stdin"
    )]
    Password {
        /// Whose password
        #[arg(long)]
        email: String,
        /// Read it from standard input instead of asking
        #[arg(long)]
        password_stdin: bool,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
}

pub(crate) async fn run(place: &Place, sources: &Sources<'_>, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create { email, name, password_stdin, company, format } => {
            let password_hash = if password_stdin { Some(hash(&piped()?, &email)?) } else { None };
            let services = place.open_migrated().await?;
            let user = NewUser { email, name, password_hash };
            let created = perform(&services, Create { user, company }).await?;
            output::answer(format.format(), &created, || {
                format!("Added {} <{}>, user {}.", created.name, created.email, created.user_uuid)
            })
        }
        Command::List { company, format } => list(place, &company, format).await,
        Command::Suspend { email, sure, company, format } => {
            depart::run(place, depart::Depart::new(email, company, Departure::Suspension, sure.yes), format).await
        }
        Command::Resume { email, company, format } => depart::resume(place, email, company, format).await,
        Command::Remove { email, sure, company, format } => {
            depart::run(place, depart::Depart::new(email, company, Departure::Removal, sure.yes), format).await
        }
        Command::Invite { email, name, server, company, format } => {
            account::invite(place, &sources.server(server)?, (email, name), company, format).await
        }
        Command::Invitations { company, format } => invitations::list(place, &company, format).await,
        Command::Uninvite { email, company, format } => invitations::take_back(place, email, company, format).await,
        Command::Reset { email, server, company, format } => {
            account::reset(place, &sources.server(server)?, email, company, format).await
        }
        Command::Sessions { email, company, format } => account::sessions(place, &email, &company, format).await,
        Command::SignOut { email, company, format } => account::sign_out(place, email, company, format).await,
        Command::Password { email, password_stdin, company, format } => {
            let password = if password_stdin { piped()? } else { asked()? };
            let hash = hash(&password, &email)?;
            let services = place.open_migrated().await?;
            let changed = perform(&services, SetPassword { email, hash, company }).await?;
            output::answer(format.format(), &changed, || {
                format!("{} <{}> has a new password.", changed.name, changed.email)
            })
        }
    }
}

/// What stands on standard input, without the line break at its end.
fn piped() -> Result<String, Failure> {
    let mut password = String::new();
    std::io::stdin()
        .read_to_string(&mut password)
        .map_err(|error| Failure::usage(format_args!("can't read the password: {error}")))?;
    let password = password.strip_suffix('\n').unwrap_or(&password);
    Ok(password.strip_suffix('\r').unwrap_or(password).to_owned())
}

/// What is typed twice.
fn asked() -> Result<String, Failure> {
    let instead = "give the password on standard input with --password-stdin";
    let password = secret::ask("New password: ", instead)?;
    if secret::ask("The same again: ", instead)? == password {
        Ok(password)
    } else {
        Err(Failure::usage("the two passwords differ; nothing was changed"))
    }
}

fn hash(password: &str, email: &str) -> Result<String, Failure> {
    check_password("password", password, Some(email)).map_err(|problem| Refusal::problems(vec![problem]))?;
    Ok(hash_password(password, &mut rand::rng())?)
}

/// What is said about a user.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    user_uuid: String,
    email: String,
    name: String,
}

impl Shown {
    fn of(user: &User) -> Self {
        let email = user.email.clone().unwrap_or_default();
        Self { user_uuid: user.id.to_string(), email, name: user.display_name().to_owned() }
    }
}

struct Create {
    user: NewUser,
    company: CompanyArgs,
}

#[async_trait]
impl Operation for Create {
    const NAME: &'static str = "user create";
    type Answer = Shown;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<Shown>> {
        let mut writes = Vec::new();
        let company = existing_or_first(tx, &self.company, moment, &mut writes).await?;
        let user = create_user(moment, company, self.user.clone())?;
        let answer = Shown::of(&user);
        if tx.operator().user_by_email(company, &answer.email).await?.is_some() {
            return Err(Refusal::new(
                Code::InvalidState,
                format!("There is a user with the e-mail `{}` already.", answer.email),
            )
            .into());
        }
        let changes = vec![(Kind::User, user.id.uuid(), Change::Created)];
        writes.push(Write::NewUser(user));
        Ok(Decision { company, writes, changes, answer })
    }
}

struct SetPassword {
    email: String,
    hash: String,
    company: CompanyArgs,
}

#[async_trait]
impl Operation for SetPassword {
    const NAME: &'static str = "user password";
    type Answer = Shown;

    async fn decide(&self, tx: &mut dyn Tx, _moment: Moment<'_>) -> Result<Decision<Shown>> {
        let (company, user) = named(tx, &self.company, &self.email).await?;
        let changes = vec![(Kind::User, user.id.uuid(), Change::Updated)];
        let writes = replace_password(user.id, &self.hash).to_vec();
        Ok(Decision { company, writes, changes, answer: Shown::of(&user) })
    }
}

/// The workspace that a command names, and the user with this address in it.
///
/// # Errors
/// There is no such workspace, or nobody with this address in it.
async fn named(tx: &mut dyn Tx, company: &CompanyArgs, email: &str) -> Result<(CompanyId, User)> {
    let company = workspace(tx, company).await?.id;
    Ok((company, find(tx, company, email).await?))
}

/// The user with this address.
///
/// # Errors
/// There is none.
pub(super) async fn find(reads: &mut dyn Reads, company: CompanyId, email: &str) -> Result<User> {
    let user = reads.operator().user_by_email(company, email.trim()).await?;
    let nobody = || {
        let text = format!("There is no user with the e-mail `{email}`. `chorus user create` adds one.");
        Refusal::new(Code::NotFound, text)
    };
    Ok(user.ok_or_else(nobody)?)
}

/// The user with this address, if they are not suspended.
///
/// # Errors
/// There is none, or they are.
pub(super) async fn find_present(reads: &mut dyn Reads, company: CompanyId, email: &str) -> Result<User> {
    let user = find(reads, company, email).await?;
    match user.suspended_at {
        None => Ok(user),
        Some(_) => {
            let text = format!(
                "`{email}` is suspended, so nothing can be given to them. `chorus user resume` lets them in again."
            );
            Err(Refusal::new(Code::InvalidState, text).into())
        }
    }
}

/// A row of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    user_uuid: String,
    email: Option<String>,
    name: String,
    has_password: bool,
    suspended_at: Option<String>,
    created_at: String,
}

async fn list(place: &Place, company: &CompanyArgs, format: FormatArgs) -> Result<(), Failure> {
    let services = place.open().await?;
    let mut reads = services.store.read().await?;
    let company = workspace(reads.as_mut(), company).await?.id;
    let users = reads.operator().users(company).await?;
    let users = users.into_iter().map(|user| Listed {
        user_uuid: user.id.to_string(),
        name: user.display_name().to_owned(),
        has_password: user.password_hash.is_some(),
        suspended_at: user.suspended_at.map(|at| at.to_string()),
        created_at: user.created_at.to_string(),
        email: user.email,
    });
    let users: Vec<Listed> = users.collect();
    output::list(format.format(), ("users", &users), ["UUID", "E-MAIL", "NAME", "PASSWORD", "SUSPENDED"], |user| {
        [
            user.user_uuid.clone(),
            output::or_dash(user.email.as_deref()),
            user.name.clone(),
            if user.has_password { "yes" } else { "-" }.to_owned(),
            output::or_dash(user.suspended_at.as_deref()),
        ]
    })
}
