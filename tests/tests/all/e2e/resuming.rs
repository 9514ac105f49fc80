//! A connection that breaks in the middle of play, and one that goes on where it stopped: nothing lost, nothing twice.

use super::{green, green_with, login, texts};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::Duration;
use tests::e2e::{Agent, Options, Player, Server};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What a client needs to come back.
#[derive(Clone)]
struct Stream {
    id: String,
    token: String,
}

const FEATURES: [&str; 2] = ["vars", "resume"];

async fn begin(server: &Server, name: &str, key: &str) -> (Agent, Stream) {
    let mut client = server.connect().await;
    client.send(login(json!({"player_name": name, "password": key, "features": FEATURES}))).await;
    let state = client.expect("state").await;
    (client, stream_of(&state))
}

fn stream_of(state: &Value) -> Stream {
    assert_eq!((&state["seq"], &state["data"]["resumed"]), (&json!(1), &json!(false)), "{state}");
    let text = |field: &str| state["data"][field].as_str().unwrap_or_else(|| panic!("{field}: {state}")).to_string();
    let (id, token) = (text("stream"), text("token"));
    assert!(id.len() == 32 && id.bytes().all(|digit| digit.is_ascii_hexdigit()), "{id}");
    Stream { id, token }
}

/// Another connection that says where it stopped; its frames are to follow on that.
async fn come_back(server: &Server, stream: &Stream, seq: u64) -> Agent {
    let mut client = server.connect().await;
    client.seq = seq;
    let resume = json!({"stream": stream.id, "seq": seq});
    client.send(login(json!({"token": stream.token, "features": FEATURES, "resume": resume}))).await;
    client
}

/// The same where it cannot go on: the new stream.
async fn begins_anew(server: &Server, token: &str, id: &str, seq: u64) -> (Agent, Stream) {
    let mut client = server.connect().await;
    let resume = json!({"stream": id, "seq": seq});
    client.send(login(json!({"token": token, "features": FEATURES, "resume": resume}))).await;
    let first = client.next().await;
    assert_eq!(first["type"], "state", "{first}");
    let stream = stream_of(&first);
    assert_ne!(stream.id, id);
    (client, stream)
}

async fn types(client: &mut Agent, id: u64, line: &str) {
    client.send(json!({"type": "command", "data": {"command": line, "id": id}})).await;
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

/// Reads on until this was told. What was on its way when somebody came back comes behind `resumed`.
async fn hears(client: &mut Agent, what: &str) {
    if !texts(&client.frames).contains(what) {
        client.expect_text(what).await;
    }
}

#[tokio::test]
async fn what_was_missed_comes_once_in_order_and_commands_run_once() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut bob = server.person("Bob").await;
    let (mut ann, stream) = begin(&server, "Ann", &key).await;
    ann.subscribe(&["POSITION"]).await;
    types(&mut ann, 1, "say the first").await;
    ann.expect_text("You say, \"the first\"").await;
    let seq = ann.seq;
    for round in 0..3 {
        drop(ann);
        for n in 0..20 {
            bob.ask(&format!("say word {round} {n}."), &format!("word {round} {n}.\"")).await;
        }
        let from = if round == 0 { seq } else { seq + 1 };
        ann = come_back(&server, &stream, from).await;
        // Among what comes again are the ends of the times before.
        let resumed = loop {
            let resumed = ann.expect("resumed").await;
            let missed = resumed["data"]["missed"].as_u64().expect("a number");
            if resumed["seq"] == json!(from + missed + 1) {
                break resumed;
            }
        };
        assert_eq!((&resumed["data"]["stream"], &resumed["data"]["last_command"]), (&json!(stream.id), &json!(1)));
        hears(&mut ann, &format!("word {round} 19.")).await;
        let text = texts(&ann.frames);
        // Whoever says that it has less gets more again: all of it, in order.
        for (round, n) in (0..=round).flat_map(|round| (0..20).map(move |n| (round, n))) {
            assert!((round, n) == (0, 0) || count(&text, &format!("word {round} {n}.")) == 1, "{round} {n}: {text}");
        }
        assert!(!text.contains("The Village Green"), "nobody looks about who was never away: {text}");
    }
    // What may have been lost is sent again.
    types(&mut ann, 1, "say the first").await;
    types(&mut ann, 2, "sit").await;
    types(&mut ann, 2, "sit").await;
    let frames = ann.fence().await;
    let text = texts(&frames);
    assert_eq!((count(&text, "the first"), count(&text, "sit")), (0, 1), "{text}");
    assert_eq!(ann.vars["POSITION"], "sitting", "what was subscribed stays so");
    let seq = ann.seq;
    drop(ann);
    let mut ann = come_back(&server, &stream, seq).await;
    assert_eq!(ann.expect("resumed").await["data"]["last_command"], 2);
    bob.glance().await;
    assert!(!bob.has_read("lose their focus"), "nobody saw that she was gone");
}

