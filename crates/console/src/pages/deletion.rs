//! The page on which something is deleted: what goes with it, and what else becomes of that.

use askama::Template;
use chorus_ids::Uuid;

use crate::frame::Frame;

/// What is asked before something is deleted. Its heading is the frame's title.
#[derive(Template)]
#[template(path = "delete.html")]
pub(crate) struct Deletion {
    pub(crate) f: Frame,
    /// What it is called.
    pub(crate) name: String,
    /// Where it stands, as a word of a list.
    pub(crate) status: Option<(&'static str, &'static str)>,
    /// Stands before what goes with it.
    pub(crate) text: String,
    /// What goes with it.
    pub(crate) goes: Vec<String>,
    /// What it concerns, by page and title, with a sentence before it.
    pub(crate) concerned: Option<(String, Vec<(String, String)>)>,
    /// What there is to know beside that.
    pub(crate) beside: Vec<String>,
    /// What does it.
    pub(crate) form: DeletionForm,
    /// What stands on its button.
    pub(crate) go: String,
    /// The page to be on when it is gone.
    pub(crate) next: String,
    /// Its own page, for whoever would rather not.
    pub(crate) back: String,
}

/// The call that deletes it.
pub(crate) struct DeletionForm {
    pub(crate) tool: &'static str,
    /// The tool's argument that says what, and its value.
    pub(crate) field: &'static str,
    pub(crate) id: Uuid,
    /// The key of what is said then.
    pub(crate) done: &'static str,
}
