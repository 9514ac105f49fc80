//! Memories: from what happened in the game, or stands in the log, to what an agent is told at its login, recalls in
//! the game and decides by.

use super::{green, login};
use dreaming::Record;
use mind::{Event, LogEntry};
use protocol::happening::{Happening, Help, Place, Role, What};
use protocol::outcome::{Who, WhoKind};
use serde_json::{Value, json};
use server::store::agent_events::row_of;
use server::store::{Store, StoreOptions, agent_events, logs};
use std::path::Path;
use tests::e2e::{Agent, Player, Server};

/// A day ago: what is much older has faded by now.
fn yesterday_ms() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    now.as_millis() as i64 - 86_400_000
}

pub(super) fn database(state: &Path) -> String {
    format!("sqlite:{}", state.join("darkpawns.sqlite").display())
}

fn who(name: &str) -> Who {
    Who { id: format!("player_{}", name.to_lowercase()).into(), name: name.into(), kind: WhoKind::Player, level: 5 }
}

/// Two minutes of yesterday: betrayed by Mordred, saved by Bob.
pub(super) fn yesterday(name: &str) -> Vec<Record> {
    let at_ms = yesterday_ms();
    let me = || who(name);
    let betrayed = What::Betrayed { by: who("Mordred"), victim: me() };
    let saved = What::Helped { helper: who("Bob"), helped: me(), how: Help::Rescued, hp_percent: Some(8) };
    let record = |(n, what): (usize, What)| {
        let room = Place { vnum: 100, name: "The Village Green".into() };
        let (witnesses, social_event_id, novel) = (Vec::new(), None, false);
        let mut happening =
            Happening { what, role: Role::Suffered, room, witnesses, social_event_id, novel, valence: None };
        happening.valence = Some(mind::appraisal::appraise(&happening).valence);
        Record { seq: n as u64 + 1, tick: n as u64, at_ms: at_ms + n as i64 * 60_000, happening }
    };
    [betrayed, saved].into_iter().enumerate().map(record).collect()
}

pub(super) async fn lived(database: &str, name: &str, records: &[Record]) {
    let store = Store::connect(database, &StoreOptions::default()).await.expect("it opens");
    let row = |record: &Record| {
        let event = Event::Happening(Box::new(record.happening.clone()));
        let entry = LogEntry { seq: record.seq, tick: record.tick, at_ms: record.at_ms, input: record.seq, event };
        row_of(name, &entry, None)
    };
    let rows: Vec<_> = records.iter().map(row).collect();
    agent_events::append(&store, &rows).await.expect("written");
    store.close().await;
}

/// Whether somebody's log is the same, byte by byte.
pub(super) async fn log_of(database: &str, name: &str) -> Vec<agent_events::AgentEvent> {
    let store = Store::connect(database, &StoreOptions::default()).await.expect("it opens");
    let rows = logs::after(&store, name, 0, 100_000).await.expect("read");
    store.close().await;
    rows
}

async fn comes_in(server: &Server, name: &str, key: &str) -> Agent {
    let mut agent = server.connect().await;
    let data = json!({"player_name": name, "password": key, "is_agent": true, "tier": "small", "features": ["mind"]});
    agent.send(login(data)).await;
    agent.expect("vars").await;
    agent.expect("mind").await;
    agent.subscribe(&["EVENTS"]).await;
    agent.fence().await;
    agent
}

/// The types of frames so far, lines left out.
fn kinds(agent: &Agent) -> Vec<&str> {
    agent.frames.iter().filter_map(|frame| frame["type"].as_str()).filter(|kind| *kind != "event").collect()
}

fn recalled(agent: &Agent) -> Vec<&Value> {
    agent.frames.iter().map(|frame| &frame["data"]).filter(|data| data["kind"] == "recalled").collect()
}

