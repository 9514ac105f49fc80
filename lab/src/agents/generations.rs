//! What experience is worth that is handed down (suite `generations`): newborns play at one task one after the other,
//! each in a world of its own, with what the one before handed down and without.
//!
//! The task is to gain experience in so many minutes, as a warrior with a model. What one lived is in its log; when
//! its time is over, it dreams, and what its graph hands down becomes entries in the log of the next, which is its
//! heir: all of it by the server's own code, in one database. What the heir makes of it shows in what it recalls.
//! Both arms of a seed have the same worlds and the same dice, so that they differ in nothing but the legacy; the first
//! generation is the same in both.
//! Invariants: a line of generations is a function of seed and arm, but for the dates of its memories.

use super::figures::{Mean, told};
use super::oracle::Oracle;
use super::play::{Chair, Mode, Setting, agent, each_seed, newcomer, play_on};
use super::stage::{Database, Stage};
use anyhow::{Context, ensure};
use content::words::Class;
use content::{Content, Vnum};
use memory_lab::counts::statistics::mean;
use mind::prompt::Prompt;
use serde_json::{Value, json};
use server::store::characters;
use server::{legacies, saver};
use std::cell::Cell;
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;
use world::World;
use world::rules::Rules;

/// How a memory in a prompt is marked that was handed down.
const MARK: &str = "handed down by ";

#[derive(Clone, Debug)]
pub struct Options {
    pub seeds: Vec<u64>,
    pub generations: usize,
    /// That each plays.
    pub minutes: u64,
    /// Where each begins; `None`: where newcomers wake.
    pub start: Option<Vnum>,
}

/// How one fared.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Life {
    pub experience: i64,
    pub level: i32,
    pub deaths: u32,
    pub kills: u32,
    /// Memories that it received.
    pub handed: usize,
    /// Of what its graph holds in the end, what others lived.
    pub of_others: usize,
    /// Decisions, and those whose prompt held such a memory.
    pub decisions: u64,
    pub with_legacy: u64,
}

/// One line of generations.
pub fn line(content: &Arc<Content>, options: &Options, seed: u64, inherits: bool) -> anyhow::Result<Vec<Life>> {
    let database = Database::new()?;
    let mut lives: Vec<Life> = Vec::new();
    for n in 0..options.generations {
        let life = live(content, options, &database, seed.wrapping_mul(100).wrapping_add(n as u64), n, inherits);
        lives.push(life.with_context(|| format!("generation {}", n + 1))?);
    }
    Ok(lives)
}

/// One plays, from its birth to its last dream.
fn live(
    content: &Arc<Content>,
    options: &Options,
    database: &Database,
    seed: u64,
    n: usize,
    inherits: bool,
) -> anyhow::Result<Life> {
    let setting = Setting { mode: Mode::Utility, minutes: options.minutes, start: options.start, ..Setting::default() };
    let record = newcomer(seed, n, setting.class);
    let (name, store) = (record.name.to_string(), &database.store);
    database.wait(characters::save_batch(store, &[saver::row_of(&record, 1, 0)?]))?;
    let parent = n.checked_sub(1).filter(|_| inherits).map(|before| newcomer(0, before, Class::Warrior).name);
    let handed = match parent {
        Some(parent) => database.wait(legacies::hand_down(store, &[parent.to_string()], &name))?.items,
        None => 0,
    };
    let mut stage =
        Stage::beside(World::new(content.clone(), Arc::new(Rules::built_in()), seed), database.clone(), None);
    let seat = stage.enter(record)?;
    if let Some(room) = setting.start {
        stage.place(seat, room)?;
    }
    if handed > 0 {
        let received = database.wait(legacies::deliver(&stage.engine, store, &name))?;
        ensure!(received, "{name} is in the world and did not receive what is handed down");
        stage.settle()?;
    }
    let counted = Rc::new(Cell::new((0, 0)));
    let (player, model) = agent(&setting, seed, n)?;
    let model = counting(model.context("it has a model")?, counted.clone());
    let mut chairs = [Chair::new(&stage, &setting, seat, (player, Some(model)))];
    let ticks = setting.minutes * 60_000 / stage.tick_ms;
    play_on(&mut stage, &mut chairs, &setting, ticks, &mut |_, _| ())?;
    stage.settle()?;
    let [chair] = chairs;
    let report = stage.engine.with_world(|world| chair.end(world, seed, setting.minutes as f64));
    let graph = database.dream(&name)?;
    let of_others = graph.alive().filter(|(_, node)| node.is_handed_down()).count();
    ensure!(of_others > 0 || handed == 0, "{name} dreamt of nothing that was handed down to it");
    let (decisions, with_legacy) = counted.get();
    Ok(Life {
        experience: report.experience,
        level: report.level,
        deaths: report.deaths,
        kills: report.kills,
        handed,
        of_others,
        decisions,
        with_legacy,
    })
}

/// Counts questions, and those whose prompt holds what was handed down.
fn counting(mut model: Oracle, counted: Rc<Cell<(u64, u64)>>) -> Oracle {
    Box::new(move |prompt: &Prompt, now_ms| {
        let (all, with) = counted.get();
        counted.set((all + 1, with + u64::from(prompt.text().contains(MARK))));
        model(prompt, now_ms)
    })
}

