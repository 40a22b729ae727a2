//! `~/.chorus/daemon.json`: keys that were logged in with, and what other programs keep beside them.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use directories::BaseDirs;
use serde_json::{Map, Value, json};

use super::{URL, endpoint::same_server};
use crate::failure::Failure;

/// The folder in the home directory.
const FOLDER: &str = ".chorus";
/// The file in it.
const FILE: &str = "daemon.json";

const AGENTS: &str = "agents";
const KEY: &str = "apiKey";
const SERVER: &str = "url";
const UUID: &str = "agentUuid";
const NAME: &str = "agentName";

/// The content of the file. What this program does not know stays as it is.
#[derive(Debug)]
pub(super) struct Profiles {
    path: PathBuf,
    document: Map<String, Value>,
}

/// A key with what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Profile {
    /// The server that it is for, and the only one that it is sent to.
    pub(super) url: String,
    /// The key.
    pub(super) key: String,
    /// Whose it is.
    pub(super) uuid: Option<String>,
    /// What that agent is called.
    pub(super) name: Option<String>,
}

impl Profile {
    /// What a person reads.
    pub(super) fn label(&self) -> String {
        match (&self.name, &self.uuid) {
            (Some(name), Some(uuid)) => format!("{name} ({uuid})"),
            (Some(name), None) => name.clone(),
            (None, Some(uuid)) => uuid.clone(),
            (None, None) => format!("an agent at {}", self.url),
        }
    }

    /// Whether a person who says this means it.
    pub(super) fn is_called(&self, wanted: &str) -> bool {
        self.name.as_deref() == Some(wanted)
            || self.uuid.as_deref().is_some_and(|uuid| uuid.eq_ignore_ascii_case(wanted))
    }
}

impl Profiles {
    /// The file of the person who runs this.
    ///
    /// # Errors
    /// No home directory is known.
    pub(super) fn path() -> Result<PathBuf, Failure> {
        let home = BaseDirs::new().ok_or_else(|| Failure::usage("no home directory is known; set HOME"))?;
        Ok(home.home_dir().join(FOLDER).join(FILE))
    }

    /// Reads the file; one that is missing is empty.
    ///
    /// # Errors
    /// It can't be read, or is no JSON object.
    pub(super) fn read(path: PathBuf) -> Result<Self, Failure> {
        let document = match fs::read_to_string(&path) {
            Ok(text) if text.trim().is_empty() => Map::new(),
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                Failure::usage(format_args!("{} is no JSON object: {error}; repair or remove it", path.display()))
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Map::new(),
            Err(error) => return Err(Failure::usage(format_args!("can't read {}: {error}", path.display()))),
        };
        Ok(Self { path, document })
    }

    /// Every key in the file, in its order. A key at the top counts as one more agent, unless it is the default of entries
    /// that have none.
    pub(super) fn all(&self) -> Vec<Profile> {
        let top = &self.document;
        let mut found: Vec<Profile> =
            self.entries().iter().filter_map(Value::as_object).filter_map(|entry| profile(entry, top)).collect();
        if let Some(single) = profile(top, top).filter(|single| found.iter().all(|known| known.key != single.key)) {
            found.push(single);
        }
        found
    }

