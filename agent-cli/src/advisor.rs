//! Who is asked for advice: the model, behind one small door, so that a player can be tried without one.
//!
//! A decision of several calls is made here call by call, each with its part of the time that is left.

use crate::call_queue::AgentId;
use crate::config::Config;
use crate::council::Deliberation;
use crate::fold_words;
use crate::ledger::{Limits, Shares};
use crate::model::{Model, ModelSettings, SettingsError, Tape};
use crate::thought::{ModelError, Retelling, Retold, Thought};
use anyhow::bail;
use futures_util::future::BoxFuture;
use mind::council::{KEPT_FREE, Member};
use mind::tokens;
use protocol::frame::Secret;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Gives a thought for a decision, always in time. Shared by all players of a process.
pub trait Advisor: Send + Sync {
    /// `who` keeps one player's prompts together at the provider.
    fn advise(&self, who: String, decision: Deliberation) -> BoxFuture<'static, Thought>;

    /// Says the story of a fold in other words, in time as well.
    fn retell(&self, who: String, retelling: Retelling) -> BoxFuture<'static, Retold>;

    /// What went on so far, by name; what never happened is left out.
    fn counts(&self) -> BTreeMap<String, u64>;

    /// Whether a budget that is used up may come to more, such as the part of somebody who leaves.
    fn may_get_more(&self) -> bool {
        false
    }
}

pub type SharedAdvisor = Arc<dyn Advisor>;

/// The model of the settings, with its deadline.
struct ModelAdvisor {
    model: Model,
    /// For minds of a council that ask another model than the usual one.
    models: BTreeMap<Member, String>,
    deadline: Duration,
}

impl Advisor for ModelAdvisor {
    fn advise(&self, who: String, decision: Deliberation) -> BoxFuture<'static, Thought> {
        let (model, models, deadline) = (self.model.for_agent(&who), self.models.clone(), self.deadline);
        Box::pin(async move { deliberate(&model, &models, deadline, decision).await })
    }

    fn retell(&self, who: String, retelling: Retelling) -> BoxFuture<'static, Retold> {
        let (model, deadline) = (self.model.for_agent(&who), self.deadline);
        Box::pin(async move { fold_words::retell(&model, retelling, deadline).await })
    }

    fn counts(&self) -> BTreeMap<String, u64> {
        counts_of(&self.model)
    }
}

/// One decision within the deadline, whatever the endpoint does: each call has an even part of the time that is left
/// for those that may come. All of them are reserved before the first.
async fn deliberate(
    model: &Model,
    models: &BTreeMap<Member, String>,
    deadline: Duration,
    mut decision: Deliberation,
) -> Thought {
    let end = Instant::now() + deadline;
    let may_ask = decision.may_ask();
    let name = |member: Option<Member>| member.and_then(|member| models.get(&member)).map(String::as_str);
    let names: Vec<&str> = may_ask.iter().map(|member| name(*member).unwrap_or(model.first())).collect();
    let held = match names.len() {
        0 | 1 => model.clone(),
        _ => {
            let more = if may_ask.iter().any(Option::is_some) { KEPT_FREE as u64 } else { 0 };
            match model.for_decision(&names, decision.prompt(), more) {
                Ok(held) => held,
                Err(spent) => return Thought { answer: Err(spent), ..Thought::begun(model.first()) },
            }
        }
    };
    while let Some(call) = decision.next() {
        let left = end.saturating_duration_since(Instant::now());
        let calls_left = names.len().saturating_sub(call.number).max(1);
        let asked = name(call.member).map_or_else(|| held.clone(), |name| held.asking(name));
        let asked = if call.member.is_none() { asked.for_vote(call.number as u64) } else { asked };
        let time = left / u32::try_from(calls_left).unwrap_or(u32::MAX);
        let thought = asked.decide(&call.prompt, time).await;
        decision.answered(thought);
    }
    decision.end()
}

