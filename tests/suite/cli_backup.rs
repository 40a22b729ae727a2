//! `chorus backup`.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt as _,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use chorus_testkit::{Backend, Client, Database, Ran, Server, Site, chorus, operator, run};
use serde_json::{Value, json};
use tempfile::TempDir;

async fn backup(database: &Database, arguments: &[&str]) -> Ran {
    run(chorus().arg("backup").args(arguments).args(["--database-url", database.url()])).await
}

/// Names of all projects with the number of their tasks.
async fn projects(client: &Client) -> BTreeSet<(String, u64)> {
    let mut found = BTreeSet::new();
    let mut arguments = json!({ "pageSize": 100 });
    loop {
        let page = client.call("chorus_list_projects", arguments).await.ok();
        for row in page["projects"].as_array().unwrap() {
            found.insert((row["name"].as_str().unwrap().to_owned(), row["_count"]["tasks"].as_u64().unwrap()));
        }
        match page.get("nextCursor") {
            Some(Value::String(cursor)) => arguments = json!({ "pageSize": 100, "cursor": cursor }),
            _ => return found,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_made_while_others_write_is_whole() {
    let site = Site::new(Backend::Sqlite).await;
    let folder = TempDir::new().unwrap();
    let (stop, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let writers: Vec<_> = (0..3)
        .map(|writer| {
            let (client, stop, written) = (site.client(), Arc::clone(&stop), Arc::clone(&written));
            tokio::spawn(async move {
                let mut turn = 0;
                while !stop.load(Ordering::Relaxed) {
                    let name = format!("{writer}-{turn}");
                    let made = client.call("chorus_admin_create_project", json!({ "name": name })).await.ok();
                    let criteria = json!([{ "description": "It works" }]);
                    let task = |title| {
                        let long = "x".repeat(10_000);
                        json!({ "title": title, "description": long, "acceptanceCriteriaItems": criteria })
                    };
                    let tasks = json!([task("a"), task("b")]);
                    let tasks = json!({ "projectUuid": made["uuid"], "tasks": tasks });
                    client.call("chorus_create_tasks", tasks).await.ok();
                    written.fetch_add(1, Ordering::Relaxed);
                    turn += 1;
                }
            })
        })
        .collect();
    let mut copies = Vec::new();
    for number in 0..3 {
        // Something new to copy each time.
        let enough = written.load(Ordering::Relaxed) + 3;
        while written.load(Ordering::Relaxed) < enough {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let before = projects(&site.client()).await;
        let file = folder.path().join(format!("{number}.db"));
        let copied = backup(&site.database, &[file.to_str().unwrap(), "--json"]).await.json();
        let after = projects(&site.client()).await;
        let bytes = fs::metadata(&file).unwrap().len();
        assert_eq!(copied, json!({ "database": site.database.url(), "file": file, "bytes": bytes }));
        copies.push((before, after, file));
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    for (before, after, file) in copies {
        let url = format!("sqlite:{}", file.display());
        assert_eq!(operator(&url, &["db", "check"]).await["upToDate"], true);
        // A server works on it, with the same keys.
        let server = Server::on(&url).await;
        let client = server.client(&site.admin.key);
        let found = projects(&client).await;
        // What was acknowledged before is in it, and nothing that came later; no batch of tasks is there in part.
        let names = |projects: &BTreeSet<(String, u64)>| -> BTreeSet<String> {
            projects.iter().map(|(name, _)| name.clone()).collect()
        };
        assert!(names(&before).is_subset(&names(&found)) && names(&found).is_subset(&names(&after)));
        assert!(before.iter().all(|(name, tasks)| *tasks == 0 || found.contains(&(name.clone(), *tasks))));
        assert!(found.iter().all(|(_, tasks)| matches!(tasks, 0 | 2)), "{found:?}");
        client.call("chorus_admin_create_project", json!({ "name": "after" })).await.ok();
        assert_eq!(projects(&client).await.len(), found.len() + 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_replaces_nothing_unless_it_is_told_to() {
    let database = Database::fresh(Backend::Sqlite).await;
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("my copy.db");
    let name = file.to_str().unwrap();
    let said = backup(&database, &[name]).await.ok();
    assert!(said.contains(name) && said.contains("restore"), "{said}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    fs::write(&file, "precious").unwrap();
    let line = backup(&database, &[name]).await.failed(1);
    assert!(line.contains(name) && line.contains("--force"), "{line}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    backup(&database, &[name, "--force"]).await.ok();
    assert!(fs::read(&file).unwrap().starts_with(b"SQLite format 3\0"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_itself_is_never_overwritten() {
    let site = Site::new(Backend::Sqlite).await;
    let path = site.database.url().trim_start_matches("sqlite:").to_owned();
    let folder = TempDir::new().unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let beside = format!("{path}-wal");
    for file in [path.as_str(), link.to_str().unwrap(), &beside] {
        let line = backup(&site.database, &[file, "--force"]).await.failed(1);
        assert!(line.contains("the database itself"), "{line}");
    }
    site.client().call("chorus_checkin", json!({})).await.ok();
    assert_eq!(operator(site.database.url(), &["db", "check"]).await["upToDate"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_copied_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let to = folder.path().join("copies");
    fs::create_dir(&to).unwrap();
    let file = to.join("copy.db");
    let copy = async |url: &str, file: &str| {
        run(chorus().args(["backup", file, "--force", "--database-url", url])).await.failed(1)
    };
    let missing = format!("sqlite:{}", folder.path().join("missing.db").display());
    let line = copy(&missing, file.to_str().unwrap()).await;
    assert!(line.contains("missing.db"), "{line}");
    assert!(!folder.path().join("missing.db").exists());
    let nonsense = folder.path().join("nonsense.db");
    fs::write(&nonsense, "this is no database, and it is long enough to be read as one").unwrap();
    copy(&format!("sqlite:{}", nonsense.display()), file.to_str().unwrap()).await;
    assert_eq!(fs::read_dir(&to).unwrap().count(), 0);
    let database = Database::fresh(Backend::Sqlite).await;
    for place in [to.to_str().unwrap(), "/nowhere/at/all.db"] {
        let line = copy(database.url(), place).await;
        assert!(line.contains(place), "{line}");
    }
    assert_eq!(fs::read_dir(&to).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn for_postgresql_its_own_tool_is_named() {
    let database = Database::fresh(Backend::Postgres).await;
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("copy.dump");
    let line = backup(&database, &[file.to_str().unwrap()]).await.failed(1);
    assert!(line.contains("pg_dump") && line.contains("PostgreSQL") && line.contains("copy.dump"), "{line}");
    assert!(!line.contains('@'), "no credentials: {line}");
    assert!(!file.exists());
}
