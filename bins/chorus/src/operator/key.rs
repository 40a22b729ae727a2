//! `chorus key`.

use async_trait::async_trait;
use chorus_auth::{Moment, NewKey, create_key};
use chorus_domain::{Code, Kind, Refusal, Write, event::Change};
use chorus_ids::{KeyId, Timestamp};
use chorus_store::{KeyRow, Reads, Result, Tx};
use clap::Subcommand;
use serde::Serialize;

use super::{CompanyArgs, Decision, FormatArgs, Operation, agent::find, perform, workspace};
use crate::{database::Place, failure::Failure, output};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make another key for an agent, which is shown this once
    ///
    /// To replace a key, make another, give it to the agent, and revoke the old one: what the agent may do stays the same.
    #[command(after_help = "Example:\n  chorus key create --agent builder --name laptop --expires-at 2027-01-31")]
    Create {
        /// Name or UUID of the agent
        #[arg(long)]
        agent: String,
        /// What the key is called
        #[arg(long)]
        name: Option<String>,
        /// When it stops working, such as 2027-01-31 or 2027-01-31T18:00:00Z
        #[arg(long, value_name = "TIME", value_parser = read_time)]
        expires_at: Option<Timestamp>,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List keys that are not revoked
    List {
        /// Name or UUID of an agent, if only its keys are wanted
        #[arg(long)]
        agent: Option<String>,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Revoke a key at once and for good; its agent stays
    Revoke {
        /// UUID of the key, as `chorus key list` shows it
        key: KeyId,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
}

pub(crate) async fn run(place: &Place, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create { agent, name, expires_at, company, format } => {
            let services = place.open_migrated().await?;
            let key = NewKey::generate(&mut rand::rng());
            let create = Create { agent, name, expires_at, company, key };
            let created = perform(&services, create).await?;
            output::answer(format.format(), &created, || {
                format!(
                    "Made the key {} for the agent {}.\nShown this once: {}",
                    created.key_uuid, created.agent_uuid, created.api_key
                )
            })
        }
        Command::List { agent, company, format } => list(place, agent, &company, format).await,
        Command::Revoke { key, company, format } => {
            let services = place.open_migrated().await?;
            let revoked = perform(&services, Revoke { key, company }).await?;
            output::answer(format.format(), &revoked, || format!("The key {} no longer works.", revoked.key_uuid))
        }
    }
}

/// Reads a time, or a day as its first moment in UTC.
fn read_time(text: &str) -> Result<Timestamp, String> {
    let day = || format!("{text}T00:00:00Z").parse();
    text.parse().or_else(|_| day()).map_err(|error: chorus_ids::InvalidTimestamp| error.to_string())
}

/// What is said about a new key.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    key_uuid: String,
    agent_uuid: String,
    api_key: String,
    name: Option<String>,
    expires_at: Option<String>,
}

struct Create {
    agent: String,
    name: Option<String>,
    expires_at: Option<Timestamp>,
    company: CompanyArgs,
    key: NewKey,
}

#[async_trait]
impl Operation for Create {
    const NAME: &'static str = "key create";
    type Answer = Created;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<Created>> {
        let company = workspace(tx, &self.company).await?.id;
        let (agent, _) = find(tx, company, &self.agent).await?;
        let key = create_key(moment, &agent, &self.key, self.name.as_deref(), self.expires_at)?;
        let answer = Created {
            key_uuid: key.id.to_string(),
            agent_uuid: agent.id.to_string(),
            api_key: self.key.reveal().to_owned(),
            name: key.name.clone(),
            expires_at: key.expires_at.map(|at| at.to_string()),
        };
        let changes = vec![(Kind::Key, key.id.uuid(), Change::Created)];
        Ok(Decision { company, writes: vec![Write::NewKey(key)], changes, answer })
    }
}

/// What is said about a revoked key.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Revoked {
    key_uuid: String,
    revoked_at: String,
}

struct Revoke {
    key: KeyId,
    company: CompanyArgs,
}

#[async_trait]
impl Operation for Revoke {
    const NAME: &'static str = "key revoke";
    type Answer = Revoked;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<Revoked>> {
        let company = workspace(tx, &self.company).await?.id;
        let key = tx.operator().key(company, self.key).await?;
        let missing = || {
            Refusal::new(
                Code::NotFound,
                format!("There is no key {}. `chorus key list` shows those that exist.", self.key),
            )
        };
        let key = key.ok_or_else(missing)?;
        if let Some(at) = key.revoked_at {
            return Err(
                Refusal::new(Code::InvalidState, format!("The key {} was revoked at {at} already.", key.id)).into()
            );
        }
        let answer = Revoked { key_uuid: key.id.to_string(), revoked_at: moment.now.to_string() };
        let changes = vec![(Kind::Key, key.id.uuid(), Change::Updated)];
        Ok(Decision { company, writes: vec![Write::RevokeKey(key.id, moment.now)], changes, answer })
    }
}

/// A row of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    key_uuid: String,
    agent_uuid: String,
    agent_name: String,
    prefix: String,
    name: Option<String>,
    last_used: Option<String>,
    expires_at: Option<String>,
    created_at: String,
}

async fn list(place: &Place, agent: Option<String>, company: &CompanyArgs, format: FormatArgs) -> Result<(), Failure> {
    let services = place.open().await?;
    let mut reads = services.store.read().await?;
    let keys = keys(reads.as_mut(), agent.as_deref(), company).await?;
    // Revoked keys are gone for good; they only stay in the database for the record (permissions specification §8).
    let keys = keys.into_iter().filter(|row| row.key.revoked_at.is_none()).map(|KeyRow { key, agent_name }| Listed {
        key_uuid: key.id.to_string(),
        agent_uuid: key.agent.to_string(),
        agent_name,
        prefix: key.prefix,
        name: key.name,
        last_used: key.last_used.map(|at| at.to_string()),
        expires_at: key.expires_at.map(|at| at.to_string()),
        created_at: key.created_at.to_string(),
    });
    let keys: Vec<Listed> = keys.collect();
    output::list(format.format(), ("keys", &keys), ["UUID", "AGENT", "KEY", "NAME", "LAST USED", "EXPIRES"], |key| {
        [
            key.key_uuid.clone(),
            key.agent_name.clone(),
            key.prefix.clone(),
            output::or_dash(key.name.as_deref()),
            output::or_dash(key.last_used.as_deref()),
            output::or_dash(key.expires_at.as_deref()),
        ]
    })
}

async fn keys(reads: &mut dyn Reads, agent: Option<&str>, company: &CompanyArgs) -> Result<Vec<KeyRow>> {
    let company = workspace(reads, company).await?.id;
    let agent = match agent {
        None => None,
        Some(wanted) => Some(find(reads, company, wanted).await?.0.id),
    };
    reads.operator().keys(company, agent).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expiry_is_a_moment_or_a_day() {
        let read = |text| read_time(text).map(|at| at.to_string());
        assert_eq!(read("2027-01-31").as_deref(), Ok("2027-01-31T00:00:00.000Z"));
        assert_eq!(read("2027-01-31T18:00:00+01:00").as_deref(), Ok("2027-01-31T17:00:00.000Z"));
        for text in ["", "tomorrow", "2027-02-30", "31.01.2027"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
