//! What follows from a log: the workspace (task, decisions, notes, steps, blockers, errors) and the core memory.
//!
//! Invariant: `project` is a pure function of state and entry, and idempotent: an entry that was applied already, or is
//! older, changes nothing. An event that names what is not there changes nothing either, so every log has a state.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The state after the entry `seq`; 0: nothing yet.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MindState {
    pub seq: u64,
    pub task: Option<Task>,
    pub decisions: Vec<Decision>,
    pub notes: Vec<Note>,
    /// In the order in which they are to be done.
    pub steps: Vec<Step>,
    pub blockers: Vec<Note>,
    pub errors: Vec<Trouble>,
    pub memory: CoreMemory,
    /// The last compaction folded entries up to here; 0: none yet.
    pub compacted: u64,
    pub compactions: u32,
    pub context: Option<Context>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Task {
    pub id: u64,
    pub text: String,
    /// Tick of the last change.
    pub tick: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Decision {
    pub id: u64,
    pub summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    pub tick: u64,
}

/// A note or a blocker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Note {
    pub id: u64,
    pub text: String,
    pub tick: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub id: u64,
    pub text: String,
    pub done: bool,
    pub tick: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trouble {
    pub id: u64,
    pub message: String,
    pub resolved: bool,
    pub tick: u64,
}

/// How full the last prompt was.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Context {
    pub tokens: u32,
    pub budget: u32,
    pub tick: u64,
}

/// The document that an agent writes for itself: a tree of objects, addressed by dot paths (`people.Bob.trust`), with
/// weights beside it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CoreMemory {
    pub doc: Map<String, Value>,
    /// By path, 0..=1; what has none counts 0.5.
    pub weights: BTreeMap<String, f64>,
}
