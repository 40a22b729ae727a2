//! A database of another version of the program.

use chorus_testkit::{Backend, Launch, chorus, run};

use super::{Furnished, refused};
use crate::backends;

async fn a_newer_database_is_refused_and_left_alone(backend: Backend) {
    let furnished = Furnished::new(backend).await;
    let url = furnished.database.url();
    furnished.database.list_newer_migration().await;
    let before = furnished.database.events().await;
    let line = refused(Launch::on(url).command()).await;
    assert!(line.contains("newer version") && line.contains("9999"), "{line}");
    for words in [&["db", "check"][..], &["db", "migrate"], &["agent", "list"], &["export", "-"]] {
        let mut command = chorus();
        command.args(words).args(["--database-url", url]);
        let line = refused(command).await;
        assert!(line.contains("newer version"), "{words:?}: {line}");
    }
    assert_eq!(furnished.database.events().await, before);
}

/// A migration that fails half-way is as good as none: the database is what it was, and works with the list put right.
async fn a_migration_that_fails_leaves_everything_as_it_was(backend: Backend) {
    let furnished = Furnished::new(backend).await;
    let url = furnished.database.url();
    let before = furnished.database.events().await;
    // Applied again, it finds its tables there.
    let version = furnished.database.unlist_newest_migration().await;
    for _ in 0..2 {
        let line = refused(Launch::on(url).command()).await;
        assert!(line.contains("can't migrate") && line.contains(&version), "{line}");
    }
    furnished.database.list_migration(&version).await;
    assert_eq!(furnished.database.events().await, before);
    let server = Launch::on(url).start().await;
    let client = server.client(&furnished.key);
    let listed = client.call("chorus_get_ideas", serde_json::json!({ "projectUuid": furnished.project })).await.ok();
    assert_eq!(listed["total"], 60);
    assert_eq!(server.stop().await, Some(0));
    run(chorus().args(["db", "check", "--database-url", url])).await.ok();
}

backends!(a_newer_database_is_refused_and_left_alone, a_migration_that_fails_leaves_everything_as_it_was);
