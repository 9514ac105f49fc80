//! What a session costs where a provider caches beginnings: measured on prompts as they were built.
//!
//! The rule is that of automatic caches: the longest beginning in common with the prompt before, in tokens, from 1,024
//! on in steps of 128; what is read from it costs a tenth.

use super::{Session, hero};
use mind::hud::Format;
use mind::pressure::Density;
use mind::prompt::{PartName, Prompt, PromptBuilder, Settings};
use mind::tokens;
use std::collections::BTreeMap;

/// Over all decisions of a session; tokens are means a decision.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    pub decisions: usize,
    pub prompt: f64,
    pub cached_share: f64,
    pub effective: f64,
    pub effective_share: f64,
    pub folds: u32,
    /// The largest prompt, as a part of its budget.
    pub fullest: f64,
    /// The largest P4 by density: full, compact, minimal.
    pub live_max: [usize; 3],
    pub live_mean: f64,
    /// Where the tokens come from that are not read from the cache, a decision: P4, new blocks, folds and other changes
    /// of P1 and P2, and steps of the cache that were not full. They add up to what is not cached.
    pub lost: [f64; 4],
    /// P4 by section, a decision.
    pub sections: BTreeMap<String, f64>,
    /// Decisions in each density.
    pub by_density: [usize; 3],
}

/// Tokens that both begin with. Parts are whole numbers of tokens, so only the first that differs is cut up.
pub fn common_tokens(a: &Prompt, b: &Prompt) -> usize {
    let mut common = 0;
    for (a, b) in a.parts.iter().zip(&b.parts) {
        if a.text == b.text {
            common += a.tokens;
            continue;
        }
        let (a, b) = (tokens::ids(&a.text), tokens::ids(&b.text));
        return common + a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    }
    common
}

/// What of this many tokens in common is read from a cache.
pub fn cached(common: usize) -> usize {
    if common < 1_024 { 0 } else { common - common % 128 }
}

pub fn settings(tier: mind::budget::Tier, format: Format) -> Settings {
    Settings { tier, format, model: "gpt-5-mini".into(), ..Settings::default() }
}

/// Sections of a prompt that are not of P4.
const FIXED: [&str; 5] = ["rules", "self", "workspace", "core memory", "transcript"];

/// Adds up prompts as they come.
#[derive(Debug, Default)]
pub struct Meter {
    cost: Cost,
    all: usize,
    read: usize,
    before: Option<Prompt>,
}

impl Meter {
    pub fn add(&mut self, prompt: &Prompt) {
        let common = self.before.as_ref().map_or(0, |before| common_tokens(before, prompt));
        self.all += prompt.tokens;
        self.read += cached(common);
        let live = prompt.parts.iter().find(|part| part.name == PartName::P4).map_or(0, |part| part.tokens);
        let place = Density::ALL.iter().position(|&density| density == prompt.density).expect("one of three");
        let cost = &mut self.cost;
        cost.decisions += 1;
        cost.live_max[place] = cost.live_max[place].max(live);
        cost.by_density[place] += 1;
        cost.live_mean += live as f64;
        cost.fullest = cost.fullest.max(prompt.tokens as f64 / prompt.budget as f64);
        cost.folds += u32::from(prompt.compacted);
        let fixed = prompt.tokens - live;
        let before = self.before.as_ref().map_or(0, |before| {
            before.parts.iter().filter(|part| part.name < PartName::P4).map(|part| part.tokens).sum()
        });
        // All before the P4 of last time is in common, or something in there has changed.
        let place = if common < before.min(fixed) { 2 } else { 1 };
        cost.lost[0] += live.min(prompt.tokens - common) as f64;
        cost.lost[place] += fixed.saturating_sub(common) as f64;
        cost.lost[3] += (common - cached(common)) as f64;
        let live_sections = prompt.sections.iter().filter(|(name, _)| !FIXED.contains(&name.as_str()));
        for (name, tokens) in live_sections {
            *cost.sections.entry(name.clone()).or_default() += *tokens as f64;
        }
        self.before = Some(prompt.clone());
    }

    pub fn cost(self) -> Cost {
        let decisions = self.cost.decisions as f64;
        let effective = (self.all - self.read) as f64 + 0.1 * self.read as f64;
        Cost {
            prompt: self.all as f64 / decisions,
            cached_share: self.read as f64 / self.all as f64,
            effective: effective / decisions,
            effective_share: effective / self.all as f64,
            live_mean: self.cost.live_mean / decisions,
            lost: self.cost.lost.map(|lost| lost / decisions),
            sections: self.cost.sections.into_iter().map(|(name, all)| (name, all / decisions)).collect(),
            ..self.cost
        }
    }
}

/// Plays a session and adds it up. `see` is shown each prompt.
pub fn measure(settings: Settings, seed: u64, decisions: usize, see: impl FnMut(&Prompt)) -> Cost {
    measure_session(settings, Session::new(seed), decisions, see)
}

/// The same of a session that has begun.
pub fn measure_session(
    settings: Settings,
    mut session: Session,
    decisions: usize,
    mut see: impl FnMut(&Prompt),
) -> Cost {
    let mut builder = PromptBuilder::new(settings);
    builder.set_words(&std::sync::Arc::new(super::words()));
    builder.set_self(hero());
    let mut meter = Meter::default();
    for _ in 0..decisions {
        let step = session.step();
        builder.append(step.block);
        let prompt = builder.build(&step.live, &step.recent, &step.state);
        meter.add(&prompt);
        see(&prompt);
    }
    meter.cost()
}
