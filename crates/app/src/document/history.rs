//! What a document said before.

use chorus_domain::{
    Code, Party, Refusal,
    document::{Document, PastVersion},
};
use chorus_ids::{DocumentId, Timestamp};
use chorus_lifecycle::document::FIRST_VERSION;
use chorus_store::{Reads, Result};
use serde_json::json;

use super::read;
use crate::Call;

/// Most versions that are listed with a document.
const LISTED: u32 = 10;

/// A document as it was at one of its versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtVersion {
    /// The document, with title and text of that version.
    pub document: Document,
    /// Its newest version.
    pub latest: i32,
    /// That version and the ones before it, newest first, at most ten.
    pub versions: Vec<VersionEntry>,
}

/// One version of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionEntry {
    /// Its number.
    pub version: i32,
    /// The title at that version.
    pub title: String,
    /// Who wrote it; nobody if the version before it is not known.
    pub by: Option<Party>,
    /// When.
    pub at: Option<Timestamp>,
}

/// Reads a document at a version, or as it is now.
///
/// # Errors
/// Not found; also for a version that the document never had.
pub async fn at_version(call: &Call, reads: &mut dyn Reads, id: DocumentId, version: Option<i32>) -> Result<AtVersion> {
    let mut document = read(call, reads, id).await?;
    let latest = document.version;
    let shown = version.unwrap_or(latest);
    if shown < latest {
        let past = reads.past_version(&call.scope, id, shown).await?.ok_or_else(|| no_version(shown, latest))?;
        document = Document { version: shown, title: past.title, content: past.content, ..document };
    } else if shown > latest {
        return Err(no_version(shown, latest).into());
    }
    let before = match latest {
        FIRST_VERSION => Vec::new(),
        // One more than is listed: it tells who wrote the last of them.
        _ => reads.past_versions(&call.scope, id, shown, LISTED + 1).await?,
    };
    Ok(AtVersion { versions: entries(&document, &before), document, latest })
}

/// The version shown and those before it. Whoever replaced a version wrote the next one.
fn entries(shown: &Document, past: &[PastVersion]) -> Vec<VersionEntry> {
    let writer = |version: i32| match version {
        FIRST_VERSION => Some((shown.created_by, shown.created_at)),
        _ => past.iter().find(|one| one.version == version - 1).map(|one| (one.replaced_by, one.replaced_at)),
    };
    let titles = past.iter().filter(|one| one.version < shown.version).map(|one| (one.version, &one.title));
    [(shown.version, &shown.title)]
        .into_iter()
        .chain(titles)
        .take(LISTED as usize)
        .map(|(version, title)| {
            let (by, at) = writer(version).unzip();
            VersionEntry { version, title: title.clone(), by, at }
        })
        .collect()
}

fn no_version(asked: i32, latest: i32) -> Refusal {
    let text = format!(
        "Version not found: the document has no version {asked}; its newest is {latest}. Leave `version` out to read \
         that one."
    );
    Refusal::new(Code::NotFound, text).with(json!({ "latestVersion": latest }))
}
