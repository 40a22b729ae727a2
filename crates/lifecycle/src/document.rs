//! Documents: kinds and versions. They have no status.

use crate::names::names;

names! {
    /// What a document is.
    #[derive(Default)]
    pub enum DocumentType("document type") {
        /// Product requirements; what a draft becomes that does not say.
        #[default]
        Prd = "prd",
        /// How it is to be built. A proposal without one gets a warning.
        TechDesign = "tech_design",
        /// A decision about the architecture.
        Adr = "adr",
        /// A specification.
        Spec = "spec",
        /// Instructions for readers.
        Guide = "guide",
        /// What came of an approved proposal.
        Report = "report",
    }
}

/// The version of a document that was just created.
pub const FIRST_VERSION: i32 = 1;

/// The version after a change of the document: each raises it by one, whatever
/// it changes. An update that changes nothing is no change (lifecycle
/// specification §5).
pub const fn next_version(current: i32) -> i32 {
    current.saturating_add(1)
}
