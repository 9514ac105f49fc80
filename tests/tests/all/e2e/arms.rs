//! The arms of an experiment: a session, a night and a character without valence, and what of it stays when valence is
//! back.

use super::memories::{database, lived, log_of, yesterday};
use super::{green, login};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tests::e2e::{Agent, Options, PATIENCE, Run, Server, Telnet, run};

/// What stands behind a memory that was felt.
const FEELINGS: [&str; 4] = ["moment)", "(noteworthy)", "(unpleasant)", "dangerous"];

/// An agent that has come in with this wish, and is told of its mind.
async fn comes_in(server: &Server, name: &str, key: &str, valence: Option<bool>) -> (Agent, Value) {
    let mut agent = server.connect().await;
    let mut data = json!({"player_name": name, "password": key, "is_agent": true, "features": ["mind"]});
    if let Some(valence) = valence {
        data["valence"] = valence.into();
    }
    agent.send(login(data)).await;
    let state = agent.expect("state").await;
    agent.expect("mind").await;
    agent.fence().await;
    (agent, state)
}

/// Everything that it was told of its past, at its login or when it asked, and the valences of all memories among it.
async fn remembered(agent: &mut Agent) -> (String, Vec<i64>) {
    agent.command("recall Mordred").await;
    agent.expect_text("You remember:").await;
    agent.command("recall why event:1").await;
    agent.expect_text("because of this").await;
    let of_past = |frame: &&Value| {
        frame["type"].as_str().is_some_and(|kind| kind.starts_with("memory_"))
            || frame["data"]["kind"] == "recalled"
            || ["You remember:", "because of this"]
                .iter()
                .any(|what| frame["data"]["text"].as_str().is_some_and(|text| text.contains(what)))
    };
    let told: Vec<&Value> = agent.frames.iter().filter(of_past).collect();
    let memories = told.iter().filter_map(|frame| frame["data"]["memories"].as_array()).flatten();
    let valences = memories.map(|memory| memory["valence"].as_i64().expect("a number")).collect();
    (told.iter().map(|frame| frame.to_string()).collect(), valences)
}

fn feelings(text: &str) -> Vec<&str> {
    FEELINGS.into_iter().filter(|word| text.contains(word)).collect()
}

fn story(state: &Path, name: &str) -> String {
    std::fs::read_to_string(state.join("dreaming").join(name).join("memory-summary.txt")).expect("the dream wrote it")
}

