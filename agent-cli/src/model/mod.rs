//! The language model as a player's adviser: a prompt goes out, an answer or a typed error comes back, always in time.
//!
//! `Model` is cheap to clone; all clones share one HTTP client, one ledger and one circuit breaker, so that a hundred
//! agents of one process are one customer. `request_body` is pure, for tests and for asking a stub's policy in-process.

use crate::answer::{Answer, AnswerPath};
use crate::ledger::Usage;
use std::time::Duration;

/// What a call to the model came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Thought {
    pub answer: Result<Answer, ModelError>,
    /// Of all requests of this decision: the first, a repair, the fallback.
    pub usage: Usage,
    /// Millionths of the currency that the prices are in.
    pub cost_micros: u64,
    /// How the answer was read; `None` when there is none.
    pub path: Option<AnswerPath>,
    /// The model that answered, or was asked last.
    pub model: String,
    pub latency: Duration,
    /// Repair turns: 0 or 1.
    pub repairs: u32,
    /// HTTP requests that were made.
    pub requests: u32,
    /// The endpoint was sent `seed` and did not refuse it.
    pub seed_honoured: bool,
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
    #[error("The model's answer could not be used, not even after a second try: {0}")]
    Unusable(String),
    #[error("The budget of {0} is used up.")]
    Budget(&'static str),
    #[error("The model is left alone for {0} ms after repeated failures.")]
    Resting(u64),
}
