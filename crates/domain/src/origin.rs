//! What every new entity of a project bears.

use chorus_ids::{CompanyId, ProjectId, Timestamp};

use crate::Party;

/// Where and by whom something is made, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The tenant.
    pub company: CompanyId,
    /// The project.
    pub project: ProjectId,
    /// Who makes it.
    pub by: Party,
    /// When.
    pub now: Timestamp,
}
