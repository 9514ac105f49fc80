//! Ways to be away: a lost link, a long absence, silence.

use super::{green, green_with, texts};
use serde_json::json;
use tests::e2e::Server;

#[tokio::test]
async fn a_lost_link_is_seen_and_whoever_returns_stands_where_it_stood() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    let mut ann = server.person("Ann").await;
    let mut bot = server.connect().await;
    let state = bot.log_in("Brenda", &key).await;
    assert_eq!(state["data"].get("returned"), None, "it came in just now");
    bot.command("west").await;
    bot.expect_text("The Bank").await;
    bot.command("east").await;
    bot.expect_text("Village Green").await;
    bot.command("drop all").await;
    bot.fence().await;
    drop(bot);
    ann.expect("Brenda's eyes lose their focus").await;
    ann.ask("who", "(linkless)").await;
    server.tick(20).await;
    let mut again = server.connect().await;
    let state = again.log_in("Brenda", &key).await;
    assert_eq!(state["data"]["room"]["vnum"], 100);
    assert_eq!(state["data"]["returned"], true);
    ann.expect("Brenda stirs").await;
    // Nothing is said about a return, because nobody was away.
    assert!(!ann.fence().await.contains("has come back into the world"));
}

#[tokio::test]
async fn the_link_dead_leave_safely_after_their_time_and_return_as_they_were() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let key = server.key("Brenda").await;
    let mut bot = server.connect().await;
    bot.log_in("Brenda", &key).await;
    bot.command("title the Absent").await;
    bot.fence().await;
    drop(bot);
    ann.expect("eyes lose their focus").await;
    server.tick(149).await;
    assert!(!ann.fence().await.contains("has left"), "too early");
    server.tick(4).await;
    ann.expect("Brenda has left the world").await;
    assert_eq!(server.get("/health").await.json()["players"], 1);
    let mut again = server.connect().await;
    again.log_in("Brenda", &key).await;
    again.command("whois brenda").await;
    again.expect_text("the Absent").await;
    ann.expect("Brenda has come back").await;
}

#[tokio::test]
async fn quitting_says_farewell_by_both_doors_and_nothing_comes_after_it() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let mut bot = server.agent("Bot").await;
    bot.command("quit").await;
    let (code, reason, frames) = bot.ending().await;
    assert_eq!((code, reason.as_str()), (1000, "quit"));
    assert!(frames.iter().all(|frame| frame["type"] != "error"), "{frames:?}");
    assert!(!texts(&frames).is_empty(), "a farewell is read");
    ann.send("quit").await;
    let farewell = ann.ending().await;
    assert!(farewell.trim_end().ends_with("Farewell."), "{farewell:?}");
}

#[tokio::test]
async fn a_change_of_password_counts_at_once_and_the_old_one_no_more() {
    let server = Server::start_with(green());
    let mut ann = server.dial().await;
    ann.create("Ann", "swordfish").await;
    ann.ask("1", "Village Green").await;
    ann.ask("password haddock turbot22", "That is not your present password").await;
    ann.ask("password swordfish", "To change your password").await;
    ann.ask("password swordfish turbot22", "Your password is changed").await;
    let mut bot = server.connect().await;
    bot.send(super::login(json!({"player_name": "Ann", "password": "swordfish", "is_agent": true}))).await;
    bot.expect_error("bad_login").await;
    bot.log_in("Ann", "turbot22").await;
    bot.command("password turbot22 halibut3").await;
    bot.expect_text("Your password is changed").await;
    // What was typed is nowhere: not in the lines of others, not in the log.
    for secret in ["swordfish", "turbot22", "halibut3"] {
        assert!(!server.log().contains(secret), "{}", server.log());
    }
    bot.close().await;
    let mut menu = server.dial().await;
    menu.expect("known?").await;
    menu.ask("Ann", "Password:").await;
    menu.ask("halibut3", "What will it be?").await;
    menu.ask("4", "present password:").await;
    menu.ask("halibut3", "new one:").await;
    menu.ask("plaice44", "once more:").await;
    menu.ask("plaice44", "Your password is changed").await;
    menu.expect("What will it be?").await;
    menu.ask("2", "] ").await;
    menu.ask("Tall and \u{1b}[31mred.", "] ").await;
    menu.ask(".", "What will it be?").await;
    menu.ask("1", "Village Green").await;
    menu.ask("look ann", "Tall and [31mred.").await;
    menu.send("quit").await;
    menu.ending().await;
}

#[tokio::test]
async fn a_deleted_character_is_gone_and_its_name_is_free() {
    let server = Server::start_with(green());
    let mut ann = server.dial().await;
    ann.create("Ann", "swordfish").await;
    // Another connection of hers is in the world meanwhile.
    let mut bot = server.connect().await;
    bot.log_in("Ann", "swordfish").await;
    ann.ask("5", "give its password").await;
    ann.ask("haddock", "Nothing was deleted").await;
    ann.expect("What will it be?").await;
    ann.ask("5", "give its password").await;
    ann.ask("swordfish", "Farewell").await;
    ann.ending().await;
    let (code, _, frames) = bot.ending().await;
    assert_eq!(code, 1000, "{frames:?}");
    let mut again = server.dial().await;
    again.expect("known?").await;
    again.ask("Ann", "Nobody here is called Ann").await;
    assert_eq!(server.get("/health").await.json()["players"], 0);
}

#[tokio::test]
async fn who_does_not_log_in_in_time_is_told_and_closed_by_both_doors() {
    let server = Server::start_with(green_with(&["--login-seconds", "1"]));
    let mut bot = server.connect().await;
    let mut person = server.dial().await;
    person.expect("known?").await;
    let (code, _, frames) = bot.ending().await;
    assert_eq!(code, 1008);
    assert_eq!(frames[0]["data"]["code"], "login_timeout");
    assert!(person.ending().await.contains("time to say who you are is over"));
}

#[tokio::test]
async fn a_mistyped_change_of_password_is_in_no_file() {
    let server = Server::start_with(green());
    let mut ann = server.dial().await;
    ann.create("Ann", "swordfish").await;
    ann.ask("1", "Village Green").await;
    ann.ask("passwd swordfish mackerel5", "For a new password: password <old> <new>").await;
    ann.ask("pas swordfish mackerel5", "For a new password").await;
    ann.ask("at 3001 password swordfish mackerel5", "There is no verb").await;
    ann.ask("say the herring is red", "the herring is red").await;
    ann.send("quit").await;
    ann.ending().await;
    let state = server.stop().state;
    let mut folders = vec![state.path().to_path_buf()];
    let (mut bytes, mut files) = (Vec::new(), 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                bytes.extend(std::fs::read(path).expect("a readable file"));
                files += 1;
            }
        }
    }
    let holds = |word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    assert!(
        files > 1 && holds("herring"),
        "what is said is journaled, so the others were looked for where they would be"
    );
    assert!(!holds("mackerel5") && !holds("swordfish"), "a password was written down");
}
