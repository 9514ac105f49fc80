//! Who is asked for advice: the model, behind one small door, so that a player can be tried without one.

use crate::config::Config;
use crate::ledger::Limits;
use crate::model::{Model, ModelSettings};
use crate::thought::Thought;
use futures_util::future::BoxFuture;
use mind::prompt::Prompt;
use protocol::frame::Secret;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Gives a thought for a prompt, always in time. Shared by all players of a process.
pub trait Advisor: Send + Sync {
    /// `who` keeps one player's prompts together at the provider.
    fn advise(&self, who: String, prompt: Box<Prompt>) -> BoxFuture<'static, Thought>;

    /// What went on so far, by name; what never happened is left out.
    fn counts(&self) -> BTreeMap<String, u64>;
}

pub type SharedAdvisor = Arc<dyn Advisor>;

/// The model of the settings, with its deadline.
struct ModelAdvisor {
    model: Model,
    deadline: Duration,
}

impl Advisor for ModelAdvisor {
    fn advise(&self, who: String, prompt: Box<Prompt>) -> BoxFuture<'static, Thought> {
        let model = self.model.for_agent(&who);
        let deadline = self.deadline;
        Box::pin(async move { model.decide(&prompt, deadline).await })
    }

    fn counts(&self) -> BTreeMap<String, u64> {
        let counts = self.model.counts();
        [
            ("decisions", counts.decisions),
            ("requests", counts.requests),
            ("repairs", counts.repairs),
            ("fallbacks", counts.fallbacks),
            ("timeouts", counts.timeouts),
            ("unreachable", counts.unreachable),
            ("bad statuses", counts.statuses),
            ("waits", counts.waits),
            ("broken off", counts.broken_off),
            ("no completions", counts.no_completions),
            ("unusable answers", counts.unusable),
            ("over budget", counts.over_budget),
            ("rests", counts.rests),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| (name.to_string(), count))
        .collect()
    }
}

/// `None` without an endpoint.
pub fn of_config(config: &Config) -> anyhow::Result<Option<SharedAdvisor>> {
    let deadline = Duration::from_millis(config.deadline_ms);
    Ok(model_of(config)?.map(|model| Arc::new(ModelAdvisor { model, deadline }) as SharedAdvisor))
}

/// The model itself; `None` without an endpoint.
pub fn model_of(config: &Config) -> anyhow::Result<Option<Model>> {
    let Some(endpoint) = &config.litellm_endpoint else { return Ok(None) };
    let parse = |what: String| anyhow::anyhow!(what);
    let settings = ModelSettings {
        endpoint: endpoint.clone(),
        key: config.llm_key.clone().map(Secret),
        model_fast: config.model_fast.clone(),
        model_fallback: Some(config.model_fallback.clone()).filter(|name| !name.is_empty()),
        temperature: config.temperature,
        seed: config.seed,
        answer_tokens_max: config.max_output_tokens,
        stream: config.stream,
        cache: config.cache.parse().map_err(parse)?,
        form: config.answer_form.parse().map_err(parse)?,
        mind: true,
        autopilot: config.autopilot,
        prices: config.prices.clone(),
        limits: Limits::new(config.max_tokens, config.max_cost),
        insecure: config.insecure,
    };
    Ok(Some(Model::new(settings)?))
}
