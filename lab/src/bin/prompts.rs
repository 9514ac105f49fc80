//! What prompts cost in real play: agents live in the world without sockets, each prompt that they would send is kept
//! and measured as a provider with a cache counts it. `cargo run --release -p lab --bin prompts`.
//!
//! The model that answers leaves all to the policies, so they play; what a prompt shows is the same. With `--utility`
//! it is the stub's utility policy, asked as `dp-agent` asks: the last columns then say how many questions a minute
//! that takes, and which share of them found nothing new (`beat` in the log), at rest or at all. Made-up sessions are
//! measured by `cargo run -p lab --bin prompt_cost`.

#[path = "../../../mind/tests/sessions/mod.rs"]
mod sessions;

use agent_cli::agent::{Agent, AgentSettings, Effect};
use agent_cli::answer::{Answer, AnswerPath};
use agent_cli::record::{Row, Source};
use agent_cli::thought::Thought;
use clap::Parser;
use lab::agents::play::play_with;
use lab::agents::{Act, Player, Setting, oracle};
use lab::world_folder::{read_content, root};
use mind::action::Autopilot;
use mind::budget::Tier;
use mind::hud::Format;
use mind::prompt::{PartName, Prompt};
use sessions::cost::{Cost, Meter, settings};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

#[derive(Parser)]
#[command(about = "Measures the prompts of agents that play, with a provider's cache.")]
struct Options {
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Minutes of the game; with a decision each five seconds 84 of them are 1,000
    #[arg(long, default_value_t = 84)]
    minutes: u64,
    /// Tell where the tokens come from that no cache holds
    #[arg(long)]
    lost: bool,
    /// The model is the stub's utility policy, which decides itself
    #[arg(long)]
    utility: bool,
    /// Only this tier; `small`, `medium`, `large`
    #[arg(long)]
    tier: Option<Tier>,
    #[arg(long, default_value = "markdown")]
    format: Format,
    /// Print this prompt of the first seed, counted from 1, and those that follow up to the next fold
    #[arg(long, value_name = "NUMBER")]
    show: Option<usize>,
    #[arg(long)]
    world: Option<PathBuf>,
}

/// A model that lets the policies go on, and says nothing.
fn content_with_all() -> Thought {
    Thought {
        answer: Ok(Answer::default()),
        usage: Default::default(),
        cost_micros: Some(0),
        text: None,
        request_id: None,
        path: None::<AnswerPath>,
        model: String::new(),
        answered_by: None,
        latency: Duration::ZERO,
        repairs: 0,
        requests: 0,
        taped: 0,
        taped_usage: Default::default(),
        taped_cost_micros: 0,
        seed_honoured: false,
        counsel: Default::default(),
    }
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let folder = options.world.clone().unwrap_or_else(|| root().join("data/world"));
    let content = Arc::new(read_content(&folder));
    println!(
        "| tier | decisions | mean prompt | cached | effective | of prompt | folds | fullest | P4 mean | P4 most | questions a minute | nothing new, at rest | nothing new |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|");
    let tiers = options.tier.map_or(vec![Tier::Small, Tier::Medium, Tier::Large], |tier| vec![tier]);
    for tier in tiers {
        let (mut costs, mut asked) = (Vec::new(), Asked::default());
        for seed in 1..=options.seeds {
            let (cost, questions) = played(&content, &options, tier, seed)?;
            costs.push(cost);
            asked.add(&questions);
        }
        let n = costs.len() as f64;
        let mean = |of: &dyn Fn(&Cost) -> f64| costs.iter().map(of).sum::<f64>() / n;
        let most: Vec<usize> =
            (0..3).map(|place| costs.iter().map(|cost| cost.live_max[place]).max().unwrap_or(0)).collect();
        println!(
            "| {} | {:.0} | {:.0} | {:.1} % | {:.0} | {:.1} % | {:.1} | {:.1} % | {:.0} | {most:?} | {:.1} | {:.1} % | {:.1} % |",
            tier.name(),
            mean(&|cost| cost.decisions as f64),
            mean(&|cost| cost.prompt),
            100.0 * mean(&|cost| cost.cached_share),
            mean(&|cost| cost.effective),
            100.0 * mean(&|cost| cost.effective_share),
            mean(&|cost| f64::from(cost.folds)),
            100.0 * mean(&|cost| cost.fullest),
            mean(&|cost| cost.live_mean),
            asked.all() as f64 / (options.seeds * options.minutes) as f64,
            100.0 * asked.share(asked.idle_at_rest),
            100.0 * asked.share(asked.by_reason.get("beat").copied().unwrap_or(0)),
        );
        if options.lost {
            let [live, blocks, folds, steps] = [0, 1, 2, 3].map(|n| mean(&|cost| cost.lost[n]));
            println!(
                "not cached: {live:.0} P4, {blocks:.0} new blocks, {folds:.0} folds, {steps:.0} steps of the cache"
            );
            let names: BTreeSet<&String> = costs.iter().flat_map(|cost| cost.sections.keys()).collect();
            let share = |name: &String| mean(&|cost| cost.sections.get(name).copied().unwrap_or(0.0));
            let sections: Vec<String> = names.into_iter().map(|name| format!("{name} {:.0}", share(name))).collect();
            println!("P4: {}", sections.join(", "));
            let reasons: Vec<String> = asked.by_reason.iter().map(|(why, times)| format!("{why} {times}")).collect();
            println!("asked because of: {}", reasons.join(", "));
        }
    }
    Ok(())
}

