//! Projects: the lists of them, making one, and the settings of one.

pub(crate) mod access;
pub(crate) mod at_hand;
pub(crate) mod end;
pub(crate) mod member;
pub(crate) mod new;
pub(crate) mod overview;
pub(crate) mod settings;
