//! How many streams there may be, how long, and how much they tell. The same service as the binary's with other bounds.

use std::{sync::Arc, time::Duration};

use chorus_domain::Write;
use chorus_http::{App, Config, Limits, Mount, SsePaths, StreamLimits};
use chorus_library::ChorusLibrary;
use chorus_mcp::ServerInfo;
use chorus_testkit::{Backend, Client, Database, EventStream, Reply, World};
use chorus_visibility::{Role, Visibility};
use serde_json::json;
use tokio::sync::oneshot;

use super::{QUIET, comment, listen, new_task, news, updated};

struct Short {
    _database: Database,
    world: World,
    key: String,
    base: String,
    _end: oneshot::Sender<()>,
}

impl Short {
    async fn new(streams: StreamLimits) -> Self {
        let database = Database::fresh(Backend::Sqlite).await;
        let services = database.services().await;
        let world = World::new(services.clone()).await;
        let agent = world.agent("admin", Some(world.first_user), &["admin_agent"], &[]).await;
        let tools = Arc::new(chorus_tools::surface().unwrap());
        let library = Arc::new(ChorusLibrary::new(Arc::clone(&tools)));
        let mount = Mount::new("/api/mcp", tools, ServerInfo::new("chorus", "1"))
            .with_library(library)
            .with_sse(SsePaths { stream: "/sse", message: "/message" });
        let limits = Limits { streams, ..Limits::default() };
        let app = App::new(services, [mount], Config { limits, ..Config::default() });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (end, ended) = oneshot::channel::<()>();
        tokio::spawn(chorus_http::serve(listener, app, async move { ended.await.unwrap_or_default() }));
        Self { _database: database, world, key: agent.key, base, _end: end }
    }

    fn client(&self) -> Client {
        Client::new(&self.base, &self.key)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_and_the_server_have_only_so_many_streams() {
    let short = Short::new(StreamLimits { per_key: 2, in_all: 3, ..StreamLimits::default() }).await;
    let other = short.world.agent("other", None, &[], &[]).await;
    let third = short.world.agent("third", None, &[], &[]).await;
    let (client, other) = (short.client(), Client::new(&short.base, &other.key));
    let (one, _) = listen(&client, json!({})).await;
    // Both transports count.
    let two = EventStream::of(client.get("/sse").send().await.unwrap());
    let refused = async |client: &Client, status: u16, words: &str| {
        let modern = client.modern_reply("subscriptions/listen", json!({ "notifications": {} })).await;
        let legacy = Reply::of(client.get("/sse").send().await.unwrap()).await;
        for reply in [modern, legacy] {
            assert_eq!((reply.status, reply.header("retry-after")), (status, Some("2")), "{reply:?}");
            assert!(reply.json().to_string().contains(words), "{reply:?}");
        }
    };
    refused(&client, 429, "close one").await;
    let (_three, _) = listen(&other, json!({})).await;
    refused(&Client::new(&short.base, &third.key), 503, "try again").await;
    // Requests are none of it.
    client.call("chorus_checkin", json!({})).await.ok();

    drop(one);
    drop(two);
    for _ in 0..100 {
        let reply = client.modern("subscriptions/listen", json!({ "notifications": {} })).await;
        if reply.status() == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the seats of streams that were closed are not free");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_changes_of_one_thing_are_told_once() {
    let gather = Duration::from_secs(3);
    let short = Short::new(StreamLimits { gather, ..StreamLimits::default() }).await;
    let admins = [(short.world.first_user, Role::Admin)];
    let project = short.world.project("Busy", Visibility::Private, &admins).await.to_string();
    let client = short.client();
    let (one, first) = new_task(&client, &project, "one").await;
    let (two, second) = new_task(&client, &project, "two").await;
    let (mut stream, _) = listen(&client, json!({ "resourceSubscriptions": [first, second] })).await;
    for _ in 0..4 {
        comment(&client, &one).await;
        comment(&client, &two).await;
    }
    let mut told = [news(&mut stream).await, news(&mut stream).await];
    let mut expected = [updated(&first), updated(&second)];
    told.sort();
    expected.sort();
    assert_eq!(told, expected);
    stream.silent(gather + QUIET).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_expires_or_is_taken_away_in_silence_ends_its_streams_too() {
    let look_again = Duration::from_secs(1);
    let short = Short::new(StreamLimits { look_again, ..StreamLimits::default() }).await;
    let agent = short.world.agent("doomed", None, &[], &[]).await;
    let (mut stream, _) = listen(&Client::new(&short.base, &agent.key), json!({ "toolsListChanged": true })).await;
    let mut reads = short.world.services.store.read().await.unwrap();
    let keys = reads.operator().keys(short.world.company, Some(agent.id)).await.unwrap();
    short.world.write(vec![Write::RevokeKey(keys[0].key.id, short.world.now())]).await;
    assert_eq!(stream.message().await["result"]["resultType"], "complete");
    stream.ended().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_so_many_resources_are_granted() {
    let short = Short::new(StreamLimits { subscriptions: 2, ..StreamLimits::default() }).await;
    let admins = [(short.world.first_user, Role::Admin)];
    let mut uris = vec!["chorus://context".to_owned()];
    for n in 0..2 {
        let project = short.world.project(&format!("P{n}"), Visibility::Private, &admins).await;
        uris.push(format!("chorus://projects/{project}"));
    }
    let (_stream, granted) = listen(&short.client(), json!({ "resourceSubscriptions": uris })).await;
    assert_eq!(granted, json!({ "resourceSubscriptions": uris[..2] }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_nobody_uses_ends() {
    let idle = Duration::from_secs(2);
    let short = Short::new(StreamLimits { idle, ..StreamLimits::default() }).await;
    let client = short.client();
    let mut stream = EventStream::of(client.get("/sse").send().await.unwrap());
    let place = stream.next().await.data;
    let post = async |body: &str| client.post_to(&place).body(body.to_owned()).send().await.unwrap().status().as_u16();
    let start = std::time::Instant::now();
    tokio::time::sleep(idle / 2).await;
    assert_eq!(post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await, 202);
    stream.asks("2024-11-05", "ping", &json!(1));
    assert_eq!(stream.message().await["id"], 1);
    stream.ended().await;
    assert!(start.elapsed() >= idle * 3 / 2, "using it keeps it open: {:?}", start.elapsed());
    assert_eq!(post(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await, 404);
}
