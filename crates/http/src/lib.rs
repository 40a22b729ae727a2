#![doc = include_str!("../README.md")]

mod admission;
mod answer;
mod app;
mod body;
mod config;
mod cors;
mod endpoint;
mod hangup;
mod health;
mod host;
mod library;
mod narrowing;
mod origin;
mod route;
mod serve;
mod stall;

pub use answer::Answer;
pub use app::{App, Mount};
pub use config::{Config, Limits, Reach};
pub use origin::{InvalidOrigin, Origin};
pub use serve::serve;
