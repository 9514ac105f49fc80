//! The uninterrupted run: one world that is fed the journal as it grows, over all kills, and what it says of what the
//! bots were shown.
//!
//! Invariant: this world was never stopped. It begins with the first snapshot of the run and gets every input once, in
//! order; each hash that the server wrote, each snapshot, and each start of the server must agree with it.

use super::seen::{LOOKED_AT, Seen, bare};
use anyhow::{Context, ensure};
use content::{Content, ObjectKind};
use mind::projects::Shelf;
use mind::{Event, LogEntry, LogId, MindState, VerbRequest};
use serde_json::Value;
use server::journal::replaying::{End, Step, replay};
use server::journal::{Layout, snapshot};
use server::log_input::{LogInput, Request as LogRequest};
use server::store::agent_events::entry_of;
use server::store::logs;
use server::store::{Store, characters};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use world::character::{LEVEL_MAX, Link};
use world::commands::{Typed, find_verb};
use world::hash::StateHashes;
use world::object::Object;
use world::record::CharacterRecord;
use world::report::Request;
use world::rules::Rules;
use world::vars::VARS;
use world::{CharacterId, Input, InputNumber, Report, World};

/// Ticks between two checks of every invariant.
const CHECK_EVERY: u64 = 20;
/// How long the saves of a server that has just started may take.
const SAVED_LONGEST: Duration = Duration::from_secs(20);
/// What takes things out of the world, besides ticks (corpses and other things decay, the dead lose theirs, and
/// commands that waited are done) and those who leave with what they carry. Some rooms buy what is dropped in them.
const SINKS: [&str; 10] = ["eat", "taste", "drink", "sip", "junk", "sell", "donate", "drop", "purge", "quit"];
/// What makes one heap of coins of two, or a purse of a heap; nothing else may vanish by it.
const PURSES: [&str; 4] = ["get", "give", "put", "kill"];

/// What the world said to one character in one connection.
#[derive(Debug, Default)]
struct Said {
    text: String,
    left: bool,
    /// Each value that a variable had, in order.
    values: BTreeMap<&'static str, Vec<Value>>,
}

/// Figures of one round.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub inputs: u64,
    pub ticks: u64,
    pub hashes: u64,
    pub snapshots: u64,
    /// Connections, lines and values that were compared.
    pub connections: u64,
    pub lines: u64,
    pub values: u64,
    /// Characters that came back exactly as they had left.
    pub returns: u64,
    /// Things that happened to characters and are for their logs.
    pub records: u64,
    /// Entries of minds that were found in the database after a start, and tasks that bots were told of.
    pub entries: u64,
    pub tasks: u64,
    /// Characters that had left, found in the database after a start.
    pub stored: u64,
    /// Connections that went on after a restart of the server.
    pub kept: u64,
    /// Bytes cut off the end of the journal.
    pub torn: u64,
}

impl Figures {
    pub fn add(&mut self, other: &Figures) {
        self.inputs += other.inputs;
        self.ticks += other.ticks;
        self.hashes += other.hashes;
        self.snapshots += other.snapshots;
        self.connections += other.connections;
        self.lines += other.lines;
        self.values += other.values;
        self.returns += other.returns;
        self.records += other.records;
        self.entries += other.entries;
        self.tasks += other.tasks;
        self.stored += other.stored;
        self.kept += other.kept;
        self.torn += other.torn;
    }
}

pub struct Judge {
    layout: Layout,
    pub world: World,
    /// The first snapshot: where a replay of the whole run begins.
    pub first: InputNumber,
    coins: i64,
    /// By serial; whether it is a heap of coins.
    things: BTreeMap<u64, bool>,
    /// Things that left the world, by what took them.
    pub sinks: BTreeMap<String, u64>,
    /// Who left, with what, and by which input.
    left: BTreeMap<String, (InputNumber, Box<CharacterRecord>)>,
    bots: BTreeSet<String>,
    /// What the journal makes of the minds.
    minds: BTreeMap<LogId, (MindState, Vec<LogEntry>)>,
    /// The hashes of each state that the server hashes too. Its own come into the journal a little later.
    hashes: BTreeMap<InputNumber, StateHashes>,
}

