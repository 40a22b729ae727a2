#![doc = include_str!("../README.md")]

pub mod access;
pub mod account;
pub mod activity;
pub mod actor;
pub mod assignee;
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
pub mod mention;
mod next;
pub mod notification;
pub mod origin;
pub mod project;
pub mod proposal;
pub mod reference;
pub mod refusal;
pub mod removal;
pub mod search;
pub mod session;
pub mod task;
pub mod text;
pub mod version;

pub use actor::{Assignment, Caller, Party, Subject, Via};
pub use batch::{Batch, Write};
pub use kind::Kind;
pub use refusal::{Code, Refusal};