#[tokio::test]
async fn the_world_hears_of_a_long_break_and_the_stream_ends_with_the_visit() {
    let server = Server::start_with(green_with(&["--resume-grace-seconds", "0"]));
    let key = server.key("Ann").await;
    let mut bob = server.person("Bob").await;
    let (ann, stream) = begin(&server, "Ann", &key).await;
    bob.expect("Ann").await;
    let seq = ann.seq;
    drop(ann);
    bob.expect("Ann's eyes lose their focus.").await;
    bob.ask("say are you there", "there\"").await;
    let mut ann = come_back(&server, &stream, seq).await;
    ann.expect("resumed").await;
    hears(&mut ann, "Bob says, \"are you there\"").await;
    bob.expect("Ann stirs and looks about.").await;
    let seq = ann.seq;
    drop(ann);
    bob.expect("Ann's eyes lose their focus.").await;
    server.tick(160).await;
    bob.expect("Ann").await;
    begins_anew(&server, &stream.token, &stream.id, seq).await;
}

#[tokio::test]
async fn a_hot_restart_hands_streams_over() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut bob = server.person("Bob").await;
    let (mut ann, stream) = begin(&server, "Ann", &key).await;
    ann.subscribe(&["POSITION"]).await;
    types(&mut ann, 1, "sit").await;
    ann.fence().await;
    let seq = ann.seq;
    // One that has broken before, and one that is told of the restart.
    drop(ann);
    bob.ask("say before the restart", "before the restart").await;
    let cid = server.key("Cid").await;
    let (mut cid, other) = begin(&server, "Cid", &cid).await;
    cid.fence().await;
    server.copyover().await;
    cid.expect("error").await;
    let heard = cid.seq;
    bob.ask("say after the restart", "after the restart").await;
    server.tick(2).await;
    bob.ask("say and after a tick", "and after a tick").await;

    let mut ann = come_back(&server, &stream, seq).await;
    let resumed = ann.expect("resumed").await;
    assert_eq!((&resumed["data"]["stream"], &resumed["data"]["last_command"]), (&json!(stream.id), &json!(1)));
    hears(&mut ann, "and after a tick").await;
    let frames = ann.fence().await;
    let text = texts(&ann.frames);
    for said in ["before the restart", "after the restart", "and after a tick"] {
        assert_eq!(count(&text, said), 1, "{said}: {text}");
    }
    assert_eq!(ann.vars["POSITION"], "sitting", "what was subscribed stays so");
    assert!(frames.iter().all(|frame| frame["type"] != "state"), "nobody is greeted who was never away");
    assert!(!text.contains("The Village Green"), "nor looks about: {text}");
    types(&mut ann, 1, "stand").await;
    types(&mut ann, 2, "say I was never away").await;
    ann.expect_text("never away").await;
    ann.fence().await;
    assert_eq!(ann.vars["POSITION"], "sitting", "what was taken before is not done again");

    let mut cid = come_back(&server, &other, heard).await;
    cid.expect("resumed").await;
    hears(&mut cid, "and after a tick").await;
    let text = texts(&cid.frames);
    assert_eq!((count(&text, "after the restart"), count(&text, "after a tick")), (1, 1), "{text}");
    assert!(!bob.has_read("lose their focus") && !bob.has_read("stirs"), "nobody saw that they were gone");
    // And from there on as any other, over another restart too.
    let seq = ann.seq;
    server.copyover().await;
    bob.ask("say and then", "and then").await;
    let mut ann = come_back(&server, &stream, seq).await;
    ann.expect("resumed").await;
    hears(&mut ann, "and then").await;
    // Another's stream is nobody's way in.
    let (_, anew) = begins_anew(&server, &other.token, &stream.id, seq).await;
    assert_ne!(anew.id, stream.id);
}

