//! A council on a plot (evaluation E19): whether several minds in one body build better than one, and at what price.
//!
//! One agent stands before a shipped plot and builds on it, decision by decision, with the stub's utility policy for its
//! model: alone, asked several times, with a council, and with a council that lacks a mind. What counts is the plot's own
//! score and its imbalance, at as many steps, and at as many tokens as one mind takes for them. The calls are counted as
//! they are made, and tokens as a provider would.
//! Invariant: a run is a function of task, way to decide and seed.

use super::play::{self, Chair, Setting};
use super::{Stage, player::Act, player::Player};
use agent_cli::agent::{Agent, AgentSettings};
use agent_cli::council::Deliberation;
use agent_cli::ledger::Usage;
use agent_cli::model::ModelSettings;
use agent_cli::stub::policy::Utility;
use agent_cli::stub::{self, TokenCounter};
use anyhow::{Context, ensure};
use content::{Content, Vnum};
use mind::action::Autopilot;
use mind::council::{Method, Seats};
use mind::prompt::Settings;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// From one decision to the next: two ticks, so that what was built is seen.
const THINK_MS: u64 = 4_000;
/// Ticks that a step may take before the run is given up: somebody may come by and fight.
const TICKS_A_STEP: u64 = 20;

/// The ways to decide that are compared, the first of them the baseline.
pub const WAYS: &[(&str, Way)] = &[
    ("one mind", Way::Alone),
    ("three votes", Way::Votes(3)),
    ("council", Way::Council("inner,outer,observer")),
    ("without OBSERVER", Way::Council("inner,outer")),
    ("without OUTER", Way::Council("inner,observer")),
    ("without INNER", Way::Council("outer,observer")),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    Alone,
    Votes(u32),
    Council(&'static str),
}

impl Way {
    fn method(self) -> anyhow::Result<Method> {
        Ok(match self {
            Way::Alone => Method::Alone,
            Way::Votes(votes) => Method::Votes(votes),
            Way::Council(list) => Method::Council(Seats::parse(list).map_err(|why| anyhow::anyhow!(why))?),
        })
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    /// Names of tasks; each is built on the first shipped plot that has it.
    pub tasks: Vec<String>,
    pub seeds: Vec<u64>,
    pub steps: u32,
}

/// How a plot stood after a step, and what had been spent by then.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Point {
    pub score: u32,
    pub imbalance: u8,
    pub calls: u64,
    pub usage: Usage,
}

impl Point {
    /// What a provider bills for prompts: what is read from its cache costs a tenth. Source: evaluation §2.
    pub fn effective(&self) -> f64 {
        let Usage { prompt, cached, completion, .. } = self.usage;
        (prompt - cached.min(prompt)) as f64 + cached as f64 / 10.0 + completion as f64
    }
}

/// One run: a point for each step.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Run {
    pub points: Vec<Point>,
    /// Of the world in the end.
    pub hash: u64,
    /// Calls of the decision that took most.
    pub calls_most: u64,
    pub conflicts: u64,
}

impl Run {
    fn last(&self) -> Point {
        self.points.last().copied().unwrap_or_default()
    }

    /// How it stood before it had spent more than that.
    fn at(&self, effective: f64) -> Point {
        let within = self.points.iter().take_while(|point| point.effective() <= effective);
        within.last().copied().unwrap_or_default()
    }
}

/// A player whose questions are counted.
struct Counted {
    agent: Agent,
    spent: Rc<RefCell<Spent>>,
    policy: Utility,
    counter: TokenCounter,
    model: ModelSettings,
}

#[derive(Clone, Debug, Default)]
struct Spent {
    decisions: u32,
    calls: u64,
    calls_most: u64,
    conflicts: u64,
    usage: Usage,
}

impl Player for Counted {
    fn read(&mut self, text: &str, now_ms: u64) {
        self.agent.on_text(text, now_ms);
    }

