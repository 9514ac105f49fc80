//! Agents as persons of the server, through the real programs: their records, what owners do with them, and agents that
//! are made in the game.

use super::green;
use serde_json::{Value, json};
use tests::e2e::{Agent, Options, Server};

/// A program that knows channels, with its record.
async fn agent(server: &Server, name: &str, key: &str) -> (Agent, Value) {
    let mut agent = server.connect().await;
    let login = json!({"player_name": name, "password": key, "is_agent": true, "features": ["channels"]});
    agent.send(json!({"type": "login", "data": login})).await;
    agent.logged_in().await;
    let record = agent.expect("agent").await["data"].clone();
    (agent, record)
}

/// A key for a character that gets a record with it.
fn recorded(server: &Server, words: &[&str]) -> String {
    let run = server.command(&[&["keygen", "--name"], words].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    run.out.trim().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_alters_and_retires_an_agent_and_its_client_is_told() {
    let server = Server::start_with(Options { tick_ms: 100, ..green() });
    let mut ann = server.person("Ann").await;
    let key = recorded(&server, &["Rook", "--kind", "bot", "--owner", "Ann", "--model", "small-1"]);
    let (mut rook, record) = agent(&server, "Rook", &key).await;
    assert_eq!(
        (&record["kind"], &record["model"], &record["think_ds"]),
        (&json!("bot"), &json!("small-1"), &json!(50))
    );
    let told = rook.expect("channels").await;
    assert_eq!(told["data"]["you"], record["id"], "the record comes first");

    ann.ask("channel invite rook", "Rook comes at your word.").await;
    ann.ask("agent alter rook prompt = You count gulls.", "The Architect permits it.").await;
    server.command(&["promote", "Ann", "--architect"]);
    ann.expect("You are The Architect now.").await;
    ann.ask("agent alter rook prompt = You count gulls.", "Rook is altered").await;
    let altered = rook.expect("agent").await["data"].clone();
    assert_eq!(altered["seed"], "You count gulls.");
    ann.ask("chat home Count them.", "Count them.").await;
    let said = rook.expect("message").await["data"].clone();
    assert_eq!(said["sender"], json!({"id": 0, "name": "The Architect", "kind": "architect"}), "{said}");

    rook.command("agent sleep 1h").await;
    let asleep = rook.expect("agent").await["data"].clone();
    assert!(asleep["sleep_until"].as_u64().is_some_and(|until| until >= 1_800), "{asleep}");
    ann.ask("agent wake rook", "You wake Rook.").await;
    assert!(rook.expect("agent").await["data"].get("sleep_until").is_none());

    ann.ask("agent retire rook", "Rook is retired.").await;
    let (_, _, before) = rook.ending().await;
    assert!(before.iter().any(|frame| frame["data"]["code"] == "retired"), "{before:?}");
    let mut again = server.connect().await;
    let login = json!({"player_name": "Rook", "password": key, "is_agent": true});
    again.send(json!({"type": "login", "data": login})).await;
    again.expect_error("retired").await;
    // As other refused logins, it leaves the connection as it was.
    again.command("look").await;
    again.expect_error("not_logged_in").await;
    ann.ask("agent restore rook", "Rook may play again.").await;
    let (_rook, record) = agent(&server, "Rook", &key).await;
    assert_eq!(record["retired"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_was_ordered_is_made_once_whenever_the_server_dies() {
    let options = || Options { tick_ms: 100, ..green() };
    let server = Server::start_with(options());
    let key = server.key("Ann").await;
    let mut ann = server.dial().await;
    ann.log_in("Ann", &key).await;
    server.command(&["promote", "Ann", "--architect"]);
    ann.expect("You are The Architect now.").await;
    ann.ask("agent create Rook bot = You count boats.", "It will be number").await;
    // Perhaps before the character is made, perhaps after it, perhaps before the world was told.
    let state = server.kill();
    let server = Server::start_with(Options { state: Some(state), ..options() });
    let mut ann = server.dial().await;
    ann.log_in("Ann", &key).await;
    let mut read = String::new();
    for _ in 0..100 {
        ann.send("agent list").await;
        read = ann.fence().await;
        if read.contains("Rook") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(read.matches("Rook").count(), 1, "{read}");
    ann.ask("agent show rook", "You count boats.").await;
    ann.ask("channel show", "Rook").await;
    ann.ask("agent create Rook persona = You sing.", "It will be number").await;
    ann.expect("is made, and plays as soon as a host runs it.").await;
    let state = server.stop().state;
    let server = Server::start_with(Options { state: Some(state), ..options() });
    let mut ann = server.dial().await;
    ann.log_in("Ann", &key).await;
    ann.send("agent list").await;
    let read = ann.fence().await;
    assert_eq!(read.matches("Rook").count(), 2, "{read}");
    let listed = server.command(&["keys"]);
    assert!(!listed.out.contains("Rook"), "nobody gets a key: {}", listed.out);
}
