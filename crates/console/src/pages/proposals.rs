//! Proposals: the board, a proposal to decide about, its drafts.

mod board;
mod delete;
mod draft;
mod proposal;
mod revoke;

pub(crate) use board::{board, fresh};
pub(crate) use delete::delete;
pub(crate) use draft::{document as document_draft, new_document, new_task, task as task_draft};
pub(crate) use proposal::proposal;
pub(crate) use revoke::revoke;
