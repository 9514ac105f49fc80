//! Torture: a real server is killed again and again while a crowd plays, and nothing that anybody was shown may be
//! undone.
//!
//! `bot.rs` has the crowd, `seen.rs` what it was shown, `judge.rs` the run that was never interrupted, with which all
//! is compared. Invariant: what is drawn (who plays what, when the server is killed) comes from the seed; the moment at
//! which a signal hits is the machine's.

mod bot;
mod judge;
mod seen;

use crate::e2e::run_with_time;
use crate::journaling;
use crate::server_process::{Doors, Process, Start};
use anyhow::{Context, bail, ensure};
use bot::{Bot, Round};
use content::Content;
use content::flags::RoomFlags;
pub use judge::Figures;
use judge::{Compared, Judge};
use seen::Seen;
use serde_json::Value;
use server::journal::replaying::{End, Entry, records_after, replay};
use server::journal::{Layout, Record, Snapshot};
use server::store::{Store, StoreOptions};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use world::character::LEVEL_MAX;
use world::rng::Dice;
use world::rules::Rules;
use world::{Input, InputNumber, World};

/// What a run is made of.
#[derive(Clone, Debug)]
pub struct Options {
    pub rounds: u32,
    pub bots: usize,
    pub seed: u64,
    pub world: PathBuf,
    /// Milliseconds between two ticks.
    pub tick_ms: u64,
    /// Milliseconds that a round lasts at most.
    pub round_ms: i32,
    /// Instead of SQLite in the state folder.
    pub database: Option<String>,
    /// Further words for the server.
    pub more: Vec<String>,
    /// One line for each round.
    pub tell: bool,
}

/// How a round ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    /// SIGKILL so many milliseconds after the doors opened.
    Kill { after_ms: i32 },
    /// SIGKILL so many milliseconds after the process began, while it brings the world back.
    KillStarting { after_ms: i32 },
    /// So many bots quit, and SIGKILL follows the farewell of the last of them.
    QuitKill { quits: usize },
    /// SIGTERM, and a clean end.
    Terminate { after_ms: i32 },
    /// SIGTERM, and SIGKILL so many milliseconds later, unless it has ended.
    TerminateKill { after_ms: i32, then_ms: i32 },
    /// SIGUSR2, and SIGKILL so many milliseconds after the next program was up.
    Restart { after_ms: i32, then_ms: i32 },
    /// SIGUSR2, and SIGKILL so many milliseconds later, wherever the restart is then.
    RestartKill { after_ms: i32, then_ms: i32 },
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Kill { after_ms } => write!(f, "killed after {after_ms} ms of play"),
            Ending::KillStarting { after_ms } => write!(f, "killed {after_ms} ms after its start"),
            Ending::QuitKill { quits } => write!(f, "killed after {quits} had quit"),
            Ending::Terminate { after_ms } => write!(f, "stopped after {after_ms} ms"),
            Ending::TerminateKill { after_ms, then_ms } => {
                write!(f, "stopped after {after_ms} ms, killed {then_ms} ms later")
            }
            Ending::Restart { after_ms, then_ms } => {
                write!(f, "restarted after {after_ms} ms of play, killed after {then_ms} ms more")
            }
            Ending::RestartKill { after_ms, then_ms } => {
                write!(f, "told to restart after {after_ms} ms, killed {then_ms} ms later")
            }
        }
    }
}

/// What a whole run came to.
#[derive(Clone, Debug)]
pub struct Summary {
    pub rounds: u32,
    pub total: Figures,
    pub first: InputNumber,
    pub last: InputNumber,
    pub tick: u64,
    pub hash: u64,
    /// Input per second of the replay of everything.
    pub replayed_per_second: u64,
    /// Things that left the world, by what took them.
    pub sinks: String,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = &self.total;
        writeln!(
            f,
            "{} rounds: {} inputs, {} ticks in one run, from input {}",
            self.rounds, t.inputs, t.ticks, self.first
        )?;
        writeln!(
            f,
            "what was shown and has happened: {} lines and {} values in {} connections",
            t.lines, t.values, t.connections
        )?;
        writeln!(
            f,
            "compared with the uninterrupted run: {} hashes and {} snapshots; {} bytes of torn ends",
            t.hashes, t.snapshots, t.torn
        )?;
        writeln!(f, "came back as they had left: {}; in the database after the kill: {}", t.returns, t.stored)?;
        writeln!(
            f,
            "entries of minds in the database after a kill: {}; things that happened: {}; tasks that were answered: {}",
            t.entries, t.records, t.tasks
        )?;
        writeln!(f, "connections that went on after a restart: {}", t.kept)?;
        writeln!(f, "things that left the world: {}", self.sinks)?;
        write!(
            f,
            "replayed from the first snapshot: input {}, tick {}, hash {:016x}, {} inputs/s",
            self.last, self.tick, self.hash, self.replayed_per_second
        )
    }
}

