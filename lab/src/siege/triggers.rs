//! What a single caller can do to hurt everybody else: one row for each, all of which a siege runs at once.
//!
//! The rows are those of the security review that a caller can cause by himself. Each has an address of its own (two
//! of them a few), goes on until it is dropped, and begins again when it is thrown out: a server that survives only
//! the polite has survived nothing. What a trigger tried, and what it was told, is in its `Tally`.

use super::client::{Agent, PASSWORD, PATIENCE, Telnet, connect, connect_narrow, hear_out};
use super::tally::Tally;
use serde_json::json;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::{sleep, timeout};

/// What triggers are told of the server.
#[derive(Clone, Debug)]
pub struct Target {
    pub http: SocketAddr,
    pub telnet: SocketAddr,
    pub https: SocketAddr,
    /// An ordinary player, whose password is to be guessed.
    pub victim: String,
}

/// Where one trigger stands: the server, its own address, and what it counts.
#[derive(Clone)]
pub struct Attacker {
    pub target: Target,
    /// The next `ADDRESSES_EACH` are its own, too.
    pub from: Ipv4Addr,
    pub tally: Arc<Tally>,
    /// Tells its characters from those of others; below 26.
    pub number: u8,
    /// Of its sockets, where not all of them are wanted, 0 to 1.
    pub share: f64,
}

impl Attacker {
    /// So many of this many, one at least.
    fn sockets(&self, count: usize) -> usize {
        ((count as f64 * self.share) as usize).max(1)
    }
}

/// Addresses from one trigger's to the next one's.
pub const ADDRESSES_EACH: u8 = 8;

type Running = Pin<Box<dyn Future<Output = ()>>>;

pub struct Trigger {
    pub name: &'static str,
    /// The finding of the security review that it reproduces.
    pub finding: &'static str,
    pub does: &'static str,
    pub run: fn(Attacker) -> Running,
}

macro_rules! trigger {
    ($name:ident, $finding:literal, $does:literal) => {
        Trigger { name: stringify!($name), finding: $finding, does: $does, run: |attacker| Box::pin($name(attacker)) }
    };
}

pub const TRIGGERS: &[Trigger] = &[
    trigger!(unread_answers, "H1", "1,500 sockets ask for /metrics 400 times over and never read"),
    trigger!(silent_sockets, "H1 L9", "600 sockets on three listeners say nothing, or half a head"),
    trigger!(fat_heads, "H1", "200 requests with heads of 400 KB that never end"),
    trigger!(littered_floor, "H2", "newcomers drop all they have; 5 agents read everything 50 times a second"),
    trigger!(hoarding, "H3", "5 agents drop all and get all, ten times a second"),
    trigger!(long_lines, "H4", "commands, notes and a model's name of 15 KB, ten times a second"),
    trigger!(procession, "H5", "bodies that follow each other, and the first one walks"),
    trigger!(guessing, "H6", "guesses at somebody's password from two addresses, an own login after every eighth"),
    trigger!(password_changes, "M2", "5 people change their password with a wrong old one, as fast as they may"),
    trigger!(name_asking, "M3", "5 connections ask for names, or `are you there`, as fast as they are read"),
    trigger!(binary_frames, "M3", "5 connections send binary frames and frames that are too large"),
    trigger!(foreign_page, "M4", "a web page of elsewhere opens WebSockets"),
    trigger!(newcomers, "M5", "new characters, one after the other"),
    trigger!(token_logins, "M5", "logins by token, one after the other"),
    trigger!(half_handshakes, "M8", "300 TLS connections from 6 addresses that never begin a handshake"),
];

/// The `n`th guess of those who try the victim's password.
pub fn guess(n: u64) -> String {
    format!("guess{n:05}")
}

/// A name that nobody else has.
fn name_of(attacker: &Attacker, kind: char, n: u64) -> String {
    let letter = |n: u64| char::from(b'a' + (n % 26) as u8);
    let number: String = (0..6).scan(n, |rest, _| Some((letter(*rest), *rest /= 26).0)).collect();
    format!("Zx{kind}{}{number}", letter(attacker.number.into()))
}

/// So many at a time, each of which goes on for ever.
async fn crowd<F: Future<Output = ()> + 'static>(count: usize, one: impl Fn(usize) -> F) {
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..count {
        tasks.spawn_local(one(n));
    }
    while tasks.join_next().await.is_some() {}
}

