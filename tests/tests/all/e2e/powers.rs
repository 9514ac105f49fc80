//! Arts between players, with real programs: a cleric that plays by policies heals whom it goes with, a thief is
//! caught and then not seen, a beast is charmed. The server is killed amid spells that last, and all of it comes out
//! again.

use super::green;
use serde_json::{Value, json};
use std::time::Duration;
use tests::e2e::{Agent, Options, Player, Server, Telnet};
use tests::torture::replayed;

/// The smallest world, with ticks of its own.
fn ticking() -> Options {
    Options { tick_ms: 100, ..green() }
}

async fn agent_of_class(server: &Server, name: &str, class: &str) -> String {
    let made = server.admin("POST", &format!("keys?name={name}&class={class}")).await;
    made["key"].as_str().expect("a key").to_string()
}

async fn enter(server: &Server, name: &str, key: &str) -> Agent {
    let mut agent = server.connect().await;
    agent.log_in(name, key).await;
    agent
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
    // What was noted is on its way to the store for a moment.
    let mut night = server.command(&["dream", "--agent", name]);
    for _ in 0..50 {
        if night.code == Some(0) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        night = server.command(&["dream", "--agent", name]);
    }
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

#[tokio::test]
async fn a_thief_is_caught_and_then_not_seen() {
    let server = Server::start_with(ticking());
    let key = agent_of_class(&server, "Sly", "thief").await;
    let mut ann = server.person("Ann").await;
    let mut zed = server.immortal("Zed", 39).await;
    let mut sly = enter(&server, "Sly", &key).await;
    for name in ["Ann", "Sly"] {
        server.place(name, 100).await;
    }
    for (line, answer) in [
        ("set ann gold 100", "100"),
        ("set sly skill 'steal' 90", "90%"),
        // Of a player only an outlaw steals.
        ("set sly outlaw on", "1 now"),
    ] {
        zed.ask(line, answer).await;
    }
    ann.fence().await;
    server.admin("POST", "roll?draw=steal&values=max&who=Sly").await;
    sly.command("steal coins ann").await;
    sly.expect_text("catches you").await;
    ann.expect("Sly").await;
    ann.fence().await;
    for roll in ["draw=steal&values=min&who=Sly", "draw=amount&values=10&who=Sly"] {
        server.admin("POST", &format!("roll?{roll}")).await;
    }
    sly.command("steal coins ann").await;
    sly.expect_text("who notices nothing").await;
    let seen = ann.fence().await;
    assert!(!seen.contains("Sly"), "nothing was to be seen: {seen}");
    let purse = ann.ask("score", "Gold").await + &ann.fence().await;
    assert!(!purse.contains("Gold          100"), "{purse}");
    let told = remembered(&server, &mut ann, "Ann", "sly").await;
    assert!(told.to_lowercase().contains("caught") && told.contains("Sly"), "{told}");
    // What nobody saw has no name.
    assert!(!told.contains("Sly stole"), "{told}");
}

#[tokio::test]
async fn a_charm_and_a_spell_outlive_a_kill_and_come_out_again() {
    let server = Server::start_with(ticking());
    let (zed_key, wyn_key) = (server.key("Zed").await, agent_of_class(&server, "Wyn", "magic-user").await);
    let mut zed = server.immortal("Zed", 39).await;
    let mut wyn = enter(&server, "Wyn", &wyn_key).await;
    for name in ["Zed", "Wyn"] {
        server.place(name, 100).await;
    }
    zed.ask("load mob 113", "goose").await;
    zed.ask("set wyn level 5", "Level of Wyn is 5 now").await;
    zed.ask("set wyn skill 'detect magic' 100", "100%").await;
    server.admin("POST", "roll?draw=cast&values=min&who=Wyn").await;
    wyn.command("cast 'detect magic'").await;
    wyn.expect_text("Magic has a glow now").await;
    // No school teaches it.
    server.admin("POST", "roll?draw=save&values=min").await;
    zed.ask("cast 'charm person' goose", "cannot look away").await;
    zed.ask("order goose sit", "goose sits down").await;
    drop((zed, wyn));
    let state = server.kill();
    let again = Server::start_with(Options { state: Some(state), ..ticking() });
    let mut wyn = enter(&again, "Wyn", &wyn_key).await;
    let mut zed = again.dial().await;
    zed.log_in("Zed", &zed_key).await;
    zed.ask("order goose stand", "goose stands up").await;
    wyn.command("affects").await;
    wyn.expect_text("detect magic").await;
    drop((zed, wyn));
    let state = again.kill();
    let replayed = replayed(state.path()).expect("the journal is whole");
    assert_eq!(replayed["first_difference"], Value::Null, "{replayed}");
}
