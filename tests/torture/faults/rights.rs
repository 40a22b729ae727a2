//! Files and folders that the server may not use as it has to.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use chorus_testkit::{Backend, Launch, run};

use super::{Furnished, command, refused};

/// What takes the right to pass over rights from whoever has it; needs nothing of who hasn't.
fn as_anybody() -> Vec<&'static str> {
    if rustix::process::geteuid().is_root() {
        vec!["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]
    } else {
        vec!["env"]
    }
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

async fn start_refused(url: &str) -> String {
    let line = refused(Launch::on(url).under(&as_anybody()).command()).await;
    assert!(line.contains(url), "{line}");
    line
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_not_be_written_or_read_is_named_at_start_and_not_touched() {
    let furnished = Furnished::new(Backend::Sqlite).await;
    let (file, url) = (furnished.file(), furnished.database.url());
    let folder = file.parent().unwrap();
    let before = fs::read(&file).unwrap();

    allow(&file, 0o400);
    let line = start_refused(url).await;
    assert!(line.contains("may not be written"), "{line}");

    allow(&file, 0o600);
    allow(folder, 0o500);
    let line = start_refused(url).await;
    assert!(line.contains("in the folder"), "it says where the right is missing: {line}");

    allow(folder, 0o700);
    allow(&file, 0o000);
    let line = start_refused(url).await;
    assert!(line.contains("may not be written"), "{line}");

    allow(&file, 0o600);
    allow(folder, 0o000);
    start_refused(url).await;
    allow(folder, 0o700);

    assert_eq!(fs::read(&file).unwrap(), before);
    let server = Launch::on(url).under(&as_anybody()).start().await;
    server.client(&furnished.key).call("chorus_checkin", serde_json::json!({})).await.ok();
    assert_eq!(server.stop().await, Some(0));
    run(&mut command(url, &["db", "check"])).await.ok();
}

/// The folder that a new database would be made in.
#[tokio::test(flavor = "multi_thread")]
async fn a_place_where_no_database_can_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = format!("sqlite:{}/no/such/folder/chorus.db", folder.path().display());
    start_refused(&missing).await;
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    allow(&closed, 0o500);
    let line = start_refused(&format!("sqlite:{}/chorus.db", closed.display())).await;
    assert!(line.contains("ermission denied"), "{line}");
    let directory = format!("sqlite:{}", closed.display());
    start_refused(&directory).await;
    assert_eq!(fs::read_dir(&closed).unwrap().count(), 0);
}
