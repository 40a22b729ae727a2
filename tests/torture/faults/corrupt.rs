//! A SQLite file that is not what it was.

use std::{fs, path::Path, time::Duration};

use chorus_testkit::{Backend, Client, Launch, run};
use rand::{Rng as _, rngs::StdRng};
use serde_json::json;
use tokio::time::timeout;

use super::{Furnished, command, refused};
use crate::scale::{random, say, seed, times};

/// Bytes of a page.
const PAGE: usize = 4096;

async fn db_check(url: &str) -> chorus_testkit::Ran {
    run(&mut command(url, &["db", "check"])).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_database_is_refused_by_every_command_and_left_alone() {
    let furnished = Furnished::new(Backend::Sqlite).await;
    let (file, url) = (furnished.file(), furnished.database.url());
    let whole = fs::read(&file).unwrap();
    let mut broken = whole.clone();
    for byte in &mut broken[..100] {
        *byte ^= 0x55;
    }
    for bytes in [broken, b"To whom it may concern: this is a letter.\n".repeat(300)] {
        fs::write(&file, &bytes).unwrap();
        let line = refused(Launch::on(url).command()).await;
        assert!(line.contains(url) && line.contains("not a database"), "{line}");
        for words in [&["db", "check"][..], &["db", "migrate"], &["export", "-"], &["agent", "list"]] {
            let line = refused(command(url, words)).await;
            assert!(line.contains("not a database"), "{words:?}: {line}");
        }
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
    fs::write(&file, whole).unwrap();
    db_check(url).await.ok();
}

/// The kind of every page but the first is overwritten, one page in a file each.
#[tokio::test(flavor = "multi_thread")]
async fn a_broken_page_is_found_by_the_check() {
    let furnished = Furnished::new(Backend::Sqlite).await;
    let (file, url) = (furnished.file(), furnished.database.url());
    let whole = fs::read(&file).unwrap();
    let pages = whole.len() / PAGE;
    let mut chance = random(seed("broken pages"), 0);
    for _ in 0..times(4, 40) {
        let page = chance.random_range(1..pages);
        let mut broken = whole.clone();
        // Free pages are the one kind whose beginning means nothing; a database that only grew has none.
        for byte in &mut broken[page * PAGE..page * PAGE + 100] {
            *byte = !*byte;
        }
        fs::write(&file, broken).unwrap();
        let checked = db_check(url).await;
        assert_eq!(checked.code, Some(1), "page {page}: {checked:?}");
        let said = format!("{}{}", checked.out, checked.err);
        assert!(said.contains("damaged") || said.contains("malformed"), "page {page}: {checked:?}");
    }
    fs::write(&file, whole).unwrap();
    assert_eq!(db_check(url).await.ok().lines().count(), 1);
}

/// Whatever is broken, the server answers or refuses to start, and it never falls over.
#[tokio::test(flavor = "multi_thread")]
async fn flipped_bytes_bring_nobody_down() {
    let furnished = Furnished::new(Backend::Sqlite).await;
    let (file, url) = (furnished.file(), furnished.database.url());
    let whole = fs::read(&file).unwrap();
    let mut chance = random(seed("flipped bytes"), 0);
    let rounds = times(6, 150);
    let mut started = 0;
    for round in 0..rounds {
        fs::write(&file, flipped(&whole, &mut chance)).unwrap();
        for side in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{side}", file.display()));
        }
        if try_out(url, &furnished, round).await {
            started += 1;
        }
        leftovers_are_ours(file.parent().unwrap());
    }
    say(&format!("{started} of {rounds} servers started on broken files"));
}

fn flipped(whole: &[u8], chance: &mut StdRng) -> Vec<u8> {
    let mut broken = whole.to_vec();
    match chance.random_range(0..3) {
        0 => broken.truncate(chance.random_range(PAGE..whole.len())),
        1 => {
            let page = chance.random_range(1..whole.len() / PAGE) * PAGE;
            chance.fill(&mut broken[page..page + PAGE]);
        }
        _ => {
            for _ in 0..chance.random_range(1..200) {
                let place = chance.random_range(100..whole.len());
                broken[place] ^= 1 << chance.random_range(0..8);
            }
        }
    }
    broken
}

/// Starts a server if it starts, and asks it for something; says whether it started.
async fn try_out(url: &str, furnished: &Furnished, round: usize) -> bool {
    let mut child = Launch::on(url).command();
    let mut child = child.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut printed = tokio::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    let read = tokio::io::AsyncBufReadExt::read_line(&mut printed, &mut line);
    timeout(Duration::from_secs(60), read).await.expect("it neither starts nor ends").unwrap();
    let started = line.strip_prefix("chorus is listening on ").map(|base| base.trim().to_owned());
    if let Some(base) = &started {
        ask(&Client::new(base, &furnished.key), furnished, round).await;
        assert_eq!(child.try_wait().unwrap(), None, "it fell over");
        child.start_kill().unwrap();
    }
    let output = child.wait_with_output().await.unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(!log.contains("panicked"), "{log}");
    if started.is_none() {
        assert_eq!(output.status.code(), Some(1), "{log}");
    }
    started.is_some()
}

async fn ask(client: &Client, furnished: &Furnished, round: usize) {
    let project = &furnished.project;
    for (tool, arguments) in [
        ("chorus_checkin", json!({})),
        ("chorus_list_projects", json!({})),
        ("chorus_get_ideas", json!({ "projectUuid": project, "pageSize": 100 })),
        ("chorus_search", json!({ "query": "idea 7" })),
        ("chorus_get_activity", json!({ "projectUuid": project })),
        ("chorus_pm_create_idea", json!({ "projectUuid": project, "title": format!("round {round}") })),
    ] {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": { "name": tool, "arguments": arguments } });
        let answer = client.send(&body).await.unwrap_or_else(|error| panic!("{tool}: {error}"));
        // A key that can't be found any more is a wrong one.
        assert!([200, 401, 500, 503].contains(&answer.status().as_u16()), "{tool}: {answer:?}");
    }
}

fn leftovers_are_ours(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name.starts_with("chorus.db"), "{name}");
    }
}
