//! `/projects/{project}/tasks`: the tasks of a project as a board, a list or a picture, and what is done with one.

mod board;
pub(crate) mod ending;
mod list;
pub(crate) mod new;
pub(crate) mod parts;
mod picture;
pub(crate) mod task;

use crate::{answer::Answer, desk::Desk, fault::Fault};

/// `GET /projects/{project}/tasks`.
pub(crate) async fn tasks(desk: &Desk) -> Result<Answer, Fault> {
    match desk.query.get("view") {
        Some("list") => list::list(desk).await,
        Some("graph") => picture::picture(desk).await,
        _ => board::board(desk).await,
    }
}
