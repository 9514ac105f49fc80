//! What the overruled choice would have brought (suite `regret`): at every conflict of a council on a plot, what it
//! chose and what it did not are both played on in forks for 30 ticks, by the same council with the same dice.
//!
//! Leaves building to `council`. Invariants: no fork changes the run that it leaves, and a run is a function of site
//! and seed.

use super::council::{Builder, Decided, Options, Site, TICKS_A_STEP, Way};
use super::figures::{Mean, told};
use super::play::each_seed;
use agent_cli::stub::TokenCounter;
use agent_cli::stub::policy::Utility;
use anyhow::Context;
use memory_lab::counts::statistics::{mean, wilson};
use mind::council::{By, Member, Method};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Ticks that a fork is played on, with what was decided as its first step. Source: the issue of several minds.
pub const TICKS: u64 = 30;
const WAY: Way = Way::Council("inner,outer,observer");

/// One conflict, and how the plot stood after either choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Regret {
    /// `observer`, or the rule that decided.
    pub by: String,
    pub chosen: u32,
    /// The better of the others, where OBSERVER did something else than both.
    pub overruled: u32,
}

impl Regret {
    fn difference(&self) -> f64 {
        f64::from(self.chosen) - f64::from(self.overruled)
    }
}

/// All conflicts of a run, oldest first.
pub fn run(site: &Site, steps: u32, seed: u64) -> anyhow::Result<Vec<Regret>> {
    let method = WAY.method()?;
    let mut builder = Builder::new(site, method);
    let (mut policy, mut counter) = (Utility::new(seed), TokenCounter::default());
    let mut regrets = Vec::new();
    for step in 0..steps {
        let decided = builder.decide(method, &mut policy, &mut counter);
        if let Some((by, chosen, others)) = arms(&decided) {
            let fork = seed.wrapping_mul(1_000).wrapping_add(u64::from(step));
            let played = |lines: &[String]| play_on(builder.clone(), method, lines, fork);
            let others: Vec<u32> = others.into_iter().map(played).collect::<anyhow::Result<_>>()?;
            let (chosen, overruled) = (played(chosen)?, others.into_iter().max().unwrap_or(0));
            regrets.push(Regret { by, chosen, overruled });
        }
        builder.follow(decided)?;
    }
    Ok(regrets)
}

/// Who chose in a conflict, the lines of what it chose, and those of what it might have chosen instead.
type Arms<'d> = (String, &'d [String], Vec<&'d [String]>);

/// `None`: minds agreed, or nothing was done.
fn arms(decided: &Decided) -> Option<Arms<'_>> {
    let council = decided.thought.counsel.council.as_ref().filter(|council| council.conflict.is_some())?;
    let chosen = match council.chosen.as_deref()? {
        "own" => Member::Observer,
        word => Member::named(word)?,
    };
    let by = match council.by? {
        By::Observer => "observer".to_string(),
        By::Rule => council.rule.clone()?,
        By::Agreed => return None,
    };
    let of = |member: Member| decided.wanted.iter().find(|wanted| wanted.0 == member).map(|wanted| &*wanted.1);
    let others = [Member::Inner, Member::Outer].into_iter().filter(|member| *member != chosen).filter_map(of).collect();
    Some((by, of(chosen)?, others))
}

/// The score of the task after these lines and what the council does from there.
fn play_on(mut builder: Builder<'_>, method: Method, lines: &[String], seed: u64) -> anyhow::Result<u32> {
    let (mut policy, mut counter) = (Utility::new(seed), TokenCounter::default());
    builder.carry_out(lines, String::new());
    for _ in 1..TICKS / TICKS_A_STEP {
        let decided = builder.decide(method, &mut policy, &mut counter);
        builder.follow(decided)?;
    }
    Ok(builder.score())
}

/// One task and one who chose, over all seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub task: String,
    /// `observer`, a rule, or `all`.
    pub by: String,
    pub conflicts: u64,
    pub better: u64,
    pub equal: u64,
    /// Of those where the two differ, the share in which the choice was better, with its 95 % interval.
    pub right: f64,
    pub right_interval: [f64; 2],
    /// Points of the task by which the choice was better.
    pub difference: Mean,
}

