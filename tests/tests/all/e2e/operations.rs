//! What who runs a server relies on: where its settings come from, what it logs, and what it tells about itself.

use super::{green, green_with};
use serde_json::Value;
use sqlx::Connection;
use std::time::{Duration, Instant};
use tests::e2e::{Options, Server, run};

/// An outage is noticed, and its end too, long before that.
const LONGEST: Duration = Duration::from_secs(40);

/// Writes a config file into a folder of its own.
fn config(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dp.toml");
    std::fs::write(&path, text).expect("written");
    let path = path.display().to_string();
    (folder, path)
}

#[test]
fn a_flag_wins_over_the_environment_and_that_over_the_file() {
    let (_folder, path) = config("[log]\nlog = 'error'\n");
    let talks = |words: &[&str], environment: &[(&'static str, &str)]| {
        let environment = environment.iter().map(|(name, value)| (*name, value.to_string())).collect();
        let server = Server::start_with(Options { environment, ..green_with(words) });
        let stopped = server.stop();
        assert_eq!(stopped.code, Some(0), "{}", stopped.log);
        stopped.log.contains("the world is up")
    };
    assert!(talks(&[], &[]), "by default it does");
    assert!(!talks(&["--config", &path], &[]), "the file wins over the default");
    assert!(!talks(&[], &[("DP_SERVER_CONFIG", &path)]), "and may be named in the environment");
    assert!(talks(&["--config", &path], &[("DP_SERVER_LOG", "info")]), "the environment wins over the file");
    assert!(!talks(&["--log", "error"], &[("DP_SERVER_LOG", "info")]), "a flag wins over the environment");
}

#[test]
fn a_switch_may_come_from_the_file_and_from_the_environment() {
    let world = super::operator::broken_world();
    let options = || Options { world: world.path().into(), ..Options::default() };
    let (_folder, path) = config("lenient = true\n");
    drop(Server::start_with(Options { more: vec!["--config".into(), path.clone()], ..options() }));
    let environment = |value: &str| vec![("DP_SERVER_LENIENT", value.to_string())];
    drop(Server::start_with(Options { environment: environment("yes"), ..options() }));
    let off = Options { more: vec!["--config".into(), path], environment: environment("0"), ..options() };
    let failed = Server::fails_to_start(off);
    assert!(failed.code == Some(1) && failed.err.contains("--lenient"), "{failed:?}");
}

#[test]
fn a_file_that_is_not_understood_starts_no_server() {
    for (text, words) in [
        ("\ntick-msec = 5\n", ["dp.toml:2", "tick-msec", "did you mean `tick-ms`"]),
        ("tick-ms = 'fast'\n", ["dp.toml:1", "tick-ms", "whole number"]),
        ("[doors]\nhttp = '127.0.0.1'\n", ["dp.toml:2", "http", "127.0.0.1"]),
        ("db = 'sqlite:x\n", ["dp.toml:1", "dp-server:", ""]),
    ] {
        let (_folder, path) = config(text);
        let failed = Server::fails_to_start(green_with(&["--config", &path]));
        assert!(failed.code == Some(1) && failed.out.is_empty(), "{failed:?}");
        assert!(words.iter().all(|word| failed.err.contains(word)), "{words:?}: {}", failed.err);
    }
    let missing = Server::fails_to_start(green_with(&["--config", "/nowhere/dp.toml"]));
    assert!(missing.code == Some(1) && missing.err.contains("/nowhere/dp.toml"), "{missing:?}");
}

#[test]
fn a_subcommand_finds_the_state_that_the_file_names() {
    let state = tempfile::tempdir().expect("a folder");
    let (_folder, path) = config(&format!("state-dir = {:?}\n", state.path().display().to_string()));
    assert_eq!(run(&["keygen", "--name", "Brenda", "--config", &path]).code, Some(0));
    let listed = run(&["keys", "--state-dir", &state.path().display().to_string()]);
    assert!(listed.out.contains("Brenda"), "{listed:?}");
}

#[test]
fn a_log_in_json_is_nothing_but_json() {
    let server = Server::start_with(green_with(&["--log-format", "json", "--log", "debug"]));
    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    let line = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let lines: Vec<Value> = stopped.log.lines().map(line).collect();
    let up = lines.iter().find(|line| line["fields"]["message"] == "the world is up").expect("it says so");
    assert_eq!((&up["level"], &up["fields"]["seed"]), (&"INFO".into(), &7.into()), "{up}");
    // The reason why it does not start as well.
    let held = Server::start_with(green());
    let second = Options { state: Some(held.state.clone()), ..green_with(&["--log-format", "json"]) };
    let failed = Server::fails_to_start(second);
    let last = line(failed.err.lines().last().expect("it says why"));
    assert!(last["fields"]["message"].to_string().contains("holds the state folder"), "{}", failed.err);
}

/// The value of a metric, labels included in the name; panics where there is none.
fn metric(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name} in:\n{text}"))
}

