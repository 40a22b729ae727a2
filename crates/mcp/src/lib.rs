#![doc = include_str!("../README.md")]

mod base64;
mod error;
mod exchange;
mod head;
mod id;
mod jsonrpc;
mod media;
mod mirror;
mod modern;
mod negotiate;
mod receive;
mod render;
mod reply;
mod request;
mod server;
mod sse;
mod tools;
mod version;

pub use error::{RpcError, code};
pub use exchange::{Answer, Exchange};
pub use head::Head;
pub use id::Id;
pub use jsonrpc::MAX_BATCH;
pub use mirror::check_params;
pub use receive::{Received, receive};
pub use reply::{Encoding, Reply, method_not_allowed, payload_too_large};
pub use request::{Request, Work};
pub use server::ServerInfo;
pub use sse::KEEP_ALIVE;
pub use tools::{Annotations, CallResult, ToolDef};
pub use version::Version;
