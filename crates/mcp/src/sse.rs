//! Framing of server-sent events (protocol checklist §2.4).

/// One event that carries `message`, compact JSON, which has no line break in it.
///
/// There is no `id` and no `retry` line: nothing can be resumed, so nothing promises it.
pub(crate) fn event(message: &[u8]) -> Vec<u8> {
    [b"event: message\ndata: ".as_slice(), message, b"\n\n"].concat()
}

/// The comment that keeps an idle stream open, to be sent every 15 seconds or so.
pub const KEEP_ALIVE: &[u8] = b": ping\n\n";
