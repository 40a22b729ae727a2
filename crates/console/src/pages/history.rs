//! What happened to something, on its page.

use chorus_domain::Kind;
use chorus_ids::{PageSize, Uuid};
use chorus_store::PageRequest;

use crate::{
    desk::{Desk, Reading},
    fault::Fault,
    pages::{
        activity::{Entry, parties},
        names::Names,
    },
};

/// The newest entries of the activity stream about something.
pub(crate) struct History {
    pub(crate) entries: Vec<Entry>,
    /// How many there are altogether.
    pub(crate) total: u64,
}

impl History {
    /// Two statements.
    ///
    /// # Errors
    /// The database can't be reached.
    pub(crate) async fn load(desk: &Desk, reading: &mut Reading, (kind, id): (Kind, Uuid)) -> Result<Self, Fault> {
        let (call, reads) = reading.parts();
        let newest = PageRequest::first(PageSize::DEFAULT);
        let page = reads.activities_about(&call.scope, kind, id, &newest).await?;
        let names = Names::of(reading, page.rows.iter().flat_map(|row| parties(&row.item)).collect()).await?;
        let total = page.total;
        let entries = page.rows.into_iter().map(|row| Entry::of(desk, row.item, &names)).collect();
        Ok(Self { entries, total })
    }
}
