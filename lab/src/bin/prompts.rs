//! What prompts cost in real play: agents live in the world without sockets, each prompt that they would send is kept
//! and measured as a provider with a cache counts it. `cargo run --release -p lab --bin prompts`.
//!
//! The model that answers leaves all to the policies, so they play; what a prompt shows is the same. Made-up sessions
//! are measured by `cargo run -p lab --bin prompt_cost`.

#[path = "../../../mind/tests/sessions/mod.rs"]
mod sessions;

use agent_cli::agent::{Agent, AgentSettings};
use agent_cli::answer::{Answer, AnswerPath};
use agent_cli::thought::Thought;
use clap::Parser;
use lab::agents::Setting;
use lab::agents::play::play_with;
use lab::world_folder::{read_content, root};
use mind::budget::Tier;
use mind::hud::Format;
use mind::prompt::{PartName, Prompt};
use sessions::cost::{Cost, Meter, settings};
use std::cell::RefCell;
use std::collections::BTreeSet;
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
        cost_micros: 0,
        text: None,
        request_id: None,
        path: None::<AnswerPath>,
        model: String::new(),
        latency: Duration::ZERO,
        repairs: 0,
        requests: 0,
        seed_honoured: false,
    }
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let folder = options.world.clone().unwrap_or_else(|| root().join("data/world"));
    let content = Arc::new(read_content(&folder));
    println!(
        "| tier | decisions | mean prompt | cached | effective | of prompt | folds | fullest | P4 mean | P4 most |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|");
    let tiers = options.tier.map_or(vec![Tier::Small, Tier::Medium, Tier::Large], |tier| vec![tier]);
    for tier in tiers {
        let mut costs = Vec::new();
        for seed in 1..=options.seeds {
            costs.push(played(&content, &options, tier, seed)?);
        }
        let n = costs.len() as f64;
        let mean = |of: &dyn Fn(&Cost) -> f64| costs.iter().map(of).sum::<f64>() / n;
        let most: Vec<usize> =
            (0..3).map(|place| costs.iter().map(|cost| cost.live_max[place]).max().unwrap_or(0)).collect();
        println!(
            "| {} | {:.0} | {:.0} | {:.1} % | {:.0} | {:.1} % | {:.1} | {:.1} % | {:.0} | {most:?} |",
            tier.name(),
            mean(&|cost| cost.decisions as f64),
            mean(&|cost| cost.prompt),
            100.0 * mean(&|cost| cost.cached_share),
            mean(&|cost| cost.effective),
            100.0 * mean(&|cost| cost.effective_share),
            mean(&|cost| f64::from(cost.folds)),
            100.0 * mean(&|cost| cost.fullest),
            mean(&|cost| cost.live_mean),
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
        }
    }
    Ok(())
}

fn played(content: &Arc<content::Content>, options: &Options, tier: Tier, seed: u64) -> anyhow::Result<Cost> {
    let meter = Rc::new(RefCell::new(Meter::default()));
    let setting = Setting { minutes: options.minutes, ..Setting::default() };
    let from = options.show.filter(|_| seed == 1).unwrap_or(usize::MAX);
    play_with(content, &setting, seed, &mut |n| {
        let settings = AgentSettings {
            use_model: true,
            think_ms: setting.think_ms,
            seed: seed.wrapping_mul(1_000).wrapping_add(n as u64),
            prompt: settings(tier, options.format),
            ..AgentSettings::default()
        };
        let meter = meter.clone();
        let (mut count, mut shown) = (0, false);
        let oracle = move |prompt: &Prompt, _: u64| {
            meter.borrow_mut().add(prompt);
            count += 1;
            shown = if shown { !prompt.compacted } else { count == from };
            if shown {
                show(count, from, prompt);
            }
            content_with_all()
        };
        Ok((Box::new(Agent::new(settings)), Some(Box::new(oracle))))
    })?;
    Ok(meter.take().cost())
}

/// The first in full, of those that follow what is new.
fn show(count: usize, from: usize, prompt: &Prompt) {
    let last = prompt.parts.iter().rposition(|part| part.name == PartName::P3).unwrap_or(prompt.parts.len());
    let parts = if count == from { &prompt.parts[1..] } else { &prompt.parts[last..] };
    eprintln!("--- prompt {count}, {} tokens, {} density: {:?}", prompt.tokens, prompt.density.name(), prompt.sections);
    parts.iter().for_each(|part| eprint!("{}", part.text));
}
