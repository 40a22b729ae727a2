//! The first run: what an empty database gets, so that a client can connect at once.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use chorus_app::Services;
use chorus_auth::{
    Moment, NewAgent, NewKey, NewUser,
    accounts::{LinkKind, NewToken, create_link},
    create_agent, create_company, create_key, create_user,
};
use chorus_domain::{Kind, Subject, Write, event::Change};
use chorus_permissions::Preset;
use chorus_store::{BoxError, Error, Result, Tx};

use crate::{
    config::Setup,
    database::Place,
    failure::Failure,
    operator::{Decision, Operation, perform, user::account},
    output,
};

/// What the workspace is called that is made where there is none.
pub(crate) const WORKSPACE: &str = "Workspace";
/// The first agent.
const AGENT: &str = "admin";
/// The first user.
const OWNER: &str = "Owner";
/// The file for the key where nobody reads standard output.
const KEY_FILE: &str = "admin.key";
/// The file for the link that lets the first user in, there.
const LINK_FILE: &str = "sign-in.link";

/// What the first run made.
#[derive(Debug)]
pub(crate) struct Made {
    /// The first user's e-mail address.
    pub(crate) email: String,
    /// The first agent's name.
    pub(crate) agent: &'static str,
    /// Its key.
    pub(crate) key: Delivery,
    /// The link that lets the first user in once.
    pub(crate) link: Delivery,
}

/// How a secret reaches a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// Printed: here it is.
    Printed(String),
    /// In this file.
    File(PathBuf),
}

/// Makes a workspace with a first user and a first agent if the database is empty and that is wanted. Of several servers
/// that start on one database one does it.
///
/// # Errors
/// The address is none, a secret can't be put into its file, or the database failed.
pub(crate) async fn first_run(
    services: &Services,
    place: &Place,
    setup: &Setup,
    server: &str,
) -> Result<Option<Made>, Failure> {
    let Setup::For(email) = setup else { return Ok(None) };
    if !services.store.read().await?.operator().companies().await?.is_empty() {
        return Ok(None);
    }
    let folder = if output::is_terminal() {
        None
    } else {
        place.prepare()?;
        Some(std::path::absolute(&place.data_dir).map_err(Failure::refused)?)
    };
    // If this fails, the files stay: it is not always known whether a commit that broke off has reached the database, and
    // a key that is stored but that nobody has would lock everybody out. Another first run replaces it.
    let (key, token) = (NewKey::generate(&mut rand::rng()), NewToken::generate(&mut rand::rng()));
    perform(services, Begin { email: email.clone(), key, token, server: server.to_owned(), folder }).await
}

struct Begin {
    email: String,
    key: NewKey,
    token: NewToken,
    /// The URL at which the first user reaches the server.
    server: String,
    /// Where secrets go that are not printed.
    folder: Option<PathBuf>,
}

impl Begin {
    /// Hands out a secret, in this file where nobody reads standard output. Before the commit: what is stored but nobody
    /// has would lock everybody out.
    fn deliver(&self, secret: &str, file: &str) -> Result<Delivery> {
        let Some(folder) = &self.folder else { return Ok(Delivery::Printed(secret.to_owned())) };
        let path = folder.join(file);
        write_secret(&path, secret).map_err(|error| {
            let text = format!("can't write what lets you in to {}: {error}", path.display());
            Error::Internal(BoxError::from(text))
        })?;
        Ok(Delivery::File(path))
    }
}

#[async_trait]
impl Operation for Begin {
    const NAME: &'static str = "setup";
    type Answer = Option<Made>;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<Option<Made>>> {
        tx.lock_setup().await?;
        if let Some(company) = tx.operator().companies().await?.into_iter().next() {
            return Ok(Decision { company: company.id, writes: Vec::new(), changes: Vec::new(), answer: None });
        }
        let company = create_company(moment, WORKSPACE)?;
        let user = NewUser { email: self.email.clone(), name: OWNER.to_owned(), password_hash: None };
        let user = create_user(moment, company.id, user)?;
        let agent = NewAgent {
            name: AGENT.to_owned(),
            owner: Some(user.id),
            presets: vec![Preset::Admin.name().to_owned()],
            permissions: Vec::new(),
        };
        let agent = create_agent(moment, company.id, agent)?;
        let key = create_key(moment, &agent, &self.key, Some(AGENT), None)?;
        let link = create_link(moment, &user, LinkKind::SignIn, Subject::Operator, &self.token);
        let url = account::link(&self.server, link.kind, &self.token);
        let delivered = (self.deliver(self.key.reveal(), KEY_FILE)?, self.deliver(&url, LINK_FILE)?);
        let answer =
            Made { email: user.email.clone().unwrap_or_default(), agent: AGENT, key: delivered.0, link: delivered.1 };
        let changes = vec![
            (Kind::User, user.id.uuid(), Change::Created),
            (Kind::Agent, agent.id.uuid(), Change::Created),
            (Kind::Key, key.id.uuid(), Change::Created),
        ];
        let id = company.id;
        let writes = vec![
            Write::NewCompany(company),
            Write::NewUser(user),
            Write::NewAgent(agent),
            Write::NewKey(key),
            Write::NewLink(link),
        ];
        Ok(Decision { company: id, writes, changes, answer: Some(answer) })
    }
}

/// Writes a file that only its owner can read, whole or not at all, and makes sure that it lasts. A file that was there
/// is replaced.
fn write_secret(path: &Path, secret: &str) -> io::Result<()> {
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    fs::remove_file(&fresh).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })?;
    let written = write_new(&fresh, secret).and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        // Already failing: that this fails too would be no news.
        fs::remove_file(&fresh).ok();
    }
    written
}

fn write_new(path: &Path, secret: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    writeln!(file, "{secret}")?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_secret_is_for_its_owner_and_replaces_an_older_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(KEY_FILE);
        fs::write(&path, "older").unwrap();
        write_secret(&path, "cho_secret").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "cho_secret\n");
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&path).unwrap());
            assert_eq!(mode & 0o777, 0o600);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn a_secret_that_can_not_be_written_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_secret(&folder.path().join("missing/admin.key"), "x").is_err());
        fs::create_dir(folder.path().join(KEY_FILE)).unwrap();
        assert!(write_secret(&folder.path().join(KEY_FILE), "x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the secret is not left behind");
    }
}