#[tokio::test]
async fn who_is_away_for_long_stays_so_over_a_hot_restart() {
    let server = Server::start_with(green_with(&["--resume-grace-seconds", "0"]));
    let key = server.key("Ann").await;
    let mut bob = server.person("Bob").await;
    let (ann, stream) = begin(&server, "Ann", &key).await;
    let seq = ann.seq;
    drop(ann);
    bob.expect("Ann's eyes lose their focus.").await;
    server.copyover().await;
    bob.ask("say are you there", "there\"").await;
    assert!(!bob.has_read("stirs"), "she is as far away as she was");
    let mut ann = come_back(&server, &stream, seq).await;
    ann.expect("resumed").await;
    hears(&mut ann, "are you there").await;
    bob.expect("Ann stirs and looks about.").await;
}

#[tokio::test]
async fn who_leaves_ends_the_stream_at_once() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut bob = server.person("Bob").await;
    let (mut ann, stream) = begin(&server, "Ann", &key).await;
    bob.expect("Ann").await;
    ann.leave().await;
    bob.expect("Ann's eyes lose their focus.").await;
    begins_anew(&server, &stream.token, &stream.id, 2).await;
}

#[tokio::test]
async fn what_cannot_go_on_begins_anew() {
    let server = Server::start_with(green());
    let (key, other) = (server.key("Ann").await, server.key("Bob").await);
    let (bob, theirs) = begin(&server, "Bob", &other).await;
    let (_, first) = begin(&server, "Ann", &key).await;
    // A frame that was never sent, another's stream, none at all.
    let (_, second) = begins_anew(&server, &first.token, &first.id, 9_999).await;
    let (_, third) = begins_anew(&server, &second.token, &theirs.id, bob.seq).await;
    let (mut ann, fourth) = begins_anew(&server, &third.token, "no such stream", 1).await;
    // Frames that are too old.
    for n in 0..600 {
        ann.command(&format!("say {n}")).await;
    }
    ann.expect_text("You say, \"599\"").await;
    let seq = ann.seq;
    drop(ann);
    let (_, fifth) = begins_anew(&server, &fourth.token, &fourth.id, seq - 590).await;
    // As an agent it would read something else.
    let mut agent = server.connect().await;
    let resume = json!({"stream": fifth.id, "seq": 1});
    agent.send(login(json!({"token": fifth.token, "is_agent": true, "features": FEATURES, "resume": resume}))).await;
    assert_eq!(agent.next().await["type"], "state");
    // And what is no place in a stream is named.
    let mut wrong = server.connect().await;
    wrong.send(login(json!({"token": fifth.token, "features": FEATURES, "resume": {"seq": 3}}))).await;
    let error = wrong.expect_error("bad_field").await;
    assert!(error["data"]["message"].as_str().is_some_and(|text| text.contains("`stream`")), "{error}");
    // Without the feature nothing changes.
    let mut plain = server.connect().await;
    plain.numbered = false;
    plain.send(login(json!({"token": fifth.token, "resume": {"stream": fifth.id, "seq": 1}}))).await;
    let state = plain.expect("state").await;
    assert!(state["data"].get("stream").is_none() && state["data"].get("resumed").is_none(), "{state}");
}

#[tokio::test]
async fn of_two_windows_the_later_one_goes_on() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let (mut ann, stream) = begin(&server, "Ann", &key).await;
    ann.fence().await;
    let seq = ann.seq;
    let mut later = come_back(&server, &stream, seq).await;
    assert_eq!(later.expect("resumed").await["data"]["missed"], 0);
    let (code, reason, frames) = ann.ending().await;
    assert_eq!((code, &*reason), (1008, "the stream goes on elsewhere"));
    assert_eq!(frames, [] as [Value; 0], "without a word");
    later.command("say still here").await;
    later.expect_text("You say, \"still here\"").await;
    // Somebody else who plays the character ends it.
    let mut third = server.connect().await;
    third.log_in("Ann", &key).await;
    later.expect_error("taken_over").await;
    assert!(later.next_or_end().await.is_err());
    tokio::time::sleep(Duration::from_millis(50)).await;
    begins_anew(&server, &stream.token, &stream.id, seq).await;
}

