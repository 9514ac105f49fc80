//! `mind` frames of kind `status`: how an agent stands, in the shape of the document on self-management, with what a
//! server adds at the end.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Status {
    pub success: bool,
    /// RFC 3339, of the world's clock.
    pub timestamp: String,
    pub token_usage: TokenUsage,
    pub token_advisory: TokenAdvisory,
    pub loop_state: LoopState,
    pub session_metrics: SessionMetrics,
    pub chain_state: ChainState,
    /// Money that the session cost so far, where its client told it.
    #[serde(default)]
    pub cost: Option<f64>,
    #[serde(default)]
    pub errors_open: usize,
    #[serde(default)]
    pub log: LogSize,
    /// What prompts would take in other formats, where the client told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formats: Option<Formats>,
}

/// Of the newest prompt; zeros where none was measured.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    pub estimated_used: u32,
    pub model_limit: u32,
    pub available: u32,
    pub usage_percentage: f64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TokenAdvisory {
    /// `normal`, `warning` or `critical`.
    pub level: String,
    pub message: String,
    /// Percent, from which or above which the next level is; of `critical`, that above which it is.
    pub threshold: u8,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LoopState {
    pub iteration: u32,
    pub max_iterations: u32,
    pub tools_this_cycle: Vec<String>,
    pub tool_count_this_cycle: usize,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SessionMetrics {
    pub total_tool_calls: u64,
    pub successful_calls: u64,
    pub failed_calls: u64,
    /// RFC 3339; empty where the client did not tell it.
    pub session_start: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ChainState {
    pub in_chain: bool,
    pub chain_depth: u32,
    pub pending_tools: Vec<String>,
}

/// Entries of a log: in the table, and in archives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LogSize {
    pub hot: u64,
    pub archived: u64,
}

/// What prompts that were measured take in each format, together.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Formats {
    pub samples: u64,
    /// By format; a number each.
    pub tokens: Map<String, Value>,
    /// What the format in use takes less than `json`, of 100.
    pub saved_percent: f64,
}
