//! A company of one person at telnet and two programs, with all that channels and agents are for: a key, a request, a
//! reply, praise, pace, sleep; then a manager, and a bot of hers that a real host runs. The server dies between any two
//! steps, and everything is there; at the end the replay is equal, and a world without its journal knows them all.

use super::green;
use super::hosts::{host, host_key, until_all};
use super::postgres::on_postgres;
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use std::time::Duration;
use tests::e2e::{Agent, Options, Player, Server, Telnet, run};
use tests::torture::replayed;

/// Milliseconds of a tick here.
const TICK_MS: i64 = 100;

/// Words that `fork --redact` is to leave nothing of.
const SECRETS: [&str; 6] = ["swordfish", "quicksilver", "albatross", "marmalade", "cormorant", "periwinkle"];

struct Company {
    server: Server,
    /// Of the server's command line.
    more: Vec<String>,
    keys: [String; 3],
    ann: Telnet,
    bob: Agent,
    cid: Agent,
    /// Cid's record as it was told at the login.
    record: Value,
}

fn options(more: &[String]) -> Options {
    let words: Vec<&str> = more.iter().map(String::as_str).collect();
    Options { tick_ms: TICK_MS as u64, world: green().world, ..Options::with(&words) }
}

async fn log_in(server: &Server, name: &str, key: &str) -> Agent {
    let mut agent = server.connect().await;
    let data = json!({"player_name": name, "password": key, "is_agent": true, "features": ["channels"]});
    agent.send(json!({"type": "login", "data": data})).await;
    agent.logged_in().await;
    agent
}

async fn all_log_in(server: &Server, keys: &[String; 3]) -> (Telnet, Agent, Agent, Value) {
    let mut ann = server.dial().await;
    ann.log_in("Ann", &keys[0]).await;
    let bob = log_in(server, "Bob", &keys[1]).await;
    let mut cid = log_in(server, "Cid", &keys[2]).await;
    let record = cid.expect("agent").await["data"].clone();
    (ann, bob, cid, record)
}

impl Company {
    async fn gather(more: Vec<String>) -> Company {
        let server = Server::start_with(options(&more));
        let (ann, bob) = (server.key("Ann").await, server.key("Bob").await);
        let seed = server.state.path().join("seed.txt");
        std::fs::write(&seed, "You are fond of the albatross.").expect("written");
        let seed = seed.display().to_string();
        let words = ["--kind", "persona", "--owner", "Ann", "--may-create-agents", "--seed", &seed];
        let made = server.command(&[&["keygen", "--name", "Cid"], &words[..]].concat());
        assert_eq!(made.code, Some(0), "{}", made.err);
        let keys = [ann, bob, made.out.trim().to_string()];
        let (ann, bob, cid, record) = all_log_in(&server, &keys).await;
        Company { server, more, keys, ann, bob, cid, record }
    }

    /// The server is killed, and stands still for a while; then all are back.
    async fn die_for(self, pause: Duration) -> Company {
        let Company { server, more, keys, .. } = self;
        let state = server.kill();
        tokio::time::sleep(pause).await;
        let server = Server::start_with(Options { state: Some(state), ..options(&more) });
        let (ann, bob, cid, record) = all_log_in(&server, &keys).await;
        Company { server, more, keys, ann, bob, cid, record }
    }

    async fn die(self) -> Company {
        self.die_for(Duration::ZERO).await
    }

    async fn tick(&self) -> i64 {
        self.server.get("/health").await.json()["tick"].as_i64().expect("a number")
    }

