//! `dp-server compare`: two pasts that began as one, beside each other. Up to which input they are the same, and what
//! is otherwise at one tick of both: plots, characters, scores, what was said in channels.
//!
//! `page.rs` tells it to people. Invariants: both state folders are only read, and their servers may be running. Where
//! pasts part is told by their inputs: the world is a function of its state and its inputs. When a server was started
//! is no difference, and neither is what a fork changed of chance; that is named beside it.

mod page;
#[cfg(test)]
mod tests;

use crate::journal::replaying::{End, Entry, records_after};
use crate::journal::{Layout, Record, runs};
use crate::replay::{Cut, Past, PastArgs};
use anyhow::{Context, bail, ensure};
use protocol::plot::CellSeen;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use world::channel::{CHANNEL_MESSAGES_MAX, Message};
use world::character::Character;
use world::{Admin, Input, InputNumber, World};
use xxhash_rust::xxh3::xxh3_64;

#[derive(Clone, Debug, clap::Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub past: PastArgs,
    /// The other state folder: a fork of the first, its source, or another fork of the same source
    #[arg(long, value_name = "DIR")]
    pub with: PathBuf,
    /// As both are after this tick [default: the newest that both have]
    #[arg(long, value_name = "TICK")]
    pub at: Option<u64>,
    /// What is otherwise as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints. `a` is the first folder, `b` the other one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The last moment at which both were the same, by the count of the first; `None`: there is none that both have.
    pub same_until: Option<Same>,
    /// One merely ends there, and the other goes on: `a` or `b`, such as a fork that nobody played in yet.
    pub ends_first: Option<char>,
    /// What a fork changed of the state by which both go on: `seed`, `dice`, or a section that differs.
    pub parted_by: Vec<String>,
    /// Both are compared as they were after this tick.
    pub tick: u64,
    /// Where all inputs are the same, and the state too.
    pub is_same: bool,
    /// Plots of which a cell differs.
    pub plots: Vec<PlotRow>,
    /// Everybody who is in one of the worlds.
    pub characters: Vec<CharacterRow>,
    /// Of each plot that has a task.
    pub scores: Vec<ScoreRow>,
    /// Of the newest that each channel keeps, those that are not the same, by their ids.
    pub messages: Vec<MessageRow>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Same {
    pub tick: u64,
    pub input: InputNumber,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlotRow {
    pub room: i32,
    pub title: String,
    /// So many cells hold the same in both.
    pub same: usize,
    pub cells: Vec<CellRow>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CellRow {
    pub at: CellSeen,
    pub a: Option<Standing>,
    pub b: Option<Standing>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standing {
    pub kind: String,
    pub label: String,
    /// Empty: it was there before anybody built.
    pub by: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CharacterRow {
    pub name: String,
    pub same: bool,
    /// `None`: it is not in that world.
    pub a: Option<Fate>,
    pub b: Option<Fate>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fate {
    pub place: Place,
    pub level: i32,
    pub experience: i64,
    /// In hand and in the bank.
    pub coins: i64,
    /// It died since both were the same.
    pub dead: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    pub vnum: i32,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScoreRow {
    pub room: i32,
    pub task: String,
    pub a: Option<u32>,
    pub b: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageRow {
    pub channel: u32,
    pub id: u64,
    /// `None`: nothing of that number was said there in that world.
    pub a: Option<Words>,
    pub b: Option<Words>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Words {
    pub sender: String,
    pub text: String,
}

/// What is otherwise in one of two worlds.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    pub plots: Vec<PlotRow>,
    pub characters: Vec<CharacterRow>,
    pub scores: Vec<ScoreRow>,
    pub messages: Vec<MessageRow>,
}

/// Two worlds beside each other, whatever brought them there. `since`: each as it was when they were the same.
pub fn beside(a: &World, b: &World, since: [Option<&World>; 2]) -> Beside {
    let [before_a, before_b] = since.map(|world| world.map(deaths).unwrap_or_default());
    let characters = characters(a, b, &before_a, &before_b);
    Beside { plots: plots(a, b), characters, scores: scores(a, b), messages: messages(a, b) }
}

/// Runs the subcommand.
pub fn run(args: &CompareArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let compared = compare(args)?;
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&compared)?)?;
    } else {
        writeln!(out, "{}", page::of(&compared))?;
    }
    Ok(())
}

pub fn compare(args: &CompareArgs) -> anyhow::Result<Compared> {
    let other = PastArgs { state_dir: args.with.clone(), ..args.past.clone() };
    let (a, b) = (newest(&args.past, args.at)?, newest(&other, args.at)?);
    if let Some(difference) = a.run.header.needs.difference(&b.run.header.needs) {
        bail!("they cannot be compared: the first one needs {difference}");
    }
    let (ended_a, ended_b) = (a.newest_tick()?, b.newest_tick()?);
    let tick = args.at.unwrap_or(ended_a.min(ended_b));
    for (ended, args) in [(ended_a, &args.past), (ended_b, &other)] {
        ensure!(
            tick <= ended,
            "tick {tick} is still to come in {}: it ends with tick {ended}",
            args.state_dir.display()
        );
    }
    let common = common(&a, &b)?;
    let (world_a, world_b) = (a.world_after(Some(tick))?, b.world_after(Some(tick))?);
    let Beside { plots, characters, scores, messages } =
        beside(&world_a, &world_b, [common.a.as_ref(), common.b.as_ref()]);
    let is_same = common.parted_by.is_empty() && common.all_inputs == [true; 2] && common.same_until.is_some();
    let ends_first = match common.all_inputs {
        [true, false] if common.parted_by.is_empty() => Some('a'),
        [false, true] if common.parted_by.is_empty() => Some('b'),
        _ => None,
    };
    let Common { same_until, parted_by, .. } = common;
    Ok(Compared { same_until, ends_first, parted_by, tick, is_same, plots, characters, scores, messages })
}

fn newest(args: &PastArgs, tick: Option<u64>) -> anyhow::Result<Past> {
    let runs = runs::runs(&Layout::new(&args.state_dir))?;
    Past::of(runs::run_at(&runs, tick)?.clone(), args)
}

/// The moment from which both are compared, and how far they are the same from there.
struct Common {
    same_until: Option<Same>,
    parted_by: Vec<String>,
    /// Whether that is to the end of the first one, and of the other.
    all_inputs: [bool; 2],
    /// Both worlds there, where both have such a moment.
    a: Option<World>,
    b: Option<World>,
}

/// Both begin somewhere; the later of these beginnings is looked up in the other one.
fn common(a: &Past, b: &Past) -> anyhow::Result<Common> {
    let (base_a, base_b) = (a.run.oldest()?, b.run.oldest()?);
    let start = base_a.state.number.max(base_b.state.number);
    let at = |past: &Past, base: runs::Base| {
        if base.state.number == start {
            return Ok(Some(past.world(base)));
        }
        // It may have ended before the other one begins.
        let last = last_input(past, base.state.number)?;
        if last < start {
            return Ok(None);
        }
        past.world_at(past.run.before_input(start + 1)?, Cut::Input(start + 1)).map(Some)
    };
    let (world_a, world_b) = (at(a, base_a)?, at(b, base_b)?);
    let (Some(one), Some(other)) = (&world_a, &world_b) else {
        let parted_by = vec!["no input that both have".to_string()];
        return Ok(Common { same_until: None, parted_by, all_inputs: [false; 2], a: world_a, b: world_b });
    };
    let (mut first, second) = (one.snapshot(), other.snapshot());
    let mut parted_by = Vec::new();
    if first.seed != second.seed {
        parted_by.push("seed".to_string());
        first.seed = second.seed;
    }
    if first.loaded != second.loaded {
        parted_by.push("dice".to_string());
        first.loaded = second.loaded.clone();
    }
    let sections = first.hashes().differences(&second.hashes());
    if !sections.is_empty() {
        parted_by.extend(sections.into_iter().map(str::to_string));
        return Ok(Common { same_until: None, parted_by, all_inputs: [false; 2], a: world_a, b: world_b });
    }
    let (inputs_a, inputs_b) = (inputs_after(a, start)?, inputs_after(b, start)?);
    let mut same = Same { tick: one.tick(), input: start };
    // Chance that is another one parts them at once.
    let goes_on = parted_by.is_empty();
    let equal = inputs_a.iter().zip(&inputs_b).take_while(|(a, b)| goes_on && (a.hash, a.ticks) == (b.hash, b.ticks));
    let mut count = 0;
    for (input, _) in equal {
        same = Same { tick: same.tick + u64::from(input.ticks), input: input.number };
        count += 1;
    }
    let all_inputs = [count == inputs_a.len(), count == inputs_b.len()];
    Ok(Common { same_until: Some(same), parted_by, all_inputs, a: world_a, b: world_b })
}

/// An input as far as it is compared.
struct Known {
    number: InputNumber,
    hash: u64,
    ticks: bool,
}

/// All inputs after a number. What a start says of the machine's clock is nothing that anybody did.
fn inputs_after(past: &Past, number: InputNumber) -> anyhow::Result<Vec<Known>> {
    let mut known = Vec::new();
    let (end, _) = records_after(&past.run.files, number, &mut |entry| {
        if let Entry::Record(Record::Input { number, input, .. }) = entry
            && !matches!(input, Input::Admin(Admin::Started { .. }))
        {
            let bytes = postcard::to_allocvec(&input).expect("an input is bytes, and memory has no end");
            known.push(Known { number, hash: xxh3_64(&bytes), ticks: matches!(input, Input::Tick) });
        }
        ControlFlow::Continue(())
    })
    .context("reading the journal")?;
    match end {
        End::Gap(gap) => bail!("what came after input {number} cannot be read whole: {gap}"),
        _ => Ok(known),
    }
}

fn last_input(past: &Past, from: InputNumber) -> anyhow::Result<InputNumber> {
    let (_, last) = records_after(&past.run.files, from, &mut |_| ControlFlow::Continue(()))?;
    Ok(last.max(from))
}

fn deaths(world: &World) -> BTreeMap<String, u32> {
    let players = world.state.players.iter();
    let of = |who| world.character(who).and_then(Character::player).map_or(0, |player| player.deaths);
    players.map(|(name, who)| (name.to_string(), of(*who))).collect()
}

fn characters(
    a: &World,
    b: &World,
    before_a: &BTreeMap<String, u32>,
    before_b: &BTreeMap<String, u32>,
) -> Vec<CharacterRow> {
    let names: BTreeSet<&str> = a.state.players.keys().chain(b.state.players.keys()).map(|name| &**name).collect();
    let row = |name: &str| {
        let (one, other) = (fate(a, name, before_a), fate(b, name, before_b));
        let called = |world: &World| Some(world.character(world.find_player(name)?)?.name.to_string());
        let shown = called(a).or_else(|| called(b)).unwrap_or_else(|| name.to_string());
        CharacterRow { name: shown, same: one == other, a: one, b: other }
    };
    names.into_iter().map(row).collect()
}

fn fate(world: &World, name: &str, before: &BTreeMap<String, u32>) -> Option<Fate> {
    let character = world.character(world.find_player(name)?)?;
    let player = character.player()?;
    let room = world.room_proto(character.room);
    Some(Fate {
        place: Place { vnum: room.vnum, name: room.name.to_string() },
        level: character.level,
        experience: player.experience.into(),
        coins: i64::from(character.gold) + i64::from(player.bank),
        dead: before.get(name).is_some_and(|deaths| player.deaths > *deaths),
    })
}

fn plots(a: &World, b: &World) -> Vec<PlotRow> {
    let standing = |world: &World| -> BTreeMap<i32, (String, BTreeMap<CellSeen, Standing>)> {
        let of = |ground: &world::ground::Ground| {
            let element = |element: &plot::Element| {
                let standing = Standing {
                    kind: element.kind.to_string(),
                    label: element.label.to_string(),
                    by: element.by.to_string(),
                };
                (CellSeen::from(element.at), standing)
            };
            ground.plot.grid().elements().map(element).collect()
        };
        let plots = world.plots();
        plots.iter().map(|(room, ground)| (*room, (ground.plot.title.to_string(), of(ground)))).collect()
    };
    let (a, b) = (standing(a), standing(b));
    let rooms: BTreeSet<i32> = a.keys().chain(b.keys()).copied().collect();
    let none = (String::new(), BTreeMap::new());
    let row = |room: i32| {
        let ((title, one), (other_title, other)) = (a.get(&room).unwrap_or(&none), b.get(&room).unwrap_or(&none));
        let cells: BTreeSet<CellSeen> = one.keys().chain(other.keys()).copied().collect();
        let (same, differing): (Vec<CellSeen>, Vec<CellSeen>) =
            cells.into_iter().partition(|cell| one.get(cell) == other.get(cell));
        let cell = |at: CellSeen| CellRow { at, a: one.get(&at).cloned(), b: other.get(&at).cloned() };
        let title = if title.is_empty() { other_title } else { title };
        PlotRow { room, title: title.clone(), same: same.len(), cells: differing.into_iter().map(cell).collect() }
    };
    rooms.into_iter().map(row).filter(|row| !row.cells.is_empty()).collect()
}

fn scores(a: &World, b: &World) -> Vec<ScoreRow> {
    let of = |world: &World| -> BTreeMap<i32, (String, u32)> {
        let score = |(room, ground): &(i32, std::sync::Arc<world::ground::Ground>)| {
            let task = world.content.plot_task(&ground.plot.task)?;
            Some((*room, (task.name.to_string(), task.score(ground.plot.grid(), &world.content.plot_kinds))))
        };
        world.plots().iter().filter_map(score).collect()
    };
    let (a, b) = (of(a), of(b));
    let rooms: BTreeSet<i32> = a.keys().chain(b.keys()).copied().collect();
    let row = |room: i32| {
        let (one, other) = (a.get(&room), b.get(&room));
        let task = one.or(other).map_or_else(String::new, |(task, _)| task.clone());
        ScoreRow { room, task, a: one.map(|(_, score)| *score), b: other.map(|(_, score)| *score) }
    };
    rooms.into_iter().map(row).collect()
}

fn messages(a: &World, b: &World) -> Vec<MessageRow> {
    type Said = BTreeMap<u32, BTreeMap<u64, Words>>;
    let said = |world: &World| -> Said {
        let words = |message: &Arc<Message>| {
            (message.id, Words { sender: message.sender.name.to_string(), text: message.text.to_string() })
        };
        world.state.channels.iter().map(|(id, channel)| (id, channel.messages.iter().map(words).collect())).collect()
    };
    let (a, b) = (said(a), said(b));
    let channels: BTreeSet<u32> = a.keys().chain(b.keys()).copied().collect();
    let none = BTreeMap::new();
    let rows = |channel: u32| {
        let (one, other) = (a.get(&channel).unwrap_or(&none), b.get(&channel).unwrap_or(&none));
        // What one of them has let go of already tells nothing of what was said.
        let kept = |said: &BTreeMap<u64, Words>| match said.len() < CHANNEL_MESSAGES_MAX {
            true => 0,
            false => said.keys().next().copied().unwrap_or(0),
        };
        let from = kept(one).max(kept(other));
        let ids: BTreeSet<u64> = one.keys().chain(other.keys()).copied().filter(|id| *id >= from).collect();
        let row = |id: u64| MessageRow { channel, id, a: one.get(&id).cloned(), b: other.get(&id).cloned() };
        ids.into_iter().map(row).filter(|row| row.a != row.b).collect::<Vec<_>>()
    };
    channels.into_iter().flat_map(rows).collect()
}
