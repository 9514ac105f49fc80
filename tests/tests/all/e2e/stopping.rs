//! The end of a server, and the next one on the same state.

use super::green;
use serde_json::{Value, json};
use tests::e2e::{Options, Server};

#[tokio::test]
async fn a_signal_saves_everybody_and_the_next_server_goes_on() {
    let server = Server::start_with(green());
    Box::pin(go_on(server, Vec::new())).await;
}

/// The same on any database, named by `more`.
pub async fn go_on(server: Server, more: Vec<String>) {
    let key = server.key("Brenda").await;
    let mut ann = server.dial().await;
    ann.create("Ann", "swordfish").await;
    ann.ask("1", "Village Green").await;
    let mut god = server.immortal("Godric", 39).await;
    let mut bot = server.connect().await;
    bot.log_in("Brenda", &key).await;
    ann.ask("title the Patient", "Patient").await;
    ann.ask("alias x say hello", "x").await;
    god.ask("set ann gold 321", "is 321 now").await;
    god.ask("set ann bank 45", "is 45 now").await;
    god.ask("load obj 110", "\r\n").await;
    bot.command("east").await;
    bot.expect_text("The Shop").await;
    bot.fence().await;
    server.tick(3).await;
    bot.read_all().await;
    let mobs = bot.vars["ROOM_MOBS"].clone();
    assert!(newest_number(&mobs) > 0, "{:?}", bot.vars);

    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    assert!(stopped.log.contains("everybody is saved"), "{}", stopped.log);
    assert!(!stopped.state.path().join("server.json").exists());
    let (code, _, frames) = bot.ending().await;
    assert_eq!(code, 1001);
    assert_eq!(frames.last().map(|f| &f["data"]["code"]), Some(&json!("shutting_down")), "{frames:?}");
    assert!(ann.ending().await.contains("Come back soon"));

    let server = Server::start_with(Options { state: Some(stopped.state), more, ..green() });
    let mut bot = server.connect().await;
    let state = bot.log_in("Brenda", &key).await;
    assert_eq!(state["data"]["room"]["vnum"], 102, "where the signal found it");
    assert_eq!(bot.vars["ROOM_MOBS"], mobs, "the same ones, not others of their kind");
    let mut ann = server.dial().await;
    ann.log_in("Ann", "swordfish").await;
    ann.ask("x", "You say, \"hello\"").await;
    ann.ask("whois ann", "the Patient").await;
    let score = ann.ask("score", "321").await + &ann.fence().await;
    assert!(score.contains("45"), "{score}");
    // The token of before still counts.
    bot.command("quit").await;
    bot.ending().await;
    let token = state["data"]["token"].clone();
    let mut bot = server.connect().await;
    bot.send(super::login(json!({"player_name": "Brenda", "token": token, "is_agent": true}))).await;
    bot.logged_in().await;
}

fn numbers(objects: &Value) -> impl Iterator<Item = u64> {
    let objects = objects.as_array().into_iter().flatten();
    objects.filter_map(|object| object["instance_id"].as_str()?.rsplit('_').next()?.parse().ok())
}

fn newest_number(objects: &Value) -> u64 {
    numbers(objects).max().unwrap_or(0)
}

fn oldest_number(objects: &Value) -> u64 {
    numbers(objects).min().unwrap_or(u64::MAX)
}

#[tokio::test]
async fn a_world_made_anew_never_uses_an_instance_id_again() {
    let server = Server::start_with(green());
    let mut bot = server.agent("Brenda").await;
    server.place("Brenda", 102).await;
    bot.read_all().await;
    let number = newest_number(&bot.vars["ROOM_MOBS"]);
    assert!(number > 0);
    let key = server.key("Brenda").await;
    let state = server.kill();
    std::fs::remove_dir_all(state.path().join("journal")).expect("it is ours");
    let server = Server::start_with(Options { state: Some(state), ..green() });
    let mut bot = server.connect().await;
    bot.log_in("Brenda", &key).await;
    server.place("Brenda", 102).await;
    bot.read_all().await;
    assert!(oldest_number(&bot.vars["ROOM_MOBS"]) > number, "{:?}", bot.vars["ROOM_MOBS"]);
}

#[tokio::test]
async fn the_world_ticks_by_itself_and_stops_when_asked_in_the_game() {
    let server = Server::start_with(Options { tick_ms: 50, ..green() });
    let mut god = server.person("Godric").await;
    let first = server.get("/health").await.json()["tick"].as_u64().expect("a number");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while server.get("/health").await.json()["tick"].as_u64().expect("a number") < first + 5 {
        assert!(std::time::Instant::now() < deadline, "the world stands still");
    }
    server.promote("Godric", 40).await;
    god.ask("shutdown", "If you mean it: shutdown yes.").await;
    god.send("shutdown yes").await;
    assert!(god.ending().await.contains("Come back soon"));
}

#[tokio::test]
async fn a_stuck_reader_does_not_keep_the_server_and_callers_on_the_way_in_are_told() {
    let server = Server::start_with(super::green_with(&["--slow-reader-seconds", "60"]));
    let key = server.key("Stuck").await;
    let mut stuck = tests::e2e::Telnet::connect_narrow(server.telnet).await;
    stuck.log_in("Stuck", &key).await;
    let line = "x".repeat(900);
    while stuck.try_send_raw(format!("say {line}\r\n").as_bytes()).await {}
    let mut caller = server.dial().await;
    caller.expect("known?").await;
    let mut stranger = server.connect().await;
    stranger.fence().await;
    let begun = std::time::Instant::now();
    let stopped = server.stop();
    let took = begun.elapsed();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    assert!(took < std::time::Duration::from_secs(5), "it took {took:?}");
    assert!(caller.ending().await.contains("Come back soon"));
    let (code, _, frames) = stranger.ending().await;
    assert_eq!((code, &frames.last().expect("it was told")["data"]["code"]), (1001, &json!("shutting_down")));
}
