//! The language model as a player's adviser: a prompt goes out, an answer or a typed error comes back, always in time.
//!
//! `Model` is cheap to clone; all clones share one HTTP client, one ledger and one circuit breaker, so that a hundred
//! agents of one process are one customer. `request_body` is pure, for tests and for asking a stub's policy in-process.
//! Invariant: only the model's own key goes to its endpoint, and nothing but the prompt.

mod body;
mod circuit;
pub mod http;
#[cfg(test)]
mod recorded;
mod refusal;
mod reply;
mod tape;
#[cfg(test)]
mod tests;
mod words;

pub use body::{PARTS_FORM, parts_body, request_body};
pub use tape::Tape;
pub use words::{Words, object_in};

use crate::answer::{self, Answer, AnswerError, AnswerPath};
use crate::cleartext::{Exposed, MODEL_KEY};
use crate::ledger::{Ledger, Limits, Price, Prices, Reservation, Spent, Usage};
use crate::thought::{ModelError, Thought};
use body::{Ask, FollowUp, Traits, Wanted};
use circuit::Circuit;
use mind::action::Autopilot;
use mind::prompt::Prompt;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tape::{Came, Taped};
use tokio::time::Instant;

/// Where marks for the provider's cache go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Cache {
    /// By the model's name: `claude…` and `anthropic/…` take marks, all others the key.
    #[default]
    Auto,
    /// `prompt_cache_key`.
    OpenAi,
    /// `cache_control` marks.
    Anthropic,
    /// Neither.
    None,
}

/// The form in which an answer is asked for. An endpoint that refuses one is asked for the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Form {
    #[default]
    Schema,
    Tools,
    Object,
    /// As the prompt says, without any help of the endpoint.
    Plain,
    /// The prompt asks for TOON.
    Toon,
}

macro_rules! by_name {
    ($type:ty, $what:literal, $($name:literal => $value:expr),+) => {
        impl FromStr for $type {
            type Err = String;
            fn from_str(word: &str) -> Result<Self, String> {
                match word {
                    $($name => Ok($value),)+
                    other => Err(format!(concat!("There is no ", $what, " `{}`: use one of ", $($name, " ",)+), other)),
                }
            }
        }
    };
}
by_name!(Cache, "cache", "auto" => Cache::Auto, "openai" => Cache::OpenAi, "anthropic" => Cache::Anthropic,
    "none" => Cache::None);
by_name!(Form, "form of answers", "schema" => Form::Schema, "tools" => Form::Tools, "object" => Form::Object,
    "plain" => Form::Plain, "toon" => Form::Toon);

/// How the model is asked.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelSettings {
    /// Without `/v1/chat/completions`; a base that ends in `/v1` works too. `http` or `https`.
    pub endpoint: String,
    /// `DP_LLM_KEY`. Never the game's key.
    pub key: Option<protocol::frame::Secret>,
    pub model_fast: String,
    /// Asked once when the first one fails.
    pub model_fallback: Option<String>,
    pub temperature: f64,
    pub seed: Option<u64>,
    /// The most that is asked for in an answer.
    pub answer_tokens_max: u64,
    pub stream: bool,
    pub cache: Cache,
    pub form: Form,
    /// The server keeps a mind: its actions are in the schema.
    pub mind: bool,
    /// Whether `delegate` is in the schema follows from it.
    pub autopilot: Autopilot,
    pub prices: Prices,
    pub limits: Limits,
    /// The key may go unencrypted to any host.
    pub insecure: bool,
}

impl Default for ModelSettings {
    fn default() -> ModelSettings {
        ModelSettings {
            endpoint: String::new(),
            key: None,
            model_fast: "zai/glm-5-turbo".into(),
            model_fallback: Some("deepseek-v4-flash".into()),
            temperature: 0.0,
            seed: None,
            answer_tokens_max: 400,
            stream: false,
            cache: Cache::Auto,
            form: Form::Schema,
            mind: true,
            autopilot: Autopilot::default(),
            prices: Prices::default(),
            limits: Limits::default(),
            insecure: false,
        }
    }
}

