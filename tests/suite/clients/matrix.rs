//! Which clients are tested, how they are set up, and what they are expected to speak.

use std::time::Duration;

use chorus_testkit::{Backend, Recorder, Site};
use tokio::time::timeout;

use super::{
    coding_agent::{ClaudeCode, Codex, CodingAgent},
    inspector::Inspector,
    journey,
    program::{Server, Transport},
    record,
    rust::{Opening, Rust},
    script::Script,
};

/// How long a client may take; a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(240);

/// A client in one of its settings.
pub(super) struct Tested {
    /// What people call it.
    pub(super) client: &'static str,
    /// What says which version is tested.
    pub(super) pin: Pin,
    /// How it is set to choose a revision; empty where there is nothing to set.
    pub(super) setting: &'static str,
    /// How it reaches the server.
    pub(super) transport: Transport,
    /// The revision that the two settle on.
    pub(super) revision: &'static str,
    /// The database behind the server.
    pub(super) backend: Backend,
    /// How to run it.
    pub(super) run: Run,
}

/// Where a version is pinned.
pub(super) enum Pin {
    /// The dependency with this name in `tests/clients/package.json`.
    Npm(&'static str),
    /// `mcp` in `tests/clients/requirements-N.txt`.
    Pip(u8),
    /// The package with this name in `Cargo.lock`.
    Cargo(&'static str),
}

/// How a client is run.
pub(super) enum Run {
    /// A script for Node in `tests/clients/`, with these arguments before the server's URL.
    Node(&'static [&'static str]),
    /// A script for the environment `python-N`, with these arguments before the server's URL.
    Python(u8, &'static [&'static str]),
    /// The Rust SDK, in this process.
    Rust(Opening),
    /// MCP Inspector on the command line, in this era.
    Inspector(&'static str),
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
}

impl Tested {
    /// Has the client go its journey.
    async fn check(&self) {
        let mut site = Site::new(self.backend).await;
        let recorder = Recorder::before(site.server.base()).await;
        let server = Server::at(recorder.base(), self.transport, &site.admin.key);
        let gone = timeout(PATIENCE, self.go(&server, &mut site, &recorder)).await;
        if gone.is_err() {
            panic!("the client is not done, this has passed: {:#?}", recorder.exchanges());
        }
        record::check(self, &site.admin.key, &recorder.exchanges());
    }

    async fn go(&self, server: &Server, site: &mut Site, recorder: &Recorder) {
        match &self.run {
            Run::Node(arguments) => journey::go(Script::node(arguments, server).await, site, recorder).await,
            Run::Python(number, arguments) => {
                journey::go(Script::python(*number, arguments, server).await, site, recorder).await;
            }
            Run::Rust(opening) => journey::go(Rust::open(*opening, server).await, site, recorder).await,
            Run::Inspector(era) => journey::go(Inspector::new(era, server), site, recorder).await,
            Run::ClaudeCode => journey::go(CodingAgent::start::<ClaudeCode>(server).await, site, recorder).await,
            Run::Codex => journey::go(CodingAgent::start::<Codex>(server).await, site, recorder).await,
        }
    }
}

/// A table of clients, and a test for each of its rows.
macro_rules! matrix {
    ($($name:ident: $client:literal $pin:expr, $setting:literal, $transport:ident, $revision:literal, $backend:ident, $run:expr;)*) => {
        /// Every client that is tested.
        pub(super) const TESTED: &[Tested] = &[$(Tested {
            client: $client,
            pin: $pin,
            setting: $setting,
            transport: Transport::$transport,
            revision: $revision,
            backend: Backend::$backend,
            run: $run,
        }),*];

        mod goes_the_journey {
            /// Which row of the table each test is about.
            #[expect(non_camel_case_types, reason = "a test's name is an index here")]
            enum At { $($name),* }

            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::TESTED[At::$name as usize].check().await;
            })*
        }
    };
}

