//! A council on a plot (evaluation E19): whether several minds in one body build better than one, and at what price.
//!
//! Somebody stands before a shipped plot and builds on it, decision by decision, by the stub's utility policy: alone,
//! asked several times, with a council, and with a council that lacks a mind. Prompts, deliberations and the plot are
//! the very ones of the game; the world around is left out, since nothing of it has a say in what is built. What counts
//! is the plot's own score and its imbalance, at as many steps, and at as many tokens as one mind takes for them.
//! Tokens are counted as a provider would, with what it has in its cache. Invariant: a run is a function of site, way
//! to decide and seed.

use super::play::each_seed;
use agent_cli::answer::Answer;
use agent_cli::council::{Brief, Deliberation};
use agent_cli::ledger::Usage;
use agent_cli::model::ModelSettings;
use agent_cli::record::CouncilRow;
use agent_cli::stub::policy::Utility;
use agent_cli::stub::{self, TokenCounter};
use agent_cli::thought::Thought;
use anyhow::Context;
use content::Content;
use mind::council::{KEPT_FREE, Member, Method, Overruled, Scene, Seats};
use mind::hud::{LiveView, RecentAction, VarsView};
use mind::prompt::{Block, Done, PromptBuilder, Settings};
use mind::state::MindState;
use plot::{Kinds, Order, Outcome, Plan, Plot, Task};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fmt::Write;
use std::time::Duration;

/// Whose hand builds.
const NAME: &str = "Wren";
/// Entries of the memo that a prompt is told of.
const MEMO_TOLD: usize = 5;
/// Deeds that a prompt may show.
const RECENT_MAX: usize = 20;
/// Ticks from one decision to the next: a think interval of four seconds.
pub(super) const TICKS_A_STEP: u64 = 2;

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
    pub(super) fn method(self) -> anyhow::Result<Method> {
        Ok(match self {
            Way::Alone => Method::Alone,
            Way::Votes(votes) => Method::Votes(votes),
            Way::Council(list) => Method::Council(Seats::parse(list).map_err(|why| anyhow::anyhow!(why))?),
        })
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    pub seeds: Vec<u64>,
    pub steps: u32,
}

/// A plot to build on, as it is shipped.
#[derive(Clone, Debug)]
pub struct Site {
    pub room: i32,
    pub plot: Plot,
    pub task: Task,
    pub kinds: Kinds,
}

impl Site {
    /// The first plot of the world that is for that task.
    pub fn of(content: &Content, task: &str) -> anyhow::Result<Site> {
        let all = || content.plots.iter().map(|plot| plot.task.to_string()).collect::<Vec<_>>().join(", ");
        let found = content.plots.iter().find(|plot| *plot.task == *task);
        let proto = found.with_context(|| format!("no plot is for {task:?}; those there are have: {}", all()))?;
        let task = content.plot_task(task).with_context(|| format!("the rule book has no task {task:?}"))?.clone();
        let standing = proto.elements.iter().map(|one| (one.kind.clone(), one.at, one.label.clone()));
        let plot = Plot::new(proto.title.clone(), proto.rule, proto.task.clone(), standing);
        Ok(Site { room: proto.room, plot, task, kinds: content.plot_kinds.clone() })
    }
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
    /// The plot in the end.
    pub plot: String,
    /// Calls of the decision that took most.
    pub calls_most: u64,
    pub conflicts: u64,
    /// Decisions that OBSERVER made.
    pub observed: u64,
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

/// Whoever builds, with what it keeps in mind of it.
#[derive(Clone)]
pub(super) struct Builder<'s> {
    site: &'s Site,
    plot: Plot,
    tick: u64,
    prompts: PromptBuilder,
    recent: VecDeque<RecentAction>,
    overruled: Overruled,
}

/// What was decided, in how many calls, and what each mind of a council wanted.
pub(super) struct Decided {
    pub thought: Thought,
    pub calls: u64,
    pub wanted: Vec<(Member, Vec<String>)>,
}

fn lines_of(answer: &Answer) -> Vec<String> {
    answer.speech.iter().chain(&answer.actions).cloned().collect()
}

