//! The message parser: a version header on the first line, the body behind it.
#![no_main]

use chorus_mcp::{Answer, CallResult, Head, Received, Reply, Request, ServerInfo, Work, receive};
use libfuzzer_sys::fuzz_target;

fn answer(request: &Request) -> Answer {
    match &request.work {
        Work::CallTool { .. } => Answer::Call(CallResult::default()),
        _ => Answer::Tools { tools: Vec::new(), next_cursor: None },
    }
}

fn reply(head: &Head, body: &[u8]) -> Reply {
    match receive(&ServerInfo::new("fuzz", "1"), head, body) {
        Received::Reply(reply) => reply,
        Received::Work(exchange) => {
            let answers = exchange.requests().iter().map(answer).collect();
            exchange.finish(answers)
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (version, body) = data.split_at(end);
    let mut lines = vec![("content-type", &b"application/json"[..])];
    // Without a first line nothing is claimed.
    if !version.is_empty() {
        lines.extend([("mcp-protocol-version", version), ("mcp-method", b"tools/call"), ("mcp-name", b"x")]);
    }
    let head = Head::from_lines(lines);
    let reply = reply(&head, body);
    assert!([200, 202, 400, 404, 406].contains(&reply.status), "{reply:?}");
    assert_eq!(reply.status == 202, reply.body.is_none(), "{reply:?}");
});