    fn entries(&self) -> &[Value] {
        self.document.get(AGENTS).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Adds an agent, or renews what is known of it; its other fields stay.
    ///
    /// # Errors
    /// The file holds something else where agents belong.
    pub(super) fn put(&mut self, new: &Profile) -> Result<(), Failure> {
        let top = self.document.clone();
        let agents = self.document.entry(AGENTS).or_insert_with(|| json!([]));
        let Some(agents) = agents.as_array_mut() else {
            return Err(Failure::usage(format_args!(
                "`agents` in {} is no list; repair or remove it",
                self.path.display()
            )));
        };
        let is_same =
            |entry: &&mut Map<String, Value>| profile(entry, &top).is_some_and(|known| same_agent(&known, new));
        let fields =
            [(KEY, Some(&new.key)), (SERVER, Some(&new.url)), (UUID, new.uuid.as_ref()), (NAME, new.name.as_ref())];
        let fields =
            fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Value::String(value?.clone()))));
        match agents.iter_mut().filter_map(Value::as_object_mut).find(is_same) {
            Some(entry) => entry.extend(fields),
            None => agents.push(Value::Object(fields.collect())),
        }
        Ok(())
    }

    /// Takes these out.
    pub(super) fn remove(&mut self, gone: &[Profile]) {
        let top = self.document.clone();
        let is_gone = |known: Option<Profile>| known.is_some_and(|known| gone.contains(&known));
        if let Some(agents) = self.document.get_mut(AGENTS).and_then(Value::as_array_mut) {
            agents.retain(|entry| !entry.as_object().is_some_and(|entry| is_gone(profile(entry, &top))));
        }
        if is_gone(profile(&top, &top)) {
            [KEY, UUID, NAME].into_iter().for_each(|field| drop(self.document.remove(field)));
        }
    }

    /// Writes the file, whole or not at all, for its owner only.
    ///
    /// # Errors
    /// It can't be written.
    pub(super) fn write(&self) -> Result<(), Failure> {
        let written = self.write_fresh();
        written.map_err(|error| Failure::usage(format_args!("can't write {}: {error}", self.path.display())))
    }

    fn write_fresh(&self) -> io::Result<()> {
        // A link stays one.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let folder = path.parent().unwrap_or(Path::new("."));
        // Made for its owner only, and gone unless it is renamed in the end.
        let mut fresh = tempfile::Builder::new().prefix(".daemon-").tempfile_in(folder)?;
        let text = serde_json::to_string_pretty(&self.document)?;
        writeln!(fresh, "{text}")?;
        fresh.as_file().sync_all()?;
        fresh.persist(&path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Reads the file, changes it and writes it, while nobody else of this program does.
///
/// # Errors
/// It can't be read or written, or the change is refused; nothing is written then.
pub(super) fn change<T>(path: PathBuf, change: impl FnOnce(&mut Profiles) -> Result<T, Failure>) -> Result<T, Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make(folder).map_err(|error| Failure::usage(format_args!("can't make {}: {error}", folder.display())))?;
    // Held until the end. Where a folder can't be locked, the last one to write wins.
    let _lock = File::open(folder).and_then(|folder| folder.lock().map(|()| folder)).ok();
    let mut profiles = Profiles::read(path)?;
    let answer = change(&mut profiles)?;
    profiles.write()?;
    Ok(answer)
}

fn make(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// What an entry says, completed by the defaults at the top of the file.
fn profile(entry: &Map<String, Value>, top: &Map<String, Value>) -> Option<Profile> {
    let text = |of: &Map<String, Value>, field: &str| {
        of.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
    };
    Some(Profile {
        key: text(entry, KEY).or_else(|| text(top, KEY))?,
        url: text(entry, SERVER).or_else(|| text(top, SERVER)).unwrap_or_else(|| URL.to_owned()),
        uuid: text(entry, UUID),
        name: text(entry, NAME),
    })
}

fn same_agent(known: &Profile, new: &Profile) -> bool {
    known.key == new.key || (known.uuid.is_some() && known.uuid == new.uuid && same_server(&known.url, &new.url))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn profiles(document: Value) -> Profiles {
        Profiles { path: "daemon.json".into(), document: document.as_object().unwrap().clone() }
    }

    fn new(key: &str, uuid: &str, name: &str) -> Profile {
        Profile { url: "http://h:1".into(), key: key.into(), uuid: Some(uuid.into()), name: Some(name.into()) }
    }

    #[test]
    fn defaults_at_the_top_complete_the_entries() {
        let all = profiles(json!({
            "url": "http://top",
            "agents": [{ "apiKey": "a" }, { "apiKey": "b", "url": "http://own", "agentName": "n" }, { "cwds": [] }, 7],
        }))
        .all();
        let found: Vec<_> = all.iter().map(|one| (one.key.as_str(), one.url.as_str(), one.name.as_deref())).collect();
        assert_eq!(found, [("a", "http://top", None), ("b", "http://own", Some("n"))]);
        let single = profiles(json!({ "apiKey": "only" })).all();
        assert_eq!(single.iter().map(|one| (one.key.as_str(), one.url.as_str())).collect::<Vec<_>>(), [("only", URL)]);
    }

    #[test]
    fn a_known_agent_is_renewed_and_keeps_its_other_fields() {
        let mut known = profiles(json!({
            "daemon": { "x": 1 },
            "agents": [
                { "apiKey": "old", "url": "http://h:1/", "agentUuid": "u", "agentName": "n", "cwds": ["/a"] },
                { "apiKey": "other", "url": "http://elsewhere", "agentUuid": "u" },
            ],
        }));
        known.put(&new("new", "u", "renamed")).unwrap();
        known.put(&new("third", "v", "third")).unwrap();
        let expected = json!({
            "daemon": { "x": 1 },
            "agents": [
                { "apiKey": "new", "url": "http://h:1", "agentUuid": "u", "agentName": "renamed", "cwds": ["/a"] },
                { "apiKey": "other", "url": "http://elsewhere", "agentUuid": "u" },
                { "apiKey": "third", "url": "http://h:1", "agentUuid": "v", "agentName": "third" },
            ],
        });
        assert_eq!(Value::Object(known.document), expected);
    }

    #[test]
    fn only_what_is_named_goes() {
        let mut known = profiles(json!({
            "apiKey": "top", "agentName": "single", "url": "http://top", "other": true,
            "agents": [{ "apiKey": "a" }, { "apiKey": "b" }, "strange"],
        }));
        let all = known.all();
        assert_eq!(all.len(), 3);
        known.remove(all.get(1..).unwrap());
        let expected = json!({ "url": "http://top", "other": true, "agents": [{ "apiKey": "a" }, "strange"] });
        assert_eq!(Value::Object(known.document), expected);
    }

    #[test]
    fn what_is_no_list_is_not_replaced() {
        let mut known = profiles(json!({ "agents": "mine" }));
        assert!(known.put(&new("k", "u", "n")).is_err());
        assert_eq!(Value::Object(known.document), json!({ "agents": "mine" }));
    }
}
