#![doc = include_str!("../README.md")]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that can't be set up has failed"
)]

mod balancer;
mod bearer;
mod client;
mod command;
mod contract;
mod database;
mod detour;
mod ledger;
mod loopback;
mod messages;
mod model;
mod official;
mod raw;
mod recorder;
mod refusal;
mod reply;
mod scenery;
mod server;
mod site;
mod stream;
mod terminal;
mod tools;
mod wire;
mod world;

pub use balancer::Balancer;
pub use bearer::Bearer;
pub use chorus_store_diesel::testing::Statements;
pub use client::{Client, Result as CallResult, exchange, http};
pub use command::{Ran, chorus, chorus_binary, chorus_under, operator, run, run_with_input};
pub use contract::{check_answer, check_refusal};
pub use database::{Backend, Database};
pub use detour::Detour;
pub use ledger::EventRow;
pub use messages::{Asked, REVISIONS, asked, check_message, check_reply, revisions_with_schemas};
pub use model::{Model, Offered, ToolOutput, Turn};
pub use raw::Raw;
pub use recorder::{Exchange, Held, Recorder};
pub use reply::Reply;
pub use scenery::{Around, Scenery};
pub use server::{Launch, Server};
pub use site::Site;
pub use stream::{EventStream, Told};
pub use tools::Tools;
pub use wire::Wire;
pub use world::{World, WorldAgent};
