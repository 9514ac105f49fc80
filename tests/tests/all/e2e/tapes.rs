//! `--tape` from outside: a fork plays by the answers that the model gave in its past, and asks nobody.

use super::green;
use agent_cli::stub::policy::Utility;
use agent_cli::stub::{self, StubOptions};
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;
use tests::e2e::{Ended, Options, Player, Server, run};

/// A session of some seconds, and what the model decided in it.
fn plays(player: &Player, logs: &str) -> (Ended, Vec<Value>) {
    let [tape, folder] = [player.path("hedda.tape"), player.path(logs)].map(|path| path.display().to_string());
    let words = ["--think-ms", "200", "--autopilot", "off", "--tape", &tape, "--log-dir", &folder];
    let ended = player.run(&[&["session", "--duration", "3s"], &words[..]].concat());
    let mut rows = player.rows(logs, "Hedda");
    rows.retain(|row| row["kind"] == "decision" && row["source"] == "model");
    (ended, rows)
}

/// Of what there is so far, also beside a running server, and what was said of it.
fn fork(state: &TempDir, at: &[&str]) -> (Arc<TempDir>, String) {
    let out = Arc::new(tempfile::tempdir().expect("a folder"));
    let [from, to] = [state.path(), out.path()].map(|path| path.display().to_string());
    let made = run(&[&["fork", "--state-dir", &from, "--out", &to], at].concat());
    assert_eq!(made.code, Some(0), "{made:?}");
    (out, made.out)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_plays_by_the_answers_of_its_past_without_a_model() {
    let server = Server::start_with(green());
    let model = stub::start(0, Box::new(Utility::new(1)), StubOptions::default()).await.expect("a port");
    let mut player = Player::of(&server, "Hedda").await;
    player.settings["litellm_endpoint"] = json!(format!("http://{}", model.address));
    player.save();
    // A fork has who was known by then.
    let mut hedda = server.dial().await;
    hedda.log_in("Hedda", player.settings["key"].as_str().expect("a key")).await;
    hedda.send("quit").await;
    hedda.ending().await;
    assert_eq!(server.tick(3).await, 3);
    // Where her session begins there is no tick: it is to be left out to the input.
    let before = fork(&server.state, &["--at", "3"]).1;
    let input = before.split_once("tick 3, input ").and_then(|(_, rest)| rest.split_once(';')).expect(&before).0;
    let (ended, decided) = plays(&player, "first");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(!decided.is_empty(), "the model was asked: {}", ended.err);
    assert!(!ended.err.contains("answered from the tape"), "a new tape has nothing: {}", ended.err);

    let state = server.stop().state;
    let (out, said) = fork(&state, &["--at-input", input]);
    assert!(said.contains(&format!("tick 3, input {input};")), "{said}");
    let server = Server::start_with(Options { state: Some(out), ..green() });
    player.settings["game_port"] = json!(server.http.port());
    // Nobody answers there.
    player.settings["litellm_endpoint"] = json!("http://127.0.0.1:9");
    player.save();
    let (ended, again) = plays(&player, "second");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("answered from the tape"), "{}", ended.err);
    // The clock of a session is not the world's: the last of the one may be beyond the end of the other.
    let said = |row: &Value| ["actions", "commentary"].map(|key| row[key].clone());
    let both = decided.len().min(again.len());
    assert!(both > 2, "{} and {} decisions", decided.len(), again.len());
    assert_eq!(
        decided[..both].iter().map(said).collect::<Vec<_>>(),
        again[..both].iter().map(said).collect::<Vec<_>>()
    );
}
