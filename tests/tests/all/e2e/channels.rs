//! Channels through the real programs: a person at telnet, a small client with the feature `channels`, one without it,
//! and `dp-agent` with a model that answers its letters.

use super::green;
use agent_cli::stub::policy::Correspondent;
use agent_cli::stub::{self, StubOptions};
use serde_json::{Value, json};
use tests::e2e::{Agent, Options, Player, Server};

/// A program that knows channels; the frame that tells it of its own, too.
async fn correspondent(server: &Server, name: &str) -> (Agent, Value) {
    let key = server.key(name).await;
    let mut agent = server.connect().await;
    let login = json!({"player_name": name, "password": key, "is_agent": true, "features": ["channels"]});
    agent.send(json!({"type": "login", "data": login})).await;
    agent.logged_in().await;
    let channels = agent.expect("channels").await;
    (agent, channels["data"].clone())
}

fn channel<'v>(frame: &'v Value, name: &str) -> &'v Value {
    let channels = frame["channels"].as_array().expect("a list");
    channels.iter().find(|channel| channel["name"] == name).unwrap_or_else(|| panic!("no {name}: {frame}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_lets_a_program_into_her_home_and_they_talk() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let mut plain = server.agent("Cid").await;
    let (mut bob, mine) = correspondent(&server, "Bob").await;
    assert_eq!((&mine["full"], channel(&mine, "Bob's home")["is_self_room"].as_bool()), (&json!(true), Some(true)));
    assert_eq!(channel(&mine, "Bob's home")["id"], mine["you"], "a home's id is its owner's");
    assert_eq!(channel(&mine, "gossip")["id"], 3);

    ann.ask("channel key add oak", "lets people ask").await;
    bob.command("request ann elm").await;
    bob.expect_text("That key opens nothing there.").await;
    bob.command("request ann oak").await;
    ann.expect("It has the key oak. To answer: channel grant ").await;
    let asked = bob.expect_text("You have asked (#").await["data"]["text"].to_string();
    let number: String = asked.chars().filter(char::is_ascii_digit).collect();
    ann.ask(&format!("channel grant {number}"), "Bob is let in.").await;
    let told = bob.until(|frame| frame["type"] == "channels" && frame["data"]["full"] == false).await;
    let home = channel(&told["data"], "Ann's home").clone();
    assert_eq!((&home["kind"], &home["member_count"], &home["word_budget"]), (&json!("home"), &json!(2), &json!(200)));
    assert!(home.get("my_keys").is_none() && home.get("messages").is_none(), "{home}");

    bob.command("chat ann Good evening.").await;
    ann.expect("Bob: Good evening.").await;
    let own = bob.expect("message").await;
    assert_eq!((&own["data"]["content"], own["data"].get("to_you")), (&json!("Good evening."), None));
    ann.ask("reply last How long do you stay?", "You: How long").await;
    let asked = bob.expect("message").await["data"].clone();
    assert_eq!((&asked["to_you"], &asked["reply_to"]), (&json!(true), &own["data"]["id"]), "{asked}");
    assert_eq!((&asked["sender"]["name"], &asked["channel"]), (&json!("Ann"), &home["id"]));
    assert!(asked["at"].as_u64().is_some_and(|at| at > 1_700_000_000_000), "{asked}");
    bob.command(&format!("react {} heart", asked["id"])).await;
    ann.expect("Bob gives your words a heart.").await;
    let reaction = bob.expect("reaction").await;
    assert_eq!(reaction["data"]["reactions"], json!({"heart": 1}));
    // No frame of it comes to who is no member, and who does not know channels reads lines.
    assert!(plain.fence().await.iter().all(|frame| !frame.to_string().contains("Good evening")));
    ann.ask("channel invite cid", "Cid is invited.").await;
    plain.expect_text("You are invited.").await;
    plain.command("channel join ann").await;
    plain.expect_text("You are in.").await;
    ann.ask("chat home All together now.", "You: All together").await;
    let line = plain.expect_text("All together now.").await;
    assert_eq!((&line["type"], &line["data"]["type"]), (&json!("event"), &json!("channel")), "{line}");

    // A tell to somebody who has lost the link waits.
    bob.close().await;
    ann.ask("tell bob Are you there?", "your words wait there").await;
    let (_bob, again) = correspondent(&server, "Bob").await;
    let direct = channel(&again, "Ann");
    assert_eq!((&direct["kind"], &direct["unread"]), (&json!("direct"), &json!(1)), "{direct}");
    assert_eq!(direct["messages"][0]["to_you"], json!(true), "{direct}");
}

/// Somebody who is invited finds that in the frames until it comes in; what is meant for it says so; and a tell to who
/// has left the world waits.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_invited_called_by_name_or_away_finds_it() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let key = server.key("Bob").await;
    let come = async || {
        let mut bob = server.connect().await;
        let login = json!({"player_name": "Bob", "password": key, "is_agent": true, "features": ["channels"]});
        bob.send(json!({"type": "login", "data": login})).await;
        bob.logged_in().await;
        let channels = bob.expect("channels").await["data"].clone();
        (bob, channels)
    };
    let (mut bob, mine) = come().await;
    assert_eq!(mine.get("invitations"), None);
    ann.ask("channel create Night Watch", "It is yours.").await;
    ann.ask("channel invite bob in nightwatch", "Bob is invited.").await;
    let told = bob.expect("channels").await["data"].clone();
    let invited = told["invitations"].clone();
    assert_eq!((invited[0]["name"].as_str(), told.get("removed")), (Some("Night Watch"), None), "{told}");
    // One who comes later is told of it, too.
    bob.command("quit").await;
    bob.ending().await;
    let (mut bob, mine) = come().await;
    assert_eq!(mine["invitations"], invited, "{mine}");
    bob.command(&format!("channel join {}", invited[0]["id"])).await;
    let told = bob.expect("channels").await["data"].clone();
    assert_eq!(
        (channel(&told, "Night Watch")["id"].as_u64(), told.get("invitations")),
        (invited[0]["id"].as_u64(), None)
    );

    let meant = [("Bob, is all quiet?", true), ("Is all quiet, @bob?", true), ("Quiet, Bob, and dark.", false)];
    for (words, to_you) in meant {
        ann.ask(&format!("chat nightwatch {words}"), words).await;
        let heard = bob.expect("message").await["data"].clone();
        assert_eq!((&heard["content"], heard.get("to_you").is_some()), (&json!(words), to_you), "{heard}");
    }
    bob.command("quit").await;
    bob.ending().await;
    ann.ask("tell bob The gate is shut.", "your words wait there").await;
    let (_bob, mine) = come().await;
    let direct = channel(&mine, "Ann");
    assert_eq!((&direct["unread"], &direct["messages"][0]["content"]), (&json!(1), &json!("The gate is shut.")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_outlives_a_kill_of_the_server() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut ann = server.dial().await;
    ann.log_in("Ann", &key).await;
    ann.ask("channel create Night Watch", "It is yours.").await;
    ann.ask("chat nightwatch All is quiet.", "You: All is quiet.").await;
    ann.ask("attention nightwatch 40%", "it has 40 %").await;
    let state = server.kill();
    let server = Server::start_with(Options { state: Some(state), ..green() });
    let mut ann = server.dial().await;
    ann.log_in("Ann", &key).await;
    let read = ann.ask("channel history nightwatch", "All is quiet.").await;
    assert!(read.contains("#1, just now] Ann: All is quiet."), "{read}");
    ann.ask("attention nightwatch", "40 %").await;
    ann.ask("chat nightwatch Still.", "#2] You: Still.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_answers_what_it_is_told() {
    let server = Server::start_with(Options { tick_ms: 100, ..green() });
    let model = stub::start(0, Box::new(Correspondent::new(1)), StubOptions::default()).await.expect("a port");
    let mut player = Player::of(&server, "Wren").await;
    player.settings["litellm_endpoint"] = json!(format!("http://{}", model.address));
    let logs = player.path("logs").display().to_string();
    let playing =
        player.start(&["session", "--duration", "22s", "--log-dir", &logs, "--think-ms", "300", "--autopilot", "off"]);
    let mut ann = server.person("Ann").await;
    for _ in 0..100 {
        if ann.ask("who", "Ann").await.contains("Wren") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    ann.ask("tell wren Where are you?", "You tell Wren").await;
    ann.expect("Wren tells you, ").await;
    let ended = playing.ended(std::time::Duration::from_secs(40));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let rows = player.rows("logs", "Wren");
    let shown = rows.iter().any(|row| row.to_string().contains("Where are you?"));
    assert!(shown, "the log has what the model was shown");
}