impl<'s> Builder<'s> {
    pub(super) fn new(site: &'s Site, method: Method) -> Builder<'s> {
        let kept_free = if matches!(method, Method::Council(_)) { KEPT_FREE } else { 0 };
        let prompts = PromptBuilder::new(Settings { kept_free, ..Settings::default() });
        let (plot, overruled) = (site.plot.clone(), Overruled::default());
        Builder { site, plot, tick: 0, prompts, recent: VecDeque::new(), overruled }
    }

    pub(super) fn score(&self) -> u32 {
        self.site.task.score(self.plot.grid(), &self.site.kinds)
    }

    pub(super) fn decide(&mut self, method: Method, policy: &mut Utility, counter: &mut TokenCounter) -> Decided {
        let mut decision = self.decision(method);
        let model = ModelSettings::default();
        let (mut calls, mut wanted) = (0, Vec::new());
        while let Some(call) = decision.next() {
            calls += 1;
            let thought = stub::think_counted(policy, counter, &model, NAME, &call.prompt, Duration::ZERO);
            if let (Some(member), Ok(answer)) = (call.member, &thought.answer) {
                wanted.push((member, lines_of(answer)));
            }
            decision.answered(thought);
        }
        Decided { thought: decision.end(), calls, wanted }
    }

    /// Does it, and remembers who gave way.
    pub(super) fn follow(&mut self, decided: Decided) -> anyhow::Result<()> {
        let Thought { answer, counsel, .. } = decided.thought;
        if let Some(lost) = counsel.council.as_ref().and_then(CouncilRow::gave_way) {
            self.overruled.note(lost);
        }
        let answer = answer.map_err(|error| anyhow::anyhow!("the stub failed: {error}"))?;
        self.carry_out(&lines_of(&answer), answer.commentary.unwrap_or_default());
        Ok(())
    }

    fn live(&self) -> LiveView {
        let Site { room, task, kinds, .. } = self.site;
        LiveView {
            tick: self.tick,
            plot: Some(self.plot.seen(*room, self.tick, kinds, Some(task), MEMO_TOLD)),
            vars: VarsView {
                hp: Some(30),
                hp_max: Some(30),
                moves: Some(80),
                moves_max: Some(82),
                level: Some(1),
                position: Some("standing".into()),
                room_vnum: Some(*room),
                room: Some(self.plot.title.to_string()),
                exits: Some(Vec::new()),
                ..VarsView::default()
            },
            ..LiveView::default()
        }
    }

    /// What is to be decided now.
    fn decision(&mut self, method: Method) -> Deliberation {
        let live = self.live();
        let recent: Vec<RecentAction> = self.recent.iter().cloned().collect();
        let prompt = Box::new(self.prompts.build(&live, &recent, &MindState::default()));
        let scene = Scene { me: NAME.to_string(), hp_percent: 100, plot: live.plot, ..Scene::default() };
        let brief = Brief { method, scene, overruled: self.overruled.clone(), ..Brief::default() };
        Deliberation::new(brief, prompt)
    }

    /// Does what was decided, and tells the next prompt what came of it.
    pub(super) fn carry_out(&mut self, lines: &[String], thought: String) {
        let mut block = Block { tick: self.tick, thought, ..Block::default() };
        for line in lines {
            let outcome = match self.done(line) {
                Ok(()) => "ok".to_string(),
                Err(why) => format!("refused: {why}"),
            };
            let done = Done { source: "model".into(), action: line.clone(), outcome: outcome.clone() };
            block.did.push(done);
            if self.recent.len() == RECENT_MAX {
                self.recent.pop_front();
            }
            let (source, action) = ("model".to_string(), line.clone());
            self.recent.push_back(RecentAction { tick: self.tick, source, action, outcome });
        }
        self.prompts.append(block);
        self.tick += TICKS_A_STEP;
    }

    fn done(&mut self, line: &str) -> Result<(), String> {
        let (kinds, by) = (&self.site.kinds, NAME.into());
        let refused = |refusal: plot::Refusal| refusal.to_string();
        if let Some(typed) = line.strip_prefix("build ") {
            let order = Order::parse(typed, kinds).map_err(refused)?;
            return match self.plot.build(&order, &by, self.tick, kinds).map_err(refused)? {
                Outcome::Built(_) => Ok(()),
                Outcome::Waits(pending) => Err(format!("it waits for consent as #{}", pending.id)),
            };
        }
        if let Some(typed) = line.strip_prefix("plot plan ") {
            let (text, steps) = Plan::parse(typed, kinds).map_err(refused)?;
            return self.plot.plan(text, steps, &by, self.tick).map(drop).map_err(refused);
        }
        Err("here one only builds".to_string())
    }
}

pub fn run(site: &Site, way: Way, steps: u32, seed: u64) -> anyhow::Result<Run> {
    let method = way.method()?;
    let mut builder = Builder::new(site, method);
    let (mut policy, mut counter) = (Utility::new(seed), TokenCounter::default());
    let (mut run, mut spent) = (Run::default(), Point::default());
    for _ in 0..steps {
        let decided = builder.decide(method, &mut policy, &mut counter);
        if let Some(council) = &decided.thought.counsel.council {
            run.conflicts += u64::from(council.conflict.is_some());
            run.observed += u64::from(council.by == Some(mind::council::By::Observer));
        }
        spent.calls += decided.calls;
        spent.usage.add(decided.thought.usage);
        run.calls_most = run.calls_most.max(decided.calls);
        builder.follow(decided)?;
        run.points.push(Point { score: builder.score(), imbalance: builder.plot.axes().imbalance, ..spent });
    }
    run.plot = plot::list_lines(builder.plot.grid()).join("\n");
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
    /// Two runs of the first seed are the same, step by step.
    pub same: bool,
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let all: Vec<f64> = values.collect();
    all.iter().sum::<f64>() / all.len().max(1) as f64
}

/// All rows of a task, in the order of `WAYS`.
pub fn rows(site: &Site, options: &Options) -> anyhow::Result<Vec<Row>> {
    let task = &site.task.name;
    let played = |way: Way| -> anyhow::Result<Vec<Run>> {
        let one = |seed| run(site, way, options.steps, seed);
        let runs = each_seed(&options.seeds, &one).into_iter();
        runs.map(|(seed, run)| run.with_context(|| format!("{task}, seed {seed}"))).collect()
    };
    let budgets: Vec<f64> = played(Way::Alone)?.iter().map(|run| run.last().effective()).collect();
    let mut rows = Vec::new();
    for (name, way) in WAYS {
        let runs = played(*way)?;
        let again = options.seeds.first().map(|seed| run(site, *way, options.steps, *seed)).transpose()?;
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
            same: again.as_ref().zip(runs.first()).is_none_or(|(again, first)| again == first),
        });
    }
    Ok(rows)
}