fn counts_of(model: &Model) -> BTreeMap<String, u64> {
    let counts = model.counts();
    [
        ("decisions", counts.decisions),
        ("requests", counts.requests),
        ("answered from the tape", counts.taped),
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

/// The model as agents of a host share it: each with the model of its own record, and an even part of the budget.
pub struct SharedModel {
    model: Model,
    deadline: Duration,
    shares: Mutex<Shares>,
    /// What records may ask for.
    models: Vec<String>,
}

/// One agent's door to it. Dropping it leaves what is left of its part to the others.
pub struct HostedAdvisor {
    shared: Arc<SharedModel>,
    id: AgentId,
    model: Mutex<String>,
}

impl SharedModel {
    /// `None` without an endpoint.
    pub fn of_config(config: &Config, tape: Option<&Path>) -> anyhow::Result<Option<Arc<SharedModel>>> {
        let Some(model) = on_tape(model_of(config)?, tape)? else { return Ok(None) };
        if config.max_cost.is_some()
            && let Some(unpriced) = config.models.iter().find(|name| config.prices.of(name).is_none())
        {
            return Err(SettingsError::NoPrice(unpriced.clone()).into());
        }
        let shares = Mutex::new(Shares::new(Limits::new(config.max_tokens, config.max_cost)));
        let deadline = Duration::from_millis(config.deadline_ms);
        Ok(Some(Arc::new(SharedModel { model, deadline, shares, models: config.models.clone() })))
    }

    /// The model for a record that asks for this one, or for none. With what people are to know, where it is another.
    pub fn choose(&self, asked: Option<&str>) -> (String, Option<String>) {
        let usual = &self.model.settings().model_fast;
        match asked {
            Some(name) if name == usual || self.models.iter().any(|listed| listed == name) => (name.to_string(), None),
            Some(name) => {
                let name = protocol::names::clean_text(name);
                let note =
                    format!("Its record asks for the model {name}, which `models` does not list: {usual} plays it.");
                (usual.clone(), Some(note))
            }
            None => (usual.clone(), None),
        }
    }

    /// What one of the agents may use in all.
    pub fn part(&self, id: AgentId) -> Limits {
        self.shares().part(id)
    }

    pub fn for_agent(self: &Arc<Self>, id: AgentId, model: String) -> Arc<HostedAdvisor> {
        self.shares().join(id);
        Arc::new(HostedAdvisor { shared: self.clone(), id, model: Mutex::new(model) })
    }

    fn shares(&self) -> MutexGuard<'_, Shares> {
        // Each change is whole by itself, so what a panicking thread left is usable.
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HostedAdvisor {
    /// Its record asks for another model from now on.
    pub fn set_model(&self, model: String) {
        *self.model.lock().unwrap_or_else(PoisonError::into_inner) = model;
    }
}

impl Drop for HostedAdvisor {
    fn drop(&mut self) {
        self.shared.shares().leave(self.id);
    }
}

impl Advisor for HostedAdvisor {
    fn advise(&self, who: String, decision: Deliberation) -> BoxFuture<'static, Thought> {
        let name = self.model.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (shared, id) = (self.shared.clone(), self.id);
        let model = shared.model.for_agent(&who).asking(&name);
        Box::pin(async move {
            let settings = model.settings();
            let price = settings.prices.of(&name).unwrap_or_default();
            let calls = decision.may_ask().len() as u64;
            let more = if calls > 1 { KEPT_FREE as u64 } else { 0 };
            let prompt = (decision.prompt().tokens as u64).saturating_add(more).saturating_mul(calls);
            let answer = settings.answer_tokens_max.saturating_mul(calls);
            let allowed = shared.shares().allow(id, price, prompt, answer);
            if let Err(spent) = allowed {
                return Thought { answer: Err(ModelError::Budget(spent.name())), ..Thought::begun(&name) };
            }
            // The record says by which model it is played, and that goes for all its minds.
            let thought = deliberate(&model, &BTreeMap::new(), shared.deadline, decision).await;
            shared.shares().used(id, thought.usage, thought.cost_micros.unwrap_or(0));
            thought
        })
    }

    fn retell(&self, who: String, retelling: Retelling) -> BoxFuture<'static, Retold> {
        let name = self.model.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (shared, id) = (self.shared.clone(), self.id);
        let model = shared.model.for_agent(&who).asking(&name);
        Box::pin(async move {
            let settings = model.settings();
            let price = settings.prices.of(&name).unwrap_or_default();
            let asked = tokens::count(&retelling.task) + tokens::count(&fold_words::material(&retelling));
            let allowed = shared.shares().allow(id, price, asked as u64, settings.answer_tokens_max);
            if let Err(spent) = allowed {
                return fold_words::failed(retelling.span, &name, ModelError::Budget(spent.name()));
            }
            let retold = fold_words::retell(&model, retelling, shared.deadline).await;
            shared.shares().used(id, retold.usage, retold.cost_micros.unwrap_or(0));
            retold
        })
    }

    fn counts(&self) -> BTreeMap<String, u64> {
        counts_of(&self.shared.model)
    }

    fn may_get_more(&self) -> bool {
        true
    }
}

/// `None` without an endpoint.
pub fn of_config(config: &Config, tape: Option<&Path>) -> anyhow::Result<Option<SharedAdvisor>> {
    let deadline = Duration::from_millis(config.deadline_ms);
    let models = config.council_models.clone();
    if config.max_cost.is_some()
        && let Some(unpriced) = models.values().find(|name| config.prices.of(name).is_none())
    {
        return Err(SettingsError::NoPrice(unpriced.clone()).into());
    }
    Ok(on_tape(model_of(config)?, tape)?
        .map(|model| Arc::new(ModelAdvisor { model, models, deadline }) as SharedAdvisor))
}

/// The model with a tape, if one is named.
fn on_tape(model: Option<Model>, tape: Option<&Path>) -> anyhow::Result<Option<Model>> {
    let Some(tape) = tape else { return Ok(model) };
    let Some(model) = model else {
        bail!("--tape has what a model answered before; for what it has not, name the model (litellm_endpoint)");
    };
    model.set_tape(Tape::open(tape)?);
    Ok(Some(model))
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
