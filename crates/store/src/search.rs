//! Searching titles and texts.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chorus_domain::{
    Kind,
    search::{Query, Score},
};
use chorus_ids::{GroupId, ProjectId, Timestamp, Uuid};
use chorus_visibility::Scope;

use crate::Result;

/// Finding things by their words.
///
/// What is found is what [`Tx::apply`](crate::Tx::apply) has written up to now: entries of the index are part of each
/// unit. Of every row at most the first [`SEEN`] characters of its text are read.
#[async_trait]
pub trait Search: Send {
    /// Whatever has at least one term of the query; how it is ranked stands at [`Matches`].
    async fn matches(&mut self, scope: &Scope, ground: &Ground, query: &Query) -> Result<Matches>;

    /// The thing with this id.
    async fn found_by_id(&mut self, scope: &Scope, ground: &Ground, id: Uuid) -> Result<Option<SearchRow>>;

    /// What stands beside these things, which are left out themselves: each once, those beside the first of them first,
    /// at most `limit`.
    async fn neighbours(
        &mut self,
        scope: &Scope,
        ground: &Ground,
        of: &[(Kind, Uuid)],
        limit: u32,
    ) -> Result<Vec<Neighbour>>;

    /// The ids of things of one kind from `between.0` to `between.1`, both included; the highest, which were made last,
    /// first; at most `limit`. Kinds that are not searched have none.
    async fn ids_between(
        &mut self,
        scope: &Scope,
        (within, kind): (Within, Kind),
        between: (Uuid, Uuid),
        limit: u32,
    ) -> Result<Vec<Uuid>>;
}

/// How many characters of a text a search looks at to show a piece of it.
pub const SEEN: usize = 65_536;

/// Rows that an answer of [`Search::matches`] has at most.
pub const MAX_MATCHES: u32 = 50;

/// Where to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    /// In which part of what the scope sees.
    pub within: Within,
    /// For which kinds, each once.
    pub kinds: Vec<Kind>,
}

/// A part of what a scope sees. What is hidden or missing is an empty part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// All of it.
    Everything,
    /// A group and its visible projects.
    Group(GroupId),
    /// A project.
    Project(ProjectId),
}

/// What was found.
///
/// The rows are the best: those that have more terms come first, then those that have more of them in the title, then
/// the latest updated, then the highest id. Of a term that very many things have, the [`RANKED`] made last take part
/// by it; and so do as many that have it in the title, and as many that have every term. What was made last is what came into
/// the index last where a backend can tell no other way without reading all of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matches {
    /// The best, at most [`MAX_MATCHES`].
    pub rows: Vec<(SearchRow, Score)>,
    /// How many there are of each kind; none of a kind is left out.
    pub counts: BTreeMap<Kind, u64>,
}

/// Things of which one term is ranked at most.
pub const RANKED: u32 = 2_000;

/// A thing as a search shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchRow {
    /// What it is.
    pub kind: Kind,
    /// Which one.
    pub id: Uuid,
    /// What it is called.
    pub title: String,
    /// The status; a document's type; `active` for projects and groups.
    pub status: String,
    /// The beginning of its text.
    pub text: Option<String>,
    /// Its project and what that is called; a project is its own, a group has none.
    pub project: Option<(ProjectId, String)>,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Something that stands beside a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// What.
    pub row: SearchRow,
    /// Beside which of those asked about, by its place in the list.
    pub of: usize,
    /// How.
    pub relation: Relation,
}

/// What something is to the thing it stands beside. Of several relations the first counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// The idea above it.
    Parent,
    /// An idea below it.
    Child,
    /// The proposal it came from.
    Proposal,
    /// A task or document from the same proposal.
    Sibling,
    /// A task it waits for.
    Prerequisite,
    /// A task that waits for it.
    Dependant,
}

impl Relation {
    /// Every relation, in order.
    pub const ALL: [Self; 6] =
        [Self::Parent, Self::Child, Self::Proposal, Self::Sibling, Self::Prerequisite, Self::Dependant];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Parent => "parent",
            Self::Child => "child",
            Self::Proposal => "proposal",
            Self::Sibling => "sibling",
            Self::Prerequisite => "prerequisite",
            Self::Dependant => "dependant",
        }
    }
}
