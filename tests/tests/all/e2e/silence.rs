//! Clients that never read.

use super::green_with;
use serde_json::json;
use std::time::{Duration, Instant};
use tests::e2e::{Agent, Server, Telnet};

/// Small enough to be full soon, large enough for a login.
const SMALL: [&str; 4] = ["--outbound-bytes", "20000", "--slow-reader-seconds", "1"];

#[tokio::test]
async fn an_agent_that_never_reads_is_closed_and_nobody_else_notices() {
    let server = Server::start_with(green_with(&SMALL));
    let key = server.key("Stuck").await;
    let mut ann = server.person("Ann").await;
    let mut stuck = Agent::connect_narrow(server.http).await;
    stuck.log_in("Stuck", &key).await;
    ann.expect("Stuck stands here").await;
    let mut longest = Duration::ZERO;
    let deadline = Instant::now() + Duration::from_secs(25);
    let mut n = 0;
    loop {
        // It asks much and reads nothing.
        for _ in 0..50 {
            stuck.try_send(json!({"type": "command", "data": {"command": "commands"}})).await;
        }
        n += 1;
        let asked = Instant::now();
        ann.ask(&format!("say hello {n}"), &format!("hello {n}")).await;
        // Not so many that it gets dark.
        if n < 100 {
            server.tick(1).await;
        }
        longest = longest.max(asked.elapsed());
        if ann.has_read("eyes lose their focus") {
            break;
        }
        assert!(Instant::now() < deadline, "it is never closed, after {n} rounds");
    }
    assert!(longest < Duration::from_secs(2), "a neighbour waited for {longest:?}");
    // Back with the same character, by a client that reads.
    let mut again = server.connect().await;
    again.log_in("Stuck", &key).await;
}

#[tokio::test]
async fn a_person_who_never_reads_is_closed_and_nobody_else_notices() {
    let server = Server::start_with(green_with(&SMALL));
    let mut ann = server.person("Ann").await;
    let key = server.key("Stuck").await;
    let mut stuck = Telnet::connect_narrow(server.telnet).await;
    stuck.log_in("Stuck", &key).await;
    ann.expect("Stuck stands here").await;
    let deadline = Instant::now() + Duration::from_secs(25);
    let mut n = 0;
    loop {
        let pages = "commands\r\n".repeat(50);
        stuck.try_send_raw(pages.as_bytes()).await;
        n += 1;
        ann.ask(&format!("say hello {n}"), &format!("hello {n}")).await;
        // Not so many that it gets dark.
        if n < 100 {
            server.tick(1).await;
        }
        if ann.has_read("eyes lose their focus") {
            break;
        }
        assert!(Instant::now() < deadline, "it is never closed, after {n} rounds");
    }
}