/// A character to do mischief with, made anew until it is let in.
async fn somebody(attacker: &Attacker, kind: char, n: u64, more: serde_json::Value) -> (Agent, String, String) {
    for round in 0.. {
        let name = name_of(attacker, kind, n * 100_000 + round);
        match Agent::create(attacker.from, attacker.target.http, &name, more.clone()).await {
            Ok((agent, token)) => return (agent, name, token),
            Err(error) => attacker.tally.refuse(&format!("{error:#}")),
        }
        sleep(Duration::from_secs(1)).await;
    }
    unreachable!("it tries without an end")
}

/// What an agent was refused goes to the tally.
fn told(attacker: &Attacker, agent: &mut Agent) {
    for (words, count) in agent.take_refusals() {
        attacker.tally.add_refusals(&words, count);
    }
}

/// A place that is kept for so long has been given.
const HELD: Duration = Duration::from_secs(2);

/// Waits for the end of something that takes a place for as long as it is let; counted as soon as it has one.
async fn hold<F: Future<Output = anyhow::Result<()>> + Unpin>(attacker: &Attacker, mut holding: F) {
    match timeout(HELD, &mut holding).await {
        Ok(ended) => attacker.tally.count(&ended),
        Err(_) => {
            attacker.tally.allow();
            // However it ends: it had its place.
            let _ended = holding.await;
        }
    }
}

async fn unread_answers(attacker: Attacker) {
    let requests: Arc<[u8]> = b"GET /metrics HTTP/1.1\r\nHost: siege\r\n\r\n".repeat(400).into();
    crowd(attacker.sockets(1_500), move |n| {
        let (attacker, requests) = (attacker.clone(), requests.clone());
        async move {
            // Not all in the same moment: the queue of those who wait to be accepted is finite.
            sleep(Duration::from_millis(n as u64 * 2)).await;
            loop {
                let asking = async {
                    let mut stream = connect_narrow(attacker.from, attacker.target.http).await?;
                    // A write that waits for room goes on for as long as the server keeps the connection.
                    stream.write_all(&requests).await?;
                    // All that has come is left where it is; the error of the next write tells of the end.
                    loop {
                        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: siege\r\n\r\n").await?;
                        sleep(Duration::from_secs(1)).await;
                    }
                };
                hold(&attacker, Box::pin(asking)).await;
                sleep(Duration::from_secs(5)).await;
            }
        }
    })
    .await;
}

async fn silent_sockets(attacker: Attacker) {
    crowd(attacker.sockets(600), move |n| {
        let attacker = attacker.clone();
        async move {
            let Target { http, telnet, https, .. } = attacker.target;
            let (address, half): (SocketAddr, &[u8]) = match n % 3 {
                0 => (http, b"GET / HTTP/1.1\r\nX: "),
                1 => (telnet, b"Zx"),
                // The head of a record of TLS.
                _ => (https, b"\x16\x03\x01"),
            };
            sleep(Duration::from_millis(n as u64 * 2)).await;
            loop {
                let holding = async {
                    let mut stream = connect(attacker.from, address).await?;
                    if n % 2 == 0 {
                        stream.write_all(half).await?;
                    }
                    let (said, _) = hear_out(&mut stream, Duration::from_secs(600)).await;
                    let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
                    // Of an answer by HTTP the first line, of what a person reads the last.
                    let words = lines.first().filter(|line| line.starts_with("HTTP")).or(lines.last());
                    anyhow::bail!("{}", words.unwrap_or(&"hung up"))
                };
                hold(&attacker, Box::pin(holding)).await;
                sleep(Duration::from_secs(3)).await;
            }
        }
    })
    .await;
}

async fn fat_heads(attacker: Attacker) {
    let head: Arc<[u8]> = [b"GET / HTTP/1.1\r\nX-Long: ".as_slice(), &[b'a'; 400_000]].concat().into();
    crowd(attacker.sockets(200), move |n| {
        let (attacker, head) = (attacker.clone(), head.clone());
        async move {
            sleep(Duration::from_millis(n as u64 * 10)).await;
            loop {
                let sending = async {
                    let mut stream = connect(attacker.from, attacker.target.http).await?;
                    timeout(PATIENCE, stream.write_all(&head)).await??;
                    let (said, _) = hear_out(&mut stream, Duration::from_secs(600)).await;
                    anyhow::bail!("{}", said.lines().next().unwrap_or("hung up"))
                };
                let ended: anyhow::Result<()> = sending.await;
                attacker.tally.count(&ended);
                sleep(Duration::from_secs(3)).await;
            }
        }
    })
    .await;
}