    /// Until this stands in the history of Ann's home; all of it.
    async fn until_said(&mut self, what: &str) -> String {
        let mut read = String::new();
        for _ in 0..200 {
            self.ann.send("channel history home 50").await;
            read = self.ann.fence().await;
            if read.contains(what) {
                return read;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{what:?} was never said: {read}");
    }
}

fn digits(text: &str) -> String {
    text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect()
}

/// A key opens the way to a person, who grants it; what is said is answered and praised.
async fn talk(mut all: Company) -> Company {
    all.ann.ask("channel key add swordfish", "lets people ask").await;
    all.ann.ask("channel billboard The quicksilver is mine.", "So it stands").await;
    let mut all = all.die().await;
    all.bob.command("request ann swordfish").await;
    let asked = all.bob.expect_text("You have asked (#").await["data"]["text"].to_string();
    let mut all = all.die().await;
    all.ann.ask("channel show", "with the key swordfish").await;
    all.ann.ask(&format!("channel grant {}", digits(&asked)), "Bob is let in.").await;
    all.ann.ask("channel invite cid", "Cid comes at your word.").await;
    let mut all = all.die().await;
    all.bob.command("chat ann Who minds the periwinkle?").await;
    let said = all.cid.until(|frame| frame["data"]["content"] == "Who minds the periwinkle?").await["data"].clone();
    let mut all = all.die().await;
    // Where it is not, nobody is answered, and the words come back.
    all.cid.command(&format!("reply {}@gossip I do.", said["id"])).await;
    all.cid.expect_text("Not said: \"I do.\"").await;
    all.cid.command(&format!("reply {}@{} I do.", said["id"], said["channel"])).await;
    let answer = all.bob.until(|frame| frame["data"]["content"] == "I do.").await["data"].clone();
    assert_eq!((&answer["reply_to"], &answer["to_you"]), (&said["id"], &json!(true)), "{answer}");
    let mut all = all.die().await;
    let before = all.record["think_ds"].as_i64().expect("a number");
    all.bob.command(&format!("react {} up", answer["id"])).await;
    let praised = all.cid.expect("agent").await["data"]["think_ds"].as_i64().expect("a number");
    assert!((before - 5..=before).contains(&praised), "{before} became {praised}");
    let all = all.die().await;
    let after = all.record["think_ds"].as_i64().expect("a number");
    assert!((praised..=praised + 5).contains(&after), "the praise outlives the server: {praised} became {after}");
    all
}

/// What cannot be paid waits, and is said once, by whichever server lives then.
async fn wait(mut all: Company) -> Company {
    all.cid.command(&format!("chat ann {}", "patience ".repeat(185))).await;
    all.cid.command(&format!("chat ann The last of it. {}", "soon ".repeat(40))).await;
    all.cid.expect_text("of yours wait").await;
    let mut all = all.die().await;
    all.until_said("The last of it.").await;
    let mut all = all.die().await;
    let read = all.until_said("The last of it.").await;
    assert_eq!(read.matches("The last of it.").count(), 1, "{read}");
    all
}

/// A span and an instant, and somebody near who wakes.
async fn sleep(mut all: Company) -> Company {
    all.cid.command("guideline set Eat marmalade. because it keeps").await;
    assert_eq!(all.cid.expect("agent").await["data"]["guidelines"], "Eat marmalade.");
    all.cid.command("agent sleep 1h").await;
    assert!(all.cid.expect("agent").await["data"]["sleep_until"].is_u64());
    let mut all = all.die().await;
    assert!(all.record["sleep_until"].is_u64() && all.record["guidelines"] == "Eat marmalade.", "{}", all.record);
    all.bob.command("agent wake cid").await;
    assert!(all.cid.expect("agent").await["data"].get("sleep_until").is_none());
    // Until an instant: it stays where it is while the server does not run.
    let instant = Timestamp::now() + 600.seconds();
    all.cid.command(&format!("agent sleep {}", instant.strftime("%Y-%m-%dT%H:%M:%SZ"))).await;
    assert!(all.cid.expect("agent").await["data"]["sleep_until"].is_u64());
    let mut all = all.die_for(Duration::from_secs(3)).await;
    let tick = all.tick().await;
    let until = all.record["sleep_until"].as_i64().expect("it still sleeps");
    let left_ms = instant.as_millisecond() - Timestamp::now().as_millisecond();
    let off_ms = (until - tick) * TICK_MS - left_ms;
    assert!(off_ms.abs() < 2_000, "it would wake {off_ms} ms off the time, after 3 s without a server");
    all.bob.command("agent wake cid").await;
    all.cid.expect("agent").await;
    all.die().await
}

/// Cid, who may, makes a bot of the same owner, which a host runs; alters it and retires it.
async fn manage(mut all: Company) -> Company {
    let key = host_key(&all.server, "Ann");
    all.cid.command("agent create Finch bot = You feed the cormorant.").await;
    all.cid.expect_text("you are told when it is made").await;
    let all = all.die().await;
    let mut player = Player::at(all.server.http);
    player.settings["host_key"] = json!(key);
    let (mut watcher, _) = host(&all.server, &key, "watcher").await;
    let begun = std::time::Instant::now();
    let playing = player.start(&["host", "--no-model"]);
    until_all(&mut watcher, &["Finch"], "running").await;
    assert!(begun.elapsed() < Duration::from_secs(10), "within seconds: {:?}", begun.elapsed());
    drop((watcher, playing));
    let mut all = all.die().await;
    all.cid.command("agent alter finch prompt += And the gulls.").await;
    all.cid.expect_text("Finch is altered").await;
    let mut all = all.die().await;
    let (watcher, told) = host(&all.server, &key, "late").await;
    let row = told["agents"].as_array().expect("a list").iter().find(|row| row["name"] == "Finch").cloned();
    assert_eq!(row.expect("it is there")["seed"], "You feed the cormorant.\nAnd the gulls.");
    all.cid.command("agent retire finch").await;
    all.cid.expect_text("Finch is retired.").await;
    drop(watcher);
    let all = all.die().await;
    let (_watcher, told) = host(&all.server, &key, "last").await;
    let row = told["agents"].as_array().expect("a list").iter().find(|row| row["name"] == "Finch").cloned();
    assert_eq!(row.expect("it stays on the list")["state"], "retired");
    all
}

/// Nothing that anybody wrote is in what `fork --redact` makes: of all inputs, or of the state near the end.
fn blacken(state: &std::path::Path, tick: i64) {
    let tick = tick.to_string();
    for (at, more) in [("0", &["--until", &tick][..]), (&tick, &[])] {
        let out = tempfile::tempdir().expect("a folder");
        let (from, to) = (state.display().to_string(), out.path().join("black").display().to_string());
        let words = ["fork", "--state-dir", &from, "--at", at, "--redact", "--out", &to];
        let cut = run(&[&words[..], more].concat());
        assert_eq!(cut.code, Some(0), "{cut:?}");
        let mut bytes = Vec::new();
        if !more.is_empty() {
            let told = run(&["replay", "--state-dir", &to, "--transcript", "Ann"]);
            // Of `channel history home 50`, which is typed long after the tick from which the fork begins.
            assert!(told.code == Some(0) && told.out.contains("> channel xxxxxxx xxxx xx"), "{told:?}");
            bytes.extend(told.out.to_lowercase().into_bytes());
        }
        let mut folders = vec![out.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("it can be listed") {
                let path = entry.expect("an entry").path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => bytes.extend(std::fs::read(path).expect("it can be read").to_ascii_lowercase()),
                }
            }
        }
        for secret in SECRETS {
            let is_there = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!is_there, "{secret} is still in the fork from tick {at}");
        }
    }
}

