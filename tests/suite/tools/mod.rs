//! The contract of each Chorus tool, over the surface in this process and a real store of each kind.
//!
//! Expectations are written by hand. Every answer that a test sees is also held against the tool's advertised output
//! schema, and every refusal against what a refusal may say; see [`stage`].

mod activity;
mod assigning;
mod assignments;
mod blocked;
mod checkin;
mod comment;
mod coverage;
mod deleting;
mod document;
mod effects;
mod elaboration;
mod ending;
mod family;
mod group;
mod group_change;
mod group_effects;
mod group_end;
mod group_move;
mod hidden;
mod idea;
mod idea_edit;
mod library;
mod like;
mod limits;
mod lists;
mod maker;
mod mention;
mod mentionable;
mod moving;
mod notification;
mod preferences;
mod project;
mod proposal;
mod redrafting;
mod reference;
mod search;
mod session;
mod stage;
mod task;
mod valid;
mod work;
mod writing;