/// One look over the part of the journal that is new.
struct Look<'j> {
    judge: &'j mut Judge,
    figures: Figures,
    wrong: Vec<String>,
    said: BTreeMap<String, Vec<Said>>,
    /// Whose connection stands, and its place in `said`.
    open: BTreeMap<CharacterId, (String, usize)>,
    /// Snapshots on disk that are still to be compared.
    snapshots: BTreeMap<InputNumber, StateHashes>,
}

impl Judge {
    /// From the first snapshot of a state folder.
    pub fn new(layout: Layout, content: Arc<Content>, bots: BTreeSet<String>) -> anyhow::Result<Judge> {
        let listing = layout.list()?;
        let (first, path) = listing.snapshots.iter().next().context("there is no snapshot")?;
        let (_, state, unwritten) = snapshot::Snapshot::read(path)?;
        ensure!(unwritten.characters.is_empty(), "a new world has nothing unsaved");
        let world = World::resume(content, Arc::new(Rules::built_in()), state);
        let (coins, things) = (world.coins(), things(&world));
        Ok(Judge {
            layout,
            world,
            first: *first,
            coins,
            things,
            sinks: BTreeMap::new(),
            left: BTreeMap::new(),
            bots,
            minds: BTreeMap::new(),
            hashes: BTreeMap::new(),
        })
    }

    /// Feeds the world what was written since the last time, and compares. The server must not run.
    pub fn look(&mut self, seen: &[Seen]) -> anyhow::Result<(Figures, Vec<String>)> {
        let listing = self.layout.list()?;
        let mut snapshots = BTreeMap::new();
        for (number, path) in listing.snapshots.range(self.world.state.number..) {
            let head = snapshot::head_of(path).with_context(|| format!("the snapshot {}", path.display()))?;
            snapshots.insert(*number, head.hashes);
        }
        let mut world = self.world.clone();
        let mut look = Look {
            judge: self,
            figures: Figures::default(),
            wrong: Vec::new(),
            said: BTreeMap::new(),
            open: BTreeMap::new(),
            snapshots,
        };
        look.compare_snapshot(&world);
        let (end, _) = replay(&mut world, &listing, &mut |world, step| {
            look.step(world, step);
            ControlFlow::Continue(())
        })?;
        match end {
            End::Whole | End::Enough => {}
            End::Torn { bytes, .. } => look.figures.torn = bytes,
            End::Gap(gap) => look.wrong.push(format!("the journal has a gap: {gap}")),
        }
        look.wrong.extend(world.check_all());
        if !look.snapshots.is_empty() {
            let numbers: Vec<_> = look.snapshots.keys().collect();
            let last = world.state.number;
            look.wrong.push(format!("snapshots {numbers:?} are of no state up to the end of the journal, {last}"));
        }
        look.compare_seen(seen);
        let (figures, wrong) = (look.figures, look.wrong);
        self.world = world;
        Ok((figures, wrong))
    }

