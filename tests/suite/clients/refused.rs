//! Clients whose key is not accepted, or that have none: they say so, and leave it at that.

use chorus_testkit::{Backend, Model, Recorder, Site};

use super::{
    coding_agent::{ClaudeCode, Codex, Make, SERVER},
    inspector::Inspector,
    program::{Program, Server, Transport, node},
    script::{Script, python},
};

/// How many requests of one run are no loop: Claude Code without a key asks as two kinds of client, and each time looks
/// in five places for a way to log in.
const FEW: usize = 16;

const UNKNOWN: &str = "The API key is unknown.";
const REQUIRED: &str = "An API key is required";

/// A server that a client is refused by.
struct Closed {
    server: Server,
    recorder: Recorder,
    _site: Site,
}

impl Closed {
    /// For a client with a key that nobody has, and for one with none.
    async fn both() -> [Self; 2] {
        Self::both_by(Transport::Http).await
    }

    async fn both_by(transport: Transport) -> [Self; 2] {
        [Self::to(transport, &format!("cho_{}", "x".repeat(43))).await, Self::to(transport, "").await]
    }

    async fn to(transport: Transport, key: &str) -> Self {
        let site = Site::new(Backend::Sqlite).await;
        let recorder = Recorder::before(site.server.base()).await;
        let server = Server::at(recorder.base(), transport, key);
        Self { server, recorder, _site: site }
    }

    /// It was asked a few times, in vain.
    #[track_caller]
    fn check(&self, client: &str) {
        let exchanges = self.recorder.exchanges();
        assert!(!exchanges.is_empty() && exchanges.len() <= FEW, "{client}: {exchanges:#?}");
        for exchange in &exchanges {
            let asked =
                ["POST /api/mcp", "GET /sse"].contains(&format!("{} {}", exchange.method, exchange.path).as_str());
            let expected = if asked { &[401][..] } else { &[404, 405] };
            assert!(expected.contains(&exchange.status), "{client}: {exchange:#?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sdks_report_it() {
    let (node, python_1, python_2) = (node(), python(1), python(2));
    // What they make of the two answers; the last ones drop the reason.
    for (interpreter, arguments, reasons) in [
        (&node, &["typescript-1.mjs", "sdk-1-11", "http"][..], [UNKNOWN, REQUIRED]),
        (&node, &["typescript-1.mjs", "sdk-1-17", "http"], [UNKNOWN, REQUIRED]),
        (&node, &["typescript-1.mjs", "sdk-1-32", "http"], [UNKNOWN, REQUIRED]),
        (&node, &["typescript-2.mjs", "legacy"], [UNKNOWN, REQUIRED]),
        (&node, &["typescript-2.mjs", "auto"], ["requires authorization (HTTP 401)"; 2]),
        (&node, &["typescript-2.mjs", "2026-07-28"], ["requires authorization (HTTP 401)"; 2]),
        (&python_1, &["python_1.py"], ["401 Unauthorized"; 2]),
        (&python_2, &["python_2.py", "legacy"], ["MCPError"; 2]),
        (&python_2, &["python_2.py", "auto"], ["MCPError"; 2]),
    ] {
        for (closed, reason) in Closed::both().await.iter().zip(reasons) {
            let failed = Script::open(interpreter, arguments, &closed.server).await.err();
            assert!(failed.as_ref().is_some_and(|failed| failed.contains(reason)), "{arguments:?}: {failed:?}");
            closed.check(&format!("{arguments:?}"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sdks_open_a_stream_once() {
    for sdk in ["sdk-1-9", "sdk-1-32"] {
        for closed in Closed::both_by(Transport::Sse).await {
            let failed = Script::open(&node(), &["typescript-1.mjs", sdk, "sse"], &closed.server).await.err();
            assert!(failed.as_ref().is_some_and(|failed| failed.contains("401")), "{sdk}: {failed:?}");
            closed.check(sdk);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inspector_ends_with_its_code_for_it() {
    for era in ["legacy", "modern"] {
        for closed in Closed::both().await {
            let mut inspector = Inspector::new(era, &closed.server);
            let said = inspector.run(&mut inspector.command("tools/list")).await;
            assert_eq!(said.code, Some(3), "{said:?}");
            assert!(format!("{said:?}").contains("auth_required"), "{said:?}");
            closed.check(era);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_code_shows_it_in_its_list() {
    for closed in Closed::both().await {
        let server = &closed.server;
        let mut program = Program::new();
        let mut add = ClaudeCode::quiet(&program);
        add.args(["mcp", "add", "--transport", "http", SERVER, &server.url]);
        if !server.key.is_empty() {
            add.arg("--header").arg(format!("Authorization: Bearer {}", server.key));
        }
        assert_eq!(program.run(&mut add).await.code, Some(0));
        let mut list = ClaudeCode::quiet(&program);
        let said = program.run(list.args(["mcp", "list"])).await;
        assert!(said.out.contains("✘ Failed to connect"), "{said:?}");
        let reasons = if server.key.is_empty() { ["(HTTP 404)", "send an API key"] } else { ["(HTTP 401)", UNKNOWN] };
        assert!(reasons.iter().all(|reason| said.out.contains(reason)), "{said:?}");
        closed.check("Claude Code");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn coding_agents_work_on_without_the_tools() {
    for closed in Closed::both().await {
        works_on::<ClaudeCode>(&closed).await;
    }
    for closed in Closed::both().await {
        works_on::<Codex>(&closed).await;
    }
}

async fn works_on<M: Make>(closed: &Closed) {
    let model = Model::new(SERVER).await;
    let mut program = Program::new();
    let mut command = M::command(&program, &closed.server, &model);
    let said = program.run(&mut command).await;
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("Nothing to do."), "{said:?}");
    closed.check("a coding agent");
}
