//! The pages.

pub(crate) mod account;
pub(crate) mod activity;
pub(crate) mod agents;
pub(crate) mod confirm;
pub(crate) mod deletion;
pub(crate) mod documents;
pub(crate) mod evidence;
pub(crate) mod failure;
pub(crate) mod groups;
pub(crate) mod history;
pub(crate) mod home;
pub(crate) mod ideas;
pub(crate) mod impact;
pub(crate) mod link;
pub(crate) mod names;
pub(crate) mod notifications;
pub(crate) mod own;
pub(crate) mod people;
pub(crate) mod projects;
pub(crate) mod proposals;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod sure;
pub(crate) mod talk;
pub(crate) mod tasks;
pub(crate) mod waiting;

// Ideas, proposals and documents, and what their pages share.
