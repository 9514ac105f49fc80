//! Minds that are open to others: one lets another in, who reads it, and is told of it if it is a program.

use super::{green_with, login, postgres::on_postgres};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tests::e2e::{Agent, Options, PATIENCE, Server};

/// A program that reads its mind, with its first frames of it read.
async fn mindful(server: &Server, name: &str, key: &str) -> Agent {
    let mut agent = server.connect().await;
    agent.send(login(json!({"player_name": name, "password": key, "is_agent": true, "features": ["mind"]}))).await;
    agent.logged_in().await;
    agent.until(|frame| frame["data"]["kind"] == "snapshot").await;
    agent
}

fn is_shared(frame: &Value) -> bool {
    frame["type"] == "mind" && frame["data"]["kind"] == "shared"
}

/// What a program is told as the world's time goes on.
async fn told(server: &Server, agent: &mut Agent) -> Value {
    for _ in 0..50 {
        server.tick(5).await;
        if let Some(frame) = agent.fence().await.into_iter().find(is_shared) {
            return frame;
        }
    }
    panic!("nothing came of it: {:?}", agent.frames.last());
}

async fn read_each_other(words: &[&str]) {
    let options = || green_with(words);
    let server = Server::start_with(options());
    let mut bob = server.dial().await;
    bob.create("Bob", "swordfish").await;
    bob.ask("1", "Village Green").await;
    let key = server.key("Ann").await;
    let mut ann = mindful(&server, "Ann", &key).await;
    let mut says = async |line: &str, answer: &str| {
        ann.command(line).await;
        ann.expect_text(answer).await;
    };
    says("task cross the moor", "Your task").await;
    says("note the key is under the mat", "Noted as").await;
    bob.ask("hud of ann", "Nobody called ann shares anything with you.").await;
    bob.ask("hud of nobody", "Nobody called nobody shares anything with you.").await;
    says("share Zed", "Nobody here is called \"Zed\".").await;
    says("share bob task", "Bob may read of your mind from now on: task.").await;
    bob.ask("hud of ann", "| Task: cross the moor").await;
    bob.ask("recall of:ann key", "Nothing of that is in what Ann shares with you: task.").await;
    // The other way round, to a program.
    bob.ask("goal find the ferry", "#").await;
    bob.ask("block no coin", "#").await;
    bob.ask("share ann goals", "Ann may read of your mind from now on: goals.").await;
    let shared = told(&server, &mut ann).await;
    let row = json!({"who": "Bob", "progress": 0, "blockers": ["no coin"], "blocked": 1});
    assert_eq!(shared["data"]["rows"], json!([row]));
    // Nothing of it is lost by a kill, and a program that comes back is told of it, be the other there or not.
    let state = server.kill();
    let server = Server::start_with(Options { state: Some(state), ..options() });
    let mut ann = mindful(&server, "Ann", &key).await;
    let shared = ann.until(is_shared).await;
    assert_eq!(shared["data"]["rows"], json!([row]));
    ann.command("recall of:bob ferry").await;
    ann.expect_text("In what Bob shares with you:").await;
    // So is the operator who looks at hers, when the database has it.
    let deadline = Instant::now() + PATIENCE;
    let line = loop {
        let hud = server.command(&[&["hud", "--name", "ann", "--why"], words].concat());
        if let Some(line) = hud.out.lines().find(|line| line.contains("no coin")) {
            break line.to_string();
        }
        assert!(Instant::now() < deadline, "{hud:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(line.starts_with("mind of Bob"), "{line}");
    // Somebody else, who takes the name of one who was let in, reads nothing.
    server.dial().await.delete("Bob", "swordfish").await;
    let gone = told(&server, &mut ann).await;
    assert_eq!(gone["data"], json!({"kind": "shared", "gone": ["Bob"]}));
    let mut other = server.dial().await;
    other.create("Bob", "haddocks").await;
    other.ask("1", "Village Green").await;
    other.ask("hud of ann", "Nobody called ann shares anything with you.").await;
    ann.command("share stop bob").await;
    ann.expect_text("Bob may read of your mind no more.").await;
    assert_eq!(server.stop().code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_share_their_minds_read_what_was_granted_and_no_more() {
    read_each_other(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_share_their_minds_do_so_on_postgresql() {
    on_postgres(async |address| Box::pin(read_each_other(&["--db", address])).await).await;
}
