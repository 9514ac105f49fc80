//! What one mind of one body is worth to a society (suite `ablation`): a world with councils that build on one plot is
//! forked in memory at one input, and from there on the first of them has a mind less. How far worlds part, the plot,
//! and what becomes of everybody.
//!
//! Two arms are there to be held against: one in which nothing is changed, which must not part, and one in which the
//! same council draws otherwise, which says how far any other choice parts worlds. All arms begin at the fork with
//! agents that take up the bodies anew, as after a restart; so they differ in nothing but what is told.
//! Invariants: no arm changes the world that it leaves; an arm is a function of world, seed and what is changed.

use super::council::Site;
use super::figures::{Mean, told};
use super::oracle;
use super::play::{Chair, Seated, Setting, each_seed, newcomer, play_on};
use super::stage::Stage;
use agent_cli::agent::{Agent, AgentSettings, slow_ms};
use agent_cli::stub::policy::Utility;
use anyhow::{Context, ensure};
use content::Content;
use content::words::Class;
use memory_lab::counts::statistics::{mean, wilson};
use mind::council::{Method, Seats};
use serde_json::{Value, json};
use server::compare::beside;
use std::fmt::Write;
use std::sync::Arc;
use world::World;
use world::hash::StateHashes;

/// What is changed for the first of the society, from the fork on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Nothing,
    /// Those that are left.
    Seats(&'static str),
    /// The policy behind its minds draws otherwise.
    Chance,
}

const ARMS: &[(&str, Change)] = &[
    ("nothing", Change::Nothing),
    ("INNER", Change::Seats("outer,observer")),
    ("OUTER", Change::Seats("inner,observer")),
    ("OBSERVER", Change::Seats("inner,outer")),
    ("nothing, other dice", Change::Chance),
];

#[derive(Clone, Debug)]
pub struct Options {
    pub seeds: Vec<u64>,
    /// In one world, all before the same plot.
    pub agents: usize,
    /// Ticks until the fork.
    pub before: u64,
    /// Ticks after it.
    pub ticks: u64,
}

fn setting(options: &Options) -> Setting {
    Setting { players: options.agents, ..Setting::default() }
}

/// A council with the stub's utility policy behind each of its minds.
fn council(setting: &Setting, seats: Seats, seed: u64, n: usize, chance: u64) -> Seated {
    let seed = seed.wrapping_mul(1_000).wrapping_add(n as u64);
    let settings =
        AgentSettings { think_ms: setting.think_ms, slow_ms: slow_ms(setting.think_ms), seed, ..Default::default() };
    let agent = Agent::new(settings.by(Method::Council(seats)));
    let policy = Box::new(Utility::new(seed.wrapping_add(chance)));
    (Box::new(agent), Some(oracle::plain(policy, format!("agent {n}"), setting.model_ms)))
}

/// The world at the fork.
fn society(content: &Arc<Content>, site: &Site, options: &Options, seed: u64) -> anyhow::Result<World> {
    let setting = setting(options);
    let mut stage = Stage::new(content.clone(), seed)?;
    let mut chairs = Vec::new();
    for n in 0..options.agents {
        let seat = stage.enter(newcomer(seed, n, Class::Warrior))?;
        stage.place(seat, site.room)?;
        chairs.push(Chair::new(&stage, &setting, seat, council(&setting, Seats::ALL, seed, n, 0)));
    }
    play_on(&mut stage, &mut chairs, &setting, options.before, &mut |_, _| ())?;
    Ok(stage.engine.with_world(fork))
}

fn fork(world: &World) -> World {
    World::resume(world.content.clone(), world.rules.clone(), world.snapshot())
}

/// How it went on.
struct Arm {
    /// After each tick.
    hashes: Vec<StateHashes>,
    world: World,
}

