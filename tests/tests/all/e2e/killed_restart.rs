//! SIGKILL in every phase of a hot restart: while the program on disk is tried, while everything stops, while the last
//! snapshot is written, before and after the process becomes the next program, and while that one starts.
//!
//! A person drops and takes a key all the while and an agent counts its coins; whatever either was shown must have
//! happened afterwards, nothing twice, and nothing may be in the way of the next server.

use super::green;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tests::e2e::{Agent, Options, PATIENCE, Server, Telnet};
use tests::torture::replayed;

const TAKES_OVER: &str = "the program on disk takes over";

/// When a restart that was asked for meets its SIGKILL.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// At so many percent of the time that a whole restart takes.
    Percent(u32),
    /// So long after the log said that the server stops for the next program.
    Stopping(Duration),
    /// So long after the process had become the next program.
    Started(Duration),
}

/// How far the restart had come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Phase {
    Trying,
    Stopping,
    Starting,
    Up,
}

/// What somebody did last: so many deeds were shown to be done, and so many were asked for.
#[derive(Clone, Copy, Debug)]
struct Deeds {
    shown: u64,
    asked: u64,
}

impl Deeds {
    /// Of the one that was asked for and not answered nobody knows.
    fn allow(self, done: u64) -> bool {
        done == self.shown || done == self.asked
    }
}

/// Takes the key that she has dropped and drops it again, each time waiting for the answer, until the connection ends.
async fn juggle(mut ann: Telnet) -> Deeds {
    let mut deeds = Deeds { shown: 1, asked: 1 };
    loop {
        let (line, answer) =
            if deeds.asked.is_multiple_of(2) { ("drop key", "You drop") } else { ("get key", "You get") };
        if !ann.try_send_raw(format!("{line}\r\n").as_bytes()).await {
            return deeds;
        }
        deeds.asked += 1;
        if !ann.next_is(answer).await {
            return deeds;
        }
        ann.expect(answer).await;
        deeds.shown += 1;
    }
}

/// Has so many coins, and one more each time that the last one was shown, until the connection ends.
async fn count(mut brenda: Agent, from: u64) -> Deeds {
    let mut deeds = Deeds { shown: from, asked: from };
    loop {
        let coins = deeds.asked + 1;
        let line = serde_json::json!({"type": "command", "data": {"command": format!("set brenda gold {coins}")}});
        if !brenda.try_send(line).await {
            return deeds;
        }
        deeds.asked = coins;
        let answer = has(coins);
        loop {
            match brenda.next_or_end().await {
                Ok(frame) if frame["data"]["text"] == answer => break,
                Ok(_) => {}
                Err(_) => return deeds,
            }
        }
        deeds.shown = coins;
    }
}

fn has(coins: u64) -> String {
    format!("Gold of Brenda is {coins} now.")
}

/// The process is the next program already: its environment names a handover.
fn became_next(server: &Server) -> bool {
    let environment = std::fs::read(format!("/proc/{}/environ", server.pid())).unwrap_or_default();
    environment.windows(12).any(|window| window == b"DP_HANDOVER=")
}

async fn until(server: &Server, what: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !what() {
        assert!(Instant::now() < deadline, "it never came to that: {}", server.log());
        tokio::time::sleep(Duration::from_micros(100)).await;
    }
}

/// Of the first restart of a server.
fn phase(server: &Server) -> Phase {
    let log = server.log();
    if log.matches("the world is up").count() > 1 {
        Phase::Up
    } else if became_next(server) {
        Phase::Starting
    } else if log.contains(TAKES_OVER) {
        Phase::Stopping
    } else {
        Phase::Trying
    }
}

/// One server after the other on one state folder, each killed in the midst of its restart.
struct Chain {
    keys: [String; 2],
    /// How long a whole restart takes, at its fastest.
    restart: Duration,
    coins: u64,
    state: Arc<TempDir>,
}

impl Chain {
    async fn begin() -> Chain {
        let server = Server::start_with(green());
        let keys = [server.key("Ann").await, server.key("Brenda").await];
        let mut ann = server.dial().await;
        ann.log_in("Ann", &keys[0]).await;
        let mut brenda = server.connect().await;
        brenda.log_in("Brenda", &keys[1]).await;
        server.promote("Ann", 39).await;
        server.promote("Brenda", 39).await;
        ann.ask("load obj 120", "iron key").await;
        brenda.command("set brenda gold 1").await;
        brenda.fence().await;
        let begun = Instant::now();
        server.copyover().await;
        let restart = begun.elapsed();
        Chain { keys, restart, coins: 1, state: server.kill() }
    }