#[tokio::test]
async fn metrics_count_what_is_said_until_it_is_written() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let bob = server.person("Bob").await;
    let before = metric(&server.get("/metrics").await.body, "dp_archive_written_total");
    for n in 0..5 {
        ann.ask(&format!("tell bob Line {n}."), "You tell Bob").await;
    }
    let mut text = String::new();
    for _ in 0..100 {
        text = server.get("/metrics").await.body;
        // The channel, its two members and five messages.
        if metric(&text, "dp_archive_written_total") >= before + 8.0 && metric(&text, "dp_archive_waiting") == 0.0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert!(metric(&text, "dp_archive_written_total") >= before + 8.0, "{text}");
    for (name, value) in [
        ("dp_archive_waiting", 0.0),
        ("dp_archive_failures_total", 0.0),
        ("dp_archive_aside_total", 0.0),
        ("dp_archive_lost_total", 0.0),
        ("dp_archive_failing_seconds", 0.0),
    ] {
        assert_eq!(metric(&text, name), value, "{name}");
    }
    drop(bob);
}

#[tokio::test]
async fn metrics_count_what_happens() {
    let server = Server::start_with(green_with(&["--failures-before-lockout", "2", "--commands-per-second", "1"]));
    let agent = async || server.get("/metrics").await.body;
    let before = agent().await;
    assert!(before.ends_with("# EOF\n"), "{before}");
    assert_eq!(metric(&before, "dp_sessions{door=\"telnet\",kind=\"person\"}"), 0.0);
    let mut bot = server.agent("Bot").await;
    let ann = server.person("Ann").await;
    for _ in 0..12 {
        bot.command("look").await;
    }
    bot.expect_error("rate_limited").await;
    server.tick(3).await;
    let mut during = agent().await;
    // A connection on which something was asked before is counted until its end has been noticed.
    for _ in 0..600 {
        if metric(&during, "dp_connections") <= 3.0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        during = agent().await;
    }
    for (name, value) in [
        ("dp_tick", 3.0),
        ("dp_tick_duration_seconds_count", 3.0),
        ("dp_players", 2.0),
        // Theirs, and the one on which this is asked.
        ("dp_connections", 3.0),
        ("dp_sessions{door=\"websocket\",kind=\"agent\"}", 1.0),
        ("dp_sessions{door=\"telnet\",kind=\"person\"}", 1.0),
        ("dp_logins_total{door=\"websocket\",kind=\"agent\"}", 1.0),
        ("dp_lockouts_total", 0.0),
        ("dp_late_ticks_total", 0.0),
        ("dp_store_failures_total", 0.0),
    ] {
        assert_eq!(metric(&during, name), value, "{name}");
    }
    assert!(metric(&during, "dp_commands_total") >= 1.0 && metric(&during, "dp_commands_refused_total") >= 1.0);
    drop(ann);
    for _ in 0..2 {
        let mut stranger = server.connect().await;
        let wrong = serde_json::json!({"player_name": "Bot", "password": "wrong", "is_agent": true});
        stranger.send(super::login(wrong)).await;
        stranger.expect_error("bad_login").await;
    }
    let after = agent().await;
    assert_eq!(metric(&after, "dp_logins_refused_total{reason=\"no_password\"}"), 2.0, "{after}");
    assert_eq!(metric(&after, "dp_lockouts_total"), 1.0);
    // Every name has its row in the manual, and the manual has no other.
    let named = |text: &str, mark: &str| -> std::collections::BTreeSet<String> {
        let names = text.lines().filter_map(|line| line.strip_prefix(mark)?.split([' ', '`']).next());
        names.filter(|name| name.starts_with("dp_")).map(str::to_owned).collect()
    };
    let manual = std::fs::read_to_string(tests::e2e::root().join("docs/OPERATIONS.md")).expect("it is there");
    assert_eq!(named(&after, "# TYPE "), named(&manual, "| `"));
}

