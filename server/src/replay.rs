//! `dp-server replay`: the inputs of a journal are run again, and the world must be what it was.
//!
//! Only reads, also beside a running server: what it is just writing is replayed as far as it is whole.

#[cfg(test)]
pub(crate) mod played;
mod scripts;

use crate::content_files::{Game, read_game};
use crate::journal::replaying::{End, Entry, Step, records_after, replay};
use crate::journal::runs::{self, Base, Run};
use crate::journal::{Layout, Needs, Record};
use crate::state_dir::PlayedIn;
use anyhow::{Context, bail};
use content::{Content, ReadOptions};
use protocol::words::counted;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use world::hash::StateHashes;
use world::rules::{RULES_VERSION, Rules};
use world::{CharacterId, Input, InputNumber, World};

/// A journal, and the world that it was played in.
#[derive(Clone, Debug, clap::Args)]
pub struct PastArgs {
    /// State folder of the server whose journal it is; it may be running
    #[arg(long, default_value = "data/state", value_name = "DIR")]
    pub state_dir: PathBuf,
    #[command(flatten)]
    pub played_in: PlayedIn,
}

/// What is to be replayed.
#[derive(Clone, Debug, clap::Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub past: PastArgs,
    /// Stop after this tick
    #[arg(long, value_name = "TICK")]
    pub to: Option<u64>,
    /// Begin with this snapshot, a file or the number of its input [default: the oldest of the newest run]
    #[arg(long, value_name = "SNAPSHOT")]
    pub from: Option<String>,
    /// What came of it as one JSON object
    #[arg(long, conflicts_with = "transcript")]
    pub json: bool,
    /// Print what this character typed and saw
    #[arg(long, value_name = "NAME")]
    pub transcript: Option<String>,
    /// Print each call of a script, or of this one (80/ferry); with --json an object a line
    #[arg(long, value_name = "SCRIPT", num_args = 0..=1, conflicts_with = "transcript")]
    pub trace_scripts: Option<Option<String>>,
    /// Play the same inputs by the scripts of this world folder beside what was played, and tell where it first comes
    /// out otherwise
    #[arg(long, value_name = "DIR", conflicts_with_all = ["transcript", "trace_scripts"])]
    pub with_scripts: Option<PathBuf>,
}

/// The hash of the whole state after a tick.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct TickHash {
    pub tick: u64,
    /// XXH3-64 as 16 hex digits.
    pub hash: String,
    /// The same of each section, so that two arms of an experiment can be compared.
    pub sections: BTreeMap<&'static str, String>,
}

impl TickHash {
    fn of(tick: u64, hashes: &StateHashes) -> TickHash {
        let hex = |hash: u64| format!("{hash:016x}");
        let sections = hashes.sections().map(|(name, hash)| (name, hex(hash))).into();
        TickHash { tick, hash: hex(hashes.all), sections }
    }
}

/// Where a replay first came out otherwise.
#[derive(Clone, Debug, Serialize, PartialEq, Eq, utoipa::ToSchema)]
pub struct Difference {
    pub tick: u64,
    /// `rooms`, `characters`, `objects`, `zones` or `clock`; the first of them that differs.
    pub section: String,
}

/// What `--json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    pub ok: bool,
    /// Ticks that were replayed.
    pub ticks: u64,
    /// One for each hash in the journal, and that of the last state.
    pub hashes: Vec<TickHash>,
    pub first_difference: Option<Difference>,
}

/// A past that was found, with the content that it needs.
pub struct Past {
    pub run: Run,
    pub content: Arc<Content>,
    pub rules: Arc<Rules>,
}

impl Past {
    /// Finds the run that a tick is in (`None`: the newest) and reads the world that it was played in.
    pub fn find(args: &PastArgs, tick: Option<u64>) -> anyhow::Result<Past> {
        let runs = runs::runs(&Layout::new(&args.state_dir))?;
        Past::of(runs::run_at(&runs, tick)?.clone(), args)
    }

    /// A run with the world that it was played in: the one that is named, or that its journal names.
    pub fn of(run: Run, args: &PastArgs) -> anyhow::Result<Past> {
        let named = PathBuf::from(&run.header.needs.world);
        let folder = args.played_in.world.as_deref().unwrap_or(&named);
        let options = ReadOptions { start_room: args.played_in.start_room, ..ReadOptions::default() };
        let Game { content, rules, problems } = read_game(folder, args.played_in.rules.as_deref(), &options)
            .with_context(|| format!("reading the world that it was played in, {}", folder.display()))?;
        let Some(rules) = rules else {
            let wrong: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
            bail!("the rule book has errors:\n{}", wrong.join("\n"));
        };
        let given = needs_of(&content, &rules, folder);
        if let Some(difference) = run.header.needs.difference(&given) {
            bail!(
                "this journal needs {difference}. Name the right world with --world (--start-room, --rules), or use the \
                 server that wrote it (version {})",
                run.header.server
            );
        }
        Ok(Past { run, content: Arc::new(content), rules: Arc::new(rules) })
    }

