//! What a fold of a prompt tells of what it drops: the shapes, which the log holds. `fold.rs` makes them.

use serde::{Deserialize, Serialize};

/// Who wanted a compaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// Whoever typed it.
    #[default]
    Asked,
    /// A client whose prompt was folded.
    Fold,
    /// The server, by its own measure of what a client reads that tells none.
    Server,
}

impl Cause {
    pub(crate) fn is_asked(&self) -> bool {
        *self == Cause::Asked
    }
}

/// One line, with the numbers of the entries that it stands on, rising.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StoryLine {
    pub text: String,
    pub from: Vec<u64>,
}

/// How much a fold took out of a prompt: entries of the log, and what of them was talk and deeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Dropped {
    pub entries: u32,
    pub talk: u32,
    pub deeds: u32,
}

/// What a fold tells of what it drops.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Story {
    pub lines: Vec<StoryLine>,
    pub dropped: Dropped,
}

/// What a fold took out of a prompt, by the numbers of the entries, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Span {
    pub from: u64,
    pub upto: u64,
}
