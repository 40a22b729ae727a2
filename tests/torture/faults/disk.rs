//! A disk that is full: reads go on, writes are put off, and nothing that was acknowledged is lost.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use chorus_store_diesel::testing::run_on_postgres;
use chorus_testkit::{Database, Launch, Server, chorus, http, run};
use serde_json::json;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::{Furnished, command, refused};
use crate::{
    calling::{Said, call},
    crash::check_log,
    load::{self, Load},
    own_postgres::OwnPostgres,
    scale::{random, say, seed, times},
};

/// How long writes may take to work again once there is room.
const RECOVERY: Duration = Duration::from_secs(10);

/// Writers fill what is left, see that they can't go on while readers can, and go on when there is room again.
async fn writes_wait_for_room(
    server: Server,
    furnished: &Furnished,
    url: &str,
    mut fill: impl FnMut(),
    mut free: impl FnMut(&Server),
) {
    let seed = seed("full disk");
    let client = server.client(&furnished.key);
    let load = Load::begin(&client, &furnished.project, 4, seed).await;
    while load.acknowledged() < 10 {
        sleep(Duration::from_millis(10)).await;
    }
    fill();
    let began = Instant::now();
    let title = "filling the disk";
    let idea = json!({ "projectUuid": furnished.project, "title": title, "content": "x".repeat(2_000) });
    let mut written = 0;
    // The first that is refused says that the disk is full now.
    loop {
        match call(&client, "chorus_pm_create_idea", &idea).await {
            Said::Answer(_) => written += 1,
            Said::Later | Said::Lost => break,
            refused @ Said::Refused(..) => panic!("{refused:?}"),
        }
        assert!(began.elapsed() < Duration::from_secs(60), "the disk does not get full");
    }
    for _ in 0..times(5, 50) {
        let said = call(&client, "chorus_list_tasks", &json!({ "projectUuid": furnished.project })).await;
        assert!(matches!(said, Said::Answer(_)), "reading needs no room: {said:?}");
        sleep(Duration::from_millis(50)).await;
    }
    let health = http().get(format!("{}/api/health", server.base())).send().await.unwrap();
    assert_eq!(health.status().as_u16(), 200, "it can be read");
    free(&server);
    let (room, before) = (Instant::now(), load.acknowledged());
    while load.acknowledged() < before + 20 {
        assert!(room.elapsed() < RECOVERY, "no writes although there is room");
        sleep(Duration::from_millis(10)).await;
    }
    let noted = load.end().await;
    assert!(load::repeated(&noted) > 0, "nobody noticed");
    let listed = load::rows(&client, "chorus_get_ideas", json!({ "projectUuid": furnished.project }), "ideas").await;
    let count = listed.iter().filter(|idea| idea["title"] == title).count();
    assert!((written..=written + 1).contains(&count), "{written} were acknowledged, {count} are there");
    check_strangers(&client, furnished).await;
    load::check(&client, &furnished.project, &noted, &mut random(seed, 0)).await;
    let log = server.kill().await;
    check_log(&log);
    run(&mut command(url, &["db", "check"])).await.ok();
    say(&format!("{written} more writes until the disk was full"));
}

/// What was there before is there.
async fn check_strangers(client: &chorus_testkit::Client, furnished: &Furnished) {
    let listed = load::rows(client, "chorus_get_ideas", json!({ "projectUuid": furnished.project }), "ideas").await;
    let old = listed.iter().filter(|idea| idea["title"].as_str().unwrap().starts_with("idea ")).count();
    assert_eq!(old, 60);
}

/// The operating system lets no file grow, which needs no rights to bring about.
#[tokio::test(flavor = "multi_thread")]
async fn a_limit_on_files_is_waited_out() {
    let furnished = Furnished::new(chorus_testkit::Backend::Sqlite).await;
    let url = furnished.database.url().to_owned();
    // In KiB; more than the database has, less than its log gets to.
    let limit = (fs::metadata(furnished.file()).unwrap().len() / 1024 + 1_500).to_string();
    let script = "trap '' XFSZ; ulimit -S -f \"$0\"; exec \"$@\"";
    let server = Launch::on(&url).under(&["bash", "-c", script, &limit]).start().await;
    let free = |server: &Server| {
        let id = server.process_id().to_string();
        assert!(Command::new("prlimit").args(["--pid", &id, "--fsize=unlimited"]).status().unwrap().success());
    };
    writes_wait_for_room(server, &furnished, &url, || {}, free).await;
}

