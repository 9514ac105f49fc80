//! One line of the session log: a turn, which is one command and what came of it.
//!
//! The first ten fields are those of the published session log; the rest is the fuller record that experiments read.
//! Fields are added, never renamed.

use serde::{Deserialize, Serialize};

pub const SCHEMA_VERSION: u32 = 1;

/// What decided.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Reflex,
    /// Eating, drinking, light, gear, getting up.
    Upkeep,
    Policy,
    Model,
}

impl Source {
    pub const fn name(self) -> &'static str {
        match self {
            Source::Reflex => "reflex",
            Source::Upkeep => "upkeep",
            Source::Policy => "policy",
            Source::Model => "model",
        }
    }
}

/// What moved the agent to act. Source: the record's list, and two for the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stimulus {
    EntityEnteredRoom,
    PlayerSpoke,
    CombatStarted,
    ItemLooted,
    DamageTaken,
    EntityDied,
    /// It came into another room.
    RoomEntered,
    /// Nothing in particular: time went by.
    #[default]
    Tick,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Decision {
    pub source: Source,
    /// The reflex or policy by name; the model's name.
    pub by: String,
    pub command: String,
    pub args: Vec<String>,
}

/// A memory that was in the prompt of a decision.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InjectedMemory {
    /// As the server names it: `event:17`. `memory_summary` is the story as a whole.
    pub memory_id: String,
    /// `bootstrap` and `summary` came at the login, `recalled` in the situation.
    #[serde(rename = "type")]
    pub kind: String,
    /// −3..=3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valence: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_sessions: Option<u32>,
    /// Of the world's time, when it was handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_hours: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Vitals {
    pub hp: i32,
    pub max_hp: i32,
}

/// Tokens of the model call that brought the decision; all 0 for reflexes and policies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tokens {
    pub prompt: u64,
    pub cached: u64,
    pub cache_written: u64,
    pub completion: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TurnRecord {
    /// RFC 3339, UTC, of the moment the command was sent.
    pub timestamp: String,
    pub room_vnum: i32,
    pub room_name: String,
    pub hp: i32,
    pub max_hp: i32,
    pub agent_level: i32,
    pub mobs_present: usize,
    /// Name of the opponent; null out of fights.
    pub fighting: Option<String>,
    /// The whole line that was sent.
    pub action: String,
    /// From when the decision began to when it was sent: the model's time, or almost none.
    pub latency_ms: u64,

    pub schema_version: u32,
    /// From 1.
    pub turn_number: u64,
    pub at_ms: u64,
    pub session_elapsed_minutes: f64,
    pub stimulus_type: Stimulus,
    pub decision: Decision,
    pub target_entity: Option<String>,
    /// Players known to be here.
    pub agents_present: Vec<String>,
    pub memory_injected: Vec<InjectedMemory>,
    /// Tokens of memory texts in the prompt of the decision.
    pub bootstrap_tokens: u64,
    pub tokens: Tokens,
    /// Money of the model call, in the unit of the configured prices.
    pub cost: f64,
    /// `ok`, `refused: …`, `rate_limited`, `no answer`.
    pub outcome: String,
    /// Milliseconds from the command to its outcome.
    pub answer_ms: u64,
    /// Change of experience and gold until the outcome.
    pub exp_gained: i64,
    pub gold_gained: i64,
    pub agent_state: Vitals,
    /// A fight ended since the turn before: `killed` or `died`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combat_result: Option<String>,
    /// Whom the agent killed, or who killed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combat_target: Option<String>,
    /// The level of that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mob_level: Option<u16>,
    /// 0 where recording of valence is off; null where nothing has appraised the turn yet.
    pub valence: Option<i32>,
}

/// RFC 3339 in UTC with milliseconds, of unix milliseconds.
pub fn timestamp(unix_ms: u64) -> String {
    let ms = i64::try_from(unix_ms).unwrap_or(i64::MAX);
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(at) => format!("{at:.3}"),
        Err(_) => String::new(),
    }
}
