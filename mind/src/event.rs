//! What an agent's log holds: one `LogEntry` after the other, each numbered, none ever changed.
//!
//! Kinds are added, never renamed: a log outlives the program that wrote it. An id that an event names is the number
//! (`seq`) of the entry that made the thing.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kind of entries that are records of what happened: [`Event::Happening`].
pub const HAPPENING: &str = "happening";

/// One entry of a log, the same from the core to the database and in the frames of programs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LogEntry {
    /// Rises within the log of a character; given out by the world, so that a replay gives the same.
    pub seq: u64,
    /// The world's tick at which it happened.
    pub tick: u64,
    /// When it happened, unix milliseconds.
    pub at_ms: i64,
    /// Number of the world's input that brought it; `turn` on the wire and in files.
    #[serde(rename = "turn")]
    pub input: u64,
    pub event: Event,
}

impl LogEntry {
    /// The world wrote it: something happened to the character. All else comes of what the mind was asked.
    pub fn is_record(&self) -> bool {
        matches!(self.event, Event::Happening(_))
    }
}

/// What happened in a mind. Texts are clean of control characters; they are the agent's own words.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum Event {
    /// A new task, with nothing done of it yet.
    #[serde(rename = "task.set")]
    TaskSet { text: String },
    /// The same task in better words.
    #[serde(rename = "task.update")]
    TaskUpdate { text: String },
    #[serde(rename = "task.done")]
    TaskDone,
    #[serde(rename = "decision.record")]
    DecisionRecord {
        summary: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<String>,
    },
    #[serde(rename = "decision.remove")]
    DecisionRemove { id: u64 },
    #[serde(rename = "note.add")]
    NoteAdd { text: String },
    #[serde(rename = "note.update")]
    NoteUpdate { id: u64, text: String },
    #[serde(rename = "note.remove")]
    NoteRemove { id: u64 },
    #[serde(rename = "step.add")]
    StepAdd { text: String },
    #[serde(rename = "step.complete")]
    StepComplete { id: u64 },
    /// `place` counts from 1 in the list as it is.
    #[serde(rename = "step.reorder")]
    StepReorder { id: u64, place: u32 },
    #[serde(rename = "step.remove")]
    StepRemove { id: u64 },
    #[serde(rename = "error.encountered")]
    ErrorEncountered { message: String },
    #[serde(rename = "error.resolved")]
    ErrorResolved { id: u64 },
    #[serde(rename = "blocker.add")]
    BlockerAdd { text: String },
    #[serde(rename = "blocker.remove")]
    BlockerRemove { id: u64 },
    /// `weight` 0..=1, how much it matters when there is not room for all.
    #[serde(rename = "memory.set")]
    MemorySet {
        path: String,
        value: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weight: Option<f64>,
    },
    #[serde(rename = "memory.append")]
    MemoryAppend { path: String, value: Value },
    #[serde(rename = "memory.delete")]
    MemoryDelete { path: String },
    /// How full a prompt was: tokens of budget.
    #[serde(rename = "context.snapshot")]
    ContextSnapshot { tokens: u32, budget: u32 },
    /// A compaction begins: what the state was, whole.
    #[serde(rename = "compact.before")]
    CompactBefore { state: Value },
    /// A compaction is done: entries up to `upto` are folded into the snapshot that prompts begin with.
    #[serde(rename = "compact.after")]
    CompactAfter { upto: u64 },
    /// Something truly happened to the character; the engine says so.
    #[serde(rename = "happening")]
    Happening(Box<protocol::happening::Happening>),
    /// One that this build does not know; it changes nothing here and is kept in the log.
    #[serde(other)]
    Other,
}

#[cfg(test)]
mod tests {
    #[test]
    fn records_are_of_the_kind_that_the_constant_names() {
        let who = protocol::outcome::Who {
            id: "ann".into(),
            name: "Ann".into(),
            kind: protocol::outcome::WhoKind::Player,
            level: 1,
        };
        let happening = protocol::happening::Happening {
            what: protocol::happening::What::LevelGained { who, level: 2 },
            role: protocol::happening::Role::Did,
            room: protocol::happening::Place { vnum: 1, name: "Here".into() },
            witnesses: Vec::new(),
            social_event_id: None,
            novel: false,
            valence: None,
        };
        let value = serde_json::to_value(super::Event::Happening(Box::new(happening))).expect("string keys only");
        assert_eq!(value["kind"], super::HAPPENING);
    }
}