    /// Who left must be in the database as it left, whatever killed the server when. For a server that has started
    /// again.
    pub async fn compare_store(&self, store: &Store) -> anyhow::Result<(Compared, Vec<String>)> {
        let deadline = Instant::now() + SAVED_LONGEST;
        let (mut compared, mut wrong) = (Compared::default(), Vec::new());
        for (name, (_, log)) in &self.minds {
            loop {
                let rows = logs::after(store, name, 0, i64::MAX).await?;
                let found = rows.iter().map(entry_of).collect::<anyhow::Result<Vec<LogEntry>>>()?;
                // What waited for a lag may have come since.
                if found.starts_with(log) {
                    compared.entries += log.len() as u64;
                    break;
                }
                if Instant::now() > deadline {
                    let (has, wanted) = (found.len(), log.len());
                    wrong.push(format!("the log of {name} has {has} entries, and not the {wanted} of the journal"));
                    break;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        for (name, (number, record)) in &self.left {
            let wanted = serde_json::to_value(record)?;
            loop {
                let row = characters::load(store, name).await?;
                let found = row.map(|row| (row.written_by_input, serde_json::from_str::<Value>(&row.data)));
                match found {
                    Some((written, Ok(data))) if written >= *number => {
                        if written == *number && data != wanted {
                            wrong.push(format!("{name} left with input {number}, and the database has another state"));
                        }
                        compared.left += 1;
                        break;
                    }
                    _ if Instant::now() < deadline => tokio::time::sleep(Duration::from_millis(50)).await,
                    other => {
                        let has = other.map(|(written, _)| written);
                        wrong.push(format!("{name} left with input {number}; the database has it of input {has:?}"));
                        break;
                    }
                }
            }
        }
        Ok((compared, wrong))
    }
}

/// What was found in the database as it must be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// Characters that had left.
    pub left: u64,
    /// Entries of minds.
    pub entries: u64,
}

fn things(world: &World) -> BTreeMap<u64, bool> {
    let coins = |object: &Object| matches!(object.kind, ObjectKind::Money { .. });
    world.state.objects.iter().map(|(_, object)| (object.serial, coins(object))).collect()
}

impl Look<'_> {
    fn step(&mut self, world: &World, step: Step) {
        match step {
            Step::Segment(_) => {}
            Step::Hashes { number, tick, hashes } => match self.judge.hashes.get(&number) {
                Some(own) => {
                    self.figures.hashes += 1;
                    let differences = own.differences(&hashes);
                    if !differences.is_empty() {
                        self.wrong.push(format!("tick {tick}, input {number}: {differences:?} differ from the run"));
                    }
                }
                None => self.wrong.push(format!("a hash of input {number}, tick {tick}, which is no 30th tick here")),
            },
            Step::Input { number, input, report: None, .. } => {
                self.wrong.push(format!("the world panicked in input {number}: {input:?}"));
            }
            Step::Input { number, at_ms, input, report: Some(report) } => {
                self.figures.inputs += 1;
                let mut report = report;
                self.think(&mut report, at_ms);
                self.judge.coins += report.coins_made;
                self.follow(world, input, &report);
                self.account_for_things(world, number, input);
                if matches!(input, Input::Tick) {
                    self.ticked(world);
                }
                self.compare_snapshot(world);
            }
        }
    }

    /// What requests to minds write, and what was recorded: each mind's own log, in the order of its numbers.
    fn think(&mut self, report: &mut Report, at_ms: i64) {
        for (_, input) in LogInput::of(report, at_ms) {
            let name = input.log().clone();
            let (state, log) = self.judge.minds.entry(name.clone()).or_default();
            let before = log.len();
            match input {
                LogInput::Request(request) => {
                    let LogRequest { verb, args, first, numbers, tick, input, .. } = &*request;
                    let shelf = Shelf::of(log.iter());
                    let asked = VerbRequest {
                        shelf: &shelf,
                        name: name.character(),
                        span: log,
                        ..VerbRequest::new(verb, args, *first, *numbers, *tick)
                    };
                    for (seq, event) in (*first..).zip(mind::edit::answer(state, &asked).events) {
                        log.push(LogEntry { seq, tick: *tick, at_ms, input: *input, event });
                    }
                }
                LogInput::Record(_, entry) => {
                    self.figures.records += 1;
                    log.push(entry.as_ref().clone());
                }
            }
            for entry in &log[before..] {
                if entry.seq <= state.seq {
                    self.wrong.push(format!("the log of {name} goes from {} to {}", state.seq, entry.seq));
                }
                state.project(entry);
            }
        }
    }

    fn ticked(&mut self, world: &World) {
        self.figures.ticks += 1;
        let tick = world.tick();
        if tick.is_multiple_of(30) {
            self.judge.hashes.insert(world.state.number, world.hashes());
        }
        if tick.is_multiple_of(CHECK_EVERY) {
            self.wrong.extend(world.check_all());
        }
        if world.coins() != self.judge.coins {
            let (there, expected) = (world.coins(), self.judge.coins);
            self.wrong.push(format!("tick {tick}: there are {there} coins, and {expected} were accounted for"));
            self.judge.coins = there;
        }
    }

    fn compare_snapshot(&mut self, world: &World) {
        if let Some(hashes) = self.snapshots.remove(&world.state.number) {
            self.figures.snapshots += 1;
            let differences = world.hashes().differences(&hashes);
            if !differences.is_empty() {
                let number = world.state.number;
                self.wrong.push(format!("the snapshot {number} differs from the run in {differences:?}"));
            }
        }
    }

    /// Each thing is somewhere, or something that is known to take things took it.
    fn account_for_things(&mut self, world: &World, number: InputNumber, input: &Input) {
        let now = things(world);
        let gone: Vec<bool> =
            self.judge.things.iter().filter(|(serial, _)| !now.contains_key(serial)).map(|(_, coins)| *coins).collect();
        if !gone.is_empty() {
            let sink = match input {
                Input::Tick => "a tick".to_string(),
                Input::Command { who, line } => {
                    let level = world.character(*who).map_or(LEVEL_MAX, |c| c.level);
                    find_verb(Typed::parse(line).word, level).map_or("?", |verb| verb.name).to_string()
                }
                Input::Admin(_)
                | Input::Link { .. }
                | Input::Enter { .. }
                | Input::SetValence { .. }
                | Input::KeepTalk { .. }
                | Input::Found { .. }
                | Input::Window { .. }
                | Input::Edit { .. }
                | Input::Named { .. }
                | Input::Restore { .. } => "?".to_string(),
            };
            let only_coins = gone.iter().all(|coins| *coins);
            let known = sink == "a tick" || SINKS.contains(&&*sink) || (only_coins && PURSES.contains(&&*sink));
            if !known {
                self.wrong.push(format!("input {number} made {} things vanish: {input:?} ({sink})", gone.len()));
            }
            let gone = gone.len() as u64;
            *self.judge.sinks.entry(sink).or_default() += gone;
        }
        self.judge.things = now;
    }

    /// What the input showed to whom.
    fn follow(&mut self, world: &World, input: &Input, report: &Report) {
        match input {
            Input::Enter { record, .. } => {
                if let Some(who) = report.entered {
                    self.begin(world, who, &record.name);
                }
                let name = record.name.to_ascii_lowercase();
                if let Some((number, left)) = self.judge.left.remove(&name) {
                    self.figures.returns += 1;
                    if serde_json::to_value(left).ok() != serde_json::to_value(record).ok() {
                        self.wrong.push(format!("{name} left with input {number} and came back otherwise"));
                    }
                }
            }
            Input::Link { who, link: Link::Linked, .. } => {
                if let Some(name) = world.character(*who).map(|c| c.name.to_string()) {
                    self.begin(world, *who, &name);
                }
            }
            Input::Link { who, .. } => {
                self.open.remove(who);
            }
            Input::Command { .. }
            | Input::Tick
            | Input::Admin(_)
            | Input::SetValence { .. }
            | Input::KeepTalk { .. }
            | Input::Found { .. }
            | Input::Window { .. }
            | Input::Edit { .. }
            | Input::Named { .. }
            | Input::Restore { .. } => {}
        }
        for (who, line) in report.lines.iter() {
            if let Some(said) = self.said_to(who) {
                bare(&line.text, &mut said.text);
            }
        }
        let touched: BTreeSet<CharacterId> = report.touched.iter().map(|(who, _)| *who).collect();
        for who in touched {
            self.read(world, who);
        }
        for request in &report.requests {
            match request {
                Request::Save { record, left: true } => {
                    let name = record.name.to_ascii_lowercase();
                    if self.judge.bots.contains(&name) {
                        self.judge.left.insert(name, (report.number, record.clone()));
                    }
                }
                Request::Disconnect { who, .. } => {
                    if let Some(said) = self.said_to(*who) {
                        said.left = true;
                    }
                    self.open.remove(who);
                }
                _ => {}
            }
        }
    }

    fn begin(&mut self, world: &World, who: CharacterId, name: &str) {
        let name = name.to_ascii_lowercase();
        if !self.judge.bots.contains(&name) {
            return;
        }
        let said = self.said.entry(name.clone()).or_default();
        said.push(Said::default());
        self.open.insert(who, (name, said.len() - 1));
        self.read(world, who);
    }

    fn said_to(&mut self, who: CharacterId) -> Option<&mut Said> {
        let (name, at) = self.open.get(&who)?;
        self.said.get_mut(name)?.get_mut(*at)
    }

    /// Notes the values of the character's variables where they are new.
    fn read(&mut self, world: &World, who: CharacterId) {
        if world.character(who).is_none() {
            return;
        }
        let Some(said) = self.said_to(who) else { return };
        for row in VARS {
            let name = row.variable.name();
            if !LOOKED_AT.contains(&name) {
                continue;
            }
            let mut text = String::new();
            (row.read)(world, who, &mut text);
            let value: Value = serde_json::from_str(&text).expect("a variable reads as JSON");
            let values = said.values.entry(name).or_default();
            if values.last() != Some(&value) {
                values.push(value);
            }
        }
    }

    /// Each connection of a bot is one of the world's, and shows nothing that did not happen there, in that order.
    fn compare_seen(&mut self, seen: &[Seen]) {
        let mut from: BTreeMap<&str, usize> = BTreeMap::new();
        for one in seen {
            let from = from.entry(&one.name).or_default();
            let log = self.judge.minds.get(&LogId::from(&one.name)).map_or(&[][..], |(_, log)| log);
            for task in &one.tasks {
                self.figures.tasks += 1;
                if !log.iter().any(|entry| matches!(&entry.event, Event::TaskSet { text } if text == task)) {
                    self.wrong.push(format!("{} was told of the task {task}, and the journal has none", one.name));
                }
            }
            if one.text.is_empty() && one.vars.is_empty() {
                continue;
            }
            let none = Vec::new();
            let said = self.said.get(&one.name).unwrap_or(&none);
            let Some(at) = (*from..said.len()).find(|at| difference(one, &said[*at]).is_none()) else {
                let why: Vec<String> = said[*from..].iter().filter_map(|said| difference(one, said)).collect();
                self.wrong.push(format!(
                    "{} was shown what the journal does not hold ({} connections there): {}",
                    one.name,
                    said.len(),
                    why.join("; or ")
                ));
                continue;
            };
            *from = at + 1;
            self.figures.connections += 1;
            self.figures.kept += u64::from(one.kept);
            self.figures.lines += one.lines;
            self.figures.values += one.vars.iter().map(|vars| vars.len() as u64).sum::<u64>();
        }
    }
}

/// Why what was seen is not what was said; `None` when it is.
fn difference(seen: &Seen, said: &Said) -> Option<String> {
    // After the world's last word the door has one of its own.
    let text = said.text.starts_with(&seen.text) || (said.left && seen.text.starts_with(&said.text));
    if !text {
        let same = seen.text.bytes().zip(said.text.bytes()).take_while(|(a, b)| a == b).count();
        let from = |text: &str| {
            let bytes = text.as_bytes();
            let part = &bytes[same.saturating_sub(40).min(bytes.len())..(same + 80).min(bytes.len())];
            String::from_utf8_lossy(part).into_owned()
        };
        return Some(format!(
            "from byte {same} of {} on it read …{:?}…, and the world said …{:?}… ({} bytes)",
            seen.text.len(),
            from(&seen.text),
            from(&said.text),
            said.text.len()
        ));
    }
    for name in LOOKED_AT {
        let mut values = said.values.get(name).map_or(&[][..], Vec::as_slice).iter();
        let mut last = None;
        for shown in seen.vars.iter().filter_map(|vars| vars.get(name)) {
            // Asked for once more, it may well be the same.
            if last != Some(shown) && !values.any(|value| value == shown) {
                return Some(format!("{name} was shown as {shown}, which it was not then or not any more"));
            }
            last = Some(shown);
        }
    }
    None
}