    /// Starts a server on the folder, plays, kills it in its restart, and looks at what is left.
    async fn link(&mut self, moment: Moment) -> Phase {
        let server = Server::start_with(Options { state: Some(self.state.clone()), ..green() });
        let mut ann = server.dial().await;
        ann.log_in("Ann", &self.keys[0]).await;
        let mut brenda = server.connect().await;
        brenda.log_in("Brenda", &self.keys[1]).await;
        if keys(&mut ann).await == (0, 1) {
            ann.ask("get key", "You get").await;
        }
        server.tick(31).await;
        ann.ask("drop key", "You drop").await;
        let coins = self.coins + 1;
        brenda.command(&format!("set brenda gold {coins}")).await;
        brenda.expect_text(&has(coins)).await;
        let (ann, brenda) = (tokio::spawn(juggle(ann)), tokio::spawn(count(brenda, coins)));
        server.signal("USR2");
        match moment {
            Moment::Percent(percent) => tokio::time::sleep(self.restart * percent / 100).await,
            Moment::Stopping(then) => {
                until(&server, || server.log().contains(TAKES_OVER)).await;
                tokio::time::sleep(then).await;
            }
            Moment::Started(then) => {
                until(&server, || became_next(&server)).await;
                tokio::time::sleep(then).await;
            }
        }
        let phase = phase(&server);
        server.kill();
        let (juggled, counted) = (ann.await.expect("Ann is well"), brenda.await.expect("Brenda is well"));
        self.look(juggled, counted).await;
        phase
    }

    /// What is left of a server that was killed: all that was shown, once; and another restart works.
    async fn look(&mut self, juggled: Deeds, counted: Deeds) {
        let replay = replayed(self.state.path()).expect("it can be replayed");
        assert_eq!(replay["ok"], true, "{replay}");

        let server = Server::start_with(Options { state: Some(self.state.clone()), ..green() });
        let record = std::fs::read_to_string(self.state.path().join("server.json")).expect("it runs");
        assert!(record.contains(&format!("{}", server.pid())), "{record}");
        let mut ann = server.dial().await;
        ann.log_in("Ann", &self.keys[0]).await;
        let found = keys(&mut ann).await;
        assert!(found == (1, 0) || found == (0, 1), "there is one key, in hand or on the ground: {found:?}");
        // It lies after an odd number of deeds.
        assert!(juggled.allow(juggled.shown + (juggled.shown % 2).abs_diff(found.1)), "{juggled:?}: {found:?}");
        let coins = self.coins_of_brenda(&server).await;
        assert!(counted.allow(coins), "{counted:?}: {coins}");
        self.coins = coins;

        let begun = Instant::now();
        server.copyover().await;
        // The first of all is slower, and a sweep that is too long misses the phases.
        self.restart = self.restart.min(begun.elapsed());
        ann.expect("The world blinks").await;
        assert_eq!(keys(&mut ann).await, found);
        assert_eq!(self.coins_of_brenda(&server).await, coins);
        let log = server.log();
        for words in ["panicked", "cannot be used", "given up half-way"] {
            assert!(!log.contains(words), "{words}: {log}");
        }
        self.state = server.kill();
    }

    async fn coins_of_brenda(&self, server: &Server) -> u64 {
        let mut brenda = server.connect().await;
        brenda.log_in("Brenda", &self.keys[1]).await;
        brenda.vars["GOLD"].as_u64().expect("a number")
    }
}

/// How many keys she has in hand, and how many lie about.
async fn keys(ann: &mut Telnet) -> (u64, u64) {
    ann.fence().await;
    ann.send("inventory").await;
    let held = ann.fence().await.matches("an iron key").count() as u64;
    ann.send("look").await;
    let lying = ann.fence().await.matches("An iron key lies in the dust.").count() as u64;
    (held, lying)
}

/// Names of what was half-written beside its place, or would be of a handover, which is never in a file.
fn stale(state: &Path) -> Vec<String> {
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("it is readable");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    };
    let mut all = names(state);
    all.extend(names(&state.join("journal")));
    all.retain(|name| name.ends_with(".new") || name.contains("handover"));
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn nothing_that_was_shown_is_undone_by_a_kill_in_any_phase_of_a_restart() {
    let ms = Duration::from_millis;
    let chains = [
        vec![
            Moment::Percent(0),
            Moment::Percent(40),
            Moment::Percent(80),
            Moment::Stopping(ms(0)),
            Moment::Started(ms(3)),
        ],
        vec![
            Moment::Percent(10),
            Moment::Percent(50),
            Moment::Percent(90),
            Moment::Stopping(ms(2)),
            Moment::Started(ms(10)),
        ],
        vec![
            Moment::Percent(20),
            Moment::Percent(60),
            Moment::Percent(100),
            Moment::Stopping(ms(5)),
            Moment::Started(ms(30)),
        ],
        vec![
            Moment::Percent(30),
            Moment::Percent(70),
            Moment::Started(ms(0)),
            Moment::Stopping(ms(10)),
            Moment::Started(ms(60)),
        ],
    ];
    let running: Vec<_> = chains
        .into_iter()
        .map(|moments| {
            tokio::spawn(async move {
                let mut chain = Chain::begin().await;
                let mut phases = Vec::new();
                for moment in moments {
                    phases.push(chain.link(moment).await);
                }
                let stopped = Server::start_with(Options { state: Some(chain.state.clone()), ..green() }).stop();
                assert_eq!(stopped.code, Some(0), "{}", stopped.log);
                assert_eq!(stale(chain.state.path()), Vec::<String>::new());
                assert!(!chain.state.path().join("server.json").exists());
                phases
            })
        })
        .collect();
    let mut phases = Vec::new();
    for chain in running {
        phases.extend(chain.await.expect("a chain holds"));
    }
    phases.sort_unstable();
    for phase in [Phase::Trying, Phase::Stopping, Phase::Starting] {
        assert!(phases.contains(&phase), "none was killed while {phase:?}: {phases:?}");
    }
}
