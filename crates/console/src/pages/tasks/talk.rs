//! What was said and done about a task.

use chorus_domain::{
    Kind, Party, Subject,
    activity::{Action, Activity},
    comment::Comment,
};
use chorus_ids::{PageSize, TaskId, Timestamp};
use chorus_store::{Order, PageRequest};

use super::parts::{Names, name_of, page, page_number};
use crate::{
    desk::{Desk, Reading, found},
    fault::Fault,
    frame::Frame,
};

/// What was said and done, without names.
pub(super) struct Talk {
    comments: Vec<Comment>,
    /// Whether older comments are there, and newer ones.
    older: bool,
    number: u32,
    pub(super) total: u64,
    activities: Vec<Activity>,
}

/// A comment as it is shown.
pub(crate) struct Said {
    pub(crate) author: String,
    pub(crate) content: String,
    pub(crate) at: Timestamp,
}

/// An entry of the stream as it is shown.
pub(crate) struct Done {
    pub(crate) text: String,
    pub(crate) at: Timestamp,
}

impl Talk {
    /// The newest comments, or the page of older ones that the query asks for, and the newest activities: two statements.
    pub(super) async fn load(desk: &Desk, reading: &mut Reading, task: TaskId) -> Result<Self, Fault> {
        let number = page_number(desk, "comments");
        let (call, reads) = reading.parts();
        let about = (Kind::Task, task.uuid());
        let wanted = page(number, PageSize::DEFAULT);
        let said = found(chorus_app::comment::list(call, reads, about, Order::Newest, &wanted).await)?;
        let first = PageRequest::first(PageSize::DEFAULT);
        let done = found(reads.activities_about(&call.scope, about.0, about.1, &first).await)?;
        Ok(Self {
            older: said.more,
            number,
            total: said.total,
            // The newest are read first and shown last, as they were said.
            comments: said.rows.into_iter().rev().map(|row| row.item).collect(),
            activities: done.rows.into_iter().map(|row| row.item).collect(),
        })
    }

    /// Whose names are needed.
    pub(super) fn parties(&self) -> impl Iterator<Item = Party> {
        let actors = self.activities.iter().filter_map(|activity| activity.actor.party());
        self.comments.iter().map(|comment| comment.author).chain(actors)
    }

    pub(super) fn said(&self, desk: &Desk, names: &Names) -> Vec<Said> {
        let said = |comment: &Comment| Said {
            author: name_of(desk, names, comment.author),
            content: comment.content.clone(),
            at: comment.created_at,
        };
        self.comments.iter().map(said).collect()
    }

    pub(super) fn done(&self, desk: &Desk, f: &Frame, names: &Names) -> Vec<Done> {
        let done = |activity: &Activity| {
            let actor = match activity.actor {
                Subject::Operator => desk.say("work-somebody-operator").into_owned(),
                Subject::User(user) => name_of(desk, names, Party::User(user)),
                Subject::Agent(agent) => name_of(desk, names, Party::Agent(agent)),
            };
            let session = activity.session.as_ref().map(|(_, name)| format!(" ({name})")).unwrap_or_default();
            Done { text: format!("{actor}{session}: {}", what(f, activity)), at: activity.created_at }
        };
        self.activities.iter().map(done).collect()
    }

    /// The queries of the pages of older and of newer comments.
    pub(super) fn pages(&self) -> (Option<u32>, Option<u32>) {
        (self.older.then(|| self.number + 1), (self.number > 1).then(|| self.number - 1))
    }
}

/// What was done, in a few words.
fn what(f: &Frame, activity: &Activity) -> String {
    let word = match activity.action {
        Action::Assigned
        | Action::Closed
        | Action::CommentAdded
        | Action::Created
        | Action::DependencyClosed
        | Action::ForceStatusChange
        | Action::Mentioned
        | Action::ReferenceAdded
        | Action::Released
        | Action::Reopened
        | Action::StatusChanged
        | Action::Submitted
        | Action::Unblocked
        | Action::Updated
        | Action::Verified => activity.action.as_str(),
        Action::Edited
        | Action::ElaborationAnswered
        | Action::ElaborationResolved
        | Action::ElaborationSkipped
        | Action::ElaborationStarted
        | Action::ElaborationVerified
        | Action::Moved
        | Action::ProjectGroupChanged
        | Action::ProjectMemberAdded
        | Action::ProjectMemberRemoved
        | Action::ProjectMemberRoleChanged
        | Action::ProjectVisibilityChanged
        | Action::RejectedToDraft
        | Action::Reparented
        | Action::ReportCreated
        | Action::Revoked
        | Action::Approved
        | Action::GroupUpdated
        | Action::GroupDeleted => Action::Updated.as_str(),
    };
    let said = f.word("task-did", word);
    let status = activity.value.as_ref().and_then(|value| value.get("status")).and_then(|status| status.as_str());
    match status.and_then(|word| word.parse::<chorus_lifecycle::task::TaskStatus>().ok()) {
        Some(status) => format!("{said} → {}", f.word("task-status", status.as_str())),
        None => said,
    }
}
