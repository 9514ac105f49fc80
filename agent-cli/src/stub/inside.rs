//! Asking a policy without a wire: what a simulation does, at the speed of the machine.

use super::policy::{Policy, Reply};
use super::toon;
use super::usage::Counter;
use crate::answer::{self, Answer, RawReply};
use crate::ledger::Usage;
use crate::model::{Form, ModelSettings, parts_body, request_body};
use crate::thought::{ModelError, Thought};
use mind::prompt::Prompt;
use std::time::Duration;

/// What `Model::decide` would give with this policy behind the endpoint, without repairs. Deterministic; `latency` is
/// what the caller says that it took. The tokens are counted only if asked for: it is the dearest part.
pub fn think(
    policy: &mut dyn Policy,
    settings: &ModelSettings,
    who: &str,
    prompt: &Prompt,
    latency: Duration,
    count: bool,
) -> Thought {
    let mut counter = count.then(Counter::default);
    think_with(policy, counter.as_mut(), settings, who, prompt, latency)
}

/// The same with tokens as a provider counts them that keeps what was asked before: what a prompt shares with the one
/// before it is cached.
pub fn think_counted(
    policy: &mut dyn Policy,
    counter: &mut Counter,
    settings: &ModelSettings,
    who: &str,
    prompt: &Prompt,
    latency: Duration,
) -> Thought {
    think_with(policy, Some(counter), settings, who, prompt, latency)
}

fn think_with(
    policy: &mut dyn Policy,
    counter: Option<&mut Counter>,
    settings: &ModelSettings,
    who: &str,
    prompt: &Prompt,
    latency: Duration,
) -> Thought {
    let body = request_body(settings, who, prompt);
    let reply = toon::in_the_form_asked_for(&body, policy.reply(&body));
    let mut usage = Usage::default();
    let (mut path, mut text) = (None, None);
    let answer = match reply {
        Reply::Answer(said) | Reply::Stall { said, .. } => {
            if let Some(counter) = counter {
                usage = counter.count(&body, &said.content);
            }
            text = Some(said.content.clone());
            let raw = RawReply {
                content: said.content,
                asked_schema: settings.form == Form::Schema,
                asked_toon: settings.form == Form::Toon,
                cut: said.cut,
                offer: prompt.offer.clone(),
                ..RawReply::default()
            };
            match answer::read(&raw) {
                Ok((mut answer, how)) => {
                    path = Some(how);
                    if let Some(goal) = answer.split.take() {
                        split(policy, settings, who, prompt, &raw.content, &goal, &mut answer);
                    }
                    Ok(answer)
                }
                Err(error) => Err(ModelError::Unusable(error.to_string())),
            }
        }
        Reply::Raw(_) => Err(ModelError::NoCompletion("it is no completion".into())),
        Reply::Status { retry_after_s: Some(seconds), .. } => Err(ModelError::Waiting(seconds * 1_000)),
        Reply::Status { status, message, .. } => Err(ModelError::Status { status, message }),
        Reply::Dying(_) => Err(ModelError::BrokenOff("the stub let it die".into())),
    };
    let price = settings.prices.of(&settings.model_fast);
    Thought {
        answer,
        usage,
        cost_micros: match price {
            None if usage == Usage::default() => Some(0),
            price => price.map(|price| price.of(usage)),
        },
        text,
        request_id: None,
        path,
        model: settings.model_fast.clone(),
        answered_by: None,
        latency,
        repairs: 0,
        requests: 1,
        taped: 0,
        taped_usage: Usage::default(),
        taped_cost_micros: 0,
        seed_honoured: settings.seed.is_some(),
        counsel: Default::default(),
    }
}

/// Asks into what a goal is split, and adds that to the answer.
fn split(
    policy: &mut dyn Policy,
    settings: &ModelSettings,
    who: &str,
    prompt: &Prompt,
    answered: &str,
    goal: &str,
    answer: &mut Answer,
) {
    let body = parts_body(settings, who, prompt, answered, goal);
    let parts = match policy.answer(&body) {
        Reply::Answer(said) | Reply::Stall { said, .. } => {
            let raw = RawReply { content: said.content, offer: prompt.offer.clone(), ..RawReply::default() };
            answer::read_parts(goal, &raw).map_err(|error| error.to_string())
        }
        _ => Err("your model gave no answer".to_string()),
    };
    match parts {
        Ok(line) => answer.actions.push(line),
        Err(why) => answer.dropped.push(format!("Goal {goal} was not split: {why}")),
    }
}
