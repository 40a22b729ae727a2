//! The contract of the storage traits, on both databases.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
    sync::Arc,
};

use chorus_store::testing::{NAMES, Shared};
use chorus_store_diesel::testing::TestDb;

/// The store on a database of one test.
async fn open(db: TestDb) -> (TestDb, Shared) {
    let store: Shared = Arc::new(db.open().await);
    (db, store)
}

mod sqlite {
    use super::{TestDb, open};

    chorus_store::contract!(open(TestDb::sqlite().await).await);
}

mod postgres {
    use super::{TestDb, open};

    chorus_store::contract!(open(TestDb::postgres().await).await);
}

#[test]
fn both_databases_run_the_whole_contract() {
    let listed = Command::new(std::env::current_exe().expect("this test")).arg("--list").output().expect("its list");
    let listed = String::from_utf8(listed.stdout).expect("names");
    let mut run = BTreeMap::<&str, BTreeSet<&str>>::new();
    for test in listed.lines().filter_map(|line| line.strip_suffix(": test")) {
        if let Some((database, name)) = test.split_once("::") {
            run.entry(database).or_default().insert(name);
        }
    }
    let all: BTreeSet<&str> = NAMES.iter().copied().collect();
    assert_eq!(run, BTreeMap::from([("postgres", all.clone()), ("sqlite", all)]));
}
