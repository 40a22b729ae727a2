#![doc = include_str!("../README.md")]

pub mod access;
pub mod agent;
mod assignee;
pub mod call;
pub mod caller;
pub mod checkin;
pub mod comment;
pub mod completion;
pub mod deletion;
pub mod document;
pub mod elaboration;
pub mod group;
pub mod home;
pub mod idea;
mod lasting;
pub mod leaving;
pub mod library;
pub mod member;
pub mod mention;
pub mod notification;
pub mod notify;
pub mod person;
pub mod project;
pub mod proposal;
pub mod reference;
pub mod search;
pub mod services;
pub mod session;
pub mod task;
pub mod tracker;
pub mod unit;

pub use call::{Books, Call, Context, Narrowing};
pub use lasting::{Lasting, lasting};
pub use services::{Clock, Ids, RandomIds, Services, SystemClock};
