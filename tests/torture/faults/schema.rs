//! A database of another version of the program.

use chorus_testkit::{Backend, Launch, Server, run};

use super::{Furnished, command, refused};
use crate::backends;

async fn a_newer_database_is_refused_and_left_alone(backend: Backend) {
    let furnished = Furnished::new(backend).await;
    let url = furnished.database.url();
    furnished.database.list_newer_migration().await;
    let before = furnished.database.events().await;
    let line = refused(Launch::on(url).command()).await;
    assert!(line.contains("newer version") && line.contains("9999"), "{line}");
    for words in [&["db", "check"][..], &["db", "migrate"], &["agent", "list"], &["export", "-"]] {
        let line = refused(command(url, words)).await;
        assert!(line.contains("newer version"), "{words:?}: {line}");
    }
    assert_eq!(furnished.database.events().await, before);
}

/// A migration that fails half-way is as good as none: the database is what it was, and works with the list put right.
async fn a_migration_that_fails_leaves_everything_as_it_was(backend: Backend) {
    let furnished = Furnished::new(backend).await;
    let url = furnished.database.url();
    let before = furnished.database.events().await;
    // Applied again, one of them finds its tables there.
    let versions =
        [furnished.database.unlist_newest_migration().await, furnished.database.unlist_newest_migration().await];
    for _ in 0..2 {
        let line = refused(Launch::on(url).command()).await;
        assert!(line.contains("can't migrate") && versions.iter().any(|version| line.contains(version)), "{line}");
    }
    for version in &versions {
        furnished.database.list_migration(version).await;
    }
    assert_eq!(furnished.database.events().await, before);
    let server = Launch::on(url).start().await;
    check_ideas(&server, &furnished).await;
    assert_eq!(server.stop().await, Some(0));
    run(&mut command(url, &["db", "check"])).await.ok();
}

async fn an_older_database_is_brought_up_to_date_and_kept_as_it_was(backend: Backend) {
    let furnished = Furnished::new(backend).await;
    let url = furnished.database.url();
    let version = furnished.database.revert().await;
    let server = Launch::on(url).start().await;
    check_ideas(&server, &furnished).await;
    assert_eq!(server.stop().await, Some(0));
    run(&mut command(url, &["db", "check"])).await.ok();
    if backend == Backend::Sqlite {
        // The copy is the database of the release before, and can be gone back to.
        let kept = format!("{url}.before-{version}");
        let checked = run(&mut command(&kept, &["db", "check", "--json"])).await;
        assert_eq!(checked.code, Some(1));
        let checked: serde_json::Value = serde_json::from_str(&checked.out).unwrap();
        assert_eq!(checked["damage"], serde_json::json!([]));
        assert!(checked["pending"][0].as_str().unwrap().starts_with(&version), "{checked}");
        let server = Launch::on(&kept).start().await;
        check_ideas(&server, &furnished).await;
        assert_eq!(server.stop().await, Some(0));
    }
}

async fn check_ideas(server: &Server, furnished: &Furnished) {
    let client = server.client(&furnished.key);
    let listed = client.call("chorus_get_ideas", serde_json::json!({ "projectUuid": furnished.project })).await.ok();
    assert_eq!(listed["total"], 60);
}

backends!(
    an_older_database_is_brought_up_to_date_and_kept_as_it_was,
    a_newer_database_is_refused_and_left_alone,
    a_migration_that_fails_leaves_everything_as_it_was,
);
