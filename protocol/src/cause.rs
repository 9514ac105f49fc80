//! Which of its own commands something that a client is told follows from.
//!
//! Invariant: only clients that send an `id` with their commands are told: the frames of all others are as they were.

use serde::{Deserialize, Serialize};

/// Which of the reader's own commands an entry of `EVENTS` or an `event` frame follows from. On the wire the members
/// `cause_id` and `cause_input` beside the others. Only clients that send an `id` with their commands are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cause {
    /// As the client sent it. Absent for a command of an earlier connection, or of very long ago.
    #[serde(rename = "cause_id", default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// Number of the world's input that brought the command, as in the records of decisions.
    #[serde(rename = "cause_input")]
    pub input: u64,
}

impl Cause {
    /// Appends the object `data` with these members more.
    pub fn append_to(self, data: &str, out: &mut String) {
        use std::fmt::Write as _;
        debug_assert!(data.starts_with('{') && data.ends_with('}') && data.len() > 2, "{data} has no members");
        out.push_str(&data[..data.len() - 1]);
        if let Some(id) = self.id {
            write!(out, ",\"cause_id\":{id}").expect("a String takes all");
        }
        write!(out, ",\"cause_input\":{}}}", self.input).expect("a String takes all");
    }
}