    fn act(&mut self, now_ms: u64) -> Vec<Act> {
        let acts = Player::act(&mut self.agent, now_ms);
        let mut left = Vec::new();
        for act in acts {
            match act {
                Act::Think { id, prompt, brief } => {
                    let mut decision = Deliberation::new(*brief, prompt);
                    let mut calls = 0;
                    while let Some(call) = decision.next() {
                        calls += 1;
                        let (policy, counter) = (&mut self.policy, &mut self.counter);
                        let thought =
                            stub::think_counted(policy, counter, &self.model, "agent", &call.prompt, Duration::ZERO);
                        decision.answered(thought);
                    }
                    let thought = decision.end();
                    let mut spent = self.spent.borrow_mut();
                    spent.decisions += 1;
                    spent.calls += calls;
                    spent.calls_most = spent.calls_most.max(calls);
                    let council = thought.counsel.council.as_ref();
                    spent.conflicts += u64::from(council.is_some_and(|council| council.conflict.is_some()));
                    spent.usage.add(thought.usage);
                    drop(spent);
                    self.agent.on_thought(id, thought, now_ms);
                }
                other => left.push(other),
            }
        }
        left
    }

    fn on_thought(&mut self, id: u64, thought: agent_cli::thought::Thought, now_ms: u64) {
        self.agent.on_thought(id, thought, now_ms);
    }
}

/// The shipped plot with that task.
fn room_of(content: &Content, task: &str) -> anyhow::Result<Vnum> {
    let all = || content.plots.iter().map(|plot| plot.task.to_string()).collect::<Vec<_>>().join(", ");
    let found = content.plots.iter().find(|plot| *plot.task == *task);
    found.map(|plot| plot.room).with_context(|| format!("no plot is for {task:?}; those there are have: {}", all()))
}

pub fn run(content: &Arc<Content>, task: &str, way: Way, steps: u32, seed: u64) -> anyhow::Result<Run> {
    let room = room_of(content, task)?;
    let settings = AgentSettings {
        think_ms: THINK_MS,
        seed,
        prompt: Settings { autopilot: Autopilot::Off, ..Settings::default() },
        recall: false,
        format_every: 0,
        ..AgentSettings::default()
    };
    let mut stage = Stage::new(content.clone(), seed)?;
    let setting = Setting { think_ms: THINK_MS, start: Some(room), ..Setting::default() };
    let seat = stage.enter(play::newcomer(seed, 0, setting.class))?;
    stage.place(seat, room)?;
    let spent = Rc::new(RefCell::new(Spent::default()));
    let player = Counted {
        agent: Agent::new(settings.by(way.method()?)),
        spent: spent.clone(),
        policy: Utility::new(seed),
        counter: TokenCounter::default(),
        model: ModelSettings::default(),
    };
    let mut chairs = [Chair::new(&stage, &setting, seat, (Box::new(player), None))];
    let mut run = Run::default();
    let most = u64::from(steps) * TICKS_A_STEP;
    for _ in 0..most {
        play::play_on(&mut stage, &mut chairs, &setting, 1, &mut |_, _| ())?;
        let now = spent.borrow().clone();
        if now.decisions as usize > run.points.len() {
            let (score, imbalance) = stage
                .engine
                .with_world(|world| {
                    let ground = world.plot_at(room)?;
                    let task = world.content.plot_task(&ground.plot.task)?;
                    let score = task.score(ground.plot.grid(), &world.content.plot_kinds);
                    Some((score, ground.plot.axes().imbalance))
                })
                .context("the plot is gone")?;
            run.points.push(Point { score, imbalance, calls: now.calls, usage: now.usage });
            (run.calls_most, run.conflicts) = (now.calls_most, now.conflicts);
        }
        if run.points.len() as u32 >= steps {
            break;
        }
    }
    ensure!(run.points.len() as u32 >= steps, "only {} of {steps} decisions came about", run.points.len());
    run.hash = stage.engine.with_world(|world| world.hashes().all);
    Ok(run)
}

/// One task and one way to decide, the means of all seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub task: String,
    pub way: &'static str,
    pub seeds: usize,
    pub score: f64,
    pub imbalance: f64,
    pub calls_a_decision: f64,
    pub calls_most: u64,
    pub tokens: f64,
    pub cached: f64,
    pub effective: f64,
    pub conflicts: f64,
    /// At as many effective tokens as one mind takes for all its steps, seed by seed.
    pub score_at_tokens: f64,
    pub imbalance_at_tokens: f64,
    /// Of two runs of the first seed.
    pub same_world: bool,
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let all: Vec<f64> = values.collect();
    all.iter().sum::<f64>() / all.len().max(1) as f64
}

