//! Projects that a person pinned or opened last, as home and the list of projects show them.

use chorus_app::project::at_hand::list;
use chorus_ids::ProjectId;
use chorus_visibility::Visibility;

use crate::{
    desk::{Reading, found},
    fault::Fault,
};

/// Most projects that were opened and are not pinned.
const RECENT: usize = 6;
/// Most projects altogether.
const ALL: u32 = 30;

/// A project where there is little room.
pub(crate) struct Near {
    pub(crate) id: ProjectId,
    pub(crate) name: String,
    pub(crate) private: bool,
    pub(crate) pinned: bool,
}

/// Projects at hand, those pinned first.
pub(crate) struct AtHand(pub(crate) Vec<Near>);

impl AtHand {
    /// One statement.
    ///
    /// # Errors
    /// The database can't be reached.
    pub(crate) async fn load(reading: &mut Reading) -> Result<Self, Fault> {
        let (call, reads) = reading.parts();
        let mut near: Vec<Near> = found(list(call, reads, ALL).await)?
            .into_iter()
            .map(|found| Near {
                id: found.project.id,
                private: found.project.visibility == Visibility::Private,
                name: found.project.name,
                pinned: found.pinned,
            })
            .collect();
        let pinned = near.iter().filter(|near| near.pinned).count();
        near.truncate(pinned + RECENT);
        Ok(Self(near))
    }
}
