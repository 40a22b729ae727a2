#![doc = include_str!("../README.md")]

mod admission;
mod answer;
mod app;
mod body;
mod config;
mod cors;
mod desk;
mod door;
mod endpoint;
mod events;
mod hangup;
mod health;
mod host;
mod library;
mod live;
mod load;
mod meter;
mod narrowing;
mod origin;
mod progress;
mod route;
mod serve;
mod site;
mod sse;
mod stall;
mod work;

pub use answer::{Answer, Body};
pub use app::{App, Mount};
pub use config::{Config, Limits, Reach};
pub use live::StreamLimits;
pub use meter::{METRICS, Metrics, Readers};
pub use origin::{InvalidOrigin, Origin};
pub use serve::serve;
pub use site::{Peer, Shown, Site};
pub use sse::SsePaths;
