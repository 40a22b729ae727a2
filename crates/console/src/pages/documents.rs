//! Documents: their list, one of them with what it said before, and how it is written.

mod compare;
mod document;
mod write;

pub(crate) use document::{document, documents};
pub(crate) use write::{delete, edit, fresh};
