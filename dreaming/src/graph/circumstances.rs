//! How things stood when something happened, as far as the records say: what answers to "why" are made of.

use serde::{Deserialize, Serialize};

/// Something that was so or was not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// The owner came hurt: see `consolidate::circumstances`.
    Wounded,
    /// A player who is not the other one stood by.
    Company,
    Night,
    /// The owner had done the other one harm shortly before.
    Wronged,
    /// The owner had given to the other one, or helped, shortly before.
    Favoured,
    /// A step of the plan was another's.
    Shared,
}

impl Condition {
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Conditions of one event. One that the records do not hold is neither so nor not so.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Circumstances {
    known: u8,
    held: u8,
    /// Levels of the other one above the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<i8>,
}

impl Circumstances {
    pub(crate) fn note(&mut self, condition: Condition, held: bool) {
        self.known |= condition.bit();
        self.held = self.held & !condition.bit() | if held { condition.bit() } else { 0 };
    }

    /// Whether it was so; None where the records do not say.
    pub fn was(self, condition: Condition) -> Option<bool> {
        (self.known & condition.bit() != 0).then_some(self.held & condition.bit() != 0)
    }

    pub(crate) fn is_unknown(&self) -> bool {
        *self == Circumstances::default()
    }
}