async fn littered_floor(attacker: Attacker) {
    let dropping = async {
        for n in 0.. {
            let name = name_of(&attacker, 'd', n);
            let begun = Agent::create(attacker.from, attacker.target.http, &name, json!({})).await;
            attacker.tally.count(&begun);
            if let Ok((mut agent, _)) = begun {
                // Whatever becomes of it; the next one drops more.
                let _gone = agent.command("drop all").await;
                let _gone = agent.drain(Duration::from_millis(200)).await;
                let _gone = agent.command("quit").await;
            }
            sleep(Duration::from_millis(200)).await;
        }
    };
    let readers = attacker.clone();
    let reading = crowd(5, move |n| {
        let attacker = readers.clone();
        async move {
            let full = json!({ "type": "subscribe", "data": { "variables": ["ROOM_ITEMS"], "full": true } });
            for round in 0.. {
                let (mut agent, ..) = somebody(&attacker, 'r', n as u64 * 50 + round, json!({})).await;
                while agent.send(&full).await.is_ok() && agent.drain(Duration::from_millis(20)).await.is_ok() {
                    attacker.tally.allow();
                    told(&attacker, &mut agent);
                }
            }
        }
    });
    tokio::join!(dropping, reading);
}

async fn hoarding(attacker: Attacker) {
    crowd(5, move |n| {
        let attacker = attacker.clone();
        async move {
            for round in 0.. {
                let (mut agent, ..) = somebody(&attacker, 'h', n as u64 * 50 + round, json!({})).await;
                for line in ["drop all", "get all"].into_iter().cycle() {
                    if agent.command(line).await.is_err() || agent.drain(Duration::from_millis(100)).await.is_err() {
                        break;
                    }
                    attacker.tally.allow();
                    told(&attacker, &mut agent);
                }
            }
        }
    })
    .await;
}

async fn long_lines(attacker: Attacker) {
    let long = "y".repeat(15_000);
    let line = json!({ "type": "command", "data": { "command": format!("say {long}") } });
    let note = json!({ "type": "command", "data": { "command": "look", "meta": { "why": long } } });
    for n in 0.. {
        let (mut agent, ..) = somebody(&attacker, 'l', n, json!({ "model": long })).await;
        for frame in [&line, &note].into_iter().cycle() {
            if agent.send(frame).await.is_err() || agent.drain(Duration::from_millis(100)).await.is_err() {
                break;
            }
            attacker.tally.allow();
            told(&attacker, &mut agent);
        }
    }
}

async fn procession(attacker: Attacker) {
    // Bodies stay for minutes after their connections are gone, so that a few connections make a long chain.
    let mut first: Option<(String, String)> = None;
    let mut last = String::new();
    for n in 0.. {
        let (mut agent, name, token) = somebody(&attacker, 'p', n, json!({})).await;
        if !last.is_empty() {
            attacker.tally.allow();
            let _gone = agent.command(&format!("follow {last}")).await;
            let _gone = agent.drain(Duration::from_millis(50)).await;
            told(&attacker, &mut agent);
        }
        last = name.clone();
        // Without a farewell, so that its body stays.
        drop(agent);
        let (leader, token) = first.get_or_insert((name, token));
        if n % 20 != 19 {
            continue;
        }
        let Ok(mut agent) = Agent::connect(attacker.from, attacker.target.http).await else { continue };
        let login = json!({ "player_name": leader, "token": token, "is_agent": true });
        if agent.log_in(login).await.is_ok() {
            for step in ["north", "south", "east", "west"] {
                attacker.tally.allow();
                let _gone = agent.command(step).await;
                let _gone = agent.drain(Duration::from_millis(300)).await;
                told(&attacker, &mut agent);
            }
        }
    }
}

