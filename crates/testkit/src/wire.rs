//! HTTP by hand, for what no client library would send.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use crate::{Reply, check_reply};

/// How long an answer or an end may take; a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// The headers and the body of a POST.
type Posted = (Vec<(String, String)>, Vec<u8>);

/// A connection to a server.
pub struct Wire {
    stream: TcpStream,
    /// What was sent and has not been answered yet.
    sent: Vec<u8>,
    read: Vec<u8>,
}

impl Wire {
    /// Connects to the server at `base`, an address as `http://127.0.0.1:PORT`.
    ///
    /// # Panics
    /// If it can't be reached.
    pub async fn connect(base: &str) -> Self {
        let address = base.strip_prefix("http://").unwrap();
        Self { stream: TcpStream::connect(address).await.unwrap(), sent: Vec::new(), read: Vec::new() }
    }

    /// Sends bytes as they are.
    ///
    /// # Panics
    /// If the connection is gone.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.sent.extend_from_slice(bytes.as_ref());
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Sends bytes again and again until the server wants no more.
    ///
    /// # Panics
    /// If it takes 64 MiB of them.
    pub async fn send_until_refused(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        for _ in 0..64 * 1024 * 1024 / bytes.len() {
            if timeout(PATIENCE, self.stream.write_all(bytes)).await.unwrap().is_err() {
                return;
            }
        }
        panic!("the server takes everything");
    }

    /// The next answer.
    ///
    /// # Panics
    /// If none comes, it is not framed by its length, or it holds a message that the server may not send.
    pub async fn answer(&mut self) -> Reply {
        let end = loop {
            match self.read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                Some(at) => break at,
                None => assert!(self.more().await > 0, "no answer: {}", String::from_utf8_lossy(&self.read)),
            }
        };
        let head = String::from_utf8(self.read.drain(..end + 4).collect()).unwrap();
        let mut lines = head.trim_end().lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| line.split_once(':').unwrap());
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
        let mut reply = Reply { status, headers, text: String::new() };
        let length = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
        while self.read.len() < length {
            assert!(self.more().await > 0, "the answer broke off: {reply:?}");
        }
        reply.text = String::from_utf8(self.read.drain(..length).collect()).unwrap();
        if let Some((headers, body)) = self.request() {
            check_reply(&headers, &body, &reply);
        }
        reply
    }

    /// The oldest request that was sent and has not been answered; `None` if it is no POST to an MCP endpoint that is
    /// framed by its length.
    fn request(&mut self) -> Option<Posted> {
        let end = self.sent.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
        let head = String::from_utf8_lossy(&self.sent[..end]).into_owned();
        let mut lines = head.trim_end().split("\r\n");
        let is_message = lines.next()?.starts_with("POST /api/mcp");
        let headers: Vec<_> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse::<usize>().ok()?;
        if self.sent.len() - end < length {
            return None;
        }
        let request: Vec<u8> = self.sent.drain(..end + length).collect();
        is_message.then(|| (headers, request[end..].to_vec()))
    }

    /// Waits until the server closes the connection.
    ///
    /// # Panics
    /// If it does not, or sends something before.
    pub async fn closed(&mut self) {
        assert_eq!(self.more().await, 0, "{}", String::from_utf8_lossy(&self.read));
    }

    /// Reads some bytes; none if the server has closed the connection, whether in good order or not.
    async fn more(&mut self) -> usize {
        timeout(PATIENCE, self.stream.read_buf(&mut self.read)).await.unwrap().unwrap_or(0)
    }
}
