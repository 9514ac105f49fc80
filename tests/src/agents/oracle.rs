//! Who answers a player's questions: the stub's policies, asked in-process with the body that would go over the wire.

use super::play::Oracle;
use agent_cli::model::ModelSettings;
use agent_cli::stub::{self, policy::Utility};
use std::time::Duration;

/// The stub's utility policy. `latency_ms` is what the thought says that it took.
pub fn utility(seed: u64, who: String, latency_ms: u64) -> Oracle {
    let mut policy = Utility::new(seed);
    let settings = ModelSettings::default();
    Box::new(move |prompt| stub::think(&mut policy, &settings, &who, prompt, Duration::from_millis(latency_ms), false))
}
