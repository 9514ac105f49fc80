//! The minds of a character: the body's own, which everybody has, and those of a council.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A mind by its name. Its number is that of its log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MindName {
    /// What happens to the character is in its log, and what its other minds say to each other.
    #[default]
    Body,
    Inner,
    Outer,
    Observer,
}

impl MindName {
    /// In the order of their numbers.
    pub const ALL: [MindName; 4] = [MindName::Body, MindName::Inner, MindName::Outer, MindName::Observer];
    /// Those of a council.
    pub const COUNCIL: [MindName; 3] = [MindName::Inner, MindName::Outer, MindName::Observer];

    pub fn number(self) -> u8 {
        self as u8
    }

    pub fn word(self) -> &'static str {
        match self {
            MindName::Body => "body",
            MindName::Inner => "inner",
            MindName::Outer => "outer",
            MindName::Observer => "observer",
        }
    }

    /// By its word, in any case.
    pub fn named(word: &str) -> Option<MindName> {
        MindName::ALL.into_iter().find(|mind| mind.word().eq_ignore_ascii_case(word))
    }

    pub fn is_body(&self) -> bool {
        *self == MindName::Body
    }
}

impl fmt::Display for MindName {
    /// As people read it: `INNER`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word().to_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mind_has_its_number_and_its_word() {
        for (number, mind) in (0..).zip(MindName::ALL) {
            assert_eq!((mind.number(), MindName::named(mind.word())), (number, Some(mind)));
            assert_eq!(serde_json::to_value(mind).expect("a word"), mind.word());
        }
        assert_eq!(MindName::named("OUTER"), Some(MindName::Outer));
        assert_eq!(MindName::named("nobody"), None);
    }
}
