//! What the agent gets from a language model: an answer or why there is none, and what it cost.
//!
//! Plain data between the model's client, which waits for the network, and `agent`, which never waits. Invariant: knows
//! no sockets and no clock.

use crate::answer::{Answer, AnswerPath};
use crate::ledger::Usage;
use crate::record::Counsel;
use mind::fold::StoryNames;
use mind::story::{Reworded, Span, StoryLine};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a call to the model came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Thought {
    pub answer: Result<Answer, ModelError>,
    /// Of all requests of this decision: the first, a repair, the fallback.
    pub usage: Usage,
    /// Millionths of the currency that the prices are in. `None`: a request went to a model without a price.
    pub cost_micros: Option<u64>,
    /// What the model wrote last, as it came; `None` where nothing came.
    pub text: Option<String>,
    /// The endpoint's name for that answer, if it sent one.
    pub request_id: Option<String>,
    /// How the answer was read; `None` when there is none.
    pub path: Option<AnswerPath>,
    /// The model that was asked last, by the name that it was asked by.
    pub model: String,
    /// Which model answered, as its endpoint says: behind a proxy or a stub it may be another. `None`: it did not say.
    pub answered_by: Option<String>,
    pub latency: Duration,
    /// Repair turns: 0 or 1.
    pub repairs: u32,
    /// HTTP requests that were made.
    pub requests: u32,
    /// Requests that a tape answered instead.
    pub taped: u32,
    /// What those took when they were asked, which nobody pays for again; prompts tell it, to be the same bytes again.
    pub taped_usage: Usage,
    pub taped_cost_micros: u64,
    /// The endpoint was sent `seed` and did not refuse it.
    pub seed_honoured: bool,
    /// How it came about, where more than one call was made for it.
    pub counsel: Counsel,
}

/// The story of a fold that a model is to say in other words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Retelling {
    pub span: Span,
    pub lines: Vec<StoryLine>,
    /// Who and what is named in what the fold dropped.
    pub names: StoryNames,
    /// How it is told to.
    pub task: String,
}

/// Words for a line of a story that may not stand for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RefusedWords {
    pub of: String,
    pub words: String,
    pub why: String,
}

/// What came of a retelling: no words are in it that were not judged.
#[derive(Clone, PartialEq, Debug)]
pub struct Retold {
    pub span: Span,
    /// The model that answered, or was asked last.
    pub model: String,
    pub lines: Vec<Reworded>,
    pub refused: Vec<RefusedWords>,
    /// Why there are none at all.
    pub error: Option<ModelError>,
    pub usage: Usage,
    /// `None`: a request went to a model without a price.
    pub cost_micros: Option<u64>,
}

/// Why there is no answer. `Display` is the sentence for people.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModelError {
    #[error("The model gave no answer within {0} ms.")]
    Timeout(u64),
    #[error("The model's endpoint cannot be reached: {0}.")]
    Unreachable(String),
    #[error("The model's endpoint answered with status {status}: {message}")]
    Status { status: u16, message: String },
    #[error("The model's endpoint asks to wait for {0} ms.")]
    Waiting(u64),
    #[error("The connection to the model broke off in the middle of an answer: {0}.")]
    BrokenOff(String),
    #[error("The model's endpoint sent something that is no chat completion: {0}.")]
    NoCompletion(String),
    #[error("The model's answer could not be used: {0}")]
    Unusable(String),
    #[error("What is left of the budget of {0} is too little for another question.")]
    Budget(&'static str),
    #[error("The model is left alone for {0} ms after repeated failures.")]
    Resting(u64),
}

impl Thought {
    /// Before anything came of it.
    pub fn begun(model: &str) -> Thought {
        Thought {
            answer: Err(ModelError::Timeout(0)),
            usage: Usage::default(),
            cost_micros: Some(0),
            text: None,
            request_id: None,
            path: None,
            model: model.to_string(),
            answered_by: None,
            latency: Duration::ZERO,
            repairs: 0,
            requests: 0,
            taped: 0,
            taped_usage: Usage::default(),
            taped_cost_micros: 0,
            seed_honoured: false,
            counsel: Counsel::default(),
        }
    }

    /// A request used so much, at that cost, if its model has a price.
    pub fn used(&mut self, usage: Usage, cost_micros: Option<u64>) {
        self.usage.add(usage);
        if usage != Usage::default() {
            self.cost_micros = self.cost_micros.zip(cost_micros).map(|(sum, more)| sum + more);
        }
    }
}