fn arm(at_fork: &World, options: &Options, seed: u64, change: Change) -> anyhow::Result<Arm> {
    let setting = setting(options);
    let mut stage = Stage::of(fork(at_fork))?;
    let mut chairs = Vec::new();
    for n in 0..options.agents {
        let seat = stage.take_over(&newcomer(seed, n, Class::Warrior).name)?;
        let (seats, chance) = match change {
            Change::Seats(list) if n == 0 => (Seats::parse(list).map_err(|why| anyhow::anyhow!(why))?, 0),
            // Far from the seeds of all others.
            Change::Chance if n == 0 => (Seats::ALL, 1 << 40),
            _ => (Seats::ALL, 0),
        };
        chairs.push(Chair::new(&stage, &setting, seat, council(&setting, seats, seed, n, chance)));
    }
    let mut hashes = Vec::new();
    play_on(&mut stage, &mut chairs, &setting, options.ticks, &mut |stage, _| {
        hashes.push(stage.engine.with_world(World::hashes));
    })?;
    Ok(Arm { hashes, world: stage.engine.with_world(fork) })
}

/// How far an arm is from what would have been.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parted {
    /// After so many ticks the worlds are not the same; `None`: they are to the end.
    pub at: Option<u64>,
    /// Cells of the plot that hold something else, and those that hold the same.
    pub cells: usize,
    pub cells_same: usize,
    /// Of the task, as it would have been and as it is.
    pub scores: [u32; 2],
    /// Whether place, level, experience, coins or death of the first are others, and of how many of the rest.
    pub own_fate: bool,
    pub fates: usize,
}

fn parted(whole: &Arm, other: &Arm, at_fork: &World, site: &Site) -> anyhow::Result<Parted> {
    let found = beside(&whole.world, &other.world, [Some(at_fork), Some(at_fork)]);
    let score = found.scores.iter().find(|row| row.room == site.room).context("the plot is gone")?;
    let plot = found.plots.iter().find(|row| row.room == site.room);
    let standing = whole.world.plot_at(site.room).map_or(0, |ground| ground.plot.grid().elements().count());
    let first = newcomer(0, 0, Class::Warrior).name;
    let differ = || found.characters.iter().filter(|row| !row.same);
    Ok(Parted {
        at: (1..).zip(whole.hashes.iter().zip(&other.hashes)).find(|(_, (a, b))| a != b).map(|(tick, _)| tick),
        cells: plot.map_or(0, |row| row.cells.len()),
        cells_same: plot.map_or(standing, |row| row.same),
        scores: [score.a.unwrap_or(0), score.b.unwrap_or(0)],
        own_fate: differ().any(|row| row.name == *first),
        fates: differ().filter(|row| row.name != *first).count(),
    })
}

/// One seed: how far each arm is from the world as it would have been, in the order of `ARMS`.
pub fn run(content: &Arc<Content>, site: &Site, options: &Options, seed: u64) -> anyhow::Result<Vec<Parted>> {
    ensure!(options.agents > 0 && options.ticks > 0, "nobody builds: it takes an agent and a tick at least");
    let at_fork = society(content, site, options, seed)?;
    let whole = arm(&at_fork, options, seed, Change::Nothing)?;
    let of = |(name, change): &(&str, Change)| {
        let other = arm(&at_fork, options, seed, *change).with_context(|| format!("without {name}"))?;
        parted(&whole, &other, &at_fork, site)
    };
    ARMS.iter().map(of).collect()
}

/// One arm over all seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub task: String,
    pub left_out: &'static str,
    pub seeds: u64,
    pub parted: u64,
    /// Ticks after the fork, where they part.
    pub at: Mean,
    pub cells: Mean,
    pub cells_same: f64,
    pub score: f64,
    /// Of the score, by leaving it out.
    pub score_difference: Mean,
    pub own_fates: u64,
    /// Of all others, those who fare otherwise.
    pub fates: u64,
    pub others: u64,
}

