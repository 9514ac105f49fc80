//! The session memory (facts and patterns about the world, and what was completed) and the journal.
//!
//! Facts and patterns are about the world and others: what speaks of oneself is refused by `persona`. Two of them say
//! the same by a rule, not by a model (`says_the_same`). Source: *Session Memory* of the document on self-management.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Facts, patterns, and characters of one.
pub const FACTS_MAX: usize = 60;
pub const PATTERNS_MAX: usize = 40;
pub const LEARNED_CHARS: usize = 200;
/// Completed goals and projects that are kept, the newest.
pub const COMPLETED_KEPT: usize = 50;
/// Entries of the journal that the state holds, the newest, and characters of one.
pub const JOURNAL_KEPT: usize = 10;
pub const JOURNAL_CHARS: usize = 600;
/// Two texts are alike that share so much of their words.
const ALIKE: f64 = 0.9;

/// A fact or a pattern.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Learned {
    pub id: u64,
    pub text: String,
    pub tick: u64,
    /// How often it was learned.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub count: u32,
}

fn once() -> u32 {
    1
}

fn is_once(count: &u32) -> bool {
    *count == 1
}

impl Learned {
    pub fn new(id: u64, text: &str, tick: u64) -> Learned {
        Learned { id, text: text.to_string(), tick, count: 1 }
    }
}

/// A goal or a project that is done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Completed {
    pub id: u64,
    pub description: String,
    /// Unix milliseconds.
    pub timestamp: i64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionMemory {
    pub key_facts: Vec<Learned>,
    pub learned_patterns: Vec<Learned>,
    pub completed_tasks: Vec<Completed>,
    /// When it was tidied last, unix milliseconds.
    pub last_compacted: Option<i64>,
}

impl SessionMemory {
    /// Something is done; once more, if it had been taken up again.
    pub fn complete(&mut self, id: u64, description: &str, at_ms: i64) {
        self.completed_tasks.retain(|completed| completed.id != id);
        self.completed_tasks.push(Completed { id, description: description.to_string(), timestamp: at_ms });
        if self.completed_tasks.len() > COMPLETED_KEPT {
            self.completed_tasks.remove(0);
        }
    }

    /// Makes one of each list of ids: the first, which counts for all.
    pub fn merge(&mut self, merged: &[Vec<u64>], at_ms: i64) {
        for list in [&mut self.key_facts, &mut self.learned_patterns] {
            for ids in merged {
                let Some((kept, gone)) = ids.split_first() else { continue };
                let counts = list.iter().filter(|learned| gone.contains(&learned.id)).map(|learned| learned.count);
                let more: u32 = counts.sum();
                if let Some(kept) = list.iter_mut().find(|learned| learned.id == *kept) {
                    kept.count = kept.count.saturating_add(more);
                    let kept = kept.id;
                    list.retain(|learned| learned.id == kept || !gone.contains(&learned.id));
                }
            }
        }
        self.last_compacted = Some(at_ms);
    }

    /// What says the same, the oldest of each first.
    pub fn duplicates(&self) -> Vec<Vec<u64>> {
        let mut merged: Vec<Vec<u64>> = Vec::new();
        for list in [&self.key_facts, &self.learned_patterns] {
            let forms: Vec<Form> = list.iter().map(|learned| Form::of(&learned.text)).collect();
            let mut taken = vec![false; list.len()];
            for one in 0..list.len() {
                if taken[one] {
                    continue;
                }
                let same = (one + 1..list.len()).filter(|other| !taken[*other] && forms[one].is_like(&forms[*other]));
                let same: Vec<usize> = same.collect();
                if same.is_empty() {
                    continue;
                }
                same.iter().for_each(|other| taken[*other] = true);
                merged.push(std::iter::once(one).chain(same).map(|at| list[at].id).collect());
            }
        }
        merged
    }
}

/// What of a text is compared.
struct Form {
    folded: Vec<String>,
    words: BTreeSet<String>,
    /// Names, numbers and negations: where these differ, nothing is the same.
    telling: BTreeSet<String>,
}

const NEGATIONS: &[&str] = &["no", "not", "never", "nobody", "none", "nothing", "nowhere", "neither", "nor", "without"];

impl Form {
    fn of(text: &str) -> Form {
        let raw = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
        let raw: Vec<&str> = raw.collect();
        let is_telling = |at: usize, word: &str| {
            let lower = word.to_lowercase();
            // The first word has its capital from the sentence; what it may be, `first_is_shared` asks.
            let is_name = at > 0 && word.starts_with(char::is_uppercase);
            is_name
                || word.chars().any(|c| c.is_ascii_digit())
                || NEGATIONS.contains(&&*lower)
                || lower.ends_with("n't")
        };
        let telling = raw.iter().enumerate().filter(|(at, word)| is_telling(*at, word)).map(|(_, word)| word);
        let folded: Vec<String> = raw.iter().map(|word| word.to_lowercase()).collect();
        Form { words: folded.iter().cloned().collect(), telling: telling.map(|w| w.to_lowercase()).collect(), folded }
    }

