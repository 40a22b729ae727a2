//! The pages.

pub(crate) mod account;
pub(crate) mod failure;
pub(crate) mod home;
pub(crate) mod link;
pub(crate) mod own;