async fn guessing(attacker: Attacker) {
    let http = attacker.target.http;
    let (mut agent, own, token) = somebody(&attacker, 'g', 0, json!({})).await;
    let _gone = agent.command("quit").await;
    let [a, b, c, d] = attacker.from.octets();
    let mut guesses = 0;
    for n in 0u64.. {
        if n % 9 == 8 {
            let login = json!({ "player_name": own, "token": token, "is_agent": true });
            if let Ok(mut agent) = Agent::connect(attacker.from, http).await {
                // A success of one's own, which bought more guesses once.
                let _refused = agent.log_in(login).await;
            }
            continue;
        }
        let from = Ipv4Addr::new(a, b, c, d + (n % 2) as u8);
        let trying = async {
            let mut agent = Agent::connect(from, http).await?;
            let login = json!({ "player_name": attacker.target.victim, "password": guess(guesses) });
            match agent.log_in(login).await {
                Ok(_) => Ok(true),
                // Checked against the password, and wrong: what is counted. Anything else kept it from being checked.
                Err(error) if error.to_string().starts_with("bad_login") => Ok(false),
                Err(error) => Err(error),
            }
        };
        let tried = trying.await;
        attacker.tally.count(&tried);
        if matches!(tried, Ok(true)) {
            attacker.tally.reach();
        }
        guesses += 1;
        sleep(Duration::from_millis(200)).await;
    }
}

async fn password_changes(attacker: Attacker) {
    crowd(5, move |n| {
        let attacker = attacker.clone();
        async move {
            let (mut agent, name, _) = somebody(&attacker, 'c', n as u64, json!({})).await;
            let _gone = agent.command("quit").await;
            drop(agent);
            loop {
                let changing = async {
                    let mut telnet = Telnet::connect(attacker.from, attacker.target.telnet).await?;
                    telnet.until("known? ").await?;
                    telnet.line(&name).await?;
                    telnet.until("assword: ").await?;
                    telnet.line(PASSWORD).await?;
                    telnet.until("What will it be? ").await?;
                    loop {
                        for line in ["4", "wrongwrong", "abcdefgh2", "abcdefgh2"] {
                            telnet.line(line).await?;
                        }
                        let said = telnet.until("What will it be? ").await?;
                        match said.lines().find(|line| line.contains("Too many") || line.contains("Not so fast")) {
                            Some(words) => attacker.tally.refuse(words),
                            None => attacker.tally.allow(),
                        }
                    }
                };
                let ended: anyhow::Result<()> = changing.await;
                attacker.tally.count(&ended);
                sleep(Duration::from_millis(500)).await;
            }
        }
    })
    .await;
}

async fn name_asking(attacker: Attacker) {
    crowd(5, move |n| {
        let attacker = attacker.clone();
        async move {
            let (bytes, asked): (Vec<u8>, _) = match n % 2 {
                0 => (b"Abcdefg\r\nn\r\n".repeat(500), "Not so fast"),
                _ => (b"\xff\xf6".repeat(5_000), "\0"),
            };
            loop {
                let asking = async {
                    let mut stream = connect(attacker.from, attacker.target.telnet).await?;
                    loop {
                        timeout(PATIENCE, stream.write_all(&bytes)).await??;
                        attacker.tally.allow();
                        // Of the thousand lines that went at once most are refused; the write counts as one.
                        let mut limited = false;
                        let mut heard = [0; 4_096];
                        while let Ok(count) = stream.try_read(&mut heard)
                            && count > 0
                        {
                            limited |= String::from_utf8_lossy(&heard[..count]).contains(asked);
                        }
                        if limited {
                            attacker.tally.add_refusals(asked, 1);
                        }
                        sleep(Duration::from_millis(20)).await;
                    }
                };
                let ended: anyhow::Result<()> = asking.await;
                attacker.tally.count(&ended);
                sleep(Duration::from_millis(500)).await;
            }
        }
    })
    .await;
}

async fn binary_frames(attacker: Attacker) {
    // A masked binary frame of one byte, many times, and a text frame of 20,000.
    let small: Vec<u8> = [0x82, 0x81, 0, 0, 0, 0, 7].repeat(500);
    let mut large = Vec::new();
    crate::load::wire::text_frame(&"x".repeat(20_000), &mut large);
    crowd(5, move |_| {
        let (attacker, small, large) = (attacker.clone(), small.clone(), large.clone());
        async move {
            loop {
                let sending = async {
                    let mut agent = Agent::connect(attacker.from, attacker.target.http).await?;
                    loop {
                        for bytes in [&small, &large] {
                            agent.send_raw(bytes).await?;
                            attacker.tally.allow();
                            agent.drain(Duration::from_millis(20)).await?;
                            // Each of the five hundred may have been answered; the write counts as one.
                            if let Some((words, _)) = agent.take_refusals().pop_first() {
                                attacker.tally.add_refusals(&words, 1);
                            }
                        }
                    }
                };
                let ended: anyhow::Result<()> = sending.await;
                attacker.tally.count(&ended);
                sleep(Duration::from_millis(500)).await;
            }
        }
    })
    .await;
}