/// All rows of a task, in the order of `WAYS`.
pub fn rows(content: &Arc<Content>, options: &Options, task: &str) -> anyhow::Result<Vec<Row>> {
    let played = |way: Way| -> anyhow::Result<Vec<Run>> {
        let one = |seed| run(content, task, way, options.steps, seed);
        let runs = play::each_seed(&options.seeds, &one).into_iter();
        runs.map(|(seed, run)| run.with_context(|| format!("{task}, seed {seed}"))).collect()
    };
    let budgets: Vec<f64> = played(Way::Alone)?.iter().map(|run| run.last().effective()).collect();
    let mut rows = Vec::new();
    for (name, way) in WAYS {
        let runs = played(*way)?;
        let again = options.seeds.first().map(|seed| run(content, task, *way, options.steps, *seed)).transpose()?;
        let steps = f64::from(options.steps.max(1));
        let ends = || runs.iter().map(Run::last);
        let at = || runs.iter().zip(&budgets).map(|(run, budget)| run.at(*budget));
        rows.push(Row {
            task: task.to_string(),
            way: name,
            seeds: runs.len(),
            score: mean(ends().map(|point| f64::from(point.score))),
            imbalance: mean(ends().map(|point| f64::from(point.imbalance))),
            calls_a_decision: mean(ends().map(|point| point.calls as f64 / steps)),
            calls_most: runs.iter().map(|run| run.calls_most).max().unwrap_or(0),
            tokens: mean(ends().map(|point| point.usage.total() as f64)),
            cached: mean(ends().map(|point| point.usage.cached as f64 / point.usage.prompt.max(1) as f64)),
            effective: mean(ends().map(|point| point.effective())),
            conflicts: mean(runs.iter().map(|run| run.conflicts as f64)),
            score_at_tokens: mean(at().map(|point| f64::from(point.score))),
            imbalance_at_tokens: mean(at().map(|point| f64::from(point.imbalance))),
            same_world: again.as_ref().zip(runs.first()).is_none_or(|(again, first)| again == first),
        });
    }
    Ok(rows)
}

pub fn markdown(rows: &[Row]) -> String {
    let mut out = "| task | who decides | score | imbalance | calls a decision (most) | conflicts | tokens | cached | \
                   effective | score at equal tokens | imbalance there |\n|---|---|---|---|---|---|---|---|---|---|---|\n"
        .to_string();
    for row in rows {
        writeln!(
            out,
            "| {} | {} | {:.0} | {:.1} | {:.2} ({}) | {:.1} | {:.0} | {:.2} | {:.0} | {:.0} | {:.1} |",
            row.task,
            row.way,
            row.score,
            row.imbalance,
            row.calls_a_decision,
            row.calls_most,
            row.conflicts,
            row.tokens,
            row.cached,
            row.effective,
            row.score_at_tokens,
            row.imbalance_at_tokens,
        )
        .expect("a String");
    }
    out
}

pub fn json(rows: &[Row]) -> Value {
    let rows = rows.iter().map(|row| {
        json!({
            "task": row.task, "way": row.way, "seeds": row.seeds, "score": row.score, "imbalance": row.imbalance,
            "calls_a_decision": row.calls_a_decision, "calls_most": row.calls_most, "conflicts": row.conflicts,
            "tokens": row.tokens, "cached_share": row.cached, "effective_tokens": row.effective,
            "score_at_equal_tokens": row.score_at_tokens, "imbalance_at_equal_tokens": row.imbalance_at_tokens,
            "same_world": row.same_world,
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world_folder::{read_content, root};

    #[test]
    fn one_mind_votes_and_a_council_build_and_the_same_seed_builds_the_same() {
        let content = Arc::new(read_content(&root().join("data/world")));
        for (name, way) in &WAYS[..3] {
            let first = run(&content, "causeway", *way, 8, 3).expect("a run");
            assert!(first.last().score > 0, "{name}: {first:?}");
            assert_eq!(first.points.len(), 8);
            let most = match way {
                Way::Alone => 1,
                Way::Votes(votes) => u64::from(*votes),
                Way::Council(_) => 3,
            };
            assert!(first.calls_most <= most && first.last().calls >= 8, "{name}: {first:?}");
            assert!(first.last().usage.cached > 0, "{name}: what minds share is read from the cache");
            assert_eq!(run(&content, "causeway", *way, 8, 3).expect("a run"), first, "{name}");
        }
        assert!(run(&content, "palace", Way::Alone, 1, 1).is_err());
    }
}