#[test]
fn a_script_may_ask_how_it_goes() {
    let server = Server::start_with(green());
    let well = server.command(&["health"]);
    let report: Value = serde_json::from_str(&well.out).expect("JSON");
    assert_eq!((well.code, &report["status"], &report["tick"]), (Some(0), &"ok".into(), &0.into()), "{well:?}");
    let stopped = server.stop();
    let none = run(&["health", "--state-dir", &stopped.state.path().display().to_string()]);
    assert!(none.code == Some(1) && none.err.contains("no server runs"), "{none:?}");
}

/// One connection's way to a server behind it, that can be cut without a word: nothing is closed, nothing is carried.
struct Cable {
    address: std::net::SocketAddr,
    cut: tokio::sync::watch::Sender<bool>,
}

impl Cable {
    async fn to(server: String) -> Cable {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it has one");
        let (cut, is_cut) = tokio::sync::watch::channel(false);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let (server, is_cut) = (server.clone(), is_cut.clone());
                tokio::spawn(async move {
                    // Whoever calls while it is cut hears nothing either.
                    whole(is_cut.clone()).await;
                    let far = tokio::net::TcpStream::connect(server).await.expect("the database is there");
                    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
                    tokio::join!(carry(near_in, far_out, is_cut.clone()), carry(far_in, near_out, is_cut));
                });
            }
        });
        Cable { address, cut }
    }
}

async fn whole(mut is_cut: tokio::sync::watch::Receiver<bool>) {
    // The test is over when nobody can mend it any more.
    let _mended = is_cut.wait_for(|cut| !cut).await;
}

async fn carry(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    is_cut: tokio::sync::watch::Receiver<bool>,
) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        whole(is_cut.clone()).await;
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

/// A database that a test can take away.
trait Outage {
    /// What `/health` says meanwhile: one of them.
    const REASONS: &[&str];
    async fn begin(&mut self);
    async fn end(&mut self);
    /// What is stored of Brenda.
    async fn stored(&mut self) -> String;
}

const STORED: &str = "SELECT data FROM character WHERE name = 'brenda'";

/// Another program that keeps the file locked.
struct Locked(sqlx::SqliteConnection);

impl Outage for Locked {
    // The latter where the save had to wait for the login to give up first.
    const REASONS: &[&str] = &["The database is locked by another program.", "The database does not answer."];

    async fn begin(&mut self) {
        sqlx::query("BEGIN IMMEDIATE").execute(&mut self.0).await.expect("nobody else writes for long");
    }

    async fn end(&mut self) {
        sqlx::query("ROLLBACK").execute(&mut self.0).await.expect("it is ours");
    }

    async fn stored(&mut self) -> String {
        sqlx::query_scalar(STORED).fetch_one(&mut self.0).await.expect("she is there")
    }
}

/// A network that swallows everything between the server and PostgreSQL.
struct Silence(Cable, sqlx::PgConnection);

impl Outage for Silence {
    const REASONS: &[&str] = &["The database does not answer."];

    async fn begin(&mut self) {
        self.0.cut.send_replace(true);
    }

    async fn end(&mut self) {
        self.0.cut.send_replace(false);
    }

    async fn stored(&mut self) -> String {
        sqlx::query_scalar(STORED).fetch_one(&mut self.1).await.expect("she is there")
    }
}

