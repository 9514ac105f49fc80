//! What went through a mind and was no act, with the layer of whoever plays a character: the AI that plays, or the
//! character that is played.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// Of it nobody in the game knows.
    Ai,
    Character,
}

impl Layer {
    pub const ALL: [Layer; 2] = [Layer::Ai, Layer::Character];

    /// As verbs, answers and logs call it.
    pub fn word(self) -> &'static str {
        match self {
            Layer::Ai => "ai",
            Layer::Character => "character",
        }
    }

    /// By its word, in any case.
    pub fn named(word: &str) -> Option<Layer> {
        Layer::ALL.into_iter().find(|layer| layer.word().eq_ignore_ascii_case(word))
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Thought {
    pub id: u64,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    pub tick: u64,
}
