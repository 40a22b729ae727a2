#![doc = include_str!("../README.md")]

mod nullable;
pub mod table;
pub mod tools;
pub mod view;
pub mod words;

pub use table::{NAME, surface, table};
