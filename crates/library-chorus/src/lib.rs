#![doc = include_str!("../README.md")]

mod address;
mod context;
mod family;
mod library;
mod prompts;
mod reading;
mod shelf;
mod suggesting;
mod watching;

pub use library::ChorusLibrary;
