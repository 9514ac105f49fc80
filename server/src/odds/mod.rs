//! `dp-server odds`: what a decision is worth. The world of a tick is copied in memory as often as there are samples,
//! each gets other chance, somebody types a line there, and it is counted what comes of it: the same as so many forks
//! with `--seed`, without their folders.
//!
//! `samples.rs` plays and counts, `interval.rs` says how sure the shares are. Invariants: the state folder is only
//! read, and its server may be running. The numbers are a function of the journal, the arguments and the seed: neither
//! threads nor clocks are in them.

mod interval;
mod samples;

pub use self::interval::Share;
pub use self::samples::{Decision, Tally};

use crate::journal::{Layout, runs};
use crate::replay::{Cut, Past, PastArgs};
use anyhow::{Context, ensure};
use protocol::names::clean_text;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use world::commands::strip_secret;
use world::{InputNumber, World};

/// More would take minutes, and make no share surer that anybody acts upon.
const SAMPLES_MAX: u64 = 100_000;
/// Some five and a half hours of the game; what comes after is no longer of one line.
const TICKS_MAX: u64 = 10_000;
/// Of a line that is typed.
const LINE_CHARS: usize = 1_000;
/// Names that a refusal lists.
const NAMES_SHOWN: usize = 20;
const THREADS: u64 = 2;

#[derive(Clone, Debug, clap::Args)]
pub struct OddsArgs {
    #[command(flatten)]
    pub past: PastArgs,
    /// The decision is made after this tick [default: the newest that the journal holds]
    #[arg(long, value_name = "TICK")]
    pub at: Option<u64>,
    /// The decision stands in place of this input, as a row of a log names it: of several in one tick, the right one
    #[arg(long, value_name = "INPUT", conflicts_with = "at")]
    pub input: Option<InputNumber>,
    /// Whose decision it is: a character that is in the world then
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// The line that it types; an empty one is to do nothing
    #[arg(long, value_name = "LINE")]
    pub command: String,
    /// Ticks that the world goes on for, while nobody else types
    #[arg(long, default_value_t = 30, value_name = "N")]
    pub ticks: u64,
    /// Worlds in which it is tried
    #[arg(long, default_value_t = 1_000, value_name = "N")]
    pub samples: u64,
    /// The chance of all samples hangs on this number: the same one gives the same answer
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// What came of it as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Odds {
    /// Who decides, as it is called in the game.
    pub name: String,
    /// The line that it types.
    pub command: String,
    /// The tick after which it was typed.
    pub tick: u64,
    /// The world went on for so many ticks.
    pub ticks: u64,
    /// The chance of all samples hangs on it.
    pub seed: u64,
    pub samples: u64,
    /// It died at least once.
    pub died: Share,
    /// It killed somebody: the last blow was its own.
    pub killed: Share,
    /// It ran from a fight.
    pub fled: Share,
    pub hp: HitPoints,
    /// For each kind of outcome that named the character, and for `refused`, in how many samples there was one.
    pub outcomes: BTreeMap<String, u64>,
    /// Whom it killed, by name, and in how many samples.
    pub victims: BTreeMap<String, u64>,
    /// Why something that it typed was not done, and in how many samples.
    pub refusals: BTreeMap<String, u64>,
}

/// At the end of the samples in which the character never died, and is still in the world.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HitPoints {
    /// None where there are no such samples.
    pub mean: Option<f64>,
}

impl Odds {
    fn of(tally: Tally, decision: &Decision, name: &str, tick: u64, seed: u64) -> Odds {
        let share = |count| Share::of(count, tally.samples);
        Odds {
            name: name.to_string(),
            command: decision.line.to_string(),
            tick,
            ticks: decision.ticks,
            seed,
            samples: tally.samples,
            died: share(tally.died),
            killed: share(tally.killed),
            fled: share(tally.fled),
            hp: HitPoints {
                mean: (tally.living > 0).then(|| interval::rounded(tally.hit_points as f64 / tally.living as f64)),
            },
            outcomes: tally.outcomes,
            victims: tally.victims,
            refusals: tally.refusals,
        }
    }
}

