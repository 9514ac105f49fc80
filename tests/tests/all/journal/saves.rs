//! Saves that the database has not taken: carried by snapshots and the journal until it has, never older over newer.

use super::{killed, on};
use server::saver::{Saver, read_record};
use server::store::{Store, StoreOptions, characters};
use std::path::Path;
use tests::e2e::Server;

async fn store_in(state: &Path) -> Store {
    let address = format!("sqlite:{}", state.join("darkpawns.sqlite").display());
    Store::connect(&address, &StoreOptions::default()).await.expect("it opens")
}

async fn row(state: &Path, name: &str) -> (u64, i32) {
    let store = store_in(state).await;
    let row = characters::load(&store, name).await.expect("it answers").expect("there is a row");
    store.close().await;
    (row.written_by_input, read_record(&row.data).expect("it reads").gold)
}

#[tokio::test]
async fn who_quit_a_moment_before_the_kill_is_in_the_database_even_where_it_lost_the_save() {
    let server = Server::start_with(on(&killed().await));
    let key = server.key("Ann").await;
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    ann.command("set ann gold 1234").await;
    ann.fence().await;
    // The file and its log, with nothing being written.
    let database = |state: &Path| ["", "-wal"].map(|ending| state.join(format!("darkpawns.sqlite{ending}")));
    let before = database(server.state.path()).map(|path| std::fs::read(path).expect("it is there"));
    ann.command("quit").await;
    ann.ending().await;
    let state = server.kill();
    // As if the save had never reached it: the database as it was before she quit.
    std::fs::remove_file(state.path().join("darkpawns.sqlite-shm")).expect("a killed server leaves it");
    for (path, bytes) in database(state.path()).iter().zip(before) {
        std::fs::write(path, bytes).expect("written");
    }
    let server = Server::start_with(on(&state));
    let state = server.stop().state;
    let (_, gold) = row(state.path(), "ann").await;
    assert_eq!(gold, 1234);
}

#[tokio::test]
async fn an_older_save_never_replaces_a_newer_one_whatever_comes_when() {
    let server = Server::start_with(on(&killed().await));
    let mut ann = server.agent("Ann").await;
    let mut numbers = Vec::new();
    for gold in [10, 20, 30] {
        ann.command(&format!("set ann gold {gold}")).await;
        ann.fence().await;
        ann.command("save").await;
        ann.fence().await;
        numbers.push(gold);
    }
    let state = server.stop().state;
    let (newest, gold) = row(state.path(), "ann").await;
    assert_eq!(gold, 30);
    let store = store_in(state.path()).await;
    let stored = characters::load(&store, "ann").await.expect("it answers").expect("there is a row");
    let mut record = read_record(&stored.data).expect("it reads");
    let saver = Saver::new(store.clone());
    let running = tokio::spawn(saver.clone().run());
    // Late and out of order.
    for (gold, number) in [(31, newest + 2), (7, newest - 1), (8, newest + 1)] {
        record.gold = gold;
        saver.save(Box::new(record.clone()), number);
        assert!(saver.drain(std::time::Duration::from_secs(10)).await, "the database takes it");
    }
    running.abort();
    store.close().await;
    assert_eq!(row(state.path(), "ann").await, (newest + 2, 31));
}

#[tokio::test]
async fn what_the_database_does_not_take_stays_at_hand_for_a_snapshot() {
    let state = killed().await;
    let store = store_in(state.path()).await;
    let stored = characters::load(&store, "ann").await.expect("it answers").expect("there is a row");
    let mut record = read_record(&stored.data).expect("it reads");
    // Gone for good, as far as this saver can see.
    store.close().await;
    let saver = Saver::new(store);
    let running = tokio::spawn(saver.clone().run());
    for (gold, number) in [(41, 900), (42, 901)] {
        record.gold = gold;
        saver.save(Box::new(record.clone()), number);
    }
    assert!(!saver.drain(std::time::Duration::from_millis(700)).await, "it is away");
    let unsaved = saver.unsaved();
    assert_eq!(unsaved.iter().map(|one| (one.number, one.record.gold)).collect::<Vec<_>>(), [(901, 42)]);
    running.abort();

    // The next server takes it over, and a newer one that it was given meanwhile stays.
    let store = store_in(state.path()).await;
    let saver = Saver::new(store.clone());
    record.gold = 43;
    saver.save(Box::new(record), 902);
    saver.take_over(unsaved);
    let running = tokio::spawn(saver.clone().run());
    assert!(saver.drain(std::time::Duration::from_secs(10)).await, "it is back");
    running.abort();
    store.close().await;
    assert_eq!(row(state.path(), "ann").await, (902, 43));
}
