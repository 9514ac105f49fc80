//! The whole at once: a server, two agents with a model (the stub), and somebody at a telnet client beside them.

use agent_cli::stub::policy::Utility;
use agent_cli::stub::{self, StubOptions};
use serde_json::{Value, json};
use std::time::Duration;
use tests::e2e::{Options, Player, Server, http};

/// Where the first rats are, and where outlaws shoot at whoever comes.
const DRAIN: i32 = 8101;
const OUTLAWS: i32 = 8336;
const CRICKET: i32 = 8112;
const LONG: Duration = Duration::from_secs(90);

/// Puts somebody into a room as soon as it is in the world.
async fn place(server: &Server, name: &str, room: i32) {
    for _ in 0..200 {
        let path = format!("/admin/place?name={name}&room={room}");
        if http(server.http, "POST", &path, Some(&server.token)).await.status == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{name} never came into the world");
}

fn did(turns: &[Value], what: &str) -> bool {
    turns.iter().any(|turn| turn["action"].as_str().is_some_and(|line| line.starts_with(what)))
}

fn has_rested(turns: &[Value]) -> bool {
    did(turns, "rest") || did(turns, "sleep")
}

#[tokio::test(flavor = "multi_thread")]
async fn two_agents_with_a_model_play_beside_a_person_and_one_dies_and_comes_back() {
    let server = Server::start_with(Options { tick_ms: 50, ..Options::default() });
    let model = stub::start(0, Box::new(Utility::new(1)), StubOptions::default()).await.expect("a port");
    let mut players = Vec::new();
    for name in ["Wren", "Alder"] {
        let mut player = Player::of(&server, name).await;
        player.settings["litellm_endpoint"] = json!(format!("http://{}", model.address));
        player.settings["act_ms"] = json!(100);
        let logs = player.path("logs").display().to_string();
        let persona = tests::e2e::root().join("examples/personas/bracken.md").display().to_string();
        let words = ["session", "--duration", "45s", "--log-dir", &logs, "--think-ms", "250", "--persona", &persona];
        // Everything that can decide does.
        let words = [&words[..], &["--autopilot", "full"]].concat();
        let playing = player.start(&words);
        players.push((name, player, playing));
    }
    let mut person = server.immortal("Bob", 39).await;
    for name in ["Wren", "Alder", "Bob"] {
        place(&server, name, DRAIN).await;
    }
    // Whether it answers a sentence is drawn, about one in two; and they walk about, so that one goes to them, with
    // something small to hunt, lest luck be what fills a corpse.
    for n in 1..=24 {
        person.send(&format!("goto {}", if n % 2 == 0 { "wren" } else { "alder" })).await;
        person.send(&format!("load mob {CRICKET}")).await;
        person.send(&format!("say Hello. It is the stroke of {n} by the bell.")).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }

    // One is tired all at once, and has to rest: where nothing hunts it, and for as long as it takes, since it may
    // be in the middle of a fight.
    place(&server, "Alder", DRAIN).await;
    let (_, alder, _) = &players[1];
    for _ in 0..80 {
        person.send("set alder hit 20").await;
        person.send("set alder move 3").await;
        tokio::time::sleep(Duration::from_millis(150)).await;
        if has_rested(&alder.logged("logs", "Alder")) {
            break;
        }
    }

    // One is put where it cannot win.
    let (_, _, wren) = &players[0];
    for _ in 0..60 {
        person.send("set wren hit 1").await;
        place(&server, "Wren", OUTLAWS).await;
        tokio::time::sleep(Duration::from_millis(150)).await;
        if wren.said().contains("It died") {
            break;
        }
    }
    wren.until_said("It died").await;
    let at_death = wren.said().len();

    for (name, player, playing) in players {
        let ended = playing.ended(LONG);
        assert_eq!(ended.code, Some(0), "{name}: {}", ended.err);
        let lines = player.logged("logs", name);
        let turns = &lines[1..];
        for what in ["kill ", "get all", "say "] {
            assert!(did(turns, what), "{name} never did {what:?}:\n{}", ended.err);
        }
        if name == "Alder" {
            assert!(has_rested(turns), "it never rested:\n{}", ended.err);
        }
        for source in ["policy", "model"] {
            assert!(turns.iter().any(|turn| turn["decision"]["source"] == source), "{name}: nothing by {source}");
        }
        // How seldom agents die by themselves is the simulation's to say; here one was made to.
        if name == "Wren" {
            assert!(ended.err.len() > at_death, "it played on after its death");
        }
        let lives = turns.iter().rev().take(5).all(|turn| turn["hp"].as_i64().is_some_and(|hp| hp > 0));
        assert!(lives, "{name} is alive at the end: {:?}", turns.last());
    }
}