#[tokio::test]
async fn a_locked_file_delays_no_tick_and_loses_nothing() {
    let server = Server::start_with(Options { tick_ms: 100, ..green() });
    let file = server.state.path().join("darkpawns.sqlite");
    let other = sqlx::SqliteConnection::connect(&format!("sqlite:{}", file.display())).await.expect("it opens");
    Box::pin(play_through(server, Locked(other))).await;
}

// The cable works on a thread of its own, while the server starts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_postgresql_delays_no_tick_and_loses_nothing() {
    super::postgres::on_postgres(async |address| {
        let (before, rest) = address.split_once('@').expect("the URL has a password");
        let (server, rest) = rest.split_once('/').expect("and a database");
        let cable = Cable::to(server.to_string()).await;
        let through = format!("{before}@{}/{rest}", cable.address);
        let direct = sqlx::PgConnection::connect(address).await.expect("it answers");
        let server = Server::start_with(Options { tick_ms: 100, ..green_with(&["--db", &through]) });
        Box::pin(play_through(server, Silence(cable, direct))).await;
    })
    .await;
}

/// Plays while the database is away, and looks for everything afterwards.
async fn play_through<O: Outage>(server: Server, mut outage: O) {
    let (key, late_key) = (server.key("Brenda").await, server.key("Carl").await);
    let mut bot = server.connect().await;
    bot.log_in("Brenda", &key).await;
    assert_eq!(server.get("/health").await.status, 200);
    outage.begin().await;
    bot.command("title the Patient").await;
    bot.command("save").await;
    let begun = Instant::now();
    let first_tick = server.get("/health").await.json()["tick"].as_u64().expect("a number");
    // A login needs the database: it waits a while, and is told in a sentence.
    let address = server.http;
    let late = tokio::spawn(async move {
        let mut late = tests::e2e::Agent::connect(address).await;
        let data = serde_json::json!({"player_name": "Carl", "password": late_key, "is_agent": true});
        late.send(super::login(data)).await;
        late.expect("error").await
    });
    let mut health = server.get("/health").await;
    let mut slowest = Duration::ZERO;
    while health.status == 200 || health.json()["store"]["failing_s"].is_null() || !late.is_finished() {
        assert!(begun.elapsed() < LONGEST, "{}", health.body);
        let sent = Instant::now();
        bot.command("look").await;
        bot.expect_text("Village Green").await;
        slowest = slowest.max(sent.elapsed());
        tokio::time::sleep(Duration::from_millis(200)).await;
        health = server.get("/health").await;
    }
    let report = health.json();
    assert_eq!(health.status, 503, "{report}");
    let reason = report["reasons"][0].as_str().expect("there is one");
    assert!(O::REASONS.iter().any(|known| reason.starts_with(known)), "{report}");
    assert_eq!((&report["store"]["answers"], &report["unsaved"]), (&false.into(), &1.into()), "{report}");
    assert!(report["lag_ms"].as_u64().is_some_and(|ms| ms < 1_000), "{report}");
    let ticks = report["tick"].as_u64().expect("a number") - first_tick;
    let due = begun.elapsed().as_millis() as u64 / 100;
    assert!(ticks + 10 >= due, "{ticks} ticks of {due}");
    assert!(slowest < Duration::from_secs(1), "a command took {slowest:?}");
    let told = late.await.expect("it was told");
    assert_eq!(told["data"]["code"], "internal", "{told}");
    assert!(told["data"]["message"].to_string().contains("Try again in a minute"), "{told}");
    assert!(!outage.stored().await.contains("the Patient"), "it was away");
    outage.end().await;
    let back_at = Instant::now();
    while health.status != 200 || health.json()["unsaved"] != 0 {
        assert!(back_at.elapsed() < LONGEST, "{}", health.body);
        tokio::time::sleep(Duration::from_millis(200)).await;
        health = server.get("/health").await;
    }
    let log = server.log();
    assert!(log.contains("trying again") && log.contains("characters are written again"), "{log}");
    let data = outage.stored().await;
    assert!(data.contains("the Patient"), "what was done while it was away has arrived: {data}");
    // And whoever could not come in can now.
    let mut carl = server.person("Carl").await;
    carl.ask("look", "Brenda").await;
    assert_eq!(server.stop().code, Some(0));
}