/// Runs the subcommand.
pub fn run(args: &OddsArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!(args.samples > 0, "--samples is 0: there is nothing to count then; 1 to {SAMPLES_MAX}");
    ensure!(args.samples <= SAMPLES_MAX, "--samples is {}; at most {SAMPLES_MAX} are played", args.samples);
    ensure!(args.ticks > 0, "--ticks is 0: nothing could come of it then; 1 to {TICKS_MAX}");
    ensure!(args.ticks <= TICKS_MAX, "--ticks is {}; at most {TICKS_MAX} are played", args.ticks);
    let line = strip_secret(args.command.trim()).line;
    ensure!(
        !line.chars().any(char::is_control),
        "--command has line breaks or other control characters, which nobody could type"
    );
    let length = line.chars().count();
    ensure!(length <= LINE_CHARS, "--command has {length} characters; a line has at most {LINE_CHARS}");
    let world = world_of(args)?;
    let tick = world.tick();
    let meant = world.state.channels.called(args.name.trim()).and_then(|id| world.state.channels.person(id));
    let who = meant.and_then(|person| world.find_player(&person.name)).with_context(|| absent(&world, &args.name))?;
    let decision = Decision { who, line, ticks: args.ticks };
    let name = &world.who(who).name;
    let tally = samples::play(&world, &decision, args.samples, args.seed, THREADS);
    let odds = Odds::of(tally, &decision, name, tick, args.seed);
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&odds)?)?;
        return Ok(());
    }
    let shown = if line.is_empty() { "nothing".into() } else { clean_text(line) };
    writeln!(
        out,
        "{name} types {shown} after tick {tick}: {} worlds of {} ticks each, seed {}",
        odds.samples, args.ticks, args.seed
    )?;
    for (what, share) in [("died", &odds.died), ("killed", &odds.killed), ("fled", &odds.fled)] {
        writeln!(
            out,
            "  {what:<8} {:>5.1} %  ({:.1} to {:.1} with 95 % certainty)",
            share.p * 100.0,
            share.low * 100.0,
            share.high * 100.0
        )?;
    }
    match odds.hp.mean {
        Some(mean) => writeln!(out, "  {mean:.1} hit points at the end, on average, where it lived")?,
        None => writeln!(out, "  it lived to the end of none of them")?,
    }
    for (kind, count) in &odds.outcomes {
        writeln!(out, "  {kind:<16} in {count}")?;
    }
    if odds.outcomes.get(samples::REFUSED) == Some(&odds.samples) {
        writeln!(out, "  the game refused it in all of them: these are the odds of doing nothing")?;
    }
    for (what, counts) in [("it killed", &odds.victims), ("it was told", &odds.refusals)] {
        for (name, count) in counts {
            writeln!(out, "  {what} in {count}: {}", clean_text(name))?;
        }
    }
    Ok(())
}

/// The world in which the line is typed.
fn world_of(args: &OddsArgs) -> anyhow::Result<World> {
    if let Some(input) = args.input {
        let runs = runs::runs(&Layout::new(&args.past.state_dir))?;
        let run = runs.iter().rev().find(|run| run.start() < input);
        let run = run.with_context(|| format!("the journal does not reach back to input {input}"))?;
        let past = Past::of(run.clone(), &args.past)?;
        return past.world_at(past.run.before_input(input)?, Cut::Input(input));
    }
    Past::find(&args.past, args.at)?.world_after(args.at)
}

fn absent(world: &World, name: &str) -> String {
    let there: Vec<&str> = world.state.players.keys().take(NAMES_SHOWN).map(|name| &**name).collect();
    let there = match (there.len(), world.state.players.len()) {
        (0, _) => "nobody is".to_string(),
        (shown, all) if shown < all => format!("{} and {} more are", there.join(", "), all - shown),
        _ => format!("there are {}", there.join(", ")),
    };
    format!("nobody called {name:?} is in the world at tick {}; {there}", world.tick())
}
