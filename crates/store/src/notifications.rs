//! Notifications, as their recipients read them.

use async_trait::async_trait;
use chorus_domain::{
    Party,
    notification::{Notification, Preference},
};
use chorus_ids::{NotificationId, PageSize};
use chorus_visibility::Scope;

use crate::{Page, Position, Result};

/// Notifications of one recipient.
///
/// Those of projects outside the scope don't exist, nor those whose entity is in such a project by now; those without a
/// project are in the scope of their company. One whose entity has moved names the project where it is, one whose entity
/// is gone is about its project: each opens something that its reader may see. What was archived is not listed.
#[async_trait]
pub trait Notifications: Send {
    /// How many unread notifications the recipient has, and the newest of them, at most `limit`.
    async fn unread(&mut self, scope: &Scope, recipient: Party, limit: u32) -> Result<NotificationDigest>;

    /// How many unread mentions of the recipient there are, and the newest of them, at most `limit`, which is 1 or more.
    async fn unread_mentions(&mut self, scope: &Scope, recipient: Party, limit: u32) -> Result<NotificationDigest>;

    /// One of the recipient's notifications, archived or not.
    async fn notification(
        &mut self,
        scope: &Scope,
        recipient: Party,
        id: NotificationId,
    ) -> Result<Option<Notification>>;

    /// The recipient's notifications, newest first.
    async fn notifications(
        &mut self,
        scope: &Scope,
        recipient: Party,
        state: ReadState,
        span: &Span,
    ) -> Result<NotificationPage>;

    /// What somebody of the scope's company turned off, in no order; nothing for who never chose.
    async fn muted(&mut self, scope: &Scope, owner: Party) -> Result<Vec<Preference>>;
}

/// Unread notifications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotificationDigest {
    /// How many there are.
    pub unread: u64,
    /// The newest, newest first.
    pub recent: Vec<Notification>,
}

/// Which notifications are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadState {
    /// Those that were not read.
    #[default]
    Unread,
    /// Those that were.
    Read,
    /// Both.
    All,
}

/// Which part of a list is wanted that is cut at any row, not into pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Behind this place; from the beginning if there is none.
    pub after: Option<Position>,
    /// So many rows are passed over from there.
    pub skip: u32,
    /// How many rows it has at most.
    pub size: PageSize,
}

/// A part of a recipient's notifications.
#[derive(Clone, Debug, PartialEq)]
pub struct NotificationPage {
    /// The part.
    pub page: Page<Notification>,
    /// How many are unread, whichever were asked for.
    pub unread: u64,
}
