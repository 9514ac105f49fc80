//! `dp-agent` against the real server: its subcommands, its play, and what may go wrong between them.

use super::green;
use agent_cli::stub::policy::{Correspondent, Utility};
use agent_cli::stub::{self, StubOptions};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tests::e2e::{Options, Player, Server, http};
use tokio::io::AsyncWriteExt;
use tokio_tungstenite::tungstenite::Message;

const LONG: Duration = Duration::from_secs(40);

/// The shipped world, forty times as fast as for people.
fn fast() -> Options {
    Options { tick_ms: 50, ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newcomer_gets_a_key_and_tries_single_commands() {
    let server = Server::start_with(green());
    let player = Player::at(server.http);
    assert_eq!(player.run(&["whoami"]).code, Some(1), "nobody yet");
    let refused = player.run(&["exec", "look"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("dp-agent keygen"), "{}", refused.err);

    let state = server.state.path().display().to_string();
    let made = player.run(&["keygen", "-name", "newcomer", "--state-dir", &state]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let key = made.out.trim();
    assert!(key.starts_with("dp_") && key.len() == 67, "{key}");
    let who = player.run(&["whoami"]);
    assert!(who.code == Some(0) && who.out.contains("Newcomer") && !who.out.contains(key), "{}", who.out);
    // What it has is not doubled by mistake, and what is meant is done.
    let again = player.run(&["keygen", "--name", "NEWCOMER"]);
    assert!(again.code == Some(1) && again.out.is_empty(), "{again:?}");
    for words in ["NEWCOMER has a key already: ", &key[..11], "--again", "--replace"] {
        assert!(again.err.contains(words) && !again.err.contains(key), "{words}: {}", again.err);
    }
    let second = player.run(&["keygen", "--name", "newcomer", "--again", "--no-save"]);
    assert!(second.code == Some(0) && second.out.trim() != key, "{second:?}");
    let third = player.run(&["keygen", "--name", "newcomer", "--replace"]);
    assert_eq!(third.code, Some(0), "the state folder is in the settings: {third:?}");
    let listed = server.command(&["keys", "--name", "newcomer"]).out;
    assert_eq!((listed.lines().count(), listed.matches("revoked").count()), (3, 2), "{listed}");
    let key = third.out.trim();
    let shown = player.run(&["config"]);
    assert!(shown.out.contains("\"tier\": \"medium\"") && !shown.out.contains(key), "{}", shown.out);

    let looked = player.run(&["exec", "look"]);
    assert_eq!(looked.code, Some(0), "{}", looked.err);
    assert!(looked.out.lines().count() >= 2, "{}", looked.out);
    let refused = player.run(&["exec", "kill", "nobody"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.out.contains("nobody of that name"), "{}", refused.out);

    assert_eq!(player.run(&["exec", "task", "find the iron key"]).code, Some(0));
    let prompt = player.run(&["hud", "--format", "toon", "--tier", "small"]);
    assert_eq!(prompt.code, Some(0), "{}", prompt.err);
    assert!(prompt.out.contains("Newcomer") && prompt.err.contains("in all"), "{}", prompt.err);
    assert!(prompt.out.contains("find the iron key"), "the mind came with the login: {}", prompt.out);
    assert!(!prompt.out.contains(key));
}

#[test]
fn no_secret_goes_unencrypted_beyond_private_networks() {
    // Addresses for documents: nobody has them, and nothing is sent there.
    let mut player = Player::at("203.0.113.7:4350".parse().expect("an address"));
    let refused = |player: &Player, words: &[&str], secret: &str, remedy: &str| {
        let run = player.run(words);
        assert_eq!(run.code, Some(1), "{words:?}: {}", run.err);
        for word in [secret, remedy, "203.0.113.7", "--insecure"] {
            assert!(run.err.contains(word), "{words:?}: {}", run.err);
        }
    };
    refused(&player, &["keygen", "--name", "wren", "--token", "t0ken"], "admin token", "--game-tls true");
    player.settings["key"] = json!(format!("dp_{}", "0".repeat(64)));
    player.settings["player_name"] = json!("Wren");
    player.save();
    for words in [&["exec", "look"][..], &["play", "--no-model"], &["hud"]] {
        refused(&player, words, "what the game knows you by", "--game-tls true");
    }
    player.settings["game_host"] = json!("127.0.0.1");
    player.settings["litellm_endpoint"] = json!("http://203.0.113.7:4000");
    player.settings["llm_key"] = json!("sk-1");
    player.save();
    refused(&player, &["play"], "the key for the model", "https://");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_plays_and_writes_down_every_turn() {
    let server = Server::start_with(fast());
    let player = Player::of(&server, "Walker").await;
    let logs = player.path("logs").display().to_string();
    let words = ["session", "--duration", "8s", "--log-dir", &logs, "--no-model", "--valence=false"];
    let ended = player.start(&words).ended(LONG);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("Walker: level"), "{}", ended.err);

    let lines = player.logged("logs", "Walker");
    let (header, turns) = lines.split_first().expect("a header");
    assert_eq!((&header["kind"], &header["valence"]), (&json!("header"), &json!(false)));
    assert!(turns.len() > 5, "{turns:?}");
    for (number, turn) in (1..).zip(turns) {
        assert_eq!(turn["turn_number"].as_u64().map(|n| n > 0), Some(true), "turn {number}: {turn}");
        assert_eq!(turn["valence"], json!(0));
        for field in ["timestamp", "room_vnum", "room_name", "hp", "max_hp", "agent_level", "mobs_present", "action"] {
            assert!(!turn[field].is_null(), "turn {number} has no {field}: {turn}");
        }
        assert!(matches!(turn["decision"]["source"].as_str(), Some("reflex" | "upkeep" | "policy")), "{turn}");
    }
    // Each decision is a row, the server acknowledged what was sent, and all sums up.
    let log = player.log_files("logs", "Walker")[0].display().to_string();
    let checked = player.run(&["log", "check", &log]);
    assert_eq!(checked.code, Some(0), "{}\n{}", checked.out, checked.err);
    let rows = player.rows("logs", "Walker");
    let of_kind = |kind: &'static str| rows.iter().filter(move |row| row["kind"] == kind);
    assert_eq!(of_kind("command").count(), turns.len());
    // What only looks is no input of the world; the last command may still be under way.
    let acts = |row: &&&Value| {
        let sent = row["sent"].as_str().expect("what was sent");
        protocol::verbs::find(protocol::verbs::word_of(sent), 1).is_some_and(|verb| !verb.free)
    };
    let acting: Vec<&Value> = of_kind("command").collect::<Vec<_>>().iter().filter(acts).copied().collect();
    let acknowledged = acting.iter().filter(|row| row["input"].is_u64() && row["tick"].is_u64()).count();
    assert!(acknowledged > 0 && acknowledged + 1 >= acting.len(), "{acknowledged} of {acting:?}");
    assert!(of_kind("outcome").any(|row| row["decision"].is_u64()), "something follows from a command");
    let exported = player.run(&["log", "export", &log, "--table", "commands", "--format", "jsonl"]);
    assert_eq!((exported.code, exported.out.lines().count()), (Some(0), turns.len()), "{}", exported.err);
    let rooms: std::collections::BTreeSet<i64> = turns.iter().filter_map(|turn| turn["room_vnum"].as_i64()).collect();
    assert!(rooms.len() > 1, "it walked: {rooms:?}");
    let dreams = player.path("dreams");
    let dreamt =
        player.run(&["dream", "--agent", "Walker", "--sessions", &logs, "--output", &dreams.display().to_string()]);
    assert!(dreamt.code == Some(0) && dreamt.out.contains("Dream complete:"), "{} {}", dreamt.out, dreamt.err);
    assert!(!dreamt.out.contains("Left out"), "every line was understood: {}", dreamt.out);
    let folder = std::fs::read_dir(&dreams).expect("a folder").next().expect("of the agent").expect("readable").path();
    let story = std::fs::read_to_string(folder.join("memory-summary.txt")).expect("a story");
    assert!(story.contains("### Session 1") && story.contains("Came to "), "{story}");
    // It quit, so nobody is in the world any more.
    let mut person = server.person("Looker").await;
    person.send("who").await;
    let who = person.expect("Looker").await;
    assert!(!who.contains("Walker"), "{who}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_learned_is_known_in_the_next_session_but_not_in_another_world() {
    let server = Server::start_with(fast());
    let mut player = Player::of(&server, "Walker").await;
    // As people have it: without a terminal nothing is told but what nobody may miss.
    player.settings["log_level"] = json!("info");
    player.save();
    let logs = player.path("logs").display().to_string();
    // Long enough to see more than the first room, where it dresses and asks for work first.
    let words = ["session", "--duration", "8s", "--log-dir", &logs, "--no-model"];
    let noted = || {
        let rows =
            player.log_files("logs", "Walker").into_iter().map(|file| std::fs::read_to_string(file).expect("a log"));
        rows.filter(|log| log.contains("\"what\":\"knowledge\"")).count()
    };
    let first = player.start(&words).ended(LONG);
    assert!(first.code == Some(0) && !first.err.contains("Read what it knew"), "{}", first.err);
    let file = player.path("logs").join("walker.knowledge");
    let learned: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).expect("it is kept")).expect("JSON");
    assert!(learned["knowledge"]["rooms"].as_object().is_some_and(|rooms| rooms.len() > 1), "{learned}");
    assert_eq!(noted(), 0);
    let second = player.start(&words).ended(LONG);
    assert!(second.code == Some(0) && second.err.contains("Read what it knew from"), "{}", second.err);
    assert_eq!(noted(), 1, "and the log says so");
    // The same file, as of somewhere else: it is kept aside, and the agent begins anew.
    let elsewhere = learned.to_string().replace(learned["world"].as_str().expect("a world"), "0ther");
    std::fs::write(&file, elsewhere).expect("written");
    let third = player.start(&words).ended(LONG);
    assert!(third.code == Some(0) && third.err.contains("is about another world"), "{}", third.err);
    assert!(player.path("logs").join("walker.knowledge.0ther").exists());
    assert_eq!(noted(), 2, "a file that was not taken over is noted, too");
    for (what, text, aside) in [
        ("cannot be read", "{\"format\":", Some("walker.knowledge.damaged")),
        ("cannot be read", "nothing", Some("walker.knowledge.damaged2")),
        (
            "is of version 99",
            r#"{"format":"dp-agent knowledge","version":99,"agent":"Walker","world":"x","saved":""}"#,
            None,
        ),
    ] {
        std::fs::write(&file, text).expect("written");
        let before = noted();
        let ended = player.start(&words).ended(LONG);
        assert!(ended.code == Some(0) && ended.err.contains(what), "{}", ended.err);
        assert_eq!(noted(), before + 1, "{what}");
        let kept = aside.map_or(file.clone(), |name| player.path("logs").join(name));
        assert_eq!(std::fs::read_to_string(kept).expect("it is kept"), text);
    }
    let off = player.start(&[&words[..], &["--set", "knowledge=false"]].concat()).ended(LONG);
    assert!(off.code == Some(0) && !off.err.contains("Read what it knew"), "{}", off.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_is_told_and_not_tried_for_ever() {
    let server = Server::start_with(green());
    let mut player = Player::of(&server, "Locked").await;
    player.settings["key"] = json!(format!("dp_{}", "0".repeat(64)));
    let ended = player.run(&["play", "--no-model"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("check `key` and `player_name`"), "{}", ended.err);
    // Nor does a token of before open for a key that is given for this run and is none.
    let other = Player::of(&server, "Opened").await;
    let logs = other.path("logs").display().to_string();
    let words = ["session", "--duration", "1s", "--no-model", "--log-dir", &logs];
    assert_eq!(other.run(&words).code, Some(0));
    let wrong = other.run_with_key(&format!("dp_{}", "0".repeat(64)), &words);
    assert!(wrong.code == Some(1) && wrong.err.contains("check `key` and `player_name`"), "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_in_the_settings_are_named_with_their_lines() {
    let player = Player::at("127.0.0.1:1".parse().expect("an address"));
    std::fs::write(player.path("agent.json"), "{\n \"tire\": \"small\",\n \"game_port\": \"x\"\n}").expect("written");
    let ended = player.run(&["play"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("line 2") && ended.err.contains("line 3"), "{}", ended.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_server_it_tries_again_until_its_time_is_up() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut player = Player::at(free.local_addr().expect("an address"));
    drop(free);
    player.settings["key"] = json!("dp_1");
    player.settings["player_name"] = json!("Nobody");
    let file = player.path("a file");
    std::fs::write(&file, "no folder").expect("a file");
    let inside = file.join("logs").display().to_string();
    let ended = player.run(&["session", "--duration", "3s", "--no-model", "--log-dir", &inside]);
    assert_eq!(ended.code, Some(1), "a log that cannot be made is told at once");
    let logs = player.path("logs").display().to_string();
    let ended = player.run(&["session", "--duration", "3500ms", "--no-model", "--log-dir", &logs]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains("again in 1.0 s") && ended.err.contains("again in 2.0 s"), "{}", ended.err);
    let why = "never got into the game: connecting to the game at 127.0.0.1:";
    assert!(ended.err.contains(why) && !ended.err.contains("The model:"), "{}", ended.err);
    assert!(player.log_files("logs", "Nobody").is_empty(), "nothing is left that looks like a session");
    player.settings["log_level"] = json!("info");
    player.save();
    let ended = player.run(&["session", "--duration", "1s", "--no-model", "--log-dir", &logs]);
    assert!(ended.err.contains("Connecting again in 1.0 s"), "also without a terminal: {}", ended.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_comes_back_after_a_restart_and_an_interrupt_ends_it_in_order() {
    let server = Server::start_with(fast());
    let player = Player::of(&server, "Comeback").await;
    let playing = player.start(&["play", "--no-model"]);
    playing.until_said("In the game").await;
    server.copyover().await;
    playing.until_said("Connecting again").await;
    playing.until_said("The session goes on").await;
    playing.signal("INT");
    let ended = playing.ended(LONG);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("Comeback: level"), "{}", ended.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_asked_to_end_leaves_the_game_or_says_that_it_cannot() {
    let server = Server::start_with(Options::default());
    let player = Player::of(&server, "Parting").await;
    let logs = player.path("logs").display().to_string();
    for signal in ["INT", "TERM"] {
        let playing = player.start(&["play", "--no-model"]);
        playing.until_said("In the game").await;
        playing.signal(signal);
        let ended = playing.ended(LONG);
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        assert!(ended.err.contains("Interrupt once more") && !ended.err.contains("It did not leave"), "{}", ended.err);
        let playing = server.get("/health").await.json()["players"].clone();
        assert_eq!(playing, json!(0), "nobody is left behind");
    }
    // Among straw men, in a world that stands still, so that the fight goes on.
    let playing = player.start(&["session", "--duration", "60s", "--log-dir", &logs, "--no-model"]);
    playing.until_said("In the game").await;
    server.place("Parting", 8027).await;
    written(&player, "Parting", "\"type\":\"attacked\"", 1).await;
    let asked = std::time::Instant::now();
    playing.signal("TERM");
    let ended = playing.ended(LONG);
    assert!(asked.elapsed() < Duration::from_secs(11), "{:?}: {}", asked.elapsed(), ended.err);
    assert!(ended.err.contains("It did not leave the game."), "{}", ended.err);
    let summary = player.log_files("logs", "Parting")[0].with_extension("summary.json");
    let summary: Value = serde_json::from_slice(&std::fs::read(summary).expect("a summary")).expect("JSON");
    assert!(summary["errors"].to_string().contains("It stands in the world, played by nobody"), "{summary}");
    // A second interrupt does not wait.
    let playing = player.start(&["play", "--no-model"]);
    playing.until_said("In the game").await;
    playing.signal("INT");
    playing.until_said("Interrupt once more").await;
    playing.signal("INT");
    let ended = playing.ended(Duration::from_secs(4));
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains("Ended at once"), "{}", ended.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_taken_over_does_not_fight_for_the_connection() {
    let server = Server::start_with(green());
    let player = Player::of(&server, "Twice").await;
    let playing = player.start(&["play", "--no-model"]);
    playing.until_said("In the game").await;
    let mut other = server.connect().await;
    other.log_in("Twice", player.settings["key"].as_str().expect("a key")).await;
    let ended = playing.ended(LONG);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("another connection"), "{}", ended.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn single_commands_leave_a_running_agent_alone_unless_told_to_take_over() {
    let server = Server::start_with(green());
    let player = Player::of(&server, "Busy").await;
    let playing = player.start(&["play", "--no-model"]);
    playing.until_said("In the game").await;
    for words in [&["exec", "look"][..], &["hud"]] {
        let refused = player.run(words);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.err.contains("is played from another connection"), "{}", refused.err);
        assert!(refused.err.contains("--take-over") && refused.out.is_empty(), "{refused:?}");
    }
    let taken = player.run(&["exec", "--take-over", "look"]);
    assert!(taken.code == Some(0) && taken.out.lines().count() >= 2, "{taken:?}");
    assert!(playing.ended(LONG).err.contains("another connection"));
    // One after the other, each finds it free, and leaves nobody behind.
    let in_world = async || server.get("/health").await.json()["players"].clone();
    for words in [&["exec", "look"][..], &["exec", "score"], &["hud"], &["mind", "--export", "-"]] {
        assert_eq!(player.run(words).code, Some(0), "{words:?}");
        assert_eq!(in_world().await, 0, "{words:?}");
    }
    for words in [&["exec", ""][..], &["exec", " "]] {
        let said = player.run(words);
        assert!(said.code == Some(1) && said.err.contains("nothing to type"), "{said:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn single_commands_leave_a_body_that_lost_its_player_where_it_stands() {
    let server = Server::start_with(green());
    let player = Player::of(&server, "Lost").await;
    let mut ann = server.person("Ann").await;
    let mut bot = server.connect().await;
    bot.log_in("Lost", player.settings["key"].as_str().expect("a key")).await;
    bot.fence().await;
    drop(bot);
    ann.expect("Lost's eyes lose their focus").await;
    assert_eq!(player.run(&["exec", "look"]).code, Some(0));
    ann.ask("who", "(linkless)").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_leave_after_a_single_command_is_told_so() {
    let server = Server::start();
    let player = Player::of(&server, "Fighter").await;
    let mut bot = server.connect().await;
    bot.log_in("Fighter", player.settings["key"].as_str().expect("a key")).await;
    server.place("Fighter", 8027).await;
    bot.command("quit").await;
    bot.ending().await;
    let mut ann = server.person("Ann").await;
    server.place("Ann", 8027).await;
    ann.fence().await;
    let fighting = player.start(&["exec", "kill", "straw"]);
    ann.expect("straw man").await;
    // `quit` waits for the blow that lags, and then there is a fight.
    tokio::time::sleep(Duration::from_secs(1)).await;
    server.tick(4).await;
    let fought = fighting.ended(LONG);
    assert_eq!(fought.code, Some(0), "{fought:?}");
    assert!(fought.err.contains("It did not leave the game. The game says: "), "{fought:?}");
    ann.ask("who", "(linkless)").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_play_in_one_process_and_come_back_by_token() {
    let server = Server::start_with(fast());
    let player = Player::at(server.http);
    let mut rows = Vec::new();
    for name in ["Ada", "Ben", "Cy"] {
        rows.push(json!({"name": name, "key": server.key(name).await}));
    }
    let agents = player.path("agents.json");
    std::fs::write(&agents, Value::Array(rows).to_string()).expect("written");
    let agents = agents.display().to_string();
    let logs = player.path("logs").display().to_string();
    let words = ["session", "--agents", &agents, "--duration", "3s", "--log-dir", &logs, "--no-model"];
    for _ in 0..2 {
        let ended = player.start(&words).ended(LONG);
        assert_eq!(ended.code, Some(0), "{}", ended.err);
    }
    for name in ["Ada", "Ben", "Cy"] {
        let headers = player.logged("logs", name).iter().filter(|line| line["kind"] == "header").count();
        assert_eq!(headers, 2);
    }
    let tokens = std::fs::read_to_string(player.path("agent.json.tokens")).expect("tokens are kept");
    assert!(["ada", "ben", "cy"].iter().all(|name| tokens.contains(name)), "{tokens}");
}

/// A server that is none: after the login it sends what it is told to, ends in the middle of a frame, and counts.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_closes_in_the_middle_of_a_frame_is_tried_again() {
    let door = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let mut player = Player::at(door.local_addr().expect("an address"));
    player.settings["key"] = json!("dp_1");
    player.settings["player_name"] = json!("Cut");
    let logs = player.path("logs").display().to_string();
    let playing = player.start(&["session", "--duration", "6s", "--no-model", "--log-dir", &logs]);
    let mut logins = 0;
    for round in 0..3 {
        let (stream, _) = tokio::time::timeout(LONG, door.accept()).await.expect("it comes").expect("a connection");
        let mut socket = tokio_tungstenite::accept_async(stream).await.expect("an upgrade");
        let login = socket.next().await.expect("a frame").expect("a message").into_text().expect("text");
        assert!(login.contains("\"features\":[\"mind\",\"context\",\"channels\",\"resume\"]"), "{login}");
        logins += 1;
        // Things of tomorrow, nonsense, and a gap, and then half a frame.
        for text in [r#"{"type":"omen","seq":1,"data":{}}"#, "{{{", r#"{"type":"vars","seq":9,"data":{"HEALTH":"x"}}"#]
        {
            socket.send(Message::text(text)).await.expect("sent");
        }
        let stream = socket.get_mut();
        stream.write_all(&[0x81, 0x7e, 0x01, 0x00, b'{', b'"']).await.expect("sent");
        drop(socket);
        if round == 2 {
            break;
        }
    }
    assert_eq!(logins, 3);
    drop(door);
    let ended = playing.ended(LONG);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    let summary = ended.err.lines().find(|line| line.contains("Odd:")).expect("odd things are told");
    for what in ["gaps 3", "unknown frame types 3", "bad frames 3", "bad values 3"] {
        assert!(summary.contains(what), "{what}: {summary}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_character_is_made_by_answering_the_questions() {
    let server = Server::start_with(green());
    let mut player = Player::at(server.http);
    player.settings["player_name"] = json!("Fresh");
    player.settings["password"] = json!("a long password");
    player.settings["sex"] = json!("male");
    let logs = player.path("logs").display().to_string();
    let words = ["session", "--create", "--duration", "2s", "--log-dir", &logs, "--no-model"];
    let ended = player.start(&words).ended(LONG);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("Fresh: level 1"), "{}", ended.err);
    // It is there now, and the password opens it.
    assert_eq!(player.run(&["exec", "score"]).code, Some(0));
}

/// The model's endpoint sees the model's key and the prompt, and its failures are counted.
#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_the_game_never_goes_to_the_model() {
    let server = Server::start_with(green());
    let door = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let mut player = Player::of(&server, "Careful").await;
    let key = player.settings["key"].as_str().expect("a key").to_string();
    player.settings["litellm_endpoint"] = json!(format!("http://{}", door.local_addr().expect("an address")));
    player.settings["llm_key"] = json!("sk-of-the-model");
    let logs = player.path("logs").display().to_string();
    let (told, mut asked) = tokio::sync::mpsc::unbounded_channel();
    let endpoint = tokio::spawn(async move {
        while let Ok((mut stream, _)) = door.accept().await {
            let (mut request, mut bytes) = (String::new(), vec![0; 64 << 10]);
            // The body is JSON and the last thing that comes.
            while !request.trim_end().ends_with('}') {
                match tokio::io::AsyncReadExt::read(&mut stream, &mut bytes).await {
                    Ok(count) if count > 0 => request.push_str(&String::from_utf8_lossy(&bytes[..count])),
                    _ => break,
                }
            }
            let answer = b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            // The test may be over.
            let _sent = stream.write_all(answer).await;
            let _heard = told.send(request);
        }
    });
    let words = ["session", "--duration", "4s", "--log-dir", &logs, "--think-ms", "500"];
    let ended = player.start(&words).ended(LONG);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    endpoint.abort();
    let request = asked.recv().await.expect("it asked");
    assert!(request.contains("/v1/chat/completions") && request.contains("sk-of-the-model"), "{request}");
    assert!(request.contains("Careful"), "the prompt says who it is");
    assert!(!request.contains(&key) && !request.contains("dp_"), "the game's key is in it");
    assert!(ended.err.contains("bad statuses"), "{}", ended.err);
    let turns = player.logged("logs", "Careful");
    assert!(turns.iter().any(|turn| turn["decision"]["source"] == "policy"), "the policies played on");
    // That nothing came of asking is a row, too.
    let rows = player.rows("logs", "Careful");
    assert!(rows.iter().any(|row| row["source"] == "model" && row["answer"]["error"].is_string()), "{rows:?}");
    let log = player.log_files("logs", "Careful")[0].display().to_string();
    let checked = player.run(&["log", "check", &log]);
    assert_eq!(checked.code, Some(0), "{}\n{}", checked.out, checked.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_prompts_of_a_session_can_be_followed_from_beside_it() {
    let server = Server::start_with(green());
    let model = stub::start(0, Box::new(Correspondent::new(1)), StubOptions::default()).await.expect("a port");
    let mut player = Player::of(&server, "Watched").await;
    player.settings["litellm_endpoint"] = json!(format!("http://{}", model.address));
    player.save();
    let logs = player.path("logs").display().to_string();
    let early = player.run(&["prompt", "--live", "--log-dir", &logs]);
    assert_eq!(early.code, Some(1), "{}", early.out);
    assert!(
        early.err.contains("Watched has asked no model so far") && early.err.contains("--log-dir"),
        "{}",
        early.err
    );

    let playing =
        player.start(&["session", "--duration", "5m", "--log-dir", &logs, "--think-ms", "300", "--autopilot", "off"]);
    let shown = player.path("logs").join("watched").join("prompt.txt");
    let deadline = std::time::Instant::now() + LONG;
    while !shown.exists() {
        assert!(std::time::Instant::now() < deadline, "{}", playing.said());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let beside = player.start(&["prompt", "--live", "--log-dir", &logs]);
    beside.until_printed("==== the next question ====").await;
    beside.signal("INT");
    let followed = beside.ended(LONG);
    assert_eq!(followed.code, Some(0), "{}", followed.err);
    for part in ["# Rules", "# You", "# Now", "\nin all "] {
        assert!(followed.out.matches(part).count() >= 2, "{part} stands in both prompts: {}", followed.out);
    }
    assert!(!followed.out.contains(player.settings["key"].as_str().expect("a key")), "no secret is in a prompt");
    // Who looks over a shoulder harms nobody.
    playing.signal("INT");
    assert_eq!(playing.ended(LONG).code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_counts_every_call_of_the_model_as_the_log_of_the_session_does() {
    let server = Server::start_with(fast());
    let model = stub::start(0, Box::new(Utility::new(1)), StubOptions::default()).await.expect("a port");
    let mut player = Player::of(&server, "Frugal").await;
    player.settings["litellm_endpoint"] = json!(format!("http://{}", model.address));
    player.save();
    let logs = player.path("logs").display().to_string();
    let words = ["session", "--duration", "12s", "--log-dir", &logs, "--think-ms", "300"];
    let ended = player.start(&words).ended(LONG);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let rows = player.rows("logs", "Frugal");
    let decided: Vec<&Value> =
        rows.iter().filter(|row| row["kind"] == "decision" && row["source"] == "model").collect();
    let prompt: i64 = decided.iter().filter_map(|row| row["tokens"]["prompt"].as_i64()).sum();
    let without = decided.iter().filter(|row| row["actions"].as_array().is_some_and(Vec::is_empty)).count();
    assert!(prompt > 0 && without < decided.len(), "{} decisions, {without} without a line", decided.len());
    assert!(decided.iter().all(|row| row["answer"]["model"] == "stub" && row["by"] != "stub"), "{decided:?}");

    let of = async |key: &str| -> Option<i64> {
        let path = format!("/api/v1/series?keys={key}&name=frugal");
        let answer = http(server.http, "GET", &path, Some(&*server.token)).await.json();
        let points = answer["series"][0]["points"].as_array().cloned().unwrap_or_default();
        points.iter().filter_map(|point| point[1].as_i64()).reduce(|all, more| all + more)
    };
    let deadline = std::time::Instant::now() + LONG;
    while of("tokens_prompt").await != Some(prompt) {
        let counted = of("tokens_prompt").await;
        assert!(std::time::Instant::now() < deadline, "{counted:?} of {prompt}, {} decisions", decided.len());
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    assert_eq!(of("calls").await, Some(decided.len() as i64));
    assert_eq!((of("calls_priced").await, of("cost_micros").await), (Some(0), None), "nobody set a price");
    let exported = server.command(&["decisions", "--name", "Frugal", "--columns", "all"]).out;
    let rows: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let models: Vec<&Value> = rows.iter().filter(|row| row["source"] == "model").map(|row| &row["model"]).collect();
    assert!(!models.is_empty() && models.iter().all(|name| *name == "stub"), "{models:?}");
}

/// Reads the file of a session until it holds this often enough.
async fn written(player: &Player, name: &str, what: &str, times: usize) {
    let deadline = std::time::Instant::now() + LONG;
    let folder = player.path("logs").join(name.to_ascii_lowercase());
    loop {
        let text = if folder.is_dir() {
            let texts =
                player.log_files("logs", name).into_iter().map(|path| std::fs::read_to_string(path).expect("read"));
            texts.collect::<String>()
        } else {
            String::new()
        };
        if text.matches(what).count() >= times {
            return;
        }
        assert!(std::time::Instant::now() < deadline, "{what} is not there {times} times: {text}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_sum_up_over_a_new_connection_and_say_in_which_world_it_was() {
    let server = Server::start_with(fast());
    let player = Player::of(&server, "Twofold").await;
    let logs = player.path("logs").display().to_string();
    let playing = player.start(&["session", "--duration", "60s", "--log-dir", &logs, "--no-model"]);
    written(&player, "Twofold", "\"kind\":\"decision\"", 1).await;
    // Among straw men, when a fight has begun: what comes of it later is told of by the number of the input alone.
    server.place("Twofold", 8027).await;
    written(&player, "Twofold", "\"type\":\"attacked\"", 1).await;
    server.copyover().await;
    written(&player, "Twofold", "\"what\":\"resumed\"", 1).await;
    written(&player, "Twofold", "\"kind\":\"closed\"", 12).await;
    playing.signal("INT");
    let ended = playing.ended(LONG);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let log = player.log_files("logs", "Twofold")[0].display().to_string();
    let checked = player.run(&["log", "check", &log]);
    assert_eq!(checked.code, Some(0), "{}\n{}", checked.out, checked.err);
    let rows = player.rows("logs", "Twofold");
    let first = &rows[0]["world"];
    assert!(first["id"].as_str().is_some_and(|id| id.len() == 16), "{first}");
    assert!(first["content"].is_string() && first["tick"].is_u64(), "{first}");
    assert!(
        rows[0]["settings"]["guidelines"].is_array() && rows[0]["settings"].get("persona").is_none(),
        "{}",
        rows[0]
    );
    let of_own = rows.iter().filter(|row| row["kind"] == "outcome" && row["decision"].is_u64());
    assert!(of_own.clone().count() > 0 && of_own.clone().all(|row| row["input"].is_u64()), "{rows:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_recorded_fills_the_log_of_a_killed_agent() {
    let server = Server::start_with(fast());
    let player = Player::of(&server, "Broken").await;
    let logs = player.path("logs").display().to_string();
    let playing = player.start(&["session", "--duration", "60s", "--log-dir", &logs, "--no-model"]);
    written(&player, "Broken", "\"kind\":\"closed\"", 8).await;
    playing.signal("KILL");
    assert_ne!(playing.ended(LONG).code, Some(0));
    let stopped = server.stop();
    let state = stopped.state.path();
    let rows = tests::e2e::run(&[
        "decisions",
        "--agent",
        "Broken",
        "--columns",
        "all",
        "--state-dir",
        &state.display().to_string(),
    ]);
    assert_eq!(rows.code, Some(0), "{rows:?}");
    let file = player.path("server.jsonl");
    std::fs::write(&file, &rows.out).expect("written");
    let file = file.display().to_string();
    let log = player.log_files("logs", "Broken")[0].display().to_string();
    let alone = player.run(&["log", "check", &log]);
    assert!(alone.code == Some(1) && alone.out.contains("there is no summary"), "{alone:?}");
    assert!(!alone.out.contains("the server has"), "{alone:?}");
    let filled = player.run(&["log", "check", &log, "--server", &file]);
    assert!(filled.code == Some(1) && filled.out.contains("the server has: "), "{filled:?}");
    assert!(!filled.out.contains("wrong:") && !filled.out.contains("unknown"), "{filled:?}");
    // Every decision that sent something has its reward, of the log or of the server.
    let exported = player.run(&["log", "export", &log, "--server", &file, "--format", "jsonl"]);
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let decisions: Vec<Value> = exported.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let known = decisions.iter().filter(|row| row["reward_of"] == "log").count();
    assert!(known >= 8 && decisions.last().expect("some")["reward_of"] != "log", "{decisions:?}");
    // What happened to it stands in the server's session files, and is joined with the commands that brought it.
    let sessions = state.join("sessions").display().to_string();
    let words = ["log", "export", &log, "--server", &sessions, "--table", "happenings", "--format", "jsonl"];
    let happenings = player.run(&words);
    assert_eq!(happenings.code, Some(0), "{happenings:?}");
    let rows: Vec<Value> = happenings.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(rows.iter().any(|row| row["decision"].is_u64() && row["type"].is_string()), "{rows:?}");
}
