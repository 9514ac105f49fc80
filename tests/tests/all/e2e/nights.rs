//! Nights: what a log in the database becomes, by the command, by the server itself, and by dp-agent.

use super::postgres::on_postgres;
use super::{green, green_with};
use dreaming::Record;
use dreaming::records::export;
use dreaming::synthetic::{AGENT, Life, Shape};
use mind::{Event, LogEntry};
use server::store::agent_events::row_of;
use server::store::{Store, StoreOptions, agent_events, memories};
use std::path::Path;
use std::time::{Duration, Instant};
use tests::e2e::{Options, PATIENCE, Player, Server, run};

const FILES: [&str; 3] = ["memory-graph.json", "memory-summary.txt", "dream-result.json"];

/// Days of a made-up life, long past.
fn life() -> Vec<Record> {
    Life::new(Shape { events_per_day: 60, from_ms: 1_704_096_000_000, ..Shape::default() }).take(300).collect()
}

fn database(state: &Path) -> String {
    format!("sqlite:{}", state.join("darkpawns.sqlite").display())
}

/// Puts a life into somebody's log, beside a server that may run.
async fn lived(database: &str, name: &str, records: &[Record]) {
    let store = Store::connect(database, &StoreOptions::default()).await.expect("it opens");
    let rows: Vec<_> = records
        .iter()
        .map(|record| {
            let event = Event::Happening(Box::new(record.happening.clone()));
            let entry = LogEntry { seq: record.seq, tick: record.tick, at_ms: record.at_ms, input: record.seq, event };
            row_of(name, &entry, None)
        })
        .collect();
    agent_events::append(&store, &rows).await.expect("written");
    store.close().await;
}

