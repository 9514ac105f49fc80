//! The agents in Python of `examples/python`, as they are.
//!
//! They need a python3 with the package `websockets`: the one that `DP_PYTHON` names (`.ci/run` makes it, and then
//! nothing is skipped), or the one on the path.

use super::tls;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Instant;
use tests::e2e::{Options, PATIENCE, Player, Server, program, root};

/// A Python that can run the examples. Says so where there is none.
fn python() -> Option<String> {
    let named = std::env::var("DP_PYTHON").ok().filter(|name| !name.is_empty());
    let python = named.clone().unwrap_or_else(|| "python3".to_string());
    let has = Command::new(&python).args(["-c", "import websockets"]).output();
    if has.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    assert!(named.is_none(), "DP_PYTHON names {python}, which has no package `websockets`");
    eprintln!("skipped: there is no python3 with the package `websockets` (see examples/python/README.md)");
    None
}

/// One of the examples at play. Ends with the value.
struct Example {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Example {
    fn start(python: &str, file: &str, server: &Server, name: &str, key: &str) -> Example {
        let port = server.http.port().to_string();
        Example::start_with(python, file, name, key, &[("DP_HOST", "127.0.0.1"), ("DP_PORT", &port)])
    }

    /// With these variables in its environment: where the door is, and whom it trusts there.
    fn start_with(python: &str, file: &str, name: &str, key: &str, more: &[(&str, &str)]) -> Example {
        let mut command = Command::new(python);
        command.arg("-u").arg(root().join("examples/python").join(file));
        command.env_remove("DP_CA").env_remove("DP_TLS").envs(more.iter().copied());
        command.env("DP_NAME", name).env("DP_KEY", key).env("DP_PAUSE", "0.02");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("python starts");
        let (line, lines) = mpsc::channel();
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        std::thread::spawn(move || {
            for text in out.lines().map_while(Result::ok) {
                // Nobody listens any more when the test is over.
                let _unheard = line.send(text);
            }
        });
        Example { child, lines }
    }

