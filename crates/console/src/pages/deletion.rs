//! The page on which something is deleted: what goes with it, and what else becomes of that.

use askama::Template;
use chorus_ids::{ProjectId, Uuid};

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

impl Deletion {
    /// Of a piece of a project, whose pages are below `list` in it; for ideas that is the project itself.
    pub(crate) fn of_piece(
        f: Frame,
        (name, goes): (String, Vec<String>),
        beside: Vec<String>,
        (project, list, own): (ProjectId, &str, &str),
        (tool, field, id): (&'static str, &'static str, Uuid),
    ) -> Self {
        Self {
            name,
            status: None,
            text: what_goes(&f, &goes),
            goes,
            concerned: None,
            beside,
            form: DeletionForm { tool, field, id, done: "done-work-deleted" },
            go: f.t("work-delete-for-good").into_owned(),
            next: format!("/projects/{project}{list}"),
            back: format!("/projects/{project}{own}/{id}"),
            f,
        }
    }
}

/// The sentence before what goes with something.
pub(crate) fn what_goes(f: &Frame, goes: &[String]) -> String {
    f.t(if goes.is_empty() { "work-delete-alone" } else { "work-delete-goes" }).into_owned()
}

/// How many there are of each of these, as the texts of these keys say it; nothing of what there is none of.
pub(crate) fn counted(f: &Frame, counts: &[(&str, u64)]) -> Vec<String> {
    counts.iter().filter(|(_, count)| *count > 0).map(|(key, count)| f.tn(key, count)).collect()
}