    fn is_like(&self, other: &Form) -> bool {
        if self.folded == other.folded {
            return true;
        }
        // A name that begins one of them and stands within the other is the same name.
        let within = |one: &Form, all: &Form| one.telling.iter().all(|word| all.words.contains(word));
        let shared = self.words.intersection(&other.words).count() as f64;
        let all = self.words.union(&other.words).count() as f64;
        within(self, other) && within(other, self) && self.first_is_shared(other) && shared >= ALIKE * all
    }

    /// The word that begins either is in the other: it may be a name.
    fn first_is_shared(&self, other: &Form) -> bool {
        let shared = |one: &Form, all: &Form| one.folded.first().is_none_or(|word| all.words.contains(word));
        shared(self, other) && shared(other, self)
    }
}

/// How what stands in the journal is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    Told,
    #[default]
    Seen,
    Guess,
    Hearsay,
}

impl Trust {
    pub const ALL: [Trust; 4] = [Trust::Told, Trust::Seen, Trust::Guess, Trust::Hearsay];

    pub const fn name(self) -> &'static str {
        match self {
            Trust::Told => "told",
            Trust::Seen => "seen",
            Trust::Guess => "guess",
            Trust::Hearsay => "hearsay",
        }
    }

    /// 0..=1.
    pub const fn value(self) -> f64 {
        match self {
            Trust::Told => 0.9,
            Trust::Seen => 0.8,
            Trust::Guess => 0.6,
            Trust::Hearsay => 0.3,
        }
    }

    /// 0..=10: what it starts from. Source: issue 14.
    pub const fn importance(self) -> u8 {
        match self {
            Trust::Told => 7,
            Trust::Seen => 6,
            Trust::Guess => 5,
            Trust::Hearsay => 4,
        }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct JournalEntry {
    pub id: u64,
    pub text: String,
    pub source: Trust,
    pub importance: u8,
    pub tick: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_like(one: &str, other: &str) -> bool {
        let (one, other) = (Form::of(one), Form::of(other));
        assert_eq!(one.is_like(&other), other.is_like(&one), "either way");
        one.is_like(&other)
    }

    #[test]
    fn what_says_the_same_is_told_from_what_only_looks_so() {
        let long = "the smith in Mill Street pays five coins for each clean wolf pelt on market days";
        for (one, other, same) in [
            ("The gate closes at dusk.", "the gate closes at dusk", true),
            ("Bob  sells maps", "Bob sells maps!", true),
            ("The gate closes at 6.", "The gate closes at 7.", false),
            ("The gate is open", "The gate is not open", false),
            ("Alice likes tea", "Bob likes tea", false),
            ("He says that Alice likes tea", "He says that Bob likes tea", false),
            (long, "The smith in Mill Street pays five coins for each clean wolf pelt on market day", false),
            (long, "the smith in Mill Street pays five coins for each clean wolf pelt on the market days", true),
            (long, "the smith in Mill Lane pays five coins for each clean wolf pelt on market days", false),
            (long, "the smith in Mill Street doesn't pays five coins for each clean wolf pelt on market days", false),
        ] {
            assert_eq!(is_like(one, other), same, "{one} / {other}");
        }
    }

    #[test]
    fn the_oldest_stays_and_counts_for_all() {
        let mut session = SessionMemory::default();
        for (id, text) in
            [(3, "The inn is warm."), (5, "The well is dry."), (8, "the inn is warm"), (9, "The inn is warm")]
        {
            session.key_facts.push(Learned::new(id, text, 1));
        }
        session.learned_patterns.push(Learned::new(10, "The inn is warm", 1));
        let merged = session.duplicates();
        assert_eq!(merged, [vec![3, 8, 9]], "a pattern is no fact");
        session.merge(&merged, 7);
        let kept: Vec<(u64, u32)> = session.key_facts.iter().map(|fact| (fact.id, fact.count)).collect();
        assert_eq!(kept, [(3, 3), (5, 1)]);
        assert_eq!((session.learned_patterns.len(), session.last_compacted), (1, Some(7)));
        assert!(session.duplicates().is_empty());
        // A list that names what is not there changes nothing.
        let before = session.clone();
        session.merge(&[vec![99, 3], Vec::new()], 7);
        assert_eq!(session, before);
    }

    #[test]
    fn what_was_completed_twice_stands_once() {
        let mut session = SessionMemory::default();
        for id in 0..60 {
            session.complete(id % 55, "done", id as i64);
        }
        assert_eq!(session.completed_tasks.len(), COMPLETED_KEPT);
        assert_eq!(session.completed_tasks.last().map(|last| (last.id, last.timestamp)), Some((4, 59)));
    }
}
