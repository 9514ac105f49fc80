//! A siege: everything that a single caller can do to hurt the others, all at once, against a real server on which
//! ordinary players play; and the proof that they notice nothing and lose nothing.
//!
//! `triggers.rs` has what is done to the server, `attack.rs` the thread that does it, `players.rs` what players have,
//! `visitors.rs` who comes meanwhile, `watch.rs` what the server costs and counts, `evidence.rs` what was promised.
//! The playing is the load generator's, the server's process that of the torture. Three stages of the same length:
//! calm, siege, and after it; then the server is killed and started again.
//!
//! Invariant: the server's limits are its own defaults unless the caller changes them; nothing is lifted for the sake
//! of the figures. Players, visitors and each trigger call from addresses of their own.

mod attack;
mod client;
mod evidence;
mod players;
mod report;
mod tally;
mod triggers;
mod visitors;
mod watch;

pub use attack::Strength;
pub use evidence::Bounds;
pub use report::Report;

use crate::load::bench::{LoadPlan, Part, Phase, Placing, Subscription, TURNS, Tally};
use crate::load::control::{self, Control};
use crate::load::mix::mix_named;
use crate::load::places;
use crate::load::telnet::ClientOptions;
use crate::load::thread::{Counted, play_parts};
use crate::server_process::{Doors, Process, Start};
use crate::world_folder::read_content;
use anyhow::{Context, anyhow, ensure};
use attack::{TriggerOutcome, triggers_named};
use client::Agent;
use content::Content;
use evidence::{AFTER, CALM, Evidence, SIEGE, STAGES};
use players::{Findings, Player};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, mpsc, watch as channel};
use triggers::{Target, Trigger};
use visitors::House;
use watch::Watch;

/// What a siege is made of.
#[derive(Clone, Debug)]
pub struct Options {
    pub world: PathBuf,
    /// Ordinary players, half of them people and half agents.
    pub players: usize,
    /// Of each of the three stages.
    pub seconds: f64,
    pub seed: u64,
    pub tick_ms: u64,
    /// The triggers that are pulled; none: all of them.
    pub triggers: Vec<String>,
    pub strength: Strength,
    /// Further words for the server.
    pub more: Vec<String>,
    pub bounds: Bounds,
}

/// The victim's password is this one of the guesses. Ten wrong ones make the next wait; with the limits lifted it falls
/// within seconds.
const RIGHT_GUESS: u64 = 12;
/// Sockets that the triggers hold between them.
const ATTACK_FILES: f64 = 2_900.0;
/// What a run opens besides.
const OTHER_FILES: u64 = 100;
/// Of the players' commands.
const PERIOD: Duration = Duration::from_secs(1);
/// How long commands that were due at the end may take.
const LAST_ANSWERS: Duration = Duration::from_secs(5);
/// And the server, to write what waits and to let go of who is gone.
const SETTLE_LONGEST: Duration = Duration::from_secs(30);
/// What must not be in a server's log.
const NEVER_SAID: [&str; 3] = ["panicked", "given up half-way", "cannot be used"];

/// Plays it. An error: it could not be played to its end. A promise that is broken stands in the report.
pub async fn run(options: &Options) -> anyhow::Result<Report> {
    let triggers = triggers_named(&options.triggers)?;
    ensure!(options.players > 0, "a siege needs players");
    ensure_files(options)?;
    let folder = tempfile::Builder::new().prefix("siege-").tempdir()?;
    let mut siege = Siege::begin(options, folder.path()).await?;
    let mut evidence = Evidence { start: siege.started, ..Evidence::default() };
    let had = siege.play(&triggers, &mut evidence).await?;
    siege.kill_and_look(&had, &mut evidence).await?;
    evidence.log_trouble = siege.log.lines().filter(|line| is_trouble(line)).map(String::from).collect();
    let setting = setting(options, &triggers);
    let mut report = Report { setting, evidence, bounds: options.bounds.clone(), left: None };
    if !report.broken().is_empty() {
        let kept = folder.keep();
        let log = kept.join("server.log");
        std::fs::write(&log, &siege.log).with_context(|| format!("writing {}", log.display()))?;
        report.left = Some(kept);
    }
    Ok(report)
}

fn is_trouble(line: &str) -> bool {
    NEVER_SAID.iter().any(|words| line.contains(words))
}

fn setting(options: &Options, triggers: &[&Trigger]) -> String {
    let limits = match options.more.as_slice() {
        [] => "with its default limits".to_string(),
        words => format!("with {}", words.join(" ")),
    };
    format!(
        "{} players, half by telnet and half agents, one command per second each; {} triggers at once for {} s; a \
         server {limits}; attackers at nice {}; seed {}",
        options.players,
        triggers.len(),
        options.seconds,
        options.strength.nice,
        options.seed
    )
}