/// Runs it. An error names seed, round and what differed, and says where the state folder was left.
pub async fn run(options: &Options) -> anyhow::Result<Summary> {
    let folder = tempfile::Builder::new().prefix("torture-").tempdir()?;
    let mut torture = Torture::new(options, folder.path().to_path_buf())?;
    match torture.run().await {
        Ok(summary) => Ok(summary),
        Err(error) => {
            let kept = folder.keep();
            let log = kept.join("server.log");
            std::fs::write(&log, &torture.log).with_context(|| format!("writing {}", log.display()))?;
            Err(error.context(format!(
                "seed {}, round {}: the state folder is left in {}",
                options.seed,
                torture.round,
                kept.display()
            )))
        }
    }
}

struct Torture<'o> {
    options: &'o Options,
    state: PathBuf,
    /// Further words for the server.
    words: Vec<String>,
    content: Arc<Content>,
    dice: Dice,
    bots: Vec<Bot>,
    rooms: Vec<i32>,
    things: Vec<i32>,
    round: u32,
    /// What the last server said.
    log: String,
}

/// For every server here: small snapshots, and bots that are as fast as the server.
const SERVER_WORDS: [&str; 8] =
    ["--snapshot-mb", "1", "--commands-per-second", "0", "--logins-per-second", "0", "--idle-minutes", "0"];
/// What must not be in a server's log.
const NEVER_SAID: [&str; 3] = ["panicked", "given up half-way", "cannot be used"];
/// Rounds after which somebody who quit is looked for in the database, at least.
const STORE_EVERY: u32 = 4;
/// A run of some hours is replayed in a minute or two.
const REPLAY_LONGEST: Duration = Duration::from_secs(600);

