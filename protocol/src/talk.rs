//! Words that a character heard or said, as its log keeps them: what was said in full, by whom, and where.
//!
//! Not a happening: nothing is dreamt of it. Kinds are those of the entry, `heard` and `said` (`mind::Event`).

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Longest text that is kept, characters: all that can be said at once in a channel.
pub const TALK_CHARS_MAX: usize = 2_000;

/// Words of somebody else.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Heard {
    /// As the owner of the log knew the speaker; "someone" where it did not.
    #[serde(deserialize_with = "crate::shared::text")]
    pub from: Arc<str>,
    /// `say`, `whisper`, `ask`, `tell`, `group`, a channel of the content by its name, a home or a group by its own.
    #[serde(deserialize_with = "crate::shared::text")]
    pub channel: Arc<str>,
    #[serde(deserialize_with = "crate::shared::text")]
    pub text: Arc<str>,
    /// Where the words are a message of a channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<u64>,
    /// How much was heard and said right before it that was too much to be kept.
    #[serde(default, skip_serializing_if = "is_none")]
    pub missed: u32,
}

/// Own words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Said {
    /// As [`Heard::channel`].
    #[serde(deserialize_with = "crate::shared::text")]
    pub channel: Arc<str>,
    /// Whom they were said to, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Arc<str>>,
    #[serde(deserialize_with = "crate::shared::text")]
    pub text: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<u64>,
    /// As [`Heard::missed`].
    #[serde(default, skip_serializing_if = "is_none")]
    pub missed: u32,
}

/// What a log keeps of talk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Talk {
    Heard(Heard),
    Said(Said),
}

impl Talk {
    pub fn text(&self) -> &str {
        match self {
            Talk::Heard(heard) => &heard.text,
            Talk::Said(said) => &said.text,
        }
    }
}

fn is_none(count: &u32) -> bool {
    *count == 0
}
