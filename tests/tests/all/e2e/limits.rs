//! How much one caller may ask for.

use super::{green_with, login};
use serde_json::json;
use std::time::{Duration, Instant};
use tests::e2e::Server;

#[tokio::test]
async fn a_program_that_sends_commands_too_fast_is_told_so() {
    let server = Server::start_with(green_with(&["--commands-per-second", "10"]));
    let mut bot = server.agent("Bot").await;
    bot.subscribe(&["EVENTS"]).await;
    for n in 0..14 {
        bot.command(&format!("whois nobody{n}")).await;
    }
    let error = bot.expect_error("rate_limited").await;
    assert_eq!(error["data"]["message"], "rate limit exceeded — slow down");
    bot.fence().await;
    let events = bot.frames.iter().filter_map(|f| f["data"]["EVENTS"].as_array()).flatten();
    let limited: Vec<_> = events.filter(|event| event["type"] == "rate_limited").collect();
    assert!(!limited.is_empty(), "{:?}", bot.frames);
    assert_eq!(limited[0]["dropped_total"], 1, "{limited:?}");
    assert!(limited[0]["command"].as_str().is_some_and(|command| command.contains("whois")), "{limited:?}");

    // The others are not slower for it.
    loop {
        bot.command("look").await;
        let answer = bot.until(|f| f["type"] == "error" || f["data"]["text"].as_str().is_some()).await;
        if answer["data"]["text"].as_str().is_some_and(|text| text.contains("Village Green")) {
            break;
        }
    }
}

#[tokio::test]
async fn a_line_counts_as_all_of_its_commands() {
    let server = Server::start_with(green_with(&["--commands-per-second", "10"]));
    let mut bot = server.agent("Bot").await;
    // Two lines, but eighteen commands.
    for _ in 0..2 {
        bot.command(&["whois nobody"; 9].join(";")).await;
    }
    bot.expect_error("rate_limited").await;
}

#[tokio::test]
async fn a_persons_lines_wait_for_the_rate_in_their_order() {
    let server = Server::start_with(green_with(&["--commands-per-second", "10"]));
    let mut ann = server.person("Ann").await;
    let begun = Instant::now();
    let walk: String = (0..30).map(|n| format!("say step {n}\r\n")).collect();
    ann.send_raw(walk.as_bytes()).await;
    for n in 0..30 {
        ann.expect(&format!("You say, \"step {n}\"")).await;
    }
    // Ten at once, the others a tenth of a second apart; the login may have used up some.
    assert!(begun.elapsed() > Duration::from_millis(1_500), "{:?}", begun.elapsed());
    assert!(!String::from_utf8_lossy(&ann.bytes).contains("lost"));

    // More than may wait: what is lost is told. A secret among them is not shown.
    let flood: String = (0..200).map(|n| format!("say flood {n}\r\n")).collect();
    ann.send_raw(flood.as_bytes()).await;
    ann.expect("50 lines wait already.").await;
    ann.expect("say flood 199").await;
    ann.send("queue").await;
    ann.expect("lines came too fast, and wait for their turn:").await;
    ann.send("clear").await;
    ann.expect("lines that waited are forgotten.").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    ann.send("say after it").await;
    ann.expect("You say, \"after it\"").await;
    assert!(!String::from_utf8_lossy(&ann.bytes).contains("You say, \"flood 40\""));
}

#[tokio::test]
async fn frames_that_are_no_commands_have_a_limit_of_their_own() {
    let server = Server::start_with(green_with(&["--commands-per-second", "10"]));
    let mut bot = server.agent("Bot").await;
    for _ in 0..80 {
        bot.send(json!({"type": "subscribe", "data": {"variables": []}})).await;
    }
    bot.expect_error("rate_limited").await;
    // What refills in a second lets the fence pass.
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.fence().await;
    // To read everything costs ten times as much, and what is asked for at once is read once.
    let (before, begun) = (bot.frames.len(), Instant::now());
    for _ in 0..80 {
        bot.send(json!({"type": "subscribe", "data": {"variables": [], "full": true}})).await;
    }
    bot.expect_error("rate_limited").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.fence().await;
    let full = bot.frames[before..].iter().filter(|frame| frame["type"] == "vars").count() as u64;
    assert!((1..=5 + 5 * (1 + begun.elapsed().as_secs())).contains(&full), "{full}");
    // Its commands are not counted with them.
    bot.command("look").await;
    bot.expect_text("Village Green").await;
}