/// Questions by the reason that the log gives for each.
#[derive(Clone, Default)]
struct Asked {
    by_reason: BTreeMap<String, u64>,
    /// Of those for nothing, such as found it lying.
    idle_at_rest: u64,
}

impl Asked {
    fn all(&self) -> u64 {
        self.by_reason.values().sum()
    }

    fn share(&self, of: u64) -> f64 {
        of as f64 / self.all().max(1) as f64
    }

    fn add(&mut self, other: &Asked) {
        other.by_reason.iter().for_each(|(why, times)| *self.by_reason.entry(why.clone()).or_default() += times);
        self.idle_at_rest += other.idle_at_rest;
    }
}

/// An agent whose log is read for why its model was asked.
struct Watched {
    agent: Agent,
    asked: Rc<RefCell<Asked>>,
}

impl Player for Watched {
    fn read(&mut self, text: &str, now_ms: u64) {
        self.agent.on_text(text, now_ms);
    }

    fn act(&mut self, now_ms: u64) -> Vec<Act> {
        let lies = matches!(self.agent.body.state.position.as_deref(), Some("resting" | "sleeping"));
        let mut acts = Vec::new();
        for effect in self.agent.next(now_ms) {
            match effect {
                Effect::Send(frame) => acts.push(Act::Send(frame)),
                Effect::Think { id, prompt, brief } => acts.push(Act::Think { id, prompt, brief }),
                Effect::Log(row) => {
                    if let Row::Decision(row) = &*row
                        && row.source == Source::Model
                    {
                        let mut asked = self.asked.borrow_mut();
                        asked.idle_at_rest += u64::from(lies && row.asked == "beat");
                        *asked.by_reason.entry(row.asked.clone()).or_default() += 1;
                    }
                }
                Effect::Note(_) | Effect::Retell(_) => {}
            }
        }
        acts
    }

    fn on_thought(&mut self, id: u64, thought: Thought, now_ms: u64) {
        self.agent.on_thought(id, thought, now_ms);
    }
}

fn played(content: &Arc<content::Content>, options: &Options, tier: Tier, seed: u64) -> anyhow::Result<(Cost, Asked)> {
    let meter = Rc::new(RefCell::new(Meter::default()));
    let asked = Rc::new(RefCell::new(Asked::default()));
    let setting = Setting { minutes: options.minutes, ..Setting::default() };
    let from = options.show.filter(|_| seed == 1).unwrap_or(usize::MAX);
    play_with(content, &setting, seed, &mut |n| {
        let settings = AgentSettings {
            use_model: true,
            think_ms: setting.think_ms,
            seed: seed.wrapping_mul(1_000).wrapping_add(n as u64),
            // A model that says nothing leaves all to the policies.
            prompt: mind::prompt::Settings {
                autopilot: if options.utility { Autopilot::Offered } else { Autopilot::Full },
                ..settings(tier, options.format)
            },
            ..AgentSettings::default()
        };
        let meter = meter.clone();
        let (mut count, mut shown) = (0, false);
        let mut utility = oracle::utility(settings.seed, format!("agent {n}"), setting.model_ms);
        let decides = options.utility;
        let oracle = move |prompt: &Prompt, now_ms: u64| {
            meter.borrow_mut().add(prompt);
            count += 1;
            shown = if shown { !prompt.compacted } else { count == from };
            if shown {
                show(count, from, prompt);
            }
            if decides { utility(prompt, now_ms) } else { content_with_all() }
        };
        let player = Watched { agent: Agent::new(settings), asked: asked.clone() };
        Ok((Box::new(player), Some(Box::new(oracle))))
    })?;
    Ok((meter.take().cost(), asked.take()))
}

/// The first in full, of those that follow what is new.
fn show(count: usize, from: usize, prompt: &Prompt) {
    let last = prompt.parts.iter().rposition(|part| part.name == PartName::P3).unwrap_or(prompt.parts.len());
    let parts = if count == from { &prompt.parts[1..] } else { &prompt.parts[last..] };
    eprintln!("--- prompt {count}, {} tokens, {} density: {:?}", prompt.tokens, prompt.density.name(), prompt.sections);
    parts.iter().for_each(|part| eprint!("{}", part.text));
}
