//! More is asked of the server than it takes on: it stays in bounds, says so, and recovers.

use std::{fs, time::Duration};

use chorus_testkit::{Backend, Launch, Server, Site, Wire};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
    time::{Instant, timeout},
};

use crate::{
    crash::check_log,
    scale::{say, times},
};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
/// What a message may have.
const BODY: usize = 4 * 1024 * 1024;

fn request(key: &str, body: &str) -> String {
    format!(
        "POST /api/mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A server of its own with enough open files on both sides of the wire.
struct House {
    site: Site,
    server: Server,
}

impl House {
    async fn new() -> Self {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        let most = rustix::process::Rlimit { current: limit.maximum, maximum: limit.maximum };
        rustix::process::setrlimit(rustix::process::Resource::Nofile, most).unwrap();
        let site = Site::new(Backend::Sqlite).await;
        let server = Launch::on(site.database.url()).start().await;
        Self { site, server }
    }

    fn request(&self, body: &str) -> String {
        request(&self.site.admin.key, body)
    }

    fn address(&self) -> String {
        self.server.base().trim_start_matches("http://").to_owned()
    }

    /// Resident memory, now and at most, in MiB.
    fn memory(&self) -> (u64, u64) {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.process_id())).unwrap();
        let of = |name: &str| -> u64 {
            let line = status.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
        };
        (of("VmRSS:"), of("VmHWM:"))
    }

    /// Passes if a ping is answered soon.
    async fn recovered(&self) {
        let began = Instant::now();
        loop {
            let mut wire = Wire::connect(self.server.base()).await;
            wire.send(self.request(PING)).await;
            if wire.answer().await.status == 200 {
                break;
            }
            assert!(began.elapsed() < Duration::from_secs(5), "it does not recover");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let project = json!({ "name": "after it" });
        self.server.client(&self.site.admin.key).call("chorus_admin_create_project", project).await.ok();
    }
}

/// The status of an answer that comes within a minute, and whether it says when to come back; nothing if the connection
/// was closed.
async fn status(stream: &mut TcpStream) -> Option<(u16, bool)> {
    let mut read = Vec::new();
    loop {
        if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
            let status = head.split(' ').nth(1).unwrap().parse().unwrap();
            return Some((status, head.contains("retry-after: ")));
        }
        let count = timeout(Duration::from_secs(60), stream.read_buf(&mut read)).await.expect("no answer");
        if count.unwrap_or(0) == 0 {
            return None;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_connections_are_served_or_told_to_come_back() {
    let house = House::new().await;
    for _ in 0..times(1, 10) {
        let mut connected = JoinSet::new();
        for _ in 0..2_000 {
            let (address, request) = (house.address(), house.request(PING));
            connected.spawn(async move {
                let mut stream = TcpStream::connect(address).await.unwrap();
                let sent = stream.write_all(request.as_bytes()).await;
                let told = if sent.is_ok() { status(&mut stream).await } else { None };
                (stream, told)
            });
        }
        // All stay connected until everybody has been told something.
        let all = connected.join_all().await;
        let count =
            |wanted: u16| all.iter().filter(|(_, told)| told.is_some_and(|(status, _)| status == wanted)).count();
        let (served, busy) = (count(200), count(503));
        say(&format!("2,000 connections: {served} served, {busy} told to come back, memory {:?} MiB", house.memory()));
        // Who comes too late to say anything on the doorstep, on a busy machine, finds the door closed.
        assert!(all.iter().flat_map(|(_, told)| told).all(|(status, _)| [200, 503].contains(status)));
        assert!(served + busy >= 1_980, "{} got no answer", 2_000 - served - busy);
        assert!(served >= 1_000, "{served}");
        let later = all.iter().filter(|(_, told)| matches!(told, Some((503, true)))).count();
        assert_eq!(later, busy, "each is told when");
        assert!(house.memory().1 < 200, "{:?} MiB", house.memory());
        drop(all);
        house.recovered().await;
    }
    check_log(&house.server.kill().await);
}

/// A server that gets no time for a moment, as on a machine that is too busy, finds all of them when it does.
#[tokio::test(flavor = "multi_thread")]
async fn who_comes_while_the_server_has_no_time_is_kept_in_line() {
    let house = House::new().await;
    let most = fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap().trim().parse::<usize>().unwrap();
    let count = 1_000.min(most);
    let signal = async |name: &str| {
        let id = house.server.process_id().to_string();
        let sent = tokio::process::Command::new("kill").args(["-s", name, &id]).status().await.unwrap();
        assert!(sent.success());
    };
    for _ in 0..times(1, 10) {
        signal("STOP").await;
        let mut connecting = JoinSet::new();
        for _ in 0..count {
            let (address, request) = (house.address(), house.request(PING));
            connecting.spawn(async move {
                let mut stream = timeout(Duration::from_secs(10), TcpStream::connect(address)).await.ok()?.unwrap();
                stream.write_all(request.as_bytes()).await.unwrap();
                Some(stream)
            });
        }
        let connected: Vec<TcpStream> = connecting.join_all().await.into_iter().flatten().collect();
        signal("CONT").await;
        assert_eq!(connected.len(), count, "others found the door closed");
        for mut stream in connected {
            assert_eq!(status(&mut stream).await.map(|(status, _)| status), Some(200));
        }
        house.recovered().await;
    }
    check_log(&house.server.kill().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_of_four_mebibytes_stay_within_bounds() {
    let house = House::new().await;
    let comment = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "chorus_checkin", "arguments": { "unknown": "x".repeat(BODY - 200) } } });
    let whole = house.request(&comment.to_string());
    for _ in 0..times(1, 8) {
        let mut sending = JoinSet::new();
        for _ in 0..times(64, 256) {
            let (address, whole) = (house.address(), whole.clone());
            sending.spawn(async move {
                let mut stream = TcpStream::connect(address).await.unwrap();
                // Who is refused early may find the door closed.
                let _ = stream.write_all(whole.as_bytes()).await;
                status(&mut stream).await
            });
        }
        let told = sending.join_all().await;
        let count = |wanted: u16| told.iter().flatten().filter(|(status, _)| *status == wanted).count();
        // Of those whose turn comes late on a busy machine the body is too late.
        let (done, busy, late) = (count(200), count(503), count(408));
        say(&format!(
            "{} bodies of 4 MiB: {done} taken, {busy} told to come back, {late} too late, memory {:?} MiB",
            told.len(),
            house.memory()
        ));
        assert_eq!(done + busy + late, told.iter().flatten().count(), "{told:?}");
        assert!(done > 0 && told.iter().flatten().all(|(status, later)| *status != 503 || *later));
        house.recovered().await;
    }
    // The room for bodies, what is made of those that are worked on, and the server itself.
    assert!(house.memory().1 < 400, "{:?} MiB", house.memory());
    check_log(&house.server.kill().await);
}

/// Slow readers hold answers that they don't take, slow writers hold bodies that they don't finish; others are served.
#[tokio::test(flavor = "multi_thread")]
async fn who_dawdles_holds_up_nobody_else() {
    let house = House::new().await;
    let list = house.request(LIST);
    let body = house.request(&format!("{PING}{}", " ".repeat(BODY - PING.len())));
    let client = house.server.client(&house.site.admin.key);
    let alone = middle(&client, times(20, 100)).await;
    let mut slow = Vec::new();
    for number in 0..times(80, 400) {
        let mut stream = TcpStream::connect(house.address()).await.unwrap();
        if number % 2 == 0 {
            // As many answers as it is sent requests for, and it reads none.
            stream.write_all(list.repeat(5).as_bytes()).await.unwrap();
        } else {
            stream.write_all(&body.as_bytes()[..64 * 1024]).await.unwrap();
        }
        slow.push(stream);
    }
    let beside = middle(&client, times(20, 500)).await;
    say(&format!(
        "a read takes {alone:?} alone and {beside:?} beside {} who dawdle, memory {:?} MiB",
        slow.len(),
        house.memory()
    ));
    assert!(beside < alone * 10 + Duration::from_millis(100), "{alone:?} alone, {beside:?} beside them");
    assert!(house.memory().1 < 200, "{:?} MiB", house.memory());
    drop(slow);
    house.recovered().await;
    check_log(&house.server.kill().await);
}

/// How long a read usually takes.
async fn middle(client: &chorus_testkit::Client, reads: usize) -> Duration {
    let mut taken = Vec::with_capacity(reads);
    for _ in 0..reads {
        let began = Instant::now();
        client.call("chorus_list_projects", json!({})).await.ok();
        taken.push(began.elapsed());
    }
    taken.sort_unstable();
    taken[reads / 2]
}