#[tokio::test]
async fn logins_are_limited_by_address_but_those_by_token_are_not() {
    let server = Server::start_with(green_with(&["--logins-per-second", "1", "--failures-before-lockout", "0"]));
    let key = server.key("Brenda").await;
    let mut agent = server.connect().await;
    let token = agent.log_in("Brenda", &key).await["data"]["token"].as_str().expect("a token").to_string();
    let mut other = server.connect().await;
    let mut refused = 0;
    for _ in 0..6 {
        other.send(login(json!({"player_name": "Brenda", "password": "wrong!", "is_agent": true}))).await;
        refused += u32::from(other.next().await["data"]["code"] == "rate_limited");
    }
    assert!(refused >= 1);
    for _ in 0..10 {
        let mut by_token = server.connect().await;
        by_token.send(login(json!({"player_name": "Brenda", "token": token, "is_agent": true}))).await;
        by_token.logged_in().await;
    }
}

#[tokio::test]
async fn ten_failures_in_a_row_lock_the_address_out_by_both_doors() {
    let server = Server::start_with(green_with(&["--lockout-minutes", "15"]));
    let key = server.key("Brenda").await;
    let mut agent = server.connect().await;
    let mut playing = server.connect().await;
    playing.log_in("Brenda", &key).await;
    for n in 0..10 {
        agent.send(login(json!({"player_name": "Brenda", "password": format!("wrong{n}"), "is_agent": true}))).await;
        assert_eq!(agent.next().await["data"]["code"], "bad_login", "{n}");
    }
    agent.send(login(json!({"player_name": "Brenda", "password": key, "is_agent": true}))).await;
    let (code, _, frames) = agent.ending().await;
    assert_eq!(code, 1008, "{frames:?}");
    let error = frames.last().expect("an error");
    assert_eq!(error["data"]["code"], "locked_out");
    assert!(error["data"]["message"].as_str().is_some_and(|text| text.contains("15 minutes")), "{error}");
    let mut person = server.dial().await;
    person.expect("known?").await;
    person.ask("Brenda", "Password:").await;
    person.ask(&key, "Too many failed logins").await;
    person.ending().await;
    // Who is in stays in.
    playing.command("look").await;
    playing.expect_text("Village Green").await;
}

#[tokio::test]
async fn three_wrong_passwords_end_a_call_by_telnet() {
    let server = Server::start_with(green_with(&[]));
    server.key("Brenda").await;
    let mut person = server.dial().await;
    person.expect("known?").await;
    person.ask("Brenda", "Password:").await;
    person.ask("wrong1", "Password:").await;
    person.ask("wrong2", "Password:").await;
    person.ask("wrong3", "one try too many").await;
    person.ending().await;
}

#[tokio::test]
async fn connections_are_limited_by_address_and_the_place_comes_back() {
    let server = Server::start_with(green_with(&["--connections-per-address", "3"]));
    let key = server.key("Brenda").await;
    let mut first = server.connect().await;
    first.log_in("Brenda", &key).await;
    let (_second, mut third) = (server.connect().await, server.dial().await);
    third.expect("known?").await;
    let mut fourth = server.connect().await;
    fourth.try_send(login(json!({"player_name": "Brenda", "password": key, "is_agent": true}))).await;
    let (code, _, frames) = fourth.ending().await;
    assert_eq!(code, 1008);
    assert_eq!(frames[0]["data"]["code"], "too_many_connections");
    let mut fifth = server.dial().await;
    assert!(fifth.ending().await.contains("at most 3 at a time"));
    first.command("quit").await;
    first.ending().await;
    // The place is free when the server is done with the connection.
    for attempt in 0.. {
        let mut again = server.dial().await;
        if again.next_is("known?").await {
            break;
        }
        assert!(attempt < 100, "the place does not come back");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_longest_telnet_line_is_a_flag() {
    let server = Server::start_with(green_with(&["--telnet-line-bytes", "100"]));
    let mut ann = server.person("Ann").await;
    ann.send(&format!("say {}", "a".repeat(97))).await;
    ann.expect("too long").await;
    ann.ask(&format!("say {}", "b".repeat(90)), &"b".repeat(90)).await;
    let wide = Server::start_with(green_with(&["--telnet-line-bytes", "4000"]));
    let mut bob = wide.person("Bob").await;
    bob.send(&format!("whois {}", "c".repeat(2_000))).await;
    bob.fence().await;
    assert!(!String::from_utf8_lossy(&bob.bytes).contains("too long"));
}
