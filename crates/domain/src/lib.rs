#![doc = include_str!("../README.md")]

pub mod access;
pub mod activity;
pub mod actor;
pub mod batch;
pub mod comment;
pub mod document;
pub mod elaboration;
pub mod event;
pub mod group;
pub mod idea;
pub mod identity;
pub mod kind;
pub mod membership;
pub mod notification;
pub mod origin;
pub mod project;
pub mod proposal;
pub mod refusal;
pub mod session;
pub mod task;
pub mod text;

pub use actor::{Assignment, Caller, Party, Subject, Via};
pub use batch::{Batch, Write};
pub use kind::Kind;
pub use refusal::{Code, Refusal};
