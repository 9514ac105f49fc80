//! What a trigger tried, and what the server answered: counted by the server's own words.
//!
//! Invariant: what is kept is bounded; numbers within words are not told apart, so that `15 minutes` and `14 minutes`
//! are one answer.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Different answers that are kept; what is beyond them counts as `OTHER`.
const ANSWERS_MAX: usize = 16;
const OTHER: &str = "something else";
/// Longest answer that is kept, in letters.
const LETTERS_MAX: usize = 100;

/// Shared by all connections of a trigger.
#[derive(Debug, Default)]
pub struct Tally {
    tried: AtomicU64,
    refused: Mutex<BTreeMap<String, u64>>,
    /// After how many attempts it reached what nobody should; 0: it has not.
    reached: AtomicU64,
}

/// The same when all is over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub tried: u64,
    /// By the words of the refusal: the server's, or those of the operating system.
    pub refused: BTreeMap<String, u64>,
    /// After how many attempts it reached what nobody should.
    pub reached: Option<u64>,
}

impl Tally {
    /// Something was tried that the server did, or took without a word.
    pub fn allow(&self) {
        self.tried.fetch_add(1, Ordering::Relaxed);
    }

    /// Something was tried and refused.
    pub fn refuse(&self, words: &str) {
        self.allow();
        self.add_refusals(words, 1);
    }

    pub fn count<T>(&self, result: &anyhow::Result<T>) {
        match result {
            Ok(_) => self.allow(),
            Err(error) => self.refuse(&format!("{error:#}")),
        }
    }

    /// So much of what was counted as allowed was refused after all.
    pub fn add_refusals(&self, words: &str, count: u64) {
        let words = without_numbers(words);
        let mut refused = self.refused.lock().expect("nobody panics with it");
        let known = refused.len() < ANSWERS_MAX || refused.contains_key(&words);
        *refused.entry(if known { words } else { OTHER.to_string() }).or_default() += count;
    }

    /// What was tried last did what nobody should be able to do.
    pub fn reach(&self) {
        let tried = self.tried.load(Ordering::Relaxed);
        // Only the first counts.
        let _later = self.reached.compare_exchange(0, tried, Ordering::Relaxed, Ordering::Relaxed);
    }

    pub fn outcome(&self) -> Outcome {
        let refused = self.refused.lock().expect("nobody panics with it").clone();
        let reached = Some(self.reached.load(Ordering::Relaxed)).filter(|after| *after > 0);
        Outcome { tried: self.tried.load(Ordering::Relaxed), refused, reached }
    }
}

impl Outcome {
    pub fn allowed(&self) -> u64 {
        self.tried.saturating_sub(self.refused.values().sum())
    }
}

/// The first line, with `#` for each number.
fn without_numbers(words: &str) -> String {
    let line = words.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("hung up");
    let mut plain = String::new();
    for letter in line.chars().filter(|letter| !letter.is_control()).take(LETTERS_MAX) {
        match letter.is_ascii_digit() {
            true if plain.ends_with('#') => {}
            true => plain.push('#'),
            false => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_differ_in_numbers_only_are_one_answer() {
        let tally = Tally::default();
        tally.allow();
        tally.refuse("locked_out: Try again in 15 minutes.\nGoodbye");
        tally.refuse("locked_out: Try again in 9 minutes.");
        tally.refuse("\r\n");
        let outcome = tally.outcome();
        let expected = [("hung up", 1), ("locked_out: Try again in # minutes.", 2)];
        assert_eq!(outcome.refused, expected.map(|(words, count)| (words.to_string(), count)).into());
        assert_eq!((outcome.tried, outcome.allowed(), outcome.reached), (4, 1, None));
    }

    #[test]
    fn the_first_time_that_it_went_wrong_is_kept() {
        let tally = Tally::default();
        for n in 0..10 {
            tally.allow();
            if n % 4 == 3 {
                tally.reach();
            }
        }
        assert_eq!(tally.outcome().reached, Some(4));
    }

    #[test]
    fn a_server_that_says_something_new_each_time_fills_no_memory() {
        let tally = Tally::default();
        for n in 0..1_000 {
            tally.refuse(&"x".repeat(n));
        }
        let outcome = tally.outcome();
        assert_eq!(outcome.refused.len(), ANSWERS_MAX + 1);
        assert!(outcome.refused.keys().all(|words| words.len() <= LETTERS_MAX));
        assert_eq!(outcome.refused.values().sum::<u64>(), 1_000);
    }
}