/// A trigger that runs out of files of its own proves nothing.
fn ensure_files(options: &Options) -> anyhow::Result<()> {
    let limits = std::fs::read_to_string("/proc/self/limits").context("reading /proc/self/limits")?;
    let line = limits.lines().find(|line| line.starts_with("Max open files")).context("no limit of open files")?;
    let most: u64 = line.split_whitespace().nth(3).and_then(|word| word.parse().ok()).unwrap_or(u64::MAX);
    let needed = (ATTACK_FILES * options.strength.share) as u64 + options.players as u64 + OTHER_FILES;
    ensure!(most >= needed, "a siege opens {needed} files, and this process may open {most}: raise it with ulimit -n");
    Ok(())
}

struct Siege<'o> {
    options: &'o Options,
    state: PathBuf,
    words: Vec<String>,
    content: Content,
    process: Option<Process>,
    doors: Doors,
    token: String,
    /// From the start of the process to its open listeners.
    started: Duration,
    players: Vec<Player>,
    visitors: Vec<(String, String)>,
    connector: tokio_rustls::TlsConnector,
    /// What each player was given.
    given: Findings,
    /// What servers said that have ended.
    log: String,
}

impl<'o> Siege<'o> {
    /// A server, its players with all that they are given, and keys for visitors.
    async fn begin(options: &'o Options, folder: &Path) -> anyhow::Result<Siege<'o>> {
        let state = folder.join("state");
        std::fs::create_dir(&state)?;
        let certified = rcgen::generate_simple_self_signed(["localhost".to_string()])?;
        let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
        std::fs::write(&certificate, certified.cert.pem())?;
        std::fs::write(&key, certified.signing_key.serialize_pem())?;
        let connector = visitors::connector(certified.cert.der())?;
        let mut words: Vec<String> = Vec::new();
        for (flag, value) in [
            ("--tls-cert", certificate.display().to_string()),
            ("--tls-key", key.display().to_string()),
            ("--https", "127.0.0.1:0".to_string()),
            ("--telnets", "127.0.0.1:0".to_string()),
            ("--dreaming-dir", state.join("dreaming").display().to_string()),
        ] {
            words.extend([flag.to_string(), value]);
        }
        words.extend(options.more.iter().cloned());
        let content = read_content(&options.world);
        let (process, doors, started) = start(options, &state, &words)?;
        let token = std::fs::read_to_string(state.join("admin.token"))?.trim().to_string();
        let mut siege = Siege {
            options,
            state,
            words,
            content,
            process: Some(process),
            doors,
            token,
            started,
            players: Vec::new(),
            visitors: Vec::new(),
            connector,
            given: Findings::new(),
            log: String::new(),
        };
        siege.people().await?;
        Ok(siege)
    }

    async fn people(&mut self) -> anyhow::Result<()> {
        let http = self.doors.http;
        // The first is the victim, who has a password beside its key.
        let (victim, from) = (players::name_of(0), players::address_of(0));
        let password = json!({ "password": triggers::guess(RIGHT_GUESS) });
        Agent::create(from, http, &victim, password).await.context("making the victim")?;
        let names: Vec<String> = (0..self.options.players).map(players::name_of).collect();
        let keys = control::make_keys(http, &self.token, &names).await?;
        self.players = keys
            .into_iter()
            .enumerate()
            .map(|(n, (name, key))| Player { name, key, from: players::address_of(n) })
            .collect();
        let names: Vec<String> = (0..visitors::VISITORS).map(visitors::name_of).collect();
        self.visitors = control::make_keys(http, &self.token, &names).await?;
        self.given = players::provide(http, &self.token, &self.content, &self.players).await?;
        Ok(())
    }

    /// The three stages, and what the players have after them.
    async fn play(&mut self, triggers: &[&'static Trigger], evidence: &mut Evidence) -> anyhow::Result<Findings> {
        let id = self.process.as_ref().context("the server runs")?.id();
        let mut watch = Watch::begin(id, self.doors.http, &self.token).await?;
        let mut crowd = Crowd::gather(self).await?;
        let visits: Arc<[Mutex<visitors::Counted>]> = STAGES.iter().map(|_| Mutex::default()).collect();
        let stage_of_visits = Arc::new(AtomicUsize::new(CALM));
        crowd.enter(Phase::WarmUp);
        tokio::time::sleep(Duration::from_secs(2)).await;
        let house = House {
            http: self.doors.http,
            telnet: self.doors.telnet,
            https: self.doors.https.context("the server told no address for TLS")?,
            connector: self.connector.clone(),
            keys: self.visitors.clone(),
        };
        let coming = tokio::spawn(visitors::come(house, stage_of_visits.clone(), visits.clone()));
        crowd.enter(Phase::Measure);
        let mut mark = watch.mark().await?;
        for stage in [CALM, SIEGE, AFTER] {
            crowd.plan.stage.store(stage, Ordering::Relaxed);
            stage_of_visits.store(stage, Ordering::Relaxed);
            let attack = match stage {
                SIEGE => Some(attack::begin(triggers, &self.target()?, self.options.strength)?),
                _ => None,
            };
            watch.sleep(Duration::from_secs_f64(self.options.seconds)).await?;
            if let Some(attack) = attack {
                let ended = tokio::task::spawn_blocking(move || attack.end());
                evidence.triggers = ended.await??;
            }
            let next = watch.mark().await?;
            evidence.stages[stage] = mark.until(&next);
            if stage == CALM {
                evidence.descriptors.before = next.descriptors;
                evidence.rss_kb.before = next.rss_kb;
            }
            mark = next;
        }
        // Measured on, in a stage that nobody asks for: what was due in the last one is answered meanwhile.
        crowd.plan.stage.store(STAGES.len(), Ordering::Relaxed);
        coming.abort();
        tokio::time::sleep(LAST_ANSWERS).await;
        // All stay where they are and type nothing more: who plays always has something that waits to be written.
        crowd.enter(Phase::Grace);
        self.settle(&mut watch, evidence).await?;
        for (stage, visits) in evidence.stages.iter_mut().zip(visits.iter()) {
            stage.visits = visits.lock().expect("nobody panics with it").visits();
        }
        let counted = crowd.part().await?;
        take_counts(counted, evidence);
        evidence.descriptors.highest = watch.highest.descriptors;
        evidence.rss_kb.highest = watch.highest.rss_kb;
        self.look(evidence).await
    }

    fn target(&self) -> anyhow::Result<Target> {
        Ok(Target {
            http: self.doors.http,
            telnet: self.doors.telnet,
            https: self.doors.https.context("the server told no address for TLS")?,
            victim: self.players[0].name.clone(),
        })
    }

    /// Waits until nothing waits to be written and the attackers' files are closed, or for so long; what is then.
    async fn settle(&self, watch: &mut Watch, evidence: &mut Evidence) -> anyhow::Result<()> {
        let deadline = Instant::now() + SETTLE_LONGEST;
        let most = evidence.descriptors.before + self.options.bounds.descriptors_more;
        loop {
            let (mark, state) = (watch.mark().await?, watch.state().await?);
            evidence.descriptors.after = mark.descriptors;
            evidence.rss_kb.after = mark.rss_kb;
            evidence.backlog = state.backlog;
            (evidence.records_lost, evidence.minds_lost) = (state.records_lost, state.minds_lost);
            (evidence.decisions_lost, evidence.given_up) = (state.decisions_lost, state.given_up);
            evidence.reasons = state.reasons;
            let settled = evidence.backlog == 0 && mark.descriptors <= most && evidence.reasons.is_empty();
            if settled || Instant::now() > deadline {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// What the players have, and what the victim is told.
    async fn look(&self, evidence: &mut Evidence) -> anyhow::Result<Findings> {
        let look = players::look_at(self.doors.http, &self.players).await?;
        evidence.changed = players::differences(&self.given, &look.found);
        let told = &look.told[&self.players[0].name];
        evidence.guesses_told = players::guesses_told(told);
        if let Some(guessing) = evidence.triggers.iter().find(|trigger| trigger.name == "guessing") {
            evidence.guesses_tried = guessing.outcome.tried;
            evidence.guesses_checked = guesses_checked(guessing);
            evidence.guessed = guessing.outcome.reached;
        }
        Ok(look.found)
    }

    /// SIGKILL, a start, and what the players have then.
    async fn kill_and_look(&mut self, had: &Findings, evidence: &mut Evidence) -> anyhow::Result<()> {
        self.log.push_str(&self.process.take().context("the server runs")?.kill()?);
        let (process, doors, restart) = start(self.options, &self.state, &self.words)?;
        evidence.restart = restart;
        let now = players::look_at(doors.http, &self.players).await?.found;
        evidence.changed_by_kill = players::differences(had, &now);
        let (_, log) = process.terminate(None)?;
        self.log.push_str(&log);
        Ok(())
    }
}

/// Those that were checked against the password; `allowed` has those that nobody refused but the password itself.
fn guesses_checked(guessing: &TriggerOutcome) -> u64 {
    let own = u64::from(guessing.outcome.reached.is_some());
    guessing.outcome.allowed().saturating_sub(own)
}

fn start(options: &Options, state: &Path, words: &[String]) -> anyhow::Result<(Process, Doors, Duration)> {
    let begun = Instant::now();
    let (world, tick_ms) = (&options.world, options.tick_ms);
    let mut process =
        Process::start(&Start { world, state, seed: options.seed, tick_ms, database: None, more: words })?;
    let doors = process.doors()?;
    Ok((process, doors, begun.elapsed()))
}

/// The ordinary players at play, on a thread of their own.
struct Crowd {
    plan: Arc<LoadPlan>,
    phase: channel::Sender<Phase>,
    thread: JoinHandle<anyhow::Result<Counted>>,
    placing: tokio::task::JoinHandle<anyhow::Result<()>>,
}

impl Crowd {
    /// Logs all in, each in a room of its own.
    async fn gather(siege: &Siege<'_>) -> anyhow::Result<Crowd> {
        let options = siege.options;
        let places = places::scattered(places::quiet_rooms(&siege.content), options.players, options.seed);
        ensure!(places.len() == options.players, "the world has no quiet rooms");
        let plan = Arc::new(LoadPlan {
            http: siege.doors.http,
            telnet: siege.doors.telnet,
            period: Some(PERIOD),
            mix: mix_named("neutral").map_err(|names| anyhow!("there are the mixes {names}"))?,
            only_say: false,
            echo: false,
            subscription: Subscription::All,
            client: ClientOptions::default(),
            seed: options.seed,
            phase: AtomicU8::new(Phase::Login as u8),
            stage: AtomicUsize::new(CALM),
            fights: AtomicI64::new(0),
            opponents: Vec::new(),
            turns: Arc::new(Semaphore::new(TURNS)),
        });
        let parts: Vec<Part> = siege
            .players
            .iter()
            .zip(places)
            .enumerate()
            .map(|(number, (player, place))| Part {
                number,
                agent: number % 2 == 0,
                fighter: false,
                name: player.name.clone(),
                key: player.key.clone(),
                place: Some(place),
                from: Some(player.from),
            })
            .collect();
        let (phase, watched) = channel::channel(Phase::Login);
        let (ready, mut readied) = mpsc::unbounded_channel();
        let (place, mut to_place) = mpsc::unbounded_channel::<Placing>();
        let (http, token) = (siege.doors.http, siege.token.clone());
        let placing = tokio::spawn(async move {
            let mut control = Control::connect(http, &token).await?;
            while let Some(Placing { name, room, turn }) = to_place.recv().await {
                control.post(&format!("/admin/place?name={name}&room={room}")).await?;
                drop(turn);
            }
            Ok(())
        });
        let plan_of_thread = plan.clone();
        let thread = std::thread::Builder::new()
            .name("players".into())
            .spawn(move || play_parts(plan_of_thread, parts, watched, ready, place))?;
        for n in 0..options.players {
            let waited = tokio::time::timeout(Duration::from_secs(60), readied.recv()).await;
            ensure!(matches!(waited, Ok(Some(()))), "only {n} of {} players have logged in", options.players);
        }
        Ok(Crowd { plan, phase, thread, placing })
    }

    fn enter(&mut self, phase: Phase) {
        self.plan.phase.store(phase as u8, Ordering::Relaxed);
        // A thread that has failed is told nothing, and says so when it is joined.
        let _told = self.phase.send(phase);
    }

    /// Ends their connections; what they counted.
    async fn part(mut self) -> anyhow::Result<Counted> {
        self.enter(Phase::End);
        let counted = tokio::task::spawn_blocking(move || self.thread.join());
        let counted = counted.await?.map_err(|_| anyhow!("the players' thread panicked"))??;
        self.placing.await??;
        Ok(counted)
    }
}

fn take_counts(counted: Counted, evidence: &mut Evidence) {
    for (figures, stage) in evidence.stages.iter_mut().zip(counted.stages) {
        figures.commands = stage;
    }
    let sum = |read: fn(&Tally) -> u64| counted.sessions.iter().map(|(_, tally)| read(tally)).sum();
    evidence.error_frames = sum(|tally| tally.errors.get());
    evidence.gaps = sum(|tally| tally.gaps.get());
    let ends = counted.sessions.iter().filter_map(|(_, tally)| tally.failed.borrow().clone());
    evidence.lost_connections = ends.collect();
}
