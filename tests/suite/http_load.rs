//! What the server does when more is asked of it than it takes on at a time.

use std::{sync::Arc, time::Duration};

use chorus_http::{App, Config, Limits, Mount};
use chorus_mcp::ServerInfo;
use chorus_store::Tx;
use chorus_testkit::{Backend, Client, Database, Launch, Reply, Site, Wire, World, chorus, run};
use serde_json::json;

const SECOND: Duration = Duration::from_secs(1);
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// The service of the binary with other limits, in this process.
struct House {
    base: String,
    key: String,
    world: World,
    _database: Database,
}

impl House {
    async fn with(limits: Limits) -> Self {
        let database = Database::fresh(Backend::Sqlite).await;
        let world = World::new(database.services().await).await;
        let agent = world.agent("agent", Some(world.first_user), &["admin_agent"], &[]).await;
        let mount = Mount::new("/api/mcp", Arc::new(chorus_tools::surface().unwrap()), ServerInfo::new("chorus", "1"));
        let app = App::new(database.services().await, [mount], Config { limits, ..Config::default() });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(chorus_http::serve(listener, app, std::future::pending()));
        Self { base, key: agent.key, world, _database: database }
    }

    async fn wire(&self) -> Wire {
        Wire::connect(&self.base).await
    }

    fn request(&self, body: &str) -> String {
        request(&self.key, body)
    }

    fn client(&self) -> Client {
        Client::new(&self.base, &self.key)
    }

    /// Keeps everybody from writing until it is dropped.
    async fn lock(&self) -> Box<dyn Tx> {
        self.world.services.store.begin().await.unwrap()
    }

    /// The status of a ping on a connection of its own.
    async fn ping(&self) -> u16 {
        let mut wire = self.wire().await;
        wire.send(self.request(PING)).await;
        wire.answer().await.status
    }

    /// Pings until the status is this one.
    async fn ping_until(&self, status: u16) {
        for _ in 0..200 {
            if self.ping().await == status {
                return;
            }
            tokio::time::sleep(SECOND / 20).await;
        }
        panic!("never {status}");
    }
}