fn row(task: &str, left_out: &'static str, agents: usize, all: &[&Parted]) -> Row {
    let count = |is: &dyn Fn(&Parted) -> bool| all.iter().filter(|one| is(one)).count() as u64;
    let values = |of: &dyn Fn(&Parted) -> f64| mean(&all.iter().map(|one| of(one)).collect::<Vec<_>>());
    let at: Vec<f64> = all.iter().filter_map(|one| one.at).map(|tick| tick as f64).collect();
    Row {
        task: task.to_string(),
        left_out,
        seeds: all.len() as u64,
        parted: count(&|one| one.at.is_some()),
        at: mean(&at),
        cells: values(&|one| one.cells as f64),
        cells_same: values(&|one| one.cells_same as f64).0,
        score: values(&|one| f64::from(one.scores[1])).0,
        score_difference: values(&|one| f64::from(one.scores[1]) - f64::from(one.scores[0])),
        own_fates: count(&|one| one.own_fate),
        fates: all.iter().map(|one| one.fates as u64).sum(),
        others: (all.len() * (agents - 1)) as u64,
    }
}

/// A row for each arm.
pub fn rows(content: &Arc<Content>, site: &Site, options: &Options) -> anyhow::Result<Vec<Row>> {
    let one = |seed| run(content, site, options, seed);
    let mut all = Vec::new();
    for (seed, parted) in each_seed(&options.seeds, &one) {
        all.push(parted.with_context(|| format!("{}, seed {seed}", site.task.name))?);
    }
    let of = |(n, (name, _)): (usize, &(&'static str, Change))| {
        let arm: Vec<&Parted> = all.iter().map(|seed| &seed[n]).collect();
        row(&site.task.name, name, options.agents, &arm)
    };
    Ok(ARMS.iter().enumerate().map(of).collect())
}

pub fn markdown(rows: &[Row]) -> String {
    let mut out = "| task | left out of one council | worlds that part | after ticks | cells that differ | the same | \
                   score | by leaving it out | its own fate another | fates of the others |\n\
                   |---|---|---|---|---|---|---|---|---|---|\n"
        .to_string();
    for row in rows {
        let Row { task, left_out, seeds, parted, cells_same, score, own_fates, fates, others, .. } = row;
        let at = if *parted == 0 { "–".to_string() } else { told(row.at, 1) };
        let (cells, difference) = (told(row.cells, 1), told(row.score_difference, 0));
        let [low, high] = wilson(*fates, *others);
        writeln!(
            out,
            "| {task} | {left_out} | {parted} of {seeds} | {at} | {cells} | {cells_same:.1} | {score:.0} | \
             {difference} | {own_fates} of {seeds} | {fates} of {others} ({low:.2} to {high:.2}) |"
        )
        .expect("a String");
    }
    out
}

pub fn json(rows: &[Row]) -> Value {
    let rows = rows.iter().map(|row| {
        json!({
            "task": row.task, "left_out": row.left_out, "seeds": row.seeds, "parted": row.parted,
            "parted_interval_95": wilson(row.parted, row.seeds), "after_ticks": row.at.0,
            "after_ticks_interval_95": row.at.1, "cells": row.cells.0, "cells_interval_95": row.cells.1,
            "cells_same": row.cells_same, "score": row.score, "score_difference": row.score_difference.0,
            "score_difference_interval_95": row.score_difference.1, "own_fates": row.own_fates, "fates": row.fates,
            "others": row.others, "fates_interval_95": wilson(row.fates, row.others),
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world_folder::{read_content, root};

    #[test]
    fn worlds_part_by_a_mind_that_is_left_out_and_by_nothing_else() {
        let content = Arc::new(read_content(&root().join("data/world")));
        let site = Site::of(&content, "village").expect("a shipped plot");
        let options = Options { seeds: vec![1], agents: 2, before: 6, ticks: 16 };
        let parted = run(&content, &site, &options, 1).expect("a run");
        let [nothing, minds @ .., dice] = &parted[..] else { panic!("{parted:?}") };
        let [before, after] = nothing.scores;
        assert!(nothing.at.is_none() && nothing.cells == 0 && before == after && !nothing.own_fate, "{nothing:?}");
        assert!(nothing.cells_same > 0 && before > 0, "they build: {nothing:?}");
        assert!(minds.iter().any(|one| one.at.is_some() && one.cells > 0), "{minds:?}");
        assert!(dice.at.is_some(), "{dice:?}");
        assert_eq!(run(&content, &site, &options, 1).expect("a run"), parted);
    }
}
