#![doc = include_str!("../README.md")]

mod lifecycle;
mod names;

pub mod criterion;
pub mod dependency;
pub mod document;
pub mod elaboration;
pub mod idea;
pub mod notification;
pub mod proposal;
pub mod reference;
pub mod session;
pub mod task;

pub use lifecycle::{IllegalMove, Lifecycle};
pub use names::UnknownName;
