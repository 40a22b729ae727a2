//! The pages.

pub(crate) mod account;
pub(crate) mod failure;
pub(crate) mod home;

// Ideas, proposals and documents, and what their pages share.
pub(crate) mod documents;
pub(crate) mod evidence;
pub(crate) mod ideas;
pub(crate) mod names;
pub(crate) mod pager;
pub(crate) mod proposals;
pub(crate) mod talk;
