//! Use cases: comments.

use chorus_domain::{
    Batch, Kind, Party, Refusal, Write,
    activity::Action,
    comment::{self, Comment},
    event::Change,
    mention::readable,
    notification::{Notice, Recipient, Topic, quoted},
    text,
};
use chorus_ids::{DocumentId, IdeaId, ProjectId, ProposalId, TaskId, Uuid};
use chorus_store::{Order, Outcome, Page, PageRequest, Reads, Result, Tx};
use serde_json::json;

use crate::{
    Call,
    mention::{self, Text},
};

/// Longest piece of a comment inside a message, in characters.
const NOTE_IN_MESSAGE: usize = 160;

/// A page of the comments of an idea, proposal, task or document.
///
/// # Errors
/// What the store reports.
pub async fn list(
    call: &Call,
    reads: &mut dyn Reads,
    (target, id): (Kind, Uuid),
    order: Order,
    page: &PageRequest,
) -> Result<Page<Comment>> {
    reads.comments(&call.scope, target, id, order, page).await
}

/// Comments on an idea, proposal, task or document. Its assignee, its creator and whoever is mentioned are told.
///
/// # Errors
/// Not found outside the caller's scope; a text that can't be stored.
pub async fn add(call: &Call, tx: &mut dyn Tx, (target, id): (Kind, Uuid), content: &str) -> Result<Outcome<Comment>> {
    let content = comment::content("content", content)?;
    let host = host(call, tx, target, id).await?;
    let comment = Comment {
        id: call.new_id(),
        company: call.caller.company,
        target,
        target_id: id,
        content,
        author: call.party()?,
        created_at: call.now,
    };
    let value = json!({ "commentUuid": comment.id, "excerpt": text::excerpt(&comment.content) });
    let message = format!(
        "{} commented on {}: {}",
        call.caller.name,
        quoted(&host.title),
        text::shorten(&readable(&comment.content), NOTE_IN_MESSAGE)
    );
    let mut batch = Batch {
        writes: vec![Write::NewComment(comment.clone())],
        activities: vec![call.activity(host.project, (target, id, &host.title), Action::CommentAdded, Some(value))],
        events: vec![call.event(host.project, target, id, Change::Updated)],
        notices: vec![Notice {
            to: host.concerned.into_iter().map(Recipient::Party).collect(),
            topic: Topic::CommentAdded,
            project: host.project,
            entity: target,
            entity_id: id,
            entity_title: host.title.clone(),
            message,
        }],
    };
    let text = Text {
        source: (Kind::Comment, comment.id.uuid()),
        entity: (target, id, &host.title),
        before: None,
        after: Some(&comment.content),
        argument: Some("content".to_owned()),
    };
    mention::tell(call, tx, host.project, &[text], &mut batch).await?;
    Ok(Outcome { batch, answer: comment })
}

/// What is commented on, or referred from.
pub(crate) struct Host {
    pub(crate) project: ProjectId,
    pub(crate) title: String,
    /// Its creator and, if it can have one, its assignee.
    concerned: Vec<Party>,
}

pub(crate) async fn host(call: &Call, reads: &mut dyn Reads, kind: Kind, id: Uuid) -> Result<Host> {
    let scope = &call.scope;
    let found = match kind {
        Kind::Idea => reads.idea(scope, IdeaId::from_uuid(id)).await?.map(|idea| Host {
            project: idea.project,
            title: idea.title,
            concerned: idea.assignee.map(|held| held.to).into_iter().chain([idea.created_by]).collect(),
        }),
        Kind::Proposal => reads.proposal(scope, ProposalId::from_uuid(id)).await?.map(|proposal| Host {
            project: proposal.project,
            title: proposal.title,
            concerned: vec![proposal.created_by],
        }),
        Kind::Task => reads.task(scope, TaskId::from_uuid(id)).await?.map(|task| Host {
            project: task.project,
            title: task.title,
            concerned: task.assignee.map(|held| held.to).into_iter().chain([task.created_by]).collect(),
        }),
        Kind::Document => reads.document(scope, DocumentId::from_uuid(id)).await?.map(|document| Host {
            project: document.project,
            title: document.title,
            concerned: vec![document.created_by],
        }),
        // Nothing else takes comments; the audit entries of a group must not be reached through here.
        Kind::Project
        | Kind::Group
        | Kind::Comment
        | Kind::Reference
        | Kind::Session
        | Kind::Notification
        | Kind::Agent
        | Kind::User
        | Kind::Key
        | Kind::Round => None,
    };
    found.ok_or_else(|| Refusal::not_found(kind).into())
}