impl<'o> Torture<'o> {
    fn new(options: &'o Options, state: PathBuf) -> anyhow::Result<Torture<'o>> {
        let (content, problems) = server::content_files::read_world(&options.world, None)?;
        ensure!(!problems.has_errors(), "the world in {} has errors", options.world.display());
        let mut dice = Dice::new(options.seed, 0, 0, 0);
        let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
        let bots = (0..options.bots)
            .map(|n| Bot {
                name: format!("Bot{}{}", letter(n / 26), letter(n)),
                key: String::new(),
                agent: n % 5 != 4,
                immortal: n % 12 == 11,
            })
            .collect();
        let shops = content.shops.iter().filter_map(|shop| shop.rooms.first().copied());
        let mut rooms: Vec<i32> = shops.collect();
        // Half of them shops, the others anywhere where somebody may die.
        let anywhere: Vec<i32> =
            content.rooms.iter().filter(|r| !r.flags.has(RoomFlags::DEATH)).map(|r| r.vnum).collect();
        for _ in 0..rooms.len().max(8) {
            rooms.extend(dice.pick(&anywhere));
        }
        let things = content.objects.iter().map(|object| object.vnum).collect();
        let content = Arc::new(content);
        let words = SERVER_WORDS.map(String::from).into_iter().chain(options.more.iter().cloned()).collect();
        Ok(Torture { options, state, words, content, dice, bots, rooms, things, round: 0, log: String::new() })
    }

    fn start(&self) -> anyhow::Result<Process> {
        Process::start(&Start {
            world: &self.options.world,
            state: &self.state,
            seed: self.options.seed,
            tick_ms: self.options.tick_ms,
            database: self.options.database.as_deref(),
            more: &self.words,
        })
    }

    fn token(&self) -> anyhow::Result<String> {
        Ok(std::fs::read_to_string(self.state.join("admin.token"))?.trim().to_string())
    }

    async fn store(&self) -> anyhow::Result<Store> {
        let embedded = format!("sqlite:{}", self.state.join("darkpawns.sqlite").display());
        let address = self.options.database.as_deref().unwrap_or(&embedded);
        Ok(Store::connect(address, &StoreOptions::default()).await?)
    }

    /// Keys, levels, and people without prompts.
    async fn prepare(&mut self, doors: Doors) -> anyhow::Result<()> {
        let token = self.token()?;
        for n in 0..self.bots.len() {
            let bot = &self.bots[n];
            let key = admin(doors, &token, &format!("keys?name={}", bot.name)).await?;
            let level = if bot.immortal { LEVEL_MAX } else { self.dice.range(1, 20) };
            admin(doors, &token, &format!("promote?name={}&level={level}", bot.name)).await?;
            self.bots[n].key = key["key"].as_str().context("a key")?.to_string();
            if !self.bots[n].agent {
                bot::prepare(&self.bots[n], doors).await?;
            }
        }
        Ok(())
    }

    fn ending(&mut self) -> Ending {
        let longest = self.options.round_ms;
        match self.dice.range(1, 24) {
            1..=8 => Ending::Kill { after_ms: self.dice.range(longest / 10, longest) },
            // While they log in, and while the first snapshot is written.
            9..=11 => Ending::Kill { after_ms: self.dice.range(0, 250) },
            12..=13 => Ending::KillStarting { after_ms: self.dice.range(0, 400) },
            14..=16 => Ending::QuitKill { quits: self.dice.range(1, (self.options.bots / 2).max(1) as i32) as usize },
            17..=18 => Ending::Terminate { after_ms: self.dice.range(50, longest) },
            19..=20 => {
                Ending::TerminateKill { after_ms: self.dice.range(50, longest), then_ms: self.dice.range(0, 250) }
            }
            21..=22 => Ending::Restart {
                after_ms: self.dice.range(longest / 4, longest),
                then_ms: self.dice.range(0, longest),
            },
            _ => Ending::RestartKill { after_ms: self.dice.range(50, longest), then_ms: self.dice.range(0, 800) },
        }
    }

    async fn run(&mut self) -> anyhow::Result<Summary> {
        let begun = Instant::now();
        let mut process = self.start()?;
        let doors = process.doors()?;
        self.prepare(doors).await?;
        let bots = self.bots.iter().map(|bot| bot.name.to_ascii_lowercase()).collect();
        let layout = Layout::new(&self.state);
        let mut judge = Judge::new(layout.clone(), self.content.clone(), bots)?;
        let mut running = Some(process);
        let mut total = Figures::default();
        let mut look_in_store = false;
        for round in 1..=self.options.rounds {
            self.round = round;
            let ending = self.ending();
            let (seen, stored) = self.play(running.take(), ending, look_in_store, &judge).await?;
            look_in_store = matches!(ending, Ending::QuitKill { .. }) || round.is_multiple_of(STORE_EVERY);
            let (mut figures, mut wrong) = judge.look(&seen)?;
            wrong.extend(
                NEVER_SAID
                    .iter()
                    .filter(|words| self.log.contains(**words))
                    .map(|words| format!("the server's log says {words:?}")),
            );
            (figures.stored, figures.entries) = (stored.left, stored.entries);
            total.add(&figures);
            if self.options.tell {
                println!(
                    "round {round}, {} s: {ending}; {} inputs, {} ticks; {} lines and {} values of {} connections \
                     shown; {} hashes, {} snapshots{}",
                    begun.elapsed().as_secs(),
                    figures.inputs,
                    figures.ticks,
                    figures.lines,
                    figures.values,
                    figures.connections,
                    figures.hashes,
                    figures.snapshots,
                    if figures.torn > 0 { format!(", {} bytes torn off", figures.torn) } else { String::new() }
                );
            }
            ensure!(wrong.is_empty(), "{ending}:\n  {}", wrong.join("\n  "));
        }
        self.finish(&mut judge, &mut total).await?;
        self.replay_all(&judge, &layout, total)
    }

    /// One life of a server, and what the bots were shown in it.
    async fn play(
        &mut self,
        running: Option<Process>,
        ending: Ending,
        look_in_store: bool,
        judge: &Judge,
    ) -> anyhow::Result<(Vec<Seen>, Compared)> {
        let mut process = match running {
            Some(process) => process,
            None => self.start()?,
        };
        if let Ending::KillStarting { after_ms } = ending {
            tokio::time::sleep(Duration::from_millis(after_ms as u64)).await;
            self.log = process.kill()?;
            return Ok((Vec::new(), Compared::default()));
        }
        let doors = match process.doors() {
            Ok(doors) => doors,
            Err(error) => {
                self.log = process.log();
                return Err(error);
            }
        };
        let mut stored = Compared::default();
        if look_in_store {
            let store = self.store().await?;
            let (compared, wrong) = judge.compare_store(&store).await?;
            store.close().await;
            ensure!(wrong.is_empty(), "the database after a start:\n  {}", wrong.join("\n  "));
            stored = compared;
        }
        let round = Arc::new(Round {
            doors,
            token: self.token()?,
            names: self.bots.iter().map(|bot| bot.name.to_ascii_lowercase()).collect(),
            rooms: self.rooms.clone(),
            things: self.things.clone(),
            leave_now: AtomicBool::new(false),
            left: AtomicUsize::new(0),
        });
        let mut playing = Vec::new();
        for (n, bot) in self.bots.iter().enumerate() {
            let dice = Dice::new(self.options.seed, u64::from(self.round), 1, n as u64);
            playing.push(tokio::spawn(bot::play(bot.clone(), round.clone(), dice)));
        }
        let wait = |ms: i32| tokio::time::sleep(Duration::from_millis(ms as u64));
        self.log = match ending {
            Ending::Kill { after_ms } => {
                wait(after_ms).await;
                process.kill()?
            }
            Ending::QuitKill { quits } => {
                wait(self.options.round_ms / 2).await;
                round.leave_now.store(true, Ordering::Relaxed);
                let deadline = Instant::now() + Duration::from_millis(self.options.round_ms as u64);
                // Who fights cannot quit, so it may be fewer.
                while round.left.load(Ordering::Relaxed) < quits && Instant::now() < deadline {
                    tokio::time::sleep(Duration::from_micros(200)).await;
                }
                process.kill()?
            }
            Ending::Terminate { after_ms } => {
                wait(after_ms).await;
                let ended = tokio::task::spawn_blocking(move || process.terminate(None)).await?;
                let (status, log) = ended?;
                ensure!(status.is_some_and(|status| status.success()), "SIGTERM ended it with {status:?}:\n{log}");
                log
            }
            Ending::TerminateKill { after_ms, then_ms } => {
                wait(after_ms).await;
                let patience = Some(Duration::from_millis(then_ms as u64));
                tokio::task::spawn_blocking(move || process.terminate(patience)).await??.1
            }
            Ending::Restart { after_ms, then_ms } => {
                wait(after_ms).await;
                process.restart()?;
                process.restarted().await?;
                wait(then_ms).await;
                process.kill()?
            }
            Ending::RestartKill { after_ms, then_ms } => {
                wait(after_ms).await;
                process.restart()?;
                wait(then_ms).await;
                process.kill()?
            }
            Ending::KillStarting { .. } => bail!("it was killed above"),
        };
        // Those who wait for their turn to log in find the door closed.
        let mut seen = Vec::new();
        for bot in playing {
            seen.extend(bot.await.context("a bot found something that must not be")?);
        }
        Ok((seen, stored))
    }

    /// A last start, so that the last kill is recovered from too, and a clean stop.
    async fn finish(&mut self, judge: &mut Judge, total: &mut Figures) -> anyhow::Result<()> {
        let mut process = self.start()?;
        process.doors()?;
        let store = self.store().await?;
        let (compared, wrong) = judge.compare_store(&store).await?;
        store.close().await;
        ensure!(wrong.is_empty(), "the database after the last start:\n  {}", wrong.join("\n  "));
        total.stored += compared.left;
        total.entries += compared.entries;
        let (status, log) = tokio::task::spawn_blocking(move || process.terminate(None)).await??;
        self.log = log;
        ensure!(status.is_some_and(|status| status.success()), "the last stop ended with {status:?}");
        let (figures, wrong) = judge.look(&[])?;
        ensure!(wrong.is_empty(), "after the last stop:\n  {}", wrong.join("\n  "));
        total.add(&figures);
        Ok(())
    }

    /// All inputs of the run, from the first snapshot on, in a fresh world.
    fn replay_all(&self, judge: &Judge, layout: &Layout, total: Figures) -> anyhow::Result<Summary> {
        let listing = layout.list()?;
        let path = listing.snapshots.get(&judge.first).context("the first snapshot is kept")?;
        let (_, state, _) = Snapshot::read(path)?;
        let mut world = World::resume(self.content.clone(), Arc::new(Rules::built_in()), state);
        let begun = Instant::now();
        let (end, last) = replay(&mut world, &listing, &mut |_, _| std::ops::ControlFlow::Continue(()))?;
        let took = begun.elapsed();
        ensure!(matches!(end, End::Whole), "the replay of everything ended with {end:?}");
        let (all, uninterrupted) = (world.hashes(), judge.world.hashes());
        let differences = all.differences(&uninterrupted);
        ensure!(differences.is_empty(), "the replay of everything differs in {differences:?}");
        let hash = format!("{:016x}", all.all);
        let fresh = [replayed(&self.state)?, replayed(&self.state)?];
        ensure!(fresh[0] == fresh[1], "two processes replayed it differently:\n{}\n{}", fresh[0], fresh[1]);
        let came_to = fresh[0]["hashes"].as_array().and_then(|hashes| hashes.last()).map(|last| last["hash"].clone());
        ensure!(
            fresh[0]["ok"] == true && came_to == Some(Value::from(hash)),
            "`dp-server replay` came out otherwise: {}",
            fresh[0]
        );
        let sinks: Vec<String> = judge.sinks.iter().map(|(sink, count)| format!("{sink} {count}")).collect();
        Ok(Summary {
            rounds: self.options.rounds,
            total,
            first: judge.first,
            last,
            tick: world.tick(),
            hash: all.all,
            replayed_per_second: (total.inputs as f64 / took.as_secs_f64()) as u64,
            sinks: sinks.join(", "),
        })
    }
}

/// What `dp-server replay` makes of a state folder, in a process of its own.
pub fn replayed(state: &Path) -> anyhow::Result<Value> {
    let folder = state.display().to_string();
    let run = run_with_time(&["replay", "--json", "--state-dir", &folder], REPLAY_LONGEST);
    ensure!(run.code.is_some_and(|code| code < 2), "`dp-server replay` failed:\n{}", run.err);
    serde_json::from_str(&run.out).with_context(|| format!("`dp-server replay` printed {:?}: {}", run.out, run.err))
}

/// A call of the operator's that must succeed.
async fn admin(doors: Doors, token: &str, path: &str) -> anyhow::Result<Value> {
    let answer = crate::e2e::http(doors.http, "POST", &format!("/admin/{path}"), Some(token)).await;
    ensure!(answer.status == 200, "{path}: {}", answer.body);
    Ok(answer.json())
}

/// What `replay_twice` found.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Hashes that came out equal in both processes.
    pub hashes: usize,
    /// The input whose command was changed, the tick of the first hash after it, and that of the first that differs.
    pub changed: InputNumber,
    pub first_tick: u64,
    pub changed_tick: u64,
    pub section: String,
}