/// One generation over all seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// 1: the first.
    pub generation: usize,
    pub seeds: usize,
    /// Experience without and with what was handed down.
    pub experience: [Mean; 2],
    /// What the legacy brings, seed by seed.
    pub difference: Mean,
    pub better: usize,
    pub worse: usize,
    pub deaths: [f64; 2],
    pub level: [f64; 2],
    pub handed: f64,
    /// Of the decisions with it, the share whose prompt held some of it.
    pub with_legacy: f64,
}

/// The same seed without and with it.
fn row(n: usize, pairs: &[[Vec<Life>; 2]]) -> Row {
    let values =
        |arm: usize, of: &dyn Fn(&Life) -> f64| -> Vec<f64> { pairs.iter().map(|pair| of(&pair[arm][n])).collect() };
    let both = |of: &dyn Fn(&Life) -> f64| [0, 1].map(|arm| mean(&values(arm, of)).0);
    let experience = |life: &Life| life.experience as f64;
    let (without, with) = (values(0, &experience), values(1, &experience));
    let differences: Vec<f64> = with.iter().zip(&without).map(|(with, without)| with - without).collect();
    let sum = |of: &dyn Fn(&Life) -> u64| pairs.iter().map(|pair| of(&pair[1][n])).sum::<u64>() as f64;
    Row {
        generation: n + 1,
        seeds: pairs.len(),
        experience: [mean(&without), mean(&with)],
        difference: mean(&differences),
        better: differences.iter().filter(|by| **by > 0.0).count(),
        worse: differences.iter().filter(|by| **by < 0.0).count(),
        deaths: both(&|life| f64::from(life.deaths)),
        level: both(&|life| f64::from(life.level)),
        handed: both(&|life| life.handed as f64)[1],
        with_legacy: sum(&|life| life.with_legacy) / sum(&|life| life.decisions).max(1.0),
    }
}

/// A row for each generation.
pub fn rows(content: &Arc<Content>, options: &Options) -> anyhow::Result<Vec<Row>> {
    // Both arms of a seed, each by itself, so that all cores have work.
    let runs: Vec<u64> = (0..options.seeds.len() as u64 * 2).collect();
    let one = |run: u64| line(content, options, options.seeds[run as usize / 2], run % 2 == 1);
    let mut lines = Vec::new();
    for (run, lived) in each_seed(&runs, &one) {
        lines.push(lived.with_context(|| format!("seed {}", options.seeds[run as usize / 2]))?);
    }
    let mut lines = lines.into_iter();
    let pairs: Vec<[Vec<Life>; 2]> = std::iter::from_fn(|| Some([lines.next()?, lines.next()?])).collect();
    Ok((0..options.generations).map(|n| row(n, &pairs)).collect())
}

pub fn markdown(rows: &[Row]) -> String {
    let mut out =
        "| generation | experience without | with what was handed down | by it, seed by seed | better, worse | \
                   deaths | level | memories received | decisions with one in the prompt |\n\
                   |---|---|---|---|---|---|---|---|---|\n"
            .to_string();
    for row in rows {
        let ([without, with], by) = (row.experience.map(|mean| told(mean, 0)), told(row.difference, 0));
        let Row { generation, better, worse, deaths, level, handed, with_legacy, .. } = row;
        let both = |[without, with]: &[f64; 2]| format!("{without:.1} and {with:.1}");
        writeln!(
            out,
            "| {generation} | {without} | {with} | {by} | {better}, {worse} | {} | {} | {handed:.1} | {with_legacy:.2} |",
            both(deaths),
            both(level),
        )
        .expect("a String");
    }
    out
}

pub fn json(rows: &[Row]) -> Value {
    let rows = rows.iter().map(|row| {
        let [without, with] = row.experience;
        json!({
            "generation": row.generation, "seeds": row.seeds,
            "experience": {"without": without.0, "with": with.0},
            "experience_interval_95": {"without": without.1, "with": with.1},
            "difference": row.difference.0, "difference_interval_95": row.difference.1, "better": row.better,
            "worse": row.worse, "deaths": {"without": row.deaths[0], "with": row.deaths[1]},
            "level": {"without": row.level[0], "with": row.level[1]}, "memories_received": row.handed,
            "decisions_with_legacy": row.with_legacy,
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world_folder::{read_content, root};

    #[test]
    fn heirs_receive_recall_and_hand_on_and_nobody_else_does() {
        let content = Arc::new(read_content(&root().join("data/world")));
        let options = Options { seeds: vec![1], generations: 3, minutes: 6, start: Some(8200) };
        // Whether what was handed down comes to mind is chance: of some lines the first in which it does.
        let of = |seed, inherits| line(&content, &options, seed, inherits).expect("lives");
        let mut lines = (1..=8).map(|seed| (seed, of(seed, true)));
        let (seed, with) = lines.find(|(_, with)| with[2].with_legacy > 0).expect("it comes to mind in one of eight");
        let without = of(seed, false);
        assert_eq!(without[0], with[0], "nobody was before the first");
        assert!(without.iter().all(|life| (life.handed, life.of_others, life.with_legacy) == (0, 0, 0)), "{without:?}");
        assert!(with[1].handed > 0 && with[1].of_others > 0, "{with:?}");
        assert!(with[2].handed > 0 && with[2].with_legacy > 0, "{with:?}");
        assert_eq!(of(seed, true), with);
        let row = row(0, &[[without, with]]);
        assert_eq!((row.difference.0, row.better, row.worse), (0.0, 0, 0));
    }
}
