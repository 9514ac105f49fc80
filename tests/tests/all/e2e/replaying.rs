//! `replay` and `fork`: what was played is played again, and goes on from where it was.

use super::{green, login};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tests::e2e::{Options, Server, run};

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

/// Ann plays 70 ticks: she takes things, says a word, and walks on after tick 40.
async fn play() -> (Server, String) {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    server.promote("Ann", 39).await;
    for line in ["load obj 110", "set ann gold 77", "say the password is swordfish"] {
        ann.command(line).await;
        ann.fence().await;
    }
    server.tick(40).await;
    ann.command("east").await;
    ann.fence().await;
    ann.command("set ann gold 5").await;
    ann.fence().await;
    server.tick(30).await;
    (server, key)
}

fn replay(state: &Path, more: &[&str]) -> (bool, Value) {
    let state = state.display().to_string();
    let answer = run(&[&["replay", "--json", "--state-dir", &state], more].concat());
    let value = serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
    (answer.code == Some(0), value)
}

#[tokio::test]
async fn what_was_played_comes_out_again_hash_by_hash() {
    let (server, _) = play().await;
    // Beside the running server, and after it ended.
    let (ok, first) = replay(server.state.path(), &[]);
    assert!(ok && first["ok"] == true && first["ticks"] == 70, "{first}");
    let state = server.stop().state;
    let (ok, second) = replay(state.path(), &[]);
    assert!(ok, "{second}");
    let ticks: Vec<&Value> = second["hashes"].as_array().expect("a list").iter().map(|h| &h["tick"]).collect();
    assert_eq!(ticks, [30, 60, 70], "{second}");
    assert_eq!(second["first_difference"], Value::Null);
    let known = second["hashes"].as_array().expect("a list");
    for hash in first["hashes"].as_array().expect("a list").iter().filter(|hash| hash["tick"] != 70) {
        assert!(known.contains(hash), "{hash} is not in {second}");
    }
    let (ok, part) = replay(state.path(), &["--to", "40"]);
    assert!(ok && part["ticks"] == 40, "{part}");
}

#[tokio::test]
async fn a_transcript_is_what_the_character_saw() {
    let (server, _) = play().await;
    let state = server.stop().state;
    let text = run(&["replay", "--state-dir", &state.path().display().to_string(), "--transcript", "ann"]);
    assert_eq!(text.code, Some(0), "{text:?}");
    for part in ["> say the password is swordfish", "You say, \"the password is swordfish\"", "--- tick 40", "The Shop"]
    {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
    let nobody = run(&["replay", "--state-dir", &state.path().display().to_string(), "--transcript", "zed"]);
    assert!(nobody.code == Some(1) && nobody.err.contains("zed"), "{nobody:?}");
}

#[tokio::test]
async fn a_fork_begins_where_the_world_was_and_leaves_the_source_alone() {
    let (server, key) = play().await;
    // Somebody who did not exist at that tick.
    server.key("Late").await;
    let state = server.stop().state;
    let before = files(state.path());
    let out = Arc::new(tempfile::tempdir().expect("a folder"));
    let (from, to) = (state.path().display().to_string(), out.path().display().to_string());
    let forked = run(&["fork", "--state-dir", &from, "--at", "35", "--out", &to, "--seed", "99"]);
    assert_eq!(forked.code, Some(0), "{forked:?}");
    assert!(forked.out.contains("tick 35"), "{forked:?}");
    assert!(files(state.path()) == before, "the source was touched");
    let keys = run(&["keys", "--state-dir", &to]);
    assert!(keys.out.contains("Ann") && !keys.out.contains("Late"), "{keys:?}");
    let again = run(&["fork", "--state-dir", &from, "--at", "35", "--out", &to]);
    assert!(again.code == Some(1) && again.err.contains("not empty"), "{again:?}");
    let beyond = run(&["fork", "--state-dir", &from, "--at", "3500", "--out", &format!("{to}2")]);
    assert!(beyond.code == Some(1) && beyond.err.contains("ends with tick 70"), "{beyond:?}");

    let server = Server::start_with(Options { state: Some(out), ..green() });
    let mut ann = server.connect().await;
    let frame = ann.log_in("Ann", &key).await;
    assert_eq!(frame["data"]["room"]["vnum"], 100, "{frame}");
    assert_eq!(ann.vars["GOLD"], 77);
    let tick = server.get("/health").await.json()["tick"].clone();
    assert_eq!(tick, 35);
}

#[tokio::test]
async fn a_piece_is_cut_out_and_blackened_for_a_bug_report() {
    let (server, _) = play().await;
    let state = server.stop().state;
    let out = tempfile::tempdir().expect("a folder");
    let (from, to) = (state.path().display().to_string(), out.path().join("piece").display().to_string());
    let cut = run(&["fork", "--state-dir", &from, "--at", "0", "--until", "60", "--redact", "--out", &to]);
    assert_eq!(cut.code, Some(0), "{cut:?}");
    let (ok, replayed) = replay(Path::new(&to), &[]);
    assert!(ok && replayed["ticks"] == 60, "{replayed}");
    let text = run(&["replay", "--state-dir", &to, "--transcript", "Ann"]);
    assert!(text.out.contains("> say xxx xxxxxxxx xx xxxxxxxxx"), "{}", text.out);
    let bytes: Vec<u8> = files(Path::new(&to)).into_values().flatten().collect();
    assert!(!bytes.windows(9).any(|window| window == b"swordfish"), "the word is still in it");
}

#[tokio::test]
async fn nobody_comes_into_a_blackened_fork_with_what_opened_the_source() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let bob = || json!({"player_name": "Bob", "password": "open sesame", "is_agent": true});
    let mut made = server.connect().await;
    let mut new = bob();
    (new["new_char"], new["class"], new["race"]) = (json!(true), json!("Warrior"), json!("Human"));
    made.send(login(new)).await;
    made.logged_in().await;
    server.tick(2).await;
    let state = server.stop().state;
    let out = Arc::new(tempfile::tempdir().expect("a folder"));
    let (from, to) = (state.path().display().to_string(), out.path().display().to_string());
    let cut = run(&["fork", "--state-dir", &from, "--at", "2", "--redact", "--out", &to]);
    assert_eq!(cut.code, Some(0), "{cut:?}");
    let bytes: Vec<u8> = files(out.path()).into_values().flatten().collect();
    assert!(!bytes.windows(7).any(|window| window == b"$argon2"), "the digest of a password is still in it");
    let keys = run(&["keys", "--state-dir", &to]);
    assert!(keys.code == Some(0) && !keys.out.contains("Ann"), "{keys:?}");

    let server = Server::start_with(Options { state: Some(out), ..green() });
    for old in [json!({"player_name": "Ann", "api_key": key, "is_agent": true}), bob()] {
        let mut stranger = server.connect().await;
        stranger.send(login(old)).await;
        stranger.expect_error("bad_login").await;
    }
    // As docs/REPLAY.md says.
    for name in ["Ann", "Bob"] {
        let key = server.key(name).await;
        server.connect().await.log_in(name, &key).await;
    }
}