async fn remembered(database: &str, name: &str) -> Option<Vec<u8>> {
    let store = Store::connect(database, &StoreOptions::default()).await.expect("it opens");
    let graph = memories::graph(&store, name).await.expect("it answers");
    store.close().await;
    graph.map(|graph| graph.document().expect("it is whole"))
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Beside a running server, on whichever database.
async fn as_dp_agent_dreams(server: &Server, database: &str) {
    server.key(AGENT).await;
    let records = life();
    lived(database, &AGENT.to_lowercase(), &records).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (mine, theirs) = (folder.path().join("server"), folder.path().join("agent"));
    let state = server.state.path().display().to_string();
    let dir = mine.display().to_string();
    let shouted = AGENT.to_uppercase();
    let words = ["dream", "--agent", &shouted, "--dreaming-dir", &dir, "--dream-zone", "UTC", "--state-dir", &state];
    let words = [&words[..], &["--db", database]].concat();

    let dry = run(&[&words[..], &["--dry-run"]].concat());
    assert!(dry.code == Some(0) && dry.out.starts_with("Dream complete (dry run"), "{dry:?}");
    assert!(!mine.exists() && remembered(database, AGENT).await.is_none(), "a dry run writes nothing");

    let first = run(&words);
    assert_eq!((first.code, first.err.lines().count()), (Some(0), 2), "{first:?}");
    assert!(first.err.contains(&format!("What is dreamt is written to {dir}.")), "{first:?}");
    let servers_own = server.state.path().join("dreaming").display().to_string();
    assert!(first.err.contains(&format!("reads its dreams from {servers_own}")), "{first:?}");
    let block: Vec<&str> = first.out.lines().map(|line| line.split(':').next().unwrap_or_default().trim()).collect();
    let expected = [
        "Dream complete",
        "Agent",
        "Sessions read",
        "Events extracted",
        "Nodes before",
        "Nodes after",
        "Pruned",
        "Summary tokens",
    ];
    assert_eq!(block, expected, "{first:?}");
    assert!(first.out.contains("  Agent:            Brenda\n"), "as the character is called: {first:?}");

    // dp-agent, from the export of the same log.
    let sessions = folder.path().join("sessions");
    std::fs::create_dir_all(sessions.join(AGENT)).expect("a folder");
    std::fs::write(sessions.join(AGENT).join("2024-01-01-080000.jsonl"), export(AGENT, true, &records))
        .expect("written");
    let (from, to) = (sessions.display().to_string(), theirs.display().to_string());
    let player = Player::at(server.http);
    let agent = player.run(&["dream", "--agent", AGENT, "--sessions", &from, "--output", &to, "--dream-zone", "UTC"]);
    assert_eq!(agent.code, Some(0), "{agent:?}");
    let (mine, theirs) = (mine.join(AGENT), theirs.join(AGENT));
    for name in &FILES[..2] {
        assert_eq!(read(&mine, name), read(&theirs, name), "{name}");
    }
    assert_eq!(remembered(database, AGENT).await, Some(read(&theirs, FILES[0])));

    let again = run(&words);
    assert!(again.code == Some(0) && again.out.contains("Events extracted: 0\n"), "{again:?}");
    assert_eq!(read(&mine, FILES[0]), read(&theirs, FILES[0]), "dreaming twice changes nothing");
}

#[tokio::test]
async fn a_dream_beside_a_running_server_is_that_of_dp_agent() {
    let server = Server::start_with(green());
    let database = database(server.state.path());
    as_dp_agent_dreams(&server, &database).await;
    // A backup carries what is remembered.
    let files = tempfile::tempdir().expect("a folder");
    let file = files.path().join("nights.dpbackup").display().to_string();
    let made = server.command(&["backup", "--out", &file]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let state = tempfile::tempdir().expect("a folder");
    let restored = run(&["restore", "--from", &file, "--state-dir", &state.path().display().to_string()]);
    assert_eq!(restored.code, Some(0), "{restored:?}");
    let kept = remembered(&self::database(state.path()), AGENT).await;
    assert!(kept.is_some() && kept == remembered(&database, AGENT).await);
}

#[tokio::test]
async fn a_dream_on_postgresql_is_the_same() {
    on_postgres(async |address| {
        let server = Server::start_with(green_with(&["--db", address]));
        as_dp_agent_dreams(&server, address).await;
    })
    .await;
}

#[tokio::test]
async fn everybody_dreams_when_it_is_night_and_who_is_deleted_is_forgotten() {
    // Without a server there is a database already, when the first night comes.
    let server = Server::start_with(green());
    server.key(AGENT).await;
    let mut ann = server.dial().await;
    ann.create("Ann", "swordfish").await;
    ann.ask("1", "Village Green").await;
    ann.send("quit").await;
    ann.ending().await;
    let state = server.stop().state;
    let database = database(state.path());
    for name in ["ann", "brenda"] {
        lived(&database, name, &life()).await;
    }
    let options = green_with(&["--dream-cron", "* * * * * *", "--dream-zone", "Europe/Berlin"]);
    let server = Server::start_with(Options { state: Some(state), ..options });
    let dir = server.state.path().join("dreaming");
    let deadline = Instant::now() + PATIENCE;
    let health = loop {
        let health = server.get("/health").await.json();
        if health["dreams"]["last"]["characters"] == 2 {
            break health;
        }
        assert!(Instant::now() < deadline, "{health}\n{}", server.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!((&health["status"], &health["dreams"]["last"]["failures"]), (&"ok".into(), &0.into()), "{health}");
    for name in ["Ann", "Brenda"] {
        assert!(FILES.iter().all(|file| dir.join(name).join(file).is_file()), "{name}");
    }
    // In the middle of the nights, which come every second.
    let mut ann = server.dial().await;
    ann.delete("Ann", "swordfish").await;
    let deadline = Instant::now() + PATIENCE;
    while server.get("/health").await.json()["dreams"]["last"]["characters"] != 1 {
        assert!(Instant::now() < deadline, "{}", server.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(!dir.join("Ann").exists() && dir.join("Brenda").is_dir());
    assert_eq!(remembered(&database, "ann").await, None);
    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    assert!(!stopped.log.contains("ERROR"), "{}", stopped.log);
}

#[tokio::test]
async fn what_goes_wrong_with_a_dream_is_said_with_a_status() {
    let server = Server::start_with(green());
    server.key(AGENT).await;
    let state = server.stop().state;
    let database = database(state.path());
    let (folder, place) = (tempfile::tempdir().expect("a folder"), state.path().display().to_string());
    let dir = folder.path().join("dreaming").display().to_string();
    let dream = |words: &[&str]| {
        run(&[&["dream", "--state-dir", &place, "--dreaming-dir", &dir, "--dream-zone", "UTC"], words].concat())
    };
    for (words, code, why) in [
        (&["--agent", "Nobody"][..], 1, "and no such character"),
        (&["--agent", AGENT], 1, "nothing was recorded that happened to this character"),
        (&[], 2, "<--name <NAME>|--all>"),
        (&["--agent", AGENT, "--all"], 2, "cannot be used with"),
        (&["--all", "--through", "2999-01-01"], 1, "is yet to come"),
        (&["--all", "--through", "soon"], 2, "invalid value 'soon'"),
        (&["--all", "--dream-zone", "Nowhere"], 2, ""),
        (&["--all"], 0, "there is nothing to dream of"),
    ] {
        let ended = dream(words);
        assert!(ended.code == Some(code) && ended.err.contains(why) && ended.out.is_empty(), "{words:?}: {ended:?}");
    }
    // One whose log is torn keeps nobody else from dreaming.
    let records = life();
    lived(&database, "brenda", &records[..100]).await;
    lived(&database, "zoe", &records[..100]).await;
    let store = Store::connect(&database, &StoreOptions::default()).await.expect("it opens");
    let event = Event::Happening(Box::new(records[0].happening.clone()));
    let entry = LogEntry { seq: 1, tick: 1, at_ms: records[0].at_ms, input: 1, event };
    let torn = agent_events::AgentEvent { payload: "torn".into(), ..row_of("aaron", &entry, None) };
    agent_events::append(&store, &[torn]).await.expect("written");
    store.close().await;
    let ended = dream(&["--all"]);
    assert_eq!((ended.code, ended.out.matches("Dream complete:").count()), (Some(1), 2), "{ended:?}");
    assert!(ended.err.contains("aaron: no entry of the log can be read"), "{ended:?}");
    assert!(ended.err.contains("1 of 3 characters did not dream"), "{ended:?}");
    // A folder that cannot be made: the database has the dream all the same.
    std::fs::write(folder.path().join("file"), "no folder").expect("written");
    lived(&database, "brenda", &records[100..200]).await;
    let nowhere = folder.path().join("file").display().to_string();
    let ended = run(&["dream", "--agent", AGENT, "--state-dir", &place, "--dreaming-dir", &nowhere]);
    assert!(ended.code == Some(1) && ended.err.contains("the database has the dream"), "{ended:?}");
    let document = remembered(&database, AGENT).await.expect("it is kept");
    assert!(document.len() > read(&Path::new(&dir).join(AGENT), FILES[0]).len());
    // A server says at its start what no schedule is.
    let wrong = Server::fails_to_start(green_with(&["--dream-cron", "at noon"]));
    assert!(wrong.err.contains("it is no cron expression") && wrong.err.contains("30 3 * * *"), "{wrong:?}");
    let wrong = Server::fails_to_start(green_with(&["--dream-zone", "Mars/Olympus"]));
    assert!(wrong.err.contains("there is no such time zone"), "{wrong:?}");
}
