//! The pages.

pub(crate) mod account;
pub(crate) mod agents;
pub(crate) mod failure;
pub(crate) mod home;
pub(crate) mod link;
pub(crate) mod own;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod tasks;
