//! Frames that are wrong: each gets a clear answer, and the connection lives where it can.

use super::{green, login};
use serde_json::json;
use tests::e2e::Server;
use tokio_tungstenite::tungstenite::Message;

#[tokio::test]
async fn a_wrong_frame_is_named_and_the_connection_lives() {
    let server = Server::start_with(green());
    let mut bot = server.agent("Bot").await;
    for (text, code, says) in [
        ("hello", "bad_json", ""),
        ("", "bad_json", ""),
        ("[1,2]", "bad_json", ""),
        ("{\"type\":\"login\"", "bad_json", ""),
        (&"[".repeat(5_000), "bad_json", ""),
        ("{}", "bad_field", "`type` is missing"),
        ("{\"type\":7}", "bad_field", "a string"),
        ("{\"type\":\"dance\"}", "unknown_type", "login, command, subscribe, char_input"),
        ("{\"type\":\"command\"}", "bad_field", "`data.command`"),
        ("{\"type\":\"command\",\"data\":[]}", "bad_field", "`data` must be an object"),
        ("{\"type\":\"command\",\"data\":{\"command\":[\"look\"]}}", "bad_field", "must be a string"),
        ("{\"type\":\"command\",\"data\":{\"command\":\"look\",\"args\":{}}}", "bad_field", "data.args"),
        ("{\"type\":\"subscribe\",\"data\":{}}", "bad_field", "data.variables"),
        ("{\"type\":\"subscribe\",\"data\":{\"variables\":[true]}}", "bad_field", "variables[0]"),
        ("{\"type\":\"char_input\",\"data\":{\"choice\":\"Y\"}}", "no_creation", "new_char"),
        ("{\"type\":\"login\",\"data\":{\"player_name\":\"Bot\",\"password\":\"x\"}}", "already_logged_in", ""),
    ] {
        bot.send_text(text).await;
        let error = bot.expect("error").await;
        assert_eq!(error["data"]["code"], code, "{text}: {error}");
        assert!(error["data"]["message"].as_str().is_some_and(|message| message.contains(says)), "{text}: {error}");
    }
    bot.send_message(Message::binary(vec![1, 2, 3])).await;
    bot.expect_error("binary_frame").await;
    bot.send_text(
        &json!({"type": "command", "data": {"command": "say ".to_string() + &"x".repeat(16 * 1024)}}).to_string(),
    )
    .await;
    let error = bot.expect_error("too_large").await;
    assert!(error["data"]["message"].as_str().is_some_and(|message| message.contains("16384")), "{error}");
    bot.subscribe(&["HEALTH", "LUCK", "HP"]).await;
    let error = bot.expect_error("unknown_variable").await;
    let message = error["data"]["message"].as_str().expect("a message");
    assert!(message.contains("LUCK") && message.contains("HP") && !message.contains("HEALTH"), "{message}");
    server.promote("Bot", 5).await;
    bot.until(|frame| frame["data"].get("HEALTH").is_some()).await;
    bot.command("look").await;
    bot.expect_text("Village Green").await;
}

#[tokio::test]
async fn nothing_but_login_is_heard_before_the_login() {
    let server = Server::start_with(green());
    let key = server.key("Bot").await;
    let mut bot = server.connect().await;
    bot.command("look").await;
    assert_eq!(bot.next().await["data"]["code"], "not_logged_in");
    bot.subscribe(&["HEALTH"]).await;
    assert_eq!(bot.next().await["data"]["code"], "not_logged_in");
    bot.send(json!({"type": "char_input", "data": {"choice": "Y"}})).await;
    let error = bot.next().await;
    assert_eq!((&error["data"]["code"], &error["seq"]), (&json!("no_creation"), &json!(3)));
    let state = bot.log_in("Bot", &key).await;
    assert_eq!(state["seq"], 4, "what came before counts");
}

#[tokio::test]
async fn a_frame_that_cannot_be_skipped_closes_with_its_code_and_the_error_before() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let mut bot = server.agent("Bot").await;
    // The server may hang up while this is still being sent.
    bot.try_send(json!({"type": "command", "data": {"command": "x".repeat(200_000)}})).await;
    let (code, _, frames) = bot.ending().await;
    assert_eq!(code, 1009);
    assert_eq!(frames.last().map(|frame| &frame["data"]["code"]), Some(&json!("too_large")), "{frames:?}");
    ann.expect("eyes lose their focus").await;
}

#[tokio::test]
async fn a_text_frame_that_is_not_utf_8_is_named_and_closes() {
    let server = Server::start_with(green());
    let mut bot = server.agent("Bot").await;
    // FIN and text, masked with zeros, two bytes.
    bot.send_raw(&[0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]).await;
    let (code, _, frames) = bot.ending().await;
    assert_eq!(code, 1007);
    assert_eq!(frames.last().map(|frame| &frame["data"]["code"]), Some(&json!("bad_json")), "{frames:?}");
}

#[tokio::test]
async fn a_polite_client_gets_a_polite_end() {
    let server = Server::start_with(green());
    let bot = server.agent("Bot").await;
    bot.close_with_answer().await;
    let unknown = server.connect().await;
    unknown.close_with_answer().await;
}

#[tokio::test]
async fn what_a_client_says_of_itself_changes_nothing() {
    let server = Server::start_with(green());
    let key = server.key("Bot").await;
    let mut bot = server.connect().await;
    let about = json!({
        "player_name": "Bot", "password": key, "is_agent": true, "harness": "openclaw", "model": "m", "version": "1.0",
        "tier": "medium", "valence": true, "features": ["mind", "flying"], "shoe_size": 43
    });
    bot.send(login(about)).await;
    bot.logged_in().await;
}
