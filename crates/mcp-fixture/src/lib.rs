#![doc = include_str!("../README.md")]

mod admission;
mod call;
mod endpoint;
mod event;
mod fixture;
mod job;
mod media;
mod prompts;
mod resources;
mod rounds;
mod tools;

pub use endpoint::serve;
pub use fixture::Fixture;