fn row(task: &str, by: &str, regrets: &[&Regret]) -> Row {
    let count = |is: fn(f64) -> bool| regrets.iter().filter(|one| is(one.difference())).count() as u64;
    let (better, equal) = (count(|by| by > 0.0), count(|by| by == 0.0));
    let conflicts = regrets.len() as u64;
    let differ = conflicts - equal;
    let differences: Vec<f64> = regrets.iter().map(|one| one.difference()).collect();
    Row {
        task: task.to_string(),
        by: by.to_string(),
        conflicts,
        better,
        equal,
        right: better as f64 / differ.max(1) as f64,
        right_interval: wilson(better, differ),
        difference: mean(&differences),
    }
}

/// The row of all conflicts of a task, then one for each who chose.
pub fn rows(site: &Site, options: &Options) -> anyhow::Result<Vec<Row>> {
    let task = &site.task.name;
    let one = |seed| run(site, options.steps, seed);
    let mut all = Vec::new();
    for (seed, regrets) in each_seed(&options.seeds, &one) {
        all.extend(regrets.with_context(|| format!("{task}, seed {seed}"))?);
    }
    let mut by: BTreeMap<&str, Vec<&Regret>> = BTreeMap::new();
    all.iter().for_each(|one| by.entry(&one.by).or_default().push(one));
    let whole = row(task, "all", &all.iter().collect::<Vec<_>>());
    Ok(std::iter::once(whole).chain(by.iter().map(|(by, regrets)| row(task, by, regrets))).collect())
}

pub fn markdown(rows: &[Row]) -> String {
    let mut out = "| task | who chose | conflicts | better | equal | worse | right, of those that differ | points by \
                   which the choice was better |\n|---|---|---|---|---|---|---|---|\n"
        .to_string();
    for row in rows {
        let Row { task, by, conflicts, better, equal, right, difference, .. } = row;
        let (right, points) = (told((*right, Some(row.right_interval)), 2), told(*difference, 1));
        let worse = conflicts - better - equal;
        writeln!(out, "| {task} | {by} | {conflicts} | {better} | {equal} | {worse} | {right} | {points} |")
            .expect("a String");
    }
    out
}

pub fn json(rows: &[Row]) -> Value {
    let rows = rows.iter().map(|row| {
        json!({
            "task": row.task, "by": row.by, "conflicts": row.conflicts, "better": row.better, "equal": row.equal,
            "right": row.right, "right_interval_95": row.right_interval, "difference": row.difference.0,
            "difference_interval_95": row.difference.1,
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world_folder::{read_content, root};

    #[test]
    fn forks_leave_the_run_as_it_is_and_the_same_seed_regrets_the_same() {
        let content = read_content(&root().join("data/world"));
        let site = Site::of(&content, "village").expect("a shipped plot");
        let regrets = run(&site, 12, 2).expect("a run");
        let plain = super::super::council::run(&site, WAY, 12, 2).expect("a run");
        assert!(regrets.len() as u64 <= plain.conflicts, "each conflict once, where something was chosen");
        assert!(!regrets.is_empty() && regrets.iter().all(|one| one.chosen <= 1_000 && one.overruled <= 1_000));
        assert_eq!(run(&site, 12, 2).expect("a run"), regrets);
    }

    #[test]
    fn what_was_better_equal_and_worse_is_counted() {
        let of = |chosen, overruled| Regret { by: "turn".into(), chosen, overruled };
        let all = [of(10, 5), of(5, 5), of(3, 9), of(9, 3)];
        let row = row("village", "all", &all.iter().collect::<Vec<_>>());
        assert_eq!((row.conflicts, row.better, row.equal, row.difference.0), (4, 2, 1, 1.25));
        assert!((row.right - 2.0 / 3.0).abs() < 1e-9, "{row:?}");
    }
}
