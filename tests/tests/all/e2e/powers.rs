//! Arts between players, with real programs: a cleric that plays by policies heals whom it goes with.

use super::green;
use serde_json::{Value, json};
use std::time::Duration;
use tests::e2e::{Options, Player, Server, Telnet};

/// The smallest world, with ticks of its own.
fn ticking() -> Options {
    Options { tick_ms: 100, ..green() }
}

async fn agent_of_class(server: &Server, name: &str, class: &str) -> String {
    let made = server.admin("POST", &format!("keys?name={name}&class={class}")).await;
    made["key"].as_str().expect("a key").to_string()
}

/// Types it until it is answered so.
async fn until_answer(who: &mut Telnet, line: &str, answer: &str) {
    for _ in 0..100 {
        who.send(line).await;
        if who.fence().await.contains(answer) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{line:?} is never answered with {answer:?}");
}

/// A night, and what somebody answers to a word after it.
async fn remembered(server: &Server, who: &mut Telnet, name: &str, word: &str) -> String {
    let night = server.command(&["dream", "--agent", name]);
    assert_eq!(night.code, Some(0), "{night:?}");
    who.send(&format!("recall {word}")).await;
    // The answer comes of the store, behind what the world answers at once.
    tokio::time::sleep(Duration::from_millis(500)).await;
    who.fence().await
}

#[tokio::test]
async fn a_cleric_by_policies_heals_whom_it_goes_with_and_is_remembered() {
    let server = Server::start_with(ticking());
    let key = agent_of_class(&server, "Mercy", "cleric").await;
    let mut ann = server.person("Ann").await;
    let mut zed = server.immortal("Zed", 39).await;
    server.place("Ann", 100).await;
    let mut mercy = Player::at(server.http);
    mercy.settings["key"] = json!(key);
    mercy.settings["player_name"] = json!("Mercy");
    mercy.settings["tastes"] = json!({"sociable": 1.0});
    let words = ["session", "--duration", "60s", "--no-model", "--policies", "group,tend", "--log-dir"];
    let logs = mercy.path("logs").display().to_string();
    let playing = mercy.start(&[&words[..], &[&logs]].concat());
    until_answer(&mut zed, "set mercy skill 'cure light' 100", "Mercy knows cure light to 100% now.").await;
    server.place("Mercy", 100).await;
    until_answer(&mut ann, "follow mercy", "You follow Mercy now.").await;
    ann.expect("You are in Mercy's group now.").await;
    ann.fence().await;
    zed.ask("set ann hit 4", "4").await;
    let healed = ann.expect("A warm hand passes over you, and some of your wounds are gone.").await;
    assert!(!healed.contains("attack"), "nobody fights: {healed}");
    playing.signal("INT");
    let ended = playing.ended(Duration::from_secs(30));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let rows = mercy.rows("logs", "Mercy");
    let cast =
        |row: &&Value| row["kind"] == "command" && row["sent"].as_str().is_some_and(|line| line.contains("cure"));
    let decision = &rows.iter().find(cast).unwrap_or_else(|| panic!("it healed by chance: {rows:?}"))["decision"];
    let decided = rows.iter().find(|row| row["kind"] == "decision" && row["id"] == *decision).expect("its decision");
    assert_eq!((&decided["source"], &decided["by"]), (&json!("policy"), &json!("tend")), "{decided}");
    let told = remembered(&server, &mut ann, "Ann", "mercy").await;
    assert!(told.contains("healed") && told.contains("Mercy"), "{told}");
}