/// Why a model cannot be asked at all.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("The model's endpoint `{0}` is no http:// or https:// address.")]
    Endpoint(String),
    #[error("The model's key has characters that a header cannot hold.")]
    Key,
    #[error(
        "There is a limit of cost, but no price for the model `{0}`: add one to `prices`, or a `*` for all models."
    )]
    NoPrice(String),
    #[error("The HTTP client cannot be made: {0}.")]
    Client(String),
    #[error("{0}.")]
    Exposed(#[from] Exposed),
}

/// What went on between agents and the model, for status lines and summaries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ModelCounts {
    pub decisions: u64,
    pub requests: u64,
    /// Requests that a tape answered; they are not among the others.
    pub taped: u64,
    pub repairs: u64,
    pub fallbacks: u64,
    pub timeouts: u64,
    pub unreachable: u64,
    pub statuses: u64,
    pub waits: u64,
    pub broken_off: u64,
    pub no_completions: u64,
    pub unusable: u64,
    pub over_budget: u64,
    pub rests: u64,
    /// Answers by how they were read.
    pub by_path: [u64; 5],
}

impl ModelCounts {
    fn count(&mut self, error: &ModelError) {
        *match error {
            ModelError::Timeout(_) => &mut self.timeouts,
            ModelError::Unreachable(_) => &mut self.unreachable,
            ModelError::Status { .. } => &mut self.statuses,
            ModelError::Waiting(_) => &mut self.waits,
            ModelError::BrokenOff(_) => &mut self.broken_off,
            ModelError::NoCompletion(_) => &mut self.no_completions,
            ModelError::Unusable(_) => &mut self.unusable,
            ModelError::Budget(_) => &mut self.over_budget,
            ModelError::Resting(_) => &mut self.rests,
        } += 1;
    }
}

struct Shared {
    settings: ModelSettings,
    line: http::Line,
    tape: OnceLock<Tape>,
    /// Held for moments only, never while waiting.
    inner: Mutex<Inner>,
}

struct Inner {
    ledger: Ledger,
    /// What each model's endpoint takes, as far as it refused something.
    traits: BTreeMap<String, Traits>,
    circuits: BTreeMap<String, Circuit>,
    /// The last failure of each model that was told, until it succeeds.
    told: BTreeMap<String, ModelError>,
    counts: ModelCounts,
}

/// A language model behind an OpenAI-compatible endpoint.
#[derive(Clone)]
pub struct Model {
    shared: Arc<Shared>,
    /// Whose prompts these are: `prompt_cache_key`.
    who: Arc<str>,
    /// The model that is asked first, in place of the settings'.
    first: Option<Arc<str>>,
    /// Which of several answers to the same prompt: each is asked for with a seed of its own.
    vote: u64,
    /// What is reserved for the decision that it is asked for.
    held: Option<Arc<Held>>,
}

/// What was reserved for a whole decision and no call of it has taken yet. Dropping it gives it back.
struct Held {
    shared: Arc<Shared>,
    left: Mutex<Option<Reservation>>,
}

impl Drop for Held {
    fn drop(&mut self) {
        let left = self.left.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(left) = left {
            self.shared.inner.lock().unwrap_or_else(PoisonError::into_inner).ledger.release(left);
        }
    }
}

/// Requests that are sent again because the endpoint refused a field, at most, in one decision.
const NEGOTIATIONS_MAX: u32 = 6;
/// The part of the deadline that the first model gets when there is a fallback, percent.
const FIRST_PERCENT: u32 = 60;

impl Model {
    pub fn new(settings: ModelSettings) -> Result<Model, SettingsError> {
        let url = body::url(&settings.endpoint).ok_or_else(|| SettingsError::Endpoint(settings.endpoint.clone()))?;
        let mut builder = http::builder(&url);
        if let Some(key) = &settings.key {
            let mut value =
                reqwest::header::HeaderValue::from_str(&format!("Bearer {}", key.0)).map_err(|_| SettingsError::Key)?;
            value.set_sensitive(true);
            builder = builder.default_headers([(reqwest::header::AUTHORIZATION, value)].into_iter().collect());
            let address = reqwest::Url::parse(&url).map_err(|_| SettingsError::Endpoint(settings.endpoint.clone()))?;
            if !settings.insecure {
                builder = MODEL_KEY.guard(builder, &address)?;
            }
        }
        let client = builder.build().map_err(|error| SettingsError::Client(http::cause(&error)))?;
        Model::over(settings, http::Line::Network { client, url })
    }

