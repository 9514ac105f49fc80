//! Which log: a character's name, and which of its minds keeps it.
//!
//! Invariant: the name is canonical (trimmed, lower-case), whoever makes the id, so two ids of one log are equal. A
//! name alone is the log of the character's first mind, the body's; those of a council are `MindName`'s.

use protocol::minds::MindName;
use std::fmt;

/// One log. Numbers of entries (`LogEntry::seq`) rise within it, with gaps: a character has one counter for all its
/// logs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LogId {
    character: String,
    mind: MindNumber,
}

/// Which of a character's minds, from 0.
pub type MindNumber = u8;

/// The mind that every character has: what happens to the character is in its log.
pub const FIRST_MIND: MindNumber = 0;

impl LogId {
    /// `character` in any case.
    pub fn new(character: &str, mind: MindNumber) -> LogId {
        LogId { character: character.trim().to_lowercase(), mind }
    }

    /// Of one of the minds that have a name.
    pub fn of(character: &str, mind: MindName) -> LogId {
        LogId::new(character, mind.number())
    }

    /// The character's name, canonical.
    pub fn character(&self) -> &str {
        &self.character
    }

    pub fn mind(&self) -> MindNumber {
        self.mind
    }

    /// Which of the minds that have a name; `None`: of another program.
    pub fn mind_name(&self) -> Option<MindName> {
        MindName::ALL.get(usize::from(self.mind)).copied()
    }
}

impl From<&str> for LogId {
    fn from(character: &str) -> LogId {
        LogId::new(character, FIRST_MIND)
    }
}

impl From<&String> for LogId {
    fn from(character: &String) -> LogId {
        LogId::from(character.as_str())
    }
}

impl From<&LogId> for LogId {
    fn from(id: &LogId) -> LogId {
        id.clone()
    }
}

impl fmt::Display for LogId {
    /// The name alone for the first mind, else `ann/1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.character)?;
        match self.mind {
            FIRST_MIND => Ok(()),
            mind => write!(f, "/{mind}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_any_case_is_the_log_of_the_first_mind() {
        assert_eq!(LogId::from(" Ann "), LogId::new("ann", FIRST_MIND));
        assert!(LogId::new("ann", 1) > LogId::from("ann"));
        assert_eq!((LogId::from("Ann").to_string(), LogId::new("ANN", 2).to_string()), ("ann".into(), "ann/2".into()));
    }
}