pub fn markdown(rows: &[Row]) -> String {
    let mut out = "| task | who decides | score | imbalance | calls a decision (most) | conflicts | tokens | cached | \
                   effective | score at equal tokens | imbalance there |\n\
                   |---|---|---|---|---|---|---|---|---|---|---|\n"
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
            "same": row.same,
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
        let content = read_content(&root().join("data/world"));
        let site = Site::of(&content, "causeway").expect("a shipped plot");
        for (name, way) in &WAYS[..3] {
            let first = run(&site, *way, 8, 3).expect("a run");
            assert!(first.last().score > 0, "{name}: {first:?}");
            assert_eq!(first.points.len(), 8);
            let most = match way {
                Way::Alone => 1,
                Way::Votes(votes) => u64::from(*votes),
                Way::Council(_) => 3,
            };
            assert!(first.calls_most <= most && first.last().calls >= 8, "{name}: {first:?}");
            assert!(first.last().usage.cached > 0, "{name}: what minds share is read from the cache");
            assert_eq!(run(&site, *way, 8, 3).expect("a run"), first, "{name}");
        }
        let error = Site::of(&content, "palace").expect_err("nobody builds palaces").to_string();
        assert!(error.contains("no plot is for \"palace\"; those there are have: "), "{error}");
    }
}
