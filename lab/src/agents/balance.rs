//! How classes fare by policies alone, with their arts and without: hours to a level, deaths, gold, experience, and
//! which arts they used.
//!
//! Times are those of the game, so that no figure depends on the machine. Invariant: rows are a function of options.

use super::measure::OF_ARTS;
use super::play::{self, Chair, Setting};
use super::{Report, Stage};
use agent_cli::agent::{Agent, AgentSettings};
use anyhow::Context;
use content::Content;
use content::words::Class;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// From one look at a level to the next, in ticks: half a minute.
const LOOK_TICKS: u64 = 15;

#[derive(Clone, Debug)]
pub struct Options {
    pub classes: Vec<Class>,
    /// From this level on.
    pub from: i32,
    /// Until this one is reached.
    pub to: i32,
    pub seeds: Vec<u64>,
    /// Of the game, at most.
    pub hours: f64,
}

/// One class, all seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub class: Class,
    pub arts: bool,
    pub seeds: usize,
    /// How many came to the level.
    pub reached: usize,
    /// The median of all seeds; `None`: fewer than half came there in time.
    pub hours_to_level: Option<f64>,
    pub hours_played: f64,
    pub deaths_per_hour: f64,
    pub gold_per_hour: f64,
    pub experience_per_hour: f64,
    /// How often each art was tried.
    pub used: BTreeMap<String, u64>,
}

/// How one seed went.
#[derive(Clone, Debug)]
struct Run {
    hours: f64,
    reached: bool,
    report: Report,
}

impl Row {
    fn of(class: Class, arts: bool, runs: &[Run]) -> Row {
        let hours: f64 = runs.iter().map(|run| run.hours).sum();
        let per_hour = |of: &dyn Fn(&Report) -> f64| {
            runs.iter().map(|run| of(&run.report)).sum::<f64>() / hours.max(f64::MIN_POSITIVE)
        };
        let mut times: Vec<f64> = runs.iter().filter(|run| run.reached).map(|run| run.hours).collect();
        times.sort_by(f64::total_cmp);
        let mut used: BTreeMap<String, u64> = BTreeMap::new();
        for (art, times) in runs.iter().flat_map(|run| &run.report.arts) {
            *used.entry(art.clone()).or_default() += times;
        }
        Row {
            class,
            arts,
            seeds: runs.len(),
            reached: times.len(),
            // Whoever did not come there would have taken longer than all who did.
            hours_to_level: times.get(runs.len().saturating_sub(1) / 2).copied(),
            hours_played: hours,
            deaths_per_hour: per_hour(&|report| f64::from(report.deaths)),
            gold_per_hour: per_hour(&|report| f64::from(report.gold)),
            experience_per_hour: per_hour(&|report| report.experience as f64),
            used,
        }
    }
}

/// One class with one seed, until it comes to the level or its time is over.
fn run(content: &Arc<Content>, options: &Options, class: Class, arts: bool, seed: u64) -> anyhow::Result<Run> {
    let setting = Setting { class, level: options.from, ..Setting::default() };
    let off: BTreeSet<String> = if arts { BTreeSet::new() } else { OF_ARTS.map(str::to_string).into() };
    let settings = AgentSettings { use_model: false, seed: seed.wrapping_mul(1_000), off, ..AgentSettings::default() };
    let mut stage = Stage::new(content.clone(), seed)?;
    let seat = stage.enter(play::newcomer(seed, 0, class))?;
    if options.from > 1 {
        stage.promote(seat, options.from)?;
    }
    let who = stage.seats[seat].who;
    let mut chairs = [Chair::new(&stage, &setting, seat, (Box::new(Agent::new(settings)), None))];
    let most = (options.hours * 3_600_000.0) as u64 / stage.tick_ms;
    let (mut ticks, mut reached) = (0, false);
    while ticks < most && !reached {
        let some = LOOK_TICKS.min(most - ticks);
        play::play_on(&mut stage, &mut chairs, &setting, some, &mut |_, _| ())?;
        ticks += some;
        reached = stage.engine.with_world(|world| world.character(who).is_some_and(|c| c.level >= options.to));
    }
    let hours = (ticks * stage.tick_ms) as f64 / 3_600_000.0;
    let [chair] = chairs;
    let report = stage.engine.with_world(|world| chair.end(world, seed, hours * 60.0));
    Ok(Run { hours, reached, report })
}

