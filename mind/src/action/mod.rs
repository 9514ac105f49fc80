//! The action vocabulary: what a model may answer, what it is told of that, and the line of the game that it becomes.
//!
//! `table` has one row for each type of action. The schema (`schema`), the text for prompts (`vocabulary`) and reading
//! (`decode`) follow from it. Invariant: a line that comes out of here is what a person could type: one line, without
//! control characters, and its verb is one that this build or the world at hand (`Words`) knows and an agent may give.
//! What is no line is an `Order` to the agent's own body.
//!
//! Only actions whose verbs exist are here. Each operation of the documents is one of a row's names.

use crate::arts::ArtName;
use protocol::payload::Words;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

mod art;
mod decode;
mod fields;
pub mod guide;
mod lines;
mod order;
mod plot;
mod schema;
mod table;
mod vocabulary;

pub use decode::{Decided, FREE_MAX, decide, decode};
pub use lines::{is_free, line_of, makes_agent, order_of, place_of, split_without_parts};
pub use order::{Autopilot, DELEGATE_UNTIL, Destination, Order, POLICIES, PolicyName, TICKS_MAX, Until, WAIT_UNTIL};
pub use schema::{parts_schema, schema, schema_name, tools};
pub use table::{Channels, Field, Kind, ROWS, Row, channel_row, row};
pub use vocabulary::{ChannelActions, of_arts, of_channels, vocabulary};

/// Characters of a line that goes to the server.
pub const LINE_CHARS_MAX: usize = 1_000;
/// Elements of a list that are looked at; a sensible answer has fewer than ten.
const LOOKED_AT_MAX: usize = 32;

/// One decoded action: its row and the texts of its fields, in the row's order; absent ones are `None`.
#[derive(Clone, Debug)]
pub struct Action {
    pub row: &'static Row,
    pub values: Vec<Option<String>>,
    /// A text was too long and ends earlier than it was written.
    pub shortened: bool,
}

impl Action {
    /// The text of a field; `None` where it is absent.
    pub fn value(&self, name: &str) -> Option<&str> {
        let place = self.row.fields.iter().position(|field| field.name == name)?;
        self.values.get(place)?.as_deref()
    }
}

/// What an answer may use beside the verbs of this build.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Offer {
    /// The socials and channels of the world at hand.
    pub words: Arc<Words>,
    /// Its server has channels with numbers, members and messages.
    pub channels: bool,
    /// The server keeps a record of the agent: what it may do to itself and to others like it is told.
    pub has_record: bool,
    /// The agent may make others.
    pub makes_agents: bool,
    /// It may choose between what others proposed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub chooses: bool,
    /// It plays a character, and may tell what either of the two thinks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub layers: bool,
    /// What it knows, and could learn now; empty where nobody told.
    #[serde(skip_serializing_if = "has_none")]
    pub arts: Arc<[ArtName]>,
}

impl Offer {
    /// Of a world without channels that have numbers.
    pub fn of(words: Words) -> Offer {
        Offer { words: Arc::new(words), ..Offer::default() }
    }
}

fn has_none(arts: &Arc<[ArtName]>) -> bool {
    arts.is_empty()
}

/// Why an action cannot be used. `Display` is the sentence that goes back to the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActionError(pub String);

impl std::fmt::Display for ActionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ActionError {}

fn fail<T>(sentence: impl Into<String>) -> Result<T, ActionError> {
    Err(ActionError(sentence.into()))
}

#[cfg(test)]
pub(crate) mod tests;