    pub fn world(&self, base: Base) -> World {
        World::resume(self.content.clone(), self.rules.clone(), base.state)
    }

    /// The world after a tick; `None`: the newest that the journal holds.
    pub fn world_after(&self, tick: Option<u64>) -> anyhow::Result<World> {
        let tick = match tick {
            Some(tick) => tick,
            None => self.newest_tick()?,
        };
        self.world_at(self.base_before(tick)?, Cut::Tick(tick))
    }

    /// Where a replay to just after a tick begins.
    pub fn base_before(&self, tick: u64) -> anyhow::Result<Base> {
        // A snapshot of that very tick may hold what came after it: whoever stops a server leaves everybody link-dead.
        match tick.checked_sub(1).and_then(|before| self.run.before(before).ok()) {
            Some(base) => Ok(base),
            None => self.run.before(tick),
        }
    }

    /// The last tick that was written after the newest snapshot, or that of the snapshot itself.
    pub fn newest_tick(&self) -> anyhow::Result<u64> {
        match self.run.reach()? {
            (_, tick, Some(gap)) => bail!("the journal cannot be replayed to tick {}: {gap}", tick + 1),
            (_, tick, None) => Ok(tick),
        }
    }

    /// The world at a cut, replayed from a snapshot of before it; nobody reads what is said on the way.
    pub fn world_at(&self, base: Base, cut: Cut) -> anyhow::Result<World> {
        let mut world = self.world(base);
        world.unread = true;
        if cut.is_reached(&world) {
            return Ok(world);
        }
        let (end, _) = replay(&mut world, &self.run.files, &mut |world, step| match step {
            Step::Input { .. } if cut.is_reached(world) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })?;
        match end {
            _ if cut.is_reached(&world) => Ok(world),
            End::Gap(gap) => bail!("the journal cannot be replayed to {cut}: {gap}"),
            _ => bail!("that part of the journal ends with tick {}, before {cut}", world.tick()),
        }
    }
}

/// Where the past is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// After this tick.
    Tick(u64),
    /// Before this input.
    Input(InputNumber),
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cut::Tick(tick) => write!(f, "tick {tick}"),
            Cut::Input(number) => write!(f, "input {number}"),
        }
    }
}

impl Cut {
    pub fn is_reached(self, world: &World) -> bool {
        match self {
            Cut::Tick(tick) => world.tick() == tick,
            Cut::Input(number) => world.state.number + 1 == number,
        }
    }
}

/// What a journal says that it needs.
pub fn needs_of(content: &Content, rules: &Rules, world: &Path) -> Needs {
    Needs {
        rules_version: RULES_VERSION,
        rules: rules.fingerprint(),
        content: content.fingerprint(),
        world: world.display().to_string(),
    }
}

/// Runs the subcommand. `false`: the world came out otherwise, or could not be replayed whole.
pub fn run(args: &ReplayArgs, out: &mut dyn Write) -> anyhow::Result<bool> {
    let past = Past::find(&args.past, args.to)?;
    let base = match &args.from {
        None => past.run.oldest()?,
        Some(named) => named_base(&past.run, named)?,
    };
    if let Some(name) = &args.transcript {
        return transcript(&past, base, name, args.to, out);
    }
    if let Some(script) = &args.trace_scripts {
        return scripts::trace(&past, base, args, script.as_deref(), out);
    }
    if let Some(folder) = &args.with_scripts {
        return scripts::compare(&past, base, args, folder, out);
    }
    let compared = compare(&past, base, args.to)?;
    let Compared { outcome, inputs, end, checked } = &compared;
    if let End::Torn { segment, bytes, .. } = end {
        eprintln!("{}: its last {bytes} bytes are no whole record (yet)", segment.display());
    }
    if let (Some(to), Some(last)) = (args.to, outcome.hashes.last())
        && last.tick < to
    {
        eprintln!("tick {to} is still to come: the journal ends at tick {}", last.tick);
    }
    if args.json {
        writeln!(out, "{}", serde_json::to_string(outcome)?)?;
    } else {
        let (inputs, ticks) = (counted(*inputs, "input"), counted(outcome.ticks, "tick"));
        writeln!(out, "{inputs}, {ticks}, {} compared", counted(*checked as u64, "hash"))?;
        match &outcome.first_difference {
            Some(Difference { tick, section }) => {
                writeln!(out, "the first difference: tick {tick}, section {section}")?;
            }
            None if matches!(end, End::Gap(_)) => writeln!(out, "what could be read came out as it was")?,
            None => writeln!(out, "everything came out as it was")?,
        }
        if let Some(last) = outcome.hashes.last() {
            writeln!(out, "tick {}: {}", last.tick, last.hash)?;
        }
    }
    if let End::Gap(gap) = end {
        bail!("it could not be replayed to its end: {gap}");
    }
    Ok(outcome.ok)
}

