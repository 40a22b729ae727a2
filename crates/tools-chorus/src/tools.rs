//! The tools, a file per entity. Each file ends in its rows of the table.

pub mod activity;
pub mod checkin;
pub mod comment;
pub mod deleted;
pub mod document;
pub mod elaboration;
pub mod group;
pub mod idea;
pub mod idea_edit;
pub mod mention;
pub mod notification;
pub mod project;
pub mod proposal;
pub mod reference;
pub mod search;
pub mod session;
pub mod task;
pub mod task_work;
