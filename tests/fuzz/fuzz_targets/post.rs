//! The whole way of a request through the service, in the form of `tests/corpus/posts`.
#![no_main]

use std::sync::{Arc, LazyLock};

use chorus_http::{App, Config, Mount};
use chorus_library::ChorusLibrary;
use chorus_mcp::ServerInfo;
use chorus_testkit::{Backend, Database, Raw, Reply, World};
use libfuzzer_sys::fuzz_target;
use tokio::runtime::Runtime;

struct House {
    runtime: Runtime,
    app: App,
    key: String,
    _database: Database,
}

static HOUSE: LazyLock<House> = LazyLock::new(|| {
    let runtime = Runtime::new().expect("threads");
    let (app, key, database) = runtime.block_on(async {
        let database = Database::fresh(Backend::Sqlite).await;
        let world = World::new(database.services().await).await;
        let agent = world.agent("admin", Some(world.first_user), &["admin_agent"], &[]).await;
        let surface = Arc::new(chorus_tools::surface().expect("the tools"));
        let library = Arc::new(ChorusLibrary::new(Arc::clone(&surface)));
        let mount = Mount::new("/api/mcp", surface, ServerInfo::new("chorus", "1")).with_library(library);
        (App::new(database.services().await, [mount], Config::default()), agent.key, database)
    });
    House { runtime, app, key, _database: database }
});

fuzz_target!(|data: &[u8]| {
    let raw = Raw::read(data, &HOUSE.key);
    let Some(request) = raw.request() else { return };
    let reply = HOUSE.runtime.block_on(async { Reply::of_service(HOUSE.app.handle(request).await).await });
    if let Some(request) = raw.request() {
        raw.check(&request, &reply);
    }
});