#[tokio::test]
async fn what_was_dreamt_is_told_at_login_and_what_happens_is_recalled() {
    let server = Server::start_with(green());
    let database = database(server.state.path());
    let key = server.key("Brenda").await;
    lived(&database, "brenda", &yesterday("Brenda")).await;
    let (state, dir) = (server.state.path(), server.state.path().join("dreaming"));
    let (state, dir_word) = (state.display().to_string(), dir.display().to_string());
    let words = ["dream", "--agent", "Brenda", "--state-dir", &state, "--dreaming-dir", &dir_word];
    let dreamt = tests::e2e::run(&words);
    assert_eq!(dreamt.code, Some(0), "{dreamt:?}");

    let mut brenda = comes_in(&server, "Brenda", &key).await;
    assert_eq!(kinds(&brenda)[..5], ["state", "memory_bootstrap", "memory_summary", "vars", "mind"]);
    let (bootstrap, summary) = (brenda.frames[1].clone(), brenda.frames[2].clone());
    assert_eq!((&bootstrap["seq"], &summary["seq"]), (&json!(2), &json!(3)));
    let block = bootstrap["data"]["block"].as_str().expect("a text");
    let warnings = block.split("ACTIVE WARNINGS\n").nth(1).expect("there are warnings");
    assert!(warnings.contains("Was betrayed by Mordred at the Village Green"), "{block}");
    assert!(block.contains("Was rescued by Bob at 8 % of my health"), "{block}");
    assert_eq!(bootstrap["data"]["count"], json!(bootstrap["data"]["memories"].as_array().expect("a list").len()));
    let file = std::fs::read_to_string(dir.join("Brenda/memory-summary.txt")).expect("the dream wrote it");
    assert_eq!(
        (summary["summary"].as_str(), &summary["summary"]),
        (Some(file.trim_end()), &summary["data"]["summary"])
    );
    let snapshot = brenda.frames.iter().find(|frame| frame["type"] == "mind").expect("it came");
    assert_eq!(snapshot["data"]["recalls"], true);

    // Played: somebody threatens.
    let mut mordred = server.person("Mordred").await;
    mordred.ask("say I will kill you, Brenda!", "You say").await;
    brenda.expect_text("I will kill you").await;
    brenda.fence().await;
    let before = log_of(&database, "brenda").await;
    brenda.command("recall Mordred").await;
    brenda.expect_text("You remember:").await;
    let answer = brenda.last_text().to_string();
    assert!(answer.contains("Was betrayed by Mordred") && answer.contains("I will kill you"), "{answer}");
    let frames = recalled(&brenda);
    assert_eq!((frames.len(), &frames[0]["words"]), (1, &json!("Mordred")));
    let memories = frames[0]["memories"].as_array().expect("a list");
    let threat = memories.iter().find(|memory| memory["text"].as_str().is_some_and(|text| text.contains("kill you")));
    let threat = threat.expect("it is there as well").clone();
    assert_eq!((&threat["valence"], &threat["age_hours"]), (&json!(-2), &json!(0.0)), "{threat}");
    brenda.command(&format!("recall why {}", threat["id"].as_str().expect("a name"))).await;
    brenda.expect_text("because of this").await;
    let why = brenda.last_text().to_string();
    assert!(why.contains(&format!("#{} ", threat["evidence"][0])) && why.contains("I will kill you"), "{why}");
    brenda.command("recall").await;
    brenda.expect_text("You remember:").await;
    assert!(brenda.last_text().contains("Mordred"), "he is here: {}", brenda.last_text());
    brenda.command("recall Nobody Inparticular").await;
    brenda.expect_text("You remember nothing of that.").await;
    assert_eq!(recalled(&brenda).last().expect("a frame")["memories"], json!([]));
    // People have the verb too, each for itself.
    mordred.ask("recall Bob", "You remember nothing").await;
    mordred.ask("recall why event:9999", "You have no memory event:9999.").await;
    mordred.ask("recall why player:bob", "You have no memory player:bob.").await;
    assert_eq!(log_of(&database, "brenda").await[..before.len()], before[..]);

    // Whoever takes over is told again, with what happened meanwhile.
    let again = comes_in(&server, "Brenda", &key).await;
    assert_eq!(kinds(&again)[..4], ["state", "memory_bootstrap", "memory_summary", "vars"]);
    assert!(
        again.frames[1]["data"]["block"].as_str().is_some_and(|block| block.contains("kill you")),
        "{:?}",
        again.frames[1]
    );
    let stopped = server.stop();
    assert!(stopped.code == Some(0) && !stopped.log.contains("ERROR"), "{}", stopped.log);
}

#[tokio::test]
async fn who_has_nothing_to_remember_and_who_is_no_agent_is_told_nothing() {
    let server = Server::start_with(green());
    let key = server.key("Carl").await;
    let carl = comes_in(&server, "Carl", &key).await;
    assert_eq!(kinds(&carl)[..3], ["state", "vars", "mind"]);
    lived(&database(server.state.path()), "dora", &yesterday("Dora")).await;
    let key = server.key("Dora").await;
    let mut dora = server.connect().await;
    dora.log_in_as_person("Dora", &key).await;
    dora.command("recall Mordred").await;
    dora.expect_text("Was betrayed by Mordred").await;
    assert!(kinds(&dora).iter().all(|kind| !kind.starts_with("memory") && *kind != "mind"), "{:?}", kinds(&dora));
}

/// The whole way: the log, the dream, the login, the prompt of dp-agent, and the record of what it decided by.
#[tokio::test(flavor = "multi_thread")]
async fn dp_agent_plays_with_its_memories() {
    let server = Server::start_with(green());
    let player = Player::of(&server, "Walker").await;
    lived(&database(server.state.path()), "walker", &yesterday("Walker")).await;
    let prompt = player.run(&["hud"]);
    assert_eq!(prompt.code, Some(0), "{}", prompt.err);
    for wanted in ["ACTIVE WARNINGS", "Was betrayed by Mordred", "saved my life on "] {
        assert!(prompt.out.contains(wanted), "{wanted}: {}", prompt.out);
    }
}