fn named_base(run: &Run, named: &str) -> anyhow::Result<Base> {
    let path = match named.parse::<InputNumber>() {
        Ok(number) => run.files.snapshots.get(&number).cloned().with_context(|| {
            let known: Vec<String> = run.files.snapshots.keys().map(|number| number.to_string()).collect();
            format!(
                "there is no snapshot of input {number} in this part of the journal; there are {}",
                known.join(", ")
            )
        })?,
        Err(_) => PathBuf::from(named),
    };
    runs::read_base(&path)
}

/// A replay, compared with what was written when it was played.
pub struct Compared {
    pub outcome: Outcome,
    pub inputs: u64,
    /// Hashes that were compared.
    pub checked: usize,
    pub end: End,
}

/// Replays up to a tick, or to the end, and compares hashes: those in the journal, and those of snapshots.
pub fn compare(past: &Past, base: Base, to: Option<u64>) -> anyhow::Result<Compared> {
    let from = base.state.number;
    let mut expected: BTreeMap<InputNumber, (u64, StateHashes)> = BTreeMap::new();
    records_after(&past.run.files, from, &mut |entry| {
        if let Entry::Record(Record::Hashes { number, tick, hashes }) = entry {
            expected.insert(number, (tick, hashes));
        }
        ControlFlow::Continue(())
    })?;
    for (number, head) in past.run.heads() {
        if number > from {
            expected.insert(number, (head.header.start_tick, head.hashes));
        }
    }
    let mut world = past.world(base);
    let first_tick = world.tick();
    let (mut inputs, mut checked) = (0, 0);
    let mut hashes: Vec<TickHash> = Vec::new();
    let mut first_difference = None;
    let (end, _) = replay(&mut world, &past.run.files, &mut |world, step| {
        let Step::Input { number, input, .. } = step else { return ControlFlow::Continue(()) };
        inputs += 1;
        if let Some((tick, written)) = expected.get(&number) {
            let now = world.hashes();
            checked += 1;
            hashes.push(TickHash::of(*tick, &now));
            if let Some(section) = now.differences(written).first()
                && first_difference.is_none()
            {
                first_difference = Some(Difference { tick: *tick, section: section.to_string() });
            }
        }
        match to {
            Some(to) if matches!(input, Input::Tick) && world.tick() >= to => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    })?;
    let last = TickHash::of(world.tick(), &world.hashes());
    if hashes.last() != Some(&last) {
        hashes.push(last);
    }
    let ok = first_difference.is_none() && !matches!(end, End::Gap(_));
    let outcome = Outcome { ok, ticks: world.tick() - first_tick, hashes, first_difference };
    Ok(Compared { outcome, inputs, checked, end })
}

/// What one character typed and saw, tick by tick.
fn transcript(past: &Past, base: Base, name: &str, to: Option<u64>, out: &mut dyn Write) -> anyhow::Result<bool> {
    let mut world = past.world(base);
    let mut who: Option<CharacterId> = world.find_player(name);
    let mut shown_tick = None;
    let mut seen = false;
    let mut failure = None;
    let (end, _) = replay(&mut world, &past.run.files, &mut |world, step| {
        let Step::Input { input, report, .. } = step else { return ControlFlow::Continue(()) };
        // A quit takes it out of the world by the same input that tells it so.
        who = world.find_player(name).or(who);
        let mut lines: Vec<String> = Vec::new();
        if let (Input::Command { who: typed, line }, Some(who)) = (input, who)
            && *typed == who
        {
            lines.push(format!("> {line}"));
        }
        let read = report.iter().flat_map(|report| report.lines.iter());
        lines.extend(read.filter(|(to, _)| Some(*to) == who).map(|(_, line)| line.text.clone()));
        seen |= who.is_some();
        if !lines.is_empty() {
            if shown_tick != Some(world.tick()) {
                shown_tick = Some(world.tick());
                lines.insert(0, format!("--- tick {}", world.tick()));
            }
            for line in lines {
                for line in line.lines() {
                    // Somebody else's journal may hold anything.
                    if let Err(error) = writeln!(out, "{}", protocol::names::clean_text(line)) {
                        failure = Some(error);
                        return ControlFlow::Break(());
                    }
                }
            }
        }
        match to {
            Some(to) if matches!(input, Input::Tick) && world.tick() >= to => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    })?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    if let End::Gap(gap) = end {
        bail!("it could not be replayed to its end: {gap}");
    }
    if !seen {
        bail!("nobody called {name:?} was in the world in that part of the journal");
    }
    Ok(true)
}