    /// Reads on until a line holds this.
    fn until(&self, wanted: &str) {
        let mut read = Vec::new();
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(text) if text.contains(wanted) => return,
                Ok(text) => read.push(text),
                Err(_) => panic!("{wanted:?} never came; it printed {read:#?}"),
            }
        }
    }

    /// What it has printed since it was last read.
    fn printed(&self) -> Vec<String> {
        self.lines.try_iter().collect()
    }

    fn still_runs(&mut self) {
        let ended = self.child.try_wait().expect("it is our child");
        assert!(ended.is_none(), "it ended: {ended:?}");
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        // It may have ended by itself, which the test has then told.
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

#[tokio::test]
async fn the_published_loop_in_python_sees_a_fight_begin_and_end() {
    let Some(python) = python() else { return };
    let server = Server::start();
    let key = server.key("Snake").await;
    let mut example = Example::start(&python, "minimal.py", &server, "Snake", &key);
    example.until("Agent HP: ");
    example.until("Combat Status: False");
    // The loop itself only watches, so somebody makes it fight.
    let mut god = server.immortal("Godric", 39).await;
    server.place("Snake", 8027).await;
    god.ask("force snake kill straw", "\r\n").await;
    example.until("Combat Status: True");
    for _ in 0..60 {
        server.tick(1).await;
        if example.printed().iter().any(|text| text.contains("Combat Status: False")) {
            break;
        }
    }
    example.still_runs();
}

#[tokio::test]
async fn the_reflex_bot_in_python_dresses_hunts_loots_and_lives() {
    let Some(python) = python() else { return };
    let server = Server::start_with(Options { tick_ms: 40, ..Options::default() });
    let key = server.key("Adder").await;
    let mut example = Example::start(&python, "reflex_bot.py", &server, "Adder", &key);
    example.until("] wear all");
    // Among straw men.
    server.place("Adder", 8027).await;
    for wanted in ["] consider ", "] kill ", "killed ", "] get all corpse"] {
        example.until(wanted);
    }
    example.still_runs();
}

#[tokio::test]
async fn the_reflex_bot_in_python_flees_and_comes_again() {
    let Some(python) = python() else { return };
    let server = Server::start();
    let key = server.key("Adder").await;
    let mut example = Example::start(&python, "reflex_bot.py", &server, "Adder", &key);
    example.until("] wear all");
    let mut god = server.immortal("Godric", 39).await;
    server.place("Adder", 8027).await;
    god.ask("set adder hit 1", "\r\n").await;
    god.ask("force adder kill straw", "\r\n").await;
    example.until("] flee");
    server.copyover().await;
    example.until("the connection ended");
    example.until(" hp, ");
    example.still_runs();
}

/// What is checked here needs no package, only the bot's own rules.
const CIRCUIT_BREAKER: &str = r#"
import sys, types
sys.path.insert(0, sys.argv[1])
sys.modules["websockets"] = types.ModuleType("websockets")
import reflex_bot
now = [0.0]
bot = reflex_bot.Bot()
bot.breaker = reflex_bot.CircuitBreaker(lambda: now[0])
bot.todo = []
bot.state = {"HEALTH": 20, "MAX_HEALTH": 20, "MOVE": 80, "MAX_MOVE": 80, "POSITION": "standing", "FIGHTING": False,
             "ROOM_VNUM": 1, "ROOM_EXITS": ["north"], "ROOM_MOBS": []}
def refuse(command):
    assert bot.decide() == command, bot.decide()
    bot.sent(command)
    bot.merge({"EVENTS": [{"type": "refused", "command": command.split()[0], "reason": "The slab is closed."}]})
for _ in range(3):
    refuse("north")
assert bot.decide() == "look", "the only way is shut"
now[0] = 61.0
for _ in range(3):
    refuse("north")
now[0] = 61.0 + 119.0
assert bot.decide() == "look", "it is left alone for longer the second time"
now[0] = 61.0 + 121.0
assert bot.decide() == "north", "it is tried again"
bot.sent("north")
bot.sent("look")
assert not bot.breaker.failed and not bot.breaker.dropped, "what works is forgiven"
# Somebody who cannot be attacked.
bot.state.update(ROOM_EXITS=[], ROOM_MOBS=[{"vnum": 7, "target_string": "edda", "fighting": True, "fighting_me": True}])
for _ in range(3):
    refuse("hit edda")
assert bot.decide() is None, "it waits"
bot.state["HEALTH"] = 2
for _ in range(9):
    refuse("flee")
"#;

/// The bot beside a keeper, between doors.
const SENSE: &str = r#"
import sys, types
sys.path.insert(0, sys.argv[1])
sys.modules["websockets"] = types.ModuleType("websockets")
import reflex_bot
bot = reflex_bot.Bot()
bot.todo = []
bot.fair = {7: True}
keeper = {"vnum": 7, "target_string": "edda", "fighting": False, "fighting_me": False, "attackable": False}
bot.state = {"HEALTH": 20, "MAX_HEALTH": 20, "MOVE": 80, "MAX_MOVE": 80, "POSITION": "standing", "FIGHTING": False,
             "ROOM_VNUM": 1, "ROOM_EXITS": ["east", "down"], "ROOM_MOBS": [keeper],
             "ROOM_DOORS": {"east": "closed", "down": "locked"}}
assert list(bot.wishes()) == ["open east", "look"], list(bot.wishes())
bot.state["ROOM_DOORS"]["east"] = "open"
assert list(bot.wishes()) == ["east", "look"], list(bot.wishes())
keeper["attackable"] = True
assert bot.decide() == "kill edda", bot.decide()
"#;

#[test]
fn the_reflex_bot_in_python_drops_what_is_refused_again_and_again() {
    runs_in_python(CIRCUIT_BREAKER);
}

#[test]
fn the_reflex_bot_in_python_leaves_keepers_alone_and_opens_doors() {
    runs_in_python(SENSE);
}

/// A script that is given the folder of the examples.
fn runs_in_python(script: &str) {
    let python = std::env::var("DP_PYTHON").ok().filter(|name| !name.is_empty()).unwrap_or("python3".to_string());
    let folder = root().join("examples/python");
    let ran = Command::new(&python).args(["-B", "-c", script]).arg(folder).output();
    let Ok(ran) = ran else {
        eprintln!("skipped: there is no {python}");
        return;
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// A script of the examples that needs nothing but Python: what it prints. `None`, and a word why, where there is none.
fn printed_by(file: &str, words: &[&str]) -> Option<String> {
    let python = std::env::var("DP_PYTHON").ok().filter(|name| !name.is_empty()).unwrap_or("python3".to_string());
    let mut command = Command::new(&python);
    command.arg("-B").arg(root().join("examples/python").join(file)).args(words).stdin(Stdio::null());
    command.env("DP_BIN", program().parent().expect("it is in a folder"));
    let Ok(ran) = command.output() else {
        eprintln!("skipped: there is no {python}");
        return None;
    };
    assert!(ran.status.success(), "{file}: {}", String::from_utf8_lossy(&ran.stderr));
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_script_on_rewards_reads_a_session_and_its_rows_agree_with_its_summary() {
    let server = Server::start_with(Options { tick_ms: 50, ..Options::default() });
    let mut player = Player::of(&server, "Ledger").await;
    let stub = player.start(&["stub", "--port", "0", "--seed", "3"]);
    let deadline = Instant::now() + PATIENCE;
    let endpoint = loop {
        if let Some((_, rest)) = stub.printed().split_once("ready http=") {
            break format!("http://{}", rest.split_whitespace().next().unwrap_or(""));
        }
        assert!(Instant::now() < deadline, "the stub is not ready: {}{}", stub.printed(), stub.said());
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    };
    player.settings["litellm_endpoint"] = endpoint.into();
    player.settings["llm_key"] = "stub".into();
    player.save();
    let logs = player.path("logs").display().to_string();
    let ended = player.start(&["session", "--duration", "8s", "--log-dir", &logs, "--think-ms", "500"]).ended(PATIENCE);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    stub.signal("TERM");
    let log = player.log_files("logs", "Ledger")[0].display().to_string();
    let table = |table: &str, format: &str| {
        let to = player.path(&format!("{table}.{format}")).display().to_string();
        let made = player.run(&["log", "export", &log, "--table", table, "--format", format, "--out", &to]);
        assert_eq!(made.code, Some(0), "{made:?}");
        to
    };
    let mut printed = Vec::new();
    for format in ["csv", "jsonl"] {
        let words = [table("decisions", format), table("episodes", format)];
        let Some(text) = printed_by("rewards.py", &words.each_ref().map(String::as_str)) else { return };
        for part in ["## Reward by who decided", "\nmodel ", "## What models cost", "cost per kill", "speaks of", "yes"]
        {
            assert!(text.contains(part), "{part:?}: {text}");
        }
        assert!(!text.contains(" NO\n"), "the rows do not sum up: {text}");
        printed.push(text);
    }
    assert_eq!(printed[0], printed[1], "it reads the same from either format");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_script_with_arms_plays_one_past_three_times_and_compares() {
    let server = Server::start_with(Options { tick_ms: 50, ..Options::default() });
    let player = Player::of(&server, "Wren").await;
    let logs = player.path("logs").display().to_string();
    let ended = player.start(&["session", "--duration", "3s", "--no-model", "--log-dir", &logs]).ended(PATIENCE);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let begun = player.rows("logs", "Wren")[0]["world"]["tick"].as_u64().expect("it came in");
    let (state, at) = (server.state.path().display().to_string(), (begun + 20).to_string());
    let words = ["--state", &state, "--at", &at, "--name", "Wren", "--minutes", "0.15"];
    let Some(text) = printed_by("arms.py", &words) else { return };
    let row = |arm: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.starts_with(arm)).unwrap_or_else(|| panic!("{arm}: {text}"));
        line.split_whitespace().map(str::to_string).collect()
    };
    for (arm, valence) in [("felt  ", "on"), ("again ", "on"), ("flat  ", "off")] {
        let row = row(arm);
        assert_eq!(row[1], valence, "{text}");
        assert!(row[2].parse::<u32>().is_ok_and(|decisions| decisions > 0), "{text}");
    }
    assert!(text.contains("felt and again: the first") && text.contains("felt and flat: the first"), "{text}");
}

#[tokio::test]
async fn the_agents_in_python_come_encrypted_and_trust_none_but_whom_they_are_told() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (made, other) = (tls::make(folder.path(), "one"), tls::make(folder.path(), "other"));
    let server = Server::start_with(tls::options(&made));
    let key = server.key("Viper").await;
    let port = tls::door(&server, "https").port().to_string();
    let (trusted, stranger) = (made.cert.display().to_string(), other.cert.display().to_string());
    for (file, wanted) in [("minimal.py", "Agent HP: "), ("reflex_bot.py", "] wear all")] {
        let door = [("DP_HOST", "localhost"), ("DP_PORT", port.as_str())];
        let told = [&door[..], &[("DP_CA", trusted.as_str())]].concat();
        let mut example = Example::start_with(&python, file, "Viper", &key, &told);
        example.until(wanted);
        example.still_runs();
        drop(example);
        for wrong in [("DP_CA", stranger.as_str()), ("DP_TLS", "1")] {
            let told = [&door[..], &[wrong]].concat();
            let mut example = Example::start_with(&python, file, "Viper", &key, &told);
            let ended = example.child.wait().expect("it is our child");
            assert!(!ended.success(), "{file} trusts {wrong:?}");
            assert!(example.printed().is_empty(), "{file} played with {wrong:?}");
        }
    }
}
