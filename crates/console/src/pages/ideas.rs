//! Ideas: the overview of a project, an idea, and what is done with it.

mod change;
mod elaboration;
mod idea;
mod overview;
mod tree;

use chorus_domain::idea::Idea;
use chorus_ids::{IdeaId, Timestamp};
use chorus_lifecycle::idea::Derived;

pub(crate) use change::{delete, edit, fresh, relocate};
pub(crate) use idea::idea;
pub(crate) use overview::overview;

use crate::pages::names::Names;

/// An idea where there is little room.
pub(crate) struct Tile {
    pub(crate) id: IdeaId,
    pub(crate) title: String,
    pub(crate) theme: bool,
    /// The words of its column and of its badge.
    pub(crate) status: &'static str,
    pub(crate) badge: &'static str,
    pub(crate) holder: Option<String>,
    pub(crate) updated: Timestamp,
}

impl Tile {
    fn of(idea: &Idea, derived: Derived, names: &Names) -> Self {
        Self {
            id: idea.id,
            title: idea.title.clone(),
            theme: idea.is_container,
            status: derived.status.as_str(),
            badge: derived.badge.as_str(),
            holder: idea.assignee.map(|held| names.get(held.to)),
            updated: idea.updated_at,
        }
    }
}