/// Waits until a log in the database has what somebody said: it is written a moment after it was heard.
async fn written(state: &Path, name: &str, word: &str) {
    let deadline = Instant::now() + PATIENCE;
    while !log_of(&database(state), name).await.iter().any(|row| row.payload.contains(word)) {
        assert!(Instant::now() < deadline, "{word} is in no record of {name}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What each record of a log is worth, as it is written.
async fn worth(state: &Path, name: &str) -> Vec<Option<i64>> {
    let log = log_of(&database(state), name).await;
    // What was said stands there beside what happened, and is worth nothing by itself.
    log.iter().filter(|row| row.kind == mind::HAPPENING).map(|row| row.valence).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_without_valence_feels_nothing_old_or_new_and_the_next_one_has_it_back() {
    let server = Server::start_with(green());
    let state = server.state.clone();
    let key = server.key("Brenda").await;
    lived(&database(state.path()), "brenda", &yesterday("Brenda")).await;
    let dreams = || {
        let dreamt = server.command(&["dream", "--agent", "Brenda"]);
        assert_eq!(dreamt.code, Some(0), "{dreamt:?}");
        story(state.path(), "Brenda")
    };
    let felt_story = dreams();
    assert!(!feelings(&felt_story).is_empty(), "{felt_story}");

    let (mut brenda, told) = comes_in(&server, "Brenda", &key, Some(false)).await;
    assert_eq!(told["data"]["valence"], false, "{told}");
    let (text, valences) = remembered(&mut brenda).await;
    assert!(valences.len() >= 3 && valences.iter().all(|valence| *valence == 0), "{valences:?}");
    assert!(text.contains("Was betrayed by Mordred") && feelings(&text).is_empty(), "{text}");
    assert!(text.contains("memory_summary"), "the story is told all the same: {text}");

    let mut mordred = server.person("Mordred").await;
    mordred.ask("say I will kill you, Brenda!", "You say").await;
    brenda.expect_text("I will kill you").await;
    brenda.command("recall Mordred").await;
    brenda.expect_text("I will kill you").await;
    written(state.path(), "brenda", "I will kill you").await;
    let flat_story = dreams();
    assert!(flat_story.contains("Mordred") && feelings(&flat_story).is_empty(), "{flat_story}");
    let new = worth(state.path(), "brenda").await;
    assert_eq!(new[..2], [Some(-3), Some(3)], "what was recorded stays as it was");
    assert!(new.len() > 2 && new[2..].iter().all(|valence| *valence == Some(0)), "{new:?}");

    let (mut again, _) = comes_in(&server, "Brenda", &key, Some(false)).await;
    let (text, valences) = remembered(&mut again).await;
    assert!(valences.iter().all(|valence| *valence == 0) && feelings(&text).is_empty(), "{text}");
    let summary = again.frames.iter().find(|frame| frame["type"] == "memory_summary").expect("it came");
    assert_eq!(summary["data"]["summary"].as_str(), Some(flat_story.trim_end()), "the dream was of this arm");

    // With valence again, before any night: the old feelings are there, and what had none has none.
    let (mut felt, told) = comes_in(&server, "Brenda", &key, None).await;
    assert_eq!(told["data"].get("valence"), None, "{told}");
    let (text, valences) = remembered(&mut felt).await;
    assert!(valences.contains(&-3) && feelings(&text).contains(&"moment)"), "{text}");
    assert_eq!(feelings(&dreams()), feelings(&felt_story), "and so it dreams");
    let stopped = server.stop();
    assert!(stopped.code == Some(0) && !stopped.log.contains("ERROR"), "{}", stopped.log);
}

/// Everything below a folder, by path.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.display().to_string(), std::fs::read(&path).expect("it is there"));
        }
    }
    found
}

fn holds(files: &BTreeMap<String, Vec<u8>>, folder: &str, word: &str) -> bool {
    let below = files.iter().filter(|(path, _)| path.contains(folder));
    below.into_iter().any(|(_, bytes)| bytes.windows(word.len()).any(|window| window == word.as_bytes()))
}

/// A server as it was before state folders had all: dreams and session files are where it was started.
fn original(work: &Path, state: Option<Arc<TempDir>>) -> Options {
    let world = green().world.display().to_string();
    let flags =
        ["--world", &world, "--seed", "7", "--tick-ms", "0", "--logins-per-second", "0", "--capture-low-mb", "0"];
    let folders = ["--dreaming-dir", "data/dreaming", "--sessions-dir", "data/sessions"];
    let more = flags.iter().chain(&folders).map(|word| word.to_string()).collect();
    Options { plainly_in: Some(work.to_path_buf()), state, more, ..Options::default() }
}

/// As `docs/REPLAY.md` says: no flag but the state folder, and that it records with whatever room there is on the disk
/// of this machine.
fn forked(work: &Path, state: Arc<TempDir>) -> Options {
    Options { plainly_in: Some(work.to_path_buf()), state: Some(state), ..Options::with(&["--capture-low-mb", "0"]) }
}

/// Brenda dreams of yesterday, comes in, notes something and is threatened; all of that by tick 10. Later she is called
/// a coward, and dreams of that too.
async fn past(work: &Path) -> (Arc<TempDir>, String) {
    let server = Server::start_with(original(work, None));
    let state = server.state.clone();
    let key = server.key("Brenda").await;
    lived(&database(state.path()), "brenda", &yesterday("Brenda")).await;
    let dir = work.join("data/dreaming").display().to_string();
    let dreams = || {
        let dreamt = server.command(&["dream", "--agent", "Brenda", "--dreaming-dir", &dir]);
        assert_eq!(dreamt.code, Some(0), "{dreamt:?}");
    };
    dreams();
    let (mut brenda, _) = comes_in(&server, "Brenda", &key, None).await;
    let mut mordred = server.person("Mordred").await;
    brenda.command("note the key is under the mat").await;
    brenda.expect_text("Noted").await;
    mordred.ask("say I will kill you, Brenda!", "You say").await;
    brenda.expect_text("I will kill you").await;
    server.tick(10).await;
    mordred.ask("say Brenda, you are a coward", "You say").await;
    brenda.expect_text("coward").await;
    brenda.command("recall coward").await;
    brenda.expect_text("You remember:").await;
    server.tick(10).await;
    written(state.path(), "brenda", "coward").await;
    dreams();
    brenda.close().await;
    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    (state, key)
}

fn fork(state: &Path, more: &[&str]) -> (Arc<TempDir>, Run) {
    fork_at(state, "10", more)
}

fn fork_at(state: &Path, tick: &str, more: &[&str]) -> (Arc<TempDir>, Run) {
    let out = Arc::new(tempfile::tempdir().expect("a folder"));
    let (from, to) = (state.display().to_string(), out.path().display().to_string());
    let made = run(&[&["fork", "--state-dir", &from, "--at", tick, "--out", &to], more].concat());
    (out, made)
}

/// Somebody says something to Brenda where she is.
async fn says(mordred: &mut Telnet, brenda: &mut Agent, words: &str) {
    mordred.ask(&format!("say Brenda, you {words}"), "You say").await;
    brenda.expect_text(words).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_in_the_folder_of_its_source_has_everything_of_its_own() {
    let work = tempfile::tempdir().expect("a folder");
    let (state, key) = past(work.path()).await;
    let before = (files(work.path()), files(state.path()));
    for folder in ["data/dreaming/Brenda", "data/sessions/Brenda"] {
        assert!(holds(&before.0, folder, "coward"), "{folder}: {:?}", before.0.keys());
    }
    let (out, made) = fork(state.path(), &[]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let own = files(out.path());
    assert!(holds(&own, "dreaming/Brenda", "Mordred") && !holds(&own, "dreaming/Brenda", "coward"), "{:?}", own.keys());

    let server = Server::start_with(forked(work.path(), out.clone()));
    assert!(server.log().contains("dp.toml"), "it says what it read: {}", server.log());
    let (mut brenda, _) = comes_in(&server, "Brenda", &key, None).await;
    let (text, valences) = remembered(&mut brenda).await;
    assert!(text.contains("Was betrayed by Mordred") && text.contains("I will kill you"), "{text}");
    assert!(!text.contains("coward") && valences.contains(&-3), "{text}");
    let mut mordred = server.person("Mordred").await;
    mordred.ask("say Brenda, you liar", "You say").await;
    brenda.expect_text("liar").await;
    written(out.path(), "brenda", "liar").await;
    let dreamt = server.command(&["dream", "--agent", "Brenda"]);
    assert_eq!(dreamt.code, Some(0), "{dreamt:?}");
    brenda.close().await;
    let stopped = server.stop();
    assert!(stopped.code == Some(0) && !stopped.log.contains("ERROR"), "{}", stopped.log);
    let own = files(out.path());
    for folder in ["dreaming/Brenda", "sessions/Brenda"] {
        assert!(holds(&own, folder, "liar") && !holds(&own, folder, "coward"), "{folder}: {:?}", own.keys());
    }
    assert!(holds(&own, "sessions/Brenda", "I will kill you"), "the session that was under way at the tick has a file");
    assert!((files(work.path()), files(state.path())) == before, "the source was touched");

    // Into the folders of the other it does not start, and the other goes on in them.
    for (flag, folder) in [("--dreaming-dir", "data/dreaming"), ("--sessions-dir", "data/sessions")] {
        let into = Options { more: vec![flag.into(), folder.into()], ..forked(work.path(), out.clone()) };
        let refused = Server::fails_to_start(into);
        assert!(refused.code == Some(1) && refused.err.contains("belongs to the server"), "{refused:?}");
        assert!(refused.err.contains(flag), "{refused:?}");
    }
    let dir = work.path().join("data/dreaming").display().to_string();
    let fork_state = out.path().display().to_string();
    let refused = run(&["dream", "--all", "--state-dir", &fork_state, "--dreaming-dir", &dir]);
    assert!(refused.code == Some(1) && refused.err.contains("belongs to the server"), "{refused:?}");
    let server = Server::start_with(original(work.path(), Some(state.clone())));
    let (mut brenda, _) = comes_in(&server, "Brenda", &key, None).await;
    let (text, _) = remembered(&mut brenda).await;
    assert!(text.contains("coward") && !text.contains("liar"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn arms_of_one_past_differ_in_what_they_feel_and_remember() {
    let work = tempfile::tempdir().expect("a folder");
    let (state, key) = past(work.path()).await;
    let (out, refused) = fork(state.path(), &["--flat", "Nobody"]);
    assert!(refused.code == Some(1) && refused.err.contains("nobody is called \"nobody\" at tick 10"), "{refused:?}");
    assert!(files(out.path()).is_empty(), "nothing was written");

    let (flat, made) = fork(state.path(), &["--flat", "BRENDA"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    // A fork of a fork is of the same arm, and no client brings valence back.
    let (again, made) = fork(flat.path(), &[]);
    assert_eq!(made.code, Some(0), "{made:?}");
    for out in [flat, again] {
        let dreamt = story(out.path(), "Brenda");
        assert!(dreamt.contains("Mordred") && feelings(&dreamt).is_empty(), "{dreamt}");
        let server = Server::start_with(forked(work.path(), out.clone()));
        let mut mordred = server.person("Mordred").await;
        mordred.ask("say Brenda, you are a fool", "You say").await;
        let (mut brenda, told) = comes_in(&server, "Brenda", &key, Some(true)).await;
        assert_eq!(told["data"]["valence"], false, "{told}");
        mordred.ask("say Brenda, you liar", "You say").await;
        brenda.expect_text("liar").await;
        let (text, valences) = remembered(&mut brenda).await;
        assert!(text.contains("I will kill you") && text.contains("you are a fool"), "{text}");
        assert!(valences.iter().all(|valence| *valence == 0) && feelings(&text).is_empty(), "{text}");
        drop(brenda);
        let stopped = server.stop();
        assert_eq!(stopped.code, Some(0), "{}", stopped.log);
        let worth = worth(out.path(), "brenda").await;
        let told = [worth.iter().filter(|valence| **valence == Some(-2)).count(), worth.len()];
        assert!(told[0] == 1 && told[1] >= 5, "only the threat of before was felt when it came: {worth:?}");
        let mut header = files(out.path());
        header.retain(|path, _| path.contains("sessions/Brenda") && path.ends_with(".jsonl"));
        assert!(header.len() >= 2, "files of the last session and of those before: {:?}", header.keys());
        for (path, file) in header {
            let first = String::from_utf8_lossy(&file).lines().next().map(str::to_string);
            assert!(first.is_some_and(|line| line.contains("\"valence\":false")), "{path}");
        }
    }

    let (blank, made) = fork(state.path(), &["--without-memories", "Brenda"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let server = Server::start_with(forked(work.path(), blank.clone()));
    let (mut brenda, told) = comes_in(&server, "Brenda", &key, None).await;
    assert_eq!(told["data"].get("valence"), None, "{told}");
    assert!(brenda.frames.iter().all(|frame| !frame["type"].to_string().contains("memory_")), "{:?}", brenda.frames);
    brenda.command("recall Mordred").await;
    brenda.expect_text("You remember nothing").await;
    // The world does not count from before either: where she was at home she is for the first time.
    for way in ["north", "south", "history"] {
        brenda.command(way).await;
    }
    brenda.expect_text("came to the Village Green for the first time").await;
    brenda.command("notes").await;
    brenda.fence().await;
    assert!(!super::texts(&brenda.frames).contains("under the mat"), "{}", super::texts(&brenda.frames));
    let others = server.key("Mordred").await;
    let (mut mordred, _) = comes_in(&server, "Mordred", &others, None).await;
    mordred.command("recall Brenda").await;
    mordred.expect_text("You remember:").await;
    assert!(!holds(&files(blank.path()), "dreaming", "Mordred"), "nothing of hers was dreamt");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_of_a_fork_has_the_past_of_both_and_everything_of_its_own() {
    let work = tempfile::tempdir().expect("a folder");
    let (state, key) = past(work.path()).await;
    let (first, made) = fork(state.path(), &[]);
    assert_eq!(made.code, Some(0), "{made:?}");
    // The fork is played on: she is called a liar by tick 20, and a thief after it.
    let server = Server::start_with(forked(work.path(), first.clone()));
    let mut mordred = server.person("Mordred").await;
    let (mut brenda, _) = comes_in(&server, "Brenda", &key, None).await;
    says(&mut mordred, &mut brenda, "liar").await;
    assert_eq!(server.tick(10).await, 20, "it goes on from the tick that it was made of");
    says(&mut mordred, &mut brenda, "thief").await;
    server.tick(10).await;
    written(first.path(), "brenda", "thief").await;
    brenda.close().await;
    drop(mordred);
    let stopped = server.stop();
    assert!(stopped.code == Some(0) && !stopped.log.contains("ERROR"), "{}", stopped.log);
    let before = (files(work.path()), files(state.path()), files(first.path()));

    // What was before the first fork it cannot be made of, and says so.
    for (tick, why) in [("5", "10"), ("900", "900")] {
        let (out, refused) = fork_at(first.path(), tick, &[]);
        assert!(refused.code == Some(1) && refused.err.contains(why), "at {tick}: {refused:?}");
        assert!(files(out.path()).is_empty(), "at {tick} nothing was written");
    }
    let (second, made) = fork_at(first.path(), "20", &[]);
    assert_eq!(made.code, Some(0), "{made:?}");

    let server = Server::start_with(forked(work.path(), second.clone()));
    let (mut brenda, _) = comes_in(&server, "Brenda", &key, None).await;
    let (text, valences) = remembered(&mut brenda).await;
    for told in ["Was betrayed by Mordred", "I will kill you", "liar"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    for later in ["coward", "thief"] {
        assert!(!text.contains(later), "{later} was said to another self: {text}");
    }
    assert!(valences.contains(&-3), "{valences:?}");
    let mut mordred = server.person("Mordred").await;
    says(&mut mordred, &mut brenda, "fool").await;
    written(second.path(), "brenda", "fool").await;
    let dreamt = server.command(&["dream", "--agent", "Brenda"]);
    assert_eq!(dreamt.code, Some(0), "{dreamt:?}");
    brenda.close().await;
    let stopped = server.stop();
    assert!(stopped.code == Some(0) && !stopped.log.contains("ERROR"), "{}", stopped.log);
    let own = files(second.path());
    for folder in ["dreaming/Brenda", "sessions/Brenda"] {
        assert!(holds(&own, folder, "fool") && !holds(&own, folder, "thief"), "{folder}: {:?}", own.keys());
    }
    assert!((files(work.path()), files(state.path()), files(first.path())) == before, "a source was touched");

    // Into the folders of the fork that it was made of it does not start either.
    for (flag, folder) in [("--dreaming-dir", "dreaming"), ("--sessions-dir", "sessions")] {
        let of_first = first.path().join(folder).display().to_string();
        let into = Options { more: vec![flag.into(), of_first], ..forked(work.path(), second.clone()) };
        let refused = Server::fails_to_start(into);
        assert!(refused.code == Some(1) && refused.err.contains("belongs to the server"), "{refused:?}");
    }
}