const NO_MOUNT: &str = "no file system could be mounted; a limit on files stands in for a full disk";

/// A file system of its own, for whoever may make one.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mounted(size: &str) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let size = format!("size={size}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path()).output();
        mounted.is_ok_and(|mounted| mounted.status.success()).then_some(Self(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Takes all of the room but this much.
    fn fill(&self, but: u64) {
        let filler = self.path().join("filler");
        let mut bytes = 64 * 1024 * 1024;
        while bytes >= 4096 {
            let file = fs::OpenOptions::new().append(true).create(true).open(&filler).unwrap();
            if std::io::Write::write_all(&mut &file, &vec![1; bytes]).is_err() {
                bytes /= 2;
            }
        }
        let length = fs::metadata(&filler).unwrap().len();
        fs::OpenOptions::new().write(true).open(&filler).unwrap().set_len(length.saturating_sub(but)).unwrap();
    }

    fn free(&self) {
        fs::remove_file(self.path().join("filler")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: who still has a file open there keeps it.
        let _ = Command::new("umount").arg("-l").arg(self.path()).output();
    }
}

fn on(disk: &SmallDisk, furnished: &Furnished) -> (PathBuf, String) {
    let file = disk.path().join("chorus.db");
    fs::copy(furnished.file(), &file).unwrap();
    let url = format!("sqlite:{}", file.display());
    (file, url)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_waited_out_and_refused_at_start() {
    let Some(disk) = SmallDisk::mounted("24m") else {
        say(NO_MOUNT);
        return;
    };
    let furnished = Furnished::new(chorus_testkit::Backend::Sqlite).await;
    let (_, url) = on(&disk, &furnished);
    let server = Launch::on(&url).start().await;
    writes_wait_for_room(server, &furnished, &url, || disk.fill(100 * 1024), |_| disk.free()).await;

    // A server that can't begin says why.
    disk.fill(0);
    let line = refused(Launch::on(&url).command()).await;
    assert!(line.contains(&url) && line.contains("full"), "{line}");
    disk.free();
    let server = Launch::on(&url).start().await;
    check_strangers(&server.client(&furnished.key), &furnished).await;
    let backup = disk.path().join("backup.db");
    disk.fill(200 * 1024);
    let failed = run(chorus().args(["backup", "--database-url", &url]).arg(&backup)).await;
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.err.contains("full") && !failed.err.contains("panicked"), "{failed:?}");
    assert!(!backup.exists(), "half a copy is none");
    check_log(&server.kill().await);
}

/// The tables are on a disk that gets full; the server's log of writes is elsewhere, since without it PostgreSQL stops.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_below_postgres_is_waited_out() {
    let Some(disk) = SmallDisk::mounted("64m") else {
        say(NO_MOUNT);
        return;
    };
    if rustix::process::geteuid().is_root() {
        // Its server does not run as root.
        assert!(Command::new("chown").arg("postgres").arg(disk.path()).status().unwrap().success());
    }
    let postgres = OwnPostgres::start().await;
    let furnished = Furnished::on(Database::on_server(postgres.url()).await).await;
    let url = furnished.database.url().to_owned();
    let name = url.rsplit('/').next().unwrap().split('?').next().unwrap().to_owned();
    let place = disk.path().display();
    for statement in [
        format!("CREATE TABLESPACE small LOCATION '{place}'"),
        format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"),
        format!("ALTER DATABASE {name} SET TABLESPACE small"),
    ] {
        run_on_postgres(postgres.url(), &statement).await;
    }
    let server = Launch::on(&url).start().await;
    writes_wait_for_room(server, &furnished, &url, || disk.fill(100 * 1024), |_| disk.free()).await;
}