#[tokio::test]
async fn an_agent_resumes_with_its_variables() {
    let server = Server::start_with(green());
    let key = server.key("Bot").await;
    let mut bob = server.person("Bob").await;
    let mut bot = server.connect().await;
    let data = json!({"player_name": "Bot", "password": key, "is_agent": true, "features": ["resume"]});
    bot.send(login(data)).await;
    let stream = stream_of(&bot.expect("state").await);
    bot.subscribe(&["HEALTH", "ROOM_PLAYERS", "EVENTS", "ROOM_COORDS", "ROOM_EXITS_TO", "WORLD_TIME"]).await;
    bot.fence().await;
    assert!(bot.vars["ROOM_COORDS"].as_array().is_some_and(|place| place.len() == 3), "{:?}", bot.vars);
    assert!(bot.vars["ROOM_EXITS_TO"]["north"].is_number(), "{:?}", bot.vars);
    let hour = bot.vars["WORLD_TIME"]["hour"].clone();
    let (seq, vars) = (bot.seq, bot.vars.clone());
    drop(bot);
    bob.ask("sit", "sit").await;
    server.tick(33).await;
    let mut bot = server.connect().await;
    (bot.seq, bot.vars) = (seq, vars);
    let resume = json!({"stream": stream.id, "seq": seq});
    bot.send(login(json!({"token": stream.token, "is_agent": true, "features": ["resume"], "resume": resume}))).await;
    bot.expect("resumed").await;
    bot.changes_equal_a_full_dump("after the break").await;
    assert_ne!(bot.vars["WORLD_TIME"]["hour"], hour, "another hour was told");
}

/// A wire to the server that can be cut, and is mended at once.
struct Wire {
    address: SocketAddr,
    through: std::sync::Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl Wire {
    async fn to(server: SocketAddr) -> Wire {
        let door = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = door.local_addr().expect("an address");
        let through = std::sync::Arc::<Mutex<Vec<JoinHandle<()>>>>::default();
        let all = through.clone();
        tokio::spawn(async move {
            while let Ok((mut near, _)) = door.accept().await {
                let going = tokio::spawn(async move {
                    let mut far = TcpStream::connect(server).await.expect("the server is there");
                    // However it ends: so do connections.
                    let _end = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                });
                all.lock().expect("nobody panicked with it").push(going);
            }
        });
        Wire { address, through }
    }

    fn cut(&self) {
        self.through.lock().expect("nobody panicked with it").drain(..).for_each(|going| going.abort());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dp_agent_goes_on_where_it_broke_off_and_over_a_hot_restart() {
    let server = Server::start_with(Options { tick_ms: 100, ..green() });
    let mut ann = server.person("Ann").await;
    let wire = Wire::to(server.http).await;
    let mut player = Player::of(&server, "Wren").await;
    player.settings["game_port"] = json!(wire.address.port());
    player.save();
    let logs = player.path("logs").display().to_string();
    let playing = player.start(&["session", "--duration", "12s", "--no-model", "--log-dir", &logs]);
    playing.until_said("In the game").await;
    ann.expect("Wren").await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    wire.cut();
    playing.until_said("The session goes on").await;
    server.copyover().await;
    let deadline = std::time::Instant::now() + Duration::from_secs(8);
    while playing.said().matches("The session goes on").count() < 2 {
        assert!(std::time::Instant::now() < deadline, "{}", playing.said());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let ended = playing.ended(Duration::from_secs(30));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(ended.err.matches("In the game").count(), 1, "it came in once: {}", ended.err);
    let rows = player.rows("logs", "Wren");
    let notes: Vec<&Value> = rows.iter().filter(|row| row["kind"] == "note").map(|row| &row["what"]).collect();
    assert_eq!(notes.iter().filter(|what| **what == "resumed").count(), 2, "{notes:?}");
    assert_eq!(notes.iter().filter(|what| **what == "login").count(), 0, "{notes:?}");
    let lost: Vec<&Value> = rows.iter().filter(|row| row["outcome"] == "no answer").collect();
    assert!(lost.is_empty(), "{lost:?}");
    // Nobody saw anything of it.
    let seen = ann.ask("look", "Exits").await;
    assert!(!seen.contains("focus"), "{seen}");
    let log = player.log_files("logs", "Wren")[0].display().to_string();
    let checked = player.run(&["log", "check", &log]);
    assert_eq!(checked.code, Some(0), "{}\n{}", checked.out, checked.err);
}
