//! The tools, a file per entity. Each file ends in its rows of the table.

pub mod activity;
pub mod checkin;
pub mod comment;
pub mod document;
pub mod elaboration;
pub mod group;
pub mod idea;
pub mod project;
pub mod proposal;
pub mod task;
pub mod task_work;
