#![doc = include_str!("../README.md")]

pub mod access;
pub mod call;
pub mod caller;
pub mod checkin;
pub mod comment;
pub mod document;
pub mod elaboration;
pub mod group;
pub mod idea;
pub mod member;
pub mod notify;
pub mod project;
pub mod proposal;
pub mod services;
pub mod task;
pub mod tracker;
pub mod unit;

pub use call::{Call, Context, Narrowing};
pub use services::{Clock, Ids, RandomIds, Services, SystemClock};
