//! Groups of projects.

pub(crate) mod access;
pub(crate) mod dashboard;
pub(crate) mod new;
pub(crate) mod settings;
