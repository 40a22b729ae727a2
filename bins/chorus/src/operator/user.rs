//! `chorus user`.

use std::io::Read as _;

use async_trait::async_trait;
use chorus_auth::{Moment, NewUser, create_company, create_user, hash_password};
use chorus_domain::{Code, Kind, Refusal, Write, event::Change};
use chorus_store::{Result, Tx};
use clap::Subcommand;
use serde::Serialize;

use super::{Decision, FormatArgs, Operation, perform};
use crate::{database::Place, failure::Failure, output, setup::WORKSPACE};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add a person; makes the workspace if there is none
    Create {
        /// Their e-mail address
        #[arg(long)]
        email: String,
        /// What they are called
        #[arg(long)]
        name: String,
        /// Read their password from standard input
        #[arg(long)]
        password_stdin: bool,
        #[command(flatten)]
        format: FormatArgs,
    },
}

/// What is said about a new user.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    user_uuid: String,
    email: String,
    name: String,
}

pub(crate) async fn run(place: &Place, command: Command) -> Result<(), Failure> {
    let Command::Create { email, name, password_stdin, format } = command;
    let password_hash = if password_stdin { Some(read_password()?) } else { None };
    let services = place.open_migrated().await?;
    let created = perform(&services, Create(NewUser { email, name, password_hash })).await?;
    output::answer(format.format(), &created, || {
        format!("Added {} <{}>, user {}.", created.name, created.email, created.user_uuid)
    })
}

/// The hash of what stands on standard input, without the line break at its end.
fn read_password() -> Result<String, Failure> {
    let mut password = String::new();
    std::io::stdin()
        .read_to_string(&mut password)
        .map_err(|error| Failure::usage(format_args!("can't read the password: {error}")))?;
    let password = password.strip_suffix('\n').unwrap_or(&password);
    let password = password.strip_suffix('\r').unwrap_or(password);
    Ok(hash_password(password, &mut rand::rng())?)
}

struct Create(NewUser);

#[async_trait]
impl Operation for Create {
    const NAME: &'static str = "user create";
    type Answer = Created;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<Created>> {
        // Keeps a server's first run, and other commands like this, from making a second workspace or the same user.
        tx.lock_setup().await?;
        let mut writes = Vec::new();
        let company = match tx.operator().companies().await?.into_iter().next() {
            Some(company) => company.id,
            None => {
                let company = create_company(moment, WORKSPACE)?;
                writes.push(Write::NewCompany(company.clone()));
                company.id
            }
        };
        let user = create_user(moment, company, self.0.clone())?;
        let email = user.email.clone().unwrap_or_default();
        if tx.operator().user_by_email(company, &email).await?.is_some() {
            return Err(Refusal::new(
                Code::InvalidState,
                format!("There is a user with the e-mail `{email}` already."),
            )
            .into());
        }
        let changes = vec![(Kind::User, user.id.uuid(), Change::Created)];
        let answer = Created { user_uuid: user.id.to_string(), email, name: user.display_name().to_owned() };
        writes.push(Write::NewUser(user));
        Ok(Decision { company, writes, changes, answer })
    }
}
