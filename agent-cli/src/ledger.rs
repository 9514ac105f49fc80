//! What thinking costs: tokens and money, by decision and in total, with hard limits.
//!
//! Money is kept in millionths of the currency that the prices are in, as whole numbers: a price of 1 per million
//! tokens is one millionth per token. Invariant: a call is made only when the most that it can cost is still within
//! the limits; that much is reserved until the call is over.

use serde::{Deserialize, Serialize};

/// Tokens of one or several calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// All tokens of the prompt, the cached ones included.
    pub prompt: u64,
    /// Of those, read from the provider's cache.
    pub cached: u64,
    /// Of those, written to the provider's cache.
    pub cache_written: u64,
    pub completion: u64,
}