async fn foreign_page(attacker: Attacker) {
    let host = attacker.target.http.to_string();
    let request = crate::load::wire::upgrade_request(&host);
    let request = request.replacen("\r\n", "\r\nOrigin: http://elsewhere.example\r\n", 1);
    loop {
        let opening = async {
            let stream = connect(attacker.from, attacker.target.http).await?;
            Agent::over(stream, &request).await
        };
        attacker.tally.count(&opening.await);
        sleep(Duration::from_millis(50)).await;
    }
}

async fn newcomers(attacker: Attacker) {
    for n in 0.. {
        let name = name_of(&attacker, 'n', n);
        let begun = Agent::create(attacker.from, attacker.target.http, &name, json!({})).await;
        attacker.tally.count(&begun);
        sleep(Duration::from_millis(50)).await;
    }
}

async fn token_logins(attacker: Attacker) {
    let (agent, name, mut token) = somebody(&attacker, 't', 0, json!({})).await;
    drop(agent);
    loop {
        let entering = async {
            let mut agent = Agent::connect(attacker.from, attacker.target.http).await?;
            let state = agent.log_in(json!({ "player_name": name, "token": token, "is_agent": true })).await?;
            anyhow::Ok(state["token"].as_str().map(String::from))
        };
        let entered = entering.await;
        attacker.tally.count(&entered);
        // Each login brings another one, and only the newest of them are kept.
        if let Ok(Some(new)) = entered {
            token = new;
        }
        sleep(Duration::from_millis(10)).await;
    }
}

async fn half_handshakes(attacker: Attacker) {
    crowd(attacker.sockets(300), move |n| {
        let attacker = attacker.clone();
        async move {
            let [a, b, c, d] = attacker.from.octets();
            let from = Ipv4Addr::new(a, b, c, d + (n % 6) as u8);
            sleep(Duration::from_millis(n as u64 * 2)).await;
            loop {
                let holding = async {
                    let mut stream = connect(from, attacker.target.https).await?;
                    hear_out(&mut stream, Duration::from_secs(600)).await;
                    anyhow::bail!("hung up")
                };
                hold(&attacker, Box::pin(holding)).await;
                sleep(Duration::from_millis(500)).await;
            }
        }
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_trigger_has_a_name_and_addresses_of_its_own() {
        let names: BTreeSet<&str> = TRIGGERS.iter().map(|trigger| trigger.name).collect();
        assert_eq!(names.len(), TRIGGERS.len());
        assert!(TRIGGERS.len() * usize::from(ADDRESSES_EACH) < 240, "their addresses differ in one byte");
        assert!(TRIGGERS.len() <= 26, "their characters differ in one letter");
    }

    #[test]
    fn every_finding_that_a_caller_can_cause_has_a_trigger() {
        let findings: BTreeSet<&str> = TRIGGERS.iter().flat_map(|trigger| trigger.finding.split(' ')).collect();
        for finding in ["H1", "H2", "H3", "H4", "H5", "H6", "M2", "M3", "M4", "M5", "M8", "L9"] {
            assert!(findings.contains(finding), "{finding}");
        }
    }

    #[test]
    fn attackers_names_are_legal_and_differ() {
        let target = Target {
            http: ([127, 0, 0, 1], 1).into(),
            telnet: ([127, 0, 0, 1], 2).into(),
            https: ([127, 0, 0, 1], 3).into(),
            victim: "Vera".into(),
        };
        let attacker = Attacker { target, from: Ipv4Addr::LOCALHOST, tally: Arc::default(), number: 3, share: 0.1 };
        let names: Vec<String> = [0, 1, 25, 26, 700, 100_000, 24_999_999].map(|n| name_of(&attacker, 'd', n)).into();
        assert_eq!((attacker.sockets(1_500), attacker.sockets(3)), (150, 1));
        assert_eq!(names[0], "Zxddaaaaaa");
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        assert!(names.iter().all(|name| name.len() <= 20 && name.bytes().all(|byte| byte.is_ascii_alphabetic())));
    }
}
