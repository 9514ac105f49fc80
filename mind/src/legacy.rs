//! What is handed down: what somebody learned, whole, so that an heir needs nothing of the log that it came from.
//!
//! Minds write it into the heir's log (`Event::LegacyReceive`); what it becomes there is for the crate `dreaming`.

use serde::{Deserialize, Serialize};

/// Items of one entry at most, so that it fits into a frame.
pub const ITEMS_MAX: usize = 16;
/// Items that the log of one heir keeps at most: some ten legacies.
pub const KEPT_MAX: usize = 2_000;
/// Characters of an item's text, and seqs that it stands on.
pub const TEXT_MAX: usize = 600;
pub const EVIDENCE_MAX: usize = 100;
/// Characters of an id, and of a class.
const ID_MAX: usize = 200;

/// What sort of memory it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// An insight: says what its tally holds, drawn anew with each record.
    #[default]
    Counted,
    /// Says why, by the outcomes that it cites.
    Why,
    /// Says that nobody knows why. Never handed down.
    Unknown,
    /// What insights of several have in common.
    Principle,
    /// Something that happened to somebody else, handed down.
    Observation,
}

/// What an insight comes down to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    TooStrong,
    Hard,
    Costly,
    Won,
    Dangerous,
    Mixed,
    Good,
}

/// One memory that is handed down.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Inherited {
    /// Who found it, as people write the name.
    pub agent: String,
    /// Its id in the graph that it comes from.
    pub id: String,
    pub text: String,
    /// Seqs of the log of that agent that it stands on, rising.
    pub evidence: Vec<u64>,
    pub valence: f64,
    /// How many hands it has gone through.
    pub wisdom: u32,
    /// Of whoever found it: 0 for one who had inherited nothing.
    pub generation: u32,
    pub sort: Sort,
    /// The world's tick and the time, unix milliseconds, at which it was received. Whoever reads the entry knows them.
    #[serde(skip)]
    pub received: Option<(u64, i64)>,
    /// Of an insight: the key of whom or what it is about, the class that is part of, and what it comes down to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub class: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

impl Inherited {
    /// What is wrong with it, in a sentence: a legacy may come from a file that somebody damaged.
    pub fn check(&self) -> Result<(), String> {
        let what = || format!("{} of {}", self.id.chars().take(60).collect::<String>(), self.agent);
        protocol::names::check_name(&self.agent).map_err(|_| format!("{:?} is no name of an author", self.agent))?;
        let unsafe_text = |text: &str| text.chars().any(protocol::names::is_unsafe);
        if self.id.is_empty() || self.id.chars().count() > ID_MAX || self.class.chars().count() > ID_MAX {
            return Err(format!("{} has no possible id", what()));
        }
        if [&self.id, &self.text, &self.about, &self.class].iter().any(|text| unsafe_text(text)) {
            return Err(format!("{} holds control characters", what()));
        }
        if self.text.trim().is_empty() || self.text.chars().count() > TEXT_MAX {
            return Err(format!("{} says nothing, or more than {TEXT_MAX} characters", what()));
        }
        if self.evidence.is_empty() || self.evidence.len() > EVIDENCE_MAX {
            return Err(format!("{} stands on nothing, or on more than {EVIDENCE_MAX} entries", what()));
        }
        if !self.valence.is_finite() || self.valence.abs() > 3.0 {
            return Err(format!("{} has no possible valence", what()));
        }
        match self.sort {
            Sort::Unknown => Err(format!("{} says that nobody knows, which is not handed down", what())),
            _ => Ok(()),
        }
    }
}
