//! How the server presents itself.

use crate::Offer;

/// What a client is told about the server, in the handshake or by `server/discover`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    /// The name for programs.
    pub name: String,
    /// The version of the server; not empty, since some clients refuse that.
    pub version: String,
    /// The name for people.
    pub title: Option<String>,
    /// How to use the server, for the model.
    pub instructions: Option<String>,
    /// What is advertised and served.
    pub offer: Offer,
}

impl ServerInfo {
    /// A server without title and instructions, which offers tools alone.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), title: None, instructions: None, offer: Offer::tools_only() }
    }
}
