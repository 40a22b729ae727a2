#![doc = include_str!("../README.md")]

pub mod arguments;
pub mod cursor;
pub mod library;
pub mod list;
mod listing;
mod named;
mod observe;
pub mod render;
pub mod schema;
mod selection;
mod settle;
pub mod stage;
pub mod stages;
pub mod surface;
pub mod tool;

pub use library::{Library, Shown, Visitor};
pub use observe::METRICS;
pub use selection::{Effects, Selection};
pub use stage::{Flow, Gate, Halt, Job, Line, Stage, Step};
pub use surface::{CallRequest, Registered, Reply, Surface, TableError};
pub use tool::{
    Access, At, Effect, Expand, Hints, ListShape, ListTool, Policy, ReadTool, Requirement, Run, Tool, WriteTool,
};