    /// With somebody of this process in place of an endpoint.
    pub fn inside(settings: ModelSettings, inside: Arc<dyn http::StandIn>) -> Result<Model, SettingsError> {
        Model::over(settings, http::Line::StandIn(inside))
    }

    fn over(settings: ModelSettings, line: http::Line) -> Result<Model, SettingsError> {
        if settings.limits.cost_micros_max.is_some() {
            for model in [Some(&settings.model_fast), settings.model_fallback.as_ref()].into_iter().flatten() {
                if settings.prices.of(model).is_none() {
                    return Err(SettingsError::NoPrice(model.clone()));
                }
            }
        }
        let inner = Mutex::new(Inner {
            ledger: Ledger::new(settings.limits),
            traits: BTreeMap::new(),
            circuits: BTreeMap::new(),
            told: BTreeMap::new(),
            counts: ModelCounts::default(),
        });
        let shared = Arc::new(Shared { settings, line, tape: OnceLock::new(), inner });
        Ok(Model { shared, who: "agent".into(), first: None, vote: 0, held: None })
    }

    /// From here on answers come from this tape, where it has them, and are added to it. The first one stays.
    pub fn set_tape(&self, tape: Tape) {
        let _first = self.shared.tape.set(tape);
    }

    /// The same model for an agent of this name: its prompts share a place in the provider's cache.
    pub fn for_agent(&self, name: &str) -> Model {
        Model { who: name.into(), ..self.clone() }
    }

    /// The same for one of several answers to the same prompt, counted from 0.
    pub fn for_vote(&self, vote: u64) -> Model {
        Model { vote, ..self.clone() }
    }

    /// The same for a decision of several calls, one to each of these models, all reserved before the first: each reads
    /// the prompt, and so many tokens more. An error: the budget does not hold them all.
    pub fn for_decision(&self, models: &[&str], prompt: &Prompt, more: u64) -> Result<Model, ModelError> {
        let settings = &self.shared.settings;
        let mut inner = self.inner();
        let call = |model: &&str| {
            let traits = inner.traits.get(*model).copied().unwrap_or_else(|| Traits::of(settings));
            let ask = Ask { settings, who: &self.who, model, traits, wanted: Wanted::Decision, follow_up: None };
            let price = settings.prices.of(model).unwrap_or_default();
            (price, ask.tokens_estimated(prompt).saturating_add(more), settings.answer_tokens_max)
        };
        let calls: Vec<_> = models.iter().map(call).collect();
        let left = inner.ledger.reserve_all(&calls).map_err(|spent| ModelError::Budget(spent.name()))?;
        drop(inner);
        let held = Held { shared: self.shared.clone(), left: Mutex::new(Some(left)) };
        Ok(Model { held: Some(Arc::new(held)), ..self.clone() })
    }

    fn reserve(&self, price: Price, prompt: u64, completion: u64) -> Result<Reservation, Spent> {
        let mut inner = self.inner();
        if let Some(held) = &self.held {
            let mut left = held.left.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(whole) = left.as_mut() {
                return inner.ledger.reserve_from(whole, price, prompt, completion);
            }
        }
        inner.ledger.reserve(price, prompt, completion)
    }

    /// The same endpoint, ledger and counts, with another model that is asked first.
    pub fn asking(&self, model: &str) -> Model {
        Model { first: Some(model.into()), ..self.clone() }
    }

    /// The model that is asked first.
    pub fn first(&self) -> &str {
        self.first.as_deref().unwrap_or(&self.shared.settings.model_fast)
    }

    pub fn settings(&self) -> &ModelSettings {
        &self.shared.settings
    }

    /// Of all agents together.
    pub fn ledger(&self) -> Ledger {
        self.inner().ledger.clone()
    }