fn request(key: &str, body: &str) -> String {
    format!(
        "POST /api/mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A request for a project of this name, which can't be had while everybody is kept from writing.
fn making(id: u32, name: &str) -> String {
    let params = json!({ "name": "chorus_admin_create_project", "arguments": { "name": name } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

#[track_caller]
fn assert_busy(reply: &Reply) {
    assert_eq!(reply.status, 503, "{reply:?}");
    assert!(reply.header("retry-after").unwrap().parse::<u32>().unwrap() > 0);
    assert!(reply.json()["error"].as_str().unwrap().contains("Try again"), "{reply:?}");
    assert_eq!(reply.header("www-authenticate"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_one_too_many_is_told_and_the_oldest_idle_connection_gives_way() {
    let house = House::with(Limits { connections: 2, ..Limits::default() }).await;
    let (mut old, mut young) = (house.wire().await, house.wire().await);
    for wire in [&mut old, &mut young] {
        wire.send(house.request(PING)).await;
        assert_eq!(wire.answer().await.status, 200);
    }
    tokio::time::sleep(SECOND + SECOND / 10).await;

    let mut late = house.wire().await;
    late.send(house.request(PING)).await;
    let reply = late.answer().await;
    assert_busy(&reply);
    assert_eq!(reply.header("connection"), Some("close"));
    late.closed().await;

    old.closed().await;
    house.ping_until(200).await;
    young.send(house.request(PING)).await;
    assert_eq!(young.answer().await.status, 200);
}

/// A connection at work is asked to end behind its answer, not before it.
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_waits_for_its_answer_is_not_taken_away() {
    let house = House::with(Limits { connections: 1, ..Limits::default() }).await;
    let lock = house.lock().await;
    let mut busy = house.wire().await;
    busy.send(house.request(&making(7, "kept"))).await;
    tokio::time::sleep(SECOND + SECOND / 10).await;
    for _ in 0..3 {
        assert_eq!(house.ping().await, 503);
    }
    drop(lock);
    let reply = busy.answer().await;
    assert_eq!((reply.status, reply.json()["result"]["isError"].clone()), (200, json!(false)));
    busy.closed().await;
    house.ping_until(200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_say_nothing_do_not_keep_others_out() {
    let limits = Limits { connections: 2, refusals: 2, drain_time: SECOND, ..Limits::default() };
    let house = House::with(limits).await;
    let mut silent = Vec::new();
    for _ in 0..8 {
        silent.push(house.wire().await);
    }
    house.ping_until(200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_waits_too_long_for_its_turn_is_told_to_come_back() {
    let house = House::with(Limits { requests: 1, turn_time: SECOND / 5, ..Limits::default() }).await;
    let lock = house.lock().await;
    let mut busy = house.wire().await;
    busy.send(house.request(&making(7, "slow"))).await;
    house.ping_until(503).await;
    let mut waiting = house.wire().await;
    waiting.send(house.request(PING)).await;
    assert_busy(&waiting.answer().await);
    // What needs no turn goes on: who knocks with a wrong key, and who asks for the server's health.
    let mut stranger = house.wire().await;
    stranger.send(request("x", PING)).await;
    assert_eq!(stranger.answer().await.status, 401);
    waiting.send("GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(waiting.answer().await.status, 200, "on the connection that was refused");
    drop(lock);
    assert_eq!(busy.answer().await.json()["result"]["isError"], false);
    house.ping_until(200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_is_served_one_after_the_other() {
    let house = House::with(Limits { requests: 1, turn_time: 60 * SECOND, ..Limits::default() }).await;
    let mut wires = Vec::new();
    for _ in 0..40 {
        let mut wire = house.wire().await;
        wire.send(house.request(PING)).await;
        wires.push(wire);
    }
    for wire in &mut wires {
        assert_eq!(wire.answer().await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_sent_at_once_on_one_connection_take_one_turn() {
    let house = House::with(Limits { requests: 2, turn_time: SECOND, ..Limits::default() }).await;
    let lock = house.lock().await;
    let mut greedy = house.wire().await;
    let all: String = (1..=5).map(|id| house.request(&making(id, &format!("p{id}")))).collect();
    greedy.send(all).await;
    for _ in 0..5 {
        assert_eq!(house.ping().await, 200);
    }
    drop(lock);
    for id in 1..=5 {
        let reply = greedy.answer().await;
        assert_eq!((reply.status, reply.json()["id"].clone()), (200, json!(id)), "in their order");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reads_nothing_is_cut_off() {
    let house = House::with(Limits { write_stall: SECOND, connections: 1, ..Limits::default() }).await;
    let mut deaf = house.wire().await;
    let list = house.request(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    deaf.send_until_refused(list.repeat(20)).await;
    house.ping_until(200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_connection_is_closed() {
    let house = House::with(Limits { head_time: SECOND, ..Limits::default() }).await;
    let mut wire = house.wire().await;
    for _ in 0..2 {
        wire.send(house.request(PING)).await;
        assert_eq!(wire.answer().await.status, 200);
    }
    wire.closed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_take_all_the_room_keep_no_connection_busy() {
    let house = House::with(Limits { bodies_bytes: 1_000, ..Limits::default() }).await;
    let padded = |bytes: usize| house.request(&format!("{PING}{}", " ".repeat(bytes - PING.len())));
    let mut first = house.wire().await;
    let (begin, end) = (padded(900), padded(900).len() - 1);
    first.send(&begin[..end]).await;
    let mut second = house.wire().await;
    let mut status = 0;
    for _ in 0..200 {
        second.send(padded(300)).await;
        let reply = second.answer().await;
        status = reply.status;
        if status == 503 {
            assert_busy(&reply);
            break;
        }
        tokio::time::sleep(SECOND / 20).await;
    }
    assert_eq!(status, 503);
    first.send(&begin[end..]).await;
    assert_eq!(first.answer().await.status, 200);
    second.send(padded(300)).await;
    assert_eq!(second.answer().await.status, 200);
}

/// A call whose client has gone is still done, whole (protocol checklist §2.4).
#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_client_that_hangs_up_cancels_nothing() {
    let house = House::with(Limits::default()).await;
    let lock = house.lock().await;
    let mut gone = house.wire().await;
    gone.send(house.request(&making(1, "after all"))).await;
    // Taken in: whatever was sent later has been answered.
    for _ in 0..3 {
        assert_eq!(house.ping().await, 200);
    }
    tokio::time::sleep(SECOND / 4).await;
    drop(gone);
    tokio::time::sleep(SECOND / 4).await;
    drop(lock);
    for _ in 0..200 {
        let listed = house.client().call("chorus_list_projects", json!({})).await.ok();
        if listed["projects"].as_array().unwrap().iter().any(|project| project["name"] == "after all") {
            return;
        }
        tokio::time::sleep(SECOND / 20).await;
    }
    panic!("it was never made");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limits_can_be_set() {
    let site = Site::new(Backend::Sqlite).await;
    let server = Launch::on(site.database.url()).flag("--max-connections", "1").env("CHORUS_IDLE_TIMEOUT", "1").start();
    let server = server.await;
    let ping = request(&site.admin.key, PING);
    let mut only = Wire::connect(server.base()).await;
    only.send(&ping).await;
    assert_eq!(only.answer().await.status, 200);
    let mut second = Wire::connect(server.base()).await;
    second.send(&ping).await;
    assert_busy(&second.answer().await);
    only.closed().await;
    let mut status = 0;
    for _ in 0..200 {
        let mut next = Wire::connect(server.base()).await;
        next.send(&ping).await;
        status = next.answer().await.status;
        if status == 200 {
            break;
        }
        tokio::time::sleep(SECOND / 20).await;
    }
    assert_eq!(status, 200);

    let help = run(chorus().args(["serve", "--help"])).await.ok();
    for flag in ["--max-connections", "--max-requests", "--idle-timeout"] {
        assert!(help.contains(flag), "{help}");
    }
    let refused = run(chorus().args(["serve", "--max-requests", "0"])).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
}