/// The simulation plays and writes a journal; two fresh processes replay it to equal hashes, the last of which is that
/// of the world that was played; and after one command is changed, the replay says where it differs.
pub fn replay_twice(
    state: &Path,
    world: &Path,
    content: Arc<Content>,
    seed: u64,
    players: usize,
    ticks: u64,
) -> anyhow::Result<Replayed> {
    let played = journaling::write_played(state, world, content.clone(), seed, players, ticks)?;
    let (first, second) = (replayed(state)?, replayed(state)?);
    ensure!(first == second, "two processes replayed it differently:\n{first}\n{second}");
    ensure!(first["ok"] == true && first["ticks"] == ticks, "{first}");
    let hashes = first["hashes"].as_array().context("a list of hashes")?;
    let last = &hashes.last().context("at least the last hash")?["hash"];
    ensure!(*last == format!("{:016x}", played.all), "it was played to {:016x} and replayed to {last}", played.all);

    // The newest segment: those before it may be packed.
    let listing = Layout::new(state).list()?;
    let (_, segment) = listing.segments.last_key_value().context("a segment")?;
    let path = listing.snapshots.values().next().context("the first snapshot")?;
    let mut fresh = World::resume(content, Arc::new(Rules::built_in()), Snapshot::read(path)?.1);
    let title = "the one who was not here";
    let line = format!("title {title}");
    // Somebody who can call itself that: not asleep in ice, not gone, with a free hand.
    let would = |world: &World, who| {
        let mut other = world.clone();
        other.apply(&Input::Command { who, line: line.clone() });
        other.character(who).and_then(|c| c.player()).is_some_and(|player| &*player.title == title)
    };
    let changed = journaling::change_one_command(&mut fresh, &listing, &segment.path, &line, would)?;
    let mut tick = None;
    records_after(&listing, changed, &mut |entry| {
        if let Entry::Record(Record::Hashes { number, tick: at, .. }) = entry
            && number >= changed
        {
            tick = tick.or(Some(at));
        }
        std::ops::ControlFlow::Continue(())
    })?;
    let other = replayed(state)?;
    let difference = &other["first_difference"];
    ensure!(other["ok"] == false && difference.is_object(), "one command was changed, and it came out: {other}");
    // The last of a long journal may well be the same: who leaves and comes back brings what the journal says it had.
    ensure!(other["hashes"] != first["hashes"], "one command was changed, and every hash is the same");
    Ok(Replayed {
        hashes: hashes.len(),
        changed,
        first_tick: tick.context("a hash follows the changed command")?,
        changed_tick: difference["tick"].as_u64().context("a tick")?,
        section: difference["section"].as_str().context("a section")?.to_string(),
    })
}
