//! Links that back something.

use chorus_app::reference;
use chorus_domain::{Kind, reference::Reference};
use chorus_ids::Uuid;
use chorus_lifecycle::reference::ReferenceType;

use crate::{desk::Reading, fault::Fault};

/// A link.
pub(crate) struct Link {
    pub(crate) id: Uuid,
    pub(crate) kind: &'static str,
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) notes: String,
}

impl Link {
    /// The name of a form about it.
    pub(crate) fn form(&self, what: &str) -> String {
        format!("{what}-{}", self.id)
    }
}

/// The links of something.
pub(crate) struct Evidence {
    /// What they back, as the tools name it.
    pub(crate) kind: &'static str,
    pub(crate) id: Uuid,
    /// The path of the page that shows them.
    pub(crate) path: String,
    pub(crate) links: Vec<Link>,
}

impl Evidence {
    /// Reads them, in one statement.
    ///
    /// # Errors
    /// The database can't be reached.
    pub(crate) async fn load(reading: &mut Reading, about: (Kind, Uuid), path: &str) -> Result<Self, Fault> {
        let (call, reads) = reading.parts();
        Ok(Self::of(reference::of(call, reads, about).await?, about, path))
    }

    /// Those that were read.
    pub(crate) fn of(references: Vec<Reference>, (kind, id): (Kind, Uuid), path: &str) -> Self {
        let links = references.into_iter().map(|link| Link {
            id: link.id.uuid(),
            kind: link.kind.as_str(),
            // Stored links are http or https; whatever else there may be leads nowhere.
            url: if link.url.to_ascii_lowercase().starts_with("http") { link.url } else { String::new() },
            title: link.title,
            notes: link.notes.unwrap_or_default(),
        });
        Self { kind: kind.as_str(), id, path: path.to_owned(), links: links.collect() }
    }

    pub(crate) fn kinds(&self) -> [&'static str; 4] {
        ReferenceType::ALL.map(ReferenceType::as_str)
    }
}
