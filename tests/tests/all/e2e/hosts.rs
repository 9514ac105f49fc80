//! Hosts: programs that play all agents of an owner, by their frames and with the real `dp-agent host`.

use super::{green, green_with};
use agent_cli::stub::policy::Correspondent;
use agent_cli::stub::{self, Stub, StubOptions};
use serde_json::{Value, json};
use std::time::Duration;
use tests::e2e::{Agent, Options, Player, Server};

/// A server with Ann, who owns agents of these names.
fn with_agents(options: Options, names: &[&str]) -> Server {
    let server = Server::start_with(options);
    assert_eq!(server.command(&["keygen", "--name", "Ann"]).code, Some(0));
    for name in names {
        let made = server.command(&["keygen", "--name", name, "--kind", "bot", "--owner", "Ann"]);
        assert_eq!(made.code, Some(0), "{}", made.err);
    }
    server
}

pub(super) fn host_key(server: &Server, owner: &str) -> String {
    let made = server.command(&["keygen", "--host", owner]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    made.out.trim().to_string()
}

/// A host of the test's own, and the agents that it is told of.
pub(super) async fn host(server: &Server, key: &str, instance: &str) -> (Agent, Value) {
    let mut host = server.connect().await;
    host.send(json!({"type": "host", "data": {"key": key, "instance": instance}})).await;
    let told = host.expect("agents").await;
    (host, told["data"].clone())
}

async fn claim(host: &mut Agent, id: &Value) -> Value {
    host.send(json!({"type": "claim", "data": {"id": id}})).await;
    host.until(|frame| frame["type"] == "claimed" || frame["type"] == "error").await
}

/// Reads on until all of these are in this state.
pub(super) async fn until_all(host: &mut Agent, names: &[&str], state: &str) {
    let mut left: Vec<&str> = names.to_vec();
    while !left.is_empty() {
        let told = host.expect("agents").await;
        let rows = told["data"]["agents"].as_array().expect("a list");
        left.retain(|name| !rows.iter().any(|row| row["name"] == *name && row["state"] == state));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_is_told_of_its_owner_s_agents_and_claims_those_that_nobody_plays() {
    let server = with_agents(green_with(&["--host-hold-seconds", "2"]), &["Scout", "Rook"]);
    let other = server.command(&["keygen", "--name", "Stray", "--kind", "persona"]);
    assert_eq!(other.code, Some(0), "{}", other.err);
    let key = host_key(&server, "ann");
    let (mut one, agents) = host(&server, &key, "one").await;
    let rows = agents["agents"].as_array().expect("a list");
    assert_eq!((&agents["full"], rows.len()), (&json!(true), 2), "{agents}");
    let told: Vec<_> = rows.iter().map(|row| (&row["name"], &row["kind"], &row["state"])).collect();
    let expected = ["Scout", "Rook"].map(|name| (json!(name), json!("bot"), json!("dormant")));
    assert_eq!(told, expected.iter().map(|(name, kind, state)| (name, kind, state)).collect::<Vec<_>>());
    let (scout, rook) = (rows[0]["id"].clone(), rows[1]["id"].clone());

    let claimed = claim(&mut one, &scout).await["data"].clone();
    assert_eq!((&claimed["id"], &claimed["name"]), (&scout, &json!("Scout")));
    let mut played = server.connect().await;
    let login = json!({"token": claimed["token"], "is_agent": true, "features": ["channels"]});
    played.send(json!({"type": "login", "data": login})).await;
    assert_eq!(played.logged_in().await["data"]["player"]["name"], "Scout");
    until_all(&mut one, &["Scout"], "running").await;

    // Another host leaves alone what runs, and what the first one holds.
    let (mut two, _) = host(&server, &key, "two").await;
    assert_eq!(claim(&mut two, &scout).await["data"]["code"], "in_use");
    claim(&mut one, &rook).await;
    let held = claim(&mut two, &rook).await;
    assert_eq!((&held["data"]["code"], &held["data"]["retry_after_ms"]), (&json!("held"), &json!(2_000)));
    for (id, why) in [(json!(99_999), "nobody"), (json!(1), "a channel"), (agents["agents"][0]["id"].clone(), "")] {
        let answer = claim(&mut two, &id).await;
        assert_eq!(answer["data"]["code"], if why.is_empty() { "in_use" } else { "no_agent" }, "{why}");
    }

    // The first one's connection breaks; it is back before its time is over, and has again what it held.
    drop(one);
    let (mut one, _) = host(&server, &key, "one").await;
    assert_eq!(claim(&mut two, &rook).await["data"]["code"], "held");
    assert_eq!(claim(&mut one, &rook).await["type"], "claimed");
    // It breaks for good.
    drop(one);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let held = claim(&mut two, &rook).await;
    let wait_ms = held["data"]["retry_after_ms"].as_u64().expect("it says how long");
    assert!(held["data"]["code"] == "held" && (1..=2_000).contains(&wait_ms), "{held}");
    tokio::time::sleep(Duration::from_millis(wait_ms)).await;
    assert_eq!(claim(&mut two, &rook).await["type"], "claimed");
    // Who says goodbye holds nothing.
    two.close().await;
    let (mut three, _) = host(&server, &key, "three").await;
    assert_eq!(claim(&mut three, &rook).await["type"], "claimed");
    // What is played goes on, whatever becomes of hosts.
    played.fence().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_host_is_told_so_and_a_revoked_key_ends_all() {
    let server = with_agents(green(), &["Scout"]);
    let agent_key = server.key("Scout").await;
    let key = host_key(&server, "Ann");
    assert_eq!(server.command(&["keygen", "--host", "Nobody"]).code, Some(1));
    let mut stranger = server.connect().await;
    for (bad, why) in
        [(agent_key.as_str(), "an agent's"), ("dh_12", "too short"), (&format!("dh_{}", "0".repeat(64)), "nobody's")]
    {
        stranger.send(json!({"type": "host", "data": {"key": bad}})).await;
        let error = stranger.expect_error("bad_login").await;
        assert!(!error.to_string().contains(bad), "{why}: a key is never said again: {error}");
    }
    stranger.send(json!({"type": "claim", "data": {"id": 101}})).await;
    stranger.expect_error("not_logged_in").await;
    stranger.send(json!({"type": "host"})).await;
    stranger.expect_error("bad_field").await;
    stranger.send(json!({"type": "login", "data": {"player_name": "ann", "password": key}})).await;
    stranger.expect_error("bad_login").await;

    let (mut one, agents) = host(&server, &key, "one").await;
    one.send(json!({"type": "login", "data": {"player_name": "scout", "password": agent_key}})).await;
    one.expect_error("already_logged_in").await;
    one.command("look").await;
    one.expect_error("not_logged_in").await;
    let claimed = claim(&mut one, &agents["agents"][0]["id"]).await;
    let mut played = server.connect().await;
    played.send(json!({"type": "login", "data": {"token": claimed["data"]["token"], "is_agent": true}})).await;
    played.logged_in().await;
    let listed = server.command(&["keys", "--name", "ann"]).out;
    assert!(listed.contains("h1") && listed.contains("host of Ann"), "{listed}");
    let revoked = server.command(&["revoke", "h1"]);
    assert!(revoked.out.starts_with("Revoked key h1 (dh_"), "{}{}", revoked.out, revoked.err);
    one.expect_error("key_revoked").await;
    assert_eq!(one.ending().await.0, 1008);
    played.expect_error("key_revoked").await;
    let mut again = server.connect().await;
    again.send(json!({"type": "login", "data": {"token": claimed["data"]["token"], "is_agent": true}})).await;
    again.expect_error("bad_login").await;
    again.send(json!({"type": "host", "data": {"key": key}})).await;
    again.expect_error("key_revoked").await;
    let log = server.log();
    assert!(!log.contains(&key[11..]), "no key is in the log");
}

/// What a host of this key is started with, and the model that answers it.
async fn with_a_model(server: &Server, key: &str) -> (Player, Stub) {
    let model = stub::start(0, Box::new(Correspondent::new(1)), StubOptions::default()).await.expect("a port");
    let mut player = Player::at(server.http);
    player.settings["host_key"] = json!(key);
    player.settings["litellm_endpoint"] = json!(format!("http://{}", model.address));
    player.settings["model_fallback"] = json!("none");
    (player, model)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_plays_what_its_owner_has_and_another_takes_over_when_it_dies() {
    let options = Options { tick_ms: 200, ..green_with(&["--host-hold-seconds", "2", "--resume-grace-seconds", "0"]) };
    let server = with_agents(options, &["Scout", "Rook"]);
    let key = host_key(&server, "Ann");
    let (player, _model) = with_a_model(&server, &key).await;
    let (mut watcher, _) = host(&server, &key, "watcher").await;
    let first = player.start(&["host", "--autopilot", "off"]);
    until_all(&mut watcher, &["Scout", "Rook"], "running").await;
    // One that is made meanwhile is taken up, too, and an agent of nobody's is not.
    let made = server.command(&["keygen", "--name", "Finch", "--kind", "bot", "--owner", "Ann", "--model", "m-9"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    first.until_said("Finch: Its record asks for the model m-9, which `models` does not list").await;
    until_all(&mut watcher, &["Finch"], "running").await;
    let mut cid = server.person("Cid").await;
    cid.ask("tell scout Where are you?", "You tell Scout").await;
    cid.expect("Scout tells you, ").await;

    let second = player.start(&["host", "--no-model"]);
    second.until_said("Connected: the owner has 3 agents.").await;
    first.signal("KILL");
    let all = ["Scout", "Rook", "Finch"];
    until_all(&mut watcher, &all, "dormant").await;
    second.until_said("until a moment ago").await;
    until_all(&mut watcher, &all, "running").await;
    drop(first);
    second.signal("INT");
    let ended = second.ended(Duration::from_secs(60));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    for name in all {
        assert!(ended.err.contains(&format!("{name}: level 1")), "{}", ended.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_is_made_in_the_game_runs_at_once_and_stops_when_it_is_retired() {
    let options = Options { tick_ms: 200, ..green() };
    let server = with_agents(options, &["Scout"]);
    assert_eq!(server.command(&["promote", "Ann", "--architect"]).code, Some(0));
    let key = host_key(&server, "Ann");
    let mut player = Player::at(server.http);
    player.settings["host_key"] = json!(key);
    let (mut watcher, _) = host(&server, &key, "watcher").await;
    let playing = player.start(&["host", "--no-model"]);
    until_all(&mut watcher, &["Scout"], "running").await;
    let mut ann = server.dial().await;
    ann.log_in("Ann", &server.key("Ann").await).await;
    ann.ask("agent create Finch bot = You carry letters.", "you are told when it is made").await;
    let begun = std::time::Instant::now();
    ann.expect("is made, and plays as soon as a host runs it.").await;
    until_all(&mut watcher, &["Finch"], "running").await;
    assert!(begun.elapsed() < Duration::from_secs(10), "within seconds: {:?}", begun.elapsed());
    ann.ask("agent retire finch", "Finch is retired.").await;
    until_all(&mut watcher, &["Finch"], "retired").await;
    playing.until_said("Finch: ").await;
    ann.ask("agent show finch", "retired").await;
    let listed = host(&server, &key, "late").await.1;
    let finch = listed["agents"].as_array().expect("a list").iter().find(|row| row["name"] == "Finch").cloned();
    let answer = claim(&mut watcher, &finch.expect("it stays on the list")["id"]).await;
    assert_eq!(answer["data"]["code"], "retired");
    playing.signal("INT");
    let ended = playing.ended(Duration::from_secs(60));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("Scout: level 1"), "{}", ended.err);
}

/// At the pace of the game: made, claimed, played, spoken to, answered.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_agent_answers_within_seconds_of_its_making() {
    let options = Options { tick_ms: 2_000, ..green() };
    let server = with_agents(options, &["Scout"]);
    assert_eq!(server.command(&["promote", "Ann", "--architect"]).code, Some(0));
    let key = host_key(&server, "Ann");
    let (player, _model) = with_a_model(&server, &key).await;
    let (mut watcher, _) = host(&server, &key, "watcher").await;
    let _playing = player.start(&["host", "--autopilot", "off"]);
    until_all(&mut watcher, &["Scout"], "running").await;
    let mut cid = server.person("Cid").await;
    let mut ann = server.dial().await;
    ann.log_in("Ann", &server.key("Ann").await).await;
    let begun = std::time::Instant::now();
    ann.ask("agent create Finch bot = You carry letters.", "you are told when it is made").await;
    until_all(&mut watcher, &["Finch"], "running").await;
    let running = begun.elapsed();
    cid.ask("tell finch Where are you?", "You tell Finch").await;
    cid.expect("Finch tells you, ").await;
    let answered = begun.elapsed();
    eprintln!("an agent that was ordered ran after {running:.1?} and had answered after {answered:.1?}");
    assert!(answered < Duration::from_secs(20), "it answered after {answered:.1?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_says_in_which_forms_its_agent_is_asked_and_answers() {
    let server = with_agents(Options { tick_ms: 200, ..green() }, &[]);
    for words in [
        &["--name", "Scout", "--out-format", "plain", "--in-format", "json", "--tier", "small"][..],
        &["--name", "Rook", "--out-format", "semaphore"],
    ] {
        let made = server.command(&[&["keygen", "--kind", "bot", "--owner", "Ann"], words].concat());
        assert_eq!(made.code, Some(0), "{}", made.err);
    }
    let key = host_key(&server, "Ann");
    let (player, _model) = with_a_model(&server, &key).await;
    let (mut watcher, _) = host(&server, &key, "watcher").await;
    let logs = player.path("logs").display().to_string();
    let playing = player.start(&["host", "--autopilot", "off", "--log-dir", &logs]);
    until_all(&mut watcher, &["Scout", "Rook"], "running").await;
    // What a record asks for in vain is told, and the settings hold.
    playing.until_said("Rook: Its record asks for something else than there is").await;
    let mut cid = server.person("Cid").await;
    cid.ask("tell scout Where are you?", "You tell Scout").await;
    cid.expect("Scout tells you, ").await;
    playing.signal("INT");
    let ended = playing.ended(Duration::from_secs(60));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let header =
        |name: &str| player.rows("logs", name).into_iter().find(|row| row["kind"] == "header").expect("a header");
    let form = |name: &str| {
        let settings = header(name)["config"].clone();
        ["answer_form", "format", "tier"].map(|field| settings[field].as_str().unwrap_or_default().to_string())
    };
    assert_eq!(form("Scout"), ["plain", "json", "small"]);
    assert_eq!(form("Rook"), ["schema", "markdown", "medium"]);
}