/// All classes of the options, each row as soon as it is known.
pub fn rows(
    content: &Arc<Content>,
    options: &Options,
    arts: bool,
    known: &mut dyn FnMut(&Row),
) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for class in &options.classes {
        let one = |seed| run(content, options, *class, arts, seed);
        let runs = play::each_seed(&options.seeds, &one).into_iter();
        let runs: Vec<Run> = runs
            .map(|(seed, run)| run.with_context(|| format!("{}, seed {seed}", class.name())))
            .collect::<anyhow::Result<_>>()?;
        rows.push(Row::of(*class, arts, &runs));
        known(&rows[rows.len() - 1]);
    }
    Ok(rows)
}

fn hours(row: &Row) -> String {
    row.hours_to_level.map_or("–".to_string(), |hours| format!("{hours:.1}"))
}

/// The three arts that were used most.
fn most_used(row: &Row) -> String {
    let mut used: Vec<(&String, &u64)> = row.used.iter().collect();
    used.sort_by(|a, b| (b.1, a.0).cmp(&(a.1, b.0)));
    let per_hour = |times: u64| times as f64 / row.hours_played.max(f64::MIN_POSITIVE);
    let used = used.iter().take(3).map(|(art, times)| format!("{art} {:.0}", per_hour(**times)));
    used.collect::<Vec<_>>().join(", ")
}

/// Markdown: a row for each class, with arts beside without where both were played.
pub fn markdown(with: &[Row], without: &[Row], to: i32) -> String {
    let mut out = format!(
        "| class | came to level {to} | hours to it | experience/h | without arts | deaths/h | without arts | gold/h | arts used, times an hour |\n|---|---|---|---|---|---|---|---|---|\n"
    );
    let classes: BTreeMap<usize, Class> = [with, without]
        .concat()
        .iter()
        .filter_map(|row| Some((Class::ALL.iter().position(|class| *class == row.class)?, row.class)))
        .collect();
    for class in classes.values() {
        let of = |rows: &[Row]| rows.iter().find(|row| row.class == *class).cloned();
        let (one, other) = (of(with), of(without));
        let Some(row) = one.as_ref().or(other.as_ref()) else { continue };
        let number = |row: &Option<Row>, of: fn(&Row) -> String| row.as_ref().map_or("–".to_string(), of);
        let experience: fn(&Row) -> String = |row| format!("{:.0}", row.experience_per_hour);
        let deaths: fn(&Row) -> String = |row| format!("{:.2}", row.deaths_per_hour);
        writeln!(
            out,
            "| {} | {} of {} | {} | {} | {} | {} | {} | {:.0} | {} |",
            class.name(),
            row.reached,
            row.seeds,
            hours(row),
            number(&one, experience),
            number(&other, experience),
            number(&one, deaths),
            number(&other, deaths),
            row.gold_per_hour,
            most_used(row),
        )
        .expect("a String");
    }
    out
}

pub fn json(rows: &[Row]) -> Value {
    let rows = rows.iter().map(|row| {
        json!({
            "class": row.class.name(), "arts": row.arts, "seeds": row.seeds, "reached": row.reached,
            "hours_to_level": row.hours_to_level, "hours_played": row.hours_played,
            "deaths_per_hour": row.deaths_per_hour, "gold_per_hour": row.gold_per_hour,
            "experience_per_hour": row.experience_per_hour, "arts_used": row.used,
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world_folder::{read_content, root};

    #[test]
    fn classes_play_with_their_arts_and_without() {
        let content = Arc::new(read_content(&root().join("data/world")));
        let classes = vec![Class::MagicUser, Class::Warrior];
        let options = Options { classes, from: 1, to: 2, seeds: vec![1, 2], hours: 0.2 };
        let mut known = 0;
        let with = rows(&content, &options, true, &mut |_| known += 1).expect("a world to play in");
        let without = rows(&content, &options, false, &mut |_| known += 1).expect("a world to play in");
        assert_eq!((with.len(), without.len(), known), (2, 2, 4));
        for row in with.iter().chain(&without) {
            assert_eq!(row.seeds, 2);
            assert!(row.hours_played > 0.0 && row.hours_played <= 0.4 + 1e-9, "{row:?}");
            assert!(row.reached <= 2 && row.experience_per_hour > 0.0, "{row:?}");
            assert_eq!(row.hours_to_level.is_some(), row.reached >= 1, "{row:?}");
        }
        let [mage, _] = &with[..] else { panic!("two classes") };
        assert!(mage.used.values().sum::<u64>() > 0, "{mage:?}");
        assert!(without.iter().all(|row| row.used.is_empty()), "{without:?}");
        let again = rows(&content, &options, true, &mut |_| ()).expect("a world to play in");
        assert_eq!(again, with, "the same options give the same rows");
        let table = markdown(&with, &without, 2);
        assert_eq!(table.lines().count(), 4, "{table}");
        assert_eq!(json(&with).as_array().map(Vec::len), Some(2));
    }
}
