//! What somebody lets others read of their mind. Each log keeps one author: who is let in reads, and writes nothing.
//!
//! Invariant: a grant is for a person, by the number that the world never gives twice: who takes somebody's name after
//! them is let in nowhere. Names are kept beside it for who reads the list.

use serde::{Deserialize, Serialize};

/// Others that one mind is open to.
pub const GRANTS_MAX: usize = 12;

/// Others of whose minds a client is told, and rows of them in a prompt.
pub const TOLD_MAX: usize = 6;

/// A part of a mind that can be shared by itself. All else of it cannot be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    Task,
    /// Goals, steps, what stands in their way, how far they are.
    Goals,
    Notes,
    Decisions,
    /// Facts and patterns.
    Facts,
}

impl Scope {
    pub const ALL: [Scope; 5] = [Scope::Task, Scope::Goals, Scope::Notes, Scope::Decisions, Scope::Facts];

    pub const fn name(self) -> &'static str {
        match self {
            Scope::Task => "task",
            Scope::Goals => "goals",
            Scope::Notes => "notes",
            Scope::Decisions => "decisions",
            Scope::Facts => "facts",
        }
    }

    fn named(word: &str) -> Option<Scope> {
        Scope::ALL.into_iter().find(|scope| scope.name().eq_ignore_ascii_case(word))
    }
}

/// `task,goals` in the order of `Scope::ALL`, each once; all of them where nothing is said. An error is the word that
/// is none.
pub fn scopes_of(words: &str) -> Result<Vec<Scope>, String> {
    let words = words.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
    let mut scopes = words.map(|word| Scope::named(word).ok_or(word.to_string())).collect::<Result<Vec<_>, _>>()?;
    if scopes.is_empty() {
        return Ok(Scope::ALL.to_vec());
    }
    scopes.sort_unstable();
    scopes.dedup();
    Ok(scopes)
}

/// `task, goals`.
pub fn told(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(", ")
}

/// Somebody may read these parts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Grant {
    pub id: u64,
    /// As they were called then.
    pub to: String,
    pub person: u32,
    pub scopes: Vec<Scope>,
    pub tick: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_in_any_order_and_kept_in_one() {
        assert_eq!(scopes_of("goals, Task,goals"), Ok(vec![Scope::Task, Scope::Goals]));
        assert_eq!(scopes_of("facts notes"), Ok(vec![Scope::Notes, Scope::Facts]));
        assert_eq!(scopes_of(" , "), Ok(Scope::ALL.to_vec()));
        assert_eq!(scopes_of("task,dreams"), Err("dreams".to_string()));
        for scope in Scope::ALL {
            assert_eq!(scopes_of(scope.name()), Ok(vec![scope]));
            assert_eq!(serde_json::to_value(scope).expect("a word"), scope.name());
        }
    }
}