async fn live(more: Vec<String>) {
    let all = Company::gather(more).await;
    let all = sleep(wait(talk(all).await).await).await;
    let all = manage(all).await;
    let tick = all.tick().await;
    let Company { server, more, keys, .. } = all;
    let state = server.stop().state;
    let report = replayed(state.path()).expect("a report");
    assert_eq!(report["ok"], true, "{report}");
    blacken(state.path(), tick);
    // The journal is lost: what the database has is enough to go on.
    let mut without = options(&more);
    without.more.extend(["--journal".to_string(), "off".to_string()]);
    let server = Server::start_with(Options { state: Some(state), ..without });
    let (mut ann, mut bob, mut cid, record) = all_log_in(&server, &keys).await;
    assert_eq!(record["seed"], "You are fond of the albatross.");
    assert_eq!((&record["guidelines"], &record["may_create_agents"]), (&json!("Eat marmalade."), &json!(true)));
    ann.ask("agent show finch", "And the gulls.").await;
    ann.ask("channel history home 50", "The last of it.").await;
    ann.ask("channel show", "quicksilver").await;
    cid.command("agent restore finch").await;
    cid.expect_text("That is The Architect's to say.").await;
    bob.command("chat ann We are all here.").await;
    ann.expect("We are all here.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_company_outlives_the_server_between_any_two_steps() {
    Box::pin(live(Vec::new())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_company_outlives_the_server_on_postgresql() {
    on_postgres(async |address| Box::pin(live(vec!["--db".into(), address.into()])).await).await;
}
