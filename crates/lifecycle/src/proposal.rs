//! Proposals: drafts of documents and tasks, reviewed as one (lifecycle
//! specification §4).

mod validation;

pub use validation::{
    DocumentFacts, IdeaInput, Issue, MIN_DOCUMENT_CHARS, ProposalFacts, TaskFacts, is_valid, validate,
};

use crate::{Lifecycle, names::names};

names! {
    /// Where a proposal is.
    pub enum ProposalStatus("proposal status") {
        /// Being written; the only status in which it can be edited.
        Draft = "draft",
        /// Waits for review.
        Pending = "pending",
        /// Its tasks and documents exist.
        Approved = "approved",
        /// Turned down for good. Terminal.
        Closed = "closed",
    }

    /// What happens to a proposal.
    pub enum ProposalEvent("proposal event") {
        /// Its title, its description or a draft in it changes.
        Edit = "edit",
        /// It is handed in for review.
        Submit = "submit",
        /// It is accepted: its drafts become tasks and documents.
        Approve = "approve",
        /// It is sent back to be worked on.
        Reject = "reject",
        /// It is turned down for good.
        Close = "close",
        /// Its approval is taken back, with what came of it.
        Revoke = "revoke",
    }

    /// What a proposal starts from.
    pub enum InputType("input type") {
        /// Ideas, whose elaboration has to be resolved.
        Idea = "idea",
        /// Documents.
        Document = "document",
    }

    /// How much an issue matters.
    pub enum Level("issue level") {
        /// The proposal can be neither submitted nor approved.
        Error = "error",
        /// Probably an oversight.
        Warning = "warning",
        /// Something that could be said.
        Info = "info",
    }
}

use ProposalEvent as E;
use ProposalStatus as S;

/// Every legal move of a proposal (lifecycle specification §4.1).
#[rustfmt::skip]
pub const PROPOSAL: Lifecycle<ProposalStatus, ProposalEvent> = Lifecycle {
    name: "proposal",
    initial: S::Draft,
    moves: &[
        (S::Draft,    E::Edit,    S::Draft),
        (S::Draft,    E::Submit,  S::Pending),
        (S::Pending,  E::Approve, S::Approved),
        (S::Pending,  E::Reject,  S::Draft),
        (S::Pending,  E::Close,   S::Closed),
        (S::Approved, E::Revoke,  S::Draft),
    ],
};

impl ProposalStatus {
    /// Whether a proposal in this status may be deleted: nobody waits for it and
    /// nothing exists because of it.
    pub const fn is_deletable(self) -> bool {
        match self {
            Self::Draft | Self::Closed => true,
            Self::Pending | Self::Approved => false,
        }
    }
}
