#![doc = include_str!("../README.md")]

mod assignee;
pub mod call;
pub mod caller;
pub mod checkin;
pub mod comment;
pub mod deletion;
pub mod document;
pub mod elaboration;
pub mod idea;
pub mod mention;
pub mod notify;
pub mod project;
pub mod proposal;
pub mod reference;
pub mod services;
pub mod task;
pub mod tracker;
pub mod unit;

pub use call::{Call, Context, Narrowing};
pub use services::{Clock, Ids, RandomIds, Services, SystemClock};