#[rustfmt::skip]
matrix! {
    typescript_1_9_sse: "TypeScript SDK" Pin::Npm("sdk-1-9"), "", Sse, "2024-11-05", Sqlite, Run::Node(&["typescript-1.mjs", "sdk-1-9", "sse"]);
    typescript_1_11: "TypeScript SDK" Pin::Npm("sdk-1-11"), "", Http, "2025-03-26", Sqlite, Run::Node(&["typescript-1.mjs", "sdk-1-11", "http"]);
    typescript_1_17: "TypeScript SDK" Pin::Npm("sdk-1-17"), "", Http, "2025-06-18", Sqlite, Run::Node(&["typescript-1.mjs", "sdk-1-17", "http"]);
    typescript_1_32: "TypeScript SDK" Pin::Npm("sdk-1-32"), "", Http, "2025-11-25", Postgres, Run::Node(&["typescript-1.mjs", "sdk-1-32", "http"]);
    typescript_1_32_sse: "TypeScript SDK" Pin::Npm("sdk-1-32"), "", Sse, "2025-11-25", Sqlite, Run::Node(&["typescript-1.mjs", "sdk-1-32", "sse"]);
    typescript_2_legacy: "TypeScript SDK" Pin::Npm("@modelcontextprotocol/client"), "`legacy`, its default", Http, "2025-11-25", Sqlite, Run::Node(&["typescript-2.mjs", "legacy"]);
    typescript_2_auto: "TypeScript SDK" Pin::Npm("@modelcontextprotocol/client"), "`auto`", Http, "2026-07-28", Sqlite, Run::Node(&["typescript-2.mjs", "auto"]);
    typescript_2_pinned: "TypeScript SDK" Pin::Npm("@modelcontextprotocol/client"), "`pin`", Http, "2026-07-28", Sqlite, Run::Node(&["typescript-2.mjs", "2026-07-28"]);
    python_1: "Python SDK" Pin::Pip(1), "", Http, "2025-11-25", Sqlite, Run::Python(1, &["python_1.py"]);
    python_2_legacy: "Python SDK" Pin::Pip(2), "`legacy`", Http, "2025-11-25", Sqlite, Run::Python(2, &["python_2.py", "legacy"]);
    python_2_auto: "Python SDK" Pin::Pip(2), "`auto`, its default", Http, "2026-07-28", Postgres, Run::Python(2, &["python_2.py", "auto"]);
    python_2_pinned: "Python SDK" Pin::Pip(2), "the revision", Http, "2026-07-28", Sqlite, Run::Python(2, &["python_2.py", "2026-07-28"]);
    rust_2024_11_05: "Rust SDK (rmcp)" Pin::Cargo("rmcp"), "`Initialize`, proposing it", Http, "2024-11-05", Sqlite, Run::Rust(Opening::Handshake("2024-11-05"));
    rust_2025_03_26: "Rust SDK (rmcp)" Pin::Cargo("rmcp"), "`Initialize`, proposing it", Http, "2025-03-26", Sqlite, Run::Rust(Opening::Handshake("2025-03-26"));
    rust_2025_06_18: "Rust SDK (rmcp)" Pin::Cargo("rmcp"), "`Initialize`, proposing it", Http, "2025-06-18", Sqlite, Run::Rust(Opening::Handshake("2025-06-18"));
    rust_2025_11_25: "Rust SDK (rmcp)" Pin::Cargo("rmcp"), "`Initialize`, proposing it", Http, "2025-11-25", Sqlite, Run::Rust(Opening::Handshake("2025-11-25"));
    rust_initialize: "Rust SDK (rmcp)" Pin::Cargo("rmcp"), "`Initialize`, its default", Http, "2025-11-25", Sqlite, Run::Rust(Opening::Handshake("2026-07-28"));
    rust_auto: "Rust SDK (rmcp)" Pin::Cargo("rmcp"), "`Auto`", Http, "2026-07-28", Sqlite, Run::Rust(Opening::Auto);
    rust_discover: "Rust SDK (rmcp)" Pin::Cargo("rmcp"), "`Discover`", Http, "2026-07-28", Sqlite, Run::Rust(Opening::Discover);
    inspector_legacy: "MCP Inspector" Pin::Npm("@modelcontextprotocol/inspector"), "`legacy`, its default", Http, "2025-11-25", Sqlite, Run::Inspector("legacy");
    inspector_sse: "MCP Inspector" Pin::Npm("@modelcontextprotocol/inspector"), "`legacy`, its default", Sse, "2025-11-25", Sqlite, Run::Inspector("legacy");
    inspector_auto: "MCP Inspector" Pin::Npm("@modelcontextprotocol/inspector"), "`auto`", Http, "2026-07-28", Sqlite, Run::Inspector("auto");
    inspector_modern: "MCP Inspector" Pin::Npm("@modelcontextprotocol/inspector"), "`modern`", Http, "2026-07-28", Sqlite, Run::Inspector("modern");
    claude_code: "Claude Code" Pin::Npm("@anthropic-ai/claude-code"), "", Http, "2026-07-28", Sqlite, Run::ClaudeCode;
    claude_code_sse: "Claude Code" Pin::Npm("@anthropic-ai/claude-code"), "", Sse, "2025-11-25", Sqlite, Run::ClaudeCode;
    codex: "Codex" Pin::Npm("@openai/codex"), "", Http, "2025-06-18", Sqlite, Run::Codex;
}
