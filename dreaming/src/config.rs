//! What a dream depends on besides the log. The terms are kept in the graph: a graph made on other terms is made anew.

pub use mind::legacy::Inherited;
use serde::{Deserialize, Serialize};

/// Where valences come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Valence {
    /// What was recorded; by the table where nothing was.
    #[default]
    Recorded,
    /// By the table, whatever was recorded: undoes an ablation.
    Recompute,
    /// 0 throughout: the ablation.
    Flat,
}

impl std::str::FromStr for Valence {
    type Err = String;

    fn from_str(text: &str) -> Result<Valence, String> {
        match text {
            "recorded" => Ok(Valence::Recorded),
            "recompute" => Ok(Valence::Recompute),
            "flat" => Ok(Valence::Flat),
            _ => Err(format!("{text:?} is no way to take valences: say recorded, recompute or flat")),
        }
    }
}

/// The numbers that shape a graph.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    pub valence: Valence,
    /// What a neutral memory loses in a night, 0..1. One that is felt loses as much in 1 + |valence| nights.
    pub decay_rate: f64,
    /// Below this salience a memory is gone.
    pub prune_threshold: f64,
    /// Salience won by a new encounter.
    pub reinforce_bonus: f64,
    /// Milliseconds of silence after which a new session begins, and a meeting counts as a new one.
    pub session_gap_ms: i64,
    /// Minutes east of UTC of the calendar that nights and dates go by.
    pub utc_offset_minutes: i32,
    /// Importance gathered after which it reflects.
    pub reflect_above: u32,
    /// Most event nodes kept over a night; the weakest go first.
    pub events_max: usize,
    /// Nights that a fact is kept after it ended.
    pub ended_facts_nights: i32,
    /// Nights that a fact is kept which nothing has confirmed.
    pub open_facts_nights: i32,
    /// Whether ticks are the game's own, so that dates of its calendar can be told.
    pub game_dates: bool,
}

impl Default for Terms {
    /// Source: the specification's consolidation table; agent-mind §1 row 21, §9.
    fn default() -> Terms {
        Terms {
            valence: Valence::Recorded,
            decay_rate: 0.1,
            prune_threshold: 0.05,
            reinforce_bonus: 0.2,
            session_gap_ms: 30 * 60 * 1000,
            utc_offset_minutes: 0,
            reflect_above: 150,
            events_max: 200_000,
            ended_facts_nights: 60,
            open_facts_nights: 365,
            game_dates: true,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The name of the character, as people write it.
    pub agent: String,
    pub terms: Terms,
    /// The last night to sleep through: days since 1970-01-01 in the calendar of the terms. Later records wait.
    pub through: i32,
    pub summary_tokens_max: usize,
    pub inherit: Vec<Inherited>,
}

/// Tokens of a summary. Source: agent-mind §5.
pub const SUMMARY_TOKENS: usize = 500;
/// The same in the small tier.
pub const SUMMARY_TOKENS_SMALL: usize = 200;

impl Config {
    pub fn new(agent: &str, through: i32) -> Config {
        Config {
            agent: agent.to_string(),
            terms: Terms::default(),
            through,
            summary_tokens_max: SUMMARY_TOKENS,
            inherit: Vec::new(),
        }
    }
}
