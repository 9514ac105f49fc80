//! Where a line of the agent comes from.

use crate::record::{Counsel, InjectedMemory, Source, Tokens};

/// Who decided, and what it cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Origin {
    /// Its row in the session log.
    pub decision: u64,
    pub source: Source,
    pub name: String,
    /// Which model answered, as its endpoint says; `None` where it did not, or none was asked.
    pub answered_by: Option<String>,
    /// What was said about it, as the game's records are told: the model's commentary, else the name.
    pub reason: String,
    pub latency_ms: u64,
    pub tokens: Tokens,
    /// `None`: not known.
    pub cost_micros: Option<u64>,
    pub memories: Vec<InjectedMemory>,
    pub bootstrap_tokens: u64,
    /// SHA-256 of the prompt in which it was decided.
    pub prompt: Option<String>,
    /// How several minds came to it.
    pub counsel: Counsel,
}

impl Default for Origin {
    fn default() -> Origin {
        Origin {
            decision: 0,
            source: Source::Policy,
            name: String::new(),
            answered_by: None,
            reason: String::new(),
            latency_ms: 0,
            tokens: Tokens::default(),
            cost_micros: Some(0),
            memories: Vec::new(),
            bootstrap_tokens: 0,
            prompt: None,
            counsel: Counsel::default(),
        }
    }
}

impl Origin {
    /// The same for the lines behind the first: what a decision took, and how it came about, is told once.
    pub fn told(self) -> Origin {
        Origin { tokens: Tokens::default(), cost_micros: Some(0), counsel: Counsel::default(), ..self }
    }

    pub fn memory_ids(&self) -> Vec<&str> {
        self.memories.iter().map(|memory| memory.memory_id.as_str()).collect()
    }
}