    /// Of all agents together.
    pub fn counts(&self) -> ModelCounts {
        self.inner().counts
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Each change is whole by itself, so what a panicking thread left is usable.
        self.shared.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for a decision. It is back within the deadline, whatever the endpoint does.
    pub async fn decide(&self, prompt: &Prompt, deadline: Duration) -> Thought {
        let settings = &self.shared.settings;
        let begun = Instant::now();
        let mut thought = Thought::begun(self.first());
        let end = begun + deadline;
        let first_end = match settings.model_fallback {
            Some(_) => begun + deadline * FIRST_PERCENT / 100,
            None => end,
        };
        let mut result = self.ask(self.first(), prompt, first_end, &mut thought).await;
        let over = matches!(result, Err(ModelError::Budget(_) | ModelError::Unusable(_)));
        if let (Err(_), false, Some(fallback)) = (&result, over, &settings.model_fallback)
            && Instant::now() < end
        {
            self.inner().counts.fallbacks += 1;
            if let Err(error) = &result
                && self.is_news(self.first(), error)
            {
                tracing::info!(model = self.first(), "{fallback} is asked instead: {error}");
            }
            thought.model.clone_from(fallback);
            let second = self.ask(fallback, prompt, end, &mut thought).await;
            // That the second one was not even tried says less than why the first one failed.
            if !matches!(second, Err(ModelError::Waiting(_) | ModelError::Resting(_))) {
                result = second;
            }
        }
        if let Ok((answer, _)) = &mut result
            && let Some(goal) = answer.split.take()
        {
            self.split(&goal, prompt, end, &mut thought, answer).await;
        }
        thought.latency = begun.elapsed();
        let mut inner = self.inner();
        inner.counts.decisions += 1;
        inner.counts.requests += u64::from(thought.requests);
        inner.counts.taped += u64::from(thought.taped);
        inner.counts.repairs += u64::from(thought.repairs);
        match &result {
            Ok((_, path)) => {
                thought.path = Some(*path);
                inner.counts.by_path[*path as usize] += 1;
            }
            Err(error) => inner.counts.count(error),
        }
        drop(inner);
        match &result {
            Ok((_, path)) => tracing::debug!(
                model = thought.model,
                path = path.name(),
                ms = thought.latency.as_millis() as u64,
                prompt = thought.usage.prompt,
                cached = thought.usage.cached,
                "the model answered"
            ),
            Err(error) if self.is_news(&thought.model, error) => tracing::warn!(model = thought.model, "{error}"),
            Err(error) => tracing::debug!(model = thought.model, "{error}"),
        }
        thought.answer = result.map(|(answer, _)| answer);
        thought
    }

    /// Asks the model that answered into what it splits a goal, once, and adds that to its answer. What comes of no use
    /// is left out: the rest of the answer holds.
    async fn split(&self, goal: &str, prompt: &Prompt, end: Instant, thought: &mut Thought, answer: &mut Answer) {
        let (model, answered) = (thought.model.clone(), thought.text.take());
        let follow_up = FollowUp::parts(answered.as_deref().unwrap_or(""), goal);
        let asked = self.request(&model, prompt, (Wanted::Parts, Some(&follow_up)), end, thought, None).await;
        let line = asked.map_err(|error| error.to_string()).and_then(|(raw, _)| {
            let raw = answer::RawReply { offer: prompt.offer.clone(), ..raw };
            answer::read_parts(goal, &raw).map_err(|error| error.to_string())
        });
        // What the session keeps of the answer is the decision itself, with what was added to it.
        thought.text = answered.into_iter().chain(thought.text.take()).reduce(|all, more| format!("{all}\n{more}"));
        match line {
            Ok(line) => answer.actions.push(line),
            Err(why) => answer.dropped.push(format!("Goal {goal} was not split: {why}")),
        }
    }

    /// Whether this was not the last that was told of this model: what fails every five seconds is told once. Pauses
    /// follow from what was told.
    fn is_news(&self, model: &str, error: &ModelError) -> bool {
        if matches!(error, ModelError::Waiting(_) | ModelError::Resting(_)) {
            return false;
        }
        // How long it took varies by a millisecond.
        let late = |error: &ModelError| matches!(error, ModelError::Timeout(_));
        let told = self.inner().told.insert(model.to_string(), error.clone());
        told.is_none_or(|told| told != *error && !(late(&told) && late(error)))
    }

    /// One model, with one repair turn if none was made yet.
    async fn ask(
        &self,
        model: &str,
        prompt: &Prompt,
        end: Instant,
        thought: &mut Thought,
    ) -> Result<(Answer, AnswerPath), ModelError> {
        // What a tape has needs no endpoint.
        if self.shared.tape.get().is_none() {
            self.check_circuit(model)?;
        }
        let settings = &self.shared.settings;
        let mut repair: Option<FollowUp> = None;
        loop {
            let taped = thought.taped;
            let (raw, form) =
                match self.request(model, prompt, (Wanted::Decision, repair.as_ref()), end, thought, None).await {
                    Ok(reply) => reply,
                    Err(error) => {
                        let mut inner = self.inner();
                        let circuit = inner.circuits.entry(model.to_string()).or_default();
                        match error {
                            ModelError::Budget(_) | ModelError::Resting(_) => {}
                            ModelError::Waiting(ms) => circuit.wait(Instant::now(), Duration::from_millis(ms)),
                            _ => circuit.failed(Instant::now()),
                        }
                        return Err(error);
                    }
                };
            let (asked_schema, asked_toon) = (form == Form::Schema, form == Form::Toon);
            let offer = prompt.offer.clone();
            let read = answer::read(&answer::RawReply { asked_schema, asked_toon, offer, ..raw.clone() });
            let mut inner = self.inner();
            let circuit = inner.circuits.entry(model.to_string()).or_default();
            match read {
                // The endpoint had no part in it.
                Ok(read) if thought.taped > taped => return Ok(read),
                Ok(read) => {
                    circuit.succeeded();
                    if inner.told.remove(model).is_some() {
                        tracing::info!(model, "the model answers again");
                    }
                    return Ok(read);
                }
                // It would think as long as before.
                Err(AnswerError::OnlyThought) if raw.cut => {
                    circuit.failed(Instant::now());
                    let most = settings.answer_tokens_max;
                    return Err(ModelError::Unusable(format!(
                        "all {most} tokens went into its thoughts. (Raise `max_output_tokens`, or let it think less.)"
                    )));
                }
                Err(error) if thought.repairs > 0 => {
                    circuit.failed(Instant::now());
                    let advice = if raw.cut { " (Raise `max_output_tokens`, perhaps.)" } else { "" };
                    return Err(ModelError::Unusable(format!("{error}{advice}")));
                }
                Err(error) => {
                    thought.repairs += 1;
                    repair = Some(FollowUp::repair(&raw, &error.to_string()));
                }
            }
        }
    }

    fn check_circuit(&self, model: &str) -> Result<(), ModelError> {
        self.inner().circuits.entry(model.to_string()).or_default().check(Instant::now())
    }

    /// One answer of one model: as many requests as it takes until the endpoint refuses no more fields. `otherwise`:
    /// with these settings and their form instead of those of decisions.
    async fn request(
        &self,
        model: &str,
        prompt: &Prompt,
        (wanted, follow_up): (Wanted, Option<&FollowUp>),
        end: Instant,
        thought: &mut Thought,
        otherwise: Option<&ModelSettings>,
    ) -> Result<(answer::RawReply, Form), ModelError> {
        let settings = otherwise.unwrap_or(&self.shared.settings);
        let seed = settings.seed.map(|seed| seed.wrapping_add(self.vote));
        let of_vote = (self.vote > 0).then(|| ModelSettings { seed, ..settings.clone() });
        let settings = of_vote.as_ref().unwrap_or(settings);
        let told = settings.prices.of(model);
        let price = told.unwrap_or_default();
        let begun = Instant::now();
        let left = end.saturating_duration_since(begun);
        let timeout = || ModelError::Timeout(left.as_millis() as u64);
        for _ in 0..NEGOTIATIONS_MAX {
            let known = self.inner().traits.get(model).copied().unwrap_or_else(|| Traits::of(settings));
            let traits = Traits { form: otherwise.map_or(known.form, |other| other.form), ..known };
            let ask = Ask { settings, who: &self.who, model, traits, wanted, follow_up };
            let body = ask.body(prompt);
            // What the endpoint does not take is left out from now on.
            let fewer = |message: String, status: u16| match traits.without(&message, model) {
                Some(fewer) => {
                    tracing::info!(model, "the endpoint refused a field and is asked without it: {message}");
                    let kept = if otherwise.is_some() { known.form } else { fewer.form };
                    self.inner().traits.insert(model.to_string(), Traits { form: kept, ..fewer });
                    Ok(())
                }
                None => Err(ModelError::Status { status, message }),
            };
            let taping = self.shared.tape.get().map(|tape| (tape, tape::key(&body)));
            if let Some((tape, key)) = &taping {
                match tape.find(key) {
                    Some((came, took)) => {
                        // The world went on meanwhile, and is to go on as far.
                        let waited = tokio::time::timeout_at(end, tokio::time::sleep(took)).await;
                        thought.taped += 1;
                        waited.map_err(|_| timeout())?;
                        match came {
                            Came::Reply(taped) => {
                                thought.taped_usage.add(taped.usage);
                                thought.taped_cost_micros += taped.cost_micros;
                                let reply = taped.reply();
                                thought.seed_honoured = traits.seed && settings.seed.is_some();
                                thought.text = Some(body::as_it_came(&reply.raw));
                                (thought.request_id, thought.answered_by) = (reply.request_id, reply.model);
                                return Ok((reply.raw, traits.form));
                            }
                            Came::Refused { status, message } => fewer(message, status)?,
                        }
                        continue;
                    }
                    None if wanted == Wanted::Decision => self.check_circuit(model)?,
                    None => {}
                }
            }
            let asked = Instant::now();
            let prompt_tokens = ask.tokens_estimated(prompt);
            let reservation = self
                .reserve(price, prompt_tokens, settings.answer_tokens_max)
                .map_err(|spent: Spent| ModelError::Budget(spent.name()))?;
            thought.requests += 1;
            let key = settings.key.as_ref().map(|key| key.0.as_str());
            let sent = tokio::time::timeout_at(end, http::post(&self.shared.line, &body, key)).await;
            let mut inner = self.inner();
            let outcome = match sent {
                Ok(outcome) => outcome,
                Err(_) => {
                    // The endpoint may well go on, and bill it.
                    let (usage, cost) = inner.ledger.forfeit(reservation);
                    thought.used(usage, told.map(|_| cost));
                    return Err(timeout());
                }
            };
            match outcome {
                Ok(reply) => {
                    let took = asked.elapsed();
                    let usage = reply.usage.unwrap_or_else(|| Usage {
                        prompt: prompt_tokens,
                        completion: mind::tokens::count(&body::as_text(&reply.raw)) as u64,
                        ..Usage::default()
                    });
                    let cost = inner.ledger.settle(reservation, price, usage);
                    thought.used(usage, told.map(|_| cost));
                    if let Some((tape, key)) = taping {
                        tape.keep(key, Came::Reply(Taped::of(&reply, usage, cost)), took);
                    }
                    thought.seed_honoured = traits.seed && settings.seed.is_some();
                    thought.text = Some(body::as_it_came(&reply.raw));
                    (thought.request_id, thought.answered_by) = (reply.request_id, reply.model);
                    return Ok((reply.raw, traits.form));
                }
                Err(http::Failed::Refused(status, message)) => {
                    inner.ledger.release(reservation);
                    drop(inner);
                    if let Some((tape, key)) = taping {
                        let came = Came::Refused { status, message: message.clone() };
                        tape.keep(key, came, asked.elapsed());
                    }
                    fewer(message, status)?;
                }
                Err(http::Failed::Error { error, billed }) => {
                    if billed {
                        let (usage, cost) = inner.ledger.forfeit(reservation);
                        thought.used(usage, told.map(|_| cost));
                    } else {
                        inner.ledger.release(reservation);
                    }
                    return Err(error);
                }
            }
        }
        Err(ModelError::Status {
            status: 400,
            message: "it refuses every form of a request that is known here.".into(),
        })
    }
}
