#![doc = include_str!("../README.md")]

mod grant;
mod permission;
mod preset;
mod set;
#[cfg(feature = "serde")]
mod wire;

pub use grant::{InvalidGrant, effective, validate};
pub use permission::{
    Action, DOCUMENT_ADMIN, DOCUMENT_READ, DOCUMENT_WRITE, IDEA_ADMIN, IDEA_READ, IDEA_WRITE, PROJECT_ADMIN,
    PROJECT_READ, PROJECT_WRITE, PROPOSAL_ADMIN, PROPOSAL_READ, PROPOSAL_WRITE, Permission, Resource, TASK_ADMIN,
    TASK_READ, TASK_WRITE, UnknownAction, UnknownPermission, UnknownResource,
};
pub use preset::{Preset, UnknownPreset};
pub use set::PermissionSet;
