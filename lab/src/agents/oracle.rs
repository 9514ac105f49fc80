//! Who answers a player's questions: the stub's policies, asked in-process.
//!
//! `utility` and `plain` ask the policy alone; `modelled` puts the client's own `Model` (its deadline, repairs,
//! fallback and circuit) and the stub's own endpoint in between, on a clock that stands still but for what the two wait
//! for.
//! Invariant: an answer follows from seed, prompts and times.

use agent_cli::model::http::{PendingResponse, StandIn};
use agent_cli::model::{Model, ModelSettings};
use agent_cli::stub::policy::{Adversarial, Fault, Policy, Utility};
use agent_cli::stub::{self, LocalEndpoint, StubOptions};
use agent_cli::thought::Thought;
use mind::prompt::Prompt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long an answer may take: the default of `deadline_ms`.
const DEADLINE: Duration = Duration::from_secs(10);

/// Answers a player's questions, asked at this time; the thought says how long it takes.
pub type Oracle = Box<dyn FnMut(&Prompt, u64) -> Thought>;

/// The stub's utility policy. `latency_ms` is how long each thought takes.
pub fn utility(seed: u64, who: String, latency_ms: u64) -> Oracle {
    plain(Box::new(Utility::new(seed)), who, latency_ms)
}

/// Any policy of the stub, asked without a wire.
pub fn plain(mut policy: Box<dyn Policy>, who: String, latency_ms: u64) -> Oracle {
    let settings = ModelSettings::default();
    let latency = Duration::from_millis(latency_ms);
    Box::new(move |prompt, _| stub::think(&mut *policy, &settings, &who, prompt, latency, false))
}

/// What an endpoint does while it is out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Out {
    /// Nobody listens there
    #[default]
    Refused,
    /// It takes requests, and never answers
    Silent,
}

/// When an endpoint is out, in minutes of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outage {
    pub from_minute: u64,
    pub to_minute: u64,
    pub out: Out,
}

/// An endpoint that is out at times.
struct Failing {
    endpoint: LocalEndpoint,
    outage: Option<Outage>,
    begun: Instant,
}

impl StandIn for Failing {
    fn send(&self, body: Vec<u8>) -> PendingResponse {
        let minute = self.begun.elapsed().as_secs() / 60;
        match self.outage {
            Some(outage) if (outage.from_minute..outage.to_minute).contains(&minute) => match outage.out {
                Out::Refused => Box::pin(std::future::ready(None)),
                Out::Silent => Box::pin(std::future::pending()),
            },
            _ => self.endpoint.send(body),
        }
    }
}

/// A policy of the stub behind its endpoint, asked as `dp-agent` asks, in the time of the game.
pub fn modelled(policy: Box<dyn Policy>, who: &str, latency_ms: u64, outage: Option<Outage>) -> anyhow::Result<Oracle> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let model = {
        let _clock = runtime.enter();
        let endpoint = LocalEndpoint::new(policy, StubOptions { latency_ms, ..StubOptions::default() });
        let failing = Failing { endpoint, outage, begun: Instant::now() };
        Model::inside(ModelSettings::default(), Arc::new(failing))?.for_agent(who)
    };
    let begun = runtime.block_on(async { Instant::now() });
    Ok(Box::new(move |prompt, now_ms| {
        runtime.block_on(async {
            let here = begun + Duration::from_millis(now_ms);
            tokio::time::advance(here.saturating_duration_since(Instant::now())).await;
            model.decide(prompt, DEADLINE).await
        })
    }))
}

/// The stub's adversary with one fault, or with all of them in turn and a sensible answer now and then.
pub fn adversary(seed: u64, fault: Option<Fault>) -> Box<dyn Policy> {
    match fault {
        Some(fault) => Box::new(Adversarial::new(seed).only(fault)),
        None => Box::new(Mixed { adversary: Adversarial::new(seed), utility: Utility::new(seed), turn: 0 }),
    }
}

/// Every fourth answer is one of a policy that plays.
struct Mixed {
    adversary: Adversarial,
    utility: Utility,
    turn: u64,
}

impl Policy for Mixed {
    fn reply(&mut self, body: &serde_json::Value) -> stub::Reply {
        self.turn += 1;
        if self.turn.is_multiple_of(4) { self.utility.reply(body) } else { self.adversary.reply(body) }
    }
}
