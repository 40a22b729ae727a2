//! The pages.

pub(crate) mod account;
pub(crate) mod activity;
pub(crate) mod failure;
pub(crate) mod groups;
pub(crate) mod home;
pub(crate) mod impact;
pub(crate) mod notifications;
pub(crate) mod people;
pub(crate) mod projects;
pub(crate) mod search;
pub(crate) mod waiting;
